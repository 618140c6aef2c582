"""The base of all columnar values: equal-length arrays, a row each, checked once when built."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Ids = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.uint32]
"""Code points of a text."""


def require_equal_lengths(owner: str, **columns: object) -> int:
    """Returns the common length of the columns.

    Raises:
        ValueError: if two lengths differ, naming the owner and each column's length.
    """
    lengths = {name: len(column) for name, column in columns.items()}  # type: ignore[arg-type]
    if len(set(lengths.values())) > 1:
        raise ValueError(f"{owner}: columns differ in length: {lengths}")
    return next(iter(lengths.values()), 0)


def require_offsets(owner: str, offsets: Ints, rows: int) -> None:
    """Checks a row-pointer column: starts at 0, never falls, ends at `rows`.

    Raises:
        ValueError: if it does not.
    """
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != rows or (np.diff(offsets) < 0).any():
        raise ValueError(f"{owner}: row pointers must rise from 0 to {rows}")


def code_points(text: str) -> Codes:
    """The code points of a text, lone surrogates included; read only."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.dtype("<u4"))
    return codes.astype(np.uint32, copy=False)


def joined_code_points(texts: Sequence[str | None]) -> tuple[Codes, Ints]:
    """The code points of texts, one after another, and row pointers; None has none."""
    known = [text or "" for text in texts]
    offsets = np.zeros(len(known) + 1, np.int64)
    np.cumsum([len(text) for text in known], out=offsets[1:])
    return code_points("".join(known)), offsets
