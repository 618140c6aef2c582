"""What a run does with a record, without detectors: every text is replaced as a whole."""

import hashlib

import pyarrow as pa
import pytest
from scrubline.models.core.views import View
from scrubline.models.core.written_texts import Mapped
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.formats.message_columns import MessageColumn
from scrubline.models.messages import attachments, fhir_values
from scrubline.models.messages.fhir import FHIR

DEFAULT = Columns.of_record("fhir", [])
STAND_IN = '[GONE] é\n"<&'


def key_of(value):
    return hashlib.sha256(value.encode()).hexdigest()[:32]


def link_of(value):
    return key_of(FHIR.patient_of(value) or value)


def plain_layer(source):
    """In the place of layers of markup, which have tests of their own."""
    return Mapped(View.of(source, 0, len(source)), lambda text, at: text)


@pytest.fixture(autouse=True)
def layers(monkeypatch):
    for module in (attachments, fhir_values):
        monkeypatch.setattr(module, "LAYERS", dict.fromkeys(("html", "xml", "rtf"), plain_layer))


def opened(*records, columns=DEFAULT):
    declared = columns.nested["fhir"].declared
    return MessageColumn(pa.array(records, pa.string()), FHIR, declared)


def values_of(record, columns=DEFAULT):
    return FHIR.values(record, columns.nested["fhir"].declared)


def scrubbed(record, columns=DEFAULT, stand_in=STAND_IN, dates=True):
    """The record after its roles; an error's class if it has one.

    As in a run, texts are put in by their places in the record from which all else went.
    """
    column = opened(record, columns=columns)
    if column.errors:
        return column.errors[0]
    texts = {}
    for note in column.notes:
        if note.written is None:
            return note.error
        edits, at = [], 0
        for piece in note.written.pieces:
            size = len(piece.stack.text)
            if size:
                edits.append((at, at + size, stand_in))
            at += size + 1
        texts |= dict(note.written.replaced(edits))
    roles = dict(columns.roles)
    cells = {}
    for name, leaf in column.leaves.items():
        values = leaf.cells.to_pylist()
        role = roles[name]
        if role in (Role.DROP, Role.KNOWN) or (role in (Role.DATE, Role.BIRTH) and not dates):
            continue
        if role is Role.PATIENT:
            new = [key_of(value) if value == values[0] else None for value in values]
        else:
            new = [link_of(v) if role in (Role.HASH, Role.ID) else v for v in values]
        cells[name] = pa.array(new, pa.string())
    again = opened(column.closed(cells)[0].as_py(), columns=columns)
    if again.errors:
        return "UnstableRecord"
    cells = {name: leaf.cells for name, leaf in again.leaves.items()}
    for name in columns.named(Role.TEXT):
        if name in again.leaves:
            new = [texts.pop(place) for place in again.leaves[name].places]
            cells[name] = pa.array(new, pa.string())
    assert not texts
    return again.closed(cells)[0].as_py()
