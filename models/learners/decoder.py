"""`Decoder`: a model opened for tagging, whatever its family."""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..core.arrays import Floats, Ids, Ints
from ..core.feature_rows import Features, Featurized, Indexed, Summed


class Decoder(abc.ABC):
    """A model opened for tagging, in the process that uses it; never pickled. Thread-safe.

    Attributes:
        tags: of the model; the id of a tag is its index.
        weights: what the extension opened of it, if it takes `Summed` features; else None.
    """

    weights: Any | None = None

    def __init__(self, tags: tuple[str, ...]) -> None:
        self.tags = tags
        # The attributes of the last batch and their table.
        self._last: tuple[Sequence[str], Any] | None = None

    @abc.abstractmethod
    def _table(self, attributes: Sequence[str]) -> Any:
        """Looks up the attribute strings of a batch in the model."""

    @abc.abstractmethod
    def _prepare(self, features: Features, table: Any) -> Any:
        """Features with their `_table`, in the form that `decode` takes."""

    def ready(self, features: Featurized) -> Any:
        """A batch, or part of one, in the form that `decode` takes: once, or for many biases.

        `Indexed` and `Summed` features must be of this model; they are returned as they are. Parts
        of a batch share its attributes, which are looked up once.
        """
        if isinstance(features, Indexed | Summed):
            return features
        last = self._last
        if last is None or last[0] is not features.attributes:
            self._last = last = features.attributes, self._table(features.attributes)
        return self._prepare(features, last[1])

    @abc.abstractmethod
    def decode(
        self, prepared: Any, biases: Mapping[str, float] | None = None, *, scored: bool = True
    ) -> tuple[Ints, Floats]:
        """The best tags of a batch and their scores.

        Args:
            prepared: from `ready`.
            biases: label or "O" -> value added to the score of each of its tags, rounded to the
                grid. Labels that the model lacks have no effect.
            scored: whether to compute scores.

        Returns:
            tags: id of the best tag of each item.
            scores: in [0, 1], of that tag; 1 for O, and for all tags if not `scored`. The family
                says what they mean.

        Raises:
            BundleError: if a bias is not finite or too large.
        """

    def decode_risks(
        self, prepared: Any, biases: Mapping[str, float] | None = None, *, temperature: float
    ) -> tuple[Ints, Floats, Floats | None]:
        """Tags and scores as of `decode`, and the risk of each item.

        Args:
            prepared, biases: see `decode`.
            temperature: above 0; by which all scores are divided first, for the risks alone.

        Returns:
            tags, scores: see `decode`.
            risks: one less the probability that the item is O, in [0, 1], by the model as it was
                trained: biases set how much is removed, not what is likely. 1 where it is not
                known. None for families without probabilities.
        """
        return *self.decode(prepared, biases), None


def numbered(attributes: Sequence[str]) -> dict[str, int]:
    """Attribute -> id, which is its place; what `ids_of` takes."""
    return {attribute: number for number, attribute in enumerate(attributes)}


def ids_of(attributes: Sequence[str], known: Mapping[str, int]) -> Ids:
    """The id of each attribute, -1 if the model does not have it."""
    return np.fromiter((known.get(a, -1) for a in attributes), np.int32, len(attributes))


def indexed(features: Features, table: Ids) -> Indexed:
    """Features with the ids of a model.

    Args:
        features: of a batch.
        table: of each of its attributes the id, -1 for one that the model does not have.
    """
    return Indexed(
        table[features.attribute_ids],
        features.item_offsets,
        features.starts,
        features.ends,
        features.sequence_offsets,
        features.document_offsets,
    )
