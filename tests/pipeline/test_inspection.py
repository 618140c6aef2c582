import json

import pytest
from scrubline.models.errors import StorageError, UsageError
from scrubline.models.keys import load_keys
from scrubline.models.roles import Columns
from scrubline.pipeline import originals as module
from scrubline.pipeline.inspection import read_manifest, read_rows, show_document, summary
from scrubline.pipeline.verify import verify

from .conftest import BROKEN, note, write_corpus


def test_the_summary_tells_what_a_run_did(run):
    manifest = run()
    lines = summary(manifest).splitlines()
    told = {line[:16].strip(): line[16:].strip() for line in lines if not line.startswith(" ")}
    assert told["rows"] == f"64 in = 60 out + {BROKEN} quarantined"
    assert told["run"] == manifest["run"]
    assert told["models"] == "none"
    assert told["policy"] == "hipaa"
    assert told["content digest"] == manifest["content_digest"]
    labels = {line.split()[0]: int(line.split()[1]) for line in lines if line.startswith("  ")}
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
    assert "documents        1 (1 without text), 0 tokens" in summary({**manifest, "report": {}})


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


@pytest.mark.parametrize("wanted", ["nobody", "", " ", "9001", "0" * 32])
def test_an_unknown_document_is_told_without_its_id(run, storage, options, wanted):
    run()
    with pytest.raises(UsageError, match="the output has no such document") as caught:
        show_document(storage, options.output, wanted, key_source=None)
    assert "nobody" not in str(caught.value)


def test_another_key_opens_nothing(run, storage, options, tmp_path):
    run()
    (tmp_path / "other.txt").write_text("scrubline-key-v1:" + "QUJE" * 10 + "QUI=\n")
    with pytest.raises(UsageError, match="not the master key of the run"):
        show_document(storage, options.output, "8", key_source=str(tmp_path / "other.txt"))


def test_an_original_that_is_gone_is_told(run, storage, options, tmp_path):
    run()
    (tmp_path / "in/part2.jsonl").unlink()
    with pytest.raises(StorageError) as caught:
        show_document(storage, options.output, "8", key_source=None)
    assert "part2" not in str(caught.value)


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
    real = module.read_unit

    def shortened(*args, **more):
        for batch in real(*args, **more):
            yield batch
            return

    monkeypatch.setattr(module, "read_unit", shortened)
    (job,) = (tmp_path / "out/restricted").glob("*/job.json")
    job.write_text(job.read_text().replace('"batch_documents": 256', '"batch_documents": 9'))
    faults, _ = verify(storage, options.output, originals=True, key_source=None)
    assert any("originals were found for" in fault for fault in faults)
