r"""Escapes with a backslash, of JSON, C and RTF: `\u004f`, `\x4f`, `\117`, `\/`, `\n`, `\'4f`."""

from __future__ import annotations

import re

from .base import Edit
from .entities import character

_ESCAPE = re.compile(
    r"\\(?:"
    r"u(?P<decimal>-?[0-9]{1,5})\?"  # of RTF, with the character for programs that know no better
    r"|u(?P<high>[dD][89abAB][0-9A-Fa-f]{2})\\u(?P<low>[dD][c-fC-F][0-9A-Fa-f]{2})"
    r"|(?:u\{(?P<braced>[0-9A-Fa-f]{1,6})\}|u(?P<four>[0-9A-Fa-f]{4})|U(?P<eight>[0-9A-Fa-f]{8})"
    r"|x(?P<two>[0-9A-Fa-f]{2})|'(?P<quoted>[0-9A-Fa-f]{2}))"
    r"|(?P<octal>[0-3][0-7]{2})"
    r"|(?P<sign>[/\"])"
    # A word may follow at once; small letters do in `\nosupersub` of RTF or `C:\temp`.
    r"|(?P<blank>[nrt])(?![a-z])"
    r")"
)
_BLANKS = {"n": "\n", "r": "\n", "t": "\t"}


def edits(text: str) -> list[Edit]:
    """The escapes that stand for a character."""
    if "\\" not in text:
        return []
    return [
        (*match.span(), decoded)
        for match in _ESCAPE.finditer(text)
        if (decoded := _decoded(match)) is not None
    ]


def _decoded(match: re.Match[str]) -> str | None:
    kind = match.lastgroup
    assert kind is not None, "every branch has a name"
    value = match[kind]
    if kind == "sign":
        return value
    if kind == "blank":
        return _BLANKS[value]
    if kind == "low":
        high = int(match["high"], 16) - 0xD800
        return chr(0x10000 + (high << 10) + int(value, 16) - 0xDC00)
    if kind == "decimal":
        return character(int(value) % 0x10000)
    return character(int(value, 8 if kind == "octal" else 16))
