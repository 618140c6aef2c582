"""The words of a document that may tell of its patient's other documents, and how each is compared.

A word of a name is compared in small letters without accents; a number, as it stands. A listed word
(English, Spanish, medical) counts only with a capital, and only if people are called so.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np

from ...dictionaries import load_weighted
from ..core.arrays import Ints
from ..core.spans import Candidate
from ..roster.folding import fold
from ..roster.word_lists import known_words, titles
from ..text.tokenizer import tokenize_documents

NAMES = frozenset(("PATIENT", "DOCTOR"))
"""Labels whose spans are names; those of all others are numbers."""

SHORTEST_NAME = 3
SHORTEST_NUMBER = 4
LONGEST = 40
"""Characters of a word; what is longer is no name or number of a person."""

_IGNORED, _UNLISTED, _LISTED, _NUMBER = range(4)
_MOST_KEPT = 1 << 15


class _Classes(dict[str, int]):
    """Word as it is written -> its class; learnt as texts need it."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_KEPT:
            self.clear()
        found = self[word] = _class_of(word)
        return found


def _class_of(word: str) -> int:
    if len(word) > LONGEST:
        return _IGNORED
    if word.isdecimal():
        return _NUMBER if len(word) >= SHORTEST_NUMBER else _IGNORED
    folded = fold(word)  # without marks: `ü` may be one character or two
    if len(folded) < SHORTEST_NAME or not folded.isalpha():
        return _IGNORED
    if folded in titles():
        return _IGNORED
    if folded not in known_words():
        return _UNLISTED
    return _LISTED if word[0].isupper() and folded in _called_so() else _IGNORED


@functools.cache
def _called_so() -> frozenset[str]:
    """What people of the United States are called, by the counts of the census."""
    names = ("first_name_counts_en", "surname_counts_en")
    return frozenset(fold(name) for counts in names for name in load_weighted(counts))


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class LeftWord:
    """A word that no detector found anything on. PHI, maybe: it leaves no worker.

    Attributes:
        form: as words are compared.
        token: index of its token in the document.
        is_listed: whether it is also a word of a list.
    """

    form: str
    token: int
    is_listed: bool


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class DocumentEvidence:
    """What a document says of its words.

    Attributes:
        found: forms of words on which a detector found a label, with the label.
        left: words on which nothing was found, in their order.
    """

    found: frozenset[tuple[str, str]]
    left: tuple[LeftWord, ...]


def words_of(
    text: str,
    starts: Ints,
    ends: Ints,
    candidates: Iterable[Candidate],
    carried: Collection[str],
    classes: _Classes,
) -> DocumentEvidence:
    """The words of one document; linear in tokens and candidates.

    Args:
        text: of the document.
        starts, ends: of its fine tokens, in order.
        candidates: of all detectors.
        carried: labels that are carried from one document to another.
        classes: of `word_classes`.
    """
    bounds = list(zip(starts.tolist(), ends.tolist(), strict=True))
    words = [text[start:end] for start, end in bounds]
    touched = bytearray(len(words))
    found: set[tuple[str, str]] = set()
    spans = list(candidates)
    lows = np.searchsorted(ends, [c.start for c in spans], side="right").tolist()
    highs = np.searchsorted(starts, [c.end for c in spans], side="left").tolist()
    for candidate, low, high in zip(spans, lows, highs, strict=True):
        touched[low:high] = b"\1" * (high - low)
        if candidate.label in carried:
            own = [*words[low:high], *_joined(words, bounds, low, high)]
            forms = (_found_form(word, candidate.label) for word in own)
            found.update((form, candidate.label) for form in forms if form)
    left = []
    for token, word in enumerate(words):
        kind = classes[word]
        if kind and not touched[token]:
            left.append(LeftWord(fold(word), token, kind == _LISTED))
    return DocumentEvidence(frozenset(found), tuple(left))


word_classes = _Classes
"""Makes what remembers the classes of words, for `words_of`; one a process."""


def _joined(
    words: Sequence[str], bounds: Sequence[tuple[int, int]], low: int, high: int
) -> Iterator[str]:
    """Yields words of a span that only a capital parts, as one: `MaryBeth` is two tokens."""
    first = low
    for token in range(low, high):
        goes_on = (
            token + 1 < high
            and bounds[token][1] == bounds[token + 1][0]
            and words[token].isalpha()
            and words[token + 1].isalpha()
        )
        if not goes_on:
            if token > first:
                yield "".join(words[first : token + 1])
            first = token + 1


def _found_form(word: str, label: str) -> str:
    """How a word of a span is compared; "" for one that tells nothing."""
    kind = _class_of(word)
    if label in NAMES:
        return fold(word) if kind in (_UNLISTED, _LISTED) else ""
    return word if kind == _NUMBER else ""


def is_always_told(word: str) -> bool:
    """Whether evidence speaks of each place in which a word is left, however it is written.

    It does not of a listed word, of which it knows those with a capital alone, nor of one that is
    several tokens in some way of writing it.
    """
    written = [word, word.lower(), word.upper(), word.title()]
    tokens = tokenize_documents(written)
    are_whole = all(len(tokens.texts(at, one)) == 1 for at, one in enumerate(written))
    return are_whole and all(_class_of(one) in (_UNLISTED, _NUMBER) for one in written)
