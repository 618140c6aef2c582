"""The kinds of numbers that countries and their health services give, for `national_number`.

Forms and check digits: the pages of each issuer, as python-stdnum 2.1 lists them.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

from .check_digits import (
    date_ddmmyy,
    date_yymmdd,
    hong_kong,
    ireland,
    luhn,
    medicare_australia,
    modulo_11,
    quebec,
    singapore,
    verhoeff,
)
from .matching import Pattern
from .named_numbers import NumberPatterns, words
from .patterns import pattern


@dataclasses.dataclass(frozen=True, slots=True)
class NumberScheme:
    """One kind of number.

    Attributes:
        label: its native label.
        named: the words that any such number may stand behind; None if no word is enough.
        shaped: words and form together, its groups parted by any sign of `_PARTED`; None if it has
            no form of its own.
        alone: its form, where form and check digit say enough without a word; else None.
        check: of its characters without blanks and signs, in capitals.
    """

    label: str
    named: NumberPatterns | None
    shaped: Pattern | None
    alone: Pattern | None
    check: Callable[[str], bool]


def _scheme(
    label: str,
    word: str,
    shape: str = "",
    check: Callable[[str], bool] | None = None,
    *,
    also: str = "",
) -> NumberScheme:
    """A kind of number by the sources of its patterns.

    Args:
        label: its native label.
        word: the words that any number may stand behind.
        shape: its form.
        check: what tells it from other numbers where no word stands before it; None if nothing.
        also: words that are enough with the form, and not without it.
    """
    cues = "|".join(filter(None, (word, also)))
    return NumberScheme(
        label,
        words(word) if word else None,
        pattern(rf"\b(?:{cues}){_GAP}({_loose(shape)})") if cues and shape else None,
        pattern(shape) if shape and check else None,
        check or _any,
    )


def _loose(shape: str) -> str:
    """A form whose groups may be parted in any way; behind a word no other number is meant."""
    return _BETWEEN.sub(lambda between: _PARTED + ("?" if between[0][-1] == "?" else ""), shape)


def _any(number: str) -> bool:
    return True


def _dated_modulo_11(number: str) -> bool:
    return date_ddmmyy(number) and modulo_11(number)


def _dated_luhn(number: str) -> bool:
    return date_yymmdd(number) and luhn(number)


def _national_insurance(number: str) -> bool:
    return number[:2] not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ")


# What stands between two groups of a form, and what may: one line end at most at each place.
_BETWEEN = re.compile(r"(?:\[ -\]| (?!\?\[)|(?<=[}d])-(?=\\d))\??")
_PARTED = r"(?:[ ./-]| {2}| ?\r?\n ?)"
_GAP = r"[ \t]{0,24}(?:(?:[:#=.(-]|[.]{2,8})[ \t]{0,8}){0,2}(?:is |of [a-z]{2,12} )?"
# What follows a word that has other uses too, and what may follow one that has none.
_NO = r" ?(?:#|:|no\b|num(?:ber)?|id\b)"
_MAY = rf"(?:{_NO}| ?card| ?file)*"

# United Kingdom and Ireland.
_ISLES = (
    # England and Wales; Northern Ireland's Health and Care number has the same check.
    _scheme(
        "MEDICALRECORD",
        rf"(?:nhs|h ?[&+] ?c|hcn){_NO}",
        r"\d{3} \d{3} \d{4}",
        modulo_11,
        also=r"nhs|h ?[&+] ?c",
    ),
    _scheme("MEDICALRECORD", "", r"\d{10}", also=rf"(?:nhs|h ?[&+] ?c){_NO}|nhs"),
    # Scotland: the date of birth first.
    _scheme("MEDICALRECORD", rf"chi{_NO}", r"\d{6} ?\d{4}", _dated_modulo_11, also="chi"),
    _scheme(
        "SSN",
        rf"n\.?i\.?{_NO}|nino|national insurance{_MAY}",
        r"[abceghj-prstw-z][abceghj-nprstw-z] ?\d\d ?\d\d ?\d\d ?[a-d]",
        _national_insurance,
    ),
    _scheme("SSN", rf"ppsn{_MAY}|pps{_NO}", r"\d{7} ?[a-w][a-iw]?", ireland),
    _scheme(
        "HEALTHPLAN",
        rf"(?:medical|gp visit|gms) card{_NO}",
        r"[a-z]\d{6}[a-z]",
        also="medical card",
    ),
    # Referrals, general practices.
    _scheme("IDNUM", rf"(?:ucpn|ubrn){_MAY}|(?:practice|ods) code(?: ?:| no\b)?"),
)
_NORTH_AMERICA = (
    _scheme("SSN", rf"sin{_NO}|social insurance{_MAY}", r"\d{3}[ -]\d{3}[ -]\d{3}", also="sin"),
    _scheme(
        "HEALTHPLAN",
        rf"ohip{_MAY}|health ?card{_MAY}|hcn{_NO}",
        r"\d{4}[ -]\d{3}[ -]\d{3}(?:[ -]?[a-z]{2}\b)?",
    ),
    _scheme(
        "HEALTHPLAN", "", r"\d{4}[ -]\d{3}[ -]\d{3}[ -]?[a-z]{2}", lambda number: luhn(number[:10])
    ),
    _scheme("HEALTHPLAN", rf"ramq{_MAY}|nam{_NO}", r"[a-z]{4} ?\d{4} ?\d{4}", quebec),
    _scheme(
        "HEALTHPLAN",
        rf"phn{_MAY}|personal health (?:no\b|number)|ahcip{_MAY}|uli{_NO}|phin{_MAY}|hsn{_NO}"
        rf"|mcp{_NO}|(?:provincial )?health (?:insurance )?(?:no\b|number)",
        r"\d{4} \d{3} \d{3}|\d{5}-\d{4}|9\d{9}",
        also="phn|msp",
    ),
    # Jamaica, Barbados, Trinidad
    _scheme("IDNUM", rf"trn{_MAY}", r"\d{3}[ -]\d{3}[ -]\d{3}"),
    _scheme(
        "IDNUM",
        rf"nat(?:ional|\.)? (?:reg(?:istration|n|\.)?|id(?:entification|entity)?){_MAY}",
        r"\d{6}-\d{4}",
    ),
)
_OCEANIA = (
    _scheme(
        "HEALTHPLAN",
        r"medicare(?: ?(?:card|#|no\b|number))+",
        r"[2-6]\d{3} ?\d{5} ?\d(?: ?[/-] ?\d\b)?",
        also="medicare|m/?care",
    ),
    _scheme("HEALTHPLAN", "", r"[2-6]\d{3} \d{5} \d", medicare_australia),
    _scheme("MEDICALRECORD", rf"ihi{_MAY}", r"8003 ?6\d{3} ?\d{4} ?\d{4}", luhn),
    _scheme("HEALTHPLAN", rf"dva(?: (?:gold|white|orange))?{_MAY}"),
    _scheme("IDNUM", rf"(?:centrelink|crn){_NO}|acc ?45{_NO}"),
    # Australia's tax file number: words that have other uses, so the form must agree.
    _scheme(
        "IDNUM",
        "",
        r"\d{3}[ -]?\d{3}[ -]?\d{2,3}",
        also=rf"tfn{_MAY}|tax file (?:no\b|number){_MAY}",
    ),
    # New Zealand
    _scheme("MEDICALRECORD", rf"nhi{_MAY}", r"[a-hj-np-z]{3}(?:\d{4}|\d\d[a-hj-np-z]{2})"),
)
_SOUTH_ASIA = (
    _scheme(
        "IDNUM",
        rf"aadh?aar{_MAY}|uidai{_MAY}",
        r"[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}",
    ),
    _scheme("IDNUM", "", r"[2-9]\d{3}[ -]\d{4}[ -]\d{4}", verhoeff),
    _scheme("MEDICALRECORD", rf"abha{_MAY}", r"\d\d-\d{4}-\d{4}-\d{4}", _any),
    _scheme("MEDICALRECORD", rf"nikshay{_MAY}"),
    _scheme(
        "HEALTHPLAN", rf"pm-?jay{_MAY}|ayushman{_MAY}|(?:sehat(?: sahulat| insaf)?) card{_MAY}"
    ),
    _scheme("HEALTHPLAN", rf"(?:esic?|cghs|echs|rsby|a(?:a?)rogya ?sri){_NO}"),
    _scheme(
        "IDNUM",
        rf"(?:ration|voter(?:'?s)?(?: id)?|epic) card{_MAY}|pan{_NO}",
        r"[a-z]{5}\d{4}[a-z]",
    ),
    _scheme("IDNUM", rf"(?:cnic|s?nicop){_MAY}", r"[1-7]\d{4}-\d{7}-\d", _any),
    _scheme("IDNUM", rf"nic{_NO}|nid{_MAY}", r"\d{9}[vx]"),
)
_SOUTH_EAST_ASIA = (
    # Malaysia: the date of birth first. Singapore, Hong Kong
    _scheme("IDNUM", rf"my ?kad{_MAY}|i\.?c\.?{_NO}", r"\d{6}-\d\d-\d{4}", date_yymmdd, also="ic"),
    _scheme(
        "IDNUM",
        rf"nric(?: ?/ ?fin)?{_MAY}|fin{_NO}",
        r"[stfgm]\d{7}[a-z]",
        singapore,
        also="ic|fin",
    ),
    _scheme("IDNUM", rf"hkid{_MAY}", r"[a-z]{1,2}\d{6}\([0-9a]\)", hong_kong),
    # Philippines
    _scheme(
        "HEALTHPLAN",
        rf"phil ?health{_MAY}(?: ?pin\b)?|philhealth pin{_MAY}",
        r"\d\d-\d{9}-\d",
        _any,
    ),
    _scheme("SSN", rf"(?:sss|gsis|umid){_NO}", r"\d\d-\d{7}-\d", also="sss"),
    _scheme("IDNUM", rf"phil(?:sys|id){_MAY}|sirb{_MAY}|seaman'?s? book{_MAY}"),
)
_AFRICA = (
    # South Africa: the date of birth first.
    _scheme(
        "IDNUM",
        rf"(?:rsa|sa) id{_MAY}",
        r"\d{6} ?\d{4} ?[01]\d\d",
        _dated_luhn,
        also=rf"id{_NO}|id",
    ),
    _scheme(
        "HEALTHPLAN", rf"(?:nhis|nhif|shif|sha|nhima){_NO}|nhis", r"\d{8,11}", also="nhif|shif"
    ),
    _scheme("IDNUM", rf"(?:n\.?i\.?n|bvn|nrn|huduma|passport|kra(?: pin)?){_MAY}"),
    _scheme("IDNUM", rf"gh(?:ana)? card{_MAY}", r"gha-\d{9}-\d", _any),
    _scheme("MEDICALRECORD", rf"nupi{_MAY}"),
    _scheme("IDNUM", rf"(?:kmh?fl|mfl|hefamaa)(?: code)?{_MAY}"),
)
_GULF = (
    _scheme("IDNUM", rf"emirates id{_MAY}", r"784-?\d{4}-?\d{7}-?\d", luhn),
    _scheme("IDNUM", rf"(?:civil|resident|saudi|iqama) id{_MAY}|qid{_MAY}|iqama{_MAY}"),
)

SCHEMES = (
    *_ISLES,
    *_NORTH_AMERICA,
    *_OCEANIA,
    *_SOUTH_ASIA,
    *_SOUTH_EAST_ASIA,
    *_AFRICA,
    *_GULF,
)
