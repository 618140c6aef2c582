"""Bundles: a trained model as a folder, with all that it needs to be opened years later.

    token.crf.xz       the model of the recipe's token tagger: see `crf.packed`
    character.crf.xz   that of its character tagger; a recipe has one of them or both
    recipe.json        the frozen recipe it was trained by
    labels.json        labels and tags, and optionally what each label is called in the native set
    biases.json        the recall dial: label -> what its tags score more
    dictionaries.json  name -> SHA-256 of each dictionary used, and whether it is in the bundle
    dictionaries/...   those that do not ship with the package
    parts/<name>/...   the language parts that the recipe sees texts through, whole, each with the
                       licence of its own data
    card.json, card.md what it was trained on, how, and how it scored
    CHECKSUMS          SHA-256 of each of the above; its own SHA-256 is the bundle's hash

It is a sealed folder: see `models.sealed`. After the checksums agree, each file is still checked
for what it says, and nothing in a bundle is code.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.resources
import json
import os
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Any

from ..dictionaries import DICTIONARIES, Dictionary, DictionaryError
from ..dictionaries import load as load_dictionary
from ..dictionaries import parse as parse_dictionary
from . import compiled
from .crf.model_file import CrfModel, label_of, snap_bias
from .crf.packed import pack, unpack
from .errors import BundleError, ScrublineError, UsageError, error_class
from .labels import LABELS
from .parts import Part, open_part, require_parts
from .recipes import Recipe
from .recipes.recipe import KINDS
from .sealed import (
    CHECKSUMS,
    Folder,
    checksums,
    json_object,
    package_folder,
    parse_checksums,
    read_file,
    remote_folder,
    render_card,
    require_listed,
    require_sum,
    to_json,
    write_sealed,
)
from .shortage import raise_shortage

MODELS: Mapping[str, str] = {kind: f"{kind}.crf.xz" for kind in KINDS}
"""Kind of tagger -> its model file."""

DEFAULT_MODEL = "en-default"
"""The bundle that works where none is named."""

NO_MODEL = "none"
"""In the place of a name: rules alone."""

FILES = (
    "biases.json",
    "card.json",
    "card.md",
    "dictionaries.json",
    "labels.json",
    "recipe.json",
)
"""The files of every bundle, beside its model files, its dictionaries and `CHECKSUMS`."""

MAX_BYTES: Mapping[str, int] = {
    **dict.fromkeys(MODELS.values(), 1 << 28),
    CHECKSUMS: 1 << 16,
}
"""Larger files are refused unread; `_MAX_OTHER` holds for those not named."""

_MAX_OTHER = 1 << 26
_MAX_OTHERS = 150
_FOLDER = "dictionaries"
_NAME = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
_TAG = re.compile(r"O|[BIES]-[\w-]{1,64}")
_PARTS = "parts"
_PART = re.compile(rf"{_PARTS}/([a-z0-9]{{1,32}})/([A-Za-z0-9_.]{{1,64}})")
_DICTIONARY = re.compile(rf"{_FOLDER}/([A-Za-z0-9_-][A-Za-z0-9_.-]{{0,63}})\.txt")


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """A checked bundle; made by `open_bundle`, `make_bundle` and `revise_bundle` only.

    Attributes:
        name: as its card says.
        hash: SHA-256 of its `CHECKSUMS`, in hexadecimal: two bundles with one hash are the same
            bytes.
        recipe: what it was trained by.
        models: kind of tagger -> its weights, in the order of the recipe's taggers.
        labels: the labels of all tags, sorted, as in the corpus that it was trained on.
        label_map: label -> its name in the native set, or None where that has no such PHI; None as
            a whole if the labels are native.
        biases: label (or "O") -> bias, on the grid of the weights.
        dictionaries: those that the recipe names.
        parts: those that the recipe names.
        card: what `card.json` says.
        files: all files but `CHECKSUMS`, by path in the folder.
    """

    name: str
    hash: str
    recipe: Recipe = dataclasses.field(repr=False)
    models: Mapping[str, CrfModel] = dataclasses.field(repr=False)
    labels: tuple[str, ...]
    label_map: Mapping[str, str | None] | None = dataclasses.field(repr=False)
    biases: Mapping[str, float] = dataclasses.field(repr=False)
    dictionaries: Mapping[str, Dictionary] = dataclasses.field(repr=False)
    parts: Mapping[str, Part] = dataclasses.field(repr=False)
    card: Mapping[str, Any] = dataclasses.field(repr=False)
    files: Mapping[str, bytes] = dataclasses.field(repr=False)


NAME_FORM = "1 to 64 small letters and digits, joined by . _ or -"


def is_bundle_name(name: str) -> bool:
    """Whether a bundle may be called so: see `NAME_FORM`."""
    return len(name) <= 64 and _NAME.fullmatch(name) is not None


def make_bundle(
    name: str,
    *,
    recipe: Recipe,
    models: Mapping[str, CrfModel],
    dictionaries: Mapping[str, Dictionary],
    parts: Mapping[str, Part] = MappingProxyType({}),
    label_map: Mapping[str, str | None] | None = None,
    biases: Mapping[str, float] | None = None,
    card: Mapping[str, Any] | None = None,
    packed: Mapping[str, bytes] = MappingProxyType({}),
) -> Bundle:
    """Puts a bundle together and checks it as if it had been opened.

    Args:
        name: small letters and digits, joined by ".", "_" or "-".
        recipe: what it was trained by.
        models: kind of tagger -> its weights, on the grid.
        dictionaries: at least those that the recipe names; the others are left out.
        parts: likewise.
        label_map: see `Bundle`.
        biases: rounded to the grid; those of 0 are left out.
        card: JSON values, without "name"; `card.md` is made of them.
        packed: kind of tagger -> its model, packed before; the others are packed here, which takes
            many seconds for a large one.

    Raises:
        BundleError: if the parts do not fit together.
    """
    used: dict[str, dict[str, object]] = {}
    lists: dict[str, bytes] = {}
    for key in sorted(set(recipe.dictionaries) & dictionaries.keys()):
        if shipped := _ships(key, dictionaries[key]):
            sha256 = dictionaries[key].sha256
        else:
            content = dictionaries[key].to_bytes()
            lists[f"{_FOLDER}/{key}.txt"] = content
            sha256 = hashlib.sha256(content).hexdigest()
        used[key] = {"sha256": sha256, "inside": not shipped}
    snapped = {label: snap_bias(bias) for label, bias in (biases or {}).items()}
    # Through JSON and back, so that a card renders alike when new and when read.
    full_card = json.loads(to_json({**(card or {}), "name": name}))
    files = {
        "biases.json": to_json({label: bias for label, bias in snapped.items() if bias}),
        "card.json": to_json(full_card),
        "card.md": render_card(full_card).encode(),
        "dictionaries.json": to_json(used),
        "labels.json": to_json(
            {
                "labels": _labels_of(models),
                "tags": {kind: model.tags for kind, model in models.items()},
                "label_map": label_map,
            }
        ),
        "recipe.json": to_json(recipe.as_json()),
        **{MODELS[kind]: packed.get(kind) or pack(model) for kind, model in models.items()},
        **lists,
        **{
            f"{_PARTS}/{key}/{name}": content
            for key in sorted(set(recipe.parts) & parts.keys())
            for name, content in parts[key].files.items()
        },
    }
    # A name that no dictionary file may have would make a bundle that cannot be opened again.
    _bundle_sums(checksums(files), f"bundle {name}")
    return _check(files, f"bundle {name}")


def revise_bundle(
    bundle: Bundle,
    *,
    models: Mapping[str, CrfModel] | None = None,
    biases: Mapping[str, float] | None = None,
    card: Mapping[str, Any] | None = None,
) -> Bundle:
    """The bundle with other models or biases (for its own), or entries added to its card."""
    return make_bundle(
        bundle.name,
        recipe=bundle.recipe,
        models=bundle.models if models is None else models,
        dictionaries=bundle.dictionaries,
        parts=bundle.parts,
        label_map=bundle.label_map,
        biases=bundle.biases if biases is None else biases,
        card={**bundle.card, **(card or {})},
        packed={kind: bundle.files[MODELS[kind]] for kind in bundle.models}
        if models is None
        else {},
    )


def bundled_names() -> tuple[str, ...]:
    """Names of the bundles that come with the package, sorted."""
    folder = _shipped()
    if not folder.is_dir():
        return ()
    return tuple(
        sorted(entry.name for entry in folder.iterdir() if entry.joinpath(CHECKSUMS).is_file())
    )


def _shipped(*name: str) -> Traversable:
    return importlib.resources.files(__package__).joinpath("bundled", *name)


def open_bundle(name_or_url: str) -> Bundle:
    """Opens a bundle; the same one is opened once a process and shared.

    `CHECKSUMS` is always read; the other files only if no bundle of this hash is open already.

    Args:
        name_or_url: the name of one that comes with the package; anything with a slash or a
            backslash is a folder's path or URL, opened by fsspec.

    Raises:
        BundleError: if there is none, or it is not whole and sound. The message names the file of
            the bundle that is at fault, but not the URL, which may hold a name or a token.
    """
    if "/" in name_or_url or "\\" in name_or_url:
        where, folder = "the bundle", remote_folder(name_or_url, "bundle")
    elif name_or_url in bundled_names():
        where = f"bundle {name_or_url}"
        folder = package_folder(_shipped(name_or_url))
    else:
        raise BundleError(
            f"no such bundle; expected one of {list(bundled_names())}, or the path or URL of a "
            "folder (with a slash, as in ./folder)"
        )
    return _open(folder, where)


def write_bundle(bundle: Bundle, url: str) -> None:
    """Writes a bundle as a new folder, `CHECKSUMS` last.

    Raises:
        BundleError: if the folder exists and is not empty, or cannot be written.
    """
    write_sealed(bundle.files, url, "bundle")


# Opening

_KEPT = 8
_lock = threading.Lock()


def _unlock() -> None:
    """The lock may be held, by a thread that the child of a fork does not have."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_unlock)
_opened: dict[str, Bundle] = {}


def _may_hold(folder: str) -> bool:
    """Whether a bundle may have a folder of this path."""
    return folder in (_FOLDER, _PARTS) or folder.rpartition("/")[0] == _PARTS


def _open(folder: Folder, where: str) -> Bundle:
    sums_content = _read(folder, CHECKSUMS, where)
    digest = hashlib.sha256(sums_content).hexdigest()
    with _lock:
        if digest in _opened:
            _opened[digest] = _opened.pop(digest)  # most recently used last
            return _opened[digest]
    sums = _bundle_sums(sums_content, where)
    try:
        present = folder.files(_may_hold)
    except Exception as error:
        raise_shortage(error)
        raise BundleError(f"{where}: its folder cannot be listed: {error_class(error)}") from None
    require_listed(present, sums, where)
    files = {}
    for name in sums:
        files[name] = _read(folder, name, where)
        require_sum(name, files[name], sums, where)
    bundle = _check(files, where)
    with _lock:
        _opened[digest] = bundle
        while len(_opened) > _KEPT:
            del _opened[next(iter(_opened))]
    return bundle


def _read(folder: Folder, name: str, where: str) -> bytes:
    return read_file(folder, name, MAX_BYTES.get(name, _MAX_OTHER), where)


def _bundle_sums(content: bytes, where: str) -> dict[str, str]:
    """Path -> SHA-256. Paths are those that a bundle may have, so none leads out of its folder."""
    sums = parse_checksums(content, where)
    if missing := sorted(set(FILES) - sums.keys()):
        raise BundleError(f"{where}: {CHECKSUMS} does not list {missing}")
    others = sums.keys() - {*FILES, *MODELS.values()}
    if len(others) > _MAX_OTHERS or not all(
        _DICTIONARY.fullmatch(name) or _PART.fullmatch(name) for name in others
    ):
        raise BundleError(f"{where}: {CHECKSUMS} lists files that a bundle cannot have")
    return sums


# Checking


def _check(files: Mapping[str, bytes], where: str) -> Bundle:
    """The bundle of these files, if they fit together."""

    def table(name: str) -> dict[str, Any]:
        return json_object(files[name], name, where)

    def refuse(name: str, what: str) -> BundleError:
        return BundleError(f"{where}: {name}: {what}")

    raw_recipe = table("recipe.json")
    try:
        recipe = Recipe.from_json(raw_recipe)
    except ScrublineError as error:
        raise refuse("recipe.json", str(error)) from None
    except Exception as error:
        raise_shortage(error)
        raise refuse("recipe.json", f"not a recipe ({error_class(error)})") from None

    kinds = [tagger.kind for tagger in recipe.taggers]
    if {MODELS[kind] for kind in kinds} != files.keys() & set(MODELS.values()):
        raise refuse("recipe.json", f"its taggers are {kinds}: the model files are others")
    digest = hashlib.sha256(checksums(files)).hexdigest()
    models = PackedModels({kind: files[MODELS[kind]] for kind in kinds}, where)
    listed = table("labels.json")
    if all(compiled.is_kept(compiled.name_of(digest, kind)) for kind in kinds):
        # The same bytes were checked by the same code, and weights take long to unpack.
        labels = tuple(listed["labels"])
    else:
        labels = tuple(_labels_of(models))
        tags = {kind: list(model.tags) for kind, model in models.items()}
        if listed.get("labels") != list(labels) or listed.get("tags") != tags:
            raise refuse("labels.json", "its labels or tags are not those of the weights")
    label_map = listed.get("label_map")
    if label_map is not None and not _is_label_map(label_map, labels):
        raise refuse("labels.json", "label_map must give each label a native label or null")

    biases = table("biases.json")
    if unknown := sorted(biases.keys() - {*labels, "O"}):
        raise refuse("biases.json", f"unknown labels {unknown}")
    if not all(type(bias) in (int, float) and _is_on_grid(bias) for bias in biases.values()):
        raise refuse("biases.json", "a bias is not a number on the grid of the weights")

    card = table("card.json")
    name = card.get("name")
    if not isinstance(name, str) or not is_bundle_name(name):
        raise refuse("card.json", f"name must be {NAME_FORM}")

    return Bundle(
        name=name,
        hash=digest,
        recipe=recipe,
        models=models,
        labels=labels,
        label_map=label_map,
        biases={label: float(bias) for label, bias in biases.items()},
        dictionaries=_dictionaries(table("dictionaries.json"), files, recipe, where),
        parts=_parts(files, recipe, where),
        card=card,
        files=files,
    )


class PackedModels(Mapping[str, CrfModel]):
    """Models that are unpacked when they are asked for."""

    def __init__(self, packed: Mapping[str, bytes], where: str) -> None:
        self._packed, self._where = packed, where
        self._unpacked: dict[str, CrfModel] = {}

    def __getitem__(self, kind: str) -> CrfModel:
        found = self._unpacked.get(kind)
        if found is None:
            where = f"{self._where}: {MODELS[kind]}"
            found = self._unpacked[kind] = self._unpack(self._packed[kind], where)
        return found

    def forget(self) -> None:
        """Keeps no model unpacked: who asks again waits again."""
        self._unpacked.clear()

    def __iter__(self) -> Iterator[str]:
        return iter(self._packed)

    def __len__(self) -> int:
        return len(self._packed)

    @staticmethod
    def _unpack(packed: bytes, where: str) -> CrfModel:
        try:
            model = unpack(packed)
        except BundleError as error:
            raise BundleError(f"{where}: {error}") from None
        if not all(_TAG.fullmatch(tag) for tag in model.tags) or "O" not in model.tags:
            raise BundleError(f"{where}: its tags are not those of a label scheme")
        return model


def _dictionaries(
    listed: Mapping[str, Any], files: Mapping[str, bytes], recipe: Recipe, where: str
) -> dict[str, Dictionary]:
    """The dictionaries that the recipe names, from bundle or package, hashes compared."""
    if set(listed) != set(recipe.dictionaries):
        raise BundleError(
            f"{where}: dictionaries.json must list those of the recipe, no more and no less"
        )
    found = {}
    made = {extension.name for extension in recipe.extensions}
    given = {match[1] for match in map(_DICTIONARY.fullmatch, files) if match}
    for name, entry in listed.items():
        if not isinstance(entry, dict) or not isinstance(entry.get("inside"), bool):
            raise BundleError(f"{where}: dictionaries.json: an entry is damaged")
        if entry["inside"] != (name in given):
            raise BundleError(f"{where}: dictionaries.json and the folder {_FOLDER} do not agree")
        if not entry["inside"] and name not in DICTIONARIES:
            raise BundleError(
                f"{where}: needs dictionary {name!r}, which does not come with this version"
            )
        try:
            if not entry["inside"]:
                dictionary = load_dictionary(name)
            elif (content := files[f"{_FOLDER}/{name}.txt"]) or name not in made:
                dictionary = parse_dictionary(name, content)
            else:
                # The training part had no span of its labels: it is known, and holds nothing.
                dictionary = Dictionary(name, (), hashlib.sha256(b"").hexdigest())
        except DictionaryError as error:
            raise BundleError(f"{where}: {error}") from None
        if dictionary.sha256 != entry.get("sha256"):
            raise BundleError(
                f"{where}: dictionaries.json: trained with another version of dictionary {name!r}"
            )
        found[name] = dictionary
    if given - set(listed):
        raise BundleError(f"{where}: dictionaries.json and the folder {_FOLDER} do not agree")
    return found


def _parts(files: Mapping[str, bytes], recipe: Recipe, where: str) -> dict[str, Part]:
    """The language parts in the bundle, which must be those that the recipe names."""
    found: dict[str, dict[str, bytes]] = {}
    for path, content in files.items():
        if match := _PART.fullmatch(path):
            found.setdefault(match[1], {})[match[2]] = content
    if set(found) != set(recipe.parts):
        raise BundleError(
            f"{where}: {_PARTS}: must hold those that the recipe names, no more and no less: "
            f"{', '.join(recipe.parts) or 'none'}"
        )
    parts = {}
    for name, inner in found.items():
        try:
            parts[name] = open_part(inner)
        except BundleError as error:
            raise BundleError(f"{where}: {_PARTS}/{name}: {error}") from None
        if parts[name].name != name:
            raise BundleError(f"{where}: {_PARTS}/{name}: it is another part")
    try:
        for tagger in recipe.taggers:
            require_parts(f"recipe {recipe.name}", tagger.features, parts)
    except UsageError as error:
        raise BundleError(f"{where}: {error}") from None
    return parts


def _labels_of(models: Mapping[str, CrfModel]) -> list[str]:
    tags = {tag for model in models.values() for tag in model.tags}
    return sorted({label_of(tag) for tag in tags} - {"O"})


def _ships(name: str, dictionary: Dictionary) -> bool:
    return name in DICTIONARIES and load_dictionary(name).sha256 == dictionary.sha256


def _is_label_map(label_map: object, labels: Sequence[str]) -> bool:
    return (
        isinstance(label_map, dict)
        and set(labels) <= label_map.keys()
        and all(native is None or native in LABELS for native in label_map.values())
    )


def _is_on_grid(bias: float) -> bool:
    try:
        return snap_bias(bias) == bias
    except (UsageError, OverflowError):
        return False
