"""Files on local disks, reached without following links made by others.

Of a path, the part that a user named is trusted (it may hold links); each folder after it is
entered from the one before by its descriptor and without following links (`openat`, `O_NOFOLLOW`),
so that there is no moment in which a folder can be exchanged for a link unseen.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import stat
from collections.abc import Iterator
from typing import Any

from ...dictionaries.files import open_regular
from ..core.errors import StorageError
from .paths import below
from .places import PRIVATE_FOLDERS, is_private, trusted_part

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700
_OPEN_FILE, _OPEN_FOLDER = 0o666, 0o777
"""Modes when made; the umask takes from them."""

_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_CLOEXEC

TABLES = ("data", "audit", "documents", "quarantine")
"""Folders of an output that its readers see."""

ROOT_FILES = ("manifest.json", "seal.json", "_SUCCESS", "report.html", "history.parquet")
"""Files at the root of an output."""


class LinkInOutputError(StorageError):
    """A symbolic link stands where a folder or a file of the output belongs."""


def file_mode(path: str, root: str) -> int:
    """The mode with which a file is made; see `is_private` for the arguments."""
    return PRIVATE_FILE if is_private(path, root) else _OPEN_FILE


@contextlib.contextmanager
def entered(
    path: str, root: str, *, make: bool = False, private: bool = False
) -> Iterator[tuple[int, str]]:
    """Enters the folder of a file for a `with` block.

    Args:
        path: absolute, of a file; one that holds `..` is refused.
        root: of the output, absolute; "" if that is not known.
        make: create missing folders; private ones with mode 0700.
        private: create the file's own folder so, wherever it is.

    Yields:
        The folder's descriptor and the name of the file in it.

    Raises:
        LinkInOutputError: if a link stands in the way.
        OSError: as of opening; FileNotFoundError if there is no such folder.
    """
    folder, name = os.path.split(path)
    trusted = trusted_part(path, root)
    below = [part for part in folder[len(trusted) :].split("/") if part]
    # In the trusted part too: to make the folders before a `..` would change where it leads.
    if ".." in folder.split("/") or name in ("", ".", ".."):
        raise name_error()
    if make:
        os.makedirs(trusted, PRIVATE_FOLDER if private else _OPEN_FOLDER, exist_ok=True)
    descriptor = os.open(trusted, _FOLDER)
    try:
        at = trusted.rstrip("/")
        for part in below:
            at = f"{at}/{part}"
            mode = PRIVATE_FOLDER if is_private(at, root) else _OPEN_FOLDER
            inner = _entered(descriptor, part, make, mode)
            os.close(descriptor)
            descriptor = inner
        yield descriptor, name
    finally:
        os.close(descriptor)


def _entered(folder: int, name: str, make: bool, mode: int) -> int:
    try:
        return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
    except FileNotFoundError:
        if not make:
            raise
        with contextlib.suppress(FileExistsError):  # another process was faster
            os.mkdir(name, mode, dir_fd=folder)
    except OSError as error:
        if error.errno not in (errno.ENOTDIR, errno.ELOOP) or not _is_link(folder, name):
            raise
    if _is_link(folder, name):
        raise link_error()
    return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)


def _is_link(folder: int, name: str) -> bool:
    try:
        return stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode)
    except FileNotFoundError:
        return False


def link_error() -> LinkInOutputError:
    """What is raised where a link stands in the way; it names nothing."""
    return LinkInOutputError(
        "there is a symbolic link in the place of a folder or file of the output, and nothing is "
        "written through links: remove it (`find OUTPUT -type l` shows it), then resume"
    )


def name_error() -> LinkInOutputError:
    """What is raised for a name that holds `..`; it names nothing."""
    return LinkInOutputError("a name leads out of the folder of the output")


def move_file(old: str, new: str, root: str) -> None:
    """Renames a file, folders made; a second time it does nothing.

    What leaves a private folder gets the mode that the umask gives to a new file.

    Raises:
        FileNotFoundError: if neither is there.
        LinkInOutputError: if a link stands in the way.
    """
    with entered(new, root, make=True) as (target, name):
        try:
            with entered(old, root) as (source, old_name):
                if is_private(old, root) and not is_private(new, root):
                    _open_up(source, old_name)
                os.replace(old_name, name, src_dir_fd=source, dst_dir_fd=target)
        except FileNotFoundError:
            os.stat(name, dir_fd=target, follow_symlinks=False)
        sync(target)


def _open_up(folder: int, name: str) -> None:
    descriptor = open_regular(name, folder=folder, follow=False)
    try:
        os.fchmod(descriptor, _OPEN_FILE & ~current_umask())
    finally:
        os.close(descriptor)


def current_umask() -> int:
    """The umask of this process, read without changing it where the system shows it."""
    with (
        contextlib.suppress(OSError, ValueError),
        open("/proc/self/status", encoding="ascii", errors="replace") as stream,
    ):
        for line in stream:
            if line.startswith("Umask:"):
                return int(line.split()[1], 8)
    # A thread that creates a file meanwhile creates it private to its owner.
    found = os.umask(0o077)
    os.umask(found)
    return found


def remove_file(path: str, root: str) -> None:
    """Deletes a file, or a link itself.

    Raises:
        FileNotFoundError: if it does not exist.
        LinkInOutputError: see `entered`.
    """
    with entered(path, root) as (folder, name):
        os.unlink(name, dir_fd=folder)


def remove_empty_folders(path: str, root: str) -> None:
    """Deletes the folders above a file, up to a table of an output, that hold nothing any more.

    Args:
        path: of the file, absolute; elsewhere than below `root` nothing is deleted.
        root: of the output, absolute; "" if it is not known.

    Raises:
        LinkInOutputError: see `entered`.
    """
    if not root or (name := below(path, root)) is None:
        return
    table = os.path.join(root, name.partition("/")[0])
    while below(path := os.path.dirname(path), table) is not None:
        try:
            with entered(path, root) as (folder, name):
                os.rmdir(name, dir_fd=folder)
        except FileNotFoundError:
            continue
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                return
            raise


def remove_tree(path: str, root: str) -> None:
    """Deletes a folder with all that is in it, or a file; links in it go, not what they lead to.

    An entry that is missing does not end the deletion: another process may delete the same folder,
    and network file systems list an entry twice while others change the folder.

    Raises:
        FileNotFoundError: if it does not exist.
        LinkInOutputError: see `entered`.
    """
    with entered(path, root) as (folder, name):
        status = os.lstat(name, dir_fd=folder)
        if stat.S_ISDIR(status.st_mode):
            shutil.rmtree(name, dir_fd=folder, onerror=_unless_missing)
        else:
            os.unlink(name, dir_fd=folder)


def _unless_missing(function: object, name: str, problem: tuple[Any, BaseException, Any]) -> None:
    if not isinstance(problem[1], FileNotFoundError):
        raise problem[1]


def sync(folder: int) -> None:
    """Makes a rename survive a power cut, where the file system lets a folder be synced."""
    with contextlib.suppress(OSError):
        descriptor = os.open(".", os.O_RDONLY, dir_fd=folder)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def has_links(output: str) -> bool:
    """Whether an output holds links where its own folders, or folders in these, belong.

    Links to files below these folders do not count: a new file takes the place of the link.

    Args:
        output: absolute; it may be a link itself.
    """
    names = (*PRIVATE_FOLDERS, *TABLES)
    if any(os.path.islink(os.path.join(output, name)) for name in names):
        return True
    left = [os.path.join(output, name) for name in names]
    while left:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            for entry in os.scandir(left.pop()):
                if entry.is_symlink():
                    if not os.path.isfile(entry.path):
                        return True
                elif entry.is_dir():
                    left.append(entry.path)
    return False


def odd_entries(output: str) -> tuple[list[str], list[str]]:
    """What Scrubline never creates in an output, by path below it: links and special files.

    Args:
        output: absolute; it may be a link itself.

    Returns:
        links: symbolic links, whatever they lead to.
        special: pipes, sockets and devices, also through links; folders in the place of a file.
    """
    links: list[str] = []
    special: list[str] = []
    for path, is_file in _ours(output):
        try:
            own = os.lstat(path).st_mode
        except FileNotFoundError:  # another process may have removed it
            continue
        mode = own
        if stat.S_ISLNK(own):
            links.append(os.path.relpath(path, output))
            try:
                mode = os.stat(path).st_mode
            except OSError:
                continue  # it is dangling: the file is missing
        if not stat.S_ISREG(mode) and (is_file or not stat.S_ISDIR(mode)):
            special.append(os.path.relpath(path, output))
    return links, special


def _ours(output: str) -> Iterator[tuple[str, bool]]:
    """Yields the paths in an output's own folders, and whether only a file can stand there."""
    for name in ROOT_FILES:
        yield os.path.join(output, name), True
    for name in (*PRIVATE_FOLDERS, *TABLES):
        top = os.path.join(output, name)
        yield top, False
        if os.path.islink(top):
            continue
        for folder, folders, files in os.walk(top):
            for entry in (*folders, *files):
                # Folders of runs have no endings, those of partitions may.
                yield os.path.join(folder, entry), name in PRIVATE_FOLDERS and "." in entry


def open_to_others(output: str) -> list[str]:
    """The private folders of an output that users other than its owner may enter or list."""
    found = []
    for name in PRIVATE_FOLDERS:
        with contextlib.suppress(OSError):
            status = os.lstat(os.path.join(output, name))
            if stat.S_ISDIR(status.st_mode) and status.st_mode & 0o077:
                found.append(name)
    return found
