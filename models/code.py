"""The program's own code, as a hash: what was made by other code is not read back."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.resources
import json
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from importlib.resources.abc import Traversable

COUNTED: Mapping[str, tuple[str, ...]] = {
    "dictionaries": ("__init__.py", "trie.py"),
    "models": (
        "crf/*.py",
        "features/*.py",
        "layers/*.py",
        "native/*.py",
        "parts/*.py",
        "recipes/*.py",
        "training/*.py",
        # Propagation reads a list of these, and they read each other.
        "recognisers/capitals.py",
        "recognisers/names.py",
        "bundles.py",
        "characters.py",
        "classes-*.tsv",
        "columns.py",
        "compiled.py",
        "documents.py",
        "labels.py",
        "merging.py",
        "propagation.py",
        "sections.py",
        "sentences.py",
        "spans.py",
        "systems.py",
        "taggers.py",
        "tokenizing.py",
        "tokenizing_reference.py",
        "tokens.py",
    ),
}
"""Room -> files whose content decides what is seen, learnt, decoded or carried over, word lists in
them included. A test walks the imports and fails if one that is missing here is read."""


@functools.cache
def code_hash() -> str:
    """SHA-256 over the code that features, learning and decoding are made by, and its libraries."""
    root = __package__.rpartition(".models")[0]
    return hash_of_rooms({room: importlib.resources.files(f"{root}.{room}") for room in COUNTED})


def hash_of_rooms(rooms: Mapping[str, Traversable]) -> str:
    """SHA-256 over the files of `COUNTED` in these folders, and over the libraries."""
    versions = {
        "python": sys.version_info[:2],
        "unicode": unicodedata.unidata_version,
        "python-crfsuite": importlib.metadata.version("python-crfsuite"),
        "numpy": importlib.metadata.version("numpy"),
    }
    digest = hashlib.sha256(json.dumps(versions, sort_keys=True).encode())
    for room in sorted(COUNTED):
        for name, source in counted_files(room, rooms[room]):
            digest.update(f"{room}/{name}".encode())
            digest.update(hashlib.sha256(source.read_bytes()).digest())
    return digest.hexdigest()


def counted_files(room: str, folder: Traversable) -> Iterator[tuple[str, Traversable]]:
    """Yields the files of a room that count, by their paths in it, in order."""
    folders = sorted({pattern.rpartition("/")[0] for pattern in COUNTED[room]})
    for inner in folders:
        place = folder.joinpath(inner) if inner else folder
        for entry in sorted(place.iterdir(), key=lambda entry: entry.name):
            name = f"{inner}/{entry.name}" if inner else entry.name
            if any(fnmatchcase(name, pattern) for pattern in COUNTED[room]) and entry.is_file():
                yield name, entry
