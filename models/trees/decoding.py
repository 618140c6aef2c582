"""Labelling with boosted trees: one interface, two implementations that give the same.

`open_decoder` uses the extension (`models.native`) if there is one, else the reference in numpy.
Tags and scores are equal: nothing but whole numbers is added up.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Floats, Ids, Ints
from ..core.errors import BundleError
from ..core.feature_rows import Features, Indexed
from ..core.lazy import lazy
from ..crf.codec import OUTSIDE
from ..crf.model_file import biases_by_tag
from ..features.base import gather
from ..learners.decoder import Decoder, ids_of, indexed, numbered
from ..native import extension, warn_if_absent
from .coding import code_matrix
from .growing_reference import LEAF
from .model import VOTE_STEPS, TreesModel, right_children, tree_starts

SCORE_STEPS = 10_000
"""Scores are rounded to so many parts of 1."""

_ITEMS_AT_ONCE = 1 << 16


class TreesDecoder(Decoder):
    """Trees opened for labelling: see `Decoder`."""

    def __init__(self, tags: tuple[str, ...], votes: Ints) -> None:
        super().__init__(tags)
        self._all_votes = int(votes.sum())
        self._outside = tags.index(OUTSIDE) if OUTSIDE in tags else -1

    @abc.abstractmethod
    def _known(self) -> dict[str, int]:
        """Attribute -> id; not needed for `Indexed` features."""

    @abc.abstractmethod
    def _decide(self, prepared: Indexed, biases: Ids) -> tuple[Ints, Ints]:
        """The class of each item and the votes that it won."""

    def _table(self, attributes: Sequence[str]) -> Ids:
        return ids_of(attributes, self._known())

    def _prepare(self, features: Features, table: Ids) -> Indexed:
        return indexed(features, table)

    def decode(
        self,
        prepared: Indexed,
        biases: Mapping[str, float] | None = None,
        *,
        scored: bool = True,
    ) -> tuple[Ints, Floats]:
        """The tags of a batch and how many of the votes they won.

        Args:
            prepared: from `ready`.
            biases: label or "O" -> votes that each of its tags has beforehand, rounded to steps of
                1 / 4096. Labels that the model lacks have no effect.
            scored: whether to say what was won.

        Returns:
            tags: id of the tag of each item.
            scores: in [0, 1], the share of all votes, biases left out, rounded to four digits; 1
                for O, and for all tags if not `scored`. For people alone: it is no probability.

        Raises:
            BundleError: if a bias is not finite or too large.
        """
        by_tag = np.rint(biases_by_tag(self.tags, biases or {}) * VOTE_STEPS).astype(np.int32)
        tags, won = self._decide(prepared, by_tag)
        if not scored:
            return tags, np.ones(len(tags))
        steps = (2 * SCORE_STEPS * won + self._all_votes) // (2 * self._all_votes)
        return tags, np.where(tags == self._outside, 1.0, steps / SCORE_STEPS)


def open_decoder(model: TreesModel) -> TreesDecoder:
    """The fastest decoder available."""
    if extension() is not None:
        return NativeTreesDecoder(model)
    warn_if_absent()
    return ReferenceTreesDecoder(model)


class ModelArrays(NamedTuple):
    """A model for the extension.

    Attributes:
        tags: see `TreesModel`.
        votes: of the trees.
        opened: what `open_trees` takes.
    """

    tags: tuple[str, ...]
    votes: Ints
    opened: tuple[Any, ...]


def model_arrays(model: TreesModel, attributes: Sequence[str] | None = None) -> ModelArrays:
    """The arrays of a model.

    Args:
        model: to be opened.
        attributes: whose places are the ids of `Indexed` features, all those of the model among
            them; the model's own if None.
    """
    coding = model.coding
    known = {attribute: number for number, attribute in enumerate(coding.attributes)}
    ids = np.array([known.get(a, -1) for a in attributes or coding.attributes], np.int64)
    cells = np.zeros(len(ids) + 1, np.int64)
    # One that the model lacks, -1, has no cells.
    np.cumsum(np.append(coding.attribute_cells, 0)[ids], out=cells[1:])
    _, picked = gather(coding.cells, np.arange(len(coding.cell_columns)), ids[ids >= 0])
    opened = (
        cells,
        coding.cell_columns[picked].astype(np.uint16),
        coding.cell_codes[picked].astype(np.uint8),
        model.node_columns.astype(np.uint16),
        model.node_values.astype(np.uint8),
        model.votes.astype(np.int32),
        len(model.tags),
        model.coding.columns,
        model.history,
    )
    return ModelArrays(tuple(model.tags), model.votes, opened)


class NativeTreesDecoder(TreesDecoder):
    """A decoder on the extension; lets other threads run while it labels."""

    def __init__(self, model: TreesModel | ModelArrays) -> None:
        """Opens a model, or its arrays; with arrays all features must be `Indexed`.

        Raises:
            BundleError: if there is no extension, or it refuses the arrays.
        """
        native = extension()
        if native is None:
            raise BundleError("there is no native extension")
        self._attributes = model.attributes if isinstance(model, TreesModel) else ()
        arrays = model_arrays(model) if isinstance(model, TreesModel) else model
        super().__init__(arrays.tags, arrays.votes)
        self._label = native.label_trees
        try:
            self._trees = native.open_trees(*arrays.opened)
        except ValueError as error:
            raise BundleError(str(error)) from None

    @lazy
    def _ids(self) -> dict[str, int]:
        return numbered(self._attributes)

    def _known(self) -> dict[str, int]:
        return self._ids

    def _decide(self, prepared: Indexed, biases: Ids) -> tuple[Ints, Ints]:
        tags = np.zeros(len(prepared.starts), np.uint16)
        won = np.zeros(len(tags), np.int32)
        self._label(
            self._trees,
            biases,
            prepared.attribute_ids,
            prepared.item_offsets,
            prepared.sequence_offsets,
            tags,
            won,
        )
        return tags.astype(np.int64), won.astype(np.int64)


class ReferenceTreesDecoder(TreesDecoder):
    """A decoder in numpy: the reference, and the fallback without the extension."""

    def __init__(self, model: TreesModel) -> None:
        super().__init__(model.tags, model.votes)
        leaves = model.node_columns == LEAF
        self._model = model
        self._numbers = {attribute: number for number, attribute in enumerate(model.attributes)}
        self._roots = tree_starts(leaves).tolist()
        self._rights = right_children(leaves)

    def _known(self) -> dict[str, int]:
        return self._numbers

    def _decide(self, prepared: Indexed, biases: Ids) -> tuple[Ints, Ints]:
        model = self._model
        if (
            (prepared.attribute_ids < -1) | (prepared.attribute_ids >= len(model.attributes))
        ).any():
            raise ValueError("an attribute is out of range")
        codes = code_matrix(prepared, model.coding)
        tags, won = np.zeros(len(codes), np.int64), np.zeros(len(codes), np.int64)
        if not model.history:
            for first in range(0, len(codes), _ITEMS_AT_ONCE):
                piece = slice(first, first + _ITEMS_AT_ONCE)
                tags[piece], won[piece] = self._vote(codes[piece], biases)
            return tags, won
        firsts, ends = prepared.sequence_offsets[:-1], prepared.sequence_offsets[1:]
        # Longest first: those that are not over yet are always the first ones.
        order = np.argsort(firsts - ends, kind="stable")
        firsts, lengths = firsts[order], (ends - firsts)[order]
        before = np.zeros((len(firsts), model.history), np.uint8)
        for step in range(int(lengths.max(initial=0))):
            going = int(np.count_nonzero(lengths > step))
            rows = firsts[:going] + step
            before = before[:going]
            tags[rows], won[rows] = self._vote(np.hstack((codes[rows], before)), biases)
            before = np.column_stack((tags[rows] + 1, before[:, :-1])).astype(np.uint8)
        return tags, won

    def _vote(self, codes: np.ndarray, biases: Ids) -> tuple[Ints, Ints]:
        """The class of each row and the votes that it won."""
        model = self._model
        items = np.arange(len(codes))
        sums = np.tile(biases.astype(np.int64), (len(codes), 1))
        for root, votes in zip(self._roots, model.votes.tolist(), strict=True):
            nodes = np.full(len(codes), root)
            going = items
            while len(going):
                columns = model.node_columns[nodes[going]]
                going, columns = going[columns != LEAF], columns[columns != LEAF]
                here = nodes[going]
                left = codes[going, columns] <= model.node_values[here]
                nodes[going] = np.where(left, here + 1, self._rights[here])
            sums[items, model.node_values[nodes]] += votes
        # The first of equal ones.
        best = sums.argmax(axis=1)
        return best, sums[items, best] - biases[best]
