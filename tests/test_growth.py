"""That tests of linear time find what is not."""

import pytest

from .growth import assert_linear, assert_within


def squared(numbers):
    return sum(1 for _ in numbers for _ in numbers)


def test_work_in_proportion_passes_and_work_of_the_square_does_not():
    assert_linear(range, sum, 20_000)
    with pytest.raises(AssertionError, match="^pairs: "):
        assert_linear(range, squared, 100, "pairs")


def test_what_costs_more_than_allowed_is_found():
    assert_within(64, sum, lambda: range(20_000), lambda: range(100_000), "five times as many")
    with pytest.raises(AssertionError, match="^more: .* times the cost, expected below 4"):
        assert_within(4, sum, lambda: range(20_000), lambda: range(2_000_000), "more")
