"""Logarithms and a power of e in sums, products and quotients of doubles: equal on every machine.

Libraries differ in the last bit of a logarithm, and a tree may turn on that bit. The extension has
the same functions (native/logarithm.h).
"""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats

_CELLS = 128
LOG2_E = 1.4426950408889634
"""1 / ln 2."""


def _tables() -> tuple[Floats, Floats]:
    """Of 1 + i / 128 the reciprocal, and minus the logarithm of that reciprocal."""
    inverse = 1.0 / (1.0 + np.arange(_CELLS) / _CELLS)
    s = (inverse - 1.0) / (inverse + 1.0)
    square, total = s * s, np.zeros(_CELLS)
    for k in range(41, 0, -2):
        total = total * square + 1.0 / k
    return inverse, -(2.0 * LOG2_E * (s * total))


_INVERSE, _LOG = _tables()


def log2(numbers: Floats) -> Floats:
    """Logarithms to base 2 of numbers above 0; exact for powers of 2, else good to 1e-15."""
    halves, exponents = np.frexp(numbers)
    mantissas = halves * 2.0
    cells = ((mantissas - 1.0) * _CELLS).astype(np.int64)
    r = mantissas * _INVERSE[cells] - 1.0
    total = np.full_like(r, -LOG2_E / 8)
    for k in range(7, 0, -1):
        total = total * r + LOG2_E / k if k % 2 else total * r - LOG2_E / k
    sums: Floats = (exponents - 1) + (_LOG[cells] + total * r)
    return sums


def entropies(numbers: Floats) -> Floats:
    """X log2 x of each number, and 0 of 0."""
    known = np.where(numbers > 0.0, numbers, 1.0)
    return known * log2(known)


def entropy(number: float) -> float:
    """X log2 x of a number, and 0 of 0."""
    return float(entropies(np.array([number]))[0])


def natural_log(number: float) -> float:
    """The natural logarithm of a number above 0."""
    return float(log2(np.array([number]))[0]) / LOG2_E


def one_minus_exp(y: float) -> float:
    """1 - exp(-y) of a number from 0 to 16."""
    a, total = -y / 16, 1.0
    for k in range(20, 1, -1):
        total = 1.0 + total * a / k
    total *= a
    for _ in range(4):
        total = total * (total + 2.0)
    return -total
