"""A lock on an object store: an object that one process can make, with a sign of life in it.

Making it is a conditional write (`If-None-Match: *` and its like), so of several processes one gets
it. The holder writes it anew every `BEAT_SECONDS`. A lock that was not written for `STALE_SECONDS`
is taken over, one whose process is known to be dead at once; who takes it over is decided by a
conditional write too. After Gray and Cheriton 1989, "Leases".

How long it was not written is measured by the store alone, never by the clocks of machines: a probe
is written beside it, and the store's times of the two are compared. What the lock says of its time
is for people. Where a store tells no time, the lock is watched: it has to keep its content for
`STALE_SECONDS` of this process's steady clock.

A holder that was stopped for long and comes back finds another owner in the lock: it must not go
on, and `StoreLock.check` says so. It is no proof against a holder that is stopped between that
check and the next write, so what is written must be safe to be written twice, as parts are; where
it is not (catalogue, manifest), the check comes right before it.
"""

from __future__ import annotations

import _thread
import contextlib
import dataclasses
import functools
import hashlib
import json
import logging
import os
import platform
import secrets
import threading
import time
from collections.abc import Callable
from typing import Protocol

from .errors import OutputBusy, RunFailed, ScrublineError, Shortage
from .kinds import require_kinds
from .shortage import THREADS, shortage_of

_log = logging.getLogger(__name__)

BEAT_SECONDS = 30.0
STALE_SECONDS = 600.0

_FIRST_LINE = b'{\n "owner": "'

_TRIES = 5
"""Locks that vanish or change while they are looked at are looked at again, so often."""


PARTING_SECONDS = 60.0
"""How long a lock that is given back waits for a sign of life that is being written."""

STARTING_SECONDS = 60.0
"""How long a lock that is taken waits for the thread of its signs of life."""

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

    def modified(self, url: str) -> float | None:
        """See `Storage.modified`."""


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
        except (ValueError, TypeError, RecursionError):
            return None
        return holder

    @staticmethod
    def may_have_written(data: bytes) -> bool:
        """Whether a local lock file is a holder's: whole, cut off, or empty after a power cut."""
        data = data.strip(b"\0")
        return not data or Holder.from_bytes(data) is not None or data.startswith(_FIRST_LINE)

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
        if self.pid <= 0:  # it would mean a group of processes
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except (OSError, OverflowError):
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
        steady: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Does nothing yet.

        Args:
            url: of the lock.
            clock: seconds since 1970, written into the lock for people.
            steady: seconds that only grow, for watching a lock.
            sleep: waits between two looks at it.
        """
        self._storage, self._url, self._clock = storage, url, clock
        self._beat_seconds, self._stale_seconds = beat_seconds, stale_seconds
        self._steady, self._sleep = steady, sleep
        self._mine = Holder.this_process(clock())
        self._end = threading.Event()
        # Locks of the system, made before they are needed: to let one go takes no memory.
        self._begun, self._beating = _thread.allocate_lock(), _thread.allocate_lock()
        self._is_silent = False

    def acquire(self) -> bool:
        """Takes the lock; False if the store cannot decide who gets it.

        Raises:
            OutputBusy: if another process holds it.
            Shortage: if no thread can be started for the signs of life.
            StorageError: if storage fails.
        """
        try:
            taken = self._take()
            if taken:
                self._start_beating()
        except OutputBusy:
            raise
        except BaseException:
            self._let_go()
            raise
        return taken

    def _take(self) -> bool:
        """Puts this process into the lock; see `acquire`."""
        for _ in range(_TRIES):
            self._refresh()
            made = self._storage.create_exclusively(self._url, self._mine.to_bytes())
            if made is None:
                # A store that throttles may be taken for one that cannot decide: a holder tells.
                content = self._content()
                if content is not None and _holder(content).owner != self._mine.owner:
                    self._require_silent(self._url, content)
                return False
            if made and self._storage.create_exclusively(self._url, b"") is not False:
                self._storage.delete(self._url)
                return False
            content = self._content()
            # A request that was repeated may have made it, and then found it.
            if content is not None and _holder(content).owner == self._mine.owner:
                return True
            if content is None or self._takes_over(content):
                continue
        raise OutputBusy("another process works on this output: wait until it has ended")

    def _start_beating(self) -> None:
        """Starts the thread of the signs of life, and sees it begin.

        Raises:
            Shortage: if it does not.
        """
        self._begun.acquire()
        self._beating.acquire()
        try:
            # Not `threading.Thread`, whose start waits for the thread, forever if it dies.
            _thread.start_new_thread(self._keep_beating, ())
            if self._begun.acquire(timeout=STARTING_SECONDS):
                return
            lack = THREADS
        except (RuntimeError, MemoryError) as error:
            lack = shortage_of(error) or THREADS
        self._end.set()  # should it begin later
        raise Shortage(f"the lock of the output cannot be kept: {lack}")

    def _let_go(self) -> None:
        """Gives back what was not acquired in the end, if this process is in the lock."""
        _GIVEN_UP.add(self._mine.owner)
        with contextlib.suppress(Exception):  # what went wrong before is what is told
            self._require_mine()
            self._storage.delete(self._url)

    def check(self) -> None:
        """Makes sure that the lock is still held, and that signs of life are given.

        Raises:
            RunFailed: if another process has taken it over, or may do so unseen.
        """
        if self._is_silent:
            raise RunFailed(
                "this process can give no sign of life in the lock of the output any more, most "
                "likely for lack of memory: another process may take the lock over"
            )
        self._require_mine()

    def _require_mine(self) -> None:
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
        self._require_mine()
        self._refresh()
        self._storage.write_bytes(self._url, self._mine.to_bytes())

    def release(self) -> None:
        """Gives the lock back, if it is still held."""
        self._end.set()
        if not self._beating.acquire(timeout=PARTING_SECONDS):
            # What it writes may come after a deletion, into the lock of another process.
            _GIVEN_UP.add(self._mine.owner)
            _log.warning(
                "the lock of the output is left as it is: storage does not end the writing of "
                "a sign of life; after %.0f s of silence the next run takes it over",
                self._stale_seconds,
            )
            return
        try:
            self._require_mine()
            self._storage.delete(self._url)
        except ScrublineError as error:
            _GIVEN_UP.add(self._mine.owner)
            _log.warning("the lock of the output is left as it is: %s", error)

    def _refresh(self) -> None:
        self._mine = dataclasses.replace(self._mine, beat=self._clock())

    def _content(self) -> bytes | None:
        """What the lock holds; None if there is none."""
        return self._content_of(self._url)

    def _content_of(self, url: str) -> bytes | None:
        try:
            return self._storage.read_bytes(url)
        except FileNotFoundError:
            return None

    def _held_by(self) -> Holder | None:
        content = self._content()
        return None if content is None else _holder(content)

    def _require_silent(self, url: str, content: bytes) -> float:
        """For how many seconds the store says that a lock or claim was not written.

        Args:
            content: what it held when it was looked at.

        Raises:
            OutputBusy: if it was, or may have been, written by a process that is alive.
        """
        if _holder(content).is_dead():
            return 0.0
        silent = self._silence(url)
        if silent is None:
            silent = self._watched(url, content)
        if silent < self._stale_seconds:
            raise OutputBusy(
                "another process works on this output: wait until it has ended. It gave a sign of "
                f"life {max(0.0, silent):.0f} s ago; if it was killed, its lock is taken over "
                f"after {self._stale_seconds:.0f} s of silence"
            )
        return silent

    def _silence(self, url: str) -> float | None:
        """Seconds between the last write of an object and now, both as the store tells them.

        Returns:
            silent: None if the store tells no times; 0 if the object no longer exists.
        """
        probe = f"{self._url}.{self._mine.owner}.now"
        try:
            self._storage.write_bytes(probe, b"")
            now = self._storage.modified(probe)
            written = self._storage.modified(url)
        except FileNotFoundError:
            return 0.0
        finally:
            self._storage.delete(probe)
        return None if now is None or written is None else now - written

    def _watched(self, url: str, content: bytes) -> float:
        """For how many seconds an object kept its content, at most until it counts as silent."""
        _log.warning(
            "this storage does not say when the lock of the output was last written: it is watched "
            "for up to %.0f s, to see whether its holder is alive",
            self._stale_seconds,
        )
        began = self._steady()
        while (silent := self._steady() - began) < self._stale_seconds:
            self._sleep(min(self._beat_seconds, self._stale_seconds - silent))
            if self._content_of(url) != content:
                return 0.0
        return silent

    def _takes_over(self, content: bytes) -> bool:
        """Puts this process into the place of a holder that gives no sign of life.

        Args:
            content: of the lock.

        Raises:
            OutputBusy: if it does.
        """
        silent = self._require_silent(self._url, content)
        # Named by what is taken over, so that one of several who see it gets it.
        claim = f"{self._url}.{hashlib.sha256(content).hexdigest()[:32]}"
        if not self._storage.create_exclusively(claim, self._mine.to_bytes()):
            self._drop_old_claim(claim)
            return False
        try:
            # Another process may have had the claim before, and be done with it.
            if self._content() != content:
                return False
            _log.warning(
                "the lock of this output is taken over: its holder %s",
                "is dead" if _holder(content).is_dead() else f"has been silent for {silent:.0f} s",
            )
            self._refresh()
            self._storage.write_bytes(self._url, self._mine.to_bytes())
        finally:
            self._storage.delete(claim)
        return True

    def _drop_old_claim(self, claim: str) -> None:
        """Removes the claim of a process that was stopped while it took a lock over."""
        content = self._content_of(claim)
        with contextlib.suppress(OutputBusy):
            if content is not None:
                self._require_silent(claim, content)
                self._storage.delete(claim)

    def _keep_beating(self) -> None:
        """What the thread does; however it ends before it is asked to, `check` finds it."""
        try:
            self._begun.release()
            while not self._end.wait(self._beat_seconds):
                try:
                    self.beat()
                except RunFailed as error:
                    # Storage may come back; a lock that was taken over is found by `check`.
                    _log.warning("no sign of life in the lock of the output: %s", error)
        except BaseException as error:  # no memory, not even for the warning
            self._is_silent = True
            with contextlib.suppress(MemoryError):
                _log.warning(
                    "no further sign of life in the lock of the output: %s", type(error).__name__
                )
        finally:
            self._beating.release()


NOBODY = Holder("0", "", 0, 0.0, 0.0)
"""Holds a lock that cannot be read: written by an unknown process, which may be alive."""


def _holder(content: bytes) -> Holder:
    """Whose a lock is by its content."""
    return Holder.from_bytes(content) or NOBODY


@functools.cache
def tell_unlocked(protocol: str) -> None:
    """Says once a process that outputs cannot be locked there."""
    _log.warning(
        "storage of the kind %s takes no conditional writes, so that outputs cannot be locked: see "
        "to it that only one process works on one",
        protocol,
    )
