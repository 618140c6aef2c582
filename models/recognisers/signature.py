"""Names that close a note: `/s/ Jane Smith`, `-- J. Smith`, `Sincerely,`, a name alone on a line.

Credentials behind a name are `titled_name`'s part, `Signed by:` and its like `labelled_name`'s,
initials of typists `dictation`'s.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .casing import CasedWords, words
from .eponym_ends import before_eponym
from .name_words import PARTICLES, is_common, is_given, is_surname
from .names import NameSpan, is_plausible, read_name
from .patterns import disjoint, pattern, view
from .probe import TextProperty
from .word_forms import CAPITALISED, INITIAL, LOWER, UPPER

NAME = "signature"
LABELS = ("DOCTOR",)
# 6 of 6 right: english_clinical_sample 2/2, demo/train 4/4.
# `python -m benchmarks.rules --scores`.
SCORE = 0.875

_AHEAD = pattern(
    r"(?:/s/|\(signed\)|\be-?sign(?:ed|ature)|\belectronically (?:signed|authenticated|approved"
    r"|verified|cosigned)|\b(?:dictated|transcribed|signed|cosigned|co-signed|authenticated"
    r"|reviewed"
    r"|read|interpreted|typed|entered|attested|verified|approved|finalized|documented|performed)"
    r"(?: electronically| and signed| and reviewed)? by|\bdictated|\bscribed by|\bscribed for"
    r"|\bfor and on behalf of)[ \t:]{0,4}(?:by[ \t:]{1,3})?(?:\r?\n[ \t]{0,8})?"
)
_CLOSING = pattern(
    r"(?:sincerely(?: yours)?|yours (?:truly|sincerely|faithfully)|respectfully(?: submitted"
    r"| yours)?"
    r"|(?:kind|best|warm(?:est)?)(?: personal)? (?:regards|wishes)|regards|cordially|thanks"
    r"|thank you|thx"
    r"|many thanks|with (?:best|kind|warm) (?:regards|wishes)|best)[,.!]?[ \t]{0,8}"
    r"(?:\r?\n[ \t>]{0,24}){1,5}"
)
_LINE = re.compile(r"(?:^|\n)[ \t]{0,60}(?:[-\u2013\u2014_~*>]{1,3} {0,2})?\Z")
_LINE_REACH = 66
# The same with what may stand behind it: a single letter, or behind dashes any, which may end the
# line before.
_NAME_IN_LINE = r"[ \t]{0,60}(?:[-\u2013\u2014_~*>]{1,3} {0,2}[^\W\d_]|[^\W\d_](?![^\W\d_]))"
_FIRST_LINE = re.compile(_NAME_IN_LINE)
# Begins with the line end alone, which the engine looks for fastest.
_FURTHER_LINE = re.compile(rf"\n(?:{_NAME_IN_LINE}|(?<=[-~\u2014]\n)[^\W\d_])")
_HAS_LINE = TextProperty(
    lambda text: _FIRST_LINE.match(text) is not None or _FURTHER_LINE.search(text) is not None
)
_LINE_END = re.compile(r"\.?[ \t]{0,8}(?:\r?$|\r?\n|  |\t)|\.?[ \t]{0,8}\r?\Z")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one DOCTOR per name that signs, left to right and without overlap."""
    yield from find(document.text)


@functools.lru_cache(maxsize=1)
def find(text: str) -> tuple[Candidate, ...]:
    """What `recognise` yields; the rules that look names up again ask for it too."""
    found = words(text)
    seen = view(text)
    return tuple(
        disjoint(
            Candidate(stretch.start, stretch.end, "DOCTOR", NAME, SCORE)
            for stretch in (
                *_signed(found, seen),
                *_closed(found, seen),
                *(_alone(found) if _HAS_LINE(text) else ()),
            )
        )
    )


def _read(found: CasedWords, offset: int) -> NameSpan | None:
    index = found.at(offset)
    if index >= len(found) or found.starts[index] - offset > 1:
        return None
    read = read_name(found, index, comma=True, lower=True)
    return before_eponym(found, read) if read is not None else None


def _signed(found: CasedWords, seen: bytes) -> Iterator[NameSpan]:
    for match in _AHEAD.finditer(seen):
        stretch = _read(found, match.end())
        if stretch is not None and (_is_full(found, stretch) or _is_all(found, stretch)):
            yield stretch


def _is_all(found: CasedWords, stretch: NameSpan) -> bool:
    """Whether a surname that is an ordinary word too is all that follows: "Signed by Rivers"."""
    return (
        stretch.first == stretch.last
        and found.shapes[stretch.first] == CAPITALISED
        and is_surname(found.texts[stretch.first])
        and is_plausible(found, stretch.first)
        and _LINE_END.match(found.text, stretch.end) is not None
    )


def _closed(found: CasedWords, seen: bytes) -> Iterator[NameSpan]:
    """The name on the line below "Sincerely,", first name alone or not."""
    for match in _CLOSING.finditer(seen):
        if match.start() and not found.text[match.start() - 1].isspace():
            continue
        stretch = _read(found, match.end())
        if stretch is None or not _LINE_END.match(found.text, stretch.end):
            continue
        if _is_full(found, stretch) or (
            is_given(found.texts[stretch.first]) and not is_common(found.texts[stretch.first])
        ):
            yield stretch


def _alone(found: CasedWords) -> Iterator[NameSpan]:
    """`J. Smith` or `-- Jane Smith` alone on a line."""
    for index in found.heads:
        start = found.starts[index]
        dashed = found.text[max(0, start - 2) : start].strip() in ("-", "--", "~", "\u2014")
        if found.shapes[index] != INITIAL and not dashed:
            continue
        if not _LINE.search(found.text, max(0, start - _LINE_REACH), start) or (
            not found.texts[index][:1].isalpha()
        ):
            continue
        stretch = read_name(found, index, lower=dashed)
        if stretch is None or stretch.first == stretch.last:
            continue
        if not _LINE_END.match(found.text, stretch.end):
            continue
        if found.shapes[stretch.last] == INITIAL:
            continue
        surname = found.texts[stretch.last]
        if is_plausible(found, stretch.last) and (
            not is_common(surname)
            and (not dashed or is_given(found.texts[index]) or found.shapes[index] == INITIAL)
        ):
            yield stretch


def _is_full(found: CasedWords, stretch: NameSpan) -> bool:
    """Whether it is written in full: an initial or first name, and another word."""
    inside = range(stretch.first, stretch.last + 1)
    if len(inside) < 2:
        word = found.texts[stretch.first]
        return (
            found.shapes[stretch.first] in (CAPITALISED, UPPER)
            and is_surname(word)
            and not is_common(word)
        )
    if not any(is_plausible(found, i) for i in inside):
        return False
    if "," in found.text[stretch.start : stretch.end] and (
        is_surname(found.texts[stretch.first]) and is_given(found.texts[stretch.first + 1])
    ):
        # "Marsh, Rocky", whatever the words are besides.
        return True
    if any(
        found.shapes[i] == LOWER and is_common(found.texts[i]) and found.plains[i] not in PARTICLES
        for i in inside
    ):
        return False
    listed = [is_given(found.texts[i]) or is_surname(found.texts[i]) for i in inside]
    ordinary = [found.shapes[i] != INITIAL and is_common(found.texts[i]) for i in inside]
    initial = any(found.shapes[i] == INITIAL for i in inside)
    return (any(listed) or initial) and (not ordinary[0] or is_given(found.texts[stretch.first]))
