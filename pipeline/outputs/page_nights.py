"""What `report.html` draws of the history: nights, types of notes, cost, and who found what.

As everywhere on the page, counts are rounded to fives before anything is made of them, and a night
or a type with 1 to 4 of something has no value of its own.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...models.core.display_names import counted
from ...models.pages.design import figure, multiples, note, table
from ...models.pages.groups import LEAST, is_small, merge_small, rounded, told
from ...models.plots.nights import MOST_NIGHTS, Night, bands, is_outside, night_curve
from ...models.plots.stacks import named_bars, shares, stacked_columns
from ...models.storage.storage import Storage
from .history import RUNS_BY_TYPE, read_history, said_of_history
from .history_rows import OTHER
from .page_head import density

MOST_DRAWN = 120
"""The latest nights that are drawn."""

GRAIN = 2 * LEAST
"""By how much values may differ because counts are rounded to fives."""

_MOST_COLUMNS = 30
_MOST_STEPS = 5
_MOST_TYPES = 8
_MOST_LABELS = 12
_MOST_BARS = 20


@dataclasses.dataclass(frozen=True, slots=True)
class Nights:
    """What there is to be drawn.

    Attributes:
        table: the history; None where there is none.
        why: why not.
    """

    table: pa.Table | None
    why: str = ""


NO_NIGHTS = Nights(None, "This output has no history yet: it begins with the next run.")


def read_nights(storage: Storage, output: str, manifest: Mapping[str, Any]) -> Nights:
    """The history that a manifest names."""
    said = said_of_history(manifest)
    if said is None:
        return NO_NIGHTS
    found = read_history(storage, output, said)
    if found.table is None:
        return Nights(None, f"history.parquet {found.problem}: it begins anew with the next run.")
    return Nights(found.table)


# -- nights


@dataclasses.dataclass(slots=True)
class _Day:
    """The runs that were published on a day."""

    runs: int = 0
    documents: int = 0
    tokens: int = 0
    removed: int = 0
    rows: int = 0
    quarantined: int = 0
    step_ms: Counter[str] = dataclasses.field(default_factory=Counter)
    fingerprint: str = ""


def _days(nights: pa.Table, most: int) -> list[tuple[datetime.date, _Day]]:
    """The latest days on which a run was published, in order."""
    whole = pc.and_(nights.column("label").is_null(), nights.column("note_type").is_null())
    found: dict[datetime.date, _Day] = {}
    for row in nights.filter(whole).to_pylist():
        day = found.setdefault(row["published"].date(), _Day())
        day.runs += 1
        day.documents += row["documents"]
        day.tokens += row["tokens"] or 0
        day.removed += row["spans"] - row["kept"]
        day.rows += row["rows"] or 0
        day.quarantined += sum(count for _, count in row["quarantined"] or ())
        day.step_ms.update(dict(row["step_ms"] or ()))
        day.fingerprint = row["fingerprint"] or ""
    return sorted(found.items())[-most:]


def _removed(day: _Day) -> tuple[float | None, float]:
    if is_small(day.documents) or is_small(day.removed) or not day.tokens:
        return None, 0.0
    return round(density(day.removed, day.tokens), 2), 1000 * GRAIN / day.tokens


def _documents(day: _Day) -> tuple[float | None, float]:
    return (None if is_small(day.documents) else float(rounded(day.documents))), GRAIN


def _quarantined(day: _Day) -> tuple[float | None, float]:
    if day.rows < LEAST:
        return None, 0.0
    rows = rounded(day.rows)
    return round(100 * rounded(day.quarantined) / rows, 2), 100 * GRAIN / rows


_Value = Callable[[_Day], tuple[float | None, float]]
"""The value of a day, and how far rounding may move it."""

_CURVES: tuple[tuple[str, _Value, str], ...] = (
    ("Spans removed in 1,000 tokens", _removed, ".1f"),
    ("Texts", _documents, ",.0f"),
    ("Rows in quarantine, per cent", _quarantined, ".2f"),
)


def by_night(nights: Nights) -> str:
    """Curves over the nights, each with the band of the nights before, as HTML."""
    if nights.table is None:
        return note(nights.why)
    days = _days(nights.table, MOST_DRAWN)
    figures = [_curve(days, *curve) for curve in _CURVES]
    said = (
        f"What the runs of a day, in UTC, wrote that night; the last "
        f"{counted(len(days), 'night')}. The band is what the up to {MOST_NIGHTS} nights before "
        "would have a night be: their median, and three robust deviations around it. A diamond is "
        "a night outside its band; a dashed line, a night with other models, rules or policy."
    )
    return note(said) + multiples(*figures)


def _curve(
    days: Sequence[tuple[datetime.date, _Day]], caption: str, value_of: _Value, form: str
) -> str:
    points, last = [], ""
    for date, day in days:
        value, grain = value_of(day)
        points.append(Night(date, value, grain, bool(last) and day.fingerprint != last))
        last = day.fingerprint
    area = bands(points)
    found = list(zip(points, area, strict=True))
    odd = [is_outside(one.value, band) for one, band in found]
    outside = [one.day.isoformat() for one, band in found if is_outside(one.value, band)]
    desc = f"A curve over {counted(len(days), 'night')}; " + (
        f"outside the band: {', '.join(outside[-10:])}." if outside else "none is outside its band."
    )
    rows = [
        (
            one.day.isoformat(),
            "too few" if one.value is None else format(one.value, form),
            "" if band is None else f"{format(band[0], form)} to {format(band[1], form)}",
            "outside" if is_outside(one.value, band) else "",
        )
        for one, band in reversed(found)
    ]
    numbers = table(("day, UTC", "value", "band", ""), rows)
    drawn = night_curve(points, [area], odd, title=caption, desc=desc)
    return figure(drawn, caption, numbers)


# -- types of notes


def _cells(nights: pa.Table) -> list[dict[str, Any]]:
    """Rows of labels of the latest runs."""
    runs = list(dict.fromkeys(nights.column("run").to_pylist()))[-RUNS_BY_TYPE:]
    latest = pc.is_in(nights.column("run"), value_set=pa.array(runs, pa.string()))
    mine = pc.and_(latest, nights.column("label").is_valid())
    found: list[dict[str, Any]] = nights.filter(mine).to_pylist()
    return found


def _tokens_by_type(nights: pa.Table) -> Counter[str]:
    runs = list(dict.fromkeys(nights.column("run").to_pylist()))[-RUNS_BY_TYPE:]
    latest = pc.is_in(nights.column("run"), value_set=pa.array(runs, pa.string()))
    kept = pc.and_(latest, pc.and_(nights.column("label").is_null(), _has_type(nights)))
    tokens: Counter[str] = Counter()
    for row in nights.filter(kept).to_pylist():
        tokens[row["note_type"]] += row["tokens"] or 0
    return tokens


def _has_type(nights: pa.Table) -> Any:
    return nights.column("note_type").is_valid()


def by_type(nights: Nights) -> str:
    """Labels in each type of note, small and on one scale, as HTML; "" where no type is told."""
    if nights.table is None:
        return ""
    tokens = _tokens_by_type(nights.table)
    spans: Counter[tuple[str, str]] = Counter()
    texts: Counter[tuple[str, str]] = Counter()
    for row in _cells(nights.table):
        if row["note_type"] is not None:
            spans[row["note_type"], row["label"]] += row["spans"] - row["kept"]
            texts[row["note_type"], row["label"]] += row["documents"]
    shown = merge_small({key: (spans[key], texts[key]) for key in sorted(spans)}).shown
    labels = _frequent({key: found[0] for key, found in shown.items()}, 1)[:_MOST_LABELS]
    types = [name for name in _frequent({k: f[0] for k, f in shown.items()}, 0) if tokens[name]]
    types = sorted(types, key=lambda name: name == OTHER)[:_MOST_TYPES]
    if types == [OTHER]:
        return ""
    values = {
        name: [
            (label, 1000 * shown[name, label][0] / tokens[name])
            for label in labels
            if (name, label) in shown
        ]
        for name in types
    }
    most = max((value for rows in values.values() for _, value in rows), default=0.0)
    figures = [
        figure(
            named_bars(
                rows,
                most=most,
                title=f"Spans removed in 1,000 tokens of notes of type {name}",
                desc="A bar a label: " + _listed(rows),
            ),
            name,
            table(("label", "in 1,000 tokens"), [(label, f"{v:.2f}") for label, v in rows]),
        )
        for name, rows in values.items()
        if rows
    ]
    if not figures:
        return ""
    latest = counted(_runs(nights.table), "run")
    return note(
        f"Spans removed in 1,000 tokens, by label, in the last {latest}; all on one scale. "
        "Labels with 1 to 4 spans or texts in a type are left out."
    ) + multiples(*figures)


def _runs(nights: pa.Table) -> int:
    return min(RUNS_BY_TYPE, len(pc.unique(nights.column("run"))))


def _frequent(counts: Mapping[tuple[str, str], int], at: int) -> list[str]:
    """The names at a place of the keys, with the frequent ones first."""
    totals: Counter[str] = Counter()
    for key, count in counts.items():
        totals[key[at]] += count
    return sorted(totals, key=lambda name: (-totals[name], name))


def _listed(rows: Iterable[tuple[str, float]]) -> str:
    return ", ".join(f"{name} {value:.1f}" for name, value in rows) + "."


# -- cost


def cost_by_night(nights: Nights) -> str:
    """Columns of seconds by step, as HTML; "" where there is nothing to compare."""
    if nights.table is None:
        return ""
    days = _days(nights.table, _MOST_COLUMNS)
    totals: Counter[str] = Counter()
    for _, day in days:
        totals.update(day.step_ms)
    steps = sorted(totals, key=lambda name: (-totals[name], name))
    order = steps[:_MOST_STEPS] + (["all other steps"] if steps[_MOST_STEPS:] else [])
    if not totals.total():
        return ""

    def parts(day: _Day) -> dict[str, float]:
        named = {name: day.step_ms[name] / 1000 for name in steps[:_MOST_STEPS]}
        return named | {"all other steps": sum(day.step_ms.values()) / 1000 - sum(named.values())}

    columns = [(date.isoformat(), parts(day)) for date, day in days]
    rows = [
        (date, *(f"{max(values[name], 0.0):,.1f}" for name in order))
        for date, values in reversed(columns)
    ]
    desc = (
        f"A column a night, {len(columns)} of them, cut into steps; most of the time went into "
        f"{order[0]}."
    )
    caption = f"Seconds of all workers by step, the last {counted(len(columns), 'night')}"
    drawn = stacked_columns(columns, order, title=caption, desc=desc)
    return figure(drawn, caption, table(("day, UTC", *order), rows, kind="small"))


# -- who found it

_FOUND_BY = ("rules alone", "models alone", "both", "neither")


def by_detectors(nights: Nights) -> str:
    """Shares of spans by who found them, by label, as HTML."""
    if nights.table is None:
        return note(nights.why)
    sums: dict[str, list[int]] = {}
    for row in _cells(nights.table):
        found = (row["by_rules"], row["by_taggers"], row["by_both"])
        total = sums.setdefault(row["label"], [0, 0, 0, 0, 0])
        for at, count in enumerate((*found, row["spans"] - sum(found), row["spans"])):
            total[at] += count
    order = sorted(sums, key=lambda label: (-sums[label][4], label))
    # A label is left out where so few were found; of the others, each part is rounded by itself.
    shown = [label for label in order if sums[label][4] >= LEAST]
    rows = [(label, [rounded(count) for count in sums[label][:4]]) for label in shown]
    if not rows:
        return note("No span was found.")
    used = [at for at in range(4) if any(values[at] for _, values in rows)]
    order_used = [_FOUND_BY[at] for at in used]
    drawn_rows = [(label, [values[at] for at in used]) for label, values in rows[:_MOST_BARS]]
    caption = f"Who found the spans of a label, in the last {counted(_runs(nights.table), 'run')}"
    drawn = shares(
        drawn_rows,
        order_used,
        title=caption,
        desc="A bar a label, cut into shares of " + ", ".join(order_used) + ".",
    )
    numbers = table(
        ("label", *order_used),
        [(label, *(told(sums[label][at]) for at in used)) for label, _ in rows],
    )
    neither = (
        " Neither is what lists of the policy, rosters, rules of your own or other notes found."
        if any(values[3] for _, values in rows)
        else ""
    )
    return note(
        "This is no estimate of what is left: what rules and models both miss is the same text "
        "more often than chance would have it, so that few spans found by one of them alone do not "
        "mean that few are left." + neither
    ) + figure(drawn, caption, numbers)
