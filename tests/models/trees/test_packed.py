from __future__ import annotations

import dataclasses
import lzma
import struct

import numpy as np
import pytest
from scrubline.models.core.errors import BundleError
from scrubline.models.trees.growing import LEAF
from scrubline.models.trees.model import CodingTable, TreesModel, right_children, tree_starts
from scrubline.models.trees.packed import pack, unpack

from .making import NOTHING, ints, random_model


def equal(one: TreesModel, other: TreesModel) -> bool:
    return all(
        np.array_equal(getattr(a, field.name), getattr(b, field.name))
        for a, b in ((one, other), (one.coding, other.coding))
        for field in dataclasses.fields(a)
        if field.name != "coding"
    )


@pytest.mark.parametrize("seed", range(30))
def test_a_packed_model_is_unpacked_whole(seed):
    model = random_model(seed)
    data = pack(model)
    assert equal(unpack(data), model)
    assert pack(unpack(data)) == data
    assert model.on_grid()


FIELDS = (
    *("version", "tags", "attributes", "cells", "columns", "history", "trees", "nodes"),
    *("tag_bytes", "name_bytes"),
)


def body(seed: int = 4) -> bytearray:
    return bytearray(lzma.decompress(pack(random_model(seed))))


def words(**changes: int) -> bytes:
    """A body with words of its header changed."""
    data = body()
    for name, value in changes.items():
        struct.pack_into("<I", data, 8 + 4 * FIELDS.index(name), value)
    return lzma.compress(bytes(data))


def two_names() -> tuple[bytes, bytes]:
    """The second attribute of a body, and the first, as they stand there."""
    first, second = random_model(4).attributes[:2]
    return f"{second}\0".encode(), f"{first}\0".encode()


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "truncated"),
        (b"\xfd7zXZ\0", "truncated"),
        (b"plain" * 9, "not a packed"),
        (pack(random_model(4))[:-3], "truncated"),
        (pack(random_model(4)) + b"x", "followed by other data"),
        (lzma.compress(b""), "too short"),
        (lzma.compress(b"SCRUBTRE" + bytes(28)), "too short"),
        (lzma.compress(bytes(body()).replace(b"SCRUBTRE", b"SCRUBCRF")), "wrong magic"),
        (words(version=2), "wrong magic or version"),
        (words(tags=0), "number of tags"),
        (words(tags=255), "too many tags"),
        (words(attributes=2**32 - 1), "too many tags, attributes"),
        (words(nodes=2**32 - 1), "trees or nodes"),
        (words(trees=2**20), "trees or nodes"),
        (words(cells=2**32 - 1), "size of the packed"),
        (words(nodes=1, trees=1), "size of the packed"),
        (words(columns=5000), "5000 columns"),
        (words(columns=0), "column of"),
        (words(history=65), "65 items of history"),
        (lzma.compress(bytes(body()).replace("é".encode(), b"\xff\xff")), "tags .* UTF-8"),
        (lzma.compress(bytes(body()).replace(*two_names())), "unique"),
        (lzma.compress(bytes(body()[:-1]) + b"\xff"), "class of a leaf"),
    ],
)
def test_what_is_no_packed_model_is_refused(data, match):
    with pytest.raises(BundleError, match=match):
        unpack(data)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"tags": ()}, "0 tags"),
        ({"tags": tuple(map(str, range(255)))}, "255 tags"),
        ({"tags": ("O", "O")}, "tags of a model must be unique"),
        ({"tags": ("O", "B-\ud800")}, "lone surrogate"),
        ({"tags": ("O", "B\0")}, "NUL"),
        ({"attributes": ("a", "a")}, "attributes of a model must be unique"),
        ({"attribute_cells": ints([0, 2])}, "number of columns of an attribute"),
        ({"attribute_cells": ints([1, 2])}, "do not match their codes"),
        ({"attribute_cells": ints([1, 256])}, "number of columns of an attribute"),
        ({"cell_columns": ints([0, 2])}, "column of an attribute"),
        ({"cell_columns": ints([-1, 0])}, "column of an attribute"),
        ({"cell_codes": ints([0, 1])}, "code of an attribute"),
        ({"cell_codes": ints([255, 1])}, "code of an attribute"),
        ({"attribute_cells": ints([2]), "attributes": ("a",), "cell_columns": ints([1, 1])}, "asc"),
        ({"columns": 4097}, "4097 columns"),
        ({"columns": -1}, "-1 columns"),
        ({"history": -1}, "-1 items of history"),
        ({"votes": ints([0])}, "votes of a tree"),
        ({"votes": ints([2**30 + 1])}, "votes of a tree"),
        ({"votes": ints([1, 1])}, "2 votes for 1 trees"),
        ({"votes": ints([])}, "0 votes for 1 trees"),
        ({"node_columns": ints([0, LEAF, 3])}, "column of a node"),
        ({"node_columns": ints([0, LEAF, -1])}, "column of a node"),
        ({"node_columns": ints([0, LEAF, 0])}, "not whole"),
        ({"node_columns": ints([LEAF, LEAF, 0]), "node_values": ints([0, 0, 0])}, "not whole"),
        ({"node_columns": ints([LEAF, 0, LEAF]), "node_values": ints([0, 0, 0])}, "not whole"),
        ({"node_columns": ints([LEAF] * 3), "node_values": ints([0, 0, 0])}, "1 votes for 3"),
        ({"node_values": ints([254, 0, 1])}, "threshold of a node"),
        ({"node_values": ints([0, 0, 2])}, "class of a leaf"),
        ({"node_columns": ints([]), "node_values": ints([])}, "0 nodes"),
    ],
)
def test_a_model_that_makes_no_sense_is_refused(changes, match):
    coding = {
        "attributes": ("a", "b"),
        "attribute_cells": ints([1, 1]),
        "cell_columns": ints([0, 1]),
        "cell_codes": ints([1, 254]),
        "columns": 2,
    }
    good = {
        "tags": ("O", "B-X"),
        "history": 1,
        "votes": ints([1]),
        "node_columns": ints([2, LEAF, LEAF]),
        "node_values": ints([253, 0, 1]),
    }
    TreesModel(coding=CodingTable(**coding), **good)
    own = {name: value for name, value in changes.items() if name in coding}
    rest = {name: value for name, value in changes.items() if name not in coding}
    with pytest.raises(BundleError, match=match):
        TreesModel(coding=CodingTable(**{**coding, **own}), **{**good, **rest})


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="differ in length"):
        dataclasses.replace(random_model(4), node_values=ints([1]))


def test_trees_of_too_many_levels_are_refused():
    def chain(levels: int, left: bool) -> np.ndarray:
        inner = levels - 1
        # To the left all splits come first, to the right each is followed by its leaf.
        return np.array(
            [False] * inner + [True] * levels if left else [False, True] * inner + [True]
        )

    for left in (False, True):
        assert tree_starts(chain(64, left)).tolist() == [0]
        with pytest.raises(BundleError, match="more than 64 levels"):
            tree_starts(chain(65, left))
    # Trees one after another are no deeper.
    assert tree_starts(np.tile(chain(40, True), 3)).tolist() == [0, 79, 158]


def test_right_children():
    leaves = np.array([True, False, False, True, True, False, True, True])
    assert tree_starts(leaves).tolist() == [0, 1]
    assert right_children(leaves).tolist() == [-1, 5, 4, -1, -1, 7, -1, -1]


def test_votes_together_are_bounded():
    leaf = ints([LEAF, LEAF])
    with pytest.raises(BundleError, match="votes together"):
        TreesModel(("O",), NOTHING, 0, ints([2**30, 1]), leaf, ints([0, 0]))
