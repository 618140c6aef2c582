"""CarryOver: notes say what they know of their words, and learn what other notes say of them."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Sequence

from ..core.batches import Batch, map_documents
from ..core.record_links import Evidence
from ..core.spans import Candidate, Candidates
from ..records.carrying import ReadWords, RecordLinks


def carry_over_batch(batch: Batch, links: RecordLinks) -> Batch:
    """Adds the evidence of the notes, and candidates where other notes speak of words left here.

    Evidence is of what detectors found, and never of what was carried over: so a second pass says
    the same as the first, and needs no third.

    Args:
        batch: with the candidates of all taggers and rules.
        links: of the job.
    """
    tokens, documents = batch.tokens, batch.documents
    assert tokens is not None, "Tokenize comes first"
    detected = batch.candidates
    by_document = detected.by_document(len(documents))
    rows = documents.rows.tolist()
    patients = [batch.rows.patient_keys[row] for row in rows]

    def read(index: int) -> ReadWords | None:
        if patients[index] is None:
            return None
        own = tokens.of_document(index)
        text = documents.texts[index]
        return links.read(text, tokens.starts[own], tokens.ends[own], by_document[index])

    results: Sequence[ReadWords | None]
    results, failures = map_documents(batch, "carry over", read)
    notes: defaultdict[tuple[int, str], list[ReadWords]] = defaultdict(list)
    for row, patient, words in zip(rows, patients, results, strict=True):
        if patient is not None and words is not None:
            notes[row, patient].append(words)
    said = [pair for (_, patient), own in notes.items() for pair in links.rows(patient, own)]
    evidence = Evidence.of([key for key, _ in said], [code for _, code in said])
    batch = dataclasses.replace(batch, failures=failures, evidence=evidence, detected=detected)
    if batch.linked is None or not len(batch.linked.facts):
        return batch
    facts = batch.linked.facts

    def carried(index: int) -> list[Candidate]:
        words, patient = results[index], patients[index]
        return [] if words is None or patient is None else links.carried(patient, words, facts)

    added, failures = map_documents(batch, "carry over", carried)
    found = Candidates.of((index, c) for index, own in enumerate(added) for c in own or ())
    candidates = Candidates.joined(detected, found)
    return dataclasses.replace(batch, candidates=candidates, failures=failures)


def restore_batch(batch: Batch) -> Batch:
    """Puts what the first pass detected in the place of detection."""
    linked = batch.linked
    assert linked is not None and linked.detected is not None
    failures = {**linked.failures, **batch.failures}
    return dataclasses.replace(
        batch, candidates=linked.detected, risks=linked.risks, failures=failures
    )
