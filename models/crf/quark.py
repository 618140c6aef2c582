"""CRFsuite's constant quark database: strings by id and ids by string, as bytes.

A model file has two of them, for labels and attributes. The layout is that of CQDB 1 (Okazaki):
a header, the heads of 256 hash tables, the records (id, length, string), the tables, and the offset
of each record.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from ..core.arrays import Flags, Ints
from ..core.errors import BundleError

MAX_KEY_BYTES = 1 << 16

_DATABASE = struct.Struct("<4s5I")
_RECORD = struct.Struct("<II")
_BYTE_ORDER = 0x62445371
_TABLES = 256
_RECORDS = _DATABASE.size + 8 * _TABLES


def read_names(data: bytes, at: int, count: int, what: str) -> tuple[str, ...]:
    """The strings of a database in the order of their ids, which is the order of its records."""
    if at + _RECORDS > len(data) or data[at : at + 4] != b"CQDB":
        raise BundleError(f"the database of {what} is damaged or outside the file")
    names = []
    position = at + _RECORDS
    for index in range(count):
        if position + _RECORD.size > len(data):
            raise BundleError(f"the database of {what} ends after {index} of {count} records")
        number, size = _RECORD.unpack_from(data, position)
        position += _RECORD.size
        if number != index or not 1 <= size <= min(len(data) - position, MAX_KEY_BYTES):
            raise BundleError(f"record {index} of the database of {what} is damaged")
        try:
            names.append(data[position : position + size - 1].decode())
        except UnicodeDecodeError:
            raise BundleError(f"record {index} of the database of {what} is not UTF-8") from None
        position += size
    return tuple(names)


def write_names(names: Sequence[str]) -> bytes:
    """The database of these strings; their ids are their positions."""
    keys, lengths = joined_keys(names)
    numbers = np.arange(len(names))
    # A record is its number, the length of its key, the key.
    heads = np.cumsum(lengths + _RECORD.size) - (lengths + _RECORD.size)
    records = np.zeros(len(keys) + _RECORD.size * len(names), np.uint8)
    for offset, values in ((0, numbers), (4, lengths)):
        places = heads[:, None] + np.arange(offset, offset + 4)
        records[places] = values.astype("<u4").view(np.uint8).reshape(-1, 4)
    records[~_alternating(np.full(len(names), _RECORD.size), lengths)] = keys
    offsets = _RECORDS + heads
    hashes = _hashes(keys, lengths).astype(np.int64)
    slots = 2 * np.bincount(hashes % _TABLES, minlength=_TABLES)
    firsts = np.cumsum(slots) - slots
    begin = _RECORDS + len(records)
    references = np.stack([np.where(slots > 0, begin + 8 * firsts, 0), slots], axis=1)
    owners = _hash_slots(hashes, slots, firsts)
    filled = owners < len(names)
    buckets = np.zeros((len(owners), 2), np.int64)
    buckets[filled, 0] = hashes[owners[filled]]
    buckets[filled, 1] = offsets[owners[filled]]
    position = begin + 8 * len(owners)
    size = position + 4 * len(names)
    header = _DATABASE.pack(
        b"CQDB", size % 2**32, 0, _BYTE_ORDER, len(names), position % 2**32 if names else 0
    )
    return b"".join([header, words(references), records.tobytes(), words(buckets), words(offsets)])


def _hash_slots(hashes: Ints, slots: Ints, firsts: Ints) -> Ints:
    """Which key each slot of the hash tables holds; the number of keys stands for an empty slot.

    CRFsuite fills the tables key by key with linear probing. The result is the same if all keys
    request their slots at once, each slot keeps the earliest key that ever requests it, and every
    rejected key requests the next slot, since a slot always prefers the earlier key.
    """
    none = len(hashes)
    owners = np.full(int(slots.sum()), none, np.int64)
    tables = hashes % _TABLES
    places = np.where(slots[tables] > 0, (hashes >> 8) % np.maximum(slots[tables], 1), 0)
    pending = np.arange(none)
    while len(pending):
        wanted = firsts[tables[pending]] + places[pending]
        before = owners[wanted]
        np.minimum.at(owners, wanted, pending)
        ousted = np.unique(before[(before != none) & (owners[wanted] != before)])
        pending = np.concatenate([pending[owners[wanted] != pending], ousted])
        places[pending] = (places[pending] + 1) % slots[tables[pending]]
    return owners


def joined_keys(names: Sequence[str]) -> tuple[npt.NDArray[np.uint8], Ints]:
    """The names in UTF-8, end to end, each followed by a NUL; and the length of each with it."""
    joined = np.frombuffer("\0".join([*names, ""]).encode(), np.uint8)
    ends = np.flatnonzero(joined == 0) + 1
    return joined, np.diff(ends, prepend=0)


def words(values: Iterable[int] | Ints) -> bytes:
    """Numbers as unsigned 32-bit words, little-endian."""
    return np.asarray(values, np.int64).astype("<u4").tobytes()


def _alternating(first: Ints, second: Ints) -> Flags:
    """Alternating runs: `first[0]` times true, `second[0]` times false, and so on."""
    runs = np.stack([first, second], axis=1).ravel()
    return np.repeat(np.tile(np.array([True, False]), len(first)), runs)


def _hashes(keys: npt.NDArray[np.uint8], lengths: Ints) -> npt.NDArray[np.uint32]:
    """The `hashlittle` of each key, none empty (Jenkins 2006, lookup3.c, public domain).

    Vectorized: step k mixes the k-th block of 12 bytes of all keys that have one.
    """
    blocks = (lengths + 11) // 12
    padded = np.zeros(12 * int(blocks.sum()), np.uint8)
    padded[_alternating(lengths, 12 * blocks - lengths)] = keys
    words = padded.view("<u4").reshape(-1, 3).astype(np.uint32)
    # Longest first, so the keys that are not finished are always a prefix.
    order = np.argsort(-blocks, kind="stable")
    firsts = (np.cumsum(blocks) - blocks)[order]
    ascending = np.sort(blocks)
    state = np.repeat((lengths[order].astype(np.uint32) + np.uint32(0xDEADBEEF))[None], 3, axis=0)
    result = np.zeros(len(lengths), np.uint32)
    active = len(lengths)
    for step in range(int(blocks.max(initial=0))):
        a, b, c = state[:, :active] + words[firsts[:active] + step].T
        unfinished = len(lengths) - int(np.searchsorted(ascending, step + 1, side="right"))
        result[order[unfinished:active]] = _final(a[unfinished:], b[unfinished:], c[unfinished:])
        state = np.stack(_mix(a[:unfinished], b[:unfinished], c[:unfinished]))
        active = unfinished
    return result


_Words = npt.NDArray[np.uint32]


def _mix(a: _Words, b: _Words, c: _Words) -> tuple[_Words, _Words, _Words]:
    for shift in (4, 6, 8, 16, 19, 4):
        a = (a - c) ^ _rotate(c, shift)
        c = c + b
        a, b, c = b, c, a
    return a, b, c


def _final(a: _Words, b: _Words, c: _Words) -> _Words:
    for shift in (14, 11, 25, 16, 4, 14, 24):
        c = (c ^ b) - _rotate(b, shift)
        a, b, c = b, c, a
    return b


def _rotate(words: _Words, shift: int) -> _Words:
    return (words << np.uint32(shift)) | (words >> np.uint32(32 - shift))
