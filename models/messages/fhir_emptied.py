"""What is taken out of a FHIR record goes with its key and comma, so that what is left is JSON.

FHIR knows no empty objects and arrays (R5, JSON representation, 2.6.2.1): one that is left with
nothing goes too, and so does an extension that is left with its URL alone. The items of a primitive
element and of its sibling (`given`, `_given`) belong together by their numbers (2.6.2.4), so there
null stands in place of an item.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from ..core.views import Edit
from .fhir_scan import (
    JsonArray,
    JsonNode,
    JsonObject,
    JsonScalar,
    is_empty,
    outer_start,
    scan_object,
)


def without(record: str, starts: Sequence[int]) -> list[Edit]:
    """The edits that take values out of a record, in order and disjoint.

    Args:
        starts: an offset within each value; in order.
    """
    root = scan_object(record)
    gone = _gone(root, starts)
    return list(_edits(root, gone))


def _gone(root: JsonObject, starts: Sequence[int]) -> set[int]:
    """The nodes that go, by identity: the values, and what is left with nothing."""
    order: list[JsonNode] = []
    waiting: list[JsonNode] = [root]
    while waiting:
        node = waiting.pop()
        order.append(node)
        if not isinstance(node, JsonScalar):
            waiting += reversed(list(_children(node)))
    gone: set[int] = set()
    leaves = [node for node in order if isinstance(node, JsonScalar) or is_empty(node)]
    at = 0
    for start in starts:
        while leaves[at].outer_end <= start:
            at += 1
        gone.add(id(leaves[at]))
    for node in reversed(order):  # what is within comes after
        if isinstance(node, JsonObject) and node is not root and node.members:
            left = [key for key, value in node.members.items() if id(value) not in gone]
            was_more = len(left) < len(node.members)
            if was_more and (not left or left == ["url"] and _is_extension(node)):
                gone.add(id(node))
        elif isinstance(node, JsonArray):
            held = [one for one in node.items if id(one) in gone or not _is_null(one)]
            if held and all(id(one) in gone for one in held):
                gone.add(id(node))
    return gone


def _is_extension(node: JsonObject) -> bool:
    return all(key in ("url", "id", "extension") or key.startswith("value") for key in node.members)


def _is_null(node: JsonNode) -> bool:
    return isinstance(node, JsonScalar) and node.kind == "null"


def _children(node: JsonObject | JsonArray) -> Iterator[JsonNode]:
    return iter(node.members.values() if isinstance(node, JsonObject) else node.items)


def _edits(root: JsonObject, gone: set[int]) -> Iterator[Edit]:
    """Yields the edits, of what stays alone."""
    waiting: list[_Staying | Edit] = [_Staying(root)]
    while waiting:
        one = waiting.pop()
        if not isinstance(one, _Staying):
            yield one
        elif not isinstance(one.node, JsonScalar):
            waiting += reversed(list(_steps(one.node, one.is_paired, gone)))


@dataclasses.dataclass(frozen=True, slots=True)
class _Staying:
    """A value that stays, of which parts may go.

    Attributes:
        is_paired: whether its items belong to those of a sibling, by their numbers.
    """

    node: JsonNode
    is_paired: bool = False


def _steps(
    node: JsonObject | JsonArray, is_paired: bool, gone: set[int]
) -> Iterator[_Staying | Edit]:
    """Yields what goes of a container, and what of it is looked at, in order."""
    if is_paired:
        for one in _children(node):
            if id(one) in gone:
                yield outer_start(one), one.outer_end, "null"
            else:
                yield _Staying(one)
        return
    if isinstance(node, JsonObject):
        values = list(node.members.values())
        starts = node.key_starts
        paired = [_is_paired(node, key) for key in node.members]
    else:
        values = node.items
        starts = [outer_start(one) for one in values]
        paired = [False] * len(values)
    stays_before = False
    for number, value in enumerate(values):
        if id(value) not in gone:
            stays_before = True
            yield _Staying(value, paired[number])
        elif stays_before:  # with the comma before it
            yield values[number - 1].outer_end, value.outer_end, ""
        else:  # with the comma behind it: something stays there, or this would have gone too
            following = starts[number + 1 : number + 2]
            yield starts[number], following[0] if following else value.outer_end, ""


def _is_paired(node: JsonObject, key: str) -> bool:
    other = key[1:] if key.startswith("_") else f"_{key}"
    return isinstance(node.members.get(other), JsonArray) and isinstance(
        node.members[key], JsonArray
    )
