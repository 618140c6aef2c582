"""`lazy`: a property that is found when first asked for, and kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801
    """`functools.cached_property` without its lock.

    In Python 3.11 that is one lock for all objects of a class, which a process that forks while
    another of its threads holds it leaves locked in its child for good. Here two threads may both
    find a value, and either will do.
    """

    def __init__(self, find: Callable[[Any], T]) -> None:
        """Decorates a method without arguments."""
        self._find = find
        self.__doc__ = find.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        """Knows where to keep the value: in the object, which hides this from then on."""
        self._name = name

    @overload
    def __get__(self, one: None, owner: type) -> lazy[T]: ...
    @overload
    def __get__(self, one: object, owner: type) -> T: ...
    def __get__(self, one: object | None, owner: type) -> lazy[T] | T:
        """Finds it."""
        if one is None:
            return self
        found = one.__dict__[self._name] = self._find(one)
        return found
