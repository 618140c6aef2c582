"""The program's own code, as hashes: what was made by other code is not read back.

Three hashes, all over files and never over what was imported:

- `code_hash`: of the rooms that decide what is seen, learnt, decoded or carried over. Compiled
  taggers, cached features and finished folds are kept under it.
- `hash_of_module`: of one module and of what it uses, for the rules; it stands in audit rows.
- `hash_of_room`: of a room that makes what stands in place of PHI; policies that use it have it.

All follow the source. A module counts with its comments, a word list where a file that counts
names it, and a new file of a room counts from its first byte on.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.resources
import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources.abc import Traversable
from typing import NamedTuple

from ...dictionaries import DICTIONARIES

ROOMS = (
    "auxiliary",
    "bundles",
    "core",
    "crf",
    "families",
    "features",
    "learners",
    "margin",
    "native",
    "recipes",
    "redaction",
    "text",
    "training",
    "trees",
)
"""The rooms of `models/` that `code_hash` covers, each as a whole, with what they use of
`recognisers`. An edit elsewhere, of `storage` or of a rule, throws no cache away."""

_GIVEN_LISTS = ("models/auxiliary/", "models/recipes/")
"""What stands here names lists that others load; caches hash those lists themselves."""

_LOADERS = ("dictionaries/__init__.py", "dictionaries/trie.py")
"""How a list is read and matched. Of the table of lists only those that are named count."""

_RULES = "models/recognisers/"
_TABLE_OF_RULES = f"{_RULES}__init__.py"
_FOLLOWED = (_RULES, "models/text/", _LOADERS[0])
"""Where imports are followed for a rule. `core` has the types that rules speak in, and `native`
finds what the Python beside it finds."""

_CHARACTERS, _TABLES_OF_CHARACTERS = "models/text/characters.py", "models/text/classes-"

_IMPORT = re.compile(
    r"^[ \t]*from[ \t]+(?P<dots>\.+)(?P<module>[\w.]*)[ \t]+import[ \t]+"
    r"(?:\((?P<lines>[^)]*)\)|(?P<line>[^(\n]+))",
    re.MULTILINE,
)
_NAMED = re.compile(r"[\"']([a-z][a-z0-9_]*)[\"']")


class SourceFile(NamedTuple):
    """What hashing needs to know of a file.

    Attributes:
        sha256: hex digest of its content.
        imports: (folder or module, name in it) of each relative import, as paths without ending.
        lists: names of the shipped lists that stand in it as strings.
    """

    sha256: str
    imports: tuple[tuple[str, str], ...] = ()
    lists: frozenset[str] = frozenset()


def source_file(path: str, content: bytes) -> SourceFile:
    """What hashing needs to know of a file, by its path below the package's root."""
    digest = hashlib.sha256(content).hexdigest()
    if not path.endswith(".py"):
        return SourceFile(digest)
    source = content.decode()
    lists = frozenset(_NAMED.findall(source)) & DICTIONARIES.keys()
    return SourceFile(digest, tuple(_imports(path, source)), lists)


@functools.cache
def code_hash() -> str:
    """SHA-256 over the code that features, learning and decoding are made by, and its libraries."""
    return hash_of_rooms(installed())


def hash_of_rooms(files: Mapping[str, SourceFile]) -> str:
    """SHA-256 over `ROOMS`, over the lists that they read, and over the libraries.

    Args:
        files: at least the files of the rooms and of `dictionaries`, by path below the root.
    """
    versions = {
        "python": sys.version_info[:2],
        "unicode": unicodedata.unidata_version,
        "python-crfsuite": importlib.metadata.version("python-crfsuite"),
        "numpy": importlib.metadata.version("numpy"),
    }
    digest = hashlib.sha256(json.dumps(versions, sort_keys=True).encode())
    _add(digest, files, files_of_rooms(files))
    return digest.hexdigest()


def files_of_rooms(files: Mapping[str, SourceFile]) -> list[str]:
    """The files that `code_hash` covers, lists apart, in order of their paths."""
    covered = {path for path in files if _in_rooms(path)}
    used = {
        found
        for path in covered
        for found in _imported(path, files)
        if found.startswith(_RULES) and found != _TABLE_OF_RULES
    }
    return sorted(covered.union(*(modules_used(path, files) for path in used)))


def hash_of_module(path: str, files: Mapping[str, SourceFile]) -> str:
    """SHA-256 over a module, the modules that it uses and the lists that these read.

    Args:
        path: of the module, such as `models/recognisers/age.py`.
        files: as in `hash_of_rooms`.
    """
    digest = hashlib.sha256()
    _add(digest, files, modules_used(path, files))
    return digest.hexdigest()


@functools.cache
def hash_of_room(room: str) -> str:
    """SHA-256 over one room of `models/`, the rules that it uses and the lists that these read.

    It follows imports as `hash_of_module` does. A list whose name the code puts together is not
    seen: whoever loads one hashes it too.
    """
    files = installed()
    own = [path for path in files if path.startswith(f"models/{room}/") and path.endswith(".py")]
    digest = hashlib.sha256()
    _add(digest, files, set(own).union(*(modules_used(path, files) for path in own)))
    return digest.hexdigest()


def modules_used(path: str, files: Mapping[str, SourceFile]) -> list[str]:
    """A module and those that it imports, directly or not, in order of their paths.

    Imports are followed where rules and the reading of text are at home, see `_FOLLOWED`. The
    tables of characters count with the module that reads them.
    """
    used: set[str] = set()
    waiting = [path]
    while waiting:
        if (name := waiting.pop()) in used:
            continue
        used.add(name)
        if name not in _LOADERS:
            waiting += [
                found
                for found in _imported(name, files)
                if found.startswith(_FOLLOWED) and found != _TABLE_OF_RULES
            ]
    if _CHARACTERS in used:
        used.update(path for path in files if path.startswith(_TABLES_OF_CHARACTERS))
    return sorted(used)


def lists_read(paths: Iterable[str], files: Mapping[str, SourceFile]) -> list[str]:
    """Names of the shipped lists that modules load by name, in order."""
    reading = [path for path in paths if not path.startswith(_GIVEN_LISTS)]
    return sorted(set().union(*(files[path].lists for path in reading)))


def _add(digest: hashlib._Hash, files: Mapping[str, SourceFile], paths: Iterable[str]) -> None:
    ordered = sorted(paths)
    lists = [f"dictionaries/{DICTIONARIES[name]}" for name in lists_read(ordered, files)]
    for path in (*ordered, *lists):
        digest.update(f"{path} {files[path].sha256}\n".encode())


def _in_rooms(path: str) -> bool:
    if path in _LOADERS:
        return True
    top, _, inner = path.partition("/")
    return top == "models" and inner.partition("/")[0] in ROOMS and not path.endswith(".txt")


def _imported(path: str, files: Mapping[str, SourceFile]) -> Iterator[str]:
    """The files that a module imports, of those that are there."""
    for folder, name in files[path].imports:
        if found := _module(folder, name, files):
            yield found


def _imports(path: str, source: str) -> Iterator[tuple[str, str]]:
    """The relative imports of a module. A test proves that they are those of the parsed source."""
    for match in _IMPORT.finditer(source):
        folder = "/".join(path.split("/")[: -len(match["dots"])])
        below = "/".join((folder, *match["module"].split("."))) if match["module"] else folder
        lines = re.sub(r"#[^\n]*", "", match["lines"] or match["line"] or "")
        for name in lines.split(","):
            if name.strip():
                yield below.lstrip("/"), name.split()[0]


def _module(folder: str, name: str, files: Mapping[str, SourceFile]) -> str | None:
    """The file that `from folder import name` reads."""
    for path in (f"{folder}/{name}", folder):
        for ending in (".py", "/__init__.py"):
            if path + ending in files:
                return path + ending
    return None


_ROOTS = ("dictionaries", "models")


class _Installed(Mapping[str, SourceFile]):
    """The files of the installed rooms, each read when it is first asked for."""

    def __init__(self) -> None:
        package = __package__.rpartition(".models")[0]
        roots = {room: importlib.resources.files(f"{package}.{room}") for room in _ROOTS}
        self._places = {path: place for room in _ROOTS for path, place in _walk(room, roots[room])}
        self._known: dict[str, SourceFile] = {}

    def __getitem__(self, path: str) -> SourceFile:
        if path not in self._known:
            self._known[path] = source_file(path, self._places[path].read_bytes())
        return self._known[path]

    def __contains__(self, path: object) -> bool:
        return path in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


@functools.cache
def installed() -> Mapping[str, SourceFile]:
    """The files of `dictionaries` and `models`, by path, as they are installed."""
    return _Installed()


def _walk(path: str, place: Traversable) -> Iterator[tuple[str, Traversable]]:
    for entry in place.iterdir():
        inner = f"{path}/{entry.name}"
        if entry.name.endswith((".py", ".tsv", ".txt")):
            yield inner, entry
        elif "." not in entry.name and entry.name != "__pycache__" and entry.is_dir():
            yield from _walk(inner, entry)
