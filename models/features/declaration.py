"""`Feature`: properties at offsets, alone or in conjunction; the unit of a recipe's declaration."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Protocol

from ..core.errors import UsageError
from .base import Property, require_int

FURTHEST = 32
"""Greatest offset, to either side."""

_MOST_PARTS = 8


@dataclasses.dataclass(frozen=True, slots=True)
class Feature:
    """A conjunction of one or more properties, each seen at an offset from the item.

    An item has one attribute, an indicator, for each combination of the parts' values; none if a
    part has no value. At an offset outside the sequence every property has the one value `BEFORE`
    or `AFTER`.

    Attributes:
        parts: (property, offset) pairs, offsets in items: -1 is the item before.

    Raises:
        UsageError: without parts, with more than 8, with one twice, with an offset beyond 32, or
            with more than one property of several values an item (their combinations could be very
            many).
    """

    parts: tuple[tuple[Property, int], ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.parts) <= _MOST_PARTS:
            raise UsageError(f"feature: a conjunction has 1 to {_MOST_PARTS} parts")
        for _, offset in self.parts:
            require_int("feature", "offset", offset, -FURTHEST, FURTHEST)
        if len(set(self.parts)) < len(self.parts):
            raise UsageError(f"feature {self.template}: a part occurs twice")
        if sum(part.many for part, _ in self.parts) > 1:
            raise UsageError(
                f"feature {self.template}: at most one part may have several values an item"
            )

    @property
    def template(self) -> str:
        """The attribute string without its values, such as "w[-1]|shape[0]"."""
        return "|".join(f"{part.key}[{offset}]" for part, offset in self.parts)


class FeatureSet(Protocol):
    """What featurizing asks of a declaration: of a recipe's tagger, or of an auxiliary model."""

    @property
    def kind(self) -> str:
        """Either "token" or "character", for messages."""

    @property
    def layer(self) -> str:
        """What an item is: a key of `models.text.segmentations.SEGMENTATIONS`."""

    @property
    def sequence(self) -> str:
        """What is labelled as one: a "line", a "sentence" or a "document"."""

    @property
    def max_sequence(self) -> int:
        """Most items of a sequence; what is longer is cut."""

    @property
    def features(self) -> tuple[Feature, ...]:
        """In the order in which attributes are rendered."""


def at(declared: Property, *offsets: int) -> tuple[Feature, ...]:
    """The property alone, at each of the offsets.

    >>> from .word import Word
    >>> [feature.template for feature in at(Word(), -1, 0)]
    ['w[-1]', 'w[0]']
    """
    return tuple(Feature(((declared, offset),)) for offset in offsets)


def together(*parts: tuple[Property, int]) -> Feature:
    """The conjunction of the (property, offset) pairs."""
    return Feature(parts)


def ngrams(declared: Property, most: int, first: int, last: int) -> tuple[Feature, ...]:
    """All 1- to `most`-grams of the property that lie within the offsets `first` to `last`."""
    return tuple(
        Feature(tuple((declared, offset + i) for i in range(size)))
        for size in range(1, most + 1)
        for offset in range(first, last - size + 2)
    )


def properties(features: Iterable[Feature]) -> tuple[Property, ...]:
    """The distinct properties that features see, in order of appearance."""
    return tuple(dict.fromkeys(part for feature in features for part, _ in feature.parts))


def needs_of(features: Iterable[Feature], kind: str) -> frozenset[str]:
    """Names of the resources of a kind ("gazetteer", "cluster", "tag") that features need."""
    return frozenset(
        name for declared in properties(features) for sort, name in declared.needs if sort == kind
    )
