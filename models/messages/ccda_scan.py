"""Finds the values of a CDA document with their offsets: attributes, text, narratives, comments.

Source: XML 1.0 (Fifth Edition), section 2; Namespaces in XML 1.0, section 3. What a document cannot
need is refused: a DTD, and processing instructions other than `xml-stylesheet`.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Final
from xml.parsers import expat

from ..core.errors import DocumentError, OverBudget
from ..core.shortage import raise_shortage
from ..core.written_texts import Layer
from .base import MessageValue
from .ccda_ages import OUTSIDE, Observed
from .ccda_forms import misfit
from .ccda_names import ROOT, PathNames, PathOf, base_of
from .ccda_parts import (
    binary_label,
    is_standard,
    label_of,
    narrative,
    part_of,
    prefixed,
    says_base64,
    text_layers,
)
from .ccda_roles import COMMENT, ENCODED, NAMESPACE, STYLESHEET
from .media_types import looks_like_base64
from .xml_values import (
    ATTRIBUTE,
    BAD_CCDA,
    CDATA,
    CDATA_END,
    COMMENT_END,
    COMMENT_START,
    NO_CHARACTER,
    TEXT,
    comment_text,
    decoded,
)

XML_ENTITIES: Final = "XmlEntities"
"""The error class of a document that may say something else than is written in it."""

MOST_DEPTH: Final = 200
"""Of elements within each other, as of JSON."""

_LONGEST_NAME: Final = 100
_MOST_NAMESPACES: Final = 200
_LONGEST_STYLE: Final = 500

_START = re.compile(
    r"""<([^\s<>/="'&!?]+)((?:\s+[^\s<>/="'&]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(/?)>"""
)
_END = re.compile(r"""</([^\s<>/="'&!?]+)\s*>""")
_ATTRIBUTE = re.compile(r"""([^\s<>/="'&]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')""")
_CHARACTER = re.compile(r"&[^;]*;|[^&]", re.DOTALL)
_DECLARATION = re.compile(r"\ufeff?(?:<\?xml\s[^<>]*\?>)?")
_STYLESHEET = re.compile(r"<\?xml-stylesheet\s+")
_FILE_ALONE = re.compile(
    r"""(?:\s|type\s*=\s*(?P<a>["'])[\w/+-]*(?P=a)|href\s*=\s*(?P<b>["'])[\w.-]*(?P=b))*""",
    re.ASCII,
)


@dataclasses.dataclass(slots=True)
class _Element:
    """An element that is open.

    Attributes:
        tag: as it is written.
        path: of names; unused within a narrative.
        scope: prefix -> namespace.
        said: its attributes.
        number: in the document; of the texts in it as one note.
        place: its name and that of its parent, and how many of them came before.
        texts: how many texts were found in it.
        content: where its content begins.
        observed: in which part of an observation it lies.
    """

    tag: str
    path: PathOf
    scope: Mapping[str, str]
    said: Mapping[str, str]
    number: int
    place: tuple[str, int]
    content: int
    observed: Observed
    texts: int = 0


@dataclasses.dataclass(slots=True)
class _XmlAttribute:
    """An attribute: its name, and where its value stands and what that says."""

    name: str
    start: int
    end: int
    value: str


def scanned(record: str, names: PathNames) -> list[MessageValue]:
    """The values of a document, in order and disjoint.

    Raises:
        DocumentError: `BAD_CCDA`, for what is no well-formed document of CDA; `XML_ENTITIES`.
        OverBudget: "depth".
    """
    if NO_CHARACTER.search(record):
        raise DocumentError(BAD_CCDA)
    values = _Scanner(record, names).values()
    try:
        # The encoding that the document declares is that of a file; here it is text.
        expat.ParserCreate("utf-8").Parse(record.encode(), True)
    except expat.ExpatError as error:
        raise_shortage(error)
        raise DocumentError(BAD_CCDA) from None
    return values


class _Scanner:
    """Reads one document, from its beginning to its end."""

    def __init__(self, record: str, names: PathNames) -> None:
        self._record, self._names = record, names
        self._found: list[MessageValue] = []
        self._counts: dict[str, int] = {}
        self._open: list[_Element] = []
        self._elements = 0
        self._narrative: _Element | None = None

    def values(self) -> list[MessageValue]:
        """The values."""
        record = self._record
        declaration = _DECLARATION.match(record)
        run = at = declaration.end() if declaration else 0
        comments: list[tuple[int, int]] = []
        """Of the run of text since the last tag; they and CDATA part no words."""
        while (at := record.find("<", at)) >= 0:
            if record.startswith(CDATA, at):
                at = self._find(CDATA_END, at)
                continue
            if record.startswith(COMMENT_START, at):
                behind = self._find(COMMENT_END, at + len(COMMENT_START))
                comments.append((at, behind))
                at = behind
                continue
            if self._narrative is None:
                self._run(run, at, comments)
            comments.clear()
            if record.startswith("<?", at):
                run = self._instruction(at)
            elif record.startswith("<!", at):
                raise DocumentError(XML_ENTITIES)
            else:
                run = self._tag(at)
            at = run
        self._run(run, len(record), comments)
        if self._open or not self._elements:
            raise DocumentError(BAD_CCDA)
        return self._found

    def _find(self, end: str, at: int) -> int:
        """Where the next of some ends stops."""
        found = self._record.find(end, at)
        if found < 0:
            raise DocumentError(BAD_CCDA)
        return found + len(end)

    def _tag(self, at: int) -> int:
        """Reads a tag; gives where it ends."""
        is_end = self._record.startswith("</", at)
        match = (_END if is_end else _START).match(self._record, at)
        if match is None or len(match[1]) > _LONGEST_NAME:
            raise DocumentError(BAD_CCDA)
        if is_end:
            self._close(match[1], at)
        elif len(self._open) == MOST_DEPTH:
            raise OverBudget("depth")
        elif self._narrative is None:
            self._element(match)
        elif not match[3]:
            self._open.append(dataclasses.replace(self._narrative, tag=match[1]))
        return match.end()

    def _element(self, match: re.Match[str]) -> None:
        """Opens an element, and finds the values of its attributes."""
        parent = self._open[-1] if self._open else None
        if parent is None and self._elements:
            raise DocumentError(BAD_CCDA)
        self._elements += 1
        attributes = [
            _XmlAttribute(
                one[1], *one.span(2 if one[3] is None else 3), decoded(one[2] or one[3] or "")
            )
            for one in _ATTRIBUTE.finditer(self._record, *match.span(2))
        ]
        scope = self._scope(parent.scope if parent else {}, attributes)
        for one in attributes:
            if not _declares(one):
                one.name = prefixed(one.name, scope, is_attribute=True)
        said = {one.name: one.value for one in attributes}
        name = prefixed(match[1], scope)
        if parent is None and name != ROOT:
            raise DocumentError(BAD_CCDA)
        path = parent.path.child(label_of(name, said)) if parent else self._names.root()
        place = (path.place, self._count(path.place))
        observed = (parent.observed if parent else OUTSIDE).child(path)
        element = _Element(
            match[1], path, scope, said, self._elements, place, match.end(), observed
        )
        if observed.is_code:
            observed.observation.say(said.get("code", ""), said.get("displayName", ""))
        for one in attributes:
            self._attribute(element, one)
        if match[3]:
            return
        self._open.append(element)
        if name == "text" and parent is not None and parent.path.label == "section":
            self._narrative = element

    def _scope(
        self, scope: Mapping[str, str], attributes: Sequence[_XmlAttribute]
    ) -> Mapping[str, str]:
        """The namespaces within an element."""
        own = [one for one in attributes if _declares(one)]
        if not own:
            return scope
        found = {**scope, **{one.name[len("xmlns") :].lstrip(":"): one.value for one in own}}
        if len(found) > _MOST_NAMESPACES:  # each element that declares one has all of them
            raise DocumentError(BAD_CCDA)
        return found

    def _attribute(self, element: _Element, one: _XmlAttribute) -> None:
        if not one.value.strip():
            return
        if _declares(one):
            if not is_standard(one.value):
                self._beside((NAMESPACE,), one.start, one.end, one.value, ATTRIBUTE)
            return
        path = element.path
        part = part_of(path.label, one.name, element.said)
        name = path.name(part.name, identifies=part.identifies)
        start = one.start
        for _ in range(part.skipped):
            written = _CHARACTER.match(self._record, start, one.end)
            start = written.end() if written is not None else start
        value = decoded(self._record[start : one.end])
        as_age = element.observed.name_of_number(path, name)
        if kind := misfit(name, value):
            name = path.name(f"{base_of(part.name)}({kind})")
        where = _numbered(element.place[0] + base_of(part.name), element.place[1])
        self._found.append(self._value(name, where, start, one.end, value, (ATTRIBUTE,)))
        if as_age:
            aged = self._value(as_age, where, start, one.end, value, (ATTRIBUTE,))
            self._may_be_age(element, aged)

    def _run(self, start: int, end: int, comments: Sequence[tuple[int, int]]) -> None:
        """Finds what stands between two tags: comments, and the text of the element around them.

        Args:
            comments: where each stands, with its signs.
        """
        if not comments:
            self._text(start, end)
            return
        lows = (start, *(high for _, high in comments))
        highs = (*(low for low, _ in comments), end)
        pieces = list(zip(lows, highs, strict=True))
        said = [n for n, piece in enumerate(pieces) if decoded(self._record[slice(*piece)]).strip()]
        values: dict[int, str | None] = dict.fromkeys(said)
        if len(said) > 1:
            first, last = said[0], said[-1]
            whole = lows[first], highs[last]
            if self._open and self._open[-1].path.name() in self._names.declared.texts:
                pieces[first : last + 1] = [whole]  # its layer reads over what stands within it
                comments = [*comments[:first], *comments[last:]]
                values = {first: None}
            else:  # of what stands in several places, the first says all
                values = {number: "" for number in said}
                values[first] = decoded(self._record[slice(*whole)])
        for number, piece in enumerate(pieces):
            if number in values:
                self._text(*piece, values[number])
            if number < len(comments):
                low, high = comments[number]
                self._comment(low + len(COMMENT_START), high - len(COMMENT_END))

    def _text(self, start: int, end: int, said: str | None = None) -> None:
        """Finds the text of the element that is open.

        Args:
            said: what it says, if that is not what stands there.
        """
        start, end = self._trimmed(start, end)
        if start == end:
            return
        if not self._open:
            raise DocumentError(BAD_CCDA)
        source, element = self._record[start:end], self._open[-1]
        value = decoded(source) if said is None else said
        if said is None and not value.strip():
            return
        if element.observed.is_code:
            element.observed.observation.say(value)
        path = element.path
        name = path.name()
        if kind := misfit(name, value):
            name = path.name(f"({kind})")
        layers: Sequence[Layer] = ()
        texts = self._names.declared.texts
        if name in texts and not says_base64(element.said) and looks_like_base64(value):
            name = ENCODED
        if name in texts:
            found = text_layers(element.said, source, value)
            if found is None:  # it is seen to be no text, whatever is said of it
                name = path.beside(binary_label(path.label)).name()
            layers = found or ()
        element.texts += 1
        where = _numbered(*element.place)
        if element.texts > 1:
            where = f"{where}.{element.texts}"
        self._found.append(self._value(name, where, start, end, value, layers, element.number))
        if as_age := element.observed.name_of_text(path):
            aged = self._value(as_age, where, start, end, value, layers or (TEXT,), element.number)
            self._may_be_age(element, aged)

    def _may_be_age(self, element: _Element, value: MessageValue) -> None:
        """Notes what the last value is if its observation is one of an age."""
        element.observed.observation.add(len(self._found) - 1, value, element.said)

    def _close(self, tag: str, at: int) -> None:
        if not self._open or self._open[-1].tag != tag:
            raise DocumentError(BAD_CCDA)
        element = self._open.pop()
        if element.observed.is_whole:
            for index, value in element.observed.observation.ages():
                self._found[index] = value
        if element is self._narrative:
            self._narrative = None
            start, end = self._trimmed(element.content, at)
            if start < end:
                name, source = element.path.name(), self._record[start:end]
                where = _numbered(*element.place)
                self._found.append(self._value(name, where, start, end, source, (narrative,)))

    def _comment(self, start: int, end: int) -> None:
        content = self._record[start:end]
        if content.strip():
            self._beside((COMMENT,), start, end, content, comment_text)

    def _instruction(self, at: int) -> int:
        match = _STYLESHEET.match(self._record, at)
        if match is None or self._open:
            raise DocumentError(XML_ENTITIES)
        behind = self._find("?>", match.end())
        start, end = self._trimmed(match.end(), behind - len("?>"))
        content = self._record[start:end]
        if content:
            is_file = len(content) < _LONGEST_STYLE and _FILE_ALONE.fullmatch(content)
            names = (STYLESHEET if is_file else f"{STYLESHEET}(url)", STYLESHEET)
            self._beside(names, start, end, content, comment_text)
        return behind

    def _beside(self, names: Sequence[str], start: int, end: int, value: str, layer: Layer) -> None:
        """Adds what is no value of an element; the last of its names is that of its place."""
        name = next((one for one in names if one in self._names.declared.names), "")
        where = _numbered(names[-1], self._count(names[-1]))
        self._found.append(self._value(name, where, start, end, value, (layer,)))

    def _count(self, place: str) -> int:
        number = self._counts[place] = self._counts.get(place, 0) + 1
        return number

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        """A range without the white space around it."""
        source = self._record[start:end]
        start += len(source) - len(source.lstrip(_BLANKS))
        return start, max(start, start + len(source.strip(_BLANKS)))

    def _value(
        self,
        name: str,
        place: str,
        start: int,
        end: int,
        value: str,
        layers: Sequence[Layer],
        note: int = 0,
    ) -> MessageValue:
        """A value; what has no role of texts has no layers."""
        if name not in self._names.declared.texts:
            layers, note = (), 0
        return MessageValue(name, place, start, end, value, layers, note)


_BLANKS = " \t\r\n"
"""White space of XML."""


def _numbered(place: str, number: int) -> str:
    return place if number == 1 else f"{place}[{number}]"


def _declares(one: _XmlAttribute) -> bool:
    """Whether an attribute declares a namespace."""
    return one.name == "xmlns" or one.name.startswith("xmlns:")
