"""CDA documents, of C-CDA and others: XML, a document a file.

A file is read in the encoding that it declares, and written in the same, of a few that XML has in
common with all systems. Source: XML 1.0 (Fifth Edition), section 4.3.3 and appendix F.
"""

from __future__ import annotations

import codecs
import dataclasses
import re
from collections.abc import Iterator
from typing import Final

import pyarrow as pa

from ..core.errors import DocumentError
from ..messages.ccda import CCDA
from ..storage.input_files import InputFile
from .column_roles import Columns
from .encodings import decode, require_encodable
from .message_files import MessageFiles
from .nested_texts import texts_of_rows
from .options import UTF8, Limits
from .protocol import FormatTraits, Locator, OpenPart, PartRow, PartWriter, Reader, SampleRange
from .text import named_texts, whole_content

_UTF16: Final = "utf-16"
_LITTLE, _BIG = "utf-16-le", "utf-16-be"
_ENCODINGS: Final = {
    "utf-8": UTF8,
    "us-ascii": "ascii",
    "iso-8859-1": "iso8859-1",
    "windows-1252": "cp1252",
    "utf-16": _UTF16,
    "utf-16le": _LITTLE,
    "utf-16be": _BIG,
}
"""Names of encodings, in lower case -> the codec; `_UTF16` says nothing of the order of bytes."""

_SIGNS: Final = (
    (codecs.BOM_UTF16_LE, _LITTLE),
    (codecs.BOM_UTF16_BE, _BIG),
    (b"<\0", _LITTLE),
    (b"\0<", _BIG),
    (codecs.BOM_UTF8, UTF8),
)
"""What a file begins with whose encoding shows by itself."""

_DECLARED = re.compile(
    r"""\ufeff?<\?xml\s[^<>]{0,200}?\sencoding\s*=\s*(["'])([A-Za-z][A-Za-z0-9._-]{0,40})\1"""
)
_SIGN = re.compile(rb"<(?:[\w.-]+:)?ClinicalDocument[\s>]")
_LONGEST_DECLARATION: Final = 400


@dataclasses.dataclass(frozen=True)
class CcdaFiles(MessageFiles):
    """The format `ccda`; its files end in `.xml`, as those of many formats do."""

    name = "ccda"
    suffixes = (".xml",)
    grammar = CCDA
    family = "C-CDA"

    @property
    def traits(self) -> FormatTraits:
        """Those of messages; a file is a record."""
        return dataclasses.replace(
            super().traits, file_is_record=True, explicit_only=True, sign=_SIGN
        )

    def is_standard(self, name: str) -> bool:
        """False: what the standard names has a role."""
        return False

    def plan(
        self, storage: Reader, index: int, file: InputFile, split_bytes: int, limits: Limits
    ) -> list[Locator]:
        """The whole file: a document is never split."""
        return [Locator(index, 0, file.size, file.size)]

    def sample(
        self, storage: Reader, file: InputFile, locator: Locator, at: int, most_bytes: int
    ) -> SampleRange | None:
        """None: a document is read as a whole."""
        return None

    def records(
        self, storage: Reader, file: InputFile, locator: Locator, limits: Limits
    ) -> Iterator[tuple[str | None, int, str]]:
        """See `MessageFiles`: the one document of the file, whatever the range."""
        content = whole_content(storage, file, limits)
        if isinstance(content, str):
            yield None, 0, content
            return
        record = _decoded(content)
        yield record, len(content), "BadEncoding" if record is None else ""

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """Writes `<stem>/<doc_key>.xml` for each document."""
        return _CcdaWriter(open_part, stem)

    def part_rows(self, storage: Reader, file: InputFile, columns: Columns) -> Iterator[PartRow]:
        """Yields the one row; its doc_key is the file's name."""
        content = whole_content(storage, file, Limits.of_published(file.size))
        record = None if isinstance(content, str) else _decoded(content)
        if record is None:
            yield PartRow(None, None, {self.grammar.name: None}, {})
            return
        name = self.grammar.name
        table = pa.table({name: pa.array([record], pa.string())})
        opened = self.nesting.open(table.column(0), name, columns.nested[name])
        if opened.errors:
            raise DocumentError(opened.errors[0])
        key = file.path.rsplit("/", 1)[-1].removesuffix(self.suffixes[0])
        yield PartRow(key, None, texts_of_rows(self, columns, table)[0], {name: record})


class _CcdaWriter:
    def __init__(self, open_part: OpenPart, stem: str) -> None:
        self._open_part, self._stem = open_part, stem

    def write(self, table: pa.Table) -> None:
        for key, record in named_texts(table, CCDA.name):
            content = _encoded(record)
            with self._open_part(f"{self._stem}/{key}{CcdaFiles.suffixes[0]}") as sink:
                sink.write(content)

    def close(self) -> None:
        """Nothing is open between rows."""


def _decoded(content: bytes) -> str | None:
    """The text of a file; None if it is not in its encoding, or in one that is not supported.

    A byte-order mark is part of the text.
    """
    beginning = content[:_LONGEST_DECLARATION]
    seen = next((codec for sign, codec in _SIGNS if beginning.startswith(sign)), "")
    declared = _declared(beginning.decode(seen or "latin-1", "replace"))
    if not seen:
        fits = declared not in (None, _UTF16, _LITTLE, _BIG)
    elif seen == UTF8:
        fits = declared in ("", UTF8)
    else:
        fits = declared in ("", _UTF16, seen)
    return decode(content, seen or declared or UTF8) if fits else None


def _declared(beginning: str) -> str | None:
    """The codec of what a document declares, "" for nothing; None for one that is not supported."""
    match = _DECLARED.match(beginning)
    return "" if match is None else _ENCODINGS.get(match[2].lower())


def _encoded(record: str) -> bytes:
    """A document in the encoding that it declares, UTF-16 little-endian where that is open.

    Raises:
        UsageError: if a replacement has a character that the encoding lacks.
    """
    encoding = _declared(record[:_LONGEST_DECLARATION]) or UTF8
    encoding = _LITTLE if encoding == _UTF16 else encoding
    require_encodable(record, encoding)
    return record.encode(encoding)
