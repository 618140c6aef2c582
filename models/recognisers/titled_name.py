"""Names beside a title (`Dr. Smith`, `Ms. Jane Doe`) or credentials (`Jane Smith, MD`).

Title and credentials stay outside the span, as in i2b2 2014.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from ...dictionaries import phrase_set, word_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .casing import CasedWords, WordProperty, words
from .eponym_ends import before_eponym
from .name_words import (
    FIELD_WORDS,
    FUNCTION_WORDS,
    ORGANISATION_WORDS,
    is_common,
    is_given,
    is_surname,
)
from .names import NameSpan, bare, is_plausible, names_an_institution, read_name
from .patterns import disjoint, is_word, pattern, view
from .word_forms import CAPITALISED, INITIAL, LOWER, UPPER, plain, shape_of

NAME = "titled_name"
LABELS = ("PATIENT", "DOCTOR")
# 250 of 252 right: english_clinical_sample 41/41, demo/train 136/137, asq_phi 73/74.
# `python -m benchmarks.rules --scores`.
SCORE = 0.9882

_TITLES = dict.fromkeys(
    ("dr", "drs", "doctor", "doctors", "prof", "professor", "nurse"), "DOCTOR"
) | dict.fromkeys(
    phrase_set("titled_name_titles_en"),
    "PATIENT",
)
_TITLED = WordProperty.one_of(map(plain, _TITLES))
# Words as well: only with a capital ("Sister Agnes", not "her sister Agnes", which is a relative).
_ALSO_WORDS = phrase_set("titled_name_also_words_en")
# Written in capitals, mitral regurgitation and multiple sclerosis as well.
_ALSO_ABBREVIATIONS = frozenset(("mr", "ms", "lt", "hon", "lady", "sir"))
_OF_FORMS = FIELD_WORDS | ORGANISATION_WORDS
_NO_NAMES = FIELD_WORDS - {"ward", "page", "case"}
# "Moderate ischemic MR.": of the mitral valve.
_LEAKS = word_set(
    "moderate severe mild trace trivial ischemic ischaemic functional primary secondary"
)
_GAP = re.compile(r"(?: ?\. ?|:)?[ \t]{0,3}(?:\r?\n[ \t>]{0,12})?")
_AND = re.compile(r" ?[,/&] ?")

# Surgeons, midwives and counsellors of many countries are Mr, Miss and Mrs.
_OF_STAFF = re.compile(
    r"\b(?:under(?: the care of)?|surgeon|consultant|cons|on call|hv|health visitor|midwife|cmw"
    r"|matron|counsellor|coordinator|coord|driver|security|dietitian|physio(?:therapist)?|therapist"
    r"|therapy with|registrar|reg|op(?:erator)?|assistant|d/w|clinic of|list of"
    r"|(?:seen|reviewed|operated|performed|examined|assessed) by)[ :.(]{1,3}(?:the |our )?$"
)
_CREDENTIAL = pattern(
    r"(?:(?:m\.? ?d|d\.? ?o|r\.n|l\.p\.n|ph\. ?d|psy\. ?d|pharm\. ?d|n\.p|p\.a|d\.d\.s|d\.m\.d"
    r"|d\.p\.m|o\.d|p\.t|r\.ph|m\.s\.w|b\.s\.n|m\.s\.n|d\.c)\.?"
    r"|rnc?|lpn|lvn|cna|crna|crnp|arnp|aprn|cnp|fnp(?:-b?c)?|agnp|anp|pnp|acnp|np(?:-c)?|dnp|bsn"
    r"|msn|pa-?c|dpt|pta|otr(?:/l)?|cota|l[im]?csw|lcpc|lisw(?:-s)?|lmsw|msw|lmft|lmhc|lpc|lsn|lsw"
    r"|pharm ?d|psyd|rph|phd|mbbs|mb|mbchb|frc[ps]|fac[psrc]|facog|facep|faap|faan|faad|dds|dmd"
    r"|dpm|dvm|rdn|rrt|rdcs|rdms|rvt|slp|ccc-slp|cnm|cde|cdces|ccrn|chpn|ocn|emt(?:-[bp])?"
    r"|paramedic|pgy-?\d|ms[34]?|mba|bs|cep|nnp|lgc|fp-c|cfrn|pa|pt|ot|rd|rt|do|ma|cns|lcp|cht|ccds|mph|esq)"
)
# With what letters one begins.
_HEADS = phrase_set("titled_name_credential_heads_en")
_HEAD = re.compile(r"[a-z]+")
# What parts them from the name.
_APART = re.compile(rb"(?:,? {1,2}|,|,\r?\n|\()\Z")
_WEAK = phrase_set("titled_name_weak_credentials_en")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one candidate per name with a title or credentials, left to right, disjoint."""
    yield from find(document.text)


@functools.lru_cache(maxsize=1)
def find(text: str) -> tuple[Candidate, ...]:
    """What `recognise` yields; the rules that look names up again ask for it too."""
    found = words(text)
    candidates = []
    for written, label in (*_behind_titles(found), *_before_credentials(found)):
        stretch = bare(found, written)
        if stretch is None:
            continue
        candidates.append(Candidate(stretch.start, stretch.end, label, NAME, SCORE))
    return tuple(disjoint(candidates))


def _behind_titles(found: CasedWords) -> Iterator[tuple[NameSpan, str]]:
    for index in found.where(_TITLED):
        word = found.texts[index]
        label = _TITLES.get(word.lower())
        if label is None or not _is_title(found, index):
            continue
        several = word.lower() in ("drs", "doctors", "messrs")
        stretch = _named(found, index + 1, plain(word), found.shapes[index])
        if stretch and word == "Sister" and names_an_institution(found, stretch):
            # Sister Mary Joseph's nodule.
            continue
        if label == "PATIENT" and _OF_STAFF.search(_left(found, index)):
            label = "DOCTOR"
        if stretch is not None and not several:
            stretch = _inverted(found, index, stretch)
        while stretch is not None:
            yield stretch, label
            stretch = _next_of_list(found, stretch, several)


def _inverted(found: CasedWords, title: int, stretch: NameSpan) -> NameSpan:
    """With the first name behind the surname in a field: `Attending: Dr. Long, Forrest`."""
    index, left = stretch.last + 1, _left(found, title).rstrip()
    if (
        stretch.first != stretch.last
        or (left and left[-1] not in ":=")
        or index >= len(found)
        or found.text[stretch.end : found.starts[index]] != ", "
        or found.shapes[index] != found.shapes[stretch.first]
        or not (is_given(found.texts[index]) and is_plausible(found, index))
    ):
        return stretch
    alone = NameSpan(index, index, found.starts[index], found.ends[index])
    read = read_name(found, index, lower=True)
    given = (read and before_eponym(found, read)) or alone
    after = given.last + 1
    if names_an_institution(found, given) or (
        # "Dr. Long, Forrest reports pain": he is the patient.
        after < len(found)
        and given.first == given.last
        and found.between(given.last) == " "
        and found.shapes[after] == LOWER != found.shapes[index]
    ):
        return stretch
    return NameSpan(stretch.first, given.last, stretch.start, given.end)


def _left(found: CasedWords, index: int) -> str:
    """What stands on the same line before a word, in small letters."""
    start = found.starts[index]
    return found.text[max(0, start - 28) : start].rpartition("\n")[2].lower()


def _is_title(found: CasedWords, index: int) -> bool:
    word, shape = found.texts[index], found.shapes[index]
    title = plain(word)
    gap = found.between(index)
    if not _GAP.fullmatch(gap) or index + 1 >= len(found) or (gap[:1] not in ". \t\r\n"):
        return False
    if ":" in gap and title not in ("dr", "nurse", "doctor"):
        return False
    if shape == LOWER and title in _ALSO_WORDS and title != "nurse":
        return False
    stop = "." in gap
    if title == "ms" and shape == LOWER and _is_measure(found, index):
        # "block at 168 ms. CTI line": milliseconds.
        return False
    if title == "mr" and shape == UPPER and stop and index and found.plains[index - 1] in _LEAKS:
        return False
    if (
        title in ("dr", "ms", "lt", "hon")
        and not stop
        and shape == LOWER
        and _is_measure(found, index)
    ):
        return False
    if title in _ALSO_ABBREVIATIONS and shape == UPPER and not stop:
        return _listed_and_no_word(found, index + 1)
    if title in ("sister", "brother", "father", "mother", "lady", "officer", "miss") and not (
        _listed_and_no_word(found, index + 1)
    ):
        return False
    if title == "dr":
        return not _is_street(found, index)
    return True


def _is_measure(found: CasedWords, index: int) -> bool:
    return index > 0 and found.texts[index - 1][-1:].isdecimal()


def _listed_and_no_word(found: CasedWords, index: int) -> bool:
    word = found.texts[index]
    return (is_given(word) or is_surname(word)) and not is_common(word)


def _is_street(found: CasedWords, index: int) -> bool:
    """Whether "Dr" is a drive: `14 Elm Dr Springfield`."""
    for back in (2, 3):
        if index - back < 0 or found.between(index - back) != " ":
            return False
        if found.plains[index - 1] in FUNCTION_WORDS:
            return False
        if found.texts[index - back][:1].isdecimal():
            return found.shapes[index - 1] in (CAPITALISED, UPPER)
    return False


def _named(found: CasedWords, index: int, title: str, shape: int) -> NameSpan | None:
    lower = shape == LOWER or (shape == CAPITALISED and title == "dr")
    if (
        index < len(found)
        and found.plains[index] in _TITLES
        and found.between(index)
        in (
            ". ",
            " ",
        )
    ):
        # "Prof. Dr. Smith": the second title finds it.
        return None
    stretch = read_name(found, index, wrap=True, lower=lower, loose=True)
    if stretch is None:
        if (
            title in ("dr", "mr", "mrs", "ms")
            and lower
            and index < len(found)
            and found.shapes[index] == LOWER
        ):
            return _unlisted(found, index, shape)
        return None
    first = found.texts[stretch.first]
    lone = stretch.first == stretch.last
    if lone and found.shapes[stretch.first] == INITIAL:
        # "Mr. W." names somebody, "Dr. A" does so too, "Dr. I think" does not.
        return stretch if stretch.end > found.ends[stretch.last] else None
    if found.plains[stretch.first] in _OF_FORMS and not (
        found.shapes[stretch.first] in (CAPITALISED, UPPER) and is_surname(first)
    ):
        return None
    if title == "nurse" and is_common(first) and lone:
        return None
    return stretch


def _unlisted(found: CasedWords, index: int, shape: int) -> NameSpan | None:
    """A surname in small letters that no list has, behind "dr"."""
    word = found.texts[index]
    name = plain(word)
    if (
        len(word) < 3
        or name in FUNCTION_WORDS
        or name in _OF_FORMS
        or ((shape != LOWER or is_common(word)) and not is_surname(word))
        or "\n" in found.between(index - 1)
    ):
        return None
    return NameSpan(index, index, found.starts[index], found.ends[index])


def _next_of_list(found: CasedWords, stretch: NameSpan, several: bool) -> NameSpan | None:
    """The next name of `Drs. Smith, Jones and Brown`."""
    index = stretch.last + 1
    if not several or index >= len(found):
        return None
    gap = found.text[stretch.end : found.starts[index]]
    if gap == " " or _AND.fullmatch(gap):
        if found.texts[index] in ("and", "AND") and found.between(index) == " ":
            index += 1
        elif gap == " ":
            return None
        if index < len(found) and is_plausible(found, index):
            return read_name(found, index)
    return None


def _before_credentials(found: CasedWords) -> Iterator[tuple[NameSpan, str]]:
    reach = 0
    for index in found.where(_CREDENTIALS):
        text, start = found.text, found.starts[index]
        seen = view(text)
        apart = _APART.search(seen, max(reach, start - 4), start)
        match = _CREDENTIAL.match(seen, start) if apart else None
        if not apart or not match:
            continue
        reach = end = match.end()
        if is_word(text, end) or text[end : end + 1] in ("'", "’", "-", "/"):
            continue
        if not apart.start() or not (
            text[apart.start() - 1].isalpha() or text[apart.start() - 1] == "."
        ):
            continue
        written = text[start:end]
        plainly = written.lower().replace(".", "").replace(" ", "")
        small, weak = written.islower(), plainly in _WEAK
        if small and weak:
            continue
        stretch = name_before(found, index - 1, weak=weak and "." not in written)
        if stretch is None:
            continue
        if small and not all(
            len(found.texts[i]) == 1 or not is_common(found.texts[i])
            for i in range(stretch.first, stretch.last + (stretch.first == stretch.last))
        ):
            continue
        yield stretch, "DOCTOR"


def _begins_credential(word: str) -> bool:
    name = plain(word)
    if name in _WEAK and shape_of(word) == LOWER:
        # Credentials only in capitals.
        return False
    head = _HEAD.match(name)
    return head is not None and head[0] in _HEADS


_CREDENTIALS = WordProperty(_begins_credential, lambda low: (low in _WEAK, low in _HEADS))


def name_before(found: CasedWords, last: int, *, weak: bool) -> NameSpan | None:
    """The longest name that ends with a word, before credentials.

    Args:
        found: the words of the document.
        last: index of the word.
        weak: whether the credentials are an ordinary abbreviation too ("PT").
    """
    best = None
    for first in range(last, max(-1, last - 5), -1):
        stretch = _ends_at(found, first, last)
        if stretch is None:
            if first < last and found.shapes[first] not in (INITIAL, LOWER, CAPITALISED, UPPER):
                break
            continue
        if _is_signed(found, stretch, weak):
            best = stretch
    return best


def _ends_at(found: CasedWords, first: int, last: int) -> NameSpan | None:
    stretch = read_name(found, first, comma=True, lower=True)
    return stretch if stretch is not None and stretch.last == last else None


def _is_signed(found: CasedWords, stretch: NameSpan, weak: bool) -> bool:
    inside = range(stretch.first, stretch.last + 1)
    texts = [found.texts[i] for i in inside]
    full = [i for i in inside if len(found.texts[i]) > 1]
    if not full or any(plain(t) in _NO_NAMES for t in texts):
        return False
    first = found.texts[stretch.first]
    initial = any(len(found.texts[i]) == 1 for i in inside)
    listed = sum(is_given(found.texts[i]) or is_surname(found.texts[i]) for i in full)
    ordinary = [i for i in full if is_common(found.texts[i])]
    comma = "," in found.text[stretch.start : stretch.end]
    if len(inside) == 1:
        return not weak and not ordinary and (bool(listed) or len(first) > 4)
    if ordinary and plain(first) in FUNCTION_WORDS:
        return False
    if len(ordinary) == len(full) and not (initial or is_given(first)):
        return False
    if len(ordinary) and found.texts[ordinary[0]] == first and not (is_given(first) or comma):
        return False
    if weak and not (initial or listed):
        return False
    return len(inside) < 3 or is_given(first) or initial or not ordinary
