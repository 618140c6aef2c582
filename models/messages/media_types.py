"""What content of messages is: text, text in markup or neither by its media type, and base64.

Source: RFC 6838; the `text/x-hl7-...` of HL7 V3 Data Types R1, section 2.4; RFC 4648 section 4.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_MARKUP: Mapping[str, str] = MappingProxyType(
    {
        "text/html": "html",
        "application/xhtml+xml": "html",
        "text/xml": "xml",
        "text/x-hl7-text+xml": "xml",
        "application/xml": "xml",
        "application/hl7-cda+xml": "xml",
        "application/hl7-sda+xml": "xml",
        "text/rtf": "rtf",
        "application/rtf": "rtf",
        "application/x-rtf": "rtf",
    }
)

_BASE64 = re.compile("[A-Za-z0-9+/]{38,}={0,2}")
_KINDS_OF_DIGITS: Final = (re.compile("[A-Z]"), re.compile("[g-z]"), re.compile("[0-9+/]"))
_LEAST_LINE: Final = 20
_LEAST_DIGITS: Final = 40


def looks_like_base64(text: str) -> bool:
    """Whether a text is nothing but digits of base64, 40 or more, as no prose is.

    Digits stand in lines of some length, and are large, small and numerals; so sequences of genes,
    hashes in hexadecimal digits and words are none.
    """
    if len(text) < _LEAST_DIGITS:
        return False
    lines = text.split()
    digits = "".join(lines)
    return (
        all(len(line) >= _LEAST_LINE for line in lines[:-1])
        and len(digits) % 4 == 0
        and _BASE64.fullmatch(digits) is not None
        and all(form.search(digits) for form in _KINDS_OF_DIGITS)
    )


def media_type_of(written: str) -> str:
    """The type without its parameters, in lower case."""
    return written.partition(";")[0].strip().lower()


def markup_of(written: str) -> str | None:
    """The layer of `rendering.kinds` in which content of a type is written; None for none."""
    return _MARKUP.get(media_type_of(written))


def is_text(written: str) -> bool:
    """Whether content of a type is text; what has no type is not known to be."""
    media = media_type_of(written)
    return media in _MARKUP or media.startswith("text/")
