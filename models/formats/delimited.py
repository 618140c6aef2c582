"""CSV and TSV: a header, then a record a line; quoted cells may hold delimiters and line breaks.

Source: RFC 4180, with other delimiters, quotes and escapes by `FormatOptions`.

- A line ends with LF or CRLF. A lone CR is text; a file whose header has one is refused (old Mac).
- A quote opens a quoted cell only as its first character; elsewhere it is text (5'10" tall).
  Inside quotes a doubled quote is a quote; or, if there is an escape, that before a quote, escape,
  delimiter or line break stands for the second sign, and before anything else it is text.
- Cells are texts. An empty cell is null, a quoted empty one the empty text; both come back so. An
  empty line is not a record, except in a file of one column, where it is an empty cell.
- A byte-order mark is not part of the first name, and is written only in UTF-16.
- Written files always have a header (without one, the meaning of c1 would be lost), LF, and quotes
  only around cells that need them. The quoting of the input is not kept.
- Cells are never altered, not even where a spreadsheet would take them for formulas (= + - @).
  What Scrubline adds, doc_key and patient_key, is hexadecimal and never begins so.

Malformed quoting (text after a closing quote, a quote that is never closed) may have cut a note in
pieces that look like records, and a piece of a note must never pass as a column. So the whole range
up to the next quote that can end a cell, and from there to the end of its line, is quarantined, an
error row for each of its lines; then reading continues. Extents of records and of such ranges
depend only on the bytes before them, never on limits, blocks or splits.
"""

from __future__ import annotations

import codecs
import dataclasses
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Self

import pyarrow as pa

from ..core.display_names import ColumnNames
from ..core.errors import UsageError
from ..storage.input_files import InputFile
from .chunks import ChunkCutter, LazySink, PlainCells, Streamed, table_rows
from .column_roles import DOC_KEY, MOST_COLUMNS, Columns
from .csv_dialect import BOM, Dialect, compiled, likely_delimiter
from .csv_scan import cut_at_records, read_records
from .encodings import encoding_named, is_single_byte, require_encodable
from .options import UNKNOWN_SIZE, UTF8, FormatOptions, Limits
from .protocol import (
    Chunk,
    FormatTraits,
    Locator,
    OpenPart,
    PartRow,
    PartWriter,
    Reader,
    Unreadable,
)

HEADER_BYTES = 1 << 20
"""Longest header."""

_HEAD_BLOCK_BYTES = 1 << 16

_UTF8_BOM = BOM.encode()
_UTF16_BOMS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}

_OPTION_OF = {"delimiter": "--delimiter", "quote": "--quote", "escape": "--escape"}


class _Head(NamedTuple):
    """What the beginning of a file shows.

    Attributes:
        names: of the columns; none if the file has no record.
        start: offset of the first record after the header.
    """

    names: tuple[str, ...]
    start: int


@dataclasses.dataclass(frozen=True)
class Delimited(PlainCells):
    """The formats `csv` and `tsv`.

    Attributes:
        name, suffixes: see `Format`.
        delimiter, quote, escape, header, encoding: see `FormatOptions`; an escape equal to the
            quote means no escape.
    """

    name: str
    suffixes: tuple[str, ...]
    delimiter: str
    quote: str = '"'
    escape: str | None = None
    header: bool = True
    encoding: str = UTF8

    traits = FormatTraits(
        locator_unit="bytes",
        family="CSV",
        options=frozenset({"encoding", "delimiter", "quote", "escape", "header"}),
        holds_patient_key=True,
    )

    def configured(self, options: FormatOptions) -> Self:
        """The format with the dialect and encoding."""
        delimiter = self.delimiter if options.delimiter is None else options.delimiter
        quote, escape = options.quote, options.escape
        characters = {"delimiter": delimiter, **({"quote": quote} if quote else {})}
        characters |= {} if escape is None else {"escape": escape}
        for name, character in characters.items():
            if (
                len(character) != 1
                or not character.isascii()
                or character.isalnum()
                or character in "\r\n"
            ):
                more = ""
                if character == "\\t":
                    more = "; for a tab, write $'\\t' in most shells, or use --format tsv"
                raise UsageError(
                    f"{_OPTION_OF[name]}: expected one ASCII character other than a letter, digit "
                    f"or line break{more}"
                )
        if delimiter in (quote, escape):
            raise UsageError("--delimiter must differ from --quote and --escape")
        if escape is not None and not quote:
            raise UsageError(
                "--escape only works inside quotes, so it cannot be used with an empty --quote"
            )
        return dataclasses.replace(
            self,
            delimiter=delimiter,
            quote=quote,
            escape=None if escape == quote else escape,
            header=options.header,
            encoding=encoding_named(options.encoding),
        )

    def columns(self, storage: Reader, file: InputFile) -> tuple[str, ...]:
        """The names in the header; or c1, c2, ... for the cells of the first good record.

        Raises:
            UsageError: if the header cannot be read, or a name is empty or repeated.
        """
        return self._head(*self._bytes_of(storage, file)).names

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """Byte ranges that begin where a record does; a file to be split is read through for it.

        What is not read as bytes (UTF-16 and other encodings of many bytes) is never split.
        """
        cuts = []
        if split_bytes < file.size and self._is_byte_wise:
            start = self._head(storage, file).start
            parts = -(-file.size // split_bytes)
            edges = [file.size * part // parts for part in range(1, parts)]
            blocks = storage.read_blocks(file.url, start, file.size)
            cuts = list(cut_at_records(self.dialect, blocks, start, edges))
        bounds = [0, *(cut for cut in cuts if cut < file.size), file.size]
        return [Locator(index, a, b, b - a) for a, b in itertools.pairwise(bounds) if a < b]

    def read(
        self,
        storage: Reader,
        file: InputFile,
        locator: Locator,
        columns: tuple[str, ...],
        limits: Limits,
    ) -> Iterator[Chunk]:
        """Yields the records of [start, end); the header is read again for every range.

        A declared column that the file does not have is null; all records of a file with an
        undeclared one are errors. Limits count the bytes of what is not read as bytes in UTF-8.
        """
        cutter = ChunkCutter(columns, limits)
        try:
            for cells, size, code in self._rows(storage, file, locator, columns, limits):
                if cells is None:
                    yield from cutter.add_error(code)
                else:
                    yield from cutter.add(cells, size)
        except Unreadable as error:
            yield from cutter.add_error(error.code)
        except UsageError:  # planning refuses such files, so this one has changed since
            if locator.start == 0:
                yield from cutter.add_error("BadHeader")
        yield from cutter.rest()

    def encode_text(self, values: Sequence[str | None], like: pa.DataType) -> pa.Array:
        """The texts.

        Raises:
            UsageError: for a text that files of this dialect and encoding cannot hold. Cells of
                such a file always can: only a replacement may not.
        """
        for value in values:
            if value:
                self._require_writable(value)
        if not self.quote:  # which has no way to say an empty text
            values = [value or None for value in values]
        return pa.array(values, pa.string())

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """Writes `<stem>.csv` (or .tsv): a header, then the rows; null as an empty cell."""
        return _DelimitedWriter(LazySink(open_part, stem + self.suffixes[0]), self)

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields one row per record; one without a key where the header cannot be read."""
        written = dataclasses.replace(self, header=True)
        try:
            names = written.columns(storage, file)
        except (UsageError, Unreadable):
            names = (DOC_KEY,)
        return table_rows(written, storage, file, columns, names)

    # -- the dialect

    @property
    def dialect(self) -> Dialect:
        """Delimiter, quote and escape, compiled."""
        return compiled(self.delimiter, self.quote, self.escape)

    def record(self, cells: Iterable[str | None]) -> str:
        """A record with its line end.

        Raises:
            UsageError: see `encode_text`.
        """
        dialect, quote = self.dialect, self.quote
        if quote:
            line = self.delimiter.join(
                "" if cell is None
                else cell if cell and dialect.is_plain(cell)
                else f"{quote}{dialect.escaped(cell)}{quote}"
                for cell in cells
            )  # fmt: skip
            return line + "\n"
        held = [cell or "" for cell in cells]
        for cell in held:
            self._require_writable(cell)
        # A bare line feed would make the last cell's own carriage return part of the line end.
        return self.delimiter.join(held) + ("\r\n" if held[-1:] and held[-1][-1:] == "\r" else "\n")

    @property
    def codec(self) -> str:
        """The codec that texts are written with; a byte-order mark is written apart."""
        return "utf-16-le" if self.encoding == "utf-16" else self.encoding

    def _require_writable(self, text: str) -> None:
        if not self.quote and not self.dialect.is_plain(text):
            raise UsageError(
                "a text contains the delimiter or a line break, which files without quotes cannot "
                "hold: use a --delimiter that no replacement contains"
            )
        require_encodable(text, self.encoding)

    # -- files as bytes in which ASCII is ASCII

    @property
    def _is_byte_wise(self) -> bool:
        return self.encoding == UTF8 or is_single_byte(self.encoding)

    def _bytes_of(self, storage: Reader, file: InputFile) -> tuple[Reader, InputFile]:
        if self._is_byte_wise:
            return storage, file
        size = UNKNOWN_SIZE if file.size else 0
        return _Transcoded(storage, file, self.encoding), dataclasses.replace(file, size=size)

    def _text(self, content: bytes) -> str | None:
        try:
            return content.decode(self.encoding if self._is_byte_wise else UTF8)
        except UnicodeDecodeError:
            return None

    # -- records

    def _head(self, storage: Reader, file: InputFile) -> _Head:
        """Reads the header, or as many records as it takes to count columns.

        Raises:
            UsageError: see `columns`.
        """
        # Not the job's own limits: what the columns are must not depend on them.
        most = HEADER_BYTES if self.header else Limits().line_bytes
        start = self._after_mark(storage.read_range(file.url, 0, min(file.size, 4)))
        last = min(file.size, start + HEADER_BYTES) if self.header else file.size
        blocks = storage.read_blocks(file.url, start, last, _HEAD_BLOCK_BYTES)
        for record in read_records(self.dialect, blocks, start, most):
            if record.content == b"":
                continue
            if self.header:
                if record.content is None or (record.end == last and last < file.size):
                    raise UsageError(
                        "the header cannot be read: a quote is not closed, text follows a closing "
                        f"quote, or it is longer than {HEADER_BYTES:,} bytes; check --delimiter, "
                        "--quote and --escape"
                    )
                return _Head(self._names(record.content), record.end)
            text = None if record.content is None else self._text(record.content)
            if text is not None:
                count = len(self._counted(text))
                return _Head(tuple(f"c{n}" for n in range(1, count + 1)), start)
        return _Head((), start)

    def _after_mark(self, first: bytes) -> int:
        """Offset past a byte-order mark in the first bytes of a file."""
        if self._is_byte_wise and first[:2] in _UTF16_BOMS and 0 in first:
            raise UsageError(
                f"a file that starts like UTF-16 is read as {self.encoding}: should it be "
                "--encoding utf-16?"
            )
        if not first.startswith(_UTF8_BOM):
            return 0
        if is_single_byte(self.encoding):
            raise UsageError(
                f"a file with the byte-order mark of UTF-8 is read as {self.encoding}: should it "
                "be --encoding utf-8?"
            )
        return len(_UTF8_BOM)

    def _names(self, header: bytes) -> tuple[str, ...]:
        """The names in a header.

        Raises:
            UsageError: see `columns`; and if it is one name that another delimiter makes several.
        """
        text = self._text(header)
        if text is None:
            raise UsageError(f"the header is not valid {self.encoding}: set the right --encoding")
        if re.search("\r(?!\n)", text):
            raise UsageError(
                "the header contains a carriage return without a line feed: lines must end with LF "
                "or CRLF"
            )
        names = [name or "" for name in self._counted(text)]
        if empty := [n for n, name in enumerate(names, 1) if not name]:
            raise UsageError(
                f"the header has {len(names)} columns, of which {len(empty)} have no name; the "
                f"first is column {empty[0]}"
            )
        if twice := [name for name, times in Counter(names).items() if times > 1]:
            raise ColumnNames(names).error(
                "the header names these columns more than once: {columns}", twice
            )
        if len(names) == 1 and (meant := likely_delimiter(names[0])):
            raise UsageError(
                f"the header is a single column, and looks as if it were several: {meant}"
            )
        return tuple(names)

    def _counted(self, record: str) -> list[str | None]:
        """The cells of the record that says how many columns there are."""
        cells = self.dialect.cells(record, MOST_COLUMNS)
        if cells is None:
            raise UsageError(
                f"a file has more than {MOST_COLUMNS:,} columns: is --delimiter right?"
            )
        return cells

    def _rows(
        self,
        storage: Reader,
        file: InputFile,
        locator: Locator,
        columns: tuple[str, ...],
        limits: Limits,
    ) -> Iterator[tuple[Sequence[str | None] | None, int, str]]:
        """Yields (cells in the order of `columns`, size in bytes, "") or (None, 0, error code)."""
        storage, source = self._bytes_of(storage, file)
        head = self._head(storage, source)
        count = len(head.names)
        declared = set(head.names) <= set(columns)
        # One more cell, always null, stands for the columns that this file does not have.
        place_of = {name: place for place, name in enumerate(head.names)}
        places = [place_of.get(name, count) for name in columns]
        start = max(locator.start, head.start)
        end = locator.end if source is file else source.size
        blocks = storage.read_blocks(source.url, start, end)
        for record in read_records(self.dialect, blocks, start, limits.line_bytes):
            content = record.content
            if content is None:
                code = "BadQuote" if record.broken_lines else "OverBudget:line"
                yield from itertools.repeat((None, 0, code), record.broken_lines or 1)
                continue
            if not content and count != 1:
                continue
            text = self._text(content)
            if text is None:
                yield None, 0, "BadEncoding"
                continue
            cells = self.dialect.cells(text, count)
            if cells is None or len(cells) != count:
                yield None, 0, "WrongCellCount"
            elif not declared:
                yield None, 0, "UndeclaredColumn"
            else:
                cells.append(None)
                yield [cells[place] for place in places], len(content), ""


class _DelimitedWriter:
    def __init__(self, sink: LazySink, dialect: Delimited) -> None:
        self._sink = sink
        self._dialect = dialect
        self._begun = False

    def write(self, table: pa.Table) -> None:
        if any(field.type != pa.string() for field in table.schema):
            raise TypeError("CSV takes columns of texts in Arrow's type string")
        if table.num_rows == 0:
            return
        sink, dialect = self._sink.open(), self._dialect
        if not self._begun:
            self._begun = True
            mark = BOM if dialect.encoding == "utf-16" else ""
            sink.write((mark + dialect.record(table.column_names)).encode(dialect.codec))
        for batch in table.to_batches(max_chunksize=1024):
            rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            sink.write("".join(map(dialect.record, rows)).encode(dialect.codec))

    def close(self) -> None:
        self._sink.close()


@dataclasses.dataclass(frozen=True)
class _Transcoded(Streamed):
    """The content of one file in UTF-8.

    Bytes that are not in the encoding become bytes that are not UTF-8, so that their record is
    found like any other that cannot be decoded.
    """

    storage: Reader
    file: InputFile
    encoding: str

    def blocks(self, block_bytes: int) -> Iterator[bytes]:
        """Yields it, decoded block by block.

        Raises:
            UsageError: if a file in `utf-16` does not say the order of its bytes.
        """
        codec, begin = self.encoding, 0
        if codec == "utf-16":
            mark = self.storage.read_range(self.file.url, 0, min(2, self.file.size))
            if not mark:
                return
            if mark not in _UTF16_BOMS:
                raise UsageError(
                    "a file in utf-16 has no byte-order mark: set --encoding utf-16-le or utf-16-be"
                )
            codec, begin = _UTF16_BOMS[mark], 2
        # Of UTF-16, only a lone surrogate can be wrong; elsewhere, bytes over 127.
        errors = "surrogatepass" if codec.startswith("utf-16") else "surrogateescape"
        decoder = codecs.getincrementaldecoder(codec)(errors)
        if block_bytes:
            blocks = self.storage.read_blocks(self.file.url, begin, self.file.size, block_bytes)
        else:
            blocks = self.storage.read_blocks(self.file.url, begin, self.file.size)
        for block in blocks:
            if text := decoder.decode(block):
                yield text.encode(UTF8, "surrogatepass")
        try:
            text = decoder.decode(b"", True)
        except UnicodeDecodeError:
            yield b"\xff"
        else:
            yield text.encode(UTF8, "surrogatepass")


CSV = Delimited("csv", (".csv",), ",")
TSV = Delimited("tsv", (".tsv", ".tab"), "\t")
