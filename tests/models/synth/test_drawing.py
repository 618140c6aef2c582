"""Choices follow from the key alone, and are as frequent as was asked for."""

import collections
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.synth.drawing import Draw


def test_the_stream_of_a_key_is_pinned():
    # Bytes of corpora hang on it: no version of Python or of a library may change it.
    draw = Draw("pinned", 1)
    assert [draw.below(1000) for _ in range(9)] == [628, 206, 784, 29, 207, 863, 380, 347, 369]
    assert Draw("pinned", 1).shaped("AA-####") == "EQ-4973"


@given(st.text(), st.integers())
def test_equal_keys_give_equal_choices_and_others_do_not(word, number):
    def drawn(*key):
        draw = Draw(*key)
        return [draw.below(1 << 30) for _ in range(6)]

    assert drawn(word, number) == drawn(word, number)
    assert drawn(word, number) != drawn(word, number + 1)


def test_a_child_does_not_depend_on_what_was_drawn():
    one, other = Draw("a"), Draw("a")
    other.below(10)
    assert one.child("b").digits(12) == other.child("b").digits(12)


def test_choices_are_as_frequent_as_asked():
    draw = Draw("frequencies")
    assert 4700 < sum(draw.chance(0.5) for _ in range(10_000)) < 5300
    assert 70 < sum(draw.chance(0.01) for _ in range(10_000)) < 130
    names = collections.Counter(draw.one_of(rare=1, often=9) for _ in range(10_000))
    assert 850 < names["rare"] < 1150
    sums = tuple(itertools.accumulate((1, 0, 9)))
    picked = collections.Counter(draw.weighted("abc", sums) for _ in range(10_000))
    assert 850 < picked["a"] < 1150
    assert picked["b"] == 0
    assert set(collections.Counter(draw.between(3, 5) for _ in range(300))) == {3, 4, 5}


@given(st.integers(0, 500))
def test_shapes_are_filled(seed):
    made = Draw(seed).shaped(r"9#-Aa\9.x")
    assert made[0] in "123456789"
    assert made[1].isdigit()
    assert made[3].isupper()
    assert made[4].islower()
    assert made[2] == "-"
    assert made[5:] == "9.x"


def test_nothing_is_below_nothing():
    with pytest.raises(ValueError, match="no number below 0"):
        Draw("x").below(0)
