"""Stand-off JSON Lines: one JSON object per line; only line feeds end lines.

    {"doc_id": "7", "text": "Dr. Who", "spans": [{"start": 4, "end": 7, "label": "DOCTOR"}]}

`spans` and `meta`, an object, are optional. `meta.span_texts`, if present, must match the covered
texts; it is then dropped, so it cannot become stale. The format is lossless.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, NoReturn

from ..core.errors import error_class
from .base import (
    BYTE_ORDER_MARK,
    AnnotatedDocument,
    Annotation,
    CorpusError,
    StreamFormat,
    encodable,
    in_order,
    unique,
)

_KEYS = ("doc_id", "text", "spans", "meta")


def read(lines: IO[bytes], name: str = "") -> Iterator[AnnotatedDocument]:
    """Yields the documents, one at a time; `name` is unused, since documents have ids.

    Raises:
        CorpusError: at the first invalid line.
    """
    for _, document in unique(_documents(lines), "line"):
        yield document


def write(documents: Iterable[AnnotatedDocument]) -> Iterator[bytes]:
    """Yields one line for each document.

    Raises:
        CorpusError: if UTF-8 or JSON cannot hold a document, or two have the same `doc_id`; it
            gives the line.
    """
    for number, document in unique(documents, "line"):
        yield _render(document, number)


def _documents(lines: IO[bytes]) -> Iterator[AnnotatedDocument]:
    for number, line in enumerate(iter(lines.readline, b""), start=1):
        yield _parse(line.removesuffix(b"\n"), number)


def _parse(line: bytes, number: int) -> AnnotatedDocument:
    def wrong(fault: str, what: str) -> NoReturn:
        # "from None", since a traceback would print the cause, which holds the line.
        raise CorpusError(number, fault, what) from None

    if number == 1 and line.startswith(BYTE_ORDER_MARK):
        wrong("ByteOrderMark", "the file must begin with its first document")
    repeated = 0

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal repeated
        found = dict(pairs)
        repeated += len(pairs) - len(found)
        return found

    try:
        row = json.loads(
            line.decode("utf-8"), parse_constant=_refuse_constant, object_pairs_hook=members
        )
    except UnicodeDecodeError as error:
        wrong("BadUtf8", f"byte {error.start} of the line cannot be decoded")
    except json.JSONDecodeError as error:
        wrong("BadJson", f"the line is not valid JSON at character {error.pos}")
    except (ValueError, RecursionError) as error:
        wrong("BadJson", f"the line cannot be parsed ({error_class(error)})")
    if repeated:
        # Which of two texts or labels is meant, nobody can say.
        wrong("DuplicateKey", f"{repeated} keys stand more than once in an object")
    if not isinstance(row, dict):
        wrong("NotAnObject", "expected one JSON object per line")
    for key in ("doc_id", "text"):
        if key not in row:
            wrong("MissingKey", f'"{key}" is required')
        if not isinstance(row[key], str):
            wrong("WrongType", f'"{key}" must be a string')
        if not encodable(row[key]):
            wrong("LoneSurrogate", f'"{key}" contains half of a surrogate pair')
    if unknown := len(row.keys() - set(_KEYS)):
        # A misspelt "spans" would otherwise give a document without PHI.
        wrong("UnknownKey", f"{unknown} unknown keys; known: {', '.join(_KEYS)}")
    text, spans, meta = row["text"], row.get("spans", []), row.get("meta", {})
    if not isinstance(spans, list) or not isinstance(meta, dict):
        wrong("WrongType", '"spans" must be an array and "meta" an object')
    annotations = tuple(_annotation(span, i, len(text), wrong) for i, span in enumerate(spans))
    if "span_texts" in meta:
        meta = dict(meta)
        if meta.pop("span_texts") != [text[span.start : span.end] for span in annotations]:
            wrong("SpanTextsDiffer", '"meta.span_texts" are not the covered texts')
    return AnnotatedDocument(row["doc_id"], text, annotations, meta)


def _annotation(
    span: Any, ordinal: int, length: int, wrong: Callable[[str, str], NoReturn]
) -> Annotation:
    if not isinstance(span, dict):
        wrong("WrongType", f"span {ordinal} must be an object")
    for key, kind in (("start", int), ("end", int), ("label", str)):
        if key not in span:
            wrong("MissingKey", f'span {ordinal} has no "{key}"')
        if type(span[key]) is not kind:  # a bool is an int, but not an offset
            wrong("WrongType", f'"{key}" of span {ordinal} must be {kind.__name__}')
    start, end, label = span["start"], span["end"], span["label"]
    if not label:
        wrong("EmptyLabel", f'"label" of span {ordinal} is empty')
    if not encodable(label):
        wrong("LoneSurrogate", f'"label" of span {ordinal} contains half of a surrogate pair')
    if not (0 <= start <= length and 0 <= end <= length):
        wrong(
            "OffsetOutsideText", f"span {ordinal} extends outside the text of {length} characters"
        )
    if start >= end:
        wrong("EmptySpan", f"span {ordinal} is empty")
    return Annotation(start, end, label)


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("not JSON")


def _render(document: AnnotatedDocument, number: int) -> bytes:
    spans = in_order(document.spans)
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
        what = "the document contains half of a surrogate pair, which UTF-8 cannot hold"
        raise CorpusError(number, "LoneSurrogate", what) from None
    except (TypeError, ValueError, RecursionError):
        raise CorpusError(number, "WrongType", '"meta" is not a JSON object') from None


FORMAT = StreamFormat("standoff", (".jsonl", ".ndjson"), read, write, keeps_meta=True)
