"""A lock on an object store: an object that only one process can create, with a lease.

Creating it is a conditional write (`If-None-Match: *` or similar), so one of several processes gets
it. The holder renews the lease by writing the object again every `HEARTBEAT_SECONDS`. The lease
expires if the object is not written for `LEASE_SECONDS`, or at once if its process is known to be
dead; then another process takes the lock over, and a conditional write decides which one. After
Gray and Cheriton 1989, "Leases".

The age of the last heartbeat is measured by the store alone, never by the clocks of machines: a
probe is written beside the lock, and the store's times of the two are compared. The time in the
lock is for people. Where a store gives no times, the lock is watched: it has to keep its content
for `LEASE_SECONDS` of this process's monotonic clock.

A holder that was stopped for long and comes back finds another owner in the lock: it must not go
on, and `StoreLock.check` says so. This does not protect against a holder that is stopped between
that check and the next write, so everything that is written must be safe to write twice, as parts
are; where it is not (catalogue, manifest), the check comes right before the write.
"""

from __future__ import annotations

import _thread
import contextlib
import dataclasses
import functools
import hashlib
import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

from ..core.errors import OutputBusy, RunFailed, ScrublineError, Shortage
from ..core.shortage import THREADS, shortage_of
from .lock_holder import Holder, holder_in

_log = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 30.0
LEASE_SECONDS = 600.0

_TRIES = 5
"""How often to retry when a lock disappears or changes while it is being examined."""

RELEASE_SECONDS = 60.0
"""How long a release waits for a heartbeat that is being written."""

START_SECONDS = 60.0
"""How long taking a lock waits for its heartbeat thread to start."""


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


class StoreLock:
    """One lock; acquire and release it once."""

    def __init__(
        self,
        storage: Objects,
        url: str,
        *,
        clock: Callable[[], float] = time.time,
        heartbeat_seconds: float = HEARTBEAT_SECONDS,
        lease_seconds: float = LEASE_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """Does nothing yet.

        Args:
            url: of the lock.
            clock: seconds since 1970, written into the lock for people.
            monotonic: seconds that only grow, to watch the lock of another process.
            sleep: waits between two reads of it.
        """
        self._storage, self._url, self._clock = storage, url, clock
        self._heartbeat_seconds, self._lease_seconds = heartbeat_seconds, lease_seconds
        self._monotonic, self._sleep = monotonic, sleep
        self._mine = Holder.this_process(clock())
        self._end = threading.Event()
        # Locks of the system, made before they are needed: to release one takes no memory.
        self._started, self._running = _thread.allocate_lock(), _thread.allocate_lock()
        self._has_failed = False

    def acquire(self) -> bool:
        """Takes the lock; False if the store cannot decide who gets it.

        Raises:
            OutputBusy: if another process holds it.
            Shortage: if the heartbeat thread cannot be started.
            StorageError: if storage fails.
        """
        try:
            taken = self._take()
            if taken:
                self._start_heartbeat()
        except OutputBusy:
            raise
        except BaseException:
            self._give_up()
            raise
        return taken

    def _take(self) -> bool:
        """Puts this process into the lock; see `acquire`."""
        for _ in range(_TRIES):
            self._set_time()
            created = self._storage.create_exclusively(self._url, self._mine.to_bytes())
            if created is None:
                # A store that throttles looks like one that cannot decide: a holder shows which.
                content = self._content()
                if content is not None and holder_in(content).owner != self._mine.owner:
                    self._require_expired(self._url, content)
                return False
            if created and self._storage.create_exclusively(self._url, b"") is not False:
                self._storage.delete(self._url)
                return False
            content = self._content()
            # A request that was repeated may have created the lock, and then found it.
            if content is not None and holder_in(content).owner == self._mine.owner:
                return True
            if content is None or self._take_over(content):
                continue
        raise OutputBusy("another process is working on this output: wait until it has ended")

    def _start_heartbeat(self) -> None:
        """Starts the heartbeat thread, and waits until it runs.

        Raises:
            Shortage: if it does not.
        """
        self._started.acquire()
        self._running.acquire()
        try:
            # Not `threading.Thread`, whose start waits for the thread, forever if it dies.
            _thread.start_new_thread(self._renew_until_release, ())
            if self._started.acquire(timeout=START_SECONDS):
                return
            lack = THREADS
        except (RuntimeError, MemoryError) as error:
            lack = shortage_of(error) or THREADS
        self._end.set()  # in case it starts later
        raise Shortage(f"the lock of the output cannot be kept: {lack}")

    def _give_up(self) -> None:
        """Deletes a lock whose acquisition failed, if this process is in it."""
        self._mine.abandon()
        with contextlib.suppress(Exception):  # the error before this one is the one to report
            self._require_mine()
            self._storage.delete(self._url)

    def check(self) -> None:
        """Makes sure that the lock is still held, and that its heartbeat works.

        Raises:
            RunFailed: if another process has taken it over, or may do so unseen.
        """
        if self._has_failed:
            raise RunFailed(
                "the heartbeat of the output's lock has stopped, most likely for lack of memory: "
                "another process may take the lock over. Give the run more memory, then resume"
            )
        self._require_mine()

    def _require_mine(self) -> None:
        content = self._content()
        if content is None or holder_in(content).owner != self._mine.owner:
            raise RunFailed(
                "the lock of this output is lost: its lease expired without a heartbeat and "
                "another process took it over. Wait until that one has ended, then resume"
            )

    def renew(self) -> None:
        """Writes a heartbeat.

        Raises:
            RunFailed: see `check`.
        """
        self._require_mine()
        self._set_time()
        self._storage.write_bytes(self._url, self._mine.to_bytes())

    def release(self) -> None:
        """Gives the lock back, if it is still held."""
        self._end.set()
        if not self._running.acquire(timeout=RELEASE_SECONDS):
            # What it writes may come after a deletion, into the lock of another process.
            self._mine.abandon()
            _log.warning(
                "the lock of the output remains: storage does not finish writing a heartbeat; the "
                "next run takes the lock over once its lease has expired, after %.0f s",
                self._lease_seconds,
            )
            return
        try:
            self._require_mine()
            self._storage.delete(self._url)
        except ScrublineError as error:
            self._mine.abandon()
            _log.warning("the lock of the output remains: %s", error)

    def _set_time(self) -> None:
        self._mine = dataclasses.replace(self._mine, beat=self._clock())

    def _content(self) -> bytes | None:
        """What the lock holds; None if there is none."""
        return self._content_of(self._url)

    def _content_of(self, url: str) -> bytes | None:
        try:
            return self._storage.read_bytes(url)
        except FileNotFoundError:
            return None

    def _require_expired(self, url: str, content: bytes) -> float:
        """The seconds since the last heartbeat of a lock or claim, whose lease has expired.

        Args:
            content: what it held when it was read.

        Raises:
            OutputBusy: if the lease has not expired, or may have been renewed meanwhile.
        """
        if holder_in(content).is_dead():
            return 0.0
        age = self._age(url)
        if age is None:
            age = self._watch(url, content)
        if age < self._lease_seconds:
            raise OutputBusy(
                "another process is working on this output: wait until it has ended. Its last "
                f"heartbeat was {max(0.0, age):.0f} s ago; if it was killed, its lock becomes free "
                f"{self._lease_seconds:.0f} s after the last heartbeat"
            )
        return age

    def _age(self, url: str) -> float | None:
        """Seconds between the last write of an object and now, both by the store's clock.

        Returns:
            None if the store gives no times; 0 if the object no longer exists.
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

    def _watch(self, url: str, content: bytes) -> float:
        """For how many seconds an object kept its content; at most those of a lease."""
        _log.warning(
            "this storage does not say when the lock of the output was last written: it is watched "
            "for up to %.0f s, to see whether its holder is alive",
            self._lease_seconds,
        )
        began = self._monotonic()
        while (unchanged := self._monotonic() - began) < self._lease_seconds:
            self._sleep(min(self._heartbeat_seconds, self._lease_seconds - unchanged))
            if self._content_of(url) != content:
                return 0.0
        return unchanged

    def _take_over(self, content: bytes) -> bool:
        """Puts this process into the place of a holder whose lease has expired.

        Args:
            content: of the lock.

        Returns:
            False if another process was faster.

        Raises:
            OutputBusy: if the lease has not expired.
        """
        age = self._require_expired(self._url, content)
        # Named after what is taken over, so that only one of several processes that see it gets it.
        claim = f"{self._url}.{hashlib.sha256(content).hexdigest()[:32]}"
        if not self._storage.create_exclusively(claim, self._mine.to_bytes()):
            self._drop_old_claim(claim)
            return False
        try:
            # Another process may have had the claim before, and finished with it.
            if self._content() != content:
                return False
            _log.warning(
                "taking over the lock of this output: its holder %s",
                "is dead"
                if holder_in(content).is_dead()
                else f"has written no heartbeat for {age:.0f} s",
            )
            self._set_time()
            self._storage.write_bytes(self._url, self._mine.to_bytes())
        finally:
            self._storage.delete(claim)
        return True

    def _drop_old_claim(self, claim: str) -> None:
        """Removes the claim of a process that was stopped while it took a lock over."""
        content = self._content_of(claim)
        with contextlib.suppress(OutputBusy):
            if content is not None:
                self._require_expired(claim, content)
                self._storage.delete(claim)

    def _renew_until_release(self) -> None:
        """What the heartbeat thread does; `check` reports any premature end."""
        try:
            self._started.release()
            while not self._end.wait(self._heartbeat_seconds):
                try:
                    self.renew()
                except RunFailed as error:
                    # Storage may come back; a lock that was taken over is found by `check`.
                    _log.warning("no heartbeat for the lock of the output: %s", error)
        except BaseException as error:  # no memory, not even for the warning
            self._has_failed = True
            with contextlib.suppress(MemoryError):
                _log.warning(
                    "the heartbeat of the output's lock has stopped: %s", type(error).__name__
                )
        finally:
            self._running.release()


@functools.cache
def warn_unlocked(protocol: str) -> None:
    """Warns, once a process, that outputs cannot be locked there."""
    _log.warning(
        "storage of the kind %s supports no conditional writes, so outputs cannot be locked: make "
        "sure that only one process works on this output",
        protocol,
    )
