"""Character references of HTML and XML: `&#79;`, `&#x4f;`, `&eacute;`, `&nbsp;`."""

from __future__ import annotations

import html.entities
import re

from ..core.views import Edit

_REFERENCE = re.compile(
    r"&(?:#0{0,64}([0-9]{1,7});?|#[xX]0{0,64}([0-9A-Fa-f]{1,6});?|([A-Za-z][A-Za-z0-9]{1,31};))"
)


def edits(text: str) -> list[Edit]:
    """The references that stand for a character; those of surrogates are left."""
    if "&" not in text:
        return []
    found = []
    for match in _REFERENCE.finditer(text):
        decimal, hexadecimal, name = match.groups()
        if name is not None:
            decoded = html.entities.html5.get(name)
        else:
            decoded = character(int(decimal) if decimal is not None else int(hexadecimal, 16))
        # Two of the names stand for more characters than they have.
        if decoded is not None and len(decoded) <= len(match.group()):
            found.append((*match.span(), decoded))
    return found


def character(code: int) -> str | None:
    """What a number stands for; None for no character and a surrogate.

    Numbers of the C1 controls stand for characters of Windows-1252, as browsers read them. Other
    controls are themselves, for `invisible` to leave out.
    """
    if 0x80 <= code < 0xA0:
        return bytes((code,)).decode("cp1252", "ignore") or None
    if 0xD800 <= code < 0xE000 or code >= 0x110000:
        return None
    return chr(code)
