"""The upper bound set by items: gold spans as a perfect tagger would return them.

Source: Liu et al. 2015, §5: every token gets its gold label, and the labelled tokens are turned
back into spans. `models.evaluation.compare` of the documents and these gives the loss.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from ..corpora import AnnotatedDocument, Annotation
from ..crf.codec import decode_batch, encode_batch
from ..features import Length, at
from ..features.featurizing import featurize
from ..recipes import Learner, TaggerRecipe
from ..text.tokenizer import tokenize_documents

_AT_ONCE = 64


def upper_bound(
    documents: Sequence[AnnotatedDocument], tagger: TaggerRecipe
) -> tuple[AnnotatedDocument, ...]:
    """The documents with their spans encoded as tags of the tagger's items and decoded again.

    Args:
        documents: gold, in any labels.
        tagger: for its segmentation, sequence, scheme and max_sequence.
    """
    # A tagger must have a feature and a learner; these cost nothing.
    plain = dataclasses.replace(
        tagger, features=at(Length(), 0), coding=None, learner=Learner.of("averaged-perceptron")
    )
    bounded: list[AnnotatedDocument] = []
    for begin in range(0, len(documents), _AT_ONCE):
        bounded += _bounded(documents[begin : begin + _AT_ONCE], plain)
    return tuple(bounded)


def _bounded(
    documents: Sequence[AnnotatedDocument], tagger: TaggerRecipe
) -> list[AnnotatedDocument]:
    texts = [document.text for document in documents]
    features = featurize(texts, tokenize_documents(texts), tagger, {})
    gold = [[(s.start, s.end, s.label) for s in document.spans] for document in documents]
    found: list[list[Annotation]] = [[] for _ in documents]
    tags = encode_batch(gold, features, tagger.scheme)
    for document, start, end, label, _, _ in decode_batch(tags, features):
        found[document].append(Annotation(start, end, label))
    return [
        dataclasses.replace(document, spans=tuple(spans), meta={})
        for document, spans in zip(documents, found, strict=True)
    ]
