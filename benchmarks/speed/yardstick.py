"""The yardstick: a plain `re.findall` of words, digits and signs over the same texts.

What a machine does in a second depends on who else works on it; how many times the yardstick a
program takes, in the same process and by turns, depends far less. Standard library alone, for
programs that are not installed beside Scrubline are measured with it too.
"""

from __future__ import annotations

import json
import os
import re
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

WORDS = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
REFERENCE_US = 0.22
"""Microseconds that the yardstick takes a token of ACI-Bench on a quiet machine of ours."""
BUSY = 2.0
"""From this load on figures are no rates: others take caches and memory."""
LEAST_SECONDS = 0.3
"""Of a turn: a shorter one says too little."""


def read_texts(paths: Iterable[str | Path]) -> list[str]:
    """The texts of files of JSON Lines."""
    texts = []
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            texts += [json.loads(line)["text"] for line in lines if line.strip()]
    return texts


def user_seconds() -> float:
    """Of this process, all threads: what the system does for others is not in it."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


def load() -> float:
    """How many processes wanted to run in the last minute; ours is one of them."""
    return os.getloadavg()[0]


def warn_of_load(loads: Sequence[float]) -> None:
    """Says on standard error that the machine was busy."""
    if max(loads) > BUSY:
        print(
            f"the machine was busy: load {min(loads):.1f} to {max(loads):.1f}. Absolute"
            f" figures say nothing, multiples are too high; measure again below {BUSY:g}",
            file=sys.stderr,
        )


class Yardstick:
    """The plain search over some texts.

    Attributes:
        words: that it finds in them.
        turns: user seconds of a pass, one a turn.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self.words = sum(len(WORDS.findall(text)) for text in texts)
        self.turns: list[float] = []

    def turn(self) -> None:
        """Passes over the texts until enough time has gone by."""
        # By the wall clock: user time moves in ticks, and a turn must end.
        passes, ends = 0, time.monotonic() + LEAST_SECONDS
        begun = user_seconds()
        while not passes or time.monotonic() < ends:
            for text in self._texts:
                WORDS.findall(text)
            passes += 1
        self.turns.append((user_seconds() - begun) / passes)

    def by_turns(self, *works: Callable[[], None]) -> list[float]:
        """Runs each work between two turns; gives what it took, in passes of the yardstick."""
        multiples = []
        self.turn()
        for work in works:
            begun = user_seconds()
            work()
            spent = user_seconds() - begun
            self.turn()
            multiples.append(spent / statistics.fmean(self.turns[-2:]))
        return multiples
