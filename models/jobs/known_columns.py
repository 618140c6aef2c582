"""What the columns with role `known` say of the people of each row."""

from __future__ import annotations

from collections.abc import Iterable

from ..core.errors import DocumentError, error_class
from ..core.keys import canonical_id
from ..core.known_values import LONGEST_VALUE, KnownAttribute, KnownValue, PersonKind
from ..core.shortage import raise_shortage

KnownCell = tuple[int, PersonKind, KnownAttribute, object]
"""Row, whose and what the value is, and the value as a format decodes it."""


def known_of_rows(
    cells: Iterable[KnownCell], rows: int
) -> tuple[tuple[tuple[KnownValue, ...], ...], dict[int, str]]:
    """The values of each row, empty cells left out; and the error class of each row that fails.

    Numbers and dates are taken as they are for ids, see `canonical_id`.
    """
    found: list[list[KnownValue]] = [[] for _ in range(rows)]
    errors: dict[int, str] = {}
    for row, kind, attribute, value in cells:
        try:
            text = canonical_id(value)
            if text is not None and len(text) > LONGEST_VALUE:
                raise DocumentError("KnownTooLong")
        except Exception as error:  # fail closed: what cannot be read cannot be looked for
            raise_shortage(error)
            errors.setdefault(row, error_class(error))
            continue
        if text is not None:
            found[row].append(KnownValue.of(kind, attribute, text))
    return tuple(map(tuple, found)), errors
