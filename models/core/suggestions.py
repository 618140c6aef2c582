"""What was probably meant by a name that is not known: "did you mean ...?"."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_LIKENESS = 0.6
"""Ratio of `difflib` from which a name counts as meant: about two letters in five may differ."""


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known name that a word resembles most, whatever its case; None if it resembles none."""
    folded: dict[str, str] = {}
    for name in known:
        folded.setdefault(name.casefold(), name)
    found = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=_LIKENESS)
    return folded[found[0]] if found else None


def did_you_mean(words: str | Iterable[str], known: Iterable[str]) -> str:
    """A phrase for behind an unknown name: " (did you mean 'x'?)"; "" if it resembles none.

    It holds known names alone, so it may stand where the word itself must not be repeated.

    Args:
        words: the unknown name, or several.
        known: the names that there are.
    """
    known = tuple(known)
    found = [closest(word, known) for word in ([words] if isinstance(words, str) else words)]
    meant = dict.fromkeys(str(name) for name in found if name is not None)
    return f" (did you mean {' and '.join(map(repr, meant))}?)" if meant else ""
