"""What decides claims that are counted, or that leave features out, by hand."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scrubline.dictionaries import Dictionary, load
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.evaluation.intervals import Interval
from scrubline.models.evaluation.paired import ScoreDifference
from scrubline.models.evaluation.scores import Score
from scrubline.models.features import Field
from scrubline.models.studies import Bench, Material, lists_needed, szeged
from scrubline.models.studies.base import FULL, RecipeResult
from scrubline.models.studies.hitsz_claims import look_alikes
from scrubline.models.studies.stat_deid_claims import (
    claim_of_headings,
    claim_of_medical,
    claim_of_nouns,
    claim_of_number,
    claim_of_reach,
    claims_of_reasons,
    found_by_reach,
    reaches,
    touched,
)
from scrubline.models.studies.szeged_claims import (
    HEADINGS,
    OUTSIDE_HELP,
    claim_of_structure,
    claim_of_time,
    claims_of_features,
)
from scrubline.models.studies.wi_deid_claims import (
    claim_of_cuts,
    claim_of_new_tokens,
    claim_of_speech,
)

from ..auxiliary.small import links, mesh, named, pos


def bench(train=(), **changes) -> Bench:
    lists = {name: load(name) for name in lists_needed("en")}
    return Bench(Material("made", train, (), "en", lists, **changes), FULL)


def f1(percent: float) -> Score:
    """A score with this F1."""
    right = round(10 * percent)
    return Score(right, 1000 - right, 1000 - right)


def result(gold, found) -> RecipeResult:
    return RecipeResult(bench().wi_deid(), gold, found, 0.0, 0)


# Szarvas et al. 2006


@pytest.mark.parametrize(("tree", "agrees"), [(1.5, True), (2.5, False)])
def test_a_tree_learns_faster_than_a_crf_or_not(tree, agrees):
    seconds = {"C4.5": tree, "token": 6.0, "trusted features": 0.5}
    check = claim_of_time(seconds, 2.0)
    assert check.agrees is agrees
    assert f"one tree {tree:.2f}, boosted trees 6.00" in check.found


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ({"without a": 89.0, HEADINGS: 90.4}, (True, None)),
        ({"without a": 90.6, HEADINGS: 90.1}, (False, None)),
        ({"without a": 89.0, HEADINGS: 89.0, OUTSIDE_HELP: 90.9}, (True, True)),
        ({"without a": 89.0, HEADINGS: 89.0, OUTSIDE_HELP: 91.1}, (True, False)),
    ],
)
def test_features_that_are_better_left_out_and_that_are_missing(others, expected):
    documents = [AnnotatedDocument("a", "Ann Lee in Oakton", ())]
    scores = {name: f1(value) for name, value in others.items()}
    checks = claims_of_features(f1(90.0), scores, documents, ["pos"])
    assert tuple(check.agrees for check in checks) == expected
    assert "On 4 tokens F, 0.9000 with all" in checks[0].found
    assert OUTSIDE_HELP not in checks[0].found
    assert checks[1].found.endswith("No auxiliary model for MeSH here.")
    assert ("with parts of speech, " in checks[1].found) == (OUTSIDE_HELP in others)


@pytest.mark.parametrize(
    ("interval", "agrees"),
    [
        (Interval(0.001, 0.01), True),
        (Interval(-0.01, -0.001), False),
        (Interval(-0.001, 0.01), None),
        (None, None),
    ],
)
def test_headings_help_beyond_chance(interval, agrees):
    gain = ScoreDifference("conll", "f1", 0.90, 0.91, interval, None, 0, 0)
    check = claim_of_structure(gain)
    assert check.agrees is agrees
    assert check.found.startswith("F 0.9100 with them, 0.9000 without")


def test_a_million_tokens_are_not_fewer(monkeypatch):
    monkeypatch.setattr("scrubline.models.studies.szeged_claims._MOST_TOKENS", 4)
    documents = [AnnotatedDocument("a", "Ann Lee in Oakton", ())]
    first, *_ = claims_of_features(f1(90.0), {HEADINGS: f1(89.0)}, documents, ())
    assert first.agrees is None


def test_headings_are_left_out_and_outside_help_is_added():
    without = szeged._other_features(bench())
    assert OUTSIDE_HELP not in without and len(without) == 6
    whole = set(szeged.first_pass(bench(), triggers=("token",)).taggers[0].features)
    gone = whole - set(without[HEADINGS].taggers[0].features)
    assert len(gone) == 7 and all(isinstance(f.parts[0][0], Field) for f in gone)
    for auxiliary, more in (({"pos": pos()}, 5), ({"pos": pos(), "mesh": mesh()}, 6)):
        (tagger,) = szeged._other_features(bench(auxiliary=auxiliary))[OUTSIDE_HELP].taggers
        assert len(set(tagger.features) - whole) == more and whole < set(tagger.features)


# Liu et al. 2015


def test_who_is_right_where_labels_differ():
    phone, record, far = (
        Annotation(0, 12, "PHONE"),
        Annotation(2, 12, "MEDICALRECORD"),
        Annotation(20, 30, "PHONE"),
    )
    none = {"token": [[far]], "character": [[]], "rule": [[phone, far]]}
    assert look_alikes([[phone, far]], none) == (0, 0, 0)
    some = {"token": [[far]], "character": [[record]], "rule": [[phone, far]]}
    assert look_alikes([[phone]], some) == (1, 0, 1)
    assert look_alikes([[record]], some) == (0, 1, 1)
    assert look_alikes([[far]], some) == (0, 0, 1)


# He et al. 2015


@pytest.mark.parametrize(("without", "agrees"), [(89.0, True), (89.6, False), (91.0, False)])
def test_parts_of_speech_help_by_half_a_point(without, agrees):
    check = claim_of_speech({"total": f1(90.0)}, {"total": f1(without)})
    assert check.agrees is agrees
    assert claim_of_speech({"total": f1(90.0)}, None).agrees is None


TRAIN = [named("Ann is of Peru.", ("Peru", "COUNTRY"), ("Ann", "PATIENT"))]
PERU, CHILE = (
    named("He saw Peru.", ("Peru", "COUNTRY")),
    named("He saw Chile.", ("Chile", "COUNTRY")),
)


@pytest.mark.parametrize(
    ("gold", "found", "agrees", "counts"),
    [
        ([PERU], [PERU.spans], None, ("0", "0", "1 of 1")),
        ([PERU, CHILE], [PERU.spans, ()], True, ("1", "0", "1 of 1")),
        ([PERU, CHILE], [(), CHILE.spans], False, ("1", "1", "0 of 1")),
        ([CHILE], [[Annotation(7, 12, "CITY")]], True, ("1", "0", "0 of 0")),
        ([named("In Mordor.", ("Mordor", "COUNTRY"))], [()], None, ("0", "0", "0 of 0")),
    ],
)
def test_listed_countries_that_training_did_not_have(gold, found, agrees, counts):
    lists = {name: Dictionary(name, (), "") for name in lists_needed("en")}
    lists["countries_en"] = load("countries_en")
    own = bench(TRAIN)
    own = dataclasses.replace(own, material=dataclasses.replace(own.material, dictionaries=lists))
    check = claim_of_new_tokens(own, result(gold, found))
    assert check.agrees is agrees
    assert check.found.startswith(f"Of {counts[0]} gold tokens")
    assert f", {counts[1]} are found" in check.found and f"some {counts[2]}." in check.found


SERGIO = named("Sergio-Steven was seen.", ("Sergio-Steven", "PATIENT"))


@pytest.mark.parametrize(
    ("split", "plain", "agrees", "found"),
    [
        ([], [], None, "0 of 0 spans"),
        (SERGIO.spans, [], None, "0 of 0 spans"),
        ([Annotation(0, 6, "PATIENT")], SERGIO.spans, True, "1 of 1 spans"),
        ([Annotation(7, 13, "PATIENT")], [], True, "1 of 1 spans"),
        ([Annotation(0, 17, "PATIENT")], SERGIO.spans, False, "0 of 1 spans"),
        ([Annotation(18, 22, "PATIENT")], [], None, "0 of 0 spans"),
    ],
)
def test_wrong_bounds_inside_of_a_word_come_from_the_splitting(split, plain, agrees, found):
    check = claim_of_cuts([SERGIO], [split], [plain])
    assert check.agrees is agrees and check.found.startswith(found)
    if agrees:
        assert f"without the splitting {len(plain)} of these" in check.found


# Tafvizi et al. 2010


@pytest.mark.parametrize(
    ("numbers", "agrees"),
    [({2: 9, 20: 100_001}, True), ({2: 9, 20: 100_000}, None), ({669: 100_000}, False)],
)
def test_features_are_many_or_notes_few(numbers, agrees):
    assert claim_of_number(numbers).agrees is agrees


CAT = AnnotatedDocument("a", "the cat ran .", (Annotation(0, 7, "PATIENT"),))
SLEPT = AnnotatedDocument("b", "He slept there. Who?", (Annotation(0, 2, "PATIENT"),))


def test_how_far_the_word_at_the_other_end_is():
    # "Xp" goes from "He" to the full stop; the second sentence was not parsed.
    assert reaches(links(), [CAT, SLEPT]).tolist() == [1, 1, 1, 0, 3, 1, 1, 3, 0, 0]
    assert np.flatnonzero(touched([CAT, SLEPT])).tolist() == [0, 1, 4]
    whole = result([CAT, SLEPT], [[Annotation(0, 3, "A")], SLEPT.spans])
    without = result([CAT, SLEPT], [CAT.spans, []])
    assert found_by_reach(whole, without, links()) == ((1, 0, 1), (0, 1, 2))


@pytest.mark.parametrize(
    ("more", "fewer", "agrees"), [(9, 0, True), (0, 9, False), (4, 0, None), (0, 0, None)]
)
def test_links_that_reach_far_help_beyond_chance(more, fewer, agrees):
    gold = [SLEPT] * (more + fewer)
    whole = result(gold, [SLEPT.spans] * more + [()] * fewer)
    without = result(gold, [()] * more + [SLEPT.spans] * fewer)
    check = claim_of_reach(bench(auxiliary={"links": links()}), whole, without)
    assert check.agrees is agrees
    assert ("chance" in check.found) == (agrees is None)
    assert claim_of_reach(bench(), whole, without).agrees is None  # learned links
    assert claim_of_reach(bench(), whole, None).agrees is None


@pytest.mark.parametrize(
    ("inside", "outside", "agrees"),
    [
        ((1, 10), (2, 10), True),
        ((2, 10), (1, 10), False),
        ((0, 0), (1, 10), None),
        (None, (1, 10), None),
    ],
)
def test_nouns_of_medicine_are_less_often_phi(inside, outside, agrees):
    assert claim_of_medical(inside, outside).agrees is agrees


def test_phi_are_nouns_and_stand_under_some_headings():
    assert claim_of_nouns(9, (5, 1)).agrees
    assert claim_of_nouns(9, (1, 5)).agrees is False
    assert claim_of_nouns(0, (0, 0)).agrees is claim_of_nouns(9, None).agrees is None
    assert claim_of_headings((10, 400), [(1, 100), (5, 100)]).agrees
    assert claim_of_headings((10, 400), [(1, 100), (4, 100)]).agrees is False
    assert claim_of_headings((10, 400), [(5, 100), (9, 99)]).agrees is None
    assert claim_of_headings((10, 400), []).found == "No heading has 100 tokens."


def test_reasons_are_counted_in_the_training_part():
    notes = [
        named("Name: doctor\nHeart attack: the nurse didn't sleep.", ("doctor", "DOCTOR")),
        named("Name: She saw Heart doctors.", ("Heart", "PATIENT")),
    ]
    medical, nouns, headings = claims_of_reasons(
        bench(notes, auxiliary={"pos": pos(), "mesh": mesh()})
    )
    assert "Of 2 PHI tokens" in nouns.found and medical.agrees is not None
    assert headings.agrees is None
    without = claims_of_reasons(bench(notes))
    assert [check.agrees for check in without] == [None, None, None]
    assert "no parts of speech" in without[0].found
