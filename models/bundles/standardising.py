"""Standardising: every occurrence of a phrase in a document takes the label it was found with.

Source: Szarvas et al. 2006, "Iterative learning": "We collect all predicted phrases from the
previous iteration and overwrite every occurrence of them with the predicted class of the longest
matching phrase."

Unlike propagation it changes what was found, and it asks for no share of the places.
"""

from __future__ import annotations

import collections
from collections.abc import Sequence

from ...dictionaries.trie import TokenTrie
from ..core.arrays import Ints
from ..core.spans import Candidate
from .passes import most_frequent
from .propagate import LONGEST, DocumentWords, is_distinctive, touched_tokens

_SHORTEST = 3
"""Fewest letters of a word that tells something alone."""


def standardise(
    text: str, starts: Ints, ends: Ints, candidates: Sequence[Candidate], which: str
) -> list[Candidate]:
    """The candidates of one document with every occurrence of their phrases alike, in order.

    Phrases match as those of `propagate` do. The longest go first, then the leftmost; each takes
    all of its tokens, and what is left of a candidate that it cuts stays as it was: no token that
    was found is lost. A phrase that was found with several labels has the most frequent one. Linear
    in tokens and candidates.

    Args:
        text: of the document.
        starts: of its fine tokens, in order.
        ends: of these.
        candidates: disjoint, of one detector.
        which: "all" phrases, or "telling" ones: those that are unlikely to occur elsewhere by
            chance.
    """
    document = DocumentWords(text, starts, ends)
    places = touched_tokens(starts, ends, candidates)
    found: dict[tuple[str, ...], collections.Counter[str]] = {}
    scores: dict[tuple[tuple[str, ...], str], float] = {}
    for candidate, low, high in places:
        whole = high > low and (candidate.start, candidate.end) == (starts[low], ends[high - 1])
        if not whole or high - low > LONGEST:
            continue
        words = document.words[low:high]
        if which == "all" or is_distinctive(words, _SHORTEST, document):
            phrase = tuple(document.forms[low:high])
            found.setdefault(phrase, collections.Counter())[candidate.label] += 1
            key = phrase, candidate.label
            scores[key] = max(scores.get(key, 0.0), candidate.score)
    if not found:
        return list(candidates)
    labels = {phrase: most_frequent(counts) for phrase, counts in found.items()}
    taken = [-1] * len(starts)
    matches = _matches(TokenTrie(labels), document.forms, taken)
    before = {(low, high): candidate for candidate, low, high in places}
    made = []
    for low, high in matches:
        phrase = tuple(document.forms[low:high])
        label = labels[phrase]
        start, end = int(starts[low]), int(ends[high - 1])
        known = before.get((low, high))
        if known is not None and (known.start, known.end, known.label) == (start, end, label):
            made.append(known)
        else:
            detector, score = candidates[0].detector, scores[phrase, label]
            made.append(Candidate(start, end, label, detector, score))
    for candidate, low, high in places:
        made += _left(candidate, low, high, starts, ends, taken)
    return sorted(made)


def _matches(trie: TokenTrie, forms: Sequence[str], taken: list[int]) -> list[tuple[int, int]]:
    """The token ranges of phrases, disjoint; marks their tokens in `taken`."""
    every = [(start - end, start) for start, end in trie.every(forms)]
    matches: list[tuple[int, int]] = []
    for size, low in sorted(every):
        high = low - size
        if all(owner < 0 for owner in taken[low:high]):
            taken[low:high] = [len(matches)] * (high - low)
            matches.append((low, high))
    return matches


def _left(
    candidate: Candidate, low: int, high: int, starts: Ints, ends: Ints, taken: Sequence[int]
) -> list[Candidate]:
    """What no phrase took of a candidate: itself, or its free runs of tokens."""
    if all(owner < 0 for owner in taken[low:high]):
        return [candidate]
    pieces, first = [], -1
    for token in range(low, high + 1):
        is_free = token < high and taken[token] < 0
        if is_free and first < 0:
            first = token
        if not is_free and first >= 0:
            start = max(candidate.start, int(starts[first]))
            end = min(candidate.end, int(ends[token - 1]))
            pieces.append(
                Candidate(start, end, candidate.label, candidate.detector, candidate.score)
            )
            first = -1
    return pieces
