"""Whole runs with the policy `expert`: one content digest, verified, looked at, joined by key."""

import dataclasses
import datetime
import json
import re

import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.formats.column_roles import Columns
from scrubline.pipeline.commands.inspect import read_rows
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.run import plan_and_freeze, resume

from .test_roster_runs import build

ROLES = Columns.parse(
    [
        *(("note_id", "id"), ("mrn", "patient"), ("on", "date"), ("born", "birth")),
        *(("kind", "type"), ("text", "text")),
    ]
)
FORMS = (
    "Patient: Smith{p}, John\nMRN: {m}. DOB {born}\nMr. Smith{p} was seen on {us} by Dr. Ann Lee "
    "in Salem, MA 01970; call 617-234-9912.",
    "Seen {us} and {iso}. Mr. Smith{p} is a 93-year-old teacher. Mail smith{p}@clinic.example.",
    "Follow up of {iso}: Mr. Smith{p} (MRN {m}) was well on Friday. Christmas 2019. BP 120/80.",
    "Seen {eu} by Dr. García. &Eacute;l est&aacute; bien. Dr. S&#109;ith{p}, MRN {m}.",
)


def note(n):
    patient = n % 5
    day = datetime.date(2024, 1, 1) + datetime.timedelta(days=11 * n)
    text = FORMS[n % 4].format(
        p="xwzuv"[patient],
        m=7_000_000 + patient,
        born="5/6/1950",
        us=f"{day.month}/{day.day}/{day:%y}",
        eu=f"{day.day}/{day.month}/{day.year}",
        iso=day.isoformat(),
    )
    return {
        "note_id": n,
        "mrn": None if n % 13 == 12 else f"00{patient}",
        "on": day.isoformat() if n % 2 else f"{day.month}/{day.day}/{day.year}",
        "born": "1950-05-06" if patient else "1930-05-06",
        "kind": "progress",
        "text": text,
    }


NOTES = [note(n) for n in range(48)]


@pytest.fixture
def options(options, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for at in range(3):
        lines = [json.dumps(one) for one in NOTES[at::3]]
        (folder / f"part{at}.jsonl").write_text("\n".join(lines) + "\n")
    return dataclasses.replace(options, inputs=(str(folder),), columns=ROLES, policy="expert")


def published(storage, options, manifest):
    out = {}
    for part in manifest["parts"]:
        if part["table"] == "data":
            content = storage.read_bytes(f"{options.output}/{part['path']}").decode()
            for line in content.splitlines():
                row = json.loads(line)
                out[row["doc_key"]] = row
    return out


def test_a_run_is_verified_looked_at_and_joined_by_key(run, storage, options, scrubline):
    manifest = run()
    faults, lines = verify(storage, options.output, originals=True, key_source=None)
    assert faults == []
    assert any("48 originals of the last run: the audit leads" in line for line in lines)
    policy = manifest["policy"]
    assert policy["method"].startswith("expert") and policy["dates"]["offsets"] == 52
    code, shown, _ = scrubline("inspect", "--output", options.output)
    assert code == 0 and "surrogates       scope record, of en" in shown
    assert "shifted dates    52 offsets, to 364 days, past" in shown
    assert "method           expert: an expert must determine" in shown
    page = storage.read_bytes(f"{options.output}/report.html").decode()
    assert "52 offsets, to 364 days, past" in page and "an expert must determine" in page
    rows = published(storage, options, manifest)
    text = "\n".join(row["text"] for row in rows.values())
    assert not re.search(r"Smith[xwzuv]|García|700000|617-234|Salem", text, re.IGNORECASE)
    # Holidays, dates without a patient; what stands in disguise.
    assert text.count("[DATE]") >= 12 and text.count("[PATIENT]") == text.count("&Eacute;") == 12
    # Dates of a patient move together, in texts and columns.
    code, days, _ = scrubline(
        *("key", "offset", "-", "--policy", "expert", "--key-file", options.key_source),
        stdin=b"000\n001\n002\n003\n004\n",
    )
    assert code == 0 and len(days.split()) == 5
    offsets = [datetime.timedelta(days=int(one)) for one in days.split()]
    code, keys, _ = scrubline(
        "key", "doc", *(str(n) for n in range(48)), "--key-file", options.key_source
    )
    for one, key in zip(NOTES, keys.split(), strict=True):
        row = rows[key]
        day = datetime.date(2024, 1, 1) + datetime.timedelta(days=11 * one["note_id"])
        if one["mrn"] is None:
            assert not {"on", "born"} & row.keys() and day.isoformat() not in row["text"]
            assert "[DATE]" in row["text"]
            continue
        moved = day + offsets[int(one["mrn"])]
        iso, us = moved.isoformat(), f"{moved.month}/{moved.day}/{moved.year}"
        assert row["on"] in ({iso} if one["note_id"] % 2 else {us, f"{moved:%m/%d/%Y}"})
        born = datetime.date(1950, 5, 6) + offsets[int(one["mrn"])]
        assert row.get("born") == (None if int(one["mrn"]) == 0 else born.isoformat())
        if one["note_id"] % 4 in (1, 2):
            assert iso in row["text"]
    documents = read_rows(storage, options.output, manifest, "documents")
    audit = read_rows(storage, options.output, manifest, "audit")
    assert sum(row["surrogates"] for row in documents) == sum(
        span["action"] == "surrogate" and not span["fragment"] for span in audit
    )
    assert all(row["dates_ambiguous"] == 0 for row in documents)
    place = ("--output", options.output, "--key-file", options.key_source)
    code, shown, _ = scrubline("inspect", *place, "--document", "1")
    names = {span["entity_id"] for span in audit if span["label"] == "PATIENT"}
    assert "Smithw" in shown and rows[keys.split()[1]]["text"].split()[-1] in shown
    assert None not in {span["entity_id"] for span in audit if span["action"] == "surrogate"} - {
        span["entity_id"] for span in audit if span["label"] == "AGE"
    }
    assert names


@pytest.mark.slow
def test_direct_two_workers_and_resumed_are_one_content(run, storage, options, tmp_path, forked):
    first = run()
    workers = run(output=str(tmp_path / "workers"), workers=2, split_bytes=2_000)
    later = dataclasses.replace(options, output=str(tmp_path / "resumed"), split_bytes=1_000)
    plan_and_freeze(storage, later)
    resumed = resume(storage, later)
    digests = {one["content_digest"] for one in (first, workers, resumed)}
    assert len(digests) == 1
    again = run(output=str(tmp_path / "again"))
    assert again["content_digest"] == first["content_digest"]


@pytest.mark.slow
def test_nights_are_one_content(run, options, tmp_path):
    whole = run(output=str(tmp_path / "whole"))
    folder = tmp_path / "nights"
    folder.mkdir()
    for at in range(3):
        source = tmp_path / "notes" / f"part{at}.jsonl"
        (folder / source.name).write_bytes(source.read_bytes())
        manifest = run(inputs=(str(folder),), output=str(tmp_path / "nightly"), incremental=True)
    assert manifest["content_digest"] == whole["content_digest"]


def test_another_key_gives_other_content(run, options, tmp_path):
    first = run()
    other = tmp_path / "other.txt"
    other.write_text("scrubline-key-v1:" + "QUJE" * 10 + "QUI=\n")
    other.chmod(0o600)
    second = run(output=str(tmp_path / "second"), key_source=str(other))
    assert first["digests"]["text"] != second["digests"]["text"]
    assert first["counts"] == second["counts"] and first["labels"] == second["labels"]


def test_the_truth_in_the_place_of_a_surrogate_is_a_fault(run, storage, options, monkeypatch):
    """As an output made by a broken program: its parts and digests agree with each other."""
    from scrubline.models.redaction import stand_ins

    made = stand_ins.StandIns._surrogate

    def broken(self, surrogates, text, span, *rest):
        one = made(self, surrogates, text, span, *rest)
        return dataclasses.replace(one, text=text[span.start : span.end])

    with monkeypatch.context() as patch:
        patch.setattr(stand_ins.StandIns, "_surrogate", broken)
        run()
        faults, _ = verify(storage, options.output, originals=True, key_source=None)
    assert any("a surrogate is the text that it stands for" in fault for fault in faults)
    faults, _ = verify(storage, options.output, originals=True, key_source=None)
    assert any("the audit does not lead to the published text" in fault for fault in faults)
    assert verify(storage, options.output, originals=False, key_source=None)[0] == []


@pytest.mark.parametrize(
    ("roles", "told"),
    [
        ([("mrn", "drop")], "no column has role patient"),
        ([("mrn", "hash")], "no column has role patient"),
    ],
)
def test_a_run_without_patients_is_refused(roles, told, run, tmp_path):
    changed = [(name, dict(roles).get(name, str(role))) for name, role in ROLES.roles]
    with pytest.raises(UsageError, match=told):
        run(columns=Columns.parse(changed))
    assert not (tmp_path / "out").exists()


def test_folders_of_dates_are_refused(run, tmp_path):
    folder = tmp_path / "hive" / "day=2024-05-03"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_text(json.dumps(NOTES[0]) + "\n")
    columns = Columns.parse([*ROLES.to_json(), ("day", "date")])
    with pytest.raises(UsageError, match="a folder holds the notes of many"):
        run(inputs=(str(tmp_path / "hive"),), columns=columns)


def test_notes_of_several_rows(run, storage, options, tmp_path):
    """What is cut by the end of a row keeps its marker; all rows move alike."""
    (tmp_path / "lines").mkdir()
    (tmp_path / "lines/a.csv").write_text(
        "note,line,mrn,on,text\n"
        "1,1,7,2024-05-03,Mr. Smithx was seen on 5/3/24 by\n"
        "1,2,7,2024-05-03,Dr. Ann Lee. Call 617-234-\n"
        "1,3,7,xx,9912. Mr. Smithx\n"
    )
    roles = {"note": "id", "line": "pass", "mrn": "patient", "on": "date", "text": "text"}
    manifest = run(
        inputs=(str(tmp_path / "lines"),),
        columns=Columns.parse(list(roles.items())),
        group_lines="note,line",
    )
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []
    (part,) = [part for part in manifest["parts"] if part["table"] == "data"]
    lines = storage.read_bytes(f"{options.output}/{part['path']}").decode().splitlines()[1:]
    found = [line.split(",")[2:] for line in lines]
    days = [datetime.date.fromisoformat(day) for _, day, _ in found[:2]]
    assert days[0] == days[1] != datetime.date(2024, 5, 3) and found[2][1] == ""
    first, second, third = (text for *_, text in found)
    name = first.split()[1]
    written = f"{days[0].month}/{days[0].day}/{days[0]:%y}"
    assert first == f"Mr. {name} was seen on {written} by" and name != "Smithx"
    assert second.endswith("Call [PHONE]") and third == f"[PHONE]. Mr. {name}"
    (row,) = read_rows(storage, options.output, manifest, "documents")
    assert (row["surrogates"], row["dates_unread"]) == (3, 1)


def test_the_period_that_is_told_is_of_the_shifted_date(run, storage, options, tmp_path):
    policy = tmp_path / "site.toml"
    policy.write_text('name = "site"\nextends = "expert"\n[documents]\nperiod = "month"\n')
    manifest = run(policy=str(policy))
    rows = published(storage, options, manifest)
    documents = read_rows(storage, options.output, manifest, "documents")
    for row in documents:
        told = rows[row["doc_key"]].get("on")
        if told is None:
            assert row["period"] is None
        elif "-" in told:
            assert row["period"] == told[:7]
    assert len({row["period"] for row in documents}) > 5


@pytest.mark.parametrize("command", [["scrub", "-"], ["serve"]])
def test_texts_alone_are_refused_with_what_to_do(command, scrubline, tmp_path):
    token = tmp_path / "token"
    token.write_text("x" * 40)
    token.chmod(0o600)
    more = ["--token-file", token] if command == ["serve"] else []
    code, out, err = scrubline(
        *command, "--policy", "expert", "--model", "none", *more, stdin=b"Dr. Smith"
    )
    assert (code, out) == (2, "") and "use `scrubline scrub` on a table" in err


def test_key_offset_needs_a_policy_that_shifts(scrubline, options):
    place = ("--key-file", options.key_source)
    code, out, err = scrubline("key", "offset", "1", *place)
    assert (code, out) == (2, "") and "needs --policy" in err
    code, out, err = scrubline("key", "offset", "1", "--policy", "hipaa", *place)
    assert (code, out) == (2, "") and "policy hipaa shifts no dates" in err
    code, out, err = scrubline("key", "patient", "1", "--policy", "expert", *place)
    assert (code, out) == (2, "")
    code, out, err = scrubline("key", "offset", "1", " 1 ", " ", "--policy", "expert", *place)
    first, second, third, _ = out.split("\n")
    assert code == 0 and first == second and int(first) % 7 == 0 and third == ""


def test_parquet_dates_keep_their_type(run, storage, options, tmp_path):
    import pyarrow as pa

    rows = [one | {"on": datetime.date(2024, 5, 3)} for one in NOTES[:4]]
    (tmp_path / "p").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "p/a.parquet")
    manifest = run(inputs=(str(tmp_path / "p"),))
    (part,) = [part for part in manifest["parts"] if part["table"] == "data"]
    table = pq.read_table(f"{options.output}/{part['path']}")
    assert table.schema.field("on").type == pa.date32()
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []


def test_a_roster_gives_surrogates_what_they_must_not_be(run, storage, options, tmp_path, key_file):
    people = ["patient,kind,attribute,value"]
    for patient, letter in enumerate("xwzuv"):
        people += [
            f'00{patient},self,name,"Smith{letter}, John"',
            f"00{patient},self,mrn,{7_000_000 + patient}",
            f"00{patient},self,birth,1950-05-06",
        ]
    roster = build(tmp_path, key_file, "\n".join(people) + "\n")
    manifest = run(roster=roster, min_roster_share=0.5, max_quarantined=0.0)
    text = "\n".join(row["text"] for row in published(storage, options, manifest).values())
    assert not re.search(r"Smith[xwzuv]|700000", text, re.IGNORECASE)
    audit = read_rows(storage, options.output, manifest, "audit")
    own = [row for row in audit if row["roster"] == "self"]
    assert {row["action"] for row in own} >= {"surrogate", "shift"}
    faults, lines = verify(storage, options.output, originals=True, key_source=None)
    assert faults == []
    assert any("48 originals of the last run: the audit leads" in line for line in lines)
