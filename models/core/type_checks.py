"""Whether what was read from a file is of the kinds that a value's annotations ask for.

Files that a run froze for itself are read years later, by other versions and after other people's
edits. A mistake in them is reported when they are read, not by the code that first trips over it.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from typing import Any


def check_field_types(value: Any) -> None:
    """Checks the fields of a dataclass, and of those within it, against their annotations.

    A whole number does for a float, a bool for neither. Of `Counter`, values are whole numbers.

    Raises:
        TypeError: naming the class and the field, never what is in it.
    """
    for name, kind in _kinds_of(value).items():
        if not _is_of(getattr(value, name), kind):
            raise TypeError(f"{type(value).__name__}.{name} has the wrong type")


def _kinds_of(value: object) -> Mapping[str, Any]:
    owner: Any = type(value)
    return _kinds(owner)


@functools.cache
def _kinds(owner: Any) -> Mapping[str, Any]:
    hints = typing.get_type_hints(owner)
    return {field.name: hints[field.name] for field in dataclasses.fields(owner) if field.init}


def _is_of(value: Any, kind: Any) -> bool:
    origin, inner = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType):
        return any(_is_of(value, one) for one in inner)
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        kinds = inner[:1] * len(value) if inner[-1] is Ellipsis else inner
        return len(kinds) == len(value) and all(map(_is_of, value, kinds))
    if origin in (dict, collections.Counter, Mapping):
        key, item = (*inner, int)[:2]
        return isinstance(value, origin) and all(
            _is_of(k, key) and _is_of(v, item) for k, v in value.items()
        )
    if isinstance(value, bool):
        return kind is bool
    if dataclasses.is_dataclass(kind):
        return isinstance(value, typing.cast(type, kind)) and all(
            _is_of(getattr(value, name), one) for name, one in _kinds_of(value).items()
        )
    return isinstance(value, (int, float) if kind is float else kind)
