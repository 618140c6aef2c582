"""`lazy`: a property that is computed at its first use, and kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class lazy(Generic[T]):  # noqa: N801
    """`functools.cached_property` without its lock.

    In Python 3.11 that is one lock for all objects of a class, which a process that forks while
    another of its threads holds it leaves locked in its child for good. Here two threads may both
    compute the value, and either will do.
    """

    def __init__(self, compute: Callable[[Any], T]) -> None:
        """Decorates a method without arguments."""
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        """Knows where to keep the value: in the object, which hides this from then on."""
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> lazy[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> lazy[T] | T:
        """Computes the value."""
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
