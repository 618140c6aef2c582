"""Dictionaries that training makes by counting: words and headings of its texts, trusted ones."""

from __future__ import annotations

import collections
import dataclasses
import hashlib
import math
import unicodedata
from collections.abc import Mapping, Sequence

import numpy as np

from ...dictionaries import LONGEST_PHRASE, Dictionary
from ..bundles.passes import headings, items_of
from ..bundles.propagate import token_ranges
from ..core.tokens import Tokens
from ..corpora import AnnotatedDocument
from ..features.heading import heading_lines
from ..recipes.passes import Trust, WordCounts
from ..text.tokenizer import tokenize_documents

_SIXTEENTHS = 16


def counted_dictionaries(
    counts: Sequence[WordCounts], documents: Sequence[AnnotatedDocument]
) -> dict[str, Dictionary]:
    """The gazetteers of counted words and headings, by name; see `WordCounts`."""
    made = {one.name: frequent_headings(one, documents) for one in counts if _of_headings(one)}
    of_words = [one for one in counts if not _of_headings(one)]
    return made | _counted_words(of_words, documents)


def frequent_headings(counts: WordCounts, documents: Sequence[AnnotatedDocument]) -> Dictionary:
    """The headings that most of the documents have; of equals the first by alphabet."""
    texts = [document.text for document in documents]
    tokens = tokenize_documents(texts)
    lines = heading_lines(items_of(texts, tokens))
    of_lines = np.searchsorted(tokens.document_offsets, lines.firsts, side="right")
    seen = {(n, heading) for n, heading in zip(of_lines.tolist(), lines.headings, strict=True)}
    frequency = collections.Counter(heading for _, heading in seen if _fits(heading))
    ordered = sorted(frequency, key=lambda heading: (-frequency[heading], heading))
    kept = [heading for heading in ordered if frequency[heading] >= counts.least]
    return _dictionary(counts.name, dict.fromkeys(kept[: counts.most or None], 0), weighted=False)


def _of_headings(counts: WordCounts) -> bool:
    return counts.counts == "headings"


def _counted_words(
    counts: Sequence[WordCounts], documents: Sequence[AnnotatedDocument]
) -> dict[str, Dictionary]:
    """The weighted gazetteers of counted words, by name."""
    if not counts:
        return {}
    every: collections.Counter[str] = collections.Counter()
    capitalised: collections.Counter[str] = collections.Counter()
    initial: collections.Counter[str] = collections.Counter()
    texts = [document.text for document in documents]
    tokens = tokenize_documents(texts)
    opens = tokens.starts_sentence
    for number, text in enumerate(texts):
        rows = tokens.of_document(number)
        for word, is_first in zip(tokens.texts(number, text), opens[rows].tolist(), strict=True):
            folded = word.casefold()
            every[folded] += 1
            if word[0].isupper():
                capitalised[folded] += 1
                initial[folded] += is_first
    weights: dict[str, dict[str, int]] = {
        "frequency": dict(every),
        "capitalised": {
            word: _share(capitalised[word], count) for word, count in every.items() if _cased(word)
        },
        "initial": {word: _share(initial[word], count) for word, count in capitalised.items()},
    }
    return {
        one.name: _dictionary(
            one.name, {w: n for w, n in weights[one.counts].items() if every[w] >= one.least}
        )
        for one in counts
    }


def trusted_headings(trust: Trust, documents: Sequence[AnnotatedDocument]) -> Dictionary:
    """The headings under which the phrases of annotated documents are nearly all of one label."""
    texts = [document.text for document in documents]
    tokens = tokenize_documents(texts)
    ids, values = headings(texts, tokens)
    labels: dict[str, collections.Counter[str]] = {}
    for number, document in enumerate(documents):
        for (low, high), label in _phrases(document, number, tokens):
            if low < high and ids[low] >= 0:
                labels.setdefault(values[ids[low]], collections.Counter())[label] += 1
    chosen = {
        heading: 0
        for heading, counts in labels.items()
        if counts.total() >= trust.phrases and entropy(counts) < trust.entropy
    }
    return _dictionary(trust.name, chosen, weighted=False)


def entropy(counts: Mapping[str, int]) -> float:
    """Of the labels, in bits."""
    total = sum(counts.values())
    return -sum(n / total * math.log2(n / total) for _, n in sorted(counts.items()))


def _phrases(
    document: AnnotatedDocument, number: int, tokens: Tokens
) -> list[tuple[tuple[int, int], str]]:
    """Rows of the tokens of each span of a document, and its label."""
    rows = tokens.of_document(number)
    spans = [(span.start, span.end) for span in document.spans]
    ranges = token_ranges(tokens.starts[rows], tokens.ends[rows], spans)
    return [
        ((rows.start + low, rows.start + high), span.label)
        for (low, high), span in zip(ranges, document.spans, strict=True)
    ]


def _share(part: int, whole: int) -> int:
    """The weight of a share: see `WordCounts`."""
    return 1 << (_SIXTEENTHS * part // whole)


def _cased(word: str) -> bool:
    return word.upper() != word


def _dictionary(name: str, weights: Mapping[str, int], *, weighted: bool = True) -> Dictionary:
    """A dictionary of what a file with a phrase a line can hold."""
    kept = sorted(phrase for phrase in weights if _fits(phrase))
    draft = Dictionary(
        name, tuple(kept), "", tuple(weights[phrase] for phrase in kept) if weighted else None
    )
    return dataclasses.replace(draft, sha256=hashlib.sha256(draft.to_bytes()).hexdigest())


def _fits(phrase: str) -> bool:
    return (
        phrase == phrase.strip() != ""
        and phrase.isprintable()
        and len(phrase) <= LONGEST_PHRASE
        and unicodedata.is_normalized("NFC", phrase)
    )
