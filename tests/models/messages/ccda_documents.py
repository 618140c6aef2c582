"""Invented CDA documents, and a scrubber of them that replaces every text as a whole.

What identifies somebody holds `zq`, `9137` or, of dates, `1913`; nothing else does.
"""

from __future__ import annotations

import pathlib
import re

import pyarrow as pa
from scrubline.models.formats.column_roles import Columns
from scrubline.models.formats.message_columns import MessageColumn, declared_names
from scrubline.models.messages.base import DeclaredNames, MessageValue
from scrubline.models.messages.ccda import CCDA

FOLDER = pathlib.Path(__file__).parent / "ccda"
PLANTED = re.compile(r"zq|9137|1913", re.IGNORECASE)

COLUMNS = Columns.of_record("ccda", ())


def documents() -> dict[str, str]:
    """Name of each document -> what it holds."""
    found = {}
    for path in sorted(FOLDER.glob("*.xml")):
        encoding = "latin-1" if path.stem == "latin1" else "utf-8"
        found[path.stem] = path.read_bytes().decode(encoding)
    return found


def document(body: str = "", *, inner: str = "", attributes: str = "") -> str:
    """A small document with something below its root, and in its one section."""
    return (
        '<ClinicalDocument xmlns="urn:hl7-org:v3" xmlns:sdtc="urn:hl7-org:sdtc" '
        f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"{attributes}>{body}'
        f"<component><structuredBody><component><section>{inner}</section></component>"
        "</structuredBody></component></ClinicalDocument>"
    )


def declared(*roles: tuple[str, str]) -> DeclaredNames:
    """The names that have a role, with some laid over the grammar's."""
    columns = Columns.of_record("ccda", roles)
    return declared_names(columns.nested["ccda"])


def values(record: str, *roles: tuple[str, str]) -> list[MessageValue]:
    """The values of a document."""
    return list(CCDA.values(record, declared(*roles)))


def names(record: str, *roles: tuple[str, str]) -> dict[str, str]:
    """Place of each value of a document -> its name."""
    return {value.place: value.name for value in values(record, *roles)}


def scrubbed(record: str, replacement: str = "X", columns: Columns = COLUMNS) -> str:
    """A document with every text replaced, and what is not passed on left out or replaced."""
    column = MessageColumn(
        pa.array([record], pa.string()), CCDA, declared_names(columns.nested["ccda"])
    )
    assert not column.errors
    sources = {}
    for note in column.notes:
        assert note.written is not None, note.error
        ends = (*note.written.joins, len(note.written.text))
        starts = (0, *(end + 1 for end in ends))
        edits = [(a, b, replacement) for a, b in zip(starts, ends, strict=False) if a < b]
        sources |= dict(note.written.replaced(edits))
    roles, cells = dict(columns.roles), {}
    for name, leaf in column.leaves.items():
        role = str(roles[name])
        if role == "text":
            cells[name] = pa.array([sources[place] for place in leaf.places])
        elif role in ("pass", "type"):
            cells[name] = leaf.cells
        elif role in ("hash", "id", "patient"):
            cells[name] = pa.array([f"{role}{n}" for n in range(len(leaf.places))])
    return column.closed(cells).to_pylist()[0]
