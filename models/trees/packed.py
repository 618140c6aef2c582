"""Boosted trees as bundles store them: columns of whole numbers, compressed by xz.

Layout inside the xz stream, little-endian: eight bytes "SCRUBTRE" and the version; the numbers of
tags, attributes, their cells, columns, items of history, trees and nodes, and the sizes of the two
lists of names in bytes (9 x u32); tags and attributes in UTF-8, each name followed by a NUL; of the
attributes the numbers of cells (u8); of the cells the columns (u16), then the codes (u8); of the
trees the votes (i32, in steps of
1 / 4096); of the nodes of all trees, each in pre-order, the columns (u16; 65535 of a leaf), then
the thresholds, or the classes of leaves (u8). In pre-order the left child follows its parent, and
the right one what lies below the left: their places follow, and cannot be wrong.
"""

from __future__ import annotations

import struct

import numpy as np

from ..core.arrays import Ints
from ..core.errors import BundleError
from ..core.packing import compressed, decompressed, joined_names, split_names
from .model import MOST_ATTRIBUTES, MOST_NODES, MOST_TAGS, CodingTable, TreesModel

_MAGIC = b"SCRUBTRE"
_VERSION = 1
_HEADER = struct.Struct("<8s10I")
_WHAT = "packed model of trees"
_MOST_BYTES = 1 << 28
"""Of the unpacked model; more is refused unread, so a small hostile file cannot fill the memory."""


def pack(model: TreesModel) -> bytes:
    """The packed form; the same model and version of liblzma give the same bytes."""
    coding = model.coding
    tags, attributes = joined_names(model.tags), joined_names(coding.attributes)
    header = _HEADER.pack(
        _MAGIC,
        _VERSION,
        len(model.tags),
        len(coding.attributes),
        len(coding.cell_columns),
        coding.columns,
        model.history,
        len(model.votes),
        len(model.node_columns),
        len(tags),
        len(attributes),
    )
    columns = [
        coding.attribute_cells.astype("<u1"),
        coding.cell_columns.astype("<u2"),
        coding.cell_codes.astype("<u1"),
        model.votes.astype("<i4"),
        model.node_columns.astype("<u2"),
        model.node_values.astype("<u1"),
    ]
    return compressed(b"".join([header, tags, attributes, *(c.tobytes() for c in columns)]))


def unpack(data: bytes) -> TreesModel:
    """The model of a packed form.

    Raises:
        BundleError: if it is not a valid model in this layout.
    """
    body = decompressed(data, _WHAT, _MOST_BYTES)
    if len(body) < _HEADER.size:
        raise BundleError(f"not a {_WHAT}: too short")
    magic, version, *counts, tag_bytes, attribute_bytes = _HEADER.unpack_from(body)
    n_tags, n_attributes, n_cells, width, history, n_trees, n_nodes = counts
    if (magic, version) != (_MAGIC, _VERSION):
        raise BundleError(f"not a {_WHAT}: wrong magic or version")
    if (
        n_tags > MOST_TAGS
        or n_attributes > MOST_ATTRIBUTES
        or n_nodes > MOST_NODES
        or n_trees > n_nodes
    ):
        raise BundleError(f"the {_WHAT} has too many tags, attributes, trees or nodes")
    columns = [
        ("<u1", n_attributes),
        ("<u2", n_cells),
        ("<u1", n_cells),
        ("<i4", n_trees),
        ("<u2", n_nodes),
        ("<u1", n_nodes),
    ]
    sizes = [
        tag_bytes,
        attribute_bytes,
        *(count * np.dtype(kind).itemsize for kind, count in columns),
    ]
    if _HEADER.size + sum(sizes) != len(body):
        raise BundleError(f"the size of the {_WHAT} does not match its header")
    offset = _HEADER.size
    tags = split_names(body[offset : offset + tag_bytes], n_tags, "tags", _WHAT)
    offset += tag_bytes
    attributes = split_names(
        body[offset : offset + attribute_bytes], n_attributes, "attributes", _WHAT
    )
    offset += attribute_bytes
    read: list[Ints] = []
    for kind, count in columns:
        read.append(np.frombuffer(body, kind, count, offset).astype(np.int64))
        offset += count * np.dtype(kind).itemsize
    cells, cell_columns, cell_codes, votes, node_columns, node_values = read
    coding = CodingTable(attributes, cells, cell_columns, cell_codes, width)
    return TreesModel(tags, coding, history, votes, node_columns, node_values)
