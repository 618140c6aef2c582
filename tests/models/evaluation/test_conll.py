import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.evaluation import Score
from scrubline.models.evaluation.conll import phrases

from .makers import counts, document, measured, placed


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("", []),
        ("O O", []),
        ("B-X", [(0, 0, "X")]),
        ("B-X I-X O", [(0, 1, "X")]),
        ("B-X B-X", [(0, 0, "X"), (1, 1, "X")]),
        ("B-X O I-X", [(0, 0, "X"), (2, 2, "X")]),  # I- after O begins one
        ("I-X I-X", [(0, 1, "X")]),  # and at the beginning
        ("B-X I-Y I-Y", [(0, 0, "X"), (1, 2, "Y")]),  # and where the type changes
        ("I-X B-X I-X", [(0, 0, "X"), (1, 2, "X")]),
        ("I-Y B-X I-X I-Y O I-Y", [(0, 0, "Y"), (1, 2, "X"), (3, 3, "Y"), (5, 5, "Y")]),
        ("B-LOCATION-OTHER I-LOCATION-OTHER", [(0, 1, "LOCATION-OTHER")]),
    ],
)
def test_phrases_of_ill_formed_tags(tags, expected):
    assert phrases(tags.split()) == expected


@given(st.lists(st.sampled_from(["O", "B-X", "I-X", "B-Y", "I-Y"])))
def test_every_tag_but_o_is_in_one_phrase_of_its_type(tags):
    inside = [""] * len(tags)
    for first, last, label in phrases(tags):
        for at in range(first, last + 1):
            assert inside[at] == ""
            inside[at] = label
    assert inside == [tag[2:] for tag in tags]


def test_a_phrase_has_to_be_whole():
    gold = [document("{DOCTOR Ann Lee} of {CITY New York}, {DATE 3 May}")]
    predicted = [document("{DOCTOR Ann} Lee of {CITY New York,} {AGE 3 May}")]
    found = measured(gold, predicted, "conll")
    assert found.by_label == {
        "AGE": Score(0, 1, 0),
        "CITY": Score(0, 1, 1),
        "DATE": Score(0, 0, 1),
        "DOCTOR": Score(0, 1, 1),
    }


def test_cuts_within_a_token_and_blanks_at_ends_are_forgiven():
    gold, predicted = [document("{DATE 2012} x")], [document("{DATE 201}2 x")]
    assert counts(gold, predicted, "conll") == (1, 0, 0)
    assert counts(gold, predicted, "strict") == (0, 1, 1)
    assert counts([document("{DATE a} b")], [document("{DATE a }b")], "conll") == (1, 0, 0)


def test_neighbours_of_one_type_are_two_phrases():
    gold = [document("{CITY a}{CITY -}")]
    assert counts(gold, gold, "conll") == (2, 0, 0)
    assert counts(gold, [document("{CITY a-}")], "conll") == (0, 1, 2)


def test_of_overlapping_spans_the_longest_has_the_tokens():
    gold = [placed("a b c", (0, 3, "X"), (0, 1, "Y"), (2, 5, "Z"))]
    # X has a and b (as long as Z, and earlier); c is left to Z; Y has none.
    found = measured(gold, gold, "conll").by_label
    assert {label: score.tp for label, score in found.items()} == {"X": 1, "Y": 0, "Z": 1}


def test_spans_without_a_token_are_no_phrases():
    assert counts([document("a{X  } b")], [document("a  b")], "conll") == (0, 0, 0)
