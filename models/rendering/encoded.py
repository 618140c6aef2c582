"""Texts written as base64 or as hexadecimal digits: read whole, and written anew where changed.

Source: RFC 4648 §4 and §8. White space between the digits, as MIME has it, is read over.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
from collections.abc import Callable, Sequence

from ..core.errors import DocumentError
from ..core.views import Edit, applied
from ..core.written_texts import Layer

UNREADABLE = "UnreadableAttachment"
"""The error class of encoded bytes that are no text."""

_ENCODINGS = ("utf-8", "cp1252")


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Encoded:
    """An opened source of encoded bytes.

    Attributes:
        text: the bytes, decoded.
        length: of the source.
        write: gives a text as the source writes it.
    """

    text: str
    length: int
    write: Callable[[str], str]
    joins: tuple[int, ...] = ()

    def edits(self, edits: Sequence[Edit]) -> list[Edit]:
        """See `OpenedText`: where anything changes, all is written anew."""
        return [(0, self.length, self.write(applied(self.text, edits)))] if edits else []


def base64_text(source: str) -> Encoded:
    """Opens a text in base64, in UTF-8 or Windows-1252.

    Raises:
        DocumentError: `UNREADABLE`, for what is no base64 or no text.
    """
    return _opened(source, _from_base64, lambda raw: base64.b64encode(raw).decode("ascii"))


def hex_text(source: str) -> Encoded:
    """The same in hexadecimal digits."""
    return _opened(source, _from_hex, lambda raw: raw.hex().upper())


def _from_base64(source: str) -> bytes:
    return base64.b64decode("".join(source.split()), validate=True)


def _from_hex(source: str) -> bytes:
    return bytes.fromhex(source)


def _opened(source: str, read: Callable[[str], bytes], write: Callable[[bytes], str]) -> Encoded:
    try:
        raw = read(source)
    except (ValueError, binascii.Error):
        raise DocumentError(UNREADABLE) from None
    encoding = next((one for one in _ENCODINGS if _is_text(raw, one)), None)
    if encoding is None:
        raise DocumentError(UNREADABLE)

    def written(text: str) -> str:
        try:
            return write(text.encode(encoding))
        except UnicodeEncodeError:
            raise DocumentError(UNREADABLE) from None

    return Encoded(raw.decode(encoding), len(source), written)


_NO_TEXT = frozenset(map(chr, {*range(32), 127} - {9, 10, 11, 12, 13, 27}))


def _is_text(raw: bytes, encoding: str) -> bool:
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError:
        return False
    return _NO_TEXT.isdisjoint(text)


LAYERS_OF: dict[str, Layer] = {"base64": base64_text, "hex": hex_text}
"""Encoding, in lower case -> the layer that opens it; anything else is no encoding of bytes."""
