"""JSON Lines: an object per line, UTF-8, lines split only at line feeds.

A cell is the raw JSON of a value, verbatim: 1.10, 1e400, integers of any length, nested values and
escapes pass unchanged. A missing key is a null cell; a JSON null is the cell `null`. The objects'
own white space and key order are not kept.
"""

from __future__ import annotations

import decimal
import itertools
import json
import json.scanner
import re
from collections.abc import Iterable, Iterator, Sequence
from json.decoder import scanstring  # type: ignore[attr-defined]
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any, NoReturn

import pyarrow as pa

from ..core.display_names import ColumnNames
from ..core.errors import DocumentError, OverBudget
from ..storage.input_files import InputFile
from .chunks import ChunkCutter, LazySink, PlainCells, even_ranges, range_at, table_rows
from .column_roles import DOC_KEY, MOST_COLUMNS, PATIENT_KEY, Columns, Role
from .column_types import nested_json_error
from .nested_json import JsonNesting
from .options import Limits
from .protocol import (
    Chunk,
    FormatTraits,
    Locator,
    OpenPart,
    PartRow,
    PartWriter,
    Reader,
    SampleRange,
    Unreadable,
)

LOOK_BYTES = 256 * 1024
"""How much of a file `columns` looks at, unless its first record is longer."""

TAIL_BYTES = 256 * 1024
"""Blocks in which the rest of the last line is read, beyond the end of the range."""

MAX_DIGITS = 4000
"""Longest integer that `decode` makes an int of; Python itself refuses over 4300 digits."""

MAX_DEPTH = 200
"""Deepest nesting of a value. Far below Python's recursion limit, which depends on the caller."""

_BOM = b"\xef\xbb\xbf"
_SPACES = re.compile(r"[ \t\r\n]*").match
_PLAIN_KEY = re.compile(r'"([^"\\\x00-\x1f]*)"[ \t\r\n]*:[ \t\r\n]*').match
"""A key without escapes, and what lies between it and its value."""
_COMMA = re.compile(r"[ \t\r\n]*,[ \t\r\n]*").match
_BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)


class JsonLines(PlainCells):
    """The format `jsonl`."""

    name = "jsonl"
    suffixes = (".jsonl", ".ndjson")
    traits = FormatTraits(
        locator_unit="bytes",
        family="JSON Lines",
        columns_are_partial=True,
        holds_patient_key=True,
    )

    def columns(self, storage: Reader, file: InputFile) -> tuple[str, ...]:
        """Keys of the records at the file's beginning, by first appearance; see `LOOK_BYTES`."""
        found: dict[str, None] = {}
        for record in _first_records(storage, file):
            found.update(dict.fromkeys(key for key in record if _encodable(key)))
            if len(found) > MOST_COLUMNS:  # which planning refuses
                break
        return tuple(found)

    @property
    def nesting(self) -> JsonNesting:
        """Objects and arrays."""
        return JsonNesting(scan_record, scan_items, _string)

    def check_types(self, storage: Reader, file: InputFile, columns: Columns) -> bool:
        """Refuses what the file's beginning shows to be wrong with nested columns.

        That is values without a role within them, and the role text for columns of which all
        values are objects or lists.
        """
        trees = columns.nested
        texts = [name for name in columns.named(Role.TEXT) if not columns.is_path(name)]
        found: dict[str, None] = {}
        begin: dict[str, set[str]] = {name: set() for name in texts}
        for record in _first_records(storage, file):
            for name in trees.keys() & record.keys():
                found |= dict.fromkeys(self.nesting.undeclared(record[name], name, trees[name]))
            for name in begin.keys() & record.keys():
                begin[name].add(record[name][:1])
        require_declared(found, columns)
        for name, seen in begin.items():
            seen.discard("n")  # null
            if seen and seen <= {"{", "["}:
                raise nested_json_error(name, Role.TEXT, is_list=seen == {"["})
        return not trees

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """Even byte ranges; a record belongs to the one in which it starts."""
        return even_ranges(index, file, split_bytes)

    def read(
        self,
        storage: Reader,
        file: InputFile,
        locator: Locator,
        columns: tuple[str, ...],
        limits: Limits,
    ) -> Iterator[Chunk]:
        """Yields the records that start in [start, end); blank lines are none."""
        declared = frozenset(columns)
        cutter = ChunkCutter(columns, limits)
        lines = lines_of(storage, file, locator.start, locator.end, limits.line_bytes)
        try:
            for position, line in lines:
                if line is None:
                    yield from cutter.add_error("OverBudget:line")
                    continue
                record = _record(line, position == 0)
                if record is None:
                    continue
                if isinstance(record, dict):
                    if declared.issuperset(record):
                        yield from cutter.add([record.get(name) for name in columns], len(line))
                        continue
                    record = "UndeclaredColumn"
                yield from cutter.add_error(record)
        except Unreadable as error:
            yield from cutter.add_error(error.code)
        yield from cutter.rest()

    def sample(
        self, storage: Reader, file: InputFile, locator: Locator, at: int, most_bytes: int
    ) -> SampleRange:
        """The bytes from `at` on: a record can begin anywhere."""
        return range_at(locator, at, most_bytes)

    def decode(self, column: pa.ChunkedArray | pa.Array) -> list[object]:
        """Python values of raw JSON; numbers that are not integers become exact Decimals."""
        return [None if raw is None else _value(raw) for raw in column.to_pylist()]

    def encode_text(self, values: Sequence[str | None], like: pa.DataType) -> pa.Array:
        """Texts as JSON strings; what UTF-8 cannot hold (a lone surrogate) as an escape."""
        return pa.array([None if v is None else _string(v) for v in values], pa.string())

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """Writes `<stem>.jsonl`: keys in the order of the columns, null cells left out."""
        return _JsonLinesWriter(LazySink(open_part, stem + self.suffixes[0]))

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields one row per line; a line may lack any key."""
        declared = set(columns.inputs)
        return table_rows(self, storage, file, columns, {DOC_KEY, PATIENT_KEY, *declared})


def require_declared(found: Iterable[str], columns: Columns) -> None:
    """Refuses values within nested columns that have no role.

    Args:
        found: their paths.

    Raises:
        UsageError: with the paths, as messages name columns.
    """
    paths = list(found)
    if paths:
        declared = [name for name, _ in columns.roles]
        raise ColumnNames([*paths, *declared], declared).error(
            "nested columns hold values without a declared role: {columns}. Undeclared values are "
            f"never passed on. Add: {{options}} (ROLE is one of {', '.join(Role)})",
            paths,
        )


def _first_records(storage: Reader, file: InputFile) -> Iterator[dict[str, str]]:
    """Yields the records at the file's beginning; see `LOOK_BYTES`."""
    limits = Limits()
    good = False
    for position, line in lines_of(storage, file, 0, file.size, limits.line_bytes):
        if position >= (LOOK_BYTES if good else limits.line_bytes):
            break
        record = None if line is None else _record(line, position == 0)
        if isinstance(record, dict):
            good = True
            yield record


class _JsonLinesWriter:
    def __init__(self, sink: LazySink) -> None:
        self._sink = sink

    def write(self, table: pa.Table) -> None:
        if any(field.type != pa.string() for field in table.schema):
            raise TypeError("JSON Lines takes columns of raw JSON in Arrow's type string")
        keys = [f"{_string(name)}: " for name in table.column_names]
        sink = self._sink.open()
        for batch in table.to_batches(max_chunksize=1024):
            columns = [column.to_pylist() for column in batch.columns]
            rows = zip(*columns, strict=True) if columns else itertools.repeat((), batch.num_rows)
            lines = [
                "{"
                + ", ".join(
                    key + cell for key, cell in zip(keys, row, strict=True) if cell is not None
                )
                + "}\n"
                for row in rows
            ]
            if lines:
                sink.write("".join(lines).encode())

    def close(self) -> None:
        self._sink.close()


# -- lines


def lines_of(
    storage: Reader, file: InputFile, start: int, end: int, line_bytes: int
) -> Iterator[tuple[int, bytes | None]]:
    """Yields (byte offset, line without its line feed) of every line that starts in [start, end).

    A line over `line_bytes` is None and is never held. Reading begins a byte before `start`: a line
    starts at `start` only after a line feed.
    """
    begin = position = max(0, start - 1)
    pieces: list[bytes] = []
    held = 0
    wanted = begin >= start  # whether the line that begins at `begin` is ours and not yet given up
    blocks = itertools.chain(
        storage.read_blocks(file.url, position, end),
        storage.read_blocks(file.url, end, file.size, TAIL_BYTES),
    )
    for block in blocks:
        at = 0
        while (stop := block.find(b"\n", at)) >= 0:
            if wanted:
                if held + stop - at > line_bytes:
                    yield begin, None
                else:
                    yield begin, b"".join((*pieces, block[at:stop]))
            pieces, held, at = [], 0, stop + 1
            begin = position + at
            if begin >= end:
                return
            wanted = begin >= start
        position += len(block)
        if wanted:
            held += len(block) - at
            if held > line_bytes:
                yield begin, None
                pieces, wanted = [], False
            elif at < len(block):
                pieces.append(block[at:])
        if not wanted and position + 1 >= end:
            return
    if wanted and held:
        yield begin, b"".join(pieces)


# -- records


def _record(line: bytes, first: bool) -> dict[str, str] | str | None:
    """Raw JSON of each member of a line's object; or an error code; or None for a blank line."""
    if first and line.startswith(_BOM):
        line = line[len(_BOM) :]
    try:
        text = line.decode()
    except UnicodeDecodeError:
        return "BadEncoding"
    if not text.strip(" \t\r"):
        return None
    try:
        return scan_record(text)
    except DocumentError as error:
        return error.code


def scan_record(text: str) -> dict[str, str]:
    """The raw JSON of each member of the one object that a text holds.

    Strict JSON (RFC 8259): no NaN, no control characters in strings, nothing after the object.

    Raises:
        DocumentError: "BadJson", "NotAnObject", "DuplicateKey"; OverBudget "depth".
    """
    try:
        members, repeated = _members(text)
    except (ValueError, StopIteration, IndexError):
        code = "BadJson"
    except RecursionError:
        code = "OverBudget:depth"
    else:
        if members is None:
            code = "NotAnObject"
        elif repeated:
            code = "DuplicateKey"
        else:
            return members
    raise OverBudget("depth") if code == "OverBudget:depth" else DocumentError(code)


def _members(text: str) -> tuple[dict[str, str] | None, bool]:
    """The members (None if the value is not an object), and whether a key was repeated."""
    at = _after_spaces(text, 0)
    if text[at] != "{":
        _end_of_text(text, _value_end(text, at))
        return None, False
    members: dict[str, str] = {}
    repeated = False
    at = _after_spaces(text, at + 1)
    if text[at] == "}":
        _end_of_text(text, at + 1)
        return members, False
    while True:
        key, at = _key(text, at)
        end = _value_end(text, at)
        repeated |= key in members
        members[key] = text[at:end]
        comma = _COMMA(text, end)
        if comma is not None:
            at = comma.end()
            continue
        at = _after_spaces(text, end)
        if text[at] != "}":
            raise ValueError
        _end_of_text(text, at + 1)
        return members, repeated


def scan_items(text: str) -> list[str]:
    """The raw JSON of each item of the one array that a text holds.

    Raises:
        DocumentError: "BadJson"; OverBudget "depth".
    """
    try:
        return _items(text)
    except (ValueError, StopIteration, IndexError):
        pass
    except RecursionError:
        raise OverBudget("depth") from None
    raise DocumentError("BadJson")


def _items(text: str) -> list[str]:
    at = _after_spaces(text, 0)
    if text[at] != "[":
        raise ValueError
    items: list[str] = []
    at = _after_spaces(text, at + 1)
    if text[at] == "]":
        _end_of_text(text, at + 1)
        return items
    while True:
        end = _value_end(text, at)
        items.append(text[at:end])
        comma = _COMMA(text, end)
        if comma is not None:
            at = comma.end()
            continue
        at = _after_spaces(text, end)
        if text[at] != "]":
            raise ValueError
        _end_of_text(text, at + 1)
        return items


def _key(text: str, at: int) -> tuple[str, int]:
    """The key that begins at `at`, and the offset of its value."""
    plain = _PLAIN_KEY(text, at)
    if plain is not None:
        return plain[1], plain.end()
    if text[at] != '"':
        raise ValueError
    key, at = scanstring(text, at + 1, True)
    at = _after_spaces(text, at)
    if text[at] != ":":
        raise ValueError
    return key, _after_spaces(text, at + 1)


def _after_spaces(text: str, at: int) -> int:
    match = _SPACES(text, at)
    assert match is not None, "the pattern matches the empty text"
    return match.end()


def _end_of_text(text: str, at: int) -> None:
    if _after_spaces(text, at) != len(text):
        raise ValueError


def _value_end(text: str, at: int) -> int:
    """Offset past the value that begins at `at`."""
    if text[at] == '"':
        return int(scanstring(text, at + 1, True)[1])
    end = int(_scan(text, at)[1])
    if text[at] in "[{":
        _check_depth(text[at:end])
    return end


def _check_depth(raw: str) -> None:
    if raw.count("[") + raw.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for match in _BRACKETS.finditer(raw):
        sign = match[0]
        if sign in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise RecursionError
        elif sign in "]}":
            depth -= 1


def _refuse(word: str) -> NoReturn:
    raise ValueError


def _forget(number: str) -> None:
    """Numbers are only skipped: int() refuses over 4300 digits, and they pass as they are."""


_make_scanner: Any = json.scanner.make_scanner
_scan = _make_scanner(
    json.JSONDecoder(parse_float=_forget, parse_int=_forget, parse_constant=_refuse, strict=True)
)


# -- values


def _integer(digits: str) -> int | decimal.Decimal:
    return int(digits) if len(digits) <= MAX_DIGITS else decimal.Decimal(digits)


def _fraction(number: str) -> decimal.Decimal | float:
    try:
        value = decimal.Decimal(number)
    except decimal.InvalidOperation:  # an exponent of more than 18 digits
        return float(number)
    # int() of 1e999999999 would fill the memory.
    return value if abs(value.adjusted()) < MAX_DIGITS else float(number)


_decode: Any = json.JSONDecoder(parse_float=_fraction, parse_int=_integer).decode


def _value(raw: str) -> object:
    return scanstring(raw, 1, True)[0] if raw.startswith('"') else _decode(raw)


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _string(text: str) -> str:
    encoded: str = encode_basestring(text)
    return encoded if _encodable(text) else str(encode_basestring_ascii(text))
