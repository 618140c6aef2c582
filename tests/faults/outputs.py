"""An output as the oracle sees it: its files, what is published, what should not be there."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import math
import time
from typing import Any

from .corpus import PLANTED
from .table import Answer


class Place:
    """An output as the oracle sees it, by other means than `Storage`."""

    def __init__(self, url: str, fs: Any, path: str) -> None:
        self.url, self._fs, self._path = url, fs, path

    def files(self) -> dict[str, int]:
        """Relative path -> size of all that is there."""
        self._fs.invalidate_cache()
        found = self._fs.find(self._path, detail=True)
        return {name[len(self._path) + 1 :]: info["size"] for name, info in found.items()}

    def read(self, name: str) -> bytes:
        """One file of it."""
        return bytes(self._fs.cat_file(f"{self._path}/{name}"))

    def write(self, name: str, data: bytes) -> None:
        """Puts one file into it."""
        target = f"{self._path}/{name}"
        self._fs.makedirs(target.rpartition("/")[0], exist_ok=True)
        self._fs.pipe_file(target, data)

    def remove(self, name: str) -> None:
        """Takes one file out of it."""
        self._fs.rm_file(f"{self._path}/{name}")

    def copy_from(self, other: Place) -> None:
        """Takes over all files of another output."""
        for name in other.files():
            self.write(name, other.read(name))

    def clear(self) -> None:
        """Removes it."""
        with contextlib.suppress(FileNotFoundError):
            self._fs.rm(self._path, recursive=True)


@dataclasses.dataclass(frozen=True)
class Published:
    """What an output holds: digests and the hash of every part, as the bytes there have them."""

    content_digest: str
    counts: str
    parts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, place: Place) -> Published:
        """Reads it.

        Raises:
            AssertionError: if a part is not what the manifest says.
        """
        manifest = json.loads(place.read("manifest.json"))
        parts = []
        for part in manifest["parts"]:
            digest = hashlib.sha256(place.read(part["path"])).hexdigest()
            assert digest == part["sha256"], "a part is not what the manifest says"
            parts.append((part["path"], digest))
        counts = json.dumps(manifest["counts"], sort_keys=True)
        return cls(manifest["content_digest"], counts, tuple(sorted(parts)))


def published(output: Place) -> Published | None:
    with contextlib.suppress(AssertionError, FileNotFoundError, ValueError, KeyError):
        return Published.of(output)
    return None


def unclean(output: Place) -> str:
    """What is left that should not be, or is where it should not be."""
    for name in output.files():
        if name.startswith("_staging/") or name.endswith((".tmp", ".try")):
            return "left something behind"
        if any(planted in name for planted in PLANTED):
            return "named a file by a planted name"
        if name.startswith(("data/", "restricted/")):
            continue
        if any(planted.encode() in output.read(name) for planted in PLANTED):
            return "left a planted name outside of the data"
    return ""


def foreign_lock(answer: Answer) -> bytes:
    """The lock of a holder on another machine, whose heartbeat is wrong."""
    beat = {"beat": time.time() + answer.value, "nan": math.nan}.get(answer.kind)
    holder = {"owner": "f" * 32, "machine": "elsewhere", "pid": 1, "since": 1.0, "beat": beat}
    return b"\x00not a lock" if beat is None else json.dumps(holder).encode()
