"""What the media types of messages say of content: text, text in markup, or neither.

Source: RFC 6838; the `text/x-hl7-...` of HL7 V3 Data Types R1, section 2.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

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
