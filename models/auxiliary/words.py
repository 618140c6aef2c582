"""What clusters are made from: the numbered words of texts, sentence by sentence."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from ..core.arrays import Ints
from ..core.version import VERSION
from ..text.tokenizer import tokenize_documents
from .sources import Origin

BATCH = 256
"""How many texts are tokenized at a time."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class CorpusWords:
    """All words of a corpus; the frequent ones are numbered.

    Attributes:
        vocabulary: the numbered words, most frequent first, then by code point.
        counts: how often each occurs.
        running: number of each running word, -1 for a rare one.
        sentences: row pointers into `running`.
        surfaces: forms of the words as written -> number of the word.
        texts: number of texts.
    """

    vocabulary: tuple[str, ...]
    counts: Ints
    running: Ints
    sentences: Ints
    surfaces: Mapping[str, int]
    texts: int


def count_words(
    texts: Sequence[str], *, most: int = 0, least_count: int = 1, fold: bool = True
) -> CorpusWords:
    """Numbers the frequent words of texts; a word is a fine token.

    Args:
        texts: in the order of the corpus.
        most: size of the vocabulary; 0 for no limit.
        least_count: words that occur less often get no number.
        fold: treat words that differ only in case as one.
    """
    forms: dict[str, int] = {}
    ids: list[int] = []
    lengths: list[int] = []
    for first in range(0, len(texts), BATCH):
        batch = texts[first : first + BATCH]
        tokens = tokenize_documents(batch)
        bounds = tokens.document_offsets.tolist()
        starts, ends = tokens.starts.tolist(), tokens.ends.tolist()
        heads = tokens.starts_sentence.copy()
        heads[tokens.document_offsets[:-1][np.diff(tokens.document_offsets) > 0]] = True
        lengths += np.diff(np.append(np.flatnonzero(heads), len(tokens))).tolist()
        for index, text in enumerate(batch):
            for row in range(bounds[index], bounds[index + 1]):
                ids.append(forms.setdefault(text[starts[row] : ends[row]], len(forms)))
    form_ids = np.array(ids, np.int64)
    keys = [form.casefold() if fold else form for form in forms]
    totals: collections.Counter[str] = collections.Counter()
    for key, count in zip(keys, np.bincount(form_ids, minlength=len(keys)).tolist(), strict=True):
        totals[key] += count
    ranked = sorted(totals.items(), key=lambda pair: (-pair[1], pair[0]))
    kept = [(key, count) for key, count in ranked if count >= least_count][: most or None]
    numbers = {key: number for number, (key, _) in enumerate(kept)}
    number_of_form = np.array([numbers.get(key, -1) for key in keys], np.int64)
    surfaces = {
        form: number
        for form, number in zip(forms, number_of_form.tolist(), strict=True)
        if number >= 0
    }
    return CorpusWords(
        tuple(numbers),
        np.array([count for _, count in kept], np.int64),
        number_of_form[form_ids] if len(form_ids) else form_ids,
        np.concatenate(([0], np.cumsum(lengths))).astype(np.int64),
        surfaces,
        len(texts),
    )


def table_of(words: CorpusWords, codes: Sequence[str]) -> dict[str, str]:
    """Word -> code, for the words of the vocabulary and all forms in which they occur.

    So features may look up words as written or case-folded.
    """
    table = {form: codes[number] for form, number in words.surfaces.items()}
    table.update(zip(words.vocabulary, codes, strict=True))
    return table


def corpus_card(words: CorpusWords, origin: Origin, command: str) -> dict[str, object]:
    """The beginning of a card of clusters."""
    return {
        "trained_on": origin.title,
        "licence": origin.licence,
        "command": command,
        "scrubline": VERSION,
        "corpus": {
            "texts": words.texts,
            "sentences": len(words.sentences) - 1,
            "tokens": len(words.running),
            "vocabulary": len(words.vocabulary),
            "tokens of the vocabulary": int((words.running >= 0).sum()),
        },
        "holds": "words of its texts: keep it as you keep them",
        "scores": {},
    }


def score_clusters(clusters: Mapping[str, str], texts: Sequence[str]) -> dict[str, object]:
    """How many running words of texts have a code: as written, and case-folded."""
    forms = count_words(texts, fold=False)
    counts = list(zip(forms.vocabulary, forms.counts.tolist(), strict=True))
    total = sum(count for _, count in counts)
    exact = sum(count for form, count in counts if form in clusters)
    folded = sum(count for form, count in counts if form.casefold() in clusters)
    return {
        "tokens": total,
        "have a code": round(exact / total, 4) if total else None,
        "have a code, case-folded": round(folded / total, 4) if total else None,
    }
