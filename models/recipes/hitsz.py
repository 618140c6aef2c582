"""HITSZ: a token CRF (BIO), a character CRF (BIOES; a sequence is a line) and rules.

Source: Liu et al. 2015, "Automatic de-identification of electronic medical records using
token-level and character-level conditional random fields", §3.2 to §3.4. Overlaps are resolved in
the order rule, character CRF, token CRF (§3.4): a rule is right wherever it finds something, also
inside of a longer find of a CRF (order "rules-first", `merging.LIU_2015`).

Tokens: the paper's come from MedEx. Its example of one token is "PO/5mg", full stops and commas are
separate, and its tokens cut so many spans that no tagger on them can exceed a strict F of 91.9
(§5). The segmentation "word" is similar: it splits at white space, and splits off punctuation at
the ends.

Deviations: the paper does not say at which offsets it uses sentence, orthographic, shape, section,
general NER, word representation and dictionary features; here at the current item. The 29 section
headings, which the paper's authors chose by hand from the training set, are those that stand in
most training documents; where a section ends is `features.SectionHeading`. Brown paths are used
whole and by prefixes of 4, 6 and 10 (a usual choice; the paper names none), word2vec by a table of
cluster ids. "Arabic number" is NUMBER; "etc." is nothing. A sequence of tokens is a sentence; the
paper does not say. The dictionaries are the shipped lists of cities, countries and states; no list
of ZIP codes may be shipped, so the fourth dictionary is a pattern, five digits, as all of them are
written in the US and in Spain. `with_dictionaries` takes a list of your own besides.

The system that the paper submitted, and that its tables describe, has no dictionaries: §3.2.2 says
that they came after the challenge. It is `without=("dictionary",)`, or the recipe
`hitsz-no-dictionary`; `hitsz` is the system with them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ..core.errors import UsageError
from ..features import (
    Character,
    CharacterClass,
    Cluster,
    Digits,
    Feature,
    Gazetteer,
    Prefix,
    SectionHeading,
    Sentence,
    Shape,
    Suffix,
    Tag,
    Word,
    at,
    ngrams,
    together,
)
from .family import RecipeFamily
from .passes import WordCounts
from .recipe import Learner, Recipe, TaggerRecipe
from .tagger import KINDS

POS, NER = Tag("pos"), Tag("ner")
DICTIONARIES = ("city", "country", "state")

BAG_OF_WORDS: tuple[Feature, ...] = ngrams(Word(), 3, -2, 2)
PART_OF_SPEECH: tuple[Feature, ...] = ngrams(POS, 3, -2, 2)
WORD_AND_POS: tuple[Feature, ...] = tuple(
    together((Word(), 0), *((POS, offset) for offset in offsets))
    for offsets in ((-1,), (0,), (1,), (-1, 0), (0, 1), (-1, 1), (-1, 0, 1))
)
SENTENCE: tuple[Feature, ...] = tuple(
    feature for aspect in ("length", "end", "bracket") for feature in at(Sentence(aspect), 0)
)
AFFIXES: tuple[Feature, ...] = tuple(
    feature for n in range(1, 6) for feature in (*at(Prefix(n), 0), *at(Suffix(n), 0))
)
ORTHOGRAPHIC: tuple[Feature, ...] = at(
    CharacterClass(
        ("ALLCAPS", "HASDIGIT", "INNERCAP", "INNERPUNCT", "INNERDIGIT", "ROMAN", "NUMBER")
    ),
    0,
)
SHAPES: tuple[Feature, ...] = (
    *at(Shape(upper="A", lower="a", digit="#", other="-"), 0),
    *at(Shape(collapsed=True, upper="A", lower="a", digit="#", other="-"), 0),
)
SECTION: tuple[Feature, ...] = at(SectionHeading("headings"), 0)
HEADINGS = WordCounts("headings", "headings", least=5, most=29)
"""Those that training learns; what fewer documents have could be anybody's own."""

GENERAL_NER: tuple[Feature, ...] = at(NER, 0)
WORD_REPRESENTATION: tuple[Feature, ...] = (
    *(f for prefix in (0, 4, 6, 10) for f in at(Cluster("brown", prefix), 0)),
    *at(Cluster("word2vec"), 0),
)
ZIP: tuple[Feature, ...] = at(Digits(5), 0)
DICTIONARY: tuple[Feature, ...] = (
    *(feature for name in DICTIONARIES for feature in at(Gazetteer(name, "bioes"), 0)),
    *ZIP,
)
"""The four dictionaries as the paper names them; the recipe uses lists by their own names."""

TOKEN_FEATURES: tuple[Feature, ...] = (
    BAG_OF_WORDS
    + PART_OF_SPEECH
    + WORD_AND_POS
    + SENTENCE
    + AFFIXES
    + ORTHOGRAPHIC
    + SHAPES
    + SECTION
    + GENERAL_NER
    + WORD_REPRESENTATION
    + DICTIONARY
)

BAG_OF_CHARACTERS: tuple[Feature, ...] = ngrams(Character(blank=True), 3, -5, 5)
CHARACTER_POS: tuple[Feature, ...] = at(POS, *range(-5, 6))

CHARACTER_FEATURES: tuple[Feature, ...] = (
    BAG_OF_CHARACTERS
    + CHARACTER_POS
    + SENTENCE
    + SECTION
    + GENERAL_NER
    + WORD_REPRESENTATION
    + DICTIONARY
)

GROUPS: dict[str, tuple[tuple[Feature, ...], tuple[Feature, ...]]] = {
    "bag": (BAG_OF_WORDS, BAG_OF_CHARACTERS),
    "pos": (PART_OF_SPEECH + WORD_AND_POS, CHARACTER_POS),
    "sentence": (SENTENCE, SENTENCE),
    "affix": (AFFIXES, ()),
    "orthographic": (ORTHOGRAPHIC, ()),
    "shape": (SHAPES, ()),
    "section": (SECTION, SECTION),
    "ner": (GENERAL_NER, GENERAL_NER),
    "representation": (WORD_REPRESENTATION, WORD_REPRESENTATION),
    "dictionary": (DICTIONARY, DICTIONARY),
}
"""The groups of §3.2.2 and §3.2.3: features of the token CRF, features of the character CRF."""

ABLATED = ("bag", "pos", "sentence", "section", "ner", "representation")
"""The groups that Table 5 ablates, one at a time."""

LISTS = ("countries_en", "us_cities", "us_state_abbreviations", "us_states")
LISTS_IN: Mapping[str, tuple[str, ...]] = {
    "en": LISTS,
    "es": ("cities_es", "countries_es", "provinces_es"),
}
"""Language -> gazetteers."""

RULES = ("liu_2015",)
LAYER = "word"

TOKEN_LEARNER = Learner.of("lbfgs", c1=0.1, c2=0.1, epsilon=1e-5, delta=1e-3)
# On 60 documents of MEDDOCAN train, scored on 80 of dev, the averaged perceptron (15 rounds, 17 s)
# has a strict F1 of .724, this .893 in 75 s; on all 500 and 250 the perceptron's is .892.
CHARACTER_LEARNER = Learner.of("lbfgs", c1=0.1, c2=0.1, epsilon=1e-5, delta=1e-3, max_iterations=60)


def hitsz(
    *,
    taggers: Collection[str] = KINDS,
    without: Collection[str] = (),
    rules: bool = True,
    vote: str = "any",
    dictionaries: Iterable[str] = LISTS,
    layer: str = LAYER,
) -> Recipe:
    """The recipe, or one of its variants that the paper's tables compare.

    Args:
        taggers: "token", "character" or both (Table 4).
        without: some of `GROUPS`; Table 5 leaves out those of `ABLATED`.
        rules: whether to include the rules of Table 2 (Table 4).
        vote: "both" for only what both taggers find alike (§5); the paper then uses no rules.
        dictionaries: names of the gazetteers.
        layer: the segmentation of the token CRF.

    Raises:
        UsageError: if a tagger, group, vote or segmentation is unknown, or no tagger is left.
    """
    if unknown := sorted(set(without) - GROUPS.keys()):
        raise UsageError(
            f"hitsz: unknown feature groups {', '.join(unknown)}; known: {', '.join(GROUPS)}"
        )
    if unknown := sorted(set(taggers) - set(KINDS)):
        raise UsageError(f"hitsz: unknown taggers {', '.join(unknown)}; known: {', '.join(KINDS)}")
    names = sorted(set(dictionaries))
    groups = {**GROUPS, "dictionary": ((found := _dictionary(names)), found)}
    made = []
    for place, kind in enumerate(KINDS):
        if kind in taggers:
            character = kind == "character"
            kept = [pair[place] for name, pair in groups.items() if name not in without]
            made.append(
                TaggerRecipe(
                    layer="character" if character else layer,
                    sequence="line" if character else "sentence",
                    features=tuple(feature for features in kept for feature in features),
                    scheme="BIOES" if character else "BIO",
                    learner=CHARACTER_LEARNER if character else TOKEN_LEARNER,
                )
            )
    words = ["hitsz"]
    if len(made) == 1:
        words.append(made[0].kind)
    if layer != LAYER:
        words.append(layer)
    words += [f"no-{name}" for name in GROUPS if name in without]
    words += ["no-rules"] * (not rules) + ["both"] * (vote == "both")
    return Recipe(
        "-".join(words),
        tuple(made),
        counts=() if "section" in without else (HEADINGS,),
        vote=vote,
        rules=RULES if rules else (),
        order="rules-first",
    )


def _dictionary(names: Iterable[str]) -> tuple[Feature, ...]:
    return (*(feature for name in names for feature in at(Gazetteer(name, "bioes"), 0)), *ZIP)


FAMILY = RecipeFamily(
    "two CRFs and rules",
    tuple(LISTS_IN),
    lambda language: hitsz(dictionaries=LISTS_IN[language]),
)

SUBMITTED = RecipeFamily(
    "hitsz as submitted, without dictionaries",
    tuple(LISTS_IN),
    lambda language: hitsz(without=("dictionary",)),
)
