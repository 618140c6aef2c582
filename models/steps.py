"""The arrows of the pipeline as pure `batch -> batch` functions.

`transforms/` spreads them, `Scrubber` calls them.
Each catches per document: whatever raises, fails that document's row and nothing else (promise 1);
but for a shortage of the machine, which fails the batch (`shortage`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import numpy as np

from .agreement import settle
from .batches import Batch, Failure, Scrubbed, map_documents
from .budgets import Budgets
from .errors import OverBudget
from .features import Featurized
from .grouping import seams_of
from .merging import merge
from .policy import Policy
from .recognisers import recognise_all
from .scrubbing import replace_stretches
from .shortage import raise_shortage
from .spans import Candidate, Candidates, Span, Spans
from .systems import System
from .tokenizing import tokenize_documents
from .tokens import Tokens
from .views.batches import bring_back, brought_back, followed, prepared
from .views.signs import NamesNoOne, signs_of


@prepared
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
    except Exception as error:
        raise_shortage(error)
        _, failures = map_documents(batch, "tokenize", lambda i: run([texts[i]]))
        if failures == batch.failures:
            raise
        batch = dataclasses.replace(batch, failures=failures)
        return tokenize_batch(batch, budgets, sentences=sentences)


@followed
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
    except Exception as error:
        raise_shortage(error)
        tokens = batch.tokens

        def one(index: int) -> None:
            own = tokens.of_documents(index, index + 1)
            for system in systems:
                system.featurize([texts[index]], own)

        _, failures = map_documents(batch, "featurize", one)
        if failures == batch.failures:
            raise
        return featurize_batch(dataclasses.replace(batch, failures=failures), systems)


@followed
def label_batch(batch: Batch, systems: Sequence[System]) -> Batch:
    """Adds the candidates of the CRFs."""
    assert batch.tokens is not None, "Tokenize comes first"
    found: list[tuple[int, Candidate]] = []
    failures = dict(batch.failures)
    for system, features in zip(systems, batch.features, strict=True):
        own, failures = _labelled(dataclasses.replace(batch, failures=failures), system, features)
        found += own
    # Attributes are the bulk of a batch and nobody needs them any more.
    return dataclasses.replace(
        batch, candidates=Candidates.of(found), failures=failures, features=()
    )


def _labelled(
    batch: Batch, system: System, features: Sequence[Featurized]
) -> tuple[list[tuple[int, Candidate]], dict[int, Failure]]:
    """The candidates of one system, each with its document; and all failures."""
    texts, tokens = batch.documents.texts, batch.tokens
    assert tokens is not None
    try:
        decoded = system.decode(features)
    except Exception as error:
        raise_shortage(error)
        # One by one then, to find the documents at fault.
        decoded = None

    def one(index: int) -> list[Candidate]:
        if decoded is None:
            return system.label_document(features, index, texts, tokens)
        own = [of_tagger[index] for of_tagger in decoded]
        return system.join_document(own, index, texts, tokens)

    results, failures = map_documents(batch, "label", one)
    return [(index, c) for index, own in enumerate(results) for c in own or ()], failures


@brought_back
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
    found = [(index, c) for index, candidates in enumerate(results) for c in candidates or ()]
    if labels is not None:
        found = [
            (index, dataclasses.replace(c, label=labels[c.label]))
            for index, c in found
            if c.label in labels
        ]
    candidates = Candidates.joined(batch.candidates, Candidates.of(found))
    return dataclasses.replace(batch, candidates=candidates, failures=failures)


def merge_batch(batch: Batch, policy: Policy, budgets: Budgets) -> Batch:
    """Adds the candidates of the policy's deny-lists, and the spans: accept, select, cover.

    What holds for a document is the policy of its note type.
    """
    policies = note_type_policies(batch, policy)
    if policy.denies:
        batch = _add_denied(batch, policies)
    candidates, documents = batch.candidates, batch.documents
    signs, batch = _signs(batch)
    plain = [
        policy
        if policy.believes_all and index not in documents.starts and signs[index] is None
        else None
        for index, policy in enumerate(policies)
    ]
    try:
        settled, left = settle(candidates, plain, documents.texts)
    except Exception as error:
        raise_shortage(error)
        # What raises fails its document and no other: `merge` shows which.
        settled, left = Spans.of(()), candidates
    counts = np.bincount(candidates.documents, minlength=len(documents)).tolist()
    by_document = left.by_document(len(documents))

    def one(index: int) -> tuple[Span, ...]:
        if counts[index] > budgets.candidates:
            raise OverBudget("candidates")
        seams = seams_of(documents.starts.get(index, ()))
        return merge(
            documents.texts[index],
            by_document[index],
            policies[index],
            seams=seams,
            names_no_one=signs[index],
        )

    results, failures = map_documents(batch, "merge", one)
    alive = np.array([spans is not None for spans in results], np.bool_)
    settled = settled.take(np.flatnonzero(alive[settled.documents]))
    rows = [(index, span) for index, spans in enumerate(results) for span in spans or ()]
    return dataclasses.replace(
        batch, spans=Spans.joined(settled, Spans.of(rows)), failures=failures
    )


def _signs(batch: Batch) -> tuple[list[NamesNoOne | None], Batch]:
    """Of each document what tells whether a candidate names no one; and the batch with failures."""
    found: list[NamesNoOne | None] = [None] * len(batch.documents)

    def one(index: int) -> None:
        found[index] = signs_of(batch, index)

    if batch.views is None:
        return found, batch
    _, failures = map_documents(batch, "merge", one)
    return found, dataclasses.replace(batch, failures=failures)


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
    candidates = Candidates.joined(batch.candidates, Candidates.of(found))
    batch = dataclasses.replace(batch, candidates=candidates, failures=failures)
    if batch.views is None:
        return batch
    inner = dataclasses.replace(batch.views.batch, failures=failures)
    return bring_back(batch, _add_denied(inner, [policies[at] for at in batch.views.owners]))


def scrub_batch(batch: Batch) -> Batch:
    """Adds the scrubbed texts and where each span came to lie in them."""
    assert batch.spans is not None, "Merge comes first"
    spans, documents = batch.spans, batch.documents
    stretches = list(
        zip(spans.starts.tolist(), spans.ends.tolist(), spans.replacements, strict=True)
    )
    edges = np.searchsorted(spans.documents, np.arange(len(documents) + 1)).tolist()
    results, failures = map_documents(
        batch,
        "scrub",
        lambda i: replace_stretches(documents.texts[i], stretches[edges[i] : edges[i + 1]]),
    )
    texts: list[str | None] = []
    starts: list[int] = []
    ends: list[int] = []
    for index, result in enumerate(results):
        nowhere = [0] * (edges[index + 1] - edges[index])
        text, out_starts, out_ends = result or (None, nowhere, nowhere)
        texts.append(text)
        starts += out_starts
        ends += out_ends
    return dataclasses.replace(
        batch, scrubbed=Scrubbed(tuple(texts), tuple(starts), tuple(ends)), failures=failures
    )
