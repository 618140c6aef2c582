"""The arrows of the pipeline as pure `batch -> batch` functions.

`transforms/` spreads them, `Scrubber` calls them.
Each catches per document: whatever raises, fails that document's row and nothing else (promise 1).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from .batches import Batch, Scrubbed, map_documents
from .budgets import Budgets
from .errors import OverBudget
from .grouping import seams_of
from .merging import merge
from .policy import Policy
from .recognisers import recognise_all
from .scrubbing import scrub
from .spans import Candidate, Candidates, Span, Spans
from .systems import System
from .tokenizing import tokenize_documents
from .tokens import Tokens


def tokenize_batch(batch: Batch, budgets: Budgets, *, sentences: bool = True) -> Batch:
    """Adds tokens; a document over its token budget is quarantined.

    The batch is tokenized at once; if that raises, its documents are tried one by one to find those
    at fault.

    Args:
        batch: as it was read.
        budgets: of a document.
        sentences: whether anybody will ask for sentences or sections.
    """
    texts = batch.living_texts()

    def run(chosen: Sequence[str | None]) -> Tokens:
        return tokenize_documents(chosen, max_tokens=budgets.tokens, sentences=sentences)

    try:
        return dataclasses.replace(batch, tokens=run(texts))
    except Exception:
        _, failures = map_documents(batch, "tokenize", lambda i: run([texts[i]]))
        if failures == batch.failures:
            raise
        batch = dataclasses.replace(batch, failures=failures)
        return tokenize_batch(batch, budgets, sentences=sentences)


def featurize_batch(batch: Batch, systems: Sequence[System]) -> Batch:
    """Adds the attribute rows of each tagger of each system.

    Properties are computed once for each distinct word of the batch, not document by document; so
    if the batch raises, its documents are tried one by one to find those at fault.
    """
    assert batch.tokens is not None, "Tokenize comes first"
    texts = batch.living_texts()
    try:
        features = tuple(system.featurize(texts, batch.tokens) for system in systems)
        return dataclasses.replace(batch, features=features)
    except Exception:
        tokens = batch.tokens

        def one(index: int) -> None:
            alone = [text if i == index else None for i, text in enumerate(texts)]
            for system in systems:
                system.featurize(alone, tokens)

        _, failures = map_documents(batch, "featurize", one)
        if failures == batch.failures:
            raise
        return featurize_batch(dataclasses.replace(batch, failures=failures), systems)


def label_batch(batch: Batch, systems: Sequence[System]) -> Batch:
    """Adds the candidates of the CRFs."""
    assert batch.tokens is not None, "Tokenize comes first"
    texts, tokens = batch.documents.texts, batch.tokens
    found: list[tuple[int, Candidate]] = []
    failures = dict(batch.failures)
    for system, features in zip(systems, batch.features, strict=True):

        def one(index: int) -> list[Candidate]:
            # Called before the loop goes on.
            return system.label_document(features, index, texts, tokens)  # noqa: B023

        results, failures = map_documents(
            dataclasses.replace(batch, failures=failures), "label", one
        )
        for index, candidates in enumerate(results):
            found += [(index, candidate) for candidate in candidates or ()]
    # Attributes are the bulk of a batch and nobody needs them any more.
    return dataclasses.replace(
        batch, candidates=Candidates.of(found), failures=failures, features=()
    )


def recognise_batch(
    batch: Batch, names: Sequence[str], labels: Mapping[str, str] | None = None
) -> Batch:
    """Adds the candidates of the rules to those of the CRFs.

    Args:
        batch: with the candidates of the CRFs.
        names: of the rules.
        labels: native label -> label of the candidates; what is not there is left out. None leaves
            labels as they are.
    """
    results, failures = map_documents(
        batch, "recognise", lambda i: recognise_all(batch.document(i), batch.context(i), names)
    )
    found = batch.candidates.rows()
    for index, candidates in enumerate(results):
        for candidate in candidates or ():
            if labels is None:
                found.append((index, candidate))
            elif candidate.label in labels:
                named = dataclasses.replace(candidate, label=labels[candidate.label])
                found.append((index, named))
    return dataclasses.replace(batch, candidates=Candidates.of(found), failures=failures)


def merge_batch(batch: Batch, policy: Policy, budgets: Budgets) -> Batch:
    """Adds the candidates of the policy's deny-lists, and the spans: accept, select, cover.

    What holds for a document is the policy of its note type.
    """
    policies = note_type_policies(batch, policy)
    if policy.denies:
        batch = _add_denied(batch, policies)
    by_document = batch.candidates.by_document(len(batch.documents))

    def one(index: int) -> tuple[Span, ...]:
        if len(by_document[index]) > budgets.candidates:
            raise OverBudget("candidates")
        seams = seams_of(batch.documents.starts.get(index, ()))
        text = batch.documents.texts[index]
        return merge(text, by_document[index], policies[index], seams=seams)

    results, failures = map_documents(batch, "merge", one)
    rows = [(index, span) for index, spans in enumerate(results) for span in spans or ()]
    return dataclasses.replace(batch, spans=Spans.of(rows), failures=failures)


def note_type_policies(batch: Batch, policy: Policy) -> list[Policy]:
    """The policy that holds for each document of a batch, by the note type of its row."""
    if not policy.note_types:
        return [policy] * len(batch.documents)
    types = batch.rows.note_types
    known = {note_type: policy.for_note_type(note_type) for note_type in set(types)}
    return [known[types[row]] for row in batch.documents.rows.tolist()]


def _add_denied(batch: Batch, policies: Sequence[Policy]) -> Batch:
    results, failures = map_documents(
        batch, "merge", lambda i: policies[i].denied(batch.documents.texts[i])
    )
    found = [(index, c) for index, candidates in enumerate(results) for c in candidates or ()]
    if found:
        batch = dataclasses.replace(
            batch, candidates=Candidates.of(batch.candidates.rows() + found)
        )
    return dataclasses.replace(batch, failures=failures)


def scrub_batch(batch: Batch) -> Batch:
    """Adds the scrubbed texts and where each span came to lie in them."""
    assert batch.spans is not None, "Merge comes first"
    by_document = batch.spans.by_document(len(batch.documents))
    results, failures = map_documents(
        batch, "scrub", lambda i: scrub(batch.documents.texts[i], by_document[i])
    )
    texts: list[str | None] = []
    starts: list[int] = []
    ends: list[int] = []
    for index, result in enumerate(results):
        if result is None:
            texts.append(None)
            starts += [0] * len(by_document[index])
            ends += [0] * len(by_document[index])
        else:
            texts.append(result[0])
            starts += result[1]
            ends += result[2]
    return dataclasses.replace(
        batch, scrubbed=Scrubbed(tuple(texts), tuple(starts), tuple(ends)), failures=failures
    )
