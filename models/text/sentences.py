"""Where sentences and sections begin, from lines and from the points inside them.

The rules, in the order in which they are asked. A sentence begins at the first token and

1. on a new line: after a blank line; at and after a heading; at `Label:` and at a list marker;
   after `.!?` unless the line goes on in small letters or the point ends an abbreviation; and else
   unless the line continues a wrapped one (`_continues`);
2. inside a line: after `.!?`, closing quotes and white space, before a capital, a caseless letter
   or a digit, quoted or in brackets or not, unless the point ends an abbreviation, an initial or a
   list number.

The words after `HEADING:` stay in the heading's sentence: `Patient: Abebe` is read with its label.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ...dictionaries import phrase_set, word_set
from ..core.arrays import Flags, Ints
from .characters import (
    CASELESS,
    CLOSER,
    CLOSERS,
    DIGIT,
    OPENER,
    TERMINATOR,
    TERMINATORS,
    UPPER,
    Classes,
)
from .sections import LONGEST_HEADING, section_of

_TITLES = word_set("dr drs mr mrs ms miss mx prof rev hon sra srta dra sres frau hr")
_ABBREVIATIONS = _TITLES | phrase_set("sentence_abbreviations")
# Ordinary words or ends of sentences, unless a number follows.
_BEFORE_NUMBERS = phrase_set("sentence_words_before_numbers")
# Written after a name, so that the point before a capital ends the sentence.
_CREDENTIALS = word_set("m.d d.o r.n p.a n.p d.d.s d.m.d o.d m.s b.s m.a b.a d.p.m l.p.n j.d u.s.a")
# After a day with a point (27. März); "may" is left out, it begins sentences.
_MONTHS = word_set("jan feb mar mär apr mai jun jul aug sep okt oct nov dez dec")
# A line that ends in one of these goes on.
_LINKING = phrase_set("sentence_linking_words")
_INITIALS = re.compile(r"[^\W\d_](?:\.[^\W\d_])+\Z")
_AFTER_SIGNS = re.compile(r"[\s()\[\]{}\"'\u201c\u2018/-]")
_LIST_MARKER = re.compile(
    r"[-*\u2022\u2023\u25aa\u25cf\u25cb\u25e6\u2043\u00b7\uf0b7>+#~\u2013\u2014]{1,3}(?=[\s\w\"(\[])"
    r"|\(?\d{1,3}[.):](?!\d)"
    r"|\(?[A-Za-z][.)](?=\s)"
    r"|\[[ xX]?\]"
)
_LONGEST_WORD = 60
_CHUNK = 1 << 14
# Lines of wrapped text are between these many code points long, and end within so many of its
# width.
_NARROWEST, _WIDEST, _RAGGED = 60, 140, 15


def ends_in_abbreviation(text: str, point: int, following: str) -> bool:
    """Whether the point at an offset belongs to its word, so that the sentence may go on.

    Args:
        text: the document.
        point: offset of a ".".
        following: first character of the next word.
    """
    window = text[max(0, point - 12) : point]
    # Text that was tokenized once already has a blank before the point.
    window = window.removesuffix(" ")
    if not window or window[-1].isspace():
        return False
    written = _AFTER_SIGNS.split(window)[-1]
    word = written.lower()
    if len(written) == 1:
        # An initial; a small letter is an abbreviation before numbers only ("p. 5").
        return written.isupper() or (following.isdigit() and word in _BEFORE_NUMBERS)
    if word in _ABBREVIATIONS:
        return True
    if word in _BEFORE_NUMBERS:
        return following.isdigit()
    if written.isupper() and _INITIALS.match(written):
        return word not in _CREDENTIALS
    return False


def find_sentences(
    text: str,
    starts: Ints,
    ends: Ints,
    classes: Classes,
    line_tokens: Ints,
    breaks_before: Ints,
) -> tuple[Flags, Ints]:
    """The tokens at which sentences begin, and the section of each token.

    Args:
        text: the untouched text.
        starts: first offsets of the fine tokens, at least one.
        ends: offsets one past the last.
        classes: class of each token's first character.
        line_tokens: the first token of each line that has one, the first of all being 0.
        breaks_before: line breaks between each of these and the token before it.

    Returns:
        Flags and sections, one of each a token; a heading is part of the section it opens.
    """
    # Python writes single bytes into this faster than into an array.
    begun = bytearray(len(starts))
    sections = _read_lines(text, starts, ends, line_tokens, breaks_before, begun)
    _read_points(text, starts, ends, classes, line_tokens, begun)
    return np.frombuffer(begun, np.bool_), sections


def _rows(*columns: npt.NDArray[np.generic]) -> Iterator[tuple[Any, ...]]:
    """The rows of equally long columns, as Python values, a few at a time."""
    for begin in range(0, len(columns[0]), _CHUNK):
        yield from zip(
            *(column[begin : begin + _CHUNK].tolist() for column in columns), strict=True
        )


def _read_lines(
    text: str, starts: Ints, ends: Ints, line_tokens: Ints, breaks_before: Ints, begun: bytearray
) -> Ints:
    first = starts[line_tokens]
    last = np.append(ends[line_tokens[1:] - 1], ends[-1])
    begins = breaks_before > 1
    width = _wrapped_width(last - first)

    headed: list[int] = []
    names: list[int] = []
    after_heading = True
    previous_start = previous_end = 0
    find = text.find
    for token, start, end, blank in _rows(line_tokens, first, last, begins):
        heads = False
        labelled = False
        colon = find(":", start, min(end, start + LONGEST_HEADING))
        if colon >= 0:
            heading = text[start:colon]
            section = section_of(heading, colon=True)
            labelled = section >= 0 or (
                heading[:1].isupper()
                and heading.count(" ") < 6
                and not (heading[-1].isdigit() and text[colon + 1 : colon + 2].isdigit())
            )
            heads = labelled and colon + 1 == end
        elif end - start <= LONGEST_HEADING:
            section = section_of(text[start:end], colon=False)
            labelled = heads = section >= 0
        else:
            section = -1
        if section >= 0:
            headed.append(token)
            names.append(section)
        if (
            blank
            or after_heading
            or labelled
            or _LIST_MARKER.match(text, start)
            or not _continues(text, previous_start, previous_end, start, end, width)
        ):
            begun[token] = True
        after_heading = heads
        previous_start, previous_end = start, end
    bounds = [0, *headed, len(starts)]
    return np.repeat(np.array([-1, *names], np.int64), np.diff(bounds))


def _wrapped_width(lengths: Ints) -> int:
    """The width at which the lines of a text are wrapped, or 0 if they do not look wrapped.

    They do if at least three lines come close to the same width and fewer are of middling length.
    """
    lengths = lengths[(lengths >= _NARROWEST) & (lengths <= _WIDEST)]
    if len(lengths) < 3:
        return 0
    width = int(lengths.max())
    near = int((lengths > width - _RAGGED).sum())
    return width if near >= 3 and 2 * near > len(lengths) else 0


def _continues(
    text: str, previous_start: int, previous_end: int, start: int, end: int, width: int
) -> bool:
    """Whether a line continues the sentence of the line above it, after a single line break."""
    character = text[start]
    point = previous_end - 1
    while point > previous_start and point > previous_end - 4 and text[point] in CLOSERS:
        point -= 1
    last = text[point]
    if character.islower():
        return last not in "!?:"
    if last in TERMINATORS or last in ":;":
        if last != "." or not ends_in_abbreviation(text, point, character):
            return False
        if _AFTER_SIGNS.split(text[max(0, point - 6) : point].rstrip())[-1].lower() in _TITLES:
            return True
    elif (last in ",-/&(" and character.isalnum()) or (
        text[max(previous_start, previous_end - 12) : previous_end].split()[-1] in _LINKING
    ):
        return True
    # Wrapped at a fixed width: the first word of this line would not have fitted on the line above.
    stop = min(end, start + _LONGEST_WORD)
    blank = text.find(" ", start, stop)
    word = (blank if blank >= 0 else stop) - start
    return 0 < width < previous_end - previous_start + 1 + word


def _read_points(
    text: str, starts: Ints, ends: Ints, classes: Classes, line_tokens: Ints, begun: bytearray
) -> None:
    # Of several together (`?!`, `...`) the last counts.
    ends_here = classes == TERMINATOR
    points = (ends_here[:-1] & ~ends_here[1:]).nonzero()[0]
    if not len(points):
        return
    after = points + 1
    count = len(starts)
    for _ in range(3):
        at = np.minimum(after, count - 1)
        after = after + ((classes[at] == CLOSER) & (starts[at] == ends[at - 1]))
    after, points = after[after < count], points[after < count]
    opening = classes[after]
    inner = classes[np.minimum(after + 1, count - 1)]
    starts_word = _begins(opening) | (((opening == OPENER) | (opening == CLOSER)) & _begins(inner))
    apart = starts[after] > ends[after - 1]
    chosen = starts_word.nonzero()[0]
    is_line = np.zeros(count, np.bool_)
    is_line[line_tokens] = True
    chosen = chosen[~is_line[after[chosen]]]
    if not len(chosen):
        return
    latest = -2
    after, points, apart = after[chosen], points[chosen], apart[chosen]
    for token, point, offset, following, separate, line_first in _rows(
        after, points, starts[points], starts[after], apart, is_line[points - 1]
    ):
        sign = text[offset]
        if sign == ".":
            if not separate:
                continue
            before = point - 1
            if (
                before >= 0
                and (line_first or before == latest)
                and text[offset - 1].isdigit()
                and int(ends[before] - starts[before]) < 4
            ):
                continue
            if text[offset - 1].isdigit() and text[following : following + 3].lower() in _MONTHS:
                continue
            if ends_in_abbreviation(text, offset, text[following]):
                continue
        elif not separate and sign < "\u0500":
            continue
        latest = token
        begun[token] = True


def _begins(classes: Classes) -> Flags:
    flags: Flags = (classes == UPPER) | (classes == DIGIT) | (classes == CASELESS)
    return flags
