"""Names of relatives, friends and other people around the patient, by the word that says so.

`wife, Mary`, `his son Kevin`, `Anna (daughter)`, `Kevin's mother`, `neighbor Gus Tamminen`, `spoke
with Anna`. All are PATIENT, as in i2b2 2014.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from ...dictionaries import load, phrase_set, word_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .casing import CasedWords, WordProperty, words
from .name_words import MAY_BE_NAME, NAME_KIND, TITLES, is_common, is_given, is_surname
from .names import NameSpan, and_another, bare, is_plausible, name_behind, read_name
from .patterns import disjoint
from .word_forms import CAPITALISED, LOWER, UPPER, plain, plain_all, shape_of

NAME = "relative_name"
LABELS = ("PATIENT",)
# 187 of 187 right: english_clinical_sample 19/19, demo/train 77/77, asq_phi 91/91.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9947

_KIN = phrase_set("relative_name_kin_en")
_OTHERS = phrase_set("relative_name_others_en")
_RELATIONS = _KIN | _OTHERS
# Between the word and the name: "sister named Ann", "brother-in-law Jim", "wife is Mary".
_BETWEEN = word_set("""
    in law is was are named name called also first dear late
""")
_SPEAKING = re.compile(
    r"(?:spoke|speaking|spoken|talked|met|meeting|visited|accompanied|brought in|lives|living|here|"
    r"stays|staying|came|comes|cares?|cared|caring|married|widow|widower)"
    r"(?: today| briefly| again| alone| also)? (?:with|w/|to|by|for|of)(?: both)? "
    r"|\b(?:patient|pt|named|called|man|woman|boy|girl|child|infant|baby|lady|gentleman|male|female"
    r"|patient name|pt name|patient named|pt named),? "
    r"|\b(?:patients?|case|someone|a person|pt|pts|notes (?:of|for)|results of|care of|history of"
    r"|chart of|records? (?:of|for)) (?:like|as|named|is|was|for|of) "
)
_SAYING = word_set("""
    with w to by for like named is of pt patient case name called ref case
""")
_RELATION = WordProperty.one_of(_RELATIONS)
_SAY = WordProperty.one_of(_SAYING)
_BRACKET = re.compile(r" ?\((?:pt'?s |patient's |her |his |the )?")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one PATIENT per name beside a word for a relation, left to right, disjoint."""
    yield from find(document.text)


@functools.lru_cache(maxsize=1)
def find(text: str) -> tuple[Candidate, ...]:
    """What `recognise` yields; the rules that look names up again ask for it too."""
    found = words(text)
    return tuple(
        disjoint(
            Candidate(stretch.start, stretch.end, "PATIENT", NAME, SCORE)
            for written in (*_behind(found), *_before(found), *_named(found), *_acting(found))
            if (stretch := bare(found, written)) is not None
        )
    )


_LINK = WordProperty.one_of(_BETWEEN)


def _behind(found: CasedWords) -> Iterator[NameSpan]:
    """Names behind the relation: "wife, Mary", "dads Andre Cole & Teo Ruiz"."""
    linked = found.where(_LINK, behind=_RELATION)
    for at in sorted({*linked, *found.where(MAY_BE_NAME, behind=_RELATION)}):
        index = at - 1
        relation = found.plains[index]
        while at < len(found) and at - index < 4 and found.plains[at] in _BETWEEN:
            if found.between(at - 1) not in (" ", "-", ", "):
                break
            if found.texts[at] == "in" and (at + 1 == len(found) or found.texts[at + 1] != "law"):
                break
            at += 1
        stretch = name_behind(found, at, wordy=relation in _KIN and at == index + 1)
        if stretch is not None and (
            _is_heading(found, index, stretch)
            or _is_place(found, at, stretch)
            or _is_no_person(found, relation, stretch)
        ):
            continue
        for _ in range(6):
            if stretch is None:
                break
            yield stretch
            following = and_another(found, stretch) or _behind_age(found, stretch)
            stretch = None
            if following is not None and is_given(found.texts[following]):
                stretch = name_behind_and(found, following)


_AGE = re.compile(r" \(?\d{1,2}\)?(?: ?(?:yo|y/o|mo|y|m))?(?:,? (?:and )?|, ?& |; )")


def _behind_age(found: CasedWords, stretch: NameSpan) -> int | None:
    """Index of the next name of "Sasha 11, Lev 6"."""
    match = _AGE.match(found.text, stretch.end)
    if match is None:
        return None
    index = found.at(match.end())
    return index if index < len(found) and found.starts[index] == match.end() else None


def name_behind_and(found: CasedWords, index: int) -> NameSpan | None:
    """The next name of a list; never an ordinary word."""
    if is_common(found.texts[index]) or found.shapes[index] not in (CAPITALISED, UPPER):
        return None
    return read_name(found, index)


def _is_heading(found: CasedWords, index: int, stretch: NameSpan) -> bool:
    """Whether it is "Mother: Diabetes", where only a listed first name is one."""
    return ":" in found.between(index) and not is_given(found.texts[stretch.first])


def _is_no_person(found: CasedWords, relation: str, stretch: NameSpan) -> bool:
    """Whether it is an apple, or what people are ("the parents are Somali")."""
    word = found.plains[stretch.first]
    if stretch.first != stretch.last:
        return False
    return (relation, word) == ("granny", "smith") or (
        word in _nationalities() and not is_given(found.texts[stretch.first])
    )


@functools.cache
def _nationalities() -> frozenset[str]:
    return frozenset(plain_all(load("nationalities_en").phrases))


def _is_place(found: CasedWords, at: int, stretch: NameSpan) -> bool:
    """Whether it is "(school principal, Dayton, 937-" or "his cousin, Texas"."""
    relation = found.plains[at - 1]
    return (
        "," in found.between(at - 1)
        and relation in _OTHERS
        and stretch.first == stretch.last
        and not (is_given(found.texts[at]) and not is_surname(found.texts[at]))
    )


_OF_A_PERSON = ("her", "his", "pt", "patient", "the")


_OWNER = WordProperty.one_of(_OF_A_PERSON)
# Words that may stand before a relation as `_before` wants it; spares looking.
_MAY_BE_RELATED = NAME_KIND.property(
    lambda kind: (
        not kind.common
        and (kind.shape == CAPITALISED or (kind.shape in (UPPER, LOWER) and kind.given))
    )
)


def _before(found: CasedWords) -> Iterator[NameSpan]:
    """Names before the relation: "Anna (daughter)", "Kevin's mother"."""
    owned = found.where(_RELATION, behind=_OWNER)
    for index in sorted({*owned, *found.where(_RELATION, behind=_MAY_BE_RELATED)}):
        gap = found.between(index - 1)
        bracket = "(" in gap and _BRACKET.fullmatch(gap)
        back = index - 1
        if not bracket and found.plains[back] in _OF_A_PERSON:
            bracket = _BRACKET.fullmatch(found.between(back - 1)) if back else None
            back -= 1
        possessive = gap in ("'s ", "’s ")
        if back < 0 or not (bracket or possessive):
            continue
        word, shape = found.texts[back], found.shapes[back]
        if shape not in (CAPITALISED, UPPER, LOWER) or is_common(word):
            continue
        if not is_given(word) and (shape != CAPITALISED or not is_plausible(found, back)):
            continue
        if possessive and not is_given(word):
            continue
        first = back
        if (
            back
            and found.between(back - 1) == " "
            and is_given(found.texts[back - 1])
            and found.shapes[back - 1] == shape
            and not is_common(found.texts[back - 1])
        ):
            first = back - 1
        yield NameSpan(first, back, found.starts[first], found.ends[back])


_GIVEN_ALONE = NAME_KIND.property(
    lambda kind: kind.given and not kind.common and kind.shape in (CAPITALISED, LOWER)
)
_CAPITALISED_ALONE = NAME_KIND.property(
    lambda kind: kind.given and not kind.common and kind.shape == CAPITALISED
)


def _named(found: CasedWords) -> Iterator[NameSpan]:
    """Names behind words that lead to a person: "spoke with Anna", "a patient named Jane D."."""
    for index in found.where(_GIVEN_ALONE, behind=_SAY):
        if found.texts[index - 1] == "PT":
            # A physical therapist, unless the whole line is in capitals.
            continue
        left = found.text[max(0, found.starts[index] - 40) : found.starts[index]].lower()
        if not any(match.end() == len(left) for match in _SPEAKING.finditer(left)):
            continue
        stretch = name_behind(found, index)
        if stretch is not None:
            yield stretch


_ACTING = phrase_set("relative_name_acting_en")


_ACTS = WordProperty(
    lambda word: plain(word) in _ACTING and shape_of(word) == LOWER, _ACTING.__contains__
)


def _acting(found: CasedWords) -> Iterator[NameSpan]:
    """First names at the head of a sentence that do what people do: "Lenore present."."""
    for index in (at - 1 for at in found.where(_ACTS, behind=_CAPITALISED_ALONE)):
        if (
            found.between(index) == " "
            and (not index or found.between(index - 1)[-1:] in '\n. "(')
            and not (index and found.between(index - 1) == " " and found.shapes[index - 1] != LOWER)
            and not (index and found.plains[index - 1] in TITLES)
        ):
            yield NameSpan(index, index, found.starts[index], found.ends[index])
