"""Notes that are stored one line per row: neighbouring rows with one id are one document.

Their texts are joined by a line feed, so that detectors see the whole note; spans are cut at these
line joins, so that each row gets its own part of the scrubbed text back. A line join is not a
character of the input, and is never removed.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..core.errors import UsageError
from ..core.keys import canonical_id
from ..core.shortage import raise_shortage
from ..core.written_texts import JOIN
from . import Chunk, Format
from .column_roles import Columns, Role
from .role_texts import PLAIN

RowStarts = tuple[int, ...]
"""Where each row's own text begins in the joined text, in code points; the first is 0."""


@dataclasses.dataclass(frozen=True, slots=True)
class GroupLines:
    """Which columns say what belongs together.

    Attributes:
        id: the column with role `id`; neighbouring rows with the same value are one note.
        line: whole numbers that increase from row to row of a note. A note with rows in another
            order is quarantined, since it is unknown which order is right.
    """

    id: str
    line: str

    @classmethod
    def parse(cls, text: str) -> GroupLines:
        """Reads "ID,LINE".

        Raises:
            UsageError: if it is something else.
        """
        names = [name.strip() for name in text.split(",")]
        if len(names) != 2 or not all(names) or names[0] == names[1]:
            raise UsageError("--group-lines: expected two columns, ID,LINE")
        return cls(*names)

    def check(
        self, columns: Columns, forms: Iterable[Format], folders: Collection[str] = ()
    ) -> None:
        """Compares with the declared roles and the input's formats.

        Args:
            folders: columns that are keys of hive folders, the same for all rows of a file.

        Raises:
            UsageError: if rows could not be grouped, or their texts not be separated again.
        """
        if columns.named(Role.ID) != (self.id,):
            raise UsageError(
                f"--group-lines: {self.id!r} must be the column with role id, which is "
                f"{columns.named(Role.ID)[0]!r}"
            )
        if in_folders := {self.id, self.line} & set(folders):
            raise UsageError(f"--group-lines: {sorted(in_folders)} are hive folders, not columns")
        if nested := sorted({self.id, self.line, *columns.named(Role.TEXT)} & set(columns.paths)):
            raise UsageError(f"--group-lines: {nested} are paths into nested columns, not columns")
        roles = dict(columns.roles)
        if roles.get(self.line) not in (Role.PASS, Role.DROP):
            raise UsageError(
                f"--group-lines: {self.line!r} must be a declared column with role pass or drop"
            )
        if len(columns.named(Role.TEXT)) != 1:
            raise UsageError("--group-lines: there must be exactly one column with role text")
        if declared := [kind for _, kind in columns.markup if kind != PLAIN]:
            raise UsageError(
                f"--group-lines: the lines of a note cannot be {declared[0]}: markup that begins "
                "on one line may end on another"
            )
        if unfit := sorted(form.name for form in forms if not form.traits.holds_patient_key):
            raise UsageError(
                f"--group-lines: each record of {', '.join(unfit)} is already a whole note"
            )


def whole_notes(
    chunks: Iterator[Chunk], form: Format, by: GroupLines, most_bytes: int
) -> Iterator[Chunk]:
    """Cuts the chunks of one file again, a chunk per note, in which `Chunk.first_rows` is set.

    How the chunks were cut has no influence. A row that cannot be read, between two of one note,
    may have been a line of it and is treated as one.

    Args:
        most_bytes: of a text. A note that is far over it, counting other columns, is not held: its
            rows become error rows.
    """
    open_note = _OpenNote(most_bytes * _HOLD)
    for chunk in chunks:
        for key, start, end in _runs(_ids(form, chunk, by)):
            yield from open_note.add(key, _slice(chunk, start, end))
    yield from open_note.close()


_HOLD = 8
"""Raw JSON may be six times as long as its text."""

_MOST_UNREADABLE = 100_000
"""Most neighbouring rows that cannot be read and are still treated as lines of a note."""


class _OpenNote:
    """The note whose end has not been seen yet, and the unreadable rows after it."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._key: str | None = None
        self._note: list[Chunk] = []
        self._unreadable: list[Chunk] = []
        self._unreadable_rows = 0
        self._bytes = 0
        self._over = False

    def add(self, key: str | None, piece: Chunk) -> Iterator[Chunk]:
        """Adds rows of one note, or rows that cannot be read; yields what is complete."""
        if key is None:
            self._unreadable.append(piece)
            self._unreadable_rows += piece.columns.num_rows
            if self._unreadable_rows > _MOST_UNREADABLE:
                yield from self.close()
            return
        if key != self._key:
            yield from self.close()
            self._key = key
        self._note += [*self._unreadable, piece]
        self._unreadable, self._unreadable_rows = [], 0
        self._bytes += _size(piece)
        if self._over or self._bytes > self._most_bytes:
            yield from map(_over, self._note)
            self._note, self._over = [], True

    def close(self) -> Iterator[Chunk]:
        """Yields the rows that are held; the next row begins a note."""
        if self._note:
            yield _joined(self._note)
        yield from map(_notes_of_a_row, self._unreadable)
        self._key, self._note, self._bytes, self._over = None, [], 0, False
        self._unreadable, self._unreadable_rows = [], 0


def _ids(form: Format, chunk: Chunk, by: GroupLines) -> list[str | None]:
    """The canonical id of each row; None where it cannot be read."""
    found: list[str | None] = []
    for row, value in enumerate(form.decode(chunk.columns.column(by.id))):
        try:
            found.append(None if row in chunk.errors else canonical_id(value))
        except Exception as error:  # reading the row raises it again, and names it
            raise_shortage(error)
            found.append(None)
    return found


def _runs(ids: Sequence[str | None]) -> Iterator[tuple[str | None, int, int]]:
    """Yields (id, first row, row after the last) of neighbours with one id, or with None."""
    start = 0
    for end in range(1, len(ids) + 1):
        if end == len(ids) or ids[end] != ids[start]:
            yield ids[start], start, end
            start = end


def _size(chunk: Chunk) -> int:
    """Bytes of the cells; unlike `nbytes` it adds up however the rows are cut."""
    table = chunk.columns
    size: int = 8 * table.num_rows * table.num_columns
    for column in table.columns:
        kind = column.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            size += int(pc.sum(pc.binary_length(column)).as_py() or 0)
    return size


def _slice(chunk: Chunk, start: int, end: int) -> Chunk:
    errors = {row - start: code for row, code in chunk.errors.items() if start <= row < end}
    return Chunk(chunk.columns.slice(start, end - start), errors)


def _joined(chunks: Sequence[Chunk]) -> Chunk:
    """Pieces of one note as one chunk."""
    errors: dict[int, str] = {}
    rows = 0
    for chunk in chunks:
        errors |= {rows + row: code for row, code in chunk.errors.items()}
        rows += chunk.columns.num_rows
    return _one_note(Chunk(pa.concat_tables([chunk.columns for chunk in chunks]), errors))


def _one_note(chunk: Chunk) -> Chunk:
    return dataclasses.replace(chunk, first_rows=np.zeros(chunk.columns.num_rows, np.int64))


def _notes_of_a_row(chunk: Chunk) -> Chunk:
    return dataclasses.replace(chunk, first_rows=np.arange(chunk.columns.num_rows))


def _over(chunk: Chunk) -> Chunk:
    errors = dict.fromkeys(range(chunk.columns.num_rows), "OverBudget:bytes")
    return _notes_of_a_row(dataclasses.replace(chunk, errors=errors))


def lines_in_order(values: Sequence[object]) -> str | None:
    """Error class of a note whose line numbers do not increase, or are not whole numbers."""
    previous: int | None = None
    for value in values:
        number = _whole_number(value)
        if number is None:
            return "BadLineNumber"
        if previous is not None and number <= previous:
            return "LinesOutOfOrder"
        previous = number
    return None


_NUMBER = re.compile(r"\s*(-?[0-9]{1,30})(?:\.0{1,30})?\s*")


def _whole_number(value: object) -> int | None:
    """The number in a cell; 1.0 is one too, for columns with gaps are often exported as floats."""
    match = _NUMBER.fullmatch(str(value))
    return int(match[1]) if match else None


def join(texts: Sequence[str | None]) -> tuple[str, RowStarts]:
    """The text of a note, and where each row's begins; a row without text counts as empty."""
    starts: list[int] = []
    at = 0
    for text in texts:
        starts.append(at)
        at += len(text or "") + len(JOIN)
    return JOIN.join(text or "" for text in texts), tuple(starts)


def join_or_none(texts: Sequence[str | None]) -> str | None:
    """The text of a note of one or more rows; None if no row has any."""
    return None if all(text is None for text in texts) else join(texts)[0]


def pieces(text: str, starts: RowStarts, ends: Sequence[tuple[int, int]]) -> Iterator[str]:
    """Yields each row's part of a scrubbed text.

    Args:
        text: the scrubbed text.
        starts: of the rows, in the text as it was.
        ends: of the spans of the document, in order: end in the text as it was, and in `text`.
            None of them covers a line join.
    """
    known = [end for end, _ in ends]
    edges: list[int] = []
    for start in starts:
        at = bisect_right(known, start)
        end, out_end = ends[at - 1] if at else (0, 0)
        edges.append(out_end + start - end)
    edges.append(len(text) + len(JOIN))
    for low, high in itertools.pairwise(edges):
        yield text[low : high - len(JOIN)]
