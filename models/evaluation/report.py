"""The report of an evaluation: every metric, and the options it was computed with."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping
from typing import Protocol

from .comparison import Comparison
from .intervals import Interval, Resampling
from .portions import Shares
from .scores import Scores
from .tables import aligned, shown_interval, shown_ratio

WORST = 20
"""How many of the worst documents are listed."""

_OF_ROSTER, _FIRST = "known_names", "strict"
"""The metrics that a short report shows: what was asked for, and a line for each label."""


class Summary(Protocol):
    """A metric over all documents, ready to be shown."""

    def as_json(self) -> dict[str, object]:
        """JSON values, with a "title"."""
        ...

    def as_lines(self, *, labels: bool = True) -> list[str]:
        """Lines of plain text, the title first; optionally with a line for each label."""
        ...


class Measured(Protocol):
    """A metric's counts by document."""

    def summary(self, title: str, resampling: Resampling) -> Summary:
        """Sums over documents."""
        ...


class Measure(Protocol):
    """The pure function that computes a metric."""

    def __call__(self, comparison: Comparison) -> Measured:
        """Counts by document."""
        ...


def any_labels(labels: Collection[str]) -> str | None:
    """For metrics that take any label set."""
    return None


@dataclasses.dataclass(frozen=True, slots=True)
class Metric:
    """An entry of the table of metrics.

    Attributes:
        title: for people.
        measure: counts by document.
        group: the heading that it is shown under.
        labels: whether the plain text table has a line for each label; JSON and HTML always do.
        lacks: why it cannot be computed for some labels, or None if it can.
        of_roster: whether it is of what a roster knows, and left out silently where there is none.
    """

    title: str
    measure: Measure
    group: str
    labels: bool = False
    lacks: Callable[[Collection[str]], str | None] = any_labels
    of_roster: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class DocumentErrors:
    """The errors in one document.

    Attributes:
        ordinal: its position in the gold corpus as given, from 0.
        gold_spans, missed, spurious: strict spans.
        leaked, leaked_ink: gold characters that are not removed; those not white space.
        destroyed: characters outside gold that are removed.
    """

    ordinal: int
    gold_spans: int
    missed: int
    spurious: int
    leaked: int
    leaked_ink: int
    destroyed: int


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """The result of a comparison.

    Attributes:
        documents, characters, tokens: size of the corpus.
        gold_spans, predicted_spans: after mapping and dropping; equal ones count once.
        ignored: labels that were left out, sorted.
        removed: what counts as removed: "cover" or "predicted spans".
        resampling: of the intervals.
        metrics: name in `METRICS` -> summary.
        measured: name in `METRICS` -> counts by document.
        groups: name in `METRICS` -> heading.
        detailed: names of the metrics whose labels the plain text shows.
        left_out: name in `METRICS` -> why it was not computed.
        errors: of each document, in the order of the ordinals.
        warnings: reasons to distrust the numbers, one line each.
    """

    documents: int
    characters: int
    tokens: int
    gold_spans: int
    predicted_spans: int
    ignored: tuple[str, ...]
    removed: str
    resampling: Resampling
    metrics: Mapping[str, Summary]
    measured: Mapping[str, Measured] = dataclasses.field(repr=False)
    groups: Mapping[str, str]
    detailed: frozenset[str]
    left_out: Mapping[str, str]
    errors: tuple[DocumentErrors, ...] = dataclasses.field(repr=False)
    warnings: tuple[str, ...] = ()

    def as_json(self) -> dict[str, object]:
        """JSON values: ratios rounded to 1e-6, undefined ones null; no text, no ids."""
        return {
            "documents": self.documents,
            "characters": self.characters,
            "tokens": self.tokens,
            "gold_spans": self.gold_spans,
            "predicted_spans": self.predicted_spans,
            "ignored": list(self.ignored),
            "removed": self.removed,
            "resamples": self.resampling.resamples,
            "seed": self.resampling.seed,
            "left_out": dict(self.left_out),
            "warnings": list(self.warnings),
            "metrics": {name: summary.as_json() for name, summary in self.metrics.items()},
            "worst_documents": [dataclasses.asdict(document) for document in self.worst()],
        }

    def as_table(self, *, whole: bool = True) -> str:
        """Plain text: size of the corpus and headline, then a block for each metric, in groups.

        Args:
            whole: whether all metrics are shown, or strict spans by label alone.
        """
        blocks = [[*self._size(), *map("warning: {}".format, self.warnings)], self.headline()]
        if not whole:
            for name in (_OF_ROSTER, _FIRST):
                if (summary := self.metrics.get(name)) is not None:
                    blocks.append(summary.as_lines())
            return "\n\n".join("\n".join(block) for block in blocks) + "\n"
        group = ""
        for name, summary in self.metrics.items():
            lines = summary.as_lines(labels=name in self.detailed)
            if self.groups[name] != group:
                group = self.groups[name]
                lines = [f"== {group} ==", "", *lines]
            blocks.append(lines)
        if self.left_out:
            blocks.append(
                ["Left out:", *(f"  {name}: {why}" for name, why in self.left_out.items())]
            )
        return "\n\n".join("\n".join(block) for block in blocks) + "\n"

    def worst(self) -> list[DocumentErrors]:
        """Documents with errors, most leaked characters first, then missed and spurious spans."""
        wrong = [e for e in self.errors if e.leaked or e.missed or e.spurious or e.destroyed]
        wrong.sort(key=lambda e: (-e.leaked_ink, -e.leaked, -e.missed, -e.spurious, e.ordinal))
        return wrong[:WORST]

    def headline(self) -> list[str]:
        """The scores that matter for a release, one line each."""
        rows = [("Headline", "", "95 %", "")]
        if isinstance(characters := self.metrics.get("character"), Scores):
            recall, left = characters.micro.recall, characters.micro.fn
            ends = characters.intervals.recall
            rows.append(_headline("PHI characters found", recall, ends, f"{left:,} left"))
        if isinstance(documents := self.metrics.get("documents"), Shares):
            leaked = documents.shares["leaked"]
            counts = f"{leaked.count:,} of {leaked.of:,}"
            rows.append(_headline("documents with any leak", leaked.rate, leaked.interval, counts))
        if isinstance(strict := self.metrics.get("strict"), Scores):
            rows.append(_headline("strict F1", strict.micro.f1, strict.intervals.f1, ""))
        return aligned(rows)

    def _size(self) -> list[str]:
        counts = {
            "documents": self.documents,
            "characters": self.characters,
            "tokens": self.tokens,
            "gold spans": self.gold_spans,
            "predicted spans": self.predicted_spans,
        }
        size = ", ".join(f"{count:,} {what}" for what, count in counts.items())
        head = size + (f"; ignored: {', '.join(self.ignored)}" if self.ignored else "")
        return [head, f"removed: {self.removed}"]


def _headline(
    name: str, value: float | None, found: Interval | None, more: str
) -> tuple[str, str, str, str]:
    return f"  {name}", shown_ratio(value), shown_interval(found), more
