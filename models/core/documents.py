"""Documents: the texts of a batch, and the source rows that they came from.

A source row (a file, a JSON line, a table row) holds one or more text fields; each field that has
text is a document. Rows carry keys and the columns that pass through; documents carry text.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from .arrays import Ints, require_equal_lengths
from .known_values import KnownLabel, KnownValue
from .written_texts import WrittenText, joins_between


@dataclasses.dataclass(frozen=True, slots=True)
class Context:
    """What a detector may know of a document beside its text.

    Attributes:
        note_type: value of the column with role `type`, or None.
        patient_key: keyed hash of the patient's canonical id, or None.
    """

    note_type: str | None = None
    patient_key: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Document:
    """One text, at the edges of the API and where a rule speaks.

    Attributes:
        text: the untouched text; every offset in Scrubline counts its Unicode code points.
        field: name of the text column it came from.
    """

    text: str = dataclasses.field(repr=False)
    field: str = "text"


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class ViewedRows:
    """What columns tell the identifier view, one element a row.

    Attributes:
        years: year of the note as it may be told: where dates are shifted, of the shifted date.
        births: the patient's date of birth, of the column with role `birth`.
        cells: attribute of the view -> values of its column, as the format decodes them.
    """

    years: tuple[int | None, ...]
    births: tuple[datetime.date | None, ...]
    cells: Mapping[str, Sequence[object]]


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rows:
    """The source rows of a batch, one element each.

    Attributes:
        ordinals: position of the row in its unit, from 0; with the unit it is the locator.
        doc_keys: keyed hash of (canonical id, ordinal among equal ids); None if the row could not
            be read.
        patient_keys: keyed hash of the canonical patient id; None if the row has none.
        note_types: value of the column with role `type`, or None.
        columns: all output columns as Arrow, text columns still in their place, with the original
            text.
        first_rows: index of the first row of the note that each row is a line of: the row itself,
            unless lines are grouped. Only first rows have documents, and a note fails as a whole.
        periods: year or month of the note, as far as the policy lets it be told; () for none.
        known: values of the columns with role `known`, of each row; () if there are none.
        note_dates: true date of the note, where dates are shifted or a view is made; else ().
        births_over_89: the same of the patient's birth, for patients over 89 alone.
        dates_unread: how many values of columns could not be shifted, in the same way.
        viewed: what columns tell the identifier view; None where none is made.
        opened: those of `columns` that hold records, opened (`formats.nested_columns`), so that no
            step cuts them again.
    """

    ordinals: Ints
    doc_keys: tuple[str | None, ...]
    patient_keys: tuple[str | None, ...]
    note_types: tuple[str | None, ...]
    columns: pa.Table
    first_rows: Ints
    periods: tuple[str | None, ...] = ()
    known: tuple[tuple[KnownValue, ...], ...] = ()
    note_dates: tuple[datetime.date | None, ...] = ()
    births_over_89: tuple[datetime.date | None, ...] = ()
    dates_unread: tuple[int, ...] = ()
    viewed: ViewedRows | None = None
    opened: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        require_equal_lengths(
            "Rows",
            ordinals=self.ordinals,
            doc_keys=self.doc_keys,
            patient_keys=self.patient_keys,
            note_types=self.note_types,
            first_rows=self.first_rows,
        )

    def __len__(self) -> int:
        return len(self.ordinals)


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Documents:
    """The texts of a batch, in row order and, within a row, in the order of the text columns.

    Attributes:
        texts: the untouched texts.
        rows: index of each document's source row in `Rows`.
        fields: name of the text column of each document.
        starts: document index -> where the text of each of its rows begins in it, for notes of
            several rows; see `formats.line_notes`.
        written: document index -> how it is written, for texts within markup, escapes or messages;
            the others are written as they are read.
        known: document index -> what it is as a whole: a value of a record, in whose place stands
            what the policy puts in place of such values in texts.
    """

    texts: tuple[str, ...]
    rows: Ints
    fields: tuple[str, ...]
    starts: Mapping[int, tuple[int, ...]] = dataclasses.field(default_factory=dict)
    written: Mapping[int, WrittenText] = dataclasses.field(default_factory=dict)
    known: Mapping[int, KnownLabel] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        require_equal_lengths("Documents", texts=self.texts, rows=self.rows, fields=self.fields)

    def __len__(self) -> int:
        return len(self.texts)

    def joins(self, index: int) -> tuple[int, ...]:
        """Offsets of characters of a text that no span may cover, in order: what joins its parts.

        A note is of several rows, or is written in several places, but not both.
        """
        if index in self.written:
            return self.written[index].joins
        return joins_between(self.starts.get(index, ()))

    @classmethod
    def of(cls, *texts: str) -> Documents:
        """Documents of plain texts, one row each."""
        return cls(texts, np.arange(len(texts), dtype=np.int64), ("text",) * len(texts))
