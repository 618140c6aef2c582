"""Recipes: published de-identification systems as declarations for one engine.

`RECIPES` are complete and can be trained; `DECLARATIONS` are the features of each paper, as it
gives them.
"""

from __future__ import annotations

from ..features import Feature
from . import hide, hitsz, stat_deid, szeged, wi_deid
from .recipe import Learner, Recipe, with_dictionaries

__all__ = ["DECLARATIONS", "RECIPES", "Learner", "Recipe", "with_dictionaries"]

RECIPES: dict[str, Recipe] = {"hide": hide.RECIPE}

DECLARATIONS: dict[str, tuple[Feature, ...]] = {
    "hide": hide.RECIPE.features,
    "hitsz-character": hitsz.CHARACTER_FEATURES,
    "hitsz-token": hitsz.TOKEN_FEATURES,
    "stat-deid": stat_deid.FEATURES,
    "szeged": szeged.FEATURES,
    "wi-deid": wi_deid.FEATURES,
}
