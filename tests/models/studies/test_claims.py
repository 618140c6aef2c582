"""What decides claims beside tables, by hand."""

from __future__ import annotations

import pytest
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.evaluation.matrices import Matrix
from scrubline.models.evaluation.scores import Score
from scrubline.models.evaluation.wi_deid import MISSING, SPURIOUS
from scrubline.models.studies import Bench, Material
from scrubline.models.studies.base import FULL
from scrubline.models.studies.hide_claims import (
    claims_of_matrix,
    claims_of_plain,
    diagonal,
    listed_tokens,
)
from scrubline.models.studies.hide_sampling import _Curve, _little_cost
from scrubline.models.studies.hitsz_claims import (
    claim_of_order,
    claims_of_criteria,
    confused_names,
    found_alone,
)
from scrubline.models.studies.stat_deid import _claim_of_bigrams, _claim_of_shares
from scrubline.models.studies.szeged_claims import (
    agreements,
    claim_of_parts,
    claim_of_single_tokens,
    partly_found,
)
from scrubline.models.studies.wi_deid_claims import (
    claim_of_recall,
    claims_of_errors,
    claims_of_types,
)

NOTE = AnnotatedDocument(
    "a", "Ann Lee in New York", (Annotation(0, 7, "PATIENT"), Annotation(11, 19, "CITY"))
)


def bench(label: str) -> Bench:
    return Bench(Material("made", (), (), "en", {}, label_map={"id": label}), FULL)


def test_tokens_of_a_list_are_counted_once_each():
    assert listed_tokens([NOTE], ["new york", "york", "in", "lee ann"]) == (2, 3)
    assert listed_tokens([NOTE], ["nothing"]) == (0, 0)


@pytest.mark.parametrize(
    ("label", "counts", "agrees"),
    [
        ("IDNUM", ((8, 0, 1), (0, 5, 2), (0, 0, 9)), True),
        ("IDNUM", ((8, 0, 3), (0, 5, 2), (0, 1, 9)), True),
        ("IDNUM", ((8, 0, 3), (0, 5, 2), (2, 1, 9)), False),
        ("IDNUM", ((8, 0, 0), (0, 5, 0), (0, 0, 9)), None),
        ("DATE", ((8, 0, 1), (0, 5, 2), (0, 0, 9)), None),
    ],
)
def test_the_rest_of_a_number_leads_what_is_missed_or_false(label, counts, agrees):
    names = ("B-id", "I-id", "O")
    (check,) = claims_of_matrix(bench(label), Matrix("", names, names, counts, "", ""))
    assert check.agrees is agrees


def test_blanks_specificity_and_time():
    names = ("B-A", "O")
    matrix = Matrix("", names, names, ((8, 2), (2, 98)), "", "")
    assert diagonal(matrix) == (0.8, 0.8)
    blanks, specificity, time = claims_of_plain(Score(80, 20, 20), matrix, matrix, 1.5, 3)
    assert blanks.agrees and specificity.agrees is False and time.agrees is None
    assert claims_of_plain(Score(90, 10, 20), matrix, matrix, 1.5, 3)[0].agrees is False


def test_a_window_that_costs_a_point_of_precision_is_not_cheap():
    scores = [Score(90, 30, 10), Score(85, 15, 15)]
    curve = _Curve("k", (1.0, 5.0), scores, (1.0, 2.0))
    assert _little_cost(curve, Score(80, 14, 20)).agrees
    assert _little_cost(curve, Score(85, 10, 15)).agrees is False
    assert "no window" in _little_cost(curve, Score(85, 10, 15)).found


def test_gaps_between_criteria():
    f1 = {"token": 90, "relaxed": 80, "strict": 79}
    scored = {
        f"{of}{n}": Score(v, 100 - v, 100 - v) for n, v in f1.items() for of in ("", "HIPAA ")
    }
    near, over = claims_of_criteria({**scored, "strict": Score(795, 205, 205)})
    assert near.agrees is False and over.agrees  # HIPAA's differ by a whole point
    assert "all relaxed over strict: +0.0050" in near.found


def test_what_rules_find_alone_and_rightly():
    one, two, three = (Annotation(n, n + 1, "PHONE") for n in (0, 2, 4))
    sources = {"token": [[one]], "character": [[]], "rule": [[one, two, three]]}
    assert found_alone([[one, two]], sources) == (1, 2)


def test_orders_of_groups_differ_or_not():
    same = {"token": {"a": 0.2, "b": 0.1}, "character": {"a": 0.3, "b": 0.0, "c": 0.5}}
    assert claim_of_order(same).agrees is False
    assert claim_of_order({**same, "token": {"a": 0.1, "b": 0.2}}).agrees
    assert claim_of_order({**same, "token": {"a": 0.1}}).agrees is None


def test_names_for_names_are_counted_among_wrong_labels():
    rows, columns = ("CITY", "DOCTOR", "PATIENT", SPURIOUS), ("CITY", "DOCTOR", "PATIENT", MISSING)
    counts = ((9, 1, 0, 5), (0, 9, 2, 5), (0, 3, 9, 5), (7, 7, 7, 0))
    assert confused_names(Matrix("", rows, columns, counts, "", "")) == (5, 6)


def test_good_labels_and_those_that_are_not_of_hipaa():
    by_label = {"DATE": Score(99, 1, 1), "STATE": Score(5, 5, 5), "ZIP": Score(0, 1, 0)}
    by_category = {"DATE": by_label["DATE"], "LOCATION": by_label["STATE"]}
    categories, outside, best = claims_of_types(by_label, by_category)
    assert categories.agrees is None and outside.agrees and best.agrees
    lowest = {**by_category, "PROFESSION": Score(1, 9, 9)}
    assert claims_of_types(by_label, lowest)[0].agrees
    assert claims_of_types({}, {})[2].agrees is None
    assert claim_of_recall({"strict": Score(8, 1, 2)}).agrees
    assert claim_of_recall({"strict": Score(8, 1, 1)}).agrees is False


def test_what_is_missing_spurious_and_inexact():
    rows, columns = ("DATE", "PROFESSION", SPURIOUS), ("DATE", "PROFESSION", MISSING)
    labels = Matrix("", rows, columns, ((95, 0, 5), (0, 1, 3), (0, 1, 0)), "", "")
    extents = Matrix("", ("short",), ("DATE", "PROFESSION"), ((2, 1),), "", "")
    shares = {"DATE": (0.05, 0.0), "PROFESSION": (0.75, 0.5)}
    checks = claims_of_errors(labels, extents, shares, {"PROFESSION": 20})
    assert [check.agrees for check in checks] == [True, True, True, True]
    assert "8 of 104" in checks[0].found
    common = claims_of_errors(labels, extents, shares, {"PROFESSION": 250})
    assert common[1].agrees is False
    none = claims_of_errors(labels, extents, {"DATE": (0.05, 0.0)}, {})
    assert none[1].agrees is None


def test_how_many_classifiers_agree_and_are_right():
    whole, city, town = (Annotation(0, 7, "PATIENT"), Annotation(11, 19, "CITY"),
                         Annotation(11, 19, "TOWN"))  # fmt: skip
    found = [[[whole, city]], [[whole, city]], [[whole, town]]]
    # Two tokens of the name, two of the place; "in" is O to all.
    assert agreements(found, [NOTE]) == {1: (0, 0), 2: (2, 2), 3: (2, 2)}
    assert agreements([[[town]], [[town]], [[]]], [NOTE]) == {1: (0, 0), 2: (0, 2), 3: (0, 2)}


def test_phrases_found_in_part():
    part, whole = Annotation(11, 14, "CITY"), Annotation(11, 19, "STATE")
    assert partly_found([NOTE], [[part]]) == 1
    assert partly_found([NOTE], [[whole]]) == 0
    assert claim_of_parts([NOTE], [[part]], [[whole]]).agrees
    assert claim_of_parts([NOTE], [[whole]], [[whole]]).agrees is None


def test_a_point_below_a_sequence_model_is_not_competitive():
    assert claim_of_single_tokens(Score(90, 10, 10), Score(905, 95, 95)).agrees
    assert claim_of_single_tokens(Score(88, 12, 12), Score(90, 10, 10)).agrees is False


def test_shares_of_predicted_classes_and_bigrams():
    names = ("PHI", "non-PHI")
    assert _claim_of_shares(Matrix("", names, names, ((9, 1), (1, 99)), "", "")).agrees
    assert _claim_of_shares(Matrix("", names, names, ((0, 1), (0, 99)), "", "")).agrees is None
    scores = {"word": (0.1,) * 6, "lexical bigrams": (0.9,) * 6, "syntactic bigrams": (0.8,) * 6}
    assert _claim_of_bigrams(scores, list(scores)).agrees
    assert _claim_of_bigrams(scores, ["word", "lexical bigrams"]).agrees is None
