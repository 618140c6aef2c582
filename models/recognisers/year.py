"""Years alone: "in 2014", "since 2009", "2009-2011", "s/p CABG 2009", "'99", "the 1990s".

1900 to 1959 and 2000 to 2059 are also times of day, 2000 also a dose. Such figures need a word that
times and doses do not have, or an operation, an illness or an event of a life right before them;
1960 to 1999 need only be neither measured nor a piece of a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...dictionaries import phrase_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .datewords import UNITS, is_piece
from .number_words import names_a_number
from .patterns import after, any_of, before, disjoint, is_word, pattern, previous_word, view

NAME = "year"
LABELS = ("DATE",)
# 32 of 32 right: english_clinical_sample 5/5, demo/train 22/22, asq_phi 5/5.
# asq_phi annotates no years alone.
# `python -m benchmarks.rules --scores`
SCORE = 0.9706

# Behind the first group any year counts, behind the second only what is no time of day.
_YEAR = pattern(
    r"\b(?:(in|during|since|year|years|circa|ca\.?|c\.|born|b\.|d\.|died|dx'?d?|diagnosed|of|early|late"
    r"|mid|en|desde|año|back to|dating to|(?:principios|finales|mediados) de|class of|model year)"
    r"|(from|until|till?|by|before|after|through|thru|between|prior to|around|approximately|hasta"
    r"|entre))(?:[ -]{0,2}|\n)(?:el |the |about |year |around |the year (?:of )?|el año )?(?:año )?"
    r"((?:19|20)\d{2})(?: ?(?:-|to|and|or|through|&|,|y|a) ?((?:19|20)\d{2}))?"
)
_ALONE = pattern(r"\b(?:((?:19|20)\d{2})(?: ?(-|to|through) ?((?:19|20)\d{2}))?)\b")
_IN_BRACKETS = pattern(r"\(((?:19|20)\d{2})(?: ?(?:[-,&]|and|y) ?((?:19|20)\d{2}))?\)")
_SHORT_YEAR = pattern(r"['´`]([0-9]\d)\b")
_DECADE = pattern(r"\b(?:19|20)\d0'?s\b")
_EVENT = re.compile(
    r"(?:\b(?:cabg(?: ?x ?\d)?|mi|n?stemi|appy|chole|cataracts?|tah|tah-bso|bso|stents?|pci|ptca"
    r"|cva|tia|dvt|pe|surgery|repair|replacement|tk[ra]|th[ra]|cancer|ca|mohs|biopsy|bx|dx|dx'd"
    r"|quit|retired|born|married|divorced|widowed|denied|injury|fracture|fx|accident|mv[ac]"
    r"|colonoscopy|egd|echo|mri|cath|ablation|pacemaker|ppm|icd|aicd|transplant|vaccine|vaccination"
    r"|vaccinated|booster|pneumovax|prevnar|shingrix|zostavax|tdap|tetanus|flu shot|graduated|moved"
    r"|immigrated|deployed|navy|army|marines|air force|germany|korea|vietnam|iraq|afghanistan"
    r"|deceased|passed|passed away|sbo|lap|laminectomy|fusion|radiation|chemo|xrt|rt|turp|hernia"
    r"|bypass|ga|rash|anaphylaxis|seizure|stroke|sah|sdh|nsvd|svd|c/s|c-section|csection|ltcs|sab"
    r"|tab|eab|iud|banked|stopped|sober|teeth|tubes|again|and|ref|surgeries|bankruptcy|prison|jail"
    r"|discharged|old|sacred heart|first|last|\w{3,12}(?:ectomy|plasty|otomy|ostomy|oscopy|graphy"
    r"|rhaphy|pexy|desis|oma|itis))(?:,? (?:in|on|[lr]|left|right|bilat|done))?[ ,;:(\"-]{1,3})$"
)
_CARS = re.compile(rf" (?:{any_of('car_makers_en')})\b")
_BIRTH = re.compile(r" (?:nsvd|svd|sab|tab|eab|c/s|ltcs|vtop|ectopic|[mf] \d{3,4} ?g)\b")
_MEASURED = phrase_set("year_measured_en")
_UNITS_TOO = re.compile(
    r" ?(?:hrs?\b|hours?\b|h\b|iu|u\b|mg|mcg|ml|cc|g\b|gm|grams?|kg|units?|cal|kcal|steps|ft|feet"
    r"|meters?|k\b|cells|copies|/|%|\$|dollars|people|patients|miles|calories|[nsew]\.? [a-z]"
    r"|(?:\w+ ){1,2}(?:st|ave|rd|road|street|avenue|blvd|drive|dr|lane|ln|hwy|way|ct|court)\b|x\b"
    r"|psi|mah|series|version|bpm|rpm)"
)
# "May of 2012", "the summer of 2012": the business of the rules `date` and `season`.
_MONTH_OR_SEASON = re.compile(
    r"(?<![a-z])(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec|spring|summer|fall|autumn"
    r"|winter)(?:uary|ruary|ch|il|ust|tember|ober|ember)?\.?,?(?: of|,)? ?$"
)
_STREET = re.compile(
    r"(?:\b(?:calle|avda?|av|avenida|plaza|paseo|street|st|road|rd|highway|hwy|apartado|box)\b\.?"
    r"|\bc/)[^,]{0,30},? $"
)
_TIMES = re.compile(r"(?: ?- ?| to )\d{4}(?!\d)|[:@]")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one DATE per year or decade, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [
        *_behind_cues(text, seen),
        *_alone(text, seen),
        *_in_brackets(seen),
        *_short(text, seen),
    ]
    yield from disjoint(Candidate(start, end, "DATE", NAME, SCORE) for start, end in found)


def _is_no_time(year: int) -> bool:
    """Whether no clock shows it: minutes above 59; a time is mostly written to five minutes."""
    return year % 100 > 59


def _behind_cues(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _YEAR.finditer(seen):
        first, last = match.span(3), match.span(4)
        end = match.end()
        if (
            is_word(text, match.start() - 1)
            or is_word(text, end)
            or is_piece(text, first[0], end, "./,:-")
            or UNITS.match(after(seen, end, 12))
        ):
            continue
        if seen[first[0] - 1 : first[0]].isalpha() and not _GLUED.search(before(seen, first[0], 8)):
            continue
        if _MONTH_OR_SEASON.search(before(seen, first[0], 24)) and last[0] < 0:
            continue
        years = [int(seen[start:stop]) for start, stop in (first, last) if start >= 0]
        if match.span(2) != (-1, -1):
            if not any(_is_no_time(year) or year % 5 for year in years):
                continue
        elif (match.group(1) or b"").lower() == b"of" and years[0] % 100 == 0:
            # "of 2000" is also a count.
            continue
        yield from (span for span in (first, last) if span[0] >= 0)


def _alone(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _ALONE.finditer(seen):
        start, end = match.span()
        if (
            is_word(text, start - 1)
            or is_word(text, end)
            or is_piece(text, start, end, "./,:-")
            or (start and text[start - 1] in "#$@<>=~+*_&-/.:")
            or (end < len(text) and text[end] in "%+*_@-/:")
        ):
            continue
        left, right = before(seen, start), after(seen, end, 24)
        if (
            _MONTH_OR_SEASON.search(left)
            or names_a_number(left)
            or _STREET.search(left)
            or _UNITS_TOO.match(right)
        ):
            continue
        years = [int(seen[s:e]) for s, e in (match.span(1), match.span(3)) if s >= 0]
        if len(years) == 2 and not years[0] < years[1] < years[0] + 90:
            continue
        if _counts(left, right, years):
            yield from (match.span(n) for n in (1, 3) if match.start(n) >= 0)


def _counts(left: str, right: str, years: list[int]) -> bool:
    word = previous_word(left)
    clear = any(_is_no_time(year) for year in years) and years[0] >= 1900
    if _CARS.match(right) or _BIRTH.match(right):
        return True
    if not any(1925 <= year <= 2099 for year in years):
        return False
    if right.startswith((" (dr.", " (dr ")) and word not in _MEASURED:
        return True
    if _EVENT.search(left) and word not in ("and", "last", "first") or _EVENT_AND.search(left):
        return not _TIMES.match(right)
    if not clear or years[0] > 1999 or (word in _MEASURED and len(years) != 2):
        return False
    # A number of its own, in a line of numbers or of an address, tells nothing.
    return word[:1].isalpha() and (left[-1:] in ' (",' or not left)


_GLUED = re.compile(r"(?:since|from|until)$")
_EVENT_AND = re.compile(r"\b(?:19|20)\d{2},? (?:and|or|&) $|\b(?:19|20)\d{2}, $")


def _in_brackets(seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _IN_BRACKETS.finditer(seen):
        yield from (match.span(group) for group in (1, 2) if match.start(group) >= 0)


def _short(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _SHORT_YEAR.finditer(seen):
        start, end = match.span()
        if (
            (start == 0 or text[start - 1] in " \t\n(,")
            and not is_word(text, end)
            and seen[end : end + 1] not in (b"'", b'"')
            and not before(seen, start, 4).rstrip()[-1:].isdigit()
        ):
            # The apostrophe stands for what is left out; it is no part of the date.
            yield match.span(1)
    for match in _DECADE.finditer(seen):
        if not is_word(text, match.start() - 1) and not is_word(text, match.end()):
            yield match.span()
