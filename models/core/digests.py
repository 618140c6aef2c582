"""Content digests: one number for a set of rows, whatever order, unit or part they came in.

A row's digest is SHA-256 over its length-prefixed fields; the digest of a set of rows is the sum of
theirs modulo 2^256 (an additive multiset hash: Bellare and Micciancio 1997, "AdHash"). It needs no
sorting and no memory, and partial sums of units add up. It guards against accident, not against
forgers: for those, parts carry SHA-256.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Iterable

_MODULUS = 1 << 256


_HEX = re.compile("[0-9a-f]{64}")

_HEAD = struct.Struct(">cQ")
"""Kind and length of a field, in one byte and eight."""

Field = str | int | float | bytes | None


def cell(field: Field) -> bytes:
    """A field as it is hashed. Null differs from empty text, and numbers from their text."""
    if field is None:
        return b"\xff"
    if isinstance(field, str):
        kind, raw = b"s", field.encode("utf-8", "surrogatepass")
    elif isinstance(field, bytes):
        kind, raw = b"b", field
    else:
        kind, raw = b"n", repr(field).encode()
    return _HEAD.pack(kind, len(raw)) + raw


def row_digest(fields: Iterable[Field]) -> int:
    """SHA-256 of one row as an integer."""
    return _digest_of_cells(map(cell, fields))


def _digest_of_cells(cells: Iterable[bytes]) -> int:
    return int.from_bytes(hashlib.sha256(b"".join(cells)).digest(), "big")


class Digest:
    """A running digest of a set of rows.

    Attributes:
        value: the sum of the rows' digests modulo 2^256.
    """

    __slots__ = ("value",)

    def __init__(self, value: int | str = 0) -> None:
        self.value = int(value, 16) if isinstance(value, str) else value

    @classmethod
    def of_hex(cls, text: str) -> Digest:
        """The digest that `hex` gave.

        Raises:
            TypeError, ValueError: for anything but 64 hex digits.
        """
        if not _HEX.fullmatch(text):
            raise ValueError("a digest is 64 hex digits")
        return cls(text)

    def add(self, fields: Iterable[Field]) -> None:
        """Adds one row."""
        self.value = (self.value + row_digest(fields)) % _MODULUS

    def add_cells(self, rows: Iterable[Iterable[bytes]]) -> None:
        """Adds rows whose fields are cells already: a column encodes each of its values once."""
        self.value = (self.value + sum(map(_digest_of_cells, rows))) % _MODULUS

    def merge(self, other: Digest) -> None:
        """Adds all rows of another digest."""
        self.value = (self.value + other.value) % _MODULUS

    def hex(self) -> str:
        """64 hex digits."""
        return f"{self.value:064x}"


PARTS = ("text", "columns", "audit", "quarantine")
"""What the content digest is made of: scrubbed texts, other columns, audit rows, quarantine."""


def content_digest(parts: dict[str, Digest]) -> str:
    """The content digest of a run (promise 4), from the digests of its `PARTS`."""
    return hashlib.sha256("".join(parts[name].hex() for name in PARTS).encode()).hexdigest()
