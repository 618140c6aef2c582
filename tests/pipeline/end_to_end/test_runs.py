import dataclasses
import json
import shutil

import pytest
from scrubline.models.core.errors import (
    GateFailed,
    InputChanged,
    OutputBusy,
    RunFailed,
    RunOnHold,
    StorageError,
    UsageError,
)
from scrubline.models.formats import FORMATS, FormatOptions, open_format
from scrubline.models.formats.column_roles import Columns
from scrubline.models.formats.jsonl import JsonLines
from scrubline.models.jobs import opening
from scrubline.models.jobs.amendments import RunAmendments
from scrubline.models.redaction.policy import OwnLabel, Policy
from scrubline.models.storage.key_files import load_keys
from scrubline.models.storage.storage import Storage
from scrubline.models.surrogates import SurrogateSettings
from scrubline.pipeline import preparation, work
from scrubline.pipeline import run as runs
from scrubline.pipeline.commands.inspect import read_rows
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs import duplicate_ids as repeated
from scrubline.pipeline.outputs import planning
from scrubline.pipeline.outputs import publishing as publish
from scrubline.pipeline.outputs.publishing import part_digest
from scrubline.pipeline.outputs.state import lock_file, pending_runs
from scrubline.pipeline.preparation import check_replacements
from scrubline.pipeline.run import NOTHING, plan_and_freeze, resume, scrub
from scrubline.pipeline.runners.engines import check_runner

from ..conftest import BROKEN, COLUMNS, note, write_corpus


def test_a_run_reconciles_verifies_and_publishes(run, storage, options, tmp_path):
    manifest = run()
    counts = manifest["counts"]
    assert counts["rows_in"] == 60 + BROKEN
    assert counts["rows_out"] == 60
    assert counts["rows_quarantined"] == BROKEN
    assert manifest["errors"] == {
        "read: BadJson": 1,
        "read: LoneSurrogate": 1,
        "read: MissingId": 1,
        "read: NotText": 1,
    }
    faults, lines = verify(storage, options.output, originals=True, key_source=None)
    assert faults == []
    assert f"content digest {manifest['content_digest']}" in lines
    out = tmp_path / "out"
    assert (out / "_SUCCESS").exists()
    assert not (out / "_staging").exists()
    assert sorted(p.name for p in out.iterdir()) == sorted(
        ["_SUCCESS", "audit", "data", "documents", "manifest.json"]
        + ["history.parquet", "quarantine", "report.html", "restricted", "seal.json"]
    )


def test_rows_come_out_scrubbed_with_keys_and_untouched_columns(
    run, storage, options, key_file, tmp_path
):
    run()
    keys = load_keys(key_file, storage.read_bytes)
    rows = [
        json.loads(line)
        for path in sorted((tmp_path / "out/data").glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]
    by_key = {row["doc_key"]: row for row in rows}
    assert len(by_key) == 60
    row = by_key[keys.doc_key("8")]
    assert row == {
        "doc_key": keys.doc_key("8"),
        "patient_key": keys.patient_key("003"),
        "kind": "progress",
        "text": "Seen on [DATE]. MRN: [MEDICALRECORD]. Café → ok 🙂.\n"
        "BP 120/80, strength 5/5. Call [PHONE] or mail [EMAIL].\n",
        "n": [8, 1.5],
    }
    assert by_key[keys.doc_key("5")]["text"] is None
    assert by_key[keys.doc_key("3")]["text"] == note(3)["text"]
    assert '"n":[8,1.50]' in "".join(
        p.read_text() for p in (tmp_path / "out/data").glob("*.jsonl")
    ).replace(" ", "")


@pytest.mark.slow
def test_the_content_digest_does_not_depend_on_how_it_is_run(run, tmp_path):
    changes = [
        {},
        {"batch_documents": 1},
        {"batch_documents": 7},
        {"batch_documents": 1000, "split_bytes": 4000},
        {"split_bytes": 100},
        {"batch_bytes": 1},
    ]
    manifests = [
        run(output=str(tmp_path / f"out{i}"), **change) for i, change in enumerate(changes)
    ]
    assert len({m["content_digest"] for m in manifests}) == 1
    assert len({m["run"] for m in manifests}) == len(changes)


@pytest.mark.slow
def test_workers_change_neither_the_plan_nor_the_content(run, tmp_path, monkeypatch):
    whole = run(output=str(tmp_path / "whole"))
    monkeypatch.setattr(planning, "LEAST_UNIT", 1)
    manifests = [
        run(output=str(tmp_path / f"out{workers}"), workers=workers) for workers in (0, 1, 2)
    ]
    assert {m["content_digest"] for m in manifests} == {whole["content_digest"]}
    assert len({(m["run"], part_digest(m)) for m in manifests}) == 1
    assert manifests[0]["report"]["units"] > 8


def test_parts_do_not_depend_on_batches(run, tmp_path):
    manifests = [
        run(output=str(tmp_path / f"out{cap}"), batch_documents=cap) for cap in (1, 7, 1000)
    ]
    data = [[part["sha256"] for part in m["parts"] if part["table"] == "data"] for m in manifests]
    assert data[0] == data[1] == data[2]


def test_the_same_run_again_does_nothing_and_says_the_same(run):
    first, second = run(), run()
    assert second == first | {NOTHING: {}}


@pytest.mark.parametrize("keys_at_once", [repeated.KEYS_AT_ONCE, 3])
@pytest.mark.slow
def test_repeated_ids_are_numbered_alike_for_any_split(
    run, tmp_path, storage, options, monkeypatch, keys_at_once
):
    monkeypatch.setattr(repeated, "KEYS_AT_ONCE", keys_at_once)
    folder = tmp_path / "twice"
    folder.mkdir()
    for name in ("a", "b"):
        with (folder / f"{name}.jsonl").open("w") as stream:
            for number in (1, 1, 2, 3):
                stream.write(
                    json.dumps({"note_id": number, "text": f"{name} MRN: 7000001", "n": 0}) + "\n"
                )
    roles = [("note_id", "id"), ("text", "text"), ("n", "drop")]
    columns = type(COLUMNS).parse(roles)
    manifests = [
        run(
            inputs=(str(folder),),
            columns=columns,
            output=str(tmp_path / f"o{split}"),
            split_bytes=split,
        )
        for split in (30, 100_000)
    ]
    assert manifests[0]["content_digest"] == manifests[1]["content_digest"]
    assert manifests[0]["report"]["repeated_ids"] == 5
    documents = read_rows(storage, str(tmp_path / "o30"), manifests[0], "documents")
    assert len({row["doc_key"] for row in documents}) == 8
    keys = load_keys(options.key_source, storage.read_bytes)
    assert {keys.doc_key("1", n) for n in range(4)} < {row["doc_key"] for row in documents}
    faults, _ = verify(storage, str(tmp_path / "o30"), originals=True, key_source=None)
    assert faults == []


def test_too_many_quarantined_rows_hold_the_run_back(run, storage, options, tmp_path):
    with pytest.raises(GateFailed, match="4 of 64 rows"):
        run(max_quarantined=0.01)
    assert not (tmp_path / "out/data").exists()
    manifest = resume(storage, dataclasses.replace(options, max_quarantined=0.2))
    assert manifest["counts"]["rows_out"] == 60


def test_a_plan_is_run_by_resume_whatever_the_options_say_by_then(storage, options, run, tmp_path):
    job, plan = plan_and_freeze(storage, options)
    assert not (tmp_path / "out/data").exists()
    manifest = resume(storage, dataclasses.replace(options, policy="research", columns=None))
    assert manifest["run"] == job.run
    assert manifest["policy"]["name"] == "hipaa"
    assert manifest["content_digest"] == run(output=str(tmp_path / "other"))["content_digest"]


@pytest.mark.slow
def test_another_run_waits_until_the_first_is_done_or_discarded(storage, options, tmp_path):
    plan_and_freeze(storage, options)
    with pytest.raises(UsageError, match="unfinished run"):
        scrub(storage, dataclasses.replace(options, split_bytes=100))
    assert resume(storage, options, discard=True) == {}
    scrub(storage, dataclasses.replace(options, split_bytes=100))


def test_a_new_run_over_the_same_input_supersedes_the_old_parts(run, storage, options, tmp_path):
    run()
    manifest = run(split_bytes=1000)
    data = sorted(
        str(p.relative_to(tmp_path / "out")) for p in (tmp_path / "out/data").rglob("*.jsonl")
    )
    assert data == sorted(p["path"] for p in manifest["parts"] if p["table"] == "data")
    assert manifest["counts"]["rows_out"] == 60
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []


def test_other_inputs_join_the_output(run, storage, options, tmp_path):
    first = run()
    more = write_corpus(tmp_path / "more", notes=10, files=1, broken=False)
    (more / "part0.jsonl").write_text(
        (more / "part0.jsonl").read_text().replace('"note_id": ', '"note_id": 5')
    )
    manifest = run(inputs=(str(more),))
    assert manifest["counts"]["rows_out"] == first["counts"]["rows_out"] + 10


def test_half_of_a_units_inputs_cannot_be_replaced(run, options):
    run()
    with pytest.raises(UsageError, match="others"):
        run(inputs=(options.inputs[0] + "/part0.jsonl",))


def test_an_input_that_changed_after_planning_stops_the_run(storage, options, tmp_path):
    plan_and_freeze(storage, options)
    with (tmp_path / "in/part2.jsonl").open("a") as stream:
        stream.write("{}\n")
    with pytest.raises(RunFailed, match="changed after it was planned"):
        resume(storage, options)
    assert not (tmp_path / "out/data").exists()


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"columns": None}, "has a declared role"),
        ({"inputs": ("/nowhere/at/all",)}, "input 1 of 1 does not exist"),
        ({"recognisers": ("tarot",)}, "tarot"),
        ({"recognisers": ()}, "nothing would be found"),
        ({"models": ("no-such",)}, "bundle"),
        ({"policy": "no-such"}, "policy"),
        ({"runner": "DaskRunner"}, "DaskRunner is refused"),
        ({"runner": "SamzaRunner"}, "is unknown; runners are direct, portable, prism"),
        ({"key_source": "env:NOT_SET_HERE"}, "scrubline key new"),
    ],
)
def test_a_job_that_cannot_be_done_is_refused_before_anything_is_written(
    run, tmp_path, change, what
):
    with pytest.raises(UsageError, match=what):
        run(**change)
    assert not (tmp_path / "out").exists()


def test_input_and_output_must_not_lie_inside_each_other(run, options):
    with pytest.raises(UsageError, match="inside each other"):
        run(output=options.inputs[0] + "/out")


def test_another_key_cannot_finish_a_run(storage, options, tmp_path):
    plan_and_freeze(storage, options)
    (tmp_path / "key.txt").write_text("scrubline-key-v1:" + "QUJE" * 10 + "QUI=\n")
    with pytest.raises(UsageError, match="wrong master key"):
        resume(storage, options)


@pytest.mark.parametrize("name", ["direct", "DirectRunner", "FnApiRunner", "DIRECT"])
def test_the_direct_runner_has_several_names(name):
    assert check_runner(name) == "direct"


def test_a_promotion_that_was_cut_off_is_taken_up_again(
    run, storage, options, tmp_path, monkeypatch
):
    whole = run(output=str(tmp_path / "whole"))
    moves = []
    real = type(storage).move

    def failing(self, source, target):
        moves.append(target)
        if len(moves) == 4:
            raise RunFailed("cut off")
        return real(self, source, target)

    monkeypatch.setattr(type(storage), "move", failing)
    with pytest.raises(RunFailed, match="cut off"):
        run()
    assert not (tmp_path / "out/_SUCCESS").exists()
    monkeypatch.setattr(type(storage), "move", real)
    manifest = resume(storage, options)
    assert manifest["content_digest"] == whole["content_digest"]
    assert part_digest(manifest) == part_digest(whole)
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []


def test_verify_finds_what_was_tampered_with(run, storage, options, tmp_path):
    run()
    part = next((tmp_path / "out/data").glob("*.jsonl"))
    shutil.copy(part, tmp_path / "copy")
    part.write_text(part.read_text().replace("[DATE]", "[DOTE]", 1))
    faults, _ = verify(storage, options.output, originals=False, key_source=None)
    assert "is not what was written" in faults[0]
    assert "the digest of text does not match the manifest" in faults
    assert len(faults) == 3
    part.unlink()
    assert "missing" in verify(storage, options.output, originals=False, key_source=None)[0][0]
    shutil.copy(tmp_path / "copy", part)
    assert verify(storage, options.output, originals=False, key_source=None)[0] == []
    shutil.copy(part, part.with_name("stowaway.jsonl"))
    assert verify(storage, options.output, originals=False, key_source=None)[0]


@pytest.mark.slow
def test_an_id_that_comes_again_in_a_later_run_is_numbered_on(run, storage, options, tmp_path):
    first = run()
    later = tmp_path / "later"
    later.mkdir()
    line = json.dumps(note(8))
    (later / "again.jsonl").write_text(f"{line}\n{line}\n")
    manifest = run(inputs=(str(later),))
    assert manifest["counts"]["rows_out"] == first["counts"]["rows_out"] + 2
    keys = load_keys(options.key_source, storage.read_bytes)
    found = {row["doc_key"] for row in read_rows(storage, options.output, manifest, "documents")}
    assert {keys.doc_key("8", ordinal) for ordinal in range(3)} <= found
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []
    again = run()
    assert again["content_digest"] == manifest["content_digest"]


def test_runs_with_other_columns_are_verified_by_their_own(run, storage, options, tmp_path):
    run()
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.jsonl").write_text('{"id": "x1", "body": "MRN: 7000001", "extra": 1}\n')
    columns = type(COLUMNS).parse([("id", "id"), ("body", "text"), ("extra", "pass")])
    run(inputs=(str(other),), columns=columns, allow_different_job=True)
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []


def test_relative_and_linked_places_inside_each_other_are_found(
    run, options, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "in")
    for output in ("in/out", "file://" + options.inputs[0] + "/out", "link/out", "in/../in"):
        with pytest.raises(UsageError, match="inside each other"):
            run(output=output)


def test_another_rule_is_another_run(storage, options, monkeypatch):
    first, _ = plan_and_freeze(storage, options)
    monkeypatch.setattr(preparation, "rule_hash", lambda name: "other")
    second = runs.prepare(storage, options).job
    assert first.run != second.run
    assert first.fingerprint != second.fingerprint


def test_a_rule_that_changed_under_a_frozen_run_is_refused(storage, options, monkeypatch):
    plan_and_freeze(storage, options)
    monkeypatch.setattr(opening, "rule_hash", lambda name: "other")
    opening._opened.clear()
    with pytest.raises(UsageError, match="the rule .* has changed since the run was planned"):
        resume(storage, options)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["..", "../../keep", "", "nonsense", "0123456789abcdef"])
def test_only_an_unfinished_run_can_be_discarded(run, storage, options, tmp_path, name):
    run()
    (tmp_path / "keep").mkdir()
    (tmp_path / "keep/me").write_text("x")
    with pytest.raises(UsageError, match="no such unfinished run"):
        resume(storage, options, name, discard=True)
    assert (tmp_path / "keep/me").exists()
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []


def test_a_run_that_is_being_published_cannot_be_discarded(run, storage, options, monkeypatch):
    def failing(self, source, target):
        raise RunFailed("cut off")

    with monkeypatch.context() as patch:
        patch.setattr(type(storage), "move", failing)
        with pytest.raises(RunFailed):
            run()
    with pytest.raises(UsageError, match="no longer be given up"):
        resume(storage, options, discard=True)
    assert resume(storage, options)["counts"]["rows_out"] == 60


@pytest.mark.parametrize("discard", [False, True])
def test_resume_of_a_finished_output_says_what_it_holds(run, storage, options, discard):
    manifest = run()
    told = f"no unfinished run in this output: run {manifest['run']} is published"
    with pytest.raises(UsageError, match=told):
        resume(storage, options, discard=discard)


def test_a_run_that_was_stopped_after_its_last_step_is_finished(
    run, storage, options, tmp_path, monkeypatch
):
    def stopped(*given):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(publish, "clear_staging", stopped)
        with pytest.raises(KeyboardInterrupt):
            run()
    assert (tmp_path / "out/_SUCCESS").exists()
    assert resume(storage, options)["counts"]["rows_out"] == 60
    assert not (tmp_path / "out/_staging").exists()


@pytest.mark.parametrize("discard", [False, True])
def test_what_a_published_run_could_not_clear_up_is_cleared_by_resume(
    run, storage, options, tmp_path, monkeypatch, discard
):
    def fail(*given):
        raise StorageError("cannot delete '_staging': OSError EIO after 6 tries")

    with monkeypatch.context() as patch:
        patch.setattr(Storage, "delete_folder", fail)
        with pytest.raises(StorageError):
            run()
    (journal,) = (tmp_path / "out/_staging").glob("*/promotion.json")
    journal.unlink()
    assert pending_runs(storage, options.output) == []
    with pytest.raises(UsageError, match="no unfinished run in this output: run .* is published"):
        resume(storage, options, discard=discard)
    assert not (tmp_path / "out/_staging").exists()


def test_a_strict_gate_holds_on_resume_too(run, storage, options):
    with pytest.raises(GateFailed):
        run(max_quarantined=0.0)
    with pytest.raises(GateFailed):
        resume(storage, dataclasses.replace(options, max_quarantined=None))


def test_input_that_was_cut_short_while_it_was_read_stops_the_run(run, tmp_path, monkeypatch):
    real = JsonLines.read

    def shortening(self, storage, file, *rest):
        (tmp_path / "in/part2.jsonl").write_text("")
        return real(self, storage, file, *rest)

    monkeypatch.setattr(JsonLines, "read", shortening)
    with pytest.raises(RunFailed, match="changed after it was planned"):
        run()
    assert not (tmp_path / "out/data").exists()


def test_of_two_runs_that_begin_at_once_at_most_one_goes_on(storage, options, tmp_path):
    other = tmp_path / "out/_staging/0123456789abcdef"
    other.mkdir(parents=True)
    (other / "RUN").write_text("")
    with pytest.raises(UsageError, match="unfinished run 0123456789abcdef"):
        scrub(storage, options)
    assert sorted(p.name for p in (tmp_path / "out/_staging").iterdir()) == ["0123456789abcdef"]


def test_who_was_taken_over_does_not_publish(run, storage, options, tmp_path, monkeypatch):
    real = runs.check_gates

    def taken_over(*args, **kwargs):
        (marker,) = (tmp_path / "out/_staging").glob("*/RUN")
        marker.write_text("somebody else")
        return real(*args, **kwargs)

    monkeypatch.setattr(runs, "check_gates", taken_over)
    with pytest.raises(RunFailed, match="taken this run over"):
        run()
    assert not (tmp_path / "out/data").exists()


def test_data_that_is_gone_is_made_again(run, storage, options, tmp_path):
    first = run()
    for part in (tmp_path / "out/data").glob("*.jsonl"):
        part.unlink()
    assert run()["content_digest"] == first["content_digest"]
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []


def test_globs_do_not_reach_into_the_output(run, tmp_path):
    notes = write_corpus(tmp_path / "in", broken=False)
    run(inputs=(str(notes / "**" / "*.jsonl"),), output=str(notes / "out"), split_bytes=999)
    with pytest.raises(UsageError, match="inside"):
        run(inputs=(str(notes / "**" / "*.jsonl"),), output=str(notes / "out"))


def test_workers_do_not_go_with_an_engine(run):
    with pytest.raises(UsageError, match="engines start workers of their own"):
        run(runner="portable", workers=2)


def test_a_damaged_receipt_is_not_believed(run, storage, options, tmp_path):
    with pytest.raises(GateFailed):
        run(max_quarantined=0.0, split_bytes=2000)
    receipts = sorted((tmp_path / "out/_staging").glob("*/receipts/*.json"))
    assert len(receipts) > 2
    receipts[1].write_text(receipts[1].read_text()[:-9])
    manifest = resume(storage, dataclasses.replace(options, max_quarantined=0.5))
    assert manifest["counts"]["rows_out"] == 60


def test_a_gate_that_was_overridden_does_not_hold_back_the_rest(run, storage, options, monkeypatch):
    with pytest.raises(GateFailed):
        run(max_quarantined=0.0)

    def failing(self, source, target):
        raise RunFailed("cut off")

    with monkeypatch.context() as patch:
        patch.setattr(type(storage), "move", failing)
        with pytest.raises(RunFailed, match="cut off"):
            resume(storage, dataclasses.replace(options, max_quarantined=0.5))
    manifest = resume(storage, dataclasses.replace(options, max_quarantined=None))
    assert manifest["counts"]["rows_out"] == 60


def test_parts_of_an_earlier_version_stay_published_and_readable(run, storage, options, tmp_path):
    first = run()
    (frozen,) = (tmp_path / "out/restricted").glob("*/job.json")
    frozen.write_text(frozen.read_text().replace('"code_version": "', '"code_version": "0.0.'))
    (tmp_path / "out/seal.json").unlink()
    more = write_corpus(tmp_path / "more", notes=4, files=1, broken=False)
    manifest = run(inputs=(str(more),))
    assert manifest["counts"]["rows_out"] == first["counts"]["rows_out"] + 4
    faults, lines = verify(storage, options.output, originals=True, key_source=None)
    assert faults == []
    assert any("1 earlier runs were adopted without a seal" in line for line in lines)


def test_a_run_that_another_version_planned_is_not_resumed(storage, options, tmp_path):
    plan_and_freeze(storage, options)
    (frozen,) = (tmp_path / "out/restricted").glob("*/job.json")
    frozen.write_text(frozen.read_text().replace('"code_version": "', '"code_version": "0.0.'))
    with pytest.raises(UsageError, match="planned by version 0.0."):
        resume(storage, options)


# -- replacements that the output cannot hold

LATIN, ASCII = FormatOptions(encoding="iso8859-1"), FormatOptions(encoding="ascii")
PLUS = FormatOptions(quote="", delimiter="+")
BARE = FormatOptions(quote="", delimiter="*")


@pytest.mark.parametrize(
    ("policy", "labels", "name", "settings", "told"),
    [
        ({"texts": {"*": "\u27e6{label}\u27e7"}}, (), "text", LATIN, "replaces [A-Z]+ .*iso8859-1"),
        ({"texts": {"DATE": "\u27e6x\u27e7"}}, (), "csv", LATIN, "replaces DATE .*iso8859-1"),
        ({"texts": {"DATE": "\u27e6x\u27e7"}}, (), "zip", LATIN, "replaces DATE .*iso8859-1"),
        ({"texts": {"DATE": "\u27e6x\u27e7"}}, (), "tar.gz", LATIN, "replaces DATE .*iso8859-1"),
        ({"texts": {"DATE": "\u27e6x\u27e7"}}, (), "text.gz", LATIN, "replaces DATE .*iso8859-1"),
        ({"texts": {"DATE": "\u27e6x\u27e7"}}, (), "jsonl", FormatOptions(), None),
        ({"texts": {"DATE": "\u27e6x\u27e7"}}, (), "parquet", FormatOptions(), None),
        ({"texts": {"DATE": "\u27e6x\u27e7"}}, (), "text", FormatOptions(), None),
        ({"texts": {"DATE": "\u27e6x\u27e7"}}, (), "text", FormatOptions(encoding="utf-16"), None),
        ({"labels": {"\u00c9TUDE": None}}, (), "text", ASCII, "replaces \u00c9TUDE .*ascii"),
        ({"labels": {"\u00c9TUDE": None}}, (), "text", LATIN, None),
        ({}, ("\u00c9TUDE",), "csv", ASCII, "replaces \u00c9TUDE .*ascii"),
        ({"actions": {"DATE": "mask"}}, (), "csv", BARE, "replaces DATE .*--delimiter"),
        ({"default": "mask"}, (), "csv", BARE, "--delimiter"),
        ({}, (), "csv", BARE, None),
        ({}, (), "csv", FormatOptions(quote="", delimiter="["), "--delimiter"),
        ({"actions": {"AGE": "generalise"}}, (), "csv", PLUS, "AGE"),
        ({"texts": {"*": "a;b"}}, (), "csv", FormatOptions(quote="", delimiter=";"), "--delimiter"),
        ({"texts": {"*": "a;b"}}, (), "csv", FormatOptions(delimiter=";"), None),
        (
            {"texts": {"*": "a;b", "AGE": "x"}, "actions": {"AGE": "keep"}},
            (), "tsv", FormatOptions(quote=""), None,
        ),
    ],
)  # fmt: skip
def test_replacements_that_a_format_cannot_hold_are_refused(policy, labels, name, settings, told):
    if "labels" in policy:
        policy = policy | {"labels": dict.fromkeys(policy["labels"], OwnLabel())}
    form = open_format(name, settings)
    plain = Policy("p", **policy)
    typed = Policy("p", labels=plain.labels, note_types={"x": plain})
    for one in (plain, typed):
        if told is None:
            check_replacements(one, labels, form)
            continue
        with pytest.raises(UsageError, match=f"format {name} cannot hold what .*(?:{told})"):
            check_replacements(one, labels, form)


@pytest.mark.parametrize(
    ("languages", "encoding", "told"),
    [
        (("en",), "ascii", None),
        (("es",), "latin-1", "of the languages es .*iso8859-1.*write the input in UTF-8"),
        (("en", "de"), "ascii", "of the languages en, de .*ascii"),
        (("es", "de"), "utf-8", None),
    ],
)
def test_surrogates_that_an_encoding_cannot_hold_are_refused(languages, encoding, told):
    policy = Policy(
        "p", {"PATIENT": "surrogate"}, surrogates=SurrogateSettings(languages=languages)
    )
    form = open_format("csv", FormatOptions(encoding=encoding))
    if told is None:
        check_replacements(policy, (), form)
    else:
        with pytest.raises(UsageError, match=f"format csv cannot hold all surrogates {told}"):
            check_replacements(policy, (), form)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_holds_the_default_replacements(name):
    check_replacements(Policy("p", actions={"AGE": "generalise"}), (), FORMATS[name])


def test_a_run_is_refused_before_anything_is_written(run, options, tmp_path):
    folder = tmp_path / "latin"
    folder.mkdir()
    (folder / "a.txt").write_bytes("Seen on 3/4/2019, café".encode("latin-1"))
    policy = tmp_path / "p.toml"
    policy.write_text('name = "p"\n[texts]\nDATE = "⟦{label}⟧"\n', encoding="utf-8")
    changes = {"inputs": (str(folder),), "columns": None, "policy": str(policy)}
    with pytest.raises(UsageError, match=r"DATE .*iso8859-1.*UTF-8.*\[texts\]"):
        run(**changes, encoding="iso8859-1")
    assert not (tmp_path / "out").exists()


def test_the_first_record_of_a_csv_without_a_header_is_not_told(run, tmp_path):
    (tmp_path / "a.csv").write_text('0042,John Smith,"Seen by Dr. Jones, 3/4."\n')
    for columns in (None, Columns.parse([("note_id", "id"), ("text", "text")])):
        told_by_place = r"\[column 1, column 2, column 3\].*--no-header"
        with pytest.raises(UsageError, match=told_by_place) as told:
            run(inputs=(str(tmp_path / "a.csv"),), columns=columns)
        assert not any(word in str(told.value) for word in ("0042", "Smith", "Jones"))


def test_what_a_job_of_an_engine_left_behind_is_no_run(run, storage, options, tmp_path):
    manifest = run()
    # It outlived its launcher, and wrote after all was published.
    receipts = tmp_path / "out/_staging" / manifest["run"] / "receipts"
    receipts.mkdir(parents=True)
    (receipts / "unit-0.json").write_text("{}")
    assert pending_runs(storage, options.output) == []
    assert run(split_bytes=1000)["run"] != manifest["run"]
    assert not (tmp_path / "out/_staging").exists()


@pytest.mark.parametrize("action", [scrub, plan_and_freeze])
def test_nobody_plans_while_another_process_publishes(
    run, storage, options, tmp_path, monkeypatch, action
):
    run()

    def look(*given, **more):
        raise AssertionError("planned")

    monkeypatch.setattr(preparation, "inspect_inputs", look)
    with Storage().locked(lock_file(options.output)), pytest.raises(OutputBusy):
        action(storage, options)


@pytest.mark.slow
def test_what_was_published_while_the_first_run_was_planned_is_seen(
    run, storage, options, tmp_path, monkeypatch
):
    real, looked = preparation.inspect_inputs, []

    def look(*given):
        looked.append(given)
        if len(looked) == 1:
            run(split_bytes=1000)
        return real(*given)

    monkeypatch.setattr(preparation, "inspect_inputs", look)
    other = (str(write_corpus(tmp_path / "more", notes=10, files=1, broken=False)),)
    manifest = scrub(storage, dataclasses.replace(options, inputs=other))
    assert len(looked) == 3
    assert len(manifest["runs"]) == 2


@pytest.mark.slow
def test_what_a_run_learnt_when_it_was_done_before_is_learnt_anew(
    run, storage, options, tmp_path, monkeypatch
):
    first, units = run(split_bytes=2000), {}
    run(split_bytes=1000, inputs=(str(write_corpus(tmp_path / "more", 10, 1, broken=False)),))
    folder = tmp_path / "out/restricted" / first["run"]
    learnt = RunAmendments().skipping(0, 1, "KillsWorker")
    learnt.write(storage, str(folder))

    def stop(*given):
        raise RunFailed("stopped")

    with monkeypatch.context() as patch:
        patch.setattr(work, "run_units", stop)
        with pytest.raises(RunFailed):
            run(split_bytes=2000)
    assert RunAmendments.read(storage, str(folder)).units == {}
    # Parts of it are published: to verify them, what they were made with is needed.
    resume(storage, options, discard=True)
    assert RunAmendments.read(storage, str(folder)) == learnt
    assert (folder / "job.json").exists()
    again = run(split_bytes=2000)
    assert again["run"] == first["run"] and "KillsWorker" not in str(again["errors"])
    assert RunAmendments.read(storage, str(folder)).units == units
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []


# -- what an earlier night left


@pytest.fixture
def stopped(run, monkeypatch):
    """A run that was stopped before its first unit."""

    def stop(**changes):
        with monkeypatch.context() as patch:
            patch.setattr(work, "run_units", lambda *_: (_ for _ in ()).throw(RunFailed("x")))
            with pytest.raises(RunFailed):
                run(**changes)

    return stop


def test_a_night_finishes_what_another_one_left_and_goes_on(
    run, storage, options, stopped, tmp_path
):
    stopped()
    write_corpus(tmp_path / "in", notes=70)
    with pytest.raises(UsageError, match="unfinished run"):
        run(incremental=True)
    (tmp_path / "in/part3.jsonl").write_text(json.dumps(note(99)) + "\n")
    manifest = run(incremental=True, finish_pending=True, max_quarantined=0.2)
    assert manifest["counts"]["rows_out"] == 71
    assert not (tmp_path / "out/_staging").exists()


def test_what_is_finished_is_as_it_was_planned(run, storage, options, stopped, tmp_path, caplog):
    stopped()
    (tmp_path / "in/part3.jsonl").write_text(json.dumps(note(99)) + "\n")
    # The limits of tonight are of tonight.
    manifest = run(incremental=True, finish_pending=True, split_bytes=900, max_quarantined=0.001)
    assert manifest["report"]["incremental"]["untouched"] == 3
    assert manifest["counts"]["rows_out"] == 61 and "given up" not in caplog.text
    assert NOTHING in run(incremental=True, finish_pending=True)


def test_limits_of_tonight_do_not_publish_what_was_held(run, options, tmp_path):
    write_corpus(tmp_path / "in", notes=60, broken=False)
    run(incremental=True)
    path = tmp_path / "in/part1.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    with pytest.raises(GateFailed, match="would be removed"):
        run(incremental=True)
    for limits in ({"max_gone": 1.0}, {"max_lost": 1.0}, {"max_quarantined": 1.0}):
        with pytest.raises(GateFailed, match="would be removed"):
            run(incremental=True, finish_pending=True, **limits)


@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.slow
def test_what_can_never_be_finished_is_given_up(
    run, storage, options, stopped, tmp_path, caplog, workers
):
    stopped()
    for path in (tmp_path / "in").iterdir():
        path.write_bytes(path.read_bytes())
    with pytest.raises(InputChanged):
        resume(storage, options)
    manifest = run(finish_pending=True, workers=workers)
    assert manifest["counts"]["rows_out"] == 60
    assert ": an input file changed" in caplog.text
    assert len(list((tmp_path / "out/restricted").glob("*/job.json"))) == 1


def test_what_was_stopped_before_its_plan_was_whole_is_given_up(run, storage, options, tmp_path):
    storage.write_bytes(f"{options.output}/_staging/{'a' * 16}/RUN", b"x")
    with pytest.raises(UsageError, match="unfinished run"):
        run()
    assert run(finish_pending=True)["counts"]["rows_out"] == 60


def test_what_is_being_published_is_finished_whatever_became_of_its_inputs(
    run, storage, options, tmp_path, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setattr(publish, "make_manifest", lambda *_: (_ for _ in ()).throw(RunFailed("x")))
        with pytest.raises(RunFailed):
            run()
    shutil.rmtree(tmp_path / "in")
    write_corpus(tmp_path / "in", notes=5, files=1, broken=False)
    manifest = run(finish_pending=True, incremental=True)
    assert manifest["counts"]["rows_out"] == 60
    assert (manifest[NOTHING]["left"], manifest[NOTHING]["gone"]) == (1, 2)


@pytest.mark.parametrize("place", ["s3://", "s3:///", "gs:", "file:///"])
def test_a_url_of_no_place_is_refused(run, place):
    with pytest.raises(UsageError, match="names no bucket"):
        run(output=place)


def test_what_waits_is_not_finished_by_a_night(run, storage, options, tmp_path):
    with pytest.raises(RunOnHold):
        run(hold=True)
    (tmp_path / "in/part3.jsonl").write_text(json.dumps(note(99)) + "\n")
    with pytest.raises(RunOnHold, match="waits unpublished"):
        run(finish_pending=True, incremental=True)
    assert not (tmp_path / "out/data").exists()
