"""How rows of a roster are sealed: AES-SIV, deterministic, bound to the patient.

Source: RFC 5297, "Synthetic Initialization Vector (SIV) Authenticated Encryption Using AES". Equal
rows of one patient under one key are equal bytes, which is what makes two bundles of one table
equal, and two nights comparable without opening them. A row of another patient does not open.
"""

from __future__ import annotations

import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from ..core.errors import BundleError
from ..core.keys import Keys

KEY_BYTES = 16
"""Of a patient in a bundle: `Keys.patient_key` without the hex."""

BLOCK_BYTES = 64
"""Sealed rows are padded to a multiple of this, so that their sizes tell little."""

_TAG_BYTES = 16
_PURPOSE = b"scrubline roster row 1"


class RosterError(BundleError):
    """A roster is damaged, cut, swapped, or sealed under another key."""


class RowSealer:
    """Seals and opens rows under the roster's subkey of a master key. Shows nothing of itself."""

    __slots__ = ("_cipher",)

    def __init__(self, keys: Keys) -> None:
        self._cipher = AESSIV(keys.roster[:64])

    def __repr__(self) -> str:
        return "RowSealer()"

    def __reduce__(self) -> str:
        raise TypeError("keys cannot be pickled: open them where they are used")

    def seal(self, patient: bytes, content: bytes) -> bytes:
        """The sealed row; its length is a multiple of `BLOCK_BYTES`."""
        padded = content + bytes(-(len(content) + _TAG_BYTES) % BLOCK_BYTES)
        return self._cipher.encrypt(padded, [_PURPOSE, patient])

    def open(self, patient: bytes, sealed: bytes) -> bytes:
        """What `seal` got, with its padding.

        Raises:
            RosterError: if it was changed, or sealed for another patient or under another key.
        """
        try:
            return self._cipher.decrypt(sealed, [_PURPOSE, patient])
        except (InvalidTag, ValueError):
            raise RosterError(
                "roster: a row does not open: it was changed, or belongs to another patient; "
                "build the roster again"
            ) from None


# -- shards

_MAGIC = b"scrubline-roster-1\n\0\0\0\0\0"
_HEAD = struct.Struct(">24sQ")
_ENDS = 4


def shard_bytes(rows: list[tuple[bytes, bytes]]) -> bytes:
    """A shard: header, keys, where each row ends (in blocks), sealed rows.

    Args:
        rows: patient's key and sealed row, sorted by key.
    """
    ends, end = [], 0
    for _, sealed in rows:
        end += len(sealed) // BLOCK_BYTES
        ends.append(end.to_bytes(_ENDS, "big"))
    return b"".join(
        (
            _HEAD.pack(_MAGIC, len(rows)),
            *(key for key, _ in rows),
            *ends,
            *(sealed for _, sealed in rows),
        )
    )


class Shard:
    """The sealed rows of some patients, in bytes that may be a memory map.

    Raises:
        RosterError: if the bytes are no shard, or cut.
    """

    __slots__ = ("_content", "_count", "_ends", "_keys", "_rows")
    _count: int

    def __init__(self, content: memoryview) -> None:
        self._content = content
        damaged = RosterError("roster: a shard is cut or damaged; build or copy it again")
        if len(content) < _HEAD.size:
            raise damaged
        magic, self._count = _HEAD.unpack(content[: _HEAD.size])
        self._keys = _HEAD.size
        self._ends = self._keys + KEY_BYTES * self._count
        self._rows = self._ends + _ENDS * self._count
        if magic != _MAGIC or len(content) < self._rows:
            raise damaged
        if len(content) != self._rows + self._end(self._count - 1) * BLOCK_BYTES:
            raise damaged

    def __len__(self) -> int:
        return self._count

    def key(self, row: int) -> bytes:
        """The patient of a row."""
        at = self._keys + KEY_BYTES * row
        return bytes(self._content[at : at + KEY_BYTES])

    def sealed(self, row: int) -> bytes:
        """A sealed row."""
        start = self._rows + self._end(row - 1) * BLOCK_BYTES
        return bytes(self._content[start : self._rows + self._end(row) * BLOCK_BYTES])

    def find(self, patient: bytes) -> int | None:
        """The row of a patient, by bisection of the sorted keys."""
        low, high = 0, self._count
        while low < high:
            middle = (low + high) // 2
            if self.key(middle) < patient:
                low = middle + 1
            else:
                high = middle
        return low if low < self._count and self.key(low) == patient else None

    def close(self) -> None:
        """Lets go of the bytes."""
        self._content.release()

    def _end(self, row: int) -> int:
        if row < 0:
            return 0
        at = self._ends + _ENDS * row
        return int.from_bytes(self._content[at : at + _ENDS], "big")
