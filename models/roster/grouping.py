"""Values of many people, in any order, brought together by person in bounded memory.

What does not fit in memory waits in files of a temporary folder, sealed under a key that exists in
this process alone. Groups come out sorted by key, so that equal tables give equal bundles.
"""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Iterator
from types import TracebackType

from cryptography.hazmat.primitives.ciphers.aead import AESSIV

from .sealing import KEY_BYTES

_PARTITIONS = 256
"""By the first byte of the key."""

MOST_HELD = 500_000
"""Values in memory, about 100 MB."""

Group = tuple[bytes, frozenset[bytes]]
"""A person's key and its different values."""


class ValueGroups:
    """Collects values by key, within a `with` block.

    Args:
        most: values of a group; one that has more keeps some `most` + 1 of them, by which the
            owner sees that it is over.
        most_held: values in memory.
    """

    def __init__(self, most: int, most_held: int = MOST_HELD) -> None:
        self._most, self._most_held = most, most_held
        self._groups: dict[bytes, set[bytes]] = {}
        self._held = 0
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._cipher = AESSIV(secrets.token_bytes(64))
        self._blocks = [0] * _PARTITIONS

    def __enter__(self) -> ValueGroups:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()
        self._groups.clear()

    def add(self, key: bytes, value: bytes) -> None:
        """Adds a value to a group."""
        group = self._groups.setdefault(key, set())
        if len(group) <= self._most and value not in group:
            group.add(value)
            self._held += 1
            if self._held >= self._most_held:
                self._spill()

    def partitions(self) -> Iterator[list[Group]]:
        """Yields the groups in parts, all sorted by key; a part may be empty."""
        if self._folder is None:
            by_part: list[list[bytes]] = [[] for _ in range(_PARTITIONS)]
            for key in sorted(self._groups):
                by_part[key[0]].append(key)
            for keys in by_part:
                yield [(key, frozenset(self._groups[key])) for key in keys]
            return
        self._spill()
        for part in range(_PARTITIONS):
            groups: dict[bytes, set[bytes]] = {}
            for key, values in self._read(part):
                group = groups.setdefault(key, set())
                if len(group) <= self._most:
                    group |= values
            yield [(key, frozenset(groups[key])) for key in sorted(groups)]

    def _spill(self) -> None:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="scrubline-roster-")
        by_part: dict[int, list[bytes]] = {}
        for key in sorted(self._groups):
            values = sorted(self._groups[key])
            packed = [key, len(values).to_bytes(2, "big")]
            for value in values:
                packed += [len(value).to_bytes(2, "big"), value]
            by_part.setdefault(key[0], []).append(b"".join(packed))
        for part, blocks in by_part.items():
            sealed = self._cipher.encrypt(b"".join(blocks), [bytes((part,)), self._number(part)])
            self._blocks[part] += 1
            with open(self._path(part), "ab") as stream:
                stream.write(len(sealed).to_bytes(8, "big") + sealed)
        self._groups.clear()
        self._held = 0

    def _number(self, part: int, block: int | None = None) -> bytes:
        return (self._blocks[part] if block is None else block).to_bytes(8, "big")

    def _path(self, part: int) -> str:
        assert self._folder is not None
        return os.path.join(self._folder.name, f"{part:02x}")

    def _read(self, part: int) -> Iterator[tuple[bytes, set[bytes]]]:
        if not self._blocks[part]:
            return
        with open(self._path(part), "rb") as stream:
            for block in range(self._blocks[part]):
                sealed = stream.read(int.from_bytes(stream.read(8), "big"))
                names = [bytes((part,)), self._number(part, block)]
                content, at = self._cipher.decrypt(sealed, names), 0
                while at < len(content):
                    key = content[at : at + KEY_BYTES]
                    at += KEY_BYTES
                    count, at = int.from_bytes(content[at : at + 2], "big"), at + 2
                    values = set()
                    for _ in range(count):
                        size, at = int.from_bytes(content[at : at + 2], "big"), at + 2
                        values.add(content[at : at + size])
                        at += size
                    yield key, values
