"""Where a text may need decoding, found by columns for a whole batch.

Nearly all texts need none, and to say so must cost next to nothing: each code point becomes a few
flags by one table, and only at the few that are flagged is looked further.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..core.arrays import Codes, Flags, Ints, code_points
from ..text.characters import CODE_POINTS
from .invisible import CONTROLS, INVISIBLE, MARKS, OVERLAYS
from .spaced import BLANKS, SEPARATORS
from .wide import EMOJI, SMALL_DIGITS, STYLED, UNIT_DIGITS
from .wraps import EM_DASH, MOST_TRAILING

_LEAD, _SURE, _MARK, _ALONE, _GAP, _ENCODED, _SMALL = (1 << at for at in range(7))
"""May begin an escape; is decoded wherever it stands; a mark on a letter; a letter or digit; may
stand between letters spaced out; of the alphabet of base64; a digit of units, above the line."""

_DIGITS = "0123456789"
_HEXADECIMAL = _DIGITS + "abcdefABCDEF"
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_FOLLOWS = {
    "&": "#" + _LETTERS,
    "%": _HEXADECIMAL,
    "=": _HEXADECIMAL + "\r\n",
    "\\": "uUxnrt/\"'0123~_-" + "bicfpslhez",
    "{": "\\",
    "<": "/!" + _LETTERS,
    "-": "\r\n\x0b\x0c",
}
"""What may begin an escape -> what follows it then."""

_HYPHENS, _BREAKS = "\u2010-\u2013", "\x85\u2028\u2029"
"""Hyphens and dashes that are read as the hyphen of a wrap; rare line breaks."""

ENCODED_RUN = 40
"""Characters of the alphabet of base64 in a row, from which on they may be no word."""


@functools.cache
def _table() -> npt.NDArray[np.uint8]:
    """The flags of every code point; read only."""
    table = np.zeros(CODE_POINTS, np.uint8)

    def flag(characters: str, value: int) -> None:
        for first, last in _ranges(characters):
            table[first : last + 1] |= value

    flag("".join(_FOLLOWS).replace("\\", "\\\\").replace("-", "\\-") + _HYPHENS + EM_DASH, _LEAD)
    flag(CONTROLS + INVISIBLE + OVERLAYS + STYLED + EMOJI + SMALL_DIGITS + _BREAKS, _SURE)
    flag(UNIT_DIGITS, _SMALL)
    flag(MARKS, _MARK)
    # Letters of Latin with their accents; other scripts are not spaced out.
    flag("0-9A-Za-z\u00c0-\u024f\uff10-\uff5a", _ALONE)
    flag(BLANKS + SEPARATORS.replace("-", "\\-"), _GAP)
    flag("A-Za-z0-9+/_=\\-", _ENCODED)
    table.setflags(write=False)
    return table


_MEMBER = re.compile(r"(\\.|.)(?:-(\\.|.))?", re.DOTALL)


def _ranges(members: str) -> list[tuple[int, int]]:
    """The code points of the members of a class of `re`."""
    return [(ord(low[-1]), ord((high or low)[-1])) for low, high in _MEMBER.findall(members)]


@functools.cache
def _among(members: str) -> Flags:
    """Which of the first 128 code points are among some; read only."""
    among = np.zeros(128, np.bool_)
    among[[ord(one) for one in members]] = True
    among.setflags(write=False)
    return among


def scan(texts: Sequence[str | None]) -> tuple[dict[int, list[int]], dict[int, int]]:
    """Where to look, and how much is encoded; each text by itself, whatever stands beside it.

    Returns:
        places: document -> offsets where something may have to be decoded, in order; nothing
            anywhere else has.
        encoded: document -> characters in long runs that look like base64 or hexadecimal digits.
    """
    # Line feeds before, between and after the texts, so that a look a little further off stays
    # within bounds and never sees another text.
    known = [text or "" for text in texts]
    codes = code_points(("\n" * _PADDING).join(("", *known, "")))
    offsets = np.full(len(known) + 1, _PADDING, np.int64)
    offsets[1:] += np.cumsum([len(text) + _PADDING for text in known], dtype=np.int64)
    flags = _table()[codes]
    small = (flags & _SMALL) != 0
    hits = np.concatenate(
        (
            _led(codes, np.flatnonzero((flags & _LEAD) != 0)),
            np.flatnonzero((flags & _SURE) != 0),
            _marked(codes, (flags & _MARK) != 0),
            _spelt(codes, (flags & _ALONE) != 0, (flags & _GAP) != 0),
            _old(codes),
            np.flatnonzero(small[:-1] & small[1:]),
        )
    )
    hits.sort()
    documents = np.searchsorted(offsets, hits, side="right") - 1
    places: dict[int, list[int]] = {}
    for document, at in zip(documents.tolist(), (hits - offsets[documents]).tolist(), strict=True):
        places.setdefault(document, []).append(at)
    return places, _encoded(codes, offsets, (flags & _ENCODED) != 0)


_PADDING = 8


def _ascii(codes: Codes) -> Codes:
    """With all that is not ASCII as its last code point, for `_among`."""
    return np.minimum(codes, 127)


def _led(codes: Codes, leads: Ints) -> Ints:
    """Those that are followed by what may follow them."""
    kinds = codes[leads]
    kinds = np.where((kinds >= ord(_HYPHENS[0])) & (kinds <= ord(_HYPHENS[-1])), ord("-"), kinds)
    dashes = (kinds == ord(EM_DASH)) & _among(_DIGITS)[_ascii(codes[leads - 1])]
    kinds = np.where(dashes, ord("-"), kinds)
    behind = leads + 1
    # Blanks that were left at the end of a line.
    wraps = (kinds == ord("-")) | (kinds == ord("="))
    for _ in range(MOST_TRAILING):
        behind += wraps & _among(" \t")[_ascii(codes[behind])]
    following = _ascii(codes[behind])
    bullets = (behind > leads + 1) & ~_among("\r\n\x0b\x0c")[following]
    chosen = np.zeros(len(leads), np.bool_)
    for lead, followers in _FOLLOWS.items():
        chosen |= (kinds == ord(lead)) & _among(followers)[following]
    chosen &= ~bullets
    leads, kinds, behind = leads[chosen], kinds[chosen], behind[chosen]
    # "R&D" is no entity, and a dash at the end of a line, or before a sign, no hyphen.
    further = _ascii(codes[behind + 1])
    entities = (kinds != ord("&")) | _among(_LETTERS + _DIGITS)[further]
    joins = ~_among(" \t\n\r-")[_ascii(codes[leads - 1])]
    joins &= _among(_LETTERS + _DIGITS + "_ \t\r\n\x0b\x0c/@\x7f")[further]
    found: Ints = leads[entities & (joins | (kinds != ord("-")))]
    return found


def _marked(codes: Codes, marks: Flags) -> Ints:
    """Marks on a digit, or on three letters in a row."""
    on = np.flatnonzero(marks[1:])
    digits = on[(codes[on] >= ord("0")) & (codes[on] <= ord("9"))]
    return np.concatenate((digits, np.flatnonzero(marks[:-4] & marks[2:-2] & marks[4:])))


def _spelt(codes: Codes, alone: Flags, gap: Flags) -> Ints:
    """Three letters or digits by themselves with one and the same sign between them."""
    letters = alone[1:-5] & alone[3:-3] & alone[5:-1]
    at = 1 + np.flatnonzero(letters & gap[2:-4] & gap[4:-2] & ~alone[:-6] & ~alone[6:])
    alike = codes[at + 1] == codes[at + 3]
    # "I I I" is a stammer.
    stammered = (codes[at] == codes[at + 2]) & (codes[at] == codes[at + 4])
    found: Ints = at[alike & ~stammered]
    return found


def _old(codes: Codes) -> Ints:
    """A 9, or a 1, and another digit with something between, as in an age."""
    first, gap, digit = codes[:-_PADDING], codes[1 : 1 - _PADDING], codes[2 : 2 - _PADDING]
    old = (first == ord("9")) | (first == ord("1"))
    at = np.flatnonzero(old & (digit >= ord("0")) & (digit <= ord("9")))
    at = at[_among(" ._*-")[_ascii(gap[at])]]
    found: Ints = at[(codes[at[:, None] + _YEARS] | 0x20 == ord("y")).any(axis=1)]
    return found


_YEARS = np.arange(3, 8)
"""How far after its first digit an age may have its unit."""


def _encoded(codes: Codes, offsets: Ints, member: Flags) -> dict[int, int]:
    # Eight at once: a run that is long enough holds four whole words of eight in a row.
    words = member[: len(member) // 8 * 8].view(np.uint64) == 0x0101010101010101
    if not (words[:-3] & words[1:-2] & words[2:-1] & words[3:]).any():
        return {}
    edges = np.flatnonzero(member[1:] != member[:-1]) + 1  # the first and the last are none
    lows, highs = edges[::2], edges[1::2]
    long = highs - lows >= ENCODED_RUN
    found: dict[int, int] = {}
    for low, high in zip(lows[long].tolist(), highs[long].tolist(), strict=True):
        if size := _encoded_of(codes[low:high]):
            document = int(np.searchsorted(offsets, low, side="right")) - 1
            found[document] = found.get(document, 0) + size
    return found


_CHANGES, _EACH_CASE = 0.3, 0.1
"""Least share of neighbours of unlike kind (small letter, capital, digit or sign), and of small
letters and of capitals, in base64: random bytes have 0.6 and 0.4, words run together under 0.1."""

_LEAST_LETTERS, _MOST_LETTERS = 0.05, 0.9
"""Of hexadecimal digits: without letters they are a number, without digits hardly any are."""


def _encoded_of(codes: Codes) -> int:
    """How many characters of a run are base64 or hexadecimal digits."""
    capitals, small = (codes >= 0x41) & (codes <= 0x5A), (codes >= 0x61) & (codes <= 0x7A)
    kinds = capitals + 2 * small.astype(np.int8)
    changes = float((kinds[1:] != kinds[:-1]).mean())
    digits = (codes >= ord("0")) & (codes <= ord("9"))
    cases = min(float(capitals.mean()), float(small.mean()))
    if changes >= _CHANGES and cases >= _EACH_CASE and digits.any():
        return len(codes)
    letters = (codes | 0x20 >= ord("a")) & (codes | 0x20 <= ord("f"))
    # Databases write a sign before the digits, `0x5061`, and names or numbers may be glued on.
    edges = np.flatnonzero(np.diff(np.concatenate(([False], letters | digits, [False])))).tolist()
    return sum(
        high - low
        for low, high in zip(edges[::2], edges[1::2], strict=True)
        if high - low >= ENCODED_RUN
        and _LEAST_LETTERS <= float(letters[low:high].mean()) <= _MOST_LETTERS
    )
