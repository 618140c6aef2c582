"""First name and surname from the lists, side by side, or as `Last, First` at the head of a line.

Also a first name with an initial (`Jane D.`). Where neither word is an ordinary one the pair stands
for itself; where one is, something around it must say that it is a person. Places, institutions and
eponyms ("Jackson Memorial", "Stevens Johnson syndrome") are told by the word behind them.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence

from ...dictionaries import load
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .casing import CasedWords, WordProperty, words
from .evidence import Taken, evidence, labels_of_words
from .name_words import (
    FIELD_WORDS,
    NAME_KIND,
    NO_PERSONS,
    ORGANISATION_WORDS,
    PARTICLES,
    eponyms,
    is_common,
    is_given,
    is_surname,
)
from .names import NameSpan, is_plausible, is_saint, names_an_institution, read_name, surname_of
from .patterns import disjoint
from .word_forms import CAPITALISED, INITIAL, LOWER, UPPER, plain, plain_all, shape_of

NAME = "listed_name"
LABELS = ("PATIENT", "DOCTOR")
# 359 of 368 right: english_clinical_sample 7/7, demo/train 22/31, asq_phi 330/330.
# Where the label is wrong it is PHI all the same: nothing around says who it is.
# `python -m benchmarks.rules --scores`.
SCORE = 0.973

# A clinician's name, more often than not, stands behind these.
_STAFF_AHEAD = re.compile(
    r"(?:\bby|\bper|d/w|discussed with|\bunder|\bpaged|\bto|\bcc:?|via|called|notified|staffed with"
    r"|consult(?:ed)?(?: with)?|attending|provider|surgeon|physician|clinician|w/|;|/|\bmatron"
    r"|\bsister|\bcoord(?:inator)?|\brns?|\bfn|\bicp|\bemt|\bclin(?:ical|\.)? officer|\bchw|\bvht"
    r"|\bahw|\blhv|\bsmo|nurse|midwife|registrar|\bphysio|\bs/n|\bcmw|\bhv|counsellor|paramedic"
    r"|technician|pharmacist|dietitian)[ :,]{1,3}$"
)
# What stands behind the patient's name in the head of a note.
_HEADER = re.compile(
    r"(?:[ \t]{2,}|\t|[ ,;(|\[-]{1,4}(?:[\"'“][^\"'”\n]{1,20}[\"'”] {0,4})?)"
    r"(?:dob\b|d\.o\.b|mrn?\b|id\b|#|age\b|sex\b|rm\b|room\b|bed\b|acct\b|dos\b|chart\b|case\b"
    r"|unit\b"
    r"|[mf]\b|male\b|female\b|\d{1,3} ?(?:y|m|f|yo)\b|\d{1,3} ?[mf/]|\d{4,}"
    r"|[a-z]{0,4}[- ]?\d[\d-]{3,}"
    r"|\d{1,2}[-/]\d{1,2}|\d{1,3}\b)",
    re.IGNORECASE,
)
_LINE_END = re.compile(r"[ \t]{0,8}(?:\r?\n|\Z|  |\t)")
_LINE_START = re.compile(r"(?:^|\n|\r|  |\t)[ \t*>|#-]{0,8}$")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one candidate per listed pair, left to right and without overlap.

    Places where a stronger rule has found a name are left to it.
    """
    yield from find(document.text)


@functools.lru_cache(maxsize=1)
def find(text: str) -> tuple[Candidate, ...]:
    """What `recognise` yields; the rule that looks names up again asks for it too."""
    found = words(text)
    taken = evidence(text)
    places = Taken(taken)
    known = labels_of_words(found, taken)
    return tuple(
        disjoint(
            Candidate(stretch.start, stretch.end, _label(found, stretch, known), NAME, SCORE)
            for stretch in (*_pairs(found), *_initials(found, known), *_lines(found))
            if not places.touches(stretch.start, stretch.end)
        )
    )


def _label(found: CasedWords, stretch: NameSpan, known: Mapping[str, str]) -> str:
    """What the document calls the surname or first name elsewhere, else by the words before."""
    if _HEADER.match(found.text, stretch.end) and _starts_line(found, stretch.first):
        return "PATIENT"
    for index in (stretch.first, stretch.last):
        if label := known.get(found.plains[index]):
            return label
    left = found.text[max(0, stretch.start - 24) : stretch.start].rpartition("\n")[2].lower()
    return "DOCTOR" if _STAFF_AHEAD.search(left) else "PATIENT"


# The first name of a pair; spares what `_is_pair` would refuse.
_BEGINS_PAIR = NAME_KIND.property(
    lambda kind: (
        kind.given
        and kind.shape in ((CAPITALISED,) if kind.common else (CAPITALISED, UPPER, LOWER))
        and not kind.function
    )
)
# The second word of a name as `names.read_name` reads it.
_GOES_WITH = NAME_KIND.property(
    lambda kind: (
        kind.shape in (INITIAL, CAPITALISED, UPPER)
        or (
            kind.shape == LOWER
            and (kind.length == 1 or not kind.common or kind.given or kind.surname or kind.particle)
        )
    )
)
_CHILD = WordProperty.one_of(("boy", "girl"))


def _firsts(found: CasedWords, first: WordProperty, *, head: bool = False) -> Sequence[int]:
    """Indices of words with a property that a name may go on behind."""
    seconds = found.where(_GOES_WITH, behind=first, head=head)
    children = found.where(_CHILD, behind=first, head=head)
    return [at - 1 for at in (sorted({*seconds, *children}) if children else seconds)]


def _pairs(found: CasedWords) -> Iterator[NameSpan]:
    """`Jane Smith`, `Jane D.`, `JANE SMITH`, and in small letters two names that are no words."""
    behind = 0
    for index in _firsts(found, _BEGINS_PAIR):
        shapes = found.shapes
        shape = shapes[index]
        if index < behind:
            continue
        next_shape = shapes[index + 1]
        if next_shape not in (shape, INITIAL) and found.texts[index + 1] not in PARTICLES:
            continue
        stretch = read_name(found, index, lower=shape == LOWER)
        if stretch is None or stretch.first == stretch.last:
            continue
        if not _is_pair(found, stretch) or _is_part(found, stretch):
            continue
        behind = stretch.last + 1
        yield stretch


def _is_pair(found: CasedWords, stretch: NameSpan) -> bool:
    end = surname_of(found, stretch)
    first, last = found.texts[stretch.first], found.texts[end]
    shape = found.shapes[stretch.first]
    if found.shapes[stretch.last] == INITIAL:
        said = found.between(stretch.first - 1) == ", " or (
            stretch.first and found.texts[stretch.first - 1] in ("named", "patient", "pt")
        )
        if (
            (is_common(first) and not said)
            or shape != CAPITALISED
            or stretch.last - stretch.first > 1
        ):
            return False
        # "Vitamin D." is no name, nor is the "Jane A" of "Jane A and Jane B".
        return found.text[stretch.end - 1] == "." or found.text[stretch.end : stretch.end + 1] in (
            ",",
            "'",
            "’",
            ";",
            ")",
        )
    if not is_plausible(found, end):
        return False
    ordinary = is_common(first) + is_common(last)
    listed = is_surname(last) or "-" in last
    if shape == LOWER:
        return not ordinary and is_surname(last) and len(first) > 2 and len(last) > 3
    if shape == UPPER:
        return not ordinary and listed and len(first) > 2 and len(last) > 2
    if not listed:
        # A first name that is no word, and a word that is nothing else.
        return not ordinary and not is_surname(first) and len(last) > 3
    if ordinary == 2:
        return False
    if is_common(first):
        return stretch.last - stretch.first > 1 or "-" in last
    return True


def _is_part(found: CasedWords, stretch: NameSpan) -> bool:
    """Whether a stretch is part of a place, an institution or an address."""
    if names_an_institution(found, stretch) or _is_place(found, stretch):
        return True
    if f"{found.plains[stretch.first]} {found.plains[stretch.last]}" in NO_PERSONS:
        return True
    if found.plains[stretch.last] in ORGANISATION_WORDS:
        return True
    if is_saint(found, stretch.first):
        return True
    before = stretch.first - 1
    if before >= 0 and found.between(before) == " " and found.texts[before][:1].isdecimal():
        # "80 Elder Street", "14 Martin Luther": a house number.
        return found.shapes[stretch.last] != INITIAL
    following = stretch.last + 1
    if following < len(found) and found.between(stretch.last) == " ":
        return (
            found.shapes[following] == CAPITALISED
            and found.shapes[stretch.last] == CAPITALISED
            and found.plains[following] in ORGANISATION_WORDS
        )
    return False


_IS_INITIAL = WordProperty(lambda word: shape_of(word) == INITIAL and word != "I", "i".__eq__)
_MAY_FOLLOW = NAME_KIND.property(
    lambda kind: kind.shape in (CAPITALISED, UPPER) and kind.length > 2
)


def _initials(found: CasedWords, known: Mapping[str, str]) -> Iterator[NameSpan]:
    """`J. Smith`, `N Okafor-Lindh`: an initial, and a surname that is no ordinary word."""
    for following in found.where(_MAY_FOLLOW, behind=_IS_INITIAL):
        index = following - 1
        gap = found.between(index)
        surname = found.texts[following]
        if gap not in (". ", ".", " "):
            continue
        if gap == " " and plain(surname) not in known:
            continue
        if plain(surname) not in known and (
            is_common(surname) or not is_surname(surname) or plain(surname) in eponyms()
        ):
            continue
        start = found.starts[index]
        if start and found.text[start - 1] in "-/.'’&" and found.text[start - 1] != "/":
            continue
        stretch = read_name(found, index)
        if (
            stretch is not None
            and stretch.last > index
            and not names_an_institution(found, stretch)
            and found.plains[stretch.last] not in ORGANISATION_WORDS
        ):
            yield stretch


@functools.cache
def _places() -> frozenset[str]:
    """Cities of the United States, and "city, state" by their states, as `plain` writes them."""
    return frozenset(plain_all(load("us_cities").phrases))


@functools.cache
def _states() -> frozenset[str]:
    states = (*load("us_states").phrases, *load("us_state_abbreviations").phrases)
    return frozenset(plain_all(states))


def _is_place(found: CasedWords, stretch: NameSpan) -> bool:
    """Whether it is "El Paso" or "Elko, NV"."""
    text = found.text[stretch.start : stretch.end]
    surname, comma, given = (part.strip() for part in plain(text).partition(","))
    if not comma:
        return plain(text) in _places()
    state = given in _states()
    # "Smith, Virginia" is a person.
    return state and (surname in _places() or not is_given(given) or len(given) == 2)


# The first word of what `_lines` finds; spares reading it.
_BEGINS_LINE = NAME_KIND.property(
    lambda kind: (
        kind.particle or kind.length == 1 or ((kind.given or kind.surname) and not kind.common)
        if kind.shape == LOWER
        else kind.shape in (CAPITALISED, UPPER)
        and (kind.given or kind.surname or not kind.function)
    )
)


def _lines(found: CasedWords) -> Iterator[NameSpan]:
    """`Smith, Jane Q` at the beginning of a line or column, `SMITH, JANE 45 F` in its head."""
    for index in _firsts(found, _BEGINS_LINE, head=True):
        if not _goes_on(found, index):
            continue
        if not _starts_line(found, index):
            continue
        stretch = read_name(found, index, comma=True, lower=True)
        if stretch is None or stretch.first == stretch.last:
            continue
        if "," in found.text[stretch.start : stretch.end]:
            if not _is_last_first(found, stretch):
                continue
        elif not _HEADER.match(found.text, stretch.end) or not _is_header(found, stretch):
            continue
        if not names_an_institution(found, stretch) and not _is_place(found, stretch):
            yield stretch


def _goes_on(found: CasedWords, index: int) -> bool:
    """Whether what stands behind a word lets a name go on; spares reading it."""
    end = found.ends[index]
    return found.text[end : end + 1] in (" ", ",") or len(found.texts[index]) == 1


def _starts_line(found: CasedWords, index: int) -> bool:
    """Whether a word stands at the head of a line or of a column."""
    start = found.starts[index]
    return _LINE_START.search(found.text[max(0, start - 12) : start]) is not None


def _is_last_first(found: CasedWords, stretch: NameSpan) -> bool:
    comma = next(i for i in range(stretch.first, stretch.last) if "," in found.between(i))
    surname, given = found.texts[comma], found.texts[comma + 1]
    header = _HEADER.match(found.text, stretch.end) is not None
    if header and is_surname(surname) and is_given(given) and not is_common(given):
        return found.shapes[stretch.first] != LOWER or not is_common(surname)
    if plain(surname) in FIELD_WORDS or not is_plausible(found, stretch.first):
        return False
    if found.shapes[stretch.first] == LOWER:
        ends = _LINE_END.match(found.text, stretch.end) is not None
        return (header or ends) and is_surname(surname) and not is_common(surname)
    if found.shapes[comma + 1] == INITIAL:
        return header and (is_surname(surname) or not is_common(surname)) and len(surname) > 2
    if is_given(given) and (is_surname(surname) or not is_common(surname)):
        return header or not (is_common(surname) or is_common(given))
    return header and not is_common(given) and (is_surname(surname) or not is_common(surname))


def _is_header(found: CasedWords, stretch: NameSpan) -> bool:
    first, last = found.texts[stretch.first], found.texts[surname_of(found, stretch)]
    if found.shapes[stretch.first] == LOWER:
        return False
    if found.shapes[stretch.last] == INITIAL:
        return (
            (is_given(first) or is_surname(first))
            and not is_common(first)
            and stretch.last - stretch.first == 1
            and len(first) > 3
        )
    if (
        not is_surname(last)
        and not is_given(last)
        and (found.shapes[stretch.last] == UPPER or len(last) < 4)
    ):
        return False
    return (
        (is_given(first) and (is_surname(last) or not is_common(last)))
        or (is_surname(first) and is_given(last) and not is_common(last))
    ) and not (is_common(first) and is_common(last))
