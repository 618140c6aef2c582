"""Dates as values of columns: typed ones by arithmetic on whole arrays, texts by the grammar."""

from __future__ import annotations

import datetime
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .number_words import FIRST_YEAR, LAST_YEAR
from .orders import Order
from .reading import read_date

_EPOCH: Final = datetime.date(1970, 1, 1)
_FIRST: Final = (datetime.date(FIRST_YEAR, 1, 1) - _EPOCH).days
_LAST: Final = (datetime.date(LAST_YEAR, 12, 31) - _EPOCH).days
_UNITS_A_DAY: Final = {
    "s": 86_400,
    "ms": 86_400 * 10**3,
    "us": 86_400 * 10**6,
    "ns": 86_400 * 10**9,
}


def shift_value(
    value: object, days: int, *, language: str = "en", order: Order | None = None
) -> object:
    """One value moved by whole days: a date, a time stamp, or a text that the grammar reads.

    Args:
        value: a `datetime.date` or `datetime.datetime`, a text, or None.
        days: the patient's offset.
        language: of texts.
        order: of day and month in texts, where they do not tell themselves.

    Returns:
        A value of the same type; None for None, for blank or unread text, for what leaves 1800 to
        2199, and for values of other types.
    """
    if isinstance(value, str):
        written = read_date(value, language, order)
        return None if written is None else written.shifted(days)
    if not isinstance(value, datetime.date):
        return None
    try:
        moved = value + datetime.timedelta(days=days)
    except OverflowError:
        return None
    return moved if FIRST_YEAR <= moved.year <= LAST_YEAR else None


def can_shift(kind: pa.DataType) -> bool:
    """Whether `shift_column` takes arrays of a type."""
    return bool(
        pa.types.is_date(kind)
        or pa.types.is_timestamp(kind)
        or pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
    )


def shift_column(
    values: pa.Array, days: pa.Array, *, language: str = "en", order: Order | None = None
) -> pa.Array:
    """Every value moved by the offset of its row; the same type and length come back.

    Dates and time stamps move by arithmetic alone, an instant by days of 24 hours. What cannot be
    moved is null: a row without an offset (it has no patient), a text that is not read, a date that
    leaves 1800 to 2199.

    Args:
        values: date32, date64, timestamp (of any unit, with or without a zone), or string.
        days: an integer a row, null where there is no patient.
        language: of texts.
        order: of day and month in texts, where they do not tell themselves.

    Raises:
        TypeError: for an array of another type; see `can_shift`.
        ValueError: if the lengths differ.
    """
    if len(values) != len(days):
        raise ValueError(f"{len(values)} values and {len(days)} offsets")
    kind = values.type
    if not can_shift(kind):
        raise TypeError(f"dates of type {kind} cannot be shifted")
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _shift_texts(values, days, language, order)
    unit = 1 if pa.types.is_date32(kind) else _UNITS_A_DAY[getattr(kind, "unit", "ms")]
    known = pc.and_(pc.is_valid(values), pc.is_valid(days))
    storage = pa.int32() if unit == 1 else pa.int64()
    at = np.asarray(values.cast(storage).fill_null(0)).astype(np.int64)
    by = np.asarray(days.cast(pa.int64()).fill_null(0))
    # Compared in days, before anything is added: units near the ends of int64 cannot overflow.
    day = at // unit + np.clip(by, -(2 * _LAST - _FIRST), 2 * _LAST - _FIRST)
    inside = (day >= _FIRST) & (day <= _LAST) & np.asarray(known.to_numpy(zero_copy_only=False))
    moved = np.where(inside, at + np.where(inside, by, 0) * unit, 0)
    return pa.array(moved, mask=~inside).cast(storage).cast(kind)


def _shift_texts(values: pa.Array, days: pa.Array, language: str, order: Order | None) -> pa.Array:
    """Texts by the grammar; one that comes again in the batch is read once."""
    coded = values.dictionary_encode()
    read = [
        None if text is None else read_date(text, language, order)
        for text in coded.dictionary.to_pylist()
    ]
    shifted = [
        None if code is None or by is None or (date := read[code]) is None else date.shifted(by)
        for code, by in zip(coded.indices.to_pylist(), days.to_pylist(), strict=True)
    ]
    return pa.array(shifted, values.type)
