r"""Words as white space and outer punctuation part them, and the finer tokens of WI-deId.

Source: He et al. 2015, "CRFs based de-identification of medical records", §2.1 and Table 1.

The segmentation **word** stands for the first step, the tokenizer of OpenNLP, which was trained on
newspapers and cuts as the Penn Treebank does: `word` cuts at white space, makes every sign a token
of its own, but not a single one between two letters or digits (`6/03/04`, `O'Brien`,
`45-year-old`, `a.b@c.org`), and keeps `'s` together. Brackets, double quotes and `;?!` are always
tokens. Unlike OpenNLP's, it never keeps the full stop of an abbreviation (`Mr` `.`) and does not
part `n't`: it needs no sentences, so a word is cut alike in a text and in a list.

The segmentation **wi-deid** adds the second and the third step. The nine patterns of Table 1 each
split a token in two. Table 1 prints them damaged; here they are what its examples mean:

    1  PEND|01/26/2098        letters at a date of ten characters, before it or else after it
    2  45|-year-old           two digits or more
    3  CABG|6/95              a letter, then one digit, a slash and two digits
    4  x|76221                a small letter, then five digits
    5  X|1-1335               a capital, then one digit, a hyphen and four digits
    6  47798|497-045-1949     five digits or more at a telephone number
    7  AL|Marital             two capitals and two small letters
    8  34712|RadiologyExam    a digit and two letters
    9  Jaffrey|Marital        two small letters and a capital

The groups of digits that end a pattern are followed by no further digit. A token is parted once, by
the first pattern that fits, where it first fits: so does example 8 say, which pattern 9 would part
again, and the text, "split into two parts". The third step makes each of `",:;#*-=/<>[]{}` a token;
pattern 2 comes to nothing beside it.

Deviations: letters and digits are those of all scripts, and a mark belongs to the letter before it.

Table 5 compares with a system "without the preprocessing module"; as its AGE falls by twenty
points, that one kept `45-year-old` whole: it is the segmentation `word`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.arrays import Codes, Flags, Ints, code_points
from ..core.tokens import Tokens
from .characters import (
    DIGIT_KIND,
    LETTER_KIND,
    LOWER,
    MARK,
    SIGN_KIND,
    UPPER,
    WHITE_KIND,
    Classes,
    class_table,
)
from .segmentation import ItemBounds

_ALWAYS = np.array([ord(sign) for sign in '()[]{}<>"\u201c\u201d\u00ab\u00bb;?!\u00bf\u00a1'])
_PUNCTUATION = np.array([ord(sign) for sign in '",:;#*-=/<>[]{}\u201c\u201d'])
_APOSTROPHES = np.array([ord(sign) for sign in "'\u2019"])
_SLASH, _HYPHEN = ord("/"), ord("-")


def word(texts: Sequence[str | None], tokens: Tokens) -> ItemBounds:
    """The tokens of the first step."""
    return _bounds(texts, split=False)


def wi_deid(texts: Sequence[str | None], tokens: Tokens) -> ItemBounds:
    """The tokens of all three steps."""
    return _bounds(texts, split=True)


def _bounds(texts: Sequence[str | None], *, split: bool) -> ItemBounds:
    pieces = [_items(text, split=split) if text else _NOTHING for text in texts]
    offsets = np.concatenate(([0], np.cumsum([len(starts) for starts, _ in pieces])))
    return ItemBounds(
        offsets.astype(np.int64),
        np.concatenate([_NOTHING[0], *(starts for starts, _ in pieces)]),
        np.concatenate([_NOTHING[1], *(ends for _, ends in pieces)]),
    )


_NOTHING = (np.zeros(0, np.int64), np.zeros(0, np.int64))


def _items(text: str, *, split: bool) -> tuple[Ints, Ints]:
    codes = code_points(text)
    classes = class_table()[codes]
    joined = np.zeros(len(codes), np.bool_)
    if not text.isascii():
        # A mark looks like the character that it belongs to, and is not parted from it.
        marks = classes == MARK
        joined[1:] = marks[1:] & (classes[_carried(marks)] >> 2 != WHITE_KIND)[:-1]
        carried = _carried(joined)
        classes, codes = classes[carried], codes[carried]
        classes = np.where(classes == MARK, np.uint8(LETTER_KIND << 2), classes)
    cuts = _word_cuts(codes, classes)
    cuts[:-1] &= ~joined
    if split:
        for places in (_pattern_cuts(codes, classes, cuts), _punctuation_cuts(codes)):
            cuts[places] = True
        cuts[:-1] &= ~joined
    edges = np.flatnonzero(cuts)
    starts = edges[:-1]
    kept = classes[starts] >> 2 != WHITE_KIND
    return starts[kept], edges[1:][kept]


def _carried(flags: Flags) -> Ints:
    """For each place itself, or if it is flagged the last one before it that is not."""
    places: Ints = np.maximum.accumulate(np.where(flags, 0, np.arange(len(flags))))
    return places


def _word_cuts(codes: Codes, classes: Classes) -> Flags:
    """Whether a token, or white space, begins at each character; true at the end of the text."""
    kinds = classes >> 2
    white, sign = kinds == WHITE_KIND, kinds == SIGN_KIND
    bare = ~white & ~sign
    inner = sign & ~np.isin(codes, _ALWAYS) & _seen(bare, -1) & _seen(bare, 1)
    apostrophe = np.isin(codes, _APOSTROPHES)
    small_s = (codes == ord("s")) | (codes == ord("S"))
    possessive = apostrophe & _seen(small_s, 1) & ~_seen(bare, 2)
    inner &= ~possessive
    outer = sign & ~inner
    cuts = np.ones(len(codes) + 1, np.bool_)
    cuts[1:-1] = (white[1:] != white[:-1]) | outer[1:] | (outer & ~possessive)[:-1]
    return cuts


def _punctuation_cuts(codes: Codes) -> Ints:
    places = np.flatnonzero(np.isin(codes, _PUNCTUATION))
    return np.concatenate([places, places + 1])


def _pattern_cuts(codes: Codes, classes: Classes, cuts: Flags) -> Ints:
    """Where the patterns of Table 1 part tokens: at most one place a token."""
    kinds = classes >> 2
    digit, letter = kinds == DIGIT_KIND, kinds == LETTER_KIND
    lower, upper = classes == LOWER, classes == UPPER
    slash, hyphen = codes == _SLASH, codes == _HYPHEN

    def row(begin: int, *flags: Flags) -> Flags:
        """Whether such characters stand one after the other from `begin` on, seen from each."""
        found = np.ones(len(codes), np.bool_)
        for distance, one in enumerate(flags, begin):
            found &= _seen(one, distance)
        return found

    two, four = (digit,) * 2, (digit,) * 4
    date = row(0, *two, slash, *two, slash, *four) & ~_seen(digit, -1) & ~_seen(digit, 10)
    number = row(-8, *four, *four, hyphen, digit, *two, hyphen, *four) & ~_seen(digit, 9)
    small = codes | 0x20
    old = [hyphen if sign == "-" else small == ord(sign) for sign in "-year-old"]
    before = _seen(letter, -1)
    patterns: tuple[tuple[Flags, int], ...] = (
        (date & before, 0),
        (date & ~before & _seen(letter, 10), 10),
        (row(-2, *two, *old), 0),
        (row(-1, letter, digit, slash, *two) & ~_seen(digit, 4), 0),
        (row(-1, lower, digit, *four) & ~_seen(digit, 5), 0),
        (row(-1, upper, digit, hyphen, *four) & ~_seen(digit, 6), 0),
        (number, -3),
        (row(-1, upper, upper, lower, lower), 0),
        (row(-1, digit, letter, letter), 0),
        (row(-2, lower, lower, upper), 0),
    )
    parted = np.zeros(int(np.count_nonzero(cuts)), np.bool_)
    tokens = np.cumsum(cuts[:-1]) - 1
    found = []
    for flags, shift in patterns:
        places = np.flatnonzero(flags) + shift
        owners, firsts = np.unique(tokens[places - 1], return_index=True)
        fresh = ~parted[owners]
        parted[owners] = True
        found.append(places[firsts[fresh]])
    return np.concatenate(found)


def _seen(flags: Flags, distance: int) -> Flags:
    """The flags as seen from a place so many characters before; false outside of the text."""
    found = np.zeros(len(flags), np.bool_)
    if distance >= 0:
        found[: max(len(flags) - distance, 0)] = flags[distance:]
    else:
        found[-distance:] = flags[:distance]
    return found
