"""The tables that a run writes beside the data, and their schemas.

No text, no id and no name of an input file is in any of them: a place is (unit, ordinal) or a keyed
hash.
"""

from __future__ import annotations

import pyarrow as pa

from ..redaction.actions import ACTIONS


def _field(name: str, kind: pa.DataType, doc: str, *, nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=nullable, metadata={"description": doc})


AUDIT = pa.schema(
    [
        _field("run", pa.string(), "id of the run that wrote the row"),
        _field(
            "doc_key", pa.string(), "keyed hash of the document's id; joins with data and documents"
        ),
        _field("patient_key", pa.string(), "keyed hash of the patient's id", nullable=True),
        _field("field", pa.string(), "text column"),
        _field("start", pa.int64(), "first code point of the span in the original text"),
        _field("end", pa.int64(), "one past its last code point"),
        _field(
            "out_start", pa.int64(), "first code point of what replaced it, in the scrubbed text"
        ),
        _field("out_end", pa.int64(), "one past its last code point"),
        _field("label", pa.string(), "PHI category, an i2b2 2014 label or one of the policy's"),
        _field(
            "hipaa", pa.string(), "letter of the item in 45 CFR 164.514(b)(2)(i)", nullable=True
        ),
        _field("detectors", pa.list_(pa.string()), "all detectors that covered it, sorted"),
        _field("source", pa.string(), "the detector that gave the label"),
        _field("source_hash", pa.string(), "hash of that rule or model"),
        _field("score", pa.float64(), "for people; it never decides"),
        _field("action", pa.string(), " or ".join((", ".join([*ACTIONS][:-1]), [*ACTIONS][-1]))),
        _field(
            "reason",
            pa.string(),
            "why it stays: policy, or veto, allow or escape if no detector was believed; "
            "null where it goes",
            nullable=True,
        ),
        _field("fragment", pa.bool_(), "rest of an overlapped span: not an entity"),
        _field(
            "entity_id",
            pa.string(),
            "same person, place or number across spans with surrogates; keyed, per patient",
            nullable=True,
        ),
        _field("attempt", pa.int64(), "last draw that its surrogate took, from 0", nullable=True),
        _field(
            "precision",
            pa.string(),
            "what a shifted date says of time: day, month, year and others",
            nullable=True,
        ),
        _field(
            "roster",
            pa.string(),
            "whose entry of the roster it is: self, relative, contact or staff",
            nullable=True,
        ),
    ]
)
"""One row per span. Where a span is `keep`, out_start and out_end bound the unchanged text.

Rows with the reason veto or allow tell what detectors proposed and the policy lets stand; escape is
what lies within escapes of signs. No count of spans has them.
"""

DOCUMENTS = pa.schema(
    [
        _field("run", pa.string(), "id of the run that wrote the row"),
        _field("doc_key", pa.string(), "keyed hash of the document's id"),
        _field("patient_key", pa.string(), "keyed hash of the patient's id", nullable=True),
        _field("field", pa.string(), "text column"),
        _field("unit", pa.int64(), "work unit that it was in"),
        _field("ordinal", pa.int64(), "position of its row in the unit, from 0"),
        _field("status", pa.string(), "scrubbed, null (there was no text) or quarantined"),
        _field(
            "spans",
            pa.map_(pa.string(), pa.int64()),
            "number of spans by label, fragments left out",
        ),
        _field("tokens", pa.int64(), "fine tokens of the original text"),
        _field("characters", pa.int64(), "code points of the original text"),
        _field("out_characters", pa.int64(), "code points of the scrubbed text"),
        _field(
            "detectors", pa.string(), "name@hash of every detector that looked, separated by blanks"
        ),
        _field("note_type", pa.string(), "type of the note, if the policy tells it", nullable=True),
        _field("period", pa.string(), "year or month, if the policy tells it", nullable=True),
        _field(
            "roster",
            pa.string(),
            "yes or none: whether the roster has the patient; null where there is no roster",
            nullable=True,
        ),
        _field(
            "surrogates",
            pa.int64(),
            "spans with a surrogate; null unless the policy has surrogates or shifts dates",
            nullable=True,
        ),
        _field(
            "dates_unread",
            pa.int64(),
            "dates with a marker, and values of columns that became null, where dates are shifted",
            nullable=True,
        ),
        _field(
            "dates_ambiguous",
            pa.int64(),
            "1 if dates show day and month in both orders, where dates are shifted",
            nullable=True,
        ),
        _field(
            "risk",
            pa.int64(),
            "rank by the PHI that the models expect to be left: 4 more for twice as much, -40 for "
            "as good as none; null where no model tells",
            nullable=True,
        ),
    ]
)
"""A row a document, also when nothing was found in it."""

_TOLD = ("note_type", "period")
_RISK = ("risk",)
_REPLACED = ("roster", "surrogates", "dates_unread", "dates_ambiguous")

ADDED_TO_AUDIT = ("attempt", "precision", "roster")
"""Columns of the audit that versions up to 0.10.0 did not write. The content digest takes them of
rows alone in which one is not null: so it is the same for what these versions wrote."""

QUARANTINE = pa.schema(
    [
        _field("run", pa.string(), "id of the run that wrote the row"),
        _field("unit", pa.int64(), "work unit; `scrubline inspect --quarantined` tells its input"),
        _field("ordinal", pa.int64(), "position of the row in its unit, from 0"),
        _field("doc_key", pa.string(), "keyed hash of the id, if it could be read", nullable=True),
        _field("stage", pa.string(), "step that failed"),
        _field("error", pa.string(), "class of the error"),
    ]
)
"""A row an input row that was held back."""

CANDIDATES = pa.schema(
    [
        _field("run", pa.string(), "id of the run that wrote the row"),
        _field("doc_key", pa.string(), "keyed hash of the document's id"),
        _field("field", pa.string(), "text column"),
        _field("start", pa.int64(), "first code point in the original text"),
        _field("end", pa.int64(), "one past the last code point"),
        _field("label", pa.string(), "PHI category"),
        _field("detector", pa.string(), "who proposed it"),
        _field("score", pa.float64(), "see models.core.spans.Candidate"),
        _field("verdict", pa.string(), "accepted, or the reason of rejection"),
    ]
)
"""A row a candidate; restricted, written only when asked for."""


def _without(schema: pa.Schema, names: tuple[str, ...]) -> pa.Schema:
    return pa.schema([one for one in schema if one.name not in names])


EARLIER = {
    "audit": (_without(AUDIT, ADDED_TO_AUDIT),),
    "documents": (
        _without(DOCUMENTS, _TOLD + _REPLACED + _RISK),
        _without(DOCUMENTS, _REPLACED + _RISK),
        _without(DOCUMENTS, _RISK),
    ),
}
"""Tables as earlier versions wrote them; what they lack is null."""

TABLES = {
    "audit": AUDIT,
    "documents": DOCUMENTS,
    "quarantine": QUARANTINE,
    "candidates": CANDIDATES,
}
