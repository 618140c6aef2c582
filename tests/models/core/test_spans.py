import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.spans import NO_CANDIDATES, Candidate, Candidates, Span, Spans


@st.composite
def candidates(draw):
    start = draw(st.integers(0, 30))
    return Candidate(
        start,
        start + draw(st.integers(1, 9)),
        draw(st.sampled_from(["DATE", "PATIENT", "CITY"])),
        draw(st.sampled_from(["date", "hide"])),
        draw(st.sampled_from([0.0, 0.5, 0.9876, 1.0])),
    )


@st.composite
def spans(draw):
    start = draw(st.integers(0, 30))
    action = draw(st.sampled_from(["redact", "mask", "generalise", "keep"]))
    return Span(
        start,
        start + draw(st.integers(1, 9)),
        draw(st.sampled_from(["DATE", "PATIENT"])),
        action,
        None if action == "keep" else draw(st.sampled_from(["", "[DATE]", "**"])),
        draw(st.sampled_from([("date",), ("date", "hide")])),
        "date",
        draw(st.sampled_from([0.0, 0.25, 1.0])),
        draw(st.booleans()),
        draw(st.sampled_from(["policy", "veto", "allow"])) if action == "keep" else None,
    )


CANDIDATE_ROWS = st.lists(st.tuples(st.integers(0, 3), candidates()), max_size=20)
SPAN_ROWS = st.lists(
    st.tuples(st.integers(0, 3), spans()), max_size=20, unique_by=lambda row: (row[0], row[1].start)
)


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 2), (3, 2), (-3, -1)])
def test_a_range_is_not_empty_and_not_negative(start, end):
    with pytest.raises(ValueError, match="date: bad range"):
        Candidate(start, end, "DATE", "date", 0.9)


def test_rows_hold_no_text():
    fields = {*Candidate._fields, *(field.name for field in dataclasses.fields(Span))}
    assert "text" not in fields
    assert "covered" not in fields


@given(CANDIDATE_ROWS, st.randoms(use_true_random=False))
def test_candidates_are_a_sorted_set_whatever_order_they_came_in(rows, random):
    columns = Candidates.of(rows)
    assert columns.rows() == sorted(set(rows))
    shuffled = list(rows) * 2
    random.shuffle(shuffled)
    other = Candidates.of(shuffled)
    for field in dataclasses.fields(Candidates):
        mine, theirs = getattr(columns, field.name), getattr(other, field.name)
        assert np.array_equal(mine, theirs)
    assert list(columns.label_names) == sorted({c.label for _, c in rows})
    assert len(columns) == len(set(rows))


@given(CANDIDATE_ROWS)
def test_candidates_by_document_lose_nothing(rows):
    found = Candidates.of(rows).by_document(5)
    assert [(d, c) for d, some in enumerate(found) for c in some] == sorted(set(rows))
    assert found[4] == []


@given(CANDIDATE_ROWS, CANDIDATE_ROWS)
def test_candidates_are_joined_as_if_made_at_once(first, second):
    joined = Candidates.joined(Candidates.of(first), Candidates.of(second))
    expected = Candidates.of([*first, *second])
    for field in dataclasses.fields(Candidates):
        assert np.array_equal(getattr(joined, field.name), getattr(expected, field.name))


@given(SPAN_ROWS)
def test_spans_are_joined_in_order(rows):
    joined = Spans.joined(Spans.of(rows[::2]), Spans.of(rows[1::2]))
    assert joined.rows() == Spans.of(rows).rows()


@given(SPAN_ROWS, st.randoms(use_true_random=False))
def test_spans_come_back_in_order(rows, random):
    ordered = sorted(rows, key=lambda row: (row[0], row[1].start))
    shuffled = list(rows)
    random.shuffle(shuffled)
    columns = Spans.of(shuffled)
    assert columns.rows() == ordered
    assert len(columns) == len(rows)
    by_document = columns.by_document(4)
    assert [(d, s) for d, some in enumerate(by_document) for s in some] == ordered


def test_rows_are_plain_python_values():
    # Numbers of numpy would be written otherwise in JSON and digests.
    rows = Spans.of([(0, Span(1, 2, "DATE", "redact", "[DATE]", ("date",), "date", 0.5, True))])
    ((document, span),) = rows.rows()
    assert [type(v) for v in (document, span.start, span.end, span.score, span.fragment)] == [
        int,
        int,
        int,
        float,
        bool,
    ]
    ((document, candidate),) = Candidates.of([(0, Candidate(1, 2, "DATE", "date", 0.5))]).rows()
    assert [type(v) for v in (document, candidate.start, candidate.score)] == [int, int, float]


def test_nothing_is_a_value_too():
    no_spans = Spans.of(())
    assert len(NO_CANDIDATES) == len(no_spans) == 0
    assert NO_CANDIDATES.rows() == no_spans.rows() == []
    assert NO_CANDIDATES.by_document(2) == no_spans.by_document(2) == [[], []]


def test_columns_must_be_of_one_length():
    one = Candidates.of([(0, Candidate(1, 2, "DATE", "date", 0.5))])
    with pytest.raises(ValueError, match="Candidates: columns differ"):
        dataclasses.replace(one, ends=np.zeros(2, np.int64))
    span = Spans.of([(0, Span(1, 2, "DATE", "redact", "[DATE]", ("date",), "date", 0.5))])
    with pytest.raises(ValueError, match="Spans: columns differ"):
        dataclasses.replace(span, labels=())


def test_columns_do_not_show_what_they_hold():
    rows = [(0, Span(1, 2, "DATE", "generalise", "90+", ("date",), "date", 0.5))]
    assert "90+" not in repr(Spans.of(rows))
