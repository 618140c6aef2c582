"""Encodings that files may have: those that return every text byte for byte.

A closed list: Python has codecs that do not encode text (`rot13`, `idna`), run their own code
(`unicode_escape`), or are ambiguous (`utf-7`). ISO 2022 is left out, for its shift states
let two files of other bytes be one text; so are Big5 and its kin (`cp950`, `big5hkscs`), and
`cp932`, which have two codes for some characters (Big5: A1FE and A241 are both U+FF0F).
"""

from __future__ import annotations

import codecs

from ..core.errors import UsageError
from ..core.suggestions import did_you_mean

_SINGLE_BYTE = (
    *("ascii", "cp437", "cp850", "cp852", "cp866", "koi8-r", "koi8-u", "mac-roman"),
    *(f"cp125{n}" for n in range(9)),
    *(f"iso8859-{n}" for n in (*range(1, 12), *range(13, 17))),
)
_MANY_BYTES = (
    *("utf-8", "utf-16", "utf-16-le", "utf-16-be"),
    *("gb18030", "shift_jis", "euc-kr"),
)

ENCODINGS: tuple[str, ...] = tuple(sorted((*_SINGLE_BYTE, *_MANY_BYTES)))
"""Names as Python's codecs spell them, with or without a sign between word and number."""

_BY_CODEC = {codecs.lookup(name).name: name for name in ENCODINGS}


def encoding_named(name: str) -> str:
    """The entry of `ENCODINGS` that a name or alias (`latin-1`, `windows-1252`) stands for.

    Raises:
        UsageError: if it is not one of them.
    """
    try:
        return _BY_CODEC[codecs.lookup(name).name]
    except (LookupError, ValueError):
        raise UsageError(
            f"encoding {name!r} is unknown or not supported{did_you_mean(name, ENCODINGS)}; "
            f"supported: {', '.join(ENCODINGS)}"
        ) from None


def is_single_byte(encoding: str) -> bool:
    """Whether every byte is a character, so that a file can be cut anywhere, ASCII as in ASCII."""
    return encoding in _SINGLE_BYTE


def decode(content: bytes, encoding: str) -> str | None:
    """The text of bytes; None if they are not in the encoding or would not come back the same.

    What does not come back (a byte-order mark missing in UTF-16, an over-long form) would change
    text that was not to be changed.
    """
    try:
        text = content.decode(encoding)
        return text if encoding == "utf-8" or text.encode(encoding) == content else None
    except UnicodeError:
        return None


def is_misread(text: str) -> bool:
    """Whether a text is one in UTF-8 that was read as another encoding: `MÃ¼ller` for `Müller`.

    All that is not ASCII has to be so: a text that was written like that comes apart somewhere.
    """
    if text.isascii():
        return False
    for encoding in ("cp1252", "latin-1"):
        try:
            text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
        return True
    return False


def require_encodable(text: str, encoding: str) -> None:
    """Accepts a text that files in the encoding can hold.

    Raises:
        UsageError: naming the encoding, never the text.
    """
    if text.isascii():
        return
    try:
        text.encode(encoding)
        return
    except UnicodeEncodeError:
        pass
    raise UsageError(
        f"a text contains a character that {encoding} cannot encode: convert the input to UTF-8"
    )
