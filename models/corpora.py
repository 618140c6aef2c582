"""Annotated corpora: documents with stand-off spans, one JSON object a line.

    {"doc_id": "7", "text": "Dr. Who", "spans": [{"start": 4, "end": 7, "label": "DOCTOR"}]}

A corpus is read strictly: a shifted offset or a misspelt key that passed in silence would train a
model on wrong labels, or would move a published score.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, Any, NoReturn

import fsspec

from .errors import StorageError, UsageError, error_class

_KEYS = ("doc_id", "text", "spans", "meta")


class CorpusError(UsageError):
    """A corpus cannot be used as it is.

    Attributes:
        line: number of the line, from 1.
        fault: a fixed word that names the kind: "BadJson", "BadUtf8", "ByteOrderMark",
            "NotAnObject", "MissingKey", "UnknownKey", "WrongType", "EmptySpan", "EmptyLabel",
            "OffsetOutsideText", "SpanTextsDiffer", "LoneSurrogate", "DuplicateDocId".
    """

    def __init__(self, line: int, fault: str, what: str) -> None:
        super().__init__(f"corpus line {line}: {fault}: {what}")
        self.line = line
        self.fault = fault


@dataclasses.dataclass(frozen=True, slots=True)
class Annotation:
    """A half-open stretch [start, end) of one document that has a label.

    Attributes:
        start: offset of the first character, in code points of the document's text.
        end: offset one past the last character, always greater than `start`.
        label: in the label set of the corpus or of the model, whichever made it.

    Raises:
        ValueError: if the offsets are negative, or the stretch or the label is empty.
    """

    start: int
    end: int
    label: str

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"annotation: bad stretch [{self.start}, {self.end})")
        if not self.label:
            raise ValueError("annotation: the label is empty")


@dataclasses.dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """One text with its annotations, gold or predicted.

    Attributes:
        doc_id: unique in its corpus; may be PHI, as `text` and `meta` are.
        text: the untouched text.
        spans: in any order; may overlap.
        meta: what else the corpus says of the document: a JSON object.

    Raises:
        ValueError: if a span ends beyond the text.
    """

    doc_id: str = dataclasses.field(repr=False)
    text: str = dataclasses.field(repr=False)
    spans: tuple[Annotation, ...] = ()
    meta: Mapping[str, object] = dataclasses.field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for ordinal, span in enumerate(self.spans):
            if span.end > len(self.text):
                raise ValueError(
                    f"annotated document: span {ordinal} ends at {span.end}, "
                    f"the text at {len(self.text)}"
                )


def read_annotated(source: str | os.PathLike[str] | IO[bytes]) -> Iterator[AnnotatedDocument]:
    r"""Yields the documents of a corpus file, in its order, one at a time.

    Lines end at "\n" only: a text may hold any other line separator. `meta["span_texts"]`, where a
    corpus has it, is compared with the covered texts and then left out, so that it cannot go stale.

    Args:
        source: URL or path that fsspec opens (".gz" and the like are unpacked), or an open binary
            stream, which is left open.

    Yields:
        Documents; one without "spans" has none, one without "meta" an empty one.

    Raises:
        CorpusError: at the first line that is not what it must be.
        UsageError: if the file cannot be opened.
        StorageError: if it cannot be read to its end.
    """
    seen: set[str] = set()
    for number, line in enumerate(_lines(source), start=1):
        document = _parse(line, number)
        if document.doc_id in seen:
            raise CorpusError(number, "DuplicateDocId", "an earlier line has this doc_id")
        seen.add(document.doc_id)
        yield document


def write_annotated(
    documents: Iterable[AnnotatedDocument], target: str | os.PathLike[str] | IO[bytes]
) -> int:
    """Writes a corpus file that `read_annotated` takes; equal documents give equal bytes.

    Spans are sorted by start, longer first, then by label; `meta["span_texts"]` is left out, as in
    reading. What was written before an error stays there.

    Args:
        documents: in the order of the file.
        target: URL or path that fsspec opens, or an open binary stream, which is left open.

    Returns:
        The number of documents written.

    Raises:
        CorpusError: if a document holds what UTF-8 or JSON cannot, or a `doc_id` comes twice,
            naming its line.
        UsageError: if the file cannot be opened.
    """
    seen: set[str] = set()
    with _opened(target, "wb") as stream:
        for number, document in enumerate(documents, start=1):
            if document.doc_id in seen:
                raise CorpusError(number, "DuplicateDocId", "an earlier line has this doc_id")
            seen.add(document.doc_id)
            stream.write(_render(document, number))
    return len(seen)


def remap(document: AnnotatedDocument, label_of: Callable[[str], str | None]) -> AnnotatedDocument:
    """The document in another label set.

    Args:
        document: is not changed.
        label_of: the new label of an old one, or None to drop its spans.

    Returns:
        The same spans in the same order; of those that became equal only the first.
    """
    spans = (
        Annotation(span.start, span.end, label)
        for span in document.spans
        if (label := label_of(span.label)) is not None
    )
    return dataclasses.replace(document, spans=tuple(dict.fromkeys(spans)))


@contextlib.contextmanager
def _opened(place: str | os.PathLike[str] | IO[bytes], mode: str) -> Iterator[IO[bytes]]:
    if not isinstance(place, (str, os.PathLike)):
        yield place
        return
    try:
        opened = fsspec.open(os.fspath(place), mode, compression="infer").open()
    except (OSError, ValueError, ImportError) as error:
        # The original message holds the file's name, which may hold an identifier.
        raise UsageError(f"the corpus file could not be opened: {error_class(error)}") from None
    with opened as stream:
        yield stream


def _lines(source: str | os.PathLike[str] | IO[bytes]) -> Iterator[bytes]:
    with _opened(source, "rb") as stream:
        lines = io.BufferedReader(stream) if isinstance(stream, io.RawIOBase) else stream
        while True:
            try:
                line = lines.readline()
            except (OSError, EOFError, zlib.error) as error:
                what = error_class(error)  # the message itself may hold the file's name
                raise StorageError(f"the corpus file could not be read: {what}") from None
            if not line:
                return
            yield line.removesuffix(b"\n")


def _parse(line: bytes, number: int) -> AnnotatedDocument:
    def wrong(fault: str, what: str) -> NoReturn:
        # "from None": the causes hold the line itself, and a traceback would print it.
        raise CorpusError(number, fault, what) from None

    if number == 1 and line.startswith(b"\xef\xbb\xbf"):
        wrong("ByteOrderMark", "the file must begin with its first document")
    try:
        row = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        wrong("BadUtf8", f"byte {error.start} of the line cannot be decoded")
    except json.JSONDecodeError as error:
        wrong("BadJson", f"at character {error.pos} of the line")
    except (ValueError, RecursionError) as error:
        wrong("BadJson", f"the line cannot be parsed ({error_class(error)})")
    if not isinstance(row, dict):
        wrong("NotAnObject", "expected one JSON object a line")
    for key in ("doc_id", "text"):
        if key not in row:
            wrong("MissingKey", f'"{key}" is required')
        if not isinstance(row[key], str):
            wrong("WrongType", f'"{key}" must be a string')
        if not _encodable(row[key]):
            wrong("LoneSurrogate", f'"{key}" holds half of a surrogate pair')
    if unknown := len(row.keys() - set(_KEYS)):
        # A misspelt "spans" would else give a document without PHI.
        wrong("UnknownKey", f"{unknown} keys are not among {', '.join(_KEYS)}")
    text, spans, meta = row["text"], row.get("spans", []), row.get("meta", {})
    if not isinstance(spans, list) or not isinstance(meta, dict):
        wrong("WrongType", '"spans" must be an array and "meta" an object')
    annotations = tuple(_annotation(span, i, len(text), wrong) for i, span in enumerate(spans))
    if "span_texts" in meta:
        meta = dict(meta)
        if meta.pop("span_texts") != [text[span.start : span.end] for span in annotations]:
            wrong("SpanTextsDiffer", '"meta.span_texts" is not what the spans cover')
    return AnnotatedDocument(row["doc_id"], text, annotations, meta)


def _annotation(
    span: Any, ordinal: int, length: int, wrong: Callable[[str, str], NoReturn]
) -> Annotation:
    if not isinstance(span, dict):
        wrong("WrongType", f"span {ordinal} must be an object")
    for key, kind in (("start", int), ("end", int), ("label", str)):
        if key not in span:
            wrong("MissingKey", f'span {ordinal} has no "{key}"')
        if type(span[key]) is not kind:  # a bool is an int, and no offset
            wrong("WrongType", f'"{key}" of span {ordinal} must be {kind.__name__}')
    start, end, label = span["start"], span["end"], span["label"]
    if not label:
        wrong("EmptyLabel", f"span {ordinal}")
    if not _encodable(label):
        wrong("LoneSurrogate", f'"label" of span {ordinal} holds half of a surrogate pair')
    if not (0 <= start <= length and 0 <= end <= length):
        wrong("OffsetOutsideText", f"span {ordinal} leaves the text's {length} characters")
    if start >= end:
        wrong("EmptySpan", f"span {ordinal} has no character")
    return Annotation(start, end, label)


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("not JSON")


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _render(document: AnnotatedDocument, number: int) -> bytes:
    spans = sorted(document.spans, key=lambda span: (span.start, -span.end, span.label))
    try:
        doc_id, text, rows, meta = (
            json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=sort_keys)
            for value, sort_keys in (
                (document.doc_id, False),
                (document.text, False),
                ([{"start": s.start, "end": s.end, "label": s.label} for s in spans], False),
                ({k: v for k, v in document.meta.items() if k != "span_texts"}, True),
            )
        )
        line = f'{{"doc_id": {doc_id}, "text": {text}, "spans": {rows}, "meta": {meta}}}\n'
        return line.encode("utf-8")
    except UnicodeEncodeError:
        what = "the document holds half of a surrogate pair, which UTF-8 cannot"
        raise CorpusError(number, "LoneSurrogate", what) from None
    except (TypeError, ValueError, RecursionError):
        raise CorpusError(number, "WrongType", '"meta" is not a JSON object') from None
