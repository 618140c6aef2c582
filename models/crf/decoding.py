"""Tagging with a CRF: one interface, two implementations that give the same tags.

`open_decoder` uses the extension (`models.native`) if there is one, else the reference on
python-crfsuite. Their tags are equal: weights lie on a grid on which sums are exact in any order,
and both break ties towards the lower tag. Their scores are marginal probabilities, which agree to
1e-9. Both compute them with logarithms; a score may be 0 where weights of transitions differ by
more than 700.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pycrfsuite

from ..core.arrays import Floats, Ids, Ints
from ..core.errors import BundleError
from ..core.feature_rows import Features, Indexed, Summed
from ..core.lazy import lazy
from ..learners.decoder import Decoder, ids_of, indexed, numbered
from ..native import extension, warn_if_absent
from .codec import OUTSIDE
from .learning import AttributeTable, attribute_table, item_sequences
from .model_file import CONSTANT, CrfModel, biased, biases_by_tag, label_of, write_model


def open_decoder(model: CrfModel) -> Decoder:
    """The fastest decoder available for a model on the grid."""
    if extension() is not None:
        return NativeDecoder(model)
    warn_if_absent()
    return ReferenceDecoder(model)


ModelArrays = tuple[tuple[str, ...], Floats, tuple[Any, ...]]
"""A model for the extension: its tags, the constant's weights, and what `open_model` takes."""


def model_arrays(model: CrfModel) -> ModelArrays:
    """The arrays of a model.

    Raises:
        BundleError: if its weights are not on the grid.
    """
    if not model.on_grid():
        raise BundleError("the weights are not on the grid")
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
    """A decoder on the extension."""

    def __init__(self, model: CrfModel | ModelArrays) -> None:
        """Opens a model, or its arrays; with arrays features are `Indexed` or `Summed`.

        Raises:
            BundleError: if CRFsuite and the extension would not give the same tags.
        """
        native = extension()
        if native is None:
            raise BundleError("there is no native extension")
        tags, base, arrays = model_arrays(model) if isinstance(model, CrfModel) else model
        # A copy, since the arrays may map a file and would keep it in memory.
        self._base = base.copy()
        super().__init__(tags)
        self._attributes = model.attributes if isinstance(model, CrfModel) else ()
        self._decode = native.decode
        try:
            self.weights = native.open_model(*arrays)
        except ValueError as error:
            raise BundleError(str(error)) from None

    @lazy
    def _ids(self) -> dict[str, int]:
        """Attribute -> id; not needed for `Indexed` features."""
        return numbered(self._attributes)

    def _table(self, attributes: Sequence[str]) -> Ids:
        return ids_of(attributes, self._ids)

    def _prepare(self, features: Features, table: Ids) -> Indexed:
        return indexed(features, table)

    def decode(
        self,
        prepared: Indexed | Summed,
        biases: Mapping[str, float] | None = None,
        *,
        scored: bool = True,
    ) -> tuple[Ints, Floats]:
        """See `Decoder.decode`."""
        if not scored:
            tags = self._decoded(prepared, biases, _NOTHING, _NOTHING, 1.0)
            return tags, np.ones(len(tags))
        scores = np.ones(len(prepared.starts))
        tags = self._decoded(prepared, biases, scores, _NOTHING, 1.0)
        return tags, _in_range(scores)

    def decode_risks(
        self,
        prepared: Indexed | Summed,
        biases: Mapping[str, float] | None = None,
        *,
        temperature: float,
    ) -> tuple[Ints, Floats, Floats]:
        """See `Decoder.decode_risks`."""
        scores, risks = np.ones(len(prepared.starts)), np.ones(len(prepared.starts))
        tags = self._decoded(prepared, biases, scores, risks, temperature)
        return tags, _in_range(scores), _in_range(risks, 1.0)

    def _decoded(
        self,
        prepared: Indexed | Summed,
        biases: Mapping[str, float] | None,
        scores: Floats,
        risks: Floats,
        temperature: float,
    ) -> Ints:
        """The tags; what is wanted is written to `scores` and `risks`, empty for what is not."""
        base = self._base + biases_by_tag(self.tags, biases or {})
        if isinstance(prepared, Summed):
            rows: tuple[Ids, Ints | None] = prepared.states, None
        else:
            rows = prepared.attribute_ids, prepared.item_offsets
        tags = np.zeros(len(prepared.starts), np.uint16)
        self._decode(
            self.weights,
            base,
            *rows,
            prepared.sequence_offsets,
            tags,
            scores,
            risks,
            self._base,
            temperature,
        )
        return tags.astype(np.int64)


class ReferenceDecoder(Decoder):
    """A decoder on python-crfsuite: the reference, and the fallback without the extension."""

    def __init__(self, model: CrfModel) -> None:
        super().__init__(model.tags)
        self._model = model
        self._known = frozenset(model.attributes)
        self._numbers = {tag: number for number, tag in enumerate(model.tags)}
        self._outside = self._numbers.get(OUTSIDE, -1)
        # The model file with the biases used last.
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
        tags = self._tags_of(prepared[1], biases or {})
        scores = np.ones(len(tags))
        if scored:
            states = self._states(prepared[0], biases or {})
            for first, end in _sequences(prepared[0]):
                if (tags[first:end] != self._outside).any():
                    own = self._marginals(states[first:end], tags[first:end])
                    scores[first:end] = own[0]
        return tags, _in_range(scores)

    def decode_risks(
        self,
        prepared: tuple[Features, list[pycrfsuite.ItemSequence]],
        biases: Mapping[str, float] | None = None,
        *,
        temperature: float,
    ) -> tuple[Ints, Floats, Floats]:
        """See `Decoder.decode_risks`."""
        if not temperature > 0:
            raise ValueError("the temperature is out of range")
        tags, scores = self.decode(prepared, biases)
        states = self._states(prepared[0], {})
        risks = np.ones(len(tags))
        for first, end in _sequences(prepared[0]) if self._outside >= 0 else ():
            own = self._marginals(states[first:end], tags[first:end], temperature)
            risks[first:end] = own[1]
        return tags, scores, _in_range(risks, 1.0)

    def _tags_of(
        self, sequences: list[pycrfsuite.ItemSequence], biases: Mapping[str, float]
    ) -> Ints:
        # A new tagger per call, since it holds state while it tags. CRFsuite reads the bytes while
        # the tagger lives, and does not own them.
        weights = self._weights(biases)
        crf = pycrfsuite.Tagger()
        crf.open_inmemory(weights)
        found = [self._numbers[tag] for items in sequences for tag in crf.tag(items)]
        return np.array(found, np.int64)

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
        """Row pointers, ids of attributes, and the constant's weights."""
        model = self._model
        numbers = {attribute: number for number, attribute in enumerate(model.attributes)}
        pointers = _row_pointers(model)
        return pointers, numbers, _constant_weights(model, pointers)

    def _states(self, features: Features, biases: Mapping[str, float]) -> Floats:
        """The score of each tag of each item from its attributes, [item, tag]."""
        model = self._model
        pointers, numbers, constant = self._tables
        table = np.array([numbers.get(a, -1) for a in features.attributes] + [-1], np.int64)
        ids = table[features.attribute_ids]
        items = np.repeat(np.arange(len(features.starts)), np.diff(features.item_offsets))
        items, ids = items[ids >= 0], ids[ids >= 0]
        counts = pointers[ids + 1] - pointers[ids]
        # The indexes of the weights of all these attributes, one after another.
        cells = np.repeat(pointers[ids + 1] - np.cumsum(counts), counts) + np.arange(counts.sum())
        places = np.repeat(items, counts) * len(model.tags) + model.state_tags[cells]
        size = len(features.starts) * len(model.tags)
        sums = np.bincount(places, model.state_weights[cells], size)
        return sums.reshape(-1, len(model.tags)) + constant + biases_by_tag(model.tags, biases)

    def _marginals(
        self, states: Floats, tags: Ints, temperature: float = 1.0
    ) -> tuple[Floats, Floats]:
        """The marginals of the tags of a sequence, 1 for O; and of each item that it is not O.

        CRFsuite sums exp() of raw scores. The weights of a perceptron make these overflow, so its
        marginals are NaN, or 0 for certain tags. Here they are computed with logarithms, as in the
        extension.
        """
        moves, states = self._model.transitions(), states / temperature
        factors = np.exp((moves - moves.max()) / temperature)
        others = np.arange(len(self.tags)) != self._outside
        scores, risks = np.ones(len(tags)), np.ones(len(tags))
        with np.errstate(divide="ignore", invalid="ignore"):
            forward = [states[0] - states[0].max()]
            for state in states[1:]:
                logs = np.log(np.exp(forward[-1]) @ factors) + state
                forward.append(logs - logs.max())
            backward = np.zeros(len(self.tags))
            for item in reversed(range(len(tags))):
                both = forward[item] + backward
                masses = np.exp(both - both.max())
                # The share of the others, and not 1 less that of O: nothing cancels out.
                risks[item] = masses[others].sum() / masses.sum()
                if tags[item] != self._outside:
                    scores[item] = masses[tags[item]] / masses.sum()
                both = states[item] + backward
                backward = np.log(factors @ np.exp(both - both.max()))
        return scores, risks


def _sequences(features: Features) -> Iterator[tuple[int, int]]:
    """The first and one past the last item of each sequence."""
    bounds = features.sequence_offsets.tolist()
    return zip(bounds, bounds[1:], strict=False)


def _row_pointers(model: CrfModel) -> Ints:
    """The index of the first weight of each attribute, and the number of weights."""
    pointers = np.searchsorted(model.state_attributes, np.arange(len(model.attributes) + 1))
    return pointers.astype(np.int64)


def _constant_weights(model: CrfModel, pointers: Ints) -> Floats:
    """The weight of `CONSTANT` for each tag."""
    weights = np.zeros(len(model.tags))
    if CONSTANT in model.attributes:
        number = model.attributes.index(CONSTANT)
        own = slice(pointers[number], pointers[number + 1])
        weights[model.state_tags[own]] = model.state_weights[own]
    return weights


_NOTHING: Floats = np.zeros(0)


def _in_range(values: Floats, unknown: float = 0.0) -> Floats:
    """The values in [0, 1]; `unknown` for those that are not finite."""
    return np.clip(np.where(np.isfinite(values), values, unknown), 0.0, 1.0)
