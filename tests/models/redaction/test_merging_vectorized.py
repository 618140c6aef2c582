from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.batches import Batch
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.documents import Documents, Rows
from scrubline.models.core.spans import POLICY, Candidate, Candidates
from scrubline.models.jobs.steps import merge_batch
from scrubline.models.redaction.generalization import GENERALISATIONS
from scrubline.models.redaction.merging import LIU_2015, ORDER, merge
from scrubline.models.redaction.merging_vectorized import merge_vectorized
from scrubline.models.redaction.policy import Policy
from scrubline.models.redaction.policy_file import load_policy

from ...examples import examples
from .test_merging import POLICIES, documents

TEXT = "Mr Smith, 93, seen 3/4/2012 by Dr Jones."


def batch_of(*texts_and_candidates):
    count = len(texts_and_candidates)
    nothing = (None,) * count
    rows = Rows(np.arange(count), nothing, nothing, nothing, pa.table({}), np.arange(count))
    found = [(i, c) for i, (_, some) in enumerate(texts_and_candidates) for c in some]
    texts = [text for text, _ in texts_and_candidates]
    return Batch(0, True, rows, Documents.of(*texts), candidates=Candidates.of(found))


@examples(300)
@given(
    st.lists(documents(), min_size=1, max_size=4),
    st.sampled_from(sorted(POLICIES)),
    st.sampled_from([ORDER, LIU_2015, ORDER[::-1]]),
)
def test_a_batch_is_merged_as_its_documents_are_one_by_one(given_documents, policy, order):
    policy = POLICIES[policy]
    batch = merge_batch(batch_of(*given_documents), policy, Budgets(), order)
    assert not batch.failures
    expected = [
        list(merge(text, [*found, *policy.denied(text)], policy, order))
        for text, found in given_documents
    ]
    assert batch.spans.by_document(len(given_documents)) == expected


def test_a_candidate_outside_the_text_fails_its_document_alone():
    good, bad = [Candidate(3, 8, "PATIENT", "x", 1.0)], [Candidate(3, 99, "PATIENT", "x", 1.0)]
    batch = merge_batch(batch_of((TEXT, good), (TEXT, bad + good)), load_policy("hipaa"), Budgets())
    assert {row: f.error for row, f in batch.failures.items()} == {1: "CandidateOutsideText"}
    assert [len(spans) for spans in batch.spans.by_document(2)] == [1, 0]


def test_a_generalisation_that_raises_fails_its_document_alone(monkeypatch):
    def broken(covered, restricted):
        raise LookupError(covered)

    monkeypatch.setitem(GENERALISATIONS, "AGE", broken)
    good, bad = [Candidate(3, 8, "PATIENT", "x", 1.0)], [Candidate(10, 12, "AGE", "x", 1.0)]
    batch = merge_batch(batch_of((TEXT, good), (TEXT, good + bad)), load_policy("hipaa"), Budgets())
    assert {row: f.error for row, f in batch.failures.items()} == {1: "LookupError"}
    assert [len(spans) for spans in batch.spans.by_document(2)] == [1, 0]


def settled(*found, policy=None):
    """Covered text, source and detectors of the spans that need no `merge`; whether any is left."""
    candidates = Candidates.of([(0, Candidate(*one)) for one in found])
    spans, left = merge_vectorized(candidates, [policy or load_policy("hipaa")], [TEXT])
    shown = [(TEXT[s.start : s.end], s.source, s.detectors) for _, s in spans.rows()]
    return shown, bool(len(left))


NAME = (3, 8, "PATIENT", "known_name", 0.9)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ([NAME], ("Smith", "known_name", ("known_name",))),
        ([NAME, (3, 8, "DOCTOR", "crf:a", 1.0)], ("Smith", "known_name", ("crf:a", "known_name"))),
        ([NAME, (0, 8, "DOCTOR", "crf:a", 1.0)], ("Mr Smith", "crf:a", ("crf:a", "known_name"))),
        ([(10, 12, "AGE", "age", 1.0)], ("93", "age", ("age",))),
        ([(3, 8, "PATIENT", "roster:self", 1.0)], ("Smith", "roster:self", ("roster:self",))),
        # Left to `merge`: what is cut off, what is of a better kind inside, an age that two say.
        ([NAME, (0, 5, "DOCTOR", "crf:a", 1.0)], None),
        ([NAME, (0, 8, "DOCTOR", "propagation:a", 1.0)], None),
        ([(0, 8, "DATE", "timestamp", 1.0), (0, 13, "DATE", "crf:a", 1.0)], None),
        ([(10, 12, "AGE", "age", 1.0), (10, 12, "AGE", "crf:a", 1.0)], None),
        ([(3, 8, "PATIENT", "deny", 1.0)], None),
        ([(10, 12, "AGE", "roster:self", 1.0)], None),
        ([NAME, (3, 8, "PATIENT", "known_name", 0.5)], None),
    ],
)
def test_what_is_settled_without_a_look_at_the_text(found, expected):
    assert settled(*found) == ([expected] if expected else [], not expected)


def test_what_stays_says_so_and_does_not_settle_with_what_goes():
    policy = Policy("keeping", {"DATE": "keep", "PATIENT": "mask"})
    date, name = (19, 27, "DATE", "date", 0.9), (3, 8, "PATIENT", "x", 0.9)
    candidates = Candidates.of([(0, Candidate(*one)) for one in (date, name)])
    spans, left = merge_vectorized(candidates, [policy], [TEXT])
    assert not len(left)
    assert [(s.action, s.replacement, s.reason) for _, s in spans.rows()] == [
        ("mask", "*****", None),
        ("keep", None, POLICY),
    ]
    assert settled(date, (19, 27, "PATIENT", "x", 0.9), policy=policy) == ([], True)


def test_nothing_is_settled_without_a_policy_for_it():
    candidates = Candidates.of([(0, Candidate(*NAME)), (1, Candidate(*NAME))])
    spans, left = merge_vectorized(candidates, [None, load_policy("hipaa")], [TEXT, TEXT])
    assert spans.documents.tolist() == [1]
    assert left.documents.tolist() == [0]
