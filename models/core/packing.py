"""What packed models have in common: an xz stream of bounded size, and lists of names in it."""

from __future__ import annotations

import lzma
from collections.abc import Sequence

from .errors import BundleError

_MEMORY = 1 << 27
"""Memory limit of the decompressor; presets up to 9 need 65 MB."""


def compressed(body: bytes) -> bytes:
    """The xz stream; the same body and version of liblzma give the same bytes."""
    return lzma.compress(body, preset=6)


def decompressed(data: bytes, what: str, most: int) -> bytes:
    """The content of an xz stream.

    Args:
        data: one stream, and nothing behind it.
        what: the name of the format, for messages.
        most: bytes of the content; more is refused unread.

    Raises:
        BundleError: if it is damaged or too large.
    """
    decompressor = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY)
    try:
        body = decompressor.decompress(data, max_length=most)
    except (lzma.LZMAError, EOFError):
        raise BundleError(f"not a {what}, or damaged") from None
    if not decompressor.eof or decompressor.unused_data:
        raise BundleError(f"the {what} is truncated, too large, or followed by other data")
    return body


def joined_names(names: Sequence[str]) -> bytes:
    """Names in UTF-8, each followed by a NUL, which none of them holds."""
    return "\0".join([*names, ""]).encode()


def split_names(data: bytes, count: int, names: str, what: str) -> tuple[str, ...]:
    """The names that `joined_names` joined.

    Args:
        data: nothing else.
        count: how many there are.
        names: what they are, for messages.
        what: the name of the format, for messages.

    Raises:
        BundleError: if there are more or fewer, or they are not UTF-8.
    """
    if data.count(0) != count:
        raise BundleError(f"the number of {names} in the {what} does not match its header")
    try:
        *found, rest = data.decode().split("\0")
    except UnicodeDecodeError:
        raise BundleError(f"the {names} of the {what} are not UTF-8") from None
    if rest:
        raise BundleError(f"the last of the {names} of the {what} is not terminated")
    return tuple(found)
