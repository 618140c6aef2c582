"""What the notes of a unit say of their patients, gathered for the identifier view.

A row says in how many notes of a patient an attribute has a value. What a column of the input says
of an attribute goes before what is known beforehand, and that before what was found in texts.
"""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

import pyarrow as pa

from ..core.batches import Batch
from ..core.known_values import KnownAttribute, KnownValue, PersonKind
from ..core.shortage import raise_shortage
from ..patient_view.attributes import (
    ViewAttributes,
    age_at,
    age_at_place,
    read_value,
    text_of_cell,
)
from ..patient_view.hierarchies import age_band
from ..patient_view.merging import VIEW
from ..redaction.policy import Policy
from ..roster.normal import birth_dates
from ..roster.people import KnownPeople
from .plan import parquet_bytes
from .roster_steps import look_up_people

_ROWS_OF_GROUP = 1 << 13
_ROSTER = {KnownAttribute.SEX: "sex", KnownAttribute.ZIP: "zip3"}
_Values = defaultdict[int, dict[str, set[str]]]


class UnitView:
    """Gathers what a unit's notes say, batch by batch."""

    def __init__(
        self, attributes: ViewAttributes, policy: Policy, people: KnownPeople | None
    ) -> None:
        self._attributes, self._people = attributes, people
        self._restricted = policy.restricted_zip3
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def add(self, batch: Batch) -> None:
        """Takes a batch that has been through all steps."""
        rows = batch.rows
        in_texts = self._in_texts(batch)
        people = look_up_people(batch, self._people, "write")[1] if self._people else {}
        for row, patient in enumerate(rows.patient_keys):
            first = int(rows.first_rows[row])
            if patient is None or first in batch.failures or first != row:
                continue
            said: dict[str, set[str]] = {}
            of_people = self._known(batch, row, people.get(row, ()))
            of_columns = self._in_columns(batch, row)
            for values in (in_texts.get(row, {}), of_people, of_columns):
                said |= values
            for attribute, values_of in said.items():
                for value in values_of:
                    self._counts[patient, attribute, value] += 1

    def content(self) -> bytes:
        """The rows as a file, in order, so that ranges of patients are read by themselves."""
        ordered = sorted(self._counts.items())
        columns: list[list[object]] = [[key[at] for key, _ in ordered] for at in range(3)]
        columns.append([count for _, count in ordered])
        arrays = [pa.array(c, type=f.type) for c, f in zip(columns, VIEW, strict=True)]
        return parquet_bytes(pa.Table.from_arrays(arrays, schema=VIEW), _ROWS_OF_GROUP)

    def _in_texts(self, batch: Batch) -> _Values:
        """Of each row, attribute -> values that its texts name."""
        found: _Values = defaultdict(dict)
        spans, documents = batch.spans, batch.documents
        if spans is None:
            return found
        others = _overlaps(batch)
        attributes_of = {label: self._attributes.attributes_of(label) for label in {*spans.labels}}
        places = zip(
            spans.documents.tolist(), spans.starts.tolist(), spans.ends.tolist(), strict=True
        )
        for at, (document, start, end) in enumerate(places):
            if (attributes := attributes_of[spans.labels[at]]) and not spans.fragments[at]:
                row, text = int(documents.rows[document]), documents.texts[document]
                for attribute in attributes:
                    if attribute == "age":
                        own, _ = age_at_place(text, start, end)
                    elif attribute in self._attributes.identifying:
                        own = text[start:end]
                    elif others(document, start, end, spans.labels[at]):
                        continue  # what somebody else found in it is no value
                    else:
                        # Names of drugs and the like are written in any case.
                        own = text[start:end].casefold()
                    self._put(found[row], attribute, own)
        return found

    def _known(self, batch: Batch, row: int, people: Iterable[KnownValue]) -> dict[str, set[str]]:
        """Attribute -> values that are known beforehand."""
        found: dict[str, set[str]] = {}
        for known in people:
            if known.kind is not PersonKind.SELF:
                continue
            if known.attribute is KnownAttribute.BIRTH:
                self._put_age(found, batch, row, birth_dates(known.value))
            elif known.attribute in _ROSTER and _ROSTER[known.attribute] in self._attributes.names:
                self._put(found, _ROSTER[known.attribute], known.value)
        return found

    def _in_columns(self, batch: Batch, row: int) -> dict[str, set[str]]:
        """Attribute -> values that columns of the row have."""
        found: dict[str, set[str]] = {}
        viewed = batch.rows.viewed
        if viewed is None:
            return found
        if (year := viewed.years[row]) is not None and "year" in self._attributes.names:
            self._put(found, "year", str(year))
        if (birth := viewed.births[row]) is not None:
            self._put_age(found, batch, row, (birth,))
        for attribute, cells in viewed.cells.items():
            try:
                text = text_of_cell(attribute, cells[row])
            except Exception as error:  # such as a list, which is no value
                raise_shortage(error)
                continue
            if text is not None:
                found.pop(attribute, None)
                self._put(found, attribute, text)
        return found

    def _put_age(
        self,
        found: dict[str, set[str]],
        batch: Batch,
        row: int,
        births: Iterable[datetime.date],
    ) -> None:
        """Adds the age at the day of the note, if the dates of birth that it may be agree."""
        day = batch.rows.note_dates[row] if batch.rows.note_dates else None
        if day is None or "age" not in self._attributes.names:
            return
        ages = [age_at(birth, day) for birth in births]
        bands = {None if age is None else age_band(age) for age in ages}
        if len(bands) == 1 and (band := bands.pop()) is not None:
            found["age"] = {band}

    def _put(self, found: dict[str, set[str]], attribute: str, text: str) -> None:
        if (value := read_value(attribute, text, self._restricted)) is not None:
            found.setdefault(attribute, set()).add(value)


def _overlaps(batch: Batch) -> Callable[[int, int, int, str], bool]:
    """Tells whether anything of another label was proposed within a stretch of a document."""
    by_document = batch.candidates.by_document(len(batch.documents))
    return lambda document, start, end, label: any(
        one.label != label and one.start < end and start < one.end for one in by_document[document]
    )
