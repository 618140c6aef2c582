from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.corpora import AnnotatedDocument
from scrubline.models.training.folds import make_folds, training_part

from .notes import CORPUS


def documents(groups):
    return [AnnotatedDocument(f"d{i}", "x", (), {"patient": g}) for i, g in enumerate(groups)]


@given(size=st.integers(2, 60), count=st.integers(2, 10), seed=st.integers(0, 3))
def test_every_document_is_held_out_once(size, count, seed):
    if count > size:
        with pytest.raises(UsageError, match=f"need at least {count} documents; there are {size}$"):
            make_folds(documents(range(size)), count, seed=seed)
        return
    folds = make_folds(documents(range(size)), count, seed=seed)
    assert sorted(d for fold in folds for d in fold) == list(range(size))
    sizes = [len(fold) for fold in folds]
    assert max(sizes) - min(sizes) <= 1
    for number, fold in enumerate(folds):
        assert sorted([*training_part(folds, number), *fold]) == list(range(size))
        assert list(fold) == sorted(fold)


@given(groups=st.lists(st.integers(0, 8), min_size=2, max_size=40), seed=st.integers(0, 3))
def test_groups_stay_together(groups, seed):
    if len(set(groups)) < 2:
        with pytest.raises(UsageError, match="need at least 2 groups of documents; there are 1"):
            make_folds(documents(groups), 2, seed=seed, group_by="patient")
        return
    folds = make_folds(documents(groups), 2, seed=seed, group_by="patient")
    first, second = ({groups[d] for d in fold} for fold in folds)
    assert first and second and not first & second


def test_folds_depend_on_the_seed_alone():
    assert make_folds(CORPUS, 3) == make_folds(list(CORPUS), 3)
    assert make_folds(CORPUS, 3) != make_folds(CORPUS, 3, seed=1)


@pytest.mark.parametrize(
    ("count", "group_by", "words"),
    [(1, None, "2 to 100"), (101, None, "2 to 100"), (2, "ward", "document 0: its meta lacks")],
)
def test_folds_that_cannot_be_made(count, group_by, words):
    with pytest.raises(UsageError, match=words):
        make_folds(CORPUS, count, group_by=group_by)


@pytest.mark.parametrize("missing", [None, ""])
def test_a_document_without_its_group_is_named_by_ordinal(missing):
    with pytest.raises(UsageError, match="document 1: ") as caught:
        make_folds(documents(["smith", missing, "jones"]), 2, group_by="patient")
    assert "smith" not in str(caught.value)
