import pytest
from hypothesis import given
from scrubline.models.evaluation import Score, compare

from ...examples import examples
from .makers import counts, document, measured, pairs, tokenize


def test_words_are_cut_by_white_space_alone():
    gold = [document("by {DOCTOR Ann O'Lee}, M.D. on {DATE 3/4/12}.")]
    predicted = [document("by {DOCTOR Ann} O'Lee, M.D. on {DATE 3}/4/12{DATE .}")]
    # "Ann" is found, "O'Lee," is not; "3/4/12." is one word and is found once.
    found = measured(gold, predicted, "i2b2_2006_token").by_label
    assert found["DOCTOR"] == Score(1, 0, 1)
    assert found["DATE"] == Score(1, 0, 0)
    assert len(found) == 8


@pytest.mark.parametrize(
    ("label", "name"),
    [("STREET", "LOCATION"), ("ZIP", "LOCATION"), ("FAX", "PHONE"), ("SSN", "ID"), ("AGE", "AGE")],
)
def test_native_labels_count_as_their_class(label, name):
    gold = [document(f"{{{label} x}} y")]
    found = measured(gold, gold, "i2b2_2006_token").by_label
    assert {one: s.tp for one, s in found.items() if s.tp} == {name: 1}


def test_labels_of_one_class_are_no_mistake_and_others_are():
    assert counts([document("{CITY x}")], [document("{STATE x}")], "i2b2_2006_token") == (1, 0, 0)
    assert counts([document("{CITY x}")], [document("{DATE x}")], "i2b2_2006_token") == (0, 1, 1)


def test_what_has_no_class_does_not_count():
    gold = [document("{PROFESSION nurse} {DATE x}")]
    assert counts(gold, gold, "i2b2_2006_token") == (1, 0, 0)


def test_the_challenges_own_labels_stay():
    gold = [document("{ID 123 45} {LOCATION Rome}")]
    assert counts(gold, gold, "i2b2_2006_token") == (3, 0, 0)


def test_other_labels_are_left_out():
    gold = [document("{CALLE x}")]
    assert "i2b2 2006's" in compare(gold, gold, tokenize=tokenize).left_out["i2b2_2006_token"]


@given(pairs("ab1. \n\u00a0é", ["CITY", "ZIP", "DATE", "PROFESSION"]))
@examples(60)
def test_fast_words_are_slow_words(both):
    classes = {"CITY": "LOCATION", "ZIP": "LOCATION", "DATE": "DATE"}
    sides = []
    for side in both:
        found = set()
        for one in side:
            number = -1
            for at, character in enumerate(one.text):
                if not character.isspace():
                    number += at == 0 or one.text[at - 1].isspace()
                    for span in one.spans:
                        if span.start <= at < span.end and span.label in classes:
                            found.add((one.doc_id, number, classes[span.label]))
        sides.append(found)
    gold, predicted = sides
    expected = (len(gold & predicted), len(predicted - gold), len(gold - predicted))
    assert counts(*both, "i2b2_2006_token") == expected
