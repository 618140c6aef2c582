"""What every format is: how a file is planned, read into chunks and sampled, and rows are written.

A chunk is an Arrow table of the declared columns. Its cells are the format's own: raw JSON in JSON
Lines, typed values in Parquet. `decode` and `encode_text` are the only bridge between cells and
Python values, so a column that is only passed on stays as it is.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import BinaryIO, Protocol

import pyarrow as pa

from ..core.arrays import Ints
from ..storage.input_files import InputFile
from .column_roles import Columns
from .nested_columns import Nesting
from .options import FormatOptions, Limits


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Locator:
    """A range of one input file.

    Attributes:
        file: index of the file in the plan.
        start, end: half-open, in the format's `FormatTraits.locator_unit`.
        bytes: its size, of archive members unpacked, by which units are packed.
    """

    file: int
    start: int
    end: int
    bytes: int


@dataclasses.dataclass(frozen=True, slots=True)
class SampleRange:
    """A part of a locator that can be read by itself.

    Attributes:
        locator: with its own size.
        rows: how many records it holds, if that is known without reading them.
    """

    locator: Locator
    rows: int | None = None


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Chunk:
    """Consecutive source records of one locator.

    Attributes:
        columns: one column for each declared input column, in the order of declaration.
        errors: row index -> error code (a fixed word) of records that could not be read; they stay
            rows, so that in = out + quarantined can be counted, and all their cells are null.
        first_rows: index of the first row of the note that each row is a line of; None if every row
            is a note.
    """

    columns: pa.Table
    errors: Mapping[int, str]
    first_rows: Ints | None = None


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class PartRow:
    """A row of a published data part.

    Attributes:
        doc_key: None if the row cannot be read.
        patient_key: None if there is none, and wherever `FormatTraits.holds_patient_key` is false.
        texts: scrubbed text by text column; None for no text.
        cells: every other column as `Format.cells` gives it.
    """

    doc_key: str | None
    patient_key: str | None
    texts: Mapping[str, str | None]
    cells: Mapping[str, str | None]


class Unreadable(Exception):  # noqa: N818 - not an error of the program
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
        """Writes the rows that are still held and closes the files."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class FormatTraits:
    """What holds for all files of a format.

    Attributes:
        locator_unit: what `Locator.start` and `end` count: "bytes", "members" or "row groups".
        options: names of the `FormatOptions` that the format reads.
        family: what its output is to readers; formats of one family look alike to them.
        columns_are_partial: whether `Format.columns` sees only the beginning of a file, so that it
            may miss some.
        file_is_record: whether every file is one locator and every locator one record.
        counts_rows: whether a file says how many records it has, so that each one that cannot be
            read is an error row.
        holds_patient_key: whether data parts have room for patient_key; the documents table always
            has.
        explicit_only: whether files are read in the format only if the user names it, because the
            endings of their names do not say it.
        told_by: the column that every record of such files has where another format reads them;
            empty for none.
        record: of a format of messages, the grammar of its records and the column that holds them;
            all roles lie within. Empty for tables.
        sign: of such a format whose endings others have as well, what stands near the beginning of
            its files.
    """

    locator_unit: str
    family: str
    options: frozenset[str] = frozenset()
    columns_are_partial: bool = False
    file_is_record: bool = False
    counts_rows: bool = False
    holds_patient_key: bool = False
    explicit_only: bool = False
    told_by: str = ""
    record: str = ""
    sign: re.Pattern[bytes] | None = None


class CellForm(Protocol):
    """What the cells of a chunk are: the bridge between them and Python values."""

    @property
    def nesting(self) -> Nesting | None:
        """How cells are opened that hold others; None if no cell does."""

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


class Format(CellForm, Protocol):
    """One format; stateless. `chunks.FormatDefaults` has what most formats share."""

    @property
    def name(self) -> str:
        """Key in `FORMATS`."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Endings of file names, lower case, with the dot; the first is what is written."""

    @property
    def traits(self) -> FormatTraits:
        """What holds for all its files."""

    def configured(self, options: FormatOptions) -> Format:
        """The format with those options that it reads; it ignores the others.

        Raises:
            UsageError: for an option with a value that it cannot read files with.
        """

    def check_roles(self, columns: Columns) -> None:
        """Checks the declared roles against what the format can write.

        Raises:
            UsageError: if a column of the format cannot have the role that was declared.
        """

    def check_types(self, storage: Reader, file: InputFile, columns: Columns) -> bool:
        """Checks the declared roles against the types that a file declares for its columns.

        Returns:
            Whether the result holds for all files of this schema; False if a column with a type
            that does not fit its role has no values in this file, so the other files need the same
            check.

        Raises:
            UsageError: if such a column has values.
        """

    def columns(self, storage: Reader, file: InputFile) -> tuple[str, ...]:
        """Names of the columns in order, as the beginning or the footer of the file shows them.

        Raises:
            UsageError: if the file cannot be of this format.
        """

    def schema_token(self, storage: Reader, file: InputFile) -> str:
        """Files with different tokens may not share an output part."""

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """Ranges of about `split_bytes`; together they hold every record once.

        Raises:
            UsageError: if the file cannot be read at all (a damaged archive); the message says why,
                without names.
        """

    def sample(
        self, storage: Reader, file: InputFile, locator: Locator, at: int, most_bytes: int
    ) -> SampleRange | None:
        """A part of a locator that can be read by itself, to sample a large input.

        Args:
            locator: a range that `plan` gave, not empty.
            at: byte of the locator, as its `bytes` count, near which the part begins.
            most_bytes: its approximate size; it has at least one member or row group.

        Returns:
            None if the locator can only be read from its beginning.
        """

    def read(
        self,
        storage: Reader,
        file: InputFile,
        locator: Locator,
        columns: tuple[str, ...],
        limits: Limits,
    ) -> Iterator[Chunk]:
        """Yields the records of a range in order, in bounded memory. No content makes it raise.

        Args:
            storage: opens the file.
            file: as listed.
            locator: a range that `plan` gave.
            columns: the declared input columns, without hive keys.
            limits: decide how records are cut into chunks, and never what a record is.

        Raises:
            StorageError: if storage fails.
        """

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """A writer of one part, whose file names begin with `stem`. Opens no file yet."""

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields the rows of a data file that `writer` wrote, in order.

        Args:
            columns: of the run that wrote it.
        """
