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
from collections.abc import Iterator, Sequence

import pyarrow as pa

from ..core.errors import UsageError
from ..messages.fhir import FHIR
from ..messages.fhir_roles import is_element
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
_LOOK_FOR_XML = 1024
_AND = ". Also, "
_TYPE = ".resourceType"
_MISTYPED = (
    "the input holds values that are not of the type that FHIR gives them (a string in the place "
    "of a number, an object in that of a list): {columns}. Correct them where they come from: "
    "their records would be held back. A role lifts the check for all values of its name; "
    "--column NAME=drop leaves them all out"
)
_UNKNOWN_TYPES = (
    "the input holds types of resources that neither FHIR R4 nor R5 has: {columns}. Leave their "
    "records out of the input; within Bundles, --column TYPE=drop leaves them out"
)
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
        return dataclasses.replace(
            super().traits, explicit_only=True, told_by=_TYPE[1:], sign=_SIGN
        )

    def check_types(self, storage: Reader, file: InputFile, columns: Columns) -> bool:
        """See `MessageFiles`; refuses XML as well, which is not read."""
        begin = b"".join(storage.read_blocks(file.url, 0, min(file.size, _LOOK_FOR_XML)))
        if begin.removeprefix(_BOM).lstrip(_SPACES).startswith(b"<"):
            raise UsageError(
                "the input is XML: of FHIR, JSON alone is read; ask the server for "
                "application/fhir+json, or convert the files"
            )
        return super().check_types(storage, file, columns)

    def is_standard(self, name: str) -> bool:
        """Whether the elements of a name are those of FHIR."""
        return is_element(name)

    def why_undeclared(self, name: str) -> str:
        """See `MessageFiles`."""
        if name.endswith(_TYPE):
            return "neither FHIR R4 nor R5 has this type: leave its records out of the input"
        if is_element(name):
            return "some are not of the type that FHIR gives them; this leaves out all of the name"
        return super().why_undeclared(name)

    def undeclared_error(self, names: Sequence[str]) -> UsageError:
        """See `MessageFiles`; a role is no remedy for what is not of its type."""
        types = [name.removesuffix(_TYPE) for name in names if name.endswith(_TYPE)]
        rest = [name for name in names if name.partition(".")[0] not in types]
        mistyped = [name for name in rest if is_element(name)]
        errors = []
        if unknown := [name for name in rest if name not in mistyped]:
            errors.append(super().undeclared_error(unknown))
        if mistyped:
            errors.append(self.names_of(mistyped).error(_MISTYPED, mistyped))
        if types:
            errors.append(self.names_of(types, "type").error(_UNKNOWN_TYPES, types))
        return UsageError(
            _AND.join(map(str, errors)), on_terminal=_AND.join(one.on_terminal for one in errors)
        )

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
