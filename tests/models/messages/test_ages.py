"""Quantities that tell of an age over 89."""

import pytest
from scrubline.models.messages.ages import is_age, is_over_89, is_year


@pytest.mark.parametrize(
    ("value", "units", "of_age", "is_over"),
    [
        ("90", ["a"], False, True),
        ("89", ["a"], False, False),
        ("89.9", ["a"], False, False),
        ("91", ["", "Years", "UCUM"], False, True),
        ("91", [" yr "], False, True),
        (">^91", ["a"], False, True),
        ("88 - 91", ["a"], False, True),
        # Not every number is an age.
        ("91", ["mg"], False, False),
        ("91", [], False, False),
        ("91", ["mo"], False, False),
        ("120", ["{packyears}"], False, False),
        # What is said to be one is in years, where it says nothing else.
        ("91", [], True, True),
        ("91", ["", ""], True, True),
        ("91", ["mo"], True, False),
        ("1092", ["mo"], True, True),
        ("4800", ["wk"], True, True),
        ("274", ["d"], True, False),
        ("33000", ["d"], True, True),
        ("95", ["%"], True, False),
        ("", ["a"], True, False),
        ("9.1e1", ["a"], False, True),
        ("0.091e3", ["a"], False, True),
        ("8.8e1", ["a"], False, False),
        ("91e-1", ["a"], False, False),
        ("93", ["años"], False, True),
        ("1116", ["meses"], True, True),
        ("93", ["mesas"], True, False),
    ],
)
def test_over_89(value, units, of_age, is_over):
    assert is_over_89(value, units, of_age=of_age) is is_over


@pytest.mark.parametrize(
    ("codes", "expected"),
    [
        (["30525-0", "x", "LN"], True),
        (["AGE", "Age", "L"], True),
        (["x", "Patient age"], True),
        (["x", "Age at diagnosis"], True),
        (["x", "Age - Reported"], True),
        (["x", "Mother's age"], True),
        (["x", "Gestational age"], False),
        (["x", "Bone age"], False),
        (["x", "Dosage"], False),
        (["8302-2", "Body height"], False),
        ([], False),
    ],
)
def test_what_is_an_age(codes, expected):
    assert is_age(codes) is expected


def test_what_is_a_year():
    assert is_year(["x", "YRS"]) and not is_year(["/a", "mo", ""])
