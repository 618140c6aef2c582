r"""What stands between the quotes of a JSON string: `\n`, `\u00e9`, `\ud83d\ude42`, `\/`.

Source: RFC 8259, section 7. What is written is escaped only where it must be.
"""

from __future__ import annotations

import re

from ..core.errors import DocumentError
from ..core.views import Edit, View
from ..core.written_texts import UNMAPPED, Mapped

_ESCAPE = re.compile(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})"
    r'|(["\\/bfnrt]))'
)
_SHORT = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_WRITTEN = {
    **{code: f"\\u{code:04x}" for code in range(32)},
    **{ord(sign): f"\\{letter}" for letter, sign in _SHORT.items() if letter != "/"},
}
_UNESCAPED = re.compile(r'["\x00-\x1f]')


def render(source: str) -> Mapped:
    """The layer of a text.

    Raises:
        DocumentError: `UNMAPPED`, if a string could not stand so between quotes.
    """
    rest = _ESCAPE.sub("", source) if "\\" in source else source
    if _UNESCAPED.search(rest) or "\\" in rest:
        raise DocumentError(UNMAPPED)
    view = View.of(source, 0, len(source))
    return Mapped(view.edited(_edits(source)), lambda text, at: written(text))


def read(source: str) -> str:
    """A value without its escapes."""
    if "\\" not in source:
        return source
    return _ESCAPE.sub(_meant, source)


def written(text: str) -> str:
    """A text as it stands between quotes."""
    return text.translate(_WRITTEN)


def _edits(source: str) -> list[Edit]:
    if "\\" not in source:
        return []
    return [(*match.span(), _meant(match)) for match in _ESCAPE.finditer(source)]


def _meant(match: re.Match[str]) -> str:
    high, low, unit, sign = match.groups()
    if sign is not None:
        return _SHORT[sign]
    if unit is not None:
        return chr(int(unit, 16))
    return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
