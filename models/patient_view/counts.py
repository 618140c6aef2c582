"""Numbers of patients by what is said of them, in cells that do not depend on the patients.

All cells of a table are there, empty ones too, and a patient is in one of them: so one patient more
changes one count by one, and noise can hide it.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from ..core.errors import UsageError
from .hierarchies import OLDEST, UNKNOWN, age_band
from .merging import ViewTable
from .occupations import GROUPS
from .states import STATE_OF

MOST_CELLS = 1_000_000

DOMAINS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "age": (*(age_band(years) for years in range(0, 90, 5)), OLDEST),
        "profession": tuple(sorted(GROUPS.values())),
        "sex": ("F", "M"),
        "state": tuple(sorted(set(STATE_OF.values()))),
        "zip3": tuple(f"{number:03}" for number in range(1000)),
    }
)
"""Attribute -> the values that it may have, whoever the patients are."""


def cells_of(values: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """All cells of a table, in order; in each attribute `UNKNOWN` comes last.

    Raises:
        UsageError: if they are more than `MOST_CELLS`.
    """
    size = 1
    for some in values.values():
        size *= len(some) + 1
    if size > MOST_CELLS:
        raise UsageError(f"view counts: {size:,} cells; at most {MOST_CELLS:,} can be counted")
    return list(itertools.product(*((*some, UNKNOWN) for some in values.values())))


def true_counts(table: ViewTable, values: Mapping[str, Sequence[str]]) -> list[int]:
    """Patients of each cell, in the order of `cells_of`; what is no value counts as unknown."""
    places = np.zeros(len(table.patients), np.int64)
    size = 1
    for name, some in values.items():
        number = {value: at for at, value in enumerate(some)}
        own = np.array([number.get(v, len(some)) for v in table.values[name]], np.int64)
        places = places * (len(some) + 1) + own[table.codes[name]]
        size *= len(some) + 1
    counts: list[int] = np.bincount(places, minlength=size).tolist()
    return counts
