"""A child of the supervisor: takes groups of units from standard input, answers in lines of JSON.

    <- {"job": "...", "log_level": "WARNING", "log_format": "text", "worker": 1}  once
    <- {"units": [3, 4], "pace": 0}            how large batches are: `models.core.shortage.Pace`
    -> {"at": [3, 0, 256]}                     a batch is being worked on: unit, first row, rows
    -> {"done": [3, 4], "metrics": {...}}
    -> {"error": "RunFailed", "message": "..."}

It ends itself when its input ends, so that nothing goes on writing after the supervisor died; and
with `SHORT` where it cannot even say that the machine falls short.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
from typing import Any

from ...models.core.errors import ScrublineError, Shortage, error_class
from ...models.core.shortage import Pace, shortage_of
from ...models.jobs.job import Job
from ..process.core_dumps import forbid_dumps
from ..process.lean_beam import import_beam
from ..process.logs import about_run, set_up_logs
from .reports import PipeReport, write_line

SHORT = 75
"""Exit code of a worker for lack of memory and the like: EX_TEMPFAIL of sysexits.h."""


def main() -> None:
    """Serves until standard input ends."""
    try:
        _serve()
    except BaseException as error:
        # Before there is work, or in between: memory for the answer may be what is lacking.
        if shortage_of(error):
            os._exit(SHORT)
        raise


def _serve() -> None:
    # Where memory runs out, the kernel is to kill a worker, which is replaced, not the launcher.
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as stream:
        stream.write("500")
    # Only now: files of a process that cannot be read belong to root. The launcher has warned
    # where the mark is switched off.
    forbid_dumps()
    # Whatever a library prints must not mix with the answers.
    answers = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    greeting = sys.stdin.buffer.readline()
    if not greeting.endswith(b"\n"):
        return  # the supervisor died first
    hello = json.loads(greeting)
    set_up_logs(hello["log_level"], hello["log_format"], worker=f"worker-{hello['worker']}")
    import_beam()  # which logs at once
    from .beam import run_direct

    job = Job.from_json(hello["job"])
    about_run(job.run)
    report = PipeReport(answers)
    orders: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(orders,), daemon=True).start()
    while True:
        order = orders.get()
        try:
            metrics = run_direct(job, order["units"], report=report, pace=Pace(order["pace"]))
            answer = {"done": order["units"], "metrics": metrics}
        except ScrublineError as error:
            answer = {"error": type(error).__name__, "message": str(error)}
        except Exception as error:
            answer = {"error": "RunFailed", "message": error_class(error)}
            if (lack := shortage_of(error)) is not None:
                answer = {"error": Shortage.__name__, "message": str(lack)}
        write_line(answers, answer)


def _listen(orders: queue.SimpleQueue[dict[str, Any]]) -> None:
    code = 0
    try:
        for line in sys.stdin.buffer:
            orders.put(json.loads(line))
    except BaseException as error:
        code = SHORT if shortage_of(error) else 1
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
