"""Runs that wait unpublished, and what `scrubline diff` tells of them."""

import dataclasses
import json
import re
import shutil

import pytest
from scrubline.models.core.errors import GateFailed, RunFailed, RunOnHold, UsageError
from scrubline.pipeline import work
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs import audit_diff as differences
from scrubline.pipeline.outputs import pending
from scrubline.pipeline.outputs.audit_diff import diff, format_diff
from scrubline.pipeline.outputs.manifest import read_manifest
from scrubline.pipeline.outputs.state import Stage
from scrubline.pipeline.run import plan_and_freeze, resume

from ..conftest import BROKEN, note, write_corpus

RULES = ("date", "medical_record", "phone", "email", "url", "zip_code")


@pytest.fixture
def run(run):
    """The same with a few rules, which the tests change."""
    return lambda **changes: run(**({"recognisers": RULES} | changes))


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def test_a_run_waits_and_is_published_later(run, storage, options, out, tmp_path):
    with pytest.raises(RunOnHold, match="has passed every gate and waits unpublished"):
        run(hold=True)
    assert not (out / "data").exists()
    assert not (out / "_SUCCESS").exists()
    with pytest.raises(RunOnHold):
        run(hold=True)
    with pytest.raises(RunOnHold):
        resume(storage, dataclasses.replace(options, hold=True))
    manifest = resume(storage, options)
    assert manifest["content_digest"] == run(output=str(tmp_path / "other"))["content_digest"]
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []


def test_a_run_that_waits_is_published_by_resume_alone(run, storage, options, out):
    with pytest.raises(RunOnHold):
        run(hold=True)
    assert resume(storage, options, discard=True) == {}
    with pytest.raises(RunOnHold):
        run(hold=True)
    # The next night has the same config, and knows nothing of the wait.
    for _ in range(2):
        with pytest.raises(RunOnHold, match="resume --output ...`\\) or give it up"):
            run()
        with pytest.raises(RunOnHold):
            plan_and_freeze(storage, dataclasses.replace(options, recognisers=RULES))
    assert not (out / "data").exists()
    assert resume(storage, options)["counts"]["rows_out"] == 60
    assert not (out / "_staging").exists()


def test_a_run_that_was_stopped_before_it_could_wait_waits_in_the_next_night(
    run, storage, options, out, monkeypatch
):
    with monkeypatch.context() as patch:
        patch.setattr(work, "run_units", lambda *_: (_ for _ in ()).throw(RunFailed("x")))
        with pytest.raises(RunFailed):
            run(hold=True)
    with pytest.raises(RunOnHold):
        run()
    assert not (out / "data").exists()


def test_a_run_that_is_to_wait_waits_though_it_was_stopped(run, storage, options, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(work, "run_units", lambda *_: (_ for _ in ()).throw(RunFailed("x")))
        with pytest.raises(RunFailed):
            run(hold=True)
    with pytest.raises(RunOnHold):
        resume(storage, options)
    assert resume(storage, options)["counts"]["rows_out"] == 60


def test_a_gate_comes_before_the_wait(run, storage, options):
    with pytest.raises(GateFailed):
        run(hold=True, max_quarantined=0.01)
    with pytest.raises(RunOnHold):
        resume(storage, dataclasses.replace(options, max_quarantined=0.5))
    assert resume(storage, dataclasses.replace(options, max_quarantined=0.5))["run"]


def test_another_run_says_that_the_one_that_waits_is_to_be_reviewed_first(run, options):
    with pytest.raises(RunOnHold):
        run(hold=True)
    with pytest.raises(UsageError, match="has a run .* waits unpublished, as --hold") as refused:
        run(recognisers=RULES[:1])
    said = str(refused.value)
    look, publish, discard = re.findall("`(scrubline [^`]*)`", said)
    assert look == "scrubline diff --output ..."
    assert publish == "scrubline resume --output ..." and discard == f"{publish} --discard"
    assert "unfinished" not in said and "finish it" not in said


@pytest.mark.parametrize(
    ("stage", "said", "unsaid"),
    [
        (Stage.PLANNING, "give it up", "finish it"),
        (Stage.UNFINISHED, "finish it", "diff"),
        (Stage.PUBLISHING, "finish it", "--discard"),
    ],
)
def test_another_run_is_told_what_the_stage_of_the_first_allows(
    run, options, monkeypatch, stage, said, unsaid
):
    with pytest.raises(RunOnHold):
        run(hold=True)
    monkeypatch.setattr(pending, "stage_of", lambda *_: stage)
    with pytest.raises(UsageError, match="has an unfinished run") as refused:
        run(recognisers=RULES[:1])
    assert said in str(refused.value) and unsaid not in str(refused.value)


def test_a_plan_that_is_to_wait(storage, options):
    plan_and_freeze(storage, dataclasses.replace(options, hold=True, recognisers=RULES))
    with pytest.raises(RunOnHold):
        resume(storage, options)


def test_what_waits_is_compared_with_what_is_published(run, storage, options, tmp_path):
    first = run()
    found_before = first["labels"]
    with pytest.raises(UsageError, match="no run waits in this output"):
        diff(storage, options.output)
    # A rule less, a note less, a note more, and one with another text.
    path = tmp_path / "in/part2.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    rows[0]["text"] = f"{rows[0]['text']} And more."
    rows = [*rows[:-1], note(60) | {"note_id": 600}]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with pytest.raises(RunOnHold):
        run(hold=True, recognisers=tuple(name for name in RULES if name != "email"))
    found = diff(storage, options.output, by_document=True)
    assert dict(found.documents) == {
        "compared": 58,
        "new": 1,
        "gone": 1,
        "changed": 1,
        "quarantined": 0,
    }
    assert set(found.labels) == {"EMAIL"}
    assert found.detectors.keys() == {"email"}
    assert found.spans["gained"] == found.spans["retyped"] == found.spans["moved"] == 0
    assert 0 < found.spans["lost"] <= found_before["EMAIL"]
    assert found.characters["lost"] > 0
    assert len(found.by_document) == found.spans["lost"]
    assert {field for _, field in found.by_document} == {"text"}
    told_of = "\n".join(format_diff(found))
    assert "58 compared (96.67% of those before), 1 new, 1 gone, 1 with another text, 0" in told_of
    held, published = found.to_json(), read_manifest(storage, options.output)
    assert published == first
    resume(storage, options)
    with pytest.raises(UsageError, match="no such run waits"):
        diff(storage, options.output, run="0123456789abcdef")
    assert held["documents"]["compared"] == 58


def test_an_incremental_run_is_compared_with_the_units_that_it_replaces(
    run, storage, options, tmp_path
):
    one = max(path.stat().st_size for path in (tmp_path / "in").iterdir())
    run(split_bytes=one)
    path = tmp_path / "in/part1.jsonl"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    with pytest.raises(RunOnHold):
        run(split_bytes=one, incremental=True, hold=True)
    found = diff(storage, options.output)
    assert dict(found.documents) == {"compared": 20, "new": 0, "gone": 0, "changed": 0,
                                     "quarantined": 0}  # fmt: skip
    assert found.is_none
    assert resume(storage, options)["counts"]["rows_quarantined"] == BROKEN


def test_two_outputs_and_any_number_of_buckets(run, storage, options, tmp_path, monkeypatch):
    run()
    other = str(tmp_path / "other")
    run(output=other, recognisers=RULES[1:], split_bytes=3000)
    expected = diff(storage, other, against=options.output, by_document=True)
    assert expected.spans["lost"] > 0
    assert expected.documents["compared"] == 60
    back = diff(storage, options.output, against=other)
    assert back.spans["gained"] == expected.spans["lost"]
    for rows in (1, 20):
        monkeypatch.setattr(differences, "ROWS_AT_ONCE", rows)
        assert diff(storage, other, against=options.output, by_document=True) == expected
    with pytest.raises(UsageError, match="--against with another output"):
        diff(storage, other, run="x", against=other)
    manifest = tmp_path / "other/manifest.json"
    manifest.write_text(manifest.read_text().replace('"key_check": "', '"key_check": "0'))
    with pytest.raises(UsageError, match="different master keys"):
        diff(storage, other, against=options.output)


def test_a_run_that_is_not_done_is_not_compared(storage, options, run, monkeypatch):
    run()
    plan_and_freeze(storage, dataclasses.replace(options, recognisers=RULES[1:]))
    with pytest.raises(UsageError, match="1 of 1 units of the run are not done"):
        diff(storage, options.output)


def test_the_command_line(scrubline, tmp_path, key_file):
    source = write_corpus(tmp_path / "source", broken=False)
    columns = ["note_id=id", "patient_id=patient", "kind=type", "text=text", "n=pass"]
    words = [
        *("scrub", "--input", source, "--output", tmp_path / "out", "--key-file", key_file),
        *("--model", "none", "--recogniser", "date", "--recogniser", "email"),
        *(word for one in columns for word in ("--column", one)),
    ]
    assert scrubline(*words)[0] == 0
    words = [word for word in words if word != "email"]
    words.pop()
    words = words[: words.index("date") + 1] + [
        word for one in columns for word in ("--column", one)
    ]
    code, out, err = scrubline(*words, "--hold")
    assert (code, out) == (4, "")
    assert "waits unpublished, as --hold asked" in err
    output = ("--output", tmp_path / "out")
    code, out, _ = scrubline("diff", *output)
    assert code == 3
    assert "60 compared" in out
    assert "email" in out
    code, out, _ = scrubline("diff", *output, "--json", "--max-lost", "0.9")
    assert code == 0
    lost = json.loads(out)["spans"]["lost"]
    code, out, _ = scrubline("diff", *output, "--documents", "--max-lost", "0.0")
    assert code == 3
    lines = [line.split("\t") for line in out.splitlines()]
    assert lines[0] == ["doc_key", "field", "gained", "lost", "retyped", "moved"]
    assert sum(int(line[3]) for line in lines[1:]) == lost
    assert scrubline("diff", *output, "--max-lost", "2")[0] == 2
    assert scrubline("resume", *output)[0] == 0
    assert scrubline("diff", *output)[0] == 2
    shutil.rmtree(tmp_path / "out")
    assert scrubline("diff", *output)[0] == 2
