"""Names that a word of kinship joins to a parent's or husband's, as identity cards print them.

`Saravanan a/l Muniandy`, `Nurul binti Abd Rahim` are one name; `Basavarajappa S/o Mallappa` is two,
each a mark of its own. "w/o" is "without" as well: both sides must look like names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .context_words import ContextWord, cased, folded, name_run, words_after, words_before
from .name_words import FIELD_WORDS, FUNCTION_WORDS, is_common, is_given, is_surname
from .patterns import before, disjoint, is_word, view

NAME = "joined_name"
LABELS = ("PATIENT", "DOCTOR")
# 21 of 23 right on the readable half of `world`; no other corpus has such notes.
SCORE = 0.88

_ONE = cased(r" (?:[Aa]/[Ll]|[Aa]/[Pp]|A/L|A/P|[Bb]in(?:te|ti)?|BIN(?:TE|TI)?|[Bb]te?\.?|BTE?\.?) ")
_TWO = cased(
    r"(?:^|[ ,\n|])[SsDdWw]/ ?[Oo]:? {0,2}"
    r"(?:[Ll]ate\.? |[Ss]hri |[Ss]mt\.? |[Mm]r\.? |[Ll]t\.? )?"
)
_STAFF = re.compile(r"\b(?:dr|prof|doctor|nurse|consultant|s/?n|ssn|m\.?o)[ .:]{1,3}$")
_LINKS = frozenset({"bin", "al", "el", "de", "abdul"})
_TITLES = folded("titles_en")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one PATIENT or DOCTOR per name, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = []
    for match in _ONE.finditer(seen):
        left, right = _left(seen, match.start()), _right(seen, match.end())
        if left and right and _is_name(left[0]) and _is_name(right[0]):
            found.append((left[-1].start, right[-1].end))
    for match in _TWO.finditer(seen):
        right = _right(seen, match.end())
        if not right or not _is_name(right[0]):
            continue
        start = match.start() - (seen[match.start() - 1 : match.start()] == b",")
        left = _left(seen, start)
        small = (match.group() or b"").strip(b" ,|\n")[:3] in (b"w/o", b"d/o")
        if small and not (left and _is_listed(right) and _is_name(left[0])):
            continue
        found.append((right[0].start, right[-1].end))
        if left and _is_name(left[0]):
            found.append((left[-1].start, left[0].end))
    yield from disjoint(
        Candidate(start, end, _label(seen, start), NAME, SCORE)
        for start, end in found
        if not is_word(text, start - 1) and not is_word(text, end)
    )


def _label(seen: bytes, start: int) -> str:
    staff = _STAFF.search(before(seen, start, 16)) is not None
    return "DOCTOR" if staff else "PATIENT"


def _left(seen: bytes, end: int) -> list[ContextWord]:
    """The words of the name before an offset, the nearest first."""
    return name_run(words_before(seen, end, 4), stop=_stops, links=_LINKS)


def _right(seen: bytes, start: int) -> list[ContextWord]:
    """The words of the name behind an offset."""
    run = name_run(words_after(seen, start, 4), stop=_stops, links=_LINKS)
    # "Ravindran s/o Suppiah HP": what is written otherwise is no part of it.
    shouted = bool(run) and len(run[0].text) > 2 and run[0].text.isupper()
    for place, word in enumerate(run):
        if len(word.text) > 1 and word.text.isupper() != shouted:
            return run[:place]
    return run


def _stops(word: ContextWord) -> bool:
    return (
        word.low in _TITLES
        or word.low in FIELD_WORDS
        or word.low in FUNCTION_WORDS
        or word.text[0].isdigit()
        or (is_common(word.text) and not (is_given(word.text) or is_surname(word.text)))
    )


def _is_name(word: ContextWord) -> bool:
    return len(word.text) > 2 and not is_common(word.text)


def _is_listed(words: list[ContextWord]) -> bool:
    return any(is_given(word.text) or is_surname(word.text) for word in words)
