"""Decoding without a bundle: a model and features of documents, tagged once or again and again.

A fold of a cross-validation is tagged by weights that no bundle ever holds; the recall dial tags
the same documents with one bias after another. Neither needs a score for people, so no marginals
are computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..corpora import Annotation
from ..crf.codec import decode_ids
from ..crf.decoding import open_decoder
from ..crf.model_file import CrfModel
from ..features import Featurized
from ..merging import select
from ..propagation import propagate
from ..recipes import Recipe
from ..spans import Candidate
from ..systems import join
from ..tokenizing import tokenize_documents

Found = tuple[tuple[Annotation, ...], ...]
"""The entities of each document, in order."""


class Decoder:
    """Tags the items of some documents with one model and any biases.

    The items are made ready once.
    """

    def __init__(self, model: CrfModel, features: Featurized) -> None:
        """Makes the items ready."""
        self._decoder = open_decoder(model)
        self._features = features
        self._prepared = self._decoder.ready(features)

    def candidates(self, detector: str, biases: Mapping[str, float]) -> list[list[Candidate]]:
        """What is found in each document, in order.

        Args:
            detector: the candidates' detector; see `merging.detector_kind`.
            biases: label or "O" -> bias on the grid; those of labels that the model lacks do
                nothing, as in `Tagger`.
        """
        tags, _ = self._decoder.decode(self._prepared, biases, scored=False)
        names = self._decoder.tags
        found: list[list[Candidate]] = [[] for _ in range(len(self._features.document_offsets) - 1)]
        for document, start, end, label, _, _ in decode_ids(tags, names, self._features):
            found[document].append(Candidate(start, end, label, detector, 1.0))
        return found


class Decoders:
    """The decoders of all taggers of a recipe over the same documents.

    What they find becomes entities as it does in a `Scrubber` without rules.
    """

    def __init__(
        self,
        models: Mapping[str, CrfModel],
        features: Mapping[str, Featurized],
        recipe: Recipe,
        texts: Sequence[str],
    ) -> None:
        """Makes the items ready.

        Args:
            models: kind of tagger -> model.
            features: kind of tagger -> what it sees of the documents.
            recipe: its vote, and what it carries over in a document.
            texts: of the documents.
        """
        self._decoders = {kind: Decoder(models[kind], features[kind]) for kind in models}
        self._recipe = recipe
        self._texts = texts
        # Nothing else here looks at a token.
        self._tokens = tokenize_documents(texts if recipe.propagation else ())

    def entities(self, biases: Mapping[str, float] = {}) -> Found:
        """One typed entity per place, for each document, in the labels of the models."""
        # The names decide which kind goes first, as those of `taggers.detector_name` do.
        names = {kind: f"{'charcrf' if kind == 'character' else 'crf'}:" for kind in self._decoders}
        found = [one.candidates(names[kind], biases) for kind, one in self._decoders.items()]
        return tuple(
            tuple(Annotation(c.start, c.end, c.label) for c in select(self._joined(document, one)))
            for document, one in enumerate(zip(*found, strict=True))
        )

    def _joined(self, document: int, of_each: Sequence[list[Candidate]]) -> list[Candidate]:
        text = self._texts[document]
        found = join(of_each, self._recipe.vote, text)
        if self._recipe.propagation is None:
            return found
        rows = self._tokens.of_document(document)
        starts, ends = self._tokens.starts[rows], self._tokens.ends[rows]
        return found + propagate(
            self._recipe.propagation, text, starts, ends, found, "propagation:"
        )
