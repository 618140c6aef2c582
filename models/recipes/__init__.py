"""Recipes: published de-identification systems as declarations for one engine.

`RECIPES` are complete and can be trained; `DECLARATIONS` are the features of each paper, as it
gives them, and of our own recipe.
"""

from __future__ import annotations

from ..features import Feature
from . import default, hide, hitsz, stat_deid, szeged, wi_deid
from .recipe import (
    Extension,
    Learner,
    Propagation,
    Recipe,
    Sampling,
    TaggerRecipe,
    with_dictionaries,
    with_lists,
)

__all__ = [
    "DECLARATIONS",
    "RECIPES",
    "Extension",
    "Learner",
    "Propagation",
    "Recipe",
    "Sampling",
    "TaggerRecipe",
    "with_dictionaries",
    "with_lists",
]

RECIPES: dict[str, Recipe] = {
    "default": default.RECIPE,
    "hide": hide.RECIPE,
    "hitsz": hitsz.RECIPE,
    "wi-deid": wi_deid.RECIPE,
}

DECLARATIONS: dict[str, tuple[Feature, ...]] = {
    "default": default.FEATURES,
    "hide": hide.FEATURES,
    "hitsz-character": hitsz.CHARACTER_FEATURES,
    "hitsz-token": hitsz.TOKEN_FEATURES,
    "stat-deid": stat_deid.FEATURES,
    "szeged": szeged.FEATURES,
    "wi-deid": wi_deid.FEATURES,
}
