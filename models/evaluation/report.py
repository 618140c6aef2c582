"""The report of an evaluation: every metric, and the options under which it was computed."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Protocol

from .comparison import Comparison
from .intervals import Resampling


class Summary(Protocol):
    """A metric over all documents, ready to be shown."""

    def as_json(self) -> dict[str, object]:
        """What `json.dumps` takes, with a "title"."""
        ...

    def as_lines(self) -> list[str]:
        """Lines of plain text, the title first."""
        ...


class Measured(Protocol):
    """A metric's counts by document."""

    def summary(self, title: str, resampling: Resampling) -> Summary:
        """Sums over documents."""
        ...


class Measure(Protocol):
    """What a file of a metric family gives: a pure function."""

    def __call__(self, comparison: Comparison) -> Measured:
        """Counts by document."""
        ...


@dataclasses.dataclass(frozen=True, slots=True)
class Metric:
    """An entry of the table of metrics.

    Attributes:
        title: for people.
        measure: counts by document.
    """

    title: str
    measure: Measure


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """The result of a comparison.

    Attributes:
        documents, characters, tokens: size of the corpus.
        gold_spans, predicted_spans: after mapping, dropping and counting equal ones once.
        ignored: labels that were left out, sorted.
        resampling: of the intervals.
        metrics: name in `METRICS` -> summary.
    """

    documents: int
    characters: int
    tokens: int
    gold_spans: int
    predicted_spans: int
    ignored: tuple[str, ...]
    resampling: Resampling
    metrics: Mapping[str, Summary]

    def as_json(self) -> dict[str, object]:
        """What `json.dumps` takes: ratios rounded to 1e-6, undefined ones null; no text, no ids."""
        return {
            "documents": self.documents,
            "characters": self.characters,
            "tokens": self.tokens,
            "gold_spans": self.gold_spans,
            "predicted_spans": self.predicted_spans,
            "ignored": list(self.ignored),
            "resamples": self.resampling.resamples,
            "seed": self.resampling.seed,
            "metrics": {name: summary.as_json() for name, summary in self.metrics.items()},
        }

    def as_table(self) -> str:
        """Plain text: the size of the corpus, then a block of lines for each metric."""
        counts = {
            "documents": self.documents,
            "characters": self.characters,
            "tokens": self.tokens,
            "gold spans": self.gold_spans,
            "predicted spans": self.predicted_spans,
        }
        size = ", ".join(f"{count:,} {what}" for what, count in counts.items())
        head = [size + (f"; ignored: {', '.join(self.ignored)}" if self.ignored else "")]
        blocks = [head, *(summary.as_lines() for summary in self.metrics.values())]
        return "\n\n".join("\n".join(block) for block in blocks) + "\n"
