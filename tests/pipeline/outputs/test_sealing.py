"""The seal of an output: written last, checked before anything is built upon it."""

import dataclasses
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import GateFailed, UsageError
from scrubline.models.core.keys import new_key
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands.verify import UNSEALED, verify
from scrubline.pipeline.outputs.manifest import read_manifest
from scrubline.pipeline.outputs.pruning import prune
from scrubline.pipeline.run import plan_and_freeze, resume, scrub

from ...waiting import GUARD_SECONDS
from ..conftest import note
from ..end_to_end.test_incremental import DIE

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked")]


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for part in range(3):
        write(folder, f"part{part}", range(part * 4, part * 4 + 4))
    return folder


def write(folder, name, numbers):
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(note(n)) + "\n" for n in numbers))


@pytest.fixture
def options(options, source):
    return dataclasses.replace(
        options,
        inputs=(str(source),),
        split_bytes=500,
        recognisers=("email", "date"),
        incremental=True,
        max_gone=1.0,
    )


@pytest.fixture
def out(options):
    return Path(options.output)


def checked(options, key=None):
    """Faults and lines with the key."""
    return verify(Storage(), options.output, originals=False, key_source=key or options.key_source)


def assert_sealed(options, adopted=()):
    faults, lines = checked(options)
    assert faults == []
    assert any(line.startswith("the seal of run ") for line in lines)
    assert (adopted != ()) == any("adopted without a seal" in line for line in lines)
    for run in adopted:
        assert any(run in line for line in lines if "adopted without a seal" in line)


def forge(out, *, receipts=False, remove_seal=False):
    """Puts a name into a published text and repairs all that can be repaired without the key."""
    from scrubline.models.core.digests import PARTS, Digest, content_digest
    from scrubline.models.jobs.output_rows import text_fields

    from benchmarks.tampering import repair_receipt  # the same as the fuzz does

    manifest = json.loads((out / "manifest.json").read_bytes())
    part = next(p for p in manifest["parts"] if p["table"] == "data")
    path = out / part["path"]
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    row = next(row for row in rows if row["text"] and "[DATE]" in row["text"])
    before, row["text"] = row["text"], row["text"].replace("[DATE]", "Belzim", 1)
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    old, new = Digest(), Digest()
    old.add(text_fields(row["doc_key"], "text", before))
    new.add(text_fields(row["doc_key"], "text", row["text"]))
    found = Digest.of_hex(manifest["digests"]["text"]).value - old.value + new.value
    manifest["digests"]["text"] = manifest["text_digest"] = Digest(found % (1 << 256)).hex()
    manifest["content_digest"] = content_digest(
        {name: Digest.of_hex(manifest["digests"][name]) for name in PARTS}
    )
    import hashlib

    part["bytes"], part["sha256"] = (
        path.stat().st_size,
        hashlib.sha256(path.read_bytes()).hexdigest(),
    )
    (out / "manifest.json").write_text(json.dumps(manifest, indent=1))
    if receipts:
        repair_receipt(out, part, old, new)
    if remove_seal:
        (out / "seal.json").unlink()


# -- what verify says


def test_a_publication_is_sealed_and_without_the_key_that_is_said(options):
    scrub(Storage(), options)
    assert_sealed(options)
    faults, lines = verify(Storage(), options.output, originals=False, key_source=None)
    assert faults == []
    assert "the seal was not checked: give the output's master key with --key-file" in lines


def test_another_key_is_a_clear_message(options, tmp_path):
    scrub(Storage(), options)
    (tmp_path / "other.txt").write_text(new_key())
    with pytest.raises(UsageError, match="wrong master key"):
        checked(options, str(tmp_path / "other.txt"))


@pytest.mark.parametrize("with_key", [True, False])
def test_an_output_without_a_seal_is_reported_as_unsealed_and_not_as_good(
    options, scrubline, out, with_key
):
    scrub(Storage(), options)
    (out / "seal.json").unlink()
    words = ["--key-file", options.key_source] if with_key else []
    code, said, _ = scrubline("verify", "--output", out, *words)
    assert code == 3
    assert f"FAULT {UNSEALED}" in said


def test_the_key_of_the_environment_is_taken_if_it_is_that_of_the_output(options, monkeypatch):
    scrub(Storage(), options)
    monkeypatch.setenv("SCRUBLINE_KEY", Path(options.key_source).read_text())
    _, lines = verify(Storage(), options.output, originals=False, key_source=None)
    assert any(line.startswith("the seal of run ") for line in lines)
    monkeypatch.setenv("SCRUBLINE_KEY", new_key())
    with pytest.raises(UsageError, match="wrong master key .*SCRUBLINE_KEY"):
        verify(Storage(), options.output, originals=False, key_source=None)


def test_published_folders_alone_are_checked_as_far_as_they_go(options, out):
    scrub(Storage(), options)
    (out / "restricted").rename(out.parent / "restricted")
    faults, lines = checked(options)
    assert faults == []
    assert any(
        "restricted/ cannot be read: only the seal of the manifest" in line for line in lines
    )
    assert any("job and receipts were not compared" in line for line in lines)


@pytest.mark.parametrize("receipts", [False, True])
def test_a_forgery_is_found_without_the_originals(options, out, receipts):
    scrub(Storage(), options)
    forge(out, receipts=receipts)
    faults, _ = checked(options)
    assert "manifest.json is not what was sealed" in faults
    assert ("restricted/units.parquet is not what was sealed" in faults) == receipts


# -- nothing is laundered


@pytest.mark.parametrize("receipts", [False, True])
def test_a_later_run_does_not_build_upon_a_forgery(options, source, out, receipts):
    scrub(Storage(), options)
    forge(out, receipts=receipts)
    write(source, "late", range(40, 44))
    with pytest.raises(GateFailed, match="does not match its seal: .*manifest.json is not"):
        scrub(Storage(), options)
    assert checked(options)[0]
    resume(Storage(), options, discard=True)
    first = read_manifest(Storage(), options.output)["run"]
    scrub(Storage(), dataclasses.replace(options, reseal=True))
    faults, lines = checked(options)
    # Where receipts were not repaired with it, the forged part is still not what its receipt says.
    assert any("is not what was written" in fault for fault in faults) != receipts
    assert any(f"adopted without a seal; forgery before that cannot be seen: {first}" in line
               for line in lines)  # fmt: skip


def test_a_forged_part_is_not_laundered_by_a_new_seal(options, source, out):
    scrub(Storage(), options)
    part = next((out / "data").glob("*.jsonl"))
    part.write_text(part.read_text().replace("[DATE]", "Belzim", 1))
    write(source, "late", range(40, 44))
    scrub(Storage(), options)
    assert any("is not what was written" in fault for fault in checked(options)[0])


@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("name", ["job.json", "plan.parquet", "files.parquet"])
def test_a_copy_in_staging_lets_no_forged_file_pass(options, source, out, name, pending):
    run = scrub(Storage(), options)["run"]
    aside = out / "_staging" / run / "published"
    aside.mkdir(parents=True)
    if pending:
        (out / "_staging" / run / "RUN").write_bytes(b"")
    sealed = out / "restricted" / run / name
    (aside / name).write_bytes(sealed.read_bytes())
    sealed.write_bytes(sealed.read_bytes() + b" ")
    assert f"restricted/{run}/{name} is not what was sealed" in checked(options)[0]
    if pending:
        with pytest.raises(GateFailed, match="or made without the master key"):
            resume(Storage(), options)
    elif name == "job.json":
        write(source, "late", range(40, 44))
        with pytest.raises(GateFailed, match="does not match its seal"):
            scrub(Storage(), options)


@pytest.mark.parametrize("name", ["numbered.parquet", "rework.json", "plan.seal.json"])
def test_what_else_a_run_leaves_for_later_runs_is_sealed(options, out, name):
    run = scrub(Storage(), options)["run"]
    sealed = out / "restricted" / run / name
    before = sealed.read_bytes() if sealed.exists() else None
    sealed.write_bytes(b"rubbish")
    expected = "under the seal" if before is None else "what was sealed"
    assert checked(options)[0] == [f"restricted/{run}/{name} is not {expected}"]


# -- nothing is done that was not planned with the key


def planted(options, out, tmp_path, how):
    """A plan in the output that somebody without its key made; the run that it is of."""
    elsewhere = dataclasses.replace(options, output=str(tmp_path / "theirs"))
    if how == "another key":
        (tmp_path / "their-key.txt").write_text(new_key())
        elsewhere = dataclasses.replace(elsewhere, key_source=str(tmp_path / "their-key.txt"))
    keep = tmp_path / "keep.toml"
    keep.write_text('name = "keep"\nextends = "research"\n[actions]\nDATE = "keep"\n')
    job, _ = plan_and_freeze(Storage(), dataclasses.replace(elsewhere, policy=str(keep)))
    for place in ("restricted", "_staging"):
        shutil.copytree(f"{job.output}/{place}/{job.run}", out / place / job.run)
    folder = out / "restricted" / job.run
    if how == "no seal":
        (folder / "plan.seal.json").unlink()
    elif how == "changed":
        text = (folder / "job.json").read_text()
        assert '"max_quarantined"' in text
        (folder / "job.json").write_text(text.replace('"hold": false', '"hold":  false'))
    return job.run


@pytest.mark.parametrize("how", ["no seal", "changed"])
@pytest.mark.parametrize("is_published", [True, False])
def test_a_plan_that_was_not_made_with_the_key_is_not_carried_out(
    options, out, tmp_path, how, is_published
):
    if is_published:
        scrub(Storage(), options)
    run = planted(options, out, tmp_path, how)
    for go_on in (
        lambda: resume(Storage(), options),
        lambda: resume(Storage(), options, skip=[(0, 0)]),
        lambda: scrub(Storage(), dataclasses.replace(options, finish_pending=True)),
    ):
        with pytest.raises(
            GateFailed, match=f"plan of run {run} was changed .* without the master"
        ):
            go_on()
    assert (out / "data").exists() == is_published
    resume(Storage(), options, discard=True)
    scrub(Storage(), options)
    assert_sealed(options)


def test_a_damaged_seal_of_what_is_published_says_nothing_of_a_plan(options, source, out):
    scrub(Storage(), options)
    write(source, "late", range(40, 44))
    plan_and_freeze(Storage(), options)
    (out / "seal.json").write_bytes(b"{}")
    with pytest.raises(GateFailed, match="does not match its seal: seal.json is damaged"):
        resume(Storage(), options)
    resume(Storage(), dataclasses.replace(options, reseal=True))
    assert checked(options)[0] == []


def test_what_was_planned_with_another_key_is_not_finished_along_the_way(options, out, tmp_path):
    scrub(Storage(), options)
    run = planted(options, out, tmp_path, "another key")
    with pytest.raises(UsageError, match=f"run {run} was planned with another master key"):
        scrub(Storage(), dataclasses.replace(options, finish_pending=True))
    resume(Storage(), options)
    with pytest.raises(UsageError, match="wrong master key"):
        checked(options)


@pytest.mark.parametrize("what", ["manifest.json", "restricted/units.parquet", "seal.json"])
def test_a_night_with_nothing_to_do_tells_of_what_was_changed(options, out, what):
    scrub(Storage(), options)
    data = bytearray((out / what).read_bytes())
    if what == "manifest.json":
        data = data.replace(b'"name": "hipaa"', b'"name": "hippo"')
    elif what == "seal.json":
        data[40] ^= 1
    else:
        table = pq.read_table(out / what)
        pq.write_table(pa.concat_tables([table, table[:1]]), out / what)
        data = bytearray((out / what).read_bytes())
    (out / what).write_bytes(data)
    with pytest.raises(GateFailed, match="does not match its seal"):
        scrub(Storage(), options)
    assert checked(options)[0]


@pytest.mark.parametrize("incremental", [True, False])
def test_an_output_of_an_earlier_version_is_sealed_by_the_next_run(options, out, incremental):
    manifest = scrub(Storage(), options)
    (out / "seal.json").unlink()
    # Incrementally there is nothing to do; else this very run is published already.
    again = dataclasses.replace(options, incremental=incremental)
    if not incremental:
        manifest = scrub(Storage(), again)
        (out / "seal.json").unlink()
    assert scrub(Storage(), again)["run"] == manifest["run"]
    assert_sealed(options, adopted=[manifest["run"]])
    before = (out / "seal.json").read_bytes()
    scrub(Storage(), again)
    assert (out / "seal.json").read_bytes() == before


def test_what_disagrees_with_its_receipts_does_not_get_a_seal(options, out, caplog):
    scrub(Storage(), options)
    (out / "seal.json").unlink()
    data = (out / "manifest.json").read_text()
    (out / "manifest.json").write_text(data.replace('"name": "hipaa"', '"name": "hippo"'))
    with pytest.raises(
        GateFailed, match="cannot be sealed because it does not match its own receipts"
    ):
        scrub(Storage(), options)
    assert not (out / "seal.json").exists()
    assert "is adopted" not in caplog.text
    scrub(Storage(), dataclasses.replace(options, reseal=True))
    assert caplog.text.count("has no seal: what 1 earlier runs published is adopted") == 1


def test_adopted_runs_are_named_until_nothing_of_them_is_left(options, source, out):
    first = scrub(Storage(), options)["run"]
    (out / "seal.json").unlink()
    write(source, "late", range(40, 44))
    scrub(Storage(), options)
    assert_sealed(options, adopted=[first])
    write(source, "later", range(50, 54))
    scrub(Storage(), options)
    assert_sealed(options, adopted=[first])
    whole = dataclasses.replace(options, incremental=False)
    scrub(Storage(), whole)
    assert_sealed(options)


def test_reseal_is_an_answer_to_one_run_and_no_setting(options, scrubline, tmp_path):
    (tmp_path / "job.toml").write_text("reseal = true\n")
    code, _, err = scrubline(
        *("scrub", "--config", tmp_path / "job.toml", "--input", options.inputs[0]),
        *("--output", options.output),
    )
    assert code == 2 and "--reseal on the command line" in err


# -- through everything that publishes


def test_the_seal_survives_prune_drop_gone_and_another_plan_of_the_same_run(options, source, out):
    first = scrub(Storage(), options)
    (source / "part0.jsonl").unlink()
    scrub(Storage(), dataclasses.replace(options, drop_gone=True))
    assert_sealed(options)
    list(prune(Storage(), options.output, yes=True))
    assert_sealed(options)
    write(source, "late", range(40, 44))
    scrub(Storage(), options)
    assert_sealed(options)
    assert first["run"] in {p.name for p in (out / "restricted").iterdir()}


def test_a_published_run_that_is_planned_again_and_given_up_keeps_its_seal(options, out):
    whole = dataclasses.replace(options, incremental=False)
    scrub(Storage(), whole)
    next((out / "documents").glob("*.parquet")).rename(out.parent / "lost")
    job, _ = plan_and_freeze(Storage(), dataclasses.replace(whole, max_quarantined=0.25))
    assert job.run == read_manifest(Storage(), options.output)["run"]
    faults, _ = checked(options)
    assert not any("sealed" in fault for fault in faults), faults
    resume(Storage(), options, discard=True)
    faults, _ = checked(options)
    assert not any("sealed" in fault for fault in faults), faults
    (scrub(Storage(), dataclasses.replace(whole, max_quarantined=0.25)))
    assert_sealed(options)


KILLS = [
    ("/promotion.json", 1),
    ("/_SUCCESS", 1),
    ("/out/data/", 3),
    ("/out/audit/", 1),
    ("/restricted/units", 1),
    ("/restricted/catalogue", 1),
    ("/manifest.json", 1),
    ("/seal.json", 1),
    ("/_SUCCESS", 2),
    ("/HELD", 1),
]
"""Where a publication is killed: at the n-th touch of a place, before it takes effect."""


@pytest.mark.parametrize(("where", "touch"), KILLS)
def test_a_publication_that_is_killed_anywhere_ends_sealed(options, source, where, touch):
    scrub(Storage(), options)
    write(source, "part1", range(4, 9))
    write(source, "late", range(40, 44))
    died = subprocess.run(
        [sys.executable, "-c", DIE, where, str(touch)],
        input=pickle.dumps(dataclasses.replace(options, inputs=(str(source),))),
        timeout=GUARD_SECONDS,
        env={**os.environ},
    )
    assert died.returncode == -signal.SIGKILL
    scrub(Storage(), dataclasses.replace(options, finish_pending=True))
    assert_sealed(options)


@pytest.mark.parametrize("where", ["/restricted/units", "/restricted/catalogue", "/seal.json"])
def test_what_is_forged_while_a_publication_is_cut_off_is_not_sealed(options, source, out, where):
    scrub(Storage(), options)
    write(source, "late", range(40, 44))
    died = subprocess.run(
        [sys.executable, "-c", DIE, where, "1"], input=pickle.dumps(options), timeout=GUARD_SECONDS
    )
    assert died.returncode == -signal.SIGKILL
    path = out / "restricted/units.parquet"
    table = pq.read_table(path)
    rows = table.to_pylist()
    old = next(row for row in rows if row["run"] != json.loads(_pending(out))["run"])
    receipt = json.loads(old["receipt"])
    receipt["parts"][0]["sha256"] = "0" * 64
    old["receipt"] = json.dumps(receipt, sort_keys=True, separators=(",", ":"))
    pq.write_table(pa.Table.from_pylist(rows, table.schema), path)
    with pytest.raises(
        GateFailed, match="its journal, or the catalogue of the output, has changed"
    ):
        resume(Storage(), options)
    assert not (out / "_SUCCESS").exists()


@pytest.mark.parametrize(
    "content", [None, b"", b"[]", b"\xff", b"[" * 100_000], ids=lambda b: str(b)[:9]
)
def test_a_forged_journal_removes_nothing(options, source, out, content):
    scrub(Storage(), options)
    write(source, "late", range(40, 44))
    died = subprocess.run(
        [sys.executable, "-c", DIE, "/restricted/units", "1"],
        input=pickle.dumps(options),
        timeout=GUARD_SECONDS,
    )
    assert died.returncode == -signal.SIGKILL
    (journal,) = out.glob("_staging/*/promotion.json")
    victim = out.parent / "victim"
    victim.write_text("precious")
    found = json.loads(journal.read_bytes())
    forged = json.dumps(found | {"remove": ["data/../../victim", "../victim"]}).encode()
    journal.write_bytes(forged if content is None else content)
    with pytest.raises(GateFailed, match="its journal"):
        resume(Storage(), options)
    resume(Storage(), dataclasses.replace(options, reseal=True))
    assert victim.read_text() == "precious"
    assert checked(options)[0] == []


def _pending(out):
    (staging,) = (p for p in (out / "_staging").iterdir() if (p / "promotion.json").exists())
    return (out / "restricted" / staging.name / "job.json").read_bytes()


def test_two_workers_seal_as_one_process_does(options):
    scrub(Storage(), dataclasses.replace(options, workers=2))
    assert_sealed(options)


def test_an_output_in_an_object_store_is_sealed(options):
    there = dataclasses.replace(options, output="memory://bucket/sealed")
    scrub(Storage(), there)
    assert_sealed(there)
    Storage().write_bytes("memory://bucket/sealed/audit/x.parquet", b"")
    assert "1 files under audit/ are not in the manifest" in checked(there)[0]
    Storage().delete_folder("memory://bucket/sealed")
