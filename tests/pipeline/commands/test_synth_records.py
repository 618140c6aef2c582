"""`scrubline synth --patients`: records and their roster, in every format, or a clear refusal."""

import csv
import json

import pyarrow.parquet as pq
import pytest
from scrubline.models.corpora import read_annotated

TEMPLATE = "{p.lf}, {age}, {mrn}. Seen by {d1}; {r1.fl} was called at {phone} on {date}.\n%%\n"


@pytest.fixture
def made(scrubline, tmp_path):
    """Runs the command with a template of its own; gives the two files' bytes and what was told."""
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "visit.txt").write_text(TEMPLATE)

    def run(name, *options, patients=6, roster="csv"):
        notes, table = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.{roster}"
        if roster == "jsonl":
            table = tmp_path / f"{name}-roster.jsonl"
        code, out, err = scrubline(
            *("synth", "--templates", tmp_path / "ours", "--patients", patients),
            *("--output", notes, "--roster", table, *options),
        )
        assert code == 0, err
        return notes, table, out

    return run


@pytest.mark.slow
def test_same_seed_same_bytes_and_the_first_patients_stay(made):
    one, table, told = made("1", "--seed", 3)
    again, same_table, _ = made("2", "--seed", 3)
    other, _, _ = made("3", "--seed", 4)
    more, more_table, _ = made("4", "--seed", 3, patients=30)
    assert one.read_bytes() == again.read_bytes() != other.read_bytes()
    assert table.read_bytes() == same_table.read_bytes()
    assert more.read_bytes().startswith(one.read_bytes())
    assert more_table.read_bytes().startswith(table.read_bytes())
    assert "roster rows of 6 patients from 1 templates" in told


@pytest.mark.slow
def test_the_roster_is_the_same_table_in_every_format(made):
    _, as_csv, _ = made("1")
    _, as_lines, _ = made("2", roster="jsonl")
    _, as_parquet, _ = made("3", roster="parquet")
    with as_csv.open(newline="", encoding="utf-8") as stream:
        heading, *rows = csv.reader(stream)
    assert heading == ["patient", "kind", "attribute", "value"]
    lines = [json.loads(line) for line in as_lines.read_text("utf-8").splitlines()]
    assert [list(line.values()) for line in lines] == rows
    columns = pq.read_table(as_parquet)
    assert [list(row.values()) for row in columns.to_pylist()] == rows
    assert as_csv.stat().st_mode & 0o077 == 0


def test_a_patient_has_so_many_notes(made):
    notes, _, _ = made("1", "--notes-per-patient", "2:5", patients=20)
    counts = {}
    for document in read_annotated(notes):
        counts[document.meta["patient"]] = counts.get(document.meta["patient"], 0) + 1
    assert len(counts) == 20
    assert set(counts.values()) <= {2, 3, 4, 5} and len(set(counts.values())) > 1
    notes, _, _ = made("2", "--notes-per-patient", "3")
    assert len(list(read_annotated(notes))) == 18


@pytest.mark.slow
def test_other_commands_read_the_notes(made, scrubline, tmp_path):
    notes, _, _ = made("1", "--notes-per-patient", "1:3")
    code, out, err = scrubline("evaluate", notes, notes)
    assert code == 0, err
    assert "PATIENT" in out
    (tmp_path / "key.txt").write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    roles = {"doc_id": "id", "text": "text", "meta.patient": "patient", "meta.note_date": "date"}
    roles |= {"meta.type": "type", "spans": "drop", "meta.people": "drop", "meta.template": "drop"}
    columns = [word for pair in roles.items() for word in ("--column", "=".join(pair))]
    code, _, err = scrubline(
        *("scrub", "--input", notes, "--output", tmp_path / "out", "--model", "none"),
        *("--recogniser", "date", "--key-file", tmp_path / "key.txt", *columns),
    )
    assert code == 0, err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--patients", "0"), "patients: expected 1 to"),
        (("--patients", "-3"), "patients: expected 1 to"),
        (("--patients", "many"), "--patients"),
        (("--patients", "5", "--notes", "9"), "leave out --notes and --raw"),
        (("--patients", "5", "--raw", "notes"), "leave out --notes and --raw"),
        (("--patients", "5", "--notes-per-patient", "5:2"), "expected A:B with 1 <= A <= B"),
        (("--patients", "5", "--notes-per-patient", "0:2"), "expected A:B with 1 <= A <= B"),
        (("--patients", "5", "--notes-per-patient", "1:9999999"), "expected A:B with 1 <= A"),
        (("--patients", "5", "--notes-per-patient", "1-4"), "expected A:B, least and most"),
        (("--patients", "5", "--notes-per-patient", ":"), "expected A:B, least and most"),
        (("--patients", "5", "--notes-per-patient", "१:२"), "expected A:B, least and most"),
        (("--patients", "5", "--notes-per-patient", ""), "--notes-per-patient is empty"),
        (("--patients", "5", "--roster", "roster.xlsx"), "must end in .csv, .jsonl or .parquet"),
        (("--patients", "5", "--roster", "roster"), "must end in .csv, .jsonl or .parquet"),
        (("--patients", "5", "--roster", ""), "--roster is empty"),
        (("--patients", "5", "--roster", "n.jsonl"), "--roster and --output are the same file"),
        (("--patients", "5", "--roster", "./n.jsonl"), "--roster and --output are the same file"),
        (("--patients", "5", "--roster", "no/such/r.csv"), "--roster cannot be written"),
        (("--patients", "5", "--roster", "memory://r.csv"), "--roster: expected a place on this"),
        (("--patients", "5", "--seed", "-1"), "seed: expected 0 to"),
        (("--patients", "5", "--language", "xx"), "unknown language"),
        (("--patients", "5", "--kind", "no-such-kind"), "unknown kind of note"),
        (("--roster", "r.csv"), "--roster is of whole records"),
        (("--notes-per-patient", "1:4"), "--notes-per-patient is of whole records"),
        (("--patients", "5", "--check"), "--check and --show"),
    ],
)
def test_nonsense_is_refused_and_leaves_nothing(options, told, scrubline, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "visit.txt").write_text(TEMPLATE)
    folder = () if "--language" in options else ("--templates", "ours")
    code, out, err = scrubline("synth", "--output", "n.jsonl", *folder, *options)
    assert (code, out) == (2, "")
    assert told in " ".join(err.split())
    assert [path.name for path in tmp_path.iterdir()] == ["ours"]


def test_a_faulty_template_leaves_neither_file(scrubline, tmp_path):
    (tmp_path / "ours").mkdir()
    (tmp_path / "ours" / "visit.txt").write_text("Dear {nobody}\n%%\n")
    code, _, err = scrubline(
        *("synth", "--templates", tmp_path / "ours", "--patients", "2"),
        *("--output", tmp_path / "n.jsonl", "--roster", tmp_path / "r.csv"),
    )
    assert code == 2
    assert "visit 1, line 1: slot nobody: no such slot" in err
    assert [path.name for path in tmp_path.iterdir()] == ["ours"]


def test_a_roster_that_is_there_is_kept(scrubline, tmp_path):
    (tmp_path / "r.csv").write_text("kept")
    code, _, err = scrubline(
        *("synth", "--patients", "2", "--output", tmp_path / "n.jsonl"),
        *("--roster", tmp_path / "r.csv"),
    )
    assert code == 2
    assert "already exists" in err
    assert (tmp_path / "r.csv").read_text() == "kept"
    assert not (tmp_path / "n.jsonl").exists()
