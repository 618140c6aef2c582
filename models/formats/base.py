"""What every format is: how a file is looked at, split, read into chunks, and how rows are written.

A chunk is an Arrow table of the declared columns. Its cells are the format's own: raw JSON in JSON
Lines, typed values in Parquet. `decode` and `encode_text` are the only bridge between cells and
Python values, so what nobody looks at passes untouched.
"""

from __future__ import annotations

import abc
import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, BinaryIO, Protocol

import pyarrow as pa

from ..columns import Ints
from ..roles import DOC_KEY, PATIENT_KEY, Columns, Role
from ..storage import InputFile
from .encodings import require_encodable

_WRITTEN = frozenset({Role.TEXT, Role.TYPE, Role.DATE, Role.PASS, Role.HASH})
"""Roles of input columns that go out under their own names."""


_LONGEST_LINE_BYTES = 2_000_000_000
"""Arrow's strings end at 2 GiB a batch; see `Limits`."""


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Locator:
    """A stretch of one input file.

    Attributes:
        file: index of the file in the plan.
        start, end: half-open, in the unit of the format: bytes, row groups or archive members.
        bytes: its size, of archive members unpacked, by which units are packed.
    """

    file: int
    start: int
    end: int
    bytes: int


UNPACKED_FREE_BYTES = 64_000_000
"""A compressed file may always unpack to this much, however small it is."""

UNKNOWN_SIZE = 1 << 62
"""Size of the unpacked content of a compressed file, which nobody knows before its end."""

UTF8 = "utf-8"


@dataclasses.dataclass(frozen=True, slots=True)
class Settings:
    """How files of a kind are written that do not say it themselves; frozen with the plan.

    Attributes:
        encoding: of text files, members of archives, CSV and TSV; one of `encodings.ENCODINGS`.
        delimiter: one character between the cells of CSV; None for the format's own.
        quote: one character around cells that hold delimiters, quotes or line breaks; "" for none.
        escape: one character before a quote inside quotes; None: a quote is doubled (RFC 4180).
        header: whether a CSV file begins with the names of its columns; else they are c1, c2, ...
    """

    encoding: str = UTF8
    delimiter: str | None = None
    quote: str = '"'
    escape: str | None = None
    header: bool = True

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the settings that differ from the default."""
        return tuple(
            field.name
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        )


class Unreadable(Exception):  # noqa: N818 - it is no fault of the program
    """The rest of a file cannot be unpacked: a reader puts one error row in its place.

    Attributes:
        code: "DamagedArchive", or "OverBudget:unpacked" for a bomb.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Reader(Protocol):
    """What formats need of a `Storage`; a compressed file is a view with the same methods."""

    def open_read(self, url: str, *, buffer_bytes: int = ...) -> BinaryIO:
        """See `Storage.open_read`."""

    def read_range(self, url: str, start: int, end: int) -> bytes:
        """See `Storage.read_range`."""

    def read_blocks(
        self, url: str, start: int, end: int, block_bytes: int = ...
    ) -> Iterator[bytes]:
        """See `Storage.read_blocks`; of a compressed file, raises Unreadable at damage."""


class Streamed(abc.ABC):
    """A `Reader` of what can only be made from a file's beginning on: unpacked, or in UTF-8."""

    @abc.abstractmethod
    def blocks(self, block_bytes: int) -> Iterator[bytes]:
        """Yields the whole content, in blocks of any size but none; `block_bytes` is a wish."""

    def open_read(self, url: str, *, buffer_bytes: int = 0) -> BinaryIO:
        """Refuses: nothing here can seek."""
        raise TypeError("this content can only be read from its beginning")

    def read_range(self, url: str, start: int, end: int) -> bytes:
        """The bytes [start, end) of the content; fewer if it ends before."""
        return b"".join(self.read_blocks(url, start, end))

    def read_blocks(self, url: str, start: int, end: int, block_bytes: int = 0) -> Iterator[bytes]:
        """Yields the bytes [start, end) of the content; raises what `blocks` raises."""
        if start >= end:
            return
        at = 0
        for block in self.blocks(block_bytes):
            low, high = max(start - at, 0), min(end - at, len(block))
            at += len(block)
            if low < high:
                yield block[low:high]
            if at >= end:
                return


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """Deterministic caps of reading.

    Attributes:
        batch_documents: most records of a chunk.
        batch_bytes: most bytes of a chunk, but for a chunk of one record.
        line_bytes: a longer line of a line format is an error row.
        document_bytes: a longer file of the text format, or archive member, is an error row.
        unpacked_ratio: a compressed file that unpacks to more than this many times its size (and
            more than `UNPACKED_FREE_BYTES`) is a bomb: its rest is one error row. So is a row group
            of Parquet, of which each row is one.
    """

    batch_documents: int = 256
    batch_bytes: int = 500_000
    line_bytes: int = 64_000_000
    document_bytes: int = 16_000_000
    unpacked_ratio: int = 250

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if getattr(self, field.name) < 1:
                raise ValueError(f"{field.name} must be at least 1")
        if self.batch_bytes + self.line_bytes >= 2**31:
            raise ValueError("batch_bytes and line_bytes together must stay below 2 GiB")


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Chunk:
    """Consecutive source records of one locator.

    Attributes:
        columns: one column for each declared input column, in the order of declaration.
        errors: row index -> error code (a fixed word) of records that could not be read; they stay
            rows, so that in = out + quarantined can be counted, and all their cells are null.
        heads: index of the first row of the note that each row belongs to; None: every row is one.
    """

    columns: pa.Table
    errors: Mapping[int, str]
    heads: Ints | None = None


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class PartRow:
    """A row of a published data part.

    Attributes:
        doc_key: None if the row cannot be read.
        patient_key: None if there is none, and wherever `Format.holds_patient_key` is false.
        texts: scrubbed text by text column; None for no text.
        cells: every other column as `Format.cells` gives it.
    """

    doc_key: str | None
    patient_key: str | None
    texts: Mapping[str, str | None]
    cells: Mapping[str, str | None]


class Sink(Protocol):
    """An open binary file, committed when its `with` block ends well, as a storage `Writer` is."""

    def write(self, data: bytes, /) -> int:
        """Appends all of `data`."""

    def __enter__(self) -> Sink: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None: ...


OpenPart = Callable[[str], Sink]
"""Opens an output file by its name below the folder of the part."""


class PartWriter(Protocol):
    """Writes the rows of one part; its bytes depend on the rows, not on how `write` was called."""

    def write(self, table: pa.Table) -> None:
        """Appends rows; every call has the same schema."""

    def close(self) -> None:
        """Writes what is left and closes the files."""


class Format(Protocol):
    """One format; stateless."""

    @property
    def name(self) -> str:
        """Key in `FORMATS`."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Endings of file names, lower case, with the dot; the first is what is written."""

    @property
    def takes(self) -> frozenset[str]:
        """Names of the `Settings` that it heeds."""

    def configured(self, settings: Settings) -> Format:
        """The format with the settings that it heeds; the others mean nothing to it.

        Raises:
            UsageError: for a setting that it cannot be read with.
        """

    @property
    def sampled(self) -> bool:
        """Whether `columns` sees the beginning of a file alone, so that it may miss some."""

    @property
    def measure(self) -> str:
        """What `Locator.start` and `end` count."""

    @property
    def file_is_record(self) -> bool:
        """Whether every file is one locator and every locator one record."""

    @property
    def counts_rows(self) -> bool:
        """Whether a file says how many records it has, so that each one unread is an error row."""

    @property
    def holds_patient_key(self) -> bool:
        """Whether data parts have room for the patient_key; the documents table always has."""

    def check_roles(self, columns: Columns) -> None:
        """Checks the declared roles against what the format can write.

        Raises:
            UsageError: if a column of the format cannot have the role that it was given.
        """

    def check_types(self, storage: Reader, file: InputFile, columns: Columns) -> bool:
        """Checks the declared roles against the types that a file says its columns have.

        Returns:
            Whether that holds for all files of this schema; False if a column whose type cannot do
            for its role has no values in this file, so that the others are still to be looked at.

        Raises:
            UsageError: if a column has values, and none of its type can do for its role.
        """

    def columns(self, storage: Reader, file: InputFile) -> tuple[str, ...]:
        """Names of the columns in order, as far as a look at the beginning or footer tells.

        Raises:
            UsageError: if the file cannot be of this format.
        """

    def schema_token(self, storage: Reader, file: InputFile) -> str:
        """Files with different tokens may not share an output part."""

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """Stretches of about `split_bytes`; together they hold every record once.

        Raises:
            UsageError: if the file cannot be taken at all (a damaged archive); the message says
                why, without names.
        """

    def read(
        self,
        storage: Reader,
        file: InputFile,
        locator: Locator,
        columns: tuple[str, ...],
        limits: Limits,
    ) -> Iterator[Chunk]:
        """Yields the records of a stretch in order, in bounded memory. No content makes it raise.

        Args:
            storage: opens the file.
            file: as listed.
            locator: a stretch that `plan` gave.
            columns: the declared input columns, without hive keys.
            limits: which decide how records are cut into chunks, and never what a record is.

        Raises:
            StorageError: if storage fails.
        """

    def is_text(self, kind: pa.DataType) -> bool:
        """Whether cells of a type can hold free text."""

    def cells(self, column: pa.ChunkedArray | pa.Array) -> list[str | None]:
        """Cells as text for the content digest; never raises.

        Equal for equal values on any machine.
        """

    def decode(self, column: pa.ChunkedArray | pa.Array) -> list[object]:
        """Python values of cells, None for a missing one: str for text; never raises."""

    def encode_text(self, values: Sequence[str | None], like: pa.DataType) -> pa.Array:
        """Cells of the type `like` that hold texts, None as a missing value."""

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """A writer of one part, whose file names begin with `stem`. Opens no file yet."""

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields the rows of a data file that `writer` wrote, in order.

        Args:
            columns: of the run that wrote it.
        """


class PlainCells:
    """What formats share whose cells are the texts themselves, in Arrow's type string.

    Attributes:
        encoding: of the files that are written.
    """

    encoding: str = UTF8

    def check_types(self, storage: Reader, file: InputFile, columns: Columns) -> bool:
        """Nothing: only records say what their cells hold."""
        return True

    def schema_token(self, storage: Reader, file: InputFile) -> str:
        """Always empty: files of any columns may share a part."""
        return ""

    def is_text(self, kind: pa.DataType) -> bool:
        """Whether a cell is a text is for its value to say."""
        return True

    def cells(self, column: pa.ChunkedArray | pa.Array) -> list[str | None]:
        """The cells as they are."""
        values: list[str | None] = column.to_pylist()
        return values

    def decode(self, column: pa.ChunkedArray | pa.Array) -> list[object]:
        """The texts."""
        values: list[object] = column.to_pylist()
        return values

    def encode_text(self, values: Sequence[str | None], like: pa.DataType) -> pa.Array:
        """The texts.

        Raises:
            UsageError: for a text that the encoding cannot hold. What was read from such a file it
                always can: only a replacement may not.
        """
        for value in values:
            if value:
                require_encodable(value, self.encoding)
        return pa.array(values, pa.string())


def table_rows(
    form: Format, storage: Reader, file: InputFile, columns: Columns, available: Iterable[str]
) -> Iterator[PartRow]:
    """`Format.part_rows` of formats whose records carry doc_key and patient_key as columns.

    Args:
        available: the columns that the file may have.
    """
    written = (name for name, role in columns.roles if role in _WRITTEN)
    there = frozenset(available)
    names = tuple(name for name in (DOC_KEY, PATIENT_KEY, *written) if name in there)
    fields = columns.named(Role.TEXT)
    decoded = {DOC_KEY, PATIENT_KEY, *fields}
    limits = whole(file)
    for locator in form.plan(storage, 0, file, file.size + 1, limits):
        for chunk in form.read(storage, file, locator, names, limits):
            values: dict[str, Sequence[Any]] = {
                name: form.decode(column) if name in decoded else form.cells(column)
                for name, column in zip(names, chunk.columns.columns, strict=True)
            }
            for row in range(chunk.columns.num_rows):
                one = {name: column[row] for name, column in values.items()}
                yield PartRow(
                    one.pop(DOC_KEY, None),
                    one.pop(PATIENT_KEY, None),
                    {field: one.pop(field, None) for field in fields},
                    one,
                )


def whole(file: InputFile) -> Limits:
    """Limits that no record of a file is over: what was published was within them."""
    return Limits(
        # A line is measured in UTF-8, in which a byte of another encoding may be three.
        line_bytes=max(1, min(3 * file.size, _LONGEST_LINE_BYTES)),
        document_bytes=max(1, file.size),
        unpacked_ratio=UNKNOWN_SIZE,
    )


class ChunkCutter:
    """Cuts a stream of records into chunks by count and size alone.

    Attributes of a record: its cells in the order of the columns (None for a missing one), its size
        in bytes.
    """

    def __init__(self, columns: tuple[str, ...], limits: Limits) -> None:
        self._schema = pa.schema([(name, pa.string()) for name in columns])
        self._limits = limits
        self._clear()

    def add(
        self, cells: Sequence[str | None], size: int, error: str | None = None
    ) -> Iterator[Chunk]:
        """Adds a record; yields the chunk before it when it is full."""
        if self._rows and self._bytes + size > self._limits.batch_bytes:
            yield from self.rest()
        if error is not None:
            self._errors[len(self._rows)] = error
        self._rows.append(cells)
        self._bytes += size
        if len(self._rows) >= self._limits.batch_documents:
            yield from self.rest()

    def add_error(self, code: str) -> Iterator[Chunk]:
        """Adds a record that could not be read."""
        return self.add((None,) * len(self._schema), 0, code)

    def rest(self) -> Iterator[Chunk]:
        """Yields what is left."""
        rows, errors = self._rows, self._errors
        self._clear()
        if rows:
            cells = [
                pa.array([row[i] for row in rows], pa.string()) for i in range(len(self._schema))
            ]
            yield Chunk(pa.Table.from_arrays(cells, schema=self._schema), errors)

    def _clear(self) -> None:
        self._rows: list[Sequence[str | None]] = []
        self._errors: dict[int, str] = {}
        self._bytes = 0


class LazySink:
    """The one file of a part, opened by the first write and committed by `close`."""

    def __init__(self, open_part: OpenPart, name: str) -> None:
        self._open_part = open_part
        self._name = name
        self._stack = contextlib.ExitStack()
        self._sink: Sink | None = None

    def open(self) -> Sink:
        """The file, opened now if it was not yet."""
        if self._sink is None:
            self._sink = self._stack.enter_context(self._open_part(self._name))
        return self._sink

    def close(self) -> None:
        """Commits the file, if it was opened."""
        self._stack.close()
