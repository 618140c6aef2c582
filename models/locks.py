"""A lock on an object store: an object that one process can make, with a sign of life in it.

Making it is a conditional write (`If-None-Match: *` and its like), so of several processes one gets
it. The holder writes the time into it every `BEAT_SECONDS`. A lock without a sign of life for
`STALE_SECONDS` is taken over, one whose process is known to be dead at once; who takes it over is
decided by a conditional write too. Clocks of machines must not differ by more than
`STALE_SECONDS`. After Gray and Cheriton 1989, "Leases".

A holder that was stopped for long and comes back finds another owner in the lock: it must not go
on, and `StoreLock.check` says so. It is no proof against a holder that is stopped between that
check and the next write, so what is written must be safe to be written twice, as parts are; where
it is not (catalogue, manifest), the check comes right before it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import logging
import os
import platform
import secrets
import threading
import time
from collections.abc import Callable
from typing import Protocol

from .errors import OutputBusy, RunFailed, ScrublineError
from .kinds import require_kinds

_log = logging.getLogger(__name__)

BEAT_SECONDS = 30.0
STALE_SECONDS = 600.0

_TRIES = 5
"""Locks that vanish or change while they are looked at are looked at again, so often."""


_GIVEN_UP: set[str] = set()
"""Owners of this process whose locks storage did not let them give back."""


class Objects(Protocol):
    """What a lock needs of a `Storage`."""

    def create_exclusively(self, url: str, data: bytes) -> bool | None:
        """See `Storage.create_exclusively`."""

    def read_bytes(self, url: str) -> bytes:
        """See `Storage.read_bytes`."""

    def write_bytes(self, url: str, data: bytes) -> object:
        """See `Storage.write_bytes`."""

    def delete(self, url: str) -> None:
        """See `Storage.delete`."""


@dataclasses.dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock.

    Attributes:
        owner: drawn for each lock.
        machine: host, its boot and the process numbers that it knows, as one text.
        pid: process number there.
        since, beat: seconds since 1970.
    """

    owner: str
    machine: str
    pid: int
    since: float
    beat: float

    def to_bytes(self) -> bytes:
        """As JSON."""
        return json.dumps(dataclasses.asdict(self), indent=1).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Holder | None:
        """Reads what `to_bytes` gave; None for anything else, which holds nothing."""
        try:
            holder = cls(**json.loads(data))
            require_kinds(holder)
        except (ValueError, TypeError):
            return None
        return holder

    @classmethod
    def this_process(cls, now: float) -> Holder:
        """The process that asks, from now on."""
        return cls(secrets.token_hex(16), this_machine(), os.getpid(), now, now)

    def is_dead(self) -> bool:
        """Whether the process is known to be gone: only of this very machine that can be known."""
        if self.machine != this_machine():
            return False
        if self.owner in _GIVEN_UP:
            return True
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except OSError:
            return False
        return False


@functools.cache
def this_machine() -> str:
    """Host, boot and process name space: processes of one value have numbers in common."""
    parts = [platform.node()]
    with contextlib.suppress(OSError):
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as stream:
            parts.append(stream.read().strip())
        parts.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(parts)


class StoreLock:
    """One lock; acquire and release it once."""

    def __init__(
        self,
        storage: Objects,
        url: str,
        *,
        clock: Callable[[], float] = time.time,
        beat_seconds: float = BEAT_SECONDS,
        stale_seconds: float = STALE_SECONDS,
    ) -> None:
        """Does nothing yet.

        Args:
            url: of the lock.
            clock: seconds since 1970.
        """
        self._storage, self._url, self._clock = storage, url, clock
        self._beat_seconds, self._stale_seconds = beat_seconds, stale_seconds
        self._mine = Holder.this_process(clock())
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def acquire(self) -> bool:
        """Takes the lock; False if the store cannot decide who gets it.

        Raises:
            OutputBusy: if another process holds it.
            StorageError: if storage fails.
        """
        for _ in range(_TRIES):
            self._refresh()
            made = self._storage.create_exclusively(self._url, self._mine.to_bytes())
            if made is None:
                # A store that throttles may be taken for one that cannot decide: a holder tells.
                holder = self._held_by()
                if holder is not None and holder.owner != self._mine.owner:
                    self._require_silent(holder)
                return False
            if made and self._storage.create_exclusively(self._url, b"") is not False:
                self._storage.delete(self._url)
                return False
            holder = self._held_by()
            # A request that was repeated may have made it, and then found it.
            if holder is not None and holder.owner == self._mine.owner:
                break
            if holder is None or self._takes_over(holder):
                continue
        else:
            raise OutputBusy("another process works on this output: wait until it has ended")
        self._thread = threading.Thread(target=self._keep_beating, daemon=True)
        self._thread.start()
        return True

    def check(self) -> None:
        """Makes sure that the lock is still held.

        Raises:
            RunFailed: if another process has taken it over.
        """
        holder = self._held_by()
        if holder is None or holder.owner != self._mine.owner:
            raise RunFailed(
                "another process has taken over the lock of this output: this one was silent for "
                "too long"
            )

    def beat(self) -> None:
        """Gives a sign of life.

        Raises:
            RunFailed: see `check`.
        """
        self.check()
        self._refresh()
        self._storage.write_bytes(self._url, self._mine.to_bytes())

    def release(self) -> None:
        """Gives the lock back, if it is still held."""
        self._end.set()
        if self._thread is not None:
            self._thread.join()
        try:
            self.check()
            self._storage.delete(self._url)
        except ScrublineError as error:
            _GIVEN_UP.add(self._mine.owner)
            _log.warning("the lock of the output is left as it is: %s", error)

    def _refresh(self) -> None:
        self._mine = dataclasses.replace(self._mine, beat=self._clock())

    def _held_by(self) -> Holder | None:
        try:
            return Holder.from_bytes(self._storage.read_bytes(self._url)) or NOBODY
        except FileNotFoundError:
            return None

    def _require_silent(self, holder: Holder) -> float:
        """How many seconds a holder has given no sign of life.

        Raises:
            OutputBusy: if it is alive.
        """
        silent = self._clock() - holder.beat
        if not holder.is_dead() and silent < self._stale_seconds:
            raise OutputBusy(
                "another process works on this output: wait until it has ended. It gave a sign of "
                f"life {max(0, silent):.0f} s ago; if it was killed, its lock is taken over "
                f"after {self._stale_seconds:.0f} s of silence"
            )
        return silent

    def _takes_over(self, holder: Holder) -> bool:
        """Puts this process into the place of a holder that gives no sign of life.

        Raises:
            OutputBusy: if it does.
        """
        silent = self._require_silent(holder)
        # Named by what is taken over, so that one of several who see it gets it.
        claim = f"{self._url}.{holder.owner[:32]}.{holder.beat:.0f}"
        if not self._storage.create_exclusively(claim, self._mine.to_bytes()):
            self._drop_old_claim(claim)
            return False
        try:
            # Somebody may have had the claim before, and be done with it.
            if self._held_by() != holder:
                return False
            _log.warning(
                "the lock of this output is taken over: its holder %s",
                "is dead" if holder.is_dead() else f"has been silent for {silent:.0f} s",
            )
            self._refresh()
            self._storage.write_bytes(self._url, self._mine.to_bytes())
        finally:
            self._storage.delete(claim)
        return True

    def _drop_old_claim(self, claim: str) -> None:
        """Removes the claim of a process that was stopped while it took a lock over."""
        with contextlib.suppress(FileNotFoundError):
            other = Holder.from_bytes(self._storage.read_bytes(claim)) or NOBODY
            if other.is_dead() or self._clock() - other.beat >= self._stale_seconds:
                self._storage.delete(claim)

    def _keep_beating(self) -> None:
        while not self._end.wait(self._beat_seconds):
            try:
                self.beat()
            except RunFailed as error:
                # Storage may come back; a lock that was taken over is found by `check`.
                _log.warning("no sign of life in the lock of the output: %s", error)


NOBODY = Holder("0", "", 0, 0.0, 0.0)
"""Holds a lock that cannot be read; silent since 1970."""


@functools.cache
def tell_unlocked(protocol: str) -> None:
    """Says once a process that outputs cannot be locked there."""
    _log.warning(
        "storage of the kind %s takes no conditional writes, so that outputs cannot be locked: see "
        "to it that only one process works on one",
        protocol,
    )
