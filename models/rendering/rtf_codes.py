r"""Bytes of RTF as characters: the code pages of fonts, and `\'hh` of one byte or several."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from types import MappingProxyType

CODE_PAGES: Mapping[int, str] = MappingProxyType(
    {
        **{437: "cp437", 850: "cp850", 852: "cp852", 866: "cp866", 874: "cp874", 932: "cp932"},
        **{936: "gbk", 949: "cp949", 950: "cp950", 1361: "johab", 10000: "mac_roman"},
        **{page: f"cp{page}" for page in range(1250, 1259)},
        **{10006: "mac_greek", 10007: "mac_cyrillic", 10029: "mac_latin2", 65001: "utf-8"},
        **{54936: "gb18030", 20127: "ascii"},
    }
)
r"""`\ansicpg` and `\cpg` -> the codec."""

CHARSETS: Mapping[int, str] = MappingProxyType(
    {
        **{0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gbk"},
        **{136: "cp950", 161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256"},
        **{186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850"},
    }
)
r"""`\fcharset` -> the codec; others are that of the document."""

HEADER_PAGES: Mapping[str, str] = MappingProxyType(
    {"ansi": "cp1252", "mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
)

NO_CHARACTER = "\ufffd"
"""What is read for bytes of no character."""

_MOST_BYTES: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(("cp932", "gbk", "cp949", "cp950", "johab"), 2),
        **dict.fromkeys(("utf-8", "gb18030"), 4),
    }
)
_NEXT = re.compile(r"[\r\n]*+(?:\\'([0-9A-Fa-f]{2})|([!-\[\]-z|~]))")


@functools.cache
def table(codec: str) -> str | None:
    """The characters of the 256 bytes; None if some characters are of several bytes."""
    if codec in _MOST_BYTES:
        return None
    return "".join(
        bytes((byte,)).decode(codec, "replace").replace("\xa0", " ") for byte in range(256)
    )


def several(source: str, low: int, codec: str) -> tuple[str, int]:
    r"""The character whose first byte `\'hh` stands at `low`, and where it ends.

    The bytes behind it may be written as signs. Of a first byte without the others nothing but
    `NO_CHARACTER` is read.
    """
    read, end = bytes((int(source[low + 2 : low + 4], 16),)), low + 4
    for _ in range(_MOST_BYTES[codec]):
        try:
            return read.decode(codec).replace("\xa0", " "), end
        except UnicodeDecodeError:
            found = _NEXT.match(source, end)
        if found is None:
            break
        read += bytes((int(found[1], 16) if found[1] else ord(found[2]),))
        end = found.end()
    return NO_CHARACTER, low + 4
