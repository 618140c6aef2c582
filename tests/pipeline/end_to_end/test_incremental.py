"""Night after night into one output: `scrub --incremental` and its kin, whole runs."""

import contextlib
import copy
import dataclasses
import functools
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.errors import GateFailed, RunFailed, UsageError
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.jobs import opening
from scrubline.models.storage.key_files import load_keys
from scrubline.models.storage.storage import Storage
from scrubline.pipeline import preparation, work
from scrubline.pipeline.commands.inspect import list_removed, read_rows, summary
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs.catalogue import Catalogue
from scrubline.pipeline.outputs.duplicate_ids import number_repeated_ids
from scrubline.pipeline.outputs.manifest import read_manifest
from scrubline.pipeline.run import plan_and_freeze, resume, scrub

from ...examples import rest
from ...servers.s3_moto import s3_moto
from ...servers.s3_server import Unavailable
from ...waiting import GUARD_SECONDS
from ..conftest import BROKEN, note

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forked")]


def write_notes(folder, name, numbers, extra=""):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    before = path.stat().st_mtime_ns if path.exists() else 0
    lines = [json.dumps(note(number) | {"text": f"{extra}{note(number)['text']}"})
             for number in numbers]  # fmt: skip
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    os.utime(path, ns=(before + 10**9, before + 10**9))
    return path


RULES = {"recognisers": ("date", "medical_record")}
"""A few rules: what they find does not matter here."""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    return tmp_path_factory.mktemp("nights")


@pytest.fixture
def tmp_path(place):
    """The same folder for each test, empty: what a run says of it is the same, too."""
    yield place
    shutil.rmtree(place)
    place.mkdir()


@pytest.fixture
def source(tmp_path):
    """Six files of ten notes each, two of which make a unit."""
    folder = tmp_path / "notes"
    for index in range(6):
        write_notes(folder, f"part{index}", range(index * 10, index * 10 + 10))
    return folder


@pytest.fixture(scope="module")
def first_night(tmp_path_factory):
    """A copy of what the first night over the untouched source leaves, and its manifest."""
    return tmp_path_factory.mktemp("first") / "out", {}


@pytest.fixture
def night(run, source, options, first_night):
    """Runs an incremental scrub; returns the manifest.

    The first one is the same for all tests, and done once: others get a copy of its output.
    """
    two = (source / "part0.jsonl").stat().st_size * 2 + 400
    common = {"inputs": (str(source),), "split_bytes": two, "incremental": True, **RULES}
    common["max_gone"] = 1.0  # much of so little goes here
    untouched, (kept, known) = state_of(source), first_night

    def run_it(**changes):
        output = Path(options.output)
        if changes or output.exists() or state_of(source) != untouched:
            return run(**(common | changes))
        if not known:
            known.update(run(**common))
            shutil.copytree(output, kept, symlinks=True)
        else:
            shutil.copytree(kept, output, symlinks=True)
        return copy.deepcopy(known)

    return run_it


def state_of(folder):
    """All that a run can see of a folder with inputs."""
    return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in folder.iterdir()}


def counts(manifest):
    return {k: v for k, v in manifest["report"]["incremental"].items() if v}


def tree(folder):
    """All of an output but what only says who works on it."""
    return {
        str(p.relative_to(folder)): p.read_bytes()
        for p in Path(folder).rglob("*")
        if p.is_file() and p.name != "LOCK"
    }


@pytest.fixture(scope="module")
def fresh_runs():
    """Content of inputs and options -> what a full run over them says."""
    return {}


@pytest.fixture
def same_as_new(run, source, night, storage, options, tmp_path, fresh_runs):
    """Checks that the output is as a full run over the same inputs into a new one."""

    def check(manifest, **changes):
        given = {"inputs": (str(source),)} | RULES | changes
        # Content, unlike parts, does not depend on when an input was written.
        files = sorted(file for url in given["inputs"] for file in Path(url).iterdir())
        content = [(str(file), file.read_bytes()) for file in files]
        key = repr((sorted(given.items()), content))
        if key not in fresh_runs:
            output = tmp_path / "fresh"
            fresh_runs[key] = run(**given, output=str(output))
            shutil.rmtree(output)
        fresh = fresh_runs[key]
        assert manifest["content_digest"] == fresh["content_digest"]
        assert manifest["counts"] == fresh["counts"]
        faults, _ = verify(storage, options.output, originals=True, key_source=None)
        assert faults == []

    return check


def test_no_folder_of_a_partition_is_left_empty(night, tmp_path, storage, options):
    for ward, number in (("north", 0), ("south", 10)):
        write_notes(tmp_path / f"hive/ward={ward}", "a", range(number, number + 10))
    roles = (*options.columns.roles, ("ward", Role.PASS))
    columns = dataclasses.replace(options.columns, roles=roles)
    given = {"inputs": (f"{tmp_path}/hive",), "columns": columns, "split_bytes": 500}
    night(**given)
    data = Path(options.output) / "data"
    assert sorted(folder.name for folder in data.iterdir()) == ["ward=north", "ward=south"]
    (tmp_path / "hive/ward=south/a.jsonl").unlink()
    manifest = night(**given, drop_gone=True)
    assert manifest["counts"]["rows_out"] == 10
    assert [folder.name for folder in data.iterdir()] == ["ward=north"]
    assert verify(storage, options.output, originals=False, key_source=options.key_source)[0] == []


def test_an_id_that_comes_every_night_is_numbered_at_once(
    night, same_as_new, source, storage, options, monkeypatch
):
    rounds = []

    def counted(*given):
        rounds.append(number_repeated_ids(*given))
        return rounds[-1]

    def documents():
        manifest = read_manifest(storage, options.output)
        rows = read_rows(storage, options.output, manifest, "documents")
        return {row["doc_key"] for row in rows}

    monkeypatch.setattr(work, "number_repeated_ids", counted)
    night()
    for number in range(3):
        write_notes(source, f"z{number}", [7, 8, 100 + number])
        rounds.clear()
        manifest = night()
        assert rounds == [2, 0]
        assert manifest["report"]["repeated_ids"] == 2
    same_as_new(manifest)
    keys = load_keys(options.key_source, storage.read_bytes)
    sevens, before = [keys.doc_key("7", number) for number in range(4)], documents()
    assert set(sevens) < before
    # A number that is free again is taken again; the others stay as they are.
    (source / "z1.jsonl").unlink()
    night(drop_gone=True)
    gone = before - documents()
    assert gone == {sevens[2], keys.doc_key("8", 2), keys.doc_key("101")}
    write_notes(source, "z9", [7])
    rounds.clear()
    night()
    assert rounds == [1, 0]
    assert documents() == before - gone | {sevens[2]}


@pytest.mark.parametrize("content", [None, b"PAR1", rest(b"")])
def test_numbers_are_found_where_no_run_tells_of_them(
    night, run, source, tmp_path, storage, options, content
):
    """Runs of earlier versions, and files that are damaged: numbers only go up, and end."""
    night()
    for number in range(2):
        write_notes(source, f"z{number}", [7, 7, 8])
        for path in (tmp_path / "out/restricted").glob("*/numbered.parquet"):
            if content is None:
                path.unlink()
            else:
                path.write_bytes(content)
        manifest = night()
    assert manifest["report"]["repeated_ids"] == 3
    fresh = run(inputs=(str(source),), output=str(tmp_path / "fresh"), **RULES)
    assert manifest["content_digest"] == fresh["content_digest"]

    def faults():
        return verify(storage, options.output, originals=True, key_source=None)[0]

    # The files were sealed; --reseal accepts that they are lost or damaged.
    assert faults() and all("/numbered.parquet is " in fault for fault in faults())
    write_notes(source, "z9", [9])
    night(reseal=True)
    assert faults() == []


def test_the_first_night_takes_all_and_the_second_nothing(night, same_as_new, tmp_path):
    manifest = night()
    assert counts(manifest) == {"listed": 6, "new": 6}
    same_as_new(manifest)
    before = tree(tmp_path / "out")
    again = night()
    assert again.pop("nothing_to_do") == dict.fromkeys(manifest["report"]["incremental"], 0) | {
        "listed": 6,
        "untouched": 6,
    }
    assert again == manifest
    assert tree(tmp_path / "out") == before
    assert not (tmp_path / "out/_staging").exists()


def test_known_columns_make_no_night_read_all_anew(night):
    """What the columns of a record tell of its people is in what a run is compared by."""
    roles = {
        "note_id": "id",
        "patient_id": "patient",
        "kind": "known:name",
        "text": "text",
        "n": "pass",
    }
    columns = Columns.parse(list(roles.items()))
    first = night(columns=columns)
    assert night(columns=columns)["run"] == first["run"]


def test_a_run_with_nothing_to_do_clears_what_an_earlier_one_could_not(night, tmp_path):
    manifest = night()
    left = tmp_path / "out/_staging" / manifest["run"] / "audit"
    left.mkdir(parents=True)
    (left / "000000-x.parquet").write_bytes(b"")
    assert "nothing_to_do" in night()
    assert not (tmp_path / "out/_staging").exists()


def test_a_night_after_a_full_run_takes_what_is_late(run, night, source, same_as_new):
    night(incremental=False)
    assert "nothing_to_do" in night()
    write_notes(source, "late", range(60, 70))
    manifest = night()
    assert counts(manifest) == {"listed": 7, "new": 1, "untouched": 6}
    assert manifest["report"]["inputs"] == 1
    same_as_new(manifest)


def test_unchanged_inputs_are_not_opened(night, source, monkeypatch):
    night()
    write_notes(source, "late", range(60, 70))
    opened = set()
    for name in ("open_read", "read_blocks", "read_bytes", "check_unchanged"):
        real = getattr(Storage, name)

        def seen(self, url, *rest, real=real, **more):
            opened.add(getattr(url, "url", url))
            return real(self, url, *rest, **more)

        monkeypatch.setattr(Storage, name, seen)
    night()
    assert {url.rpartition("/")[2] for url in opened if str(source) in url} == {"late.jsonl"}


@pytest.mark.parametrize("which", [0, 3, rest(5)])
def test_a_changed_input_is_read_again_with_its_neighbour(night, source, same_as_new, which):
    first = night()
    write_notes(source, f"part{which}", range(which * 10, which * 10 + 9), extra="Seen 1/2/2020. ")
    manifest = night()
    assert counts(manifest) == {"listed": 6, "changed": 1, "beside": 1, "untouched": 4}
    same_as_new(manifest)
    kept = {part["path"] for part in first["parts"]} & {part["path"] for part in manifest["parts"]}
    assert len({path.partition("/")[2].partition(".")[0] for path in kept}) == 2
    assert "inputs           6 listed: 1 changed, 1 beside, 4 untouched" in summary(manifest)


def test_a_large_input_in_many_units_is_replaced_in_all(night, source, same_as_new):
    night(split_bytes=700)
    write_notes(source, "part1", range(10, 17))
    manifest = night(split_bytes=700)
    assert counts(manifest)["changed"] == 1
    same_as_new(manifest)


def test_inputs_that_are_gone_are_told_and_stay(
    night, source, storage, options, key_file, caplog, tmp_path
):
    first = night()
    (source / "part2.jsonl").unlink()
    before = tree(tmp_path / "out")
    nothing = night()
    assert nothing["nothing_to_do"]["gone"] == 1
    assert tree(tmp_path / "out") == before
    write_notes(source, "late", range(60, 70))
    manifest = night()
    assert counts(manifest) == {"listed": 6, "new": 1, "untouched": 5, "gone": 1}
    assert manifest["counts"]["rows_out"] == first["counts"]["rows_out"] + 10
    told = summary(manifest)
    assert "1 inputs no longer exist: their documents stay published" in told
    everywhere = told + json.dumps(manifest) + caplog.text
    assert "part2" not in everywhere
    lines = list(list_removed(storage, options.output, [str(source)], key_source=key_file))
    assert len(lines) == 2
    assert lines[1].endswith("/part2.jsonl")
    Path(key_file).write_text("scrubline-key-v1:" + "QUJE" * 10 + "QUI=\n")
    with pytest.raises(UsageError, match="wrong master key"):
        list(list_removed(storage, options.output, [str(source)], key_source=key_file))


def test_inputs_elsewhere_are_not_gone(night, run, source, tmp_path):
    night()
    more = tmp_path / "more"
    write_notes(more, "other", range(60, 70))
    manifest = night(inputs=(str(more),))
    assert counts(manifest) == {"listed": 1, "new": 1}
    assert "nothing_to_do" in night(inputs=(str(source / "part[0-5].jsonl"),))


def test_what_shares_a_unit_with_a_place_that_is_not_given_is_left(
    night, source, same_as_new, tmp_path
):
    other = tmp_path / "other"
    write_notes(other, "late", range(60, 70))
    both = {"inputs": (str(other), str(source)), "split_bytes": 10**6}
    first = night(**both)
    write_notes(source, "part3", range(30, 35))
    write_notes(source, "part9", range(70, 75))
    manifest = night(drop_gone=True)
    assert counts(manifest) == {"listed": 7, "new": 1, "left": 1, "untouched": 5}
    assert manifest["counts"]["rows_out"] == first["counts"]["rows_out"] + 5
    assert "or that are outside the given places (add these to --input)" in summary(manifest)
    assert counts(night(**both))["changed"] == 1
    same_as_new(night(incremental=False, **both), inputs=both["inputs"])


def test_what_is_gone_is_dropped_when_asked(night, source, same_as_new, tmp_path):
    night()
    (source / "part2.jsonl").unlink()
    (source / "part4.jsonl").unlink()
    (source / "part5.jsonl").unlink()
    manifest = night(drop_gone=True)
    assert counts(manifest) == {
        "listed": 3,
        "beside": 1,
        "untouched": 2,
        "gone": 3,
        "dropped": 3,
    }
    same_as_new(manifest)
    data = sorted(p.relative_to(tmp_path / "out") for p in (tmp_path / "out/data").iterdir())
    assert sorted(map(str, data)) == sorted(
        part["path"] for part in manifest["parts"] if part["table"] == "data"
    )
    assert "nothing_to_do" in night(drop_gone=True)


def test_a_whole_unit_can_be_dropped_without_reading_anything(night, source, same_as_new):
    night()
    (source / "part0.jsonl").unlink()
    (source / "part1.jsonl").unlink()
    manifest = night(drop_gone=True)
    assert manifest["report"]["units"] == 0
    same_as_new(manifest)


def test_what_shares_a_unit_with_something_gone_is_left_and_told(night, source, same_as_new):
    first = night()
    (source / "part2.jsonl").unlink()
    write_notes(source, "part3", range(30, 35))
    write_notes(source, "part5", range(50, 59))
    manifest = night()
    assert counts(manifest) == {
        "listed": 5,
        "changed": 1,
        "beside": 1,
        "left": 1,
        "untouched": 2,
        "gone": 1,
    }
    assert manifest["counts"]["rows_out"] == first["counts"]["rows_out"] - 1
    assert "warning          1 inputs stay as they were published" in summary(manifest)
    same_as_new(night(drop_gone=True))


def test_drop_gone_alone_is_refused(run):
    with pytest.raises(UsageError, match="--drop-gone needs --incremental"):
        run(drop_gone=True)


def test_another_policy_makes_all_anew(night, same_as_new):
    night()
    manifest = night(policy="research")
    assert counts(manifest) == {"listed": 6, "outdated": 6}
    assert len(manifest["runs"]) == 1
    same_as_new(manifest, policy="research")


def test_another_model_makes_all_anew(night, same_as_new, monkeypatch):
    night()
    monkeypatch.setattr(preparation, "rule_hash", lambda name: "other")
    monkeypatch.setattr(opening, "rule_hash", lambda name: "other")
    opening._opened.clear()
    assert counts(night()) == {"listed": 6, "outdated": 6}
    opening._opened.clear()


def test_an_upgrade_leaves_what_is_gone_as_it_was(night, source):
    night()
    (source / "part0.jsonl").unlink()
    (source / "part1.jsonl").unlink()
    (source / "part2.jsonl").unlink()
    manifest = night(policy="research")
    assert counts(manifest) == {"listed": 3, "outdated": 2, "left": 1, "gone": 3}
    assert len(manifest["runs"]) == 2


def test_a_catalogue_of_before_is_read(night, source, options, storage, tmp_path):
    night()
    path = tmp_path / "out/restricted/catalogue.parquet"
    (tmp_path / "out/seal.json").unlink()  # there was none before, either
    table = pq.read_table(path)
    pq.write_table(table.drop_columns(["fingerprint"]), path)
    entries = Catalogue.read(storage, options.output).units.values()
    assert {entry.fingerprint for entry in entries} == {""}
    assert "nothing_to_do" in night()
    write_notes(source, "part5", range(50, 59))
    assert counts(night())["changed"] == 1


@pytest.mark.parametrize("table", ["data", "audit", "documents"])
def test_a_published_part_that_is_gone_is_made_again(night, same_as_new, tmp_path, table):
    night()
    next((tmp_path / f"out/{table}").glob("000001-*")).unlink()
    manifest = night(max_lost=0.0)
    assert counts(manifest) == {"listed": 6, "incomplete": 2, "untouched": 4}
    same_as_new(manifest)


@pytest.mark.parametrize("table", [rest("data"), rest("audit"), "documents"])
def test_a_full_run_that_has_lost_a_part_is_done_again(run, tmp_path, table):
    first = run(**RULES)
    next((tmp_path / f"out/{table}").iterdir()).unlink()
    manifest = run(**RULES)
    assert manifest["content_digest"] == first["content_digest"]
    assert len(list((tmp_path / f"out/{table}").iterdir())) == 1


def test_a_run_beside_lost_documents_is_refused_before_the_work(night, run, source, tmp_path):
    night()
    next((tmp_path / "out/documents").glob("000001-*")).unlink()
    write_notes(tmp_path / "more", "other", range(60, 70))
    match = "documents table of this output lacks the parts of 1 unit that"
    with pytest.raises(UsageError, match=match):
        run(inputs=(str(tmp_path / "more"),))
    (source / "part2.jsonl").unlink()
    assert night()["nothing_to_do"]["left"] == 1
    write_notes(source, "late", range(60, 70))
    with pytest.raises(UsageError, match=match):
        night()
    assert not (tmp_path / "out/_staging").exists()
    assert counts(night(drop_gone=True))["dropped"] == 1


def test_quarantined_rows_are_retried(night, run, source, same_as_new):
    small = {"budgets": Budgets(tokens=150)}
    write_notes(source, "part4", [44], extra="word " * 200)
    first = night(**small)
    assert first["counts"]["rows_quarantined"] == 1
    assert "nothing_to_do" in night(**small)
    manifest = night(incremental=False, retry_quarantined=True, budgets=Budgets())
    assert counts(manifest) == {"listed": 6, "quarantined": 2, "untouched": 4}
    assert manifest["counts"]["rows_quarantined"] == 0
    assert "nothing_to_do" in night(incremental=False, retry_quarantined=True)
    same_as_new(manifest)


def test_quarantined_rows_are_retried_beside_what_is_new(run, options, tmp_path):
    # The corpus of `options` has broken rows in its second file; here each file is a unit.
    one = max(path.stat().st_size for path in Path(options.inputs[0]).iterdir())
    run = functools.partial(run, split_bytes=one, **RULES)
    first = run()
    assert first["counts"]["rows_quarantined"] == BROKEN
    write_notes(Path(options.inputs[0]), "late", range(60, 70))
    manifest = run(incremental=True, retry_quarantined=True)
    assert counts(manifest) == {"listed": 4, "new": 1, "quarantined": 1, "untouched": 2}
    again = run(incremental=True, retry_quarantined=True)
    assert again["run"] != manifest["run"]  # rows may be retried as often as asked
    assert again["content_digest"] == manifest["content_digest"]
    assert run(incremental=True)["nothing_to_do"]["untouched"] == 4


def test_a_file_put_back_as_it_was_is_taken_again(night, source, same_as_new):
    first = night(inputs=(str(source / "part0.jsonl"),))
    content, status = (source / "part0.jsonl").read_bytes(), (source / "part0.jsonl").stat()
    write_notes(source, "part0", range(5))
    night(inputs=(str(source / "part0.jsonl"),))
    (source / "part0.jsonl").write_bytes(content)
    os.utime(source / "part0.jsonl", ns=(status.st_atime_ns, status.st_mtime_ns))
    manifest = night(inputs=(str(source / "part0.jsonl"),))
    assert manifest["content_digest"] == first["content_digest"]
    assert "nothing_to_do" in night(inputs=(str(source / "part0.jsonl"),))


def test_presets_and_files_without_documents(run, tmp_path):
    folder = tmp_path / "brat"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.txt").write_text(f"Seen {number + 1}/2/2019.")
        (folder / f"{number}.ann").write_text("")
    common = {"inputs": (str(folder),), "columns": None, "format": "brat", "incremental": True}
    assert counts(run(**common)) == {"listed": 8, "new": 8}
    assert "nothing_to_do" in run(**common)
    (folder / "3.ann").write_text("T1\tDATE 5 13\t4/2/2019\n")
    manifest = run(**common)
    assert counts(manifest)["changed"] == 1
    assert manifest["counts"]["rows_out"] == 4
    (folder / "2.ann").write_text("#\n")
    assert counts(run(**common))["changed"] == 1
    assert "nothing_to_do" in run(**common)
    (folder / "4.txt").write_text("Seen 5/2/2019.")
    assert counts(run(**common))["new"] == 1


def test_a_column_that_only_inputs_of_before_have_is_not_missed(run, tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()

    def write(name, **columns):
        pq.write_table(pa.table({"note_id": [name], "text": ["Seen 3/4/2019"], **columns}),
                       folder / f"{name}.parquet")  # fmt: skip

    write("a", ward=["W"])
    columns = Columns.parse([("note_id", "id"), ("text", "text"), ("ward", "pass")])
    common = {"inputs": (str(folder),), "columns": columns, "incremental": True, "split_bytes": 1}
    run(**common)
    write("b")
    assert counts(run(**common)) == {"listed": 2, "new": 1, "untouched": 1}
    write("c", patient_name=["Smith"])
    with pytest.raises(UsageError, match="without a declared role"):
        run(**common)


def test_a_night_that_was_killed_is_resumed(night, source, storage, options, monkeypatch, tmp_path):
    night()
    write_notes(source, "part1", range(10, 19))
    write_notes(source, "late", range(60, 70))
    (source / "part5.jsonl").unlink()
    (source / "part4.jsonl").unlink()
    whole = night(output=str(tmp_path / "other"))
    real = type(storage).move
    moves = []

    def failing(self, source, target):
        moves.append(target)
        if len(moves) == 3:
            raise RunFailed("cut off")
        return real(self, source, target)

    for where in ("units", "move"):
        with monkeypatch.context() as patch:
            if where == "units":
                patch.setattr(work, "run_units", lambda *_: (_ for _ in ()).throw(RunFailed("x")))
            else:
                patch.setattr(type(storage), "move", failing)
            with pytest.raises(RunFailed):
                night(drop_gone=True)
    manifest = resume(storage, options)
    assert counts(manifest) == {
        "listed": 5,
        "new": 1,
        "changed": 1,
        "beside": 1,
        "untouched": 2,
        "gone": 2,
        "dropped": 2,
    }
    assert manifest["content_digest"] == whole["content_digest"]
    assert verify(storage, options.output, originals=True, key_source=None)[0] == []
    assert "nothing_to_do" in night()


DIE = """
import os, pickle, signal, sys
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.run import scrub
where, left = sys.argv[1], [int(sys.argv[2])]

def deadly(name):
    real = getattr(Storage, name)
    def call(self, *places, **more):
        if any(isinstance(place, str) and where in place for place in places):
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return real(self, *places, **more)
    setattr(Storage, name, call)

for name in ("create", "move", "delete"):
    deadly(name)
scrub(Storage(), pickle.load(sys.stdin.buffer))
"""
"""A run that kills its process at the n-th touch of a place."""


@pytest.mark.parametrize(
    ("where", "touch"),
    [
        ("/receipts/", 2),
        ("/out/data/", 4),
        ("/restricted/catalogue", 1),
        ("/manifest.json", 1),
    ],
)
def test_a_night_that_is_killed_anywhere_is_resumed(
    night, source, storage, options, same_as_new, where, touch
):
    night()
    write_notes(source, "part1", range(10, 19))
    write_notes(source, "late", range(60, 70))
    (source / "part5.jsonl").unlink()
    two = (source / "part0.jsonl").stat().st_size * 2 + 400
    asked = dataclasses.replace(
        options,
        inputs=(str(source),),
        split_bytes=two,
        incremental=True,
        drop_gone=True,
        max_gone=1.0,
        **RULES,
    )
    died = subprocess.run(
        [sys.executable, "-c", DIE, where, str(touch)],
        input=pickle.dumps(asked),
        timeout=GUARD_SECONDS,
    )
    assert died.returncode == -signal.SIGKILL
    same_as_new(resume(storage, options))
    assert "nothing_to_do" in night(drop_gone=True)


@pytest.mark.parametrize(("where", "touch"), [("/restricted/catalogue", 1), ("/manifest.json", 1)])
def test_a_first_night_that_is_killed_while_it_is_published_is_resumed(
    night, source, storage, options, tmp_path, where, touch
):
    asked = dataclasses.replace(options, inputs=(str(source),), incremental=True, **RULES)
    died = subprocess.run(
        [sys.executable, "-c", DIE, where, str(touch)],
        input=pickle.dumps(asked),
        timeout=GUARD_SECONDS,
    )
    assert died.returncode == -signal.SIGKILL
    manifest = resume(storage, options)
    whole = scrub(storage, dataclasses.replace(asked, output=str(tmp_path / "whole")))
    assert manifest["content_digest"] == whole["content_digest"]
    assert "nothing_to_do" in night()


def test_a_lost_plan_is_found_before_anything_is_moved(night, source, storage, options, tmp_path):
    first = night()
    (tmp_path / f"out/restricted/{first['run']}/job.json").unlink()
    write_notes(source, "late", range(60, 70))
    before = tree(tmp_path / "out/data")
    with pytest.raises(GateFailed, match="job.json is missing, and was sealed"):
        night()
    assert tree(tmp_path / "out/data") == before
    assert (tmp_path / "out/_SUCCESS").exists()
    resume(storage, options, discard=True)


def test_an_unfinished_night_is_not_passed_over(night, source, monkeypatch, storage):
    night()
    write_notes(source, "late", range(60, 70))
    with monkeypatch.context() as patch:
        patch.setattr(work, "run_units", lambda *_: (_ for _ in ()).throw(RunFailed("x")))
        with pytest.raises(RunFailed):
            night()
    (source / "late.jsonl").unlink()
    with pytest.raises(UsageError, match="unfinished run"):
        night()


def test_a_plan_shows_what_a_night_would_touch(night, source, options, storage, tmp_path):
    night()
    asked = dataclasses.replace(options, inputs=(str(source),), incremental=True, **RULES)
    before = tree(tmp_path / "out")
    _, plan = plan_and_freeze(storage, asked)
    assert plan.is_nothing
    assert tree(tmp_path / "out") == before
    write_notes(source, "late", range(60, 70))
    job, plan = plan_and_freeze(storage, asked)
    assert plan.increment.counts["new"] == 1
    manifest = resume(storage, options)
    assert manifest["run"] == job.run
    assert counts(manifest) == {"listed": 7, "new": 1, "untouched": 6}


def test_the_command_line(scrubline, source, tmp_path, key_file):
    columns = ["note_id=id", "patient_id=patient", "kind=type", "text=text", "n=pass"]
    places = ("--input", source, "--output", tmp_path / "out", "--key-file", key_file)
    words = [
        *(*places, "--model", "none", "--recogniser", "date", "--incremental"),
        *(word for one in columns for word in ("--column", one)),
    ]
    code, out, _ = scrubline("scrub", *words, "--dry-run")
    assert code == 0
    assert "6 listed: 6 new\nrun " in out
    assert scrubline("scrub", *words)[0] == 0
    nothing = "inputs           6 listed: 6 untouched\nnothing to do\n"
    for command in (("scrub",), ("scrub", "--dry-run"), ("plan",)):
        assert scrubline(*command, *words)[:2] == (0, nothing)
    code, out, _ = scrubline("scrub", *words, "--json")
    assert json.loads(out)["nothing_to_do"]["untouched"] == 6
    (source / "part3.jsonl").unlink()
    code, out, err = scrubline("scrub", *words)
    assert "gone             1 inputs no longer exist" in out
    assert "part3" not in out + err
    code, out, _ = scrubline("inspect", "--gone", *places)
    assert code == 0
    assert out.splitlines()[1].endswith("/part3.jsonl")
    assert scrubline("inspect", "--gone", *places[2:])[0] == 2


# -- on object stores


@contextlib.contextmanager
def memory():
    yield "memory://scrubnight", {}


@contextlib.contextmanager
def moto():
    with s3_moto() as server:
        yield "s3://scrubline", server.environment()


@pytest.mark.parametrize("store", [memory, moto], ids=lambda one: one.__name__)
def test_nights_on_a_store(store, options, source, storage, monkeypatch, same_as_new):
    with contextlib.ExitStack() as stack:
        try:
            url, environment = stack.enter_context(store())
        except Unavailable as error:
            pytest.skip(str(error))
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        clear = fsspec.get_filesystem_class(url.split(":")[0]).clear_instance_cache
        clear()
        stack.callback(clear)
        fs, path = fsspec.url_to_fs(url)
        fs.makedirs(path, exist_ok=True)
        for file in sorted(source.iterdir()):
            fs.pipe_file(f"{path}/in/{file.name}", file.read_bytes())
        asked = dataclasses.replace(
            options,
            inputs=(f"{url}/in",),
            output=f"{url}/out",
            incremental=True,
            split_bytes=6000,
            **RULES,
        )
        assert counts(scrub(storage, asked))["new"] == 6
        assert "nothing_to_do" in scrub(storage, asked)
        changed = write_notes(source, "part3", range(30, 37))
        fs.pipe_file(f"{path}/in/part3.jsonl", changed.read_bytes())
        fs.rm_file(f"{path}/in/part5.jsonl")
        (source / "part5.jsonl").unlink()
        asked = dataclasses.replace(
            asked, inputs=(f"{url}/in/*.jsonl",), drop_gone=True, max_gone=1.0
        )
        found = counts(scrub(storage, asked))
        assert (found["listed"], found["changed"], found["dropped"]) == (5, 1, 1)
        manifest = read_manifest(storage, asked.output)
        assert verify(storage, asked.output, originals=True, key_source=None)[0] == []
        fresh = scrub(
            storage,
            dataclasses.replace(asked, output=f"{url}/new", incremental=False, drop_gone=False),
        )
        assert manifest["content_digest"] == fresh["content_digest"]
        assert "nothing_to_do" in scrub(storage, asked)
        if url.startswith("memory"):
            fs.rm(path, recursive=True)
