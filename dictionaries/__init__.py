"""What is known: lists of phrases, whose origin is in `<kind>/SOURCES.md`, and how they are read.

A list has one phrase a line; a *weighted* list has a weight behind each, after a tab: a whole
number, how many (of a million) have the name. The shipped ones are sorted, unique, NFC and without
blank lines; lists of a site, given by URL, may be in any order. Matching them against tokens is
`trie.TokenTrie`'s part, fetching the large official ones `pipeline.dictionaries`'s.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib.resources
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from .files import NO_FILE, NotARegularFile, read_named

DICTIONARIES: dict[str, str] = {
    "cities_america_es": "places/cities_america_es.txt",
    "cities_es": "places/cities_es.txt",
    "common_words_en": "words/common_words_en.txt",
    "countries_en": "places/countries_en.txt",
    "countries_es": "places/countries_es.txt",
    "credentials_en": "names/credentials_en.tsv",
    "credentials_es": "names/credentials_es.txt",
    "departments_en": "institutions/departments_en.txt",
    "departments_es": "institutions/departments_es.txt",
    "drug_names_en": "medical/drug_names_en.txt",
    "eponyms_en": "medical/eponyms_en.txt",
    "family_en": "words/family_en.txt",
    "family_es": "words/family_es.txt",
    "first_name_counts_en": "names/first_name_counts_en.tsv",
    "first_name_counts_f_en": "names/first_name_counts_f_en.tsv",
    "first_name_counts_m_en": "names/first_name_counts_m_en.tsv",
    "first_names_en": "names/first_names_en.txt",
    "first_names_es": "names/first_names_es.txt",
    "first_names_romanised": "names/first_names_romanised.txt",
    "first_names_world": "names/first_names_world.txt",
    "holidays_en": "calendar/holidays_en.txt",
    "holidays_es": "calendar/holidays_es.txt",
    "hospitals_es": "institutions/hospitals_es.txt",
    "institution_words_en": "institutions/institution_words_en.txt",
    "institution_words_es": "institutions/institution_words_es.txt",
    "insurers_en": "institutions/insurers_en.txt",
    "languages_en": "words/languages_en.txt",
    "medical_abbreviations_en": "medical/medical_abbreviations_en.txt",
    "medical_products_en": "medical/medical_products_en.txt",
    "medical_tests_en": "medical/medical_tests_en.txt",
    "medical_words_en": "medical/medical_words_en.txt",
    "months_en": "calendar/months_en.txt",
    "months_es": "calendar/months_es.txt",
    "municipalities_es": "places/municipalities_es.txt",
    "names_not_words_en": "words/names_not_words_en.txt",
    "nationalities_en": "words/nationalities_en.txt",
    "nouns_clinical_en": "words/nouns_clinical_en.txt",
    "nouns_people_en": "words/nouns_people_en.txt",
    "nouns_places_en": "words/nouns_places_en.txt",
    "nouns_things_en": "words/nouns_things_en.txt",
    "numerals_en": "words/numerals_en.txt",
    "numerals_es": "words/numerals_es.txt",
    "organization_words_en": "institutions/organization_words_en.txt",
    "organisms_en": "medical/organisms_en.txt",
    "origins_es": "words/origins_es.txt",
    "professions_en": "occupations/professions_en.txt",
    "professions_es": "occupations/professions_es.txt",
    "provinces_es": "places/provinces_es.txt",
    "regions_america_es": "places/regions_america_es.txt",
    "seasons_en": "calendar/seasons_en.txt",
    "seasons_es": "calendar/seasons_es.txt",
    "secondary_designators_en": "places/secondary_designators_en.txt",
    "sex_es": "words/sex_es.txt",
    "specialities_es": "medical/specialities_es.txt",
    "street_types_es": "places/street_types_es.txt",
    "street_words_en": "places/street_words_en.txt",
    "street_words_es": "places/street_words_es.txt",
    "surname_counts_en": "names/surname_counts_en.tsv",
    "surnames_en": "names/surnames_en.txt",
    "surnames_es": "names/surnames_es.txt",
    "surnames_romanised": "names/surnames_romanised.txt",
    "surnames_world": "names/surnames_world.txt",
    "titles_en": "names/titles_en.txt",
    "titles_es": "names/titles_es.txt",
    "units_en": "words/units_en.txt",
    "units_es": "words/units_es.txt",
    "us_cities": "places/us_cities.txt",
    "us_counties": "places/us_counties.txt",
    "us_place_states": "places/us_place_states.txt",
    "us_places": "places/us_places.txt",
    "us_state_abbreviations": "places/us_state_abbreviations.txt",
    "us_states": "places/us_states.txt",
    "usps_street_suffixes": "places/usps_street_suffixes.txt",
    "weekdays_en": "calendar/weekdays_en.txt",
    "weekdays_es": "calendar/weekdays_es.txt",
    "world_cities": "places/world_cities.txt",
}
"""Name -> path of the list below this folder; weighted ones end with `.tsv`."""

LONGEST_PHRASE = 200
"""Most code points of a phrase. A longer one says that the file is something else than a list."""

MOST_WEIGHT = (1 << 53) - 1
"""Larger weights would not be exact as floats."""

_BUT_TABS = bytes(byte for byte in range(256) if byte not in b"\t\n")
_SEPARATORS = ("Cc", "Zl", "Zp")


class DictionaryError(ValueError):
    """A list is unknown, cannot be read or is no list; says file and line, never what is in it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Dictionary:
    """The phrases of one list.

    Attributes:
        name: key of `DICTIONARIES`, or the URL without credentials and query.
        phrases: sorted by code point, unique, NFC, in the case of the list.
        sha256: hex digest of the list's bytes, as `sha256sum` gives it; goes into the audit.
        weights: one a phrase, of a weighted list; else None.
    """

    name: str
    phrases: tuple[str, ...] = dataclasses.field(repr=False)
    sha256: str
    weights: tuple[int, ...] | None = dataclasses.field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.phrases)

    def to_bytes(self) -> bytes:
        """The list as the shipped ones are written; `parse` reads it back."""
        if self.weights is None:
            return "".join(f"{phrase}\n" for phrase in self.phrases).encode()
        rows = zip(self.phrases, self.weights, strict=True)
        return "".join(f"{phrase}\t{weight}\n" for phrase, weight in rows).encode()


def load(name_or_url: str) -> Dictionary:
    """Reads a shipped list by its name, or any list by its path or fsspec URL (`.gz` is unpacked).

    Lists of a site: UTF-8 with or without a byte order mark, LF or CRLF. Blank lines, white space
    around a phrase and repeats are dropped, order does not matter, and phrases are brought to NFC.
    If the first phrase has a tab behind it, the list is weighted: each line is a phrase, a tab and
    a whole number; the weights of repeats are added up.

    Raises:
        DictionaryError: if the name is unknown, the file cannot be opened, or a line is not UTF-8,
            has control characters (tabs too, but for the one before a weight: a table is not a
            list), has no sound weight where the first has one, or is over `LONGEST_PHRASE`, or
            there is no phrase at all.
    """
    if path := DICTIONARIES.get(name_or_url):
        content = importlib.resources.files(__package__).joinpath(path).read_bytes()
        return parse(name_or_url, content)
    if not any(mark in name_or_url for mark in "/\\:."):
        raise DictionaryError(
            f"unknown dictionary {name_or_url!r}; known: {', '.join(sorted(DICTIONARIES))}; "
            "a list of your own is given by its path or URL"
        )
    shown = without_secrets(name_or_url)
    try:
        content = read_named(name_or_url, unpack=True)
    except NotARegularFile:
        raise DictionaryError(f"dictionary {shown}: {NO_FILE}") from None
    except Exception as error:
        # Storage libraries raise whatever they like, with signed URLs in the message: only the
        # class is told.
        raise DictionaryError(
            f"dictionary {shown}: cannot be read ({type(error).__name__})"
        ) from None
    return parse(shown, content)


def load_weighted(name_or_url: str) -> Mapping[str, int]:
    """Phrase -> weight of a weighted list; read-only.

    Raises:
        DictionaryError: as `load` does, and if the list has no weights.
    """
    dictionary = load(name_or_url)
    if dictionary.weights is None:
        raise DictionaryError(
            f"dictionary {dictionary.name}: has no weights; expected a phrase, a tab and a whole"
            " number a line"
        )
    return MappingProxyType(dict(zip(dictionary.phrases, dictionary.weights, strict=True)))


def parse(name: str, content: bytes) -> Dictionary:
    """The dictionary in the bytes of a list; see `load` for what is accepted and raised."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    weighted = b"\t" in next((line.strip() for line in lines if line.strip()), b"")
    sha256 = hashlib.sha256(content).hexdigest()
    if rows := _plain_rows(content, weighted=weighted):
        phrases, weights = rows
        return Dictionary(name, phrases, sha256, weights)
    found: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        try:
            text = unicodedata.normalize("NFC", line.decode("utf-8").strip())
        except UnicodeDecodeError:
            raise DictionaryError(f"dictionary {name}, line {number}: not UTF-8") from None
        phrase, weight = _weight(name, number, text) if weighted and text else (text, 0)
        if len(phrase) > LONGEST_PHRASE:
            raise DictionaryError(
                f"dictionary {name}, line {number}: {len(phrase)} characters, expected at most"
                f" {LONGEST_PHRASE}"
            )
        if not all(character.isprintable() or character.isspace() for character in phrase) or any(
            unicodedata.category(character) in _SEPARATORS for character in phrase
        ):
            raise DictionaryError(
                f"dictionary {name}, line {number}: a control character; expected one phrase a line"
            )
        if phrase:
            found[phrase] = min(found.get(phrase, 0) + weight, MOST_WEIGHT)
    if not found:
        raise DictionaryError(f"dictionary {name}: no phrases; expected one a line")
    ordered = sorted(found)
    return Dictionary(
        name,
        tuple(ordered),
        sha256,
        tuple(found[phrase] for phrase in ordered) if weighted else None,
    )


def without_secrets(url: str) -> str:
    """The URL without `user:password@` and query string, either of which may hold a key."""
    url = url.split("?", 1)[0]
    scheme, mark, rest = url.rpartition("://")
    host, slash, path = rest.partition("/")
    return scheme + mark + (host.rpartition("@")[2] if mark else host) + slash + path


def _plain_rows(
    content: bytes, *, weighted: bool
) -> tuple[tuple[str, ...], tuple[int, ...] | None] | None:
    """Phrases and weights of a list that is as the shipped ones are; None for any other.

    The same as the way line by line, twenty times as fast: each check is one call for all lines.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    flat = text.replace("\n", "")
    if not (flat.replace("\t", "") if weighted else flat).isprintable():
        return None
    if not text.endswith("\n") or not unicodedata.is_normalized("NFC", text):
        return None
    lines, weights = text[:-1].split("\n"), None
    if weighted:
        # Only tabs and line feeds are left: one of each a line, the tab first.
        if content.translate(None, _BUT_TABS) != b"\t\n" * len(lines):
            return None
        parts = text[:-1].replace("\t", "\n").split("\n")
        lines, numbers = parts[::2], parts[1::2]
        digits = "".join(numbers)
        if not (digits.isascii() and digits.isdigit() and all(numbers)):
            return None
        if max(map(len, numbers)) > 15:
            return None
        weights = tuple(map(int, numbers))
    if not all(map(str.__lt__, lines, lines[1:])) or not lines[0]:
        return None
    if list(map(str.strip, lines)) != lines or max(map(len, lines)) > LONGEST_PHRASE:
        return None
    return tuple(lines), weights


def _weight(name: str, number: int, text: str) -> tuple[str, int]:
    """Phrase and weight of a line of a weighted list."""
    phrase, tab, weight = text.rpartition("\t")
    weight = weight.strip()
    if not tab or not (weight.isascii() and weight.isdigit()) or len(weight) > 16:
        raise DictionaryError(
            f"dictionary {name}, line {number}: expected a phrase, a tab and a whole number"
        )
    if not phrase.strip() or int(weight) > MOST_WEIGHT:
        raise DictionaryError(
            f"dictionary {name}, line {number}: expected a phrase and a weight up to {MOST_WEIGHT}"
        )
    return phrase.strip(), int(weight)
