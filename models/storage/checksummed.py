"""Checksummed folders: files and a list of their checksums, such as bundles and auxiliary models.

`CHECKSUMS` detects damage, not malice: a person who can change a file can change the list too. The
content of a file is checked by its reader, once its checksum agrees.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Callable, Collection, Mapping
from importlib.resources.abc import Traversable
from typing import Any

import fsspec
from fsspec.implementations.local import LocalFileSystem

from ...dictionaries.files import NO_HOST, names_a_host
from ..core.errors import BundleError, error_class
from ..core.shortage import raise_shortage
from .places import local_path

CHECKSUMS = "CHECKSUMS"

_LONGEST_LIST = 30
"""Longest list that a card shows; the learning curve of a training is longer."""

_LINE = re.compile(r"([0-9a-f]{64})  ([A-Za-z0-9._/-]{1,200})")


@dataclasses.dataclass(frozen=True, slots=True)
class Folder:
    """How the files of a checksummed folder are reached.

    Attributes:
        entries: of a folder below, "" for the folder itself: names, and whether each is a file.
        read: gives at most so many bytes of a file.
    """

    entries: Callable[[str], list[tuple[str, bool]]]
    read: Callable[[str, int], bytes]

    def files(self, folders: Callable[[str], bool], below: str = "") -> list[str]:
        """Paths of all files, and of folders that are not allowed; of these with a "/" at the end.

        Args:
            folders: whether a folder of this path is allowed; others are not entered.
            below: where to begin.
        """
        found = []
        for name, is_file in self.entries(below):
            path = f"{below}/{name}" if below else name
            if is_file:
                found.append(path)
            elif folders(path):
                found += self.files(folders, path)
            else:
                found.append(f"{path}/")
        return found


def package_folder(root: Traversable) -> Folder:
    """A folder that comes with the package."""

    def at(path: str) -> Traversable:
        return root.joinpath(*path.split("/")) if path else root

    def read(path: str, limit: int) -> bytes:
        with at(path).open("rb") as stream:
            return stream.read(limit)

    return Folder(
        lambda below: [(entry.name, entry.is_file()) for entry in at(below).iterdir()], read
    )


def remote_folder(url: str, what: str) -> Folder:
    """A folder by its path or any URL of fsspec.

    Args:
        url: not part of any message: it may contain a name or a token.
        what: the folder holds, for messages: "bundle".

    Raises:
        BundleError: if it cannot be reached.
    """
    filesystem, root = _reached(url, what)

    def entries(below: str) -> list[tuple[str, bool]]:
        folder = f"{root}/{below}".rstrip("/")
        found = filesystem.ls(folder, detail=True, refresh=True)
        # Object stores may list a folder's own marker in it.
        found = [row for row in found if row["name"].strip("/") != folder.strip("/")]
        return [
            (row["name"].rstrip("/").rpartition("/")[2], row["type"] == "file") for row in found
        ]

    def read(path: str, limit: int) -> bytes:
        # Opening a named pipe would wait for ever.
        if filesystem.info(f"{root}/{path}")["type"] != "file":
            raise FileNotFoundError
        with filesystem.open(f"{root}/{path}", "rb") as stream:
            content: bytes = stream.read(limit)
            return content

    return Folder(entries, read)


def write_checksummed(files: Mapping[str, bytes], url: str, what: str) -> None:
    """Writes files as a new folder, `CHECKSUMS` last.

    Args:
        files: content by path; `CHECKSUMS` is computed.
        url: of the folder; not part of any message.
        what: is written, for messages: "bundle".

    Raises:
        BundleError: if the folder exists and is not empty, or cannot be written.
    """
    own = {name: content for name, content in files.items() if name != CHECKSUMS}
    filesystem, root = _reached(url, what)
    try:
        taken = filesystem.exists(root) and bool(filesystem.ls(root, detail=False))
    except Exception as error:
        raise_shortage(error)
        raise BundleError(f"the {what}'s folder cannot be reached: {error_class(error)}") from None
    if taken:
        raise BundleError(f"the folder for the {what} is not empty; give a new one")
    try:
        filesystem.makedirs(root, exist_ok=True)
        for folder in sorted({name.rpartition("/")[0] for name in own} - {""}):
            filesystem.makedirs(f"{root}/{folder}", exist_ok=True)
        for name, content in own.items():
            filesystem.pipe_file(f"{root}/{name}", content)
        filesystem.pipe_file(f"{root}/{CHECKSUMS}", checksums(own))
    except Exception as error:
        raise_shortage(error)
        raise BundleError(f"the {what} cannot be written: {error_class(error)}") from None


def read_file(folder: Folder, name: str, limit: int, where: str) -> bytes:
    """A file of at most so many bytes; errors name the file, not the folder.

    Raises:
        BundleError: if it is missing, larger or cannot be read.
    """
    try:
        content = folder.read(name, limit + 1)
    except FileNotFoundError:
        raise BundleError(f"{where}: {name} is missing") from None
    except Exception as error:  # storage libraries raise whatever they like, and quote the URL
        raise_shortage(error)
        raise BundleError(f"{where}: {name} cannot be read: {error_class(error)}") from None
    if len(content) > limit:
        raise BundleError(f"{where}: {name} has more than {limit} bytes")
    return content


def checksums(files: Mapping[str, bytes]) -> bytes:
    """The content of `CHECKSUMS`: one line per file, sorted by path."""
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    return "".join(f"{sums[name]}  {name}\n" for name in sorted(sums)).encode()


def parse_checksums(content: bytes, where: str) -> dict[str, str]:
    """Path -> SHA-256.

    Raises:
        BundleError: if it is not what `checksums` writes; paths may still be any.
    """
    lines = content.decode("ascii", "replace").split("\n")
    matches = [_LINE.fullmatch(line) for line in lines[:-1]]
    sums = {match[2]: match[1] for match in matches if match}
    if lines[-1] or len(sums) != len(matches) or list(sums) != sorted(sums):
        raise BundleError(
            f"{where}: {CHECKSUMS} is damaged: expected sorted lines of a SHA-256 and a file"
        )
    return sums


def require_listed(present: Collection[str], sums: Mapping[str, str], where: str) -> None:
    """Raises BundleError if there is something that `CHECKSUMS` does not list."""
    if extra := set(present) - sums.keys() - {CHECKSUMS}:
        raise BundleError(f"{where}: {CHECKSUMS} does not list {len(extra)} files or folders in it")


def require_sum(name: str, content: bytes, sums: Mapping[str, str], where: str) -> None:
    """Raises BundleError if the file is not the one that `CHECKSUMS` lists."""
    if hashlib.sha256(content).hexdigest() != sums[name]:
        raise BundleError(f"{where}: {name} is damaged: its checksum is not the one in {CHECKSUMS}")


def to_json(value: object) -> bytes:
    """JSON as checksummed folders hold it: equal values give equal bytes."""
    return (
        json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False) + "\n"
    ).encode()


def json_object(content: bytes, name: str, where: str) -> dict[str, Any]:
    """The object in a file.

    Raises:
        BundleError: if it is not JSON in UTF-8, has NaN or infinities, or is not an object.
    """
    try:
        value = json.loads(content.decode(), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise BundleError(f"{where}: {name} is not JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise BundleError(f"{where}: {name} must hold a JSON object")
    return value


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
        inner = [line for k, v in value.items() for line in _card_lines(str(k), v, depth + 1)]
        return [head, *inner]
    if isinstance(value, (list, tuple)):
        many = len(value) > _LONGEST_LIST
        value = f"{len(value)} values, in card.json" if many else ", ".join(map(str, value))
    return [f"{head} {value}"]


def _reached(url: str, what: str) -> tuple[Any, str]:
    if names_a_host(url):
        raise BundleError(f"the {what}'s folder: {NO_HOST}")
    try:
        filesystem, root = fsspec.core.url_to_fs(url)
    except Exception as error:
        raise_shortage(error)
        raise BundleError(f"the {what}'s folder cannot be reached: {error_class(error)}") from None
    if isinstance(filesystem, LocalFileSystem):
        root = local_path(url) or root
    return filesystem, root.rstrip("/")


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
