"""WI-deId: one token CRF on the form of a token and of the two tokens on either side.

Source: He et al. 2015, "CRFs based de-identification of medical records", §2.2 and Table 2; all
features at the tokens within two of the current one (§2.2, last paragraph), labels BIO (§2.3). The
tokens are the segmentation "wi-deid" (§2.1); a sequence is a sentence.

Dictionaries: tokens, not phrases, of training spans of CITY, STATE, STREET, COUNTRY and DATE,
joined with lists of cities, states and countries from the web (§2.2). They are `Extension`s, made
from the training part alone; the lists are those that ship with the package, and `with_lists`
replaces them. Where a corpus has one label for all places, postal codes among them
(LOCATION-OTHER), its spans are in none of them: what they have in common is not that they are
cities. The Spanish recipe has two lists that the paper has not, words of dates and of streets;
`PAPER_LISTS_IN` leaves them out.

Deviations: yes/no properties are indicators of "yes"; the first and last four characters of a
shorter token are the token. Part of speech comes from the auxiliary model "pos" (the paper used
GENIA); `Recipe.without(["pos"])` leaves it out. The paper used CRF++ with unstated settings; this
is CRFsuite's L-BFGS with our c1 and c2. Learning does not run to convergence: it ends when ten
iterations improve the log-likelihood by less than 0.1 %.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Mapping

from ..core.errors import UsageError
from ..features import (
    CharacterClass,
    Feature,
    Gazetteer,
    Length,
    Prefix,
    Shape,
    Suffix,
    Tag,
    Word,
    at,
)
from .family import RecipeFamily
from .other_lists import with_lists
from .recipe import Extension, Learner, Recipe

WINDOW = (-2, -1, 0, 1, 2)
DICTIONARIES = ("city", "country", "date", "state", "street")

LEXICAL: tuple[Feature, ...] = (
    *at(Word(fold=True), *WINDOW),
    *at(Prefix(4, whole=True), *WINDOW),
    *at(Suffix(4, whole=True), *WINDOW),
    *at(Tag("pos"), *WINDOW),
)

ORTHOGRAPHIC: tuple[Feature, ...] = (
    *at(Shape(), *WINDOW),
    *at(Length(), *WINDOW),
    *at(
        CharacterClass(
            (
                "HASLETTER",
                "HASCAP",
                "INITCAPS",
                "ALLCAPS",
                "HASDIGIT",
                "NUMBER",
                "HASPUNCT",
                "LETTERS-DIGITS",
                "DIGITS-PUNCT",
            )
        ),
        *WINDOW,
    ),
)

DICTIONARY: tuple[Feature, ...] = tuple(
    feature for name in DICTIONARIES for feature in at(Gazetteer(name), *WINDOW)
)

FEATURES: tuple[Feature, ...] = LEXICAL + ORTHOGRAPHIC + DICTIONARY

EXTENSIONS = (
    Extension("city", ("us_cities",), ("CITY",)),
    Extension("country", ("countries_en",), ("COUNTRY",)),
    Extension("date", (), ("DATE",)),
    Extension("state", ("us_state_abbreviations", "us_states"), ("STATE",)),
    Extension("street", (), ("STREET",)),
)

LISTS_IN: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "en": {extension.name: extension.lists for extension in EXTENSIONS},
    "es": {
        "city": ("cities_es",),
        "country": ("countries_es",),
        "date": ("months_es", "seasons_es", "weekdays_es"),
        "state": ("provinces_es",),
        "street": ("street_words_es",),
    },
}
"""Language -> dictionary that the recipe makes -> the lists that it is made from."""

PAPER_LISTS_IN: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    language: {**lists, "date": (), "street": ()} for language, lists in LISTS_IN.items()
}
"""The same with the lists of §2.2 alone: dates and streets come from training spans."""

GROUPS = ("lexical", "orthographic", "dictionary")
"""The three groups of Table 2; Lex, Ort and Dic of Fig. 2 and 3."""


def wi_deid(groups: Collection[str] = GROUPS, layer: str = "wi-deid") -> Recipe:
    """The recipe with some of the three feature groups, by default all.

    Args:
        groups: one or more of `GROUPS`, in any order.
        layer: the segmentation; "word" for the system of Table 5, without the splitting.

    Raises:
        UsageError: if a group or the segmentation is unknown, or there is no group.
    """
    known = dict(zip(GROUPS, (LEXICAL, ORTHOGRAPHIC, DICTIONARY), strict=True))
    if not groups or not set(groups) <= known.keys():
        raise UsageError(f"wi-deid: groups must be one or more of {', '.join(GROUPS)}")
    chosen = [name for name in GROUPS if name in groups]
    name = "wi-deid"
    if len(chosen) < len(GROUPS):
        name += "-" + "".join(group[0] for group in chosen)
    if layer != "wi-deid":
        name += f"-{layer}"
    recipe = Recipe.single(
        name=name,
        layer=layer,
        sequence="sentence",
        features=tuple(itertools.chain.from_iterable(known[group] for group in chosen)),
        scheme="BIO",
        learner=Learner.of("lbfgs", c1=0.1, c2=0.1, epsilon=1e-5, delta=1e-3),
    )
    if "dictionary" not in chosen:
        return recipe
    return dataclasses.replace(recipe, extensions=EXTENSIONS)


FAMILY = RecipeFamily(
    "needs the auxiliary model `pos`",
    tuple(LISTS_IN),
    lambda language: with_lists(wi_deid(), LISTS_IN[language]),
)
