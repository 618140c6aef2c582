"""HTML: read as a browser shows it, from whatever is written.

A scanner of its own, after the tokenizer of the HTML Standard (section 13.2.5): there is no
malformed page. It keeps no tree. Where a browser would move or close elements, the text is the
same; where it reads otherwise nothing leaks, for every character of a source is one of three:
text, which detectors see; markup of closed tables (`elements`, `attributes`, `styles`); or removed.

Removed are comments, doctypes but for known ones, processing instructions, tags of unknown names,
scripts, rules of style sheets but for plain ones, and what is in frames, objects, templates and
SVG: browsers show it as pictures, elsewhere or never. So is what is hidden within a line, lest it
part the words that a reader sees together; hidden lines and cells are text like others. Pages whose
letters may be shown the other way round are refused.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Sequence

from ..core.errors import DocumentError
from ..core.written_texts import UNMAPPED, Mapped
from .attributes import CHARSET
from .characters import (
    DATA,
    KEPT_DATA,
    PLAIN,
    RAW,
    RAW_REST,
    SECTION,
    SIGNS,
    Region,
    behind_line_end,
    flow_text,
    hard_blanks,
    keep_text,
    raw_text,
    region_at,
)
from .elements import (
    AREA,
    BLOCK,
    BREAK,
    CELL,
    INLINE,
    KEEPING,
    KINDS,
    OBJECT,
    PARTS_OF_LINES,
    REST,
    SAMPLE,
    TITLE,
    UNSEEN,
    VOID,
)
from .flow import Flow
from .names import names
from .references import escaped, numbered_first, reference, unfinished
from .styles import LETTERS, bad_rules
from .tags import MarkupTag, Shown, Tags

_MARKUP = re.compile(r"<(?=[A-Za-z/!?])")
_KEEPING = re.compile(r"(?:pre|listing)(?![A-Za-z0-9])", re.IGNORECASE)
_ENDING_SVG = (
    "b|big|blockquote|body|br|center|code|dd|div|dl|dt|em|embed|h[1-6]|head|hr|i|img|li|listing|menu"
    "|meta|nobr|ol|p|pre|ruby|s|small|span|strong|strike|sub|sup|table|tt|u|ul|var"
)
_COMMENT_END = re.compile(r"--!?>")
_DOCTYPE = re.compile(
    r"<!doctype[ \t\r\n]+html(?:[ \t\r\n]+(?:public[ \t\r\n]+\"-//(?:W3C|IETF)//DTD X?HTML"
    r"(?: [A-Za-z0-9.+ ]{1,40})?//EN\"(?:[ \t\r\n]*\"http://www\.w3\.org/TR/[A-Za-z0-9/.-]{1,60}\")?"
    r"|system[ \t\r\n]+\"about:legacy-compat\"))?[ \t\r\n]*>",
    re.IGNORECASE,
)
_DOCTYPE_NAME = re.compile(r"<!doctype[ \t\r\n]+html(?=[ \t\r\n])", re.IGNORECASE)
_DECLARATION = re.compile(
    rf"<\?xml( version=\"1\.[01]\")?( encoding=\"(?i:{CHARSET})\")?( standalone=\"(yes|no)\")? ?\?>"
)
_BOXES = frozenset(["input", "button", "option", "optgroup", "meta", "menuitem"])
"""Elements that a reader sees apart from what stands before them, also without a blank."""

_HIDDEN_KINDS = frozenset([INLINE, BLOCK, AREA, SAMPLE])
_ENDING_THEMSELVES = names("p li dd dt option optgroup tr tbody thead tfoot td th")
"""Elements that begin where one of their kind ends, also without an end tag."""
_SHOWING = re.compile("font|visib", re.IGNORECASE)

_in_text = functools.partial(reference, in_attribute=False)
_in_value = functools.partial(reference, in_attribute=True)


def render(source: str) -> Mapped:
    """A page or fragment as it is read.

    Raises:
        DocumentError: `UNMAPPED` if it turns the letters of a text around (`<bdo dir="rtl">`).
    """
    return _Page(source).read()


@dataclasses.dataclass(slots=True)
class _Keeping:
    """An open element that says whether blanks stay, and how many of its name are open."""

    name: str
    keeps: bool
    open: int = 1


class _Page:
    __slots__ = (
        *("_ends", "_flow", "_foreign", "_in_paragraph", "_keeping", "_regions", "_source"),
        "_tags",
    )

    def __init__(self, source: str) -> None:
        self._source = source
        self._flow = Flow()
        self._tags = Tags(source)
        # Beginnings and ends of what is not plain text, and how it is written.
        self._regions: list[Region] = []
        self._keeping: list[_Keeping] = []
        self._foreign = 0
        self._in_paragraph = False
        # Name -> where elements of it begin -> where their end tags stand.
        self._ends: dict[str, dict[int, int]] = {}

    def read(self) -> Mapped:
        source, position = self._source, 0
        while found := _MARKUP.search(source, position):
            low = found.start()
            if low > position:
                self._text(position, low)
            position = self._markup(low)
        if position < len(source):
            self._text(position, len(source))
        write = functools.partial(write_html, source, self._regions)
        return self._flow.mapped(write, functools.partial(_filled, source, self._regions))

    def _text(self, low: int, high: int) -> None:
        if self._keeping and self._keeping[-1].keeps:
            keep_text(self._flow, self._source, low, high, _in_text)
        else:
            flow_text(self._flow, self._source, low, high, _in_text)

    def _markup(self, low: int) -> int:
        """Reads the tag, comment or declaration at `low`; gives where it ends."""
        source = self._source
        sign = source[low + 1]
        if sign == "!":
            return self._declared(low)
        if sign == "?":
            known = _DECLARATION.match(source, low)
            return known.end() if known else self._cut(low, low + 2, source.find(">", low + 2), 1)
        if sign == "/":
            following = source[low + 2 : low + 3]
            if not following:
                self._flow.text("</", low)
                return low + 2
            if not (following.isascii() and following.isalpha()):
                return self._cut(low, low + 2, source.find(">", low + 2), 1)
        tag = self._tags.at(low)
        if tag.end < 0:
            return self._cut(low, low, -1, 0)
        kind = KINDS.get(tag.name)
        if kind is None:
            self._flow.removed.append((low, low + tag.end))
        elif sign == "/":
            self._closed(low, tag, kind)
        else:
            return self._opened(low, tag, kind)
        return low + tag.end

    def _cut(self, low: int, begin: int, end: int, closing: int) -> int:
        """Removes what stands from `begin` up to `end`, or all from `low` on if there is no end."""
        if end < 0:
            self._flow.removed.append((low, len(self._source)))
            return len(self._source)
        self._flow.removed.append((begin, end))
        return end + closing

    def _declared(self, low: int) -> int:
        source = self._source
        if source.startswith("--", low + 2):
            for short in (">", "->"):
                if source.startswith(short, low + 4):
                    return low + 4 + len(short)
            end = _COMMENT_END.search(source, low + 4)
            if end is None:
                return self._cut(low, low, -1, 0)
            return self._cut(low, low + 4, end.start(), len(end[0]))
        if known := _DOCTYPE.match(source, low):
            return known.end()
        if named := _DOCTYPE_NAME.match(source, low):
            return self._cut(low, named.end(), source.find(">", named.end()), 1)
        if self._foreign and source.startswith("[CDATA[", low + 2):
            stop = source.find("]]>", low + 9)
            stop = len(source) if stop < 0 else stop
            self._regions.append((low + 9, stop, SECTION))
            raw_text(self._flow, source, low + 9, stop)
            return min(stop + 3, len(source))
        return self._cut(low, low + 2, source.find(">", low + 2), 1)

    def _part(self, kind: str, tag: MarkupTag, low: int) -> None:
        """What a tag at `low` puts between the texts before and behind it."""
        if kind in (INLINE, UNSEEN, OBJECT):
            return
        self._flow.boundary("\t" if kind == CELL else "\n", low)
        if tag.name not in PARTS_OF_LINES:
            self._in_paragraph = tag.name == "p" and self._source[low + 1] != "/"

    def _closed(self, low: int, tag: MarkupTag, kind: str) -> None:
        self._flow.removed += [(low + start, low + stop) for start, stop in tag.removed]
        if kind == BREAK:
            self._flow.hard("\n", low, low + tag.end)
            return
        self._part(kind, tag, low)
        if tag.name == "math" and self._foreign:
            self._foreign -= 1
        if self._keeping and self._keeping[-1].name == tag.name:
            self._keeping[-1].open -= 1
            if not self._keeping[-1].open:
                self._keeping.pop()

    def _opened(self, low: int, tag: MarkupTag, kind: str) -> int:
        """Reads a start tag, and the contents of an element that holds no tags."""
        end = low + tag.end
        if tag.turned:
            raise DocumentError(UNMAPPED)
        if tag.hidden and (hidden := self._hidden(low, tag, kind)):
            return hidden
        if kind == BREAK:
            self._flow.removed += [(low + start, low + stop) for start, stop in tag.removed]
            self._flow.hard("\n", low, end)
            return end
        self._part(kind, tag, low)
        self._attributes(low, tag, kind)
        if kind in (INLINE, BLOCK, CELL):
            self._entered(tag, end)
            return behind_line_end(self._source, end) if tag.name in KEEPING else end
        if kind == OBJECT:
            empty = tag.name == "svg" and self._source[end - 2] == "/"
            return end if empty else self._without(tag.name, end)
        if kind == REST:
            return self._untagged(kind, end, len(self._source))
        closing = _end_tag(tag.name).search(self._source, end)
        if closing and tag.name == "style":
            sheet = self._source[end : closing.start()]
            self._flow.removed += [(end + low, end + high) for low, high in bad_rules(sheet)]
            return closing.start()
        return self._untagged(kind, end, closing.start() if closing else len(self._source))

    def _hidden(self, low: int, tag: MarkupTag, kind: str) -> int:
        """Leaves out a hidden element within a line; gives where it ends, 0 if it is read."""
        end = low + tag.end
        if tag.name in VOID or kind == BREAK:
            self._without_attributes(low, tag)
            return end
        stop = self._end_of_hidden(low, tag, kind)
        closing = self._tags.at(stop) if stop else tag
        if not stop or closing.end < 0:
            return 0
        self._without_attributes(low, tag)
        self._flow.removed.append((end, stop))
        self._flow.removed += [(stop + start, stop + high) for start, high in closing.removed]
        return stop + closing.end

    def _end_of_hidden(self, low: int, tag: MarkupTag, kind: str) -> int:
        """Where the end tag of an element stands that is hidden within a line, 0 if it is not.

        On a line or in a cell of its own it parts no words. Nor does one without an end tag, which
        hides the rest of its block.
        """
        apart = kind == CELL or tag.name in _ENDING_THEMSELVES or not self._flow.in_line
        ends_paragraph = self._in_paragraph and tag.name not in PARTS_OF_LINES
        if kind not in _HIDDEN_KINDS or (kind != INLINE and (apart or ends_paragraph)):
            return 0
        stop = self._end_tag_of(tag.name, low)
        is_shown = tag.hidden == LETTERS and _SHOWING.search(self._source, low + tag.end, stop)
        return 0 if is_shown else stop

    def _end_tag_of(self, name: str, low: int) -> int:
        """Where the end tag of the element stands that begins at `low`; 0 if it has none."""
        if name not in self._ends:
            ends: dict[int, int] = {}
            open_at: list[int] = []
            for tag in _any_tag(name).finditer(self._source):
                if not tag[1]:
                    open_at.append(tag.start())
                elif open_at:
                    ends[open_at.pop()] = tag.start()
            self._ends[name] = ends
        return self._ends[name].get(low, 0)

    def _entered(self, tag: MarkupTag, end: int) -> None:
        """Remembers what becomes of blanks within an element."""
        name = tag.name
        if name == "math" and self._source[end - 2] != "/":
            self._foreign += 1
        if name in VOID:
            return
        keeps = True if name in KEEPING and tag.keeps is None else tag.keeps
        if keeps is not None:
            self._keeping.append(_Keeping(name, keeps))
        elif self._keeping and self._keeping[-1].name == name:
            self._keeping[-1].open += 1

    def _untagged(self, kind: str, low: int, high: int) -> int:
        source, flow = self._source, self._flow
        if kind == UNSEEN:
            flow.removed.append((low, high))
        elif kind == TITLE:
            self._regions.append((low, high, DATA))
            flow_text(flow, source, low, high, _in_text)
        elif kind == AREA:
            low = min(behind_line_end(source, low), high)
            self._regions.append((low, high, KEPT_DATA))
            keep_text(flow, source, low, high, _in_text)
        else:
            self._regions.append((low, high, RAW if kind == SAMPLE else RAW_REST))
            raw_text(flow, source, low, high)
        return high

    def _without(self, name: str, low: int) -> int:
        """Removes the contents of an element in which others of the name may stand."""
        depth = 1
        for tag in _any_tag(name).finditer(self._source, low):
            depth += -1 if tag[1] else 1
            if not depth or tag[2]:
                self._flow.removed.append((low, tag.start()))
                return tag.start()
        self._flow.removed.append((low, len(self._source)))
        return len(self._source)

    def _attributes(self, low: int, tag: MarkupTag, kind: str) -> None:
        # Within a word it would part the word: there it is not read but removed.
        if kind == INLINE and self._flow.glued and tag.name not in _BOXES:
            self._without_attributes(low, tag)
            return
        self._flow.removed += [(low + start, low + stop) for start, stop in tag.removed]
        for shown in tag.shown:
            self._value(low, shown, low)

    def _without_attributes(self, low: int, tag: MarkupTag) -> None:
        gone = sorted([*tag.removed, *(shown.instead for shown in tag.shown)])
        self._flow.removed += [(low + start, low + stop) for start, stop in gone]

    def _value(self, low: int, shown: Shown, begin: int) -> None:
        """Reads the value of an attribute, on a line of its own."""
        first, last = low + shown.low, low + shown.high
        if self._source[first:last].strip(SIGNS):
            self._regions.append((first, last, shown.quote))
            self._flow.boundary("\n", begin)
            keep_text(self._flow, self._source, first, last, _in_value)
            self._flow.boundary("\n", last)


@functools.cache
def _end_tag(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE)


@functools.cache
def _any_tag(name: str) -> re.Pattern[str]:
    """Start and end tags of an element; of SVG also those that end it in a browser (group 2)."""
    others = rf"|<({_ENDING_SVG})" if name == "svg" else "|(?!)()"
    return re.compile(rf"(?:<(/?){name}{others})(?=[\t\n\f\r />])", re.IGNORECASE)


def write_html(source: str, regions: Sequence[Region], text: str, offset: int) -> str:
    """A text as it is written at an offset.

    Raises:
        DocumentError: if it cannot stand there: an end tag where no reference is read, a line end
            in a title.
    """
    begin, _, region = region_at(regions, offset)
    if region in (RAW, RAW_REST):
        if region == RAW and "</" in source[max(0, offset - 1) : offset] + text:
            raise DocumentError(UNMAPPED)
        return text
    loose = region != SECTION and unfinished(source, offset)
    if region not in (PLAIN, DATA, SECTION):
        found = escaped(text, "" if region == KEPT_DATA else region)
        if found.startswith("\n") and offset == begin and source[offset - 1] == ">":
            found = "\n" + found  # the first line end is not shown
        return numbered_first(found) if loose else found
    if not text:
        return "<!---->" if loose and region == PLAIN else ""
    found = hard_blanks(escaped(text))
    if loose and text[0] != "\n":
        found = numbered_first(found)
    if region == DATA:
        if "\n" in text:
            raise DocumentError(UNMAPPED)
        return found
    found = found.replace("\n", "<br>")
    return f"]]>{found}<![CDATA[" if region == SECTION else found


def _filled(source: str, regions: Sequence[Region], low: int, high: int) -> str:
    """What stands for a tag that is left out, lest its neighbours become a tag or a reference.

    Or a line end the first in `<pre>`, where it would not be shown.
    """
    if source[low] != "<" or region_at(regions, low)[2] != PLAIN:
        return ""
    begin = source.rfind("<", max(0, low - 1000), low) + 1
    first = source.startswith(("\r", "\n", "<"), high) and _KEEPING.match(source, begin, low)
    return "<!---->" if first or unfinished(source, low) else ""
