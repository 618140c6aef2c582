"""`scrubline convert` between messages and tables, and how it tells them from annotated corpora."""

import csv
import gzip
import json
import shlex
import stat
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import StorageError
from scrubline.models.core.keys import new_key
from scrubline.models.jobs import note_messages

DEMO = Path(__file__).parents[3] / "demo/hl7/notes.hl7"
SECRET = "Abernathy"
HEAD = "MSH|^~\\&|LAB|SITE|EHR|SITE|20240312||ORU^R01|{}|P|2.5.1\r"
TWO_NOTES = (
    HEAD.format("M1")
    + f"PID|1||44^^^SITE^MR||{SECRET}^Zelda||19610203|F\rPV1|1|I|||||||||||||||||V9\r"
    + "OBR|1||88|consult^Consult^L|||202403120815-0500\r"
    + f"OBX|1|TX|||Seen by \\T\\ with\rOBX|2|TX|||Dr. {SECRET}.\r"
    + "OBR|2||89|x\rOBX|3|ST|||Second.\r"
)
NO_TEXT = HEAD.format("M2") + "PID|1||45\r"
Z = HEAD.format("M3") + "ZPD|1|Sunny\r"
WARNED = (
    "scrubline: the table holds the texts and ids of the messages as they are: it is NOT "
    "de-identified\n"
)
ROLES = (
    ("file=drop", "record=drop", "place=drop", "doc_id=id", "patient=patient", "visit=hash")
    + ("type=type", "date=date", "birth=drop", "text=text:plain")
)  # fmt: skip
COLUMNS = tuple(word for role in ROLES for word in ("--column", role))


def rows_of(path):
    if path.suffix == ".csv":
        with open(path, newline="", encoding="utf-8") as stream:
            return [{k: v or None for k, v in row.items()} for row in csv.DictReader(stream)]
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return pq.read_table(path).to_pylist()


@pytest.fixture
def feed(tmp_path):
    folder = tmp_path / "feed"
    folder.mkdir()
    (folder / "a.hl7").write_text(TWO_NOTES + NO_TEXT, newline="")
    (folder / "b.hl7").write_text(HEAD.format("M4") + "OBX|1|TX|||\\X0D\\é", newline="")
    return folder


EXPECTED = [
    {
        "file": "a.hl7", "record": 1, "place": "OBX-5", "doc_id": "M1", "patient": "44",
        "visit": "V9", "type": "consult", "date": "2024-03-12T08:15-05:00", "birth": "1961-02-03",
        "text": f"Seen by & with\nDr. {SECRET}.",
    },
    {
        "file": "a.hl7", "record": 1, "place": "OBX[3]-5", "doc_id": "M1", "patient": "44",
        "visit": "V9", "type": "consult", "date": "2024-03-12T08:15-05:00", "birth": "1961-02-03",
        "text": "Second.",
    },
    {
        "file": "a.hl7", "record": 2, "place": None, "doc_id": "M2", "patient": "45",
        "visit": None, "type": None, "date": "2024-03-12", "birth": None, "text": None,
    },
    {
        "file": "b.hl7", "record": 1, "place": "OBX-5", "doc_id": "M4", "patient": None,
        "visit": None, "type": None, "date": "2024-03-12", "birth": None, "text": "\ré",
    },
]  # fmt: skip


def test_messages_as_a_table(scrubline, feed, tmp_path):
    code, out, err = scrubline("convert", feed, tmp_path / "notes.parquet")
    first, command = out.splitlines()
    assert (code, err) == (0, WARNED)
    assert first == "3 records of 2 files: 4 rows written as parquet"
    assert rows_of(tmp_path / "notes.parquet") == EXPECTED
    assert stat.S_IMODE((tmp_path / "notes.parquet").stat().st_mode) == 0o600
    assert shlex.split(command) == [
        *("scrubline", "scrub", "--input", str(tmp_path / "notes.parquet")),
        *("--output", "scrubbed/", "--key-file", "key.txt", "--column", "file=drop"),
        *("--column", "record=drop", "--column", "place=pass", "--column", "doc_id=id"),
        *("--column", "patient=patient", "--column", "visit=hash", "--column", "type=type"),
        *("--column", "date=date", "--column", "birth=birth", "--column", "text=text:plain"),
        "--dry-run",
    ]


def test_every_kind_of_table_holds_the_same(scrubline, feed, tmp_path):
    for name in ("n.csv", "n.jsonl"):
        assert scrubline("convert", feed, tmp_path / name, "--from", "hl7")[0] == 0
    texts = [{k: v if v is None else str(v) for k, v in row.items()} for row in EXPECTED]
    assert rows_of(tmp_path / "n.csv") == texts
    kept = [{k: v for k, v in row.items() if v is not None or k == "text"} for row in EXPECTED]
    assert rows_of(tmp_path / "n.jsonl") == kept
    for name in ("n.tsv.gz", "n.jsonl.gz"):
        assert scrubline("convert", feed, tmp_path / name)[0] == 0
    assert (
        gzip.decompress((tmp_path / "n.jsonl.gz").read_bytes())
        == (tmp_path / "n.jsonl").read_bytes()
    )


@pytest.mark.parametrize("name", ["n.parquet", "n.jsonl", "n.csv"])
def test_the_printed_command_is_one_that_plans(scrubline, feed, tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("key.txt").write_text(new_key())
    Path("key.txt").chmod(0o600)
    more = () if name == "n.csv" else ("--column", "PID-5.1=known:self.family")
    more += ("--column", "PID-8=pass", "--column", "OBR-3.1=hash")
    _, out, _ = scrubline("convert", "feed", name, *more)
    code, shown, err = scrubline(*shlex.split(out.splitlines()[1])[1:])
    assert (code, err) == (0, "")
    assert "id=id" in shown.replace("doc_id=id", "id=id")


def test_declared_values_have_columns_of_their_own(scrubline, feed, tmp_path):
    declared = ("PID-5.1=known:self.family", "PID-8=pass", "OBR-24=date", "PV1=drop")
    words = [word for one in declared for word in ("--column", one)]
    code, out, _ = scrubline("convert", feed, tmp_path / "n.jsonl", *words)
    first, *_ = rows_of(tmp_path / "n.jsonl")
    assert code == 0
    assert (first["PID-5.1"], first["PID-8"], "visit" in first) == ([SECRET], "F", False)
    assert "'PID-5.1[]=known:self.family'" in out or '"PID-5.1"[]=known:self.family' in out
    code, _, err = scrubline("convert", feed, tmp_path / "n.csv", *words)
    assert code == 2
    assert "a cell of the format csv holds one" in err
    assert not (tmp_path / "n.csv").exists()


def test_the_config_of_a_run_says_which_roles(scrubline, tmp_path):
    (tmp_path / "z.hl7").write_text(Z, newline="")
    (tmp_path / "run.toml").write_text('input = ["elsewhere/"]\n[column]\nZPD = "drop"\n')
    code, _, err = scrubline("convert", tmp_path / "z.hl7", tmp_path / "n.csv")
    assert code == 2
    assert "--column ZPD-1=ROLE --column ZPD-2=ROLE" in err
    words = ("--config", tmp_path / "run.toml")
    assert scrubline("convert", tmp_path / "z.hl7", tmp_path / "n.csv", *words)[0] == 0


def test_what_a_run_would_hold_back_is_left_out_counted_and_told(scrubline, tmp_path):
    feed = tmp_path / f"{SECRET}.hl7"
    bad = "MSH|^^\\&|\rPID|1\r"
    filler = HEAD.format("F") + ("OBX|1|TX|||" + "x" * 1_000_000 + "\r") * 5
    no_id = "MSH|^~\\&|A\r"
    feed.write_text(TWO_NOTES + bad + filler + Z + Z + no_id, newline="")
    code, out, err = scrubline("convert", feed, tmp_path / "n.jsonl")
    assert code == 3
    assert out.startswith("6 records of 1 file: 3 rows written as jsonl\n")
    told = err.removeprefix(WARNED).splitlines()
    assert told[0] == "scrubline: 4 of 6 records are not in the output:"
    assert [line.split(":")[0:2] for line in told[1:]] == [
        ["  BadHl7 (1; first", " record 2 of input file 1)"],
        ["  MissingId (1; first", " record 6 of input file 1)"],
        ["  UndeclaredColumn (2; first", " record 4 of input file 1)"],
    ]
    assert SECRET not in err
    assert [row["record"] for row in rows_of(tmp_path / "n.jsonl")] == [1, 1, 3]


def test_records_are_numbered_through_all_ranges_of_a_file(scrubline, tmp_path):
    messages = [HEAD.format(n) + "OBX|1|TX|||" + "y" * 3000 + "\r" for n in range(1000)]
    (tmp_path / "many.hl7").write_text("".join(messages), newline="")
    (tmp_path / "run.toml").write_text("split_bytes = 100000\n")
    words = ("--config", tmp_path / "run.toml")
    assert scrubline("convert", tmp_path / "many.hl7", tmp_path / "n.parquet", *words)[0] == 0
    found = [(r["record"], r["doc_id"]) for r in rows_of(tmp_path / "n.parquet")]
    assert found == [(n + 1, str(n)) for n in range(1000)]


# -- back


@pytest.mark.parametrize("name", ["n.parquet", "n.jsonl", "n.csv"])
@pytest.mark.parametrize("form", ["hl7", "hl7.gz", "fhir", "fhir.gz", "ccda"])
def test_there_and_back(scrubline, tmp_path, name, form):
    assert scrubline("convert", DEMO, tmp_path / name)[0] == 0
    words = [*COLUMNS, "--to", form, "--time-zone", "America/Detroit"]
    packed = ".gz" if form.endswith(".gz") else ""
    target = tmp_path / {"hl7": "m.hl7", "fhir": "m.ndjson"}.get(form.removesuffix(".gz"), "m")
    target = target.with_name(target.name + packed)
    code, out, err = scrubline("convert", tmp_path / name, target, *words)
    assert (code, out, err) == (0, f"21 rows: 21 messages written as {form}\n", "")
    files = [target] if target.is_file() else sorted(target.iterdir())
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    assert scrubline("convert", target, tmp_path / "again.csv")[0] == 0
    before, after = rows_of(tmp_path / name), rows_of(tmp_path / "again.csv")
    for key in ("patient", "text"):
        assert [row.get(key) for row in before] == [row[key] for row in after]
    prefix = "DocumentReference/" if "fhir" in form else ""
    assert [prefix + row["doc_id"] for row in before] == [row["doc_id"] for row in after]
    assert [row["date"][:16] for row in before] == [row["date"][:16] for row in after]
    second = tmp_path / f"second{'.hl7' if 'hl7' in form else ''}"
    scrubline("convert", tmp_path / name, second, *words)
    if target.is_file():  # no clock, nothing drawn
        assert second.read_bytes() == target.read_bytes()


def test_times_of_a_table(scrubline, tmp_path):
    utc = pa.array([1_549_867_920], pa.timestamp("s", "America/Detroit"))
    naive = utc.cast(pa.timestamp("s", "UTC")).cast(pa.timestamp("s"))
    for column, date in ((utc, "2019-02-11T06:52:00+00:00"), (naive, "2019-02-11T06:52:00")):
        table = pa.table({"id": [7], "when": column, "note": ["x"]})
        pq.write_table(table, tmp_path / "t.parquet")
        words = ("--column", "id=id", "--column", "when=date", "--column", "note=text")
        scrubline("convert", tmp_path / "t.parquet", tmp_path / "m.hl7", "--overwrite", *words)
        scrubline("convert", tmp_path / "m.hl7", tmp_path / "n.csv", "--overwrite")
        assert rows_of(tmp_path / "n.csv")[0]["date"] == date
    arguments = (tmp_path / "t.parquet", tmp_path / "m", "--to", "fhir")
    code, _, err = scrubline("convert", *arguments, *words)
    assert code == 3
    assert "TimeWithoutZone (1; first: row 1 of input file 1): a time of day says no zone" in err
    zone = ("--time-zone=-05:00", "--overwrite")
    code, _, _ = scrubline("convert", *arguments, *words, *zone)
    assert code == 0
    assert '"2019-02-11T06:52:00-05:00"' in (tmp_path / "m").read_text()


def test_rows_with_one_id_are_told(scrubline, feed, tmp_path):
    scrubline("convert", feed, tmp_path / "n.csv")
    code, out, err = scrubline("convert", tmp_path / "n.csv", tmp_path / "m.hl7", *COLUMNS)
    assert (code, out) == (0, "4 rows: 4 messages written as hl7\n")
    assert err == (
        "scrubline: messages with an id that another has too: 1; a receiver may take one for a new "
        "version of the other\n"
    )


def test_an_annotated_corpus_is_a_table_too(scrubline, tmp_path):
    line = {"doc_id": "1", "text": "Dr. Who", "spans": [], "meta": {}}
    (tmp_path / "gold.jsonl").write_text(json.dumps(line) + "\n")
    assert scrubline("convert", tmp_path / "gold.jsonl", tmp_path / "m.hl7")[0] == 0
    assert "|Dr. Who|" in (tmp_path / "m.hl7").read_text()


# -- what is asked for


@pytest.mark.parametrize(
    ("name", "content", "target", "words", "said"),
    [
        ("a.jsonl", '{"id": 1}\n', "b.parquet", (), "does not look like messages"),
        ("a.csv", "id\n1\n", "b.parquet", (), "does not look like messages"),
        ("a.csv", "id\n1\n", "b.parquet", ("--from", "csv"), "--from csv is no message format"),
        ("a.hl7", TWO_NOTES, "b.conll", (), "the input is no annotated corpus"),
        ("a.hl7", TWO_NOTES, "b.hl7", (), "input and output are both messages"),
        ("a.x", TWO_NOTES, "b", ("--from", "hl7", "--to", "fhir"), "are both messages"),
        ("a.jsonl", "{}\n", "b.hl7", ("--from", "standoff"), "--from jsonl"),
        ("a.jsonl", "{}\n", "b.x", ("--to", "hl8"), "did you mean 'hl7'"),
        ("a.jsonl", "{}\n", "b.x", ("--to", "zip"), "zip is not written"),
        ("a.hl7", TWO_NOTES, "b.csv", ("--check",), "--check is of no use here"),
        ("a.hl7", TWO_NOTES, "b.csv", ("--label-map", "x"), "--label-map is of no use here"),
        ("a.hl7", TWO_NOTES, "b.csv", ("--time-zone", "UTC"), "--time-zone is of no use here"),
        ("a.csv", "id,t\n1,x\n", "b.hl7", ("--time-zone", "Mars"), "--time-zone: unknown zone"),
        ("a.jsonl", "{}\n", "b.jsonl", ("--column", "a=id"), "--column is of no use here"),
        ("a.csv", "id,t\n1,x\n", "b.hl7", ("--column", "id=id"), "no column has role text"),
        ("a.csv", "id,t\n1,x\n", "b.hl7", (), "none has a declared role"),
    ],
)  # fmt: skip
def test_what_cannot_be_converted(scrubline, tmp_path, name, content, target, words, said):
    (tmp_path / name).write_text(content, newline="")
    code, out, err = scrubline("convert", tmp_path / name, tmp_path / target, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert not (tmp_path / target).exists()


def test_json_lines_are_what_their_input_is(scrubline, tmp_path):
    resource = {"resourceType": "Observation", "id": "o1", "note": [{"text": "Seen."}]}
    (tmp_path / "export.ndjson").write_text(json.dumps(resource) + "\n")
    code, out, _ = scrubline("convert", tmp_path / "export.ndjson", tmp_path / "t.jsonl")
    assert (code, out.splitlines()[0]) == (0, "1 record of 1 file: 1 row written as jsonl")
    (row,) = rows_of(tmp_path / "t.jsonl")
    assert (row["doc_id"], row["text"]) == ("Observation/o1", "Seen.")
    line = {"doc_id": "1", "text": '"resourceType": ""', "spans": []}
    (tmp_path / "gold.ndjson").write_text(json.dumps(line) + "\n")
    _, out, _ = scrubline("convert", tmp_path / "gold.ndjson", tmp_path / "g.jsonl")
    assert out == "1 document with 0 spans written as standoff\n"


def test_a_wrong_guess_ends_in_a_hint(scrubline, tmp_path):
    (tmp_path / "table.jsonl").write_text('{"id": 1, "note": "x"}\n')
    code, _, err = scrubline("convert", tmp_path / "table.jsonl", tmp_path / "t.conll")
    assert code == 2
    assert "the input was read as an annotated corpus" in err


def test_nothing_is_written_over(scrubline, feed, tmp_path):
    (tmp_path / "n.csv").write_text("mine")
    code, _, err = scrubline("convert", feed, tmp_path / "n.csv")
    assert (code, (tmp_path / "n.csv").read_text()) == (2, "mine")
    assert "already exists" in err
    assert scrubline("convert", feed, tmp_path / "n.csv", "--overwrite")[0] == 0
    words = (*COLUMNS, "--from", "csv", "--to", "hl7", "--overwrite")
    code, _, err = scrubline("convert", tmp_path / "n.csv", tmp_path / "n.csv", *words)
    assert code == 2
    assert "is one of the inputs" in err
    code, _, err = scrubline("convert", tmp_path / "n.csv", feed, *COLUMNS, "--to", "ccda")
    assert code == 2
    assert "needs a folder that is empty" in err


@pytest.mark.parametrize("form", ["hl7", "ccda"])
def test_nothing_is_left_of_an_output_that_fails(scrubline, feed, tmp_path, form, monkeypatch):
    scrubline("convert", feed, tmp_path / "n.csv")
    made = note_messages.NoteWriter.messages
    calls = []

    def fails_later(self, notes):
        calls.append(1)
        if len(calls) > 1:
            raise StorageError("full")
        return made(self, notes)

    monkeypatch.setattr(note_messages.NoteWriter, "messages", fails_later)
    for number in range(300):  # more than one batch
        with (tmp_path / "n.csv").open("a") as stream:
            stream.write(f"f,1,p,{number},,,,,,text\n")
    words = (*COLUMNS, "--to", form)
    code, out, err = scrubline("convert", tmp_path / "n.csv", tmp_path / "m", *words)
    assert (code, out, err) == (1, "", "scrubline: full\n")
    assert [one for one in tmp_path.rglob("*") if one.is_file() and one.parent != feed] == [
        tmp_path / "n.csv"
    ]


def test_folders_of_an_input_and_inputs_without_a_record(scrubline, tmp_path):
    folder = tmp_path / "feed" / "site=north"
    folder.mkdir(parents=True)
    (folder / "a.hl7").write_text(TWO_NOTES, newline="")
    (folder / "b.hl7").write_text("")
    words = ("--column", "site=pass")
    assert scrubline("convert", tmp_path / "feed", tmp_path / "n.jsonl", *words)[0] == 0
    assert [row["site"] for row in rows_of(tmp_path / "n.jsonl")] == ["north", "north"]
    code, out, _ = scrubline("convert", folder / "b.hl7", tmp_path / "e.parquet")
    assert (code, out) == (0, "0 records of 1 file: 0 rows written as parquet\n")  # no next command
    assert pq.read_table(tmp_path / "e.parquet").column_names == list(EXPECTED[0])


def test_files_of_text_become_messages(scrubline, tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "7.txt").write_text("Seen.\nWell.\n")
    code, _, _ = scrubline("convert", tmp_path / "notes", tmp_path / "m.hl7")
    assert code == 0
    assert "|7.txt|P|2.5.1|" in (tmp_path / "m.hl7").read_text()


@pytest.mark.parametrize(
    "name", ["QQPHI", "ZP-1", "zpd-1", "PID-05", "PID-5.", "OBX-5(tx)", "PID5"]
)
def test_a_declared_name_that_no_field_can_have_is_refused(scrubline, feed, tmp_path, name):
    code, _, err = scrubline("convert", feed, tmp_path / "t.csv", "--column", f"{name}=pass")
    assert code == 2 and f"the input lacks declared columns: ['{name}']" in err
    assert not (tmp_path / "t.csv").exists()


@pytest.mark.parametrize("name", ["ZPD", "ZPD-1", "ZPD-1.2", "PID-99", "OBX-5(QQ)", "OBX-5(CWE).2"])
def test_a_declared_name_may_be_of_a_field_that_is_not_there(scrubline, feed, tmp_path, name):
    code, _, err = scrubline("convert", feed, tmp_path / "t.csv", "--column", f"{name}=drop")
    assert (code, err) == (0, WARNED)


@pytest.mark.parametrize("as_file", [False, True])
def test_a_run_refuses_such_a_name_too(scrubline, feed, tmp_path, as_file):
    (tmp_path / "key.txt").write_text(new_key())
    words = ["scrub", "--input", feed, "--output", tmp_path / "out", "--dry-run"]
    words += ["--key-file", tmp_path / "key.txt"]
    if as_file:
        (tmp_path / "job.toml").write_text('[column]\nQQPHI = "pass"\n')
        words += ["--config", tmp_path / "job.toml"]
    else:
        words += ["--column", "QQPHI=pass"]
    code, _, err = scrubline(*words)
    assert code == 2 and "the input lacks declared columns: ['QQPHI']; no value of HL7 v2" in err
