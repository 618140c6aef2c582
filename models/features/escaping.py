"""How the values of properties stand in attribute strings."""

from __future__ import annotations

import re

BEFORE = "\\B"
AFTER = "\\E"
"""The one value that every property has before the first and after the last item of a sequence.

No other value can be equal to them, since `escape` doubles backslashes. CRF++ has such markers too.
"""

_UNHOLDABLE = re.compile("[\\\\|\x00\ud800-\udfff]")
_ESCAPED = re.compile(r"\\(\\|p|0|u[0-9a-f]{4})")


def escape(value: str) -> str:
    r"""Makes a value fit for an attribute string, injectively.

    CRFsuite cannot hold NUL and lone surrogates; `|` separates the parts of a conjunction.

    >>> escape("a|b\\")
    'a\\pb\\\\'
    """
    if _UNHOLDABLE.search(value) is None:
        return value
    return _UNHOLDABLE.sub(_escaped, value)


def unescape(written: str) -> str | None:
    r"""The value that `escape` makes this of; None for `BEFORE` and `AFTER`.

    >>> unescape("a\\pb\\\\")
    'a|b\\'
    """
    if "\\" not in written:
        return written
    if written in (BEFORE, AFTER):
        return None
    return _ESCAPED.sub(_unescaped, written)


def _unescaped(match: re.Match[str]) -> str:
    sign = match.group(1)
    return {"\\": "\\", "p": "|", "0": "\x00"}.get(sign) or chr(int(sign[1:], 16))


def escape_all(values: tuple[str, ...]) -> tuple[str, ...]:
    """`escape` of each, in one search where nothing has to be done."""
    if _UNHOLDABLE.search("".join(values)) is None:
        return values
    return tuple(map(escape, values))


def _escaped(match: re.Match[str]) -> str:
    character = match.group()
    special = {"\\": "\\\\", "|": "\\p", "\x00": "\\0"}
    return special.get(character) or f"\\u{ord(character):04x}"
