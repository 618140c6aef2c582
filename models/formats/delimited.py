"""CSV and TSV: a header, then a record a line; quoted cells may hold delimiters and line breaks.

Source: RFC 4180, with other delimiters, quotes and escapes by `Settings`.

- A line ends with LF or CRLF. A lone CR is text; a file whose header has one is refused (old Mac).
- A quote opens a quoted cell only as its first character; elsewhere it is text (5'10" tall).
  Inside quotes a doubled quote is a quote; or, if there is an escape, that before a quote, escape,
  delimiter or line break stands for the second sign, and before anything else it is text.
- Cells are texts. An empty cell is null, a quoted empty one the empty text; both come back so. An
  empty line is no record, except in a file of one column, where it is an empty cell.
- A byte-order mark is no part of the first name, and is not written (but in UTF-16).
- What is written: a header always (without one, nobody could tell what c1 is now); LF; quotes only
  around cells that need them. How the input was quoted is not kept.
- Cells are never altered, not even where a spreadsheet would take them for formulas (= + - @).
  What Scrubline adds, doc_key and patient_key, is hexadecimal and never begins so.

Malformed quoting (text after a closing quote, a quote that is never closed) may have cut a note in
pieces that look like records, and a piece of a note must never pass as a column. So the whole
stretch up to the next quote that can end a cell, and from there to the end of its line, is
quarantined, an error row for each of its lines; after it reading goes on. Extents of records and of
such stretches depend on the bytes before them alone, never on limits, blocks or splits.
"""

from __future__ import annotations

import codecs
import dataclasses
import functools
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import pyarrow as pa
import re2

from ..errors import UsageError
from ..naming import ColumnNames
from ..roles import DOC_KEY, MOST_COLUMNS, Columns
from ..storage import InputFile
from .base import (
    UNKNOWN_SIZE,
    UTF8,
    Chunk,
    ChunkCutter,
    Format,
    LazySink,
    Limits,
    Locator,
    OpenPart,
    PartRow,
    PartWriter,
    PlainCells,
    Reader,
    Settings,
    Streamed,
    Unreadable,
    table_rows,
)
from .encodings import encoding_named, is_single_byte, require_encodable

HEADER_BYTES = 1 << 20
"""Longest header."""

_HEAD_BLOCK_BYTES = 1 << 16

_BOM = "\ufeff"
_UTF8_BOM = _BOM.encode()
_UTF16_BOMS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_LF, _CR = 0x0A, 0x0D

_SIGNS = {"delimiter": "--delimiter", "quote": "--quote", "escape": "--escape"}


class _Head(NamedTuple):
    """What the beginning of a file tells.

    Attributes:
        names: of the columns; none if the file has no record.
        start: offset of the first record after the header.
    """

    names: tuple[str, ...]
    start: int


class _Record(NamedTuple):
    """A stretch of a file.

    Attributes:
        end: offset past its line end.
        content: without its line end; None if it is malformed or over the limit.
        broken_lines: if its quoting is malformed, how many lines it spans; else 0.
    """

    end: int
    content: bytes | None
    broken_lines: int


@dataclasses.dataclass(frozen=True)
class Delimited(PlainCells):
    """The formats `csv` and `tsv`.

    Attributes:
        name, suffixes: see `Format`.
        delimiter, quote, escape, header, encoding: see `Settings`; an escape that equals the quote
            is none.
    """

    name: str
    suffixes: tuple[str, ...]
    delimiter: str
    quote: str = '"'
    escape: str | None = None
    header: bool = True
    encoding: str = UTF8

    sampled = False
    measure = "bytes"
    file_is_record = False
    counts_rows = False
    holds_patient_key = True
    takes = frozenset({"encoding", "delimiter", "quote", "escape", "header"})

    def configured(self, settings: Settings) -> Format:
        """With the dialect and encoding."""
        delimiter = self.delimiter if settings.delimiter is None else settings.delimiter
        quote, escape = settings.quote, settings.escape
        signs = {"delimiter": delimiter, **({"quote": quote} if quote else {})}
        signs |= {} if escape is None else {"escape": escape}
        for name, sign in signs.items():
            if len(sign) != 1 or not sign.isascii() or sign.isalnum() or sign in "\r\n":
                more = ""
                if sign == "\\t":
                    more = "; a tab itself is expected: $'\\t' in most shells, or the format tsv"
                raise UsageError(
                    f"{_SIGNS[name]}: expected one ASCII character that is no letter, digit or "
                    f"line break{more}"
                )
        if delimiter in (quote, escape):
            raise UsageError("--delimiter must differ from --quote and --escape")
        if escape is not None and not quote:
            raise UsageError("--escape works inside quotes; it means nothing with an empty --quote")
        return dataclasses.replace(
            self,
            delimiter=delimiter,
            quote=quote,
            escape=None if escape == quote else escape,
            header=settings.header,
            encoding=encoding_named(settings.encoding),
        )

    def check_roles(self, columns: Columns) -> None:
        """A record has room for any columns."""

    def columns(self, storage: Reader, file: InputFile) -> tuple[str, ...]:
        """The names in the header; or c1, c2, ... for the cells of the first good record.

        Raises:
            UsageError: if the header cannot be read, or a name is empty or comes twice.
        """
        return self._head(*self._bytes_of(storage, file)).names

    def schema_token(self, storage: Reader, file: InputFile) -> str:
        """Always empty: cells go by the names in each file's header, whatever their order."""
        return ""

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
            cuts = list(self._cuts(storage.read_blocks(file.url, start, file.size), start, edges))
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
        """Yields the records of [start, end); the header is read again for every stretch.

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
        except UsageError:  # planning refuses such files; none is half read if this one was not
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
        """Yields a row a record; one without a key where the header cannot be read."""
        written = dataclasses.replace(self, header=True)
        try:
            names = written.columns(storage, file)
        except (UsageError, Unreadable):
            names = (DOC_KEY,)
        return table_rows(written, storage, file, columns, names)

    # -- signs

    @property
    def signs(self) -> _Signs:
        """The dialect compiled."""
        return _compiled(self.delimiter, self.quote, self.escape)

    def record(self, cells: Iterable[str | None]) -> str:
        """A record with its line end.

        Raises:
            UsageError: see `encode_text`.
        """
        signs, quote = self.signs, self.quote
        if quote:
            line = self.delimiter.join(
                "" if cell is None
                else cell if cell and signs.is_plain(cell)
                else f"{quote}{signs.escaped(cell)}{quote}"
                for cell in cells
            )  # fmt: skip
            return line + "\n"
        held = [cell or "" for cell in cells]
        for cell in held:
            self._require_writable(cell)
        # A line feed alone would make the last cell's own carriage return part of the line end.
        return self.delimiter.join(held) + ("\r\n" if held[-1:] and held[-1][-1:] == "\r" else "\n")

    @property
    def codec(self) -> str:
        """The codec that texts are written with; a byte-order mark is written apart."""
        return "utf-16-le" if self.encoding == "utf-16" else self.encoding

    def _require_writable(self, text: str) -> None:
        if not self.quote and not self.signs.is_plain(text):
            raise UsageError(
                "a text holds the delimiter or a line break, and the files have no quotes to hold "
                "it in: use a --delimiter that no replacement holds"
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
        return _InUtf8(storage, file, self.encoding), dataclasses.replace(file, size=size)

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
        for record in _records(self.signs, blocks, start, most):
            if record.content == b"":
                continue
            if self.header:
                if record.content is None or (record.end == last and last < file.size):
                    raise UsageError(
                        "the header cannot be read: a quote in it is not closed, or text follows a "
                        f"closing quote, or it is longer than {HEADER_BYTES:,} bytes; are "
                        "--delimiter, --quote and --escape right?"
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
                f"a file begins as UTF-16 does and is read as {self.encoding}: is it --encoding "
                "utf-16?"
            )
        if not first.startswith(_UTF8_BOM):
            return 0
        if is_single_byte(self.encoding):
            raise UsageError(
                f"a file begins with the byte-order mark of UTF-8 and is read as {self.encoding}: "
                "is it --encoding utf-8?"
            )
        return len(_UTF8_BOM)

    def _names(self, header: bytes) -> tuple[str, ...]:
        text = self._text(header)
        if text is None:
            raise UsageError(f"the header is not {self.encoding}: give the right --encoding")
        if re.search("\r(?!\n)", text):
            raise UsageError(
                "the header holds a carriage return without a line feed: lines must end with LF or "
                "CRLF"
            )
        names = [name or "" for name in self._counted(text)]
        if empty := [n for n, name in enumerate(names, 1) if not name]:
            raise UsageError(
                f"the header has {len(names)} columns and no name for {len(empty)} of them, first "
                f"for column {empty[0]}"
            )
        if twice := [name for name, times in Counter(names).items() if times > 1]:
            raise ColumnNames(names).error(
                "the header names these columns more than once: {columns}", twice
            )
        return tuple(names)

    def _counted(self, record: str) -> list[str | None]:
        """The cells of the record that says how many columns there are."""
        cells = self.signs.cells(record, MOST_COLUMNS)
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
        for record in _records(self.signs, blocks, start, limits.line_bytes):
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
            cells = self.signs.cells(text, count)
            if cells is None or len(cells) != count:
                yield None, 0, "WrongCellCount"
            elif not declared:
                yield None, 0, "UndeclaredColumn"
            else:
                cells.append(None)
                yield [cells[place] for place in places], len(content), ""

    def _cuts(self, blocks: Iterable[bytes], start: int, edges: Sequence[int]) -> Iterator[int]:
        """Yields the first end of a record at or after each edge, ascending, none twice."""
        scan = _Scan(self.signs)
        todo = iter(edges)
        edge = next(todo, None)
        for block in blocks:
            at = 0
            while edge is not None and at < len(block):
                if scan.fresh and edge > start + at:
                    at = self.signs.skip(block, at, min(len(block), edge - start))
                if not scan.fresh or start + at < edge:
                    at = scan.advance(block, at)
                if scan.fresh and start + at >= edge:
                    yield start + at
                    while edge is not None and edge <= start + at:
                        edge = next(todo, None)
            if edge is None:
                return
            start += len(block)


class _Signs:
    """A dialect, compiled; in bytes for finding records, in text for their cells."""

    def __init__(self, delimiter: str, quote: str, escape: str | None) -> None:
        self.delimiter, self.quote, self.escape = delimiter, quote, escape
        # Re2 and re do not escape alike, but for this.
        d, q, x = (
            "".join(f"\\x{ord(c):02x}" for c in sign or "") for sign in (delimiter, quote, escape)
        )
        if not quote:
            quoted, special = "", f"[{d}\n]"
        elif not x:
            quoted, special = f"{q}[^{q}]*+(?:{q}{q}[^{q}]*+)*+{q}", f"[{d}{q}\r\n]|\\A{_BOM}"
        else:
            quoted = f"{q}[^{q}{x}]*+(?:{x}(?s:.)[^{q}{x}]*+)*+{q}"
            special = f"[{d}{q}\r\n]|\\A{_BOM}"
        cell = f"(?:{quoted}|[^{q}{d}\n][^{d}\n]*+|)" if quote else f"[^{d}\n]*+"
        record = f"{cell}(?:{d}{cell})*+\r?\n"
        pair = f"{x}(?s:.)" if x else q + q
        self._special = re.compile(special).search
        self._quoted = re.compile(quoted).match
        self._escaped = re.compile(f"{x}([{q}{x}{d}\\r\\n])") if x else None
        self._one = re.compile(record.encode()).match
        self._inside = re.compile(f"(?:[^{q}{x}]++|{pair})*+".encode()).match if quote else None
        # RE2 is several times as fast over many records, and knows no possessive repeats.
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        self._many = re2.compile(f"(?:{record})*".replace("*+", "*").encode(), options).match
        self.opening = (delimiter + quote).encode() if quote else b""

    def is_plain(self, cell: str) -> bool:
        """Whether a cell can be written without quotes; or at all, if there are none."""
        return self._special(cell) is None

    def escaped(self, cell: str) -> str:
        """What stands between quotes for a cell."""
        if self.escape is None:
            return cell.replace(self.quote, self.quote * 2)
        for sign in (self.escape, self.quote):
            cell = cell.replace(sign, self.escape + sign)
        return cell

    def cells(self, record: str, most: int) -> list[str | None] | None:
        """The cells of a well-formed record without its line end, None for an empty one.

        None if they are more than `most`, to hold no millions of nothing.
        """
        delimiter, quote = self.delimiter, self.quote
        if not quote or quote not in record:
            if record.count(delimiter) >= most:
                return None
            return [cell or None for cell in record.split(delimiter)]
        found: list[str | None] = []
        opening = delimiter + quote
        at = 0
        while True:
            if record.startswith(quote, at):
                match = self._quoted(record, at)
                assert match is not None, "a record is well-formed"
                cell = record[at + 1 : match.end() - 1]
                if self._escaped is not None:
                    cell = self._escaped.sub(r"\1", cell)
                else:
                    cell = cell.replace(quote * 2, quote)
                found.append(cell)
                if len(found) > most:
                    return None
                at = match.end() + 1
                if at > len(record):
                    return found
            else:
                stop = record.find(opening, at)
                rest = record[at:] if stop < 0 else record[at:stop]
                if len(found) + rest.count(delimiter) >= most:
                    return None
                found += [cell or None for cell in rest.split(delimiter)]
                if stop < 0:
                    return found
                at = stop + 1

    def skip(self, data: bytes, at: int, end: int) -> int:
        """Past the well-formed records that begin at `at`, one after another, and end by `end`."""
        match = self._many(data, at, end)
        return at if match is None else int(match.end())

    def one(self, data: bytes, at: int) -> int:
        """Past the well-formed record that begins at `at` if it ends in `data`, else -1."""
        match = self._one(data, at)
        return -1 if match is None else match.end()

    def inside(self, data: bytes, at: int) -> int:
        """Past what is surely inside quotes: at a quote or escape, or at the end of the data."""
        match = None if self._inside is None else self._inside(data, at)
        assert match is not None, "the pattern matches nothing at all"
        return match.end()


_compiled = functools.cache(_Signs)


class _Scan:
    """The state machine that finds where records end, over blocks of any size.

    Attributes:
        fresh: whether a record may begin here and none has.
        broken: whether the quoting of the record under way is malformed. It then goes on to the
            next quote that can end a cell, and from there to the end of a line.
    """

    def __init__(self, signs: _Signs) -> None:
        self._signs = signs
        self._delimiter = ord(signs.delimiter)
        self._quote = ord(signs.quote) if signs.quote else -1
        self._escape = ord(signs.escape) if signs.escape is not None else -1
        self.begin()

    def begin(self) -> None:
        """Forgets the record under way."""
        self.fresh, self.broken = True, False
        self._state = self._cell

    @property
    def closed(self) -> bool:
        """Whether the record under way could end here."""
        return self._state not in (self._inside, self._after_escape)

    def advance(self, data: bytes, at: int) -> int:
        """Goes on to the end of the record.

        Returns:
            at: past its line feed, with `fresh` set (`broken` then tells of the record that ended);
                or the length of `data`, with `fresh` unset unless there was no data.
        """
        if at == len(data):
            return at
        if self.fresh:
            self.begin()
            if (end := self._signs.one(data, at)) >= 0:
                return end
            self.fresh = False
        self._line_feed = -1
        while at < len(data):
            at = self._state(data, at)
            if self.fresh:
                break
        return at

    # States: each looks at data[at:], which is not empty, sets the next state, gives the next `at`.

    def _cell(self, data: bytes, at: int) -> int:
        """At the beginning of a cell."""
        if data[at] == self._quote:
            self._state = self._inside
            return at + 1
        return self._plain(data, at)

    def _plain(self, data: bytes, at: int) -> int:
        """In cells without quotes, up to one that has them."""
        # Looked for once, not once a cell: there may be millions before it.
        if self._line_feed < at:
            found = data.find(b"\n", at)
            self._line_feed = found if found >= 0 else len(data)
        if self._quote >= 0:
            opening = data.find(self._signs.opening, at, self._line_feed)
            if opening >= 0:
                self._state = self._inside
                return opening + 2
        if self._line_feed < len(data):
            return self._end(self._line_feed)
        self._state = self._cell if data[-1] == self._delimiter else self._plain
        return len(data)

    def _inside(self, data: bytes, at: int) -> int:
        """Inside quotes."""
        at = self._signs.inside(data, at)
        if at == len(data):
            return at
        self._state = self._after_quote if data[at] == self._quote else self._after_escape
        return at + 1

    def _after_escape(self, data: bytes, at: int) -> int:
        self._state = self._inside
        return at + 1

    def _after_quote(self, data: bytes, at: int) -> int:
        """After a quote inside quotes."""
        sign = data[at]
        if sign == self._delimiter:
            self._state = self._cell
        elif sign == _LF:
            return self._end(at)
        elif sign == _CR:
            self._state = self._after_return
        elif sign == self._quote and self._escape < 0:
            self._state = self._inside
        else:
            return self._break(at)
        return at + 1

    def _after_return(self, data: bytes, at: int) -> int:
        """After a closing quote and a carriage return."""
        return self._end(at) if data[at] == _LF else self._break(at)

    def _break(self, at: int) -> int:
        self.broken = True
        self._state = self._inside
        return at

    def _end(self, line_feed: int) -> int:
        self.fresh = True
        self._state = self._cell
        return line_feed + 1


def _records(
    signs: _Signs, blocks: Iterable[bytes], start: int, most_bytes: int
) -> Iterator[_Record]:
    """Yields the records of a stretch that begins with one, in order and without gaps.

    Args:
        signs: the dialect.
        blocks: the stretch.
        start: its offset in the file.
        most_bytes: more than that of one record are never held.
    """
    scan = _Scan(signs)
    pieces: list[bytes] = []
    held = lines = 0  # bytes held, line feeds seen, of the record under way
    dropped = False
    last = _LF

    def finished() -> _Record:
        content = b"".join(pieces)
        content = content[:-1] if content.endswith(b"\n") else content
        content = content[:-1] if content.endswith(b"\r") else content
        if scan.broken:
            return _Record(start, None, lines)
        good = not dropped and len(content) <= most_bytes
        return _Record(start, content if good else None, 0)

    for block in blocks:
        at = 0
        while at < len(block):
            end = scan.advance(block, at)
            start += end - at
            if scan.fresh and not pieces and not dropped and not scan.broken:
                # Most records lie in one block.
                stop = end - 2 if end - at > 1 and block[end - 2] == _CR else end - 1
                good = stop - at <= most_bytes
                yield _Record(start, block[at:stop] if good else None, 0)
                at = end
                continue
            lines += block.count(b"\n", at, end)
            held += end - at
            if not dropped:
                pieces.append(block[at:end])
            if held > most_bytes + 2:  # but for its line end
                pieces, dropped = [], True
            if scan.fresh:
                yield finished()
                pieces, held, lines, dropped = [], 0, 0, False
            at = end
        last = block[-1]
    if held:
        lines += last != _LF
        scan.broken |= not scan.closed
        yield finished()


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
            mark = _BOM if dialect.encoding == "utf-16" else ""
            sink.write((mark + dialect.record(table.column_names)).encode(dialect.codec))
        for batch in table.to_batches(max_chunksize=1024):
            rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            sink.write("".join(map(dialect.record, rows)).encode(dialect.codec))

    def close(self) -> None:
        self._sink.close()


@dataclasses.dataclass(frozen=True)
class _InUtf8(Streamed):
    """The content of one file in UTF-8.

    What is not in the encoding becomes bytes that are not UTF-8, so that a record which holds it is
    found out as any other that cannot be decoded.
    """

    storage: Reader
    file: InputFile
    encoding: str

    def blocks(self, block_bytes: int) -> Iterator[bytes]:
        """Yields it, decoded block by block.

        Raises:
            UsageError: if a file in `utf-16` does not say of which order its bytes are.
        """
        codec, begin = self.encoding, 0
        if codec == "utf-16":
            mark = self.storage.read_range(self.file.url, 0, min(2, self.file.size))
            if not mark:
                return
            if mark not in _UTF16_BOMS:
                raise UsageError(
                    "a file in utf-16 does not begin with a byte-order mark: give --encoding "
                    "utf-16-le or utf-16-be"
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
