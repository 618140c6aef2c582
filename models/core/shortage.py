"""Shortage: what the machine lacks is never written as a verdict on a row.

Memory, threads, open files and disk run out for reasons of the machine, not of the document that
was being worked on. Errors that say so are found here, by class and error number; everything that
catches errors for a row lets them through as an error of the whole unit (`raise_shortage`), which
is then tried with smaller batches (`Pace`).
"""

from __future__ import annotations

import dataclasses
import enum
import errno
import os
import re
import zlib
from collections.abc import Iterator
from xml.parsers import expat

from .errors import RunFailed, Shortage

_LONGEST_CHAIN = 16
"""How many errors of a chain are examined; a chain can be a circle."""


@dataclasses.dataclass(frozen=True, slots=True)
class Resource:
    """What a machine can lack.

    Attributes:
        lack: a clause that says that it is used up.
        remedy: what an operator can do, as a clause in the imperative.
    """

    lack: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.lack}: {self.remedy}"


MEMORY = Resource(
    "memory ran out",
    "use fewer --workers, allow more memory (ulimit -v, the limit of the container), or plan again "
    "with smaller --batch-documents and --batch-bytes",
)
THREADS = Resource(
    "no thread or process could be started",
    "raise the limit on processes (ulimit -u, pids of the container) or memory (ulimit -v), or use "
    "fewer --workers",
)
FILES = Resource("too many files are open", "raise ulimit -n, or use fewer --workers")
DISK = Resource("the disk is full or over its quota", "free space in the output and in TMPDIR")

_BY_ERRNO = {
    errno.ENOMEM: MEMORY,
    errno.EAGAIN: THREADS,
    errno.EMFILE: FILES,
    errno.ENFILE: FILES,
    errno.ENOSPC: DISK,
    errno.EDQUOT: DISK,
}
_BY_TEXT = {os.strerror(number): resource for number, resource in _BY_ERRNO.items()}
_NO_THREAD = "can't start new thread"
_NOT_MAPPED = "failed to map segment from shared object"
_Z_MEM_ERROR = "Error -4 "
_EXPAT_NO_MEMORY = 1
_IN_TRACEBACK = re.compile(r"(?:\w+\.)*(\w+)(?:: (?:\[Errno (\d+)\])?(.*))?")


class Pace(enum.IntEnum):
    """How much of a unit is worked on at once. It never changes what is written."""

    FULL = 0
    """Batches as the plan says."""
    SMALL = 1
    """Batches of `1 / SMALLER` of the documents and bytes."""
    SINGLE = 2
    """Batches of one row."""


SMALLER = 8


def shortage_of(error: BaseException) -> Resource | None:
    """What the machine lacked, if an error, or one that it wraps, was raised for that."""
    return next((found for link in _chain(error) if (found := _lacking(link))), None)


def raise_shortage(error: BaseException, where: str = "") -> None:
    """Raises Shortage in place of an error that says that the machine lacks something.

    Code that catches all errors, to fail a row, call a file damaged or refuse something, calls
    this first.

    Args:
        error: as it was caught.
        where: a place for the message, without PHI; "" for none.

    Raises:
        Shortage: if it is one, or wraps one. Nothing else is kept of the error.
    """
    before = f"{where}: " if where else ""
    found = next((link for link in _chain(error) if isinstance(link, Shortage)), None)
    if found is not None:
        raise Shortage(f"{before}{found}") from None
    if isinstance(error, RunFailed):  # storage, which names place and error number itself
        return
    if (resource := shortage_of(error)) is not None:
        raise Shortage(f"{before}{resource}") from None


def named_shortage(unit: int, row: int, lack: str) -> str:
    """The message for a unit that is too much even row by row, in a single worker."""
    if row < 0:
        return (
            f"unit {unit}, while reading it: {lack}; the row is not known; plan.parquet and "
            "files.parquet under restricted/ list the unit's inputs"
        )
    return (
        f"unit {unit}, row {row}, tried on its own: {lack}. To go on without the row: "
        f"scrubline resume --output OUT --skip {unit}:{row}"
    )


def shortage_in(line: str) -> Resource | None:
    """As `shortage_of`, of the line of a traceback that names an error: all that a runner keeps."""
    found = _IN_TRACEBACK.fullmatch(line.rstrip())
    if found is None:
        return None
    name, number, text = found[1], found[2], (found[3] or "").strip()
    if name.endswith("MemoryError"):
        return MEMORY
    if number:
        return _BY_ERRNO.get(int(number)) if name.endswith("Error") else None
    return _by_text(text.partition(" [while running")[0]) if name == "RuntimeError" else None


def remedy_of(number: int | None) -> str:
    """`: ` and what to do, for the number of an error of storage that is a shortage; else ""."""
    resource = _BY_ERRNO.get(number or 0)
    return f": {resource.remedy}" if resource else ""


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    for _ in range(_LONGEST_CHAIN):
        if link is None:
            return
        yield link
        link = link.__cause__ or link.__context__


def _lacking(error: BaseException) -> Resource | None:
    if isinstance(error, MemoryError):  # Arrow's and numpy's too, and std::bad_alloc of extensions
        return MEMORY
    if isinstance(error, OSError):
        return _BY_ERRNO.get(error.errno or 0)
    # These carry neither a class of their own nor a number. Python's own and the C library's texts
    # are compared whole, so that no text of a document can be taken for one.
    if type(error) is RuntimeError:
        return _by_text(str(error))
    if isinstance(error, zlib.error):
        return MEMORY if str(error).startswith(_Z_MEM_ERROR) else None
    if isinstance(error, expat.ExpatError):
        return MEMORY if error.code == _EXPAT_NO_MEMORY else None
    if isinstance(error, ImportError):
        return _of_import(str(error))
    return None


def _by_text(text: str) -> Resource | None:
    """Of a thread that Python, or std::thread of an extension, could not start."""
    return THREADS if text == _NO_THREAD else _BY_TEXT.get(text)


def _of_import(text: str) -> Resource | None:
    """Of a library that was there and could not be loaded, in the dynamic loader's words."""
    if _NOT_MAPPED in text:
        return MEMORY
    return next((found for words, found in _BY_TEXT.items() if words in text), None)
