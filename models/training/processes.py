"""Tasks distributed over processes that share their parent's memory.

python-crfsuite holds the GIL while it trains, so threads gain nothing. Children are forked: they
use the corpus and its features without a copy, and only results are sent back. A child prints
nothing and ends when its parent does.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..core.errors import RunFailed, UsageError, error_class

OnIteration = Callable[[int, int, float], None]
"""Called with a task, the number of the iteration that it finished, and the loss."""

Work = Callable[[int, OnIteration], Any]
"""Does a task, given by its number, and returns a value that can be pickled."""

_fork = multiprocessing.get_context("fork")


def run_tasks(
    work: Work, tasks: Sequence[int], *, jobs: int = 1, on_iteration: OnIteration | None = None
) -> Iterator[tuple[int, Any]]:
    """Yields each task with its result as they finish.

    Args:
        work: must depend on the task alone, so the number of processes does not matter.
        tasks: started in this order.
        jobs: processes; with 1 all tasks run in this process.
        on_iteration: called in this process.

    Raises:
        UsageError: from `work`; the other tasks are abandoned.
        RunFailed: if `work` raised another error, or a process died.
    """
    report = on_iteration or (lambda task, iteration, loss: None)
    if jobs <= 1 or len(tasks) <= 1:
        for task in tasks:
            yield task, work(task, report)
        return
    with contextlib.ExitStack() as stack:
        pool = _Pool(work, min(jobs, len(tasks)))
        stack.callback(pool.stop)
        waiting = list(reversed(tasks))
        for pipe in pool.pipes:
            pipe.send(waiting.pop())
        left = len(tasks)
        while left:
            for pipe in pool.ready():
                task, kind, value = _received(pipe)
                if kind == "iteration":
                    report(task, *value)
                elif kind == "usage":
                    raise UsageError(value)
                elif kind == "failed":
                    raise RunFailed(value)
                else:
                    left -= 1
                    if waiting:
                        pipe.send(waiting.pop())
                    yield task, value


class _Pool:
    """Forked children, each connected by a pipe."""

    def __init__(self, work: Work, size: int) -> None:
        self.pipes: list[Any] = []
        self._children: list[Any] = []
        for _ in range(size):
            ours, theirs = _fork.Pipe()
            child = _fork.Process(target=_serve, args=(work, theirs, [*self.pipes, ours]))
            child.daemon = True
            child.start()
            theirs.close()
            self.pipes.append(ours)
            self._children.append(child)

    def ready(self) -> list[Any]:
        """The pipes with a message, or whose child died; waits for at least one."""
        return multiprocessing.connection.wait(self.pipes)

    def stop(self) -> None:
        """Ends all children."""
        for child in self._children:
            child.terminate()
        for child in self._children:
            child.join()
        for pipe in self.pipes:
            pipe.close()


def _received(pipe: Any) -> tuple[int, str, Any]:
    try:
        message: tuple[int, str, Any] = pipe.recv()
        return message
    except (EOFError, OSError):
        raise RunFailed(
            "a training process died, perhaps from lack of memory; try fewer --jobs"
        ) from None


def _serve(work: Work, pipe: Any, others: Sequence[Any]) -> None:
    """The main loop of a child: does one task after another, until its parent closes the pipe."""
    # Ctrl-C reaches the whole process group, but the parent ends its children itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    # With copies of the parent's pipes open here, siblings would not notice the parent's end.
    for other in others:
        other.close()
    null = open(os.devnull, "r+")  # noqa: SIM115 - stays open
    for number in range(3):
        os.dup2(null.fileno(), number)
    sys.stdout = sys.stderr = null

    def report(task: int, iteration: int, loss: float) -> None:
        pipe.send((task, "iteration", (iteration, loss)))

    try:
        while True:
            task = pipe.recv()
            pipe.send((task, "done", work(task, report)))
    except (EOFError, BrokenPipeError):
        pass
    except UsageError as error:
        pipe.send((task, "usage", str(error)))
    except BaseException as error:
        # The message may contain PHI.
        with contextlib.suppress(OSError):
            pipe.send((task, "failed", f"a training process failed: {error_class(error)}"))
    finally:
        # Nothing that the parent opened may be flushed or closed here.
        os._exit(0)
