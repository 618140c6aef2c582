import datetime
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline import Scrubber, UsageError, scrub_table
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.errors import Shortage
from scrubline.models.core.keys import Keys
from scrubline.models.embedding import rows as embedded
from scrubline.models.jobs import steps
from scrubline.models.jobs.audit import AUDIT, QUARANTINE
from scrubline.models.jobs.shifted_columns import DateShifting

RULES = Scrubber(models=None)
KEY = "scrubline-key-v1:" + "QUJD" * 10 + "QUI="
KEYS = Keys(b"ABC" * 10 + b"AB")
ROLES = {
    "id": "id",
    "who": "patient",
    "kind": "type",
    "day": "date",
    "note": "text",
    "more": "text",
    "ward": "pass",
    "visit": "hash",
    "name": "drop",
}


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.setenv("SCRUBLINE_KEY", KEY)


def table(**changed):
    columns = {
        "id": [1, 2, 1, None],
        "who": ["7", "7", None, "8"],
        "kind": ["letter", None, "x", "y"],
        "day": ["2012-03-04"] * 4,
        "note": ["Seen 3/4/2012", None, "MRN: 1234567", "by Dr. Halvorsen"],
        "more": [None, "a@b.example", "", "x"],
        "ward": [[1, 2], None, [], [3]],
        "visit": ["v1", "v1", None, "v2"],
        "name": ["Halvorsen"] * 4,
        **changed,
    }
    return pa.table({name: values for name, values in columns.items() if values is not None})


def test_roles_decide_as_in_a_run():
    done = scrub_table(table(), ROLES, scrubber=RULES)
    assert done.table.to_pylist() == [
        {
            "doc_key": KEYS.doc_key("1"),
            "patient_key": KEYS.patient_key("7"),
            "kind": "letter",
            "note": "Seen [DATE]",
            "more": None,
            "ward": [1, 2],
            "visit": KEYS.column_hash("v1"),
        },
        {
            "doc_key": KEYS.doc_key("2"),
            "patient_key": KEYS.patient_key("7"),
            "kind": None,
            "note": None,
            "more": "[EMAIL]",
            "ward": None,
            "visit": KEYS.column_hash("v1"),
        },
        {
            "doc_key": KEYS.doc_key("1", 1),  # a repeated id is numbered
            "patient_key": None,
            "kind": "x",
            "note": "MRN: [MEDICALRECORD]",
            "more": "",
            "ward": [],
            "visit": None,
        },
    ]
    assert [(row["row"], row["field"], row["label"]) for row in done.audit.to_pylist()] == [
        *((0, "note", "DATE"), (1, "more", "EMAIL"), (2, "note", "MEDICALRECORD"))
    ]
    assert done.audit["doc_key"].to_pylist() == done.table["doc_key"].to_pylist()
    assert done.quarantine.to_pylist() == [
        {"row": 3, "doc_key": None, "stage": "read", "error": "MissingId"}
    ]
    text = repr([t.to_pydict() for t in done]) + repr(done)
    assert not any(canary in text for canary in ("Halvorsen", "3/4/2012", "1234567", "2012-03-04"))
    assert repr(done) == "<ScrubbedTable rows=3 spans=3 quarantined=1>"


def test_the_audit_has_the_columns_of_a_run_and_the_row():
    done = scrub_table(table(), ROLES, scrubber=RULES)
    assert done.audit.column_names == ["row", *AUDIT.names[1:]]
    assert done.quarantine.column_names == ["row", "doc_key", "stage", "error"]
    assert set(done.quarantine.column_names) - {"row"} < set(QUARANTINE.names)
    for name in done.audit.column_names:
        assert done.audit.schema.field(name).metadata[b"description"]
    (source,) = {*done.audit.filter(pa.compute.field("label") == "DATE")["source_hash"].to_pylist()}
    assert source == RULES.detector_hashes["date"]


def test_without_ids_the_rows_join_and_no_key_is_needed(monkeypatch):
    monkeypatch.delenv("SCRUBLINE_KEY")
    notes = pa.table({"note": ["Seen 3/4/2012", "half", "MRN: 1234567"], "ward": [1, 2, 3]})
    roles = {"note": "text", "ward": "pass"}
    scrubber = Scrubber(None, budgets=Budgets(tokens=6))
    done = scrub_table(notes, roles, scrubber=scrubber)
    assert done.table.to_pylist()[0] == {"row": 0, "note": "Seen [DATE]", "ward": 1}
    assert done.audit["doc_key"].null_count == len(done.audit)
    tight = scrub_table(notes, roles, scrubber=Scrubber(None, budgets=Budgets(tokens=4)))
    assert tight.table["row"].to_pylist() == [1, 2]
    assert tight.quarantine.to_pylist() == [
        {"row": 0, "doc_key": None, "stage": "tokenize", "error": "OverBudget:tokens"}
    ]
    assert tight.every_row().to_pylist() == [
        {"row": 0, "note": None, "ward": None, "error": "OverBudget:tokens"},
        {"row": 1, "note": "half", "ward": 2, "error": None},
        {"row": 2, "note": "MRN: [MEDICALRECORD]", "ward": 3, "error": None},
    ]
    with pytest.raises(UsageError, match="no master key"):
        scrub_table(notes, {"note": "text", "ward": "hash"}, scrubber=scrubber)


def test_every_row_keeps_the_order_and_the_types():
    done = scrub_table(table(), ROLES, scrubber=RULES)
    whole = done.every_row()
    assert whole.schema.remove(len(whole.schema) - 1) == done.table.schema
    assert whole["error"].to_pylist() == [None, None, None, "MissingId"]
    assert whole["note"].to_pylist() == ["Seen [DATE]", None, "MRN: [MEDICALRECORD]", None]
    clean = scrub_table(table().slice(0, 2), ROLES, scrubber=RULES)
    assert clean.every_row().drop_columns("error") == clean.table
    named = pa.table({"note": ["x"], "error": ["y"]})
    with pytest.raises(UsageError, match="has a column error"):
        scrub_table(named, {"note": "text", "error": "pass"}, scrubber=RULES).every_row()


@pytest.mark.parametrize(
    "kind",
    [
        *(pa.string(), pa.large_string(), pa.string_view()),
        *(pa.dictionary(pa.int8(), pa.string()), pa.dictionary(pa.int32(), pa.large_string())),
    ],
    ids=str,
)
def test_types_stay(kind):
    notes = pa.table({"note": pa.array(["Seen 3/4/2012", None, "x"]).cast(kind)})
    done = scrub_table(notes, {"note": "text"}, scrubber=RULES)
    assert done.table.schema.field("note").type == kind
    assert done.table["note"].to_pylist() == ["Seen [DATE]", None, "x"]
    assert done.every_row()["note"].to_pylist() == ["Seen [DATE]", None, "x"]


@pytest.mark.parametrize("chunks", [1, 3, 700])
def test_chunks_and_sizes_change_nothing(chunks):
    texts = [f"Seen {n % 12 + 1}/4/2012 " + "word " * (n % 50) for n in range(700)]
    whole = pa.table({"note": texts, "n": list(range(700))})
    size = len(texts) // chunks
    cut = pa.concat_tables([whole.slice(at, size) for at in range(0, 700, size)])
    roles = {"note": "text", "n": "id"}
    done = scrub_table(cut, roles, scrubber=Scrubber(None, recognisers=("date",)))
    assert done.table["note"].to_pylist() == [
        "Seen [DATE] " + "word " * (n % 50) for n in range(700)
    ]
    assert done.audit["row"].to_pylist() == list(range(700))


def test_nothing_in_nothing_out():
    done = scrub_table(table().slice(0, 0), ROLES, scrubber=RULES)
    full = scrub_table(table(), ROLES, scrubber=RULES)
    assert [t.schema for t in done] == [t.schema for t in full]
    assert [t.num_rows for t in done] == [0, 0, 0]
    assert done.every_row().num_rows == 0


def test_metadata_does_not_go_out():
    field = pa.field("note", pa.string(), metadata={"comment": "of Halvorsen"})
    notes = pa.table([["x"]], schema=pa.schema([field], metadata={"pandas": "Halvorsen"}))
    done = scrub_table(notes, {"note": "text"}, scrubber=RULES)
    assert b"Halvorsen" not in done.table.schema.serialize().to_pybytes()


def test_a_row_with_bytes_that_are_not_utf_8_fails_alone():
    bad = pa.array([b"Seen 3/4/2012", b"\xff Halvorsen", b"x"]).cast(pa.binary()).view(pa.string())
    done = scrub_table(pa.table({"note": bad}), {"note": "text"}, scrubber=RULES)
    assert done.table["note"].to_pylist() == ["Seen [DATE]", "x"]
    assert done.quarantine.to_pylist()[0]["error"] == "BadEncoding"


@pytest.mark.parametrize(
    ("change", "roles", "said"),
    [
        ({}, {"name": None}, "columns without a declared role: \\[column 9\\]"),
        ({}, {"other": "pass"}, "lacks declared columns: \\['other'\\]"),
        ({}, {"who": "pacient"}, "column who: unknown role 'pacient'"),
        ({}, {"note": "pass", "more": "pass"}, "no column has role text"),
        ({}, {"who": "id"}, "exactly one column must have role id"),
        ({"note": [1, 2, 3, 4]}, {}, "'note' has role text, which does not accept its type int64"),
        ({"who": [[1], [2], [3], [4]]}, {}, "'who' has role patient, which does not accept"),
    ],
)
def test_what_a_run_refuses_at_planning_is_refused(change, roles, said):
    wanted = {name: role for name, role in {**ROLES, **roles}.items() if role}
    with pytest.raises(UsageError, match=said) as caught:
        scrub_table(table(**change), wanted, scrubber=RULES)
    assert "Halvorsen" not in caught.value.on_terminal


def test_undeclared_names_are_for_the_terminal_alone():
    with pytest.raises(UsageError) as caught:
        scrub_table(pa.table({"note": ["x"], "halvorsen": [1]}), {"note": "text"}, scrubber=RULES)
    assert "halvorsen" not in str(caught.value)
    assert "halvorsen" in caught.value.on_terminal


def test_a_column_that_may_be_missing_is_one_that_is_dropped():
    without = table().drop_columns("name")
    assert scrub_table(without, ROLES, scrubber=RULES).table.num_rows == 3


def test_names_of_the_output_are_taken():
    with pytest.raises(UsageError, match="needs the name row"):
        scrub_table(pa.table({"note": ["x"], "row": [1]}), {"note": "text", "row": "pass"})
    with pytest.raises(UsageError, match="two columns of one name"):
        scrub_table(pa.table([["x"], ["y"]], names=["note", "note"]), {"note": "text"})


@pytest.mark.usefixtures("rules_raise_on_quuxworth")
def test_a_document_that_raises_is_in_the_quarantine_and_nowhere_else():
    notes = pa.table({"note": ["Seen 3/4/2012", "Zebulon Quuxworth 3/4/2012", "x"]})
    done = scrub_table(notes, {"note": "text"}, scrubber=RULES)
    assert done.table["row"].to_pylist() == [0, 2]
    assert done.audit["row"].to_pylist() == [0]
    assert done.quarantine.to_pylist() == [
        {"row": 1, "doc_key": None, "stage": "recognise", "error": "ValueError"}
    ]
    assert "Quuxworth" not in repr([t.to_pydict() for t in (*done, done.every_row())])


def test_a_shortage_is_raised_and_no_row_blamed(monkeypatch):
    def short(*_):
        raise MemoryError

    monkeypatch.setattr(steps, "recognise_all", short)
    with pytest.raises((Shortage, MemoryError)):
        scrub_table(pa.table({"note": ["x"]}), {"note": "text"}, scrubber=RULES)


def test_the_row_that_stands_for_ids_is_in_no_output():
    done = scrub_table(pa.table({"note": ["Seen 3/4/2012"]}), {"note": "text"}, scrubber=RULES)
    names = {name for t in (*done, done.every_row()) for name in t.column_names}
    assert embedded.ROW_ID not in names


def test_a_table_comes_out_as_a_run_writes_it(tmp_path):
    from scrubline.models.storage.storage import Storage
    from scrubline.pipeline.options import Options, options_from
    from scrubline.pipeline.run import scrub

    (tmp_path / "in").mkdir()
    notes = table().append_column("day2", pa.array(["x"] * 4))
    pq.write_table(notes, tmp_path / "in/notes.parquet")
    (tmp_path / "key").write_text(KEY + "\n")
    roles = {**ROLES, "day2": "pass"}
    said = {
        "inputs": (str(tmp_path / "in"),),
        "output": str(tmp_path / "out"),
        "key_source": str(tmp_path / "key"),
        "models": (),
        "progress": False,
        "columns": tuple(roles.items()),
        "max_quarantined": 1.0,
    }
    assert {field for field in said} <= set(Options.__dataclass_fields__)
    scrub(Storage(), options_from({}, said))
    done = scrub_table(notes, roles, scrubber=RULES, key=str(tmp_path / "key"))
    assert pq.read_table(tmp_path / "out/data").to_pylist() == done.table.to_pylist()
    written = pq.read_table(tmp_path / "out/audit").drop_columns("run")
    assert written.to_pylist() == done.audit.drop_columns("row").to_pylist()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (table().to_batches()[0], "not a pyarrow.lib.RecordBatch: give pyarrow.Table.from_batches"),
        (table().to_reader(), "RecordBatchReader: give reader.read_all()"),
        ([{"note": "Halvorsen"}], "not a builtins.list: give pyarrow.Table.from_pylist(rows)"),
        ({"note": ["Halvorsen"]}, "give pyarrow.table(columns)"),
        (None, "takes a pyarrow.Table, not a builtins.NoneType"),
        ("Halvorsen", "takes a pyarrow.Table, not a builtins.str"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_table_is_told_how_to_become_one(given, told):
    with pytest.raises(UsageError) as caught:
        scrub_table(given, {"note": "text"}, scrubber=RULES)
    assert told in str(caught.value) and "Halvorsen" not in str(caught.value)


@pytest.mark.parametrize(
    ("package", "name", "how"),
    [
        (
            "pandas.core.frame",
            "DataFrame",
            "pyarrow.Table.from_pandas(frame, preserve_index=False)",
        ),
        ("polars.dataframe.frame", "DataFrame", "frame.to_arrow()"),
        ("polars.lazyframe.frame", "LazyFrame", "frame.collect().to_arrow()"),
        ("duckdb", "DuckDBPyRelation", "relation.to_arrow_table()"),
    ],
)
def test_frames_of_others_too(package, name, how):
    frame = type(name, (), {"__module__": package})()
    with pytest.raises(UsageError) as caught:
        scrub_table(frame, {"note": "text"}, scrubber=RULES)
    assert str(caught.value).endswith(f"give {how}")


def test_columns_with_role_known_say_who_a_row_is_of():
    notes = pa.table(
        {
            "name": ["Summers, Leroy", "Vance, Ada", None],
            "ward": ["4", "for ada", "5"],
            "note": ["leroy seen 3/4/2012", "Ada and Leroy", "Leroy"],
        }
    )
    roles = {"name": "known:name", "ward": "pass", "note": "text"}
    table, audit, quarantine = scrub_table(notes, roles, scrubber=RULES)
    assert table.to_pylist() == [
        {"row": 0, "ward": "4", "note": "[PATIENT] seen [DATE]"},
        {"row": 2, "ward": "5", "note": "Leroy"},
    ]
    assert audit["roster"].to_pylist() == ["self", None]
    assert [(row["row"], row["stage"], row["error"]) for row in quarantine.to_pylist()] == [
        (1, "guard", "OwnName")
    ]
    for role in ("known", "known:nothing"):
        with pytest.raises(UsageError, match="role known says what the column is"):
            scrub_table(notes, {**roles, "name": role}, scrubber=RULES)


EXPERT = Scrubber(models=None, policy="expert")


def test_surrogates_and_shifted_dates_by_roles():
    done = scrub_table(table(), ROLES, scrubber=EXPERT)
    days = DateShifting.of(EXPERT.policy).days(KEYS.dates, KEYS.patient_key("7"))
    moved = datetime.date(2012, 3, 4) + datetime.timedelta(days=days)
    rows = done.table.to_pylist()
    assert [row["day"] for row in rows[:2]] == [moved.isoformat()] * 2 and rows[2]["day"] is None
    assert rows[0]["note"] == f"Seen {moved.month}/{moved.day}/{moved.year}"
    assert rows[1]["more"].endswith("@example.org") and rows[1]["more"] != "a@b.example"
    assert re.fullmatch(r"MRN: \d{7}", rows[2]["note"]) and "1234567" not in rows[2]["note"]
    assert done.audit["precision"].to_pylist().count("day") == 1
    again = scrub_table(table().slice(2), ROLES, scrubber=EXPERT)
    assert again.table["note"][0].as_py() != rows[2]["note"]  # the first of its id here


@pytest.mark.parametrize(
    ("without", "told"),
    [("id", "need a column with role id"), ("who", "no column has role patient")],
)
def test_both_need_ids_and_patients(without, told):
    roles = {name: role for name, role in ROLES.items() if name != without}
    with pytest.raises(UsageError, match=told):
        scrub_table(table(**{without: None}), roles, scrubber=EXPERT)


def test_both_need_a_key(monkeypatch):
    monkeypatch.delenv("SCRUBLINE_KEY")
    with pytest.raises(UsageError, match="SCRUBLINE_KEY"):
        scrub_table(table(), ROLES, scrubber=EXPERT)


def test_a_text_alone_has_neither():
    with pytest.raises(UsageError, match="policy expert: surrogates and shifted dates are made"):
        EXPERT.scrub("Seen 3/4/2012")
    assert [span.action for span in EXPERT.spans("Seen 3/4/2012")] == ["shift"]
    assert len(EXPERT.entities("Seen 3/4/2012")[0]) == 1


def test_texts_in_markup_are_read_as_in_a_run():
    notes = [
        "<p>Seen 3/<b>4</b>/2012</p>",
        r"{\rtf1 Seen 3/{\b 4}/2012}",
        "<3/4/2012",
        r"{\rtf1 {x",
    ]
    done = scrub_table(pa.table({"note": notes}), {"note": "text"}, scrubber=RULES)
    assert done.table["note"].to_pylist() == [
        "<p>Seen [DATE]<b></b></p>",
        r"{\rtf1 Seen [DATE]{\b }}",
        "<[DATE]",
    ]
    assert done.quarantine["error"].to_pylist() == ["UnmappedMarkup"]
    done = scrub_table(pa.table({"note": notes}), {"note": "text:rtf"}, scrubber=RULES)
    assert done.table["note"].to_pylist()[1:] == [r"{\rtf1 Seen [DATE]{\b }}", "<[DATE]"]
    done = scrub_table(pa.table({"note": notes}), {"note": "text:plain"}, scrubber=RULES)
    assert done.quarantine.num_rows == 0
