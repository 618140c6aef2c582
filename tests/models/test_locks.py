"""A lock on a store that is a dict; tests/pipeline/test_store_locks.py has real ones."""

import contextlib
import dataclasses
import logging
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrubline.models.errors import RunFailed, UsageError
from scrubline.models.locks import STALE_SECONDS, Holder, StoreLock, this_machine

URL = "store://out/restricted/LOCK"


class Store:
    """Objects of a store with, or without, conditional writes."""

    def __init__(self, conditional=True):
        self.objects, self.conditional = {}, conditional

    def create_exclusively(self, url, data):
        if self.conditional is None:
            return None
        if self.conditional and url in self.objects:
            return False
        self.objects[url] = data
        return True

    def read_bytes(self, url):
        try:
            return self.objects[url]
        except KeyError:
            raise FileNotFoundError from None

    def write_bytes(self, url, data):
        self.objects[url] = data

    def delete(self, url):
        self.objects.pop(url, None)


class Clock:
    now = 1_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def lock_on(store, clock, beat_seconds=3600.0):
    return StoreLock(store, URL, clock=clock, beat_seconds=beat_seconds)


def test_one_holds_it_and_then_the_next(clock):
    store = Store()
    first, second = lock_on(store, clock), lock_on(store, clock)
    assert first.acquire()
    clock.now += 12
    with pytest.raises(UsageError, match="another process works on this output.* 12 s ago"):
        second.acquire()
    first.check()
    first.release()
    assert store.objects == {}
    assert second.acquire()
    second.release()


@pytest.mark.parametrize("conditional", [None, False])
def test_a_store_that_cannot_decide_is_left_alone(clock, conditional):
    store = Store(conditional)
    assert not lock_on(store, clock).acquire()
    assert store.objects == {}


def test_a_sign_of_life_keeps_it(clock):
    store = Store()
    first = lock_on(store, clock)
    first.acquire()
    for _ in range(3):
        clock.now += STALE_SECONDS - 1
        first.beat()
        with pytest.raises(UsageError):
            lock_on(store, clock).acquire()
    first.release()


def test_signs_of_life_come_by_themselves(clock):
    store = Store()
    lock = lock_on(store, clock, beat_seconds=0.01)
    lock.acquire()
    clock.now += 100
    for _ in range(1000):
        if Holder.from_bytes(store.objects[URL]).beat == clock.now:
            break
        lock._end.wait(0.01)
    else:
        pytest.fail("no sign of life")
    lock.release()
    assert store.objects == {}


def test_a_silent_lock_is_taken_over_and_its_holder_finds_out(clock, caplog):
    store = Store()
    first, second = lock_on(store, clock), lock_on(store, clock)
    first.acquire()
    clock.now += STALE_SECONDS
    with caplog.at_level(logging.WARNING):
        assert second.acquire()
    assert "taken over: its holder has been silent for 600 s" in caplog.text
    assert list(store.objects) == [URL]
    for action in (first.check, first.beat):
        with pytest.raises(RunFailed, match="taken over the lock"):
            action()
    first.release()  # not ours: it stays
    second.check()
    second.release()
    assert store.objects == {}


def held_by(store, clock, **changes):
    holder = Holder("f" * 32, this_machine(), os.getpid(), clock(), clock())
    store.objects[URL] = dataclasses.replace(holder, **changes).to_bytes()


def dead_pid():
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def test_the_lock_of_a_dead_process_of_this_machine_is_free_at_once(clock, caplog):
    store = Store()
    held_by(store, clock, pid=dead_pid())
    assert lock_on(store, clock).acquire()
    assert "its holder is dead" in caplog.text


def test_of_another_machine_nobody_knows(clock):
    store = Store()
    held_by(store, clock, pid=dead_pid(), machine="elsewhere")
    with pytest.raises(UsageError, match="another process"):
        lock_on(store, clock).acquire()


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"owner": 3}', b"\xff"])
def test_a_lock_that_says_nothing_holds_nothing(clock, content):
    store = Store()
    store.objects[URL] = content
    assert lock_on(store, clock).acquire()


def test_of_two_who_take_over_one_gets_it(clock):
    """The other one has seen the silent holder, and comes to its claim when all is over."""
    store = Store()
    held_by(store, clock, machine="elsewhere")
    silent = store.objects[URL]
    clock.now += STALE_SECONDS
    first, second = lock_on(store, clock), lock_on(store, clock)
    assert first.acquire()
    with pytest.raises(UsageError):
        second.acquire()
    assert second._takes_over(Holder.from_bytes(silent)) is False
    first.check()
    assert list(store.objects) == [URL]


def test_a_claim_that_was_left_is_dropped_when_it_is_old(clock):
    store = Store()
    held_by(store, clock, machine="elsewhere")
    holder = Holder.from_bytes(store.objects[URL])
    clock.now += STALE_SECONDS
    claim = f"{URL}.{holder.owner}.{holder.beat:.0f}"
    other = dataclasses.replace(holder, owner="e" * 32, beat=clock.now)
    store.objects[claim] = other.to_bytes()
    with pytest.raises(UsageError):
        lock_on(store, clock).acquire()
    assert claim in store.objects
    clock.now += STALE_SECONDS
    assert lock_on(store, clock).acquire()
    assert claim not in store.objects


def test_a_request_that_was_repeated_finds_what_it_made(clock):
    class Repeating(Store):
        def create_exclusively(self, url, data):
            super().create_exclusively(url, data)
            return False

    assert lock_on(Repeating(), clock).acquire()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["take", "beat", "wait", "end"]))))
def test_never_do_two_hold_it(steps):
    """Three processes take, beat, fall silent and end in any order: at most one check passes."""
    store, clock = Store(), Clock()
    locks = [None] * 3
    for who, what in steps:
        lock = locks[who]
        if what == "wait":
            clock.now += STALE_SECONDS / 2
        elif what == "take" and lock is None:
            new = lock_on(store, clock)
            with contextlib.suppress(UsageError):
                locks[who] = new if new.acquire() else None
        elif lock is not None and what == "beat":
            try:
                lock.beat()
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
