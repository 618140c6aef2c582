r"""RTF: read as a word processor shows it (specification 1.9.1).

Every character of a source is text, which detectors see; a control word or table entry of closed
tables (`rtf_words`); or removed. Removed are: what is about the document and who wrote it (`\info`
and its like), bookmarks, instructions of fields, data of objects, dates and authors of revisions,
names of unknown fonts and styles, destinations and control words that nobody knows, and all
pictures, be they in hexadecimal digits or in `\bin`: a scan may show anything.

Hidden text (`\v`) is removed too, lest it part the words that a reader sees together.

Headers, footers, footnotes and annotations are text on lines of their own; of what is written twice
(`\upr`, `\u` with a byte behind it) the character of Unicode is read. Numbers of editing sessions
go; those that tie lists together are counted anew.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
import unicodedata
from collections.abc import Mapping, Sequence

from ..core.errors import DocumentError, OverBudget
from ..core.written_texts import UNMAPPED, Mapped
from .flow import Flow
from .rtf_codes import CHARSETS, CODE_PAGES, HEADER_PAGES, NO_CHARACTER, several, table
from .rtf_words import (
    APART,
    BEHIND_STAR,
    CHARACTER,
    CHARACTERS,
    END,
    ENDS,
    FONT_TABLE,
    FORMAT,
    LAYOUT,
    LAYOUT_NAMES,
    PARTING,
    REMOVED,
    SESSIONS,
    WITHIN,
    WORDS,
)

DEEPEST = 500
"""Groups in one another."""

_TOKEN = re.compile(
    r"[^\\{}\r\n]+"
    r"|\\([A-Za-z]{1,32})((?:-?[0-9]++)?+) ?|[{}]|[\r\n]+|\\'([0-9A-Fa-f]{2})|\\([^A-Za-z'])"
)
_BEGINNING = re.compile(r"\ufeff?\s{0,100}(?=\{\\rtf(?![A-Za-z]))")
_END = re.compile(r"[\s\0]*+")
_SKIPPED = re.compile(r"[{}]|\\bin(?![A-Za-z])([0-9]*+) ?|\\[^A-Za-z]?|\\[A-Za-z]")
_LINE_END = re.compile(r"[\r\n]*+")
_FALLBACK = re.compile(r"[\r\n]*+(?:\\'[0-9A-Fa-f]{2}|\\[~_{}\\-]|[^\\{}\r\n])")
_LOW_SURROGATE = re.compile(r"(?:\\uc([0-9]) ?)?(\\u(-[0-9]{4,5}|5[67][0-9]{3}) ?)")
_MOST_SKIPPED = 8
_MOST_DIGITS = 5
"""Of a parameter; more could be a number of a record."""

_LETTERS = re.compile(r"\\'(?:3[0-9]|[4-7][0-9A-Fa-f])|(?<!\\')(?<!\\'.)[A-Za-z0-9]")
_UNDELIMITED = re.compile(r"\\[A-Za-z]{1,32}-?[0-9]{0,30}\Z")
_BULLETS = frozenset("\u2022\u25aa\u25cf\u25cb\u25a0\u2013\u2014\u00b7\u00a7\u00d8\u2212\u25e6")
_SIGNS = re.compile(r"[().,:/\[\] -]*")
_SPECIAL = re.compile(r"[\\{}\n\t]|[\0-\x08\x0b-\x1f\x7f]|[^\0-\x7f]+")


_HEEDED = frozenset(
    {"f", "uc", "plain", "v", "fcharset", "cpg", "deff", "ansicpg", "listid", *HEADER_PAGES}
)
_INERT = frozenset(word for word, kind in WORDS.items() if kind == FORMAT) - _HEEDED - SESSIONS
"""Formats that change nothing about how text is read."""


def render(source: str) -> Mapped:
    """A document as it is read.

    Raises:
        DocumentError: `UNMAPPED` if groups do not match, an escape is cut off, or something stands
            behind the end.
        OverBudget: "depth", for more than `DEEPEST` groups in one another.
    """
    return _RtfDocument(source).read()


@dataclasses.dataclass(slots=True)
class _Group:
    r"""What holds in a group: its kind, the codec of its font, and how much follows on `\u`.

    Attributes:
        hidden: whether its text is.
        apart: whether it is on lines of its own.
    """

    kind: str
    codec: str
    skips: int
    hidden: bool = False
    apart: bool = False


class _RtfDocument:
    __slots__ = (
        *("_ansi", "_broken", "_default_font", "_flow", "_font", "_fonts", "_group", "_lists"),
        *("_outer", "_source", "_star"),
    )

    def __init__(self, source: str) -> None:
        self._source = source
        self._flow = Flow()
        self._ansi = "cp1252"
        self._fonts: dict[int, str] = {}
        self._default_font = self._font = 0
        self._group = _Group(WITHIN, self._ansi, 1)
        self._outer: list[_Group] = []
        # Where `\*` stands, if it was the last token.
        self._star = -1
        # Places at which a character waits for more: nothing may come next to them.
        self._broken: set[int] = set()
        # Where numbers of lists stand.
        self._lists: list[tuple[int, int]] = []

    def read(self) -> Mapped:
        source, match = self._source, _TOKEN.match
        beginning = _BEGINNING.match(source)
        if beginning is None:
            raise DocumentError(UNMAPPED)
        position = beginning.end()
        while token := match(source, position):
            position = token.end()
            sign = token[0][0]
            word = token[1]
            if word in _INERT and self._star < 0 and len(token[2]) <= 5:
                continue
            if self._star >= 0 and not word and sign not in "}\r\n":
                position = self._without(self._star, token.start())
            elif sign == "\\":
                if word:
                    position = self._word(token)
                elif token[3]:
                    position = self._byte(token)
                else:
                    self._symbol(token)
            elif sign == "{":
                self._open()
            elif sign == "}":
                if not self._close(token.start()):
                    break
            elif sign not in "\r\n":
                self._text(token[0], token.start())
        end = _END.match(source, position)
        if self._outer or end is None or end.end() < len(source):
            raise DocumentError(UNMAPPED)
        self._flow.removed.sort()
        places = _Places(source, self._broken, _numbered_lists(source, self._lists))
        return self._flow.mapped(functools.partial(written, places), places.filled)

    def _open(self) -> None:
        self._outer.append(self._group)
        if len(self._outer) > DEEPEST:
            raise OverBudget("depth")
        outer = self._group
        self._group = _Group(outer.kind, outer.codec, outer.skips, outer.hidden)

    def _close(self, position: int) -> bool:
        """Ends a group; gives whether it was not the last."""
        self._star = -1
        if self._group.apart:
            self._flow.boundary("\n", position)
        closed, self._group = self._group, self._outer.pop()
        if closed.kind == FONT_TABLE and self._group.kind == WITHIN:
            self._group.codec = self._fonts.get(self._default_font, self._ansi)
        return bool(self._outer)

    def _text(self, piece: str, low: int) -> None:
        if self._group.kind != WITHIN:
            self._layout_text(piece, low)
            return
        if self._group.hidden:
            self._flow.removed.append((low, low + len(piece)))
            return
        position = 0
        while (blank := piece.find("\xa0", position)) >= 0:
            if blank > position:
                self._flow.text(piece[position:blank], low + position)
            self._flow.char(" ", low + blank, low + blank + 1)
            position = blank + 1
        if position < len(piece):
            self._flow.text(piece[position:], low + position)

    def _char(self, decoded: str, low: int, high: int) -> None:
        """A character or two that stand for a range; what is hidden is removed."""
        if self._group.hidden:
            self._flow.removed.append((low, high))
        else:
            self._flow.char(decoded, low, high)

    def _layout_text(self, piece: str, low: int) -> None:
        """Text in a table: known names stay, of others the sign at their end."""
        position = low
        for part in piece.split(";"):
            stays = part.strip().lower() in LAYOUT_NAMES or _SIGNS.fullmatch(part)
            if not stays:
                self._flow.removed.append((position, position + len(part)))
            position += len(part) + 1

    def _symbol(self, token: re.Match[str]) -> None:
        low, high = token.span()
        sign = token[4]
        if sign == "*":
            self._star = low
        elif sign == "-":
            pass
        elif self._group.kind != WITHIN:
            if sign in "{}\\":
                self._flow.removed.append((low, high))
        elif sign in "{}\\":
            self._char(sign, low, high)
        elif sign in "~_":
            self._char(" " if sign == "~" else "-", low, high)
        elif sign in "\r\n":
            self._end("\n", low, high, parts_text=True)
        elif sign == "\t":
            self._char("\t", low, high)
        else:
            self._flow.removed.append((low, high))

    def _byte(self, token: re.Match[str]) -> int:
        low, high = token.span()
        byte = int(token[3], 16)
        if self._group.kind != WITHIN:
            if byte >= 0x20 and chr(byte) not in "\xb7\xa7\xd8\x95.()":
                self._flow.removed.append((low, high))
            return high
        single = table(self._group.codec)
        if single is not None:
            self._char(single[byte], low, high)
            return high
        decoded, end = several(self._source, low, self._group.codec)
        if decoded == NO_CHARACTER:
            self._wait(end)
        self._char(decoded, low, end)
        return end

    def _wait(self, position: int) -> None:
        """Remembers that a character would go on, if something came to stand at a place."""
        self._broken.add(position)
        if found := _LINE_END.match(self._source, position):
            self._broken.add(found.end())

    def _word(self, token: re.Match[str]) -> int:
        """Reads a control word; gives where what follows begins."""
        word, digits = token[1], token[2]
        low, high = token.span()
        kind = WORDS.get(word)
        if self._star >= 0 and kind not in (APART, WITHIN, LAYOUT, FONT_TABLE):
            if word not in BEHIND_STAR:
                return self._without(self._star if kind is None else token.end(1), high)
            self._star = -1
        star, self._star = self._star, -1
        if word == "u" and digits:
            return self._unicode(token)
        if word == "bin":
            return self._binary(token)
        if kind is None:
            self._flow.removed.append((low, high))
            return high
        if word in SESSIONS:
            self._flow.removed.append((low, high))
            return high
        most = 0 if kind in (CHARACTER, END) else _MOST_DIGITS
        if digits and len(digits.lstrip("-")) > most:
            self._flow.removed.append(token.span(2))
            high = token.start(2)
        if word == "listid" and digits:
            self._lists.append(token.span(2))
        if kind == FORMAT:
            self._format(word, digits)
        elif kind == CHARACTER:
            if self._group.kind == WITHIN:
                self._char(CHARACTERS[word], low, high)
        elif kind == END:
            if self._group.kind == WITHIN:
                self._end(ENDS[word], low, high, parts_text=word in PARTING)
        elif kind == REMOVED:
            return self._without(token.end(1), token.end())
        else:
            self._destination(kind, low if star < 0 else star)
        return token.end()

    def _end(self, sign: str, low: int, high: int, *, parts_text: bool) -> None:
        """The end of a line or cell; one of a paragraph is hidden with it, and parts nothing."""
        if self._group.hidden and parts_text:
            self._flow.removed.append((low, high))
        else:
            self._flow.hard(sign, low, high)

    def _destination(self, kind: str, low: int) -> None:
        if kind == APART and not self._group.hidden:
            self._flow.boundary("\n", low)
            self._group.apart = True
        self._group.kind = WITHIN if kind in (APART, WITHIN) else kind

    def _format(self, word: str, digits: str) -> None:
        """Takes note of what changes how bytes are read."""
        number = int(digits) if digits and len(digits) < 8 else 0
        if word == "f":
            self._font = number
            if self._group.kind != FONT_TABLE:
                self._group.codec = self._fonts.get(number, self._ansi)
        elif word == "uc":
            if number > _MOST_SKIPPED:
                raise DocumentError(UNMAPPED)
            self._group.skips = max(number, 0)
        elif word == "plain":
            self._group.codec = self._fonts.get(self._default_font, self._ansi)
            self._group.hidden = False
        elif word == "v":
            self._group.hidden = digits in ("", "-") or number != 0
        elif word in ("fcharset", "cpg"):
            if self._group.kind == FONT_TABLE:
                pages = CHARSETS if word == "fcharset" else CODE_PAGES
                self._fonts[self._font] = pages.get(number, self._ansi)
        elif word == "deff":
            self._default_font = number
        elif word == "ansicpg" or word in HEADER_PAGES:
            found = CODE_PAGES.get(number) if word == "ansicpg" else HEADER_PAGES[word]
            self._ansi = self._group.codec = found or self._ansi

    def _without(self, begin: int, position: int) -> int:
        """Removes what follows in the group, from `begin` on; gives where the group ends."""
        depth = len(self._outer)
        self._star = -1
        while found := _SKIPPED.search(self._source, position):
            position = found.end()
            sign = found[0]
            if sign == "{":
                depth += 1
                if depth > DEEPEST:
                    raise OverBudget("depth")
            elif sign == "}":
                depth -= 1
                if depth < len(self._outer):
                    self._flow.removed.append((begin, found.start()))
                    return found.start()
            elif found[1]:
                position = self._behind_binary(position, found[1])
        raise DocumentError(UNMAPPED)

    def _binary(self, token: re.Match[str]) -> int:
        end = self._behind_binary(token.end(), token[2])
        self._flow.removed.append((token.start(), end))
        return end

    def _behind_binary(self, position: int, digits: str) -> int:
        if len(digits) > 9 or position + max(int(digits or 0), 0) > len(self._source):
            raise DocumentError(UNMAPPED)
        return position + max(int(digits or 0), 0)

    def _unicode(self, token: re.Match[str]) -> int:
        r"""Reads `\u`, a pair of surrogates together, with what old readers show instead."""
        source, low = self._source, token.start()
        number = int(token[2]) if token[2].strip("-") and len(token[2]) < 9 else -1 << 30
        code = number + 0x10000 if -0x8000 <= number < 0 else number
        if not 0 <= code < 0x110000:
            self._flow.removed.append(token.span())
            return token.end()
        end = self._behind_fallback(token.end(), code)
        decoded = NO_CHARACTER if 0xD800 <= code < 0xE000 else chr(code)
        places = [(low, end)]
        if 0xD800 <= code < 0xDC00:
            # The second half may count on other fallbacks: `uc` between them stays.
            lower = _LOW_SURROGATE.match(source, end)
            second = int(lower[3]) % 0x10000 if lower else 0
            if lower and 0xDC00 <= second < 0xE000:
                decoded = chr(0x10000 + ((code - 0xD800) << 10) + second - 0xDC00)
                self._group.skips = int(lower[1]) if lower[1] else self._group.skips
                end = self._behind_fallback(lower.end(), ord(decoded))
                places.append((lower.start(2), end))
            else:
                self._wait(end)
        if self._group.kind != WITHIN:
            if not (0xF000 <= code < 0xF100 or decoded in _BULLETS):
                self._flow.removed += places
            return end
        if self._group.hidden:
            self._flow.removed += places
            return end
        self._flow.char(" " if decoded == "\xa0" else decoded, *places[0])
        if places[1:]:
            self._flow.also(*places[1])
        return end

    def _behind_fallback(self, position: int, code: int) -> int:
        """Where what old readers show instead of a character ends."""
        begin = position
        for _ in range(self._group.skips):
            found = _FALLBACK.match(self._source, position)
            if found is None:
                self._wait(position)
                break
            position = found.end()
        shown = self._source[begin:position]
        if shown not in ("", "?", "\\'3f"):
            # Old readers see it and detectors do not: no more than a letter's spelling.
            hidden = unicodedata.category(chr(code)) in ("Cf", "Cc")
            if len(_LETTERS.findall(shown)) > (0 if hidden else 3):
                raise DocumentError(UNMAPPED)
        return position


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Places:
    r"""Where in a source something must not come to stand without a group between.

    Attributes:
        source: of the document.
        broken: offsets at which a character waits for more.
        lists: where a number of a list is left out -> what stands instead.
    """

    source: str
    broken: set[int]
    lists: Mapping[int, str]

    def gluing(self, offset: int) -> bool:
        """Whether what comes to stand at an offset would be taken for a part of what is before."""
        undelimited = _UNDELIMITED.search(self.source, max(0, offset - 64), offset)
        return offset in self.broken or undelimited is not None

    def filled(self, low: int, high: int) -> str:
        """What stands instead of a range that is left out."""
        following = self.source[high : high + 1]
        number = self.lists.get(low, "")
        if following == "}" or (number and self.source[low:high].strip("-").isdigit()):
            return number
        if self.source[low - 1].isalpha() and self.source[low:high].strip("-").isdigit():
            return "{}" if following.isalnum() else ""  # a parameter
        # A sign ends a word that stands before it, but no character that waits for more.
        ends = following in ("\\", "{") and low not in self.broken
        return number + ("{}" if not ends and self.gluing(low) else "")


def _numbered_lists(source: str, places: Sequence[tuple[int, int]]) -> dict[int, str]:
    """Short numbers in place of long ones, the same for the same, and none that is taken."""
    numbers = [source[low:high] for low, high in places]
    taken = {number for number in numbers if len(number.lstrip("-")) <= _MOST_DIGITS}
    free = (str(n) for n in itertools.count(1) if str(n) not in taken)
    short: dict[str, str] = {}
    for number in numbers:
        if number not in taken and number not in short:
            short[number] = next(free)
    return {low: short[n] for (low, _), n in zip(places, numbers, strict=True) if n in short}


def written(places: _Places, text: str, offset: int) -> str:
    """A text as it is written at an offset."""
    found = _SPECIAL.sub(_escaped, text)
    ends_a_word = found and found[0] in "\\{"
    apart = offset in places.broken if ends_a_word else places.gluing(offset)
    return "{}" + found if apart else found


def _escaped(match: re.Match[str]) -> str:
    signs = match[0]
    if signs in "\\{}":
        return "\\" + signs
    if signs == "\n":
        return "\\line "
    if signs == "\t":
        return "\\tab "
    if ord(signs[0]) < 0x80:
        return f"\\'{ord(signs):02x}"
    units = signs.encode("utf-16-le", "surrogatepass")
    numbers = (
        int.from_bytes(units[place : place + 2], "little", signed=True)
        for place in range(0, len(units), 2)
    )
    return "{\\uc1" + "".join(f"\\u{number}?" for number in numbers) + "}"
