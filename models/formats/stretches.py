"""Short stretches of a locator, for whoever wants to look at a little of much.

Formats that can begin anywhere are cut; the others have to be read from where a locator begins.
"""

from __future__ import annotations

import bisect
import dataclasses
import itertools
from collections.abc import Callable, Mapping
from types import MappingProxyType

from ..storage import InputFile
from . import parquet, zipped
from .base import Locator, Reader


@dataclasses.dataclass(frozen=True, slots=True)
class Stretch:
    """A part of a locator that can be read by itself.

    Attributes:
        locator: with its own size.
        rows: how many records it holds, if that is known without reading them.
    """

    locator: Locator
    rows: int | None = None


def stretch_of(
    name: str, storage: Reader, file: InputFile, locator: Locator, at: int, most_bytes: int
) -> Stretch | None:
    """A stretch of about `most_bytes` at byte `at` of a locator, as its `bytes` count.

    Args:
        name: key of `FORMATS`.

    Returns:
        stretch: at least one member or row group; None for a format that must be read from the
            beginning of the locator.
    """
    cut = _CUTS.get(name)
    return cut(storage, file, locator, at, most_bytes) if cut and locator.bytes else None


def _of_lines(storage: Reader, file: InputFile, whole: Locator, at: int, most: int) -> Stretch:
    start = whole.start + max(0, min(at, whole.bytes - most))
    end = min(whole.end, start + most)
    return Stretch(Locator(whole.file, start, end, end - start))


def _of_members(storage: Reader, file: InputFile, whole: Locator, at: int, most: int) -> Stretch:
    sizes = zipped.member_sizes(storage, file, whole.start, whole.end)
    first, count, size = _run(sizes, at, most)
    return Stretch(
        Locator(whole.file, whole.start + first, whole.start + first + count, size), count
    )


def _of_row_groups(storage: Reader, file: InputFile, whole: Locator, at: int, most: int) -> Stretch:
    groups = parquet.row_groups(storage, file)[whole.start : whole.end]
    first, _, _ = _run([size for size, _ in groups], at, 1)
    size, rows = groups[first]
    return Stretch(Locator(whole.file, whole.start + first, whole.start + first + 1, size), rows)


def _run(sizes: list[int], at: int, most: int) -> tuple[int, int, int]:
    """First of the things that hold byte `at`, how many fit into `most` bytes, and their size."""
    ends = list(itertools.accumulate(sizes))
    first = min(bisect.bisect_right(ends, at), len(sizes) - 1)
    before = ends[first] - sizes[first]
    count = max(1, bisect.bisect_right(ends, before + most) - first)
    return first, count, ends[first + count - 1] - before


_CUTS: Mapping[str, Callable[[Reader, InputFile, Locator, int, int], Stretch]] = MappingProxyType(
    {"jsonl": _of_lines, "zip": _of_members, "parquet": _of_row_groups}
)
