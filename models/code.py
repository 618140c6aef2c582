"""The program's own code, as a hash: what was made by other code is not read back."""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.resources
import json
import sys
import unicodedata
from importlib.resources.abc import Traversable

_APART = frozenset({"corpora", "evaluation", "formats", "recognisers", "studies"})
"""Folders of this room whose code neither makes features nor learns nor decodes. All other code
counts, so that nothing has to be listed when some is added."""


@functools.cache
def code_hash() -> str:
    """SHA-256 over the code that features, learning and decoding are made by, and its libraries."""
    digest = hashlib.sha256()
    versions = {
        "python": sys.version_info[:2],
        "unicode": unicodedata.unidata_version,
        "python-crfsuite": importlib.metadata.version("python-crfsuite"),
        "numpy": importlib.metadata.version("numpy"),
    }
    digest.update(json.dumps(versions, sort_keys=True).encode())
    root = __package__.rpartition(".models")[0]
    for room in ("dictionaries", "models"):
        for source in _sources(importlib.resources.files(f"{root}.{room}")):
            digest.update(hashlib.sha256(source.read_bytes()).digest())
    return digest.hexdigest()


def _sources(folder: Traversable) -> list[Traversable]:
    """The Python files below a folder, in order."""
    found: list[Traversable] = []
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            if entry.name not in _APART:
                found += _sources(entry)
        elif entry.name.endswith(".py"):
            found.append(entry)
    return found
