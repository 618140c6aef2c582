"""To which nights a certificate is carried: what is new, or unlike the frame, holds a night."""

import dataclasses
import json
import random

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.risk.frame import OTHER, FrameDocument, frame_of
from scrubline.models.risk.other_nights import HoldReason, reasons_to_hold
from scrubline.models.risk.rows import as_json

from .makers import key_of


def notes(count, seed, types=("letter", "ward"), with_risk=True):
    draw = random.Random(seed)
    return [
        FrameDocument(
            key_of(n),
            tokens=round(draw.lognormvariate(5.8, 0.7)) + 1,
            spans=draw.randint(0, 9),
            note_type=types[n % len(types)],
            risk=round(draw.gauss(-4, 6)) if with_risk else None,
        )
        for n in range(count)
    ]


def certificate(documents, **settings):
    """As it is read from its file."""
    frame = frame_of(documents, **settings)
    said = {"frame": as_json(frame.facts()), "cut_tail": as_json(frame.cut_tail)}
    return json.loads(json.dumps(said))


def changed(documents, share, **changes):
    """Some of the documents, the first ones, changed."""
    some = round(share * len(documents))
    return [
        dataclasses.replace(one, **{name: change(one) for name, change in changes.items()})
        if at < some
        else one
        for at, one in enumerate(documents)
    ]


FRAME = notes(3000, 1)
NIGHT = notes(400, 2)


@pytest.mark.parametrize(
    ("night", "held"),
    [
        (NIGHT, []),
        ([], []),
        (NIGHT[:3], []),
        (changed(NIGHT, 0.005, note_type=lambda _: "scan"), [("type", "scan", 2)]),
        (changed(NIGHT, 0.01, note_type=lambda _: None), [("type", OTHER, 4)]),
        (changed(NIGHT, 0.5, tokens=lambda one: 3 * one.tokens), "drift of tokens"),
        (changed(NIGHT, 1, risk=lambda one: one.risk + 6), [("drift", "risk", 400)]),
        (changed(NIGHT, 1, spans=lambda one: 0), [("drift", "spans_per_token", 400)]),
        (changed(NIGHT, 0.1, risk=lambda _: None), [("missing", "risk", 40)]),
        (notes(400, 2, with_risk=False), [("missing", "risk", 400)]),
    ],
)
def test_what_holds_a_night(night, held):
    found = reasons_to_hold(certificate(FRAME), night)
    if held == "drift of tokens":
        assert HoldReason("drift", "tokens", 400) in found
        assert {one.what for one in found} == {"drift"}
    else:
        assert found == tuple(HoldReason(*one) for one in held)
    assert reasons_to_hold(certificate(FRAME), reversed(night)) == found


def test_a_frame_without_risk_compares_none():
    frame = certificate(notes(3000, 1, with_risk=False))
    assert reasons_to_hold(frame, NIGHT) == ()
    assert reasons_to_hold(frame, notes(400, 2, with_risk=False)) == ()


def test_a_type_of_few_documents_was_not_certified_by_name():
    frame = certificate(changed(FRAME, 0.004, note_type=lambda _: "rare"))
    rare = changed(NIGHT, 0.005, note_type=lambda _: "rare")
    assert reasons_to_hold(frame, rare) == (HoldReason("type", "rare", 2),)
    assert reasons_to_hold(frame, changed(NIGHT, 0.01, note_type=lambda _: None)) == ()


def test_what_the_frame_had_cut_is_held_and_the_rest_compared():
    frame = certificate(FRAME, cut_tail=0.2)
    threshold = frame["cut_tail"]["threshold"]
    riskier = sum(one.risk > threshold for one in NIGHT)
    assert 0 < riskier < 150
    assert reasons_to_hold(frame, NIGHT) == (HoldReason("tail", "", riskier),)
    assert reasons_to_hold(frame, [one for one in NIGHT if one.risk <= threshold]) == ()
    [tail] = reasons_to_hold(frame, notes(400, 2, with_risk=False))
    assert tail == HoldReason("tail", "", 400)


@pytest.mark.parametrize("key", ["frame", "cut_tail"])
def test_a_certificate_that_does_not_tell_holds_all(key):
    for damaged in ({}, {"frame": {}}, certificate(FRAME) | {key: {"documents": "many"}}):
        with pytest.raises(UsageError, match="does not tell its frame"):
            reasons_to_hold(damaged, NIGHT)
    assert reasons_to_hold(certificate(FRAME), NIGHT) == ()
