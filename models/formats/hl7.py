"""HL7 v2: files of messages, alone or in batches; each message is a record.

A message begins at a segment MSH. What stands around messages is left out: the bytes of MLLP (HL7
v2.8.2 chapter 2, appendix C), and the envelopes of batches and files (FHS, BHS, BTS, FTS), for an
output part holds messages of many files. Within a message every byte stays that nothing replaces.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator
from typing import Self

import pyarrow as pa

from ..messages.hl7 import HL7
from ..messages.hl7_escapes import BAD_MESSAGE
from ..storage.input_files import InputFile
from .chunks import LazySink
from .encodings import decode
from .message_files import MessageFiles
from .options import UTF8, FormatOptions, Limits
from .protocol import Locator, OpenPart, PartWriter, Reader, Unreadable

_START = re.compile(rb"(?:\A(?:\xef\xbb\xbf)?|(?<=[\r\n\x0b\x1c]))MSH(?=[^A-Za-z0-9\s])")
_LONGEST_START = 5
"""The byte before a start, its name, and the sign behind that."""

_ENVELOPE = re.compile(
    rb"(?:(?:\A|[\r\n\x0b\x1c]+)(?:FHS|BHS|BTS|FTS)(?![A-Za-z0-9])[^\r\n\x0b\x1c]*)+\Z"
)
"""At the end of a message: what frames it may end before."""

_AROUND = b"\r\n\x0b\x1c"
_BOM = b"\xef\xbb\xbf"
_SEGMENT_END = re.compile("\r\n|\r|\n")


@dataclasses.dataclass(frozen=True)
class Hl7Files(MessageFiles):
    """The format `hl7`.

    Attributes:
        encoding: of its files, read and written.
    """

    encoding: str = UTF8

    name = "hl7"
    suffixes = (".hl7",)
    grammar = HL7
    family = "HL7 v2"
    options = frozenset({"encoding"})

    def configured(self, options: FormatOptions) -> Self:
        """The format with the encoding."""
        return dataclasses.replace(self, encoding=options.encoding)

    def records(
        self, storage: Reader, file: InputFile, locator: Locator, limits: Limits
    ) -> Iterator[tuple[str | None, int, str]]:
        """See `MessageFiles`: the messages that start in a range of bytes."""
        try:
            for raw in _messages(storage, file, locator.start, locator.end, limits.line_bytes):
                if raw is None:
                    yield None, 0, "OverBudget:line"
                elif content := _ENVELOPE.sub(b"", raw.removeprefix(_BOM).strip(_AROUND)):
                    text = decode(content, self.encoding)
                    if not content.startswith(b"MSH"):
                        yield None, len(content), BAD_MESSAGE
                    else:
                        yield text, len(content), "BadEncoding" if text is None else ""
        except Unreadable as error:
            yield None, 0, error.code

    def writer(self, open_part: OpenPart, stem: str) -> PartWriter:
        """Writes `<stem>.hl7`: one message after another, each with its own ends of segments."""
        return _Hl7Writer(LazySink(open_part, stem + self.suffixes[0]), self.encoding)


class _Hl7Writer:
    def __init__(self, sink: LazySink, encoding: str) -> None:
        self._sink, self._encoding = sink, encoding

    def write(self, table: pa.Table) -> None:
        sink = self._sink.open()
        for record in table.column(HL7.name).to_pylist():
            end = _SEGMENT_END.search(record)
            sink.write((record + (end.group() if end else "\r")).encode(self._encoding))

    def close(self) -> None:
        self._sink.close()


def _messages(
    storage: Reader, file: InputFile, start: int, end: int, most_bytes: int
) -> Iterator[bytes | None]:
    """Yields the bytes from each start of a message in [start, end) to the next one.

    What stands before the first message of a file is yielded as well. A message over `most_bytes`
    is None and is never held.
    """
    begin = max(0, start - 1)
    held = b""
    at = begin
    """Offset of the first byte that is held."""
    is_ours = start == 0
    is_over = False

    def rest(content: bytes) -> Iterator[bytes | None]:
        if is_ours:
            yield None if is_over or len(content) > most_bytes else content

    for block in storage.read_blocks(file.url, begin, file.size):
        looked = max(0, len(held) - _LONGEST_START)
        held += block
        cut = 0
        for match in _START.finditer(held, looked):
            # What was held at a cut looks like a beginning, and only the file's is one.
            if match.start() == 0 and at > 0:
                continue
            if match.start() > cut or at + match.start() > begin:
                yield from rest(held[cut : match.start()])
            cut, is_over = match.start(), False
            is_ours = start <= at + cut < end
            if at + cut >= end:
                return
        at += cut
        held = held[cut:]
        if len(held) > most_bytes or not is_ours:
            is_over = is_over or is_ours
            at += max(0, len(held) - _LONGEST_START)
            held = held[-_LONGEST_START:]
    yield from rest(held)
