"""Support vector machines with kernels, for a study alone: no recipe has them, and no bundle.

Source: Tafvizi et al. 2010, §4 and §5.5. They label some hundreds of tokens a second, after
training that grows with the square of the items. scikit-learn trains and labels here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.arrays import Ints
from ..core.code_hash import code_hash
from ..core.errors import UsageError
from ..core.feature_rows import Features
from ..corpora import AnnotatedDocument, Annotation
from ..crf.codec import OUTSIDE, decode_ids
from ..recipes import Recipe
from ..storage.private_files import read_checked, write_checked
from ..text.tokenizer import tokenize_documents
from ..training.identity import corpus_hash, hash_of, lists_hash
from ..training.preparing import Prepared, make_dictionaries, prepare
from .base import Bench

C, GAMMA, R = 1.0, 0.05, 1.0
"""Not given in the paper. Some twenty features of a word are set, so a dot product is some twenty:
gamma brings it to about 1."""

KERNELS: dict[str, dict[str, Any]] = {
    "linear": {"kernel": "linear"},
    "quadratic": {"kernel": "poly", "degree": 2, "gamma": GAMMA, "coef0": R},
    "gaussian": {"kernel": "rbf", "gamma": GAMMA},
}
"""Name in the paper -> parameters of libsvm."""

_CACHE_MB = 500

Found = list[list[Annotation]]


def with_kernels(bench: Bench) -> tuple[list[AnnotatedDocument], int, dict[str, Found]]:
    """Trains on some documents with each kernel, and tags some of the test part.

    Returns:
        The documents that were tagged, how many were trained on, and name of the kernel -> what is
        found in each.

    Raises:
        UsageError: if scikit-learn is not installed.
    """
    train = bench.some(bench.material.train, bench.size.kernel_documents)
    test = _first_tokens(list(bench.material.test), bench.size.kernel_tokens)
    recipe = bench.stat_deid()
    keys = {name: _key(bench, recipe, train, test, name) for name in KERNELS}
    found = {name: _kept(bench, key, test) for name, key in keys.items()}
    if left := [name for name, spans in found.items() if spans is None]:
        prepared = _prepared(bench, recipe, train, test)
        for name in left:
            spans = _tagged(*prepared, name)
            found[name] = spans
            if bench.work:
                rows = [[[s.start, s.end, s.label] for s in own] for own in spans]
                write_checked(bench.work / keys[name], json.dumps(rows).encode())
            bench.report(f"stat-deid with the kernel {name}")
    return test, len(train), {name: spans for name, spans in found.items() if spans is not None}


def _first_tokens(documents: list[AnnotatedDocument], most: int) -> list[AnnotatedDocument]:
    """The first documents that have so many fine tokens together, or all."""
    tokens = np.cumsum(np.diff(tokenize_documents([d.text for d in documents]).document_offsets))
    return documents[: int(np.searchsorted(tokens, most)) + 1]


def _prepared(
    bench: Bench,
    recipe: Recipe,
    train: Sequence[AnnotatedDocument],
    test: Sequence[AnnotatedDocument],
) -> tuple[Prepared, Prepared]:
    material = bench.material
    made = make_dictionaries(recipe, train, material.dictionaries, material.label_map)
    (both,) = prepare(recipe, [*train, *test], made, material.auxiliary)
    first = both.of_documents(range(len(train)))
    return first, both.of_documents(range(len(train), len(train) + len(test)))


def _tagged(train: Prepared, test: Prepared, kernel: str) -> Found:
    svm, sparse = _libraries()
    known = {attribute: number for number, attribute in enumerate(train.features.attributes)}
    gold = [tag for sequence in train.tags for tag in sequence]
    names = (OUTSIDE, *sorted(set(gold) - {OUTSIDE}))
    machine = svm.SVC(C=C, cache_size=_CACHE_MB, **KERNELS[kernel])
    machine.fit(
        _rows(sparse, train.features, known), np.array([names.index(tag) for tag in gold], np.int64)
    )
    tags: Ints = machine.predict(_rows(sparse, test.features, known)).astype(np.int64)
    found: Found = [[] for _ in range(len(test.features.document_offsets) - 1)]
    for document, start, end, label, _, _ in decode_ids(tags, names, test.features):
        found[document].append(Annotation(start, end, label))
    return found


def _rows(sparse: Any, features: Features, known: dict[str, int]) -> Any:
    """Items by attributes of training; others do not exist, as in the paper (§4.2.1)."""
    ids: Ints = np.array([known.get(a, -1) for a in features.attributes], np.int64)
    items = np.repeat(np.arange(len(features.starts)), np.diff(features.item_offsets))
    columns = ids[features.attribute_ids]
    is_known = columns >= 0
    return sparse.csr_matrix(
        (np.ones(int(is_known.sum())), (items[is_known], columns[is_known])),
        shape=(len(features.starts), len(known)),
    )


def _key(
    bench: Bench,
    recipe: Recipe,
    train: Sequence[AnnotatedDocument],
    test: Sequence[AnnotatedDocument],
    kernel: str,
) -> str:
    material = bench.material
    auxiliary = {name: material.auxiliary[name].hash for name in recipe.auxiliary}
    lists = lists_hash(recipe, material.dictionaries)
    corpora = [corpus_hash(train), corpus_hash(test)]
    parameters = {**KERNELS[kernel], "C": C}
    return (
        f"kernel-{hash_of([code_hash(), *corpora, recipe.as_json(), lists, auxiliary, parameters])}"
    )


def _kept(bench: Bench, key: str, documents: Sequence[AnnotatedDocument]) -> Found | None:
    """What an earlier run found; None if there is none, or it does not fit."""
    content = read_checked(bench.work / key) if bench.work else None
    if content is None:
        return None
    try:
        found = [[Annotation(*span) for span in spans] for spans in json.loads(content)]
    except (ValueError, TypeError):
        return None
    return found if len(found) == len(documents) else None


def _libraries() -> tuple[Any, Any]:
    """scikit-learn's machines and scipy's matrices."""
    try:
        from scipy import sparse
        from sklearn import svm
    except ImportError:
        raise UsageError(
            "studies of kernels need scikit-learn: `pip install 'scrubline[svm]'`"
        ) from None
    return svm, sparse
