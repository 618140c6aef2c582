"""Character references of HTML and XML, read as browsers read them.

HTML Standard, section 13.2.5.72 and following: numbers of the C1 controls stand for characters of
Windows-1252, some names do without their semicolon, in the value of an attribute fewer of them.
"""

from __future__ import annotations

import html.entities
import re

_NUMBER = re.compile(r"&#(?:[xX]0*+([0-9A-Fa-f]++)|0*+([0-9]++)|([xX]?0++));?")
_NAME = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});?")
_LONGEST_OLD_NAME = 6

REPLACEMENT = "\ufffd"
"""What is read for a number of no character."""

_UNFINISHED = re.compile(r"(?:<|&#?[A-Za-z0-9]{0,64})\Z")


def reference(source: str, low: int, in_attribute: bool) -> tuple[str, int] | None:
    """What the reference at `low` stands for, and where it ends; None for a sign `&` alone."""
    if source.startswith("&#", low):
        number = _NUMBER.match(source, low)
        # A browser shows one sign for any number over the last character's. Read as it is
        # written, so that what is in it is seen.
        if number is None or _code(number) >= 0x110000:
            return None
        return _numbered(_code(number)), number.end()
    named = _NAME.match(source, low)
    if named is None:
        return None
    name = named[1]
    if named[0][-1] == ";" and name + ";" in html.entities.html5:
        return html.entities.html5[name + ";"], named.end()
    for size in range(min(len(name), _LONGEST_OLD_NAME), 1, -1):
        if name[:size] in html.entities.html5:
            end = low + 1 + size
            following = source[end : end + 1]
            if in_attribute and (following == "=" or (following.isascii() and following.isalnum())):
                return None
            return html.entities.html5[name[:size]], end + (following == ";")
    return None


def xml_reference(source: str, low: int) -> tuple[str, int] | None:
    """As `reference`, of XML: with a semicolon, numbers as they are; None if there is none.

    Names of XHTML are read too: fragments come without the DTD that declares them.
    """
    if source.startswith("&#", low):
        number = _NUMBER.match(source, low)
        if number is None or number[0][-1] != ";" or source.startswith("&#X", low):
            return None
        code = _code(number)
        allowed = code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0x110000
        return (chr(code), number.end()) if allowed and code not in (0xFFFE, 0xFFFF) else None
    named = _NAME.match(source, low)
    if named is None or named[0][-1] != ";":
        return None
    found = html.entities.html5.get(named[1] + ";")
    return None if found is None else (found, named.end())


def escaped(text: str, quote: str = "") -> str:
    """A text written so that it is read as it is.

    Args:
        text: what shall be read.
        quote: of the attribute in whose value it stands; " " for one without quotes, "" for text.
    """
    found = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if "\r" in found:
        found = found.replace("\r", "&#13;")
    if quote:
        found = found.replace('"', "&quot;").replace("'", "&#39;").replace("\n", "&#10;")
    if quote == " ":
        found = found.replace("\t", "&#9;").replace("\f", "&#12;").replace(" ", "&#32;")
        found = found.replace("=", "&#61;").replace("`", "&#96;")
    return found


def unfinished(source: str, offset: int) -> bool:
    """Whether what stands before an offset could go on behind it: `<`, `&am`, `&copy`, `&#4`."""
    return _UNFINISHED.search(source, max(0, offset - 66), offset) is not None


def numbered_first(text: str) -> str:
    """An escaped text whose first character is a reference, so that nothing before it goes on."""
    return text if not text or text[0] == "&" else f"&#{ord(text[0])};{text[1:]}"


def _code(number: re.Match[str]) -> int:
    """The number of a character, 0x110000 if it is of none: long digits are not read at all."""
    hexadecimal, decimal, _ = number.groups()
    digits = hexadecimal or decimal or "0"
    return int(digits, 16 if hexadecimal else 10) if len(digits) <= 7 else 0x110000


def _numbered(code: int) -> str:
    if 0x80 <= code < 0xA0:
        return bytes((code,)).decode("cp1252", "ignore") or chr(code)
    return REPLACEMENT if code == 0 or 0xD800 <= code < 0xE000 else chr(code)
