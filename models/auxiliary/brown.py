"""Brown clusters: words with the same neighbours, as leaves of a binary tree.

Source: Brown et al. 1992, "Class-Based n-gram Models of Natural Language", §3, in the greedy form
with a window (Liang 2005, "Semi-Supervised Learning for Natural Language", §4.2). The `clusters`
most frequent words start as clusters. Then each next word is added as a cluster, and the two
clusters are merged that lose the least average mutual information of neighbours. In the end all
clusters are merged into one; the path from the root to a cluster is the code of its words.

Counts are whole numbers, and c log c is rounded to 2^-20 before summation, so sums are exact: no
smoothing, no drift, the same tree in any order of summation. Each step costs O(clusters^2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.errors import UsageError
from .base import LONGEST_CODE, make_cluster_table
from .kinds import ClusterTable
from .sources import Origin
from .words import CorpusWords, corpus_card, count_words, table_of

_SCALE = float(1 << 20)
_EVERY = 500
Steps = Callable[[int, int], None]
"""Called now and then with the number of steps done and of all steps."""


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
) -> ClusterTable:
    """Makes the auxiliary model `brown`; the same texts give the same bytes.

    Args:
        texts: raw; the more the better.
        origin: of the texts.
        vocabulary: at most this many words, the most frequent ones, get a code.
        clusters: number of leaves of the tree.
        least_count: words that occur less often get no code.
        fold: treat words that differ only in case as one; all forms get its code.
        command: for the card.
        progress: see `Steps`.

    Raises:
        UsageError: if a number is out of range, or fewer than two words are frequent enough.
    """
    if not (2 <= clusters <= 1_000 and clusters <= vocabulary <= 100_000 and least_count >= 1):
        raise UsageError(
            "brown: clusters must be 2 to 1,000, vocabulary at least clusters and at most 100,000,"
            " least_count 1 or more"
        )
    words = count_words(texts, most=vocabulary, least_count=least_count, fold=fold)
    if len(words.vocabulary) < 2:
        raise UsageError(f"brown: fewer than two words occur at least {least_count} times")
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
    return make_cluster_table(
        "brown", table_of(words, codes), card=card, licence_text=origin.text()
    )


def brown_codes(words: CorpusWords, clusters: int, progress: Steps | None = None) -> list[str]:
    """The code of each word of the vocabulary: a path of "0" and "1", equal within a cluster.

    Args:
        words: a bigram is two neighbours in a sentence, both of the vocabulary.
        clusters: number of leaves; with fewer words each word is a leaf.
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
    """How often words of the vocabulary follow each other."""

    def __init__(self, words: CorpusWords) -> None:
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

    def after(self, word: int) -> tuple[Ints, Ints]:
        """The words that follow this one, and how often."""
        rows = slice(self._rows[word], self._rows[word + 1])
        return self._right[rows], self._counts[rows]

    def before(self, word: int) -> tuple[Ints, Ints]:
        """The words that precede this one, and how often."""
        rows = self._by_right[self._columns[word] : self._columns[word + 1]]
        return self._left[rows], self._counts[rows]


class _Window:
    """The current clusters, one in each slot.

    Let c be the count of a pair of neighbours, n that of a cluster and N that of all. The mutual
    information times N is the sum of c log c over all pairs, minus the sums of c log n over rows
    and over columns, plus c log N, which merging does not change. Only the first term needs pairs
    of clusters: `_joint[i, j]` is its sum over the row and column of i and j merged.
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
        """Slot and words of each cluster, ordered by first word."""
        found = [(int(slot), self._members[slot]) for slot in np.flatnonzero(self._taken)]
        return sorted(found, key=lambda pair: pair[1][0])

    def add(self, word: int, count: int) -> None:
        """Adds a word as a cluster of its own, in a free slot."""
        slot = int(np.argmin(self._taken))
        row, column = np.zeros((2, len(self._sizes)), np.int64)
        self._slot_of[word] = slot
        for other, times in zip(*map(np.ndarray.tolist, self._bigrams.after(word)), strict=True):
            if (place := self._slot_of.get(other)) is not None:
                row[place] += times
        for other, times in zip(*map(np.ndarray.tolist, self._bigrams.before(word)), strict=True):
            if (place := self._slot_of.get(other)) is not None:
                column[place] += times
        self._members[slot], self._sizes[slot] = [word], count
        self._taken[slot] = True
        self._put(slot, row, column)

    def merge(self, first: int, second: int) -> None:
        """Merges two clusters into the slot of the first."""
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
        """The two slots that are cheapest to merge; of equals the first."""
        costs = np.where(self._later & np.outer(self._taken, self._taken), self.costs(), np.inf)
        first, second = np.unravel_index(int(np.argmin(costs)), costs.shape)
        low, high = int(first), int(second)
        # The older cluster, that of the more frequent words, keeps its place in the tree.
        return (low, high) if self._members[low][0] < self._members[high][0] else (high, low)

    def costs(self) -> Floats:
        """The loss of mutual information, times N, from merging each pair of slots."""
        pairs = self._pairs
        own = _weigh(pairs)
        diagonal = np.diagonal(pairs)
        alone = own.sum(axis=0) + own.sum(axis=1) - np.diagonal(own)
        # The four cells in the rows and columns of the two that become one.
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
        """Removes the row and column of a slot."""
        self._account(slot, -1)
        self._pairs[slot] = 0
        self._pairs[:, slot] = 0

    def _put(self, slot: int, row: Ints, column: Ints) -> None:
        """Sets the row and column of an empty slot."""
        self._pairs[slot] = row
        self._pairs[:, slot] = column
        self._account(slot, 1)
        mine = _weigh(self._pairs + row[None, :]).sum(axis=1)
        mine += _weigh(self._pairs + column[:, None]).sum(axis=0)
        self._joint[slot] = mine
        self._joint[:, slot] = mine

    def _account(self, slot: int, sign: int) -> None:
        """Adds to `_joint` what this slot contributes to all pairs of slots."""
        into, out = self._pairs[:, slot], self._pairs[slot]
        self._joint += sign * _weigh(into[:, None] + into[None, :])
        self._joint += sign * _weigh(out[:, None] + out[None, :])


def _weigh(counts: Ints) -> Ints:
    """C log c of each count, 0 for 0, in units of 2^-20."""
    weighed: Ints = np.rint(counts * np.log(np.maximum(counts, 1)) * _SCALE).astype(np.int64)
    return weighed
