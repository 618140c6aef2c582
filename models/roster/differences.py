"""Which patients differ between two bundles; rows are compared sealed, so no key is needed."""

from __future__ import annotations

import enum
from collections.abc import Iterator

from .bundle import RosterFiles
from .sealing import RosterError


class RosterChange(enum.StrEnum):
    """What became of a patient from one bundle to the next."""

    ADDED = "+"
    REMOVED = "-"
    CHANGED = "~"


def roster_changes(old: RosterFiles, new: RosterFiles) -> Iterator[tuple[RosterChange, str]]:
    """Yields the patients that differ, by key: 32 hex digits, as the documents table has them.

    Equal rows are equal bytes, since sealing is deterministic. One pass over both, little memory.

    Raises:
        RosterError: if the two were built under different keys, or one is damaged.
    """
    if old.manifest.key_check != new.manifest.key_check:
        raise RosterError(
            "the two rosters are sealed under different master keys (check values "
            f"{old.manifest.key_check} and {new.manifest.key_check}): they cannot be compared"
        )
    olds, news = old.sealed_rows(), new.sealed_rows()
    one, other = next(olds, None), next(news, None)
    while one is not None or other is not None:
        if other is None or (one is not None and one[0] < other[0]):
            assert one is not None
            yield RosterChange.REMOVED, one[0].hex()
            one = next(olds, None)
        elif one is None or other[0] < one[0]:
            yield RosterChange.ADDED, other[0].hex()
            other = next(news, None)
        else:
            if one[1] != other[1]:
                yield RosterChange.CHANGED, one[0].hex()
            one, other = next(olds, None), next(news, None)
