"""A recipe as users choose it: by name and language."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from ..core.errors import UsageError
from .recipe import Recipe


@dataclasses.dataclass(frozen=True, slots=True)
class RecipeFamily:
    """A recipe in each language for which it declares dictionaries.

    Attributes:
        summary: what to know when choosing it, in a few words; for `--help`.
        languages: that `make` takes; the first is the language of `RECIPES`.
        make: the recipe with the dictionaries of a language.
    """

    summary: str
    languages: tuple[str, ...]
    make: Callable[[str], Recipe]

    def in_language(self, language: str) -> Recipe:
        """The recipe with the dictionaries of a language.

        Raises:
            UsageError: if it declares none for the language.
        """
        if language not in self.languages:
            raise UsageError(f"unknown language {language!r}; known: {', '.join(self.languages)}")
        return self.make(language)
