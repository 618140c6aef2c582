"""Professions: another one of the list, as plural and with the capitals of the original."""

from __future__ import annotations

from typing import Final

from .drawer import Drawer
from .words import folded

LONGEST: Final = 100


def profession(drawer: Drawer, label: str, text: str) -> str | None:
    """Another profession; None where the language has no list."""
    del label
    if len(text) > LONGEST or not any(map(str.isalpha, text)):
        return None
    words = folded(text).split()
    key = " ".join(words)
    singular = key.removesuffix("s")
    found = drawer.phrase_of("profession", singular, frozenset((key, singular)))
    if found is None:
        return None
    if singular != key and words[-1] not in ("boss", "waitress", "actress") and found[-1] != "s":
        found += "s"
    if text.isupper() and len(text) > 1:
        return found.upper()
    return found[:1].upper() + found[1:] if text[:1].isupper() else found
