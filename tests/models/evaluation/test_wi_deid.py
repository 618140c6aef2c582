import pytest
from hypothesis import given
from scrubline.models.evaluation import compare
from scrubline.models.evaluation.wi_deid import extent

from ...examples import examples
from .makers import document, measured, pairs, placed, tokenize


def groups(gold, predicted):
    found = measured(gold, predicted, "error_groups").shares
    return {name: share.count for name, share in found.items() if share.count}


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ("{DATE 5 August 2060}", "{DATE 5 August 2060}", {}),
        ("{DATE 5 August 2060}", "5 {DATE August 2060}", {"extent": 1, "extent: short": 1}),
        ("{DATE November} 1 x", "{DATE November 1} x", {"extent": 1, "extent: long": 1}),
        ("{DATE a b} c", "a {DATE b c}", {"extent": 1, "extent: short and long": 1}),
        ("{PATIENT Ann}", "{DOCTOR Ann}", {"type": 1}),
        ("{PATIENT Ann} Lee", "{DOCTOR Ann Lee}", {"type": 1}),
        ("{PATIENT Ann}", "Ann", {"missing": 1}),
        ("Ann", "{PATIENT Ann}", {"spurious": 1}),
        ("{PATIENT Ann} Lee", "Ann {PATIENT Lee}", {"missing": 1, "spurious": 1}),
        # Each part of a gold span that was found touches it: none is spurious.
        ("{PATIENT Ann Lee}", "{PATIENT Ann} {PATIENT Lee}", {"extent": 1, "extent: short": 1}),
        ("{PATIENT Ann} {PATIENT Lee}", "{PATIENT Ann Lee}", {"extent": 2, "extent: long": 2}),
        # The same label is compared with before another that shares more.
        ("{PATIENT Ann Lee}", "{PATIENT A}{DOCTOR nn Lee}", {"extent": 1, "extent: short": 1}),
    ],
)
def test_groups_by_hand(gold, predicted, expected):
    assert groups([document(gold)], [document(predicted)]) == expected


def test_equal_ends_come_before_the_same_label():
    gold = [placed("Ann Lee", (0, 7, "PATIENT"))]
    predicted = [placed("Ann Lee", (0, 7, "DOCTOR"), (0, 3, "PATIENT"))]
    assert groups(gold, predicted) == {"type": 1}
    right = [placed("Ann Lee", (0, 7, "DOCTOR"), (0, 7, "PATIENT"))]
    assert groups(gold, right) == {}


def test_of_several_the_one_that_shares_most():
    gold = [placed("Ann Lee", (0, 7, "PATIENT"))]
    predicted = [placed("Ann Lee", (0, 1, "CITY"), (2, 7, "DOCTOR"))]
    matrix = measured(gold, predicted, "error_labels")
    assert matrix.count("PATIENT", "DOCTOR") == 1
    assert matrix.count("PATIENT", "CITY") == 0


def test_shares_are_of_all_errors():
    gold = [document("{A x} {A y} {A z w} v u")]
    predicted = [document("{B x} y {A z} w {A v} {A u}")]
    found = measured(gold, predicted, "error_groups").shares
    assert {name: (share.count, share.of) for name, share in found.items()} == {
        "type": (1, 5),
        "extent": (1, 5),
        "missing": (1, 5),
        "spurious": (2, 5),
        "extent: short": (1, 1),
        "extent: long": (0, 1),
        "extent: short and long": (0, 1),
    }


def test_label_matrix_by_hand():
    gold = [document("{A x} {A y} {B z w} v")]
    predicted = [document("{B x} y {B z} w {A v}")]
    matrix = measured(gold, predicted, "error_labels")
    assert matrix.count("A", "B") == 1
    assert matrix.count("A", "(missing)") == 1
    assert matrix.count("B", "B") == 1  # an extent error stands on the diagonal, as in Table 7
    assert matrix.count("(spurious)", "A") == 1
    assert sum(matrix.row_totals()) == 4


def test_extents_by_label():
    gold = [document("{A x y} {B z} w")]
    predicted = [document("{A x} y {B z w}")]
    matrix = measured(gold, predicted, "error_extents")
    assert (matrix.count("short", "A"), matrix.count("long", "B")) == (1, 1)
    assert sum(matrix.row_totals()) == 2


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ((2, 5), "short"),
        ((3, 6), "short"),
        ((3, 5), "short"),
        ((1, 6), "long"),
        ((2, 7), "long"),
        ((1, 7), "long"),
        ((1, 5), "short and long"),
        ((3, 7), "short and long"),
    ],
)
def test_extent(found, expected):
    assert extent((2, 6, "A"), (*found, "A")) == expected


@given(pairs())
@examples(100)
def test_every_strict_miss_is_in_one_group(both):
    metrics = compare(*both, tokenize=tokenize, resamples=0).metrics
    found = {name: share.count for name, share in metrics["error_groups"].shares.items()}
    strict = metrics["strict"].micro
    assert found["type"] + found["extent"] + found["missing"] == strict.fn
    assert found["spurious"] <= strict.fp
    kinds = ("short", "long", "short and long")
    assert sum(found[f"extent: {kind}"] for kind in kinds) == found["extent"]
    assert sum(metrics["error_extents"].row_totals()) == found["extent"]
    matrix = metrics["error_labels"]
    assert sum(matrix.row_totals()) == strict.tp + strict.fn + found["spurious"]
    assert sum(matrix.count(name, name) for name in matrix.row_names) == (
        strict.tp + found["extent"]
    )
    spurious = sum(
        all(s.end <= g.start or g.end <= s.start for g in one.spans)
        for one, other in zip(*both, strict=True)
        for s in set(other.spans)
    )
    assert found["spurious"] == spurious
