"""Public terminologies, and the forms of what belongs to them: displays, versions, units, states.

What a code of a public terminology is called is fixed by who publishes it. What systems of one's
own call their codes is typed by people, and so is whatever does not look like such a name.

Sources: HL7 FHIR R5, Using Terminologies (code systems of others); HL7 OID registry; UCUM 2.2.
"""

from __future__ import annotations

import re
from typing import Final

_URL = re.compile(
    r"https?://(?:www\.)?(?:"
    r"loinc\.org|snomed\.info/(?:sct|xsct|scf)|unitsofmeasure\.org|nlm\.nih\.gov/research/umls/rxnorm"
    r"|hl7\.org/fhir|terminology\.hl7\.org|ama-assn\.org/go/cpt"
    r"|cms\.gov/medicare/coding/(?:icd9|icd10|hcpcsreleasecodesets)|cms\.hhs\.gov/medicare/coding/icd9"
    r"|id\.who\.int/icd|whocc\.no/atc|nucc\.org/provider-taxonomy|fdasis\.nlm\.nih\.gov"
    r"|dicom\.nema\.org/resources/ontology/dcm|ncithesaurus-stage\.nci\.nih\.gov"
    r"|ncimeta\.nci\.nih\.gov|genenames\.org|varnomen\.hgvs\.org|ihe\.net"
    r")(?:[/#]\S*)?",
    re.IGNORECASE,
)
_URN = re.compile(r"urn:(?:ietf:bcp:(?:13|47)|iso:std:iso:(?:3166|4217)(?:#\S*)?)", re.IGNORECASE)
_OID = re.compile(
    r"(?:urn:oid:)?2\.16\.840\.1\.113883\.(?:1|5|6|10|11|12|18|21|3\.26\.1)\.[0-9.]+", re.IGNORECASE
)
"""Of HL7, and of systems that it has registered for others."""

_LONGEST_SYSTEM: Final = 500
_LONGEST_WORDS: Final = 500
_TITLED = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Prof)\b\.?\s+[^\W\d_]")
"""A title before a name; `MR Brain` is a study."""

_VERSION = re.compile(
    r"(?:(?:[A-Za-z]{1,12}[ ,_-]{1,2})?[vV]?[0-9][0-9A-Za-z.:/_+-]{0,60}(?: [Rr]elease)?"
    r"|https?://snomed\.info/[A-Za-z0-9/]{1,100})"
)

_STATE = re.compile(
    r"[^\W\d_][^\W\d_.'-]{0,20}(?:[ .'-]{1,2}[^\W\d_]{1,15}){0,3}\.?",
)

_LONGEST_UNIT: Final = 60
_MOST_UNIT_WORDS: Final = 6
_SYMBOL = re.compile(r"(?!.*[0-9]{6})(?!.*[0-9]-[0-9])[^\s@]{1,40}")
"""Neither a long number nor one with dashes, as phones and records have."""

_LONGEST_UNIT_WORD: Final = 20


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_UNIT_CAPITALS: Final = _words(
    """hg h2o c f k l ml dl ul mg mcg g kg ng meq mmol mol iu u unt units unit mu hr min sec day
    days week weeks month months year years hour hours minute minutes second seconds hpf lpf deg
    degree degrees celsius fahrenheit kelvin torr pa kpa oz fl lb lbs ft in cm mm m beats breaths
    per cells tablet tablets tab tabs capsule capsules cap caps puff puffs drop drops spray sprays
    patch patches dose doses each milligram milligrams microgram micrograms gram grams kilogram
    kilograms milliliter milliliters millilitre millilitres liter liters litre litres millimeter
    millimole millimoles meter meters metre metres inch inches pound pounds ounce ounces percent
    international no number of score points ratio x actuat oral application bau elisa ehrlich"""
)
"""Words of units that may begin with a capital, in lower case."""
_NO_UNIT: Final = _words("dr mr mrs ms prof doctor nurse patient")


def is_public(system: str) -> bool:
    """Whether a system of codes (a URL, a URN or an OID) is one of the public terminologies."""
    if len(system) > _LONGEST_SYSTEM:
        return False
    system = system.strip()
    return any(form.fullmatch(system) is not None for form in (_URL, _URN, _OID))


def is_display(text: str) -> bool:
    """Whether a text may be what a vocabulary calls something: not long, and nobody's title."""
    return len(text) <= _LONGEST_WORDS and _TITLED.search(text) is None


def is_version(text: str) -> bool:
    """Whether a text may be the version of a vocabulary: `2.74`, `January 2012 Release`."""
    return _VERSION.fullmatch(text.strip()) is not None


def is_state(text: str) -> bool:
    """Whether a text may be a state or a country: a few words without digits and commas."""
    return _STATE.fullmatch(text.strip()) is not None


def is_unit(text: str) -> bool:
    """Whether a text may be a unit: a symbol without blanks, or a few words of units.

    Words in small letters pass (`breaths per minute`), others only if they are known.
    """
    words = text.split()
    if len(words) < 2:
        return _SYMBOL.fullmatch(text.strip()) is not None
    if len(text) > _LONGEST_UNIT or len(words) > _MOST_UNIT_WORDS:
        return False
    return all(map(_is_unit_word, words))


def _is_unit_word(word: str) -> bool:
    parts = set(re.findall(r"[^\W\d_]+", word.lower()))
    if len(word) > _LONGEST_UNIT_WORD or not _SYMBOL.fullmatch(word) or parts & _NO_UNIT:
        return False
    return word == word.lower() or parts <= _UNIT_CAPITALS
