"""Rows that are records of a grammar of messages: their keys, and the places of their texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from ..core.batches import Batch
from ..core.keys import Keys
from ..core.written_texts import Layer
from ..formats import CellForm
from ..formats.column_roles import Columns, Role
from ..formats.nested_columns import OpenedColumn
from ..formats.nested_texts import open_nested
from ..messages.attachments import may_hold_encoded
from ..messages.base import is_of_form
from ..messages.table import GRAMMARS

UNSTABLE = "UnstableRecord"
"""The error class of a record whose texts are not found again in what goes out."""

LOST = "TextLost"
"""That of a record of which a text is none any more, or encoded, now that it is scrubbed."""

_Text = tuple[str, str, tuple[Layer, ...]]


def row_key(keys: Keys, record: str, canonical: str, ordinal: int = 0) -> str:
    """The doc_key of an id; of a record that is of the patient alone, the patient's key.

    Args:
        record: the grammar of the records, as `Columns.record` names it; "" for tables.
    """
    patient = patient_of_row(record, canonical, None) if ordinal == 0 else None
    return keys.doc_key(canonical, ordinal) if patient is None else keys.patient_key(patient)


def patient_of_row(record: str, canonical: str, patient: str | None) -> str | None:
    """The patient of a row; of a record that says none, the one whose own record it is."""
    grammar = GRAMMARS.get(record)
    return grammar.patient_of(canonical) if patient is None and grammar is not None else patient


def keys_in_place(
    opened: OpenedColumn,
    roles: Mapping[str, Role],
    keys: Mapping[Role, Sequence[str | None]],
) -> dict[str, pa.Array]:
    """Keys in the place of the ids of records.

    Of several ids the first has it, wherever it is repeated; the others go.
    """
    cells: dict[str, pa.Array] = {}
    for name, leaf in opened.leaves.items():
        if (of_rows := keys.get(roles[name])) is not None:
            firsts: dict[int, object] = {}
            found = [
                of_rows[row] if firsts.setdefault(row, value) == value else None
                for row, value in zip(leaf.rows, leaf.cells.to_pylist(), strict=True)
            ]
            cells[name] = pa.array(found, pa.string())
    return cells


def unstable_rows(before: OpenedColumn, after: OpenedColumn, texts: Sequence[str]) -> set[int]:
    """The rows whose texts are no longer found where they were, or would be read otherwise.

    Scrubbed texts are put in by their places in what goes out: one that is not found again would go
    out as it came, or be lost. Without what says how it is written (`OBX-5(ED).3`), it would be
    read there as another text than the one that was scrubbed.

    Args:
        before: the records as they came.
        after: as they go out, with their texts still as they came.
        texts: the names with role text.
    """
    old, new = _texts_by_row(before, texts), _texts_by_row(after, texts)
    changed = {row for row in old.keys() | new.keys() if old.get(row) != new.get(row)}
    return changed | set(after.errors)


def rows_of_lost_texts(batch: Batch, table: pa.Table, form: CellForm, columns: Columns) -> set[int]:
    """The rows of which a reader would find texts elsewhere than was scrubbed, or open otherwise.

    A field of HL7 v2 is a text because it does not look as its type says. If what takes the place
    of its words does (`7` for a name), `verify` would not find the text that was scrubbed. Nor
    would it if nothing but digits of base64 were left of a text.

    Args:
        table: the rows as they go out, with scrubbed texts.
    """
    assert batch.scrubbed is not None, "Scrub comes before Write"
    name = columns.record
    before = (batch.rows.opened or open_nested(form, columns, batch.rows.columns))[name]
    of_form = {
        place
        for leaf_name, leaf in before.leaves.items()
        if is_of_form(leaf_name)
        for place in zip(leaf.rows, leaf.places, strict=True)
    }
    documents = batch.documents
    places = zip(documents.rows.tolist(), documents.fields, strict=True)
    texts = zip(places, documents.texts, batch.scrubbed.texts, strict=True)
    changed = {
        place[0]
        for place, old, new in texts
        if new is not None and old != new and (place in of_form or may_hold_encoded(new))
    }
    rows = sorted(changed - batch.failures.keys())
    if not rows:
        return set()
    changed_rows = table.select([name]).take(pa.array(rows, pa.int64()))
    after = open_nested(form, columns, changed_rows)[name]
    names = (*columns.named(Role.TEXT), *columns.filled_names)
    old, new = _layers_by_row(before, names), _layers_by_row(after, names)
    return {row for at, row in enumerate(rows) if at in after.errors or old.get(row) != new.get(at)}


def _layers_by_row(
    opened: OpenedColumn, names: Iterable[str]
) -> dict[int, dict[str, tuple[Layer, ...]]]:
    """Row -> place of each text of its record -> the layers by which it is opened."""
    found: dict[int, dict[str, tuple[Layer, ...]]] = {}
    for row, (place, _, layers) in _texts(opened, names):
        found.setdefault(row, {})[place] = layers
    return found


def _texts_by_row(opened: OpenedColumn, names: Iterable[str]) -> dict[int, set[_Text]]:
    """Row -> place, source and layers of each text of its record."""
    found: dict[int, set[_Text]] = {}
    for row, text in _texts(opened, names):
        found.setdefault(row, set()).add(text)
    return found


def _texts(opened: OpenedColumn, names: Iterable[str]) -> Iterator[tuple[int, _Text]]:
    """Row, and place, source and layers, of each text."""
    for name in names:
        if (leaf := opened.leaves.get(name)) is not None:
            assert leaf.layers is not None, "it is a text of a record"
            sources = leaf.cells.to_pylist()
            texts = zip(leaf.places, sources, leaf.layers, strict=True)
            yield from zip(leaf.rows, texts, strict=True)
