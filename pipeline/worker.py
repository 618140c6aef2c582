"""A child of the supervisor: takes groups of units from standard input, answers in lines of JSON.

    <- {"job": "...", "log_level": "WARNING", "log_format": "text", "worker": 1}  once
    <- {"units": [3, 4], "isolate": false}
    -> {"at": [3, 0, 256]}                     a batch is being worked on: unit, first row, rows
    -> {"done": [3, 4], "metrics": {...}}
    -> {"error": "RunFailed", "message": "..."}

It ends itself when its input ends, so that nothing goes on writing after the supervisor died.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from typing import Any

from ..models.errors import ScrublineError, error_class
from ..models.job import Job
from .logs import about_run, set_up_logs

_answers = -1
"""File descriptor of the supervisor's pipe. Module-wide, because Beam pickles what it is given."""


def report(unit: int, row: int, rows: int) -> None:
    """Tells the supervisor where the work is."""
    _answer({"at": [unit, row, rows]})


def _answer(value: dict[str, Any]) -> None:
    line = memoryview(json.dumps(value).encode() + b"\n")
    while line:
        line = line[os.write(_answers, line) :]


def main() -> None:
    """Serves until standard input ends."""
    global _answers
    # Whatever a library prints must not mix with the answers.
    _answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    greeting = sys.stdin.buffer.readline()
    if not greeting.endswith(b"\n"):
        return  # the supervisor died first
    hello = json.loads(greeting)
    set_up_logs(hello["log_level"], hello["log_format"], worker=f"worker-{hello['worker']}")
    from .execute import run_direct  # imports Beam, which logs at once

    job = Job.from_json(hello["job"])
    about_run(job.run)
    orders: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    while True:
        order = orders.get()
        try:
            metrics = run_direct(job, order["units"], report=report, isolate=order["isolate"])
            answer = {"done": order["units"], "metrics": metrics}
        except ScrublineError as error:
            answer = {"error": type(error).__name__, "message": str(error)}
        except Exception as error:
            answer = {"error": "RunFailed", "message": error_class(error)}
        _answer(answer)


def _listen(orders: queue.SimpleQueue[dict[str, Any]]) -> None:
    try:
        for line in sys.stdin.buffer:
            orders.put(json.loads(line))
    finally:
        os._exit(0)


if __name__ == "__main__":
    # Under its installed name, so that Beam pickles `report` by reference to the module that holds
    # the pipe.
    from . import worker

    worker.main()
