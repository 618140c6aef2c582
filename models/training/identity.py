"""What training depends on, as hashes: the names of cached features and of finished folds.

Both are read back only under the hash of all that decides them, the program's code included.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import importlib.resources
import json
import sys
import unicodedata
from collections.abc import Iterable, Mapping
from importlib.resources.abc import Traversable

from ...dictionaries import Dictionary
from ..corpora import AnnotatedDocument
from ..recipes import Recipe

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


def corpus_hash(documents: Iterable[AnnotatedDocument]) -> str:
    """SHA-256 over texts and spans in their order; ids and meta teach nothing."""
    digest = hashlib.sha256()
    for document in documents:
        text = document.text.encode("utf-8", "surrogatepass")
        spans = json.dumps([[s.start, s.end, s.label] for s in document.spans]).encode()
        digest.update(f"{len(text)} {len(spans)}\n".encode())
        digest.update(text + spans)
    return digest.hexdigest()


def lists_hash(recipe: Recipe, dictionaries: Mapping[str, Dictionary]) -> dict[str, str]:
    """Name -> SHA-256 of the content of those dictionaries that the recipe sees or extends."""
    names = sorted({*recipe.dictionaries, *recipe.lists} & dictionaries.keys())
    return {n: hashlib.sha256(dictionaries[n].to_bytes()).hexdigest() for n in names}


def feature_key(recipe: Recipe) -> str:
    """Equal for recipes of which `prepare` makes the same features and tags."""
    values = recipe.as_json()
    taggers = values["taggers"]
    assert isinstance(taggers, list)
    seen = ("layer", "sequence", "features", "scheme", "max_sequence")
    parts = [{name: tagger[name] for name in seen} for tagger in taggers]
    return hash_of([parts, values["extensions"]])


def hash_of(values: object) -> str:
    """SHA-256 over JSON values; mappings are sorted by key."""
    content = json.dumps(values, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()
