"""Which files the URLs of an input mean: a file, a folder or a glob."""

from __future__ import annotations

import dataclasses
import functools
import logging
import os
import shlex
from collections.abc import Iterable, Sequence
from typing import Any

from ..core.errors import UsageError
from .filesystems import filesystem, protocols
from .hive import Partition, parse_partition
from .listing import (
    DANGLING,
    SPECIAL,
    ListingEntry,
    info_of,
    is_glob,
    is_visible,
    match_files,
    meant_names,
    relative_to,
)
from .paths import below
from .retries import MissingFileError, Retrying, StorageAccessError

_log = logging.getLogger(__name__)

_IGNORED = "names that start with '.' or '_' are ignored"


@dataclasses.dataclass(frozen=True, slots=True)
class InputFile:
    """One file of the input. Its names may be PHI and are absent from its repr.

    Attributes:
        url: absolute fsspec URL.
        size: in bytes.
        version: an etag where the store has one, else modification time in nanoseconds and size.
        path: relative to the folder, or to the fixed part of the glob, that was asked for.
        partition: hive folders of `path`, unescaped.
    """

    url: str = dataclasses.field(repr=False)
    size: int
    version: str
    path: str = dataclasses.field(repr=False)
    partition: Partition = dataclasses.field(default=(), repr=False)


def list_input_files(retrying: Retrying, urls: Sequence[str]) -> list[InputFile]:
    """See `Storage.list_files`."""
    found: dict[str, InputFile] = {}
    for number, url in enumerate(urls, 1):
        which = f"input {number} of {len(urls)}"
        fs, path = filesystem(url)
        try:
            root, entries = retrying.retry("list", url, functools.partial(match_files, fs, path))
        except StorageAccessError as error:
            raise error.within(which) from None
        files = _checked(retrying, url, which, root, [e for e in entries if not e.folder])
        folders: dict[str, str] = {}
        for entry in files:
            file = _input_file(fs, root, entry, folders)
            known = found.get(file.url)
            if known is None or (len(known.path), known.path) < (len(file.path), file.path):
                found[file.url] = file
    if not found:
        raise UsageError("no input was given; expected at least one file, folder or glob")
    return sorted(found.values(), key=lambda file: (file.path, file.url))


def _checked(
    retrying: Retrying, url: str, which: str, root: str, entries: Sequence[ListingEntry]
) -> list[ListingEntry]:
    """The entries of one input that are read.

    Raises:
        UsageError: if there are none, or one of them cannot be read.
    """

    def refused(why: str) -> UsageError:
        # The user typed the URL: on their own terminal it may be repeated.
        return UsageError(f"{which} {why}", on_terminal=f"input {shlex.quote(url)} {why}")

    files = [entry for entry in entries if is_visible(relative_to(root, entry.path))]
    if hidden := len(entries) - len(files):
        _log.warning("%s: %d files are left out: %s", which, hidden, _IGNORED)
    if not files:
        raise refused(_why_empty(retrying, url, bool(entries)))
    if any(entry.version == SPECIAL for entry in files):
        raise refused("is a pipe, a socket or a device; expected a file, a folder or a glob")
    if any(entry.version == DANGLING for entry in files):
        raise refused(
            "contains a dangling symbolic link; repair or remove it, so that no document is lost "
            "(`find -xtype l` shows it)"
        )
    return files


def _why_empty(retrying: Retrying, url: str, has_hidden: bool) -> str:
    """Why an input has no files, as the end of a sentence."""
    fs, path = filesystem(url)
    if has_hidden:
        return f"has no files that are read: {_IGNORED}"
    try:
        retrying.retry("look up", url, lambda: info_of(fs, path))
        return f"is a folder without files ({_IGNORED}); check the path"
    except MissingFileError:
        pass
    if is_glob(path):
        return f"matches no files ({_IGNORED}); check the glob"
    return "does not exist; expected a file, a folder or a glob"


def meant_files(retrying: Retrying, urls: Sequence[str], known: Iterable[str]) -> set[str]:
    """See `Storage.meant`."""
    known = tuple(known)
    found: set[str] = set()
    for url in urls:
        fs, path = filesystem(url)
        root, wanted = retrying.retry("look up", url, functools.partial(meant_names, fs, path))
        folder = str(fs.unstrip_protocol(root))
        found.update(
            file
            for file in known
            if (name := below(file, folder)) is not None and wanted.fullmatch(name)
        )
    return found


def _real_path(path: str, folders: dict[str, str]) -> str:
    """`os.path.realpath` of a file, which would resolve the folders above each file again."""
    folder, name = os.path.split(path)
    if os.path.islink(path):
        return os.path.realpath(path)
    if folder not in folders:
        folders[folder] = os.path.realpath(folder)
    return os.path.join(folders[folder], name)


def _input_file(fs: Any, root: str, entry: ListingEntry, folders: dict[str, str]) -> InputFile:
    relative = relative_to(root, entry.path)
    # A file that two links or paths lead to is one input, in this run and in later ones.
    local = "file" in protocols(fs)
    url = str(fs.unstrip_protocol(_real_path(entry.path, folders) if local else entry.path))
    try:
        url.encode()
    except UnicodeEncodeError:
        readable = False
    else:
        readable = True
    if not readable:
        raise UsageError("the name of an input file is not valid UTF-8; rename it")
    return InputFile(url, entry.size, entry.version, relative, parse_partition(relative))
