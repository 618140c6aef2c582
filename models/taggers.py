"""Taggers: a bundle opened for work. The reference path, on python-crfsuite."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NoReturn

import numpy as np
import pycrfsuite

from ..dictionaries.trie import TokenTrie
from .bundles import Bundle
from .crf.codec import decode_batch
from .crf.learning import AttributeTable, attribute_table, item_sequences
from .crf.model_file import biased, label_of, write_model
from .errors import BundleError
from .features import Features
from .features.featurizing import featurize
from .features.gazetteer import gazetteer_from_phrases
from .labels import LABELS
from .parts import cluster_tables
from .spans import Candidate, Candidates
from .tokens import Tokens

SCORE_DIGITS = 4


class Tagger:
    """Finds candidates with one CRF of a bundle.

    Opened where it works (a DoFn's `setup`) and never pickled. Holds state while it labels: not for
    threads.

    Attributes:
        name: the detector's name, see `detector_name`.
        labels: those that candidates can have, sorted.
        recipe: what it sees.
    """

    def __init__(
        self,
        bundle: Bundle,
        kind: str = "token",
        *,
        biases: Mapping[str, float] | None = None,
        labels_as: str = "native",
    ) -> None:
        """Opens a CRF of a bundle.

        Args:
            bundle: shared; nothing of it is changed.
            kind: of the tagger, one that the bundle's recipe has.
            biases: own label, or "O" -> bias, instead of the bundle's; rounded to the grid.
            labels_as: "native" maps labels by the bundle's label map and drops what that has no PHI
                label for; "own" leaves them as in the corpus that the model was trained on.

        Raises:
            BundleError: if the bundle has no such tagger, labels cannot be mapped, or there is a
                bias for a label that the bundle lacks.
        """
        recipes = {tagger.kind: tagger for tagger in bundle.recipe.taggers}
        if kind not in recipes:
            raise BundleError(f"bundle {bundle.name} has no {kind} tagger, but {list(recipes)}")
        self.name = detector_name(bundle, kind)
        self.recipe = recipes[kind]
        self._names = output_names(bundle, labels_as)
        self.labels = tuple(sorted({name for name in self._names.values() if name is not None}))
        wanted = bundle.biases if biases is None else biases
        # CRFsuite reads the bytes as long as it lives and does not own them.
        self._weights, self._gazetteers, self._known = _prepared(
            bundle, kind, tuple(sorted(wanted.items()))
        )
        self._clusters = cluster_tables(bundle.parts)
        self._attributes: tuple[str, ...] = ()
        self._table: AttributeTable = attribute_table(())
        self._crf = pycrfsuite.Tagger()
        self._crf.open_inmemory(self._weights)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Tagger is not pickled: send the bundle's name and open it where it works"
        )

    def featurize(
        self,
        texts: Sequence[str | None],
        tokens: Tokens,
        tags: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> Features:
        """The attribute rows of a batch.

        Args:
            texts: one that is None has no items.
            tokens: of the batch.
            tags: columns of the tag parts that the recipe names.
        """
        return featurize(
            texts, tokens, self.recipe, self._gazetteers, tags, clusters=self._clusters
        )

    def label(self, features: Features) -> Candidates:
        """The candidates of all documents of a batch."""
        return Candidates.of(self._candidates(features))

    def label_document(self, features: Features, document: int) -> list[Candidate]:
        """The candidates of one document of a batch, in order."""
        return sorted(c for _, c in self._candidates(_only(features, document)))

    def _table_of(self, features: Features) -> AttributeTable:
        """The table of a batch's attributes: one for all its documents, so the last is kept."""
        if features.attributes is not self._attributes:
            self._table = attribute_table(features.attributes, self._known)
            self._attributes = features.attributes
        return self._table

    def _candidates(self, features: Features) -> list[tuple[int, Candidate]]:
        tags = []
        scores = np.ones(len(features.starts))
        first = 0
        for items in item_sequences(features, self._table_of(features)):
            found = self._crf.tag(items)
            tags.append(found)
            if found.count("O") != len(found):
                for position, tag in enumerate(found, first):
                    if tag != "O":
                        scores[position] = self._crf.marginal(tag, position - first)
            first += len(found)
        # CRFsuite takes exp() of unscaled scores: beyond 709 it overflows and its marginals are
        # NaN. Nothing is known then, and 0.0 says so.
        scores = np.clip(np.where(np.isfinite(scores), scores, 0.0), 0.0, 1.0)
        rows = []
        for document, start, end, label, first_item, last_item in decode_batch(tags, features):
            if (name := self._names[label]) is not None:
                score = round(float(scores[first_item : last_item + 1].min()), SCORE_DIGITS)
                rows.append((document, Candidate(start, end, name, self.name, score)))
        return rows


def detector_name(bundle: Bundle, kind: str) -> str:
    """What tells a tagger's candidates apart, and their rank: "charcrf:" or "crf:" and the name."""
    return f"{'charcrf' if kind == 'character' else 'crf'}:{bundle.name}"


@functools.lru_cache(maxsize=8)
def _prepared(
    bundle: Bundle, kind: str, biases: tuple[tuple[str, float], ...]
) -> tuple[bytes, dict[str, TokenTrie], frozenset[str]]:
    """What taggers of one bundle share: biased weights, gazetteers, known attributes.

    Bundles are opened once a process, so their identity will do as the key. A second tagger costs
    next to nothing.
    """
    (recipe,) = (tagger for tagger in bundle.recipe.taggers if tagger.kind == kind)
    gazetteers = {
        name: gazetteer_from_phrases(
            bundle.dictionaries[name].phrases, recipe.layer, bundle.dictionaries[name].weights
        )
        for name in sorted(recipe.needs("gazetteer"))
    }
    if unknown := sorted({label for label, _ in biases} - {*bundle.labels, "O"}):
        raise BundleError(f"a bias is given for {unknown}, which are no labels of the model")
    model = bundle.models[kind]
    # A label may be one that only the other tagger has seen.
    own = {label_of(tag) for tag in model.tags}
    wanted = {label: bias for label, bias in biases if label in own}
    weights = write_model(biased(model, wanted))
    return weights, gazetteers, frozenset(model.attributes)


def output_names(bundle: Bundle, labels_as: str) -> dict[str, str | None]:
    """Own label -> label of the candidates, or None where there is to be none."""
    if labels_as not in ("native", "own"):
        raise BundleError(f"labels_as must be 'native' or 'own', not {labels_as!r}")
    if labels_as == "own":
        return {label: label for label in bundle.labels}
    if bundle.label_map is not None:
        return {label: bundle.label_map[label] for label in bundle.labels}
    if foreign := sorted(set(bundle.labels) - set(LABELS)):
        raise BundleError(
            f"bundle {bundle.name}: labels {foreign} are not native and it has no label map; "
            "open it with its own labels"
        )
    return {label: label for label in bundle.labels}


def _only(features: Features, document: int) -> Features:
    """The features of one document, as document 0."""
    first, last = features.document_offsets[document : document + 2].tolist()
    sequences = features.sequence_offsets[first : last + 1]
    items = features.item_offsets[sequences[0] : sequences[-1] + 1]
    rows = slice(int(sequences[0]), int(sequences[-1]))
    return Features(
        attributes=features.attributes,
        attribute_ids=features.attribute_ids[items[0] : items[-1]],
        item_offsets=items - items[0],
        starts=features.starts[rows],
        ends=features.ends[rows],
        sequence_offsets=sequences - sequences[0],
        document_offsets=np.array([0, last - first], np.int64),
    )
