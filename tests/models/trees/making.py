"""Models and batches for tests, drawn from a seed."""

from __future__ import annotations

import numpy as np
from scrubline.models.core.feature_rows import Features
from scrubline.models.trees.growing import LEAF
from scrubline.models.trees.model import CodingTable, TreesModel

NAMES = tuple(f"a{number}" for number in range(14))
"""Attributes of batches; a model has some of them."""


def ints(values) -> np.ndarray:
    return np.array(values, np.int64)


def offsets(lengths) -> np.ndarray:
    return ints([0, *np.cumsum(lengths)])


NOTHING = CodingTable((), ints([]), ints([]), ints([]), 0)


def random_tree(chance, width: int, classes: int, levels: int) -> list[tuple[int, int]]:
    """(column, value) of the nodes in pre-order."""
    if levels == 1 or not width or chance.random() < 0.2:
        return [(LEAF, int(chance.integers(classes)))]
    node = (int(chance.integers(width)), int(chance.integers(0, 6)))
    return [
        node,
        *random_tree(chance, width, classes, levels - 1),
        *random_tree(chance, width, classes, levels - 1),
    ]


def random_model(seed: int) -> TreesModel:
    """A model with several trees, votes that tie, and attributes in several columns."""
    chance = np.random.default_rng(seed)
    tags = ("O", "B-X", "I-X", "B-é", "I-é")[: chance.integers(1, 6)]
    columns, history = int(chance.integers(0, 5)), int(chance.integers(0, 4))
    names = [name for name in NAMES if columns and chance.random() < 0.7]
    rows = [
        np.sort(chance.choice(columns, chance.integers(1, columns + 1), replace=False))
        for _ in names
    ]
    cells = ints([cell for row in rows for cell in row])
    trees = [
        random_tree(chance, columns + history, len(tags), 6) for _ in range(chance.integers(1, 6))
    ]
    nodes = [node for tree in trees for node in tree]
    return TreesModel(
        tags,
        CodingTable(
            tuple(names),
            ints([len(row) for row in rows]),
            cells,
            chance.integers(1, 7, len(cells)),
            columns,
        ),
        history,
        chance.choice([4096, 8192, 5000], len(trees)).astype(np.int64),
        ints([column for column, _ in nodes]),
        ints([value for _, value in nodes]),
    )


def random_batch(seed: int) -> Features:
    """Items of attributes that a model may not have, in sequences, empty ones too, in documents."""
    chance = np.random.default_rng(seed)
    documents = chance.integers(0, 4, chance.integers(0, 5))
    sequences = chance.integers(0, 9, documents.sum())
    items = chance.integers(0, 5, sequences.sum())
    places = np.arange(len(items))
    return Features(
        NAMES,
        chance.integers(0, len(NAMES), items.sum()),
        offsets(items),
        places * 3,
        places * 3 + 2,
        offsets(sequences),
        offsets(documents),
    )
