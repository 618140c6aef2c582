"""Word2vec clusters: words whose vectors are near each other have one number.

Vectors by skip-gram with negative sampling (Mikolov et al. 2013, "Distributed Representations of
Words and Phrases and their Compositionality"), scaled to length 1 and put into clusters by k-means.
Needs gensim and scikit-learn, to make the part and never to use it.
"""

from __future__ import annotations

import importlib.metadata
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ..errors import UsageError
from .base import ClusterPart, make_cluster_part
from .sources import Origin
from .words import Words, corpus_card, count_words, table_of

LIBRARIES = ("gensim", "scikit-learn")
Rounds = Callable[[int, int], None]
"""Called after each epoch with the epochs done and all epochs."""


def train_word2vec(
    texts: Sequence[str],
    *,
    origin: Origin,
    clusters: int = 200,
    dimensions: int = 100,
    epochs: int = 10,
    window: int = 5,
    least_count: int = 3,
    fold: bool = True,
    seed: int = 1,
    command: str = "",
    progress: Rounds | None = None,
) -> ClusterPart:
    """Makes the part `word2vec`; same texts, libraries and machine, same bytes.

    Args:
        texts: raw; the more the better.
        origin: of the texts.
        clusters: most numbers; fewer if there are not more words.
        dimensions: of the vectors.
        epochs: passes over the texts.
        window: most words to either side that a word is trained to predict.
        least_count: rarer words get no number.
        fold: words that differ only in case are one; all their forms get its number.
        seed: of both steps.
        command: for the card.
        progress: see `Rounds`.

    Raises:
        UsageError: if a number is out of range, there are not two words, or a library is missing.
    """
    settings = {
        "clusters": clusters,
        "dimensions": dimensions,
        "epochs": epochs,
        "window": window,
        "least_count": least_count,
        "seed": seed,
    }
    if min(settings.values()) < 1 or clusters < 2 or max(settings.values()) > 100_000:
        raise UsageError("word2vec: expected numbers from 1 to 100,000, and 2 clusters or more")
    gensim, cluster, threadpoolctl = _libraries()
    words = count_words(texts, least_count=least_count, fold=fold)
    if len(words.vocabulary) < 2:
        raise UsageError(f"word2vec: no two words occur {least_count} times or more")
    # More than one thread would see the sentences, and add up numbers, in an order of chance.
    with threadpoolctl.threadpool_limits(limits=1):
        model = gensim.Word2Vec(
            vector_size=dimensions,
            window=window,
            min_count=1,
            sg=1,
            workers=1,
            seed=seed,
            hashfxn=_hash,
        )
        sentences = list(_sentences(words))
        model.build_vocab(sentences)
        # Epoch by epoch as gensim itself does it: the rate falls evenly over all of them.
        first, last = model.alpha, model.min_alpha
        for epoch in range(epochs):
            model.train(
                sentences,
                total_examples=model.corpus_count,
                epochs=1,
                start_alpha=first - (first - last) * epoch / epochs,
                end_alpha=first - (first - last) * (epoch + 1) / epochs,
            )
            if progress is not None:
                progress(epoch + 1, epochs)
        vectors = np.array([model.wv[str(number)] for number in range(len(words.vocabulary))])
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        found = cluster.MiniBatchKMeans(
            n_clusters=min(clusters, len(vectors)), random_state=seed, n_init=3
        ).fit_predict(vectors)
    codes = _renumbered(found.tolist())
    card = {
        **corpus_card(words, origin, command),
        "settings": {**settings, "fold": fold},
        "made by": {name: importlib.metadata.version(name) for name in LIBRARIES},
    }
    return make_cluster_part(
        "word2vec", table_of(words, codes), card=card, licence_text=origin.text()
    )


def _libraries() -> tuple[Any, Any, Any]:
    """The modules that are needed; heavy, and absent where parts are only used."""
    try:
        import threadpoolctl
        from gensim import models
        from sklearn import cluster
    except ImportError as error:
        raise UsageError(
            f"word2vec: {error.name or 'a library'} is not installed; `pip install"
            " 'scrubline[clusters]'` (only making the part needs it, not using it)"
        ) from None
    return models, cluster, threadpoolctl


def _sentences(words: Words) -> Iterator[list[str]]:
    """The sentences as gensim takes them: words as strings, here their numbers; no rare ones."""
    rows = words.sentences.tolist()
    for begin, end in zip(rows, rows[1:], strict=False):
        numbers = words.running[begin:end]
        if len(kept := numbers[numbers >= 0]) > 1:
            yield [str(number) for number in kept.tolist()]


def _hash(word: str) -> int:
    """In place of `hash`, which differs from process to process."""
    return zlib.crc32(word.encode())


def _renumbered(found: Sequence[int]) -> list[str]:
    """The clusters numbered in the order of their most frequent words, from 0."""
    numbers: dict[int, str] = {}
    return [numbers.setdefault(one, str(len(numbers))) for one in found]
