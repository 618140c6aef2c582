r"""Our most accurate recipe: one token CRF over joined tokens, for forms, signatures and prose.

Its lead over the published systems comes mostly from its *items* (segmentation "merged"): a date, a
telephone number, an e-mail address, an abbreviation or a hyphenated name is one item. The rest
comes from knowing where in the document an item is: the field of its line and of the neighbouring
lines, the field last opened inside the line, the landmarks before and after it (an e-mail address,
a postcode, a street word, a town, a country), and the fields in which the word occurs elsewhere in
the document.

A sequence is a line: a form has one or two fields on a line, a signature is a line, and so is a
paragraph of prose. The dictionaries are general knowledge, named by role. A language also sets what
its notes need (`Lists`): English notes are prose and differ between hospitals, so the recipe
memorises less and tells names from words by their frequency.

The CRF for Spanish case reports is cautious: a bias of -0.5 on O, chosen by cross-validation, adds
recall at the same F1; -1.25 covers 98.6 % of the characters of PHI in MEDDOCAN's development part,
at 98.3 % precision.
"""

from __future__ import annotations

import dataclasses
import itertools

from ..features import (
    Beside,
    Count,
    DayMonth,
    Elsewhere,
    Feature,
    Field,
    Frequency,
    Gazetteer,
    Kind,
    Line,
    Nearest,
    Normal,
    Prefix,
    Shape,
    Spacing,
    Suffix,
    Word,
    at,
    ngrams,
    together,
)
from .family import RecipeFamily
from .recipe import Learner, Propagation, Recipe


@dataclasses.dataclass(frozen=True, slots=True)
class Lists:
    """The dictionaries of a language, by their roles in the recipe.

    Attributes:
        towns, regions, countries: place names; the first two take any number of dictionaries.
        streets: words of addresses: types of streets, floors, doors.
        houses: words that begin the name of an institution.
        departments: words that begin the name of a department.
        family: kinship words.
        others: dictionaries used as features but not as landmarks: names, titles, specialities,
            months, numerals, units, origins, professions.
        kinds: dictionaries of ordinary words by meaning; features of the whole word only.
        frequencies: weighted dictionaries: how frequent a name is.
        common: the dictionary of ordinary words that `frequencies` are combined with.
        narrow: use context words up to two places away, not four, and no trigrams: the recipe
            memorises less, for notes of hospitals that it was not trained on.
        partial_dates: use how close `3/21` is to the full dates of the document.
        propagation: what is propagated within a document; None for nothing.
    """

    towns: tuple[str, ...]
    regions: tuple[str, ...]
    countries: str
    streets: str
    houses: str
    departments: str
    family: str
    others: tuple[str, ...]
    kinds: tuple[str, ...] = ()
    frequencies: tuple[str, ...] = ()
    common: str = ""
    narrow: bool = False
    partial_dates: bool = False
    propagation: Propagation | None = None

    @property
    def phrases(self) -> tuple[str, ...]:
        """Every dictionary for which the position of a word in a phrase matters, once."""
        places = (*self.towns, *self.regions, self.countries)
        return (*places, self.streets, self.houses, self.departments, self.family, *self.others)

    @property
    def all(self) -> tuple[str, ...]:
        """Every dictionary once."""
        return (*self.phrases, *self.kinds, *self.frequencies)


SPANISH = Lists(
    towns=("municipalities_es", "cities_america_es", "cities_es", "world_cities"),
    regions=("provinces_es", "regions_america_es"),
    countries="countries_es",
    streets="street_types_es",
    houses="institution_words_es",
    departments="departments_es",
    family="family_es",
    others=(
        "hospitals_es",
        "specialities_es",
        "first_names_es",
        "surnames_es",
        "first_names_world",
        "surnames_world",
        "titles_es",
        "credentials_es",
        "sex_es",
        "origins_es",
        "professions_es",
        "months_es",
        "numerals_es",
        "units_es",
    ),
    # Nearly all names are in fields: propagate whole names only, anything more would add errors.
    propagation=Propagation(
        labels=("NOMBRE_PERSONAL_SANITARIO", "NOMBRE_SUJETO_ASISTENCIA"),
    ),
)

SPANISH_NOTES = dataclasses.replace(
    SPANISH,
    others=(
        *SPANISH.others,
        "weekdays_es",
        "holidays_es",
        "seasons_es",
        "first_names_romanised",
        "professions_general_es",
        # A word that no dictionary has may be a name.
        "clinical_words_es",
        "function_words_es",
    ),
    kinds=("heading_words_es", "drug_names_en", "eponyms_en", "organisms_en"),
    # A census of the United States counts names of all of Latin America.
    frequencies=("first_name_counts_en", "surname_counts_en"),
    common="clinical_words_es",
    narrow=True,
    partial_dates=True,
    propagation=Propagation(labels=("DOCTOR", "PATIENT"), names=("DOCTOR", "PATIENT"), share=0.2),
)
"""Spanish notes of any form and hospital: as for English, the recipe memorises less."""

ENGLISH = Lists(
    towns=("us_places", "world_cities"),
    regions=("us_states", "us_state_abbreviations", "us_counties"),
    countries="countries_en",
    streets="street_words_en",
    houses="institution_words_en",
    departments="departments_en",
    family="family_en",
    others=(
        "secondary_designators_en",
        "organization_words_en",
        "insurers_en",
        "first_names_en",
        "surnames_en",
        "first_names_world",
        "surnames_world",
        "titles_en",
        "credentials_en",
        "nationalities_en",
        "professions_en",
        "medical_words_en",
        "eponyms_en",
        "months_en",
        "weekdays_en",
        "holidays_en",
        "numerals_en",
        "units_en",
        # A word that no dictionary has may be a name.
        "common_words_en",
    ),
    kinds=(
        "drug_names_en",
        "medical_abbreviations_en",
        "medical_products_en",
        "medical_tests_en",
        "nouns_clinical_en",
        "nouns_people_en",
        "nouns_places_en",
        "nouns_things_en",
        "organisms_en",
    ),
    frequencies=("first_name_counts_en", "surname_counts_en"),
    common="common_words_en",
    narrow=True,
    partial_dates=True,
    # In a form the fields identify names, and the CRFs miss none of them; in prose they do. A label
    # that a corpus lacks has no effect.
    propagation=Propagation(
        labels=("DOCTOR", "PATIENT", "PERSON"), names=("DOCTOR", "PATIENT", "PERSON"), share=0.2
    ),
)

WORD, PLAIN = Normal(), Normal(plain=True)
SHAPE, RUNS = Shape(), Shape(collapsed=True)

WORDS: tuple[Feature, ...] = (
    # The exact word is used for the item itself only: to its neighbours a date is just a date.
    *at(Word(), 0),
    *at(PLAIN, 0),
    *at(WORD, *range(-4, 5)),
    *(together((WORD, a), (WORD, a + 1)) for a in range(-2, 2)),
    together((WORD, -1), (WORD, 1)),
    *(together((WORD, a), (WORD, a + 1), (WORD, a + 2)) for a in range(-2, 1)),
)
NARROW_WORDS: tuple[Feature, ...] = (
    *at(Word(), 0),
    *at(PLAIN, 0),
    *at(WORD, *range(-2, 3)),
    *(together((WORD, a), (WORD, a + 1)) for a in range(-2, 1)),
    together((WORD, -1), (WORD, 1)),
)
AFFIXES: tuple[Feature, ...] = tuple(
    feature
    for n in (2, 3, 4)
    for feature in (*at(Prefix(n, fold=True), 0), *at(Suffix(n, fold=True), 0))
)
KINDS: tuple[Feature, ...] = (
    together((WORD, -1), (SHAPE, 0), (WORD, 1)),
    *at(Kind(), -1, 0, 1),
    *at(Spacing(), -1, 0, 1),
    together((RUNS, 0), (Spacing(), 0)),
)
SHAPES: tuple[Feature, ...] = (
    *at(SHAPE, 0),
    *ngrams(RUNS, 3, -3, 3),
    together(*((RUNS, offset) for offset in range(-2, 3))),
    *KINDS,
)
NARROW_SHAPES: tuple[Feature, ...] = (
    *at(SHAPE, -1, 0, 1),
    *ngrams(RUNS, 2, -2, 2),
    together(*((RUNS, offset) for offset in range(-1, 2))),
    together((WORD, -1), (RUNS, 0)),
    together((RUNS, 0), (WORD, 1)),
    *KINDS,
)

LONGEST = 100
"""In fine tokens; a longer line is prose, whose colons do not open a field."""

FIELD, INNER = Field("line", LONGEST), Field("inner")
FORM: tuple[Feature, ...] = (
    *at(FIELD, 0),
    together((FIELD, 0), (RUNS, 0)),
    *(f for aspect in ("above", "below", "last") for f in at(Field(aspect, LONGEST), 0)),
    *at(INNER, 0),
    together((INNER, 0), (RUNS, 0)),
    together((INNER, 0), (Field("since"), 0)),
    together((INNER, 0), (Field("since"), 0), (RUNS, 0)),
    *at(Field("coming"), 0),
)
PLACE: tuple[Feature, ...] = (
    *(
        feature
        for aspect in ("number", "below", "tenth", "size", "index", "rest")
        for feature in at(Line(aspect), 0)
    ),
    # A signature is a long line at the end.
    together((Line("below"), 0), (Line("size"), 0)),
)
CONTEXT: tuple[Feature, ...] = (
    *at(Beside("before"), 0),
    *at(Beside("behind"), 0),
    *at(Beside("before", "lower"), 0),
    *at(Count("document", fold=True), 0),
    *at(Elsewhere(), 0),
)


def landmarks(lists: Lists) -> tuple[Feature, ...]:
    """What comes before and after the item in its line, and how far away.

    In a signature without punctuation, the order of street, postcode, town and country shows where
    each of them ends.
    """
    places = (lists.countries, *lists.regions[:1], *lists.towns[:2])
    kinds = ("email", "phone", "postcode", "date")
    dictionaries = (lists.streets, lists.houses, lists.departments, *places)

    def all_of(side: str, gives: str) -> Nearest:
        return Nearest("all", side, gives, kinds, dictionaries)

    before, behind = (all_of(side, "sort") for side in ("before", "behind"))
    near: list[Feature] = [
        *at(all_of("before", "far"), 0),
        *at(all_of("behind", "far"), 0),
        together((behind, 0), (before, 0)),
        together((behind, 0), (before, 0), (RUNS, 0)),
    ]
    for name, chosen, beside in (
        ("family", (lists.family,), WORD),
        ("street", (lists.streets,), RUNS),
        ("house", (lists.houses, lists.departments), RUNS),
    ):
        for side, gives in itertools.product(("before", "behind"), ("far", "word")):
            near += at(Nearest(name, side, gives, (), chosen), 0)
        near.append(together((Nearest(name, "before", "far", (), chosen), 0), (beside, 0)))
    return tuple(near)


def gazetteers(lists: Lists) -> tuple[Feature, ...]:
    """The position of the item and its neighbours in phrases of the dictionaries."""
    reach = 1 if lists.narrow else 2
    places = range(-reach, reach + 1)
    return tuple(f for name in lists.phrases for f in at(Gazetteer(name, "bioes"), *places))


def meanings(lists: Lists) -> tuple[Feature, ...]:
    """How frequent a name is, and what kind of ordinary word it may be: Brown in "Brown sputum"."""
    near: list[Feature] = [f for name in lists.kinds for f in at(Gazetteer(name), -1, 0, 1)]
    if lists.common:
        common = Gazetteer(lists.common)
        near += [
            together((common, 0), (RUNS, 0)),
            together((common, -1), (common, 0), (common, 1), (RUNS, 0)),
        ]
        for name in lists.frequencies:
            near += at(Frequency(name), -1, 0, 1)
            near.append(together((Frequency(name), 0), (RUNS, 0)))
            near.append(together((Frequency(name), 0), (common, 0), (RUNS, 0)))
        for kind in lists.kinds:
            near.append(together((Gazetteer(kind), 0), (RUNS, 0)))
            near.append(together((Gazetteer(kind), 0), (RUNS, 0), (WORD, -1)))
            near += [together((Gazetteer(kind), a), (common, 0), (RUNS, 0)) for a in (-1, 1)]
    near += [
        together((Frequency(first), 0), (Frequency(second), 1))
        for first, second in itertools.permutations(lists.frequencies, 2)
    ]
    return tuple(near)


PARTIAL_DATES: tuple[Feature, ...] = (
    *at(DayMonth(), -1, 0, 1),
    together((DayMonth(), 0), (RUNS, 0)),
    *(together((DayMonth(), 0), (WORD, offset)) for offset in (-1, 1)),
)

RULES = ("email",)
"""An e-mail address is recognised by its form, wherever it is: there is nothing to learn."""


def default(
    lists: Lists = ENGLISH, *, name: str = "default", rules: tuple[str, ...] = RULES
) -> Recipe:
    """The recipe with the dictionaries of a language, and the rules that belong to it."""
    groups = (
        NARROW_WORDS if lists.narrow else WORDS,
        AFFIXES,
        NARROW_SHAPES if lists.narrow else SHAPES,
        FORM,
        PLACE,
        CONTEXT,
        landmarks(lists),
        gazetteers(lists),
        meanings(lists),
        PARTIAL_DATES if lists.partial_dates else (),
    )
    features = tuple(itertools.chain.from_iterable(groups))
    recipe = Recipe.single(
        name=name,
        layer="merged",
        sequence="line",
        features=features,
        scheme="BIO",
        learner=Learner.of("lbfgs", c1=0.05, c2=0.05, max_iterations=70),
    )
    return dataclasses.replace(recipe, rules=rules, propagation=lists.propagation)


LISTS_IN = {"en": ENGLISH, "es": SPANISH}
"""Language -> its dictionaries."""

FAMILY = RecipeFamily(
    "most accurate, slower", tuple(LISTS_IN), lambda language: default(LISTS_IN[language])
)

SPANISH_RULES = (
    *RULES,
    "spanish_age",
    "spanish_date",
    "spanish_institution",
    "spanish_name",
    "spanish_number",
    "spanish_profession",
    "spanish_street",
)

GENERAL = RecipeFamily(
    "default for Spanish notes of any form, with rules",
    ("es",),
    lambda language: default(SPANISH_NOTES, name="general", rules=SPANISH_RULES),
)
