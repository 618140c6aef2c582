"""Tasks spread over processes that share what their parent has in memory.

python-crfsuite holds Python's lock while it trains, so threads gain nothing. Children are forked:
they see the corpus and its features without a copy, and only results come back. A child says
nothing on the terminal and ends when its parent is gone.
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

from ..errors import RunFailed, UsageError, error_class

Told = Callable[[int, int, float], None]
"""Called with a task, the iteration that it has finished, and the loss."""

Work = Callable[[int, Told], Any]
"""Does a task, given by its number, and returns what can be pickled."""

_fork = multiprocessing.get_context("fork")


def run_tasks(
    work: Work, tasks: Sequence[int], *, jobs: int = 1, told: Told | None = None
) -> Iterator[tuple[int, Any]]:
    """Yields each task with its result, as they finish.

    Args:
        work: must depend on the task alone, so that the number of processes changes nothing.
        tasks: begun in this order.
        jobs: processes; with 1 everything happens in this one.
        told: is told of iterations, here in the parent.

    Raises:
        UsageError: as `work`; the other tasks are given up.
        RunFailed: if `work` raised another error, or a process died.
    """
    tell = told or (lambda task, iteration, loss: None)
    if jobs <= 1 or len(tasks) <= 1:
        for task in tasks:
            yield task, work(task, tell)
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
                if kind == "told":
                    tell(task, *value)
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
    """Forked children, each at the other end of a pipe."""

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
        """The pipes that have something to say, or whose child died; waits for one."""
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
            "a training process died, perhaps for want of memory: try fewer --jobs"
        ) from None


def _serve(work: Work, pipe: Any, others: Sequence[Any]) -> None:
    """What a child does: a task after another, until its parent closes the pipe."""
    # Ctrl-C reaches the whole group; the parent ends its children itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    # Pipes of the parent that were copied here would keep a sister from seeing that it is gone.
    for other in others:
        other.close()
    silence = open(os.devnull, "r+")  # noqa: SIM115 - open to the end
    for number in range(3):
        os.dup2(silence.fileno(), number)
    sys.stdout = sys.stderr = silence

    def tell(task: int, iteration: int, loss: float) -> None:
        pipe.send((task, "told", (iteration, loss)))

    try:
        while True:
            task = pipe.recv()
            pipe.send((task, "done", work(task, tell)))
    except (EOFError, BrokenPipeError):
        pass
    except UsageError as error:
        pipe.send((task, "usage", str(error)))
    except BaseException as error:
        # A foreign message may hold PHI.
        with contextlib.suppress(OSError):
            pipe.send((task, "failed", f"a training process failed: {error_class(error)}"))
    finally:
        # Nothing that the parent opened is flushed or closed twice.
        os._exit(0)
