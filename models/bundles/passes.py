"""Passes of taggers: the vote of each, and what a later one knows of what an earlier one found.

Source: Szarvas et al. 2006, "Iterative learning" and "Combination of the classifiers".
"""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from ...dictionaries.trie import TokenTrie
from ..core.arrays import Floats, Ints
from ..core.feature_rows import Featurized
from ..core.tokens import Tokens
from ..crf.codec import OUTSIDE, SpanTuple, decode_ids
from ..features import Field
from ..features.base import Items
from ..features.items import build_items
from .propagate import LONGEST, form_of, token_ranges

SHORTEST_ACRONYM = 2

_HEADING = Field("last")


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tagged:
    """The tags of the items of a batch.

    Attributes:
        names: of the tags.
        tags: index into `names` of each item.
        scores: of each item.
        risks: of each item, see `Decoder.decode_risks`; None where they are not asked for or known.
    """

    names: tuple[str, ...]
    tags: Ints
    scores: Floats
    risks: Floats | None = None

    def spans(self, rows: Featurized) -> list[list[tuple[int, int, str, float]]]:
        """Start, end, label and least score of the spans of each document, in order.

        Args:
            rows: the items.
        """
        found: list[list[tuple[int, int, str, float]]] = [
            [] for _ in range(len(rows.document_offsets) - 1)
        ]
        decoded = decode_ids(self.tags, self.names, rows)
        if decoded:
            # From each first item to the one behind its last; what lies between spans is left out.
            bounds = np.array([(first, last + 1) for *_, first, last in decoded], np.int64).ravel()
            padded = np.append(self.scores, 1.0)
            least = np.minimum.reduceat(padded, bounds)[::2].tolist()
            for (document, start, end, label, _, _), score in zip(decoded, least, strict=True):
                found[document].append((start, end, label, score))
        return found


def majority(found: Sequence[Tagged]) -> Tagged:
    """The tag on which more than half of the taggers agree, item by item, else O.

    The score is the mean of those that agree; 1 of an O.

    Args:
        found: of each tagger, for the same items.
    """
    names = tuple(dict.fromkeys([OUTSIDE, *(name for one in found for name in one.names)]))
    numbers = {name: number for number, name in enumerate(names)}
    votes = np.array(
        [np.array([numbers[n] for n in one.names], np.int64)[one.tags] for one in found]
    )
    # Whoever has more than half of the votes stands in their middle.
    middle = np.sort(votes, axis=0)[len(found) // 2]
    agreeing = votes == middle
    counts = agreeing.sum(axis=0)
    wins = 2 * counts > len(found)
    tags = np.where(wins, middle, 0)
    sums = np.where(agreeing, np.array([one.scores for one in found]), 0.0).sum(axis=0)
    scores = np.where(tags > 0, sums / np.maximum(counts, 1), 1.0)
    return Tagged(names, tags, scores)


def headings(texts: Sequence[str | None], tokens: Tokens) -> tuple[Ints, tuple[str, ...]]:
    """Of each fine token the heading above it, index into the table, -1 without one."""
    items = items_of(texts, tokens)
    column = items.column_of(_HEADING)
    of_tokens = np.full(len(tokens), -1, np.int64)
    of_tokens[items.anchors] = column.ids
    return of_tokens, column.values


def items_of(texts: Sequence[str | None], tokens: Tokens) -> Items:
    """The fine tokens of a batch as items, a sequence a document."""
    return build_items(
        texts,
        tokens,
        layer="fine",
        sequence="document",
        max_sequence=max(1, len(tokens)),
        gazetteers={},
        clusters={},
        tags={},
    )


def found_tags(
    found: Sequence[Iterable[SpanTuple]],
    trusted: Collection[str],
    texts: Sequence[str | None],
    tokens: Tokens,
) -> list[str]:
    """The column of where trusted phrases stand: a label, or "", for each fine token.

    What was found under a trusted heading is trusted in its document, and so is its acronym. It
    stands where the same tokens do; case matters as little as in `propagate`. Where several could,
    the leftmost, longest one does.

    Args:
        found: start, end and label of the spans of each document.
        trusted: headings.
        texts: one for each document; None for one that failed, where nothing stands.
        tokens: of the batch.
    """
    column = [""] * len(tokens)
    if not trusted or not any(found):
        return column
    ids, values = headings(texts, tokens)
    is_trusted = np.array([*(value in trusted for value in values), False], np.bool_)[ids]
    for document, (text, spans) in enumerate(zip(texts, found, strict=True)):
        rows = tokens.of_document(document)
        own = list(spans) if text is not None and is_trusted[rows].any() else []
        if text is None or not own:
            continue
        starts, ends = tokens.starts[rows], tokens.ends[rows]
        words = tokens.texts(document, text)
        labels = trusted_phrases(words, starts, ends, own, is_trusted[rows].tolist())
        if not labels:
            continue
        forms = list(map(form_of, words))
        for low, high in TokenTrie(labels).match(forms):
            label = labels[tuple(forms[low:high])]
            column[rows.start + low : rows.start + high] = [label] * (high - low)
    return column


def trusted_phrases(
    words: Sequence[str],
    starts: Ints,
    ends: Ints,
    spans: Sequence[SpanTuple],
    is_trusted: Sequence[bool],
) -> dict[tuple[str, ...], str]:
    """The trusted phrases of one document, as forms of their words, and the label of each.

    One with several labels has the most frequent; of equals the first by name.

    Args:
        words: fine tokens of the document.
        starts, ends: of these.
        spans: what was found.
        is_trusted: of each token, whether it is under a trusted heading.
    """
    counts: dict[tuple[str, ...], collections.Counter[str]] = {}
    ranges = token_ranges(starts, ends, [(start, end) for start, end, _ in spans])
    for (_, _, label), (low, high) in zip(spans, ranges, strict=True):
        if not 0 < high - low <= LONGEST or not is_trusted[low]:
            continue
        phrase = words[low:high]
        for known in (tuple(map(form_of, phrase)), acronym(phrase)):
            if known:
                counts.setdefault(known, collections.Counter())[label] += 1
    return {phrase: most_frequent(labels) for phrase, labels in counts.items()}


def acronym(words: Iterable[str]) -> tuple[str, ...]:
    """The initials of the capitalised words as one word; () of fewer than two."""
    initials = "".join(word[0] for word in words if word[0].isupper())
    return (form_of(initials),) if len(initials) >= SHORTEST_ACRONYM else ()


def most_frequent(counts: Mapping[str, int]) -> str:
    """Of equals the first by name."""
    return min(counts, key=lambda label: (-counts[label], label))
