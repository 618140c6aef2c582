"""How names look in notes: typing errors, errors of reading machines, hyphens at line ends, case.

Applied to printed notes of records. Each piece with a name gets at most one disguise, which its
mentions then tell.
"""

from __future__ import annotations

import re
import unicodedata

from .drawing import Draw
from .filling import Mention, NotePiece, Pieces

TYPO, OCR, WRAPPED = "typo", "ocr", "wrapped"

NAMES = frozenset(("PATIENT", "DOCTOR"))

_OPEN = frozenset(("plain", "reversed", "former"))
"""What may still be disguised."""

_BEYOND = frozenset(("literal", "spelled"))
"""What a typing error is not told of."""

_MISREAD = (
    ("rn", "m"), ("m", "rn"), ("w", "vv"), ("d", "cl"), ("cl", "d"), ("o", "0"), ("O", "0"),
    ("l", "1"), ("i", "1"), ("I", "1"), ("s", "5"), ("S", "5"), ("B", "8"),
)  # fmt: skip
"""What reading machines confuse."""

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORD = re.compile(r"[^\W\d_]{4,}")
_LONG_WORD = re.compile(r"[^\W\d_]{6,}")


def disguise(draw: Draw, printed: Pieces, filled: Pieces) -> Pieces:
    """The pieces of a note with some of its names disguised.

    Args:
        draw: where the choices come from.
        printed: pieces as the note prints them.
        filled: the same pieces as they were before; what printing did to a name is told too.
    """
    manner = draw.one_of(neat=76, hasty=10, scanned=7, narrow=7)
    typo = 0.12 if manner == "hasty" else 0.015
    ocr = 0.25 if manner == "scanned" else 0.004
    wrap = 0.35 if manner == "narrow" else 0.004
    has_lines = any("\n" in piece.text for piece in printed)
    line_end = "\r\n" if any("\r\n" in piece.text for piece in printed) else "\n"
    made: Pieces = []
    for piece, before in zip(printed, filled, strict=True):
        if not piece.means:
            made.append(_misread_words(draw, piece) if manner == "scanned" else piece)
            continue
        piece = _told(piece, before)
        if piece.label not in NAMES or any(mention.written not in _OPEN for mention in piece.means):
            made.append(piece)
        elif draw.chance(typo):
            made.append(_replaced(piece, mistyped(draw, piece.text), TYPO))
        elif draw.chance(ocr):
            made.append(_replaced(piece, misread(draw, piece.text), OCR))
        elif has_lines and draw.chance(wrap):
            made.append(_replaced(piece, hyphenated(draw, piece.text, line_end), WRAPPED))
        else:
            made.append(_in_other_case(draw, piece))
    return made


def _told(piece: NotePiece, before: NotePiece) -> NotePiece:
    """The piece with what printing did to it."""
    if letters(piece.text) != letters(before.text):
        means = tuple(
            mention if mention.written in _BEYOND else mention._replace(written=TYPO)
            for mention in piece.means
        )
        return piece._replace(means=means)
    if "\n" in piece.text:
        return piece._replace(means=_written(piece, WRAPPED))
    return piece


def letters(text: str) -> str:
    """Letters and digits of a text, without case and accents."""
    plain = unicodedata.normalize("NFKD", text.casefold().replace("ı", "i"))
    return "".join(sign for sign in plain if sign.isalnum())


def _written(piece: NotePiece, written: str) -> tuple[Mention, ...]:
    return tuple(
        mention._replace(written=written) if mention.written in _OPEN else mention
        for mention in piece.means
    )


def _replaced(piece: NotePiece, text: str, written: str) -> NotePiece:
    if text == piece.text:
        return piece
    return NotePiece(text, piece.label, _written(piece, written))


def _in_other_case(draw: Draw, piece: NotePiece) -> NotePiece:
    case = draw.one_of(own=92, upper=4, lower=4)
    if case == "upper":
        return piece._replace(text=piece.text.upper())
    return piece._replace(text=piece.text.lower()) if case == "lower" else piece


def _one_word(draw: Draw, text: str, words: re.Pattern[str]) -> re.Match[str] | None:
    found = list(words.finditer(text))
    return draw.pick(found) if found else None


def mistyped(draw: Draw, text: str) -> str:
    """The text with one letter of one word lost, doubled, swapped with the next or hit beside."""
    match = _one_word(draw, text, _WORD)
    if match is None:
        return text
    word = match[0]
    place = draw.between(1, len(word) - 2)
    wrong = draw.pick(
        (
            word[:place] + word[place + 1 :],
            word[:place] + word[place] + word[place:],
            word[:place] + word[place + 1] + word[place] + word[place + 2 :],
            word[:place] + draw.pick(_LETTERS) + word[place + 1 :],
        )
    )
    if word.isupper():
        wrong = wrong.upper()
    return text[: match.start()] + wrong + text[match.end() :]


def misread(draw: Draw, text: str) -> str:
    """The text with one thing in it that a machine confused."""
    start = draw.below(len(_MISREAD))
    for true, read in _MISREAD[start:] + _MISREAD[:start]:
        if true in text:
            place = draw.pick([match.start() for match in re.finditer(true, text)])
            return text[:place] + read + text[place + len(true) :]
    return text


def hyphenated(draw: Draw, text: str, line_end: str) -> str:
    """The text with a word broken by a hyphen and a line end."""
    match = _one_word(draw, text, _LONG_WORD)
    if match is None:
        return text
    place = match.start() + draw.between(2, len(match[0]) - 2)
    return f"{text[:place]}-{line_end}{text[place:]}"


def _misread_words(draw: Draw, piece: NotePiece) -> NotePiece:
    """Some words of a scanned page are wrong too."""
    if piece.label:
        return piece

    def wrong(match: re.Match[str]) -> str:
        return misread(draw, match[0]) if draw.chance(0.02) else match[0]

    return piece._replace(text=_WORD.sub(wrong, piece.text))
