import dataclasses

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.batches import Batch, Failure, map_documents
from scrubline.models.core.documents import Context, Document, Documents, Rows
from scrubline.models.core.errors import OverBudget


def batch_of(rows: list[int], count: int, **more) -> Batch:
    """A batch of `count` rows with a document "d<i>" for each entry of `rows`."""
    return Batch(
        0,
        True,
        Rows(
            np.arange(count, dtype=np.int64),
            tuple(f"key{i}" for i in range(count)),
            tuple(f"patient{i}" for i in range(count)),
            tuple(f"kind{i}" for i in range(count)),
            pa.table({"text": pa.array(["Smith"] * count)}),
            np.arange(count, dtype=np.int64),
        ),
        Documents(
            tuple(f"d{i}" for i in range(len(rows))),
            np.array(rows, np.int64),
            tuple("text" if i % 2 else "more" for i in range(len(rows))),
        ),
        **more,
    )


def test_a_document_and_its_context():
    batch = batch_of([0, 0, 2], 3)
    assert batch.document(1) == Document("d1", "text")
    assert batch.context(2) == Context("kind2", "patient2")


def test_a_row_that_failed_takes_all_its_documents_with_it():
    batch = batch_of([0, 0, 2], 3, failures={0: Failure("read", "BadJson")})
    assert [batch.is_active(i) for i in range(3)] == [False, False, True]


def test_a_raise_fails_the_row_and_is_told_by_class():
    def work(index: int) -> str:
        if index == 0:
            raise ValueError("Smith")
        if index == 3:
            raise OverBudget("tokens")
        return batch.documents.texts[index]

    batch = batch_of([0, 0, 1, 2], 3)
    results, failures = map_documents(batch, "label", work)
    # The second document of row 0 is not even tried.
    assert results == [None, None, "d2", None]
    assert failures == {0: Failure("label", "ValueError"), 2: Failure("label", "OverBudget:tokens")}
    assert batch.failures == {}


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_ends_the_process_is_not_a_fault_of_a_document(error):
    def work(index: int) -> None:
        raise error

    with pytest.raises(error):
        map_documents(batch_of([0], 1), "label", work)


@given(
    st.lists(st.integers(0, 5), max_size=12).map(sorted),
    st.sets(st.integers(0, 11)),
    st.sets(st.integers(0, 5)),
)
def test_rows_are_either_failed_or_whole(rows, raising, failed_before):
    before = {row: Failure("read", "BadJson") for row in failed_before}
    batch = batch_of(rows, 6, failures=before)
    called = []

    def work(index: int) -> int:
        called.append(index)
        if index in raising:
            raise KeyError("Smith")
        return index

    results, failures = map_documents(batch, "merge", work)
    assert {row: failures[row] for row in failed_before} == before
    for index, row in enumerate(rows):
        expected_failed = row in failed_before or any(
            other in raising for other in range(len(rows)) if rows[other] == row
        )
        assert (row in failures) is expected_failed
        if results[index] is not None:
            assert results[index] == index
            assert index in called
    assert not any(rows[index] in failed_before for index in called)


def test_values_do_not_show_what_they_hold():
    batch = batch_of([0], 1)
    for value in (batch, batch.rows, batch.documents, batch.document(0)):
        shown = repr(value).partition(" at 0x")[0]  # an address may spell anything
        assert "Smith" not in shown
        assert "d0" not in shown


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("rows", {"doc_keys": ()}),
        ("rows", {"note_types": ("a", "b")}),
        ("documents", {"fields": ()}),
        ("documents", {"rows": np.zeros(3, np.int64)}),
    ],
)
def test_columns_must_be_of_one_length(kind, change):
    with pytest.raises(ValueError, match="columns differ in length"):
        dataclasses.replace(getattr(batch_of([0], 1), kind), **change)
