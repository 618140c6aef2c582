"""Folds: which documents are held out together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from ..corpora import AnnotatedDocument
from ..errors import UsageError

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
    """Deals documents to folds of about equal size, at random but always alike.

    Groups are ordered by SHA-256 of seed and the ordinal of their first document, then dealt one by
    one to the fold that has the fewest documents. Notes of one patient must not be on both sides,
    or the model is asked for names that it has learned by heart.

    Args:
        documents: the corpus.
        count: of folds, 2 to 100.
        seed: another one gives other folds.
        group_by: key of `AnnotatedDocument.meta`, say the patient's: documents with one value stay
            together. None: each document for itself.

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
                f"training document {ordinal}: its meta lacks the key that --group-by names"
            )
        else:
            name = json.dumps(document.meta[group_by], sort_keys=True)
            groups.setdefault(name, []).append(ordinal)
    if len(groups) < count:
        what = "documents" if group_by is None else "groups of documents"
        raise UsageError(f"{count} folds need as many {what}; the corpus has {len(groups)}")
    folds: list[list[int]] = [[] for _ in range(count)]
    for group in sorted(groups.values(), key=lambda group: _place(seed, group[0])):
        min(folds, key=len).extend(group)
    return tuple(tuple(sorted(fold)) for fold in folds)


def training_part(folds: Folds, fold: int) -> tuple[int, ...]:
    """The documents that a fold does not hold out, ascending."""
    return tuple(sorted(d for number, held in enumerate(folds) if number != fold for d in held))


def _place(seed: int, ordinal: int) -> bytes:
    return hashlib.sha256(f"{seed}:{ordinal}".encode()).digest()
