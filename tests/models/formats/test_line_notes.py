"""Notes of several rows: what is a note, what is cut, what goes back to which row."""

import decimal
import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.core.spans import Candidate
from scrubline.models.core.written_texts import JOIN, joins_between
from scrubline.models.formats import FORMATS, Chunk
from scrubline.models.formats.column_roles import Columns
from scrubline.models.formats.line_notes import (
    GroupLines,
    join,
    lines_in_order,
    pieces,
    whole_notes,
)
from scrubline.models.redaction.merging import merge
from scrubline.models.redaction.policy import Policy
from scrubline.models.redaction.policy_file import load_policy
from scrubline.models.redaction.scrub import scrub

JSONL = FORMATS["jsonl"]
BY = GroupLines("id", "line")
ROLES = Columns.parse([("id", "id"), ("line", "pass"), ("text", "text")])


def chunk(ids, errors=()):
    cells = [None if one is None else json.dumps(one) for one in ids]
    text = pa.array([None if one is None else '"x"' for one in ids], pa.string())
    table = pa.table({"id": pa.array(cells, pa.string()), "text": text})
    return Chunk(table, dict.fromkeys(errors, "BadJson"))


def notes(chunks, most_bytes=1 << 30):
    """The row numbers of each note, and the error rows, over all chunks."""
    found, errors, first = [], {}, 0
    for one in whole_notes(iter(chunks), JSONL, BY, most_bytes):
        for row, first_row in enumerate(one.first_rows.tolist()):
            if first_row == row:
                found.append([])
            found[-1].append(first + row)
        errors |= {first + row: code for row, code in one.errors.items()}
        first += one.columns.num_rows
    return found, errors


def cuts(ids, places, errors=()):
    """The same rows in chunks that end at `places`."""
    edges = [0, *sorted(set(places)), len(ids)]
    return [
        chunk(ids[a:b], [e - a for e in errors if a <= e < b])
        for a, b in zip(edges, edges[1:], strict=False)
        if a < b
    ]


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        ([], []),
        ([1], [[0]]),
        ([1, 1, 2, 3, 3], [[0, 1], [2], [3, 4]]),
        ([1, 2, 1], [[0], [1], [2]]),  # a repeated id, numbered as any other
        ([1, "1"], [[0, 1]]),  # as everywhere, 1 and "1" are one id
        ([None, None, 1], [[0], [1], [2]]),
    ],
)
def test_neighbouring_rows_of_one_id_are_a_note(ids, expected):
    assert notes([chunk(ids)]) == (expected, {})


@pytest.mark.parametrize(
    ("ids", "errors", "expected"),
    [
        ([1, None, 1], [1], [[0, 1, 2]]),
        ([1, None, 2], [1], [[0], [1], [2]]),
        ([None, 1, 1], [0], [[0], [1, 2]]),
        ([1, 1, None], [2], [[0, 1], [2]]),
        ([1, None, None, 1], [1], [[0, 1, 2, 3]]),
    ],
)
def test_a_row_that_cannot_be_read_between_two_of_a_note_is_one_of_it(ids, errors, expected):
    assert notes([chunk(ids, errors)]) == (expected, dict.fromkeys(errors, "BadJson"))


ROWS = st.lists(st.integers(0, 2) | st.none(), max_size=25)


@given(ROWS, st.lists(st.integers(0, 25), max_size=8), st.sets(st.integers(0, 24), max_size=6))
def test_chunks_do_not_decide_what_a_note_is(ids, places, errors):
    errors = [row for row in errors if row < len(ids)]
    places = [place for place in places if place <= len(ids)]
    whole = [chunk(ids, errors)] if ids else []
    found = notes(cuts(ids, places, errors))
    assert found == notes(whole)
    assert sorted(row for note in found[0] for row in note) == list(range(len(ids)))


@given(st.lists(st.integers(0, 30), max_size=8))
def test_a_note_over_its_budget_is_error_rows_and_no_neighbour_is(places):
    ids = [1, 1] + [2] * 26 + [3, 3]
    found, errors = notes(cuts(ids, [p for p in places if p <= 30]), most_bytes=20)
    assert errors == dict.fromkeys(range(2, 28), "OverBudget:bytes")
    assert [0, 1] in found and [28, 29] in found


def test_rows_that_cannot_be_read_are_not_held_without_end():
    ids = [1] + [None] * 101_000 + [1]
    found, _ = notes([chunk(ids)])
    assert found == [[row] for row in range(101_002)]


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ([], None),
        ([1, 2, 5], None),
        (["1", "02", "10"], None),
        ([2, 1], "LinesOutOfOrder"),
        ([1, 1], "LinesOutOfOrder"),
        ([1, None], "BadLineNumber"),
        ([1, "x"], "BadLineNumber"),
        ([1, 2.5], "BadLineNumber"),
        ([1.0, "2.0", decimal.Decimal("3.00")], None),
        (["1_0", 11], "BadLineNumber"),
        ([1, True], "BadLineNumber"),
    ],
)
def test_lines_must_grow(values, code):
    assert lines_in_order(values) == code


@pytest.mark.parametrize("text", ["", "id", "id,", ",line", "id,id", "a,b,c"])
def test_what_is_no_pair_of_columns_is_refused(text):
    with pytest.raises(UsageError, match="ID,LINE"):
        GroupLines.parse(text)


@pytest.mark.parametrize(
    ("by", "roles", "form", "message"),
    [
        (GroupLines("no", "line"), ROLES, "jsonl", "'no' must be the column with role id"),
        (GroupLines("id", "no"), ROLES, "jsonl", "'no' must be a declared column"),
        (GroupLines("id", "text"), ROLES, "jsonl", "role pass or drop"),
        (BY, ROLES, "text", "each record of text is already a whole note"),
        (
            BY,
            Columns.parse([("id", "id"), ("line", "pass"), ("a", "text"), ("b", "text")]),
            "jsonl",
            "exactly one column",
        ),
    ],
)
def test_what_cannot_be_grouped_is_refused(by, roles, form, message):
    with pytest.raises(UsageError, match=message):
        by.check(roles, [FORMATS[form]])


def test_keys_of_folders_cannot_group():
    with pytest.raises(UsageError, match="hive folders"):
        BY.check(ROLES, [FORMATS["jsonl"]], {"line"})


def test_what_can_be_grouped_is_not():
    GroupLines.parse(" id , line ").check(ROLES, [FORMATS["jsonl"], FORMATS["parquet"]])


@st.composite
def notes_with_candidates(draw):
    texts = draw(st.lists(st.none() | st.text("ab \n93", max_size=12), min_size=2, max_size=6))
    text, starts = join(texts)
    stretches = draw(st.lists(st.tuples(st.integers(0, len(text)), st.integers(1, 9)), max_size=6))
    labels = st.sampled_from(["AGE", "PATIENT", "DATE"])
    found = [
        Candidate(start, min(start + length, len(text)), draw(labels), "rule", 0.9)
        for start, length in stretches
        if start < len(text)
    ]
    return texts, text, starts, found


@given(notes_with_candidates(), st.sampled_from(["hipaa", "research"]))
def test_each_row_gets_its_own_stretch_back(case, policy_name):
    texts, text, starts, found = case
    spans = merge(text, found, load_policy(policy_name), joins=joins_between(starts))
    out, _, out_ends = scrub(text, spans)
    ends = [(span.end, out_end) for span, out_end in zip(spans, out_ends, strict=True)]
    rows = list(pieces(out, starts, ends))
    assert JOIN.join(rows) == out and len(rows) == len(texts)
    # Each row is what it would be if its own spans were applied to it alone.
    for row, source, start in zip(rows, texts, starts, strict=True):
        end = start + len(source or "")
        own = [s for s in spans if start <= s.start and s.end <= end]
        expected, at = "", start
        for span in own:
            expected += text[at : span.start]
            expected += text[span.start : span.end] if span.action == "keep" else span.replacement
            at = span.end
        assert row == expected + text[at:end]


def removed(spans):
    return {at for s in spans if s.replacement is not None for at in range(s.start, s.end)}


@given(notes_with_candidates(), st.sampled_from(["hipaa", "research"]))
def test_seams_change_what_is_removed_by_themselves_alone(case, policy_name):
    _, text, starts, found = case
    joins = set(joins_between(starts))
    policy = load_policy(policy_name)
    cut = removed(merge(text, found, policy, joins=joins_between(starts)))
    assert cut == removed(merge(text, found, policy)) - joins


def test_a_cut_age_is_judged_whole():
    text, starts = join(["aged 9", "3"])
    spans = merge(
        text,
        [Candidate(5, 8, "AGE", "r", 1.0), Candidate(0, 4, "DATE", "r", 1.0)],
        load_policy("hipaa"),
        joins=joins_between(starts),
    )
    assert [(s.start, s.end, s.action) for s in spans] == [
        (0, 4, "redact"),
        (5, 6, "redact"),
        (7, 8, "redact"),
    ]


def test_ages_elsewhere_in_the_note_are_generalised_as_ever():
    text, starts = join(["aged 45, Dr. Jane", "Roe"])
    spans = merge(
        text,
        [Candidate(5, 7, "AGE", "r", 1.0), Candidate(13, 21, "DOCTOR", "r", 1.0)],
        load_policy("hipaa"),
        joins=joins_between(starts),
    )
    assert [(s.start, s.end, s.action) for s in spans] == [
        (5, 7, "keep"),
        (13, 17, "redact"),
        (18, 21, "redact"),
    ]


@pytest.mark.parametrize("how", ["allow", "veto"])
def test_half_a_name_is_not_let_through_by_a_phrase(how):
    text, starts = join(["seen by Dr. Mark", "Parkinson today"])
    word = {"*": frozenset({"parkinson"})}
    policy = Policy("p", **{how: word})
    spans = merge(
        text, [Candidate(12, 26, "DOCTOR", "r", 1.0)], policy, joins=joins_between(starts)
    )
    assert [(s.start, s.end, s.action) for s in spans] == [(12, 16, "redact"), (17, 26, "redact")]


def test_cutting_is_linear_in_the_rows():
    text, starts = join(["a"] * 200_000)
    found = [Candidate(at, at + 3, "DATE", "r", 1.0) for at in range(0, 20_000, 4)]
    assert len(merge(text, found, Policy("p"), joins=joins_between(starts))) == 10_000
