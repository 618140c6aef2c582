"""The files of a bundle: their names, sizes and checksums.

token.crf.xz       the model of the recipe's token tagger: see `crf.packed`
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
from ..recipes.recipe import KINDS
from ..storage.checksummed import CHECKSUMS, Folder, parse_checksums, read_file

MODELS: Mapping[str, str] = {kind: f"{kind}.crf.xz" for kind in KINDS}
"""Kind of tagger -> its model file."""

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

MAX_BYTES: Mapping[str, int] = {
    **dict.fromkeys(MODELS.values(), 1 << 28),
    CHECKSUMS: 1 << 16,
}
"""Larger files are refused unread; `_MAX_OTHER` is the limit for files not listed here."""

NAME_FORM = "1 to 64 lower-case letters and digits, joined by . _ or -"
"""The form of a bundle's name, for messages."""

_MAX_OTHER = 1 << 26
_MAX_OTHERS = 150
_NAME = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
_AUXILIARY = re.compile(rf"{AUXILIARY_FOLDER}/([a-z0-9]{{1,32}})/([A-Za-z0-9_.]{{1,64}})")
_DICTIONARY = re.compile(rf"{DICTIONARY_FOLDER}/([A-Za-z0-9_-][A-Za-z0-9_.-]{{0,63}})\.txt")


def is_bundle_name(name: str) -> bool:
    """Whether a bundle may have this name; see `NAME_FORM`."""
    return len(name) <= 64 and _NAME.fullmatch(name) is not None


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
    return read_file(folder, name, MAX_BYTES.get(name, _MAX_OTHER), where)


def parse_bundle_checksums(content: bytes, where: str) -> dict[str, str]:
    """Path -> SHA-256, from `CHECKSUMS`; no path leads out of the folder.

    Raises:
        BundleError: if a required file is missing, or a path is not allowed in a bundle.
    """
    sums = parse_checksums(content, where)
    if missing := sorted(set(FILES) - sums.keys()):
        raise BundleError(f"{where}: {CHECKSUMS} does not list {missing}")
    others = sums.keys() - {*FILES, *MODELS.values()}
    if len(others) > _MAX_OTHERS or not all(
        dictionary_in(path) or auxiliary_in(path) for path in others
    ):
        raise BundleError(f"{where}: {CHECKSUMS} lists files that do not belong in a bundle")
    return sums
