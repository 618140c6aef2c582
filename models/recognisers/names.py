"""How the rules for names of people read a name.

A name is read word by word from a place where a rule has reason to expect one: initials, particles
(`van der`), one to four names, `Last, First M.`, a suffix (`Jr.`, `III`). Titles and credentials
end it. How much a word must look like a name depends on the rule: behind `Dr.` nearly anything
capitalised does, in running text only what the lists hold and what is no ordinary word. What a
word can be is in `name_words`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...dictionaries import phrase_set
from .casing import CasedWords
from .name_words import (
    ALSO_GIVEN,
    EPONYM_NOUNS,
    FIELD_WORDS,
    FUNCTION_WORDS,
    INSTITUTIONS,
    MONTHS_AND_DAYS,
    NO_INITIALS,
    ORGANISATION_WORDS,
    PARTICLES,
    SUFFIXES,
    TITLES,
    credentials,
    eponyms,
    is_common,
    is_credential,
    is_english_given,
    is_given,
    is_surname,
)
from .word_forms import CAPITALISED, INITIAL, LOWER, OTHER, UPPER, plain


class NameSpan(NamedTuple):
    """A name: its words [first, last] by index, and its code points [start, end)."""

    first: int
    last: int
    start: int
    end: int


_TITLES_INSIDE = frozenset(phrase_set("relative_name_titles_en"))
_ABBREVIATIONS = phrase_set("medical_abbreviations_en")


def bare(found: CasedWords, stretch: NameSpan) -> NameSpan | None:
    """A name without a title before it and an abbreviation behind it; None if that is all.

    "Mdm Tay Hui Min", "Engr. Adesanya"; "Errol MI at 49", "Campbell J. BDI 34" unless the name is
    in capitals too.
    """
    first, last = stretch.first, stretch.last
    while first <= last and found.plains[first] in _TITLES_INSIDE:
        first += 1
    shouted = found.shapes[first] == UPPER if first <= last else False
    while (
        last > first
        and not shouted
        and found.shapes[last] == UPPER
        and found.texts[last] in _ABBREVIATIONS
    ):
        last -= 1
    if first > last:
        return None
    if (first, last) == (stretch.first, stretch.last):
        return stretch
    end = stretch.end if last == stretch.last else found.ends[last]
    if found.text[end : end + 1] == "." and found.shapes[last] == INITIAL:
        end += 1
    return NameSpan(first, last, found.starts[first], end)


_COMMA = (", ", ",", ",  ", " , ", " ,", " ,  ")
_BEHIND_INITIAL = (". ", " ", ".")
_WRAP = re.compile(r" {0,2}\r?\n[ >]{0,4}")
_SUFFIX_GAP = (", ", " ", ",", "., ", ". ")
_ABBREVIATED = phrase_set("first_names_abbreviated_en")
"""First names cut short, written with a full stop: `Wm. Grace`."""

_QUOTED = re.compile(r" {1,2}(?:[\"“„«‘]|\([\"“‘]?|''|')")
_UNQUOTED = re.compile(r"[\"”“»’]\)?|\)|''|'")


def read_name(
    found: CasedWords,
    index: int,
    *,
    comma: bool = False,
    wrap: bool = False,
    lower: bool = False,
    loose: bool = False,
    most: int = 4,
) -> NameSpan | None:
    """The longest name that begins with a word, in a place where a name is expected.

    Args:
        found: the words of the document.
        index: the word to begin with.
        comma: whether `Last, First M.` may be one.
        wrap: whether a surname may stand on the next line.
        lower: whether it may be written in small letters.
        loose: whether any surname goes on with it, whatever stands before ("Dr. Temperance Hall").
        most: names and initials at most, on each side of a comma.
    """
    size = len(found)
    if not 0 <= index < size or not _may_begin(found, index, lower):
        return None
    last, parts, commas, gap = index, 1, 0, found.between(index)
    nickname = (-1, 0)
    while last + 1 < size:
        if nickname[0] < 0 and (closing := _behind_nickname(found, last)):
            last += 1
            nickname = (last, closing)
            gap = found.text[closing : found.starts[last + 1]] if last + 1 < size else ""
            continue
        joined = (
            gap == " "
            or (len(found.texts[last]) == 1 and gap in _BEHIND_INITIAL)
            or (gap == ". " and found.plains[last] in _ABBREVIATED)
            or (wrap and parts == 1 and "\n" in gap and _may_wrap(found, index, gap))
        )
        if joined and parts < most and _may_go_on(found, last + 1, lower, loose):
            parts += found.plains[last + 1] not in PARTICLES
        elif comma and not commas and gap in _COMMA and _may_follow_comma(found, last + 1):
            commas, parts = 1, 1
        else:
            break
        last += 1
        gap = found.between(last)
    while last > index and found.shapes[last] == LOWER and found.plains[last] in PARTICLES:
        last -= 1
        gap = found.between(last)
    end = nickname[1] if nickname[0] == last else found.ends[last]
    if found.shapes[last] == INITIAL and gap[:1] == ".":
        end += 1
    if (
        last + 1 < size
        and found.plains[last + 1] in SUFFIXES
        and found.shapes[last + 1] in (CAPITALISED, UPPER)
        and gap in _SUFFIX_GAP
    ):
        last += 1
        end = found.ends[last]
        if found.plains[last] in ("jr", "sr") and found.text[end : end + 1] == ".":
            end += 1
    return NameSpan(index, last, found.starts[index], end)


def _behind_nickname(found: CasedWords, last: int) -> int:
    """Where a nickname ends that stands in quotes behind a word of a name; 0 if there is none.

    `Robert "Bud" Castellano`, `Evdokia ("Voula") Papadakis`, `McAllister, Otis "Junebug"`.
    """
    opening = found.between(last)
    if not _QUOTED.fullmatch(opening):
        return 0
    closing = _UNQUOTED.match(found.text, found.ends[last + 1])
    word, shape = found.texts[last + 1], found.shapes[last + 1]
    if closing is None or not (
        shape == CAPITALISED or (shape == UPPER and found.shapes[last] == UPPER)
    ):
        return 0
    bare = opening.strip() == "("
    if bare != (closing[0] == ")") or (bare and not is_given(word)):
        return 0
    # A quoted word may be what somebody said, and a name in brackets alone another person, unless
    # the name goes on: "Dr. Smith "Tylenol" was given", "James (Ann) called".
    behind = found.text[closing.end() : closing.end() + 2]
    goes_on = behind[:1] == " " and behind[1:].isupper()
    if not goes_on and (bare or (is_common(word) and not is_given(word))):
        return 0
    return closing.end()


def _may_wrap(found: CasedWords, index: int, gap: str) -> bool:
    return _WRAP.fullmatch(gap) is not None and is_given(found.texts[index])


def _may_begin(found: CasedWords, index: int, lower: bool) -> bool:
    word, shape = found.texts[index], found.shapes[index]
    name = plain(word)
    if shape == OTHER:
        # Surnames such as "deVries" and "vanHorn" only.
        return word[:1].islower() and is_surname(word) and word.isalpha()
    if shape == LOWER:
        if name in PARTICLES and _capital_follows(found, index):
            return True
        if lower and len(word) == 1:
            return _is_small_initial(found, index)
        return lower and is_plausible(found, index)
    if shape == INITIAL:
        return True
    if is_credential(word) or name in TITLES or name in SUFFIXES:
        return False
    if name in FUNCTION_WORDS:
        # Dr. Will Day, Dr. May, but not "DR WILL CALL" or "Mr. He".
        return shape == CAPITALISED and len(name) > 2 and (is_given(word) or is_surname(word))
    return True


def _is_small_initial(found: CasedWords, index: int) -> bool:
    """Whether a small letter begins a name written in small letters: "m. tafoya", "d nurmi"."""
    return (
        index + 1 < len(found)
        and found.between(index) in (" ", ". ", ".")
        and found.shapes[index + 1] == LOWER
        and len(found.texts[index + 1]) > 2
        and not is_common(found.texts[index + 1])
    )


def _may_go_on(found: CasedWords, index: int, lower: bool, loose: bool) -> bool:
    word, shape = found.texts[index], found.shapes[index]
    name = plain(word)
    if name in ("boy", "girl") and found.plains[index - 1] == "baby":
        return True
    if shape == LOWER:
        if name in PARTICLES and _capital_follows(found, index):
            return True
        return (
            lower
            and found.shapes[index - 1] in (LOWER, INITIAL)
            and name not in FUNCTION_WORDS
            and name not in FIELD_WORDS
            and (
                not is_common(word)
                if is_given(word) or len(found.texts[index - 1]) == 1
                else is_surname(word) and (not is_common(word) or is_given(found.texts[index - 1]))
            )
        )
    if shape == INITIAL:
        # "Anna I was" and "Smith A 40": a letter alone is an initial before a stop or a name.
        # "AGNES M F 39Y": the sex stands before the age.
        return (
            name not in ("i", "a") or found.text[found.ends[index] : found.ends[index] + 1] == "."
        ) and not (name in ("m", "f") and _number_follows(found, index))
    if shape == OTHER or is_credential(word) or name in TITLES or name in SUFFIXES:
        return False
    if not is_common(word):
        # "P. Vance NNP": capitals behind a capitalised word are a name if some list says so.
        return (
            shape == CAPITALISED
            or found.shapes[index - 1] != CAPITALISED
            or is_surname(word)
            or is_given(word)
        )
    if not (is_surname(word) or is_given(word)) or (name in FIELD_WORDS and shape == UPPER):
        return False
    if name in FUNCTION_WORDS or name in MONTHS_AND_DAYS:
        # "Hollis May", but not "Hollis May 4" or "SMITH WILL".
        return (
            shape == CAPITALISED
            and is_given(found.texts[index - 1])
            and (name == "will" or name in ALSO_GIVEN)
            and not _number_follows(found, index)
        )
    before = found.texts[index - 1]
    return (
        found.shapes[index - 1] == INITIAL
        or is_given(before)
        or plain(before) in PARTICLES
        or (shape == CAPITALISED and (loose or not is_common(before)))
    )


def _may_follow_comma(found: CasedWords, index: int) -> bool:
    word, shape = found.texts[index], found.shapes[index]
    name = plain(word)
    if shape == INITIAL:
        return not _is_dotted_credential(found, index)
    if shape == LOWER:
        return found.shapes[index - 1] == LOWER and (
            (is_given(word) and name not in FUNCTION_WORDS)
            or (len(word) == 1 and not is_common(found.texts[index - 1]))
        )
    if shape == UPPER and name in ("pa", "do", "ma") and found.shapes[index - 1] == UPPER:
        # "VANG, PA HOUA": credentials as well, so another name has to follow.
        following = index + 1
        return (
            following < len(found)
            and found.between(index) == " "
            and found.shapes[following] == UPPER
            and len(found.texts[following]) > 2
            and not is_credential(found.texts[following])
            and not is_common(found.texts[following])
        )
    return (
        shape in (CAPITALISED, UPPER)
        and not is_credential(word)
        and name not in TITLES
        and name not in SUFFIXES
        and (is_given(word) or not is_common(word) or name == "baby")
    )


def _is_dotted_credential(found: CasedWords, index: int) -> bool:
    """Whether `M.D.` begins here."""
    letters = ""
    for at in range(index, min(index + 4, len(found))):
        if found.shapes[at] != INITIAL:
            break
        letters += found.texts[at]
        if found.between(at) not in (".", ". "):
            break
    return len(letters) > 1 and letters.lower() in credentials(NO_INITIALS)


def _capital_follows(found: CasedWords, index: int) -> bool:
    for later in (index + 1, index + 2):
        if later >= len(found) or found.between(later - 1) != " ":
            return False
        if found.shapes[later] in (CAPITALISED, UPPER):
            return True
        if found.plains[later] not in PARTICLES:
            return False
    return False


def is_plausible(found: CasedWords, index: int) -> bool:
    """Whether a word may be a name where something says that one stands here.

    Small letters: no ordinary word. Capitalised or in capitals: a listed name, or no ordinary word;
    never a word of a form, of an institution or of grammar.
    """
    word, shape = found.texts[index], found.shapes[index]
    name = plain(word)
    if shape == OTHER or len(name) < 2 or name in FUNCTION_WORDS or name in FIELD_WORDS:
        return False
    if is_credential(word) or name in credentials():
        return False
    if shape == LOWER:
        return not is_common(word) and (is_given(word) or is_surname(word))
    if name in MONTHS_AND_DAYS and name not in ALSO_GIVEN:
        return False
    if name in ORGANISATION_WORDS or name in MONTHS_AND_DAYS:
        return (is_given(word) or is_surname(word)) and not _number_follows(found, index)
    return is_given(word) or is_surname(word) or not is_common(word)


def surname_of(found: CasedWords, stretch: NameSpan) -> int:
    """Index of the last word of a name that is no suffix."""
    suffixed = found.plains[stretch.last] in SUFFIXES and stretch.last > stretch.first
    return stretch.last - suffixed


def _is_date(found: CasedWords, index: int) -> bool:
    return found.plains[index] in MONTHS_AND_DAYS and _number_follows(found, index)


def _number_follows(found: CasedWords, index: int) -> bool:
    behind = found.text[found.ends[index] : found.ends[index] + 3].lstrip(" ,.'")
    return behind[:1].isdecimal()


def is_saint(found: CasedWords, index: int) -> bool:
    """Whether "St." or another word for a place stands before a word."""
    return (
        index > 0
        and found.between(index - 1) in (" ", ". ", ".", "-")
        and found.plains[index - 1]
        in ("st", "ste", "saint", "mount", "mt", "fort", "ft", "port", "san", "santa", "los", "las")
    )


def names_an_institution(found: CasedWords, stretch: NameSpan) -> bool:
    """Whether a stretch is, or with the word behind it makes, a place, institution or eponym."""
    phrase = " ".join(found.plains[i] for i in range(stretch.first, stretch.last + 1))
    before = found.plains[stretch.first - 1] if stretch.first else ""
    if phrase in INSTITUTIONS or f"{before} {phrase}" in INSTITUTIONS:
        return True
    if stretch.last + 1 >= len(found):
        return False
    gap, following = found.between(stretch.last), stretch.last + 1
    if gap not in (" ", "'s ", "’s ", " & "):
        return False
    if found.shapes[following] == LOWER and found.shapes[stretch.last] != LOWER:
        # "dad Nels home" is no home, "Baker cyst" is a cyst.
        return found.plains[following] in EPONYM_NOUNS
    return found.plains[following] in ORGANISATION_WORDS


_TO_NAME = re.compile(
    r"(?: |(?:'s|’s) \(|, ?|: ?| ?\(|\) ?| - ?| ?-- ?| ?[\"'“] ?|(?:'s|’s) | ?, ?[\"'“])?"
    r"|\r?\n {0,4}"
)


def name_behind(found: CasedWords, index: int, *, wordy: bool = False) -> NameSpan | None:
    """The name that begins with a word and that a word before it leads to ("wife Mary").

    Capitalised: a listed name, or no ordinary word. In capitals: what is listed and no ordinary
    word, or two listed names. In small letters: a listed first name that is no ordinary word.

    Args:
        found: the words of the document.
        index: the word where the name should begin.
        wordy: whether a listed first name may be an ordinary word too ("daughter Joy").
    """
    if not 0 < index < len(found) or not _TO_NAME.fullmatch(found.between(index - 1)):
        return None
    word, shape = found.texts[index], found.shapes[index]
    name = plain(word)
    stretch = read_name(found, index, wrap=True, lower=True)
    if stretch is None or names_an_institution(found, stretch):
        return None
    lone = stretch.first == stretch.last
    if shape == LOWER:
        if name in PARTICLES and not lone:
            return stretch
        return stretch if len(name) > 2 and is_given(word) and not is_common(word) else None
    if shape == INITIAL:
        return stretch if not lone and is_plausible(found, stretch.last) else None
    if not is_plausible(found, index):
        return None
    if shape == UPPER and wordy and is_english_given(name):
        return stretch if not _is_date(found, index) else None
    if shape == UPPER and (is_common(word) or not (is_given(word) or is_surname(word))):
        return (
            stretch
            if not lone
            and is_given(word)
            and (is_surname(found.texts[stretch.last]) or not is_common(found.texts[stretch.last]))
            else None
        )
    if lone and name in eponyms() and not is_given(word):
        # "mother, Crohn's"
        return None
    if is_common(word):
        known = is_given(word) and (wordy or not lone)
        return stretch if known and not _is_date(found, index) else None
    return stretch


def and_another(found: CasedWords, stretch: NameSpan) -> int | None:
    """Index of the word behind `, `, ` and ` or ` & ` after a name, if it may begin another."""
    index = stretch.last + 1
    if index >= len(found):
        return None
    gap = found.text[stretch.end : found.starts[index]]
    if gap == " " and found.texts[index].lower() == "and" and found.between(index) == " ":
        index += 1
    elif gap not in (", ", " & ", "/", " / "):
        return None
    return index if index < len(found) and is_plausible(found, index) else None
