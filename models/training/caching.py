"""A cache of features: what `prepare` made of a corpus, kept for the next training.

One file for each (corpus, what taggers see, dictionaries, code), under the hash of all of these, in
a private folder: it holds words of the notes. What cannot be read whole and sound is made anew.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ...dictionaries import Dictionary
from ..code import code_hash
from ..columns import Ints
from ..corpora import AnnotatedDocument
from ..features import Features
from ..parts import Part
from ..recipes import Recipe, TaggerRecipe
from ..shortage import raise_shortage
from .identity import corpus_hash, feature_key, hash_of, lists_hash
from .preparing import Prepared, prepare
from .private import read_private, write_private

_log = logging.getLogger(__name__)

_COLUMNS = (
    "attribute_ids",
    "item_offsets",
    "starts",
    "ends",
    "sequence_offsets",
    "document_offsets",
)


def prepare_cached(
    folder: Path,
    recipe: Recipe,
    documents: Sequence[AnnotatedDocument],
    dictionaries: Mapping[str, Dictionary],
    parts: Mapping[str, Part] = MappingProxyType({}),
) -> tuple[Prepared, ...]:
    """What `prepare` gives, from the cache if it is there.

    Args:
        folder: a private one; see `private_folder`.
        recipe: see `prepare`.
        documents: see `prepare`.
        dictionaries: see `prepare`.
        parts: see `prepare`.

    Raises:
        RunFailed: if the cache cannot be written.
    """
    lists = lists_hash(recipe, dictionaries)
    seen_through = {name: parts[name].hash for name in recipe.parts if name in parts}
    key = hash_of([code_hash(), corpus_hash(documents), feature_key(recipe), lists, seen_through])
    path = folder / f"features-{key}.npz"
    if path.exists():
        content = read_private(path)
        found = None if content is None else _unpacked(content, recipe.taggers, len(documents))
        if found is not None:
            return found
        _log.warning("a file of the feature cache is damaged: features are made anew")
    prepared = prepare(recipe, documents, dictionaries, parts)
    write_private(path, _packed(prepared))
    return prepared


def _packed(prepared: Sequence[Prepared]) -> bytes:
    columns: dict[str, Any] = {}
    for number, one in enumerate(prepared):
        names = sorted({tag for sequence in one.tags for tag in sequence})
        places = {name: place for place, name in enumerate(names)}
        values: dict[str, Ints] = {
            **{name: getattr(one.features, name) for name in _COLUMNS},
            **_strings("attributes", one.features.attributes),
            **_strings("names", names),
            "tags": np.array([places[t] for sequence in one.tags for t in sequence], np.int64),
            "misaligned": np.array([one.misaligned], np.int64),
        }
        columns |= {f"{number}-{name}": _narrow(column) for name, column in values.items()}
    stream = io.BytesIO()
    np.savez(stream, **columns)
    return stream.getvalue()


def _unpacked(
    content: bytes, taggers: Sequence[TaggerRecipe], documents: int
) -> tuple[Prepared, ...] | None:
    """The prepared taggers, or None if the content is not what `_packed` made for these."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            return tuple(_one(stored, n, tagger, documents) for n, tagger in enumerate(taggers))
    except Exception as error:  # numpy and zipfile raise whatever they like
        raise_shortage(error)
        return None


def _one(stored: Mapping[str, Ints], number: int, tagger: TaggerRecipe, documents: int) -> Prepared:
    def column(name: str) -> Ints:
        return stored[f"{number}-{name}"].astype(np.int64)

    features = Features(
        _restored(stored, f"{number}-attributes"), *(column(name) for name in _COLUMNS)
    )
    names = _restored(stored, f"{number}-names")
    flat = [names[tag] for tag in column("tags").tolist()]
    bounds = features.sequence_offsets.tolist()
    if len(features.document_offsets) != documents + 1 or len(flat) != len(features.starts):
        raise ValueError("not the features of these documents")
    tags = [flat[begin:end] for begin, end in zip(bounds, bounds[1:], strict=False)]
    return Prepared(tagger, features, tags, int(column("misaligned")[0]))


def _strings(name: str, strings: Sequence[str]) -> dict[str, Ints]:
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    flat = np.frombuffer(b"".join(encoded), np.uint8)
    ends = np.cumsum([len(one) for one in encoded], dtype=np.int64)
    return {name: flat, f"{name}-ends": ends}  # type: ignore[dict-item]


def _restored(stored: Mapping[str, Ints], name: str) -> tuple[str, ...]:
    flat, ends = stored[name].tobytes(), stored[f"{name}-ends"].tolist()
    return tuple(
        flat[begin:end].decode("utf-8", "surrogatepass")
        for begin, end in zip([0, *ends], ends, strict=False)
    )


def _narrow(column: Ints) -> Ints:
    """Half the bytes where 32 bits are enough; ids and offsets nearly always are."""
    if column.dtype == np.int64 and column.max(initial=0) < 2**31:
        return column.astype(np.int32)
    return column
