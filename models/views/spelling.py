"""Whether letters or digits that were spaced out are an identifier, or a list of a clinician's.

`NIHSS 0-0-1-0-2-0`, `V 1 2 3 4 5 6` and `R E S P` are written like `MRN 4-8-2-1-9-0` and
`O k a f o r`. Digits alone are an identifier after a word that asks for one, or grouped as such
numbers are. Letters are one if they make a word that is neither ordinary nor medical.
"""

from __future__ import annotations

import functools
import re

from ...dictionaries import load
from ..recognisers.name_words import is_common, is_given, is_surname
from ..recognisers.word_forms import plain, plain_all

_NUMBERED = (
    "mrn|m\\.r\\.n|med(?:ical)? ?rec(?:ord)?s?|record|chart|ssn|social security|social|ss"
    "|(?:tele)?phone|ph|tel|telf|tfno|tel[eé]fono|cell|mobile|m[oó]vil|pager|beeper|fax|call(?:ed)?"
    "|dob|d\\.o\\.b|birth|born|nacimiento|id|identifier|acc(?:oun)?t|cuenta|member|subscriber"
    "|policy|p[oó]liza|medicare|medicaid|insurance|plan id|licen[cs]e|npi|dea|zip|zip ?code"
    "|c[oó]digo postal|passport|pasaporte|claim|csn|fin|har|accession|imei|vin|plate|nhs"
    "|nhc|dni|nie|nif|nass|nuss|cipa|historia(?: cl[ií]nica)?|colegiado"
    "|(?:case|group|visit|encounter|unit|hosp(?:ital)?|patient|pt|mr|serial|lot|device|order|card"
    "|file|badge|employee|user) ?(?:#|no\\b|num(?:ber)?\\b|nbr\\b|id\\b)"
)
_NAMED = (
    "(?:dr|dra|mr|mrs|ms|miss|mx|prof|sr|sra|d[oñ]?a|hon|rev)\\b\\.?|(?:name|patient|pt|nombre"
    "|apellidos?|paciente|m[eé]dico|attending|physician|provider|surgeon|pcp|signed|dictated"
    "|electronically signed by|signed by|dictated by|nurse|author|contact|address|direcci[oó]n"
    "|domicilio|city|e-?mail|user(?:name)?|login)\\b ?[:=]"
)
_GAP = (
    "(?:[\\s#:=.,([*|_~\u00b7\u2022\u2013\u2014-]"
    "|no\\b|num(?:ber|ero)?\\b|n[uú]mero\\b|n[º°]|nbr\\b|is\\b|was\\b|id\\b|code\\b|at\\b|of\\b"
    "|de\\b|on\\b|es\\b){0,12}$"
)
_NUMBER_LABEL = re.compile(rf"(?<![^\W_])(?:{_NUMBERED}){_GAP}", re.IGNORECASE)
_NAME_LABEL = re.compile(rf"(?<![^\W_])(?:{_NAMED})[\s(*_~.-]{{0,8}}$", re.IGNORECASE)
_STATE = re.compile(r",[ .]{0,3}[A-Z]{2}[ .]{1,3}$")
_LABEL = re.compile(
    rf"(?:{_NUMBERED}|name|patient|address|doctor|physician)(?: ?(?:#|no|number|id))?",
    re.IGNORECASE,
)
_LABEL_REACH = 60

_SPACED_LETTERS = re.compile(r"(?<=\b[^\W\d_])[ .](?=[^\W\d_]\b)")

_MONTHS = (
    "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic"
    "|january|february|march|april|june|july|august|september|october|november|december"
    "|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre"
)
_FORM = re.compile(
    r"(?<![\d-])(?:"
    r"\d{3}([ -])\d{2}\1\d{4}"  # a social security number
    r"|(?:\+?1[ .-]{0,3})?(?:\(\d{3}\)[ .-]{0,3}|\d{3}[ .-]{1,3})\d{3}[-.]\d{4}"  # a telephone
    r"|\d{1,2}/\d{1,2}/(?:\d{4}|\d{2})|\d{1,2}([.-])\d{1,2}\2(?:19|20)\d{2}"
    r"|(?:19|20)\d{2}([-/.])\d{1,2}\3\d{1,2}"
    rf"|(?:{_MONTHS})\.? ?\d{{1,2}}(?:st|nd|rd|th)?,? ?(?:19|20)\d{{2}}"
    rf"|\d{{1,2}}(?: ?de)? ?(?:{_MONTHS})\.?,?(?: ?de)? ?(?:19|20)\d{{2}}"
    r"|\d{5}-\d{4}"  # a ZIP code
    r")(?![\d-])"
    r"|[\w.+-]@[\w.-]|(?:https?|ftp)://|www\."
    r"|\b\d{1,6} [^\W\d_][\w'. -]{1,30}\b(?:street|st|avenue|ave|road|rd|lane|ln|drive|dr|court|ct"
    r"|boulevard|blvd|way|place|pl|terrace|circle|highway|hwy|parkway|pkwy)\b"
    r"|\b(?:calle|avenida|avda|plaza|paseo) [^\W\d_]"
    # A run of letters is tried from its beginning alone: else time grows with its square.
    r"|(?<![^\W\d_])[^\W\d_]{3,} (?:[\w'-]{1,20} ){0,3}"
    r"(?:hospital|clinic|center|centre|infirmary|hospice"
    r"|university|college)\b|\bhospital [^\W\d_]{3,}",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3,40}")


def is_identifier(joined: str, text: str, start: int) -> bool:
    """Whether what was spaced out may identify someone.

    Args:
        joined: the run put together.
        text: in which it stands.
        start: of the run in the text.
    """
    before = text[max(0, start - _LABEL_REACH, text.rfind("\n", 0, start) + 1) : start]
    before = _SPACED_LETTERS.sub("", before)
    if any(map(str.isdigit, joined)) and _NUMBER_LABEL.search(before):
        return True
    if _STATE.search(before) and joined[:5].isdigit() and not joined[5:6].isdigit():
        return True
    if _FORM.search(joined) or _LABEL.fullmatch(joined):
        return True
    named = _NAME_LABEL.search(before) is not None
    return any(_is_telling(word, named) for word in _WORD.findall(joined))


_LONGEST_ABBREVIATION = 4

_TASKS = ("dlrow", "odnum")
"""What patients are asked to spell: "world" and "mundo" backwards."""


def _is_telling(word: str, named: bool) -> bool:
    """Whether a word may be part of a name.

    Args:
        word: of three letters at least.
        named: whether a word that asks for a name stands before it.
    """
    small = plain(word)
    if small in _medical():
        return False
    if is_common(word):
        return named
    if named or is_given(word) or is_surname(word):
        return True
    if word.isupper() and (len(word) <= _LONGEST_ABBREVIATION or _ascends(word)):
        return False
    return len(word) >= _LONGEST_ABBREVIATION and not _is_made_of_common(small)


_LEAST_PIECE = 3


def _is_made_of_common(word: str) -> bool:
    """Whether ordinary words were run together: "vitalsigns", where the gap was not kept."""
    ends = {0}
    for end in range(_LEAST_PIECE, len(word) + 1):
        starts = (start for start in ends if end - start >= _LEAST_PIECE)
        if any(is_common(word[start:end]) or word[start:end] in _medical() for start in starts):
            ends.add(end)
    return len(word) in ends


def _ascends(word: str) -> bool:
    """Whether letters are in the order of the alphabet, as in a list: vitamins A, D, E, K."""
    return all(a < b for a, b in zip(word, word[1:], strict=False))


@functools.cache
def _medical() -> frozenset[str]:
    """Words of medicine that are no first names, of headings, of tasks; as `plain` writes them.

    There is no list of ordinary words of Spanish, so those of headings are one of their own.
    """
    lists = ("medical_abbreviations_en", "medical_tests_en", "medical_words_en", "drug_names_en")
    words = {word for name in lists for word in plain_all(load(name).phrases)}
    words.difference_update(plain_all(load("first_names_en").phrases))
    return frozenset(words.union(plain_all(load("heading_words_es").phrases), _TASKS))
