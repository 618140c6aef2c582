"""Propagation: what is found surely in one place of a document is found everywhere in it.

A CRF decides each place by what stands around it, so it finds a surname behind "Mr" and misses it
in the middle of a sentence. One pass over the document, after the CRFs, carries over what they are
agreed on. It only adds: no candidate is changed, and none is added on a token that already has one.
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ..dictionaries.trie import TokenTrie
from .columns import Ints
from .errors import UsageError
from .features.base import require_int, require_name
from .lazy import lazy
from .recognisers.names import EPONYM_NOUNS
from .spans import Candidate

_LONGEST = 12
"""Tokens of a phrase that is carried over: it bounds the look-ups a token costs."""

_FEWEST_DIGITS = 4
"""Of a phrase without words: a day or a floor stands everywhere, a number of a record does not."""

_FEW = 16
"""So many words are looked for in the text one by one; more of them in its tokens, all at once."""

_Form = tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Propagation:
    """What is carried over to other places of a document.

    Attributes:
        labels: the bundle's own labels whose phrases are; those that a bundle lacks do nothing.
        names: those of them that are names of people: each word of such a phrase is carried over
            too, for a surname stands alone as well.
        shortest: characters of a word that tells enough to be carried over.
        share: of the places of a phrase, the least part that the CRFs must have found with one
            label; above 0 to 1. A word that they left alone nearly everywhere was found by mistake.

    Raises:
        UsageError: if there is no label, a name that is no label, or a value out of range.
    """

    labels: tuple[str, ...]
    names: tuple[str, ...] = ()
    shortest: int = 3
    share: float = 0.5

    def __post_init__(self) -> None:
        owner = "propagation"
        for name, values in (("labels", self.labels), ("names", self.names)):
            for value in values:
                require_name(owner, name, value)
            if values != tuple(sorted(set(values))):
                raise UsageError(f"{owner}: {name} must be sorted, each once")
        if not self.labels:
            raise UsageError(f"{owner}: labels must name at least one label")
        if foreign := sorted(set(self.names) - set(self.labels)):
            raise UsageError(f"{owner}: names {foreign} are not among its labels")
        require_int(owner, "shortest", self.shortest, 1, 100)
        if isinstance(self.share, bool | str) or not 0 < self.share <= 1:
            raise UsageError(f"{owner}: share must be a number above 0, to 1")


def propagate(
    propagation: Propagation,
    text: str,
    starts: Ints,
    ends: Ints,
    candidates: Sequence[Candidate],
    detector: str | None,
) -> list[Candidate]:
    """Further candidates of one document, in order; disjoint, and on tokens without any.

    A phrase is found again where the same tokens stand. Case does not matter but for the first
    letter of a word: "Lee" finds "LEE" and not "lee". A word alone is not carried over if the
    document has it in small letters too, and a name is not if a disease, a sign or an instrument is
    called by it there. A phrase found with several labels has the most frequent.

    Linear in tokens and candidates.

    Args:
        propagation: what is carried over.
        text: of the document.
        starts: of its fine tokens, in order.
        ends: of its fine tokens.
        candidates: of all CRFs, in the bundle's own labels.
        detector: of the candidates added; None for that of the place each was carried over from.

    Returns:
        Candidates with the score of the best place that each was carried over from.
    """
    if not any(candidate.label in propagation.labels for candidate in candidates):
        return []
    document = _Words(text, starts, ends)
    # The tokens that a candidate touches, if only with a part.
    first = np.searchsorted(ends, [c.start for c in candidates], side="right")
    last = np.searchsorted(starts, [c.end for c in candidates], side="left")
    places = list(zip(candidates, first.tolist(), last.tolist(), strict=True))
    found: dict[_Form, collections.Counter[str]] = {}
    sources: dict[tuple[_Form, str], Candidate] = {}
    for candidate, low, high in places:
        if high - low > _LONGEST or low >= high:
            continue
        if candidate.start != starts[low] or candidate.end != ends[high - 1]:
            continue
        for a, b in _phrases(candidate, low, high, propagation):
            words = [document.word(token) for token in range(a, b)]
            if _tells(words, propagation.shortest, document):
                form = tuple(map(_form, words))
                found.setdefault(form, collections.Counter())[candidate.label] += 1
                source = sources.setdefault((form, candidate.label), candidate)
                if candidate.score > source.score:
                    sources[form, candidate.label] = candidate
    labels = {
        form: label
        for form, counts in found.items()
        if (label := min(counts, key=lambda one: (-counts[one], one))) in propagation.labels
    }
    if not document.may_hold_more(labels, [range(low, high) for _, low, high in places]):
        return []
    trie, forms = TokenTrie(labels), document.forms
    again = [
        (low + a, low + b, tuple(forms[low + a : low + b]))
        for low, high in _free(places, len(forms))
        for a, b in trie.match(forms[low:high])
    ]
    missed = collections.Counter(form for _, _, form in again)
    added = []
    for low, high, form in again:
        label = labels[form]
        everywhere = sum(found[form].values()) + missed[form]
        if label in propagation.names and _is_eponym(document.words, high):
            continue
        if found[form][label] >= propagation.share * everywhere:
            stretch = int(starts[low]), int(ends[high - 1])
            source = sources[form, label]
            added.append(Candidate(*stretch, label, detector or source.detector, source.score))
    return added


class _Words:
    """The tokens of a document, of which few are looked at in most documents."""

    def __init__(self, text: str, starts: Ints, ends: Ints) -> None:
        self._text, self._starts, self._ends = text, starts, ends
        self._asked = 0

    def word(self, token: int) -> str:
        """The text of one token."""
        return self._text[self._starts[token] : self._ends[token]]

    @lazy
    def words(self) -> list[str]:
        """The texts of all tokens."""
        pairs = zip(self._starts.tolist(), self._ends.tolist(), strict=True)
        return [self._text[s:e] for s, e in pairs]

    @lazy
    def forms(self) -> list[str]:
        """Of each token; see `_form`."""
        return list(map(_form, self.words))

    @lazy
    def _small(self) -> set[str]:
        return {word for word in self.words if word[0].islower()}

    def has_small(self, word: str) -> bool:
        """Whether a token is written so, in small letters."""
        self._asked += 1
        return (self._asked > _FEW or word in self._text) and word in self._small

    def may_hold_more(self, forms: Iterable[_Form], taken: Iterable[range]) -> bool:
        """Whether one of the phrases may stand outside of the tokens that are taken.

        No, if the first word of none of them is anywhere in the text but in these: the count of a
        word in a text is never less than that of tokens that are it. Of more than a few it is not
        asked.
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


def _is_eponym(words: Sequence[str], behind: int) -> bool:
    """Whether a name is that of a disease, a sign or an instrument: "Wilson disease", "Lee's test".

    Args:
        words: of the document.
        behind: index of the word behind the name.
    """
    if behind + 1 < len(words) and words[behind] in ("'", "’", "'s", "’s"):
        behind += 1 + (words[behind + 1] == "s" and len(words[behind]) == 1)
    return behind < len(words) and words[behind] in EPONYM_NOUNS


def _form(word: str) -> str:
    """One for all ways to write a word but in small letters."""
    return word if word[0].islower() else word.upper()


def _phrases(
    candidate: Candidate, low: int, high: int, propagation: Propagation
) -> Iterable[tuple[int, int]]:
    """The ranges of tokens of a candidate that may be carried over: it, and the words of a name."""
    yield low, high
    if candidate.label in propagation.names and high - low > 1:
        for token in range(low, high):
            yield token, token + 1


def _tells(words: Sequence[str], shortest: int, document: _Words) -> bool:
    """Whether a phrase is unlikely to stand somewhere else by chance."""
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
