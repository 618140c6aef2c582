"""Formats of input and output files. A new one is a file here and a line in `FORMATS`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ..errors import UsageError
from ..partitions import partition_path
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
from .corpus import BRAT, CONLL, I2B2_2006, I2B2_2014
from .delimited import CSV, TSV
from .encodings import ENCODINGS, encoding_named
from .gzipped import Gzipped
from .jsonl import JsonLines
from .parquet import Parquet
from .tarred import TarArchive, TarGzArchive
from .text import TextFiles
from .zipped import ZipArchive

__all__ = [
    "ASKED_FOR",
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

_PLAIN: tuple[Format, ...] = (TextFiles(), JsonLines(), CSV, TSV, Parquet())
_LINES = ("text", "jsonl", "csv", "tsv")
"""What is also read and written through gzip, a file as a whole."""

_ARCHIVES = (ZipArchive(), TarArchive(), TarGzArchive())
_CORPORA: tuple[Format, ...] = (I2B2_2014, I2B2_2006, BRAT, CONLL)

ASKED_FOR = frozenset({"i2b2_2014", "i2b2_2006", "brat"})
"""Formats that are taken where they are named alone: the endings of files do not say them."""

FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        form.name: form
        for form in (
            *_PLAIN,
            *(Gzipped(form) for form in _PLAIN if form.name in _LINES),
            *_ARCHIVES,
            *_CORPORA,
        )
    }
)


_ENDINGS = tuple((suffix, name) for name, form in FORMATS.items() for suffix in form.suffixes)
"""Every file that is listed is compared with these."""


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
        UsageError: if it is of none, with the known endings, or only of some that have to be asked
            for. The name itself is not told.
    """
    lowered = path.lower()
    matching = [one for one in _ENDINGS if lowered.endswith(one[0])]
    if found := [(len(suffix), name) for suffix, name in matching if name not in ASKED_FOR]:
        return max(found)[1]
    if matching:
        raise UsageError(
            f"an input file ends in {matching[0][0]}, which does not say its format: give --format "
            f"{' or '.join(name for _, name in matching)} (it then holds for all input files)"
        )
    known = ", ".join(f"{name} ({' '.join(form.suffixes)})" for name, form in FORMATS.items())
    raise UsageError(
        f"the ending of an input file's name is of no known format; known: {known}. Give "
        "--format NAME (it then holds for all input files), or leave the file out"
    )


FAMILIES: Mapping[str, str] = {
    **dict.fromkeys(("text", "zip", "tar", "tar.gz"), "texts"),
    **dict.fromkeys(("csv", "tsv"), "CSV"),
    "jsonl": "JSON Lines",
    "parquet": "Parquet",
}
"""Format -> what it is to those who read the output; others are known by their own names."""


def family(form: str) -> str:
    """What a format of `FORMATS` is to those who read the output, gzipped or not."""
    return FAMILIES.get(form) or FAMILIES.get(form.removesuffix(".gz"), form)
