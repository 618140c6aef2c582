"""The tokens of one text, in numpy: what `models/native/tokenize.c` gives, slower.

The rules are in `models.text.tokenizer`. All are arithmetic on arrays of character classes.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from ..core.arrays import Codes, Flags, Ints, code_points
from .characters import (
    BREAK,
    CASELESS,
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


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class TokenArrays:
    """The fine tokens of a text, or of texts, one after another.

    Attributes:
        starts, ends, starts_coarse, starts_line: as in `Tokens`.
        classes: of the first character of each.
        breaks: line breaks before the first token of each line, one more before the first of a
            text; 0 for other tokens.
    """

    starts: Ints
    ends: Ints
    starts_coarse: Flags
    starts_line: Flags
    classes: Classes
    breaks: Ints

    def __len__(self) -> int:
        return len(self.starts)


def read_tokens(text: str) -> TokenArrays:
    """The tokens of one text, of any content and length."""
    codes = code_points(text)
    classes = class_table()[codes]
    positions = None
    if not text.isascii():
        codes, classes, positions = _without_marks(codes, classes)
    # From here to the coarse tokens, offsets are those of the text without its joined marks.
    starts, ends, kinds = _fine(codes, classes)
    count = len(starts)
    firsts = classes[starts]
    starts_coarse = np.zeros(0, np.bool_)
    starts_line, breaks = np.zeros(count, np.bool_), np.zeros(count, np.int64)
    if count:
        starts_coarse = _coarse_starts(codes, classes, starts, ends, kinds)
        line_tokens, breaks_before = _lines(codes, classes, starts)
        starts_line[line_tokens], breaks[line_tokens] = True, breaks_before
    if positions is not None:
        starts, ends = positions[starts], positions[ends]
    return TokenArrays(starts, ends, starts_coarse, starts_line, firsts, breaks)


def _where(flags: Flags | Classes) -> Ints:
    return flags.nonzero()[0].astype(np.int64, copy=False)


def _without_marks(codes: Codes, classes: Classes) -> tuple[Codes, Classes, Ints | None]:
    """Drops the marks that join the character before them, and maps what is left to the text.

    The map has one entry more, the length of the text: the end of a token is where the next
    character that was kept begins, and so includes its marks.
    """
    marks = classes == MARK
    if not marks.any():
        return codes, classes, None
    joined = marks.copy()
    joined[0] = False
    joined[1:] &= classes[:-1] >> 2 != WHITE_KIND
    classes = np.where(marks, np.uint8(CASELESS), classes)
    kept = _where(~joined)
    return codes[kept], classes[kept], np.append(kept, len(joined))


def _fine(codes: Codes, classes: Classes) -> tuple[Ints, Ints, Classes]:
    """Starts, ends and kinds of the fine tokens."""
    kinds = classes >> np.uint8(2)
    cuts = np.ones(len(kinds) + 1, np.bool_)
    np.not_equal(kinds[1:], kinds[:-1], out=cuts[1:-1])
    cuts[:-1] |= kinds == SIGN_KIND
    for splits in (_case_splits(codes, classes), _telephone_splits(codes, kinds)):
        cuts[splits] = True
    edges = _where(cuts)
    found = kinds[edges[:-1]]
    kept = _where(found)
    return edges[kept], edges[kept + 1], found[kept]


def _codes_of(word: str) -> Codes:
    return np.array([ord(character) for character in word], np.uint32)


# Names' prefixes and titles after which a capital goes on with the word.
_PREFIXES = [_codes_of(word) for word in ("Mac", "Fitz", "Van", "Von", "Del", "Pharm", "Psy")]
_PAST = _codes_of("ed")


def _case_splits(codes: Codes, classes: Classes) -> Ints:
    """Offsets at which a word is split because of its capitals."""
    upper, lower = classes == UPPER, classes == LOWER
    after_small = _where(lower[1:-1] & lower[:-2] & upper[2:]) + 2
    if len(after_small):
        after_small = after_small[_is_split_after_small(codes, classes, upper, lower, after_small)]
    # Two capitals and two small letters: the second capital begins a word (ALMarital).
    among = _where(upper[:-3] & upper[1:-2] & lower[2:-1] & lower[3:]) + 1
    if len(among):
        among = among[_is_split_among_capitals(codes, classes, among)]
    return np.concatenate([after_small, among])


def _is_split_after_small(
    codes: Codes, classes: Classes, upper: Flags, lower: Flags, at: Ints
) -> Flags:
    last = len(codes) - 1
    # Only two small letters, no capital before them: a unit (mmHg) unless a word follows (inMay).
    third = at - 3
    alone = (third < 0) | (classes[np.maximum(third, 0)] >> 2 != LETTER_KIND)
    followed = lower[np.minimum(at + 1, last)] & lower[np.minimum(at + 2, last)] & (at + 2 <= last)
    split: Flags = ~alone | followed
    for prefix in _PREFIXES:
        begin = at - len(prefix)
        inside = _where(begin >= 0)
        inside = inside[codes[begin[inside]] == prefix[0]]
        for i in range(1, len(prefix)):
            inside = inside[codes[begin[inside] + i] == prefix[i]]
        before = begin[inside] - 1
        whole = (before < 0) | (classes[np.maximum(before, 0)] >> 2 != LETTER_KIND)
        split[inside[whole]] = False
    return split


def _is_split_among_capitals(codes: Codes, classes: Classes, at: Ints) -> Flags:
    last = len(codes) - 1
    # OKed, IDed: a verb made of an abbreviation.
    after = at + 3
    verb = (
        (codes[at + 1] == _PAST[0])
        & (codes[at + 2] == _PAST[1])
        & ((after > last) | (classes[np.minimum(after, last)] >> 2 != LETTER_KIND))
    )
    # OBrien, ODonnell: the apostrophe was left out.
    before = at - 2
    irish = (codes[at - 1] == ord("O")) & (
        (before < 0) | (classes[np.maximum(before, 0)] >> 2 != LETTER_KIND)
    )
    whole: Flags = verb | irish
    return ~whole


def _telephone_splits(codes: Codes, kinds: Classes) -> Ints:
    """Offsets at which a number runs into a telephone number (47798497-045-1949)."""
    hyphens = _where(codes == ord("-"))
    if len(hyphens) < 2:
        return np.zeros(0, np.int64)
    # Two hyphens three digits apart, eight digits or more before and exactly four after.
    first: Ints = hyphens[:-1][hyphens[1:] - hyphens[:-1] == 4]
    first = first[(first >= 8) & (first + 8 < len(codes))]
    if not len(first):
        return first
    for distance in (*range(-8, 0), 1, 2, 3, 5, 6, 7, 8):
        first = first[kinds[first + distance] == DIGIT_KIND]
    after = first + 9
    more = (after < len(codes)) & (kinds[np.minimum(after, len(codes) - 1)] == DIGIT_KIND)
    splits: Ints = first[~more] - 3
    return splits


_ORDINALS = [_codes_of(word) for word in ("st", "nd", "rd", "th")]
_PAD = 3
_LINE_FEED, _CARRIAGE_RETURN = 10, 13


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Layer:
    """The fine tokens, with `_PAD` empty ones on either side so that all have neighbours.

    Attributes:
        codes, classes: of the characters of the text.
        starts: of the tokens.
        kinds, lengths: of the tokens.
        near: nothing stands between the token and the one before it.
        glued: the token goes on with the coarse token of the one before it; filled in by the rules.
    """

    codes: Codes
    classes: Classes
    starts: Ints
    kinds: Classes
    lengths: Ints
    near: Flags
    glued: Flags

    @classmethod
    def of(cls, codes: Codes, classes: Classes, starts: Ints, ends: Ints, kinds: Classes) -> _Layer:
        size = len(starts) + 2 * _PAD
        padded = np.zeros(size, np.uint8)
        padded[_PAD:-_PAD] = kinds
        places = np.zeros(size, np.int64)
        places[_PAD:-_PAD] = starts
        lengths = np.zeros(size, np.int64)
        np.subtract(ends, starts, out=lengths[_PAD:-_PAD])
        near = np.zeros(size, np.bool_)
        np.equal(starts[1:], ends[:-1], out=near[_PAD + 1 : -_PAD])
        return cls(codes, classes, places, padded, lengths, near, np.zeros(size, np.bool_))

    def first_codes(self, tokens: Ints) -> Codes:
        return self.codes[self.starts[tokens]]


def _coarse_starts(
    codes: Codes, classes: Classes, starts: Ints, ends: Ints, kinds: Classes
) -> Flags:
    """Which fine tokens begin a coarse one.

    Tokens are glued, when nothing stands between them, by the signs `-_` between letters or
    digits, `./:,` between digits (`,` before three), `/` between letters of two at most (`d/c`,
    `mg/dL`), an apostrophe between letters, points between single letters, brackets around the
    three digits of a telephone number, and letters next to digits as `_letters_and_digits` says.
    """
    layer = _Layer.of(codes, classes, starts, ends, kinds)
    touching = _where(layer.near)
    if len(touching):
        sign = layer.kinds[touching] == SIGN_KIND
        _glue_by_signs(touching[sign], layer)
        words = touching[~sign & (layer.kinds[touching - 1] != SIGN_KIND)]
        if len(words):
            _letters_and_digits(words, layer)
        _glue_first_signs(touching[~sign], layer)
    return ~layer.glued[_PAD:-_PAD]


def _glue_by_signs(signs: Ints, layer: _Layer) -> None:
    """Glues signs that touch what is before them to it, and to what is after them."""
    kinds, lengths, near, glued = layer.kinds, layer.lengths, layer.near, layer.glued
    code = layer.first_codes(signs)
    points = signs[code == ord(".")]
    if len(points) > 1:
        # A.B.: points that each touch one letter, with nothing else between them.
        points = points[(kinds[points - 1] == LETTER_KIND) & (lengths[points - 1] == 1)]
        links = points[:-1][(points[1:] - points[:-1] == 2) & near[points[:-1] + 1]]
        for i in range(3):
            glued[links + i] = True
    inner = near[signs + 1]
    signs, code = signs[inner], code[inner]
    if not len(signs):
        return
    left, right = kinds[signs - 1], kinds[signs + 1]
    letters = (left == LETTER_KIND) & (right == LETTER_KIND)
    digits = (left == DIGIT_KIND) & (right == DIGIT_KIND)
    before, after = lengths[signs - 1], lengths[signs + 1]
    slash = code == ord("/")
    joins = (code == ord("-")) | (code == ord("_")) | (code == 0x2010) | (code == 0x2011)
    joins &= (left != SIGN_KIND) & (right != SIGN_KIND)
    joins |= digits & ((code == ord(".")) | slash | (code == ord(":")))
    joins |= digits & (code == ord(",")) & (before <= 3) & (after == 3)
    joins |= letters & ((code == ord("'")) | (code == 0x2019))
    joins |= letters & slash & (before <= 2) & (after <= 2)
    found = signs[joins]
    glued[found] = True
    glued[found + 1] = True


def _glue_first_signs(touching: Ints, layer: _Layer) -> None:
    """Glues `+` to its number, and the brackets of a telephone number: (617)555-0100."""
    kinds, lengths, near, glued = layer.kinds, layer.lengths, layer.near, layer.glued
    numbers = touching[(kinds[touching] == DIGIT_KIND) & (kinds[touching - 1] == SIGN_KIND)]
    first = ~near[numbers - 1] | (kinds[numbers - 2] == SIGN_KIND)
    numbers = numbers[first]
    if not len(numbers):
        return
    code = layer.first_codes(numbers - 1)
    glued[numbers[code == ord("+")]] = True
    numbers = numbers[
        (code == ord("(")) & (lengths[numbers] == 3) & near[numbers + 1] & near[numbers + 2]
    ]
    numbers = numbers[
        (layer.first_codes(numbers + 1) == ord(")"))
        & (kinds[numbers + 2] == DIGIT_KIND)
        & (lengths[numbers + 2] == 3)
    ]
    for i in range(3):
        glued[numbers + i] = True


def _letters_and_digits(words: Ints, layer: _Layer) -> None:
    """Glues letters to the digits they touch, and digits to letters, where they are one word.

    Letters before digits (`t98.6`, `B12`, `COVID19`, `AB123456`) are not one word with them if the
    digits begin a date (`CABG6/95`, `PEND01/26/2098`); if there are three letters or more and they
    end in a small one (`Since6`), or the digits begin a longer number or are five or more
    (`MRN1234567`); and in the patterns `x76221` and `X1-1335` of WI-deId, which are extensions and
    numbers.

    Digits before letters are (`98.6F`, `12AB345`, `12Mar2003`, `T2DM`, `3rd`) only if the letters
    are one, or at most three with a digit after or one letter before the only digits, or an
    ordinal's.
    """
    kinds, lengths, near, glued = layer.kinds, layer.lengths, layer.near, layer.glued
    classes, starts = layer.classes, layer.starts

    at = words[(kinds[words] == DIGIT_KIND) & (kinds[words - 1] == LETTER_KIND)]
    if len(at):
        digits, letters = lengths[at], lengths[at - 1]
        goes_on = (
            near[at + 1]
            & (kinds[at + 1] == SIGN_KIND)
            & near[at + 2]
            & (kinds[at + 2] == DIGIT_KIND)
        )
        sign = np.where(goes_on, layer.first_codes(at + 1), 0)
        ends_small = classes[starts[at] - 1] == LOWER
        month = (letters == 3) & near[at - 1] & (kinds[at - 2] == DIGIT_KIND)
        number = (sign == ord("-")) | (sign == ord(".")) | (sign == ord(":"))
        apart = (letters >= 3) & (number | (digits >= 5) | (ends_small & ~month))
        apart |= sign == ord("/")
        alone = (letters == 1) & (~near[at - 1] | (kinds[at - 2] == SIGN_KIND))
        ends = (sign == 0) & (~near[at + 1] | (kinds[at + 1] == SIGN_KIND))
        apart |= alone & (digits == 5) & ends_small & ends
        apart |= (
            alone
            & (digits == 1)
            & (classes[starts[at] - 1] == UPPER)
            & (sign == ord("-"))
            & (lengths[at + 2] == 4)
        )
        glued[at[~apart]] = True

    at = words[(kinds[words] == LETTER_KIND) & (kinds[words - 1] == DIGIT_KIND)]
    if len(at):
        letters = lengths[at]
        one = letters == 1
        one |= (letters <= 3) & near[at + 1] & (kinds[at + 1] == DIGIT_KIND)
        one |= (
            (letters <= 3) & near[at - 1] & (kinds[at - 2] == LETTER_KIND) & (lengths[at - 1] == 1)
        )
        pairs = _where((letters == 2) & ~one)
        place = starts[at[pairs]]
        first, second = layer.codes[place], layer.codes[place + 1]
        for ordinal in _ORDINALS:
            one[pairs[(first == ordinal[0]) & (second == ordinal[1])]] = True
        glued[at[one]] = True


def _lines(codes: Codes, classes: Classes, starts: Ints) -> tuple[Ints, Ints]:
    """The first token of each line that has one, and the line breaks before it since the last."""
    breaks = _where(classes == BREAK)
    made_of = codes[breaks]
    if (made_of == _CARRIAGE_RETURN).any():
        # Carriage return and line feed are one line break.
        second = np.zeros(len(breaks), np.bool_)
        second[1:] = breaks[1:] == breaks[:-1] + 1
        second[1:] &= (made_of[1:] == _LINE_FEED) & (made_of[:-1] == _CARRIAGE_RETURN)
        breaks = breaks[~second]
    # A break before the first token, so that the first line begins like the others.
    first = np.zeros(len(breaks) + 1, np.int64)
    first[1:] = starts.searchsorted(breaks)
    first = first[: first.searchsorted(len(starts))]
    begins = np.ones(len(first) + 1, np.bool_)
    np.not_equal(first[1:], first[:-1], out=begins[1:-1])
    edges = _where(begins)
    return first[edges[:-1]], edges[1:] - edges[:-1]
