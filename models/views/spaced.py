"""Letters spaced out: `O k a f o r`, `O.k.a.f.o.r`, `1-2-3---4-5`.

Single characters, three letters or five digits of them at least, with one and the same separator
between. A separator on both sides of a blank is the gap between two words; of blanks, two or more.

Notes have lists of single digits and letters too: scores, tapers, leads, teeth, headings. So a run
is put together only where `spelling` finds an identifier in it, and never over a tab or a colon.
"""

from __future__ import annotations

import re

from ..core.views import Edit
from .base import disjoint
from .spelling import is_identifier

LEAST_LETTERS, LEAST_DIGITS = 3, 5

SEPARATORS = ".-_*~|\u00b7\u2022\u2013\u2014"
"""Beside blanks. No tab: that parts the cells of a table."""

BLANKS = " \u00a0\u2000-\u200a\u202f\u205f"
"""Members of a class of `re`; figure spaces, thin ones and the like are blanks too."""

_BLANKS = re.compile(
    rf"(?<![^\s(\[\"'])[^\s:](?:[{BLANKS}]{{1,4}}[^\s:](?!\S))+"
    rf"(?:[{BLANKS}]{{1,4}}\w(?=[,.;:)\]\"']))?"
)
_GAP = re.compile(f"[{BLANKS}]+")
_SEPARATED = {
    separator: re.compile(
        rf"(?<![^\W_])[^\W_](?:{re.escape(separator)}[^\n\t:]){{2,}}(?<=[^\W_])(?![^\W_])"
    )
    for separator in SEPARATORS
}
_TWICE = {
    separator: re.compile(rf"{re.escape(separator)}[^\n\t:]{re.escape(separator)}")
    for separator in SEPARATORS
}
"""What stands in all of these, and begins with the separator, which the engine finds fast."""

_OLD_AGE = re.compile(
    r"(?<![\w.])(?:9([ _*-])[0-9]|1([ ._*-])[01]([ ._*-])[0-9])"
    r"(?=[ -]{0,2}(?i:y(?:ears?|rs?|[./]?o))\b)"
)
"""So few digits are an age of the old; no range goes down from 9. `9.4 years` are nine years."""


def edits(text: str) -> list[Edit]:
    """Puts the letters together."""
    found: list[Edit] = []
    for run in _BLANKS.finditer(text):
        gaps = [
            (*gap.span(), " " if len(gap.group()) > 1 else "")
            for gap in _GAP.finditer(text, *run.span())
        ]
        found += _of_identifier(text, run, gaps)
    for separator, pattern in _SEPARATED.items():
        if _TWICE[separator].search(text) is None:
            continue
        for run in pattern.finditer(text):
            if not (separator == "." and _is_short(run.group())):
                places = range(run.start() + 1, run.end(), 2)
                found += _of_identifier(text, run, [(at, at + 1, "") for at in places])
    found += [
        (*age.span(group), "")
        for age in _OLD_AGE.finditer(text)
        for group in (1, 2, 3)
        if age[group] is not None
    ]
    found.sort()
    return disjoint(found)


def _of_identifier(text: str, run: re.Match[str], edits: list[Edit]) -> list[Edit]:
    """The edits that put a run together; none if what is in it identifies no one."""
    if not _is_spelt(run.group()):
        return []
    pieces: list[str] = []
    position = run.start()
    for low, high, replacement in edits:
        pieces += (text[position:low], replacement)
        position = high
    joined = "".join((*pieces, text[position : run.end()]))
    return edits if is_identifier(joined, text, run.start()) else []


def _is_spelt(run: str) -> bool:
    letters = list(filter(str.isalpha, run))
    # "I I I" is a stammer.
    if len(letters) >= LEAST_LETTERS:
        return len(set(letters)) > 1
    return sum(map(str.isdigit, run)) >= LEAST_DIGITS


_LONGEST_SHORT = 4


def _is_short(run: str) -> bool:
    """Whether a run with dots is an abbreviation: `p.r.n`, `C.O.P.D`."""
    letters = "".join(filter(str.isalnum, run))
    return len(letters) <= _LONGEST_SHORT and (letters.islower() or letters.isupper())
