"""Where words of a patient's names stand in a text: each by itself, before anything is decided."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

import numpy as np
from rapidfuzz.distance import OSA
from rapidfuzz.process import cdist

from ..core.known_values import PersonKind
from .folding import FoldedView, occurrences, split_words, without_ocr
from .names import (
    FAMILY,
    GIVEN,
    LEAST_FUZZY_TWO,
    LEAST_OCR,
    LEAST_STRONG_CUT,
    KnownNames,
    NameClass,
    NameWord,
)
from .word_lists import known_words

_WRAPPED = re.compile(r"-[ \t]*\r?\n[ \t>]*")
_MOST_COMPARED = 2000
_LONGEST_FUZZY = 40
"""A longer text word is no name of a person, and no name is compared with it."""


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class NameMark:
    """A stretch of the folded text that is a word of a name.

    Attributes:
        start, end: half-open.
        what: the name's word that it is.
        exact: false for one that is within some edits, or misread.
        spelt: the folded word of the text.
    """

    start: int
    end: int
    what: NameWord = dataclasses.field(compare=False)
    exact: bool = True
    spelt: str = dataclasses.field(default="", repr=False)


def name_marks(view: FoldedView, names: KnownNames, fuzzy: int) -> list[NameMark]:
    """The marks of a text, in order and disjoint; of those that overlap the longest.

    Linear in the text for a patient; each name is compared with each different word that no list
    has.
    """
    found = set(_marks(view, names, fuzzy))
    kept: list[NameMark] = []
    for mark in sorted(found, key=lambda m: (m.start, -m.end, not m.exact)):
        if not kept or mark.start >= kept[-1].end:
            kept.append(mark)
        elif (mark.end - mark.start, mark.exact) > (kept[-1].end - kept[-1].start, kept[-1].exact):
            kept[-1] = mark
    return kept


def _marks(view: FoldedView, names: KnownNames, fuzzy: int) -> Iterator[NameMark]:
    folded = view.folded
    for whole, kind in names.whole.items():
        what = NameWord(kind, NameClass.STRONG, GIVEN | FAMILY)
        if whole[0] in folded:
            for match in re.finditer("[ \t\u3000]?".join(map(re.escape, whole)), folded):
                yield NameMark(*match.span(), what, True, whole)
    if not names.words:
        return
    spelt = set(split_words(folded))
    unknown = spelt - known_words()
    for word, what, exact in _hits(spelt, unknown, names, fuzzy):
        for start, end in occurrences(folded, word):
            yield NameMark(start, end, what, exact, word)
    yield from _wrapped(folded, names, fuzzy)
    yield from _glued(view, unknown, names.words)


def _hits(
    spelt: set[str], unknown: set[str], names: KnownNames, fuzzy: int
) -> Iterator[tuple[str, NameWord, bool]]:
    """Yields the words of a text that are words of a name, and whether they are spelt so.

    Args:
        spelt: the words of the text.
        unknown: those of them that are in no list.
        names: of the patient.
        fuzzy: edits.
    """
    words = names.words
    for word in spelt & words.keys():
        yield word, words[word], True
    for word in spelt & names.cut.keys():
        kind = words[names.cut[word]].kind
        strength = NameClass.STRONG if len(word) >= LEAST_STRONG_CUT else NameClass.WEAK
        yield word, NameWord(kind, strength, GIVEN), True
    for word, name in misspelt(unknown, names, fuzzy):
        yield word, words[name], False


def misspelt(unknown: set[str], names: KnownNames, fuzzy: int) -> Iterator[tuple[str, str]]:
    """Yields words that are strong names with an error of typing or reading, with the name.

    Args:
        unknown: folded words that are in no list.
        names: of the patient.
        fuzzy: edits.
    """
    if not names.misread:
        return
    near = []
    for word in unknown - names.words.keys() - names.cut.keys():
        if not LEAST_OCR <= len(word) <= _LONGEST_FUZZY or word.isdigit():
            continue
        if (name := names.misread.get(without_ocr(word))) is not None:
            yield word, name
        elif word.isalpha():
            near.append(word)
    yield from near_names(near, names.fuzzy, fuzzy)


def near_names(spelt: list[str], names: tuple[str, ...], edits: int) -> Iterator[tuple[str, str]]:
    """Yields words with the name that they are within one edit of, or two from eight letters on.

    Optimal string alignment (Boytsov 2011, "Indexing methods for approximate dictionary searching",
    section 2.2): insertions, deletions, replacements, and swaps of neighbours.
    """
    if len(spelt) > _MOST_COMPARED:  # a cell for each pair: a note of millions of words has parts
        for at in range(0, len(spelt), _MOST_COMPARED):
            yield from near_names(spelt[at : at + _MOST_COMPARED], names, edits)
        return
    if not spelt or not names or edits < 1:
        return
    distances = cdist(names, spelt, scorer=OSA.distance, score_cutoff=edits, dtype=np.uint8)
    most = np.array(
        [edits if len(name) >= LEAST_FUZZY_TWO else min(edits, 1) for name in names], np.uint8
    )
    rows, columns = np.nonzero(distances <= most[:, None])
    seen = set()
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        if column not in seen:
            seen.add(column)
            yield spelt[column], names[row]


def _wrapped(folded: str, names: KnownNames, fuzzy: int) -> Iterator[NameMark]:
    """Yields words that a hyphen at the end of a line breaks."""
    for match in _WRAPPED.finditer(folded):
        start, end = match.span()
        while start > 0 and match.start() - start < _LONGEST_FUZZY and folded[start - 1].isalpha():
            start -= 1
        while end < len(folded) and end - match.end() < _LONGEST_FUZZY and folded[end].isalpha():
            end += 1
        joined = folded[start : match.start()] + folded[match.end() : end]
        for word, what, exact in _hits({joined}, {joined} - known_words(), names, fuzzy):
            if what.strength > NameClass.SHORT:
                yield NameMark(start, end, what, exact, word)


def _glued(view: FoldedView, unknown: set[str], words: dict[str, NameWord]) -> Iterator[NameMark]:
    """Yields names that only their case, or digits, part from what touches them.

    `SmithMD`, `seenSmith`, `SMITHwas`, `smith42`: such a word is in no list.
    """
    names = [word for word, what in words.items() if what.strength is NameClass.STRONG]
    longer = [word for word in unknown - words.keys() if len(word) <= _LONGEST_FUZZY]
    together = "\n".join(longer)
    for name in names:
        for long in longer if name in together else ():
            if name not in long:
                continue
            for start, end in occurrences(view.folded, long):
                at = view.folded.find(name, start, end)
                while at >= 0:
                    stop = at + len(name)
                    if (at == start or _is_cut(view, at)) and (stop == end or _is_cut(view, stop)):
                        yield NameMark(at, stop, words[name], True, name)
                    at = view.folded.find(name, at + 1, end)


def _is_cut(view: FoldedView, at: int) -> bool:
    """Whether two characters that touch are of two words: a letter and a digit, or by case."""
    one, other = view.at(at - 1), view.at(at)
    if not (one.isalpha() and other.isalpha()):
        return True
    if one.islower() and other.isupper():
        return True
    following = view.at(at + 1) if at + 1 < len(view.folded) else ""
    return one.isupper() and (other.islower() or following.islower())


def kind_of(marks: list[NameMark]) -> PersonKind:
    """Whose name several marks are: of the kind of most of the letters, self before others."""
    letters: dict[PersonKind, int] = {}
    for mark in marks:
        letters[mark.what.kind] = letters.get(mark.what.kind, 0) + mark.end - mark.start
    order = list(PersonKind)
    return min(letters, key=lambda kind: (-letters[kind], order.index(kind)))
