"""FHIR: a resource or Bundle a line, or files that hold each as JSON over several lines.

How a file begins tells. Where its first line is a whole JSON object, each line is a record, as of a
bulk export (FHIR Bulk Data Access 2.0.0, 3.4), and the file is read in ranges. Otherwise it holds
one JSON text, or one after another, and is read as a whole. An output part holds records of files
of one of the two kinds, each as it was but for what was replaced, and a line feed behind it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
from collections.abc import Iterator

import pyarrow as pa

from ..messages.fhir import FHIR
from ..storage.input_files import InputFile
from .chunks import LazySink
from .column_roles import Columns
from .json_texts import JsonTexts
from .jsonl import lines_of
from .message_files import MessageFiles
from .options import Limits
from .protocol import (
    FormatTraits,
    Locator,
    OpenPart,
    PartRow,
    PartWriter,
    Reader,
    SampleRange,
    Unreadable,
)

LOOK_BYTES = 64 * 1024
"""How much of a file is looked at to see how it begins; a longer first line is a record."""

_SIGN = re.compile(rb'"resourceType"\s*:')
_BOM = b"\xef\xbb\xbf"
_SPACES = b" \t\r\n"
LINES, TEXTS = "lines", "texts"


class FhirFiles(MessageFiles):
    """The format `fhir`."""

    name = "fhir"
    suffixes = (".ndjson", ".json")
    grammar = FHIR
    family = "FHIR"

    @property
    def traits(self) -> FormatTraits:
        """Those of messages; files that end so may hold any JSON."""
        return dataclasses.replace(super().traits, explicit_only=True, sign=_SIGN)

    def schema_token(self, storage: Reader, file: InputFile) -> str:
        """How the file is read: a part holds either what lines hold, or whole texts."""
        with contextlib.suppress(Unreadable):
            return _layout(storage, file)
        return LINES

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """Even byte ranges of lines; any other file as a whole."""
        if file.size and _layout(storage, file) == TEXTS:
            return [Locator(index, 0, file.size, file.size)]
        return super().plan(storage, index, file, split_bytes, limits)

    def sample(
        self, storage: Reader, file: InputFile, locator: Locator, at: int, most_bytes: int
    ) -> SampleRange | None:
        """The bytes from `at` on, of lines; None for any other file."""
        if _layout(storage, file) == TEXTS:
            return None
        return super().sample(storage, file, locator, at, most_bytes)

    def records(
        self, storage: Reader, file: InputFile, locator: Locator, limits: Limits
    ) -> Iterator[tuple[str | None, int, str]]:
        """See `MessageFiles`: lines or texts that start in a range of bytes."""
        try:
            if locator.start == 0 and _layout(storage, file) == TEXTS:
                yield from _texts(storage, file, limits)
                return
            lines = lines_of(storage, file, locator.start, locator.end, limits.line_bytes)
            for position, line in lines:
                if line is None:
                    yield None, 0, "OverBudget:line"
                elif content := _content(line, is_first=position == 0):
                    yield _record(content)
        except Unreadable as error:
            yield None, 0, error.code

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """Writes `<stem>.ndjson`: one record after another, as each was."""
        return _FhirWriter(LazySink(open_part, stem + self.suffixes[0]))

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields a row a record, also where records of one line and of several follow another."""
        return _Parts().part_rows(storage, file, columns)


class _Parts(FhirFiles):
    """Files that this format wrote: their records are JSON, however they are cut into lines."""

    def records(
        self, storage: Reader, file: InputFile, locator: Locator, limits: Limits
    ) -> Iterator[tuple[str | None, int, str]]:
        return _texts(storage, file, limits)

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        for row in MessageFiles.part_rows(self, storage, file, columns):
            # Its value is that of all ids of resources, with the type before it.
            key = None if row.doc_key is None else row.doc_key.rpartition("/")[2]
            yield dataclasses.replace(row, doc_key=key)


class _FhirWriter:
    def __init__(self, sink: LazySink) -> None:
        self._sink = sink

    def write(self, table: pa.Table) -> None:
        sink = self._sink.open()
        for record in table.column(FHIR.name).to_pylist():
            sink.write(record.encode() + b"\n")

    def close(self) -> None:
        self._sink.close()


def _layout(storage: Reader, file: InputFile) -> str:
    """Whether a file is read as lines or as whole texts.

    The first line that is not blank ends in a brace where it is a record, be it a broken one.
    """
    begin = b""
    for block in storage.read_blocks(file.url, 0, min(file.size, LOOK_BYTES), LOOK_BYTES):
        begin += block
        line, feed, _ = begin.removeprefix(_BOM).lstrip(_SPACES).partition(b"\n")
        if feed:
            return LINES if line.rstrip(_SPACES).endswith(b"}") else TEXTS
    return LINES


def _texts(
    storage: Reader, file: InputFile, limits: Limits
) -> Iterator[tuple[str | None, int, str]]:
    blocks = storage.read_blocks(file.url, 0, file.size)
    first = True
    for text in JsonTexts(limits.line_bytes).cut(blocks):
        if text is None:
            yield None, 0, "OverBudget:line"
        elif content := _content(text, is_first=first):
            yield _record(content)
        first = False


def _content(raw: bytes, *, is_first: bool) -> bytes:
    """A record without white space around it, and without the mark with which a file may begin."""
    return (raw.removeprefix(_BOM) if is_first else raw).strip(_SPACES)


def _record(content: bytes) -> tuple[str | None, int, str]:
    try:
        return content.decode(), len(content), ""
    except UnicodeDecodeError:
        return None, len(content), "BadEncoding"
