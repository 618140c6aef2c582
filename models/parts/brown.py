"""Brown clusters: words that have the same neighbours, as leaves of a binary tree.

Brown et al. 1992, "Class-Based n-gram Models of Natural Language", §3, in the greedy form with a
window (Liang 2005, "Semi-Supervised Learning for Natural Language", §4.2): the `clusters` most
frequent words are clusters; then word by word, the next one is added and the two clusters merged
whose merging costs the least average mutual information of neighbours. At the end the clusters are
merged to one; the path to a cluster from the root is the code of its words.

Counts are whole numbers, and c log c is rounded to 2^-20 before anything is added up, so sums are
exact: no smoothing, no drift, the same tree in any order of summation. Each step costs
O(clusters^2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..columns import Floats, Ints
from ..errors import UsageError
from .base import LONGEST_CODE, ClusterPart, make_cluster_part
from .sources import Origin
from .words import Words, corpus_card, count_words, table_of

_SCALE = float(1 << 20)
_EVERY = 500
Steps = Callable[[int, int], None]
"""Called from time to time with the steps done and all steps."""


def train_brown(
    texts: Sequence[str],
    *,
    origin: Origin,
    vocabulary: int = 5_000,
    clusters: int = 100,
    least_count: int = 2,
    fold: bool = True,
    command: str = "",
    progress: Steps | None = None,
) -> ClusterPart:
    """Makes the part `brown`; same texts, same bytes.

    Args:
        texts: raw; the more the better.
        origin: of the texts.
        vocabulary: most words that get a code: the frequent ones.
        clusters: leaves of the tree.
        least_count: rarer words get no code.
        fold: words that differ only in case are one; all their forms get its code.
        command: for the card.
        progress: see `Steps`.

    Raises:
        UsageError: if a number is out of range, or there are not more than two words.
    """
    if not (2 <= clusters <= 1_000 and clusters <= vocabulary <= 100_000 and least_count >= 1):
        raise UsageError(
            "brown: expected 2 to 1,000 clusters, a vocabulary of at least as many and at most"
            " 100,000, and least_count from 1"
        )
    words = count_words(texts, most=vocabulary, least_count=least_count, fold=fold)
    if len(words.vocabulary) < 2:
        raise UsageError(f"brown: no two words occur {least_count} times or more")
    codes = [code[:LONGEST_CODE] for code in brown_codes(words, clusters, progress)]
    card = {
        **corpus_card(words, origin, command),
        "settings": {
            "clusters": clusters,
            "vocabulary": vocabulary,
            "least_count": least_count,
            "fold": fold,
        },
    }
    return make_cluster_part("brown", table_of(words, codes), card=card, licence_text=origin.text())


def brown_codes(words: Words, clusters: int, progress: Steps | None = None) -> list[str]:
    """The code of each word of the vocabulary: a path of "0" and "1", equal within a cluster.

    Args:
        words: the bigrams are neighbours in a sentence, both numbered.
        clusters: leaves of the tree; each word is its own if there are not more words.
        progress: see `Steps`.
    """
    size = len(words.vocabulary)
    window = min(clusters, size)
    state = _Window(window + 1, _Bigrams(words))
    total = 2 * size - window - 1
    for word in range(size):
        state.add(word, int(words.counts[word]))
        if state.used > window:
            state.merge(*state.cheapest())
        if progress is not None and word % _EVERY == 0:
            progress(word, total)
    leaves = state.clusters()
    children: dict[int, tuple[int, int]] = {}
    node_of = {slot: index for index, (slot, _) in enumerate(leaves)}
    while state.used > 1:
        first, second = state.cheapest()
        children[len(leaves) + len(children)] = node_of[first], node_of[second]
        node_of[first] = len(leaves) + len(children) - 1
        state.merge(first, second)
    paths = {len(leaves) + len(children) - 1: ""}
    for node in sorted(children, reverse=True):
        for bit, child in zip("01", children[node], strict=True):
            paths[child] = paths[node] + bit
    codes = [""] * size
    for index, (_, members) in enumerate(leaves):
        for word in members:
            codes[word] = paths[index]
    if progress is not None:
        progress(total, total)
    return codes


class _Bigrams:
    """How often numbered words follow each other, by word."""

    def __init__(self, words: Words) -> None:
        size = len(words.vocabulary)
        inside = np.ones(max(len(words.running) - 1, 0), np.bool_)
        inside[words.sentences[1:-1] - 1] = False
        left, right = words.running[:-1], words.running[1:]
        kept = inside & (left >= 0) & (right >= 0)
        pairs, self._counts = np.unique(left[kept] * size + right[kept], return_counts=True)
        self._left, self._right = pairs // size, pairs % size
        self._by_right = np.argsort(self._right, kind="stable")
        numbers = np.arange(size + 1)
        self._rows = np.searchsorted(self._left, numbers)
        self._columns = np.searchsorted(self._right[self._by_right], numbers)

    def behind(self, word: int) -> tuple[Ints, Ints]:
        """Words that follow this one, and how often."""
        rows = slice(self._rows[word], self._rows[word + 1])
        return self._right[rows], self._counts[rows]

    def before(self, word: int) -> tuple[Ints, Ints]:
        """Words that this one follows, and how often."""
        rows = self._by_right[self._columns[word] : self._columns[word + 1]]
        return self._left[rows], self._counts[rows]


class _Window:
    """The clusters of the moment, one a slot.

    With c the count of neighbours, n that of a cluster and N of all, the mutual information times N
    is the sum of c log c over all pairs, less the sum of c log n over rows and over columns, plus
    c log N, which merging does not change. Only the first needs pairs of clusters: `_joint[i, j]`
    is its sum over the row and column that i and j would have as one.
    """

    def __init__(self, slots: int, bigrams: _Bigrams) -> None:
        self._bigrams = bigrams
        self._pairs = np.zeros((slots, slots), np.int64)
        self._joint = np.zeros((slots, slots), np.int64)
        self._sizes = np.zeros(slots, np.int64)
        self._taken = np.zeros(slots, np.bool_)
        self._members: list[list[int]] = [[] for _ in range(slots)]
        self._slot_of: dict[int, int] = {}
        self._later = np.triu(np.ones((slots, slots), np.bool_), 1)

    @property
    def used(self) -> int:
        """Number of clusters."""
        return int(self._taken.sum())

    def clusters(self) -> list[tuple[int, list[int]]]:
        """Slot and words of each cluster, by its first word."""
        found = [(int(slot), self._members[slot]) for slot in np.flatnonzero(self._taken)]
        return sorted(found, key=lambda pair: pair[1][0])

    def add(self, word: int, count: int) -> None:
        """Makes a word a cluster of its own, in a free slot."""
        slot = int(np.argmin(self._taken))
        row, column = np.zeros((2, len(self._sizes)), np.int64)
        self._slot_of[word] = slot
        for other, times in zip(*map(np.ndarray.tolist, self._bigrams.behind(word)), strict=True):
            if (place := self._slot_of.get(other)) is not None:
                row[place] += times
        for other, times in zip(*map(np.ndarray.tolist, self._bigrams.before(word)), strict=True):
            if (place := self._slot_of.get(other)) is not None:
                column[place] += times
        self._members[slot], self._sizes[slot] = [word], count
        self._taken[slot] = True
        self._put(slot, row, column)

    def merge(self, first: int, second: int) -> None:
        """Makes two clusters one, in the slot of the first."""
        row = self._pairs[first] + self._pairs[second]
        column = self._pairs[:, first] + self._pairs[:, second]
        row[first] += row[second]
        column[first] = row[first]
        row[second] = column[second] = 0
        self._take(first)
        self._take(second)
        for word in self._members[second]:
            self._slot_of[word] = first
        self._members[first] = sorted(self._members[first] + self._members[second])
        self._members[second] = []
        self._sizes[first] += self._sizes[second]
        self._sizes[second] = 0
        self._taken[second] = False
        self._put(first, row, column)

    def cheapest(self) -> tuple[int, int]:
        """The two slots whose merging costs the least; of equal ones the first."""
        costs = np.where(self._later & np.outer(self._taken, self._taken), self.costs(), np.inf)
        first, second = np.unravel_index(int(np.argmin(costs)), costs.shape)
        one, other = int(first), int(second)
        # The older cluster, that of the more frequent words, keeps its place in the tree.
        return (one, other) if self._members[one][0] < self._members[other][0] else (other, one)

    def costs(self) -> Floats:
        """What merging each pair of slots takes off the mutual information times N."""
        pairs = self._pairs
        own = _weigh(pairs)
        diagonal = np.diagonal(pairs)
        alone = own.sum(axis=0) + own.sum(axis=1) - np.diagonal(own)
        # Of the row and the column of the two, the four cells that become one.
        square = diagonal[:, None] + diagonal[None, :] + pairs + pairs.T
        across = _weigh(diagonal[:, None] + pairs.T) + _weigh(pairs + diagonal[None, :])
        down = _weigh(diagonal[:, None] + pairs) + _weigh(pairs.T + diagonal[None, :])
        merged = self._joint - across - down + _weigh(square)
        before = alone[:, None] + alone[None, :] - own - own.T
        logs = np.log(np.maximum(self._sizes, 1))
        joined = np.log(np.maximum(self._sizes[:, None] + self._sizes[None, :], 1))
        edges = pairs.sum(axis=0) + pairs.sum(axis=1)
        spread = (edges[:, None] + edges[None, :]) * joined
        apart = edges * logs
        lost: Floats = (before - merged) / _SCALE + spread - apart[:, None] - apart[None, :]
        return lost

    def _take(self, slot: int) -> None:
        """Takes the row and column of a slot out."""
        self._account(slot, -1)
        self._pairs[slot] = 0
        self._pairs[:, slot] = 0

    def _put(self, slot: int, row: Ints, column: Ints) -> None:
        """Puts row and column of an empty slot in."""
        self._pairs[slot] = row
        self._pairs[:, slot] = column
        self._account(slot, 1)
        mine = _weigh(self._pairs + row[None, :]).sum(axis=1)
        mine += _weigh(self._pairs + column[:, None]).sum(axis=0)
        self._joint[slot] = mine
        self._joint[:, slot] = mine

    def _account(self, slot: int, sign: int) -> None:
        """Adds to `_joint` what all pairs of slots have in this slot's column and row."""
        into, out = self._pairs[:, slot], self._pairs[slot]
        self._joint += sign * _weigh(into[:, None] + into[None, :])
        self._joint += sign * _weigh(out[:, None] + out[None, :])


def _weigh(counts: Ints) -> Ints:
    """The values c log c, 0 for 0, in units of 2^-20."""
    weighed: Ints = np.rint(counts * np.log(np.maximum(counts, 1)) * _SCALE).astype(np.int64)
    return weighed
