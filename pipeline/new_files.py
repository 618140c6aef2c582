"""Files that a command makes: new, whole or not at all, and never in the place of what it reads."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterable, Iterator

from ..models.corpora import FolderFormat, format_of_target
from ..models.errors import StorageError, UsageError, error_class
from ..models.places import is_same, local_path
from ..models.shortage import raise_shortage
from ..models.storage import Storage


def require_new(
    place: str | None,
    option: str,
    *,
    inputs: Iterable[str] = (),
    overwrite: bool | None = None,
    storage: Storage | None = None,
) -> None:
    """Refuses a place that is taken or is an input, before any work is done.

    Args:
        place: file or folder to be made; None or "" for none asked for.
        option: as the user knows it, for the message.
        inputs: files, folders or globs that the command reads; of use where it may overwrite.
        overwrite: whether a file that is there may be replaced; None where a command has no
            `--overwrite`. An input is never replaced.

    Raises:
        UsageError: naming the option and never a file.
    """
    if not place:
        return
    storage = storage or Storage()
    if _is_dangling(place):
        raise UsageError(f"{option}: there is a dangling symbolic link in its place")
    if not storage.exists(place):
        return
    if any(is_same(place, one) for one in _files_of(storage, inputs)):
        raise UsageError(f"{option}: it is one of the inputs, which are never overwritten")
    if not overwrite:
        if overwrite is None:
            raise UsageError(f"{option}: it exists already and is never overwritten")
        raise UsageError(
            f"{option}: it exists already and is not overwritten; choose another place, or replace "
            "it with --overwrite"
        )
    if os.path.isdir(local_path(place) or ""):
        raise UsageError(f"{option}: there is a folder in its place")


def require_new_corpus(
    place: str, form: str | None, *, inputs: Iterable[str] = (), overwrite: bool = False
) -> None:
    """Refuses the place of a corpus; see `require_new`.

    A folder, for forms of one document a file, may be there if it is empty.

    Args:
        form: key of `CORPORA`, or None for what the ending says.
    """
    storage, is_folder = Storage(), isinstance(format_of_target(place, form), FolderFormat)
    if is_folder and storage.exists(place) and not storage.list_names(place.rstrip("/")):
        return
    require_new(
        place,
        "the output",
        inputs=inputs,
        overwrite=None if is_folder else overwrite,
        storage=storage,
    )


def write_new(place: str, content: bytes, option: str) -> None:
    """Writes a new file that only its owner may read; it appears whole, or not at all.

    Raises:
        UsageError: if there is one by now, or it cannot be written.
    """
    path = local_path(place)
    try:
        if path is None:
            if Storage().exists(place):
                raise FileExistsError
            Storage().write_bytes(place, content)
        else:
            _link_new(path, content)
    except FileExistsError:
        raise UsageError(f"{option}: it exists already and is never overwritten") from None
    except (OSError, StorageError) as error:
        raise_shortage(error)
        raise UsageError(f"{option}: the file cannot be written ({error_class(error)})") from None


def _link_new(path: str, content: bytes) -> None:
    """Writes beside the place and gives it the name, which fails if there is one of that name."""
    beside = os.path.join(os.path.dirname(path), f".{secrets.token_hex(8)}.new")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(beside, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if os.path.lexists(path):
                raise FileExistsError from None
            os.rename(beside, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(beside)


def _files_of(storage: Storage, inputs: Iterable[str]) -> Iterator[str]:
    """The inputs as they are named, and the files under them."""
    for url in inputs:
        yield url
        # What leads to no file is refused by those who read it, in words of their own.
        with contextlib.suppress(UsageError, StorageError):
            yield from (file.url for file in storage.list_files([url]))


def _is_dangling(place: str) -> bool:
    path = local_path(place)
    return path is not None and os.path.islink(path) and not os.path.exists(path)
