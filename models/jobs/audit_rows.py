"""Batch -> the rows of the audit, and what the content digest takes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..core.arrays import Ints
from ..core.batches import Batch, StandInColumns
from ..core.digests import Digest, cell
from ..core.spans import BELIEVED, Spans
from ..roster.people import whose
from . import audit

_PLACE = ("doc_key", "patient_key", "field")
_OFFSETS = ("start", "end", "out_start", "out_end")
_WHAT = ("label", "hipaa", "detectors", "source", "source_hash")
_HOW = ("action", "reason", "fragment", "entity_id")
_ADDED = audit.ADDED_TO_AUDIT


def build_audit_rows(
    batch: Batch, run: str, hashes: Mapping[str, str], hipaa: Mapping[str, str]
) -> tuple[pa.Table, Counter[str], Digest]:
    """One row per span, the entities by label, and the digest of the rows.

    What many spans have in common is made once and then repeated.

    Args:
        hashes: hash of every detector that looked, by name.
        hipaa: label -> letter of its item in 45 CFR 164.514(b)(2)(i).
    """
    assert batch.spans is not None and batch.scrubbed is not None, (
        "Merge and Scrub come before Write"
    )
    spans = batch.spans
    out = np.array([batch.scrubbed.out_starts, batch.scrubbed.out_ends], np.int64)
    told = _told(batch.scrubbed.stand_ins, len(spans))
    if batch.failures:
        kept = np.flatnonzero(~np.isin(batch.documents.rows[spans.documents], list(batch.failures)))
        spans, out = spans.take(kept), out[:, kept]
        told = [told[at] for at in kept.tolist()]
    places = [
        {
            "doc_key": batch.rows.doc_keys[row],
            "patient_key": batch.rows.patient_keys[row],
            "field": field,
        }
        for row, field in zip(batch.documents.rows.tolist(), batch.documents.fields, strict=True)
    ]
    kinds, kind_of = _kinds(spans, told, hashes, hipaa)
    offsets = np.stack((spans.starts, spans.ends, *out))
    digest = Digest()
    # Span by span, a digest of seventeen fields would be most of what a pipeline costs.
    digest.add_cells(
        zip(
            _repeated(_cells(places, _PLACE), spans.documents),
            *_number_cells(offsets),
            _repeated(_cells(kinds, _WHAT), kind_of),
            *_number_cells(spans.scores[None]),
            _repeated(_cells(kinds, _HOW), kind_of),
            _repeated(_added_cells(kinds), kind_of),
            strict=True,
        )
    )
    labels: Counter[str] = Counter()
    for kind, count in zip(kinds, np.bincount(kind_of, minlength=len(kinds)).tolist(), strict=True):
        if is_entity(kind["fragment"], kind["reason"]):
            labels[kind["label"]] += count
    columns = {
        "run": pa.repeat(run, len(spans)),
        **_columns(places, _PLACE, spans.documents),
        **{name: pa.array(column) for name, column in zip(_OFFSETS, offsets, strict=True)},
        **_columns(kinds, (*_WHAT, *_HOW, *_ADDED), kind_of),
        "score": pa.array(spans.scores),
    }
    table = pa.Table.from_arrays([columns[name] for name in audit.AUDIT.names], schema=audit.AUDIT)
    return table, labels, digest


_Told = tuple[str | None, int | None, str | None]
"""entity_id, attempt, precision."""


def _told(columns: StandInColumns | None, spans: int) -> list[_Told]:
    if columns is None:
        return [(None, None, None)] * spans
    return list(zip(columns.entities, columns.attempts, columns.precisions, strict=True))


def _kinds(
    spans: Spans, told: Sequence[_Told], hashes: Mapping[str, str], hipaa: Mapping[str, str]
) -> tuple[list[dict[str, Any]], Ints]:
    """What spans have in common apart from their places, each once; and which one each has."""
    numbers: dict[tuple[Any, ...], int] = {}
    of_spans = zip(
        spans.labels,
        spans.detectors,
        spans.sources,
        spans.actions,
        spans.reasons,
        spans.fragments.tolist(),
        told,
        strict=True,
    )
    kind_of = np.array([numbers.setdefault(kind, len(numbers)) for kind in of_spans], np.int64)
    kinds = [
        {
            "label": label,
            "hipaa": hipaa.get(label),
            "detectors": detectors,
            "source": source,
            "source_hash": hashes[source],
            "action": action,
            "reason": reason,
            "fragment": fragment,
            "entity_id": entity,
            "attempt": attempt,
            "precision": precision,
            "roster": whose(detectors),
        }
        for label, detectors, source, action, reason, fragment, (
            entity,
            attempt,
            precision,
        ) in numbers
    ]
    return kinds, kind_of


def _cells(rows: Sequence[Mapping[str, Any]], names: Sequence[str]) -> list[bytes]:
    """What the content digest takes of neighbouring columns of the audit; see `audit_fields`."""
    return [b"".join(cell(_audit_field(row, name)) for name in names) for row in rows]


def _added_cells(rows: Sequence[Mapping[str, Any]]) -> list[bytes]:
    """The same of the columns that were added later; nothing of a row in which all are null."""
    return [b"".join(map(cell, _added_fields(row))) for row in rows]


def _added_fields(row: Mapping[str, Any]) -> list[str | int | float | None]:
    fields = [row.get(name) for name in _ADDED]
    return [] if all(field is None for field in fields) else fields


def _number_cells(columns: npt.NDArray[Any]) -> list[list[bytes]]:
    """The same of each row of an array of numbers; each number is encoded once."""
    # By their bits: 0.0 and -0.0 are equal, and two cells.
    bits, at = np.unique(columns.view(np.int64), return_inverse=True)
    cells = list(map(cell, bits.view(columns.dtype).tolist()))
    return [_repeated(cells, some) for some in at.reshape(columns.shape)]


def _repeated(values: Sequence[bytes], at: Ints) -> list[bytes]:
    return [values[i] for i in at.tolist()]


def _columns(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], at: Ints
) -> dict[str, pa.Array]:
    """Columns of the audit, of which each value is that of one of the rows."""
    return {
        name: pa.array([row[name] for row in rows], audit.AUDIT.field(name).type).take(pa.array(at))
        for name in names
    }


def is_entity(fragment: bool, reason: str | None) -> bool:
    """Whether a span counts: fragments do not, nor do spans that are only reported."""
    return not fragment and reason in BELIEVED


def audit_fields(row: Mapping[str, Any]) -> list[str | int | float | None]:
    """What the content digest takes of an audit row: all but the run; see `ADDED_TO_AUDIT`."""
    names = [name for name in audit.AUDIT.names if name not in ("run", *_ADDED)]
    return [_audit_field(row, name) for name in names] + _added_fields(row)


def _audit_field(row: Mapping[str, Any], name: str) -> str | int | float | None:
    value: str | int | float | None
    value = ",".join(row[name]) if name == "detectors" else row[name]
    return value
