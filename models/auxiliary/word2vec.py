"""Word2vec clusters: words with similar vectors share a number.

The vectors are trained by skip-gram with negative sampling (Mikolov et al. 2013, "Distributed
Representations of Words and Phrases and their Compositionality"), scaled to length 1 and clustered
by k-means. Training needs gensim and scikit-learn; using the clusters needs neither.
"""

from __future__ import annotations

import importlib.metadata
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.arrays import Floats
from ..core.errors import UsageError
from .base import make_cluster_table
from .kinds import ClusterTable
from .sources import Origin
from .words import CorpusWords, corpus_card, count_words, table_of

LIBRARIES = ("gensim", "scikit-learn")
Rounds = Callable[[int, int], None]
"""Called after each epoch with the number of epochs done and of all epochs."""


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
) -> ClusterTable:
    """Makes the auxiliary model `word2vec`.

    The same texts, libraries and machine give the same bytes.

    Args:
        texts: raw; the more the better.
        origin: of the texts.
        clusters: how many; fewer if there are fewer words.
        dimensions: of the vectors.
        epochs: passes over the texts.
        window: how many words on either side a word is trained to predict.
        least_count: words that occur less often get no number.
        fold: treat words that differ only in case as one; all forms get its number.
        seed: of both steps.
        command: for the card.
        progress: see `Rounds`.

    Raises:
        UsageError: if a number is out of range, fewer than two words are frequent enough, or a
            library is missing.
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
        raise UsageError("word2vec: numbers must be 1 to 100,000, and clusters at least 2")
    libraries = _libraries()
    words = count_words(texts, least_count=least_count, fold=fold)
    if len(words.vocabulary) < 2:
        raise UsageError(f"word2vec: fewer than two words occur at least {least_count} times")
    codes = _renumbered(_clustered(words, settings, libraries, progress))
    card = {
        **corpus_card(words, origin, command),
        "settings": {**settings, "fold": fold},
        "made by": {name: importlib.metadata.version(name) for name in LIBRARIES},
    }
    return make_cluster_table(
        "word2vec", table_of(words, codes), card=card, licence_text=origin.text()
    )


def _clustered(
    words: CorpusWords,
    settings: Mapping[str, int],
    libraries: tuple[Any, Any, Any],
    progress: Rounds | None,
) -> list[int]:
    """The cluster of each word of the vocabulary."""
    gensim, cluster, threadpoolctl = libraries
    # Several threads would see the sentences, and sum numbers, in random order.
    with threadpoolctl.threadpool_limits(limits=1):
        model = gensim.Word2Vec(
            vector_size=settings["dimensions"],
            window=settings["window"],
            min_count=1,
            sg=1,
            workers=1,
            seed=settings["seed"],
            hashfxn=_hash,
        )
        vectors = _vectors(model, words, settings["epochs"], progress)
        number = min(settings["clusters"], len(vectors))
        means = cluster.MiniBatchKMeans(n_clusters=number, random_state=settings["seed"], n_init=3)
        found: list[int] = means.fit_predict(vectors).tolist()
    return found


def _vectors(model: Any, words: CorpusWords, epochs: int, progress: Rounds | None) -> Floats:
    """Trains the model; returns a vector of length 1 for each word of the vocabulary."""
    sentences = list(_sentences(words))
    model.build_vocab(sentences)
    # Epoch by epoch, as gensim does it: the learning rate falls evenly over all of them.
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
    vectors: Floats = np.array([model.wv[str(number)] for number in range(len(words.vocabulary))])
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return vectors


def _libraries() -> tuple[Any, Any, Any]:
    """The libraries that training needs; heavy, and absent where models are only used."""
    try:
        import threadpoolctl
        from gensim import models
        from sklearn import cluster
    except ImportError as error:
        raise UsageError(
            f"word2vec: {error.name or 'a library'} is not installed; run `pip install"
            " 'scrubline[clusters]'` (training needs it, using the clusters does not)"
        ) from None
    return models, cluster, threadpoolctl


def _sentences(words: CorpusWords) -> Iterator[list[str]]:
    """The sentences for gensim: the numbers of words as strings, without rare words."""
    rows = words.sentences.tolist()
    for begin, end in zip(rows, rows[1:], strict=False):
        numbers = words.running[begin:end]
        if len(kept := numbers[numbers >= 0]) > 1:
            yield [str(number) for number in kept.tolist()]


def _hash(word: str) -> int:
    """Replaces `hash`, which differs between processes."""
    return zlib.crc32(word.encode())


def _renumbered(assigned: Sequence[int]) -> list[str]:
    """The clusters numbered from 0 in the order of their most frequent words."""
    numbers: dict[int, str] = {}
    return [numbers.setdefault(cluster, str(len(numbers))) for cluster in assigned]
