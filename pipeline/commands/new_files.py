"""Files that a command creates: new, whole or not at all, and never in the place of its inputs."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from ...models.core.errors import StorageError, UsageError, error_class
from ...models.core.shortage import raise_shortage
from ...models.corpora import StreamFormat, format_of_target
from ...models.storage.places import is_same, local_path
from ...models.storage.storage import Storage


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
        place: file or folder to be created; None or "" if the user asked for none.
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
        raise UsageError(
            f"{option}: the place is a dangling symbolic link: remove it, or choose another place"
        )
    if not storage.exists(place):
        return
    if any(is_same(place, file) for file in _files_of(storage, inputs)):
        raise UsageError(f"{option}: the file is one of the inputs, which are never overwritten")
    if not overwrite:
        raise _already_there(option, place, replaceable=overwrite is not None)
    if os.path.isdir(local_path(place) or ""):
        raise UsageError(f"{option}: the place is a folder; expected a file")


def require_new_corpus(
    place: str, form: str | None, *, inputs: Iterable[str] = (), overwrite: bool = False
) -> None:
    """Refuses the place of a corpus; see `require_new`.

    A folder, for forms of several files, may be there if it is empty.

    Args:
        form: key of `CORPORA`, or None for what the ending says.
    """
    storage, is_folder = Storage(), not isinstance(format_of_target(place, form), StreamFormat)
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
            with _linked_new(path) as stream:
                stream.write(content)
    except FileExistsError:
        raise _already_there(option, place, replaceable=False) from None
    except (OSError, StorageError) as error:
        raise_shortage(error)
        raise UsageError(f"{option} cannot be written ({error_class(error)})") from None


@contextlib.contextmanager
def new_file(place: str, option: str) -> Iterator[BinaryIO]:
    """A new file on this machine that only its owner may read, to be written piece by piece.

    It appears whole when the block ends well, or not at all.

    Raises:
        UsageError: if there is one by now, it cannot be written, or the place is elsewhere.
    """
    path = local_path(place)
    if path is None:
        raise UsageError(f"{option}: expected a place on this machine")
    try:
        with _linked_new(path) as stream:
            yield stream
    except FileExistsError:
        raise _already_there(option, place, replaceable=False) from None
    except OSError as error:
        raise_shortage(error)
        raise UsageError(f"{option} cannot be written ({error_class(error)})") from None


@contextlib.contextmanager
def _linked_new(path: str) -> Iterator[BinaryIO]:
    """A new file in the same folder, renamed at the end, which fails if the name is taken."""
    temporary = os.path.join(os.path.dirname(path), f".{secrets.token_hex(8)}.new")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(temporary, path)
        except FileExistsError:
            raise
        except OSError:  # a file system without hard links
            if os.path.lexists(path):
                raise FileExistsError from None
            os.rename(temporary, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


def _files_of(storage: Storage, inputs: Iterable[str]) -> Iterator[str]:
    """The inputs as they are named, and the files under them."""
    for url in inputs:
        yield url
        # An input without files is refused by the code that reads it.
        with contextlib.suppress(UsageError, StorageError):
            yield from (file.url for file in storage.list_files([url]))


def _is_dangling(place: str) -> bool:
    path = local_path(place)
    return path is not None and os.path.islink(path) and not os.path.exists(path)


def _already_there(option: str, place: str, *, replaceable: bool) -> UsageError:
    what = "folder" if os.path.isdir(local_path(place) or "") else "file"
    if replaceable and what == "file":
        advice = "exists: choose another place, or replace it with --overwrite"
    else:
        advice = "exists and is never overwritten: choose another place"
    return UsageError(f"{option}: the {what} already {advice}")
