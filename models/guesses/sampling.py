"""A bounded sample of an input: some records of a few files, read as a run would read them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

from ..formats import Chunk, Format, Limits, Locator
from ..storage.input_files import InputFile
from ..storage.storage import Storage

MOST_FILES = 8
"""Files that are looked into: the first, the last, and some between them."""

ROWS_A_PLACE = 250
"""Records that are read at one place of a file."""

PLACE_BYTES = 1 << 20
"""About as many bytes are read at one place of a file that can be read anywhere."""

SMALL_BYTES = 8 << 20
"""A file up to this size is read from its beginning alone."""

_WHOLE = 1 << 62


def chosen_files(kinds: Sequence[object]) -> list[int]:
    """Indexes of the files to look into, in order.

    Args:
        kinds: format and schema of each file; the first file of each of some kinds is among them.
    """
    if len(kinds) <= MOST_FILES:
        return list(range(len(kinds)))
    firsts = list({kind: index for index, kind in reversed(list(enumerate(kinds)))}.values())
    found = sorted(firsts)[: MOST_FILES - 1]
    spread = max(1, MOST_FILES - len(found))
    last = len(kinds) - 1
    found += [last * step // max(1, spread - 1) for step in range(spread)]
    return sorted(set(found))[:MOST_FILES]


def sampled(
    storage: Storage, form: Format, file: InputFile, names: tuple[str, ...]
) -> Iterator[Chunk]:
    """Yields records of a file: from its beginning and, if its format allows it, its middle.

    Args:
        form: configured as the file is to be read.
        names: the columns to read.

    Raises:
        UsageError: if the file cannot be read at all.
        StorageError: if storage fails.
    """
    limits = Limits(batch_documents=ROWS_A_PLACE, batch_bytes=PLACE_BYTES)
    for locator in _places(storage, form, file, limits):
        rows = 0
        for chunk in form.read(storage, file, locator, names, limits):
            yield chunk
            rows += chunk.columns.num_rows
            if rows >= ROWS_A_PLACE:
                break


def _places(storage: Storage, form: Format, file: InputFile, limits: Limits) -> Iterator[Locator]:
    whole = form.plan(storage, 0, file, _WHOLE, limits)
    for locator in itertools.islice((one for one in whole if one.bytes), 1):
        if file.size <= SMALL_BYTES:
            yield locator
            return
        middle = form.sample(storage, file, locator, locator.bytes // 2, PLACE_BYTES)
        first = form.sample(storage, file, locator, 0, PLACE_BYTES)
        if first is None or middle is None:
            yield locator
            return
        yield from dict.fromkeys((first.locator, middle.locator))
