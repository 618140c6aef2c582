"""Decoding without a bundle: a model and features of documents, tagged once or repeatedly.

Cross-validation tags a fold with weights that no bundle ever holds; recall tuning tags the same
documents with one bias after another. Neither needs scores, so no marginals are computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..bundles.bundle import Bundle
from ..bundles.detector import BundleDetector, join
from ..bundles.propagate import propagate
from ..bundles.tagger import detector_of
from ..core.detectors import PROPAGATION, DetectorId
from ..core.feature_rows import Featurized
from ..core.spans import Candidate
from ..corpora import Annotation
from ..crf.codec import decode_ids
from ..families import FAMILIES, Model
from ..recipes import Recipe
from ..redaction.merging import ORDERS, select
from ..text.tokenizer import tokenize_documents

Found = tuple[tuple[Annotation, ...], ...]
"""The entities of each document, in order."""


class BiasDecoder:
    """Tags the items of some documents with one model and any biases.

    The items are prepared once.
    """

    def __init__(self, model: Model, features: Featurized, family: str) -> None:
        """Prepares the items."""
        self._decoder = FAMILIES[family].open_decoder(model)
        self._features = features
        self._prepared = self._decoder.ready(features)

    def candidates(self, detector: str, biases: Mapping[str, float]) -> list[list[Candidate]]:
        """The candidates of each document, in order.

        Args:
            detector: of the candidates; see `DetectorId`.
            biases: label or "O" -> bias on the grid; as in `Tagger`, labels that the model lacks
                have no effect.
        """
        tags, _ = self._decoder.decode(self._prepared, biases, scored=False)
        names = self._decoder.tags
        found: list[list[Candidate]] = [[] for _ in range(len(self._features.document_offsets) - 1)]
        for document, start, end, label, _, _ in decode_ids(tags, names, self._features):
            found[document].append(Candidate(start, end, label, detector, 1.0))
        return found


class PassDecoder:
    """The passes of a bundle on the same documents.

    A later pass sees what the one before found, which depends on the biases: so only the features
    of the first are computed once.
    """

    def __init__(self, bundle: Bundle, texts: Sequence[str]) -> None:
        """Prepares the items of the first pass."""
        self._bundle, self._texts = bundle, texts
        self._tokens = tokenize_documents(texts)
        detector = BundleDetector(bundle, labels_as="own")
        self._features = detector.featurize(texts, self._tokens)

    def entities(self, biases: Mapping[str, float] = {}) -> Found:
        """Disjoint entities of each document, in the labels of the models."""
        detector = BundleDetector(self._bundle, biases=biases, labels_as="own")
        (decoded,) = detector.decode(self._features, self._texts, self._tokens)
        order = ORDERS[detector.order]
        return tuple(
            tuple(
                Annotation(c.start, c.end, c.label)
                for c in select(
                    detector.join_document([own], document, self._texts, self._tokens), order
                )
            )
            for document, own in enumerate(decoded)
        )


class Decoders:
    """The decoders of all taggers of a recipe on the same documents.

    Their candidates become entities as in a `Scrubber` without rules.
    """

    def __init__(
        self,
        models: Mapping[str, Model],
        features: Mapping[str, Featurized],
        recipe: Recipe,
        texts: Sequence[str],
    ) -> None:
        """Prepares the items.

        Args:
            models: key of a tagger -> model.
            features: key of a tagger -> features of the documents.
            recipe: for its vote, propagation and order.
            texts: of the documents.
        """
        taggers = recipe.tagger_of
        self._decoders = {
            key: BiasDecoder(models[key], features[key], taggers[key].learner.family)
            for key in models
        }
        self._recipe = recipe
        self._texts = texts
        # Only propagation needs tokens.
        self._tokens = tokenize_documents(texts if recipe.propagation else ())

    def entities(self, biases: Mapping[str, float] = {}) -> Found:
        """Disjoint entities of each document, in the labels of the models."""
        # The names decide which kind ranks first, as those of a `Tagger` do.
        found = [
            decoder.candidates(detector_of(self._recipe.tagger_of[key], ""), biases)
            for key, decoder in self._decoders.items()
        ]
        return tuple(
            tuple(
                Annotation(c.start, c.end, c.label)
                for c in select(self._joined(document, each), ORDERS[self._recipe.order])
            )
            for document, each in enumerate(zip(*found, strict=True))
        )

    def _joined(self, document: int, of_each: Sequence[list[Candidate]]) -> list[Candidate]:
        text = self._texts[document]
        found = join(of_each, self._recipe, text)
        if self._recipe.propagation is None:
            return found
        rows = self._tokens.of_document(document)
        starts, ends = self._tokens.starts[rows], self._tokens.ends[rows]
        detector = str(DetectorId(PROPAGATION))
        return found + propagate(self._recipe.propagation, text, starts, ends, found, detector)
