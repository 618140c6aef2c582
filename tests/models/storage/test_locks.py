"""A lock on a store that is a dict; tests/pipeline/end_to_end/test_store_locks.py has real ones."""

import _thread
import contextlib
import dataclasses
import hashlib
import itertools
import json
import logging
import math
import os
import subprocess
import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import OutputBusy, RunFailed, Shortage, StorageError, UsageError
from scrubline.models.storage import locks
from scrubline.models.storage.lock_holder import Holder, this_machine
from scrubline.models.storage.locks import LEASE_SECONDS, StoreLock

from ...examples import examples
from ...waiting import GUARD_SECONDS, wait_until

URL = "store://out/restricted/LOCK"


class Clock:
    now = 1_000_000.0

    def __call__(self):
        return self.now


class Store:
    """Objects of a store with, or without, conditional writes and times of its own clock."""

    def __init__(self, clock, conditional=True, *, tells_time=True):
        self.clock, self.conditional, self.tells_time = clock, conditional, tells_time
        self.objects, self.times = {}, {}

    def create_exclusively(self, url, data):
        if self.conditional is None:
            return None
        if self.conditional and url in self.objects:
            return False
        self.write_bytes(url, data)
        return True

    def read_bytes(self, url):
        try:
            return self.objects[url]
        except KeyError:
            raise FileNotFoundError from None

    def write_bytes(self, url, data):
        self.objects[url], self.times[url] = data, self.clock()

    def delete(self, url):
        self.objects.pop(url, None)

    def modified(self, url):
        self.read_bytes(url)
        return self.times[url] if self.tells_time else None


@pytest.fixture
def clock():
    return Clock()


def lock_on(store, clock, heartbeat_seconds=3600.0, **more):
    return StoreLock(store, URL, clock=clock, heartbeat_seconds=heartbeat_seconds, **more)


def test_one_holds_it_and_then_the_next(clock):
    store = Store(clock)
    first, second = lock_on(store, clock), lock_on(store, clock)
    assert first.acquire()
    clock.now += 12
    with pytest.raises(UsageError, match="another process is working on this output.* 12 s ago"):
        second.acquire()
    first.check()
    first.release()
    assert store.objects == {}
    assert second.acquire()
    second.release()


@pytest.mark.parametrize("conditional", [None, False])
def test_a_store_that_cannot_decide_is_left_alone(clock, conditional):
    store = Store(clock, conditional)
    assert not lock_on(store, clock).acquire()
    assert store.objects == {}


def test_a_heartbeat_keeps_it(clock):
    store = Store(clock)
    first = lock_on(store, clock)
    first.acquire()
    for _ in range(3):
        clock.now += LEASE_SECONDS - 1
        first.renew()
        with pytest.raises(UsageError):
            lock_on(store, clock).acquire()
    first.release()


def test_heartbeats_come_by_themselves(clock):
    store = Store(clock)
    lock = lock_on(store, clock, heartbeat_seconds=0.01)
    lock.acquire()
    clock.now += 100
    wait_until(
        lambda: Holder.from_bytes(store.objects[URL]).beat == clock.now, "a heartbeat is there"
    )
    lock.release()
    assert store.objects == {}


def test_an_expired_lock_is_taken_over_and_its_holder_finds_out(clock, caplog):
    store = Store(clock)
    first, second = lock_on(store, clock), lock_on(store, clock)
    first.acquire()
    clock.now += LEASE_SECONDS
    with caplog.at_level(logging.WARNING):
        assert second.acquire()
    assert (
        "taking over the lock of this output: its holder has written no heartbeat for 600 s"
        in caplog.text
    )
    assert list(store.objects) == [URL]
    for action in (first.check, first.renew):
        with pytest.raises(
            RunFailed, match="lease expired without a heartbeat and another process took it over"
        ):
            action()
    first.release()  # not ours: it stays
    second.check()
    second.release()
    assert store.objects == {}


def held_by(store, clock, **changes):
    holder = Holder("f" * 32, this_machine(), os.getpid(), clock(), clock())
    store.write_bytes(URL, dataclasses.replace(holder, **changes).to_bytes())


def dead_pid():
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_the_lock_of_a_dead_process_of_this_machine_is_free_at_once(clock, caplog):
    store = Store(clock)
    held_by(store, clock, pid=dead_pid())
    assert lock_on(store, clock).acquire()
    assert "its holder is dead" in caplog.text


def test_of_another_machine_nobody_knows(clock):
    store = Store(clock)
    held_by(store, clock, pid=dead_pid(), machine="elsewhere")
    with pytest.raises(UsageError, match="another process"):
        lock_on(store, clock).acquire()


# -- what a lock may say of itself, which decides nothing


def content_with(**changes):
    """The content of a lock of another machine, as another program may write it."""
    holder = Holder("f" * 32, "elsewhere", 7, 1.0, 1.0)
    return json.dumps({**dataclasses.asdict(holder), **changes}).encode()


def without(name):
    found = json.loads(content_with())
    del found[name]
    return json.dumps(found).encode()


YEAR = 365 * 86_400.0

CONTENTS = [
    *(b"", b"{", b"[1]", b"null", b'{"owner": 3}', b"\xff", b"precious", b"[" * 100_000),
    *(
        content_with(beat=beat)
        for beat in (math.nan, math.inf, -math.inf, -1.0, 0.0, -1e300, 1e300)
    ),
    *(
        content_with(beat=1_000_000.0 + shift, since=1_000_000.0 + shift)
        for shift in (-YEAR, 0, YEAR)
    ),
    *(content_with(beat=beat) for beat in (None, "now", [1.0], {"x": 1}, True, 10**400)),
    *(
        content_with(since=math.nan),
        content_with(pid="x"),
        content_with(pid=-1),
        content_with(owner=None),
        content_with(more=1),
    ),
    *(content_with(machine=this_machine(), pid=pid) for pid in (0, -1, 10**30)),
    *(without(name) for name in ("owner", "machine", "pid", "since", "beat")),
]


@pytest.mark.parametrize("tells_time", [True, False], ids=["times", "no times"])
@pytest.mark.parametrize("shift", [-YEAR, 0.0, YEAR], ids=["behind", "equal", "ahead"])
@pytest.mark.parametrize("content", CONTENTS, ids=range(len(CONTENTS)))
def test_whatever_a_lock_says_it_is_held_until_its_lease_expires(
    clock, content, shift, tells_time, caplog
):
    """A running holder keeps it and a dead one loses it, whichever clock is wrong."""
    store, mine = Store(clock, tells_time=tells_time), Clock()
    mine.now = clock.now + shift

    def sleep(seconds):
        clock.now += seconds
        if beats:
            store.write_bytes(URL, content + b" " * next(beats))

    def contender():
        return lock_on(store, mine, heartbeat_seconds=30.0, monotonic=clock, sleep=sleep)

    beats = itertools.count(1)
    store.write_bytes(URL, content)
    with pytest.raises(OutputBusy):
        contender().acquire()
    assert store.objects[URL].startswith(content) and list(store.objects) == [URL]

    beats = None
    clock.now += LEASE_SECONDS if tells_time else 0
    began = clock.now
    taker = contender()
    with caplog.at_level(logging.WARNING):
        assert taker.acquire()
    assert "has written no heartbeat for 600 s" in caplog.text
    # With times of the store it is seen at once.
    assert clock.now - began == pytest.approx(0 if tells_time else LEASE_SECONDS, abs=40)
    taker.release()
    assert store.objects == {}


def test_a_lock_that_has_to_be_watched_is_announced(clock, caplog):
    store = Store(clock, tells_time=False)
    held_by(store, clock, machine="elsewhere")
    said = []

    def sleep(seconds):
        said.append(caplog.text)
        clock.now += seconds

    taker = lock_on(store, clock, heartbeat_seconds=30.0, monotonic=clock, sleep=sleep)
    with caplog.at_level(logging.WARNING):
        assert taker.acquire()
    assert "watched for up to 600 s" in said[0]  # before the first wait, and once
    assert caplog.text.count("it is watched") == 1
    taker.release()


def test_a_heartbeat_that_storage_never_ends_does_not_hold_the_release(clock, caplog, monkeypatch):
    class Stuck(Store):
        begun, ends = threading.Event(), threading.Event()

        def write_bytes(self, url, data):
            if threading.current_thread() is not threading.main_thread():
                self.begun.set()
                self.ends.wait()
            super().write_bytes(url, data)

    monkeypatch.setattr(locks, "RELEASE_SECONDS", 0.01)
    store = Stuck(clock)
    lock = lock_on(store, clock, heartbeat_seconds=0.001)
    lock.acquire()
    assert store.begun.wait(GUARD_SECONDS)
    with caplog.at_level(logging.WARNING):
        lock.release()
    assert "the lock of the output remains: storage does not finish" in caplog.text
    # It could not be deleted: what is still being written would come into the lock of the next.
    assert list(store.objects) == [URL]
    again = lock_on(store, clock)
    assert again.acquire()  # within this process it is known to be given up
    store.ends.set()
    assert lock._running.acquire(timeout=GUARD_SECONDS)
    again.release()


@pytest.mark.parametrize(
    ("error", "told"),
    [(RuntimeError("can't start new thread"), "no thread"), (MemoryError(), "memory ran out")],
)
def test_where_no_thread_can_be_started_nothing_stays_locked(clock, monkeypatch, error, told):
    def refuse(*given):
        raise error

    store = Store(clock)
    with monkeypatch.context() as patch:
        patch.setattr(_thread, "start_new_thread", refuse)
        patch.setattr(threading, "_start_new_thread", refuse)
        with pytest.raises(Shortage, match=f"the lock of the output cannot be kept: {told}"):
            lock_on(store, clock).acquire()
    assert store.objects == {}
    again = lock_on(store, clock)
    assert again.acquire()
    again.release()


def test_a_thread_that_dies_before_it_begins_is_not_waited_for(clock, monkeypatch):
    store = Store(clock)
    with monkeypatch.context() as patch:
        patch.setattr(locks, "START_SECONDS", 0.01)
        patch.setattr(_thread, "start_new_thread", lambda *given: 1)
        patch.setattr(threading, "_start_new_thread", lambda *given: 1)
        with pytest.raises(Shortage, match="no thread or process could be started"):
            lock_on(store, clock).acquire()
    assert store.objects == {}


@pytest.mark.parametrize("call", ["create_exclusively", "read_bytes"])
@pytest.mark.parametrize("error", [MemoryError, StorageError, KeyboardInterrupt])
def test_whatever_ends_the_taking_of_a_lock_nothing_stays_locked(clock, monkeypatch, call, error):
    store = Store(clock)
    real, calls = getattr(store, call), itertools.count()

    def fail_behind_the_creation(*given):
        if URL in store.objects and next(calls) == 0:
            raise error
        return real(*given)

    monkeypatch.setattr(store, call, fail_behind_the_creation)
    with pytest.raises(error):
        lock_on(store, clock).acquire()
    assert store.objects == {}


@pytest.mark.parametrize("error", [MemoryError, RuntimeError, SystemExit])
def test_a_lock_without_heartbeats_counts_as_lost(clock, caplog, error):
    class Failing(Store):
        def write_bytes(self, url, data):
            if threading.current_thread() is not threading.main_thread():
                raise error
            super().write_bytes(url, data)

    store = Failing(clock)
    lock = lock_on(store, clock, heartbeat_seconds=0.001)
    with caplog.at_level(logging.WARNING):
        lock.acquire()
        assert lock._running.acquire(timeout=GUARD_SECONDS)
    lock._running.release()
    assert f"the heartbeat of the output's lock has stopped: {error.__name__}" in caplog.text
    with pytest.raises(RunFailed, match="heartbeat of the output's lock has stopped"):
        lock.check()
    lock.release()  # it is ours all the same
    assert store.objects == {}


def test_a_store_that_fails_for_a_while_ends_no_heartbeat(clock, caplog):
    class Failing(Store):
        tries, back = itertools.count(), threading.Event()

        def write_bytes(self, url, data):
            if threading.current_thread() is not threading.main_thread():
                if next(self.tries) < 3:
                    raise StorageError("cannot write: storage failed")
                self.back.set()
            super().write_bytes(url, data)

    store = Failing(clock)
    lock = lock_on(store, clock, heartbeat_seconds=0.001)
    with caplog.at_level(logging.WARNING):
        lock.acquire()
        assert store.back.wait(GUARD_SECONDS)
    assert "no heartbeat for the lock of the output: cannot write" in caplog.text
    lock.check()
    lock.release()
    assert store.objects == {}


def test_a_lock_that_goes_while_it_is_looked_at_is_asked_for_again(clock):
    class Releasing(Store):
        """Its holder ends between the look at the lock and the look at its time."""

        def modified(self, url):
            if url == URL:
                self.delete(URL)
            return super().modified(url)

    store = Releasing(clock)
    held_by(store, clock, machine="elsewhere")
    with pytest.raises(OutputBusy):
        lock_on(store, clock).acquire()
    assert store.objects == {}
    assert lock_on(store, clock).acquire()


@pytest.mark.parametrize("fails", ["write_bytes", "modified"])
def test_a_store_that_fails_is_no_reason_to_take_over(clock, fails, monkeypatch):
    store = Store(clock)
    held_by(store, clock, machine="elsewhere")
    held = store.objects[URL]
    clock.now += YEAR

    def fail(*given):
        raise StorageError("x")

    monkeypatch.setattr(store, fails, fail)
    with pytest.raises(StorageError):
        lock_on(store, clock).acquire()
    assert store.objects == {URL: held}


def test_of_two_who_take_over_one_gets_it(clock):
    """The other one has seen the expired lease, and comes to its claim when all is over."""
    store = Store(clock)
    held_by(store, clock, machine="elsewhere")
    expired = store.objects[URL]
    clock.now += LEASE_SECONDS
    first, second = lock_on(store, clock), lock_on(store, clock)
    assert first.acquire()
    with pytest.raises(UsageError):
        second.acquire()
    second._require_expired = lambda url, content: LEASE_SECONDS  # as it saw it before
    assert second._take_over(expired) is False
    first.check()
    assert list(store.objects) == [URL]


def test_a_claim_that_was_left_is_dropped_when_it_is_old(clock):
    store = Store(clock)
    held_by(store, clock, machine="elsewhere")
    holder = Holder.from_bytes(store.objects[URL])
    clock.now += LEASE_SECONDS
    claim = f"{URL}.{hashlib.sha256(store.objects[URL]).hexdigest()[:32]}"
    other = dataclasses.replace(holder, owner="e" * 32, beat=clock.now)
    store.write_bytes(claim, other.to_bytes())
    with pytest.raises(UsageError):
        lock_on(store, clock).acquire()
    assert claim in store.objects
    clock.now += LEASE_SECONDS
    assert lock_on(store, clock).acquire()
    assert claim not in store.objects


def test_a_request_that_was_repeated_finds_what_it_made(clock):
    class Repeating(Store):
        def create_exclusively(self, url, data):
            super().create_exclusively(url, data)
            return False

    assert lock_on(Repeating(clock), clock).acquire()


@examples(60)
@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["take", "renew", "wait", "end"]))))
def test_never_do_two_hold_it(steps):
    """Three processes take, renew, stop and end in any order: at most one check passes."""
    clock = Clock()
    store = Store(clock)
    locks = [None] * 3
    for who, what in steps:
        lock = locks[who]
        if what == "wait":
            clock.now += LEASE_SECONDS / 2
        elif what == "take" and lock is None:
            new = lock_on(store, clock)
            with contextlib.suppress(UsageError):
                locks[who] = new if new.acquire() else None
        elif lock is not None and what == "renew":
            try:
                lock.renew()
            except RunFailed:
                lock.release()
                locks[who] = None
        elif lock is not None and what == "end":
            lock.release()
            locks[who] = None
        held = 0
        for one in filter(None, locks):
            try:
                one.check()
                held += 1
            except RunFailed:
                pass
        assert held <= 1
    for one in filter(None, locks):
        one.release()
    assert store.objects == {}
