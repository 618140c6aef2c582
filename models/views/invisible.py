"""What no reader sees: codes of terminals, controls, joiners, overstrikes, strike-through."""

from __future__ import annotations

import re

from ..core.views import Edit

INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff"
)
"""Zero-width and format characters, variation selectors, tags: members of a class of `re`."""

CONTROLS = "\x00-\x08\x0e-\x1f\x7f\x80-\x84\x86-\x9f"

OVERLAYS = "\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb"
"""Marks that strike the character before them through; no alphabet in use has them."""

MARKS = "\u0300-\u036f"

_UNSEEN = re.compile(
    # ECMA-48: control sequences, strings (titles, links), other escapes.
    r"(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,8}[@-~]"
    r"|\x1b[\]PX^_][^\x07\x1b\x9c\n]{0,1000}(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]{0,8}[0-~]"
    # Overstrikes for bold and underlined type.
    r"|_\x08(?P<under>[^\n])|(?P<bold>[^\s\x08])(?:\x08(?P=bold))+|(?P<lined>[^\s\x08_])\x08_"
    rf"|(?P<struck>[^\s{OVERLAYS}])[{OVERLAYS}]+"
    r"|\u00ad[ \t]{0,4}\r?\n[ \t]{0,40}"
    # Windows-1252 that was read as Latin-1.
    r"|(?P<window>[\x80-\x84\x86-\x9a\x9c-\x9f])"
    rf"|[{CONTROLS}{INVISIBLE}{OVERLAYS}]+"
)
_QUICK = re.compile(f"[{CONTROLS}{INVISIBLE}{OVERLAYS}{MARKS}]")
_MARKED = re.compile(rf"(?:[^\W_][{MARKS}]+){{3,}}|(?:[0-9][{MARKS}]+)+")
_LETTER = re.compile(rf"([^\W_])[{MARKS}]+")


def edits(text: str) -> list[Edit]:
    """Leaves out what is not seen; what was struck through or over is read as it was."""
    if _QUICK.search(text) is None:
        return []
    return [(*match.span(), _seen(match)) for match in _UNSEEN.finditer(text)]


def mark_edits(text: str) -> list[Edit]:
    """Takes the marks off digits, and off three or more letters in a row that all have some.

    No language writes so; a single letter with its accent as a mark is left alone.
    """
    if _QUICK.search(text) is None:
        return []
    return [
        (*letter.span(), letter[1])
        for run in _MARKED.finditer(text)
        for letter in _LETTER.finditer(text, *run.span())
    ]


def _seen(match: re.Match[str]) -> str:
    if match.lastgroup is None:
        return ""
    if match.lastgroup == "window":
        return bytes((ord(match["window"]),)).decode("cp1252", "ignore")
    return match[match.lastgroup]
