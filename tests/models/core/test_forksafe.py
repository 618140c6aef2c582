"""Locks in the child of a fork."""

import os
import signal
import threading
import weakref

import pytest
from scrubline.models.core.forksafe import ForkSafeLock


def in_child(check):
    """Whether `check` holds in a child; one that waits for a lock is killed and counts as no."""
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        os._exit(0 if check() else 1)
    return os.waitpid(child, 0)[1] == 0


def taken(lock):
    with lock:
        return True


def test_a_lock_held_by_another_thread_is_free_in_the_child():
    lock, held, release = ForkSafeLock(), threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            release.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    try:
        assert in_child(lambda: taken(lock))
    finally:
        release.set()
        thread.join()
    assert taken(lock)


def test_the_child_resets_what_the_lock_protects_and_the_parent_does_not():
    known = ["half written"]
    lock = ForkSafeLock(after_fork=known.clear)
    assert in_child(lambda: taken(lock) and known == [])
    assert known == ["half written"]


def test_a_lock_is_released_when_its_block_raises():
    lock = ForkSafeLock()
    with pytest.raises(ZeroDivisionError), lock:
        raise ZeroDivisionError
    assert taken(lock)


def test_locks_are_not_kept_alive():
    lock = ForkSafeLock()
    kept = weakref.ref(lock)
    del lock
    assert kept() is None
