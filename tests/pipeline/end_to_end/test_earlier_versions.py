"""Outputs that an earlier version left: read, finished, refused or read anew, as an upgrade needs.

The archives in `earlier/` are what released versions wrote; see `earlier/make.py`.
"""

import dataclasses
import json
import logging
import re
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from scrubline.models.core.errors import GateFailed, RunOnHold, UsageError
from scrubline.models.core.keys import fingerprint
from scrubline.models.formats.jsonl import JsonLines
from scrubline.models.jobs import job as jobs
from scrubline.models.jobs import opening
from scrubline.models.jobs.job import CODE_VERSION, Job
from scrubline.models.storage.storage import Storage
from scrubline.pipeline import run as runs
from scrubline.pipeline.commands.inspect import list_quarantined, show_document, summary
from scrubline.pipeline.commands.status import status
from scrubline.pipeline.commands.verify import UNSEALED, verify
from scrubline.pipeline.outputs import incremental
from scrubline.pipeline.outputs.audit_diff import diff
from scrubline.pipeline.outputs.manifest import read_manifest
from scrubline.pipeline.outputs.pruning import prune
from scrubline.pipeline.outputs.state import pending_runs
from scrubline.pipeline.run import plan_and_freeze, resume, scrub

from benchmarks import tampering

from .earlier import make

pytestmark = pytest.mark.slow

JOB_080 = """{
 "batch_bytes": 500000,
 "batch_documents": 256,
 "budgets": {
  "candidates": 200000,
  "document_bytes": 16000000,
  "line_bytes": 64000000,
  "line_characters": 4000000,
  "tokens": 4000000,
  "unpacked_ratio": 250
 },
 "canaries": null,
 "canaries_hash": "",
 "code_version": "0.8.0",
 "columns": [["note_id", "id"], ["text", "text"], ["n", "pass"]],
 "format": null,
 "group_lines": null,
 "hold": false,
 "keep_candidates": false,
 "key_check": "b42cd00f",
 "key_source": "key.txt",
 "max_gone": 0.1,
 "max_lost": null,
 "max_quarantined": 0.05,
 "model_hashes": [],
 "models": [],
 "output": "out",
 "policy": "hipaa",
 "policy_hash": "3314e37af48214d910f15b193df4019ff5257f51bac9d7396b577d4a277f2ddc",
 "recogniser_hashes": [
  "b8059a2faa04c3855fb5c9ce0934be0635bb09bee97f604589592351e8ffcbcd",
  "9dbe3d2ac5a9ea8c67dc6db526add83d5fc6c513c7cba43a71cbcbc9770a6eb2"
 ],
 "recognisers": ["email", "date"],
 "run": "0613c4474af397c3",
 "settings": {
  "delimiter": null,
  "encoding": "utf-8",
  "escape": null,
  "header": true,
  "quote": "\\""
 },
 "split_bytes": 600
}"""
"""As version 0.8.0 froze it; only key and output were put elsewhere, which nothing hashes."""

FINGERPRINT_080 = "d26bb310e7f2e8e4c7d6640c61c0149ead4a7555977254b0f15942a19ef1ba86"
"""What version 0.8.0 wrote into the manifest of that job."""


def test_a_job_of_an_earlier_version_has_the_fingerprint_that_it_had():
    job = Job.from_json(JOB_080)
    assert job.fingerprint == FINGERPRINT_080
    now = json.loads(job.to_json())
    known = {name: now.pop(name) for name in now.keys() - json.loads(JOB_080).keys()}
    assert now == json.loads(JOB_080)
    # What is known of people came later, and so did links between notes: nothing here.
    assert {name for name, value in known.items() if value not in (None, "", False, [])} <= {
        *("max_age", "max_guard", "min_roster_share", "risk", "roster_fuzzy", "stale_notes"),
    }
    newer = dataclasses.replace(job, code_version="0.9.0")
    assert "max_encoded_share" in json.loads(newer.to_json())["budgets"]
    assert dataclasses.replace(newer, code_version="0.10.0").fingerprint != newer.fingerprint


def fingerprint_080(job):
    """As version 0.8.0 made it."""
    budgets = ("document_bytes", "line_bytes", "line_characters", "tokens", "candidates")
    settings = ("encoding", "delimiter", "quote", "escape", "header")
    return fingerprint(
        "0.8.0",
        *job["model_hashes"],
        json.dumps(sorted(zip(job["recognisers"], job["recogniser_hashes"], strict=True))),
        job["policy_hash"],
        json.dumps(job["columns"]),
        job["key_check"],
        json.dumps([job["budgets"][name] for name in (*budgets, "unpacked_ratio")]),
        json.dumps(job["format"]),
        json.dumps([job["settings"][name] for name in settings]),
        json.dumps(job["group_lines"]),
    )


def test_the_tests_know_how_an_earlier_version_made_fingerprints():
    assert fingerprint_080(json.loads(JOB_080)) == FINGERPRINT_080


def make_080(out):
    """Makes of an output of two runs one that version 0.8.0 could have written."""
    made = {}
    for path in (out / "restricted").glob("*/job.json"):
        job = json.loads(path.read_bytes()) | {"code_version": "0.8.0"}
        del job["budgets"]["max_encoded_share"]
        path.write_text(json.dumps(job, indent=1, sort_keys=True))
        made[job["run"]] = fingerprint_080(job)
    change_manifest(out, lambda manifest: _manifest_080(manifest, made))
    path = out / "restricted/catalogue.parquet"
    table = pq.ParquetFile(path).read()
    rows = [row | {"fingerprint": made[row["run"]]} for row in table.to_pylist()]
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)
    (out / "seal.json").unlink()
    (out / "report.html").unlink()


def _manifest_080(manifest, made):
    manifest |= {"code_version": "0.8.0", "fingerprint": made[manifest["run"]]}
    del manifest["budgets"]["max_encoded_share"]
    for name in ("counts", "days"):
        manifest["report"].pop(name, None)
    for run, how in manifest["runs"].items():
        how["fingerprint"] = made[run]


def change_manifest(out, how):
    manifest = json.loads((out / "manifest.json").read_bytes())
    how(manifest)
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Options and output of two runs, as an earlier version left it."""
    options = tampering.make_options(tmp_path_factory.mktemp("made"))
    make_080(Path(options.output))
    return options


@pytest.fixture
def options(made, tmp_path):
    """The same in a place of its own."""
    shutil.copytree(made.output, tmp_path / "out")
    return dataclasses.replace(made, output=str(tmp_path / "out"))


def found(options, *, key=True):
    source = options.key_source if key else None
    return verify(Storage(), options.output, originals=key, key_source=source)


@pytest.mark.parametrize("restricted", [True, False], ids=["restricted", "published only"])
def test_an_output_of_an_earlier_version_is_unsealed_and_else_good(options, restricted):
    if not restricted:
        shutil.rmtree(Path(options.output) / "restricted")
    faults, lines = found(options, key=restricted)
    assert faults == [UNSEALED]
    assert any("0 differ from their hashes" in line for line in lines)
    assert restricted == any("originals of the last run: the audit leads" in line for line in lines)


def nothing_to_do(options):
    """Only inputs with quarantined rows are looked for, where there are none."""
    return dataclasses.replace(
        options,
        inputs=(f"{options.inputs[0]}/c.jsonl",),
        incremental=False,
        retry_quarantined=True,
    )


def test_a_run_with_nothing_to_do_adopts_it_and_seals_it(options):
    manifest = scrub(Storage(), nothing_to_do(options))
    assert "nothing_to_do" in manifest and manifest["code_version"] == "0.8.0"
    faults, lines = found(options)
    assert faults == []
    assert any("2 earlier runs were adopted without a seal" in line for line in lines)


@pytest.mark.parametrize("restricted", [True, False], ids=["restricted", "published only"])
@pytest.mark.parametrize(
    "name", ["code_version", "budgets.tokens", "budgets.max_encoded_share", "budgets.more"]
)
def test_changes_to_it_are_still_found_and_keep_it_unsealed(options, name, restricted):
    out = Path(options.output)
    values = {"code_version": "0.9.0", "tokens": 7, "max_encoded_share": 0.9, "more": 1}

    def changed(manifest):
        owner = manifest if name == "code_version" else manifest["budgets"]
        owner[name.rpartition(".")[2]] = values[name.rpartition(".")[2]]

    change_manifest(out, changed)
    if restricted:
        with pytest.raises(GateFailed, match="cannot be sealed because it does not match its own"):
            scrub(Storage(), nothing_to_do(options))
        assert not (out / "seal.json").exists()
    else:
        shutil.rmtree(out / "restricted")
    assert len(found(options, key=False)[0]) > 1


def test_a_budget_of_this_version_may_not_be_left_out(tmp_path):
    options = tampering.make_options(tmp_path)
    change_manifest(
        Path(options.output), lambda manifest: manifest["budgets"].pop("max_encoded_share")
    )
    assert "manifest: budgets.max_encoded_share is missing" in found(options, key=False)[0]


def test_what_this_version_publishes_beside_it_is_good(options, tmp_path):
    (tmp_path / "new.jsonl").write_text('{"note_id": "new", "text": "On 1/2/2019.", "n": 1}\n')
    manifest = scrub(Storage(), dataclasses.replace(options, inputs=(str(tmp_path / "new.jsonl"),)))
    assert manifest["code_version"] != "0.8.0" and len(manifest["runs"]) == 3
    faults, lines = found(options)
    assert faults == []
    assert any("2 earlier runs were adopted without a seal" in line for line in lines)


def test_what_an_earlier_version_made_is_made_again(options):
    manifest = scrub(Storage(), options)
    assert manifest["report"]["incremental"]["outdated"] == 3
    faults, lines = found(options)
    assert faults == [] and not any("adopted without a seal" in line for line in lines)


# -- what released versions wrote

ARCHIVES = sorted((Path(__file__).parent / "earlier").glob("*.zip"))
OUTPUT = make.OPTIONS.output


@pytest.fixture(params=ARCHIVES, ids=[path.stem for path in ARCHIVES])
def archive(request, monkeypatch):
    """An archive; this program is a later version than the one that made it."""
    later = f"{CODE_VERSION}.1"
    for module in (jobs, opening, incremental, runs):
        monkeypatch.setattr(module, "CODE_VERSION", later)
    assert Job.__init__.__kwdefaults__["code_version"] == CODE_VERSION
    monkeypatch.setitem(Job.__init__.__kwdefaults__, "code_version", later)
    monkeypatch.setenv("SCRUBLINE_KEY", make.KEY)
    yield request.param
    MemoryFileSystem.store.clear()


@pytest.fixture
def left(archive):
    """Puts one of the states of an archive into memory; gives the version that left it."""

    def put(state):
        MemoryFileSystem.store.clear()
        make.put(make.read(str(archive), state))
        return archive.stem

    return put


def faults():
    return verify(Storage(), OUTPUT, originals=True, key_source=None)[0]


def test_it_is_read_and_verified(left):
    version = left("published")
    manifest = read_manifest(Storage(), OUTPUT)
    assert manifest["code_version"] == version and len(manifest["runs"]) == 2
    found = status(Storage(), OUTPUT)
    assert found["published"]["run"] == manifest["run"] and found["pending"] == []
    assert faults() == []


def test_it_is_inspected(left, capsys):
    left("published")
    shown = summary(read_manifest(Storage(), OUTPUT), "last run")
    assert "rows             25 in = 24 out + 1 quarantined" in shown
    assert "read: BadJson: 1" in shown
    header, line = list_quarantined(Storage(), OUTPUT, key_source=None)
    assert "/in/a.jsonl bytes 0-697" in line and "\tBadJson\t" in line
    show_document(Storage(), OUTPUT, "id-3", key_source=None)
    out = capsys.readouterr().out
    assert "7000003" in out and "[MEDICALRECORD]" in out


def test_it_is_pruned(left):
    left("published")
    earlier = set(read_manifest(Storage(), OUTPUT)["runs"])
    scrub(Storage(), make.OPTIONS)  # replaces all that they made
    before = len(Storage().list_all(f"{OUTPUT}/restricted").files)
    lines = list(prune(Storage(), OUTPUT, yes=True))
    assert all(any(run in line for line in lines) for run in earlier)
    assert len(Storage().list_all(f"{OUTPUT}/restricted").files) < before
    assert faults() == []


def test_diff_compares_it_with_an_output_of_this_version(left):
    left("published")
    here = dataclasses.replace(make.OPTIONS, output="memory://here", incremental=False)
    manifest = scrub(Storage(), here)
    found = diff(Storage(), here.output, against=OUTPUT)
    assert found.is_telling and found.compared_share == 1
    assert found.documents["compared"] == manifest["counts"]["documents"] == 24


def test_diff_compares_it_with_a_run_of_this_version_that_waits(left):
    left("published")
    with pytest.raises(RunOnHold):
        scrub(Storage(), dataclasses.replace(make.OPTIONS, hold=True))
    found = diff(Storage(), OUTPUT)
    assert found.documents["compared"] == 24 and found.is_telling


@pytest.mark.parametrize("how", ["resume", "finish_pending"])
def test_a_publication_that_was_cut_off_is_finished(left, how):
    version = left("publishing")
    (run,) = pending_runs(Storage(), OUTPUT)
    if how == "resume":
        manifest = resume(Storage(), make.OPTIONS)
    else:
        nothing_new = dataclasses.replace(
            make.OPTIONS, finish_pending=True, incremental=False, retry_quarantined=True
        )
        scrub(Storage(), nothing_new)
        assert pending_runs(Storage(), OUTPUT) == []
        return
    assert (manifest["run"], manifest["code_version"]) == (run, version)
    assert manifest["counts"]["rows_in"] == 31 and len(manifest["runs"]) == 3
    assert pending_runs(Storage(), OUTPUT) == [] and faults() == []


def test_it_is_finished_though_its_policy_has_another_fingerprint_now(left, monkeypatch, caplog):
    left("publishing")

    def changed(job):
        raise UsageError("the policy has changed since the run was planned")

    monkeypatch.setattr(runs, "open_policy", changed)
    manifest = resume(Storage(), make.OPTIONS)
    assert manifest["policy"].keys() == {"hash"}
    assert "the manifest gives only its hash" in caplog.text
    left("publishing")
    monkeypatch.setattr(runs, "CODE_VERSION", manifest["code_version"])
    with pytest.raises(UsageError, match="policy has changed"):
        resume(Storage(), make.OPTIONS)


def test_an_unfinished_run_is_refused_with_the_way_on(left):
    version = left("unfinished")
    (run,) = pending_runs(Storage(), OUTPUT)
    before = make.files_in_memory()
    way = f"planned by version {version}, this is .*finish it with that version, or give it up"
    assert re.search(way, status(Storage(), OUTPUT)["next"])
    with pytest.raises(
        UsageError, match=f"{way} with `scrubline resume --output ... --discard` and scrub again"
    ):
        resume(Storage(), make.OPTIONS)
    with pytest.raises(UsageError, match=way):
        scrub(Storage(), dataclasses.replace(make.OPTIONS, finish_pending=True))
    with pytest.raises(UsageError, match=f"unfinished run {run} .*--discard`"):
        scrub(Storage(), make.OPTIONS)
    assert make.files_in_memory() == before
    # The way on: give it up, and scrub again.
    assert resume(Storage(), make.OPTIONS, discard=True) == {}
    assert scrub(Storage(), make.OPTIONS)["counts"]["rows_in"] == 31
    assert faults() == []


@pytest.mark.parametrize("action", [scrub, plan_and_freeze])
def test_incremental_reads_all_inputs_anew_once_and_says_so_first(
    left, monkeypatch, caplog, action
):
    version, events = left("published"), []
    real = JsonLines.columns

    def opened(self, *given):
        events.append("opened")
        return real(self, *given)

    class Listening(logging.Handler):
        def emit(self, record):
            if "reads 3 inputs again, once" in record.getMessage():
                events.append(record.getMessage())

    monkeypatch.setattr(JsonLines, "columns", opened)
    handler = Listening()
    logging.getLogger("scrubline").addHandler(handler)
    try:
        action(Storage(), make.OPTIONS)
    finally:
        logging.getLogger("scrubline").removeHandler(handler)
    assert version in events[0] and "opened" in events
    assert sum(event != "opened" for event in events) == 1
    if action is plan_and_freeze:
        resume(Storage(), make.OPTIONS)
    manifest = read_manifest(Storage(), OUTPUT)
    assert manifest["report"]["incremental"]["outdated"] == 3
    assert len(manifest["runs"]) == 1 and faults() == []
    # Once: after that only what is new is read.
    caplog.clear()
    make.put_input("d", range(24, 30))
    report = scrub(Storage(), make.OPTIONS)["report"]["incremental"]
    assert (report["outdated"], report["untouched"], report["new"]) == (0, 3, 1)
    assert "again, once" not in caplog.text


def test_the_archive_of_this_version_can_be_made(tmp_path, monkeypatch):
    monkeypatch.setenv("SCRUBLINE_KEY", make.KEY)
    make.write(str(tmp_path / "one.zip"))
    made = make.read(str(tmp_path / "one.zip"), "published")
    for earlier in ARCHIVES:
        known = make.read(str(earlier), "published")
        inputs = {path for path in known if path.startswith("/in/")}
        assert {path: made[path] for path in inputs} == {path: known[path] for path in inputs}
    assert "/out/_SUCCESS" not in make.read(str(tmp_path / "one.zip"), "publishing")
    MemoryFileSystem.store.clear()
