"""`TokenTrie`: finds the phrases of a gazetteer in a sequence of tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat


class TokenTrie:
    """A set of phrases, each a tuple of tokens, matched leftmost-longest against token sequences.

    Tokens are compared as they are: whoever wants case-insensitive matches folds phrases and
    tokens alike, and cuts the phrases with the tokenizer that cuts the text. An instance never
    changes after it is built, so one may be shared by threads.

    >>> cities = TokenTrie([("new", "york"), ("new", "york", "city"), ("york",)])
    >>> cities.match("from new york city to york".split())
    [(1, 4), (5, 6)]

    Attributes:
        longest: tokens in the longest phrase; 0 without phrases.
        weighted: whether phrases have weights.
    """

    __slots__ = ("_children", "_last", "_phrases", "_weights", "longest", "weighted")

    def __init__(
        self, phrases: Iterable[tuple[str, ...]], weights: Iterable[int] | None = None
    ) -> None:
        """Builds the trie; repeated phrases count once, their weights are added up.

        Args:
            phrases: the tokens of each.
            weights: one a phrase, or none.

        Raises:
            ValueError: if a phrase has no tokens, or a token is empty; gives the phrase's
                position, from 0. Also if there are more phrases than weights or fewer.
        """
        # One dict a node, found by number: flat lists pickle without recursion however long a
        # phrase is.
        self._children: list[dict[str, int]] = [{}]
        self._last: list[bool] = [False]
        self._phrases = 0
        self.longest = 0
        self.weighted = weights is not None
        self._weights: dict[int, int] = {}
        pairs = zip(phrases, repeat(0)) if weights is None else zip(phrases, weights, strict=True)
        for position, (phrase, weight) in enumerate(pairs):
            if not phrase or not all(phrase):
                raise ValueError(f"TokenTrie: phrase {position} is empty or has an empty token")
            node = self._add(phrase)
            if self.weighted:
                self._weights[node] = self._weights.get(node, 0) + weight

    def weight(self, phrase: Sequence[str]) -> int:
        """The weight of a phrase; 0 for one that is not in the trie, or without weights."""
        node = 0
        for token in phrase:
            following = self._children[node].get(token)
            if following is None:
                return 0
            node = following
        return self._weights.get(node, 0)

    def __len__(self) -> int:
        """Distinct phrases."""
        return self._phrases

    def _add(self, phrase: tuple[str, ...]) -> int:
        node = 0
        for token in phrase:
            following = self._children[node].setdefault(token, len(self._children))
            if following == len(self._children):
                self._children.append({})
                self._last.append(False)
            node = following
        if not self._last[node]:
            self._last[node] = True
            self._phrases += 1
            self.longest = max(self.longest, len(phrase))
        return node

    def end(self, tokens: Sequence[str], start: int) -> int:
        """Where the longest phrase ends that starts at a token; `start` if none does."""
        node, end = 0, start
        for position in range(start, len(tokens)):
            following = self._children[node].get(tokens[position])
            if following is None:
                break
            node = following
            if self._last[node]:
                end = position + 1
        return end

    def every(self, tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Yields the half-open range of the longest phrase that starts at each token, if any does.

        They may overlap.
        """
        roots = self._children[0]
        for start, token in enumerate(tokens):
            if token in roots and (end := self.end(tokens, start)) > start:
                yield start, end

    def match(self, tokens: Sequence[str]) -> list[tuple[int, int]]:
        """Half-open token ranges of the phrases found, left to right and without overlap.

        At each token the longest phrase that starts there wins, and the search goes on behind it.
        Costs at most `len(tokens) * longest` look-ups, on ordinary text little more than one a
        token.
        """
        found: list[tuple[int, int]] = []
        children, last = self._children, self._last
        roots = children[0]
        size = len(tokens)
        start = 0
        while start < size:
            node = roots.get(tokens[start])
            end = start
            position = start + 1
            while node is not None:
                if last[node]:
                    end = position
                if position == size:
                    break
                node = children[node].get(tokens[position])
                position += 1
            if end > start:
                found.append((start, end))
                start = end
            else:
                start += 1
        return found
