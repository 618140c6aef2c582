"""Names of clinical staff by the word for what they do: `interpreter Beto Salas`, `RN Hattie`.

Also `Kirsi (PT)` and names behind words that lead to a colleague ("paged", "report to", "d/w").
Titles and credentials behind a full name are `titled_name`'s, fields with a colon
`labelled_name`'s part.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from ...dictionaries import phrase_set, word_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .casing import CasedWords, WordProperty, words
from .name_words import MAY_BE_NAME, NAME_KIND, eponyms, is_common, is_given, is_surname
from .names import NameSpan, and_another, is_plausible, name_behind, read_name
from .patterns import disjoint
from .word_forms import CAPITALISED, INITIAL, LOWER, UPPER, plain

NAME = "role_name"
LABELS = ("DOCTOR",)
# 36 of 36 right: english_clinical_sample 6/6, demo/train 30/30.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9737

_ROLES = phrase_set("role_name_roles_en")
# As often something else: the name must be a listed first name and no ordinary word.
_SHORT = phrase_set("role_name_short_en")  # fmt: skip
_LEADING = re.compile(
    r"\b(?:paged|staffed (?:with|w/)|precepted (?:with|by)|d/w|disc(?:ussed)? (?:with|w/)"
    r"|report (?:to"
    r"|given to|called to)|called to|told|covering for|per|seen by|read by|signed by|evaluated by"
    r"|examined by|performed by|done by|placed by|assisted by|notified|routed to|signed out to|sign"
    r"ed by|dictated by|reviewed (?:with|by)|supervised by|referred by|referral from|cosigned by"
    r"|transcribed by|ordered by|interpreted by|verified by|taken by|given by|drawn by|obtained by"
    r"|handoff (?:to|from)|consulted|f/u (?:with|w/)|follow[ -]?up (?:with|w/)|appt (?:with|w/)"
    r"|relieved by|witnessed by|report from|care of|under) $"
)
_LEADS = word_set("""
    paged with w by to for per d told notified from consulted of under
""")
_ROLE = WordProperty.one_of(_ROLES)
_LEAD = WordProperty.one_of(_LEADS)
_BRACKET = re.compile(r" ?\((?:the |our |her |his )?")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one DOCTOR per name beside a word for a profession of care, in order, disjoint."""
    yield from find(document.text)


@functools.lru_cache(maxsize=1)
def find(text: str) -> tuple[Candidate, ...]:
    """What `recognise` yields; the rules that look names up again ask for it too."""
    found = words(text)
    return tuple(
        disjoint(
            Candidate(stretch.start, stretch.end, "DOCTOR", NAME, SCORE)
            for stretch in (*_behind(found), *_before(found), *_led(found))
        )
    )


def _behind(found: CasedWords) -> Iterator[NameSpan]:
    for index in (at - 1 for at in found.where(MAY_BE_NAME, behind=_ROLE)):
        role = found.plains[index]
        if found.between(index) not in (" ", ", ", " (", "  "):
            continue
        stretch = name_behind(found, index + 1) or _surname(found, role, index + 1)
        if stretch is None or not _fits(found, role, stretch):
            continue
        if role == "pt" and found.shapes[index] != UPPER:
            # "Pt Maria" is the patient.
            continue
        yield stretch
        following = and_another(found, stretch)
        if (
            following is not None
            and is_given(found.texts[following])
            and not is_common(found.texts[following])
        ):
            another = read_name(found, following)
            if another is not None:
                yield another


def _surname(found: CasedWords, role: str, index: int) -> NameSpan | None:
    """A surname that is an ordinary word too: "our chaplain Moss"."""
    if (
        role in _SHORT
        or found.shapes[index - 1] != LOWER
        or found.shapes[index] != CAPITALISED
        or found.between(index - 1) != " "
        or not is_surname(found.texts[index])
        or not is_plausible(found, index)
    ):
        return None
    return read_name(found, index)


def _fits(found: CasedWords, role: str, stretch: NameSpan) -> bool:
    first = found.texts[stretch.first]
    lone = stretch.first == stretch.last
    if "," in found.between(stretch.first - 1) and not is_given(first):
        return False
    if role == "md" and found.shapes[stretch.first] in (CAPITALISED, UPPER):
        return is_given(first) or (is_surname(first) and not is_common(first))
    if role in _SHORT or found.shapes[stretch.first] == LOWER:
        return found.shapes[stretch.first] == INITIAL or (
            is_given(first) and (not lone or not is_common(first))
        )
    return not lone or is_given(first) or is_surname(first)


_LINKS = ("the", "our", "from", "of")
_LINK = WordProperty.one_of(_LINKS)
_GIVEN_AND_NO_WORD = NAME_KIND.property(
    lambda kind: kind.shape in (CAPITALISED, UPPER, LOWER) and kind.given and not kind.common
)


def _before(found: CasedWords) -> Iterator[NameSpan]:
    """Names before the role: "Kirsi (PT)", "Ana, the interpreter"."""
    linked = found.where(_ROLE, behind=_LINK)
    for index in sorted((*linked, *found.where(_ROLE, behind=_GIVEN_AND_NO_WORD))):
        back = index - 1
        gap = found.between(back)
        if gap == " " and back and found.plains[back] in _LINKS:
            back -= 1
            gap = found.between(back)
            if gap != ", " and "(" not in gap and found.plains[back + 1] not in ("from", "of"):
                continue
        elif not _BRACKET.fullmatch(gap):
            continue
        word = found.texts[back]
        if (
            found.shapes[back] in (CAPITALISED, UPPER, LOWER)
            and is_given(word)
            and not is_common(word)
        ):
            yield NameSpan(back, back, found.starts[back], found.ends[back])


_MAY_BE_LED = NAME_KIND.property(
    lambda kind: (
        kind.shape in (CAPITALISED, INITIAL) or (kind.shape in (LOWER, UPPER) and kind.given)
    )
)


def _led(found: CasedWords) -> Iterator[NameSpan]:
    """Names behind words that lead to a colleague: "paged Okafor", "report to bea"."""
    for index in found.where(_MAY_BE_LED, behind=_LEAD):
        if found.between(index - 1) not in (" ", "/"):
            continue
        word = found.texts[index]
        left = found.text[max(0, found.starts[index] - 24) : found.starts[index]].lower()
        if not _LEADING.search(left):
            continue
        stretch = name_behind(found, index)
        if stretch is None:
            continue
        lone = stretch.first == stretch.last
        if lone and not is_given(word) and plain(word) in eponyms():
            continue
        if lone and (is_common(word) or not (is_given(word) or is_surname(word))):
            continue
        if is_plausible(found, stretch.last) or found.shapes[stretch.last] == INITIAL:
            yield stretch
