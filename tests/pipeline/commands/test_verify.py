"""What `verify` finds: what was changed, added or left out anywhere in an output."""

import json
import os
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.keys import new_key
from scrubline.models.formats.column_roles import Columns
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands import verify as verifying
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.options import Options
from scrubline.pipeline.outputs import table_faults
from scrubline.pipeline.run import scrub

from benchmarks import tampering


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """An output of two runs, and its key."""
    return tampering.make_output(tmp_path_factory.mktemp("made"))


@pytest.fixture
def out(made, tmp_path):
    shutil.copytree(made[0], tmp_path / "out")
    return tmp_path / "out"


@pytest.fixture
def faults(made, out):
    """Faults with the key, or as a reader of the published folders alone finds them."""

    def find(*, key=True, restricted=True):
        if not restricted:
            shutil.rmtree(out / "restricted")
        source = made[1] if key else None
        return verify(Storage(), str(out), originals=False, key_source=source)[0]

    return find


def change(out, how):
    manifest = json.loads((out / "manifest.json").read_bytes())
    how(manifest)
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1))


def test_an_untouched_output_is_good(faults):
    assert faults() == []
    assert faults(key=False) == []
    assert faults(key=False, restricted=False) == []


def test_an_output_that_a_model_made_is_good(tmp_path):
    (tmp_path / "key.txt").write_text(new_key() + "\n")
    (tmp_path / "in.jsonl").write_text('{"id": 1, "text": "Dr. Okafor saw her on 3/4/2012."}\n')
    options = Options(
        inputs=(str(tmp_path / "in.jsonl"),),
        output=str(tmp_path / "out"),
        key_source=str(tmp_path / "key.txt"),
        columns=Columns.parse([("id", "id"), ("text", "text")]),
        progress=False,
    )
    assert scrub(Storage(), options)["models"]
    found, _ = verify(
        Storage(), options.output, originals=True, key_source=str(tmp_path / "key.txt")
    )
    assert found == []


LISTS = pa.list_(pa.string())
OF_ANOTHER_KIND = [
    ("documents", "doc_key", LISTS, ["x"]),
    ("documents", "patient_key", LISTS, ["x"]),
    ("documents", "status", LISTS, ["scrubbed"]),
    ("documents", "tokens", pa.int64(), None),
    ("documents", "tokens", pa.string(), "7"),
    ("documents", "detectors", pa.int64(), 1),
    ("documents", "spans", pa.map_(pa.string(), pa.int64()), [("DATE", None)]),
    ("documents", "spans", pa.string(), "DATE"),
    ("documents", "run", pa.string(), None),
    ("audit", "doc_key", LISTS, ["x"]),
    ("audit", "field", LISTS, ["text"]),
    ("audit", "start", pa.int64(), None),
    ("audit", "start", pa.string(), "0"),
    ("audit", "start", pa.float64(), 0.5),
    ("audit", "end", pa.string(), "9"),
    ("audit", "out_start", pa.int64(), None),
    ("audit", "action", LISTS, ["redact"]),
    ("audit", "label", LISTS, ["DATE"]),
    ("audit", "detectors", LISTS, [None]),
    ("audit", "fragment", pa.int64(), 0),
    ("quarantine", "doc_key", LISTS, ["x"]),
    ("quarantine", "error", pa.string(), None),
]
"""Table, column, and what a tampered part holds there."""


@pytest.mark.parametrize(("table", "column", "kind", "value"), OF_ANOTHER_KIND, ids=str)
def test_values_of_another_kind_are_a_fault_beside_all_others(
    made, out, table, column, kind, value
):
    part = next((out / table).glob("*.parquet"))
    rows = pq.ParquetFile(part).read()
    at = rows.column_names.index(column)
    is_inside = kind == rows.schema.field(at).type and value is not None  # nulls in a list or a map
    field = rows.schema.field(at) if is_inside else pa.field(column, kind)
    pq.write_table(rows.set_column(at, field, pa.array([value] * rows.num_rows, kind)), part)
    (out / "_SUCCESS").write_text("x")
    found, _ = verify(Storage(), str(out), originals=True, key_source=made[1])
    assert f"part {table}/{part.name} is not what was written" in found
    wrong = "nulls where its table has none" if is_inside else "other columns or types than"
    assert any(f.startswith(f"part {table}/{part.name} has {wrong}") for f in found), found
    assert "_SUCCESS is not empty" in found


def test_a_cell_of_the_data_that_is_no_text_is_a_fault(made, out):
    part = next((out / "data").glob("*.jsonl"))
    rows = [json.loads(line) for line in part.read_text().splitlines()]
    for row, value in zip(rows, ({"doc_key": ["x"]}, {"text": 7}), strict=False):
        part.write_text(json.dumps(row | value) + "\n")
        found, _ = verify(Storage(), str(out), originals=True, key_source=made[1])
        assert f"part data/{part.name} cannot be read (TypeError)" in found


def test_an_error_of_our_own_is_not_taken_for_tampering(faults, monkeypatch):
    def broken(tables):
        raise TypeError("ours")
        yield

    monkeypatch.setattr(table_faults, "_faults_of_documents", broken)
    with pytest.raises(TypeError, match="ours"):
        faults(key=False)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(50))
def test_random_changes_are_found_with_the_key(made, tmp_path, number):
    one = tampering.tamper(number, 19, *made, tmp_path)
    assert one.found["with the key"], (one.kind, one.said)
    assert not any("Traceback" in said or tampering.NAME in said for said in one.said)


@pytest.mark.slow
@pytest.mark.parametrize("kind", tampering.KINDS)
def test_each_kind_of_change_is_found(made, tmp_path, monkeypatch, kind):
    monkeypatch.setattr(tampering, "KINDS", {kind: tampering.KINDS[kind]})
    monkeypatch.setattr(tampering, "OFTEN", ())
    assert tampering.tamper(1, 20, *made, tmp_path).found["with the key"]


@pytest.mark.parametrize("other", ["documents", "quarantine"])
def test_parts_of_two_tables_that_changed_places_are_faults(out, faults, other):
    one, two = (next((out / table).glob("*.parquet")) for table in ("audit", other))
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)
    found = faults(key=False)
    assert sum("is not what was written" in fault for fault in found) == 2
    assert sum("has other columns or types" in fault for fault in found) == 2


# -- added


@pytest.mark.parametrize("table", tampering.TABLES)
@pytest.mark.parametrize("name", ["999999-x.parquet", ".hidden.parquet", "notes.txt", "y=1/a.csv"])
@pytest.mark.parametrize("restricted", [True, False])
def test_files_that_no_receipt_names_are_found_in_every_table(out, faults, table, name, restricted):
    (out / table / name).parent.mkdir(exist_ok=True)
    (out / table / name).write_text("Quorvath")
    found = faults(key=False, restricted=restricted)
    assert found == [f"1 files under {table}/ are not in the manifest"]


def test_links_and_pipes_are_found_and_not_followed(out, faults):
    os.mkfifo(out / "data/pipe")
    (out / "audit/link").symlink_to(out / "data")
    (out / "documents/nowhere").symlink_to("nowhere")
    links, *others = faults(key=False)
    assert links.startswith("2 symbolic links are in the output")
    assert others == [
        f"1 files under {table}/ are not in the manifest"
        for table in ("data", "audit", "documents")
    ]


def test_empty_folders_are_found_without_their_names(out, faults):
    (out / "data/name=Quorvath/year=1").mkdir(parents=True)
    (out / "audit/.x").mkdir()
    assert faults(key=False, restricted=False) == [
        f"1 empty folders under {table}/ belong to no part: remove them"
        for table in ("data", "audit")
    ]


def test_files_of_no_run_under_staging_are_said(made, out):
    (out / "_staging/0123456789abcdef/data").mkdir(parents=True)
    (out / "_staging/0123456789abcdef/data/x").write_text("of a job that outlived its launcher")
    found, lines = verify(Storage(), str(out), originals=False, key_source=made[1])
    said = (
        "1 files under _staging/ belong to no pending run: the next run that publishes removes them"
    )
    assert found == [] and said in lines


def test_files_at_the_root_are_found_without_their_names(out, faults):
    (out / "Quorvath.csv").write_text("x")
    (out / "more").mkdir()
    (out / ".scrubline-0123456789abcdef.tmp").write_text("of a process that was killed")
    assert faults(key=False) == ["2 files or folders at the root are not Scrubline's"]


@pytest.mark.parametrize("name", ["notes.txt", "RUN/notes.txt", "0123456789abcdef/notes.txt"])
def test_files_that_no_run_leaves_under_restricted_are_found(out, faults, name):
    run = json.loads((out / "manifest.json").read_bytes())["run"]
    path = out / "restricted" / name.replace("RUN", run)
    path.parent.mkdir(exist_ok=True)
    path.write_text("x")
    assert faults() == ["1 files under restricted/ were not written by a run: move them away"]


@pytest.mark.parametrize("name", ["numbered.parquet", "rework.json", "plan.seal.json"])
@pytest.mark.parametrize("content", ["{}", None])
def test_what_later_runs_would_read_of_a_run_is_sealed(out, faults, name, content):
    run = json.loads((out / "manifest.json").read_bytes())["run"]
    path = out / "restricted" / run / name
    was_there = path.exists()
    if content is None:
        path.unlink(missing_ok=True)
        expected = [f"restricted/{run}/{name} is missing, and was sealed"] if was_there else []
    else:
        path.write_text(content)
        expected = [f"restricted/{run}/{name} is not {'what was' if was_there else 'under the'} "]
    found = faults()
    assert len(found) == len(expected)
    assert all(one.startswith(two) for one, two in zip(found, expected, strict=True))


@pytest.mark.parametrize("name", ["manifest.json", "data", "restricted", "seal.json", "a part"])
def test_links_to_the_same_content_outside_are_found(out, faults, tmp_path, name):
    path = next((out / "data").rglob("*.*")) if name == "a part" else out / name
    (tmp_path / "outside").mkdir()
    target = path.rename(tmp_path / "outside" / path.name)
    path.symlink_to(target)
    found = faults(key=True)
    assert any("1 symbolic links are in the output" in fault for fault in found)


@pytest.mark.parametrize(
    "name", ["manifest.json", "seal.json", "_SUCCESS", "restricted/RUN/job.json"]
)
@pytest.mark.parametrize("what", ["pipe", "folder", "/dev/null"])
def test_what_is_no_file_in_the_place_of_one_is_a_fault_and_not_waited_for(out, faults, name, what):
    run = json.loads((out / "manifest.json").read_bytes())["run"]
    path = out / name.replace("RUN", run)
    path.unlink()
    if what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    else:
        path.symlink_to(what)
    assert faults() != []


# -- the manifest

FIELDS = {
    "run": "0" * 16,
    "fingerprint": "0" * 64,
    "code_version": "0.0",
    "models": {"en-default": "0" * 64},
    "recognisers": {},
    "policy": {"name": "research", "hash": "0" * 64, "kept": ["DATE"]},
    "key_check": "00000000",
    "budgets": {},
    "content_digest": "0" * 64,
    "text_digest": "0" * 64,
    "counts": {"rows_in": 1},
    "labels": {"PATIENT": 9999},
    "errors": {},
    "digests": {},
    "runs": {},
    "parts": [],
}


@pytest.mark.parametrize("restricted", [True, False], ids=["restricted", "published only"])
@pytest.mark.parametrize("how", ["other", "missing", "null"])
@pytest.mark.parametrize("name", FIELDS)
def test_every_field_of_the_manifest_is_compared(out, faults, name, how, restricted):
    def changed(manifest):
        if how == "missing":
            del manifest[name]
        else:
            manifest[name] = FIELDS[name] if how == "other" else None

    change(out, changed)
    assert any(name in fault or "digest" in fault for fault in faults(restricted=restricted))
    if name != "key_check":  # the seal's is another then
        assert faults(key=False)


@pytest.mark.parametrize(
    ("way", "value"),
    [
        *((("counts", name), 1) for name in ("spans", "tokens", "characters", "documents")),
        (("policy", "kept"), ["DATE"]),
        (("policy", "date_columns"), "keep"),
        (("policy", "name"), "research"),
        (("budgets", "line_bytes"), 1),
        (("parts", 0, "bytes"), 10**6),
        (("parts", 0, "sha256"), "0" * 64),
        (("parts", 0, "run"), "f" * 16),
        (("parts", 0, "table"), "quarantine"),
        (("parts", 0, "path"), "data/../manifest.json"),
        (("parts", 0, "rows"), 3),
        (("more",), 1),
        (("labels", "DATE"), 1),
    ],
    ids=str,
)
def test_false_values_deeper_in_the_manifest_are_found_without_key_and_restricted(
    out, faults, way, value
):
    def changed(manifest):
        owner = manifest
        for name in way[:-1]:
            owner = owner[name]
        owner[way[-1]] = value

    change(out, changed)
    # The name of a policy is part of no hash: restricted/ or the seal tell.
    assert faults(key=False, restricted=way[-1] == "name")


def test_a_manifest_from_before_it_said_what_becomes_of_dates_is_good(out, faults):
    change(out, lambda manifest: manifest["policy"].pop("date_columns"))
    assert faults(key=False) == []
    # With the key it is no longer what was sealed.
    assert faults() == ["manifest.json is not what was sealed"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000])
def test_a_broken_manifest_is_a_fault(out, faults, content):
    (out / "manifest.json").write_bytes(content)
    assert "manifest.json is damaged: it is not a JSON object" in faults(key=False)
    assert "manifest.json is not what was sealed" in faults() or "the seal is" in str(faults())


def test_an_unknown_run_of_a_part_is_a_fault(out, faults):
    change(out, lambda manifest: manifest["parts"][0].update(run="f" * 16))
    assert "manifest: parts name 1 runs that runs does not name" in faults(key=False)


# -- _SUCCESS, more than one fault, and how it ends


def test_success_must_be_there_and_empty(out, faults):
    (out / "_SUCCESS").write_text("x")
    assert faults(key=False) == ["_SUCCESS is not empty"]
    (out / "_SUCCESS").unlink()
    assert faults(key=False) == ["_SUCCESS is missing, and no publication is under way"]


def test_all_kinds_of_faults_are_reported_at_once_and_the_list_is_bounded(out, faults, monkeypatch):
    (out / "_SUCCESS").write_text("x")
    (out / "x").write_text("x")
    (out / "audit/x").write_text("x")
    next((out / "data").glob("*")).unlink()
    change(out, lambda manifest: manifest.update(labels={}))
    found = faults()
    for part in ("_SUCCESS", "sealed", "root", "audit/", "is missing", "labels", "documents"):
        assert any(part in fault for fault in found), (part, found)
    monkeypatch.setattr(verifying, "MOST_FAULTS", 2)
    assert len(faults()) == 3 and faults()[-1] == f"{len(found) - 2} more"


def test_faults_end_the_command_with_3(made, out, scrubline):
    assert scrubline("verify", "--output", out, "--key-file", made[1])[0] == 0
    (out / "quarantine/x.parquet").write_bytes(b"")
    code, said, _ = scrubline("verify", "--output", out, "--key-file", made[1])
    assert code == 3 and "FAULT 1 files under quarantine/ are not in the manifest" in said


def test_the_audit_of_the_readme_has_the_rows_that_verify_saw(out, faults):
    """A copied part would give a reader of the folder more rows."""
    part = next((out / "audit").glob("*.parquet"))
    shutil.copy(part, Path(str(part).replace("00000", "99999")))
    assert faults() == ["1 files under audit/ are not in the manifest"]
