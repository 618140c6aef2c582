"""Recipes in a language: which shipped lists take the place of the papers' dictionaries."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from types import MappingProxyType

from ..errors import UsageError
from . import default, hide, hitsz, wi_deid
from .recipe import Recipe, with_lists


@dataclasses.dataclass(frozen=True, slots=True)
class Language:
    """Names of lists for each recipe.

    Attributes:
        hide: gazetteers of `hide`.
        hitsz: gazetteers of `hitsz`.
        wi_deid: dictionary that `wi-deid` makes -> lists that it is made from.
        default: lists of `default` in their roles.
    """

    hide: tuple[str, ...]
    hitsz: tuple[str, ...]
    wi_deid: Mapping[str, tuple[str, ...]]
    default: default.Lists


LANGUAGES: Mapping[str, Language] = MappingProxyType(
    {
        "en": Language(
            hide=hide.DICTIONARIES,
            hitsz=hitsz.LISTS,
            wi_deid=MappingProxyType({one.name: one.lists for one in wi_deid.wi_deid().extensions}),
            default=default.ENGLISH,
        ),
        "es": Language(
            hide=(
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
            hitsz=("cities_es", "countries_es", "provinces_es"),
            wi_deid=MappingProxyType(
                {
                    "city": ("cities_es",),
                    "country": ("countries_es",),
                    "date": ("months_es", "seasons_es", "weekdays_es"),
                    "state": ("provinces_es",),
                    "street": ("street_words_es",),
                }
            ),
            default=default.SPANISH,
        ),
    }
)


def recipe_in(name: str, language: str) -> Recipe:
    """A recipe with the lists of a language; in English it is the one of `RECIPES`.

    Args:
        name: of the recipe.
        language: key of `LANGUAGES`.

    Raises:
        UsageError: if the language or the recipe is unknown.
    """
    if language not in LANGUAGES:
        raise UsageError(f"unknown language {language!r}; known: {', '.join(LANGUAGES)}")
    lists = LANGUAGES[language]
    makers = {
        "default": lambda: default.default(lists.default),
        "hide": lambda: hide.hide(dictionaries=lists.hide),
        "hitsz": lambda: hitsz.hitsz(dictionaries=lists.hitsz),
        "wi-deid": lambda: with_lists(wi_deid.wi_deid(), lists.wi_deid),
    }
    if name not in makers:
        raise UsageError(f"unknown recipe {name!r}; recipes are {sorted(makers)}")
    return makers[name]()
