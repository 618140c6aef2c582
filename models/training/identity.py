"""Hashes of what training depends on: the names of cached features and finished folds.

Both are reused only under the hash of everything that determines them, including the code.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

from ...dictionaries import Dictionary
from ..corpora import AnnotatedDocument
from ..recipes import Recipe


def corpus_hash(documents: Iterable[AnnotatedDocument]) -> str:
    """SHA-256 over texts and spans in order; ids and meta do not affect training."""
    digest = hashlib.sha256()
    for document in documents:
        text = document.text.encode("utf-8", "surrogatepass")
        spans = json.dumps([[s.start, s.end, s.label] for s in document.spans]).encode()
        digest.update(f"{len(text)} {len(spans)}\n".encode())
        digest.update(text + spans)
    return digest.hexdigest()


def lists_hash(recipe: Recipe, dictionaries: Mapping[str, Dictionary]) -> dict[str, str]:
    """Name -> SHA-256 of the content of the dictionaries that the recipe uses or extends."""
    names = sorted({*recipe.dictionaries, *recipe.lists} & dictionaries.keys())
    return {n: hashlib.sha256(dictionaries[n].to_bytes()).hexdigest() for n in names}


def feature_key(recipe: Recipe) -> str:
    """Equal for recipes for which `prepare` gives the same features and tags."""
    values = recipe.as_json()
    taggers = values["taggers"]
    assert isinstance(taggers, list)
    relevant = ("layer", "sequence", "features", "scheme", "max_sequence")
    told_apart = [tagger.classes for tagger in recipe.taggers]
    features = [{n: t[n] for n in relevant} for t in taggers]
    made = [values["extensions"], values.get("counts"), values.get("passes")]
    return hash_of([features, told_apart, *made])


def hash_of(values: object) -> str:
    """SHA-256 over JSON values; mappings are sorted by key."""
    content = json.dumps(values, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(content.encode()).hexdigest()
