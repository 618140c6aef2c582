"""Whole runs over notes that are kept one line a row."""

import itertools
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.formats.column_roles import Columns
from scrubline.models.storage.key_files import load_keys
from scrubline.pipeline.commands.inspect import read_rows
from scrubline.pipeline.commands.verify import verify

ROLES = Columns.parse(
    [("note", "id"), ("pat", "patient"), ("line", "pass"), ("words", "text"), ("by", "drop")]
)
NOTES = {
    "n1": ["Seen on March", "4, 2012 by the team.", "MRN:", "1234567", "BP 120/80"],
    "n2": [None, "", "Call 555-867-5309\nor 555-867-5310", "🙂 é"],
    "n3": [None, None],
    "n4": ["ok"],
}
WHOLE = {
    "n1": "Seen on [DATE]\n[DATE] by the team.\nMRN:\n[MEDICALRECORD]\nBP 120/80",
    "n2": "\n\nCall [PHONE]\nor [PHONE]\n🙂 é",
    "n3": None,
    "n4": "ok",
}


def rows(notes=NOTES, numbers=None):
    return [
        {"note": key, "pat": "p" + key, "line": line, "words": words, "by": "x"}
        for key, lines in notes.items()
        for line, words in zip(numbers or itertools.count(1), lines, strict=False)
    ]


def write(folder, made, name="lines.jsonl"):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(
        "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in made)
    )


@pytest.fixture
def scrub_lines(run, tmp_path):
    def scrub(output="out", **more):
        return run(
            inputs=(str(tmp_path / "lines"),),
            output=str(tmp_path / output),
            columns=ROLES,
            group_lines="note,line",
            recognisers=("date", "medical_record", "phone"),
            max_quarantined=1.0,
            **more,
        )

    return scrub


def data(tmp_path, output="out"):
    return [
        json.loads(line)
        for path in sorted((tmp_path / output / "data").rglob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]


def quarantine(storage, tmp_path, manifest):
    found = read_rows(storage, str(tmp_path / "out"), manifest, "quarantine")
    return [(row["ordinal"], row["error"]) for row in found]


def test_lines_come_back_as_lines_scrubbed_as_notes(scrub_lines, storage, tmp_path, key_file):
    write(tmp_path / "lines", rows())
    manifest = scrub_lines()
    keys = load_keys(key_file, storage.read_bytes)
    out = data(tmp_path)
    assert [one["line"] for one in out] == [1, 2, 3, 4, 5, 1, 2, 3, 4, 1, 2, 1]
    by_key = {
        key: [one.get("words") for one in lines]
        for key, lines in itertools.groupby(out, lambda one: one["doc_key"])
    }
    assert list(by_key) == [keys.doc_key(key) for key in NOTES]
    assert by_key[keys.doc_key("n3")] == [None, None]
    assert by_key[keys.doc_key("n2")][:2] == [None, ""]
    for key, lines in NOTES.items():
        found = by_key[keys.doc_key(key)]
        assert len(found) == len(lines)
        if WHOLE[key] is not None:
            assert "\n".join(one or "" for one in found) == WHOLE[key]
    assert manifest["counts"]["rows_in"] == manifest["counts"]["rows_out"] == 12
    assert manifest["counts"]["documents"] == 4
    faults, lines = verify(storage, str(tmp_path / "out"), originals=True, key_source=None)
    assert faults == [] and "leads to the published texts" in lines[-1]


def test_what_a_hyphen_parts_between_lines_goes_and_the_lines_stay(scrub_lines, storage, tmp_path):
    write(tmp_path / "lines", rows({"n1": ["Seen 03/-", "04/2012 again", "MRN: 12&#51;-", "4567"]}))
    scrub_lines()
    out = [one["words"] for one in data(tmp_path)]
    assert out == ["Seen [DATE]", "[DATE] again", "MRN: [MEDICALRECORD]", "[MEDICALRECORD]"]
    assert verify(storage, str(tmp_path / "out"), originals=True, key_source=None)[0] == []


@pytest.mark.parametrize("cap", [1, 2, 100])
@pytest.mark.slow
def test_batches_and_splits_decide_nothing(scrub_lines, tmp_path, cap):
    write(tmp_path / "lines", rows())
    write(tmp_path / "lines", rows({"m" + key: lines for key, lines in NOTES.items()}), "b.jsonl")
    usual = scrub_lines("usual")
    other = scrub_lines("other", batch_documents=cap, split_bytes=cap)
    assert usual["content_digest"] == other["content_digest"]
    assert sorted(map(str, data(tmp_path, "usual"))) == sorted(map(str, data(tmp_path, "other")))


def test_a_note_out_of_order_is_quarantined_whole(scrub_lines, storage, tmp_path):
    write(tmp_path / "lines", [*rows({"a": ["1", "2", "3"]}, (1, 3, 2)), *rows({"b": ["4"]})])
    manifest = scrub_lines()
    assert quarantine(storage, tmp_path, manifest) == [(n, "LinesOutOfOrder") for n in range(3)]
    assert [one["words"] for one in data(tmp_path)] == ["4"]
    counts = manifest["counts"]
    assert (counts["rows_in"], counts["rows_out"], counts["rows_quarantined"]) == (4, 1, 3)


def test_one_bad_line_quarantines_its_note(scrub_lines, storage, tmp_path):
    made = rows({"a": ["1", "2", "3"], "b": ["4"]})
    made[1]["words"] = 17
    write(tmp_path / "lines", made)
    assert quarantine(storage, tmp_path, scrub_lines()) == [(n, "NotText") for n in range(3)]


def test_a_broken_line_between_two_of_a_note_quarantines_it(scrub_lines, storage, tmp_path):
    made = rows({"a": ["1", "2", "3"], "b": ["4"]})
    made[1] = '{"note": "a", "line'
    write(tmp_path / "lines", made)
    found = quarantine(storage, tmp_path, scrub_lines())
    assert found == [(0, "BadJson"), (1, "BadJson"), (2, "BadJson")]


def test_a_note_in_two_places_is_two_documents(scrub_lines, storage, tmp_path):
    write(tmp_path / "lines", [*rows({"a": ["1", "2"]}), *rows({"b": ["3"]}), *rows({"a": ["4"]})])
    manifest = scrub_lines()
    assert manifest["counts"]["documents"] == 3 and manifest["report"]["repeated_ids"] == 1
    assert len({one["doc_key"] for one in data(tmp_path)}) == 3
    assert verify(storage, str(tmp_path / "out"), originals=True, key_source=None)[0] == []


def test_a_note_over_its_budget_is_quarantined_whole(scrub_lines, storage, tmp_path):
    from scrubline.models.core.budgets import Budgets

    write(tmp_path / "lines", [*rows({"a": ["x" * 600] * 4}), *rows({"b": ["4"]})])
    manifest = scrub_lines(budgets=Budgets(document_bytes=1000), batch_documents=1)
    assert quarantine(storage, tmp_path, manifest) == [(n, "OverBudget:bytes") for n in range(4)]
    assert [one["words"] for one in data(tmp_path)] == ["4"]


def test_parquet_keeps_its_types(run, storage, tmp_path):
    (tmp_path / "lines").mkdir()
    table = pa.Table.from_pylist(
        rows(),
        pa.schema(
            [
                ("note", pa.string()),
                ("pat", pa.string()),
                ("line", pa.int16()),
                ("words", pa.large_string()),
                ("by", pa.string()),
            ]
        ),
    )
    pq.write_table(table, tmp_path / "lines/lines.parquet", row_group_size=2)
    run(
        inputs=(str(tmp_path / "lines"),),
        columns=ROLES,
        group_lines="note,line",
        split_bytes=1,
        batch_documents=1,
    )
    (part,) = (tmp_path / "out/data").rglob("*.parquet")
    out = pq.read_table(part)
    assert out.schema.field("line").type == pa.int16()
    assert out.schema.field("words").type == pa.large_string()
    assert out.num_rows == 12
    assert verify(storage, str(tmp_path / "out"), originals=True, key_source=None)[0] == []


def test_text_files_cannot_be_grouped(run, tmp_path):
    (tmp_path / "in2").mkdir()
    (tmp_path / "in2/a.txt").write_text("x")
    with pytest.raises(UsageError, match="--group-lines: .text. must be a declared column"):
        run(inputs=(str(tmp_path / "in2"),), columns=None, group_lines="path,text")


def test_rows_of_several_types_are_no_note(run, storage, tmp_path):
    roles = Columns.parse([("note", "id"), ("line", "pass"), ("words", "text"), ("kind", "type")])
    made = [
        {"note": "a", "line": 1, "words": "x", "kind": "Radiology"},
        {"note": "a", "line": 2, "words": "y", "kind": "Discharge"},
        {"note": "b", "line": 1, "words": "z", "kind": None},
    ]
    write(tmp_path / "lines", made)
    manifest = run(
        inputs=(str(tmp_path / "lines"),),
        columns=roles,
        group_lines="note,line",
        max_quarantined=1.0,
    )
    assert quarantine(storage, tmp_path, manifest) == [(n, "NoteTypesDiffer") for n in range(2)]
