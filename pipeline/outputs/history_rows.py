"""The rows that a run has in `history.parquet`: numbers by type of note and by label.

A run has a row of its own, a row a type of note, and a row a label of these:

    note_type  label   the row is of
    null       null    the run
    t          null    its notes of type t, where the policy tells types
    t          l       label l in these
    null       l       label l in all notes: where no types are told, and of runs that are older
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from ...models.redaction.phrases import fold, matches_pattern
from .night_counts import (
    BOTH,
    FRAGMENTS,
    KEPT,
    RULES,
    SPANS,
    TAGGERS,
    NightCounts,
    TypeCounts,
    sum_of,
)

LEAST_DOCUMENTS = 20
"""A type of note with fewer is `OTHER`, unless the policy names it."""

MOST_TYPES = 12
"""Types of a run that have rows of their own; further ones are `OTHER`."""

MOST_TYPE_CHARACTERS = 80
"""A longer one is a text, and not the name of a type: it is `OTHER`."""

OTHER = "other"

SERIES = ("token", "density", "risk")
"""What is told of single documents, as `token_quantiles` and `token_counts` and so on."""

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
"""Of documents: the least value that so large a share does not exceed."""


def _field(name: str, kind: pa.DataType, doc: str, *, nullable: bool = True) -> pa.Field:
    return pa.field(name, kind, nullable=nullable, metadata={"description": doc})


_COUNT_MAP = pa.map_(pa.string(), pa.int64())
_LIST = pa.list_(pa.int64())
_NUMBERS = pa.map_(pa.int64(), pa.int64())
SCHEMA = pa.schema(
    [
        _field("run", pa.string(), "id of the run", nullable=False),
        _field("published", pa.timestamp("ms", "UTC"), "when it was", nullable=False),
        _field("note_type", pa.string(), "type of note; null for all, `other` for small ones"),
        _field("label", pa.string(), "PHI category; null for all"),
        _field("documents", pa.int64(), "texts scrubbed; with a span of the label", nullable=False),
        _field("tokens", pa.int64(), "of these texts; null in rows of a label"),
        _field("spans", pa.int64(), "found, fragments left out", nullable=False),
        _field("kept", pa.int64(), "spans that the policy lets stand", nullable=False),
        _field("fragments", pa.int64(), "rests of overlapped spans", nullable=False),
        _field("by_rules", pa.int64(), "spans found by rules and no tagger", nullable=False),
        _field("by_taggers", pa.int64(), "spans found by taggers and no rule", nullable=False),
        _field("by_both", pa.int64(), "spans found by both", nullable=False),
        _field("rows", pa.int64(), "rows that the run read; in its own row"),
        _field("quarantined", _COUNT_MAP, "rows by `step: error class`; in the run's own row"),
        _field("seconds", pa.float64(), "from the first unit to the gates; in the run's own row"),
        _field("step_ms", _COUNT_MAP, "milliseconds of all workers by step; in the run's own row"),
        _field("code_version", pa.string(), "of the code; in the run's own row"),
        _field("fingerprint", pa.string(), "of models, rules and policy; in the run's own row"),
        _field("token_quantiles", _LIST, "5, 25, 50, 75, 95 % of tokens a document"),
        _field("density_quantiles", _LIST, "the same of spans in 1,000 of its tokens"),
        _field("risk_quantiles", _LIST, "the same of its `risk`; null where documents have none"),
        _field("token_counts", _NUMBERS, "documents by tokens; in its own row, of late runs"),
        _field("density_counts", _NUMBERS, "the same by spans in 1,000 tokens"),
        _field("risk_counts", _NUMBERS, "the same by `risk`"),
    ],
    metadata={"scrubline.history": "1"},
)
_DEFAULTS = dict.fromkeys(SCHEMA.names)


def night_rows(manifest: Mapping[str, Any], counts: NightCounts) -> list[dict[str, Any]]:
    """The rows of the last run, in order.

    Raises:
        KeyError, TypeError, ValueError, AttributeError: if the manifest is of another form.
    """
    report = manifest["report"]
    run = {
        "run": manifest["run"],
        "published": datetime.datetime.fromisoformat(report["published"]),
    }
    types = named_types(counts, manifest["policy"].get("note_types") or ())
    metrics = report.get("metrics") or {}
    whole = sum_of(list(counts.types.values()))
    rows = [
        {
            **_row(run, None, None, whole),
            **{f"{name}_counts": sorted(of.items()) or None for name, of in _series(whole)},
            "rows": report["counts"]["rows_in"],
            "quarantined": sorted(counts.quarantined.items()),
            "seconds": float(report["seconds"]),
            "step_ms": [
                (step, values["batch_ms_sum"])
                for step, values in sorted(metrics.items())
                if "batch_ms_sum" in values
            ],
            "code_version": manifest["code_version"],
            "fingerprint": manifest["fingerprint"],
        }
    ]
    for name, found in types.items():
        if name is not None:
            rows.append(_row(run, name, None, found))
        rows += (_row(run, name, label, found) for label in sorted(found.labels))
    return rows


def named_types(
    counts: NightCounts, patterns: Mapping[str, Any] | tuple[str, ...]
) -> dict[str | None, TypeCounts]:
    """The types that have rows, `OTHER` last; None alone where the policy tells none.

    Args:
        patterns: names and patterns of the policy's [note_types].
    """
    if not any(name is not None for name in counts.types):
        return {None: sum_of(list(counts.types.values()))}
    found = {
        name: counts.types[name]
        for name in sorted(
            counts.types, key=lambda n: (-counts.types[n].documents, n is None, n or "")
        )
    }

    def is_named(name: str) -> bool:
        folded = fold(name)
        return folded in patterns or any(
            "*" in pattern and matches_pattern(pattern, folded) for pattern in patterns
        )

    kept = [
        name
        for name, of_type in found.items()
        if name is not None
        and name != OTHER
        and len(name) <= MOST_TYPE_CHARACTERS
        and (of_type.documents >= LEAST_DOCUMENTS or is_named(name))
    ][:MOST_TYPES]
    shown: dict[str | None, TypeCounts] = {name: found[name] for name in sorted(kept)}
    if rest := [of_type for name, of_type in found.items() if name not in shown]:
        shown[OTHER] = sum_of(rest)
    return shown


def _row(
    run: Mapping[str, Any], name: str | None, label: str | None, found: TypeCounts
) -> dict[str, Any]:
    each = (found.total if label is None else found.labels[label]).tolist()
    row: dict[str, Any] = {
        **_DEFAULTS,
        **run,
        "note_type": name,
        "label": label,
        "documents": found.documents if label is None else found.texts_with[label],
        "spans": each[SPANS],
        "kept": each[KEPT],
        "fragments": each[FRAGMENTS],
        "by_rules": each[RULES],
        "by_taggers": each[TAGGERS],
        "by_both": each[BOTH],
    }
    if label is None:
        row["tokens"] = found.tokens
        row |= {f"{name}_quantiles": quantiles(of) for name, of in _series(found)}
    return row


def _series(found: TypeCounts) -> Iterable[tuple[str, Counter[int]]]:
    return zip(SERIES, (found.lengths, found.densities, found.risks), strict=True)


def quantiles(counts: Counter[int]) -> list[int] | None:
    """The `QUANTILES` of values that occur so often; None of nothing."""
    total, wanted, found, seen = counts.total(), list(QUANTILES), [], 0
    for value in sorted(counts):
        seen += counts[value]
        while wanted and seen >= wanted[0] * total:
            found.append(value)
            wanted.pop(0)
    return found if total else None
