"""What a study finds: tables, plots, and the paper's claims beside our results."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from ..evaluation import Score
from .base import Bench

Row = tuple[str | int | float | None, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class PageTable:
    """A table of a page; numbers are shown as they are, so round them first.

    Attributes:
        name: of its CSV file, after the study's; empty for the only one.
        head: names of the columns.
        rows: cells.
    """

    name: str
    head: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Plot:
    """A figure of a page.

    Attributes:
        name: of its SVG file, after the study's; empty for the only one.
        title: for screen readers.
        svg: drawn by `pages.plots`.
    """

    name: str
    title: str
    svg: str


@dataclasses.dataclass(frozen=True, slots=True)
class ClaimCheck:
    """One claim of the paper and the result here.

    Attributes:
        claim: the paper's, with its figures.
        found: our result, with our figures.
        agrees: whether they agree; None if this material cannot decide.
    """

    claim: str
    found: str
    agrees: bool | None


@dataclasses.dataclass(frozen=True, slots=True)
class Findings:
    """The results of a study.

    Attributes:
        how: a description of the experiments, in sentences.
        tables, plots, verdicts: in the order of the page.
    """

    how: str
    tables: tuple[PageTable, ...]
    plots: tuple[Plot, ...]
    verdicts: tuple[ClaimCheck, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Study:
    """A table or figure of a paper.

    Attributes:
        name: key of `STUDIES`.
        title: of the page.
        source: paper, and table or figure.
        run: reproduces it.
    """

    name: str
    title: str
    source: str
    run: Callable[[Bench], Findings]


def ratios(score: Score) -> tuple[float | None, float | None, float | None]:
    """Precision, recall and F1."""
    return score.precision, score.recall, score.f1
