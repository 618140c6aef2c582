"""Vehicle identification numbers and licence plates.

Source of the check digit: 49 CFR 565.15(c). Plates count behind a word for a plate and one for a
vehicle: a plate in the bone has a number of its own, and tags hang on skin and toes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .named_numbers import candidates, count_digits, is_capital, is_unnamed, named, words
from .patterns import before, is_word, pattern, stands_alone, view

NAME = "vehicle"
LABELS = ("VEHICLE",)
# 7 of 7 right: demo/train 7/7.
# `python -m benchmarks.rules --scores`.
# Under 0.9 for want of cases, not for mistakes: the development data hold few such things.
SCORE = 0.8889

_WORDS = words(
    r"vin|(?:licen[sc]e|number|vehicle|tag) plates?|plate ?(?:#|no\b|number)|matrícula"
    r"|(?:vehicle|fleet|ambulance|aircraft) ?(?:#|no\b|number|id|:)|tail ?(?:#|no\b|number)"
    r"|vehicle registration",
    r"aircraft",
)
_VIN = pattern(r"[a-hj-npr-z0-9]{8}[0-9x][a-hj-npr-z0-9]{8}")
_PLATE = pattern(
    r"\b(?:plates?|tag|reg(?:istration)?|(?:van|truck|car|cab|taxi|ambulance|bus|tail)"
    r"(?: (?:#|no\.?))?|in lot [a-z0-9]{1,3})(?:[ :#=]|\n|is\b){1,6}"
    r"((?:[a-z]{2} )?(?:[a-z]{1,2}\d{1,3}-\d{3,4}[a-z]?|[a-z]{1,3}\d{1,5}"
    r"|[a-z]{2,4}[- ]\d{1,5}[a-z]{0,2}|\d{1,4}[- ]?[a-z]{1,4}\d{0,5}[a-z]{0,2})(?:-\d{2,4})?)"
)
# "HER CAR: 2004 SUBARU".
_YEAR = pattern(r"(?:19|20)\d{2} ")
_VEHICLE = re.compile(
    r"\b(?:car|cars|truck|van|cab|taxi|vehicle|suv|pickup|sedan|wagon|jeep|trailer|motorcycle|bike"
    r"|bus|ambulance|driv\w+|drove|parked|parking|dmv|mvc|toyota|ford|honda|chev\w*|dodge|gmc|ram"
    r"|nissan|subaru|volvo|bmw|kia|hyundai|buick|mazda|tesla|lexus|f-?150|tacoma|camry|civic)\b"
)
_VALUES = (
    {**{str(d): d for d in range(10)}}
    | {
        letter: value
        for letters, values in (("ABCDEFGH", range(1, 9)), ("JKLMN", range(1, 6)), ("PR", (7, 9)))
        for letter, value in zip(letters, values, strict=True)
    }
    | dict(zip("STUVWXYZ", range(2, 10), strict=True))
)
_WEIGHTS = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one VEHICLE per number, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [(start, end) for _, start, end in named(text, seen, _WORDS)]
    for match in _VIN.finditer(seen):
        start, end = match.span()
        vin = seen[start:end].decode("latin-1")
        if (
            stands_alone(text, start, end)
            and vin.upper() == vin
            and not vin.isdigit()
            and _check_digit_agrees(vin)
            and is_unnamed(seen, start)
        ):
            found.append((start, end))
    for match in _PLATE.finditer(seen):
        start, end = match.span(1)
        if (
            not is_word(text, match.start() - 1)
            and not is_word(text, end)
            and is_capital(text, start, end)
            and count_digits(seen[start:end]) > 1
            and not seen[start:end].isdigit()
            and not _YEAR.match(seen, start, end)
            # The word for a vehicle may be the cue itself ("IHS van US G41-0417T").
            and _VEHICLE.search(before(seen, start))
        ):
            found.append((start, end))
    yield from candidates(found, "VEHICLE", NAME, SCORE)


def _check_digit_agrees(vin: str) -> bool:
    total = sum(_VALUES[c] * weight for c, weight in zip(vin, _WEIGHTS, strict=True))
    return vin[8] == "0123456789X"[total % 11]
