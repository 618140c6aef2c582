"""Runs with links between notes: one digest however they come, nights, faults, and what is told."""

import dataclasses
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import GateFailed, RunFailed, UsageError
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs import first_pass
from scrubline.models.storage.storage import Storage
from scrubline.pipeline import work
from scrubline.pipeline.commands.status import format_status, status
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.run import NOTHING, resume, scrub
from scrubline.transforms import link

COLUMNS = Columns.parse([("id", "id"), ("who", "patient"), ("text", "text")])
NOTES = [
    ("p1", "called quimby at home"),
    ("p1", "vorpal phoned. Quimby sign was negative"),
    ("p2", "quimby is a village"),
    (None, "quimby of nobody"),
    ("p1", "Patient: Zelda Quimby was seen"),
    ("p1", "Dr. Vorpal spoke"),
    ("p1", "Dr. Vorpal spoke of Mrs. Quimby"),
]
LINKED = [
    "called [PATIENT] at home",
    "[DOCTOR] phoned. Quimby sign was negative",
    "quimby is a village",
    "quimby of nobody",
    "Patient: [PATIENT] was seen",
    "Dr. [DOCTOR] spoke",
    "Dr. [DOCTOR] spoke of Mrs. [PATIENT]",
]


def write(folder, first, end):
    folder.mkdir(parents=True, exist_ok=True)
    for n, (who, text) in list(enumerate(NOTES))[first:end]:
        (folder / f"n{n}.jsonl").write_text(json.dumps({"id": n, "who": who, "text": text}) + "\n")
    return str(folder)


@pytest.fixture(scope="module")
def notes(tmp_path_factory):
    """The folder of all notes; not to be changed."""
    return write(tmp_path_factory.mktemp("linked") / "notes", 0, 7)


@pytest.fixture
def asked(notes, options):
    return dataclasses.replace(
        options,
        inputs=(notes,),
        columns=COLUMNS,
        recognisers=("labelled_name", "titled_name"),
        link_notes=True,
        split_bytes=100,
    )


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Makes the manifest of a run that nothing disturbs, once for all tests."""
    known = []

    def manifest(asked):
        if not known:
            output = str(tmp_path_factory.mktemp("undisturbed") / "out")
            known.append(scrub(Storage(), dataclasses.replace(asked, output=output)))
        return known[0]

    return manifest


@pytest.fixture
def whole(undisturbed, asked):
    return undisturbed(asked)


@pytest.fixture
def scrub_it(storage, asked):
    def run_it(**changes):
        return scrub(storage, dataclasses.replace(asked, **changes))

    return run_it


def texts(output):
    """The texts of an output, in the order of the ids of the notes."""
    parts = sorted(Path(output).glob("data/*"), key=lambda part: part.name)
    rows = [json.loads(line) for part in parts for line in part.read_text().splitlines()]
    return sorted(row["text"] for row in rows)


def hashes(manifest):
    """Of the parts, in their order."""
    return [part["sha256"] for part in manifest["parts"]]


def test_what_one_note_tells_is_removed_in_the_others(scrub_it, asked, storage):
    manifest = scrub_it()
    assert texts(asked.output) == sorted(LINKED)
    rows = pq.read_table(Path(asked.output) / "audit").to_pylist()
    carried = [row["label"] for row in rows if row["detectors"] == ["record:links"]]
    assert sorted(carried) == ["DOCTOR", "PATIENT"]
    assert manifest["links"]["code"]
    assert (manifest["report"]["stale_units"], manifest["report"]["stale_rows"]) == (0, 0)
    faults, _ = verify(storage, asked.output, originals=True, key_source=asked.key_source)
    assert faults == []


def test_without_links_a_job_is_as_it_was(scrub_it, asked):
    manifest = scrub_it(link_notes=False)
    assert texts(asked.output) == sorted([*(text for _, text in NOTES[:4]), *LINKED[4:]])
    assert "links" not in manifest
    assert not list(Path(asked.output).glob("restricted/*/evidence"))


@pytest.mark.parametrize(
    "changes",
    [
        {"split_bytes": 1 << 20},
        {"batch_documents": 1},
        {"split_bytes": 300, "batch_documents": 2},
        pytest.param({"workers": 2}, marks=pytest.mark.slow),
    ],
)
def test_the_content_is_the_same_however_it_is_cut(
    scrub_it, whole, tmp_path, changes, monkeypatch, forked
):
    monkeypatch.setattr("scrubline.models.jobs.link_task.BUCKET_ROWS", 1)
    other = scrub_it(output=str(tmp_path / "other"), **changes)
    assert other["content_digest"] == whole["content_digest"]


@pytest.mark.slow
def test_buckets_of_any_size_give_the_same_parts(scrub_it, whole, tmp_path, monkeypatch):
    task = work.link_task
    sizes = []

    def small(*given):
        linked = task(*given)
        few = dataclasses.replace(linked.task, buckets=5)
        storage, job = given[:2]
        storage.write_bytes(f"{few.folder(job)}/task.json", few.to_json().encode())
        sizes.append(linked.task.buckets)
        return dataclasses.replace(linked, task=few)

    monkeypatch.setattr(work, "link_task", small)
    again = scrub_it(output=str(tmp_path / "other"))
    assert hashes(again) == hashes(whole)
    assert sizes == [1, 1]


def test_facts_read_in_turns_are_the_same(scrub_it, whole, tmp_path, monkeypatch):
    monkeypatch.setattr("scrubline.models.jobs.link_task.TURN_BYTES", 100)
    again = scrub_it(output=str(tmp_path / "other"))
    assert hashes(again) == hashes(whole)


# -- nights


@pytest.mark.parametrize("cut", [4, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 5, 6))])
def test_nights_are_one_run(scrub_it, whole, tmp_path, cut):
    night = {"output": str(tmp_path / "nights"), "inputs": (write(tmp_path / "mine", 0, cut),)}
    scrub_it(**night)
    write(tmp_path / "mine", cut, 7)
    manifest = scrub_it(**night, incremental=True)
    assert texts(night["output"]) == sorted(LINKED)
    assert manifest["content_digest"] == whole["content_digest"]
    assert NOTHING in scrub_it(**night, incremental=True)


def test_published_notes_that_new_ones_speak_of_are_reported_or_hold_the_run(
    scrub_it, asked, storage, tmp_path
):
    night = {"output": str(tmp_path / "nights")}
    scrub_it(inputs=(write(tmp_path / "one", 0, 2),), **night)
    new = write(tmp_path / "two", 4, 7)
    with pytest.raises(GateFailed, match="in 2 published rows of 2 units"):
        scrub_it(inputs=(new,), **night, stale_notes="hold")
    manifest = resume(storage, dataclasses.replace(asked, stale_notes="report", **night))
    assert (manifest["report"]["stale_units"], manifest["report"]["stale_rows"]) == (2, 2)
    told = status(storage, night["output"])
    assert (told["published"]["stale_units"], told["published"]["stale_rows"]) == (2, 2)
    assert "write stale notes anew" in told["next"]
    assert any(line.startswith("stale      2 units with 2 rows") for line in format_status(told))
    left = {text for _, text in NOTES[:2]}
    assert left <= set(texts(night["output"]))
    scrub_it(inputs=(new,), **night, incremental=True)  # it rewrites what was only reported
    assert not left & set(texts(night["output"]))
    assert "stale_units" not in status(storage, night["output"])["published"]


def test_a_run_writes_no_more_anew_than_it_may_and_those_that_wait_longest(
    scrub_it, storage, tmp_path
):
    night = {"output": str(tmp_path / "nights"), "most_rewritten": 0.01}
    scrub_it(inputs=(write(tmp_path / "all", 0, 2),), **night)
    left = {text for _, text in NOTES[:2]}
    write(tmp_path / "all", 4, 7)
    inputs = (str(tmp_path / "all"),)
    manifest = scrub_it(inputs=inputs, incremental=True, **night)
    assert manifest["report"]["stale_units"] == 1
    assert len(left & set(texts(night["output"]))) == 1
    said = json.loads(Path(night["output"], "restricted/stale_notes.json").read_text())
    assert list(said["waits"].values()) == [2]
    assert status(storage, night["output"])["published"]["stale_units"] == 1
    scrub_it(inputs=inputs, incremental=True, **night)
    assert not left & set(texts(night["output"]))
    assert NOTHING in scrub_it(inputs=inputs, incremental=True, **night)


@pytest.mark.parametrize("damage", [b"", b"[]", b'{"facts": {}}', b'{"facts": 1, "waits": {}}'])
def test_damaged_news_of_stale_notes_are_told(scrub_it, asked, damage):
    scrub_it()
    Path(asked.output, "restricted/stale_notes.json").write_bytes(damage)
    with pytest.raises(UsageError, match="stale_notes.json is damaged"):
        scrub_it(incremental=True)


@pytest.mark.slow
def test_stale_notes_whose_inputs_are_gone_stay(scrub_it, tmp_path, caplog):
    night = {"output": str(tmp_path / "nights")}
    scrub_it(inputs=(write(tmp_path / "one", 0, 2),), **night)
    for file in (tmp_path / "one").iterdir():
        file.unlink()
    scrub_it(inputs=(write(tmp_path / "two", 4, 7),), **night)
    assert "but the inputs are gone" in caplog.text
    assert "called quimby at home" in texts(night["output"])


# -- faults


def test_links_need_to_know_whose_note_a_row_is(scrub_it):
    columns = Columns.parse([("id", "id"), ("who", "drop"), ("text", "text")])
    with pytest.raises(UsageError, match="--link-notes needs to know whose note"):
        scrub_it(columns=columns)


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["bucket", "settle"])
def test_a_run_that_is_stopped_while_it_links_goes_on(whole, asked, storage, stage, tmp_path):
    place, name = {"bucket": (link, "link_bucket"), "settle": (work, "settle")}[stage]

    def stopped(*given, **more):
        raise RunFailed("stopped")

    other = dataclasses.replace(asked, output=str(tmp_path / "other"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(place, name, stopped)
        with pytest.raises(RunFailed):
            scrub(storage, other)
    assert hashes(resume(storage, other)) == hashes(whole)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["detected/*", "receipts/*", "facts/*", "links/*/0*"])
@pytest.mark.parametrize("content", [b"", b"PAR1 what is this", None])
def test_what_is_damaged_between_the_passes_is_made_again(
    whole, asked, storage, tmp_path, what, content
):
    other = dataclasses.replace(asked, output=str(tmp_path / "other"))
    settle = work.settle

    def damaged(*given):
        changed = settle(*given)
        raise RunFailed(f"stopped with {changed} units to be run again")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(work, "settle", damaged)
        with pytest.raises(RunFailed, match="with 2 units"):
            scrub(storage, other)
    (staging,) = Path(other.output).glob("_staging/*")
    files = sorted(staging.glob(what))
    assert files
    for file in files:
        file.unlink() if content is None else file.write_bytes(content)
    for _ in range(4):
        try:
            manifest = resume(storage, other)
            break
        except (RunFailed, GateFailed) as error:
            print(error)
    assert hashes(manifest) == hashes(whole)


@pytest.mark.slow
def test_evidence_that_is_damaged_is_made_again(whole, asked, storage, tmp_path):
    other = dataclasses.replace(asked, output=str(tmp_path / "other"))
    task = work.link_task

    def damaging(*given):
        linked = task(*given)
        for file in Path(other.output).glob("_staging/*/restricted/*/evidence/*"):
            file.write_bytes(b"x" * file.stat().st_size)
        return linked

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(work, "link_task", damaging)
        with pytest.raises(RunFailed, match="its unit is run again when the run is resumed"):
            scrub(storage, other)
    for _ in range(9):  # a unit each time
        try:
            manifest = resume(storage, other)
            break
        except RunFailed as error:
            assert "its unit is run again" in str(error)
    assert hashes(manifest) == hashes(whole)


@pytest.mark.slow
@pytest.mark.parametrize("content", [b"x", b""])
def test_published_evidence_that_is_damaged_or_another_is_named(scrub_it, tmp_path, content):
    night = {"output": str(tmp_path / "nights"), "inputs": (write(tmp_path / "mine", 0, 4),)}
    scrub_it(**night)
    first, *others = sorted(Path(night["output"]).glob("restricted/*/evidence/*"))
    first.write_bytes(content or others[0].read_bytes())
    write(tmp_path / "mine", 4, 7)
    with pytest.raises(RunFailed, match="remove this file, then resume") as failed:
        scrub_it(**night, incremental=True)
    assert first.name in str(failed.value)
    first.unlink()
    scrub_it(**night, incremental=True)
    assert texts(night["output"]) == sorted(LINKED)


@pytest.mark.slow
def test_evidence_that_is_gone_is_made_again_from_its_notes(scrub_it, tmp_path):
    night = {"output": str(tmp_path / "nights"), "inputs": (write(tmp_path / "mine", 0, 4),)}
    scrub_it(**night)
    for file in Path(night["output"]).glob("restricted/*/evidence/*"):
        file.unlink()
    write(tmp_path / "mine", 4, 7)
    scrub_it(**night, incremental=True)
    assert texts(night["output"]) == sorted(LINKED)


def test_the_second_pass_detects_nothing(scrub_it, asked, monkeypatch):
    read = first_pass.Detected.read.__func__
    seen = []

    def reading(cls, *given):
        seen.append(read(cls, *given))
        return seen[-1]

    monkeypatch.setattr(first_pass.Detected, "read", classmethod(reading))
    scrub_it()
    assert len(seen) == 2 and all(detected is not None for detected in seen)
