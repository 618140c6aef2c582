"""Frames, draws and planted spans: nobody chooses, and who has the key repeats it."""

import collections
import dataclasses

import numpy as np
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.core.keys import Keys
from scrubline.models.risk.bounds import binomial_upper
from scrubline.models.risk.drawing import draw, draw_sha256
from scrubline.models.risk.frame import CutTail, FrameDocument, frame_of
from scrubline.models.risk.planting import plant
from scrubline.models.risk.rows import read_draw

from .makers import KEY, campaign_of, documents, drawn_of, key_of, removed_spans


def test_a_draw_is_a_function_of_the_set_of_documents_and_the_key():
    found = documents(300)
    frame, turned = frame_of(found), frame_of(found[::-1])
    campaign = campaign_of(frame)
    one = draw(campaign, frame, KEY, removed_spans(found)).to_bytes()
    assert draw(campaign, turned, KEY, reversed([*removed_spans(found)])).to_bytes() == one
    assert draw(campaign, frame, KEY[::-1], removed_spans(found)).to_bytes() != one
    other = dataclasses.replace(campaign, name="c2")
    assert [t.doc_key for t in draw(other, frame, KEY).texts] != [
        t.doc_key for t in draw(campaign, frame, KEY).texts
    ]
    assert len(draw_sha256(one)) == 64


def test_a_draw_is_read_as_it_was_written():
    drawn = drawn_of(400, types=("letter", "nursing"), asked=("nursing",), method="sequential")
    assert read_draw(drawn.to_bytes()) == drawn


def test_keys_of_draws_are_of_their_own():
    keys = Keys(bytes(32))
    assert len(keys.draws) == 32
    assert keys.draws not in (keys.dates, keys.records, keys.surrogates)


def test_the_sample_is_the_beginning_of_one_order():
    few, many = drawn_of(n=50, spans=False), drawn_of(n=200, spans=False)
    keys = [text.doc_key for text in many.texts]
    assert [text.doc_key for text in few.texts] == keys[:50]
    assert len(set(keys)) == 200
    assert [text.n for text in many.texts] == [*range(1, 201)]
    assert drawn_of(30, n=100, spans=False).texts[-1].n == 30


def test_every_document_is_drawn_alike():
    frame = frame_of(documents(40))
    counts = collections.Counter()
    for number in range(400):
        campaign = campaign_of(frame, name=f"c{number}", n=10)
        counts.update(text.doc_key for text in draw(campaign, frame, KEY).texts)
    assert len(counts) == 40
    expected, spread = 100, np.sqrt(400 * 0.25 * 0.75)
    assert all(abs(count - expected) < 4 * spread for count in counts.values())


def test_all_notes_of_a_drawn_patient_are_read():
    drawn = drawn_of(600, notes_a_patient=3, unit="patient", n=20)
    units = collections.defaultdict(set)
    for text in drawn.texts:
        units[text.n].add(int(text.doc_key, 16) // 3)
    assert len(drawn.texts) == 60 and len(units) == 20
    assert all(len(patients) == 1 for patients in units.values())
    assert drawn.campaign.units == 200


def test_all_texts_of_a_document_are_read_and_one_of_them_is_planted_in_at_most():
    found = [dataclasses.replace(one, fields=("a", "b")) for one in documents(50)]
    spans = [dataclasses.replace(s, field=f) for s in removed_spans(found) for f in ("a", "b")]
    frame = frame_of(found)
    drawn = draw(campaign_of(frame, n=20), frame, KEY, spans)
    assert [text.field for text in drawn.texts] == ["a", "b"] * 20
    planted = collections.Counter(t.doc_key for t in drawn.texts for _ in t.planted)
    assert set(planted.values()) == {1} and len(planted) == 20


def test_types_of_five_percent_are_strata_and_asked_ones_too():
    types = ("letter",) * 60 + ("nursing",) * 35 + ("radiology",) * 4 + ("rare",)
    frame = frame_of(documents(1000, types))
    assert frame.facts().strata == {"letter": 600, "nursing": 350, "other": 50}
    assert frame.facts().types == {"letter": 600, "nursing": 350, "other": 10, "radiology": 40}
    asked = frame_of(documents(1000, types), asked={"radiology"})
    assert asked.facts().strata["radiology"] == 40
    with pytest.raises(UsageError, match="does not have"):
        frame_of(documents(1000, types), asked={"rare"})
    with pytest.raises(UsageError, match="does not have"):
        frame_of(documents(1000, types), asked={"other"})


def test_types_in_question_are_read_thirty_times_beyond_the_sample():
    types = ("letter",) * 95 + ("nursing",) * 5
    drawn = drawn_of(4000, types=types, asked=("nursing",), n=100)
    of_type = [text for text in drawn.texts if text.stratum == "nursing"]
    extra = [text for text in drawn.texts if text.extra]
    assert len(of_type) == 30
    assert {text.stratum for text in extra} == {"nursing"}
    assert min(text.n for text in extra) == 101
    assert len([text for text in drawn.texts if not text.extra]) == 100


def test_why_samples_are_not_allocated_to_types_beforehand():
    """With thirty of a small type that never leaks, the bound of all would be too low too often."""
    rng = np.random.default_rng(0)
    draws, truth = 4000, 0.035
    of_large = truth / 0.95
    leaks = rng.binomial(56, of_large, draws)  # and none in 30 of the small type
    bounds = np.array([binomial_upper(k, 86) for k in range(57)])[leaks]
    assert np.mean(bounds >= truth) < 0.9
    leaks = rng.binomial(86, truth, draws)
    bounds = np.array([binomial_upper(k, 86) for k in range(87)])[leaks]
    assert np.mean(bounds >= truth) >= 0.95


def test_the_tail_is_cut_at_one_threshold():
    frame = frame_of(documents(200, risk=lambda i: i // 10 - 5), cut_tail=0.05)
    assert frame.cut_tail == CutTail(0.05, 13, 10)
    assert max(one.risk for one in frame.documents) == 13 and len(frame.documents) == 190
    # Of equal risk all or none: fewer than asked for.
    assert frame_of(documents(200, risk=lambda i: i // 10), cut_tail=0.07).cut_tail.documents == 10
    assert frame_of(documents(200, risk=lambda i: 0), cut_tail=0.5).cut_tail.documents == 0
    assert frame_of(documents(200, risk=lambda i: i % 7)).cut_tail == CutTail()
    with pytest.raises(UsageError, match="200 documents without a risk"):
        frame_of(documents(200), cut_tail=0.05)
    with pytest.raises(UsageError, match="--cut-tail"):
        frame_of(documents(200), cut_tail=1)


def test_frames_that_cannot_be():
    with pytest.raises(UsageError, match="no scrubbed document"):
        frame_of([])
    with pytest.raises(UsageError, match="one key"):
        frame_of([*documents(3), *documents(1)])
    with pytest.raises(ValueError, match="has counts"):
        FrameDocument(key_of(1), tokens=-1, spans=0)


def test_a_campaign_is_of_the_frame_that_is_drawn_from():
    frame = frame_of(documents(100))
    with pytest.raises(ValueError, match="another frame"):
        draw(campaign_of(frame), frame_of(documents(101)), KEY)
    with pytest.raises(ValueError, match="without the types"):
        draw(campaign_of(frame, types=("letter",)), frame, KEY)


def test_half_of_what_is_planted_was_nearly_missed():
    found = documents(500)
    keys = [one.doc_key for one in found]
    chosen = plant(keys, removed_spans(found), KEY, "c1")
    assert len(chosen) == 100
    hard = sum(place.start == 40 for place in chosen.values())
    # All of one half, and half of the other by chance.
    assert 60 <= hard <= 90
    assert plant(keys, [*removed_spans(found)][::-1], KEY, "c1") == chosen
    assert plant(keys, removed_spans(found), KEY, "c2") != chosen
    least = [dataclasses.replace(span, detectors=2) for span in removed_spans(found)]
    assert sum(p.start == 40 for p in plant(keys, least, KEY, "c1").values()) >= 50


def test_documents_without_a_removed_span_are_not_planted_in():
    found = documents(200)
    chosen = plant([d.doc_key for d in found], removed_spans(found[:70]), KEY, "c1")
    assert {doc for doc, _ in chosen} == {one.doc_key for one in found[:70]}


def test_where_reading_may_stop_the_planted_lie_as_dense_from_the_start():
    drawn = drawn_of(6000, n=1000, method="sequential", target=0.02)
    planted = [text.n for text in drawn.texts if text.planted]
    for first in (1, 251, 501):
        assert 85 <= sum(first <= n < first + 250 for n in planted) <= 130
    fixed = drawn_of(6000, n=1000, target=0.02)
    assert sum(bool(text.planted) for text in fixed.texts) == 100


def test_what_is_planted_counts_for_the_primary_statement():
    found = documents(300)
    frame = frame_of(found)
    dates = [*removed_spans(found, "DATE")]
    assert not any(text.planted for text in draw(campaign_of(frame), frame, KEY, dates).texts)
    drawn = draw(campaign_of(frame, of="any"), frame, KEY, dates)
    assert sum(bool(text.planted) for text in drawn.texts) == 100


def test_one_in_ten_is_read_twice():
    drawn = drawn_of(n=200, spans=False)
    twice = [text.n for text in drawn.texts if text.twice]
    assert [(n - 1) // 10 for n in twice] == [*range(20)]
    assert len({(n - 1) % 10 for n in twice}) > 3
    assert sum(text.twice for text in drawn_of(n=7, spans=False).texts) == 1


@pytest.mark.parametrize(
    "damage, message",
    [
        (lambda lines: lines[:-1], "99 texts, its first line says 100"),
        (lambda lines: [*lines, lines[-1]], "101 texts"),
        (lambda lines: [*lines[:-1], lines[-2]], "stands in it twice"),
        (lambda lines: [lines[0], b"{}", *lines[2:]], "line 2"),
        (lambda lines: [lines[0].replace(b'"texts"', b'"txets"'), *lines[1:]], "line 1"),
        (lambda lines: [lines[0].replace(b'"fixed"', b'"fixee"'), *lines[1:]], "line 1"),
        (lambda lines: [*lines, b"{"], "line 102"),
    ],
)
def test_a_damaged_draw_is_refused(damage, message):
    lines = drawn_of(n=100).to_bytes().splitlines()
    with pytest.raises(UsageError, match=message):
        read_draw(b"\n".join(damage(lines)) + b"\n")


def test_a_torn_draw_is_refused():
    content = drawn_of(n=100).to_bytes()
    for torn in (content[:-1], b"", content[:40]):
        with pytest.raises(UsageError, match="not whole"):
            read_draw(torn)


@pytest.mark.parametrize(
    "settings",
    [{"target": 0.0}, {"alpha": 1.0}, {"n": 0}, {"types": ("a",), "unit": "patient"}],
)
def test_campaigns_that_ask_for_nothing_sensible(settings):
    with pytest.raises(ValueError, match="campaign|statements"):
        campaign_of(frame_of(documents(100)), **settings)
