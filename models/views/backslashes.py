r"""Escapes with a backslash, of JSON, C and RTF: `\u004f`, `\x4f`, `\117`, `\/`, `\n`, `\'4f`.

JSON within JSON doubles the backslash (`\\u004f`). Octets that are UTF-8 together are read so
(`\xc3\xb1`). RTF writes characters as decimal numbers (`\u241 `), and some blanks and hyphens as
signs (`\~`, `\_`, `\-`).
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

from ..core.views import Edit
from .base import disjoint
from .entities import character

_BACKSLASHES = r"\\{1,8}"
"""Each time that JSON is written as a string of JSON, there are twice as many."""

_NUMBER = (
    r"(?:\\uc[0-9] ?)?\\u(?:"
    # What programs show that know no better: a sign, or an octet. Above 0x7fff numbers may be
    # negative. No letters of Europe are at 2000 to 2999, but signs are in JSON: `\u2019?`.
    r"(?P<shown>-[0-9]{1,5}|(?!2[0-9]{3}(?![0-9]))[1-9][0-9]{0,4})(?:\?|\\'[0-9A-Fa-f]{2})"
    # A blank ends the number. Four digits are JSON where that is Latin or a sign: `\u0041 `,
    # `\u2013 `. Greek, Cyrillic and signs are the others as decimal numbers.
    r"|(?P<decimal>-[0-9]{1,5}|[1-9][0-9]{1,2}(?![0-9A-Fa-f])|(?:[189][0-9]{3}|6[0-9]{4})(?= ))"
    r" ?\??)"
)
_ESCAPE = re.compile(
    rf"(?P<brace>\{{)?{_NUMBER}(?(brace)\}})"
    rf"|{_BACKSLASHES}u(?P<high>[dD][89abAB][0-9A-Fa-f]{{2}})"
    rf"{_BACKSLASHES}u(?P<low>[dD][c-fC-F][0-9A-Fa-f]{{2}})"
    rf"|{_BACKSLASHES}(?:u\{{(?P<braced>[0-9A-Fa-f]{{1,6}})\}}"
    r"|u(?P<four>[0-9A-Fa-f]{4})|U(?P<eight>[0-9A-Fa-f]{8})"
    r"|x(?P<two>[0-9A-Fa-f]{2}))"
    r"|\\'(?P<quoted>[0-9A-Fa-f]{2})"
    rf"|{_BACKSLASHES}(?P<octal>[0-3][0-7]{{2}})"
    rf"|{_BACKSLASHES}(?P<sign>[/\"])"
    # Small letters may follow the break of a word, and two escapes of one break.
    rf"|(?<=\w[-\u2010-\u2013])(?:{_BACKSLASHES}r)?{_BACKSLASHES}(?P<wrap>n)(?=[ \w])"
    # A word may follow at once; small letters do in `\nosupersub` of RTF or `C:\temp`.
    rf"|{_BACKSLASHES}(?P<blank>[nrt])(?![a-z])"
    r"|\\(?P<word>[lr]quote|e[nm](?:dash|space)|zwn?j)(?: |(?![A-Za-z0-9]))"
    r"|\\(?P<space>~)(?=[\w(\"'\\])"
    r"|(?<=[^\W_])\\(?P<hyphen>[_-])(?=[^\W_])"
)
_BLANKS = {"n": "\n", "r": "\n", "t": "\t"}

_WORDS = {
    "lquote": "\u2018",
    "rquote": "\u2019",
    "endash": "\u2013",
    "emdash": "\u2014",
    "enspace": "\u2002",
    "emspace": "\u2003",
    "zwj": "",
    "zwnj": "",
}
"""Of RTF, inside of names and numbers: `O\\rquote Brien`, `617\\endash 555`."""

_OCTET = re.compile(
    rf"{_BACKSLASHES}(?:(?:x|u00)([0-9A-Fa-f]{{2}})|([0-3][0-7]{{2}}))|\\'([0-9A-Fa-f]{{2}})"
)
_OCTETS = re.compile(rf"(?:{_OCTET.pattern}){{2,}}")


def edits(text: str) -> list[Edit]:
    """The escapes that stand for a character."""
    if "\\" not in text:
        return []
    several = [edit for run in _OCTETS.finditer(text) for edit in _of_octets(run)]
    begun = {low for low, _, _ in several}
    each = [
        (*match.span(), decoded)
        for match in _ESCAPE.finditer(text)
        if match.start() not in begun and (decoded := _decoded(match)) is not None
    ]
    return disjoint(sorted(several + each))


def _of_octets(run: re.Match[str]) -> Iterator[Edit]:
    """Yields the characters that some octets of a run are in UTF-8; the others are left."""
    matches = list(_OCTET.finditer(run.string, *run.span()))
    octets = bytes(
        int(two or quoted, 16) if octal is None else int(octal, 8)
        for two, octal, quoted in (match.groups() for match in matches)
    )
    for sequence in _SEQUENCE.finditer(octets):
        first, last = matches[sequence.start()], matches[sequence.end() - 1]
        with contextlib.suppress(UnicodeDecodeError):
            yield first.start(), last.end(), sequence.group().decode()


_SEQUENCE = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)


def _decoded(match: re.Match[str]) -> str | None:
    kind = match.lastgroup
    assert kind is not None, "every branch has a name"
    value = match[kind]
    if kind == "sign":
        return value
    if kind in ("blank", "wrap"):
        return _BLANKS[value]
    if kind == "word":
        return _WORDS[value]
    if kind == "space":
        return "\xa0"
    if kind == "hyphen":
        return _hyphen(match)
    if kind == "low":
        high = int(match["high"], 16) - 0xD800
        return chr(0x10000 + (high << 10) + int(value, 16) - 0xDC00)
    if kind in ("shown", "decimal"):
        return character(int(value) % 0x10000)
    return character(int(value, 8 if kind == "octal" else 16))


def _hyphen(match: re.Match[str]) -> str:
    """A hyphen; where it is seen only at the end of a line, nothing.

    It is no optional one between digits: Markdown writes hyphens so.
    """
    low, high = match.span()
    digits = match.string[low - 1].isdigit() and match.string[high].isdigit()
    return "-" if match["hyphen"] == "_" or digits else ""
