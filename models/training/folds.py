"""Folds: which documents are held out together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from ..core.errors import UsageError
from ..corpora import AnnotatedDocument

Folds = tuple[tuple[int, ...], ...]
"""The documents that each fold holds out, ascending; every document is in exactly one."""

MOST_FOLDS = 100


def make_folds(
    documents: Sequence[AnnotatedDocument],
    count: int,
    *,
    seed: int = 0,
    group_by: str | None = None,
) -> Folds:
    """Assigns documents to folds of about equal size, randomly but reproducibly.

    Groups are ordered by the SHA-256 of the seed and the ordinal of their first document, then
    assigned one by one to the fold with the fewest documents. Notes of one patient must not be on
    both sides, or the model is tested on names that it has memorised.

    Args:
        documents: the corpus.
        count: number of folds, 2 to 100.
        seed: another one gives other folds.
        group_by: key of `AnnotatedDocument.meta`, for example the patient's: documents with the
            same value stay together. None to treat each document separately.

    Raises:
        UsageError: if there are more folds than groups, or a document lacks the key.
    """
    if not 2 <= count <= MOST_FOLDS:
        raise UsageError(f"--folds must be 2 to {MOST_FOLDS}")
    groups: dict[str, list[int]] = {}
    for ordinal, document in enumerate(documents):
        if group_by is None:
            groups[str(ordinal)] = [ordinal]
        elif document.meta.get(group_by) in (None, ""):
            raise UsageError(
                f"training document {ordinal}: its meta lacks the key given by --group-by"
            )
        else:
            name = json.dumps(document.meta[group_by], sort_keys=True)
            groups.setdefault(name, []).append(ordinal)
    if len(groups) < count:
        what = "documents" if group_by is None else "groups of documents"
        raise UsageError(f"{count} folds need at least {count} {what}; there are {len(groups)}")
    folds: list[list[int]] = [[] for _ in range(count)]
    for group in sorted(groups.values(), key=lambda group: _place(seed, group[0])):
        min(folds, key=len).extend(group)
    return tuple(tuple(sorted(fold)) for fold in folds)


def training_part(folds: Folds, fold: int) -> tuple[int, ...]:
    """The documents that a fold does not hold out, ascending."""
    return tuple(sorted(d for number, held in enumerate(folds) if number != fold for d in held))


def _place(seed: int, ordinal: int) -> bytes:
    return hashlib.sha256(f"{seed}:{ordinal}".encode()).digest()
