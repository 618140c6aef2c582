"""Listing: what files a path, folder or glob stands for, on any fsspec filesystem.

The lower half of `storage`, without its retries. Nothing here trusts a listing cache. Local paths
are absolute and hold no `..`, as `filesystems.filesystem` gives them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from fsspec.implementations.local import LocalFileSystem

from .paths import below

DANGLING = "dangling"
"""Version of a dangling symbolic link; a caller that needs its content must refuse it."""

SPECIAL = "special"
"""Version of a pipe, socket or device that the user named: opening it may take forever."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class ListingEntry:
    """A file or folder of a listing.

    Attributes:
        path: in its filesystem, without protocol.
        folder: whether it is one; size and version are then empty.
        size: in bytes.
        version: an etag where the store has one, else modification time and size.
    """

    path: str
    folder: bool
    size: int = 0
    version: str = ""


class FolderContents(NamedTuple):
    """What is below a folder, by path relative to it, sorted.

    Attributes:
        files: all but folders.
        empty: folders in which there is nothing; of a store, their marks.
    """

    files: list[str]
    empty: list[str]


def info_of(fs: Any, path: str) -> ListingEntry:
    """One file or folder as it is now.

    Raises:
        FileNotFoundError: if there is none.
    """
    if isinstance(fs, LocalFileSystem):
        try:
            return _local_entry(path, os.stat(path))
        except NotADirectoryError:  # a file stands where a folder of it would be
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)) from None
    fs.invalidate_cache()
    return _entry(fs.info(path))


def _local_entry(path: str, status: os.stat_result) -> ListingEntry:
    if stat.S_ISDIR(status.st_mode):
        return ListingEntry(path, True)
    if not stat.S_ISREG(status.st_mode):
        return ListingEntry(path, False, 0, SPECIAL)
    return ListingEntry(path, False, status.st_size, f"{status.st_mtime_ns}-{status.st_size}")


def _entry(info: dict[str, Any]) -> ListingEntry:
    path, size = str(info["name"]), int(info.get("size") or 0)
    if info["type"] == "directory" or path.endswith("/"):
        return ListingEntry(path.rstrip("/"), True)
    for name in ("ETag", "etag", "md5Hash", "content_md5", "generation"):
        if info.get(name):
            return ListingEntry(path, False, size, str(info[name]).strip('"'))
    for name in ("mtime", "LastModified", "last_modified", "updated", "created"):
        if (moment := info.get(name)) is not None:
            if isinstance(moment, dt.datetime):
                moment = moment.timestamp()
            return ListingEntry(path, False, size, f"{moment}-{size}")
    return ListingEntry(path, False, size, f"-{size}")


def _children(fs: Any, path: str) -> list[ListingEntry]:
    """The entries of one folder; none if it is not a folder."""
    if isinstance(fs, LocalFileSystem):
        try:
            names = sorted(os.listdir(path or "/"))
        except (FileNotFoundError, NotADirectoryError):
            return []
        return [e for name in names for e in _local_child(os.path.join(path or "/", name))]
    fs.invalidate_cache()
    try:
        entries = [_entry(info) for info in fs.ls(path, detail=True)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [entry for entry in entries if entry.path != path.rstrip("/")]


def _local_child(path: str) -> Iterator[ListingEntry]:
    try:
        status = os.stat(path)
    except OSError as error:
        if error.errno == errno.ENOENT and os.path.islink(path):
            yield ListingEntry(path, False, 0, DANGLING)
            return
        if error.errno == errno.ELOOP:
            return
        raise
    if stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode):
        yield _local_entry(path, status)


def files_below(fs: Any, path: str) -> list[ListingEntry]:
    """All files at or below a path."""
    if isinstance(fs, LocalFileSystem):
        above, folder = set(), os.path.dirname(path)
        while folder not in ("", "/"):
            above.add(os.path.realpath(folder))
            folder = os.path.dirname(folder)
        return list(_walk(fs, info_of(fs, path), frozenset(above)))
    fs.invalidate_cache()
    found = fs.find(path, detail=True)
    return [entry for entry in map(_entry, found.values()) if not entry.folder]


def names_at(fs: Any, path: str) -> list[str]:
    """The names in one folder, whatever they are; none if there is no such folder."""
    if isinstance(fs, LocalFileSystem):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return sorted(os.listdir(path))
        return []
    return sorted(relative_to(path.rstrip("/"), entry.path) for entry in _children(fs, path))


def names_below(fs: Any, path: str) -> FolderContents:
    """All that is below a folder: links and devices too, none followed."""
    if not isinstance(fs, LocalFileSystem):
        return _objects_below(fs, path)
    if os.path.islink(path):
        return FolderContents([""], [])

    def refuse(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            raise error

    files: list[str] = []
    empty: list[str] = []
    for folder, folders, names in os.walk(path, onerror=refuse):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        files += [os.path.relpath(os.path.join(folder, name), path) for name in (*names, *links)]
        if not folders and not names and folder != path:
            empty.append(os.path.relpath(folder, path))
    return FolderContents(sorted(files), sorted(empty))


def _objects_below(fs: Any, path: str) -> FolderContents:
    """By their keys: one that ends with a slash is a folder's mark only if it is empty."""
    fs.invalidate_cache()
    try:
        found = fs.find(path, detail=True)
    except FileNotFoundError:
        return FolderContents([], [])
    sizes = {relative_to(path, str(i["name"])): int(i.get("size") or 0) for i in found.values()}
    marks = {name for name, size in sizes.items() if name.endswith("/") and not size}
    filled = {above for name in sizes for above in _folders_of(name)}
    return FolderContents(sorted(sizes.keys() - marks), sorted(marks - filled - {"/"}))


def _folders_of(name: str) -> Iterator[str]:
    """The folders above a relative path, with the slash at their end."""
    at = name.find("/")
    while 0 <= at < len(name) - 1:
        yield name[: at + 1]
        at = name.find("/", at + 1)


def files_with_times(fs: Any, path: str) -> list[tuple[ListingEntry, float]]:
    """All files below a path, each with the time of its last change (0 if that is not known)."""
    if isinstance(fs, LocalFileSystem):
        found = []
        for entry in files_below(fs, path):
            with contextlib.suppress(FileNotFoundError):
                found.append((entry, os.stat(entry.path).st_mtime))
        return found
    fs.invalidate_cache()
    infos = fs.find(path, detail=True).values()
    return [(e, _moment(info)) for e, info in ((_entry(i), i) for i in infos) if not e.folder]


def modified_of(fs: Any, path: str) -> float:
    """When one file was last written, by its store's clock; 0 if that is not known.

    Raises:
        FileNotFoundError: if it does not exist.
    """
    if isinstance(fs, LocalFileSystem):
        return os.stat(path).st_mtime
    fs.invalidate_cache()
    return _moment(fs.info(path))


def _moment(info: dict[str, Any]) -> float:
    for name in ("mtime", "LastModified", "last_modified", "updated", "created"):
        moment = info.get(name)
        if isinstance(moment, str):
            with contextlib.suppress(ValueError):
                moment = dt.datetime.fromisoformat(moment)
        if isinstance(moment, dt.datetime):
            # Stores give UTC, even where their client does not say so.
            return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)).timestamp()
        if isinstance(moment, int | float):
            return float(moment)
    return 0.0


def _walk(fs: Any, entry: ListingEntry, above: frozenset[str]) -> Iterator[ListingEntry]:
    """Yields the files at or below a local path, entering no folder that is also `above` it."""
    if not entry.folder:
        yield entry
        return
    real = os.path.realpath(entry.path)
    if real in above:
        return
    for child in _children(fs, entry.path):
        yield from _walk(fs, child, above | {real})


def match_files(fs: Any, path: str) -> tuple[str, list[ListingEntry]]:
    """What a file, folder or glob path stands for.

    Returns:
        root: the folder to which paths are relative.
        files: those at or below it that are meant; none if there is nothing.
    """
    try:
        entry = info_of(fs, path)
    except FileNotFoundError:
        entry = None
    if entry is not None:
        if entry.folder:
            return path, files_below(fs, path)
        return _parent(path), [entry]
    parts = path.split("/")
    fixed = next((i for i, part in enumerate(parts) if is_glob(part)), len(parts))
    if fixed == len(parts):
        return path, []
    root = "/".join(parts[:fixed])
    return root, list(_expand(fs, root, parts[fixed:]))


def is_glob(path: str) -> bool:
    """Whether a path that does not exist as it is written is a glob."""
    return re.search(r"[*?[]", path) is not None


def meant_names(fs: Any, path: str) -> tuple[str, re.Pattern[str]]:
    """What a file, folder or glob path means by names alone, even for files that were removed.

    Returns:
        root: a folder; links in it are followed, as in the URLs of inputs.
        wanted: matches paths below it.
    """
    try:
        folder = info_of(fs, path).folder
    except FileNotFoundError:
        folder = False
    else:
        if not folder:
            root, _, name = _real(fs, path).rpartition("/")
            return root, re.compile(re.escape(name))
    parts = path.split("/")
    fixed = next((i for i, part in enumerate(parts) if is_glob(part)), len(parts))
    if folder or fixed == len(parts):
        return _real(fs, path), re.compile(".*", re.DOTALL)
    return _real(fs, "/".join(parts[:fixed])), _glob_expression(parts[fixed:])


def _real(fs: Any, path: str) -> str:
    return os.path.realpath(path) if isinstance(fs, LocalFileSystem) else path


def _expand(fs: Any, folder: str, pattern: Sequence[str]) -> Iterator[ListingEntry]:
    """Yields the files that a relative glob means; all those below it where it means a folder."""
    if "**" in pattern[:1]:
        wanted = _glob_expression(pattern)
        with contextlib.suppress(FileNotFoundError):
            for entry in files_below(fs, folder):
                if wanted.fullmatch(relative_to(folder, entry.path)):
                    yield entry
        return
    wanted = _glob_expression(pattern[:1])
    for entry in _children(fs, folder):
        if not wanted.fullmatch(relative_to(folder, entry.path)):
            continue
        if len(pattern) > 1:
            if entry.folder:
                yield from _expand(fs, entry.path, pattern[1:])
        elif entry.folder:
            yield from files_below(fs, entry.path)
        else:
            yield entry


def _glob_expression(pattern: Sequence[str]) -> re.Pattern[str]:
    """A regular expression for a relative path that the pattern, or a folder it matches, holds."""
    parts = []
    for segment in pattern:
        if segment == "**":
            parts.append("(?:[^/]+/)*")
            continue
        translated = ""
        for piece in re.findall(r"\*|\?|\[!?\]?[^]]*\]|.", segment, re.DOTALL):
            if piece == "*":
                translated += "[^/]*"
            elif piece == "?":
                translated += "[^/]"
            elif piece[0] == "[" and len(piece) > 2:
                inner = piece[1:-1].replace("\\", "\\\\").replace("[", "\\[")
                negated = inner.startswith("!")
                inner = inner[1:] if negated else inner
                translated += f"[{'^' if negated else ''}{inner.replace('^', chr(92) + '^')}]"
            else:
                translated += re.escape(piece)
        parts.append(translated + "/")
    expression = "".join(parts)
    if expression.endswith("/"):
        return re.compile(expression[:-1] + "(?:/.*)?", re.DOTALL)
    return re.compile(expression + ".*", re.DOTALL)


def relative_to(root: str, path: str) -> str:
    """The path below `root`."""
    name = "" if path == root else below(path, root)
    return (path if name is None else name).lstrip("/")


def _parent(path: str) -> str:
    return path.rpartition("/")[0]


def is_visible(relative: str) -> bool:
    """Whether no name of a path starts with `.` or `_`; a folder `_key=value` may."""
    *folders, name = relative.split("/")
    return not name.startswith((".", "_")) and not any(
        part.startswith(".") or (part.startswith("_") and "=" not in part) for part in folders
    )
