"""Work that takes minutes: a child process, one at a time, of which counts alone are told."""

from __future__ import annotations

import abc
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

from ...models.core.errors import ScrublineError, error_class
from .refusals import DeskRefusal

NONE, RUNNING, FINISHED, FAILED = "none", "running", "done", "failed"


class ChildFailed(ScrublineError):
    """A child ended with a code that was not expected."""


class ChildWork(abc.ABC):
    """Work in the background. A subclass says what is done, in `work`."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._state, self._error = NONE, ""
        self._lines: list[str] = []
        self._found: dict[str, Any] = {}
        self._thread: threading.Thread | None = None

    @abc.abstractmethod
    def prepare(self) -> Any:
        """What `work` needs of the desk; called before it, on the thread of the desk."""

    @abc.abstractmethod
    def work(self, prepared: Any) -> dict[str, Any]:
        """Does the work, on a thread of its own; gives what is told of it then."""

    def start(self) -> dict[str, Any]:
        """Starts the work.

        Raises:
            DeskRefusal: if it is under way, or cannot be begun.
        """
        with self._guard:
            if self._state == RUNNING:
                raise DeskRefusal(409, "Running", "it is under way: one at a time")
            prepared = self.prepare()
            self._state, self._error, self._lines, self._found = RUNNING, "", [], {}
            self._thread = threading.Thread(target=self._run, args=(prepared,), daemon=True)
            self._thread.start()
        return {"started": True}

    def state(self) -> dict[str, Any]:
        """How far it is."""
        return {
            "state": self._state,
            "lines": list(self._lines),
            "error": self._error or None,
            **self._found,
        }

    def wait(self, seconds: float) -> None:
        """Waits for the end of the work."""
        if self._thread is not None:
            self._thread.join(seconds)

    def tell(self, line: str) -> None:
        """Adds a line to what is shown; it holds counts and nothing of a note."""
        self._lines.append(line)

    def _run(self, prepared: Any) -> None:
        try:
            self._found = self.work(prepared)
            self._state = FINISHED
        except Exception as error:  # told, and by its class alone
            said = isinstance(error, ChildFailed)
            self._error = str(error) if said else error_class(error)
            self._state = FAILED


def run_child(words: Sequence[str], *, accepted: Sequence[int] = (0,), folder: str) -> bytes:
    """Runs `python -m` with some words; what it says on standard error is not kept.

    Args:
        accepted: exit codes that are no failure.
        folder: in which it works, and keeps its temporary files.

    Returns:
        What it wrote to standard output.

    Raises:
        ChildFailed: with the exit code.
    """
    done = subprocess.run(
        [sys.executable, "-m", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ, "TMPDIR": folder},
        check=False,
    )
    if done.returncode not in accepted:
        raise ChildFailed(f"it ended with exit code {done.returncode}: see docs/operations.md")
    return done.stdout
