r"""CoNLL: a line for each token, its tag in a column, an empty line after each sentence.

Reading accepts files in the style of CoNLL-2003: columns separated by tabs or spaces, the token
first and the tag last, `-DOCSTART-` between documents, tags in BIO, IOB1 or BIOES. The text is
rebuilt with one space between tokens and one line feed between sentences. A document's id is the
name of the file and its ordinal.

Writing uses a lossless dialect, which its first line declares, as in CoNLL-U Plus. Its columns are
separated by tabs, and the last says what follows the token, as in UDPipe (`SpaceAfter=No`,
`SpacesAfter=\s\n`; otherwise one space):

    # global.columns = FORM NER MISC
    -DOCSTART-	O	_

    # doc_id = 7
    Dr	O	SpaceAfter=No
    .	O	_
    Who	B-DOCTOR	SpacesAfter=\n

The dialect also has the comment `# spaces_before = \n`, the white space at the beginning of a
document, and the keys `SpanBefore=2` and `SpanAfter=1` at the first and last token of a span, the
number of white space characters around them that belong to the span. White space is written as
`\s`, `\t`, `\n`, `\r` and otherwise `\u00a0`, `|` as `\p`, and a backslash twice. Tokens are our
fine tokens, cut where a span begins or ends. A sentence never ends inside a span.

Source: Tjong Kim Sang and De Meulder 2003; universaldependencies.org, "CoNLL-U Format"; the UDPipe
manual, on `SpacesAfter`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from typing import IO, NoReturn

import numpy as np

from ..crf.codec import decode, encode
from ..text.tokenizer import tokenize
from .base import (
    BYTE_ORDER_MARK,
    AnnotatedDocument,
    Annotation,
    CorpusError,
    StreamFormat,
    disjoint,
    encoded,
    refuse,
    unique,
)

SCHEME = "BIO"
"""The label scheme that is written."""

_START = "-DOCSTART-"
_COLUMNS = "# global.columns = FORM NER MISC"
_COMMENT = re.compile(
    r"# ?(?:(doc_id|spaces_before) = (.*)|(?:newdoc|newpar)\b.*|(?:id|sent_id|text) .*)",
    re.DOTALL,
)
_TAG = re.compile(r"O|[BIES]-[^\s\0]+")
_PLAIN = {"s": " ", "t": "\t", "n": "\n", "r": "\r", "p": "|", "\\": "\\"}
_ESCAPED = {character: f"\\{letter}" for letter, character in _PLAIN.items()}


def parse(content: bytes, name: str) -> list[AnnotatedDocument]:
    """The documents of a whole file; see `read`."""
    return list(read(io.BytesIO(content), name))


def render(documents: Iterable[AnnotatedDocument]) -> bytes:
    """The whole file; see `write`."""
    return b"".join(write(documents))


# -- reading


def read(stream: IO[bytes], name: str = "") -> Iterator[AnnotatedDocument]:
    """Yields each document when the next one begins.

    Args:
        stream: the file.
        name: prefix of the ids of documents without one: `name-1`, or `1` if it is empty.

    Raises:
        CorpusError: at the first invalid line.
    """
    for _, document in unique(_documents(stream, name), "document"):
        yield document


def _documents(stream: IO[bytes], name: str) -> Iterator[AnnotatedDocument]:
    document: _PartialDocument | None = None
    ordinal = width = 0
    dialect = False
    for number, line in enumerate(_lines(stream), start=1):
        if number == 1 and line == _COLUMNS:
            dialect = True
            continue
        if line.startswith(_START):
            if document is not None:
                yield document.finished()
            ordinal += 1
            document = _PartialDocument(f"{name}-{ordinal}" if name else str(ordinal), dialect)
            continue
        if not line or line.isspace():
            if document is not None:
                document.end_sentence()
            continue
        if "\t" not in line and (match := _COMMENT.fullmatch(line)):
            if match[1]:
                if document is None:
                    _wrong(number, "BadLine", f"{match[1]} before the first {_START}")
                document.add_comment(match[1], _unescaped(match[2], number), number)
            continue
        fields = line.split("\t") if dialect or "\t" in line else re.split(" +", line.strip(" "))
        width = width or len(fields)
        if len(fields) != (3 if dialect else width) or width < 2:
            what = f"expected {3 if dialect else max(width, 2)} columns, found {len(fields)}"
            _wrong(number, "BadColumns", what)
        if document is None:
            ordinal += 1
            document = _PartialDocument(f"{name}-{ordinal}" if name else str(ordinal), dialect)
        document.add(fields, number)
    if document is not None:
        yield document.finished()


def _lines(stream: IO[bytes]) -> Iterator[str]:
    for number, line in enumerate(iter(stream.readline, b""), start=1):
        if number == 1 and line.startswith(BYTE_ORDER_MARK):
            _wrong(number, "ByteOrderMark", "the file must begin with its first line")
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            _wrong(number, "BadUtf8", f"byte {error.start} of the line cannot be decoded")
        yield text.removesuffix("\n").removesuffix("\r")


def _wrong(number: int, fault: str, what: str) -> NoReturn:
    raise CorpusError(number, fault, what) from None


class _PartialDocument:
    """A document that is being read."""

    def __init__(self, doc_id: str, dialect: bool) -> None:
        self._doc_id = doc_id
        self._dialect = dialect
        self._pieces: list[str] = []
        self._length = 0
        self._spans: list[Annotation] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._tags: list[str] = []
        self._before: dict[int, int] = {}
        self._after: dict[int, int] = {}
        self._gap = ""
        self._end = 0

    def add_comment(self, key: str, value: str, number: int) -> None:
        """Adds a comment."""
        if self._length or self._starts:
            _wrong(number, "BadLine", f"{key} after the first token of its document")
        if key == "doc_id":
            self._doc_id = value
        else:
            if value and not value.isspace():
                _wrong(number, "BadEscape", "spaces_before is not white space")
            self._append(value)

    def add(self, fields: list[str], number: int) -> None:
        """Adds a token."""
        token, tag = fields[0], fields[1] if self._dialect else fields[-1]
        if not token:
            _wrong(number, "BadLine", "the token is empty")
        if not _TAG.fullmatch(tag):
            column = "second" if self._dialect else "last"
            what = f"the {column} column must be O, or B-, I-, E- or S- with a label"
            _wrong(number, "BadTag", what)
        lead = self._length + len(self._gap) - self._end
        self._append(self._gap)
        self._starts.append(self._length)
        self._append(token)
        self._end = self._length
        self._ends.append(self._end)
        self._tags.append(tag)
        self._gap = " "
        if self._dialect and fields[2] != "_":
            self._misc(fields[2], lead, number)

    def end_sentence(self) -> None:
        """Ends the sentence."""
        for start, end, label in decode(self._tags, self._starts, self._ends):
            start -= self._before.get(start, 0)
            end += self._after.get(end, 0)
            self._spans.append(Annotation(start, end, label))
        if self._starts and not self._dialect:
            self._gap = "\n"
        self._starts, self._ends, self._tags = [], [], []

    def finished(self) -> AnnotatedDocument:
        """The document, after its last line."""
        self.end_sentence()
        if self._dialect:
            self._append(self._gap)
        return AnnotatedDocument(self._doc_id, "".join(self._pieces), tuple(self._spans))

    def _append(self, piece: str) -> None:
        self._pieces.append(piece)
        self._length += len(piece)

    def _misc(self, field: str, lead: int, number: int) -> None:
        """Reads the last column of a token; `lead` is the amount of white space before it."""
        misc = dict(pair.partition("=")[::2] for pair in field.split("|"))
        if misc.get("SpaceAfter") == "No":
            self._gap = ""
        elif "SpacesAfter" in misc:
            self._gap = _unescaped(misc["SpacesAfter"], number)
            if self._gap and not self._gap.isspace():
                _wrong(number, "BadEscape", "SpacesAfter is not white space")
        for key, edge, most, found in (
            ("SpanBefore", self._starts[-1], lead, self._before),
            ("SpanAfter", self._end, len(self._gap), self._after),
        ):
            if key in misc:
                if not re.fullmatch("[0-9]{1,18}", misc[key]) or int(misc[key]) > most:
                    what = f"{key} must be at most the {most} white space characters there"
                    _wrong(number, "OffsetOutsideText", what)
                found[edge] = int(misc[key])


def _unescaped(value: str, number: int) -> str:
    if "\\" not in value:
        return value

    def replaced(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        if match[2] not in _PLAIN:
            _wrong(number, "BadEscape", r"expected \s, \t, \n, \r, \p, \\, or \u and four digits")
        return _PLAIN[match[2]]

    plain = re.sub(r"\\(?:u([0-9a-f]{4})|(.?))", replaced, value, flags=re.DOTALL)
    if any("\ud800" <= character <= "\udfff" for character in plain):
        _wrong(number, "LoneSurrogate", "an escape is half of a surrogate pair")
    return plain


# -- writing


def write(documents: Iterable[AnnotatedDocument]) -> Iterator[bytes]:
    r"""Yields the file in the dialect above, one chunk for each document.

    Raises:
        CorpusError: if spans of a document overlap or cover only white space, a label contains
            white space, two documents have the same id, or UTF-8 cannot hold the document.
    """
    yield f"{_COLUMNS}\n".encode()
    for number, document in unique(documents, "document"):
        yield encoded("".join(_render(document, number)), number)


def _render(document: AnnotatedDocument, number: int) -> Iterator[str]:
    text = document.text
    spans = [_narrowed(text, span, number) for span in disjoint(document, number)]
    starts, ends, sentences = _tokens(text, spans)
    yield f"{_START}\tO\t_\n\n# doc_id = {_escape_id(document.doc_id)}\n"
    lead = text[: starts[0]] if starts else text
    if lead:
        yield f"# spaces_before = {_escaped(lead)}\n"
    before = {first: first - span.start for span, first, _ in spans if first > span.start}
    after = {last: span.end - last for span, _, last in spans if last < span.end}
    whole = [(first, last, span.label) for span, first, last in spans]
    bounds = [*sentences, len(starts)]
    first_span = 0
    for begin, end in zip(bounds, bounds[1:], strict=False):
        stop = first_span
        while stop < len(whole) and whole[stop][0] < ends[end - 1]:
            stop += 1
        tags = encode(whole[first_span:stop], starts[begin:end], ends[begin:end], SCHEME)
        first_span = stop
        for item, tag in zip(range(begin, end), tags, strict=True):
            gap = text[ends[item] : starts[item + 1] if item + 1 < len(starts) else len(text)]
            misc = []
            if not gap:
                misc.append("SpaceAfter=No")
            elif gap != " ":
                misc.append(f"SpacesAfter={_escaped(gap)}")
            if starts[item] in before:
                misc.append(f"SpanBefore={before[starts[item]]}")
            if ends[item] in after:
                misc.append(f"SpanAfter={after[ends[item]]}")
            yield f"{text[starts[item] : ends[item]]}\t{tag}\t{'|'.join(misc) or '_'}\n"
        yield "\n"


def _narrowed(text: str, span: Annotation, number: int) -> tuple[Annotation, int, int]:
    """A span, and its start and end without white space at the edges."""
    covered = text[span.start : span.end]
    if covered.isspace():
        refuse(number, "BlankSpan", "a span covers only white space, which has no token")
    if not _TAG.fullmatch(f"B-{span.label}"):
        refuse(number, "BadLabel", "a label contains white space or NUL, which a tag cannot hold")
    first = span.start + len(covered) - len(covered.lstrip())
    return span, first, first + len(covered.strip())


def _tokens(
    text: str, spans: list[tuple[Annotation, int, int]]
) -> tuple[list[int], list[int], list[int]]:
    """Starts and ends of tokens, cut at the edges of spans; the first token of each sentence."""
    tokens = tokenize(text)
    edges = np.array(sorted({edge for _, *pair in spans for edge in pair}), np.int64)
    # An edge inside a token cuts it; one at the edge of a token or between tokens has no effect.
    owner = tokens.starts.searchsorted(edges, side="right") - 1
    inside = (
        (owner >= 0) & (edges > tokens.starts[owner]) & (edges < tokens.ends[owner])
        if len(tokens)
        else np.zeros(len(edges), np.bool_)
    )
    cuts = edges[inside]
    starts = np.sort(np.concatenate([tokens.starts, cuts]))
    ends = np.sort(np.concatenate([tokens.ends, cuts]))
    begins = tokens.starts[tokens.starts_sentence]
    firsts, lasts = (np.array([pair[i] for pair in spans], np.int64) for i in (1, 2))
    if len(spans) and len(begins):
        # Spans are disjoint and in order, so only the last that begins before a sentence may reach
        # into it.
        above = firsts.searchsorted(begins, side="left") - 1
        begins = begins[(above < 0) | (lasts[np.maximum(above, 0)] <= begins)]
    found: list[int] = starts.searchsorted(begins).tolist()
    return starts.tolist(), ends.tolist(), found


def _escaped(text: str) -> str:
    return "".join(_ESCAPED.get(c) or (f"\\u{ord(c):04x}" if c.isspace() else c) for c in text)


def _escape_id(doc_id: str) -> str:
    """An id on one line; spaces inside it are not escaped."""
    inner = doc_id.strip(" ")
    if not inner:
        return _escaped(doc_id)
    head, _, tail = doc_id.partition(inner)
    return _escaped(head) + " ".join(map(_escaped, inner.split(" "))) + _escaped(tail)


FORMAT = StreamFormat("conll", (".conll", ".bio", ".iob", ".bioes"), read, write)
