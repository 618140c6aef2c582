"""The surrogate of a text that is the name of a person."""

from __future__ import annotations

from typing import Final

from .drawer import ATTEMPTS, Drawer
from .names import INITIALS, NAME, NUMBER, STAYS, Piece, initials_of, read_name
from .numbers import in_format
from .words import folded

LONGEST: Final = 300
"""Most code points of a text that is a name."""


def person(drawer: Drawer, label: str, text: str) -> str | None:
    """The name word by word; None for a marker: where nothing in it is a name."""
    if len(text) > LONGEST:
        return None
    words = drawer.words
    pieces = read_name(text, words, drawer.is_known, staff=label == "DOCTOR")
    truths = frozenset(words.normal(piece.text) for piece in pieces if piece.kind == NAME)
    out: list[str] = []
    replaced = False
    for piece in pieces:
        if piece.kind == STAYS:
            out.append(piece.text)
        elif piece.kind == NUMBER:
            out.append(in_format(drawer, piece.text, 0))
            replaced = True
        elif piece.kind == NAME:
            name = drawer.name(piece.text, truths)
            if name is None:
                return None
            out.append(_with_tail(name, piece, pads=drawer.pads))
            replaced = True
        else:
            out.append("")
    if any(piece.kind == INITIALS for piece in pieces):
        _fill_initials(drawer, pieces, out)
        replaced = True
    made = "".join(out)
    return made if replaced and folded(made) != folded(text) else None


def _with_tail(name: str, piece: Piece, *, pads: bool) -> str:
    """A name with the possessive or plural of the original; `Jones`, several, are `Joneses`."""
    if piece.tail in ("s", "S") and not pads and name[-1:].casefold() in ("s", "x", "z"):
        return name + ("ES" if piece.tail == "S" else "es")
    return name + piece.tail


def _fill_initials(drawer: Drawer, pieces: list[Piece], out: list[str]) -> None:
    """Puts letters in place of initials: of the names that they stand for, if known."""
    places = [at for at, piece in enumerate(pieces) if piece.kind == INITIALS]
    letters = "".join(folded(pieces[at].text)[: len(pieces[at].text)] for at in places)
    sizes = [len(folded(pieces[at].text)[: len(pieces[at].text)]) for at in places]
    if drawer.settings.initials == "keep":
        for at in places:
            out[at] = pieces[at].text
        return
    others = tuple(drawer.words.normal(p.text) for p in pieces if p.kind == NAME)
    meant = initials_of(letters, others, drawer.known.people)
    drawn = [drawer.letter_of(word) for word in meant] if meant else [None] * len(letters)
    alone = all(piece.kind in (INITIALS, STAYS) for piece in pieces)
    for attempt in range(ATTEMPTS):
        made = "".join(
            said or drawer.letter(letter, attempt)
            for said, letter in zip(drawn, letters, strict=True)
        )
        if made != letters or not alone:
            break
    end = 0
    for at, size in zip(places, sizes, strict=True):
        part, end = made[end : end + size], end + size
        # Letters of scripts without capitals stay letters of ours.
        out[at] = part.upper() if pieces[at].text.isupper() else part
