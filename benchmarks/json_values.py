"""Values of JSON: the ways to all of them, and others in their place."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

NAME = "Quorvath Belzimarovic"
"""A name that is in no note."""


def places(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all values in a JSON value."""
    if way:
        yield way
    if isinstance(value, dict | list):
        for name, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(one, (*way, name))


def at(value: Any, way: tuple[Any, ...]) -> Any:
    for name in way:
        value = value[name]
    return value


def other(rng: random.Random, value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice([-1, 1, 1000])
    if isinstance(value, float):
        return value + 1
    if isinstance(value, str):
        return rng.choice([value + "x", value[1:], value.swapcase() + "0", NAME])
    if value is None:
        return rng.choice([0, "x", {}])
    if isinstance(value, list):
        return [*value, *(value[:1] or ["x"])]
    return {**value, "x": 1}
