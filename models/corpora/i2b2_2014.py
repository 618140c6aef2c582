r"""The XML of the 2014 i2b2/UTHealth challenge: one document per file, spans apart from the text.

    <?xml version="1.0" encoding="UTF-8" ?>
    <deIdi2b2>
    <TEXT><![CDATA[Seen by Dr. Who]]></TEXT>
    <TAGS>
    <NAME id="P0" start="12" end="15" text="Who" TYPE="DOCTOR" comment="" />
    </TAGS>
    </deIdi2b2>

The name of an element is the category, `TYPE` the label. Offsets count code points of the text as
an XML parser returns it: raw CR LF and CR count as one line feed. A carriage return that belongs to
the text is written outside CDATA as `&#13;`. `text`, if present, must match the covered text, with
runs of white space equal.

`PHI` is accepted besides the seven categories. Annotations of the heart disease track are not PHI
and are left out. `id` and `comment` are not kept.

Source: Stubbs and Uzuner 2015, "Annotating longitudinal clinical narratives for de-identification";
Stubbs, Kotfila and Uzuner 2015, whose evaluation script reads `TEXT` and the elements of `TAGS`.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence

from ..core.labels import CATEGORIES, CATEGORY_OF
from .base import (
    AnnotatedDocument,
    Annotation,
    CorpusError,
    FolderFormat,
    in_order,
    place,
    refuse_label,
)
from .markup import attribute, cdata, check_characters, read_events

ROOT = "deIdi2b2"

_OTHER_TRACK = frozenset(
    {
        "CAD",
        "DIABETES",
        "FAMILY_HIST",
        "HYPERLIPIDEMIA",
        "HYPERTENSION",
        "MEDICATION",
        "OBESE",
        "SMOKER",
    }
)


def parse(content: bytes, name: str) -> list[AnnotatedDocument]:
    """The document of a file.

    Args:
        content: of the file.
        name: its path without ending, which becomes `doc_id`.

    Raises:
        CorpusError: at the first invalid line.
    """
    handler = _TagHandler()
    for _ in read_events(io.BytesIO(content), handler):
        pass
    if handler.pieces is None:
        raise CorpusError(handler.line, "MissingText", "the file has no element TEXT")
    text = "".join(handler.pieces)
    spans = tuple(_annotation(text, *tag) for tag in handler.tags)
    return [AnnotatedDocument(name, text, spans)]


def render(documents: Iterable[AnnotatedDocument]) -> dict[str, bytes]:
    """File name -> content; see `FolderFormat.render`."""
    return FORMAT.render(documents)


class _TagHandler:
    """Collects the text and the tags.

    Attributes:
        pieces: of the text; None before TEXT.
        tags: line, element name and attributes of each.
    """

    def __init__(self) -> None:
        self.line = 0
        self.pieces: list[str] | None = None
        self.tags: list[tuple[int, str, Mapping[str, str]]] = []
        self._open: list[str] = []

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        depth = len(self._open)
        if depth == 1 and name == "TEXT":
            if self.pieces is not None:
                raise CorpusError(self.line, "UnknownTag", "the file has a second element TEXT")
            self.pieces = []
        elif depth == 2 and self._open[1] == "TAGS":
            if name in CATEGORIES:
                self.tags.append((self.line, name, attributes))
            elif name not in _OTHER_TRACK:
                known = ", ".join(CATEGORIES)
                raise CorpusError(self.line, "UnknownTag", f"TAGS may only contain {known}")
        elif not (depth == 0 or (depth == 1 and name == "TAGS") or self._in_other_track()):
            raise CorpusError(self.line, "UnknownTag", "expected the elements TEXT and TAGS only")
        self._open.append(name)

    def end(self, name: str) -> None:
        self._open.pop()

    def text(self, data: str) -> None:
        if self._open[1:] == ["TEXT"] and self.pieces is not None:
            self.pieces.append(data)
        elif not data.isspace():
            raise CorpusError(self.line, "StrayText", "there is text outside TEXT")

    def _in_other_track(self) -> bool:
        return len(self._open) > 2 and self._open[2] in _OTHER_TRACK


def _annotation(text: str, line: int, element: str, attributes: Mapping[str, str]) -> Annotation:
    label = attributes.get("TYPE", "")
    if not label and CATEGORIES.get(element) == (element,):
        label = element
    if not label:
        raise CorpusError(line, "EmptyLabel", "the tag has no TYPE")
    if element != "PHI" and CATEGORY_OF.get(label, element) != element:
        what = "the label TYPE does not belong to the category of the element"
        raise CorpusError(line, "WrongCategory", what)
    start, end = (_offset(attributes, key, line) for key in ("start", "end"))
    span = place(start, end, label, len(text), line)
    covered = attributes.get("text")
    if covered is not None and covered.split() != text[span.start : span.end].split():
        raise CorpusError(line, "SpanTextsDiffer", '"text" is not the covered text')
    return span


def _offset(attributes: Mapping[str, str], key: str, line: int) -> int:
    value = attributes.get(key)
    if value is None:
        raise CorpusError(line, "MissingKey", f'the tag has no "{key}"')
    if not (value.isascii() and value.isdigit() and len(value) < 19):
        raise CorpusError(line, "WrongType", f'"{key}" must be a whole number')
    return int(value)


def _read(contents: Sequence[bytes], name: str) -> AnnotatedDocument:
    (content,) = contents
    (document,) = parse(content, name)
    return document


def _write(document: AnnotatedDocument, number: int) -> tuple[bytes, ...]:
    check_characters(document.text, number, "text")
    lines = [
        '<?xml version="1.0" encoding="UTF-8" ?>',
        f"<{ROOT}>",
        f"<TEXT>{cdata(document.text)}</TEXT>",
        "<TAGS>",
    ]
    for ordinal, span in enumerate(in_order(document.spans)):
        if span.label not in CATEGORY_OF:
            refuse_label(
                number, span.label, "is not one of i2b2 2014's labels; map it (--label-map)"
            )
        lines.append(
            f'<{CATEGORY_OF[span.label]} id="P{ordinal}" start="{span.start}" end="{span.end}" '
            f"text={attribute(document.text[span.start : span.end])} "
            f'TYPE="{span.label}" comment="" />'
        )
    lines += ["</TAGS>", f"</{ROOT}>", ""]
    return ("\n".join(lines).encode(),)


FORMAT = FolderFormat("i2b2_2014", (".xml",), _read, _write)
