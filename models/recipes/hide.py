r"""HIDE: one token CRF on regular expressions, affixes, dictionaries and context.

Source: Gardner et al. 2010, "An Evaluation of Feature Sets and Sampling Techniques for
De-identification of Medical Records" (§4.2, §6, Table 2).

Table 2 prints 26 regular expressions. Here they do what their names say:

- ALPHA is printed as a single letter, `^[A-Za-z]$`, which is SINGLECHAR; here one letter or more.
- TRIPLEDIGIT is printed with four digits and QUADDIGIT with five; here three and four.
- NUMBERS.LETTERS is printed with exactly one letter at its end; here one or more, like its mirror
  image.
- ALPHANUMERIC has two rows, a letter after a digit and a digit after a letter; here one class, true
  if either matches, so 26 rows make 25 classes.
- ISPUNCT is printed with unbalanced braces and blanks inside; here a word of ASCII punctuation
  only.
- REALNUMBER is printed with a group `(- \+)` and without `^`; here an optional sign, digits and
  commas, an optional fraction, an optional per cent sign, and nothing else.

Other deviations: white space is not a token (in the paper it is, so its four neighbours reach less
far, and ISSPACE never holds here); `layer="with-blanks"` has it as tokens. The PhysioNet
dictionaries cannot be distributed and are replaced. A count is binned by powers of two, since all
our features are indicators. The paper names no regularisation; c1 and c2 are ours. According to
"the sequence of tokens in the pathology report" (§4.1) a sequence is a document.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Mapping

from ..core.errors import UsageError
from ..features import CharacterClass, Count, Feature, Gazetteer, Prefix, Suffix, Word, at
from ..features.character_class import HIDE_CLASSES
from .family import RecipeFamily
from .recipe import Learner, Recipe, Sampling

DICTIONARIES = (
    "countries_en",
    "first_names_en",
    "institution_words_en",
    "months_en",
    "street_words_en",
    "surnames_en",
    "titles_en",
    "us_cities",
    "us_state_abbreviations",
    "us_states",
)
"""The shipped dictionaries that replace those of PhysioNet."""

DICTIONARIES_IN: Mapping[str, tuple[str, ...]] = {
    "en": DICTIONARIES,
    "es": (
        "cities_es",
        "countries_es",
        "first_names_es",
        "institution_words_es",
        "months_es",
        "provinces_es",
        "street_words_es",
        "surnames_es",
        "titles_es",
    ),
}
"""Language -> gazetteers."""

REGULAR_EXPRESSIONS: tuple[Feature, ...] = at(CharacterClass(tuple(HIDE_CLASSES)), 0)
AFFIXES: tuple[Feature, ...] = tuple(
    feature for n in (1, 2, 3) for feature in (*at(Prefix(n), 0), *at(Suffix(n), 0))
)
CONTEXT: tuple[Feature, ...] = (
    *at(Word(), -4, -3, -2, -1, 1, 2, 3, 4),
    *at(Count(scope="sequence", scaled=True), 0),
)

TERM: tuple[Feature, ...] = at(Word(), 0)
"""The token itself. The paper lists it in no group; here every subset of the groups has it."""

GROUPS = ("regex", "affix", "context", "dictionary")
"""The four groups of §4.2; the r, a, c and d of Fig. 4."""


def group(name: str, dictionaries: Iterable[str] = DICTIONARIES) -> tuple[Feature, ...]:
    """The features of one of `GROUPS`.

    Args:
        name: of the group.
        dictionaries: names of the gazetteers, for the group "dictionary".

    Raises:
        UsageError: if the group is unknown.
    """
    groups = {
        "regex": REGULAR_EXPRESSIONS,
        "affix": AFFIXES,
        "context": CONTEXT,
        "dictionary": tuple(f for d in sorted(set(dictionaries)) for f in at(Gazetteer(d), 0)),
    }
    if name not in groups:
        raise UsageError(f"hide: unknown feature group; known: {', '.join(GROUPS)}")
    return groups[name]


def hide(
    groups: Collection[str] = GROUPS,
    dictionaries: Iterable[str] = DICTIONARIES,
    sampling: Sampling = Sampling(),  # noqa: B008 - frozen
    layer: str = "fine",
) -> Recipe:
    """The recipe with some of the four feature groups, by default all.

    The learner stops when the log-likelihood improves by no more than 1e-5 from the previous
    iteration (§6, "Training Details"); CRFsuite's `delta` is that improvement, relative to the
    likelihood, over `period` iterations.

    Args:
        groups: some of `GROUPS`, in any order.
        dictionaries: names of the gazetteers; the paper allows "any number".
        sampling: which tokens the learner sees (§5); by default all.
        layer: the segmentation; "with-blanks" for one with white space.

    Raises:
        UsageError: if a group or the segmentation is unknown.
    """
    for name in groups:
        group(name)
    dictionaries = tuple(dictionaries)
    chosen = [name for name in GROUPS if name in groups]
    features = TERM + tuple(
        itertools.chain.from_iterable(group(name, dictionaries) for name in chosen)
    )
    letters = "".join(name[0] for name in chosen)
    name = "hide" if len(chosen) == len(GROUPS) else f"hide-{letters or 'none'}"
    return Recipe.single(
        name=name if layer == "fine" else f"{name}-{layer}",
        layer=layer,
        sequence="document",
        features=features,
        scheme="BIO",
        learner=Learner.of("lbfgs", c1=0.1, c2=0.1, epsilon=1e-5, delta=1e-5, period=1),
        sampling=sampling,
    )


FAMILY = RecipeFamily(
    "trains in seconds",
    tuple(DICTIONARIES_IN),
    lambda language: hide(dictionaries=DICTIONARIES_IN[language]),
)
