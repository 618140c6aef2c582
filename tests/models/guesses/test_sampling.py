import pytest
from scrubline.models.guesses.sampling import MOST_FILES, chosen_files


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 1000])
def test_few_files_are_chosen(count):
    chosen = chosen_files(["a"] * count)
    assert len(chosen) <= MOST_FILES
    assert chosen == sorted(set(chosen))
    assert all(0 <= index < count for index in chosen)
    assert not count or {0, count - 1} <= set(chosen)
    assert count > MOST_FILES or chosen == list(range(count))


def test_a_file_of_each_kind_is_chosen():
    kinds = ["a"] * 500 + ["b"] + ["a"] * 500
    assert 500 in chosen_files(kinds)
    assert len(chosen_files(list(range(100)))) <= MOST_FILES
