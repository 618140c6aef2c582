import contextlib
import json
import re
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import GateFailed, UsageError
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs import opening
from scrubline.models.storage.key_files import load_keys
from scrubline.pipeline.cli.main import main
from scrubline.pipeline.commands.inspect import list_quarantined, read_rows, show_document, summary
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs.manifest import read_manifest
from scrubline.pipeline.run import resume

from ..conftest import BROKEN, note, write_corpus

pytestmark = pytest.mark.slow


def test_the_summary_tells_what_a_run_did(run):
    manifest = run()
    lines = summary(manifest).splitlines()
    told = {line[:16].strip(): line[16:].strip() for line in lines if not line.startswith(" ")}
    assert told["rows"] == f"64 in = 60 out + {BROKEN} quarantined"
    assert told["run"] == manifest["run"]
    assert told["models"] == "none"
    assert told["policy"] == "hipaa"
    assert told["content digest"] == manifest["content_digest"]
    rows = (line.split() for line in lines if line.startswith("  ") and "->" not in line)
    labels = {label: int(count) for label, count in rows}
    assert "  kind (type)          -> kind, as it is" in lines
    assert labels == manifest["labels"]
    assert list(labels.values()) == sorted(labels.values(), reverse=True)
    assert "read: BadJson: 1" in summary(manifest)


def test_the_summary_warns_of_what_is_kept_and_of_repeated_ids(run):
    manifest = run(policy="research")
    manifest["report"]["repeated_ids"] = 7
    shown = summary(manifest)
    assert "kept by policy   CITY, COUNTRY, DATE, PROFESSION, STATE, ZIP" in shown
    assert "warning          7 rows repeat an id of another row" in shown


def test_the_summary_of_nothing(run, tmp_path):
    (tmp_path / "none").mkdir()
    (tmp_path / "none/a.jsonl").write_text('{"note_id": 1, "text": null}\n')
    columns = Columns.parse([("note_id", "id"), ("text", "text")])
    manifest = run(inputs=(str(tmp_path / "none"),), columns=columns)
    assert "rows             1 in = 1 out + 0 quarantined" in summary(manifest)
    assert "documents        1 texts (1 of them null), 0 tokens" in summary(
        {**manifest, "report": {}}
    )


OPTIONAL = [
    *((name,) for name in ("models", "recognisers", "code_version", "key_check", "budgets")),
    *(("policy", name) for name in ("name", "kept", "vetoes")),
    *(("counts", name) for name in ("rows_in", "documents_null", "spans")),
    *(("report", name) for name in ("seconds", "repeated_ids", "metrics")),
]


def test_the_summary_does_without_what_another_version_may_lack(run):
    manifest = run()
    for *outer, name in OPTIONAL:
        smaller = json.loads(json.dumps(manifest))
        inner = smaller[outer[0]] if outer else smaller
        del inner[name]
        assert summary(smaller).startswith(f"run              {manifest['run']}\nrows"), name
    del manifest["counts"]["rows_out"]
    assert "64 in = ? out + 4 quarantined" in summary(manifest)


def test_nothing_published_is_told(storage, tmp_path):
    with pytest.raises(UsageError, match="nothing is published in this output"):
        read_manifest(storage, str(tmp_path))


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe"])
def test_a_damaged_manifest_is_told(run, storage, options, tmp_path, content):
    run()
    (tmp_path / "out/manifest.json").write_bytes(content)
    with pytest.raises(UsageError, match=r"manifest\.json of this output is damaged"):
        read_manifest(storage, options.output)


def test_an_output_half_published_is_told(run, storage, options, tmp_path):
    run()
    (tmp_path / "out/_SUCCESS").unlink()
    with pytest.raises(UsageError, match="has no _SUCCESS; resume it"):
        read_manifest(storage, options.output)


def test_rows_of_a_table(run, storage, options):
    manifest = run(split_bytes=1000)
    assert sum(part["table"] == "documents" for part in manifest["parts"]) > 1
    assert len(read_rows(storage, options.output, manifest, "quarantine")) == BROKEN
    documents = read_rows(storage, options.output, manifest, "documents")
    assert len({row["doc_key"] for row in documents if row["status"] != "quarantined"}) == 60
    spans = read_rows(storage, options.output, manifest, "audit")
    assert len(spans) == manifest["counts"]["spans"]


def test_rows_of_some_documents(run, storage, options):
    manifest = run(split_bytes=1000)

    def rows(table, *more):
        return read_rows(storage, options.output, manifest, table, *more)

    for table in ("documents", "audit", "quarantine"):
        keys = sorted({row["doc_key"] for row in rows(table)} - {None})
        for some in ((), keys[:1], keys[1:3], ["nobody"], keys):
            assert rows(table, some) == [row for row in rows(table) if row["doc_key"] in some]


# -- side by side


@pytest.fixture
def shown(run, storage, options, capsys, monkeypatch):
    """Shows a document of a run and returns what is on the screen, without line breaks."""
    monkeypatch.setenv("COLUMNS", "400")

    def show(wanted, **how):
        run(**how)
        show_document(storage, options.output, wanted, key_source=None)
        return capsys.readouterr().out

    return show


def test_a_document_by_its_id(shown):
    screen = shown("8")
    for line in note(8)["text"].splitlines():
        assert line in screen
    assert "Seen on [DATE]. MRN: [MEDICALRECORD]. Café → ok 🙂." in screen
    assert "Call [PHONE] or mail [EMAIL]." in screen


def test_a_document_by_its_key(shown, storage, key_file):
    doc_key = load_keys(key_file, storage.read_bytes).doc_key("8")
    screen = shown(doc_key)
    assert f"doc_key {doc_key}, text" in screen
    assert "MRN: 7000008" in screen


def test_what_is_kept_is_shown_as_it_is(shown):
    screen = shown("8", policy="research")
    assert screen.count("Seen on 9/9/2019. MRN: ") == 2
    assert "MRN: [MEDICALRECORD]" in screen


def test_brackets_of_a_note_are_no_markup(storage, run, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "m").mkdir()
    text = "[bold]x[/bold] [/] [link=http://a.example/]y[/link] :smile: MRN: 1234567"
    (tmp_path / "m/a.jsonl").write_text(json.dumps({"i": 1, "t": text}) + "\n")
    run(inputs=(str(tmp_path / "m"),), columns=Columns.parse([("i", "id"), ("t", "text")]))
    show_document(storage, str(tmp_path / "out"), "1", key_source=None)
    assert "[bold]x[/bold] [/] [link=" in capsys.readouterr().out


def test_controls_of_a_note_do_nothing_to_the_terminal(storage, run, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    (tmp_path / "m").mkdir()
    text = "\x1b[2J\x9b1m MRN: 1234567\a \x1b]0;x\a"
    (tmp_path / "m/a.jsonl").write_text(json.dumps({"i": 1, "t": text}) + "\n")
    run(inputs=(str(tmp_path / "m"),), columns=Columns.parse([("i", "id"), ("t", "text")]))
    show_document(storage, str(tmp_path / "out"), "1", key_source=None)
    shown = capsys.readouterr().out
    assert not set("\x1b\x9b\a") & set(shown)
    assert "␛[2J␛1m MRN: [MEDICALRECORD]␛ ␛]0;x␛" in shown


@pytest.mark.parametrize("wanted", ["nobody", "", " ", "9001", "0" * 32, "\udcff"])
def test_an_unknown_document_is_told_without_its_id(run, storage, options, wanted):
    run()
    with pytest.raises(UsageError, match="the output has no such document") as caught:
        show_document(storage, options.output, wanted, key_source=None)
    assert "nobody" not in str(caught.value)


def test_a_record_without_texts_is_told(storage, run, tmp_path, capsys):
    (tmp_path / "m").mkdir()
    patient = {"resourceType": "Patient", "id": "zq1"}
    bundle = {"resourceType": "Bundle", "type": "collection", "entry": [{"resource": patient}]}
    records = [patient, {**bundle, "id": "b1"}]
    (tmp_path / "m/a.ndjson").write_text("".join(json.dumps(one) + "\n" for one in records))
    run(inputs=(str(tmp_path / "m"),), columns=None, format="fhir")
    for wanted in ("Patient/zq1", "Bundle/b1"):
        show_document(storage, str(tmp_path / "out"), wanted, key_source=None)
        assert capsys.readouterr().out.endswith(": it holds no text\n")
    with pytest.raises(UsageError, match="what is in a Bundle is part of it"):
        show_document(storage, str(tmp_path / "out"), "Patient/zq2", key_source=None)


def test_another_key_opens_nothing(run, storage, options, tmp_path):
    run()
    (tmp_path / "other.txt").write_text("scrubline-key-v1:" + "QUJE" * 10 + "QUI=\n")
    with pytest.raises(UsageError, match="wrong master key"):
        show_document(storage, options.output, "8", key_source=str(tmp_path / "other.txt"))


def test_an_original_that_is_gone_is_told(run, storage, options, tmp_path):
    run()
    (tmp_path / "in/part2.jsonl").unlink()
    with pytest.raises(UsageError, match="the original cannot be shown") as caught:
        show_document(storage, options.output, "8", key_source=None)
    assert "part2" not in str(caught.value)


# -- quarantine


def quarantined(storage, options, key_source=None):
    """The lines as dictionaries."""
    lines = list(list_quarantined(storage, options.output, key_source=key_source))
    names, *rows = [line.split("\t") for line in lines]
    assert names == ["run", "state", "unit", "row", "stage", "error", "input"]
    return [dict(zip(names, row, strict=True)) for row in rows]


def test_what_is_quarantined_is_listed_with_its_place(run, storage, options, tmp_path):
    manifest = run(split_bytes=1000)
    found = quarantined(storage, options)
    assert {row["state"] for row in found} == {"published"}
    assert {row["run"] for row in found} == {manifest["run"]}
    assert {(row["stage"], row["error"]) for row in found} == {
        ("read", code) for code in ("BadJson", "MissingId", "LoneSurrogate", "NotText")
    }
    content = (tmp_path / "in/part1.jsonl").read_bytes()
    signs = {
        "BadJson": b"cut off",
        "MissingId": b"no id",
        "LoneSurrogate": b"half",
        "NotText": b"17",
    }
    for row in found:
        url, start, end = re.fullmatch(r"(\S+) bytes (\d+)-(\d+)", row["input"]).groups()
        assert url.endswith("/in/part1.jsonl")
        # A record belongs to the stretch in which it starts.
        assert int(start) <= content.rindex(b"\n", 0, content.index(signs[row["error"]])) < int(end)


def test_of_a_unit_with_many_inputs_the_row_of_its_input_is_named(run, storage, options, tmp_path):
    run()
    signs = {
        "BadJson": b"cut off",
        "MissingId": b"no id",
        "LoneSurrogate": b"half",
        "NotText": b"17",
    }
    for found in quarantined(storage, options):
        url, row = re.fullmatch(r"(\S+) bytes \d+-\d+ row (\d+)", found["input"]).groups()
        assert url.endswith("/in/part1.jsonl")
        lines = (tmp_path / "in/part1.jsonl").read_bytes().splitlines()
        assert signs[found["error"]] in lines[int(row)]


def test_all_inputs_of_a_unit_are_listed_where_they_cannot_be_read_any_more(
    run, storage, options, tmp_path
):
    run()
    (tmp_path / "in/part2.jsonl").unlink()
    (place,) = {row["input"] for row in quarantined(storage, options)}
    assert [one.rpartition("/")[2].split()[:2] for one in place.split(" | ")] == [
        [f"part{index}.jsonl", "bytes"] for index in range(3)
    ]


def test_a_text_file_is_named_exactly(run, storage, options, tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for name in ("a.txt", "c.txt", "z.txt"):
        (folder / name).write_text("Seen 3/4/2012")
    (folder / "b\t\x1b[2J.txt").write_bytes(b"\xff")
    run(inputs=(str(folder),), columns=None)
    ((error, place),) = [(r["error"], r["input"]) for r in quarantined(storage, options)]
    assert error == "BadEncoding"
    assert place.endswith("/texts/b\\t\\x1b[2J.txt' bytes 0-1")


def test_a_row_of_a_table_is_placed_by_row_groups(run, storage, options, tmp_path):
    (tmp_path / "table").mkdir()
    rows = pa.table({"i": ["1", "2", None, "4"], "t": ["Seen 3/4/2012"] * 4})
    pq.write_table(rows, tmp_path / "table/a.parquet", row_group_size=2)
    columns = Columns.parse([("i", "id"), ("t", "text")])
    run(inputs=(str(tmp_path / "table"),), columns=columns, split_bytes=1)
    ((unit, error, place),) = [
        (row["unit"], row["error"], row["input"]) for row in quarantined(storage, options)
    ]
    assert (unit, error) == ("1", "MissingId")
    assert place.endswith("/table/a.parquet row groups 1-2")


def test_a_held_run_is_listed_beside_what_is_published(run, storage, options, tmp_path):
    with pytest.raises(UsageError, match="nothing is published"):
        list(list_quarantined(storage, options.output, key_source=None))
    with pytest.raises(GateFailed):
        run(max_quarantined=0.0)
    held = quarantined(storage, options)
    assert [row["state"] for row in held] == ["unfinished"] * BROKEN
    manifest = resume(storage, options)
    published = quarantined(storage, options)
    assert [row | {"state": "unfinished"} for row in published] == held

    more = write_corpus(tmp_path / "more", notes=10, files=2)
    with pytest.raises(GateFailed):
        run(inputs=(str(more),), max_quarantined=0.0)
    found = quarantined(storage, options)
    assert found[:BROKEN] == published
    assert [row["state"] for row in found[BROKEN:]] == ["unfinished"] * BROKEN
    assert all("/more/" in row["input"] for row in found[BROKEN:])
    assert manifest["run"] not in {row["run"] for row in found[BROKEN:]}


def test_a_run_whose_promotion_was_stopped_is_listed(run, storage, options, tmp_path, monkeypatch):
    def stop(self, url, data):
        if url.endswith("/manifest.json"):
            raise KeyboardInterrupt
        real(self, url, data)

    real = type(storage).write_bytes
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(type(storage), "write_bytes", stop)
        run()
    assert list((tmp_path / "out/quarantine").iterdir())  # moved from staging already
    assert [row["state"] for row in quarantined(storage, options)] == ["unfinished"] * BROKEN


@pytest.mark.parametrize("held", [False, True])
def test_no_input_is_named_without_the_key(run, storage, options, tmp_path, held):
    (tmp_path / "other.txt").write_text("scrubline-key-v1:" + "QUJE" * 10 + "QUI=\n")
    with contextlib.suppress(GateFailed):
        run(max_quarantined=0.0 if held else 0.5)
    for key_source, message in (
        (tmp_path / "other.txt", "wrong master key"),
        ("env:NO_KEY", "NO_KEY"),
    ):
        lines = list_quarantined(storage, options.output, key_source=str(key_source))
        with pytest.raises(UsageError, match=message):
            next(lines)


def test_rows_whose_plan_is_gone_have_no_place(run, storage, options, tmp_path):
    run()
    shutil.rmtree(tmp_path / "out/restricted")
    with pytest.raises(UsageError, match=r"no longer under restricted/"):
        quarantined(storage, options)


def test_a_run_stopped_before_it_was_frozen_has_nothing_to_list(run, storage, options, tmp_path):
    run()
    (tmp_path / "out/_staging/0123456789abcdef").mkdir(parents=True)
    (tmp_path / "out/_staging/0123456789abcdef/owner").write_text("x")
    assert len(quarantined(storage, options)) == BROKEN


def test_the_command_line_lists_what_is_quarantined(run, options, key_file, capsys):
    run()
    command = ["inspect", "--output", options.output, "--key-file", key_file]
    with pytest.raises(SystemExit) as end:
        main([*command, "--quarantined"])
    assert end.value.code == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 + BROKEN
    with pytest.raises(SystemExit) as end:
        main([*command, "--quarantined", "--document", "8"])
    assert end.value.code == 2


# -- verify over several runs


def test_verify_compares_the_originals_of_the_last_run_alone(run, storage, options, tmp_path):
    run()
    more = write_corpus(tmp_path / "more", notes=10, files=1, broken=False)
    part = more / "part0.jsonl"
    part.write_text(part.read_text().replace('"note_id": ', '"note_id": 9'))
    manifest = run(inputs=(str(more),))
    assert manifest["counts"]["rows_out"] == 70
    # A night later the first input may be gone.
    (tmp_path / "in/part0.jsonl").unlink()
    faults, lines = verify(storage, options.output, originals=True, key_source=None)
    assert faults == []
    with_text = sum(note(n)["text"] is not None for n in range(10))
    assert lines[-1].startswith(f"{with_text} originals of the last run")


def test_verify_misses_no_original(run, storage, options, tmp_path, monkeypatch):
    run()
    real = opening.read_unit

    def shortened(*args, **more):
        for batch in real(*args, **more):
            yield batch
            return

    monkeypatch.setattr(opening, "read_unit", shortened)
    (job,) = (tmp_path / "out/restricted").glob("*/job.json")
    job.write_text(job.read_text().replace('"batch_documents": 256', '"batch_documents": 9'))
    faults, _ = verify(storage, options.output, originals=True, key_source=None)
    assert any("originals were found for" in fault for fault in faults)
