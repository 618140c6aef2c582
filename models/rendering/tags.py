"""Tags of HTML: where they end and what becomes of their attributes.

HTML Standard, sections 13.2.5.6 to 13.2.5.40. What is found is kept for tags that are written
alike, which is most of them.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence

from ..core.written_texts import Removed
from .attributes import Attribute, judged
from .elements import NEVER_SHOWN
from .styles import ALL, hidden_by, overrides

_BLANK = r"[\t\n\f\r ]"
_NAME = re.compile(r"</?([A-Za-z][^\t\n\f\r />]*+)")
_ATTRIBUTE = re.compile(
    rf"[\t\n\f\r /]*+(?:(?P<end>>)|(?P<name>[^\t\n\f\r />][^\t\n\f\r />=]*+)"
    rf"(?:{_BLANK}*+={_BLANK}*+(?:\"(?P<double>[^\"]*+)\"|'(?P<single>[^']*+)'"
    rf"|(?P<open>[\"'])|(?P<bare>[^\t\n\f\r >][^\t\n\f\r >]*+)|(?=>)))?)"
)
_WELL_FORMED = re.compile(
    r"</?[A-Za-z][^\t\n\f\r />=\"'<]*+(?:[\t\n\f\r /]++[^\t\n\f\r />=\"']++"
    r"(?:=(?:\"[^\"]*+\"|'[^']*+'|[^\t\n\f\r >\"'=]++))?)*+[\t\n\f\r /]*+>"
)
_WHITE_SPACE = re.compile(r"(?:^|;)\s*white-space\s*:\s*([a-z-]+)")
_LONGEST_KEPT = 1000
_MOST_KEPT = 2000


@dataclasses.dataclass(frozen=True, slots=True)
class Shown:
    """The value of an attribute that is read, and what is left out if it is not."""

    low: int
    high: int
    quote: str
    instead: Removed


@dataclasses.dataclass(frozen=True, slots=True)
class MarkupTag:
    """A tag; all places are counted from its beginning.

    Attributes:
        name: in small letters.
        name_end: where its name ends.
        end: where it ends; -1 if the source ends first.
        shown: values that are read, from left to right.
        removed: ranges that are left out, from left to right.
        keeps: whether blanks in the element stay; None if the tag does not say.
        hidden: see `styles.hidden_by`.
        turned: whether the letters of the element may be shown the other way round.
    """

    name: str
    name_end: int
    end: int
    shown: Sequence[Shown] = ()
    removed: Sequence[Removed] = ()
    keeps: bool | None = None
    hidden: str = ""
    turned: bool = False


class Tags:
    """The tags of one source."""

    __slots__ = ("_known", "_source")

    def __init__(self, source: str) -> None:
        self._source = source
        self._known: dict[str, MarkupTag] = {}

    def at(self, low: int) -> MarkupTag:
        """The tag that begins at `low`."""
        whole = _WELL_FORMED.match(self._source, low)
        if whole is None or whole.end() - low > _LONGEST_KEPT:
            return _read(self._source, low)
        written = whole[0]
        tag = self._known.get(written)
        if tag is None:
            tag = _read(written, 0)
            if len(self._known) < _MOST_KEPT:
                self._known[written] = tag
        return tag


def _read(source: str, low: int) -> MarkupTag:
    named = _NAME.match(source, low)
    assert named is not None
    name = named[1].lower()
    attributes, end = _attributes(source, named.end())
    if end < 0:
        return MarkupTag(name, named.end() - low, -1)
    if source[low + 1] == "/":
        gone = [(named.end() - low, end - 1 - low)] if attributes else []
        return MarkupTag(name, named.end() - low, end - low, removed=gone)
    return _judged(source, low, MarkupTag(name, named.end() - low, end - low), attributes)


def _judged(source: str, low: int, tag: MarkupTag, attributes: Sequence[Attribute]) -> MarkupTag:
    shown: list[Shown] = []
    removed: list[Removed] = []
    keeps: bool | None = None
    beside = {a.name: source[a.low : a.high] for a in reversed(attributes)}
    for attribute in attributes:
        verdict = judged(source, tag.name, attribute, beside, strict=False)
        removed += [(start - low, stop - low) for start, stop in verdict.removed]
        if verdict.read:
            start, stop = attribute.without_value()
            instead = (start - low, stop - low)
            shown.append(Shown(attribute.low - low, attribute.high - low, attribute.quote, instead))
        if verdict.style:
            for white in _WHITE_SPACE.finditer(verdict.style):
                keeps = white[1] not in ("normal", "nowrap")
    hidden, turned = unseen(tag.name, beside)
    return dataclasses.replace(
        tag, shown=shown, removed=removed, keeps=keeps, hidden=hidden, turned=turned
    )


def unseen(element: str, attributes: Mapping[str, str]) -> tuple[str, bool]:
    """How an element is hidden, and whether its letters may be turned around; see `MarkupTag`.

    Args:
        element: its name, in small letters, without a prefix.
        attributes: name -> value.
    """
    style = attributes.get("style", "").lower()
    hidden = ALL if "hidden" in attributes or element in NEVER_SHOWN else hidden_by(style)
    if element == "dialog" and "open" not in attributes:
        hidden = ALL
    turned = overrides(style)
    if element == "bdo":
        turned = attributes.get("dir", "").strip().lower() != "ltr"
    return hidden, turned


def _attributes(source: str, position: int) -> tuple[list[Attribute], int]:
    """The attributes from behind the name of a tag on, and where the tag ends or -1."""
    found: list[Attribute] = []
    while match := _ATTRIBUTE.match(source, position):
        position = match.end()
        if match["end"]:
            return found, position
        if match["open"]:
            break
        begin, name_end = match.span("name")
        low, high, quote = name_end, match.end(), " "
        for group, sign in (("double", '"'), ("single", "'"), ("bare", " ")):
            if match[group] is not None:
                low, high, quote = *match.span(group), sign
        name = match["name"].lower()
        found.append(Attribute(name, begin, name_end, low, high, quote))
    return found, -1
