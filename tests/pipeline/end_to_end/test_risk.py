"""The column `risk` of the documents table, from end to end."""

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from scrubline.models.bundles.bundle import write_bundle
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs import first_pass
from scrubline.models.jobs.audit import DOCUMENTS
from scrubline.pipeline.commands.verify import verify

from ...models.bundles.test_families import trained

MODEL = "meddocan-hide"
PLAIN = {"models": (MODEL,), "recognisers": ("date",)}


def documents(output):
    table = pq.read_table(Path(output) / "documents")
    assert table.schema.equals(DOCUMENTS)
    return sorted(table.to_pylist(), key=lambda row: (row["doc_key"], row["field"]))


def ranks(output):
    return {(row["doc_key"], row["field"]): row["risk"] for row in documents(output)}


def test_every_scrubbed_document_has_a_rank_and_no_other_has(run, options):
    manifest = run(**PLAIN)
    rows = documents(options.output)
    assert {row["status"] for row in rows} == {"scrubbed", "null", "quarantined"}
    for row in rows:
        assert isinstance(row["risk"], int) == (row["status"] == "scrubbed")
    assert len({row["risk"] for row in rows}) > 3
    # No digest of content has it, and the next night does not see it.
    without = str(Path(options.output).with_name("without"))
    plain = run(**PLAIN, output=without, risk=False)
    assert set(ranks(without).values()) == {None}
    assert plain["content_digest"] == manifest["content_digest"]
    assert plain["fingerprint"] == manifest["fingerprint"] and plain["run"] != manifest["run"]
    again = run(**PLAIN, output=without, risk=True, incremental=True)
    assert again["run"] == plain["run"]


def test_batches_and_units_do_not_show(run, options):
    run(**PLAIN)
    whole = ranks(options.output)
    small = str(Path(options.output).with_name("small"))
    run(**PLAIN, output=small, batch_documents=3, split_bytes=900)
    assert ranks(small) == whole


def test_an_output_with_it_verifies(run, options, storage, key_file):
    run(**PLAIN)
    for at, table in enumerate(Path(options.output).glob("documents/*")):
        assert "risk" in pq.read_schema(table).names, at
    faults, _ = verify(storage, options.output, key_source=key_file, originals=True)
    assert faults == []


@pytest.mark.parametrize("what", ["rules", "functions"])
def test_without_a_crf_it_is_null(run, options, tmp_path, what):
    models = ()
    if what == "functions":
        pytest.importorskip("sklearn")
        write_bundle(trained("typed"), str(tmp_path / "svm"))
        models = (str(tmp_path / "svm"),)
    run(models=models, recognisers=("date",))
    assert set(ranks(options.output).values()) == {None}


def test_beside_functions_a_crf_tells_it(run, options, tmp_path):
    pytest.importorskip("sklearn")
    write_bundle(trained("typed"), str(tmp_path / "svm"))
    run(models=(MODEL, str(tmp_path / "svm")), recognisers=("date",))
    rows = documents(options.output)
    assert all((row["risk"] is None) == (row["status"] != "scrubbed") for row in rows)


NOTES = [
    ("p1", "Patient: Zelda Quimby was seen"),
    ("p1", "called quimby at home"),
    ("p2", "Acude doña Ana Ruiz con su hermano Pedro"),
    (None, "quimby of nobody"),
]


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_second_pass_that_detects_nothing_knows_the_risks_of_the_first(
    run, options, tmp_path, monkeypatch, is_lost
):
    folder = tmp_path / "notes"
    folder.mkdir()
    for n, (who, text) in enumerate(NOTES):
        line = json.dumps({"id": n, "who": who, "text": text})
        (folder / f"{n}.jsonl").write_text(line + "\n")
    asked = {
        "inputs": (str(folder),),
        "columns": Columns.parse([("id", "id"), ("who", "patient"), ("text", "text")]),
        "models": (MODEL,),
        "recognisers": ("labelled_name",),
    }
    run(**asked)
    plain = ranks(options.output)
    shutil.rmtree(options.output)
    read = first_pass.Detected.read.__func__
    if is_lost:
        monkeypatch.setattr(first_pass.Detected, "read", classmethod(lambda cls, *given: None))
    else:
        seen = []
        monkeypatch.setattr(
            first_pass.Detected,
            "read",
            classmethod(lambda cls, *given: seen.append(read(cls, *given)) or seen[-1]),
        )
    run(**asked, link_notes=True)
    linked = ranks(options.output)
    assert linked.keys() == plain.keys() and None not in linked.values()
    # What is carried over is covered, and fears nothing any more; the others are as they were.
    lower = [key for key in plain if linked[key] < plain[key]]
    assert len(lower) <= 1 and all(linked[key] <= plain[key] for key in plain)
    if not is_lost:
        assert seen and all(len(one.risks) == 1 for one in seen)
