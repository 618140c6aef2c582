"""What a user and a job say about files: how they are written, and how much of them is read."""

from __future__ import annotations

import dataclasses

from ..core.budgets import BATCH_BYTES, BATCH_DOCUMENTS, Budgets

_BUDGETS = Budgets()

UTF8 = "utf-8"

UNPACKED_FREE_BYTES = 64_000_000
"""A compressed file may always unpack to this much, however small it is."""

UNKNOWN_SIZE = 1 << 62
"""Size of the unpacked content of a compressed file, which is unknown until its end is read."""

_LONGEST_LINE_BYTES = 2_000_000_000
"""Arrow's strings end at 2 GiB a batch; see `Limits`."""


@dataclasses.dataclass(frozen=True, slots=True)
class FormatOptions:
    """How files are written whose content does not say it; frozen with the plan.

    Attributes:
        encoding: of text files, members of archives, CSV and TSV; one of `encodings.ENCODINGS`.
        delimiter: one character between the cells of CSV; None for the format's own.
        quote: one character around cells that hold delimiters, quotes or line breaks; "" for none.
        escape: one character before a quote inside quotes; None: a quote is doubled (RFC 4180).
        header: whether a CSV file begins with the names of its columns; else they are c1, c2, ...
    """

    encoding: str = UTF8
    delimiter: str | None = None
    quote: str = '"'
    escape: str | None = None
    header: bool = True

    @property
    def changed(self) -> tuple[str, ...]:
        """Names of the options that differ from their defaults."""
        return tuple(
            field.name
            for field in dataclasses.fields(self)
            if getattr(self, field.name) != field.default
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Limits:
    """Deterministic caps of reading.

    Attributes:
        batch_documents: most records of a chunk.
        batch_bytes: most bytes of a chunk, except for a chunk of one record.
        line_bytes: a longer line of a line format is an error row.
        document_bytes: a longer file of the text format, or archive member, is an error row.
        unpacked_ratio: a compressed file that unpacks to more than this many times its size (and
            more than `UNPACKED_FREE_BYTES`) is a bomb: its rest is one error row. So is a row group
            of Parquet; each of its rows is an error row.
    """

    batch_documents: int = BATCH_DOCUMENTS
    batch_bytes: int = BATCH_BYTES
    line_bytes: int = _BUDGETS.line_bytes
    document_bytes: int = _BUDGETS.document_bytes
    unpacked_ratio: int = _BUDGETS.unpacked_ratio

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            if getattr(self, field.name) < 1:
                raise ValueError(f"{field.name} must be at least 1")
        if self.batch_bytes + self.line_bytes >= 2**31:
            raise ValueError("batch_bytes and line_bytes together must stay below 2 GiB")

    @classmethod
    def of_published(cls, file_bytes: int) -> Limits:
        """Limits that no record of a published file exceeds: what was published was within them.

        Args:
            file_bytes: size of the file.
        """
        return cls(
            # A line is measured in UTF-8, in which a byte of another encoding may be three.
            line_bytes=max(1, min(3 * file_bytes, _LONGEST_LINE_BYTES)),
            document_bytes=max(1, file_bytes),
            unpacked_ratio=UNKNOWN_SIZE,
        )
