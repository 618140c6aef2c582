"""What an attachment holds: a text of which sort, or nothing that can be read.

What an attachment is said to be is not believed where it is seen to be something else: a PDF, a
package of MIME or base64 within what should be plain text would go out as it is, for nobody reads
what it says.

Source: HL7 v2.8.2, 2A.2.24 (ED) and tables 0191, 0291, 0299; RFC 2045 section 6.1.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from ..core.errors import DocumentError
from ..core.written_texts import Layer, Stack
from ..rendering.encoded import LAYERS_OF
from ..rendering.kinds import LAYERS, recognised

MARKUP: Final = {
    "rtf": "rtf",
    "html": "html",
    "xhtml": "html",
    "xml": "xml",
    "x-hl7-cda-level-one": "xml",
    "hl7-cda+xml": "xml",
}
"""Subtype -> the layer that reads it."""

_PLAIN = frozenset({"", "plain", "text", "txt"})
_TEXTS = frozenset({"", "text", "tx", "ft", "st", "application", "multipart"})
_TYPES = _TEXTS | {
    *("ap", "au", "ed", "im", "ns", "sd", "si"),
    *("audio", "font", "image", "message", "model", "video"),
}
"""Table 0191, and the types of MIME."""

_SUBTYPES = _PLAIN | {
    *MARKUP,
    *("basic", "dicom", "fax", "gif", "jot", "jpeg", "octet-stream", "pict", "postscript"),
    *("sgml", "tiff"),
    *("alternative", "bmp", "doc", "docx", "jpg", "json", "mixed", "mp4", "mpeg"),
    *("msword", "octetstream", "pdf", "png", "ps", "related", "svg+xml", "tif", "wav"),
    *("word", "x-pdf", "x-zip", "xls", "xlsx", "zip"),
}
"""Table 0291, and what is sent in its place."""

_AS_IT_IS = "a"
_ENCODINGS = frozenset({_AS_IT_IS, *LAYERS_OF})
"""Table 0299, in lower case."""

_LEAST_LINE: Final = 24
"""Digits in a line of base64, but for the last one; words have fewer letters."""

_PACKED = re.compile(
    rf"\s*+(?:[A-Za-z0-9+/_-]{{{_LEAST_LINE},}}+\s*+)++[A-Za-z0-9+/_-]*+={{0,2}}\s*+"
    r"|\s*+(?:[0-9A-Fa-f]{2}\s?){16,}+"
)
"""Lines of digits of base64, of which the last may be short, or pairs of hexadecimal ones."""

_ENCODED_PART = re.compile(
    r"^content-transfer-encoding[ \t]*:\s{0,9}(?!7bit|8bit|\s)", re.IGNORECASE | re.MULTILINE
)
_OTHER_FILE = re.compile(r"\s{0,9}(?:%PDF-|%!PS|PK\x03\x04)")
_TAG = re.compile(r"<[A-Za-z_!?]")
_GROUP: Final = "{\\"
"""Begins a group of RTF, which may part the letters of a name."""


def is_described(kind: str, subtype: str, encoding: str) -> bool:
    """Whether type, subtype and encoding are words of their tables, in any case.

    Others could be anything: a part of the data, or what encodes it.
    """
    return (
        kind.lower() in _TYPES and subtype.lower() in _SUBTYPES and encoding.lower() in _ENCODINGS
    )


def layers_of(
    source: str, outer: Layer, kind: str, subtype: str, encoding: str
) -> tuple[Layer, ...] | None:
    """By which layers the data of an attachment is opened; None for data that is no text.

    Args:
        source: the data, as it is written.
        outer: by which its message writes any text.
        kind, subtype, encoding: words of their tables; see `is_described`.
    """
    subtype, encoding = subtype.lower(), encoding.lower()
    if kind.lower() not in _TEXTS or not (subtype in _PLAIN or subtype in MARKUP):
        return None
    inner = () if encoding == _AS_IT_IS else (LAYERS_OF[encoding],)
    return layers_of_text(source, (outer, *inner), MARKUP.get(subtype))


def layers_of_text(
    source: str, outer: Sequence[Layer], markup: str | None
) -> tuple[Layer, ...] | None:
    """The layers of what is said to be a text; None if it is seen to be none.

    Args:
        source: as it is written.
        outer: by which it is decoded.
        markup: how the text is said to be written; where nothing is said, its beginning tells. So
            it does of RTF that holds no group: systems call so what is plain text, or HTML.
    """
    try:
        text = Stack.of(source, outer).text
    except DocumentError:  # whoever reads it is told
        return tuple(outer)
    if _PACKED.fullmatch(text) or _OTHER_FILE.match(text) or _ENCODED_PART.search(text):
        return None
    if markup == "xml" and not _TAG.search(text):
        return None
    if markup == "rtf" and _GROUP not in text:
        markup = None
    found = markup or recognised(text)
    return tuple(outer) if found is None else (*outer, LAYERS[found])


def may_be_encoded(value: str) -> bool:
    """Whether a value is digits of base64, or hexadecimal ones, that could hold a text."""
    return _PACKED.fullmatch(value) is not None


def may_hold_encoded(text: str) -> bool:
    """Whether a text, or a line of it, could be taken for one that is encoded."""
    return may_be_encoded(text) or any(len(word) >= _LEAST_LINE for word in text.split())
