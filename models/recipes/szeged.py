"""Szeged: boosted decision trees on single tokens, three by three, in two passes.

Source: Szarvas et al. 2006, "An Iterative Method for the De-identification of Structured Medical
Text". Each pass has three classifiers that differ in their triggers alone, and votes: the class on
which two agree, else O. What the first pass tags under an unambiguous heading, and its acronym, is
trusted, and the second pass sees where it stands. Then all occurrences of a phrase take one class.

The features are the paper's five groups ("Feature set"); the word itself is not among them.

Deviations, where the paper is silent or its data cannot be had:

- classes are B-X and I-X of each label X, since plain ones join neighbours; `scheme="IO"` has the
  plain ones; a sequence, before which no class is seen, is a line;
- ten rounds of boosting instead of thirty: these do nearly all that thirty do;
- a token is what white space and signs part, but a date, a number with its signs, an address of
  e-mail is one token, as in the paper's corpus: the segmentation "merged";
- the 138 attributes are not listed. A window of "size four" is taken as four tokens to either side,
  dictionaries at two. The expressions for AGE, PHONE and ID are our own, and so are those by which
  tokens are merged (`Kind`). Numbers are binned;
- frequencies are those of the training texts, not of a corpus from the Internet, and are kept for
  words that occur there three times or more: `counts` of the recipe;
- the suffixes of phrases stand behind five phrases or more, and a third of their places;
- triggers stand at five places or more, the 1,500 that tell most of the classes; "a wider window"
  is six tokens. Headings stand in ten notes or more, at most 60; those inside of a line, and of the
  lines around, are headings too;
- of the five dictionaries the paper names first names and cities of the US; the others are ours:
  surnames, states or provinces, and hospitals, in English words of institutions;
- phrases are trusted, and standardised, within their own document: what becomes of a document
  depends on nothing else. A heading is unambiguous by its phrases, ten or more, O left out. An
  acronym has two letters or more. In training the first pass tags documents that it was not
  trained on (`Trust.folds`), or what is trusted would look better than it is. Phrases that tell
  nothing, such as a single small word, are not standardised; `standardise="all"` has them too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ..core.errors import UsageError
from ..features import (
    FOUND,
    CharacterClass,
    Feature,
    Field,
    Frequency,
    Gazetteer,
    Kind,
    Length,
    Line,
    Prefix,
    Sentence,
    Shape,
    Tag,
    Word,
    at,
    together,
)
from ..trees.declaration import RANK, CodedFeatures, Coding, TreesDeclaration
from .family import RecipeFamily
from .passes import Trust, WordCounts
from .recipe import Learner, Recipe, TaggerRecipe

LANGUAGES: Mapping[str, tuple[str, ...]] = {
    "en": ("first_names_en", "institution_words_en", "surnames_en", "us_cities", "us_states"),
    "es": ("cities_es", "first_names_es", "hospitals_es", "provinces_es", "surnames_es"),
}
"""Language -> the five dictionaries."""

HISTORY = 4
WINDOW = tuple(range(-4, 5))
NARROW = tuple(range(-2, 3))
COUNTS = tuple(
    WordCounts(f"words_{what}", what) for what in ("capitalised", "frequency", "initial")
)
TRUST = Trust()

HEADINGS = ("last", "inner", "line", "above", "below", "coming")
"""The closest heading, one inside of the line, and those of the lines around."""

_WORD = Word(fold=True)

ORTHOGRAPHIC: tuple[CodedFeatures, ...] = (
    CodedFeatures(
        (
            *at(Length(most=30), *WINDOW),
            *at(Prefix(1), *WINDOW),
            *at(Shape(collapsed=True), *WINDOW),
            *at(CharacterClass(("AGE-LIKE", "ID-LIKE", "PHONE-LIKE")), *WINDOW),
            *at(Kind(), *WINDOW),
        ),
        RANK,
    ),
)
FREQUENCY: tuple[CodedFeatures, ...] = (
    CodedFeatures(
        tuple(f for one in COUNTS for f in at(Frequency(one.name), *WINDOW)),
        RANK,
    ),
)
PHRASAL: tuple[CodedFeatures, ...] = (
    CodedFeatures(
        at(_WORD, *WINDOW), Coding("class", frequency=5, share=30, where="last", of="value")
    ),
)
"""Common last tokens of phrases; the classes of the tokens before are the trees' `HISTORY`."""

CONTEXT: tuple[CodedFeatures, ...] = (
    CodedFeatures(
        (
            *at(Sentence("index"), 0),
            *at(Sentence("quoted"), 0),
            *at(Line("index"), 0),
            *at(Line("rest"), 0),
            *at(Line("gap"), 0),
            *at(Line("number"), 0),
            *at(Line("below"), 0),
            *at(Line("tenth"), 0),
            *at(Field("since"), 0),
        ),
        RANK,
    ),
    CodedFeatures(
        tuple(f for aspect in HEADINGS for f in at(Field(aspect), 0)),
        Coding("class", frequency=10, most=60, by_document=True),
    ),
)


def _announced(features: Iterable[Feature], where: str) -> CodedFeatures:
    return CodedFeatures(tuple(features), Coding("class", frequency=5, most=1_500, where=where))


TRIGGERS: Mapping[str, tuple[CodedFeatures, ...]] = {
    "token": (_announced(at(_WORD, -3, -2, -1, 1, 2, 3), "tagged"),),
    "phrase": (_announced(at(_WORD, 1, 2, 3, 4, 5, 6), "last"),),
    "trigram": (
        _announced(
            (together(*((_WORD, offset) for offset in range(-n, 0))) for n in (1, 2, 3)), "first"
        ),
        _announced(
            (together(*((_WORD, offset) for offset in range(1, n + 1))) for n in (1, 2, 3)), "last"
        ),
    ),
}
"""The sets in which the three classifiers differ."""

TRUSTED: tuple[CodedFeatures, ...] = (
    CodedFeatures(at(Tag(FOUND), 0), Coding("flag")),
    CodedFeatures(at(Tag(FOUND), -2, -1, 1, 2), RANK),
)
"""What the second pass knows besides: where trusted phrases stand, by their label."""


def dictionary(names: Iterable[str]) -> tuple[CodedFeatures, ...]:
    """The group of some gazetteers."""
    return (
        CodedFeatures(tuple(f for n in names for f in at(Gazetteer(n, "bioes"), *NARROW)), RANK),
    )


GROUPS: Mapping[str, tuple[CodedFeatures, ...]] = {
    "orthographic": ORTHOGRAPHIC,
    "frequency": FREQUENCY,
    "phrasal": PHRASAL,
    "dictionary": (),  # those of the language
    "context": CONTEXT,
}
"""The groups of the paper; triggers and what is trusted come on top."""


def szeged(
    language: str = "en",
    *,
    scheme: str = "BIO",
    triggers: Collection[str] = tuple(TRIGGERS),
    groups: Collection[str] = tuple(GROUPS),
    rounds: int = 10,
    trust: Trust | None = TRUST,
    standardise: str = "telling",
) -> Recipe:
    """The recipe, or one of its variants.

    Args:
        language: key of `LANGUAGES`.
        scheme: "BIO", or "IO" for plain classes as published.
        triggers: some of `TRIGGERS`, a classifier each; with one there is nothing to vote on.
        groups: some of `GROUPS`.
        rounds: most trees of each classifier; 30 in the paper.
        trust: None for the first pass alone.
        standardise: see `Recipe.standardise`.

    Raises:
        UsageError: if a set or a group is unknown, or a value is not allowed.
    """
    for what, chosen, known in (("triggers", triggers, TRIGGERS), ("groups", groups, GROUPS)):
        if unknown := sorted(set(chosen) - known.keys()):
            raise UsageError(f"szeged: unknown {what} {', '.join(unknown)}; known: {[*known]}")
    common = [coded for name, group in GROUPS.items() if name in groups for coded in group]
    if "dictionary" in groups:
        common += dictionary(LANGUAGES[language])

    def tagger(name: str, more: tuple[CodedFeatures, ...]) -> TaggerRecipe:
        coding = TreesDeclaration((*common, *TRIGGERS[name], *more), HISTORY)
        return TaggerRecipe(
            layer="merged",
            sequence="line",
            features=coding.features,
            scheme=scheme,
            learner=Learner.of("boosted-trees", confidence=0.35, least=5, rounds=rounds),
            coding=coding,
        )

    names = [name for name in TRIGGERS if name in triggers]
    passes = [(), TRUSTED] if trust is not None else [()]
    return Recipe(
        name="szeged",
        taggers=tuple(tagger(name, more) for more in passes for name in names),
        vote="majority",
        passes=(len(names),) * len(passes),
        trust=trust,
        standardise=standardise,
        counts=COUNTS if "frequency" in groups else (),
    )


FAMILY = RecipeFamily("boosted trees in two passes that vote", tuple(LANGUAGES), szeged)
