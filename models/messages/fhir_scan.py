r"""JSON read with the offsets of everything in it: no value is parsed, so none is printed again.

Source: RFC 8259. Strict: no control characters in strings, nothing before or behind the value but
white space, no key twice in an object. Linear, and without recursion.
"""

from __future__ import annotations

import dataclasses
import re
from typing import NamedTuple

from ..core.errors import DocumentError, OverBudget
from .json_text import read

MAX_DEPTH = 100
"""Deepest nesting of a record. Where a value stands is told by all that it lies in, so that deep
records take as many times their size; those of people are less than 40 deep."""

_SPACE = r"[ \t\r\n]*+"
_QUOTED = r'"((?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+)"'
_SCALAR_OR_OPENING = (
    rf"(?:{_QUOTED}|(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)"
    r"|(true|false)|(null)|([{\[]))"
)
_ITEM = re.compile(_SPACE + _SCALAR_OR_OPENING).match
_MEMBER = re.compile(_SPACE + _QUOTED + _SPACE + ":" + _SPACE + _SCALAR_OR_OPENING).match
_SIGN = re.compile(_SPACE + r"([,\]}])").match
_SPACES = re.compile(_SPACE).match
_KINDS = ("", "string", "number", "boolean", "null")


class JsonScalar(NamedTuple):
    """A string, number, boolean or null.

    Attributes:
        kind: `string`, `number`, `boolean` or `null`.
        start, end: of the content: of a string, what stands between the quotes.
    """

    kind: str
    start: int
    end: int

    @property
    def outer_end(self) -> int:
        """Past the closing quote."""
        return self.end + (self.kind == "string")


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class JsonArray:
    """An array.

    Attributes:
        start, end: with the brackets.
        items: in order.
    """

    start: int
    end: int = 0
    items: list[JsonNode] = dataclasses.field(default_factory=list)

    @property
    def outer_end(self) -> int:
        """Past the bracket."""
        return self.end


@dataclasses.dataclass(slots=True, eq=False, repr=False)
class JsonObject:
    """An object.

    Attributes:
        start, end: with the braces.
        members: key, as read -> value, in order.
        key_starts: where the quote of each key stands, in the same order.
    """

    start: int
    end: int = 0
    members: dict[str, JsonNode] = dataclasses.field(default_factory=dict)
    key_starts: list[int] = dataclasses.field(default_factory=list)

    @property
    def outer_end(self) -> int:
        """Past the brace."""
        return self.end


JsonNode = JsonObject | JsonArray | JsonScalar


def scan_object(text: str) -> JsonObject:
    """The one object that a text holds.

    Raises:
        DocumentError: "BadJson", "NotAnObject", "DuplicateKey"; OverBudget "depth".
    """
    match = _ITEM(text)
    if match is None:
        raise DocumentError("BadJson")
    root = _value(text, match, 0)
    at = match.end()
    waiting: list[JsonObject | JsonArray] = []
    if not isinstance(root, JsonScalar):
        waiting.append(root)
    while waiting:
        at, opened = _read_on(text, at, waiting[-1])
        if opened is None:
            waiting.pop()
        else:
            waiting.append(opened)
            if len(waiting) > MAX_DEPTH:
                raise OverBudget("depth")
    spaces = _SPACES(text, at)
    assert spaces is not None, "the pattern matches the empty text"
    if spaces.end() != len(text):
        raise DocumentError("BadJson")
    if not isinstance(root, JsonObject):
        raise DocumentError("NotAnObject")
    return root


def _value(text: str, match: re.Match[str], before: int) -> JsonNode:
    """The scalar that was matched, or the object or array, still empty.

    Args:
        before: groups of the pattern before those of the value.
    """
    group = match.lastindex or 0
    low, high = match.span(group)
    if group - before < len(_KINDS):
        return JsonScalar(_KINDS[group - before], low, high)
    return JsonObject(low) if text[low] == "{" else JsonArray(low)


def _read_on(
    text: str, at: int, inside: JsonObject | JsonArray
) -> tuple[int, JsonObject | JsonArray | None]:
    """Reads on in a container, up to one that begins in it, or to its end: then None."""
    is_object = isinstance(inside, JsonObject)
    closing = "}" if is_object else "]"
    first = not (inside.members if isinstance(inside, JsonObject) else inside.items)
    while True:
        sign = _SIGN(text, at)
        if sign is not None and sign[1] == closing:
            inside.end = sign.end()
            return inside.end, None
        if not first:
            if sign is None or sign[1] != ",":
                raise DocumentError("BadJson")
            at = sign.end()
        match = _MEMBER(text, at) if is_object else _ITEM(text, at)
        if match is None:
            raise DocumentError("BadJson")
        at, first = match.end(), False
        value = _value(text, match, int(is_object))
        if isinstance(inside, JsonObject):
            key = read(match[1])
            if key in inside.members:
                raise DocumentError("DuplicateKey")
            inside.members[key] = value
            inside.key_starts.append(match.start(1) - 1)
        else:
            inside.items.append(value)
        if not isinstance(value, JsonScalar):
            return at, value


def outer_start(node: JsonNode) -> int:
    """Where a value begins, with its quote or bracket."""
    return node.start - (isinstance(node, JsonScalar) and node.kind == "string")


def is_empty(node: JsonNode) -> bool:
    """Whether a value says nothing: null, an empty string, object or array."""
    if isinstance(node, JsonScalar):
        return node.kind == "null" or node.start == node.end
    return not (node.members if isinstance(node, JsonObject) else node.items)
