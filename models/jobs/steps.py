"""The arrows of the pipeline as pure `batch -> batch` functions, and the chain that they make.

`run_steps` takes a batch through all of them; `transforms/` spreads them one by one, from the same
table. Each step catches per document: whatever raises fails the row of that document and nothing
else (promise 1). A shortage of the machine fails the batch (`shortage`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TypeVar

import numpy as np

from ..bundles.detector import BundleDetector
from ..core.batches import Batch, Failure, Scrubbed, map_documents
from ..core.budgets import Budgets
from ..core.detectors import ROSTER, DetectorId
from ..core.errors import OverBudget
from ..core.feature_rows import Featurized
from ..core.shortage import raise_shortage
from ..core.spans import Candidate, Candidates, Span, Spans
from ..core.token_risks import TokenRisks
from ..core.tokens import Tokens
from ..recognisers import forget_texts, recognise_all, rules_on
from ..records.carrying import RecordLinks
from ..redaction.merging import ORDER, merge, order_of
from ..redaction.merging_vectorized import merge_vectorized
from ..redaction.own_rules import OwnRule, recognise_own
from ..redaction.policy import Policy
from ..redaction.scrub import replace_ranges
from ..redaction.stand_ins import StandIns
from ..roster.people import KnownPeople
from ..text.tokenizer import tokenize_documents
from ..views.batches import bring_back, brought_back, followed, prepared
from ..views.signs import NamesNoOne, signs_of
from .late_spans import with_stand_ins
from .record_steps import carry_over_batch, restore_batch
from .roster_steps import PassingColumns, guard_batch, match_batch, people_by_row

T = TypeVar("T")


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class StepResources:
    """What the steps work with, opened.

    Attributes:
        policy: for all documents; that of a note type is found in it.
        detectors: the opened bundles, in order.
        recognisers: names of the rules.
        budgets: of a document.
        rule_labels: see `recognise_batch`.
        people: whom the job knows beforehand; None for nobody.
        passing: unit -> its columns that go out as they are.
        stand_ins: what makes surrogates and shifted dates; needed if the policy has such.
        links: what links the notes of a patient; None where they are not linked.
        at_risk: whether to ask taggers for the risk of each token; see `label_batch`.
    """

    policy: Policy
    detectors: tuple[BundleDetector, ...] = ()
    recognisers: tuple[str, ...] = ()
    budgets: Budgets = Budgets()  # noqa: B008 - frozen
    rule_labels: Mapping[str, str] | None = None
    people: KnownPeople | None = None
    passing: Callable[[int], PassingColumns] | None = None
    stand_ins: StandIns | None = None
    links: RecordLinks | None = None
    at_risk: bool = False

    @property
    def order(self) -> tuple[str, ...]:
        """In which detectors are believed; see `merging.select`."""
        return order_of(detector.order for detector in self.detectors)

    @property
    def reads_sentences(self) -> bool:
        """Whether a detector needs sentences or sections."""
        return any(detector.reads_sentences for detector in self.detectors)


def by_document_if_it_raises(whole: Callable[[], T], by_document: Callable[[], T]) -> T:
    """What `whole` makes of a batch at once; if it raises, what `by_document` makes of it.

    The error of a whole batch does not say which document is at fault.

    Raises:
        Shortage: if the machine lacked something: then no document is at fault.
    """
    try:
        return whole()
    except Exception as error:
        raise_shortage(error)
        return by_document()


def _failing_those_that_raise(
    batch: Batch, stage: str, whole: Callable[[Batch], Batch], single: Callable[[int], object]
) -> Batch:
    """`whole` of a batch; if it raises, of the batch without the documents that raise alone too.

    Args:
        batch: its documents that have failed must not make `whole` raise.
        stage: the step's name, for the quarantine.
        whole: does a step for a batch.
        single: does it for the document of an index; only whether it raises counts.

    Raises:
        Exception: what `whole` raised, if no document raises alone.
    """

    def by_document() -> Batch:
        _, failures = map_documents(batch, stage, single)
        if failures == batch.failures:
            raise  # what `whole` raised: this is called while that is handled
        rest = dataclasses.replace(batch, failures=failures)
        return _failing_those_that_raise(rest, stage, whole, single)

    return by_document_if_it_raises(lambda: whole(batch), by_document)


@prepared
def tokenize_batch(batch: Batch, budgets: Budgets, *, sentences: bool = True) -> Batch:
    """Adds tokens; a document over its token budget is quarantined.

    Args:
        batch: as it was read.
        budgets: of a document.
        sentences: whether any detector needs sentences or sections.
    """
    texts = batch.active_texts()

    def run(chosen: Sequence[str | None]) -> Tokens:
        return tokenize_documents(chosen, max_tokens=budgets.tokens, sentences=sentences)

    return _failing_those_that_raise(
        batch,
        "tokenize",
        lambda batch: dataclasses.replace(batch, tokens=run(batch.active_texts())),
        lambda index: run([texts[index]]),
    )


@followed
def featurize_batch(batch: Batch, detectors: Sequence[BundleDetector]) -> Batch:
    """Adds the attribute rows of each tagger of each bundle.

    Properties are computed once for each distinct word of the batch, not document by document.
    """
    tokens = batch.tokens
    assert tokens is not None, "Tokenize comes first"
    texts = batch.active_texts()

    def whole(batch: Batch) -> Batch:
        active = batch.active_texts()
        features = tuple(detector.featurize(active, tokens) for detector in detectors)
        return dataclasses.replace(batch, features=features)

    def single(index: int) -> None:
        own = tokens.of_documents(index, index + 1)
        for detector in detectors:
            detector.featurize([texts[index]], own)

    return _failing_those_that_raise(batch, "featurize", whole, single)


@followed
def label_batch(
    batch: Batch, detectors: Sequence[BundleDetector], *, at_risk: bool = False
) -> Batch:
    """Adds the candidates of the taggers.

    Args:
        batch: with features.
        detectors: the opened bundles.
        at_risk: whether to add what the taggers say of each token, too; it changes no candidate.
    """
    assert batch.tokens is not None, "Tokenize comes first"
    found: list[tuple[int, Candidate]] = []
    risks: tuple[TokenRisks, ...] = ()
    failures = dict(batch.failures)
    for detector, features in zip(detectors, batch.features, strict=True):
        rest = dataclasses.replace(batch, failures=failures)
        own, told, failures = _labelled(rest, detector, features, at_risk)
        found += own
        risks += told
    # Attributes are the bulk of a batch, and no later step needs them.
    return dataclasses.replace(
        batch, candidates=Candidates.of(found), risks=risks, failures=failures, features=()
    )


def _labelled(
    batch: Batch, detector: BundleDetector, features: Sequence[Featurized], at_risk: bool
) -> tuple[list[tuple[int, Candidate]], tuple[TokenRisks, ...], dict[int, Failure]]:
    """The candidates of one bundle, each with its document; its risks; and all failures."""
    texts, tokens = batch.documents.texts, batch.tokens
    assert tokens is not None
    decoded = by_document_if_it_raises(
        lambda: detector.decode_risks(features, texts, tokens, at_risk=at_risk), lambda: None
    )
    alone: list[tuple[int, tuple[TokenRisks, ...]]] = []

    def candidates(index: int) -> list[Candidate]:
        if decoded is None:
            found, risks = detector.label_document_risks(
                features, index, texts, tokens, at_risk=at_risk
            )
            alone.append((index, risks))
            return found
        own = [of_tagger[index] for of_tagger in decoded[0]]
        return detector.join_document(own, index, texts, tokens)

    results, failures = map_documents(batch, "label", candidates)
    if decoded is not None:
        told = decoded[1]
    else:
        taggers = range(len(alone[0][1]) if alone else 0)
        told = tuple(TokenRisks.joined((at, own[n]) for at, own in alone) for n in taggers)
    return [(index, c) for index, own in enumerate(results) for c in own or ()], told, failures


@brought_back
def recognise_batch(
    batch: Batch,
    names: Sequence[str],
    labels: Mapping[str, str] | None = None,
    own: Sequence[OwnRule] = (),
) -> Batch:
    """Adds the candidates of the rules to those of the taggers.

    Args:
        batch: with the candidates of the taggers.
        names: of the rules.
        labels: native label -> label of the candidates; what is not there is left out. None leaves
            labels as they are.
        own: rules of the policy; of what they find nothing is left out.
    """
    rules = by_document_if_it_raises(lambda: rules_on(batch.active_texts(), names), lambda: None)

    def found_in(index: int) -> list[Candidate]:
        document = batch.document(index)
        called = names if rules is None else rules.called_on(index)
        found = recognise_all(document, batch.context(index), called)
        of_own = recognise_own(document.text, own)
        if labels is not None:
            found = [_relabelled(c, labels) for c in found if c.label in labels]
            of_own = [_relabelled(c, labels) if c.label in labels else c for c in of_own]
        return [*found, *of_own]

    results, failures = map_documents(batch, "recognise", found_in)
    forget_texts()
    found = [(index, c) for index, candidates in enumerate(results) for c in candidates or ()]
    candidates = Candidates.joined(batch.candidates, Candidates.of(found))
    return dataclasses.replace(batch, candidates=candidates, failures=failures)


def _relabelled(candidate: Candidate, labels: Mapping[str, str]) -> Candidate:
    return candidate._replace(label=labels[candidate.label])


def merge_batch(
    batch: Batch, policy: Policy, budgets: Budgets, order: Sequence[str] = ORDER
) -> Batch:
    """Adds the candidates of the policy's deny-lists, and the spans: accept, select, cover.

    What holds for a document is the policy of its note type. `order` is that of `merging.select`.
    """
    policies = note_type_policies(batch, policy)
    if policy.denies:
        batch = _add_denied(batch, policies)
    if batch.documents.known:
        batch = _add_known(batch)
    candidates, documents = batch.candidates, batch.documents
    signs, batch = _signs(batch)
    joins = [documents.joins(index) for index in range(len(documents))]
    plain = [
        policy if policy.believes_all and not joins[index] and signs[index] is None else None
        for index, policy in enumerate(policies)
    ]
    merged, left = by_document_if_it_raises(
        lambda: merge_vectorized(candidates, plain, documents.texts, order),
        lambda: (Spans.of(()), candidates),  # all is left to `merge`, which goes by document
    )
    counts = np.bincount(candidates.documents, minlength=len(documents)).tolist()
    by_document = left.by_document(len(documents))

    def spans_of(index: int) -> tuple[Span, ...]:
        if counts[index] > budgets.candidates:
            raise OverBudget("candidates")
        return merge(
            documents.texts[index],
            by_document[index],
            policies[index],
            order,
            joins=joins[index],
            names_no_one=signs[index],
        )

    results, failures = map_documents(batch, "merge", spans_of)
    is_active = np.array([spans is not None for spans in results], np.bool_)
    merged = merged.take(np.flatnonzero(is_active[merged.documents]))
    rows = [(index, span) for index, spans in enumerate(results) for span in spans or ()]
    return dataclasses.replace(batch, spans=Spans.joined(merged, Spans.of(rows)), failures=failures)


def _add_known(batch: Batch) -> Batch:
    """Adds the values of records that are documents: each is known as a whole."""
    texts = batch.documents.texts
    found = [
        (
            index,
            Candidate(0, len(texts[index]), known.label, str(DetectorId(ROSTER, known.kind)), 1.0),
        )
        for index, known in batch.documents.known.items()
        if texts[index]
    ]
    candidates = Candidates.joined(batch.candidates, Candidates.of(found))
    return dataclasses.replace(batch, candidates=candidates)


def _signs(batch: Batch) -> tuple[list[NamesNoOne | None], Batch]:
    """For each document, what says that a candidate names no one; and the batch with failures."""
    if batch.views is None:
        return [None] * len(batch.documents), batch
    found: list[NamesNoOne | None] = [None] * len(batch.documents)

    def find(index: int) -> None:
        found[index] = signs_of(batch, index)

    _, failures = map_documents(batch, "merge", find)
    return found, dataclasses.replace(batch, failures=failures)


def note_type_policies(batch: Batch, policy: Policy) -> list[Policy]:
    """The policy that holds for each document of a batch, by the note type of its row."""
    of_rows = _policies_of_rows(batch, policy)
    return [of_rows[row] for row in batch.documents.rows.tolist()]


def _policies_of_rows(batch: Batch, policy: Policy) -> list[Policy]:
    if not policy.note_types:
        return [policy] * len(batch.rows)
    types = batch.rows.note_types
    known = {note_type: policy.for_note_type(note_type) for note_type in set(types)}
    return [known[note_type] for note_type in types]


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


def scrub_batch(
    batch: Batch,
    policy: Policy | None = None,
    stand_ins: StandIns | None = None,
    people: KnownPeople | None = None,
) -> Batch:
    """Adds the scrubbed texts and where each span came to lie in them.

    Args:
        batch: after Merge.
        policy: the one that it was merged with.
        stand_ins: of that policy, if it has surrogates or shifted dates: these are filled in, in
            the spans too. Without them the markers of Merge stay.
        people: whom the job knows beforehand: no surrogate is theirs.
    """
    columns = None
    if policy is not None and stand_ins is not None:
        policies, known = note_type_policies(batch, policy), people_by_row(batch, people)
        batch, columns = with_stand_ins(batch, policies, stand_ins, known)
    assert batch.spans is not None, "Merge comes first"
    spans, documents = batch.spans, batch.documents
    replacements = list(
        zip(spans.starts.tolist(), spans.ends.tolist(), spans.replacements, strict=True)
    )
    edges = np.searchsorted(spans.documents, np.arange(len(documents) + 1)).tolist()
    sources: dict[int, list[tuple[str, str]]] = {}

    def scrubbed_of(index: int) -> tuple[str, list[int], list[int]]:
        own = replacements[edges[index] : edges[index + 1]]
        if index in documents.written:
            edits = [(low, high, text) for low, high, text in own if text is not None]
            sources[index] = documents.written[index].replaced(edits)
        return replace_ranges(documents.texts[index], own)

    results, failures = map_documents(batch, "scrub", scrubbed_of)
    texts: list[str | None] = []
    starts: list[int] = []
    ends: list[int] = []
    for index, result in enumerate(results):
        nowhere = [0] * (edges[index + 1] - edges[index])
        text, out_starts, out_ends = result or (None, nowhere, nowhere)
        texts.append(text)
        starts += out_starts
        ends += out_ends
    scrubbed = Scrubbed(tuple(texts), tuple(starts), tuple(ends), columns, sources)
    return dataclasses.replace(batch, scrubbed=scrubbed, failures=failures)


_Step = Callable[[Batch, StepResources], Batch]


def _unless_detected(step: _Step, instead: Callable[[Batch], Batch] = lambda batch: batch) -> _Step:
    """A step of detection; where a first pass has detected already, what is done instead."""

    def run(batch: Batch, opened: StepResources) -> Batch:
        if batch.linked is not None and batch.linked.detected is not None:
            return instead(batch)
        return step(batch, opened)

    return run


def _carry_over(batch: Batch, opened: StepResources) -> Batch:
    return batch if opened.links is None else carry_over_batch(batch, opened.links)


def _match(batch: Batch, opened: StepResources) -> Batch:
    if opened.people is None:
        return batch
    policies = note_type_policies(batch, opened.policy)
    return match_batch(batch, policies, opened.people, opened.rule_labels)


def _guard(batch: Batch, opened: StepResources) -> Batch:
    if opened.people is None:
        return batch
    passing = None if opened.passing is None else opened.passing(batch.unit)
    policies = _policies_of_rows(batch, opened.policy)
    return guard_batch(batch, policies, opened.people, passing)


STEPS: Mapping[str, _Step] = MappingProxyType(
    {
        "Tokenize": lambda batch, opened: tokenize_batch(
            batch, opened.budgets, sentences=opened.reads_sentences
        ),
        "Featurize": _unless_detected(
            lambda batch, opened: featurize_batch(batch, opened.detectors)
        ),
        "Label": _unless_detected(
            lambda batch, opened: label_batch(batch, opened.detectors, at_risk=opened.at_risk)
        ),
        "Recognise": _unless_detected(
            lambda batch, opened: recognise_batch(
                batch, opened.recognisers, opened.rule_labels, opened.policy.rules
            ),
            restore_batch,
        ),
        "CarryOver": _carry_over,
        "MatchRoster": _match,
        "Merge": lambda batch, opened: merge_batch(
            batch, opened.policy, opened.budgets, opened.order
        ),
        "Scrub": lambda batch, opened: scrub_batch(
            batch, opened.policy, opened.stand_ins, opened.people
        ),
        "GuardRoster": _guard,
    }
)
"""The steps between reading and writing, by the name of their transform, in order."""


def run_steps(batch: Batch, opened: StepResources, *, last: str = "GuardRoster") -> Batch:
    """Takes a batch, as it was read, through the steps up to `last` and including it."""
    for name, step in STEPS.items():
        batch = step(batch, opened)
        if name == last:
            return batch
    raise ValueError(f"no step {last!r}; steps are {list(STEPS)}")
