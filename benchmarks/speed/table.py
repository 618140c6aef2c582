"""The bars: what each row of the table is, its goal, and how figures become its cells."""

from __future__ import annotations

import dataclasses
import statistics
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .yardstick import REFERENCE_US

HEAD = (
    "row",
    "times the yardstick: median (best)",
    "goal",
    "here",
    f"at a yardstick of {REFERENCE_US:g} us",
    "goal",
)


@dataclasses.dataclass(frozen=True)
class Turn:
    """One measurement beside the yardstick.

    Attributes:
        amount: what was measured, in microseconds of user time a unit.
        yardstick: what the yardstick took for the same unit.
    """

    amount: float
    yardstick: float

    @property
    def multiple(self) -> float:
        """How many times the yardstick."""
        return self.amount / self.yardstick


@dataclasses.dataclass(frozen=True)
class Bar:
    """A row that has a yardstick.

    Attributes:
        key: its name in `--rows`.
        what: is measured; `{tokens}` becomes how many tokens a note has.
        goal: tokens a second at the reference, or milliseconds a note.
        per_note: whether it counts by notes.
    """

    key: str
    what: str
    goal: float | None = None
    per_note: bool = False


def cells(bar: Bar, turns: Sequence[Turn], tokens_a_note: float) -> tuple[str, ...]:
    """The row in words: multiples first, then what was seen here and what that is elsewhere.

    Args:
        bar: the row.
        turns: microseconds a token, or a note.
        tokens_a_note: of the corpus.
    """
    median = statistics.median(turn.multiple for turn in turns)
    best = min(turn.multiple for turn in turns)
    unit_us = REFERENCE_US * (tokens_a_note if bar.per_note else 1)
    written: Callable[[float], str] = _ms if bar.per_note else _rate
    goal_us = None
    if bar.goal is not None:
        goal_us = bar.goal * 1e3 if bar.per_note else 1e6 / bar.goal
    return (
        bar.what.format(tokens=f"{tokens_a_note:.0f}"),
        f"{median:.1f} ({best:.1f})",
        "" if goal_us is None else f"{goal_us / unit_us:.1f}",
        written(statistics.median(turn.amount for turn in turns)),
        written(median * unit_us),
        "" if goal_us is None else written(goal_us),
    )


def unmeasured(what: str, median: float, best: float, unit: str, goal: float) -> tuple[str, ...]:
    """A row that has no yardstick."""
    return (what, "", "", f"{median:.2f} {unit} (best {best:.2f})", "", f"{goal:g} {unit}")


def _rate(microseconds: float) -> str:
    return f"{round(1e6 / microseconds, -3):,.0f} tokens/s"


def _ms(microseconds: float) -> str:
    return f"{microseconds / 1e3:.2f} ms"


def markdown(rows: Iterable[Sequence[str]], head: Sequence[str] = HEAD) -> str:
    """A table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


CRF = ("tokenize", "featurize", "label")
RULES = ("recognise",)
ALL = (*CRF, *RULES)


def turns_of(
    runs: Sequence[dict[str, Any]], steps: Sequence[str], *, temperature: str, per_note: bool
) -> list[Turn]:
    """What some steps took in each process, beside the yardstick before and behind them.

    Args:
        runs: as `detection.measured` gives them.
        steps: that count.
        temperature: "cold" or "warm".
        per_note: whether a unit is a note, in place of a token.
    """
    at = ("cold", "warm").index(temperature)
    turns = []
    for run in runs:
        unit = 1e6 / run["documents" if per_note else "tokens"]
        spent = sum(run["spent"][temperature].get(step, 0.0) for step in steps)
        beside = statistics.fmean(run["yardstick"][at : at + 2])
        turns.append(Turn(spent * unit, beside * unit))
    return turns
