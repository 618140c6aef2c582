"""Stat De-id: a support vector machine that decides on single words by their context.

Source: Tafvizi et al. 2010, an open re-implementation of Stat De-id, §4 and §5; its original is
Uzuner et al. 2008, "A de-identifier for medical discharge summaries". All features are indicators.

The labels of the corpus are not learnt: what is found is PHI, of no kind (`labels.UNKNOWN_KIND`);
`classes="typed"` has one function a label against all other words, of which the largest wins.

Deviations: C is not printed; it is 1 here. Words are fine tokens, where the paper took the
boundaries of its gold annotation. Syntactic bigrams are the linked words with the names of their
links, two to the left and two to the right; they come from a parser that does not ship, so from
notes that were parsed beforehand (auxiliary model "links"), in studies alone (`links="recorded"`).
Elsewhere taggers that were trained on such parses give the name of the nearest link to each side
(auxiliary models "linkleft" and "linkright"), without the word. The parser knows English alone, so
the Spanish recipe has no links. Every word of a MeSH phrase has its categories (auxiliary model
"mesh"), where the paper mapped nouns; the first characters are 16 top categories, where it says 15.
Without these auxiliary models their features are left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ..core.errors import UsageError
from ..features import (
    CharacterClass,
    Feature,
    Field,
    Gazetteer,
    Length,
    Link,
    Section,
    Tag,
    Tree,
    Word,
    at,
    together,
)
from .family import RecipeFamily
from .recipe import Learner, Recipe

LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "en": (
        "countries_en",
        "first_names_en",
        "surnames_en",
        "us_cities",
        "us_state_abbreviations",
        "us_states",
    ),
    "es": ("cities_es", "countries_es", "first_names_es", "provinces_es", "surnames_es"),
}
"""Language -> gazetteers: names and places."""

WORD: tuple[Feature, ...] = at(Word(), 0)
ORTHOGRAPHY: tuple[Feature, ...] = (
    *at(CharacterClass(("INITCAPS", "HASPUNCT", "NUMBER")), 0),
    *at(Length(most=64), 0),
)
LEXICAL_BIGRAMS: tuple[Feature, ...] = (
    together((Word(), -2), (Word(), -1)),
    together((Word(), 1), (Word(), 2)),
)
LINKS: Mapping[str, tuple[Feature, ...]] = {
    "learned": (*at(Tag("linkleft"), 0), *at(Tag("linkright"), 0)),
    "recorded": tuple(
        feature
        for side in ("left", "right")
        for place in (1, 2)
        for feature in at(Link("links", side, place), 0)
    ),
}
"""Where links come from -> the syntactic bigrams."""

SYNTACTIC_BIGRAMS: tuple[Feature, ...] = LINKS["learned"]
PART_OF_SPEECH: tuple[Feature, ...] = at(Tag("pos"), 0)
SECTION: tuple[Feature, ...] = (*at(Section(), 0), *at(Field("last"), 0))
"""Headings that are known, and those that open a line, of which training learns its own."""

MESH: tuple[Feature, ...] = at(Tree("mesh"), 0)


def dictionary(names: Iterable[str]) -> tuple[Feature, ...]:
    """The features of some gazetteers."""
    return tuple(feature for name in names for feature in at(Gazetteer(name), 0))


GROUPS: Mapping[str, tuple[Feature, ...]] = {
    "word": WORD,
    "orthography": ORTHOGRAPHY,
    "lexical bigrams": LEXICAL_BIGRAMS,
    "syntactic bigrams": SYNTACTIC_BIGRAMS,
    "part of speech": PART_OF_SPEECH,
    "section": SECTION,
    "mesh": MESH,
    "dictionary": (),  # those of the language
}
"""The feature classes of Fig. 2 to 5, and the two that were not varied there."""

FEATURES: tuple[Feature, ...] = (
    *(feature for group in GROUPS.values() for feature in group),
    *dictionary(LANGUAGES["en"]),
)


def stat_deid(
    language: str = "en",
    *,
    groups: Collection[str] = tuple(GROUPS),
    classes: str = "two",
    links: str = "learned",
) -> Recipe:
    """The recipe with some of its feature classes, by default all.

    Args:
        language: key of `LANGUAGES`.
        groups: some of `GROUPS`, in any order.
        classes: "two": PHI or not; or "typed".
        links: key of `LINKS`. No bundle may hold recorded ones: they are for studies.

    Raises:
        UsageError: if a group is unknown.
    """
    if unknown := sorted(set(groups) - GROUPS.keys()):
        raise UsageError(f"stat-deid: unknown groups {', '.join(unknown)}; known: {[*GROUPS]}")
    own = {**GROUPS, "syntactic bigrams": LINKS[links] if language == "en" else ()}
    features = [feature for name, group in own.items() if name in groups for feature in group]
    if "dictionary" in groups:
        features += dictionary(LANGUAGES[language])
    return Recipe.single(
        name="stat-deid",
        layer="fine",
        sequence="document",
        features=tuple(features),
        scheme="IO",
        learner=Learner.of("linear-svm", C=1.0, max_iterations=300),
        classes=classes,
    )


FAMILY = RecipeFamily(
    "a linear classifier of single words; needs scikit-learn", tuple(LANGUAGES), stat_deid
)
