"""Calls a few at a time: in order, bounded, and never the reason why a process does not end."""

import _thread
import itertools
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from scrubline.models.core import parallel_calls
from scrubline.models.core.errors import RunFailed
from scrubline.models.core.parallel_calls import map_in_threads

from ...waiting import GUARD_SECONDS

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("items", [[], [7], list(range(300))], ids=len)
@pytest.mark.parametrize(("threads", "ahead"), [(1, 0), (3, 0), (16, 64), (2, 1024)])
def test_results_come_in_the_order_of_the_items(items, threads, ahead):
    found = map_in_threads(lambda n: n * n, items, at_once=threads, ahead=ahead)
    assert list(found) == [n * n for n in items]


def test_only_a_few_are_begun_before_the_first_is_taken():
    begun = []
    results = map_in_threads(begun.append, range(100), at_once=4)
    for taken in itertools.count(1):
        if next(results, "end") == "end":
            break
        assert len(begun) <= taken + 4
    assert sorted(begun) == list(range(100))


def test_what_a_call_raises_is_raised_and_no_further_call_begins():
    begun = []

    def call(number):
        begun.append(number)
        if number == 5:
            raise ValueError("five")
        return number

    found = []
    with pytest.raises(ValueError, match="five"):
        for result in map_in_threads(call, range(1000), at_once=4):
            found.append(result)
    assert found == [0, 1, 2, 3, 4]
    assert len(begun) < 20


@pytest.mark.parametrize("error", [RuntimeError("can't start new thread"), MemoryError()])
@pytest.mark.parametrize("most", [0, 2])
def test_where_no_thread_can_be_started_the_caller_does_the_work(monkeypatch, error, most):
    start, started = _thread.start_new_thread, []

    def refused(function, arguments):
        if len(started) >= most:
            raise error
        started.append(start(function, arguments))

    monkeypatch.setattr(_thread, "start_new_thread", refused)
    assert list(map_in_threads(str, range(50))) == [str(n) for n in range(50)]
    assert len(started) == most


def test_threads_that_die_before_they_begin_are_replaced_by_the_caller(monkeypatch):
    monkeypatch.setattr(_thread, "start_new_thread", lambda function, arguments: 1)
    monkeypatch.setattr(parallel_calls, "POLL_SECONDS", 0.001)
    assert list(map_in_threads(str, range(5))) == [str(n) for n in range(5)]


def test_a_thread_without_memory_for_its_outcome_is_noticed():
    class NoMemory:
        def __getitem__(self, index):
            raise SystemExit  # stands for what leaves no outcome behind

        def __len__(self):
            return 5

    with pytest.raises(SystemExit):
        list(map_in_threads(str, NoMemory()))
    work = parallel_calls._CallQueue(str, range(5), 5)
    work._slots[0] = parallel_calls._LOST
    with pytest.raises(RunFailed, match="lack of memory"):
        work.outcome(0)


@pytest.mark.parametrize("where", ["before it is made", "after it is begun"])
def test_a_call_whose_thread_was_lost_before_it_made_it_is_made_by_the_caller(monkeypatch, where):
    """MemoryError may come at any step of a thread; each call here meets one."""
    do, take, lost, found = (
        parallel_calls._CallQueue._do,
        parallel_calls._CallQueue._take,
        set(),
        [],
    )

    def lose(index):
        if threading.current_thread() is not caller and index not in lost:
            lost.add(index)
            raise MemoryError

    def dying_do(self, index, *given):
        if where == "before it is made":
            lose(index)
        return do(self, index, *given)

    def dying_take(self, *given, **named):
        index = take(self, *given, **named)
        if where == "after it is begun" and index >= 0:
            lose(index)
        return index

    monkeypatch.setattr(parallel_calls._CallQueue, "_do", dying_do)
    monkeypatch.setattr(parallel_calls._CallQueue, "_take", dying_take)
    monkeypatch.setattr(parallel_calls, "POLL_SECONDS", 0.001)
    caller = threading.Thread(
        target=lambda: found.extend(map_in_threads(str, range(1000), at_once=4)), daemon=True
    )
    caller.start()
    caller.join(GUARD_SECONDS)
    assert found == [str(n) for n in range(1000)]
    assert lost


def test_a_call_that_never_returns_does_not_hold_the_caller(monkeypatch):
    monkeypatch.setattr(parallel_calls, "PARTING_SECONDS", 0.01)
    never = threading.Event()

    def call(number):
        if number == 3:
            never.wait(GUARD_SECONDS)
        if number == 1:
            raise ValueError("one")

    with pytest.raises(ValueError, match="one"):
        list(map_in_threads(call, range(10)))
    assert not never.is_set()
    never.set()


CODE = """
import signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where tests run
from scrubline.models.core.parallel_calls import map_in_threads
def call(number):
    print("began", flush=True)
    threading.Event().wait()
list(map_in_threads(call, range(10)))
"""


@pytest.mark.parametrize("number", [signal.SIGINT])
@pytest.mark.slow
def test_a_signal_ends_the_wait_and_threads_do_not_hold_the_process(number):
    process = subprocess.Popen(
        [sys.executable, "-c", CODE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.read(5) == "began"  # of several threads, whose lines may mix
    process.send_signal(number)
    _, err = process.communicate(timeout=GUARD_SECONDS)
    assert process.returncode in (1, -number), err
    assert "KeyboardInterrupt" in err


def test_nothing_of_ours_joins_threads_or_reads_tables_by_arrows_pool():
    """Both can wait forever, and a signal does not end the wait."""
    banned = ("ThreadPoolExecutor", "pq.read_table", "parquet.read_table", "pyarrow.dataset")
    # A server's threads end by the limit of seconds of a text.
    serving = ["pipeline/serving/pool.py: ThreadPoolExecutor"]
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for room in ("dictionaries", "models", "transforms", "pipeline")
        for path in sorted((ROOT / room).rglob("*.py"))
        for name in banned
        if name in path.read_text(encoding="utf-8")
    ]
    assert found == serving
