"""Recipes: published de-identification systems as declarations for one engine.

A new recipe is a file here and a line in `FAMILIES`. `DECLARATIONS` also has the features of papers
that cannot be trained as they are.
"""

from __future__ import annotations

from ..core.errors import UsageError
from ..core.suggestions import did_you_mean
from ..features import Feature
from . import default, hide, hitsz, stat_deid, szeged, wi_deid
from .family import RecipeFamily
from .other_lists import with_dictionaries, with_lists
from .recipe import (
    Extension,
    Learner,
    Propagation,
    Recipe,
    Sampling,
    TaggerRecipe,
)

__all__ = [
    "DECLARATIONS",
    "DEFAULT_RECIPE",
    "FAMILIES",
    "LANGUAGES",
    "RECIPES",
    "Extension",
    "Learner",
    "Propagation",
    "Recipe",
    "RecipeFamily",
    "Sampling",
    "TaggerRecipe",
    "recipe_help",
    "recipe_in",
    "with_dictionaries",
    "with_lists",
]

FAMILIES: dict[str, RecipeFamily] = {
    "default": default.FAMILY,
    "general": default.GENERAL,
    "hide": hide.FAMILY,
    "hitsz": hitsz.FAMILY,
    "hitsz-no-dictionary": hitsz.SUBMITTED,
    "stat-deid": stat_deid.FAMILY,
    "szeged": szeged.FAMILY,
    "wi-deid": wi_deid.FAMILY,
}
"""The table of recipes: name -> the recipe in its languages."""

DEFAULT_RECIPE = "hide"
"""The recipe that training uses by default: it takes seconds."""

RECIPES: dict[str, Recipe] = {
    name: family.in_language(family.languages[0]) for name, family in FAMILIES.items()
}
"""Name -> the recipe in its first language."""

LANGUAGES: tuple[str, ...] = tuple(
    sorted({language for family in FAMILIES.values() for language in family.languages})
)

DECLARATIONS: dict[str, tuple[Feature, ...]] = {
    **{n: r.taggers[0].features for n, r in RECIPES.items() if len(r.taggers) == 1},
    "hitsz-character": hitsz.CHARACTER_FEATURES,
    "hitsz-token": hitsz.TOKEN_FEATURES,
    "szeged": RECIPES["szeged"].taggers[0].features,
}
"""Name -> features: of all recipes with one tagger, and of one tagger each of the others."""


def recipe_in(name: str, language: str) -> Recipe:
    """A recipe with the dictionaries of a language.

    Args:
        name: key of `FAMILIES`.
        language: one of the family's languages.

    Raises:
        UsageError: if the recipe is unknown, or does not have the language.
    """
    if name not in FAMILIES:
        meant = did_you_mean(name, FAMILIES)
        raise UsageError(f"unknown recipe {name!r}{meant}; known: {', '.join(FAMILIES)}")
    return FAMILIES[name].in_language(language)


def recipe_help() -> str:
    """All recipes with their summaries, for `--help`."""
    return ", ".join(f"{name} ({family.summary})" for name, family in FAMILIES.items())
