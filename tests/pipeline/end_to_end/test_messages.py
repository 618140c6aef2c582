"""Messages from planning to `verify`: header and text by one policy, every other byte as it was."""

import base64
import itertools
import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.storage.key_files import load_keys
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.cli import main as cli
from scrubline.pipeline.options import options_from
from scrubline.pipeline.run import scrub

DEMO = Path(__file__).parents[3] / "demo" / "hl7" / "notes.hl7"


def message(number, *segments, patient="4417", name="QUIMBY^ZELDA^M"):
    return "\r".join(
        (
            f"MSH|^~\\&|LAB|SITE|EHR|SITE|20240312101500||ORU^R01|M{number}|P|2.5.1",
            f"PID|1||{patient}^^^SITE^MR||{name}||19610203|F|||12 ELM ST^^OAKHAM^IL^62701",
            "PV1|1|I|4W^401||||778899^Fotheringay^Ignatz",
            f"OBR|1|ORD{number}||71020^CHEST XRAY^L|||20240312093000",
            *segments,
        )
    )


LINES = (
    "OBX|1|TX|71020^CHEST XRAY^L||Ms. Zelda was seen by Ignatz||||||F",
    "OBX|2|TX|71020^CHEST XRAY^L||Fotheringay \\T\\ son on 03/11/2024, MRN 4417.||||||F",
    "OBX|3|NM|8867-4^Heart rate^LN||72|/min|60-100|N|||F",
)


def run(source, output, key_file, **more):
    said = {"model": ["none"], "key_file": key_file, "progress": False}
    said |= {"input": [str(source)], "output": str(output)} | more
    return scrub(Storage(), options_from(said, {}))


def write(folder, *records, name="a.hl7", end="\r"):
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes("".join(one + end for one in records).encode())
    return folder


def published(output):
    return b"".join(p.read_bytes() for p in sorted((output / "data").rglob("*.hl7"))).decode()


def verified(output, key_file):
    command = ["verify", "--output", str(output), "--key-file", key_file, "--originals"]
    with pytest.raises(SystemExit) as ended:
        cli.main(command)
    return ended.value.code


def test_a_message_is_scrubbed_in_its_place(tmp_path, key_file, capsys):
    source = write(tmp_path / "in", message(1, *LINES), message(2, *LINES))
    out = tmp_path / "out"
    manifest = run(source, out, key_file)
    keys = load_keys(key_file, Storage().read_bytes)
    first, second = published(out).rstrip("\r").split("\rMSH")
    assert first.split("\r") == [
        f"MSH|^~\\&|||||||ORU^R01|{keys.doc_key('M1')}|P|2.5.1",
        f"PID|1||{keys.patient_key('4417')}^^^^MR||^^|||F|||^^^IL^",
        "PV1|1|I|||||^^",
        f"OBR|1|{keys.column_hash('ORD1')}||71020^CHEST XRAY^L|||",
        "OBX|1|TX|71020^CHEST XRAY^L||Ms. [PATIENT] was seen by [DOCTOR]||||||F",
        "OBX|2|TX|71020^CHEST XRAY^L||[DOCTOR] \\T\\ son on [DATE], MRN [MEDICALRECORD].||||||F",
        "OBX|3|NM|8867-4^Heart rate^LN||72|/min|60-100|N|||F",
    ]
    assert second.startswith("|^~")
    assert manifest["counts"]["documents"] == manifest["counts"]["rows_out"] == 2
    assert verified(out, key_file) == 0


def test_the_header_gets_what_the_text_gets(tmp_path, key_file):
    out = tmp_path / "out"
    run(write(tmp_path / "in", message(1, *LINES)), out, key_file, policy="expert")
    found = published(out)
    family, given = re.search(r"PID\|1\|\|[^|]*\|\|([^|^]+)\^([^|^]+)\^", found).groups()
    assert family.isupper() and family != "QUIMBY" and given != "ZELDA"
    assert f"Ms. {given.capitalize()} was seen" in found
    doctor = re.search(r"PV1\|1\|I\|\|\|\|\|[^^]*\^([^^]+)\^([^|\r]+)", found)
    assert f"{doctor[2]}||||||F\rOBX|2|TX|71020^CHEST XRAY^L||{doctor[1]} \\T\\ son" in found
    assert doctor, found
    days = {re.search(pattern, found)[1] for pattern in (r"\|\|(20\d{6})0930", r"\|(20\d{6})1015")}
    assert len(days) == 1 and days != {"20240312"}
    assert not re.search("QUIMBY|ZELDA|Fotheringay|Ignatz|OAKHAM|62701|4417|ELM ST|M1\\b", found)
    assert verified(out, key_file) == 0
    audit = pq.read_table(out / "audit").to_pylist()
    assert {row["field"] for row in audit} >= {"PID-5.1", "PID-5.2", "OBX-5"}


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["hipaa", "expert"])
def test_two_workers_and_any_split_give_the_same_content(tmp_path, key_file, policy, forked):
    one = run(DEMO, tmp_path / "one", key_file, policy=policy)
    two = run(DEMO, tmp_path / "two", key_file, policy=policy, workers=2, split_bytes=7000)
    assert one["content_digest"] == two["content_digest"]
    assert one["counts"]["rows_quarantined"] == 0
    assert verified(tmp_path / "two", key_file) == 0


def test_every_other_byte_of_the_demo_is_as_it_was(tmp_path, key_file):
    out = tmp_path / "out"
    run(DEMO, out, key_file)
    before, after = (text.split("\r") for text in (DEMO.read_bytes().decode(), published(out)))
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):
        fields = [(a, b) for a, b in zip(old.split("|"), new.split("|"), strict=True) if a != b]
        assert old[:3] == new[:3]
        assert len(fields) <= (9 if old[:3] in ("MSH", "PID") else 3)
        if old.startswith("OBX"):
            assert old.split("|")[6:] == new.split("|")[6:]


def test_markup_that_a_text_within_markup_shows_is_read_once(tmp_path, key_file):
    line = "OBX|1|TX|||<div>&lt;p&gt;Dr. Quimby&lt;/p&gt;</div>".replace("&", "\\T\\")
    out = tmp_path / "out"
    run(write(tmp_path / "in", message(1, line)), out, key_file)
    assert "<div>\\T\\lt;p\\T\\gt;Dr. [PATIENT]" in published(out)
    assert verified(out, key_file) == 0


def test_what_has_no_role_is_refused_with_the_line_to_add(tmp_path, key_file):
    source = write(tmp_path / "in", message(1, *LINES, "ZPD|x|Zelda"))
    with pytest.raises(UsageError, match="'ZPD-1', 'ZPD-2'.*--column ZPD-1=ROLE"):
        run(source, tmp_path / "out", key_file)
    out = tmp_path / "out"
    run(source, out, key_file, column={"ZPD": "drop", "ZPD-1": "pass"})
    assert published(out).endswith("ZPD|x|\r")
    assert verified(out, key_file) == 0


def test_a_message_that_cannot_be_read_is_in_the_quarantine_alone(tmp_path, key_file):
    late = "MSH|^~\\&|A|B|C|D|2024||ORU^R01|M9|P|2.5\rOBX|1|ED|||^TEXT^^Base64^@@"
    source = write(tmp_path / "in", message(1, *LINES), late, message(2, *LINES))
    out = tmp_path / "out"
    manifest = run(source, out, key_file, max_quarantined=0.5)
    assert manifest["errors"] == {"read: UnreadableAttachment": 1}
    assert published(out).count("MSH|") == 2


def test_a_patient_in_the_header_is_not_in_what_passes(tmp_path, key_file):
    more = "OBX|4|CE|1^CODE^L||Zelda^a code^L||||||F"
    out = tmp_path / "out"
    manifest = run(
        write(tmp_path / "in", message(1, *LINES, more)),
        out,
        key_file,
        max_quarantined=1.0,
        max_guard=1.0,
    )
    assert manifest["errors"] == {"guard: OwnName": 1}


def test_messages_and_tables_are_not_read_in_one_run(tmp_path, key_file):
    source = write(tmp_path / "in", message(1))
    (source / "b.txt").write_text("text")
    with pytest.raises(UsageError, match="give each a run and an output of its own"):
        run(source, tmp_path / "out", key_file)


def test_a_second_night_reads_what_is_new(tmp_path, key_file):
    source, out = write(tmp_path / "in", message(1, *LINES)), tmp_path / "out"
    run(source, out, key_file, incremental=True, policy="expert")
    write(source, message(2, *LINES), name="b.hl7")
    more = run(source, out, key_file, incremental=True, policy="expert")
    assert more["counts"]["rows_out"] == 2
    told = {kind: n for kind, n in more["report"]["incremental"].items() if n}
    assert told == {"listed": 2, "new": 1, "untouched": 1}
    whole = run(source, tmp_path / "whole", key_file, policy="expert")
    assert whole["content_digest"] == more["content_digest"]


def ended(*command):
    with pytest.raises(SystemExit) as end:
        cli.main([*map(str, command)])
    return end.value.code


def test_init_proposes_to_leave_out_what_the_standard_does_not_name(tmp_path, key_file):
    source = write(tmp_path / "in", message(1, *LINES, "ZPD|x|Zelda^y"))
    config = tmp_path / "job.toml"
    assert ended("init", "--input", source, "--output", config, "--key-file", key_file) == 0
    assert 'ZPD-1 = "drop"' in config.read_text() and "Zelda" not in config.read_text()
    out = tmp_path / "out"
    assert ended("scrub", "--config", config, "--output", out, "--model", "none") == 0
    assert published(out).endswith("ZPD||\r")


def test_keys_are_computed_for_holders(tmp_path, key_file):
    source = write(tmp_path / "in", message(1, *LINES), message(2), message(2))
    place = tmp_path / "map.csv"
    assert ended("key", "map", "--input", source, "--output", place, "--key-file", key_file) == 0
    keys = load_keys(key_file, Storage().read_bytes)
    rows = [line.split(",") for line in place.read_text().splitlines()[1:]]
    assert {(row[0], row[1], row[2], row[4]) for row in rows} == {
        (one, str(ordinal), keys.doc_key(one, ordinal), keys.patient_key("4417"))
        for one, ordinal in (("M1", 0), ("M2", 0), ("M2", 1))
    }


# -- the other grammars

RESOURCES = [
    {
        "resourceType": "Patient",
        "id": "p1",
        "name": [{"family": "Quimby", "given": ["Zelda"]}],
        "birthDate": "1961-02-03",
    },
    {
        "resourceType": "DocumentReference",
        "id": "d1",
        "status": "current",
        "subject": {"reference": "Patient/p1", "display": "Zelda Quimby"},
        "date": "2024-03-12T10:15:00Z",
        "content": [
            {
                "attachment": {
                    "contentType": "text/html",
                    "data": base64.b64encode(b"<p>Dr. Foth<b>eringay</b> on 3/4/2019</p>").decode(),
                }
            }
        ],
    },
]


@pytest.mark.parametrize("policy", ["hipaa", "expert"])
def test_resources_of_fhir_keep_what_leads_to_them(tmp_path, key_file, policy):
    source, out = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    lines = "".join(json.dumps(one) + "\n" for one in RESOURCES)
    (source / "a.ndjson").write_text(lines)
    run(source, out, key_file, format="fhir", policy=policy)
    (part,) = (out / "data").glob("*.ndjson")
    patient, document = (json.loads(line) for line in part.read_text().splitlines())
    assert document["subject"]["reference"] == f"Patient/{patient['id']}"
    assert "Quimby" not in part.read_text() and "p1" not in part.read_text()
    text = base64.b64decode(document["content"][0]["attachment"]["data"]).decode()
    assert "Foth" not in text and "eringay" not in text and text.count("<b></b>") == 1
    assert ("name" in patient) == (policy == "expert")
    assert verified(out, key_file) == 0


def test_a_patient_of_fhir_has_one_key_for_all_who_ask(tmp_path, key_file, capfd, monkeypatch):
    source, out, canaries = tmp_path / "in", tmp_path / "out", tmp_path / "canaries.jsonl"
    write(source, *(json.dumps(one) for one in RESOURCES), name="a.ndjson", end="\n")
    planted = {"id": "Patient/p1", "gone": ["Quimby"]}
    canaries.write_text(json.dumps(planted) + "\n")
    manifest = run(source, out, key_file, format="fhir", canaries=str(canaries))
    (part,) = (out / "data").glob("*.ndjson")
    patient, document = (json.loads(line)["id"] for line in part.read_text().splitlines())
    keys = load_keys(key_file, Storage().read_bytes)
    assert patient == keys.patient_key("p1")
    assert manifest["report"]["canaries"]["doc_keys"] == [patient]

    place, form = tmp_path / "map.csv", ("--format", "fhir", "--key-file", key_file)
    assert ended("key", "map", "--input", source, "--output", place, *form) == 0
    rows = [line.split(",") for line in place.read_text().splitlines()[1:]]
    assert rows == [
        ["Patient/p1", "0", patient, "p1", patient],
        ["DocumentReference/d1", "0", document, "p1", patient],
    ]
    capfd.readouterr()
    assert ended("key", "doc", "Patient/p1", "DocumentReference/d1", *form) == 0
    assert capfd.readouterr().out.split() == [patient, document]
    monkeypatch.setenv("COLUMNS", "300")
    for wanted in ("Patient/p1", patient):
        show = ("inspect", "--output", out, "--document", wanted, "--key-file", key_file)
        assert ended(*show) == 0
    assert ended(*show[:4], "p1", *show[5:]) == 2
    assert "Patient/1" in capfd.readouterr().err


@pytest.mark.parametrize("form", ["hl7", "fhir"])
def test_a_second_night_reads_no_message_again(tmp_path, key_file, form):
    source, out = tmp_path / "in", tmp_path / "out"
    records = {"hl7": [message(1, *LINES)], "fhir": [json.dumps(RESOURCES[0])]}
    ends = {"hl7": ("a.hl7", "\r"), "fhir": ("a.ndjson", "\n")}
    write(source, *records[form], name=ends[form][0], end=ends[form][1])
    first, again = (run(source, out, key_file, format=form, incremental=True) for _ in range(2))
    assert again["run"] == first["run"] == json.loads((out / "manifest.json").read_text())["run"]


def test_one_file_of_messages_needs_no_columns_but_an_output(tmp_path, capfd):
    write(tmp_path, message(1, *LINES))
    assert ended("scrub", tmp_path / "a.hl7") == 2
    told = capfd.readouterr().err
    assert "--output scrubbed/" in told and "--column" not in told


def test_rows_that_cannot_be_read_are_told_by_key_map(tmp_path, key_file, capfd):
    source = write(tmp_path / "in", message(1, *LINES), message(2, "ZPD|x"))
    place, key = tmp_path / "map.csv", ("--key-file", key_file)
    assert ended("key", "map", "--input", source, "--output", place, *key) == 3
    told = capfd.readouterr()
    assert told.out.startswith("1 id, 1 row that cannot be read, 0 rows without a usable id")
    assert "1 row UndeclaredColumn: " in told.err
    place = tmp_path / "all.csv"
    words = ("--input", source, "--output", place, *key, "--column", "ZPD=drop")
    assert ended("key", "map", *words) == 0
    assert capfd.readouterr().out.startswith("2 ids, 0 rows without a usable id")


CCDA = Path(__file__).parents[2] / "models" / "messages" / "ccda"


@pytest.mark.slow
@pytest.mark.parametrize("policy", ["hipaa", "expert"])
def test_documents_of_ccda_are_scrubbed(tmp_path, key_file, policy, forked):
    one, two = tmp_path / "one", tmp_path / "two"
    manifest = run(CCDA, one, key_file, format="ccda", policy=policy)
    assert manifest["counts"]["rows_quarantined"] == 0
    assert verified(one, key_file) == 0
    again = run(CCDA, two, key_file, format="ccda", policy=policy, workers=2, split_bytes=4000)
    assert again["content_digest"] == manifest["content_digest"]


IN_PLACES_OF_VALUES = (
    "OBX|1|CE|8867-4^Heart rate^LN||Zelda Quimby^x^L||||||F",
    "OBX|2|NM|8867-4^Heart rate^LN||72|Zelda Quimby|60-100|N|||F",
    "OBX|3|NM|8867-4^Heart rate^LN||72|/min|Zelda Quimby|N|||F",
    "OBX|4|NM|8867-4^Heart rate^LN||Quimby|/min|60-100|N|||F",
    "OBX|5|SN|8867-4^Heart rate^LN||^Quimby||||||F",
)


@pytest.mark.parametrize("policy", ['default = "mask"', '[texts]\n"*" = "[{label}]"'])
def test_texts_in_the_places_of_values_are_texts_in_the_output(tmp_path, key_file, policy):
    folder = write(tmp_path / "in", message(1, *IN_PLACES_OF_VALUES))
    (tmp_path / "own.toml").write_text(f'name = "own"\nextends = "hipaa"\n{policy}\n')
    output = tmp_path / "out"
    run(folder, output, key_file, policy=str(tmp_path / "own.toml"))
    assert not re.search("zelda|quimby", published(output), re.I)
    assert verified(output, key_file) == 0


def b64(text):
    return base64.b64encode(text.encode()).decode()


LIKE_BASE64 = "Ab3q" * 12
READ_AS_ENCODED = (
    "OBX|1|TX|8867-4^Heart rate^LN||Zelda Quimby||||||F",
    "OBX|1|ED|8867-4^Heart rate^LN||^TEXT^PLAIN^A^Zelda Quimby||||||F",
    f"OBX|1|ED|8867-4^Heart rate^LN||^TEXT^PLAIN^Base64^{b64('Zelda Quimby')}||||||F",
)


@pytest.mark.parametrize(
    ("segment", "put"),
    [
        *itertools.product(IN_PLACES_OF_VALUES, ["7"]),
        *itertools.product(READ_AS_ENCODED, [LIKE_BASE64]),
    ],
)
def test_a_text_that_would_become_a_value_is_held_back(tmp_path, key_file, segment, put):
    folder = write(tmp_path / "in", message(1, segment), message(2, *LINES))
    (tmp_path / "own.toml").write_text(f'name = "own"\nextends = "hipaa"\n[texts]\n"*" = "{put}"\n')
    output = tmp_path / "out"
    run(folder, output, key_file, policy=str(tmp_path / "own.toml"), max_quarantined=0.5)
    held = pq.read_table(output / "quarantine").to_pylist()
    assert [(row["stage"], row["error"]) for row in held] == [("scrub", "TextLost")]
    assert published(output).count("MSH|") == 1
    assert verified(output, key_file) == 0
