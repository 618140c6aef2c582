"""What the data parts of an output say of each note: texts, and columns that pass."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...models.core.errors import StorageError
from ...models.core.shortage import raise_shortage
from ...models.formats import PartRow
from ...models.formats.column_roles import Columns, Role
from ...models.jobs.roster_steps import texts_of
from ...models.storage.storage import Storage
from .table_faults import notes_of_part

_WRITTEN = {Role.PASS, Role.TYPE, Role.TEXT}
"""Roles of columns whose cells are as the input had them, but for texts, which are scrubbed; nested
texts are in the cells of their column."""


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class PublishedNote:
    """What is written of one note.

    Attributes:
        doc_key: of its row, or of the first of them.
        texts: its scrubbed texts.
        passing: cells of the columns that pass, and the texts within them as a reader of JSON sees
            them.
    """

    doc_key: str
    texts: tuple[str, ...]
    passing: tuple[str, ...]


def published_notes(
    storage: Storage, output: str, manifest: Mapping[str, Any], part: Mapping[str, Any]
) -> tuple[list[PublishedNote], bool]:
    """The notes of a data part that can be read, and whether all of them can.

    Args:
        part: one of the manifest's, of the table `data`.

    Raises:
        StorageError: if storage fails.
    """
    try:
        _, columns, notes = notes_of_part(storage, output, manifest, part)
        found = [(lines[0].doc_key, lines) for lines in notes]
        read = [
            PublishedNote(doc_key, tuple(_texts(lines)), tuple(_cells(lines, columns)))
            for doc_key, lines in found
            if doc_key is not None
        ]
        return read, len(read) == len(found)
    except StorageError:
        raise
    except Exception as error:
        raise_shortage(error)
        return [], False


def _texts(lines: Iterable[PartRow]) -> Iterator[str]:
    for row in lines:
        yield from (text for text in row.texts.values() if text)


def _cells(lines: Iterable[PartRow], columns: Columns) -> Iterator[str]:
    roles = columns.roles_by_input()
    for row in lines:
        for name, cell in row.cells.items():
            if cell and not _WRITTEN.isdisjoint(roles.get(name, ())):
                yield cell
                with contextlib.suppress(ValueError, RecursionError):
                    yield from texts_of(json.loads(cell))
