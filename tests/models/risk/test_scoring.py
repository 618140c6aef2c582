"""Risks: which tokens count, how documents are ranked, and what single texts are told."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models import native
from scrubline.models.bundles.bundle import open_bundle, revise_bundle
from scrubline.models.core.errors import BundleError, DocumentError
from scrubline.models.core.spans import Span, Spans
from scrubline.models.core.token_risks import TokenRisks
from scrubline.models.jobs.steps import run_steps
from scrubline.models.learners import Learner
from scrubline.models.native import SWITCH
from scrubline.models.risk.frame import FrameDocument, frame_of
from scrubline.models.risk.scoring import (
    LEAST_RISK,
    UncertainToken,
    are_covered,
    rank_of,
    rank_of_all,
    ranks_of_documents,
    risks_of_documents,
    uncertain_tokens,
)
from scrubline.models.scrubber import Scrubber
from scrubline.models.single_texts import batch_of

MODEL = "meddocan-hide"
TEXTS = (
    "Paciente: Ana Ruiz Gil. NHC: 2569870. Vista el 3/4/2012 por la Dra. Sol.",
    "",
    " \n",
    "Sin hallazgos.",
    "🙂 Acude la señora Qzar con su marido Bbo; 🙂🙂 llaman al 600 123 123.",
    "\ud800 Ana \x00 \u202e Ruiz \U0010ffff",
    "Pedro",
    "x" * 30_000,
    "y Paula\n" * 300,
)


def tokens_of(rows) -> TokenRisks:
    rows = sorted(rows)
    columns = [np.array([row[at] for row in rows], np.int64) for at in range(3)]
    return TokenRisks.of(*columns, np.array([row[3] for row in rows], np.float64))


def spans_of(places) -> Spans:
    return Spans.of(
        (document, Span(start, end, "DATE", "redact", "[DATE]", ("date",), "date", 1.0))
        for document, start, end in places
    )


@st.composite
def placed(draw, documents=3):
    """Disjoint places in each of some documents."""
    found = []
    for document in range(documents):
        cuts = sorted(draw(st.sets(st.integers(0, 30), max_size=10)))
        found += [(document, a, b) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
    return found


@given(tokens=placed(), spans=placed(), values=st.randoms(use_true_random=False))
def test_a_token_counts_if_no_span_has_a_character_of_it(tokens, spans, values):
    rows = [(*place, values.random()) for place in tokens]
    risks, sums = tokens_of(rows), [0.0] * 3
    expected = [
        any(d == document and s < end and start < e for d, s, e in spans)
        for document, start, end, _ in rows
    ]
    assert are_covered(risks, spans_of(spans)).tolist() == expected
    for (document, _, _, value), covered in zip(rows, expected, strict=True):
        sums[document] += 0.0 if covered else float(np.float32(value))
    assert risks_of_documents([risks], spans_of(spans), 3).tolist() == pytest.approx(sums)
    assert ranks_of_documents([risks], spans_of(spans), 3) == list(map(rank_of, sums))


def test_the_greatest_of_the_taggers_risks_counts_and_without_any_there_is_none():
    one = tokens_of([(0, 0, 3, 0.25), (1, 0, 3, 0.5)])
    other = tokens_of([(0, 0, 1, 0.5), (0, 2, 3, 0.5)])
    assert risks_of_documents([one, other], spans_of([]), 2).tolist() == [1.0, 0.5]
    assert risks_of_documents([], spans_of([]), 2) is None
    assert ranks_of_documents([], spans_of([]), 2) == [None, None]
    assert ranks_of_documents([tokens_of([])], spans_of([]), 1) == [-40]


@pytest.mark.parametrize(
    ("risk", "rank"),
    [
        *((1.0, 0), (2.0, 4), (2**1.25, 5), (0.5, -4), (2**-9.9, -40), (1e6, 80)),
        *((LEAST_RISK, -40), (LEAST_RISK / 2, -40), (0.0, -40)),
    ],
)
def test_ranks_are_steps_of_a_quarter_of_an_octave(risk, rank):
    assert rank_of(risk) == rank
    assert rank_of(risk * (1 + 1e-9)) == rank


@given(st.lists(st.floats(LEAST_RISK, 1e4), min_size=1, max_size=5))
def test_a_document_of_several_texts_ranks_by_their_sum(risks):
    whole = rank_of_all(list(map(rank_of, risks)))
    assert abs(whole - 4 * math.log2(math.fsum(risks))) < 1.01
    assert rank_of_all([None, *map(rank_of, risks)]) == whole
    assert rank_of_all([rank_of(risks[0])]) == rank_of(risks[0])
    assert rank_of_all([]) is rank_of_all([None]) is None


def test_ranks_are_what_a_frame_cuts_its_tail_by():
    ranks = ranks_of_documents(
        [tokens_of([(n, 0, 1, (n + 1) / 100) for n in range(40)])], spans_of([]), 40
    )
    documents = [FrameDocument(f"{n:03}", 10, 1, "letter", None, r) for n, r in enumerate(ranks)]
    frame = frame_of(documents, cut_tail=0.1)
    assert 0 < frame.cut_tail.documents <= 4
    assert frame.facts().quantiles["risk"] is not None
    left = {one.doc_key for one in frame.documents}
    assert "000" in left and "039" not in left


def test_uncertain_tokens_are_those_that_stay():
    one = tokens_of([(0, 0, 3, 0.5), (0, 4, 9, 0.04), (0, 10, 12, 0.9), (1, 0, 3, 0.9)])
    other = tokens_of([(0, 0, 3, 0.75)])
    spans = spans_of([(0, 11, 20)])
    assert uncertain_tokens([one, other], spans) == [UncertainToken(0, 3, 0.75)]
    assert uncertain_tokens([one], spans, 1) == [UncertainToken(0, 3, 0.9)]
    assert [u.start for u in uncertain_tokens([one, other], spans, least=0.01)] == [0, 4]


# -- with a model


def ranks_by(scrubber, texts, at_once=100):
    resources = dataclasses.replace(scrubber._resources, at_risk=True)
    found = []
    for low in range(0, len(texts), at_once):
        part = texts[low : low + at_once]
        batch = run_steps(batch_of(part, (None,) * len(part), {}), resources, last="Merge")
        assert not batch.failures
        found += ranks_of_documents(batch.risks, batch.spans, len(part))
    return found


@pytest.fixture(scope="module")
def scrubber():
    return Scrubber(MODEL, recognisers=(), native_labels=False)


def test_what_else_is_in_the_batch_does_not_matter(scrubber):
    ranks = ranks_by(scrubber, TEXTS)
    assert ranks == ranks_by(scrubber, TEXTS, 1) == ranks_by(scrubber, TEXTS[::-1])[::-1]
    assert ranks[1] == ranks[2] == -40
    assert all(-40 <= rank <= 60 for rank in ranks)


@pytest.mark.skipif(native.extension() is None, reason="the native extension is not built here")
def test_the_reference_path_gives_the_same_ranks(scrubber, monkeypatch):
    from scrubline.models.bundles import tagger as taggers

    ranks = ranks_by(scrubber, TEXTS)
    caches = (native.extension, native.warn_if_absent, taggers._opened)
    monkeypatch.setenv(SWITCH, "0")
    for cached in caches:
        cached.cache_clear()
    try:
        slow = Scrubber(MODEL, recognisers=(), native_labels=False)
        assert type(slow.detectors[0].taggers[0].opened.decoder).__name__ == "ReferenceDecoder"
        assert ranks_by(slow, TEXTS) == ranks
    finally:
        monkeypatch.undo()
        for cached in caches:
            cached.cache_clear()


def test_risks_change_nothing_that_is_found(scrubber):
    resources = scrubber._resources
    found = [
        run_steps(
            batch_of(TEXTS, (None,) * len(TEXTS), {}),
            dataclasses.replace(resources, at_risk=at_risk),
            last="Merge",
        )
        for at_risk in (False, True)
    ]
    assert found[0].spans.rows() == found[1].spans.rows()
    assert found[0].risks == () and len(found[1].risks) == 1


def test_one_text_is_told_what_may_yet_be_phi(scrubber):
    text = TEXTS[4]
    spans = scrubber.spans(text)
    told = scrubber.uncertain(text)
    assert told and told == sorted(told)
    for one in told:
        assert 0.05 <= one.p <= 1 and text[one.start : one.end].strip()
        assert not any(span.start < one.end and one.start < span.end for span in spans)
    assert scrubber.uncertain("") == []
    assert Scrubber(None).uncertain(text) == []
    with pytest.raises(DocumentError):
        scrubber.uncertain("a" * 10_000_000)


def test_temperatures_are_those_of_the_learner_or_of_the_card():
    bundle = open_bundle(MODEL)
    (tagger,) = bundle.recipe.taggers
    assert bundle.temperature_of(tagger) == 1.0
    perceptron = dataclasses.replace(tagger, learner=Learner.of("averaged-perceptron"))
    assert bundle.temperature_of(perceptron) == 16.0
    warm = revise_bundle(bundle, card={"risk_temperature": 2})
    assert warm.temperature_of(tagger) == warm.temperature_of(perceptron) == 2.0


@pytest.mark.parametrize("temperature", [0, -1, "2", True, 1e7, [1]])
def test_a_card_with_another_temperature_is_refused(temperature):
    with pytest.raises(BundleError, match="risk_temperature must be above 0 and at most 1e"):
        revise_bundle(open_bundle(MODEL), card={"risk_temperature": temperature})
