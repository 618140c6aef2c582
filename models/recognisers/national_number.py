"""Numbers that a country gives its people, and its health services their patients.

By their words (`NHS No`, `Aadhaar`), and without one where the form and the check digit say enough.
Sources of forms and check digits: the pages of each issuer, as python-stdnum 2.1 lists them, whose
checks a test compares with these. It runs only where it is named (`--recogniser`).

Not measured yet.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .check_digits import (
    date_ddmmyy,
    date_yymmdd,
    hong_kong,
    ireland,
    luhn,
    medicare_australia,
    modulo_11,
    new_zealand,
    phn_british_columbia,
    quebec,
    singapore,
    verhoeff,
)
from .named_numbers import NumberPatterns, has_unit, is_capital, is_unnamed, named, words
from .patterns import (
    Pattern,
    disjoint,
    is_word,
    number_is_whole,
    pattern,
    stands_alone,
    view,
)

NAME = "national_number"
LABELS = ("HEALTHPLAN", "IDNUM", "MEDICALRECORD", "SSN")
SCORE = 0.75

_BARE = str.maketrans("", "", " -./()")


@dataclasses.dataclass(frozen=True, slots=True)
class NumberScheme:
    """One kind of number.

    Attributes:
        label: its native label.
        named: the words that any such number may stand behind.
        shapes: its form, and words and form together; None if it has none of its own.
        check: of its characters without blanks and signs, in capitals.
    """

    label: str
    named: NumberPatterns
    shapes: tuple[Pattern, Pattern] | None
    check: Callable[[str], bool]


def _scheme(
    label: str, word: str, shape: str = "", check: Callable[[str], bool] = lambda number: True
) -> NumberScheme:
    """A kind of number by the sources of its patterns."""
    return NumberScheme(
        label,
        words(word),
        (pattern(shape), pattern(rf"\b(?:{word}){_GAP}({shape})")) if shape else None,
        check,
    )


_GAP = r"[ \t]{0,8}[:#=.(-]{0,2}[ \t]{0,8}(?:is )?"
# What follows a word that has other uses too, and what may follow one that has none.
_NO = r" ?(?:#|:|no\b|num(?:ber)?|id\b)"
_MAY = rf"(?:{_NO}| ?card| ?file)*"

SCHEMES = (
    # England and Wales; Northern Ireland's Health and Care number has the same check.
    _scheme(
        "MEDICALRECORD",
        rf"(?:nhs|h ?& ?c|hcn){_NO}",
        r"\d{3}[ -]\d{3}[ -]\d{4}",
        modulo_11,
    ),
    # Scotland: the date of birth first.
    _scheme(
        "MEDICALRECORD",
        rf"chi{_NO}",
        r"\d{6} ?\d{4}",
        lambda number: date_ddmmyy(number) and modulo_11(number),
    ),
    _scheme(
        "SSN",
        rf"n\.?i\.?{_NO}|nino|national insurance{_MAY}",
        r"[abceghj-prstw-z][abceghj-nprstw-z] ?\d\d ?\d\d ?\d\d ?[a-d]",
        lambda number: number[:2] not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ"),
    ),
    _scheme("SSN", rf"ppsn{_MAY}|pps{_NO}", r"\d{7} ?[a-w][a-iw]?", ireland),
    # Canada
    _scheme(
        "SSN",
        rf"sin{_NO}|social insurance{_MAY}",
        r"\d{3}[ -]\d{3}[ -]\d{3}",
        luhn,
    ),
    _scheme(
        "HEALTHPLAN",
        rf"ohip{_MAY}|health ?card{_MAY}",
        r"\d{4}[ -]\d{3}[ -]\d{3}(?:[ -]?[a-z]{2})?",
        lambda number: luhn(number[:10]),
    ),
    _scheme("HEALTHPLAN", rf"ramq{_MAY}", r"[a-z]{4} ?\d{4} ?\d{4}", quebec),
    _scheme(
        "HEALTHPLAN",
        rf"phn{_MAY}|personal health (?:no\b|number)|ahcip{_MAY}|uli{_NO}",
        r"9\d{3} \d{3} \d{3}",
        phn_british_columbia,
    ),
    # Australia
    _scheme(
        "HEALTHPLAN",
        r"medicare(?: ?(?:card|#|no\b|number))+",
        r"[2-6]\d{3} \d{5} \d(?: ?[/-] ?\d)?",
        medicare_australia,
    ),
    _scheme("MEDICALRECORD", rf"ihi{_MAY}", r"8003 ?6\d{3} ?\d{4} ?\d{4}", luhn),
    _scheme("HEALTHPLAN", rf"dva(?: (?:gold|white|orange))?{_MAY}"),
    # New Zealand
    _scheme(
        "MEDICALRECORD",
        rf"nhi{_MAY}",
        r"[a-hj-np-z]{3}(?:\d{4}|\d\d[a-hj-np-z]{2})",
        new_zealand,
    ),
    # India, Pakistan, Sri Lanka
    _scheme(
        "IDNUM",
        rf"aadh?aar{_MAY}|uidai{_MAY}",
        r"[2-9]\d{3}[ -]\d{4}[ -]\d{4}",
        verhoeff,
    ),
    _scheme(
        "HEALTHPLAN",
        rf"abha{_MAY}|pm-?jay{_MAY}|ayushman{_MAY}",
        r"\d\d-\d{4}-\d{4}-\d{4}",
    ),
    _scheme("IDNUM", rf"(?:cnic|s?nicop){_MAY}", r"[1-7]\d{4}-\d{7}-\d"),
    _scheme("IDNUM", rf"nic{_NO}|nid{_MAY}"),
    # Malaysia: the date of birth first. Singapore, Hong Kong
    _scheme(
        "IDNUM",
        rf"my ?kad{_MAY}|i\.?c\.?{_NO}",
        r"\d{6}-\d\d-\d{4}",
        date_yymmdd,
    ),
    _scheme("IDNUM", rf"nric(?: ?/ ?fin)?{_MAY}", r"[stfgm]\d{7}[a-z]", singapore),
    _scheme("IDNUM", rf"hkid{_MAY}", r"[a-z]{1,2}\d{6}\([0-9a]\)", hong_kong),
    # South Africa: the date of birth first.
    _scheme(
        "IDNUM",
        rf"(?:rsa|sa) id{_MAY}",
        r"\d{6} ?\d{4} ?[01]\d\d",
        lambda number: date_yymmdd(number) and luhn(number),
    ),
    # Philippines, Emirates; others by their words alone.
    _scheme("HEALTHPLAN", rf"phil ?health{_MAY}", r"\d\d-\d{9}-\d"),
    _scheme("SSN", rf"(?:sss|gsis){_NO}"),
    _scheme("IDNUM", rf"emirates id{_MAY}", r"784-\d{4}-\d{7}-\d", luhn),
    _scheme("HEALTHPLAN", rf"(?:nhis|nhif|shif|nhima){_NO}"),
    _scheme("IDNUM", rf"(?:n\.?i\.?n|bvn|trn|nrn|huduma|passport){_MAY}"),
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one candidate a number, left to right and without overlap.

    Behind its word any number counts, without one the check digit must agree.
    """
    text = document.text
    seen = view(text)
    found = []
    for scheme in SCHEMES:
        spans = [(s, e) for _, s, e in named(text, seen, scheme.named, long_groups=True)]
        if scheme.shapes is not None:
            alone, behind_word = scheme.shapes
            spans += _by_shape(text, seen, alone, scheme.check)
            spans += _by_word_and_shape(text, seen, behind_word)
        found += [Candidate(start, end, scheme.label, NAME, SCORE) for start, end in spans]
    yield from disjoint(found)


def _by_shape(
    text: str, seen: bytes, shape: Pattern, check: Callable[[str], bool]
) -> Iterator[tuple[int, int]]:
    """Yields the numbers of a form that their check digits agree with."""
    for match in shape.finditer(seen):
        start, end = match.span()
        if (
            stands_alone(text, start, end)
            and number_is_whole(text, start, end)
            and is_capital(text, start, end)
            and check(seen[start:end].decode("latin-1").upper().translate(_BARE))
            and is_unnamed(seen, start)
            and not has_unit(seen, end)
        ):
            yield start, end


def _by_word_and_shape(text: str, seen: bytes, both: Pattern) -> Iterator[tuple[int, int]]:
    """Yields the numbers of a form behind their word, whatever their check digit."""
    for match in both.finditer(seen):
        start, end = match.span(1)
        if not is_word(text, match.start() - 1) and stands_alone(text, start, end):
            yield start, end
