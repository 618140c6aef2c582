"""Numbers of patients with noise: differential privacy for counts that are published.

A patient is in one cell, so that one more or one fewer changes one count by one; each count gets
discrete Laplace noise of scale 1/epsilon. All cells of a table are told, empty ones too: which are
there must not depend on the patients, so values are those that anybody knows.

Source: Ghosh et al. 2009, "Universally Utility-Maximizing Privacy Mechanisms" (geometric noise);
the noise is drawn by OpenDP, from the system's source of randomness: it cannot be repeated.
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
from .states import DIVISION_OF

MOST_CELLS = 1_000_000

DOMAINS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "age": (*(age_band(years) for years in range(0, 90, 5)), OLDEST),
        "profession": tuple(sorted(GROUPS.values())),
        "sex": ("F", "M"),
        "state": tuple(sorted(DIVISION_OF)),
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


def noisy(counts: Sequence[int], epsilon: float) -> list[int]:
    """The counts with noise, which may be below zero: to cut them off there would bias sums.

    Raises:
        UsageError: if OpenDP is not installed.
    """
    try:
        import opendp.prelude as dp
    except ImportError:
        raise UsageError("view counts needs OpenDP: pip install 'scrubline[dp]'") from None
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    mechanism = dp.m.make_laplace(*space, scale=1 / epsilon)
    spent = mechanism.map(1)  # type: ignore[no-untyped-call]
    if spent > epsilon * (1 + 1e-9):
        raise UsageError(f"view counts: this epsilon cannot be kept exactly: {epsilon}")
    told: list[int] = mechanism(list(counts))
    return told
