"""Leases: nobody else is given a text while somebody reads it.

A lease is a file that is created exclusively; who takes over one that ran out holds the lock of the
folder. The clock is that of the one machine on which all readers work.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator

from ...models.core.checked_json import parse_json
from ...models.storage.private_files import write_private

LEASE_SECONDS = 20 * 60


@dataclasses.dataclass(frozen=True, slots=True)
class TextLease:
    """Who reads a text until when, in seconds since 1970."""

    reviewer: str
    until: float


class Leases:
    """The leases of a folder, as one reviewer sees and takes them."""

    def __init__(self, folder: str, reviewer: str, clock: Callable[[], float] = time.time) -> None:
        self._folder, self._reviewer, self._clock = folder, reviewer, clock

    def take(self, text: tuple[str, str], *, is_shared: bool = False) -> TextLease:
        """Takes or renews the lease of a text; if somebody else has it, gives theirs.

        Args:
            is_shared: whether others may read it at the same time, as what is to be read twice.

        Raises:
            OSError: if it cannot be written.
        """
        path = self._path(text, self._reviewer if is_shared else "")
        with self._locked():
            held = self._read(path)
            if held is not None and held.reviewer != self._reviewer:
                return held
            lease = TextLease(self._reviewer, self._clock() + LEASE_SECONDS)
            content = json.dumps(dataclasses.asdict(lease)).encode()
            if held is None:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)  # it has run out
            write_private(path, [content], replace=held is not None)
            return lease

    def drop(self, text: tuple[str, str]) -> None:
        """Gives up the reviewer's lease of a text, if there is one."""
        with self._locked():
            for path in (self._path(text), self._path(text, self._reviewer)):
                held = self._read(path)
                if held is not None and held.reviewer == self._reviewer:
                    os.unlink(path)

    def names(self) -> frozenset[str]:
        """The files that are there, for `of`."""
        return frozenset(os.listdir(self._folder))

    def of(self, text: tuple[str, str], names: frozenset[str] | None = None) -> TextLease | None:
        """The lease of a text that one person reads; None if nobody has it.

        Args:
            names: the files that are there, where many texts are asked about.
        """
        path = self._path(text)
        if names is not None and os.path.basename(path) not in names:
            return None
        return self._read(path)

    def others(self) -> set[str]:
        """Everybody else who reads something now."""
        found = set()
        for name in os.listdir(self._folder):
            lease = self._read(os.path.join(self._folder, name))
            if lease is not None and lease.reviewer != self._reviewer:
                found.add(lease.reviewer)
        return found

    def _path(self, text: tuple[str, str], reviewer: str = "") -> str:
        name = hashlib.sha256("\x1f".join((*text, reviewer)).encode()).hexdigest()[:32]
        return os.path.join(self._folder, name)

    def _read(self, path: str) -> TextLease | None:
        try:
            with open(path, "rb") as file:
                held = parse_json(file.read(), TextLease)
        except (FileNotFoundError, ValueError):
            return None  # one that was torn is nobody's
        # One for longer than a lease can be was taken before the clock was set back.
        return held if 0 < held.until - self._clock() < 2 * LEASE_SECONDS else None

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(os.path.join(self._folder, ".lock"), flags, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)
