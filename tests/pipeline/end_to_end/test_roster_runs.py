"""Runs with a roster, and with columns of role `known`: refused, resumed, swapped, held back."""

import dataclasses
import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import GateFailed, RunFailed, UsageError
from scrubline.models.core.keys import new_key
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs.job import Job
from scrubline.models.jobs.receipts import Receipt
from scrubline.models.storage.key_files import load_keys
from scrubline.models.storage.storage import Storage
from scrubline.pipeline import work
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs.planning import read_job
from scrubline.pipeline.run import plan_and_freeze, resume, scrub

from ...models.roster.test_bundle import build as build_with

COLUMNS = Columns.parse(
    [("id", "id"), ("pat", "patient"), ("dx", "pass"), ("kind", "type"), ("text", "text")]
)
PEOPLE = """patient,kind,attribute,value
123,self,name,Zelda Quimby
123,self,birth,1950-03-04
123,self,mrn,00987654
123,relative,name,Yorick Brandenquist
p2,self,name,Octavia Vancourtlandt
p3,self,sex,F
s1,staff,name,"Ignatz Fotheringay, MD"
"""
NOTES = [
    (123, "zelda QUIMBY b. 3/4/1950; yorick told. MRN 987654."),
    (123.0, "Ms. Quimbi, seen by Ignatz Fotheringay"),
    ("123", "BP 120/80"),
    ("p2", "Vancourtlandt, O. and Quimby"),
    ("p3", "no name is known. MAY 2"),
    ("p2", None),
]
SCRUBBED = [
    "[PATIENT] b. [DATE]; [PATIENT] told. MRN [MEDICALRECORD].",
    "Ms. [PATIENT], seen by [DOCTOR]",
    "BP 120/80",
    "[PATIENT] and Quimby",
    "no name is known. MAY 2",
    None,
]


def write_notes(folder, notes=NOTES, copies=4, **more):
    folder.mkdir(parents=True, exist_ok=True)
    for copy in range(copies):
        rows = [
            {"id": f"{copy}-{n}", "pat": pat, "dx": "E11", "kind": "note", "text": text} | more
            for n, (pat, text) in enumerate(notes)
        ]
        path = folder / f"n{copy}.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def build(folder, key_file, people=PEOPLE, out="roster"):
    keys = load_keys(key_file, Storage().read_bytes)
    build_with(folder, people, f"{out}.csv", keys, out=out)
    return str(folder / out)


@pytest.fixture
def asked(tmp_path, options, key_file):
    return dataclasses.replace(
        options,
        inputs=(str(write_notes(tmp_path / "notes")),),
        columns=COLUMNS,
        recognisers=("phone",),
        roster=build(tmp_path, key_file),
        split_bytes=900,
        min_roster_share=0.5,
        max_quarantined=0.0,
    )


@pytest.fixture
def scrub_it(storage, asked):
    def run_it(**changes):
        return scrub(storage, dataclasses.replace(asked, **changes))

    return run_it


def texts_of(output):
    rows = [
        json.loads(line)
        for part in sorted(Path(output).glob("data/*"))
        for line in part.read_text().splitlines()
    ]
    return [row["text"] for row in rows]


def table(output, name):
    return pq.read_table(Path(output) / name)


def test_a_run_removes_what_the_roster_knows_and_says_what_it_used(scrub_it, asked, storage):
    manifest = scrub_it()
    assert texts_of(asked.output) == SCRUBBED * 4
    job = read_job(storage, asked.output, manifest["run"])
    assert manifest["roster"] == {
        "generation": job.roster_generation,
        "fuzzy": 1,
        "code": job.roster_hash,
        "not_asserted": [],
    }
    assert len(job.roster_generation) == 32
    assert manifest["runs"][manifest["run"]]["roster"] == job.roster_generation
    assert manifest["counts"]["documents_in_roster"] == 24
    documents = table(asked.output, "documents")
    assert set(documents["roster"].to_pylist()) == {"yes"}
    audit = table(asked.output, "audit").to_pylist()
    assert {(row["roster"], row["label"]) for row in audit} == {
        ("self", "PATIENT"),
        ("self", "DATE"),
        ("self", "MEDICALRECORD"),
        ("relative", "PATIENT"),
        ("staff", "DOCTOR"),
    }
    units = pq.read_table(Path(asked.output) / "restricted/units.parquet")
    receipts = [Receipt.from_json(text) for text in units["receipt"].to_pylist()]
    assert len(receipts) > 1 and {r.roster for r in receipts} == {job.roster_generation}
    assert verify(storage, asked.output, originals=True, key_source=None)[0] == []


@pytest.mark.slow
def test_one_content_digest_however_it_is_run(
    scrub_it, asked, storage, tmp_path, monkeypatch, forked
):
    digest = scrub_it()["content_digest"]
    small = dict(split_bytes=400, batch_documents=1)
    assert scrub_it(output=str(tmp_path / "two"), workers=2, **small)["content_digest"] == digest
    cut = dataclasses.replace(asked, output=str(tmp_path / "cut"))
    real = work.run_units

    def half(storage, job, plan, units, *more):
        real(storage, job, plan, units[:2], *more)
        raise RunFailed("cut off")

    with monkeypatch.context() as patch:
        patch.setattr(work, "run_units", half)
        with pytest.raises(RunFailed):
            scrub(storage, cut)
    assert resume(storage, cut)["content_digest"] == digest


def test_a_patient_id_is_one_in_any_form_and_unknown_ones_are_counted(scrub_it, asked, tmp_path):
    notes = [(123.0, "Quimby"), ("0123", "Quimby"), (None, "Quimby"), ("123.0", "Quimby")]
    source = write_notes(tmp_path / "ids", notes, copies=1)
    scrub_it(inputs=(str(source),), min_roster_share=0.25)
    assert texts_of(asked.output) == ["[PATIENT]", "Quimby", "Quimby", "Quimby"]
    found = table(asked.output, "documents")["roster"].to_pylist()
    assert found == ["yes", "none", "none", "none"]


# -- gates


def test_a_roster_that_lacks_the_patients_holds_the_run_back(scrub_it, asked, storage, tmp_path):
    source = write_notes(tmp_path / "others", [("p8", "x"), ("p2", "y"), ("p9", "z")], copies=1)
    with pytest.raises(GateFailed, match=r"patient of only 1 of 3 documents \(33.33%\), less than"):
        scrub_it(inputs=(str(source),), min_roster_share=None)
    with pytest.raises(GateFailed, match="--min-roster-share 0.3333"):
        resume(storage, dataclasses.replace(asked, min_roster_share=None))
    manifest = resume(storage, dataclasses.replace(asked, min_roster_share=0.3333))
    assert manifest["counts"]["documents_in_roster"] == 1


def test_a_column_that_tells_the_name_holds_the_run_back(scrub_it, asked, storage, tmp_path):
    source = write_notes(tmp_path / "telling", copies=1, dx="dr quimby")
    with pytest.raises(GateFailed, match="in the output of 3 of 6 rows something") as held:
        scrub_it(inputs=(str(source),), max_quarantined=1.0)
    assert "guard: OwnName (3): a name of the patient" in str(held.value)
    assert "--max-guard 0.5" in str(held.value) and "imby" not in str(held.value).lower()
    accepted = dataclasses.replace(asked, max_quarantined=1.0, max_guard=0.5)
    manifest = resume(storage, accepted)
    assert manifest["errors"] == {"guard: OwnName": 3}
    assert manifest["counts"]["rows_out"] == 3
    assert "quimby" not in json.dumps(texts_of(asked.output)[0])


def test_what_the_policy_keeps_is_named_in_the_manifest(scrub_it, asked, tmp_path):
    policy = tmp_path / "keeps.toml"
    policy.write_text('name = "keeps"\n[actions]\nDATE = "keep"\nSTATE = "keep"\n')
    assert scrub_it(policy=str(policy))["roster"]["not_asserted"] == ["DATE"]
    assert "b. 3/4/1950;" in texts_of(asked.output)[0]


def test_a_patient_over_the_budget_is_quarantined_alone(scrub_it, asked, tmp_path, key_file):
    many = "".join(f"p2,relative,name,Quuxa{n} Vorp{n}\n" for n in range(20_000))
    roster = build(tmp_path, key_file, PEOPLE + many, "crowd")
    manifest = scrub_it(roster=roster, max_quarantined=0.5)
    assert manifest["errors"] == {"match: OverBudget:roster": 8}
    assert manifest["counts"]["rows_out"] == 16


def test_what_a_roster_finds_gets_the_surrogate_or_the_shifted_date_of_the_policy(
    scrub_it, asked, storage, tmp_path
):
    policy = tmp_path / "surrogates.toml"
    policy.write_text('name = "s"\n[actions]\nPATIENT = "surrogate"\nDATE = "shift"\n')
    assert scrub_it(policy=str(policy))["errors"] == {}
    written = " ".join(text or "" for text in texts_of(asked.output)).casefold()
    assert "[patient]" not in written and "3/4/1950" not in written
    assert not [name for name in ("zelda", "yorick", "vancourt") if name in written]
    found = {(row["roster"], row["action"]) for row in table(asked.output, "audit").to_pylist()}
    assert {("self", "surrogate"), ("self", "shift"), ("relative", "surrogate")} <= found
    more = {"originals": True, "key_source": asked.key_source, "roster": asked.roster}
    assert verify(storage, asked.output, **more)[0] == []


def test_verify_finds_what_an_output_tells_of_the_people_of_a_roster(
    scrub_it, asked, storage, tmp_path
):
    def check(output, **more):
        more = {"originals": False, "key_source": asked.key_source, "roster": asked.roster} | more
        return verify(storage, output, **more)

    scrub_it()
    faults, lines = check(asked.output)
    said = "24 of 24 notes are of patients in the roster; nothing that is asserted of them is left"
    assert faults == [] and said in lines
    source = write_notes(tmp_path / "telling", copies=1, dx="Quimby")
    plain = str(tmp_path / "plain")
    scrub_it(inputs=(str(source),), roster=None, output=plain)
    of_roster = "published rows are of a patient of whom something in the roster is left"
    faults, lines = check(plain)
    assert faults == [
        f"1 {of_roster} (OwnDate)", f"4 {of_roster} (OwnName)", f"1 {of_roster} (OwnNumber)"
    ]  # fmt: skip
    assert check(plain, roster=None)[0] == []
    with pytest.raises(UsageError, match="--roster needs the key"):
        check(plain, key_source=None)


# -- refused


def test_a_roster_without_patients_in_the_input_is_refused(scrub_it, tmp_path):
    columns = Columns.parse(
        [("id", "id"), ("pat", "drop"), ("dx", "pass"), ("kind", "type"), ("text", "text")]
    )
    with pytest.raises(UsageError, match="--roster needs to know whose note a row is"):
        scrub_it(columns=columns)
    assert not (tmp_path / "out").exists()


def test_a_roster_of_another_key_is_refused_when_it_is_planned(scrub_it, tmp_path):
    other = tmp_path / "other-key.txt"
    other.write_text(new_key())
    with pytest.raises(UsageError, match="sealed under another master key"):
        scrub_it(roster=build(tmp_path, str(other), out="foreign"))


@pytest.mark.parametrize("harm", ["cut", "gone", "none", "manifest"])
def test_a_damaged_roster_is_refused_when_it_is_planned(scrub_it, asked, harm):
    folder = Path(asked.roster)
    if harm == "cut":
        (folder / "patients.bin").write_bytes((folder / "patients.bin").read_bytes()[:-64])
    elif harm == "gone":
        (folder / "staff.bin").unlink()
    elif harm == "none":
        shutil.rmtree(folder)
    else:
        (folder / "roster.json").write_text("{}")
    with pytest.raises(UsageError, match="roster"):
        scrub_it()


@pytest.mark.parametrize("harm", ["swapped", "foreign", "cut", "flipped", "gone"])
@pytest.mark.parametrize("workers", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_another_roster_than_the_planned_one_stops_the_run(
    asked, storage, tmp_path, key_file, harm, workers
):
    asked = dataclasses.replace(asked, workers=workers)
    plan_and_freeze(storage, asked)
    folder, kept = Path(asked.roster), tmp_path / "kept"
    shutil.copytree(folder, kept)
    shard = folder / "patients.bin"
    if harm in ("swapped", "foreign"):
        other = tmp_path / "other-key.txt"
        other.write_text(new_key())
        source = key_file if harm == "swapped" else str(other)
        made = build(tmp_path, source, PEOPLE.replace("Zelda", "Griselda"), "later")
        shutil.rmtree(folder)
        shutil.copytree(made, folder)
    elif harm == "cut":
        shard.write_bytes(shard.read_bytes()[:-64])
    elif harm == "flipped":
        content = bytearray(shard.read_bytes())
        content[-1] ^= 1
        shard.write_bytes(content)
    else:
        shard.unlink()
    with pytest.raises((UsageError, RunFailed), match="roster"):
        resume(storage, asked)
    assert not (tmp_path / "out/data").exists()
    shutil.rmtree(folder)
    shutil.copytree(kept, folder)
    resume(storage, asked)
    assert texts_of(asked.output) == SCRUBBED * 4


def test_a_row_that_was_changed_in_a_whole_looking_roster_fails_its_patient_alone(
    scrub_it, asked, monkeypatch
):
    from scrubline.models.roster.sealing import RowSealer

    real = RowSealer.open
    bad = load_keys(asked.key_source, Storage().read_bytes).patient_key("p2")
    monkeypatch.setattr(
        RowSealer,
        "open",
        lambda self, patient, sealed: real(
            self, patient, sealed[:-1] + b"\0" if patient.hex() == bad else sealed
        ),
    )
    manifest = scrub_it(max_quarantined=0.5)
    assert manifest["errors"] == {"match: DamagedRosterRow": 8}


# -- what a new roster does, and what none does


def test_the_next_nights_roster_outdates_nothing_and_is_used_when_asked(
    scrub_it, asked, storage, tmp_path, key_file
):
    first = scrub_it()
    later = build(tmp_path, key_file, PEOPLE + "p2,self,alias,Quimby\n", "later")
    again = scrub_it(roster=later, incremental=True)
    assert "nothing_to_do" in again
    second = scrub_it(roster=later)
    assert second["run"] != first["run"] and second["fingerprint"] == first["fingerprint"]
    assert texts_of(asked.output)[3] == "[PATIENT] and [PATIENT]"
    assert second["roster"]["generation"] != first["roster"]["generation"]
    assert verify(storage, asked.output, originals=True, key_source=None)[0] == []
    third = scrub_it(roster=later, roster_fuzzy=0, incremental=True)
    assert third["fingerprint"] != first["fingerprint"]
    assert texts_of(asked.output)[1] == "Ms. Quimbi, seen by [DOCTOR]"


def test_without_anybody_known_a_job_is_as_it_was(asked, storage):
    job, _ = plan_and_freeze(storage, dataclasses.replace(asked, roster=None))
    assert (job.roster, job.roster_generation, job.roster_hash) == (None, "", "")
    value = json.loads(job.to_json())
    for name in ("roster", "roster_generation", "roster_hash", "roster_fuzzy", "max_guard"):
        del value[name]
    del value["min_roster_share"]
    older = Job.from_json(json.dumps(value))
    assert older.fingerprint == job.fingerprint
    assert (older.max_guard, older.min_roster_share, older.knows_people) == (0.001, 0.9, False)


# -- columns with role known


def test_known_columns_are_left_out_and_removed_from_their_row(scrub_it, asked, tmp_path):
    source = write_notes(
        tmp_path / "rows", [("p9", "Quimby saw Vorpal; 987654")], copies=1,
        name="Quimby, Zelda", kin="Vorpal", mrn=987654,
    )  # fmt: skip
    known = [("name", "known:name"), ("kin", "known:relative.family"), ("mrn", "known:mrn")]
    columns = Columns.parse([*COLUMNS.to_json(), *known])
    manifest = scrub_it(inputs=(str(source),), columns=columns, roster=None)
    (row,) = (json.loads(p.read_text()) for p in Path(asked.output).glob("data/*"))
    assert row["text"] == "[PATIENT] saw [PATIENT]; [MEDICALRECORD]"
    assert not {"name", "kin", "mrn"} & row.keys()
    assert manifest["roster"]["generation"] is None
    assert table(asked.output, "documents")["roster"].to_pylist() == [None]
    assert {r["roster"] for r in table(asked.output, "audit").to_pylist()} == {"self", "relative"}


def test_known_values_that_find_nothing_are_counted_and_told(scrub_it, tmp_path, caplog):
    source = write_notes(tmp_path / "rows", [("p9", "x")], copies=1, tel="unknown", born="May 1950")
    columns = Columns.parse([*COLUMNS.to_json(), ("tel", "known:phone"), ("born", "known:birth")])
    manifest = scrub_it(inputs=(str(source),), columns=columns, roster=None)
    assert manifest["counts"]["known_values_unusable"] == 2
    assert "2 known values are not looked for in texts" in caplog.text
    assert "unknown" not in caplog.text


def test_a_known_column_of_free_text_or_flags_is_quarantined(scrub_it, tmp_path):
    columns = Columns.parse([*COLUMNS.to_json(), ("name", "known:name")])
    for value, error in (("x" * 201, "KnownTooLong"), (True, "BadId")):
        source = write_notes(tmp_path / error, [("p9", "x")], copies=1, name=value)
        with pytest.raises(GateFailed, match=f"read: {error}"):
            changes = {"roster": None, "output": str(tmp_path / f"out{error}")}
            scrub_it(inputs=(str(source),), columns=columns, **changes)


@pytest.mark.parametrize(
    ("role", "message"),
    [
        ("known", "role known says what the column is"),
        ("known:", "role known says what the column is"),
        ("known:nam", r"did you mean 'name'"),
        ("known:stuff.name", "of self, relative, contact, staff"),
        ("known:self.relative.name", "role known says"),
    ],
)
def test_a_known_column_says_what_it_is(role, message):
    with pytest.raises(UsageError, match=message):
        Columns.parse([*COLUMNS.to_json(), ("x", role)])
