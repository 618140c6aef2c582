import json
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.batches import Failure
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.errors import RunFailed, Shortage
from scrubline.models.formats import Limits
from scrubline.models.jobs import row_texts
from scrubline.models.jobs.output_rows import output_partition

from ...examples import examples
from ..conftest import KEYS, columns, read, write_lines

ALL_ROLES = columns(
    note_id="id",
    patient="patient",
    kind="type",
    day="date",
    body="text",
    addendum="text",
    ward="pass",
    name="drop",
    visit="hash",
)
RECORD = {
    "note_id": 12,
    "patient": "0007",
    "kind": "progress",
    "day": "2019-03-04",
    "body": "first",
    "addendum": "second",
    "ward": [1, 2.50, None],
    "name": "Smith",
    "visit": "v1",
}


def one(tmp_path, roles, *records, **how):
    """The one batch of some records."""
    (batch,) = read(write_lines(tmp_path / "in.jsonl", *records), roles, **how)
    return batch


def rows_of(batches):
    """Everything that batches say of their rows, wherever the borders between batches lie."""
    rows = []
    for batch in batches:
        for row in range(len(batch.rows)):
            documents = [
                (batch.documents.fields[i], batch.documents.texts[i])
                for i in range(len(batch.documents))
                if batch.documents.rows[i] == row
            ]
            rows.append(
                (
                    int(batch.rows.ordinals[row]),
                    batch.rows.doc_keys[row],
                    batch.rows.patient_keys[row],
                    batch.rows.note_types[row],
                    batch.rows.columns.slice(row, 1).to_pylist(),
                    batch.failures.get(row),
                    documents,
                )
            )
    return rows


# -- roles


def test_every_role_does_its_part(tmp_path):
    batch = one(tmp_path, ALL_ROLES, RECORD)
    assert batch.last
    assert batch.failures == {}
    assert batch.rows.doc_keys == (KEYS.doc_key("12"),)
    assert batch.rows.patient_keys == (KEYS.patient_key("0007"),)
    assert batch.rows.note_types == ("progress",)
    assert batch.documents.texts == ("first", "second")
    assert batch.documents.fields == ("body", "addendum")
    assert batch.rows.columns.to_pylist() == [
        {
            "kind": '"progress"',
            "body": '"first"',
            "addendum": '"second"',
            "ward": "[1, 2.5, null]",
            "visit": json.dumps(KEYS.column_hash("v1")),
        }
    ]


def test_dates_pass_only_where_the_policy_lets_them(tmp_path):
    assert "day" not in one(tmp_path, ALL_ROLES, RECORD).rows.columns.column_names
    kept = one(tmp_path, ALL_ROLES, RECORD, keep_dates=True)
    assert kept.rows.columns.column("day").to_pylist() == ['"2019-03-04"']


def test_ids_and_dropped_columns_never_go_out(tmp_path):
    batch = one(tmp_path, ALL_ROLES, RECORD, keep_dates=True)
    assert not {"note_id", "patient", "name"} & set(batch.rows.columns.column_names)
    assert "Smith" not in str(batch.rows.columns.to_pylist())


def test_documents_come_in_row_order_and_in_the_order_of_the_columns(tmp_path):
    batch = one(
        tmp_path,
        columns(i="id", b="text", a="text"),
        {"i": 1, "a": "1a", "b": "1b"},
        {"i": 2, "a": "2a"},
        {"i": 3, "a": None, "b": "3b"},
        {"i": 4},
    )
    assert batch.documents.texts == ("1b", "1a", "2a", "3b")
    assert batch.documents.rows.tolist() == [0, 0, 1, 2]
    assert batch.failures == {}


def test_an_empty_text_is_a_document_and_null_is_none(tmp_path):
    batch = one(tmp_path, columns(i="id", t="text"), {"i": 1, "t": ""}, {"i": 2, "t": None})
    assert batch.documents.texts == ("",)


def test_the_same_id_in_another_type_has_the_same_key(tmp_path):
    roles = columns(i="id", t="text", v="hash")
    batch = one(tmp_path, roles, {"i": 7, "v": 1, "t": "x"}, {"i": "7 ", "v": "1", "t": "x"})
    assert len(set(batch.rows.doc_keys)) == 1
    assert len(set(batch.rows.columns.column("v").to_pylist())) == 1


def test_repeated_ids_are_told_apart_by_their_ordinals(tmp_path):
    batch = one(
        tmp_path, columns(i="id", t="text"), *[{"i": 7, "t": "x"}] * 3, ordinals={1: 1, 2: 2}
    )
    assert batch.rows.doc_keys == tuple(KEYS.doc_key("7", n) for n in range(3))


# -- what goes wrong with one row


@pytest.mark.parametrize(
    ("record", "error"),
    [
        ('{"i": 1, "t": "cut', "BadJson"),
        ("[1]", "NotAnObject"),
        ({"t": "no id"}, "MissingId"),
        ({"i": None, "t": "x"}, "MissingId"),
        ({"i": " ", "t": "x"}, "MissingId"),
        ({"i": True, "t": "x"}, "BadId"),
        ({"i": 1.5, "t": "x"}, "BadId"),
        ({"i": [1], "t": "x"}, "BadId"),
        ({"i": 1, "t": 17}, "NotText"),
        ({"i": 1, "t": ["x"]}, "NotText"),
        ({"i": 1, "t": False}, "NotText"),
        ({"i": 1, "t": "half \ud83d"}, "LoneSurrogate"),
        ({"i": 1, "t": "x", "p": {"a": 1}}, "BadId"),
        ({"i": 1, "t": "x", "h": {"a": 1}}, "BadId"),
        ({"i": 1, "t": "x" * 101}, "OverBudget:bytes"),
        ({"i": 1, "t": "é" * 51}, "OverBudget:bytes"),
        ({"i": 1, "t": "x\n" + "y" * 31 + "\nx"}, "OverBudget:line"),
    ],
)
def test_a_bad_row_fails_alone_and_by_class(tmp_path, record, error):
    good = {"i": 5, "t": "good"}
    batch = one(
        tmp_path,
        columns(i="id", t="text", p="patient", h="hash"),
        good,
        record,
        good,
        budgets=Budgets(document_bytes=100, line_characters=30),
    )
    assert batch.failures == {1: Failure("read", error)}
    assert [
        batch.documents.texts[i] for i in range(len(batch.documents)) if batch.is_active(i)
    ] == ["good"] * 2
    assert len(batch.rows) == 3


@pytest.mark.parametrize(
    "text",
    [
        "x" * 100,
        "é" * 50,
        "\n".join(["y" * 30] * 3),
        "\r".join(["y" * 30] * 3),
        "\r\n".join(["y" * 30] * 3),
        "\0" * 30,
        "\ufeff🙂",
    ],
)
def test_texts_at_their_budgets_pass(tmp_path, text):
    budgets = Budgets(document_bytes=100, line_characters=30 if len(text.splitlines()) > 1 else 100)
    batch = one(tmp_path, columns(i="id", t="text"), {"i": 1, "t": text}, budgets=budgets)
    assert batch.failures == {}
    assert batch.documents.texts == (text,)


def test_one_failed_field_fails_the_row_whole(tmp_path):
    batch = one(tmp_path, columns(i="id", a="text", b="text"), {"i": 1, "a": "fine", "b": 3})
    assert batch.failures == {0: Failure("read", "NotText")}
    assert not any(batch.is_active(i) for i in range(len(batch.documents)))


def test_rows_on_the_skip_list_are_not_looked_at(tmp_path):
    lines = [{"i": n, "t": f"text {n}"} for n in range(6)]
    batches = read(
        write_lines(tmp_path / "in.jsonl", *lines),
        columns(i="id", t="text"),
        limits=Limits(batch_documents=2),
        skip={3: "KillsWorker"},
    )
    assert [b.failures for b in batches] == [{}, {1: Failure("skip-list", "KillsWorker")}, {}]
    assert "text 3" not in [text for batch in batches for text in batch.documents.texts]


def test_the_skip_list_says_why_even_if_the_row_could_not_be_read_anyway(tmp_path):
    batch = one(tmp_path, columns(i="id", t="text"), '{"i"', skip={0: "KillsWorker"})
    assert batch.failures == {0: Failure("skip-list", "KillsWorker")}
    assert batch.rows.doc_keys == (None,)


@pytest.mark.parametrize(
    ("record", "roles", "budgets", "why"),
    [
        ('{"i"', {}, {}, "BadJson"),
        ({"i": None, "t": "a"}, {}, {}, "MissingId"),
        ({"i": True, "t": "a"}, {}, {}, "BadId"),
        ({"i": 1, "t": 17}, {}, {}, "NotText"),
        ('{"i": 1, "t": "\\ud83d"}', {}, {}, "LoneSurrogate"),
        ({"i": 1, "t": "a" * 101}, {}, {"document_bytes": 100}, "OverBudget:bytes"),
        ({"i": 1, "t": "a", "h": [1]}, {"h": "hash"}, {}, "BadId"),
    ],
)
def test_a_row_that_cannot_be_read_keeps_its_class_whatever_an_operator_leaves_out(
    tmp_path, record, roles, budgets, why
):
    how = {"budgets": Budgets(**budgets), "skip": {0: "Skipped"}}
    batch = one(tmp_path, columns(i="id", t="text", **roles), record, **how)
    assert batch.failures == {0: Failure("read", why)}


def test_a_row_that_an_operator_leaves_out_is_not_worked_on(tmp_path):
    lines = [{"i": n, "t": f"text {n}"} for n in range(3)]
    lines[2]["t"] = None
    batch = one(tmp_path, columns(i="id", t="text"), *lines, skip={1: "Skipped", 2: "Skipped"})
    assert batch.failures == dict.fromkeys((1, 2), Failure("skip-list", "Skipped"))
    assert batch.documents.texts == ("text 0",)


def test_a_row_too_large_even_to_be_checked_can_be_left_out(tmp_path, monkeypatch):
    def check(text, budgets):
        if text == "large":
            raise MemoryError

    monkeypatch.setattr(row_texts, "check_text", check)
    lines = [{"i": 0, "t": "large"}, {"i": 1, "t": "small"}]
    with pytest.raises(Shortage):
        one(tmp_path, columns(i="id", t="text"), *lines)
    batch = one(tmp_path, columns(i="id", t="text"), *lines, skip={0: "Skipped"})
    assert batch.failures == {0: Failure("skip-list", "Skipped")}
    assert batch.documents.texts == ("small",)


# -- batches


def test_a_unit_without_rows_has_one_empty_last_batch(tmp_path):
    (batch,) = read(write_lines(tmp_path / "in.jsonl"), ALL_ROLES)
    assert batch.last
    assert len(batch.rows) == len(batch.documents) == 0
    assert batch.rows.columns.column_names == ["kind", "body", "addendum", "ward", "visit"]


def test_small_files_share_a_batch_up_to_its_caps(tmp_path):
    for n in range(7):
        (tmp_path / f"{n}.txt").write_text("x" * 50)
    roles = columns(path="id", text="text")
    assert [len(b.rows) for b in read(tmp_path, roles)] == [7]
    by_count = read(tmp_path, roles, limits=Limits(batch_documents=3))
    assert [len(b.rows) for b in by_count] == [3, 3, 1]
    assert [b.last for b in by_count] == [False, False, True]
    assert [b.rows.ordinals.tolist() for b in by_count] == [[0, 1, 2], [3, 4, 5], [6]]
    assert [len(b.rows) for b in read(tmp_path, roles, limits=Limits(batch_bytes=1))] == [1] * 7


def test_an_error_in_a_joined_batch_stays_with_its_row(tmp_path):
    for n in range(5):
        (tmp_path / f"{n}.txt").write_bytes(b"\xff" if n in (1, 4) else b"ok")
    (batch,) = read(tmp_path, columns(path="id", text="text"))
    assert batch.failures == {row: Failure("read", "BadEncoding") for row in (1, 4)}


RECORDS = st.lists(
    st.one_of(
        st.fixed_dictionaries(
            {"note_id": st.integers(0, 3) | st.none() | st.booleans()},
            optional={
                "body": st.text(alphabet="ab \n\r\0é🙂\ud83d", max_size=30)
                | st.none()
                | st.integers(),
                "addendum": st.text(max_size=5),
                "visit": st.integers() | st.lists(st.integers(), max_size=1),
                "ward": st.sampled_from([1, "x", None, {"a": []}]),
            },
        ),
        st.sampled_from(["{", "", " ", "[]", "null", '{"note_id": 1, "note_id": 2}', "x" * 200]),
    ),
    max_size=12,
)


@examples(60)
@given(RECORDS, st.integers(1, 5), st.integers(1, 120), st.integers(1, 300))
def test_caps_and_splits_do_not_show_in_the_rows(
    records, batch_documents, batch_bytes, split_bytes
):
    with tempfile.TemporaryDirectory() as folder:
        path = write_lines(Path(folder) / "in.jsonl", *records)
        budgets = Budgets(line_bytes=150, document_bytes=40)

        def limits(**caps):
            return Limits(line_bytes=budgets.line_bytes, document_bytes=40, **caps)

        whole = read(path, ALL_ROLES, limits=limits(), budgets=budgets)
        cut = read(
            path,
            ALL_ROLES,
            limits=limits(batch_documents=batch_documents, batch_bytes=batch_bytes),
            budgets=budgets,
            split_bytes=split_bytes,
        )
    assert rows_of(cut) == rows_of(whole)
    assert [b.last for b in cut] == [False] * (len(cut) - 1) + [True]
    assert [r[0] for r in rows_of(cut)] == list(range(sum(len(b.rows) for b in cut)))


def test_an_input_that_changed_stops_the_unit(tmp_path, storage):
    path = write_lines(tmp_path / "in.jsonl", {"i": 1, "t": "x"})
    (file,) = storage.list_files([str(path)])
    write_lines(path, {"i": 1, "t": "x"}, {"i": 2, "t": "Smith"})
    with pytest.raises(RunFailed, match="changed after it was planned") as caught:
        storage.check_unchanged(file)
    assert "Smith" not in str(caught.value)
    assert "in.jsonl" not in str(caught.value)


# -- hive folders


def test_a_partition_key_stands_for_a_column(tmp_path):
    path = tmp_path / "patient=0007" / "kind=progress" / "ward=A%2FB" / "in.jsonl"
    write_lines(path, {"i": 1, "t": "x"}, {"i": 2, "t": "y"})
    roles = columns(i="id", t="text", patient="patient", kind="type", ward="pass")
    (batch,) = read(tmp_path, roles)
    assert batch.rows.patient_keys == (KEYS.patient_key("0007"),) * 2
    assert batch.rows.note_types == ("progress",) * 2
    assert batch.rows.columns.column_names == ["t"]


def test_an_id_may_be_a_partition_key(tmp_path):
    write_lines(tmp_path / "note=77" / "in.jsonl", {"t": "x"})
    (batch,) = read(tmp_path, columns(note="id", t="text"))
    assert batch.rows.doc_keys == (KEYS.doc_key("77"),)


@pytest.mark.parametrize(
    ("role", "keep_dates", "expected"),
    [
        ("pass", False, "v"),
        ("type", False, "v"),
        ("date", False, None),
        ("date", True, "v"),
        ("hash", False, KEYS.column_hash("v")),
        ("drop", True, None),
        ("patient", True, None),
    ],
)
def test_which_folders_are_mirrored(role, keep_dates, expected):
    roles = columns(i="id", t="text", key=role, other="pass")
    found = output_partition(roles, (("key", "v"), ("other", "w")), KEYS, keep_dates=keep_dates)
    assert found == (() if expected is None else (("key", expected),)) + (("other", "w"),)


def test_an_id_as_partition_key_is_not_mirrored():
    assert output_partition(columns(i="id", t="text"), (("i", "v"),), KEYS, keep_dates=True) == ()


# -- typed columns


def test_typed_columns_pass_as_they_are_and_hashed_ones_become_text(tmp_path):
    table = pa.table(
        {
            "i": pa.array([1, 2, 3], pa.int64()),
            "t": pa.array(["a", None, "c"], pa.dictionary(pa.int32(), pa.string())),
            "n": pa.array([1.5, None, float("nan")], pa.float32()),
            "d": pa.array([[{"x": 1}], [], None], pa.list_(pa.struct([("x", pa.int8())]))),
            "v": pa.array([10, None, 12], pa.decimal128(5, 0)),
            "when": pa.array([0, 1, None], pa.timestamp("ns", "Europe/Berlin")),
        }
    )
    pq.write_table(table, tmp_path / "in.parquet")
    roles = columns(i="id", t="text", n="pass", d="pass", v="hash", when="date")
    (batch,) = read(tmp_path, roles, keep_dates=True)
    out = batch.rows.columns
    for name in ("t", "n", "d", "when"):
        assert out.schema.field(name).type == table.schema.field(name).type
        assert (
            out.column(name).combine_chunks().equals(table.column(name).combine_chunks())
            or name == "n"
        )
    assert out.column("v").to_pylist() == [KEYS.column_hash("10"), None, KEYS.column_hash("12")]
    assert batch.documents.texts == ("a", "c")


def test_fractions_are_no_ids_in_typed_columns_either(tmp_path):
    pq.write_table(pa.table({"i": [1.0, 1.5, None], "t": ["a", "b", "c"]}), tmp_path / "in.parquet")
    (batch,) = read(tmp_path, columns(i="id", t="text"))
    assert {row: f.error for row, f in batch.failures.items()} == {1: "BadId", 2: "MissingId"}
    assert batch.rows.doc_keys[0] == KEYS.doc_key("1")
