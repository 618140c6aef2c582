"""Calls a few at a time: in order, bounded, and never the reason why a process does not end."""

import _thread
import itertools
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from scrubline.models import at_once
from scrubline.models.at_once import a_few_at_a_time
from scrubline.models.errors import RunFailed

ROOT = Path(__file__).parent.parent.parent
SOON = 120


@pytest.mark.parametrize("items", [[], [7], list(range(300))], ids=len)
@pytest.mark.parametrize(("threads", "ahead"), [(1, 0), (3, 0), (16, 64), (2, 1024)])
def test_results_come_in_the_order_of_the_items(items, threads, ahead):
    found = a_few_at_a_time(lambda n: n * n, items, at_once=threads, ahead=ahead)
    assert list(found) == [n * n for n in items]


def test_only_a_few_are_begun_before_the_first_is_taken():
    begun = []
    results = a_few_at_a_time(begun.append, range(100), at_once=4)
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
        for result in a_few_at_a_time(call, range(1000), at_once=4):
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
    assert list(a_few_at_a_time(str, range(50))) == [str(n) for n in range(50)]
    assert len(started) == most


def test_threads_that_die_before_they_begin_are_replaced_by_the_caller(monkeypatch):
    monkeypatch.setattr(_thread, "start_new_thread", lambda function, arguments: 1)
    monkeypatch.setattr(at_once, "POLL_SECONDS", 0.001)
    assert list(a_few_at_a_time(str, range(5))) == [str(n) for n in range(5)]


def test_a_thread_without_memory_for_its_outcome_is_noticed():
    class NoMemory:
        def __getitem__(self, index):
            raise SystemExit  # stands for what leaves no outcome behind

        def __len__(self):
            return 5

    with pytest.raises(SystemExit):
        list(a_few_at_a_time(str, NoMemory()))
    work = at_once._Work(str, range(5), 5)
    work._slots[0] = at_once._LOST
    with pytest.raises(RunFailed, match="lack of memory"):
        work.outcome(0)


@pytest.mark.parametrize("where", ["before it is made", "after it is begun"])
def test_a_call_whose_thread_was_lost_before_it_made_it_is_made_by_the_caller(monkeypatch, where):
    """MemoryError may come at any step of a thread; each call here meets one."""
    do, take, lost, found = at_once._Work._do, at_once._Work._take, set(), []

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

    monkeypatch.setattr(at_once._Work, "_do", dying_do)
    monkeypatch.setattr(at_once._Work, "_take", dying_take)
    monkeypatch.setattr(at_once, "POLL_SECONDS", 0.001)
    caller = threading.Thread(
        target=lambda: found.extend(a_few_at_a_time(str, range(1000), at_once=4)), daemon=True
    )
    caller.start()
    caller.join(SOON)
    assert found == [str(n) for n in range(1000)]
    assert lost


def test_a_call_that_never_returns_does_not_hold_the_caller(monkeypatch):
    monkeypatch.setattr(at_once, "PARTING_SECONDS", 0.01)
    never = threading.Event()

    def call(number):
        if number == 3:
            never.wait()
        if number == 1:
            raise ValueError("one")

    began = time.monotonic()
    with pytest.raises(ValueError, match="one"):
        list(a_few_at_a_time(call, range(10)))
    assert time.monotonic() - began < SOON
    never.set()


CODE = """
import signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored where tests run
from scrubline.models.at_once import a_few_at_a_time
def call(number):
    print("began", flush=True)
    threading.Event().wait()
list(a_few_at_a_time(call, range(10)))
"""


@pytest.mark.parametrize("number", [signal.SIGINT])
def test_a_signal_ends_the_wait_and_threads_do_not_hold_the_process(number):
    process = subprocess.Popen(
        [sys.executable, "-c", CODE], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout.read(5) == "began"  # of several threads, whose lines may mix
    process.send_signal(number)
    _, err = process.communicate(timeout=SOON)
    assert process.returncode in (1, -number), err
    assert "KeyboardInterrupt" in err


def test_nothing_of_ours_joins_threads_or_reads_tables_by_arrows_pool():
    """Both can wait forever, and a signal does not end the wait."""
    banned = ("ThreadPoolExecutor", "pq.read_table", "parquet.read_table", "pyarrow.dataset")
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for room in ("dictionaries", "models", "transforms", "pipeline")
        for path in sorted((ROOT / room).rglob("*.py"))
        for name in banned
        if name in path.read_text(encoding="utf-8")
    ]
    assert wrong == []
