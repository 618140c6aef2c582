"""Formats of input and output files. A new one is a file here and a line in `FORMATS`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType

from ..core.errors import UsageError
from ..core.suggestions import did_you_mean
from ..storage.hive import partition_path
from .ccda import CcdaFiles
from .corpus import BRAT, CONLL, I2B2_2006, I2B2_2014
from .delimited import CSV, TSV
from .encodings import ENCODINGS, encoding_named
from .fhir import FhirFiles
from .gzipped import Gzipped
from .hl7 import Hl7Files
from .jsonl import JsonLines
from .options import FormatOptions, Limits
from .parquet import Parquet
from .protocol import (
    CellForm,
    Chunk,
    Format,
    FormatTraits,
    Locator,
    OpenPart,
    PartRow,
    PartWriter,
    Reader,
    Sink,
)
from .tarred import TarArchive, TarGzArchive
from .text import TextFiles
from .zipped import ZipArchive

__all__ = [
    "ENCODINGS",
    "EXPLICIT_ONLY",
    "FORMATS",
    "CellForm",
    "Chunk",
    "Format",
    "FormatOptions",
    "FormatTraits",
    "Limits",
    "Locator",
    "OpenPart",
    "PartRow",
    "PartWriter",
    "Reader",
    "Sink",
    "encoding_named",
    "family",
    "format_of",
    "meant_by_columns",
    "open_format",
    "partition_path",
]

_FORMATS: tuple[Format, ...] = (
    TextFiles(),
    JsonLines(),
    CSV,
    TSV,
    Parquet(),
    Gzipped(TextFiles()),
    Gzipped(JsonLines()),
    Gzipped(CSV),
    Gzipped(TSV),
    Hl7Files(),
    Gzipped(Hl7Files()),
    FhirFiles(),
    Gzipped(FhirFiles()),
    CcdaFiles(),
    Gzipped(CcdaFiles()),
    ZipArchive(),
    TarArchive(),
    TarGzArchive(),
    I2B2_2014,
    I2B2_2006,
    BRAT,
    CONLL,
)

FORMATS: Mapping[str, Format] = MappingProxyType({form.name: form for form in _FORMATS})

EXPLICIT_ONLY = frozenset(name for name, form in FORMATS.items() if form.traits.explicit_only)
"""Formats that are read only if the user names them: the endings of files do not say them."""

_ENDINGS = tuple((suffix, name) for name, form in FORMATS.items() for suffix in form.suffixes)
"""Every file that is listed is compared with these."""


def open_format(name: str, options: FormatOptions) -> Format:
    """The format of a name, with those options that it reads.

    Raises:
        UsageError: if there is no format of that name, or an option has a value that it cannot read
            files with.
    """
    if name not in FORMATS:
        meant = did_you_mean(name, FORMATS)
        raise UsageError(f"unknown format {name!r}{meant}; known: {', '.join(FORMATS)}")
    return FORMATS[name].configured(options)


def format_of(path: str, asked: str | None = None) -> str:
    """The key in `FORMATS` of a file, by the ending of its name in any case; the longest counts.

    Args:
        path: or the URL of the file.
        asked: the key that the user named for all files. One whose name ends in `.gz` is read as
            the gzipped one of it, so that a folder may hold both.

    Raises:
        UsageError: if no format has this ending, with the known ones, or only formats that the user
            has to name. The message does not hold the name of the file.
    """
    lowered = path.lower()
    if asked is not None:
        gzipped = f"{asked}.gz"
        return gzipped if lowered.endswith(".gz") and gzipped in FORMATS else asked
    matching = [(suffix, name) for suffix, name in _ENDINGS if lowered.endswith(suffix)]
    if found := [(len(suffix), name) for suffix, name in matching if name not in EXPLICIT_ONLY]:
        return max(found)[1]
    if matching:
        raise UsageError(
            f"an input file ends in {matching[0][0]}, which does not determine its format: give "
            "--format "
            f"{' or '.join(name for _, name in matching)} (it then holds for all input files)"
        )
    known = ", ".join(f"{name} ({' '.join(form.suffixes)})" for name, form in FORMATS.items())
    raise UsageError(
        f"the file name has an unknown ending; known formats: {known}. Give --format "
        "NAME (it then holds for all input files) or leave the file out; of .docx and .pdf, "
        "extract the text first"
    )


def meant_by_columns(form: str, names: Collection[str]) -> str:
    """The format that files are meant for, if they end alike and their columns show it; else "".

    Args:
        form: that was chosen by the ending.
        names: of the columns that it reads.
    """
    if FORMATS[form].traits.record:
        return ""
    ends = set(FORMATS[form].suffixes)
    return next(
        (
            name
            for name, one in FORMATS.items()
            if one.traits.told_by and one.traits.told_by in names and ends & {*one.suffixes}
        ),
        "",
    )


def family(form: str) -> str:
    """What a format is to readers of the output, gzipped or not; an unknown name is its own."""
    return FORMATS[form].traits.family if form in FORMATS else form
