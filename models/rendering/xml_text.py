"""XML: fragments of XHTML (FHIR), narrative blocks (C-CDA) and bodies of notes in other elements.

Strict: what is not well-formed is refused, and so is every declaration of a document type, for
entities could show anything. Every element is a block but for a few of XHTML. A fragment that
begins like a page is read like one: blanks collapse, scripts and pictures are removed. In others
blanks and line ends stay.

Of a document of CDA only titles and narratives are read; what stands in its other elements, such as
names and addresses of its header, is removed.

Names of elements and attributes stay, and are told of (`names`) where they are none of pages or
narratives. Attributes are those of HTML (`attributes`): of those not listed the value is removed.
So are comments, processing instructions, and what a page hides within a line.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence

from ..core.errors import DocumentError
from ..core.written_texts import UNMAPPED, Mapped
from .attributes import CHARSET, HTML_NAMES, Attribute, judged
from .characters import (
    KEPT,
    PLAIN,
    SECTION,
    SIGNS,
    Region,
    flow_text,
    hard_blanks,
    keep_text,
    raw_text,
    region_at,
)
from .elements import CELL, KEEPING, KINDS, OBJECT, UNSEEN, XML_FLOWING, XML_INLINE
from .flow import Flow
from .references import escaped, xml_reference
from .styles import LETTERS
from .tags import unseen

ENTITIES = "XmlEntities"
"""The error class of a source with a declaration of a document type."""

_NAME = r"[A-Za-z_][A-Za-z0-9_.-]{0,100}+(?::[A-Za-z_][A-Za-z0-9_.-]{0,100}+)?+"
_BLANK = r"[ \t\r\n]"
_VALUE = r"(?:\"[^\"<]*+\"|'[^'<]*+')"
_START = re.compile(
    rf"<({_NAME})((?:{_BLANK}++{_NAME}{_BLANK}*+={_BLANK}*+{_VALUE})*+){_BLANK}*+(/?)>"
)
_ATTRIBUTE = re.compile(rf"({_NAME}){_BLANK}*+={_BLANK}*+({_VALUE})")
_ANY_TAG = re.compile(rf"</?({_NAME})")
_END = re.compile(rf"</({_NAME}){_BLANK}*+>")
_DECLARATION = re.compile(
    rf"\s{{0,200}}<\?xml(?: version=[\"']1\.[01][\"'])?"
    rf"(?: encoding=[\"'](?i:{CHARSET}|utf-16)[\"'])?"
    r"(?: standalone=[\"'](?:yes|no)[\"'])? ?\?>"
)
_NO_CHARACTER = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_TEXT_ALONE = re.compile("[^<]*+</")
_UNSEEN = (UNSEEN, OBJECT)
_CDA = "clinicaldocument"
_READ_OF_CDA = frozenset({"title", "text"})
_WORD = re.compile("[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+")
_KNOWN_NAMES = XML_FLOWING | KINDS.keys() | HTML_NAMES | {"xml:lang", "xml:space"}
_LONG_DIGITS = re.compile(r"[0-9]{5}")


def render(source: str) -> Mapped:
    """A fragment or document as it is read.

    Raises:
        DocumentError: `ENTITIES`, or `UNMAPPED` if it is not well-formed, has names with other
            letters than those of ASCII or with long numbers, or turns letters around.
    """
    return _Fragment(source).read()


class _Fragment:
    __slots__ = (
        "_depth_read",
        "_edge",
        "_flow",
        "_flowing",
        "_instructions",
        "_is_cda",
        "_names",
        "_open",
        "_regions",
        "_source",
        "_unseen",
    )

    def __init__(self, source: str) -> None:
        self._source = source
        self._flow = Flow()
        self._regions: list[Region] = []
        # Names of the open elements, and whether blanks stay in them.
        self._open: list[tuple[str, bool]] = []
        self._flowing: bool | None = None
        # Where the last tag of a block ends.
        self._edge = -1
        self._instructions: set[int] = set()
        self._names: set[str] = set()
        self._is_cda = False
        # Of a document of CDA: in how many elements the one is whose texts are read.
        self._depth_read: int | None = None
        # Where an element begins whose contents are removed, and how many elements it is in.
        self._unseen: tuple[int, int] | None = None

    def read(self) -> Mapped:
        source = self._source
        if _NO_CHARACTER.search(source):
            raise DocumentError(UNMAPPED)
        declaration = _DECLARATION.match(source)
        position = declaration.end() if declaration else 0
        while (low := source.find("<", position)) >= 0:
            self._text(position, low)
            position = self._markup(low)
        self._text(position, len(source))
        if self._open:
            raise DocumentError(UNMAPPED)
        write = functools.partial(write_xml, source, self._regions)
        return self._flow.mapped(write, self._filled, _told(self._names))

    def _text(self, low: int, high: int) -> None:
        if high == low:
            return
        keeps = self._open[-1][1] if self._open else False
        if self._unseen or self._is_left_out(low, high):
            return
        if not keeps:
            flow_text(self._flow, self._source, low, high, _decoded)
        elif not self._is_indent(low, high):
            self._regions.append((low, high, KEPT))
            keep_text(self._flow, self._source, low, high, _decoded)

    def _is_left_out(self, low: int, high: int) -> bool:
        """Whether a text of a document of CDA is none of a narrative; such a one is removed."""
        if not self._is_cda or self._depth_read is not None:
            return False
        if self._source[low:high].strip(SIGNS):
            self._flow.removed.append((low, high))
        return True

    def _is_indent(self, low: int, high: int) -> bool:
        """Whether nothing but blanks stands here between the tags of two blocks."""
        if self._edge != low or self._source[low:high].strip(SIGNS):
            return False
        following = _ANY_TAG.match(self._source, high)
        return following is not None and _local(following[1]) not in XML_INLINE

    def _markup(self, low: int) -> int:
        """Reads what begins at `low`; gives where it ends."""
        source = self._source
        following = source[low + 1 : low + 2]
        if following == "/":
            return self._closed(low)
        if following == "?":
            return self._cut(low, low, "?>", removes_end=True)
        if following != "!":
            return self._opened(low)
        if source.startswith("--", low + 2):
            return self._cut(low, low + 4, "-->", removes_end=False)
        if not source.startswith("[CDATA[", low + 2):
            raise DocumentError(ENTITIES)
        begin, end = low + 9, source.find("]]>", low + 9)
        if end < 0:
            raise DocumentError(UNMAPPED)
        if not self._unseen and end > begin and not self._is_left_out(begin, end):
            keeps = self._open[-1][1] if self._open else False
            self._regions.append((begin, end, SECTION + KEPT if keeps else SECTION))
            raw_text(self._flow, source, begin, end)
        return end + 3

    def _filled(self, low: int, high: int) -> str:
        """What stands between two texts must not bring them together: blanks could be lost."""
        return "<!---->" if low in self._instructions else ""

    def _cut(self, low: int, begin: int, closing: str, *, removes_end: bool) -> int:
        """Removes a comment's text, or a processing instruction."""
        end = self._source.find(closing, max(begin, low + 2))
        if end < 0:
            raise DocumentError(UNMAPPED)
        if not self._unseen:
            self._flow.removed.append((begin, end + len(closing) if removes_end else end))
            if removes_end:
                self._instructions.add(low)
        return end + len(closing)

    def _opened(self, low: int) -> int:
        source = self._source
        tag = _START.match(source, low)
        if tag is None or _LONG_DIGITS.search(tag[1]):
            raise DocumentError(UNMAPPED)
        name, empty = _local(tag[1]), bool(tag[3])
        # A break may be there because a replacement has a line end.
        if self._flowing is None and name != "br":
            self._flowing = name in XML_FLOWING
            self._is_cda = name == _CDA
        if self._unseen is None:
            keeps, hidden = self._read_tag(name, tag)
            if not empty and hidden:
                self._unseen = (tag.end(), len(self._open))
        else:
            keeps = hidden = False
        if not empty:
            self._open.append((tag[1], keeps))
        elif self._unseen is None and not hidden:
            self._part(name, tag.end(), tag.end(), is_end=True)
        return tag.end()

    def _read_tag(self, name: str, tag: re.Match[str]) -> tuple[bool, bool]:
        """Reads a start tag; gives whether blanks stay in the element, and whether it is hidden."""
        source = self._source
        self._names.add(tag[1])
        found = [_attribute(match) for match in _ATTRIBUTE.finditer(source, *tag.span(2))]
        beside = {a.name: source[a.low : a.high] for a in reversed(found)}
        hidden, turned = unseen(name, beside) if self._flowing else ("", False)
        if turned:
            raise DocumentError(UNMAPPED)
        is_text = self._is_cda and name in _READ_OF_CDA and "representation" not in beside
        if is_text and self._depth_read is None and not tag[3]:
            self._depth_read = len(self._open)
        in_line = name in XML_INLINE or name == "br" or self._flow.in_line
        left_out = bool(hidden) and in_line and KINDS.get(name) != CELL
        if left_out and hidden == LETTERS:
            left_out = _TEXT_ALONE.match(source, tag.end()) is not None
        if not left_out:
            self._part(name, tag.start(), tag.end(), is_end=False)
        spaced = self._attributes(name, found, beside, tag.start(), left_out=left_out)
        inherited = self._open[-1][1] if self._open else not self._flowing
        keeps = spaced if spaced is not None else inherited or name in KEEPING
        return keeps, left_out or (bool(self._flowing) and KINDS.get(name) in _UNSEEN)

    def _closed(self, low: int) -> int:
        tag = _END.match(self._source, low)
        if tag is None or not self._open or self._open.pop()[0] != tag[1]:
            raise DocumentError(UNMAPPED)
        if self._depth_read == len(self._open):
            self._depth_read = None
        if self._unseen and self._unseen[1] == len(self._open):
            self._flow.removed.append((self._unseen[0], low))
            self._unseen = None
            self._edge = tag.end()
        elif self._unseen is None:
            self._part(_local(tag[1]), low, tag.end(), is_end=True)
        return tag.end()

    def _part(self, name: str, low: int, high: int, *, is_end: bool) -> None:
        """What a tag puts between the texts before and behind it."""
        if name not in XML_INLINE:
            self._edge = high
        if name == "br":
            if not is_end:
                self._flow.hard("\n", low, high)
        elif KINDS.get(name) == CELL:
            self._flow.boundary("\t", low)
        elif name not in XML_INLINE and not (self._flowing and KINDS.get(name) in _UNSEEN):
            self._flow.boundary("\n", low)

    def _attributes(
        self,
        element: str,
        found: Sequence[Attribute],
        beside: Mapping[str, str],
        begin: int,
        *,
        left_out: bool,
    ) -> bool | None:
        """Reads attributes; gives whether blanks stay, None if they do not say."""
        source, keeps = self._source, None
        glued = left_out or (element in XML_INLINE and self._flow.glued)
        for attribute in found:
            value = source[attribute.low : attribute.high]
            self._names.add(source[attribute.begin : attribute.name_end])
            if _LONG_DIGITS.search(source, attribute.begin, attribute.name_end):
                raise DocumentError(UNMAPPED)
            if attribute.name == "xml:space":
                keeps = value == "preserve"
            verdict = judged(source, element, attribute, beside, strict=True)
            self._flow.removed += verdict.removed
            if verdict.read and glued:
                self._flow.removed.append((attribute.low, attribute.high))
            elif verdict.read and value.strip(SIGNS):
                self._regions.append((attribute.low, attribute.high, attribute.quote))
                self._flow.boundary("\n", begin)
                keep_text(self._flow, source, attribute.low, attribute.high, _decoded)
                self._flow.boundary("\n", attribute.high)
        return keeps


def _attribute(match: re.Match[str]) -> Attribute:
    name = match[1].lower()
    name = name if name.startswith(("xml:", "xmlns:")) else _local(name)
    low, high = match.span(2)
    return Attribute(name, *match.span(1), low + 1, high - 1, match[2][0])


def _told(names: Iterable[str]) -> list[str]:
    """Names that are none of pages and narratives, with a blank between their words."""
    return [words_of(name) for name in sorted(names) if name.lower() not in _KNOWN_NAMES]


def words_of(name: str) -> str:
    """A name with a blank between its words: `noteSmith2` is `note Smith 2`."""
    return " ".join(_WORD.findall(name))


def _local(name: str) -> str:
    """A name without its prefix, in small letters."""
    return name.rpartition(":")[2].lower()


def _decoded(source: str, low: int) -> tuple[str, int]:
    found = xml_reference(source, low)
    if found is None:
        raise DocumentError(UNMAPPED)
    return found


def write_xml(source: str, regions: Sequence[Region], text: str, offset: int) -> str:
    """A text as it is written at an offset."""
    region = region_at(regions, offset)[2]
    if region.startswith(SECTION):
        ends = source[offset - 1] == "]" or not {"]", "&", "<", ">", "\r"}.isdisjoint(text)
        if region == SECTION + KEPT or not ends:
            written = escaped(text).replace("\n", "&#10;")
        else:
            written = hard_blanks(escaped(text)).replace("\n", "<br/>")
        return f"]]>{written}<![CDATA[" if ends else text
    if region == PLAIN:
        return hard_blanks(escaped(text)).replace("\n", "<br/>")
    return escaped(text, "" if region == KEPT else region).replace("\n", "&#10;")
