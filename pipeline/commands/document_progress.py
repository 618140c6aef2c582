"""How far a command has come with the documents of a corpus: a bar, and the time that is left."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from ...models.core.display_names import counted
from ..process.logs import say
from .progress_bar import ProgressBar, shown_time

_SECONDS_BETWEEN_LINES = 30.0
"""Where there is no terminal."""


class DocumentProgress:
    """Shows documents as they are done, by number and size alone; use it with `with`."""

    def __init__(self, what: str, sizes: Callable[[], Iterable[int]]) -> None:
        """Shows nothing yet.

        Args:
            what: is done to the documents, for example "annotating".
            sizes: gives the characters of all documents; called on a terminal alone, where a bar
                needs the sum, for it reads the corpus once more.
        """
        self._what, self._sizes = what, sizes
        self._done = self._characters = self._total = 0
        self._began = self._told = time.monotonic()
        self._bar = ProgressBar()

    def __enter__(self) -> DocumentProgress:
        self._bar.__enter__()
        if self._bar.is_shown:
            self._total = sum(self._sizes())
            self._bar.begin(self._what, self._total)
        self._began = self._told = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.__exit__()

    def did(self, documents: int, characters: int) -> None:
        """Shows that a batch is done; after the first one the time that all will take is known."""
        self._done += documents
        self._characters += characters
        now = time.monotonic()
        seconds = max(now - self._began, 1e-3)
        rate = f"{counted(self._done, 'document')}, {self._done / seconds:,.1f}/s"
        if self._bar.is_shown:
            share = self._characters / max(self._total, 1)
            left = (self._total - self._characters) * seconds / max(self._characters, 1)
            self._bar.move(
                self._characters,
                rate=f"{share:4.0%}  {rate}",
                left=f"about {shown_time(max(left, 0))} left",
            )
        elif now - self._told >= _SECONDS_BETWEEN_LINES:
            self._told = now
            say(f"{self._what}: {rate}", "INFO")
