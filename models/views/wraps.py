"""Words and numbers that a hyphen and a line break part: `Spring-` / `field`, `03/-` / `04/2012`.

Whether the hyphen belongs to the word is not written. It is kept where a number with it has a form
that numbers have (`123-45-` / `6789`), and before a capital in a name (`Garcia-` / `Lopez`).
"""

from __future__ import annotations

import re

from ..core.views import Edit

HYPHENS = "-\u2010-\u2013"
"""Members of a class of `re`; some programs write a dash for the hyphen of a wrap."""

EM_DASH = "\u2014"
"""Between digits it is read as a hyphen. After a word it ends a clause more often than a line."""

MOST_TRAILING = 4
"""Blanks that a program left between the hyphen and the end of its line."""

BREAKS = "\r\n\x0b\x0c\x85\u2028\u2029"

_BREAK = rf"(?:\r\n|[{BREAKS}])"
_WRAP = re.compile(
    # One line may be blank: between columns, or at the end of a page.
    # The hyphen first: the engine looks for one faster than for what stands before it.
    rf"[{HYPHENS}{EM_DASH}]"
    rf"(?:(?<=[\w/@.][{HYPHENS}])|(?<=[0-9]{EM_DASH})(?=[{BREAKS} \t]+[0-9]))"
    rf"[ \t]{{0,{MOST_TRAILING}}}{_BREAK}[ \t]{{0,40}}"
    rf"(?:{_BREAK}[ \t]{{0,40}})?(?=[\w/@])"
)
_ITEM = re.compile(r"[0-9]{1,2}[.)][ \t]")
_BEFORE = re.compile(r"[0-9./-]*$")
_AFTER = re.compile(r"[0-9./-]{0,24}")
_WITH_HYPHEN = re.compile(
    r"[0-9]{3}-[0-9]{2}-[0-9]{4}|(?:1-)?(?:[0-9]{3}-)?[0-9]{3}-[0-9]{4}|[0-9]{5}-[0-9]{4}"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}|[0-9]{1,2}-[0-9]{1,2}-(?:[0-9]{2}|[0-9]{4})"
)
_BEFORE_REACH = 24


def edits(text: str) -> list[Edit]:
    """Joins what is parted."""
    return [
        (*match.span(), _joint(text, *match.span()))
        for match in _WRAP.finditer(text)
        # `meds-` / `1. aspirin` begins a list, `03/04/19-` / `57. He` does not.
        if text[match.start() - 1].isdigit() or _ITEM.match(text, match.end()) is None
    ]


def _joint(text: str, low: int, high: int) -> str:
    """What takes the place of hyphen and line break."""
    hyphen = "-"
    before, after = text[low - 1], text[high]
    if before.isdigit() and after.isdigit():
        head = _BEFORE.search(text[max(0, low - _BEFORE_REACH) : low])
        tail = _AFTER.match(text, high)
        assert head is not None and tail is not None, "both are digits"
        # Digits of other scripts are digits too, of which nothing is known.
        whole = f"{head.group()}-{tail.group().rstrip('/.-')}"
        return hyphen if _WITH_HYPHEN.fullmatch(whole) else ""
    if before.islower() and after.isupper():
        return hyphen
    return ""
