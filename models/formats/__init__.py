"""Formats of input and output files. A new one is a file here and a line in `FORMATS`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..errors import UsageError
from ..partitions import partition_path
from .archives import TarArchive, TarGzArchive, ZipArchive
from .base import (
    Chunk,
    Format,
    Limits,
    Locator,
    OpenPart,
    PartRow,
    PartWriter,
    Reader,
    Settings,
    Sink,
)
from .encodings import ENCODINGS, encoding_named
from .gzipped import Gzipped
from .jsonl import JsonLines
from .parquet import Parquet
from .text import TextFiles

__all__ = [
    "ENCODINGS",
    "FORMATS",
    "Chunk",
    "Format",
    "Limits",
    "Locator",
    "OpenPart",
    "PartRow",
    "PartWriter",
    "Reader",
    "Settings",
    "Sink",
    "encoding_named",
    "format_of",
    "open_format",
    "partition_path",
]

_PLAIN = (TextFiles(), JsonLines(), Parquet())
_LINES = ("text", "jsonl")
"""What is also read and written through gzip, a file as a whole."""

_ARCHIVES = (ZipArchive(), TarArchive(), TarGzArchive())

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        form.name: form
        for form in (
            *_PLAIN,
            *(Gzipped(form) for form in _PLAIN if form.name in _LINES),
            *_ARCHIVES,
        )
    }
)


def open_format(name: str, settings: Settings) -> Format:
    """The format of a name, with the settings that it heeds.

    Raises:
        UsageError: if there is none of that name, or it cannot be read with the settings.
    """
    if name not in FORMATS:
        raise UsageError(f"unknown format {name!r}; known: {', '.join(FORMATS)}")
    return FORMATS[name].configured(settings)


def format_of(path: str) -> str:
    """The key in `FORMATS` of a file, by the ending of its name in any case; the longest counts.

    Raises:
        UsageError: if it is of none, with the known endings. The name itself is not told.
    """
    lowered = path.lower()
    endings = [(suffix, name) for name, form in FORMATS.items() for suffix in form.suffixes]
    found = [(len(suffix), name) for suffix, name in endings if lowered.endswith(suffix)]
    if found:
        return max(found)[1]
    known = ", ".join(f"{name} ({' '.join(form.suffixes)})" for name, form in FORMATS.items())
    raise UsageError(f"the ending of an input file's name is of no known format; known: {known}")
