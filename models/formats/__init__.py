"""Formats of input and output files. A new one is a file here and a line in `FORMATS`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..errors import UsageError
from ..partitions import partition_path
from .base import Chunk, Format, Limits, Locator, OpenPart, PartRow, PartWriter, Sink
from .jsonl import JsonLines
from .parquet import Parquet
from .text import TextFiles

__all__ = [
    "FORMATS",
    "Chunk",
    "Format",
    "Limits",
    "Locator",
    "OpenPart",
    "PartRow",
    "PartWriter",
    "Sink",
    "format_of",
    "partition_path",
]

FORMATS: Mapping[str, Format] = MappingProxyType(
    {form.name: form for form in (TextFiles(), JsonLines(), Parquet())}
)


def format_of(path: str) -> str:
    """The key in `FORMATS` of a file, by the ending of its name in any case.

    Raises:
        UsageError: if it is of none, with the known endings. The name itself is not told.
    """
    lowered = path.lower()
    for name, form in FORMATS.items():
        if lowered.endswith(form.suffixes):
            return name
    known = ", ".join(f"{name} ({' '.join(form.suffixes)})" for name, form in FORMATS.items())
    raise UsageError(f"the ending of an input file's name is of no known format; known: {known}")
