"""`scrubline key map`: ids and their keys, as a run gives them."""

import csv
import json
import os
import stat

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.storage.key_files import load_keys
from scrubline.models.storage.storage import Storage

from ..conftest import note

pytestmark = pytest.mark.slow

ROLES = ("--column", "note_id=id", "--column", "patient_id=patient")
ALL = (*ROLES, "--column", "kind=type", "--column", "text=text", "--column", "n=pass")


@pytest.fixture
def source(tmp_path):
    """Two files of notes; ids 3 and 4 are in both, one row has none, one line is cut off."""
    folder = tmp_path / "notes"
    folder.mkdir()
    rows = [note(n) for n in range(6)], [note(n) | {"late": 1} for n in (3, 9, 4, 3)]
    lines = [[json.dumps(row | {"n": 1}) for row in some] for some in rows]
    lines[1] += ['{"note_id": null, "text": "no id", "n": 1}', '{"note_id": 77, "text": "cu']
    for name, some in zip("ab", lines, strict=True):
        (folder / f"{name}.jsonl").write_text("\n".join(some) + "\n")
    return folder


@pytest.fixture
def key(scrubline, tmp_path):
    assert scrubline("key", "new", "--output", tmp_path / "key.txt")[0] == 0
    return tmp_path / "key.txt"


def rows_of(path):
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()
    if path.suffix == ".jsonl":
        return list(map(json.loads, path.read_text().splitlines()))
    with path.open(newline="") as stream:
        return [
            {k: int(v) if k == "ordinal" else v or None for k, v in row.items()}
            for row in csv.DictReader(stream)
        ]


@pytest.mark.parametrize("ending", ["parquet", "csv", "jsonl"])
def test_the_map_has_the_keys_of_a_run(scrubline, source, key, tmp_path, ending):
    target = tmp_path / f"map.{ending}"
    words = ("--input", source, *ALL, "--column", "late=drop", "--key-file", key)
    code, out, err = scrubline("key", "map", *words, "--output", target)
    assert (code, err.count("\n")) == (3, 1) and "1 row BadJson: " in err
    assert out.startswith("10 ids, 1 row that cannot be read, 1 row without a usable id, key check")
    assert stat.S_IMODE(os.stat(target).st_mode) == 0o600
    rows = rows_of(target)
    assert list(rows[0]) == ["id", "ordinal", "doc_key", "patient", "patient_key"]
    assert [(row["id"], row["ordinal"]) for row in rows] == [
        *((str(n), 0) for n in range(6)),
        *(("3", 1), ("9", 0), ("4", 1), ("3", 2)),
    ]
    run = ("scrub", *words, "--output", tmp_path / "out", "--model", "none")
    code, _, err = scrubline(*run, "--recogniser", "date", "--max-quarantined", "1")
    assert code == 0, err
    published = [
        json.loads(line)
        for part in sorted((tmp_path / "out/data").rglob("*.jsonl"))
        for line in part.read_text().splitlines()
    ]
    assert [(row["doc_key"], row["patient_key"]) for row in rows] == [
        (row["doc_key"], row["patient_key"]) for row in published
    ]


def test_columns_may_come_from_the_file_of_the_run(scrubline, source, key, tmp_path):
    (tmp_path / "job.toml").write_text(
        f'input = ["{source}"]\noutput = "out"\nkey_file = "{key}"\n[column]\nnote_id = "id"\n'
        'text = "text"\nkind = "type"\nn = "pass"\npatient_id = "drop"\nlate = "drop"\n'
    )
    target = tmp_path / "map.jsonl"
    code, out, err = scrubline("key", "map", "--config", tmp_path / "job.toml", "--output", target)
    assert code == 3 and "1 row BadJson: " in err and out.startswith("10 ids")
    assert list(rows_of(target)[0]) == ["id", "ordinal", "doc_key"]


def test_ids_alone_are_read_of_parquet_and_of_folders(scrubline, key, tmp_path):
    for site in ("x", "y"):
        folder = tmp_path / f"table/patient_id={site}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"note_id": [1.0, None], "text": ["a", "b"]}), folder / "a.parquet")
    target = tmp_path / "map.parquet"
    code, _, err = scrubline(
        "key", "map", "--input", tmp_path / "table", *ROLES, "--key-file", key, "--output", target
    )
    assert (code, err) == (0, "")
    keys = load_keys(str(key), Storage().read_bytes)
    assert rows_of(target) == [
        {
            "id": "1",
            "ordinal": ordinal,
            "doc_key": keys.doc_key("1", ordinal),
            "patient": patient,
            "patient_key": keys.patient_key(patient),
        }
        for ordinal, patient in enumerate("xy")
    ]


def test_lines_of_a_note_are_one_document(scrubline, key, tmp_path):
    lines = [{"id": i, "line": n, "text": "x"} for i, n in ((1, 1), (1, 2), (2, 1), (1, 1))]
    (tmp_path / "lines.jsonl").write_text("".join(json.dumps(row) + "\n" for row in lines))
    target = tmp_path / "map.csv"
    words = ("--input", tmp_path / "lines.jsonl", "--column", "id=id", "--group-lines", "id,line")
    code, _, err = scrubline("key", "map", *words, "--key-file", key, "--output", target)
    assert (code, err) == (0, "")
    assert [(r["id"], r["ordinal"]) for r in rows_of(target)] == [("1", 0), ("2", 0), ("1", 1)]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--output", "map.txt"), "its ending says how: .parquet, .csv or .jsonl"),
        ((), "say where to write with --output"),
        (("7", "--output", "map.csv"), "key map takes no ids"),
        (("--output", "taken.csv"), "--output: the file already exists"),
        (("--output", "memory://map.csv", "--column", "note_id=id"), "a place on this machine"),
        (("--output", "map.csv", "--column", "text=text"), "say which column holds the ids"),
        (("--output", "map.csv", "--column", "secret=id"), "no column of that name for the role"),
        (("--output", "no/map.csv", "--column", "note_id=id"), "--output cannot be written"),
    ],
)
def test_what_is_refused(scrubline, source, key, tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.csv").write_text("kept")
    code, out, err = scrubline("key", "map", *words, "--input", source, "--key-file", key)
    assert (code, out) == (2, "") and told in err
    assert "secret" not in err and (tmp_path / "taken.csv").read_text() == "kept"
    assert not list(tmp_path.glob("*.new")) and not list(tmp_path.glob(".*.new"))


def test_ids_of_csv_files_are_mapped_whatever_columns_there_are(scrubline, key, tmp_path):
    (tmp_path / "notes.csv").write_text("id,text,ward\n1,seen,A\n2,well,B\n")
    words = ("--input", tmp_path / "notes.csv", "--column", "id=id", "--key-file", key)
    code, out, err = scrubline("key", "map", *words, "--output", tmp_path / "map.csv")
    assert (code, err, out[:6]) == (0, "", "2 ids,")
    assert [row["id"] for row in rows_of(tmp_path / "map.csv")] == ["1", "2"]


def test_a_map_without_ids_is_warned_of(scrubline, key, tmp_path):
    (tmp_path / "notes.jsonl").write_text('{"id": null}\n')
    words = ("--input", tmp_path / "notes.jsonl", "--column", "id=id", "--key-file", key)
    code, _, err = scrubline("key", "map", *words, "--output", tmp_path / "map.csv")
    assert code == 0 and "none of 1 rows has a usable id" in err


NESTED = [
    {"note": {"id": 1, "by": {"who": "x"}, "text": "Seen 3/4/2019."}, "pt": {"mrn": "007"}},
    {"note": {"id": 2, "by": {"who": "y"}, "text": "Well."}, "pt": {"mrn": "008"}},
    {"note": {"id": 1, "by": {"who": "x"}, "text": "Well."}, "pt": {"mrn": None}},
    {"note": {"id": None, "by": {"who": "x"}, "text": "Well."}, "pt": None},
]
IDS = ("--column", "note.id=id", "--column", "pt.mrn=patient")
REST = ("--column", "note.by.who=drop", "--column", "note.text=text")


@pytest.fixture(params=["jsonl", "parquet"])
def nested(request, tmp_path):
    path = tmp_path / f"nested.{request.param}"
    if request.param == "parquet":
        pq.write_table(pa.Table.from_pylist(NESTED), path)
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in NESTED))
    return path


@pytest.mark.parametrize("more", [(), REST], ids=["ids alone", "all columns"])
def test_ids_within_nested_columns(scrubline, nested, key, tmp_path, more):
    target = tmp_path / "map.jsonl"
    words = ("--input", nested, *IDS, "--key-file", key)
    code, out, err = scrubline("key", "map", *words, *more, "--output", target)
    assert (code, err) == (0, "")
    assert out.startswith("3 ids, 1 row without a usable id")
    found = [(row["id"], row["ordinal"], row["patient"]) for row in rows_of(target)]
    assert found == [("1", 0, "007"), ("2", 0, "008"), ("1", 1, None)]
    run = ("scrub", *words, *REST, "--output", tmp_path / "out", "--model", "none")
    code, _, err = scrubline(*run, "--recogniser", "date", "--max-quarantined", "1")
    assert code == 0, err
    documents = pq.read_table(tmp_path / "out/documents").to_pylist()
    assert [row["doc_key"] for row in documents] == [row["doc_key"] for row in rows_of(target)]


def test_what_is_beside_a_nested_id_may_differ_from_row_to_row(scrubline, key, tmp_path):
    notes = [{"id": 1, "a": 2}, {"id": 2, "a": {"b": [3]}}, {"id": 3, "c": [{}]}, [4], "5", None]
    path = tmp_path / "nested.jsonl"
    path.write_text("".join(json.dumps({"note": note}) + "\n" for note in notes))
    target = tmp_path / "map.csv"
    words = ("--input", path, "--column", "note.id=id", "--key-file", key, "--output", target)
    code, out, _ = scrubline("key", "map", *words)
    assert code == 3
    assert out.startswith("3 ids, 2 rows that cannot be read, 1 row without a usable id")
    assert [row["id"] for row in rows_of(target)] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("row", "column", "told"),
    [
        ({"notes": [{"id": 1}]}, "notes[].id", "needs one value a row"),
        ({"note": {"id": 1}}, "nota.id", "no column of that name"),
    ],
)
def test_paths_that_lead_to_no_one_id_are_refused(scrubline, key, tmp_path, row, column, told):
    (tmp_path / "nested.jsonl").write_text(json.dumps(row) + "\n")
    words = ("--input", tmp_path / "nested.jsonl", "--column", f"{column}=id", "--key-file", key)
    code, _, err = scrubline("key", "map", *words, "--output", tmp_path / "map.csv")
    assert code == 2 and told in err
