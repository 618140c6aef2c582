"""How systems print notes: line width, capitals, line ends, lost blanks, typing errors.

Each manner is a function of pieces; none changes what is PHI.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from .drawing import Draw
from .filling import NotePiece, Pieces, in_case
from .parsing import ENGLISH, SPANISH

Manner = Callable[[Draw, Pieces], Pieces]

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def wrap(draw: Draw, pieces: Pieces) -> Pieces:
    """Breaks long lines at a fixed width, in the midst of entities too."""
    width = draw.pick((60, 66, 72, 76, 80, 80))
    text = "".join(piece.text for piece in pieces)
    signs = list(text)
    begin, blank = 0, -1
    for at, sign in enumerate(signs):
        if sign == "\n":
            begin, blank = at + 1, -1
        elif sign == " ":
            blank = at
        if at - begin >= width and blank > begin:
            signs[blank] = "\n"
            begin, blank = blank + 1, -1
    return _recut("".join(signs), pieces)


def _recut(text: str, pieces: Pieces) -> Pieces:
    """The same pieces over a text of the same length."""
    made: Pieces = []
    at = 0
    for old, label, means in pieces:
        made.append(NotePiece(text[at : at + len(old)], label, means))
        at += len(old)
    return made


def _rewritten(pieces: Pieces, rewrite: Callable[[str, str], str]) -> Pieces:
    """The pieces with other texts; `rewrite` takes text and label."""
    return [NotePiece(rewrite(text, label), label, means) for text, label, means in pieces]


def capitals(draw: Draw, pieces: Pieces) -> Pieces:
    """A system without small letters."""
    return in_case(pieces, "u")


def small_letters(draw: Draw, pieces: Pieces) -> Pieces:
    """A writer without capitals."""
    return in_case(pieces, "l")


def carriage_returns(draw: Draw, pieces: Pieces) -> Pieces:
    """Line ends of Windows."""
    return _rewritten(pieces, lambda text, label: text.replace("\n", "\r\n"))


def one_line(draw: Draw, pieces: Pieces) -> Pieces:
    """Line ends lost in an export."""
    sign = draw.pick(("  ", " ", " | ", "   "))
    return _rewritten(pieces, lambda text, label: re.sub(r"\n+", sign if not label else " ", text))


def missing_blanks(draw: Draw, pieces: Pieces) -> Pieces:
    """Drops some of the blanks after punctuation and colons."""

    def drop(match: re.Match[str]) -> str:
        return match[1] if draw.chance(0.25) else match[0]

    return _rewritten(
        pieces,
        lambda text, label: text if label else re.sub(r"([.,:;]) (?=[A-Za-z])", drop, text),
    )


_BARE = str.maketrans("áéíóúàèòïüÁÉÍÓÚÀÈÒÏÜ", "aeiouaeoiuAEIOUAEOIU")


def without_accents(draw: Draw, pieces: Pieces) -> Pieces:
    """A writer or a keyboard without accents; at times without ñ and º as well."""
    table = dict(_BARE)
    if draw.chance(0.3):
        table |= str.maketrans("ñÑçÇºª", "nNcCoa")
    return _rewritten(pieces, lambda text, label: text.translate(table))


def wide_blanks(draw: Draw, pieces: Pieces) -> Pieces:
    """Two blanks between sentences, as typists set them."""
    return _rewritten(
        pieces,
        lambda text, label: text if label else re.sub(r"([.!?]) (?=\S)", r"\1  ", text),
    )


def typing_errors(draw: Draw, pieces: Pieces) -> Pieces:
    """One word in fifty has a letter lost, doubled, swapped or hit beside."""

    def err(match: re.Match[str]) -> str:
        word = match[0]
        if not draw.chance(0.02):
            return word
        at = draw.between(1, len(word) - 2)
        return draw.pick(
            (
                word[:at] + word[at + 1 :],
                word[:at] + word[at] + word[at:],
                word[:at] + word[at + 1] + word[at] + word[at + 2 :],
                word[:at] + draw.pick(_LETTERS) + word[at + 1 :],
            )
        )

    return _rewritten(pieces, lambda text, label: re.sub(r"[A-Za-z]{4,}", err, text))


MANNERS: Mapping[str, tuple[float, Manner]] = {
    "typing errors": (0.08, typing_errors),
    "missing blanks": (0.05, missing_blanks),
    "wide blanks": (0.08, wide_blanks),
    "capitals": (0.06, capitals),
    "small letters": (0.06, small_letters),
    "one line": (0.03, one_line),
    "wrap": (0.14, wrap),
    "carriage returns": (0.04, carriage_returns),
}
"""Manner -> share of the notes that have it, and how; in the order in which they are applied."""


MANNERS_IN: Mapping[str, Mapping[str, tuple[float, Manner]]] = {
    ENGLISH: MANNERS,
    SPANISH: {"without accents": (0.16, without_accents), **MANNERS},
}
"""Language -> manners of its notes."""


def print_note(
    draw: Draw, pieces: Pieces, manners: Mapping[str, tuple[float, Manner]] = MANNERS
) -> Pieces:
    """The pieces as one of many systems prints them."""
    for name, (share, manner) in manners.items():
        own = draw.child(name)
        if own.chance(share):
            pieces = manner(own, pieces)
    return pieces
