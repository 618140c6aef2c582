"""Reading of recipes from JSON: each value is checked before anything is made of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from ..core.errors import BundleError


def listed(values: Mapping[str, object]) -> dict[str, object]:
    """The values with tuples as lists, as JSON has them."""
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}


def names_of(kind: type[Any]) -> tuple[str, ...]:
    """The names of the fields of a dataclass."""
    return tuple(field.name for field in dataclasses.fields(kind))


def object_of(
    owner: str,
    data: object,
    keys: tuple[str, ...],
    optional: Mapping[str, object] = MappingProxyType({}),
) -> dict[str, object]:
    """The mapping, if its keys are those expected, with the values of absent `optional` ones."""
    if not isinstance(data, Mapping):
        raise BundleError(f"{owner}: expected an object")
    if unknown := [key for key in data if key not in keys]:
        shown = sorted(repr(k[:64]) if isinstance(k, str) else type(k).__name__ for k in unknown)
        raise BundleError(f"{owner}: unknown keys {', '.join(shown)}; known: {', '.join(keys)}")
    if missing := [key for key in keys if key not in data and key not in optional]:
        raise BundleError(f"{owner}: keys {', '.join(missing)} are missing")
    return {**optional, **data}


_TYPE_NAMES: Mapping[type, str] = {str: "a string", int: "a whole number", float: "a number"}


def typed(owner: str, name: str, value: Any, *kinds: Callable[..., Any]) -> Any:
    """The value, if it has one of the types; true and false are not numbers."""
    if type(value) not in kinds:
        raise BundleError(f"{owner}: {name} must be {_TYPE_NAMES[kinds[-1]]}")  # type: ignore[index]
    return value


def list_of(owner: str, name: str, values: Mapping[str, object], most: int) -> list[object]:
    """The value of a name, if it is a list of at most so many."""
    value = values[name]
    if not isinstance(value, list) or len(value) > most:
        raise BundleError(f"{owner}: {name} must be a list of at most {most}")
    return value


def words_of(owner: str, name: str, value: object) -> tuple[str, ...]:
    """The value, if it is a list of strings."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise BundleError(f"{owner}: {name} must be a list of strings")
    return tuple(value)
