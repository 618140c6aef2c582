"""JSON of our own files, read as the dataclass that was written.

Files that a run froze for itself are read years later, by other versions and after other people's
edits. A mistake in them is reported when they are read, with its place, not by the first line of
code that trips over it. `msgspec` checks the types; errors hold fields and types, never values.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

_OF_TYPES = re.compile(
    r"(?:Expected `|Object missing required field `|Number out of range).*", re.DOTALL
)
"""Messages of `msgspec` that name only types and our own fields; those on enums quote the value."""

_PLACE = re.compile(r" - at (?:`key` in )?`\$[\w.\[\]]*`\Z")


def parse_json(data: bytes | str, kind: type[T]) -> T:
    """Reads a value that `json.dumps` wrote of a dataclass, or of a list or mapping of them.

    Types are strict: a text is not a number, and a boolean is not an integer. A whole number
    becomes a float where the annotation says so, and a list a tuple. Only fields that have a
    default may be missing.

    Args:
        data: as text, or in UTF-8.
        kind: the type of the value.

    Raises:
        ValueError: if it is not JSON, or not of the type, at any depth; or a dataclass has an
            unknown key. The message has the place and the expected type, never a value.
    """
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
        message = "not valid JSON"
    else:
        return convert_json(value, kind)
    raise ValueError(message)


def convert_json(value: object, kind: type[T]) -> T:
    """As `parse_json`, of JSON that `json.loads` has read."""
    import msgspec  # not at the top: the command line starts without it

    message = ""
    try:
        converted = msgspec.convert(value, kind, strict=True, str_keys=True)
        _require_known_keys(value, converted, "$")
        return converted
    except msgspec.ValidationError as error:
        message = _without_values(str(error), is_own=error.__cause__ is not None)
    except RecursionError:
        message = "nested too deeply"
    raise ValueError(message)


def _without_values(message: str, *, is_own: bool) -> str:
    """A message of `msgspec`; of one that may quote a value, the place alone.

    Args:
        is_own: whether the dataclass itself refused the value.
    """
    if _OF_TYPES.fullmatch(message) and not is_own:
        return message
    place = _PLACE.search(message)
    return f"a value that is not allowed{place[0] if place else ''}"


def _require_known_keys(value: Any, converted: Any, place: str) -> None:
    """Refuses keys that are no fields, which `msgspec` ignores in dataclasses.

    Raises:
        ValueError: with the place and how many there are.
    """
    if dataclasses.is_dataclass(converted):
        names = {field.name for field in dataclasses.fields(converted)}
        if unknown := len(value.keys() - names):
            raise ValueError(f"{unknown} unknown keys - at `{place}`")
        for name, inner in value.items():
            _require_known_keys(inner, getattr(converted, name), f"{place}.{name}")
    elif isinstance(converted, Mapping):
        for inner, found in zip(value.values(), converted.values(), strict=True):
            _require_known_keys(inner, found, f"{place}[...]")
    elif isinstance(converted, Sequence) and not isinstance(converted, str | bytes):
        for number, (inner, found) in enumerate(zip(value, converted, strict=True)):
            _require_known_keys(inner, found, f"{place}[{number}]")
