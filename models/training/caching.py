"""A cache of features: the output of `prepare`, kept for the next training.

There is one file for each combination of corpus, features, dictionaries and code, named by their
hash, in a private folder, since it holds words of the notes. A damaged file is ignored and
replaced.
"""

from __future__ import annotations

import dataclasses
import io
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from ...dictionaries import Dictionary
from ..auxiliary import AuxiliaryModel
from ..core.arrays import Ints
from ..core.code_hash import code_hash
from ..core.feature_rows import Features
from ..core.shortage import raise_shortage
from ..corpora import AnnotatedDocument
from ..recipes import Recipe, TaggerRecipe
from ..storage.private_files import read_checked, write_checked
from .identity import corpus_hash, feature_key, hash_of, lists_hash
from .preparing import Prepared, prepare

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
    auxiliary: Mapping[str, AuxiliaryModel] = MappingProxyType({}),
) -> tuple[Prepared, ...]:
    """`prepare` with a cache.

    Args:
        folder: see `named_private_folder`.
        recipe: see `prepare`.
        documents: see `prepare`.
        dictionaries: see `prepare`.
        auxiliary: see `prepare`.

    Raises:
        RunFailed: if the cache cannot be written.
    """
    lists = lists_hash(recipe, dictionaries)
    auxiliary_hashes = {
        name: auxiliary[name].hash for name in recipe.auxiliary if name in auxiliary
    }
    key = hash_of(
        [code_hash(), corpus_hash(documents), feature_key(recipe), lists, auxiliary_hashes]
    )
    path = folder / f"features-{key}.npz"
    if path.exists():
        content = read_checked(path)
        first = [recipe.tagger_of[key] for key in recipe.keys_of_passes[0]]
        cached = None if content is None else _unpacked(content, first, len(documents))
        if cached is not None:
            return cached
        _log.warning("a file of the feature cache is damaged: computing the features again")
    prepared = prepare(recipe, documents, dictionaries, auxiliary)
    write_checked(path, _packed(prepared))
    return prepared


def _packed(prepared: Sequence[Prepared]) -> bytes:
    columns: dict[str, Any] = {}
    for number, tagger in enumerate(prepared):
        if number and tagger.features is prepared[0].features:
            continue  # trees share them
        names = sorted({tag for sequence in tagger.tags for tag in sequence})
        ids = {name: n for n, name in enumerate(names)}
        values: dict[str, Ints] = {
            **{name: getattr(tagger.features, name) for name in _COLUMNS},
            **_strings("attributes", tagger.features.attributes),
            **_strings("names", names),
            "tags": np.array([ids[t] for sequence in tagger.tags for t in sequence], np.int64),
            "misaligned": np.array([tagger.misaligned], np.int64),
        }
        columns |= {f"{number}-{name}": _narrow(column) for name, column in values.items()}
    stream = io.BytesIO()
    np.savez(stream, **columns)
    return stream.getvalue()


def _unpacked(
    content: bytes, taggers: Sequence[TaggerRecipe], documents: int
) -> tuple[Prepared, ...] | None:
    """The prepared taggers, or None if the content is not from `_packed` for the same taggers."""
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as stored:
            made: list[Prepared] = []
            for number, tagger in enumerate(taggers):
                if number and f"{number}-misaligned" not in stored:
                    made.append(dataclasses.replace(made[0], recipe=tagger))
                else:
                    made.append(_tagger(stored, number, tagger, documents))
            return tuple(made)
    except Exception as error:  # numpy and zipfile raise anything
        raise_shortage(error)
        return None


def _tagger(
    stored: Mapping[str, Ints], number: int, tagger: TaggerRecipe, documents: int
) -> Prepared:
    def column(name: str) -> Ints:
        return stored[f"{number}-{name}"].astype(np.int64)

    features = Features(
        _restored(stored, f"{number}-attributes"), *(column(name) for name in _COLUMNS)
    )
    names = _restored(stored, f"{number}-names")
    flat = [names[tag] for tag in column("tags").tolist()]
    bounds = features.sequence_offsets.tolist()
    if len(features.document_offsets) != documents + 1 or len(flat) != len(features.starts):
        raise ValueError("features of other documents")
    tags = [flat[begin:end] for begin, end in zip(bounds, bounds[1:], strict=False)]
    return Prepared(tagger, features, tags, int(column("misaligned")[0]))


def _strings(name: str, strings: Sequence[str]) -> dict[str, Ints]:
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    flat = np.frombuffer(b"".join(encoded), np.uint8)
    ends = np.cumsum(list(map(len, encoded)), dtype=np.int64)
    return {name: flat, f"{name}-ends": ends}  # type: ignore[dict-item]


def _restored(stored: Mapping[str, Ints], name: str) -> tuple[str, ...]:
    flat, ends = stored[name].tobytes(), stored[f"{name}-ends"].tolist()
    return tuple(
        flat[begin:end].decode("utf-8", "surrogatepass")
        for begin, end in zip([0, *ends], ends, strict=False)
    )


def _narrow(column: Ints) -> Ints:
    """Halves the size where 32 bits suffice, as for nearly all ids and offsets."""
    if column.dtype == np.int64 and column.max(initial=0) < 2**31:
        return column.astype(np.int32)
    return column
