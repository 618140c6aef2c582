"""Bundles: a trained model as a folder, with all that it needs to be opened years later.

    weights.crfsuite   the model file, weights on the grid
    recipe.json        the frozen recipe it was trained by
    labels.json        labels and tags, and optionally what each label is called in the native set
    biases.json        the recall dial: label -> what its tags score more
    dictionaries.json  name -> SHA-256 of each dictionary used, and whether it is in the bundle
    dictionaries/...   those that do not ship with the package
    card.json, card.md what it was trained on, how, and how it scored
    CHECKSUMS          SHA-256 of each of the above; its own SHA-256 is the bundle's hash

`CHECKSUMS` finds damage, not malice: whoever can change a file can change it too. So after the
checksums agree, each file is still checked for what it says, and nothing in a bundle is code.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.resources
import json
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import fsspec

from ..dictionaries import DICTIONARIES, Dictionary, DictionaryError
from ..dictionaries import load as load_dictionary
from ..dictionaries import parse as parse_dictionary
from .crf.model_file import CrfModel, label_of, read_model, snap_bias
from .errors import BundleError, ScrublineError, UsageError, error_class
from .labels import LABELS
from .recipes import Recipe

CHECKSUMS = "CHECKSUMS"
WEIGHTS = "weights.crfsuite"
FILES = (
    "biases.json",
    "card.json",
    "card.md",
    "dictionaries.json",
    "labels.json",
    "recipe.json",
    WEIGHTS,
)
"""The files of every bundle, beside its dictionaries and `CHECKSUMS`."""

MAX_BYTES: Mapping[str, int] = {WEIGHTS: 1 << 29, CHECKSUMS: 1 << 16}
"""Larger files are refused unread; `_MAX_OTHER` holds for those not named."""

_MAX_OTHER = 1 << 26
_MAX_DICTIONARIES = 100
_FOLDER = "dictionaries"
_NAME = re.compile(r"[a-z0-9]+(?:[._-][a-z0-9]+)*")
_TAG = re.compile(r"O|[BIES]-[\w-]{1,64}")
_LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9._/-]{1,200})")
_DICTIONARY = re.compile(rf"{_FOLDER}/([A-Za-z0-9_-][A-Za-z0-9_.-]{{0,63}})\.txt")


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """A checked bundle; made by `open_bundle`, `make_bundle` and `revise_bundle` only.

    Attributes:
        name: as its card says.
        hash: SHA-256 of its `CHECKSUMS`, in hexadecimal: two bundles with one hash are the same
            bytes.
        recipe: what it was trained by.
        weights: the model file. Whoever opens it in CRFsuite must keep these bytes alive.
        model: the same, parsed.
        labels: the labels of its tags, sorted, as in the corpus that it was trained on.
        label_map: label -> its name in the native set, or None where that has no such PHI; None as
            a whole if the labels are native.
        biases: label (or "O") -> bias, on the grid of the weights.
        dictionaries: those that the recipe names.
        card: what `card.json` says.
        files: all files but `CHECKSUMS`, by path in the folder.
    """

    name: str
    hash: str
    recipe: Recipe = dataclasses.field(repr=False)
    weights: bytes = dataclasses.field(repr=False)
    model: CrfModel = dataclasses.field(repr=False)
    labels: tuple[str, ...]
    label_map: Mapping[str, str | None] | None = dataclasses.field(repr=False)
    biases: Mapping[str, float] = dataclasses.field(repr=False)
    dictionaries: Mapping[str, Dictionary] = dataclasses.field(repr=False)
    card: Mapping[str, Any] = dataclasses.field(repr=False)
    files: Mapping[str, bytes] = dataclasses.field(repr=False)


def make_bundle(
    name: str,
    *,
    recipe: Recipe,
    weights: bytes,
    dictionaries: Mapping[str, Dictionary],
    label_map: Mapping[str, str | None] | None = None,
    biases: Mapping[str, float] | None = None,
    card: Mapping[str, Any] | None = None,
) -> Bundle:
    """Puts a bundle together and checks it as if it had been opened.

    Args:
        name: small letters and digits, joined by ".", "_" or "-".
        recipe: what it was trained by.
        weights: a model file with weights on the grid.
        dictionaries: at least those that the recipe names; the others are left out.
        label_map: see `Bundle`.
        biases: rounded to the grid; those of 0 are left out.
        card: JSON values, without "name"; `card.md` is made of them.

    Raises:
        BundleError: if the parts do not fit together.
    """
    model = read_model(weights)
    labels = sorted({label_of(tag) for tag in model.tags} - {"O"})
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
    full_card = json.loads(_json({**(card or {}), "name": name}))
    files = {
        "biases.json": _json({label: bias for label, bias in snapped.items() if bias}),
        "card.json": _json(full_card),
        "card.md": render_card(full_card).encode(),
        "dictionaries.json": _json(used),
        "labels.json": _json({"labels": labels, "tags": model.tags, "label_map": label_map}),
        "recipe.json": _json(recipe.as_json()),
        WEIGHTS: weights,
        **lists,
    }
    # A name that no dictionary file may have would make a bundle that cannot be opened again.
    _parse_checksums(_checksums(files), f"bundle {name}")
    return _check(files, f"bundle {name}")


def revise_bundle(
    bundle: Bundle,
    *,
    biases: Mapping[str, float] | None = None,
    card: Mapping[str, Any] | None = None,
) -> Bundle:
    """The bundle with other biases (instead of its own), or with entries added to its card."""
    return make_bundle(
        bundle.name,
        recipe=bundle.recipe,
        weights=bundle.weights,
        dictionaries=bundle.dictionaries,
        label_map=bundle.label_map,
        biases=bundle.biases if biases is None else biases,
        card={**bundle.card, **(card or {})},
    )


def bundled_names() -> tuple[str, ...]:
    """Names of the bundles that come with the package, sorted."""
    folder = importlib.resources.files(__package__).joinpath("bundled")
    if not folder.is_dir():
        return ()
    return tuple(
        sorted(entry.name for entry in folder.iterdir() if entry.joinpath(CHECKSUMS).is_file())
    )


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
        where, folder = "the bundle", _remote(name_or_url)
    elif name_or_url in bundled_names():
        where, folder = f"bundle {name_or_url}", _shipped(name_or_url)
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
    try:
        filesystem, path = fsspec.core.url_to_fs(url)
        taken = filesystem.exists(path) and bool(filesystem.ls(path, detail=False))
    except Exception as error:  # storage libraries raise whatever they like, and quote the URL
        raise BundleError(f"the bundle's folder cannot be reached: {error_class(error)}") from None
    if taken:
        raise BundleError("the folder for the bundle is not empty; give a new one")
    path = path.rstrip("/")
    try:
        filesystem.makedirs(path, exist_ok=True)
        if any(name.startswith(_FOLDER) for name in bundle.files if "/" in name):
            filesystem.makedirs(f"{path}/{_FOLDER}", exist_ok=True)
        for name, content in bundle.files.items():
            filesystem.pipe_file(f"{path}/{name}", content)
        filesystem.pipe_file(f"{path}/{CHECKSUMS}", _checksums(bundle.files))
    except Exception as error:
        raise BundleError(f"the bundle cannot be written: {error_class(error)}") from None


def render_card(card: Mapping[str, Any]) -> str:
    """The card as Markdown: each entry of `card.json`, nested ones indented."""
    lines = [f"# {card['name']}", ""]
    for key, value in card.items():
        if key != "name":
            lines += _card_lines(key, value, 0)
    return "\n".join([*lines, ""])


def _card_lines(key: str, value: Any, depth: int) -> list[str]:
    head = f"{'  ' * depth}- {key}:"
    if isinstance(value, Mapping):
        return [
            head,
            *(line for k, v in value.items() for line in _card_lines(str(k), v, depth + 1)),
        ]
    if isinstance(value, (list, tuple)):
        value = ", ".join(map(str, value))
    return [f"{head} {value}"]


# Opening

_KEPT = 8
_lock = threading.Lock()
_opened: dict[str, Bundle] = {}


@dataclasses.dataclass(frozen=True, slots=True)
class _Folder:
    """How the files of a bundle are reached.

    Attributes:
        names: lists the paths of all entries, sub-folders' content included; a folder's own ends
            with "/".
        read: gives at most so many bytes of a file.
    """

    names: Callable[[], list[str]]
    read: Callable[[str, int], bytes]


def _shipped(name: str) -> _Folder:
    root = importlib.resources.files(__package__).joinpath("bundled", name)

    def names() -> list[str]:
        found = []
        for entry in root.iterdir():
            if entry.name == _FOLDER and entry.is_dir():
                found += [f"{_FOLDER}/{inner.name}" for inner in entry.iterdir()]
            else:
                found.append(entry.name if entry.is_file() else f"{entry.name}/")
        return found

    def read(path: str, limit: int) -> bytes:
        with root.joinpath(*path.split("/")).open("rb") as stream:
            return stream.read(limit)

    return _Folder(names, read)


def _remote(url: str) -> _Folder:
    try:
        filesystem, root = fsspec.core.url_to_fs(url)
    except Exception as error:
        raise BundleError(f"the bundle's folder cannot be reached: {error_class(error)}") from None
    root = root.rstrip("/")

    def entries(folder: str) -> list[tuple[str, bool]]:
        found = filesystem.ls(folder, detail=True, refresh=True)
        # Object stores may list a folder's own marker in it.
        found = [row for row in found if row["name"].strip("/") != folder.strip("/")]
        return [
            (row["name"].rstrip("/").rpartition("/")[2], row["type"] == "file") for row in found
        ]

    def names() -> list[str]:
        found = []
        for name, is_file in entries(root):
            if name == _FOLDER and not is_file:
                inner = entries(f"{root}/{_FOLDER}")
                found += [f"{_FOLDER}/{name}{'' if is_file else '/'}" for name, is_file in inner]
            else:
                found.append(name if is_file else f"{name}/")
        return found

    def read(path: str, limit: int) -> bytes:
        # Opening a named pipe would wait for ever.
        if filesystem.info(f"{root}/{path}")["type"] != "file":
            raise FileNotFoundError
        with filesystem.open(f"{root}/{path}", "rb") as stream:
            content: bytes = stream.read(limit)
            return content

    return _Folder(names, read)


def _open(folder: _Folder, where: str) -> Bundle:
    sums_content = _read(folder, CHECKSUMS, where)
    digest = hashlib.sha256(sums_content).hexdigest()
    with _lock:
        if digest in _opened:
            _opened[digest] = _opened.pop(digest)  # most recently used last
            return _opened[digest]
    sums = _parse_checksums(sums_content, where)
    try:
        present = set(folder.names())
    except Exception as error:
        raise BundleError(f"{where}: its folder cannot be listed: {error_class(error)}") from None
    if extra := present - sums.keys() - {CHECKSUMS}:
        raise BundleError(f"{where}: {len(extra)} files or folders that {CHECKSUMS} does not list")
    files = {}
    for name, expected in sums.items():
        files[name] = _read(folder, name, where)
        if hashlib.sha256(files[name]).hexdigest() != expected:
            raise BundleError(
                f"{where}: {name} is damaged: its checksum is not the one in {CHECKSUMS}"
            )
    bundle = _check(files, where)
    with _lock:
        _opened[digest] = bundle
        while len(_opened) > _KEPT:
            del _opened[next(iter(_opened))]
    return bundle


def _read(folder: _Folder, name: str, where: str) -> bytes:
    limit = MAX_BYTES.get(name, _MAX_OTHER)
    try:
        content = folder.read(name, limit + 1)
    except FileNotFoundError:
        raise BundleError(f"{where}: {name} is missing") from None
    except Exception as error:
        raise BundleError(f"{where}: {name} cannot be read: {error_class(error)}") from None
    if len(content) > limit:
        raise BundleError(f"{where}: {name} has more than {limit} bytes")
    return content


def _checksums(files: Mapping[str, bytes]) -> bytes:
    return "".join(
        f"{hashlib.sha256(files[name]).hexdigest()}  {name}\n" for name in sorted(files)
    ).encode()


def _parse_checksums(content: bytes, where: str) -> dict[str, str]:
    """Path -> SHA-256. Paths are those that a bundle may have, so none leads out of its folder."""
    lines = content.decode("ascii", "replace").split("\n")
    matches = [_LINE.fullmatch(line) for line in lines[:-1]]
    sums = {match[2]: match[1] for match in matches if match}
    if lines[-1] or len(sums) != len(matches) or list(sums) != sorted(sums):
        raise BundleError(
            f"{where}: {CHECKSUMS} is damaged: expected sorted lines of a SHA-256 and a file"
        )
    if missing := sorted(set(FILES) - sums.keys()):
        raise BundleError(f"{where}: {CHECKSUMS} does not list {missing}")
    others = sums.keys() - set(FILES)
    if len(others) > _MAX_DICTIONARIES or not all(_DICTIONARY.fullmatch(name) for name in others):
        raise BundleError(f"{where}: {CHECKSUMS} lists files that a bundle cannot have")
    return sums


# Checking


def _check(files: Mapping[str, bytes], where: str) -> Bundle:
    """The bundle of these files, if they fit together."""

    def table(name: str) -> dict[str, Any]:
        try:
            value = json.loads(files[name].decode(), parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            raise BundleError(f"{where}: {name} is not JSON in UTF-8") from None
        if not isinstance(value, dict):
            raise BundleError(f"{where}: {name} must hold a JSON object")
        return value

    def refuse(name: str, what: str) -> BundleError:
        return BundleError(f"{where}: {name}: {what}")

    try:
        model = read_model(files[WEIGHTS])
    except BundleError as error:
        raise refuse(WEIGHTS, str(error)) from None
    if not model.on_grid():
        raise refuse(WEIGHTS, "its weights are not snapped to the grid")
    if not all(_TAG.fullmatch(tag) for tag in model.tags) or "O" not in model.tags:
        raise refuse(WEIGHTS, "its tags are not those of a label scheme")
    labels = tuple(sorted({label_of(tag) for tag in model.tags} - {"O"}))

    listed = table("labels.json")
    if listed.get("labels") != list(labels) or listed.get("tags") != list(model.tags):
        raise refuse("labels.json", "its labels or tags are not those of the weights")
    label_map = listed.get("label_map")
    if label_map is not None and not _is_label_map(label_map, labels):
        raise refuse("labels.json", "label_map must give each label a native label or null")

    biases = table("biases.json")
    if unknown := sorted(biases.keys() - {*labels, "O"}):
        raise refuse("biases.json", f"unknown labels {unknown}")
    if not all(type(bias) in (int, float) and _is_on_grid(bias) for bias in biases.values()):
        raise refuse("biases.json", "a bias is not a number on the grid of the weights")

    raw_recipe = table("recipe.json")
    try:
        recipe = Recipe.from_json(raw_recipe)
    except ScrublineError as error:
        raise refuse("recipe.json", str(error)) from None
    except Exception as error:
        raise refuse("recipe.json", f"not a recipe ({error_class(error)})") from None

    card = table("card.json")
    name = card.get("name")
    if not isinstance(name, str) or len(name) > 64 or not _NAME.fullmatch(name):
        raise refuse(
            "card.json", "name must be 1 to 64 small letters and digits, joined by . _ or -"
        )

    return Bundle(
        name=name,
        hash=hashlib.sha256(_checksums(files)).hexdigest(),
        recipe=recipe,
        weights=files[WEIGHTS],
        model=model,
        labels=labels,
        label_map=label_map,
        biases={label: float(bias) for label, bias in biases.items()},
        dictionaries=_dictionaries(table("dictionaries.json"), files, recipe, where),
        card=card,
        files=files,
    )


def _dictionaries(
    listed: Mapping[str, Any], files: Mapping[str, bytes], recipe: Recipe, where: str
) -> dict[str, Dictionary]:
    """The dictionaries that the recipe names, from bundle or package, hashes compared."""
    if set(listed) != set(recipe.dictionaries):
        raise BundleError(
            f"{where}: dictionaries.json must list those of the recipe, no more and no less"
        )
    found = {}
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
            dictionary = (
                parse_dictionary(name, files[f"{_FOLDER}/{name}.txt"])
                if entry["inside"]
                else load_dictionary(name)
            )
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


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _json(value: object) -> bytes:
    return (
        json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False) + "\n"
    ).encode()
