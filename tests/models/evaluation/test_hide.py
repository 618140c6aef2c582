import pytest
from hypothesis import given
from scrubline.models.evaluation import Score, compare

from ...examples import examples
from .makers import counts, document, measured, pairs, tokenize

GOLD = [document("Dr {DOCTOR Ann Lee} on {DATE 3 May} at home.")]
PREDICTED = [document("Dr {DOCTOR Ann} {DOCTOR Lee} on {AGE 3} May {DATE at} home.")]
# Dr O/O; Ann B-DOCTOR twice; Lee I-DOCTOR as B-DOCTOR; on O/O; 3 B-DATE as B-AGE; May I-DATE as O;
# at O as B-DATE; home O/O; "." O/O.


def test_tags_by_hand():
    found = measured(GOLD, PREDICTED, "hide")
    assert found.by_label == {
        "B-AGE": Score(0, 1, 0),
        "B-DATE": Score(0, 1, 1),
        "B-DOCTOR": Score(1, 1, 0),
        "I-DATE": Score(0, 0, 1),
        "I-DOCTOR": Score(0, 0, 1),
    }
    assert found.micro == Score(1, 3, 3)


def test_true_negatives_are_added_to_the_true_positives():
    assert counts(GOLD, PREDICTED, "hide_negatives") == (1 + 4, 3, 3)
    found = measured(GOLD, PREDICTED, "hide_negatives").micro
    assert (found.precision, found.recall) == (5 / 8, 5 / 8)


def test_blanks_are_tokens_of_the_papers_matrix():
    matrix = measured(GOLD, PREDICTED, "hide_confusion_blanks")
    cells = {
        (row, column): matrix.count(row, column)
        for row in matrix.row_names
        for column in matrix.column_names
        if matrix.count(row, column)
    }
    # Of the seven blanks, that of "Ann Lee" and that of "3 May" are in a span, of gold alone.
    assert cells == {
        ("O", "O"): 4 + 5,
        ("B-DOCTOR", "B-DOCTOR"): 1,
        ("I-DOCTOR", "B-DOCTOR"): 1,
        ("I-DOCTOR", "O"): 1,
        ("B-DATE", "B-AGE"): 1,
        ("I-DATE", "O"): 2,
        ("O", "B-DATE"): 1,
    }


def test_rows_are_true_and_columns_predicted():
    matrix = measured(GOLD, PREDICTED, "hide_confusion")
    assert matrix.row_names == matrix.column_names
    assert matrix.row_names[-1] == "O"
    cells = {
        (row, column): matrix.count(row, column)
        for row in matrix.row_names
        for column in matrix.column_names
        if matrix.count(row, column)
    }
    assert cells == {
        ("O", "O"): 4,
        ("B-DOCTOR", "B-DOCTOR"): 1,
        ("I-DOCTOR", "B-DOCTOR"): 1,
        ("B-DATE", "B-AGE"): 1,
        ("I-DATE", "O"): 1,
        ("O", "B-DATE"): 1,
    }
    totals = dict(zip(matrix.row_names, matrix.row_totals(), strict=True))
    assert totals["O"] == 5
    totals = dict(zip(matrix.column_names, matrix.column_totals(), strict=True))
    assert (totals["B-DOCTOR"], totals["I-DATE"]) == (2, 0)
    scores = matrix.scores()
    assert scores["B-DOCTOR"] == pytest.approx((1 / 2, 1, 2 / 3))
    assert scores["O"] == pytest.approx((4 / 5, 4 / 5, 4 / 5))
    assert scores["I-DATE"] == (None, 0, 0)
    assert scores["B-AGE"] == (0, None, 0)


def test_matrix_shows_its_largest_mistakes():
    lines = measured(GOLD, PREDICTED, "hide_confusion").as_lines()
    assert [line.split() for line in lines[1:]] == [
        ["B-DATE", "B-AGE", "1"],
        ["I-DATE", "O", "1"],
        ["I-DOCTOR", "B-DOCTOR", "1"],
        ["O", "B-DATE", "1"],
    ]


def test_matrix_as_json_is_whole():
    found = measured(GOLD, PREDICTED, "hide_confusion").as_json()
    assert sum(map(sum, found["counts"])) == 9 == sum(found["row_totals"])
    assert found["scores"]["B-AGE"] == {"precision": 0.0, "recall": None, "f1": 0.0}


@given(pairs())
@examples(60)
def test_the_scores_are_the_matrix(both):
    report = compare(*both, tokenize=tokenize, resamples=0)
    matrix, tags = report.metrics["hide_confusion"], report.metrics["hide"]
    assert sum(matrix.row_totals()) == sum(matrix.column_totals()) == report.tokens
    for name, score in tags.by_label.items():
        assert score.tp == matrix.count(name, name)
        row, column = matrix.row_names.index(name), matrix.column_names.index(name)
        assert score.tp + score.fn == matrix.row_totals()[row]
        assert score.tp + score.fp == matrix.column_totals()[column]
        assert matrix.scores()[name] == (score.precision, score.recall, score.f1)
    whole = report.metrics["hide_negatives"].micro
    assert whole.tp == tags.micro.tp + matrix.count("O", "O")
    assert (whole.fp, whole.fn) == (tags.micro.fp, tags.micro.fn)
