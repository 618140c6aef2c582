r"""brat's stand-off: `<name>.txt` with the text and `<name>.ann` with a line for each annotation.

    T1	DOCTOR 12 15	Who

Only text-bound annotations (`T`) are read. Relations, events, attributes, notes and the like are
left out; `meta["brat_ignored"]` counts them, if there are any. A discontinuous annotation
(`0 5;10 12`) gives one span for each of its fragments, so all its characters stay covered. The text
at the end of the line must match the covered text, with all white space equal and fragments joined
by a space. Offsets count the code points of the file as it is: CR LF are two, and a leading
byte-order mark is one.

Source: Stenetorp et al. 2012, "brat: a Web-based Tool for NLP-Assisted Text Annotation"; the manual
page "Brat standoff format".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from .base import (
    BYTE_ORDER_MARK,
    AnnotatedDocument,
    Annotation,
    CorpusError,
    FolderFormat,
    blanked,
    decoded,
    encoded,
    in_order,
    place,
    refuse,
)

_TEXT_BOUND = re.compile(
    r"(T[0-9]+)\t(\S+) ([0-9]{1,18} [0-9]{1,18}(?:;[0-9]{1,18} [0-9]{1,18})*)\t(.*)", re.DOTALL
)
_IGNORED = re.compile(r"#|\*\t|[REAMN][^\s]*\t")


def parse(text: bytes, annotations: bytes, name: str) -> list[AnnotatedDocument]:
    """The document of a pair of files.

    Args:
        text: content of the .txt file.
        annotations: content of the .ann file; errors give its line numbers.
        name: path of the files without ending, which becomes `doc_id`.

    Raises:
        CorpusError: at the first invalid line.
    """
    if annotations.startswith(BYTE_ORDER_MARK):
        raise CorpusError(1, "ByteOrderMark", "the file must begin with its first annotation")
    whole = decoded(text)
    spans: list[Annotation] = []
    seen: set[str] = set()
    ignored = 0
    for number, line in enumerate(decoded(annotations).split("\n"), start=1):
        line = line.removesuffix("\r")
        if not line:
            continue
        if _IGNORED.match(line):
            ignored += 1
            continue
        match = _TEXT_BOUND.fullmatch(line)
        if match is None:
            what = "expected `T1<tab>LABEL start end<tab>text`, or another kind of annotation"
            raise CorpusError(number, "BadLine", what)
        ordinal, label, offsets, covered = match.groups()
        if ordinal in seen:
            raise CorpusError(number, "DuplicateId", "an earlier line has the same id")
        seen.add(ordinal)
        fragments = []
        for pair in offsets.split(";"):
            start, _, end = pair.partition(" ")
            fragments.append(place(int(start), int(end), label, len(whole), number))
        if blanked(covered) != blanked(" ".join(whole[s.start : s.end] for s in fragments)):
            raise CorpusError(number, "SpanTextsDiffer", "the text is not the covered text")
        spans += fragments
    meta = {"brat_ignored": ignored} if ignored else {}
    return [AnnotatedDocument(name, whole, tuple(spans), meta)]


def render(documents: Iterable[AnnotatedDocument]) -> dict[str, bytes]:
    """File name -> content; see `FolderFormat.render`."""
    return FORMAT.render(documents)


def _read(contents: Sequence[bytes], name: str) -> AnnotatedDocument:
    text, annotations = contents
    (document,) = parse(text, annotations, name)
    return document


def _write(document: AnnotatedDocument, number: int) -> tuple[bytes, ...]:
    lines = []
    for ordinal, span in enumerate(in_order(document.spans), start=1):
        if not re.fullmatch(r"\S+", span.label):
            refuse(number, "BadLabel", "a label contains white space, which brat cannot hold")
        covered = blanked(document.text[span.start : span.end])
        lines.append(f"T{ordinal}\t{span.label} {span.start} {span.end}\t{covered}\n")
    return encoded(document.text, number), encoded("".join(lines), number)


FORMAT = FolderFormat("brat", (".txt", ".ann"), _read, _write)
