"""`TreesModel`: voting decision trees, and how attributes become the bytes that they look at."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..core.arrays import Ints, require_equal_lengths
from ..core.errors import BundleError
from ..crf.model_file import GRID
from .growing_reference import LEAF, LEVELS, MOST_CODE

MOST_TAGS = 254
"""A class and one are a code: 0 stands for the items before a sequence."""

MOST_COLUMNS = 4096
MOST_HISTORY = 64
MOST_ATTRIBUTES = 1 << 23
MOST_NODES = 1 << 26

VOTE_STEPS = int(GRID)
"""Votes and biases are whole numbers of steps, so many to 1."""

MOST_VOTES = 1 << 30
"""Of all trees together: with a bias they stay below 2^31."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class CodingTable:
    """How attributes are coded: which attribute fills which columns with which codes.

    Attributes:
        attributes: unique, in order of their ids.
        attribute_cells: in how many columns each attribute is coded, 1 to 255.
        cell_columns, cell_codes: where an attribute is coded, its columns ascending, and how: 1 to
            254; those of all attributes, one after another.
        columns: how many there are.

    Raises:
        BundleError: if something is out of range, out of order or repeated.
    """

    attributes: tuple[str, ...]
    attribute_cells: Ints
    cell_columns: Ints
    cell_codes: Ints
    columns: int

    def __post_init__(self) -> None:
        require_equal_lengths(
            "CodingTable attributes", attributes=self.attributes, cells=self.attribute_cells
        )
        require_equal_lengths("CodingTable cells", columns=self.cell_columns, codes=self.cell_codes)
        _require("attributes", len(self.attributes), 0, MOST_ATTRIBUTES)
        _require("columns", self.columns, 0, MOST_COLUMNS)
        _require_names("attributes", self.attributes)
        _require_all("the number of columns of an attribute", self.attribute_cells, 1, 255)
        _require_all("the column of an attribute", self.cell_columns, 0, self.columns - 1)
        _require_all("the code of an attribute", self.cell_codes, 1, MOST_CODE)
        if int(self.attribute_cells.sum()) != len(self.cell_columns):
            raise BundleError("the columns of the attributes do not match their codes")
        rows = np.repeat(np.arange(len(self.attributes)), self.attribute_cells)
        if (np.diff(rows * MOST_COLUMNS + self.cell_columns) <= 0).any():
            raise BundleError("the columns of an attribute are not in ascending order")

    @property
    def cells(self) -> Ints:
        """Row pointers of the attributes into `cell_columns`."""
        return np.concatenate((np.zeros(1, np.int64), np.cumsum(self.attribute_cells)))


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class TreesModel:
    """Trees that vote for the class of an item.

    An item is a row of bytes: the columns that its attributes fill, 0 where it has none of them and
    the highest code where it has several; then the classes of the `history` items before it in its
    sequence, the nearest first, as class + 1, and 0 before the sequence begins. Each tree gives its
    votes to one class; the class with most votes and bias wins, of equal ones the lowest.

    Attributes:
        tags: the classes, in order of their ids.
        coding: how attributes fill columns.
        history: how many items before are seen.
        votes: of each tree, above 0.
        node_columns: of all trees, each in pre-order, so that the left child follows its parent;
            `LEAF` of a leaf.
        node_values: the most code that goes to the left child, 0 to 253; the class of a leaf.

    Raises:
        BundleError: if something is out of range, repeated, or no whole tree of at most 64 levels.
    """

    tags: tuple[str, ...]
    coding: CodingTable
    history: int
    votes: Ints
    node_columns: Ints
    node_values: Ints

    def __post_init__(self) -> None:
        require_equal_lengths(
            "TreesModel nodes", columns=self.node_columns, values=self.node_values
        )
        _require("tags", len(self.tags), 1, MOST_TAGS)
        _require("items of history", self.history, 0, MOST_HISTORY)
        _require("nodes", len(self.node_columns), 1, MOST_NODES)
        _require_names("tags", self.tags)
        _require_all("the votes of a tree", self.votes, 1, MOST_VOTES)
        if int(self.votes.sum()) > MOST_VOTES:
            raise BundleError(f"the trees have more than {MOST_VOTES} votes together")
        leaves = self.node_columns == LEAF
        width = self.coding.columns + self.history
        _require_all("the class of a leaf", self.node_values[leaves], 0, len(self.tags) - 1)
        _require_all("the column of a node", self.node_columns[~leaves], 0, width - 1)
        _require_all("the threshold of a node", self.node_values[~leaves], 0, MOST_CODE - 1)
        roots = tree_starts(leaves)
        if len(roots) != len(self.votes):
            raise BundleError(f"the model has {len(self.votes)} votes for {len(roots)} trees")

    @property
    def attributes(self) -> tuple[str, ...]:
        """Those that the model knows, in order of their ids."""
        return self.coding.attributes

    def on_grid(self) -> bool:
        """Whether it can be packed: always, since it is made of whole numbers."""
        return True


def tree_starts(leaves: npt.NDArray[np.bool_]) -> Ints:
    """The first node of each tree, of trees in pre-order.

    Args:
        leaves: whether each node is one.

    Raises:
        BundleError: if the last tree is not whole, or one has more than `LEVELS` levels.
    """
    # A node that splits opens a place, a leaf fills one: a tree ends where the sum falls lower
    # than ever before.
    sums = np.cumsum(np.concatenate(([0], np.where(leaves, -1, 1))))
    ends = np.flatnonzero(np.diff(np.minimum.accumulate(sums)) < 0)
    if not len(ends) or ends[-1] != len(leaves) - 1:
        raise BundleError("the last tree of the model is not whole")
    starts = np.concatenate(([0], ends[:-1] + 1))
    _require_levels(leaves)
    return starts


def right_children(leaves: npt.NDArray[np.bool_]) -> Ints:
    """The right child of each node of whole trees; -1 of a leaf."""
    rights = np.full(len(leaves), -1, np.int64)
    waiting: list[int] = []
    for node, is_leaf in enumerate(leaves.tolist()):
        if not is_leaf:
            waiting.append(node)
        elif waiting and node + 1 < len(leaves):
            while waiting and rights[waiting[-1]] >= 0:
                waiting.pop()
            if waiting:
                rights[waiting[-1]] = node + 1
    return rights


def _require_levels(leaves: npt.NDArray[np.bool_]) -> None:
    # The nodes above whose right child is still to come, and those whose right child has come.
    above: list[bool] = []
    for is_leaf in leaves.tolist():
        if not is_leaf:
            above.append(False)
            if len(above) >= LEVELS:
                raise BundleError(f"a tree of the model has more than {LEVELS} levels")
            continue
        while above and above[-1]:
            above.pop()
        if above:
            above[-1] = True


def _require(what: str, count: int, least: int, most: int) -> None:
    if not least <= count <= most:
        raise BundleError(f"the model has {count} {what}; expected {least} to {most}")


def _require_all(what: str, numbers: Ints, least: int, most: int) -> None:
    if len(numbers) and not (numbers.min() >= least and numbers.max() <= most):
        raise BundleError(f"{what} is not from {least} to {most}")


def _require_names(what: str, names: Sequence[str]) -> None:
    if len(set(names)) != len(names):
        raise BundleError(f"the {what} of a model must be unique")
    joined = "".join(names)
    try:
        joined.encode()
    except UnicodeEncodeError:
        raise BundleError(f"one of the {what} contains a lone surrogate") from None
    if "\0" in joined:
        raise BundleError(f"one of the {what} contains a NUL")
