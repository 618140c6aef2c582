"""Telephone, pager and fax numbers; the word before a number says which.

North American numbers by shape, seven digits by shape or word, extensions and pagers by word,
international numbers with `+`, and nine-digit Spanish ones behind a word. "#" and "x" before a
number, and the extension after one, are outside the span; an extension is a PHONE of its own, as
in i2b2 2014.

Source of the shapes: North American Numbering Plan, area and exchange codes begin with 2 to 9.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..documents import Context, Document
from ..spans import Candidate
from .matching import (
    Match,
    after,
    before,
    disjoint,
    is_digit,
    is_word,
    names_a_number,
    pattern,
    view,
)

NAME = "phone"
LABELS = ("PHONE", "FAX")
# 142 of 146 right: english_clinical_sample 21/21, asq_phi 31/31, meddocan 69/72,
# presidio_synth 21/22.
# `python -m benchmarks.rules <corpus>.jsonl --labels <corpus>` on the training parts.
SCORE = 0.9662

_TEN = pattern(
    r"(?:\+?1[-. ]?)?(?:\(\d{3}\)[-. ]{0,2}\d{3}|\d{3} ?- ?\d{3}|\d{3}\.\d{3}"
    r"|[2-9]\d{2}[-./ ]{1,2}[2-9]\d{2})[-. ]{1,2}\d{4}"
)
_SOLID = pattern(r"(?:\+?1[-. ]?)?[2-9]\d{9}|[2-9]\d{2}[ -]?\d{7}")
_SEVEN = pattern(r"[2-9]\d{2}([-. ])\d{4}")
_INTERNATIONAL = pattern(r"\+[1-9]\d{0,2}(?:[-. ]{0,2}\(?\d{1,4}\)?){2,6}")
_SPANISH = pattern(
    r"[6-9]\d{2}(?:[-. ]?\d{3}[-. ]?\d{3}|(?:[-. ]?\d{2}){3})"
    r"|[6-9]\d[-. ]\d{3}[-. ]?\d{2}[-. ]?\d{2}"
)
_EXTENSION = pattern(
    r"(?:\b(?:ext(?:ension|n|\.)?|pager|pgr|beeper|bpr|pg|pp|spectralink|vocera|ascom|voalte|zone"
    r" phone)"
    r"(?: ?(?:#|:|no\.?|number|id|is|at)){0,3} {0,2}|x ?)(\d-\d{4}|\d{3,7})"
)
_FOUR_DIGITS = pattern(r"[-. ]\d{4}")
_SHORT = pattern(
    r"\b(?:call|phone|ph|tel|telephone|cell|fax|contact|office|extension|ext)(?: ?[#:.]){0,2}"
    r" {0,2}(\d-\d{4})"
)

_CUE = re.compile(
    r"(?P<FAX>\b(?:fax(?:ed|es|ing)?|facsimile|telefax)\b|\bf[.:]? {0,3}$)"
    r"|(?P<PHONE>\b(?:tele)?phones?\b|\bph\b|\bt(?:el|e?lf|f)[a-zé]{0,6}\b|\bcell(?:ular)?\b"
    r"|\bmobile\b"
    r"|\bm[oó]vil\b|\bpager\b|\bpgr\b|\bbeeper\b|\bcall(?:ed|s|ing|back)?\b|\bcontact(?:ed)?\b"
    r"|\bdial\b|\bhotline\b"
    r"|\btext(?:ed)?\b|\bvoicemail\b|\breach(?:ed|able)?\b|\bnumbers?\b|\b[tphc][.:]? {0,3}$)"
)
_INTERVAL_WORDS = re.compile(r"normal|range|rango|refer|limit|[munp]g|mol|u/l|units")
_LINKS = (b" y ", b" o ", b" or ", b" and ", b" / ", b"/", b", ", b" - ", b" & ", b"; ")
_UNITS = re.compile(
    r" ?(?:mg|mcg|ug|g|gm|grams?|ml|cc|l|iu|u|units?|k?cals?|calories|meq|mmol|ng|pg|mm|cm|%|x10"
    r"|cells|steps|feet|ft|hours|hrs?"
    r"|years?|/[a-z]|k\b|m\b)(?![a-z])"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields PHONE and FAX candidates, left to right and without overlap."""
    text = document.text
    seen = view(text)
    numbers = sorted(
        (*match.span(), needs_word)
        for shape, needs_word in (
            (_TEN, False),
            (_INTERNATIONAL, False),
            (_SEVEN, False),
            (_SOLID, True),
            (_SPANISH, True),
        )
        for match in shape.finditer(seen)
        if _is_whole(text, *match.span())
    )
    found: list[tuple[int, int, str]] = []
    reach, label = -1, "PHONE"
    for start, end, needs_word in numbers:
        # "Tel. 956 203 145 y 956 203 146": one word serves all numbers of a list.
        cue = label if 0 <= reach < start and seen[reach:start] in _LINKS else _cue(seen, start)
        if (
            _is_other(seen, start, end)
            or (needs_word and not cue)
            or not _fits(seen, start, end, bool(cue))
        ):
            continue
        reach, label = max(reach, end), cue or "PHONE"
        found.append((start, end, label))
    for match in _EXTENSION.finditer(seen):
        if _is_extension(text, seen, match):
            found.append((*match.span(1), "PHONE"))
    for match in _SHORT.finditer(seen):
        if _is_whole(text, *match.span(1)):
            found.append((*match.span(1), _cue(seen, match.start(1)) or "PHONE"))
    yield from disjoint(Candidate(start, end, label, NAME, SCORE) for start, end, label in found)


def _cue(seen: bytes, start: int) -> str | None:
    """The label that the last word for a telephone or fax before the number asks for, if any."""
    left = before(seen, start)
    # A number between the word and this one has taken the word for itself: "T 603-555-0141   F
    # 603-555-0142".
    left = re.split(r"\d{4}(?!\d)", left)[-1].rstrip("(+")
    label = None
    for cue in _CUE.finditer(left):
        # "phone/fax:" and "fax or call" leave it open; the commoner one is taken.
        label = (
            cue.lastgroup
            if label is None or left[: cue.start()].rstrip()[-1:] not in ("/", "&", "y")
            else "PHONE"
        )
    return label


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether it is no piece of a longer number; an extension may begin right behind it."""
    if is_digit(text, start - 1) or is_word(text, start - 1) or is_digit(text, end):
        return False
    if start > 1 and text[start - 1] in "-./" and is_word(text, start - 2):
        return False
    return not (end + 1 < len(text) and text[end] in "-./" and is_digit(text, end + 1)) and not (
        is_word(text, end) and text[end] not in "xX"
    )


def _is_other(seen: bytes, start: int, end: int) -> bool:
    """Whether a word before the number calls it something else, or a unit follows."""
    return names_a_number(before(seen, start)) or _UNITS.match(after(seen, end, 12)) is not None


def _fits(seen: bytes, start: int, end: int, cue: bool) -> bool:
    """What shapes that other numbers share must fulfil besides."""
    if seen[start] == 0x2B:
        # ITU-T E.164: at most 15 digits; OMIM writes `+603967`.
        return 8 <= sum(0x30 <= byte <= 0x39 for byte in seen[start:end]) <= 15
    if end - start != 8 or seen[start + 3 : start + 4].isdigit() or cue:
        return True
    if seen[start + 3] != 0x2D:
        return False
    first, second = int(seen[start : start + 3]), int(seen[start + 4 : end])
    # 500-1000 is a dose or a distance, 800-1630 a shift, 298-2350 behind a unit an interval.
    if first % 10 == 0 and second % 50 == 0 and second > first:
        return False
    if first < second < 2400 and first % 100 < 60 and second % 100 < 60:
        return False
    return second < first or not _INTERVAL_WORDS.search(before(seen, start, 30))


def _is_extension(text: str, seen: bytes, match: Match) -> bool:
    start, end = match.span(1)
    word = seen[match.start() : start].strip().lower()
    if is_word(text, end) or (
        end + 1 < len(text) and text[end] in "-./:," and is_word(text, end + 1)
    ):
        return False
    if word != b"x":
        return end - start > 3 or word.startswith(b"ext")
    # "steri x4", "2x1000", "x 2000 units": a bare x needs four or five digits, no unit, and
    # nothing or a telephone number in front.
    glued = is_word(text, match.start() - 1)
    if glued and not _FOUR_DIGITS.fullmatch(seen[max(0, match.start() - 5) : match.start()]):
        return False
    return end - start in (4, 5) and not _UNITS.match(after(seen, end, 12))
