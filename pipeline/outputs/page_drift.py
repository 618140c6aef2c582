"""What `report.html` says of drift: whether the last nights were like the ones before.

A quantile is shown where five texts at least lie at it or beyond; a type of note, if it has five.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...models.core.display_names import counted
from ...models.pages.design import figure, fold, multiples, note, table
from ...models.pages.groups import LEAST, is_small
from ...models.plots.nights import (
    LEAST_NIGHTS,
    MOST_NIGHTS,
    Band,
    Night,
    bands,
    is_outside,
    night_curve,
)
from ...models.risk.nights import LEAST_DISTANCE, NightDrift, drift_of_nights
from .history import RUNS_COUNTED
from .history_rows import OTHER, QUANTILES, SERIES, quantiles
from .page_head import density
from .page_nights import GRAIN, MOST_DRAWN, Nights

_CAPTIONS = dict(
    zip(
        SERIES,
        ("Tokens of a text", "Spans in 1,000 tokens of a text", "Risk of a text, as a rank"),
        strict=True,
    )
)
_WORDS = dict(zip(SERIES, ("tokens", "density of spans", "risk"), strict=True))

_READ = (
    *("published", "fingerprint", "note_type", "label", "documents", "tokens"),
    *("spans", "kept", *(f"{name}_counts" for name in SERIES)),
)
"""Columns of the history."""


@dataclasses.dataclass(slots=True)
class _Texts:
    """The texts of the runs that were published on a day.

    Attributes:
        counts: series -> value -> texts.
        types: type of note -> texts.
        removed, texts_with: label -> spans, texts that have one.
    """

    counts: dict[str, Counter[int]]
    tokens: int = 0
    types: Counter[str] = dataclasses.field(default_factory=Counter)
    removed: Counter[str] = dataclasses.field(default_factory=Counter)
    texts_with: Counter[str] = dataclasses.field(default_factory=Counter)
    fingerprint: str = ""


_Days = Sequence[tuple[datetime.date, _Texts]]


def by_drift(nights: Nights) -> str:
    """How the texts of each night compare with those of the nights before, as HTML."""
    if nights.table is None:
        return note(nights.why)
    days = _days(nights.table)
    shown = [name for name in SERIES if any(texts.counts[name] for _, texts in days)]
    drifts = {
        name: drift_of_nights(
            [texts.counts[name] for _, texts in days],
            least=LEAST_NIGHTS,
            most=MOST_NIGHTS,
            series=len(shown),
        )
        for name in shown
    }
    said = (
        f"The texts of a night are compared with those of the up to {MOST_NIGHTS} nights before. "
        "The line is the median; the bands hold 50 and 90 per cent of the texts. A diamond is a "
        f"night with {LEAST_DISTANCE:.0%} of its texts or more elsewhere than before, and more "
        "than chance would put there. Smaller changes are not told; that nothing drifted does not "
        "say that nothing changed."
    )
    late = slice(-MOST_DRAWN, None)
    figures = [_fan(days[late], drifts[name][late], name) for name in shown]
    lines = [said, _verdict(days, drifts), _new_types(days)]
    return "".join(note(line) for line in lines if line) + multiples(*figures) + _labels(days)


def _days(history: pa.Table) -> _Days:
    """The days of the latest runs, in order."""
    runs = list(dict.fromkeys(history.column("run").to_pylist()))[-RUNS_COUNTED:]
    is_late = pc.is_in(history.column("run"), value_set=pa.array(runs, pa.string()))
    latest = history.filter(is_late).select(_READ)
    found: dict[datetime.date, _Texts] = {}
    for row in latest.to_pylist():
        date = row["published"].date()
        texts = found.setdefault(date, _Texts({name: Counter() for name in SERIES}))
        if row["label"] is not None:
            texts.removed[row["label"]] += row["spans"] - row["kept"]
            texts.texts_with[row["label"]] += row["documents"]
        elif row["note_type"] is not None:
            texts.types[row["note_type"]] += row["documents"]
        else:
            texts.tokens += row["tokens"] or 0
            texts.fingerprint = row["fingerprint"] or ""
            for name in SERIES:
                texts.counts[name].update(dict(row[f"{name}_counts"] or ()))
    return sorted(found.items())


# -- distributions


def _verdict(days: _Days, drifts: Mapping[str, Sequence[NightDrift | None]]) -> str:
    """What is said of the last night."""
    last = {name: found[-1] for name, found in drifts.items()}
    if not any(last.values()):
        return f"The last night is not compared: it has few texts, or under {LEAST_NIGHTS} before."
    drifted = [
        f"{_WORDS[name]} ({found.distance:.0%} of the texts elsewhere)"
        for name, found in last.items()
        if found is not None and found.is_drift
    ]
    compared = ", ".join(_WORDS[name] for name, found in last.items() if found is not None)
    date = days[-1][0].isoformat()
    return (
        f"The last night, {date}, drifted by: " + ", ".join(drifted) + "."
        if drifted
        else (f"The last night, {date}, did not drift by: {compared}.")
    )


def _fan(days: _Days, drifts: Sequence[NightDrift | None], name: str) -> str:
    """The quantiles of a number of texts over the nights."""
    points, outer, inner, last = [], list[Band](), list[Band](), ""
    rows: list[tuple[Any, ...]] = []
    for (date, texts), drift in zip(days, drifts, strict=True):
        least, low, middle, high, most = _shown(texts.counts[name])
        points.append(Night(date, middle, changed=bool(last) and texts.fingerprint != last))
        last = texts.fingerprint
        outer.append(_band(least, most))
        inner.append(_band(low, high))
        each = ("" if one is None else f"{one:,}" for one in (least, low, middle, high, most))
        rows.append(
            (
                date.isoformat(),
                *each,
                "" if drift is None else f"{drift.distance:.2f}",
                "drifted" if drift is not None and drift.is_drift else "",
            )
        )
    odd = [drift is not None and drift.is_drift for drift in drifts]
    when = [date.isoformat() for (date, _), is_odd in zip(days, odd, strict=True) if is_odd]
    desc = f"Median and bands over {counted(len(days), 'night')}; " + (
        f"drifted: {', '.join(when[-10:])}." if when else "none drifted."
    )
    caption = _CAPTIONS[name]
    drawn = night_curve(points, [outer, inner], odd, title=caption, desc=desc)
    head = ("day, UTC", *(f"{share:.0%}" for share in QUANTILES), "distance", "")
    return figure(drawn, caption, table(head, list(reversed(rows)), kind="small"))


def _shown(counts: Counter[int]) -> list[int | None]:
    """The quantiles beyond which, on both sides, are as many texts as a group must have."""
    found, total = quantiles(counts) or [0] * len(QUANTILES), counts.total()
    return [
        value if min(share, 1 - share) * total >= LEAST else None
        for share, value in zip(QUANTILES, found, strict=True)
    ]


def _band(low: int | None, high: int | None) -> Band:
    return None if low is None or high is None else (float(low), float(high))


# -- types and labels


def _new_types(days: _Days) -> str:
    """Types of notes of the last night that no night before had."""
    if not days:
        return ""
    before = {name for _, texts in days[:-1] for name in texts.types}
    new = [
        name
        for name, count in sorted(days[-1][1].types.items())
        if name not in before and name != OTHER and count >= LEAST
    ]
    if not before or not new:
        return ""
    return "Types of notes that no night before had: " + ", ".join(new) + "."


def _labels(days: _Days) -> str:
    """The labels of the last night, each with the band of the nights before."""
    rows, outside = [], []
    for label in sorted({label for _, texts in days for label in texts.removed}):
        points = [_night(date, texts, label) for date, texts in days]
        value, band = points[-1].value, bands(points)[-1]
        is_odd = is_outside(value, band)
        outside += [label] if is_odd else []
        rows.append(
            (
                label,
                "too few" if value is None else f"{value:.2f}",
                "" if band is None else f"{band[0]:.2f} to {band[1]:.2f}",
                "outside" if is_odd else "",
            )
        )
    if not rows:
        return ""
    said = (
        "Labels outside their band on the last night: " + ", ".join(outside) + ". Of many labels, "
        "one is now and then by chance."
        if outside
        else "No label was outside its band on the last night."
    )
    numbers = table(("label", "spans removed in 1,000 tokens", "band", ""), rows)
    return note(said) + fold("labels of the last night", numbers)


def _night(date: datetime.date, texts: _Texts, label: str) -> Night:
    removed = texts.removed[label]
    if not texts.tokens or is_small(removed) or is_small(texts.texts_with[label]):
        return Night(date, None)
    return Night(date, round(density(removed, texts.tokens), 2), 1000 * GRAIN / texts.tokens)
