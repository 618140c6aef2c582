"""Tagging with a CRF: one interface, two ways that give the same tags.

`open_decoder` takes the native way where the extension is there (`models.native`), else the
reference way, on python-crfsuite. Tags are equal, since weights lie on a grid on which sums are
exact in any order, and ties go to the lower tag on both; scores agree to 1e-9. Both make scores
from logarithms; where the weights of transitions differ by more than 700 they may be 0.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pycrfsuite

from ..columns import Floats, Ids, Ints
from ..errors import BundleError
from ..features import Features, Featurized, Indexed
from ..lazy import lazy
from ..native import extension, warn_if_absent
from .codec import OUTSIDE
from .learning import AttributeTable, attribute_table, item_sequences
from .model_file import CONSTANT, CrfModel, biased, biases_by_tag, label_of, write_model


class Decoder(abc.ABC):
    """A CRF opened for tagging: where it works, for it is not pickled. For threads too.

    Attributes:
        tags: of the model; ids of tags are places in it.
    """

    def __init__(self, tags: tuple[str, ...]) -> None:
        self.tags = tags
        # Of the last batch: its attributes, and what is known of them.
        self._last: tuple[Sequence[str], Any] | None = None

    @abc.abstractmethod
    def _table(self, attributes: Sequence[str]) -> Any:
        """What the model knows of the attribute strings of a batch."""

    @abc.abstractmethod
    def _prepare(self, features: Features, table: Any) -> Any:
        """Features with their `_table`, as `decode` takes them."""

    def ready(self, features: Featurized) -> Any:
        """A batch, or a part of one, as `decode` takes it: for once, or for many biases.

        Ids, which are ready, are those of this model. Parts of one batch share its attributes,
        which are looked up once.
        """
        if isinstance(features, Indexed):
            return features
        last = self._last
        if last is None or last[0] is not features.attributes:
            self._last = last = features.attributes, self._table(features.attributes)
        return self._prepare(features, last[1])

    @abc.abstractmethod
    def decode(
        self, prepared: Any, biases: Mapping[str, float] | None = None, *, scored: bool = True
    ) -> tuple[Ints, Floats]:
        """The best tags of a batch and how probable they are.

        Args:
            prepared: of `ready`.
            biases: label or "O" -> what each of its tags scores more; rounded to the grid. Labels
                that the model lacks do nothing.
            scored: whether probabilities are wanted.

        Returns:
            tags: id of the best tag of each item.
            scores: in [0, 1], the marginal probability of that tag; 1 for what is outside, and for
                all if they are not wanted.

        Raises:
            BundleError: if a bias is not a small number.
        """


def open_decoder(model: CrfModel) -> Decoder:
    """The fastest decoder that there is here for a model on the grid."""
    if extension() is not None:
        return NativeDecoder(model)
    warn_if_absent()
    return ReferenceDecoder(model)


ModelArrays = tuple[tuple[str, ...], Floats, tuple[Any, ...]]
"""A model for the extension: its tags, what every item has, and what `open_model` takes."""


def model_arrays(model: CrfModel) -> ModelArrays:
    """The arrays of a model.

    Raises:
        BundleError: if its weights are not on the grid.
    """
    if not model.on_grid():
        raise BundleError("its weights are not snapped to the grid")
    rows = _row_pointers(model)
    opened = (
        rows,
        model.state_tags.astype(np.uint16),
        model.state_weights.astype(np.float32),
        model.transitions(),
        model.tags.index(OUTSIDE) if OUTSIDE in model.tags else -1,
    )
    return tuple(model.tags), _constant_weights(model, rows), opened


class NativeDecoder(Decoder):
    """The extension's."""

    def __init__(self, model: CrfModel | ModelArrays) -> None:
        """Opens a model, or its arrays, which know no attributes: all features must be ids then.

        Raises:
            BundleError: if it is not one that CRFsuite and the extension can answer alike.
        """
        native = extension()
        if native is None:
            raise BundleError("there is no native extension")
        tags, base, arrays = model_arrays(model) if isinstance(model, CrfModel) else model
        # A copy: the arrays may be those of a file, which it would keep in memory.
        self._base = base.copy()
        super().__init__(tags)
        self._attributes = model.attributes if isinstance(model, CrfModel) else ()
        self._decode = native.decode
        try:
            self._model = native.open_model(*arrays)
        except ValueError as error:
            raise BundleError(str(error)) from None

    @lazy
    def _ids(self) -> dict[str, int]:
        """Of each attribute; not needed for what comes as ids."""
        return {attribute: number for number, attribute in enumerate(self._attributes)}

    def _table(self, attributes: Sequence[str]) -> Ids:
        """The id of each, -1 of one that the model does not have."""
        known = self._ids
        return np.fromiter((known.get(a, -1) for a in attributes), np.int32, len(attributes))

    def _prepare(self, features: Features, table: Ids) -> Indexed:
        return Indexed(
            table[features.attribute_ids],
            features.item_offsets,
            features.starts,
            features.ends,
            features.sequence_offsets,
            features.document_offsets,
        )

    def decode(
        self,
        prepared: Indexed,
        biases: Mapping[str, float] | None = None,
        *,
        scored: bool = True,
    ) -> tuple[Ints, Floats]:
        """See `Decoder.decode`."""
        base = self._base + biases_by_tag(self.tags, biases or {})
        tags = np.zeros(len(prepared.starts), np.uint16)
        scores = np.ones(len(tags))
        self._decode(
            self._model,
            base,
            prepared.attribute_ids,
            prepared.item_offsets,
            prepared.sequence_offsets,
            tags,
            scores,
            scored,
        )
        return tags.astype(np.int64), _sound(scores)


class ReferenceDecoder(Decoder):
    """python-crfsuite's: the oracle, and what runs without the extension."""

    def __init__(self, model: CrfModel) -> None:
        super().__init__(model.tags)
        self._model = model
        self._known = frozenset(model.attributes)
        self._numbers = {tag: number for number, tag in enumerate(model.tags)}
        self._outside = self._numbers.get(OUTSIDE, -1)
        # The file with the biases asked for last.
        self._written: tuple[tuple[tuple[str, float], ...], bytes] | None = None

    def _table(self, attributes: Sequence[str]) -> AttributeTable:
        return attribute_table(attributes, self._known)

    def _prepare(
        self, features: Features, table: AttributeTable
    ) -> tuple[Features, list[pycrfsuite.ItemSequence]]:
        return features, list(item_sequences(features, table))

    def decode(
        self,
        prepared: tuple[Features, list[pycrfsuite.ItemSequence]],
        biases: Mapping[str, float] | None = None,
        *,
        scored: bool = True,
    ) -> tuple[Ints, Floats]:
        """See `Decoder.decode`."""
        features, sequences = prepared
        biases = biases or {}
        # One of its own, for it holds state while it tags. CRFsuite reads the bytes as long as it
        # lives and does not own them.
        weights = self._weights(biases)
        crf = pycrfsuite.Tagger()
        crf.open_inmemory(weights)
        found = [self._numbers[tag] for items in sequences for tag in crf.tag(items)]
        tags = np.array(found, np.int64)
        scores = np.ones(len(tags))
        if scored:
            states = self._states(features, biases)
            bounds = features.sequence_offsets.tolist()
            for first, end in zip(bounds, bounds[1:], strict=False):
                if (tags[first:end] != self._outside).any():
                    scores[first:end] = self._marginals(states[first:end], tags[first:end])
        return tags, _sound(scores)

    def _weights(self, biases: Mapping[str, float]) -> bytes:
        """CRFsuite's file with these biases."""
        key = tuple(sorted(biases.items()))
        written = self._written
        if written is None or written[0] != key:
            own = {label_of(tag) for tag in self.tags}
            wanted = {label: bias for label, bias in biases.items() if label in own}
            self._written = written = key, write_model(biased(self._model, wanted))
        return written[1]

    @lazy
    def _tables(self) -> tuple[Ints, dict[str, int], Floats]:
        """Row pointers, ids of attributes, and what every item has."""
        model = self._model
        numbers = {attribute: number for number, attribute in enumerate(model.attributes)}
        pointers = _row_pointers(model)
        return pointers, numbers, _constant_weights(model, pointers)

    def _states(self, features: Features, biases: Mapping[str, float]) -> Floats:
        """The score of each tag of each item by its attributes, [item, tag]."""
        model = self._model
        pointers, numbers, constant = self._tables
        table = np.array([numbers.get(a, -1) for a in features.attributes] + [-1], np.int64)
        ids = table[features.attribute_ids]
        items = np.repeat(np.arange(len(features.starts)), np.diff(features.item_offsets))
        items, ids = items[ids >= 0], ids[ids >= 0]
        counts = pointers[ids + 1] - pointers[ids]
        # The places of the weights of all these attributes, one after another.
        cells = np.repeat(pointers[ids + 1] - np.cumsum(counts), counts) + np.arange(counts.sum())
        places = np.repeat(items, counts) * len(model.tags) + model.state_tags[cells]
        size = len(features.starts) * len(model.tags)
        sums = np.bincount(places, model.state_weights[cells], size)
        return sums.reshape(-1, len(model.tags)) + constant + biases_by_tag(model.tags, biases)

    def _marginals(self, states: Floats, tags: Ints) -> Floats:
        """The marginals of the tags of a sequence, 1 where they are outside.

        CRFsuite's own are of sums of exp() of scores as they are, which the weights of a perceptron
        put beyond what doubles can hold: they are NaN then, or 0 for what is certain. These are
        kept as logarithms, as in the extension.
        """
        moves = self._model.transitions()
        factors = np.exp(moves - moves.max())
        scores = np.ones(len(tags))
        with np.errstate(divide="ignore", invalid="ignore"):
            forward = [states[0] - states[0].max()]
            for state in states[1:]:
                logs = np.log(np.exp(forward[-1]) @ factors) + state
                forward.append(logs - logs.max())
            behind = np.zeros(len(self.tags))
            for place in reversed(range(len(tags))):
                if tags[place] != self._outside:
                    both = forward[place] + behind
                    masses = np.exp(both - both.max())
                    scores[place] = masses[tags[place]] / masses.sum()
                both = states[place] + behind
                behind = np.log(factors @ np.exp(both - both.max()))
        return scores


def _row_pointers(model: CrfModel) -> Ints:
    """Of each attribute its first weight, and one more."""
    pointers = np.searchsorted(model.state_attributes, np.arange(len(model.attributes) + 1))
    return pointers.astype(np.int64)


def _constant_weights(model: CrfModel, pointers: Ints) -> Floats:
    """For each tag what every item has."""
    weights = np.zeros(len(model.tags))
    if CONSTANT in model.attributes:
        number = model.attributes.index(CONSTANT)
        own = slice(pointers[number], pointers[number + 1])
        weights[model.state_tags[own]] = model.state_weights[own]
    return weights


def _sound(scores: Floats) -> Floats:
    """Within their range: where nothing is known 0.0 says so."""
    return np.clip(np.where(np.isfinite(scores), scores, 0.0), 0.0, 1.0)
