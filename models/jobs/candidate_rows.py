"""The restricted table of candidates: for a second pass or a review, without decoding again."""

from __future__ import annotations

import pyarrow as pa

from ..core.batches import Batch
from ..redaction.merging import accept
from ..redaction.policy import Policy
from ..views.signs import signs_of
from .audit import CANDIDATES
from .steps import note_type_policies


def candidate_rows(batch: Batch, policy: Policy, run: str) -> pa.Table:
    """A row a candidate of every document that is alive, with the verdict of `accept`.

    Those of the deny-lists are among them: `merge_batch` adds them to the batch.
    """
    rows = []
    policies = note_type_policies(batch, policy)
    for index, found in enumerate(batch.candidates.by_document(len(batch.documents))):
        if not found or not batch.is_active(index):
            continue
        row = int(batch.documents.rows[index])
        signs = signs_of(batch, index)
        verdicts = accept(batch.documents.texts[index], found, policies[index], signs)
        for candidate, verdict in zip(found, verdicts, strict=True):
            rows.append(
                {
                    "run": run,
                    "doc_key": batch.rows.doc_keys[row],
                    "field": batch.documents.fields[index],
                    "start": candidate.start,
                    "end": candidate.end,
                    "label": candidate.label,
                    "detector": candidate.detector,
                    "score": candidate.score,
                    "verdict": verdict.outcome,
                }
            )
    return pa.Table.from_pylist(rows, CANDIDATES)
