"""Character data and values of attributes in XML: references and CDATA, read with their offsets.

A comment between two characters parts no word: it is read over, and what it says is left out.

Source: XML 1.0 (Fifth Edition), sections 2.2 (characters), 2.4 (character data), 2.5 (comments),
2.7 (CDATA), 4.1 and 4.6 (references; without a DTD, five names are declared).
"""

from __future__ import annotations

import dataclasses
import re
from bisect import bisect_right
from typing import NamedTuple

from ..core.errors import DocumentError
from ..core.views import Edit, View
from ..core.written_texts import Mapped, Removed

BAD_CCDA = "BadCcda"
"""The error class of a record that is not well-formed, or of a text that XML cannot hold."""

NO_CHARACTER = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What is no character of XML."""

CDATA, CDATA_END = "<![CDATA[", "]]>"
COMMENT_START, COMMENT_END = "<!--", "-->"

_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}
_REFERENCE = re.compile(
    r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,10})|#x([0-9A-Fa-f]{1,8}));", re.ASCII
)
_SPECIAL = re.compile(r"[&<]")

_ESCAPED = str.maketrans(
    {
        **{"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"},
        "\r": "&#13;",
    }
)
_BRACKET = str.maketrans({"]": "&#93;"})
"""Where a `>` stands in a source as it is: together they could be the end of a CDATA section."""

_BLANKS = str.maketrans({"\n": "&#10;", "\t": "&#9;"})
"""A reader makes spaces of the others in the value of an attribute."""


def escaped(text: str, *, in_attribute: bool) -> str:
    """A text as it is written between tags, or between the quotes of an attribute.

    Raises:
        DocumentError: `BAD_CCDA`, for characters that XML does not have.
    """
    if NO_CHARACTER.search(text):
        raise DocumentError(BAD_CCDA)
    written = text.translate(_ESCAPED)
    return written.translate(_BLANKS) if in_attribute else written


def decoded(source: str) -> str:
    """What character data, or the value of an attribute, says.

    Raises:
        DocumentError: `BAD_CCDA`.
    """
    if _SPECIAL.search(source) is None:
        return source
    return View.of(source, 0, len(source)).edited(_scanned(source).edits).text


@dataclasses.dataclass(frozen=True, slots=True)
class XmlText:
    """The layer of character data without tags, or of the value of an attribute.

    Attributes:
        in_attribute: which of them.
    """

    in_attribute: bool = False

    def __call__(self, source: str) -> Mapped:
        """Opens a source.

        Raises:
            DocumentError: `BAD_CCDA`.
        """
        scanned = _scanned(source)
        view = View.of(source, 0, len(source)).edited(scanned.edits)

        def written(text: str, at: int) -> str:
            section = bisect_right(scanned.sections, at)
            if section % 2 == 0:
                found = escaped(text, in_attribute=self.in_attribute)
                return found.translate(_BRACKET) if ">" in source else found
            if NO_CHARACTER.search(text):
                raise DocumentError(BAD_CCDA)
            return text.replace(CDATA_END, f"]]{CDATA_END}{CDATA}>")

        return Mapped(view, written, removed=scanned.comments)


TEXT, ATTRIBUTE = XmlText(), XmlText(in_attribute=True)


def comment_text(source: str) -> Mapped:
    """The layer of a comment, in which nothing is escaped."""

    def written(text: str, at: int) -> str:
        if "--" in text or text.endswith("-") or NO_CHARACTER.search(text):
            raise DocumentError(BAD_CCDA)
        return text

    return Mapped(View.of(source, 0, len(source)), written)


class _Scanned(NamedTuple):
    """What a source holds beside its characters.

    Attributes:
        edits: which read it.
        sections: where each CDATA section begins and ends, in turn.
        comments: where each comment that says something does, between its signs.
    """

    edits: list[Edit]
    sections: list[int]
    comments: list[Removed]


def _scanned(source: str) -> _Scanned:
    found = _Scanned([], [], [])
    at = 0
    while special := _SPECIAL.search(source, at):
        at = special.start()
        if source.startswith(CDATA, at):
            begin, end = _enclosed(source, at, CDATA, CDATA_END)
            found.edits.extend(((at, begin, ""), (end, end + len(CDATA_END), "")))
            found.sections.extend((begin, end))
            at = end + len(CDATA_END)
        elif source.startswith(COMMENT_START, at):
            begin, end = _enclosed(source, at, COMMENT_START, COMMENT_END)
            found.edits.append((at, end + len(COMMENT_END), ""))
            if begin < end:
                found.comments.append((begin, end))
            at = end + len(COMMENT_END)
        elif match := _REFERENCE.match(source, at):
            found.edits.append((at, match.end(), _character(match)))
            at = match.end()
        else:
            raise DocumentError(BAD_CCDA)
    return found


def _enclosed(source: str, at: int, start: str, end: str) -> tuple[int, int]:
    """Where what stands between two signs begins and ends, of which the first is at an offset."""
    begin = at + len(start)
    found = source.find(end, begin)
    if found < 0:
        raise DocumentError(BAD_CCDA)
    return begin, found


def _character(match: re.Match[str]) -> str:
    if match[1]:
        return _NAMED[match[1]]
    number = int(match[2]) if match[2] else int(match[3], 16)
    if number > 0x10FFFF or NO_CHARACTER.match(chr(number)):
        raise DocumentError(BAD_CCDA)
    return chr(number)
