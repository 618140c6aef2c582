r"""The files of PhysioNet's de-identification corpus: all notes in one file, PHI located in others.

`id.text` has the notes, each with the numbers of its patient and of the note; `doc_id` is the two
with a hyphen between, "7-2":

    START_OF_RECORD=7||||2||||
    Seen by Dr. Who
    ||||END_OF_RECORD

`id-phi.phrase` has a line for each span, with its type and the covered text; `id.deid` has the
offsets alone, the first of them twice, for those notes that have PHI:

    7 2 12 15 HCPName Who

    Patient 7	Note 2
    12	12	15

All three are written. `id.text` and one of the others are enough to read; from `id.deid` alone the
label of each span is "PHI". With both, they must locate the same. `id.phi`, what the software
found, has the form of `id.deid` and is read in its place if the user names it.

What the sources say, and what is done where they differ or are silent:

- Offsets begin with 0 at the first character of the line after `START_OF_RECORD`, and the end is
  one past the last character. All public readers agree: those that slice a note without its first
  line, and those that subtract the length of that line and its line feed from offsets in a whole
  record.
- The software counts bytes, readers in Python count code points. Both are equal in ASCII. In other
  notes offsets count code points, and phrases must confirm it: without them such spans are refused.
- A phrase must match the covered text, with runs of white space equal. A line without a phrase is
  taken as it is.
- Readers take the mark of the end at the end of any line, anywhere in a line, or alone in its line.
  Only the last is read, the others are refused. Its line feed, and the one before it, belong to the
  mark, so a note need not end with a line feed. Only white space may stand between records.
- Scorers take the first or the second of the three numbers for the start. They must be equal.
- Of two lists for one note, one scorer keeps the last and another keeps both: it is refused.
- Columns are separated by blanks or tabs.
- Lines end with LF. Marks with CR LF are refused, since a converted file has shifted offsets. In
  the other files, without offsets of their own, CR LF is read.
- Types are any words, and spans may overlap.

Source: Neamatullah et al. 2008, "Automated de-identification of free-text medical records"; the
description of the package "deid" 1.1 on physionet.org; its scorer `stat.pm`; public readers.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from .base import (
    BYTE_ORDER_MARK,
    AnnotatedDocument,
    Annotation,
    CorpusError,
    GroupFormat,
    blanked,
    decoded,
    encoded,
    in_order,
    place,
    refuse,
    unique,
)

UNTYPED = "PHI"
"""The label of spans that are located without a type."""

TEXTS, PHRASES, LOCATIONS, FOUND = ".text", "-phi.phrase", ".deid", ".phi"
"""Endings; `FOUND` takes the place of `LOCATIONS`."""

_BEGIN, _END = b"START_OF_RECORD=", b"||||END_OF_RECORD"
_NUMBER = "[0-9]{1,18}"
_HEADER = re.compile(rf"START_OF_RECORD=({_NUMBER})\|\|\|\|({_NUMBER})\|\|\|\|".encode())
_DOC_ID = re.compile(f"({_NUMBER})-({_NUMBER})")
_NOTE = re.compile(f"patient[ \t]+({_NUMBER})[ \t]+note[ \t]+({_NUMBER})", re.IGNORECASE)
_COLUMNS = 5
"""Of a line of phrases, before the phrase."""

_Located = dict[str, list[tuple[Annotation, bool]]]
"""Of each note its spans, each with whether its text was compared."""


def parse(contents: Sequence[bytes | None], name: str = "") -> list[AnnotatedDocument]:
    """The documents of a group of files.

    Args:
        contents: of the files with the endings `TEXTS`, `PHRASES` and `LOCATIONS`; None for one
            that is not there. The first and one of the others must be.
        name: unused, since notes have numbers.

    Raises:
        CorpusError: at the first invalid line.
    """
    content, phrases, locations = contents
    if content is None or (phrases is None and locations is None):
        raise CorpusError(1, "MissingText", "the texts, or all files that locate PHI, are missing")
    with _named(TEXTS):
        texts = _texts(content)
    with _named(PHRASES):
        typed = None if phrases is None else _phrases(phrases, texts)
    with _named(LOCATIONS):
        untyped = None if locations is None else _locations(locations, texts)
    if typed is not None and untyped is not None:
        _require_same(texts, typed, untyped)
    spans_of = untyped if typed is None else typed
    assert spans_of is not None
    documents = []
    for doc_id, (line, text) in texts.items():
        found = spans_of.get(doc_id, [])
        if not text.isascii() and not all(is_compared for _, is_compared in found):
            what = "the note is not ASCII: only phrases tell how offsets are counted"
            raise CorpusError(line, "NotAscii", what, place=f"{TEXTS} line")
        documents.append(AnnotatedDocument(doc_id, text, tuple(span for span, _ in found)))
    return documents


def render(documents: Iterable[AnnotatedDocument]) -> dict[str, bytes]:
    """File name -> content; see `GroupFormat.render`."""
    return FORMAT.render(documents)


# -- reading


@contextlib.contextmanager
def _named(ending: str) -> Iterator[None]:
    """Says in errors which of the files the line is in."""
    try:
        yield
    except CorpusError as error:
        raise CorpusError(error.line, error.fault, error.what, place=f"{ending} line") from None


def _texts(content: bytes) -> dict[str, tuple[int, str]]:
    """Each note's `doc_id` -> the line of its first mark, and its text."""
    if content.startswith(BYTE_ORDER_MARK):
        raise CorpusError(1, "ByteOrderMark", "the file must begin with its first record")
    found: dict[str, tuple[int, str]] = {}
    at, number = 0, 1
    while at < len(content):
        line_end = content.find(b"\n", at)
        line_end = len(content) if line_end < 0 else line_end
        header = content[at:line_end]
        if not header.strip(b" \t\r"):
            at, number = line_end + 1, number + 1
            continue
        match = _HEADER.fullmatch(header)
        if match is None:
            what = "expected `START_OF_RECORD=patient||||note||||` with two numbers, LF at its end"
            raise CorpusError(number, "BadLine", what)
        doc_id = f"{match[1].decode()}-{match[2].decode()}"
        if doc_id in found:
            raise CorpusError(number, "DuplicateDocId", "an earlier record has the same numbers")
        begin = line_end + 1
        mark = content.find(_END, begin)
        if mark < 0:
            raise CorpusError(number, "BadLine", "the file ends before the record does")
        body = content[begin : max(begin, mark - 1)]
        lines = content.count(b"\n", begin, mark)
        after = mark + len(_END)
        if content[mark - 1 : mark] != b"\n" or content[after : after + 1] not in (b"", b"\n"):
            what = "expected `||||END_OF_RECORD` alone in its line, LF at its end"
            raise CorpusError(number + 1 + lines, "BadLine", what)
        if body.startswith(_BEGIN) or b"\n" + _BEGIN in body:
            raise CorpusError(number, "BadLine", "another record begins before this one ends")
        try:
            found[doc_id] = number, decoded(body)
        except CorpusError as error:
            raise CorpusError(number + error.line, error.fault, error.what) from None
        at, number = after + 1, number + 2 + lines
    return found


def _lines(content: bytes) -> Iterator[tuple[int, str]]:
    """The lines of a file of annotations that are not blank, with their numbers."""
    if content.startswith(BYTE_ORDER_MARK):
        raise CorpusError(1, "ByteOrderMark", "the file must begin with its first annotation")
    for number, line in enumerate(decoded(content).split("\n"), start=1):
        if line and not line.isspace():
            yield number, line


def _phrases(content: bytes, texts: dict[str, tuple[int, str]]) -> _Located:
    found: _Located = {}
    for number, line in _lines(content):
        columns = line.split(maxsplit=_COLUMNS)
        if len(columns) < _COLUMNS or not all(
            re.fullmatch(_NUMBER, column) for column in columns[: _COLUMNS - 1]
        ):
            raise CorpusError(number, "BadLine", "expected `patient note start end type phrase`")
        doc_id = f"{columns[0]}-{columns[1]}"
        text = _text_of(doc_id, texts, number)
        span = place(int(columns[2]), int(columns[3]), columns[4], len(text), number)
        has_phrase = len(columns) > _COLUMNS
        if has_phrase and columns[_COLUMNS].split() != text[span.start : span.end].split():
            what = "the phrase is not the covered text; without phrases, offsets are not checked"
            raise CorpusError(number, "SpanTextsDiffer", what)
        # A text of white space has no phrase that a column could show.
        is_compared = has_phrase or text[span.start : span.end].isspace()
        found.setdefault(doc_id, []).append((span, is_compared))
    return found


def _locations(content: bytes, texts: dict[str, tuple[int, str]]) -> _Located:
    found: _Located = {}
    doc_id = text = None
    for number, line in _lines(content):
        if match := _NOTE.fullmatch(line.strip()):
            doc_id = f"{match[1]}-{match[2]}"
            text = _text_of(doc_id, texts, number)
            if doc_id in found:
                raise CorpusError(number, "DuplicateDocId", "an earlier line names the same note")
            found[doc_id] = []
            continue
        numbers = line.split(maxsplit=3)
        if len(numbers) != 3 or not all(re.fullmatch(_NUMBER, one) for one in numbers):
            what = "expected `Patient number Note number`, or `start start end`"
            raise CorpusError(number, "BadLine", what)
        if doc_id is None or text is None:
            raise CorpusError(number, "BadLine", "offsets before the first `Patient ... Note ...`")
        first, start, end = map(int, numbers)
        if first != start:
            raise CorpusError(number, "BadLine", "the first two numbers differ")
        found[doc_id].append((place(start, end, UNTYPED, len(text), number), False))
    return found


def _text_of(doc_id: str, texts: dict[str, tuple[int, str]], number: int) -> str:
    if doc_id not in texts:
        raise CorpusError(number, "UnknownRecord", "the file of texts has no such record")
    return texts[doc_id][1]


def _require_same(texts: dict[str, tuple[int, str]], typed: _Located, untyped: _Located) -> None:
    for doc_id, (line, _) in texts.items():
        places = [
            Counter((span.start, span.end) for span, _ in located.get(doc_id, ()))
            for located in (typed, untyped)
        ]
        if places[0] != places[1]:
            what = f"the files {PHRASES} and {LOCATIONS} locate different spans of the record"
            raise CorpusError(line, "FilesDiffer", what, place=f"{TEXTS} line")


# -- writing


def _write(documents: Iterable[AnnotatedDocument]) -> Iterator[tuple[bytes, ...]]:
    """Yields for each document its pieces of the files, in the order of the endings.

    Raises:
        CorpusError: if an id is not two numbers, a text holds a mark of the form, a label contains
            white space, or two documents have the same id.
    """
    for number, document in unique(documents, "document"):
        yield _pieces(document, number)


def _pieces(document: AnnotatedDocument, number: int) -> tuple[bytes, ...]:
    match = _DOC_ID.fullmatch(document.doc_id)
    if match is None:
        what = "the doc_id must be the numbers of a patient and of a note with a hyphen between"
        refuse(number, "BadDocId", what)
    body = encoded(document.text, number)
    if _END in body or body.startswith(_BEGIN) or b"\n" + _BEGIN in body:
        refuse(number, "RecordMark", "the text contains what begins or ends a record in this form")
    patient, note = match.groups()
    spans = in_order(document.spans)
    phrases, locations = [], []
    for span in spans:
        if len(span.label.split(maxsplit=1)) != 1 or span.label.strip() != span.label:
            refuse(number, "BadLabel", "a label contains white space, which the form cannot hold")
        covered = blanked(document.text[span.start : span.end])
        phrases.append(f"{patient} {note} {span.start} {span.end} {span.label} {covered}\n")
        locations.append(f"{span.start}\t{span.start}\t{span.end}\n")
    header = f"START_OF_RECORD={patient}||||{note}||||\n".encode()
    return (
        b"".join((header, body, b"\n", _END, b"\n\n")),
        encoded("".join(phrases), number),
        f"Patient {patient}\tNote {note}\n{''.join(locations)}\n".encode() if spans else b"",
    )


FORMAT = GroupFormat("physionet", "id", (TEXTS, PHRASES, LOCATIONS), parse, _write)
