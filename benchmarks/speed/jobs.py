"""Whole jobs beside the yardstick: files to files with audit, as users run them."""

from __future__ import annotations

import dataclasses
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..pipeline import Ran, job, write_corpus
from .table import Turn
from .yardstick import Yardstick

MODEL = "en-default"
TIMES = 4
"""So often the notes go through one and two workers: they must have more to do than to start."""


@dataclasses.dataclass
class Jobs:
    """Jobs over some texts.

    Attributes:
        folder: for corpora, key and outputs.
        texts: of the whole job.
    """

    folder: Path
    texts: Sequence[str]

    def prepare(self) -> None:
        """Writes what is read, and runs a job that is not counted: it compiles the bundle."""
        Ran("key", "new", "--output", self.folder / "key.txt")
        write_corpus(self.folder / "one", list(self.texts[:1]))
        self._run("one")

    def _run(self, name: str, *words: str) -> tuple[Ran, dict[str, Any]]:
        return job(self.folder, self.folder / name, "--model", MODEL, *words)

    def start(self, repeats: int) -> list[float]:
        """Processor seconds of a job of one note."""
        return [self._run("one")[0].processor for _ in range(repeats)]

    def whole(self, repeats: int) -> list[Turn]:
        """Microseconds of user time a token, less those of a job of one note."""
        write_corpus(self.folder / "many", list(self.texts))
        yardstick = Yardstick(self.texts)
        yardstick.turn()
        turns = []
        for _ in range(repeats):
            many, manifest = self._run("many")
            spent = many.user - self._run("one")[0].user
            yardstick.turn()
            unit = 1e6 / manifest["counts"]["tokens"]
            turns.append(Turn(spent * unit, statistics.fmean(yardstick.turns[-2:]) * unit))
        return turns

    def workers(self, repeats: int) -> list[float]:
        """How many times faster two workers are than one, by the wall clock, start included."""
        write_corpus(self.folder / "more", list(self.texts) * TIMES)
        gained = []
        for _ in range(repeats):
            one = self._run("more", "--workers", "1")[0].seconds
            gained.append(one / self._run("more", "--workers", "2")[0].seconds)
        return gained


@contextmanager
def jobs_over(texts: Sequence[str]) -> Iterator[Jobs]:
    """Jobs in a folder that is removed behind them."""
    with tempfile.TemporaryDirectory() as folder:
        jobs = Jobs(Path(folder), texts)
        jobs.prepare()
        yield jobs
