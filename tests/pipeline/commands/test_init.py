"""`scrubline init`: a config file that loads and plans, and holds no value."""

import csv
import gzip
import io
import json
import stat
import tarfile
import tomllib
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.error_classes import explain
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.cli import main as cli
from scrubline.pipeline.process import logs

CANARY = "Quuxford"
NOTE = f"Seen by Dr. {CANARY} on 3/4/2019 with a cough for two weeks; MRN 5550199, well otherwise."
ROWS = [
    {
        "note_id": f"N{n}",
        "patient_id": f"5550{n % 7}",
        "author": f"Anna {CANARY}",
        "note_type": ("ED", "Progress Note")[n % 2],
        "note_date": f"2019-03-{n % 28 + 1:02}",
        "note_text": NOTE,
    }
    for n in range(60)
]
ROLES = {
    "note_id": "id",
    "patient_id": "patient",
    "author": "drop",
    "note_type": "type",
    "note_date": "date",
    "note_text": "text",
}


def as_csv(delimiter=","):
    text = io.StringIO()
    writer = csv.DictWriter(text, list(ROLES), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    writer.writerows(ROWS)
    return text.getvalue().encode()


def as_jsonl():
    return "".join(json.dumps(row) + "\n" for row in ROWS).encode()


def as_parquet():
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(ROWS), sink)
    return sink.getvalue()


def as_zip():
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr(f"{CANARY}.txt", NOTE)
    return sink.getvalue()


def as_tar():
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w") as archive:
        member = tarfile.TarInfo(f"{CANARY}.txt")
        member.size = len(NOTE)
        archive.addfile(member, io.BytesIO(NOTE.encode()))
    return sink.getvalue()


TEXT_ROLES = {"path": "id", "text": "text"}
INPUTS = {
    "a.csv": (as_csv(), ROLES, {}),
    "b.csv": (as_csv(";"), ROLES, {"delimiter": ";"}),
    "a.tsv": (as_csv("\t"), ROLES, {}),
    "a.csv.gz": (gzip.compress(as_csv()), ROLES, {}),
    "a.jsonl": (as_jsonl(), ROLES, {}),
    "a.jsonl.gz": (gzip.compress(as_jsonl()), ROLES, {}),
    "a.parquet": (as_parquet(), ROLES, {}),
    "a.txt": (NOTE.encode(), TEXT_ROLES, {}),
    "b.txt": (f"Müde. {NOTE}".encode("cp1252"), TEXT_ROLES, {"encoding": "cp1252"}),
    "a.zip": (as_zip(), TEXT_ROLES, {}),
    "a.tar": (as_tar(), TEXT_ROLES, {}),
    "a.tar.gz": (gzip.compress(as_tar()), TEXT_ROLES, {}),
}


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SCRUBLINE_KEY", raising=False)
    return tmp_path


def run(capfd, *words):
    with pytest.raises(SystemExit) as ended:
        cli.main(["init", *words])
    printed = capfd.readouterr()
    assert CANARY not in printed.out + printed.err
    return ended.value.code, printed.out, printed.err


@pytest.mark.parametrize("name", INPUTS)
def test_every_format_gets_a_config_that_holds_no_value(place, capfd, name):
    content, roles, settings = INPUTS[name]
    (place / "in").mkdir()
    (place / "in" / name).write_bytes(content)
    code, out, err = run(capfd, "--input", "in/", "--make-key", "key.txt")
    assert code == 0, err
    text = (place / "job.toml").read_text()
    assert CANARY not in text and "5550" not in text and "2019" not in text
    loaded = tomllib.loads(text)
    assert loaded.pop("column") == roles
    assert loaded == {
        "input": ["in/"],
        "model": ["en-default"],
        "policy": "hipaa",
        "key_file": "key.txt",
        **settings,
    }
    assert out == "scrubline scrub --config job.toml --output scrubbed/ --dry-run\n"
    assert {p.name for p in place.iterdir()} == {"in", "job.toml", "key.txt"}
    for path in (place / "job.toml", place / "key.txt"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_next_command_is_the_right_one(place, capfd):
    (place / "a.csv").write_bytes(as_csv())
    code, out, _ = run(capfd, "--input", "a.csv", "--output", "n.toml")
    first, second = out.splitlines()
    assert code == 0
    assert first == "scrubline key new --output key.txt"
    for line in (first, second):
        with pytest.raises(SystemExit) as ended:
            cli.main(line.split()[1:])
        assert ended.value.code == 0
    assert not (place / "scrubbed").exists()


def test_folders_are_columns(place, capfd):
    folder = place / "in" / "day=2024-03-01" / f"site={CANARY}"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_bytes(as_jsonl())
    code, _, err = run(capfd, "--input", "in", "--make-key", "k")
    assert code == 0, err
    text = (place / "job.toml").read_text()
    assert tomllib.loads(text)["column"] == {**ROLES, "day": "date", "site": "drop"}
    assert CANARY not in text


NESTED_ROLES = {
    "note_id": "id",
    "patient.id": "patient",
    "patient.name": "drop",
    "notes[].text": "text",
    "notes[].ward": "pass",
    "notes[].by_id": "hash",
}


@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_values_within_nested_columns_get_roles(place, capfd, name):
    rows = [
        {
            "note_id": n,
            "patient": {"id": f"5550{n % 5}", "name": f"Anna {CANARY}"},
            "notes": [{"text": NOTE, "ward": "AB"[n % 2], "by_id": f"Q{i}"} for i in range(n % 4)],
        }
        for n in range(60)
    ]
    if name.endswith("jsonl"):
        (place / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), place / name)
    code, _, err = run(capfd, "--input", name, "--make-key", "k")
    assert code == 0, err
    text = (place / "job.toml").read_text()
    assert tomllib.loads(text)["column"] == NESTED_ROLES
    assert CANARY not in text and "5550" not in text


def test_keys_that_are_data_are_not_written(place, capfd):
    rows = [
        {"note_id": n, "text": NOTE, "by_mrn": {f"{CANARY} 5550{n:03}": {"x": 1}}} for n in range(5)
    ]
    (place / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, _, err = run(capfd, "--input", "a.jsonl", "--make-key", "k")
    assert code == 0, err
    text = (place / "job.toml").read_text()
    assert tomllib.loads(text)["column"]["by_mrn"] == "drop"
    assert CANARY not in text and "5550" not in text


def test_a_header_that_is_none_is_not_written(place, capfd):
    lines = [
        f"{n},{CANARY} {n},seen by {CANARY} on 3/4/2019 with a cough\n" for n in range(1000, 1030)
    ]
    (place / "a.csv").write_text("".join(lines))
    code, _, err = run(capfd, "--input", "a.csv", "--make-key", "k")
    assert code == 0, err
    text = (place / "job.toml").read_text()
    assert CANARY not in text
    loaded = tomllib.loads(text)
    assert loaded["header"] is False
    assert loaded["column"]["c3"] == "text"


def test_an_object_store_is_read(place, capfd):
    Storage().write_bytes("memory://init-test/a.jsonl", as_jsonl())
    code, _, err = run(capfd, "--input", "memory://init-test/", "--make-key", "k")
    assert code == 0, err
    assert tomllib.loads((place / "job.toml").read_text())["column"] == ROLES


def test_what_lacks_a_role_is_written_and_refused(place, capfd):
    (place / "a.jsonl").write_text(json.dumps({f"{CANARY} a": True}) + "\n")
    code, out, err = run(capfd, "--input", "a.jsonl")
    assert code == 2
    assert out == ""
    assert "the config file is written, and needs a change" in err
    assert (place / "job.toml").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "--input"),
        (("--input", "none"), "does not exist"),
        (("--input", "in", "--output", "there.toml"), "already exists"),
        (("--input", "in", "--make-key", "there.toml"), "already exists"),
        (("--input", "in", "--output", "in/x.toml"), "would lie in the input"),
        (("--input", "in", "--make-key", "k", "--key-file", "there.toml"), "one of the two"),
        (("--input", "in", "--key-file", "there.toml"), "key"),
        (("--input", "in", "--output", "s3://a/x.toml"), "local file"),
    ],
)
def test_refused_before_anything_is_written(place, capfd, words, said):
    (place / "in").mkdir()
    (place / "in/a.csv").write_bytes(as_csv())
    (place / "there.toml").write_text("mine")
    code, out, err = run(capfd, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert (place / "there.toml").read_text() == "mine"
    assert {p.name for p in place.rglob("*")} == {"in", "a.csv", "there.toml"}


def test_rows_that_cannot_be_read_are_counted(place, capfd):
    (place / "a.jsonl").write_bytes(as_jsonl() + b'{"note_id": \xff}\n[1]\n')
    code, _, err = run(capfd, "--input", "a.jsonl", "--make-key", "k")
    assert code == 0
    assert "1 of 62 rows of the sample cannot be read: BadEncoding, in input file 1: some" in err


GOOD = {
    "hl7": b"MSH|^~\\&|a|b|c|d|2024||ORU^R01|1|P|2.5\rOBX|1|TX|||well\r",
    "fhir": b'{"resourceType": "Patient", "id": "p1"}\n',
    "ccda": b'<ClinicalDocument xmlns="urn:hl7-org:v3"><title>a</title></ClinicalDocument>',
    "jsonl": b'{"note_id": 1, "text": "all is well"}\n',
}
"""A file of each format; cut off, it is broken."""


@pytest.mark.parametrize(
    ("form", "error"),
    [("hl7", "BadHl7"), ("fhir", "BadJson"), ("ccda", "BadCcda"), ("jsonl", "BadJson")],
)
def test_a_file_that_is_broken_is_named(place, capfd, form, error):
    (place / "in").mkdir()
    (place / "in/a").write_bytes(GOOD[form])
    (place / "in/Quimby").write_bytes(GOOD[form][3:] if form == "hl7" else GOOD[form][:-9])
    code, _, err = run(capfd, "--input", "in", "--format", form, "--make-key", "k")
    assert code == 0 and "Quimby" not in err
    explained = f"{explain(error).cause}; {explain(error).remedy}"
    assert (
        f"1 of 2 rows of the sample cannot be read: {error}, in input file 1: {explained}\n" in err
    )


@pytest.mark.parametrize("form", GOOD)
def test_a_file_called_gz_that_is_none_is_named(place, capfd, form):
    (place / "in").mkdir()
    (place / "in/a").write_bytes(GOOD[form])
    for name in ("b.gz", "c.gz"):
        (place / "in" / name).write_bytes(GOOD[form])
    code, _, err = run(capfd, "--input", "in", "--format", form, "--make-key", "k")
    assert code == 0
    assert (
        "2 of 3 rows of the sample cannot be read: DamagedArchive, in input file 2 and 1 other: "
        in err
    )


def test_a_broken_file_is_named_by_its_name_on_a_terminal(place, capfd, monkeypatch):
    (place / "a{1}.json").write_bytes(GOOD["fhir"][:-9])
    monkeypatch.setattr(logs, "is_terminal", lambda stream: True)
    code, _, err = run(capfd, "--input", "a{1}.json", "--format", "fhir", "--make-key", "k")
    assert code == 0 and "BadJson, in input file 1 'a{1}.json': " in err


def test_a_folder_of_two_encodings_is_told(place, capfd):
    (place / "in").mkdir()
    for name, encoding in (("a", "cp1252"), ("b", "utf-8"), ("c", "utf-8")):
        (place / f"in/{name}.txt").write_bytes(f"Müde. {NOTE}".encode(encoding))
    code, _, err = run(capfd, "--input", "in", "--make-key", "k")
    assert code == 0
    assert "files of two encodings: input file 2 and 1 other hold UTF-8, others do not" in err


HTML, RTF = f"<p>{NOTE}</p>", rf"{{\rtf1\ansi {NOTE}}}"
XML = f"<?xml version='1.0'?><note>{NOTE}</note>"


@pytest.mark.parametrize(
    ("texts", "role"),
    [
        ([HTML, "", " \n", None], "text:html"),
        (["\ufeff" + RTF, RTF], "text:rtf"),
        ([HTML, NOTE], "text"),
        ([HTML, RTF], "text"),
        ([XML], "text"),
        ([NOTE], "text"),
    ],
)
def test_texts_that_all_begin_as_markup_are_declared_so(place, capfd, texts, role):
    rows = [row | {"note_text": texts[n % len(texts)]} for n, row in enumerate(ROWS)]
    (place / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    code, _, err = run(capfd, "--input", "a.jsonl", "--make-key", "key.txt")
    assert code == 0, err
    assert tomllib.loads((place / "job.toml").read_text())["column"] == ROLES | {"note_text": role}


RESOURCE = {"resourceType": "Patient", "id": "5550199", "name": [{"family": CANARY}]}


@pytest.mark.parametrize("name", ["a.ndjson", "a.jsonl", "a.ndjson.gz"])
def test_a_bulk_export_of_fhir_is_told(place, capfd, name):
    content = (json.dumps(RESOURCE) + "\n").encode()
    (place / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    code, _, err = run(capfd, "--input", name)
    form = "fhir.gz" if name.endswith(".gz") else "fhir"
    assert code == 2 and f"give --format {form}, " in err and "plain columns" in err
    assert not (place / "job.toml").exists()


@pytest.mark.parametrize("more", [{}, {f"{CANARY.lower()}": 1}])
def test_what_the_standard_names_is_not_written(place, capfd, more):
    (place / "a.ndjson").write_text(json.dumps(RESOURCE | more) + "\n")
    code, _, err = run(capfd, "--input", "a.ndjson", "--format", "fhir", "--make-key", "key.txt")
    assert code == 0, err
    assert "every value that the standard names has a role: docs/fhir-fields.md" in err
    assert ("; 1 other written (1 drop)" in err) == bool(more)
    text = (place / "job.toml").read_text()
    assert "docs/fhir-fields.md" in text
    columns = {f"Patient.{name}": "drop" for name in more}
    assert tomllib.loads(text).get("column", {}) == columns


def test_why_a_line_was_written_says_what_it_does(place, capfd):
    record = {"resourceType": "Observation", "id": "o1", "valueInteger": "5"}
    (place / "a.ndjson").write_text(json.dumps(record) + "\n")
    assert run(capfd, "--input", "a.ndjson", "--format", "fhir", "--make-key", "key.txt")[0] == 0
    assert "this leaves out all of the name" in (place / "job.toml").read_text()
