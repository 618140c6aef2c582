"""Days and years in words: "the twenty-second", "veintidós de mayo", "two thousand and fourteen".

Dictation writes dates so. Each way to write them is a form, as that of names in `lexicon`: all days
of a month, or all years from 1800 to 2199. A year that a way cannot say is "" in its form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

FIRST_YEAR: Final = 1800
LAST_YEAR: Final = 2199
"""Years of which a shifted date may be, and that words say."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_EN_ONES = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_EN_TENS = _words("- ten twenty thirty forty fifty sixty seventy eighty ninety")
_EN_ORDINALS = _words(
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth "
    "thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_ES_ONES = _words(
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
    "dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés "
    "veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve"
)
_ES_TENS = _words("- diez veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa")


def _english(number: int, joint: str) -> str:
    """A number under 100."""
    if number < 20:
        return _EN_ONES[number]
    tens, ones = divmod(number, 10)
    return _EN_TENS[tens] + (joint + _EN_ONES[ones] if ones else "")


def _english_day(day: int, joint: str) -> str:
    if day < 20:
        return _EN_ORDINALS[day]
    tens, ones = divmod(day, 10)
    if not ones:
        return _EN_TENS[tens][:-1] + "ieth"
    return f"{_EN_TENS[tens]}{joint}{_EN_ORDINALS[ones]}"


def _english_thousand(year: int, joint: str, link: str) -> str:
    """Two thousand (and) fourteen; no other thousand is said so."""
    if not 2000 <= year <= 2099:
        return ""
    rest = year - 2000
    return "two thousand" + (f" {link}{_english(rest, joint)}" if rest else "")


def _english_pairs(year: int, joint: str, zero: str) -> str:
    """Nineteen ninety-eight, twenty oh five, nineteen hundred."""
    century, rest = divmod(year, 100)
    head = _english(century, joint)
    if rest == 0:
        return "" if year == 2000 else f"{head} hundred"
    return (
        f"{head} {zero} {_english(rest, joint)}" if rest < 10 else f"{head} {_english(rest, joint)}"
    )


def _spanish(number: int) -> str:
    """A number under 100."""
    if number < 30:
        return _ES_ONES[number]
    tens, ones = divmod(number, 10)
    return _ES_TENS[tens] + (f" y {_ES_ONES[ones]}" if ones else "")


def _spanish_year(year: int) -> str:
    thousands, rest = divmod(year, 1000)
    hundreds, rest = divmod(rest, 100)
    heads = {0: "", 1: "ciento" if rest else "cien", 8: "ochocientos", 9: "novecientos"}
    words = (
        "mil" if thousands == 1 else "dos mil",
        heads[hundreds],
        _spanish(rest) if rest else "",
    )
    return " ".join(word for word in words if word)


def _plain(text: str) -> str:
    return text.translate(str.maketrans("áéíóú", "aeiou"))


def _days(write: Callable[[int], str]) -> tuple[str, ...]:
    return tuple(write(day) for day in range(1, 32))


def _years(write: Callable[[int], str]) -> tuple[str, ...]:
    return tuple(write(year) for year in range(FIRST_YEAR, LAST_YEAR + 1))


def _forms(language: str) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """(class of token, form, value of its first name), the commonest first."""
    if language == "es":
        days = _days(_spanish)
        for spell in (str, _plain):
            yield "N", tuple(map(spell, days)), 1
            yield "N", tuple(map(spell, ("primero", *days[1:]))), 1
            yield "y", tuple(map(spell, _years(_spanish_year))), FIRST_YEAR
        return
    for joint in ("-", " "):
        yield "N", _days(partial(_english_day, joint=joint)), 1
        for link in ("", "and "):
            said = partial(_english_thousand, joint=joint, link=link)
            yield "y", _years(said), FIRST_YEAR
        for zero in ("oh", "o"):
            yield "y", _years(partial(_english_pairs, joint=joint, zero=zero)), FIRST_YEAR


def _phrases(language: str) -> dict[str, tuple[str, tuple[str, ...], int]]:
    found: dict[str, tuple[str, tuple[str, ...], int]] = {}
    for letter, form, first in _forms(language):
        for value, phrase in enumerate(form, first):
            if phrase:
                found.setdefault(phrase, (letter, form, value))
    return found


PHRASES: Final[Mapping[str, Mapping[str, tuple[str, tuple[str, ...], int]]]] = {
    language: _phrases(language) for language in ("en", "es")
}
"""Language -> words in lower case -> (class of token: N a day, y a year; form; value)."""
