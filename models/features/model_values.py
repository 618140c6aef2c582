"""The attributes of a model, taken apart into the values of the properties that they name."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..core.arrays import Ids, Ints
from ..core.errors import UsageError
from .base import Column, Property
from .declaration import Feature
from .escaping import escape_all

MOST_BITS = 63
"""Of the values of a feature together: they are one key."""

FoundAttributes = tuple[Ints, Ids]
"""Of the attributes of a feature the numbers of their values, [attribute, part], and their ids."""


@dataclasses.dataclass(slots=True)
class ModelValues:
    """The values of a property that some attribute of the model names.

    Attributes:
        where: how columns of it come, `_BY_WORD` to `_MANY`.
        column: its place among those that come alike.
        ids: value as it stands in attribute strings -> number.
    """

    where: int
    column: int
    ids: dict[str, int]

    @property
    def bits(self) -> int:
        """Of a key that its numbers take."""
        return max(1, len(self.ids).bit_length())


def attributes_by_feature(
    features: Sequence[Feature], attributes: Sequence[str], values: dict[Property, ModelValues]
) -> dict[Feature, FoundAttributes]:
    """The attributes of each feature.

    Fills `values`. Attributes of no feature are left out: no item has them.
    """
    gathered: dict[Feature, tuple[list[int], list[int]]] = {f: ([], []) for f in features}
    alone: dict[str, tuple[dict[str, int], list[int], list[int]]] = {}
    joined: dict[str, tuple[list[dict[str, int]], list[int], list[int]]] = {}
    for feature in features:
        heads = [f"{declared.key}[{offset}]" for declared, offset in feature.parts]
        ids = [values[declared].ids for declared, _ in feature.parts]
        if len(heads) == 1:
            alone[heads[0]] = ids[0], *gathered[feature]
        else:
            joined["|".join(heads)] = ids, *gathered[feature]
    for number, attribute in enumerate(attributes):
        head, _, value = attribute.partition("=")
        if "|" not in value:
            if (single := alone.get(head)) is not None:
                known, numbers, found = single
                numbers.append(known.setdefault(value, len(known)))
                found.append(number)
            continue
        # Keys hold neither sign, values no "|": the first "=" of a part ends its key.
        pairs = [part.partition("=") for part in attribute.split("|")]
        if (several := joined.get("|".join([pair[0] for pair in pairs]))) is not None:
            ids, numbers, found = several
            for known, pair in zip(ids, pairs, strict=True):
                numbers.append(known.setdefault(pair[2], len(known)))
            found.append(number)
    return {
        feature: (
            np.array(numbers, np.int64).reshape(-1, len(feature.parts)),
            np.array(found, np.int32),
        )
        for feature, (numbers, found) in gathered.items()
    }


def require_room(features: Sequence[Feature], values: dict[Property, ModelValues]) -> None:
    """Raises UsageError if the values of a feature together are more than a key has room for."""
    for feature in features:
        bits = sum(values[declared].bits for declared, _ in feature.parts)
        if len(feature.parts) > 1 and bits > MOST_BITS:
            raise UsageError(
                f"feature {feature.template} cannot be compiled: its values need {bits} bits"
                f" together, a key has {MOST_BITS}"
            )


PackedValues = tuple[npt.NDArray[np.uint8], Ints, int, int]
"""The values of a `ModelValues` by number as UTF-8, row pointers into them, `where`, `column`."""


def packed(values: ModelValues) -> PackedValues:
    """What `unpacked` takes, to be kept in a file."""
    strings = [value.encode("utf-8", "surrogatepass") for value in values.ids]
    offsets = np.cumsum([0, *map(len, strings)], dtype=np.int64)
    return np.frombuffer(b"".join(strings), np.uint8), offsets, values.where, values.column


def unpacked(values: PackedValues) -> ModelValues:
    """What was `packed`.

    Raises:
        ValueError: if it is damaged.
    """
    codes, offsets, where, column = values
    content = codes.tobytes()
    bounds = itertools.pairwise(offsets.tolist())
    strings = [content[low:high].decode("utf-8", "surrogatepass") for low, high in bounds]
    return ModelValues(where, column, {value: number for number, value in enumerate(strings)})


def numbers_of_column(values: ModelValues, column: Column) -> Ids:
    """The number of each value of a column, and -1 last: that of an item without a value."""
    known = values.ids
    numbers = [known.get(value, -1) for value in escape_all(column.values)]
    return np.array([*numbers, -1], np.int32)
