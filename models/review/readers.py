"""How far readers of the same texts agree.

F1 of one reader against another is the same both ways, and needs no number of true negatives, which
spans do not have (Hripcsak and Rothschild 2005, "Agreement, the F-measure, and reliability in
information retrieval"). Kappa of tokens stands beside it (Cohen 1960); where three or more have
read, Krippendorff's alpha of tokens for nominal data (Krippendorff 2004, "Content Analysis",
ch. 11). Intervals resample whole texts.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ..core.arrays import Ints
from ..evaluation.intervals import Resampling
from ..evaluation.scores import DocumentCounts
from ..risk.rows import MarkedSpan

_NOTHING = ""
"""The tag of tokens that nothing marks."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class TextOfReaders:
    """A text that two people or more have read to the end.

    Attributes:
        tokens: start and end of each.
        marks: reader -> what was marked.
    """

    tokens: Sequence[tuple[int, int]]
    marks: Mapping[str, Sequence[MarkedSpan]]


@dataclasses.dataclass(frozen=True, slots=True)
class AgreedShare:
    """An F1 with its 95 % interval; None where nothing was marked by anybody."""

    f1: float | None
    low: float | None = None
    high: float | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class PairOfReaders:
    """Two readers, the texts that both have read, and the strict F1 of one against the other."""

    readers: tuple[str, str]
    documents: int
    f1: float | None


@dataclasses.dataclass(frozen=True, slots=True)
class ReaderAgreement:
    """How far readers agree; counts of all pairs of them are added up.

    Attributes:
        read_twice: texts.
        strict: same place and label.
        blind: same place.
        kappa: of tokens, weighted by the tokens that pairs have in common; None if undefined.
        alpha: of tokens, of texts of three readers or more; None if there are none.
        by_label: label -> strict F1, and how many spans of it all readers marked.
        pairs: by name.
    """

    read_twice: int
    strict: AgreedShare
    blind: AgreedShare
    kappa: float | None
    alpha: float | None
    by_label: Mapping[str, tuple[float | None, int]]
    pairs: tuple[PairOfReaders, ...]


def agreement_of(texts: Sequence[TextOfReaders], resamples: int = 1000) -> ReaderAgreement:
    """How far the readers of some texts agree.

    Args:
        texts: each with two readers or more.
        resamples: for the intervals.
    """
    labels = sorted({s.label for text in texts for marks in text.marks.values() for s in marks})
    strict = _counts(texts, labels)
    resampling = Resampling(resamples)
    scores = strict.summary("", resampling)
    spans = Counter(s.label for text in texts for marks in text.marks.values() for s in marks)
    thrice = [text for text in texts if len(text.marks) > 2]
    return ReaderAgreement(
        read_twice=len(texts),
        strict=_share(strict, resampling),
        blind=_share(_counts(texts, None), resampling),
        kappa=_kappa(texts),
        alpha=krippendorff_alpha(itertools.chain.from_iterable(map(_tagged, thrice))),
        by_label={name: (scores.by_label[name].f1, spans[name]) for name in labels},
        pairs=tuple(_pairs(texts)),
    )


def _share(counts: DocumentCounts, resampling: Resampling) -> AgreedShare:
    scores = counts.summary("", resampling)
    found = scores.intervals.f1 if len(counts.tp) else None
    if found is None:
        return AgreedShare(scores.micro.f1)
    return AgreedShare(scores.micro.f1, found.low, found.high)


def _counts(texts: Sequence[TextOfReaders], labels: Sequence[str] | None) -> DocumentCounts:
    """Counts of each text, over all pairs of its readers; None for spans whatever their label."""
    number = {name: at for at, name in enumerate(labels or ())}
    tables = np.zeros((3, len(texts), 1 if labels is None else len(labels)), np.int64)
    for at, text in enumerate(texts):
        for one, other in itertools.combinations(sorted(text.marks), 2):
            # A place and the column that it counts in; places of other labels are other ones.
            a, b = (
                {(s.start, s.end, 0 if labels is None else number[s.label]) for s in marks}
                for marks in (text.marks[one], text.marks[other])
            )
            for table, places in zip(tables, (a & b, b - a, a - b), strict=True):
                for place in places:
                    table[at, place[2]] += 1
    tp, fp, fn = tables
    return DocumentCounts(tp, fp, fn, None if labels is None else tuple(labels))


def _pairs(texts: Sequence[TextOfReaders]) -> Iterable[PairOfReaders]:
    readers = sorted({reader for text in texts for reader in text.marks})
    labels = sorted({s.label for text in texts for marks in text.marks.values() for s in marks})
    for pair in itertools.combinations(readers, 2):
        both = [
            TextOfReaders(text.tokens, {reader: text.marks[reader] for reader in pair})
            for text in texts
            if set(pair) <= text.marks.keys()
        ]
        if both:
            totals = _counts(both, labels).totals().sum(axis=0).tolist()
            tp, wrong = totals[0], totals[1] + totals[2]
            f1 = 2 * tp / (2 * tp + wrong) if tp + wrong else None
            yield PairOfReaders((pair[0], pair[1]), len(both), f1)


def _tags(text: TextOfReaders, reader: str) -> list[str]:
    """The label of each token; of a token in several marks, that of the first."""
    marks = sorted(text.marks[reader], key=lambda span: (span.start, span.end))
    tags, first = [], 0
    for start, end in text.tokens:
        while first < len(marks) and marks[first].end <= start:
            first += 1
        found = _NOTHING
        for span in marks[first:]:
            if span.start >= end:
                break
            if span.end > start:
                found = span.label
                break
        tags.append(found)
    return tags


def _tagged(text: TextOfReaders) -> Iterable[tuple[str, ...]]:
    """The tags that the readers give to each token."""
    return zip(*(_tags(text, reader) for reader in sorted(text.marks)), strict=True)


def _kappa(texts: Sequence[TextOfReaders]) -> float | None:
    """Cohen's kappa of tokens, mean over pairs of readers, weighted by their tokens."""
    tables: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    for text in texts:
        tags = {reader: _tags(text, reader) for reader in text.marks}
        for one, other in itertools.combinations(sorted(tags), 2):
            table = tables.setdefault((one, other), Counter())
            table.update(zip(tags[one], tags[other], strict=True))
    total = weighted = 0.0
    for table in tables.values():
        tokens = table.total()
        if (kappa := cohen_kappa(table)) is not None:
            total += tokens
            weighted += tokens * kappa
    return weighted / total if total else None


def cohen_kappa(table: Mapping[tuple[str, str], int]) -> float | None:
    """Kappa of a table of two readers' tags; None where both gave one tag alone, or there are none.

    Args:
        table: (tag of one, tag of the other) -> tokens.
    """
    tokens = sum(table.values())
    if not tokens:
        return None
    rows: Counter[str] = Counter()
    columns: Counter[str] = Counter()
    for (one, other), count in table.items():
        rows[one] += count
        columns[other] += count
    seen = sum(count for (one, other), count in table.items() if one == other) / tokens
    expected = sum(rows[tag] * columns[tag] for tag in rows) / tokens**2
    return (seen - expected) / (1 - expected) if expected < 1 else None


def krippendorff_alpha(units: Iterable[tuple[str, ...]]) -> float | None:
    """Alpha of nominal data; None where there is nothing, or all values are one.

    Args:
        units: the values that the readers of a unit gave; units of one reader do not count.
    """
    coincidences: defaultdict[tuple[str, str], float] = defaultdict(float)
    for values, times in Counter(units).items():
        for one, other in itertools.permutations(range(len(values)), 2):
            coincidences[values[one], values[other]] += times / (len(values) - 1)
    totals: defaultdict[str, float] = defaultdict(float)
    for (value, _), weight in coincidences.items():
        totals[value] += weight
    of_all = sum(totals.values())
    expected = of_all**2 - sum(weight**2 for weight in totals.values())
    if len(totals) < 2:
        return None
    differing = sum(weight for (a, b), weight in coincidences.items() if a != b)
    return 1 - (of_all - 1) * differing / expected


def seconds_a_text(seconds: Ints | Sequence[float]) -> float | None:
    """The median of reading times, which pauses do not move; None if there are none."""
    return float(np.median(seconds)) if len(seconds) else None
