"""Propagation: a phrase found in one place of a document is found everywhere in it.

A CRF decides each place by its context, so it finds a surname after "Mr" and misses it in the
middle of a sentence. One pass over the document, after the CRFs, propagates the phrases that they
agree on. It only adds candidates: none is changed, and none is added on a token that has one.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ...dictionaries.trie import TokenTrie
from ..core.arrays import Ints
from ..core.lazy import lazy
from ..core.spans import Candidate
from ..recipes.propagation import Propagation
from ..recognisers.name_words import EPONYM_NOUNS

LONGEST = 12
"""Most tokens of a phrase that is propagated: it bounds the look-ups per token."""

_FEWEST_DIGITS = 4
"""Fewest digits of a phrase without words: record numbers are distinctive, days are not."""

_FEW = 16
"""Up to this many words are searched in the text; more are looked up among its tokens."""

_Form = tuple[str, ...]


def propagate(
    propagation: Propagation,
    text: str,
    starts: Ints,
    ends: Ints,
    candidates: Sequence[Candidate],
    detector: str | None,
) -> list[Candidate]:
    """Further candidates of one document, in order; disjoint, and on tokens without candidates.

    A phrase matches where the same tokens occur. Case is ignored except for the first letter of a
    word: "Lee" matches "LEE" but not "lee". A single word is not propagated if the document also
    has it in lower case, nor a name where a disease, a sign or an instrument is named after it. A
    phrase found with several labels gets the most frequent one.

    Linear in tokens and candidates.

    Args:
        propagation: what is propagated.
        text: of the document.
        starts: of its fine tokens, in order.
        ends: of its fine tokens.
        candidates: of all CRFs, in the bundle's own labels.
        detector: of the new candidates; None for the detector of the candidate each came from.

    Returns:
        Candidates with the highest score among those that each was propagated from.
    """
    if not any(candidate.label in propagation.labels for candidate in candidates):
        return []
    document = DocumentWords(text, starts, ends)
    places = touched_tokens(starts, ends, candidates)
    phrases = _found_phrases(
        document,
        [
            (candidate, low, high)
            for candidate, low, high in places
            if 0 < high - low <= LONGEST
            and candidate.start == starts[low]
            and candidate.end == ends[high - 1]
        ],
        propagation,
    )
    labels = {
        form: label
        for form, found in phrases.items()
        if (label := found.most_frequent()) in propagation.labels
    }
    if not document.may_hold_more(labels, [range(low, high) for _, low, high in places]):
        return []
    trie, forms = TokenTrie(labels), document.forms
    matches = [
        (low + a, low + b, tuple(forms[low + a : low + b]))
        for low, high in _free(places, len(forms))
        for a, b in trie.match(forms[low:high])
    ]
    missed = collections.Counter(form for _, _, form in matches)
    added = []
    for low, high, form in matches:
        label, found = labels[form], phrases[form]
        everywhere = sum(found.counts.values()) + missed[form]
        if label in propagation.names and is_eponym(document.words, high):
            continue
        if found.counts[label] >= propagation.share * everywhere:
            source = found.best[label]
            start, end = int(starts[low]), int(ends[high - 1])
            added.append(Candidate(start, end, label, detector or source.detector, source.score))
    return added


def touched_tokens(
    starts: Ints, ends: Ints, candidates: Sequence[Candidate]
) -> list[tuple[Candidate, int, int]]:
    """Each candidate with the range of the tokens that it touches, if only in part."""
    ranges = token_ranges(starts, ends, [(c.start, c.end) for c in candidates])
    return [(c, low, high) for c, (low, high) in zip(candidates, ranges, strict=True)]


def token_ranges(
    starts: Ints, ends: Ints, spans: Sequence[tuple[int, int]]
) -> list[tuple[int, int]]:
    """The range of the tokens that each span touches, if only in part."""
    first = np.searchsorted(ends, [start for start, _ in spans], side="right")
    last = np.searchsorted(starts, [end for _, end in spans], side="left")
    return list(zip(first.tolist(), last.tolist(), strict=True))


@dataclasses.dataclass(frozen=True, slots=True)
class _FoundPhrase:
    """A phrase that CRFs found.

    Attributes:
        counts: how often it was found, by label.
        best: the candidate with the highest score, by label; of equals the first.
    """

    counts: dict[str, int] = dataclasses.field(default_factory=dict)
    best: dict[str, Candidate] = dataclasses.field(default_factory=dict)

    def add(self, candidate: Candidate) -> None:
        """Counts one more place."""
        self.counts[candidate.label] = self.counts.get(candidate.label, 0) + 1
        best = self.best.setdefault(candidate.label, candidate)
        if candidate.score > best.score:
            self.best[candidate.label] = candidate

    def most_frequent(self) -> str:
        """The label; of equals the first by name."""
        return min(self.counts, key=lambda label: (-self.counts[label], label))


def _found_phrases(
    document: DocumentWords,
    places: Iterable[tuple[Candidate, int, int]],
    propagation: Propagation,
) -> dict[_Form, _FoundPhrase]:
    """The phrases that may be propagated, from candidates and the tokens that they consist of."""
    phrases: dict[_Form, _FoundPhrase] = {}
    # The form of each phrase, which is often found again; None for one that is not distinctive.
    forms: dict[_Form, _Form | None] = {}
    for candidate, low, high in places:
        words = document.phrase(low, high)
        for own in _phrases(candidate, words, propagation):
            if own not in forms:
                distinctive = is_distinctive(own, propagation.shortest, document)
                forms[own] = tuple(map(form_of, own)) if distinctive else None
            if (form := forms[own]) is not None:
                if (found := phrases.get(form)) is None:
                    found = phrases[form] = _FoundPhrase()
                found.add(candidate)
    return phrases


class DocumentWords:
    """The tokens of a document; in most documents few of them are read."""

    def __init__(self, text: str, starts: Ints, ends: Ints) -> None:
        self._text, self._starts, self._ends = text, starts, ends
        self._lookups = 0

    def word(self, token: int) -> str:
        """The text of one token."""
        return self._text[self._starts.item(token) : self._ends.item(token)]

    def phrase(self, low: int, high: int) -> tuple[str, ...]:
        """The texts of some tokens."""
        pairs = zip(self._starts[low:high].tolist(), self._ends[low:high].tolist(), strict=True)
        return tuple(self._text[s:e] for s, e in pairs)

    @lazy
    def words(self) -> list[str]:
        """The texts of all tokens."""
        return list(self.phrase(0, len(self._starts)))

    @lazy
    def forms(self) -> list[str]:
        """The form of each token; see `form_of`."""
        return list(map(form_of, self.words))

    @lazy
    def _small(self) -> set[str]:
        return {word for word in self.words if word[0].islower()}

    def has_small(self, word: str) -> bool:
        """Whether some token is this lower-case word."""
        self._lookups += 1
        return (self._lookups > _FEW or word in self._text) and word in self._small

    def may_hold_more(self, forms: Iterable[_Form], taken: Iterable[range]) -> bool:
        """Whether one of the phrases may occur outside the tokens that are taken.

        It cannot if no first word of a phrase occurs in the text outside these tokens: a text
        contains a word at least as often as its tokens equal it. With more than a few first words
        the answer is always yes.
        """
        firsts = {form[0].upper() for form in forms}
        if len(firsts) > _FEW:
            return True
        upper = self._text.upper()
        tokens = {token for tokens in taken for token in tokens}
        within = [self.word(token).upper() for token in tokens]
        return any(
            upper.count(first) > sum(word.count(first) for word in within if first in word)
            for first in firsts
        )


def is_eponym(words: Sequence[str], after: int) -> bool:
    """Whether a name belongs to a disease, a sign or an instrument: "Wilson disease", "Lee's test".

    Args:
        words: of the document.
        after: index of the word after the name.
    """
    if after + 1 < len(words) and words[after] in ("'", "’", "'s", "’s"):
        after += 1 + (words[after + 1] == "s" and len(words[after]) == 1)
    return after < len(words) and words[after] in EPONYM_NOUNS


def form_of(word: str) -> str:
    """The same for all spellings of a word that do not start in lower case."""
    return word if word[0].islower() else word.upper()


def _phrases(candidate: Candidate, words: _Form, propagation: Propagation) -> Iterator[_Form]:
    """Yields what may be propagated: the words of the candidate, and each word of a name."""
    yield words
    if candidate.label in propagation.names and len(words) > 1:
        for word in words:
            yield (word,)


def is_distinctive(words: Sequence[str], shortest: int, document: DocumentWords) -> bool:
    """Whether a phrase is unlikely to occur elsewhere by chance."""
    capitals = [w for w in words if w[0].isalpha() and not w[0].islower() and len(w) >= shortest]
    if len(words) == 1 and capitals:
        return not document.has_small(words[0].lower())
    return bool(capitals) or sum(c.isdigit() for word in words for c in word) >= _FEWEST_DIGITS


def _free(places: Iterable[tuple[Candidate, int, int]], tokens: int) -> Iterator[tuple[int, int]]:
    """Yields the longest runs of tokens that no candidate touches, in order."""
    taken = np.zeros(tokens + 1, np.int64)
    for _, low, high in places:
        if low < high:
            taken[low] += 1
            taken[high] -= 1
    free = np.concatenate(([False], np.cumsum(taken[:tokens]) == 0, [False]))
    edges = np.flatnonzero(free[1:] != free[:-1]).tolist()
    yield from zip(edges[::2], edges[1::2], strict=True)
