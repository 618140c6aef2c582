"""Sampling: which items the learner sees. Gardner et al. 2010, §5."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.feature_rows import Features
from scrubline.models.recipes import Sampling
from scrubline.models.training.sampling import kept_items, sample


def features_of(tags: list[list[str]]) -> Features:
    """An item's attributes: its own number, and whether it is even."""
    lengths = [len(sequence) for sequence in tags]
    size = sum(lengths)
    rows = np.arange(size)
    ids = np.stack([rows, size + rows % 2], axis=1).ravel() if size else np.zeros(0, np.int64)
    return Features(
        tuple(f"i={n}" for n in range(size)) + ("even", "odd"),
        ids,
        2 * np.arange(size + 1),
        rows * 2,
        rows * 2 + 1,
        np.cumsum([0, *lengths]),
        np.arange(len(tags) + 1),
    )


def kept(tags: str, **how: object) -> str:
    """The items kept of sequences written as words of O and B, others as dots."""
    sequences = [list(word) for word in tags.split()]
    offsets = np.cumsum([0, *map(len, sequences)])
    flags = kept_items(offsets, sequences, Sampling(**how), 0).tolist()
    flat = [tag if flag else "." for tag, flag in zip("".join(tags.split()), flags, strict=True)]
    return " ".join("".join(flat[s:e]) for s, e in zip(offsets, offsets[1:], strict=False))


@pytest.mark.parametrize(
    ("tags", "window", "expected"),
    [
        ("OOOBOOO", 0, "...B..."),
        ("OOOBOOO", 1, "..OBO.."),
        ("OOOBOOO", 9, "OOOBOOO"),
        ("OOOBBOOOOBOOO", 1, "..OBBO..OBO.."),
        ("OOO OBO OOO", 5, "... OBO ..."),
        ("BOOOOOB", 2, "BOO.OOB"),
        ("OOO", 2, "..."),
        ("BBB", 0, "BBB"),
    ],
)
def test_a_window_is_kept_around_each_label_within_its_sequence(tags, window, expected):
    assert kept(tags, method="window", window=window) == expected


@pytest.mark.parametrize(
    ("tags", "history", "expected"),
    [
        ("OOOOOOBOOO", 4, "..OOOOB..."),
        ("OOOOOOBOOO", 0, "......B..."),
        ("OO OB OO", 4, ".. OB .."),
        ("OOBOOBOO", 1, ".OB.OB.."),
    ],
)
def test_random_sampling_keeps_the_history_of_each_label(tags, history, expected):
    assert kept(tags, method="random", keep=1e-12, history=history) == expected


def test_random_sampling_keeps_each_other_item_with_its_probability():
    tags = [["O"] * 50 + ["B-DATE"]] * 400
    for keep in (0.1, 0.5, 0.9):
        found, found_tags = sample(features_of(tags), tags, Sampling("random", keep, history=0), 7)
        others = sum(sequence.count("O") for sequence in found_tags)
        assert abs(others / 20_000 - keep) < 0.02
        assert sum(sequence.count("B-DATE") for sequence in found_tags) == 400
    first = sample(features_of(tags), tags, Sampling("random", 0.5), 1)[1]
    assert first == sample(features_of(tags), tags, Sampling("random", 0.5), 1)[1]
    assert first != sample(features_of(tags), tags, Sampling("random", 0.5), 2)[1]


SEQUENCES = st.lists(st.lists(st.sampled_from(["O", "O", "O", "B-DATE", "I-DATE"]), max_size=12))
HOW = st.builds(
    Sampling,
    method=st.sampled_from(["all", "random", "window"]),
    keep=st.floats(0.01, 1),
    history=st.integers(0, 6),
    window=st.integers(0, 6),
)


@given(tags=SEQUENCES, how=HOW, seed=st.integers(0, 9))
def test_order_labels_and_attributes_are_kept(tags, how, seed):
    before = features_of(tags)
    after, after_tags = sample(before, tags, how, seed)
    assert [len(sequence) for sequence in after_tags] == np.diff(after.sequence_offsets).tolist()
    assert len(after_tags) == len(tags)
    for old, new in zip(tags, after_tags, strict=True):
        assert [tag for tag in old if tag != "O"] == [tag for tag in new if tag != "O"]
    # An item is known by its first attribute, and brings all of them with it, in order.
    firsts = after.attribute_ids[after.item_offsets[:-1]].tolist()
    assert firsts == sorted(firsts)
    flat = [tag for sequence in tags for tag in sequence]
    assert [flat[item] for item in firsts] == [t for sequence in after_tags for t in sequence]
    for row, item in enumerate(firsts):
        ids = after.attribute_ids[after.item_offsets[row] : after.item_offsets[row + 1]]
        assert [after.attributes[i] for i in ids] == [f"i={item}", "odd" if item % 2 else "even"]
        assert (after.starts[row], after.ends[row]) == (item * 2, item * 2 + 1)
    if how.method == "all":
        assert len(firsts) == len(flat)
