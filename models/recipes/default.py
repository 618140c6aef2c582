r"""Our best: one token CRF over joined tokens that reads forms, signature lines and prose.

What it does better than the published systems is mostly in its *items* (layer "merged"): dates,
telephone numbers, e-mail addresses, abbreviations and hyphenated names are one item each. The rest
is that it knows where in the document it is: the field of the line and of its neighbours, the
field opened last inside the line, the landmarks before and behind (an e-mail, a postcode, a street
word, a town, a country), and the fields in which a word stands elsewhere in the document.

A sequence is a line: the form has one or two fields a line, the signature is a line, a paragraph
of prose is one too. The lists are general knowledge, and are named in roles; beside them a language
says what its notes need (`Lists`): English notes are prose and every hospital's are different, so
less is learned by heart, and names are told from words by how frequent they are.

The CRF of Spanish case reports is cautious: a bias of -0.5 on O, chosen by cross-validation, gives
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
from .recipe import Learner, Propagation, Recipe


@dataclasses.dataclass(frozen=True, slots=True)
class Lists:
    """The dictionaries of a language, in the roles that the recipe has for them.

    Attributes:
        towns, regions, countries: names of places, the first two of any number of lists.
        streets: words of addresses: types of streets, floors, doors.
        houses: words that open the name of an institution.
        departments: words that open the name of a department.
        family: kinship words.
        others: lists that are features and no landmarks: names, titles, specialities,
            months, numerals, units, origins, professions.
        kinds: lists of ordinary words by what they mean; features only, of a word as a whole.
        frequencies: weighted lists of names, how frequent a name is.
        common: the list of ordinary words that `frequencies` are seen together with.
        narrow: see words two places off, not four, and no runs of three: less is learned by heart,
            for notes of other hospitals than those that were trained on.
        partial_dates: see how near `3/21` is to the full dates of the document.
        propagation: what is carried over to other places of a document; None for nothing.
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
        """Every list of which it matters which part of a phrase a word is, once."""
        places = (*self.towns, *self.regions, self.countries)
        return (*places, self.streets, self.houses, self.departments, self.family, *self.others)

    @property
    def all(self) -> tuple[str, ...]:
        """Every list once."""
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
    # Nearly all names stand in fields: whole names only, the rest would add errors.
    propagation=Propagation(
        labels=("NOMBRE_PERSONAL_SANITARIO", "NOMBRE_SUJETO_ASISTENCIA"),
    ),
)

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
        # What is in no list at all may be a name.
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
    # In a form the fields tell what a name is, and CRFs miss none that stands there; in prose they
    # do. A label that a corpus lacks does nothing.
    propagation=Propagation(
        labels=("DOCTOR", "PATIENT", "PERSON"), names=("DOCTOR", "PATIENT", "PERSON"), share=0.2
    ),
)

WORD, PLAIN = Normal(), Normal(plain=True)
SHAPE, RUNS = Shape(), Shape(collapsed=True)

WORDS: tuple[Feature, ...] = (
    # The word as it is only for the item itself: to its neighbours a date is a date.
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
"""Fine tokens; a longer line is prose, whose colons open no field."""

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
    # The signature is a long line at the end.
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
    """What stands before and behind in the line, and how far off.

    In a signature without punctuation the order of street, postcode, town and country tells where
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
    """Which part of a phrase of a list the item and its neighbours are."""
    reach = 1 if lists.narrow else 2
    places = range(-reach, reach + 1)
    return tuple(f for name in lists.phrases for f in at(Gazetteer(name, "bioes"), *places))


def meanings(lists: Lists) -> tuple[Feature, ...]:
    """How frequent a name is, and what an ordinary word means: Brown in "Brown sputum"."""
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
        together((Frequency(one), 0), (Frequency(other), 1))
        for one, other in itertools.permutations(lists.frequencies, 2)
    ]
    return tuple(near)


PARTIAL_DATES: tuple[Feature, ...] = (
    *at(DayMonth(), -1, 0, 1),
    together((DayMonth(), 0), (RUNS, 0)),
    *(together((DayMonth(), 0), (WORD, offset)) for offset in (-1, 1)),
)

RULES = ("email",)
"""An e-mail address is one by its form, wherever it stands: nothing is left to guess."""


def default(lists: Lists = ENGLISH) -> Recipe:
    """The recipe with the lists of a language."""
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
        name="default",
        layer="merged",
        sequence="line",
        features=features,
        scheme="BIO",
        learner=Learner.of("lbfgs", c1=0.05, c2=0.05, max_iterations=70),
    )
    return dataclasses.replace(recipe, rules=RULES, propagation=lists.propagation)


RECIPE = default()
FEATURES = RECIPE.taggers[0].features
