"""Characters that are another one in other clothes: full width, styles of mathematics; and emoji.

Small digits, above or below the line, are read where they are a number. An emoji that touches a
word is read as a blank.
"""

from __future__ import annotations

import re
import unicodedata

from ..core.views import Edit

STYLED = "\u2460-\u24ff\u3000\uff01-\uff5e\U0001d400-\U0001d7ff\U0001f100-\U0001f1ff"
EMOJI = "\U0001f300-\U0001faff"

SMALL_DIGITS = "\u2070\u2074-\u2079\u2080-\u2089"
"""Superscript and subscript, but for `UNIT_DIGITS`."""

UNIT_DIGITS = "\xb9\xb2\xb3"
"""1, 2 and 3 above the line: one of them alone is most often of a unit, as in `kg/m²`."""

_STYLED = re.compile(f"[{STYLED}{EMOJI}]")
# After a word or a number they are a power or a footnote.
_SMALL_NUMBER = re.compile(rf"(?<!\w)[{UNIT_DIGITS}{SMALL_DIGITS}]{{2,}}(?!\w)")


def edits(text: str) -> list[Edit]:
    """One character for one; what is more than one character in plain clothes is left."""
    if text.isascii():
        return []
    found = [
        (at, at + 1, plain)
        for match in _STYLED.finditer(text)
        if (plain := _plain(match.group())) != text[at := match.start()]
    ]
    small = [
        (at, at + 1, _plain(text[at]))
        for match in _SMALL_NUMBER.finditer(text)
        for at in range(*match.span())
    ]
    return sorted(found + small) if small else found


def _plain(character: str) -> str:
    if character >= EMOJI[0]:
        return " "
    plain = unicodedata.normalize("NFKC", character)
    return plain if len(plain) == 1 else character
