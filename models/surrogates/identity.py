"""Who or what a text speaks of: one identity for all ways to write a name or a number.

A person goes by a surname, so `John Smith`, `SMITH, J.` and `Dr. Smith's` are one; a given name
alone is another identity, and relatives who share a surname are one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from .drawer import Drawer
from .names import INITIALS, NAME, STAYS, WORD, Piece, read_name
from .numbers import normal_number
from .people import LONGEST
from .pools import SURNAME
from .words import folded

PERSONS: Final = ("PATIENT", "DOCTOR")
"""Labels of names of people."""

WHOLE: Final = ("EMAIL", "URL", "USERNAME", "IPADDR")
"""Labels whose texts are one as they stand."""

PLACES: Final = ("HOSPITAL", "ORGANIZATION", "STREET", "CITY", "PROFESSION")


def identity_of(drawer: Drawer, label: str, text: str) -> tuple[str, str] | None:
    """Class and normal form of what a text speaks of; None for a text that tells of nobody.

    Args:
        drawer: knows the words of names.
        label: native label of the text.
        text: any.
    """
    if label in PERSONS:
        return _person(drawer, label, text)
    if label in WHOLE:
        return ("whole", text.strip().casefold())
    if label in PLACES:
        words = " ".join(folded(match.group()) for match in WORD.finditer(text))
        return ("place", words) if words else None
    number = normal_number(text)
    return ("number", number) if number else None


def _person(drawer: Drawer, label: str, text: str) -> tuple[str, str] | None:
    pieces = _pieces(drawer, label, text)
    names = [piece for piece in pieces if piece.kind == NAME]
    if not names:
        letters = "".join(folded(p.text) for p in pieces if p.kind == INITIALS)
        return ("initials", letters) if letters else None
    first, last = _around_comma(pieces)
    if first and last:
        meant = _meant(drawer, first)
    else:
        meant = _meant(drawer, names)
        meant = [word for word in meant if _is_surname(drawer, word)] or meant[-1:]
    # The first of two Spanish surnames is the one that people go by.
    return ("name", meant[0] if drawer.language == "es" else meant[-1])


def people_in(drawer: Drawer, texts: Iterable[tuple[str, str]]) -> list[tuple[str, ...]]:
    """The full names among texts, each once and sorted: their words, given names first.

    Args:
        drawer: knows the words of names.
        texts: label and text of each.
    """
    found = set()
    for label, text in texts:
        if label in PERSONS:
            pieces = _pieces(drawer, label, text)
            first, last = _around_comma(pieces)
            names = [*last, *first]
            if len(names) > 1:
                found.add(tuple(drawer.words.normal(piece.text) for piece in names))
    return sorted(found)


def _pieces(drawer: Drawer, label: str, text: str) -> Sequence[Piece]:
    if len(text) > LONGEST:
        return ()
    return read_name(text, drawer.words, drawer.is_known, staff=label == "DOCTOR")


def _around_comma(pieces: Sequence[Piece]) -> tuple[list[Piece], list[Piece]]:
    """The names before the first comma behind a name, and those after it."""
    first: list[Piece] = []
    last: list[Piece] = []
    into = first
    for piece in pieces:
        if piece.kind == NAME:
            into.append(piece)
        elif piece.kind == STAYS and "," in piece.text and first:
            into = last
    return first, last


def _meant(drawer: Drawer, names: Iterable[Piece]) -> list[str]:
    return [drawer.meant(drawer.words.normal(piece.text)) for piece in names]


def _is_surname(drawer: Drawer, word: str) -> bool:
    return drawer.known.classes.get(word, drawer.words.class_of(word).kind) == SURNAME
