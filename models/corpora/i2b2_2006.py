"""The XML of the 2006 i2b2 challenge: all documents in one file, spans as tags in the text.

    <ROOT>
    <RECORD ID="7">
    <TEXT>Seen by Dr. <PHI TYPE="DOCTOR">Who</PHI></TEXT>
    </RECORD>
    </ROOT>

The text is everything between `<TEXT>` and `</TEXT>`, including line feeds at its ends. Line ends
are those of XML; see `i2b2_2014`. Tags cannot overlap, and there are eight labels.

Source: Uzuner, Luo and Szolovits 2007, "Evaluating the state-of-the-art in automatic
de-identification".
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from typing import IO

from .base import (
    AnnotatedDocument,
    Annotation,
    CorpusError,
    StreamFormat,
    disjoint,
    refuse_label,
    unique,
)
from .markup import attribute, check_characters, escaped, read_events

ROOT = "ROOT"

LABELS = ("PATIENT", "DOCTOR", "HOSPITAL", "ID", "DATE", "LOCATION", "PHONE", "AGE")

_PATH = (ROOT, "RECORD", "TEXT", "PHI")


def parse(content: bytes, name: str) -> list[AnnotatedDocument]:
    """The documents of a whole file; see `read`."""
    return list(read(io.BytesIO(content), name))


def render(documents: Iterable[AnnotatedDocument]) -> bytes:
    """The whole file; see `write`."""
    return b"".join(write(documents))


def read(stream: IO[bytes], name: str = "") -> Iterator[AnnotatedDocument]:
    """Yields each document when its record ends; `name` is unused, since records have ids.

    Raises:
        CorpusError: at the first invalid line.
    """
    handler = _RecordHandler()
    try:
        for _ in read_events(stream, handler):
            yield from handler.finished
            handler.finished.clear()
    except CorpusError:
        # The documents before the error, wherever the file was split into blocks.
        yield from handler.finished
        raise


class _RecordHandler:
    """Collects one record at a time.

    Attributes:
        finished: documents that were not yielded yet.
    """

    def __init__(self) -> None:
        self.line = 0
        self.finished: list[AnnotatedDocument] = []
        self._open = 0
        self._seen: set[str] = set()
        self._id = ""
        self._texts = 0
        self._pieces: list[str] = []
        self._length = 0
        self._spans: list[Annotation] = []
        self._begun = 0
        self._label = ""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        if self._open == len(_PATH):
            self._wrong("NestedTag", "an element inside PHI; spans cannot nest")
        if name != _PATH[self._open]:
            self._wrong("UnknownTag", f"expected the element {_PATH[self._open]}")
        self._open += 1
        if name == "RECORD":
            if "ID" not in attributes:
                self._wrong("MissingKey", 'the record has no "ID"')
            self._id = attributes["ID"]
            if self._id in self._seen:
                self._wrong("DuplicateDocId", "an earlier record has the same ID")
            self._seen.add(self._id)
            self._texts, self._pieces, self._length, self._spans = 0, [], 0, []
        elif name == "TEXT":
            self._texts += 1
            if self._texts > 1:
                self._wrong("UnknownTag", "the record has a second element TEXT")
        elif name == "PHI":
            self._begun, self._label = self._length, attributes.get("TYPE", "")
            if not self._label:
                self._wrong("EmptyLabel", "the tag has no TYPE")

    def end(self, name: str) -> None:
        self._open -= 1
        if name == "PHI":
            if self._begun == self._length:
                self._wrong("EmptySpan", "the tag covers no text")
            self._spans.append(Annotation(self._begun, self._length, self._label))
        elif name == "RECORD":
            if not self._texts:
                self._wrong("MissingText", "the record has no element TEXT")
            text = "".join(self._pieces)
            self.finished.append(AnnotatedDocument(self._id, text, tuple(self._spans)))

    def text(self, data: str) -> None:
        if self._open > _PATH.index("TEXT"):
            self._pieces.append(data)
            self._length += len(data)
        elif not data.isspace():
            self._wrong("StrayText", "there is text outside TEXT")

    def _wrong(self, fault: str, what: str) -> None:
        raise CorpusError(self.line, fault, what)


def write(documents: Iterable[AnnotatedDocument]) -> Iterator[bytes]:
    """Yields the file, one chunk for each record.

    Raises:
        CorpusError: if spans of a document overlap, a label is not one of the eight, two documents
            have the same id, or XML cannot hold the text or id.
    """
    yield f'<?xml version="1.0" encoding="UTF-8" ?>\n<{ROOT}>\n'.encode()
    for number, document in unique(documents, "document"):
        yield _render(document, number).encode()
    yield f"</{ROOT}>\n".encode()


def _render(document: AnnotatedDocument, number: int) -> str:
    check_characters(document.text, number, "text")
    check_characters(document.doc_id, number, "doc_id")
    pieces, done = [], 0
    for span in disjoint(document, number):
        if span.label not in LABELS:
            refuse_label(
                number,
                span.label,
                "is not one of i2b2 2006's labels; map it (--label-map i2b2_2006 for native ones)",
            )
        pieces += [
            escaped(document.text[done : span.start]),
            f'<PHI TYPE="{span.label}">{escaped(document.text[span.start : span.end])}</PHI>',
        ]
        done = span.end
    pieces.append(escaped(document.text[done:]))
    return f"<RECORD ID={attribute(document.doc_id)}>\n<TEXT>{''.join(pieces)}</TEXT>\n</RECORD>\n"


FORMAT = StreamFormat("i2b2_2006", (".xml",), read, write)
