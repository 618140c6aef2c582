"""Recipes with other dictionaries than their own: for another language, or of one's own."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from ..core.errors import UsageError
from ..features import Feature, Gazetteer
from .recipe import Recipe


def with_dictionaries(recipe: Recipe, names: Iterable[str]) -> Recipe:
    """The recipe with other gazetteers, each used wherever one of its own was.

    Args:
        recipe: not changed.
        names: of the gazetteers that replace the recipe's own; if empty, their features are left
            out.

    Raises:
        UsageError: if there are names but the recipe uses no gazetteer, uses several in one
            conjunction, where it is not clear which to replace, or makes its own.
    """
    chosen = sorted(set(names))
    if recipe.extensions:
        raise UsageError(
            f"recipe {recipe.name} makes its own dictionaries from lists and training spans; "
            "give the lists with --dictionary-from NAME=LIST"
        )
    taggers = tuple(
        tagger.with_features(lambda features: _with_gazetteers(recipe.name, features, chosen))
        for tagger in recipe.taggers
    )
    changed = dataclasses.replace(recipe, taggers=taggers)
    if not set(chosen) <= set(changed.dictionaries):
        raise UsageError(f"recipe {recipe.name} has no dictionary features")
    return changed


def with_lists(recipe: Recipe, lists: Mapping[str, Iterable[str]]) -> Recipe:
    """The recipe with other dictionaries for the gazetteers that it makes: for another language.

    Args:
        recipe: not changed.
        lists: name of an extension -> names of the dictionaries that replace its own; if empty, it
            is made from training spans alone. Other extensions keep theirs.

    Raises:
        UsageError: if the recipe makes no such gazetteer, or a dictionary's name is not valid.
    """
    names = [extension.name for extension in recipe.extensions]
    if unknown := sorted(set(lists) - set(names)):
        raise UsageError(
            f"recipe {recipe.name} makes no dictionary {', '.join(unknown)}; "
            f"it makes: {', '.join(names) or 'none'}"
        )
    return dataclasses.replace(
        recipe,
        extensions=tuple(
            dataclasses.replace(old, lists=tuple(sorted(set(lists.get(old.name, old.lists)))))
            for old in recipe.extensions
        ),
    )


def _with_gazetteers(
    recipe: str, features: Iterable[Feature], chosen: Iterable[str]
) -> tuple[Feature, ...]:
    made: dict[Feature, None] = {}
    for feature in features:
        places = [i for i, (part, _) in enumerate(feature.parts) if isinstance(part, Gazetteer)]
        if len(places) > 1:
            raise UsageError(
                f"recipe {recipe}: feature {feature.template} uses several dictionaries"
            )
        if not places:
            made[feature] = None
        for place in places:
            part, offset = feature.parts[place]
            assert isinstance(part, Gazetteer)
            for name in chosen:
                seen = (dataclasses.replace(part, name=name), offset)
                made[Feature((*feature.parts[:place], seen, *feature.parts[place + 1 :]))] = None
    return tuple(made)
