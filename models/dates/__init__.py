"""Dates of a record moved by one secret offset: read whole, moved, printed in their own form.

`order_of` looks at all dates of a note, `read_date` reads one, `WrittenDate.shifted` moves it by
the patient's `offset`. What is not read is None, and must be redacted.
"""

from .ages import age_on, over_89, tells_birth, tells_over_89
from .offsets import PURPOSE, DateSettings, offset
from .orders import NoteOrder, Order, order_of
from .reading import read_date
from .values import can_shift, shift_column, shift_value
from .written import Precision, WrittenDate

__all__ = [
    "PURPOSE",
    "DateSettings",
    "NoteOrder",
    "Order",
    "Precision",
    "WrittenDate",
    "age_on",
    "can_shift",
    "offset",
    "order_of",
    "over_89",
    "read_date",
    "shift_column",
    "shift_value",
    "tells_birth",
    "tells_over_89",
]
