"""The files of a bundle: their names, sizes and checksums.

token.crf.xz       the model of the recipe's token tagger: see `crf.packed`. Another family has its
                   own suffix (`families.Family`), a recipe of passes its own keys: 2-1.crf.xz
character.crf.xz   the model of its character tagger; a recipe has one of them or both
recipe.json        the recipe that the bundle was trained with
labels.json        labels and tags, and optionally the native label of each label
biases.json        the operating point: label -> bias of its tags
dictionaries.json  name -> SHA-256 of each dictionary, and whether it is in the bundle
dictionaries/...   the dictionaries that do not ship with the package
parts/<name>/...   the auxiliary models that the recipe needs, whole, each with the licence of
                   its own data
card.json, card.md training data, method and scores
CHECKSUMS          SHA-256 of each of these files; its own SHA-256 is the bundle's hash

No path leads out of the folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..core.errors import BundleError
from ..families import FAMILIES
from ..recipes import Recipe
from ..recipes.tagger import KINDS
from ..storage.checksummed import CHECKSUMS, Folder, parse_checksums, read_file

FILES = (
    "biases.json",
    "card.json",
    "card.md",
    "dictionaries.json",
    "labels.json",
    "recipe.json",
)
"""The files of every bundle, besides models, dictionaries, auxiliary models and `CHECKSUMS`."""

DICTIONARY_FOLDER = "dictionaries"
AUXILIARY_FOLDER = "parts"

MAX_MODEL_BYTES = 1 << 28
MAX_OTHER_BYTES: Mapping[str, int] = {CHECKSUMS: 1 << 16}
"""Larger files are refused unread; `_MAX_OTHER` is the limit for files not listed here."""

NAME_FORM = "1 to 64 lower-case letters and digits, joined by . _ or -"
"""The form of a bundle's name, for messages."""

_MAX_OTHER = 1 << 26
_MAX_OTHERS = 150
_NAME = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
_AUXILIARY = re.compile(rf"{AUXILIARY_FOLDER}/([a-z0-9]{{1,32}})/([A-Za-z0-9_.]{{1,64}})")
_SUFFIXES = "|".join(sorted({family.suffix for family in FAMILIES.values()}))
_MODEL = re.compile(rf"({'|'.join(KINDS)}|[1-9]-[1-9][0-9]?)\.({_SUFFIXES})")
_DICTIONARY = re.compile(rf"{DICTIONARY_FOLDER}/([A-Za-z0-9_-][A-Za-z0-9_.-]{{0,63}})\.txt")


def is_bundle_name(name: str) -> bool:
    """Whether a bundle may have this name; see `NAME_FORM`."""
    return len(name) <= 64 and _NAME.fullmatch(name) is not None


def model_path(key: str, family: str = "crf") -> str:
    """The path of the model of a tagger: its key in the recipe, and its learner's family."""
    return f"{key}.{FAMILIES[family].suffix}"


def model_paths(recipe: Recipe) -> dict[str, str]:
    """Key of each tagger of a recipe -> the path of its model, in order."""
    return {key: model_path(key, one.learner.family) for key, one in recipe.tagger_of.items()}


def is_model(path: str) -> bool:
    """Whether a bundle may have a model at this path."""
    return _MODEL.fullmatch(path) is not None


def dictionary_path(name: str) -> str:
    """The path of a dictionary in a bundle."""
    return f"{DICTIONARY_FOLDER}/{name}.txt"


def auxiliary_path(name: str, file: str) -> str:
    """The path of a file of an auxiliary model in a bundle."""
    return f"{AUXILIARY_FOLDER}/{name}/{file}"


def dictionary_in(path: str) -> str | None:
    """The name of the dictionary at a path; None if no dictionary may be there."""
    match = _DICTIONARY.fullmatch(path)
    return match[1] if match else None


def auxiliary_in(path: str) -> tuple[str, str] | None:
    """The auxiliary model at a path and the file of it; None if none may be there."""
    match = _AUXILIARY.fullmatch(path)
    return (match[1], match[2]) if match else None


def may_be_folder(path: str) -> bool:
    """Whether a bundle may have a folder at this path."""
    return (
        path in (DICTIONARY_FOLDER, AUXILIARY_FOLDER) or path.rpartition("/")[0] == AUXILIARY_FOLDER
    )


def read_bundle_file(folder: Folder, name: str, where: str) -> bytes:
    """A file of a bundle, up to its size limit.

    Raises:
        BundleError: if it is missing, too large or cannot be read.
    """
    most = MAX_MODEL_BYTES if is_model(name) else MAX_OTHER_BYTES.get(name, _MAX_OTHER)
    return read_file(folder, name, most, where)


def parse_bundle_checksums(content: bytes, where: str) -> dict[str, str]:
    """Path -> SHA-256, from `CHECKSUMS`; no path leads out of the folder.

    Raises:
        BundleError: if a required file is missing, or a path is not allowed in a bundle.
    """
    sums = parse_checksums(content, where)
    if missing := sorted(set(FILES) - sums.keys()):
        raise BundleError(f"{where}: {CHECKSUMS} does not list {missing}")
    others = {path for path in sums.keys() - {*FILES} if not is_model(path)}
    if len(others) > _MAX_OTHERS or not all(
        dictionary_in(path) or auxiliary_in(path) for path in others
    ):
        raise BundleError(f"{where}: {CHECKSUMS} lists files that do not belong in a bundle")
    return sums
