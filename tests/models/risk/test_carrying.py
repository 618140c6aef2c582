"""What a certificate says of a run: limits, reasons against it, bounds of all it holds."""

import dataclasses
import datetime
import json

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.risk.carrying import (
    GatedRun,
    Issued,
    MadeBy,
    Register,
    RiskLimit,
    Uncertified,
    bounds_of,
    parse_limits,
    read_certificate,
    reasons_against,
)
from scrubline.models.risk.drawing import draw
from scrubline.models.risk.frame import frame_of
from scrubline.models.risk.rows import as_json
from scrubline.models.risk.statement import certificate_of

from .makers import MANIFEST, campaign_of, documents, marks_file, reading, removed_spans

MADE = MadeBy("1.0", ("m",), "r", "p", "f")
BEGUN = datetime.date(2026, 3, 1)
LIMIT = parse_limits("direct=0.05")


def risk(number):
    return number % 11 - 20


def value_of(cut_tail=0.0, left_out=0, **settings):
    frame = frame_of(documents(2000, ("letter", "nursing"), risk=risk), cut_tail=cut_tail)
    campaign = campaign_of(frame, **settings)
    drawn = draw(campaign, frame, bytes(32), removed_spans(frame.documents))
    files = [marks_file(reading(drawn.texts))]
    expires = BEGUN + datetime.timedelta(days=180)
    value = certificate_of(drawn.to_bytes(), files, MANIFEST, expires=expires)
    issued = Issued(MADE, "c", BEGUN.isoformat(), Register(1, 1, 0.05), left_out)
    return {**value, "issued": as_json(issued)}


VALUE = value_of()
CERTIFICATE = read_certificate(VALUE)


def night(count=500, types=("letter", "nursing"), run="r2", made=MADE, content="d", **changes):
    found = documents(count, types, risk=risk)
    if changes:
        found = [dataclasses.replace(one, **changes) for one in found]
    return GatedRun(run, made, content, found)


OWN = GatedRun("r1", MADE, "c", documents(2000, ("letter", "nursing"), risk=risk))


def reasons(run, certificate=CERTIFICATE, limits=LIMIT, day=BEGUN, max_age=90.0):
    return reasons_against(certificate, run, limits, today=day, max_age=max_age)


def kinds(*given, **more):
    return [one.kind for one in reasons(*given, **more)]


@pytest.mark.parametrize("run", [OWN, night(), night(0), night(3), night(run="r9")], ids=repr)
def test_what_passes(run):
    assert reasons(run) == ()


def made(**changes):
    return dataclasses.replace(MADE, **changes)


@pytest.mark.parametrize(
    ("run", "settings", "kind"),
    [
        (OWN, {"day": BEGUN + datetime.timedelta(days=181), "max_age": 999.0}, "Expired"),
        (night(), {"day": BEGUN + datetime.timedelta(days=91)}, "TooOld"),
        (OWN, {"day": BEGUN + datetime.timedelta(days=2), "max_age": 1.0}, "TooOld"),
        (night(made=made(code_version="1.1")), {}, "OtherCode"),
        (night(made=made(models=("n",))), {}, "OtherModels"),
        (night(made=made(models=("m", "m"))), {}, "OtherModels"),
        (night(made=made(rules="s")), {}, "OtherRules"),
        (night(made=made(policy="q")), {}, "OtherPolicy"),
        (night(made=made(settings="g")), {}, "OtherSettings"),
        (night(run="r1"), {}, "OtherTexts"),
        (night(types=("letter", "psychology")), {}, "NewType"),
        (night(types=("letter", None)), {}, "NewType"),
        (night(tokens=9000), {}, "Drift"),
        (night(spans=40), {}, "Drift"),
        (night(risk=30), {}, "Drift"),
        (night(risk=None), {}, "Drift"),
        (OWN, {"limits": parse_limits("direct:patient=0.5")}, "NotStated"),
        (OWN, {"limits": parse_limits("direct=0.01")}, "AboveLimit"),
        (night(), {"limits": parse_limits("any=0.01")}, "AboveLimit"),
    ],
)
def test_each_reason_stands_alone(run, settings, kind):
    assert kinds(run, **settings) == [kind]


def test_every_reason_of_a_certificate_is_in_the_table():
    of_files = {"NoCertificate", "Untrusted", "DamagedCertificate"}
    (table,) = (
        mark.args[1]
        for mark in test_each_reason_stands_alone.pytestmark
        if mark.name == "parametrize"
    )
    assert {kind for _, _, kind in table} | of_files == {*Uncertified}


def test_the_last_day_and_the_greatest_age_still_count():
    assert kinds(OWN, day=BEGUN + datetime.timedelta(days=90)) == []
    assert kinds(OWN, day=BEGUN + datetime.timedelta(days=180), max_age=180.0) == []


def test_all_reasons_are_given_at_once():
    run = night(types=("psychology",), made=made(policy="q"), tokens=9000)
    assert kinds(run, limits=parse_limits("direct=0.001")) == [
        *("OtherPolicy", "NewType", "Drift", "AboveLimit"),
    ]


def test_names_of_types_stand_apart():
    (found,) = reasons(night(types=("letter", "Quuxworth")))
    assert found.names == ("Quuxworth",) and "Quuxworth" not in str(found)


def test_of_the_run_that_was_read_neither_types_nor_drift_are_asked():
    odd = documents(2000, ("psychology",), risk=lambda i: 40)
    assert kinds(GatedRun("r1", MADE, "c", odd)) == []


def test_a_run_with_the_same_texts_and_makers_is_the_one_that_was_read():
    assert GatedRun("r7", MADE, "c", ()).is_of(CERTIFICATE)
    assert not GatedRun("r1", MADE, "d", ()).is_of(CERTIFICATE)
    assert not GatedRun("r1", made(policy="q"), "c", ()).is_of(CERTIFICATE)


# -- what was in no frame


def test_each_document_of_the_tail_counts_as_a_leak():
    certificate = read_certificate(value_of(cut_tail=0.1))
    tail = certificate.cut_tail.documents
    assert 0 < tail <= 200
    (found,) = bounds_of(certificate, OWN, LIMIT)
    inside = certificate.statements[0].bound
    assert found.outside == tail
    assert found.bound == pytest.approx((inside * (2000 - tail) + tail) / 2000)
    assert kinds(OWN, certificate, parse_limits("direct=0.05")) == ["AboveLimit"]
    (later,) = bounds_of(certificate, night(run="r2"), LIMIT)
    assert later.outside == sum(
        one.risk > certificate.cut_tail.threshold for one in night().documents
    )


def test_documents_without_a_risk_are_of_the_tail():
    certificate = read_certificate(value_of(cut_tail=0.1))
    (found,) = bounds_of(certificate, night(risk=None), LIMIT)
    assert found.outside == 500 and found.bound == 1.0


def test_documents_in_training_count_as_leaks_though_no_tail_was_cut():
    more = GatedRun("r1", MADE, "c", documents(2100, ("letter",), risk=risk))
    (found,) = bounds_of(CERTIFICATE, more, LIMIT)
    assert found.outside == 100
    assert found.bound == pytest.approx((CERTIFICATE.statements[0].bound * 2000 + 100) / 2100)


def test_of_patients_each_such_document_may_be_of_another_one():
    certificate = read_certificate(value_of(unit="patient", n=90))
    more = GatedRun("r1", MADE, "c", documents(2100, ("letter",), risk=risk))
    (found,) = bounds_of(certificate, more, parse_limits("direct:patient=0.5"))
    assert found.bound == pytest.approx(certificate.statements[0].bound + 100 / 2100)


# -- limits and files


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("direct=0.02", [RiskLimit("direct", "document", 0.02)]),
        (
            "direct=0.02, any:patient=0.5",
            [RiskLimit("any", "patient", 0.5), RiskLimit("direct", "document", 0.02)],
        ),
        ("direct=1", []),
        ("direct:document=0.3", [RiskLimit("direct", "document", 0.3)]),
    ],
)
def test_limits(text, expected):
    assert list(parse_limits(text)) == expected
    assert parse_limits(",".join(map(str, expected)) or "any=1") == tuple(expected)


@pytest.mark.parametrize(
    "text",
    [
        *("", "0.02", "direct", "direct=", "direct=x", "direct=nan", "direct=0", "direct=-0.1"),
        *("direct=1.1", "quasi=0.1", "direct:note=0.1", "direct=0.1,direct=0.2", "direct=0.1,"),
    ],
)
def test_what_are_no_limits(text):
    with pytest.raises(UsageError, match=r"expected direct=SHARE"):
        parse_limits(text)


def without_series(value, name):
    known = {k: v for k, v in value["frame"]["quantiles"].items() if k != name}
    return {**value, "frame": {**value["frame"], "quantiles": known}}


@pytest.mark.parametrize(
    "damage",
    [
        lambda value: [],
        lambda value: {**value, "schema": "scrubline-certificate-v0"},
        lambda value: {k: v for k, v in value.items() if k != "issued"},
        lambda value: {**value, "more": 1},
        lambda value: {**value, "expires": "soon"},
        lambda value: {**value, "expires": 3},
        lambda value: {**value, "statements": [{"of": "direct"}]},
        lambda value: {**value, "statements": []},
        lambda value: {**value, "campaign": {"name": "c1"}},
        lambda value: {
            **value,
            "statements": [{**value["statements"][0], "bound": -0.5}, *value["statements"][1:]],
        },
        lambda value: {**value, "frame": {**value["frame"], "documents": 0}},
        lambda value: without_series(value, "risk"),
        lambda value: without_series(value, "tokens"),
        lambda value: {**value, "issued": {**value["issued"], "begun": "2026-02-30"}},
    ],
)
def test_what_is_no_certificate_is_refused_without_its_values(damage):
    with pytest.raises(UsageError, match=r"^certificate: ") as refused:
        read_certificate(damage(json.loads(json.dumps(VALUE))))
    assert "soon" not in str(refused.value)


def test_a_bound_of_patients_grows_with_their_notes():
    frame = frame_of(documents(3000, notes_a_patient=2))
    campaign = campaign_of(frame)
    drawn = draw(campaign, frame, bytes(32), removed_spans(frame.documents))
    files = [marks_file(reading(drawn.texts))]
    expires = BEGUN + datetime.timedelta(days=180)
    value = certificate_of(drawn.to_bytes(), files, MANIFEST, expires=expires)
    issued = Issued(MADE, "c", BEGUN.isoformat(), Register(1, 1, 0.05), 0)
    certificate = read_certificate({**value, "issued": as_json(issued)})
    of_documents, of_patients = (one.bound for one in certificate.statements[:2])
    assert of_patients == pytest.approx(2 * of_documents, abs=1e-5)
    for notes, expected in [(1, of_patients), (2, of_patients), (6, 3 * of_patients), (900, 1.0)]:
        run = GatedRun("r2", MADE, "d", documents(900, notes_a_patient=notes))
        (found,) = bounds_of(certificate, run, parse_limits("direct:patient=0.5"))
        assert found.bound == pytest.approx(expected)
    nothing = GatedRun("r2", MADE, "d", ())
    assert bounds_of(certificate, nothing, parse_limits("direct:patient=0.5"))[0].bound < 1


def test_so_does_one_of_patients_who_were_drawn():
    frame = frame_of(documents(3000, notes_a_patient=2))
    drawn = draw(
        campaign_of(frame, unit="patient"), frame, bytes(32), removed_spans(frame.documents)
    )
    files = [marks_file(reading(drawn.texts))]
    expires = BEGUN + datetime.timedelta(days=180)
    value = certificate_of(drawn.to_bytes(), files, MANIFEST, expires=expires)
    issued = Issued(MADE, "c", BEGUN.isoformat(), Register(1, 1, 0.05), 0)
    certificate = read_certificate({**value, "issued": as_json(issued)})
    stated = certificate.statements[0].bound
    own = GatedRun("r1", MADE, "c", documents(3000, notes_a_patient=2))
    carried = [GatedRun("r2", MADE, "d", documents(900, notes_a_patient=n)) for n in (1, 2, 6)]
    found = [
        bounds_of(certificate, run, parse_limits("direct:patient=0.5")) for run in (own, *carried)
    ]
    assert [one.bound for (one,) in found] == pytest.approx([stated, stated, stated, 3 * stated])


def test_before_its_draw_a_certificate_does_not_hold():
    before = [BEGUN - datetime.timedelta(days=days) for days in (1, 2, 400)]
    assert [kinds(OWN, day=day) for day in before] == [[], ["Expired"], ["Expired"]]
