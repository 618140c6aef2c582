"""Gates of what a run has staged: unread files, audit, what leaves, canaries, spans lost."""

import contextlib
import dataclasses
import gzip
import json
import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import GateFailed, RunFailed, RunOnHold, UsageError
from scrubline.models.formats.column_roles import Columns
from scrubline.models.storage.key_files import load_keys
from scrubline.pipeline.commands.inspect import read_rows
from scrubline.pipeline.outputs import gates
from scrubline.pipeline.outputs import publishing as publish
from scrubline.pipeline.outputs import removed_documents as leaving
from scrubline.pipeline.outputs.manifest import read_manifest
from scrubline.pipeline.outputs.state import pending_runs
from scrubline.pipeline.run import resume

from ..conftest import COLUMNS, note, write_corpus
from ..makers import as_tar, encoded, make

RULES = ("date", "medical_record", "email")


@pytest.fixture
def run(run):
    """The same with a few rules."""
    return lambda **changes: run(**({"recognisers": RULES} | changes))


# -- audit


@pytest.fixture
def staged(run, storage, options, tmp_path):
    """The staging folder of a run that waits."""
    with pytest.raises(RunOnHold):
        run(hold=True, split_bytes=5000)
    (folder,) = (tmp_path / "out/_staging").iterdir()
    return folder


def held(storage, options, match):
    with pytest.raises(GateFailed, match=f"unit 1: the audit is incomplete: {match}") as told:
        resume(storage, options)
    assert "Nothing is published" in str(told.value)


def of_unit_one(folder, table):
    return next((folder / table).glob("000001-*"))


@pytest.mark.slow
@pytest.mark.parametrize("table", ["data", "audit", "documents", "quarantine"])
def test_a_part_that_is_missing(staged, storage, options, tmp_path, table):
    path = next((staged / table).iterdir())
    path.unlink()
    with pytest.raises(GateFailed, match=f"the audit is incomplete: a part of {table} is missing"):
        resume(storage, options)
    assert not (tmp_path / "out/data").exists()


@pytest.mark.parametrize("table", ["data", "audit"])
def test_a_part_of_another_size(staged, storage, options, table):
    path = of_unit_one(staged, table)
    path.write_bytes(path.read_bytes() + b" ")
    held(storage, options, rf"a part of {table} has \d+ bytes, not \d+")


def rewrite(path, change):
    """Another table in the place of a part, and its size in the receipt."""
    before = path.stat().st_size
    pq.write_table(change(pq.read_table(path)), path, compression="zstd")
    (receipt,) = (path.parent.parent / "receipts").glob("000001-*")
    text = receipt.read_text()
    assert text.count(f'"bytes":{before},') >= 1
    receipt.write_text(text.replace(f'"bytes":{before},', f'"bytes":{path.stat().st_size},'))


@pytest.mark.parametrize(
    ("table", "change", "match"),
    [
        ("audit", lambda t: t.slice(1), r"the audit has \d+ spans, but \d+ were counted"),
        ("documents", lambda t: t.slice(1), r"\d+ documents are listed, but \d+ were counted"),
        (
            "audit",
            lambda t: t.set_column(
                1, t.schema.field(1), pc.replace_substring_regex(t["doc_key"], "^..", "zz")
            ),
            "the audit has spans of other documents",
        ),
    ],
    ids=["spans", "documents", "others"],
)
def test_rows_that_are_missing(staged, storage, options, table, change, match):
    rewrite(of_unit_one(staged, table), change)
    held(storage, options, match)


def test_counts_that_do_not_add_up(staged, storage, options):
    (receipt,) = (staged / "receipts").glob("000001-*")
    value = json.loads(receipt.read_text())
    value["counts"]["documents"] -= 1
    receipt.write_text(json.dumps(value))
    held(storage, options, r"\d+ rows go out, but \d+ documents were counted")


def test_what_is_complete_passes(staged, storage, options):
    assert resume(storage, options)["counts"]["rows_out"] == 60


# -- files that could not be read to the end


def halved(content):
    return content[: len(content) // 2]


TEXTS = [(f"n{n}.txt", f"Quentin was seen 3/{n % 28 + 1}/2019. {hash(n**9)}") for n in range(300)]
PATHS = Columns.parse([("path", "id"), ("text", "text")])
FEW_TEXTS = TEXTS[:9]
CUT_OFF = {
    "jsonl.gz": lambda: {"a.jsonl.gz": halved(make("jsonl.gz", "a", TEXTS)[0]["a.jsonl.gz"])},
    "csv.gz": lambda: {"a.csv.gz": halved(make("csv.gz", "a", TEXTS)[0]["a.csv.gz"])},
    "tar.gz": lambda: {"a.tgz": halved(make("tar.gz", "a", TEXTS)[0]["a.tgz"])},
    "bomb": lambda: {
        "a.tgz": gzip.compress(
            as_tar([*encoded(FEW_TEXTS), ("big.txt", bytes(65_000_000))]), mtime=0
        )
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CUT_OFF)
def test_a_file_that_is_damaged_is_not_one_row_of_many(run, storage, options, tmp_path, name):
    folder = tmp_path / "cut"
    folder.mkdir()
    for path, content in CUT_OFF[name]().items():
        (folder / path).write_bytes(content)
    error = "OverBudget:unpacked" if name == "bomb" else "DamagedArchive"
    with pytest.raises(
        GateFailed, match=rf"1 input files, or .* not be read to the end.*: {error} \(1\)"
    ):
        run(inputs=(str(folder),), columns=PATHS, max_quarantined=0.99)
    with pytest.raises(GateFailed, match="could not be read to the end"):
        resume(storage, options)
    manifest = resume(storage, dataclasses.replace(options, max_quarantined=1.0))
    assert manifest["errors"][f"read: {error}"] == 1


def test_a_damaged_file_that_is_one_document_is_one_row(run, tmp_path):
    made, _ = make("text.gz", "a", FEW_TEXTS)
    folder = tmp_path / "cut"
    folder.mkdir()
    for number, (path, content) in enumerate(made.items()):
        (folder / path).write_bytes(content if number else halved(content))
    assert run(inputs=(str(folder),), columns=None)["counts"]["rows_quarantined"] == 1


# -- documents that leave


@pytest.fixture
def large(run, options, tmp_path):
    """Published notes of ten files of 40, each a unit; gives their folder and a run over them."""
    folder = tmp_path / "large"
    for index in range(10):
        write_corpus(folder / f"{index}", notes=40, files=1, broken=False)
        path = folder / f"{index}/part0.jsonl"
        path.write_text(path.read_text().replace('"note_id": ', f'"note_id": {index + 1}0'))
    common = {"inputs": (str(folder),), "split_bytes": 15_000}

    def night(**changes):
        return run(**(common | changes))

    night()
    assert len(list((tmp_path / "out/data").iterdir())) == 10
    return folder, night


def lines_of(path, low, high):
    path.write_text("".join(path.read_text().splitlines(keepends=True)[low:high]))


LEFT = r"of {} published documents {} would be removed \({}%\), more than the limit of 10.00%"


@pytest.mark.slow
@pytest.mark.parametrize("incremental", [True, False])
@pytest.mark.parametrize(
    ("lines", "match"),
    [
        (0, "40 " + LEFT.format(40, "of inputs that are read again", "100.00")),
        (20, "20 " + LEFT.format(40, "of inputs that are read again", "50.00")),
    ],
)
def test_an_input_that_was_emptied_or_cut_off(large, storage, options, incremental, lines, match):
    folder, night = large
    lines_of(folder / "3/part0.jsonl", 0, lines)
    write_corpus(folder / "late", notes=50, files=1, broken=False)  # does not make up for it
    inputs = {} if incremental else {"inputs": (str(folder / "3"), str(folder / "late"))}
    before = read_manifest(storage, options.output)
    with pytest.raises(GateFailed, match=match):
        night(incremental=incremental, **inputs)
    assert read_manifest(storage, options.output) == before
    with pytest.raises(GateFailed, match="would be removed"):
        resume(storage, options)
    manifest = resume(storage, dataclasses.replace(options, max_gone=1.0))
    assert manifest["counts"]["rows_out"] == 400 - 40 + lines + 50
    assert manifest["report"]["documents_gone"] == 40 - lines


@pytest.mark.parametrize("form", ["text files", "null"])
def test_documents_that_become_empty_have_left(run, tmp_path, form):
    folder = tmp_path / "emptied"
    folder.mkdir()
    columns = {}
    if form == "text files":
        columns = {"columns": None}
        for number in range(30):
            (folder / f"{number}.txt").write_text("Seen 3/4/2019")
    else:
        write_corpus(folder, notes=30, files=1, broken=False)
    night = {"inputs": (str(folder),), "incremental": True, "max_gone": 0.0, **columns}
    run(**night)
    for path in folder.iterdir():
        lines = [json.loads(line) | {"text": None} for line in path.read_text().splitlines()
                 if form == "null"]  # fmt: skip
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(GateFailed, match="published documents of inputs that are read again"):
        run(**night)


def test_a_table_without_rows(run, tmp_path):
    table = pa.table({"note_id": range(30), "text": ["Seen 3/4/2019"] * 30})
    (tmp_path / "tables").mkdir()
    path = tmp_path / "tables/a.parquet"
    columns = Columns.parse([("note_id", "id"), ("text", "text")])
    common = {"inputs": (str(path),), "columns": columns}
    pq.write_table(table, path)
    run(**common)
    pq.write_table(table.slice(0, 0), path)
    with pytest.raises(GateFailed, match="30 of 30 published documents"):
        run(**common)


@pytest.mark.slow
@pytest.mark.parametrize("keys_at_once", [leaving.KEYS_AT_ONCE, 7])
def test_inputs_that_are_gone_may_be_a_tenth_of_the_output(large, monkeypatch, keys_at_once):
    monkeypatch.setattr(leaving, "KEYS_AT_ONCE", keys_at_once)
    folder, night = large
    with (folder / "9/part0.jsonl").open("a") as file:
        file.write("\n")  # so that something is read, too
    shutil.rmtree(folder / "0")
    manifest = night(incremental=True, drop_gone=True)
    assert manifest["report"]["documents_gone"] == 40
    for index in (1, 2):
        shutil.rmtree(folder / f"{index}")
    with pytest.raises(GateFailed, match="80 " + LEFT.format(360, "of the output", "22.22")):
        night(incremental=True, drop_gone=True)


@pytest.mark.slow
def test_what_comes_again_under_other_names_has_not_left(large):
    folder, night = large
    for index in range(10):
        (folder / f"{index}/part0.jsonl").rename(folder / f"{index}/other.jsonl")
    manifest = night(incremental=True, drop_gone=True)
    assert "documents_gone" not in manifest["report"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kept", "limit", "passes"), [(2, 0.1, True), (0, 0.1, False), (2, 0.0, False), (0, 1.0, True)]
)
def test_a_few_may_leave_but_not_all(run, tmp_path, kept, limit, passes):
    few = {"inputs": (str(write_corpus(tmp_path / "few", notes=3, files=1, broken=False)),)}
    run(**few)
    lines_of(tmp_path / "few/part0.jsonl", 0, kept)
    with contextlib.nullcontext() if passes else pytest.raises(GateFailed, match="of 3 published"):
        run(**few, max_gone=limit)


def test_with_another_key_every_document_is_a_new_one(run, options, key_file):
    run()
    Path(key_file).write_text("scrubline-key-v1:" + "QUJE" * 10 + "QUI=\n")
    with pytest.raises(
        GateFailed, match="60 of 60 .* or whether the key or the id column has changed"
    ):
        run()


# -- canaries


@pytest.fixture
def planted(options, tmp_path):
    """Writes a file of canaries beside a corpus with two planted notes; gives its path."""
    lines = [
        note(700) | {"note_id": "canary-1", "text": "Quentin Zyx, MRN: 7654321, seen 3/4/2019."},
        note(701) | {"note_id": "canary-2", "text": "metformin 500 mg, see q@zyx.example."},
    ]
    path = tmp_path / "in/planted.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))

    def write(*canaries):
        file = tmp_path / "canaries.jsonl"
        file.write_text("".join(json.dumps(canary) + "\n" for canary in canaries))
        return str(file)

    return write


CLEAN = (
    {"id": "canary-1", "gone": ["7654321", "3/4"], "stays": ["Quentin"]},
    {"id": "canary-2", "gone": ["q@zyx"], "stays": ["metformin 500 mg"]},
)


def test_clean_canaries_pass_and_are_named_by_their_keys(run, storage, planted, key_file):
    manifest = run(canaries=planted(*CLEAN, {"id": "none", "gone": ["x"], "required": False}))
    keys = load_keys(key_file, storage.read_bytes)
    told = manifest["report"]["canaries"]
    assert told["all"] == 3
    assert told["in_this_run"] == 2
    assert {keys.doc_key("canary-1"), keys.doc_key("canary-2")} <= set(told["doc_keys"])


def test_a_promotion_that_is_taken_up_again_tells_of_canaries_too(
    run, storage, options, planted, monkeypatch
):
    def failing(self, source, target):
        raise RunFailed("cut off")

    with monkeypatch.context() as patch:
        patch.setattr(type(storage), "move", failing)
        with pytest.raises(RunFailed):
            run(canaries=planted(*CLEAN))
    assert resume(storage, options)["report"]["canaries"]["in_this_run"] == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("canary", "fault"),
    [
        ({"id": "canary-1", "gone": ["MRN", "Quentin"]}, "canary 2: not clean, text 1 of gone"),
        ({"id": "canary-1", "stays": ["7654321"]}, "canary 2: destroyed, text 1 of stays"),
        ({"id": "nobody", "gone": ["7654321"]}, "canary 2: missing"),
        ({"id": 9003, "gone": ["17"]}, "canary 2: missing, it is quarantined"),
    ],
)
@pytest.mark.parametrize("finish_pending", [False, True])
def test_a_canary_holds_the_run_back(
    run, storage, options, planted, tmp_path, canary, fault, finish_pending
):
    file = planted(CLEAN[1], canary)
    with pytest.raises(GateFailed, match=f"1 of 2 canaries fail: {fault}") as told:
        run(canaries=file)
    assert not any(word in str(told.value) for word in ("Quentin", "7654321", "canary-1", "nobody"))
    assert not (tmp_path / "out/data").exists()
    # The plan holds its canaries by hash: to mend the file is to plan again, not to work again.
    planted(*CLEAN)
    with pytest.raises(UsageError, match="canaries have changed since the run was planned"):
        resume(storage, options)
    assert (
        run(canaries=file, finish_pending=finish_pending)["report"]["canaries"]["in_this_run"] == 2
    )


def test_a_publication_is_finished_whatever_became_of_the_canaries(
    run, storage, options, planted, tmp_path, monkeypatch
):
    common = {"incremental": True, "canaries": planted(*CLEAN), "max_gone": 1.0}

    def killed(*given, **more):
        raise RunFailed("killed")

    with monkeypatch.context() as patched, pytest.raises(RunFailed, match="killed"):
        patched.setattr(publish, "make_manifest", killed)
        run(**common)
    assert not (tmp_path / "out/_SUCCESS").exists()
    planted(*CLEAN, {"id": "none", "gone": ["x"], "required": False})
    (tmp_path / "in/new.jsonl").write_text(json.dumps(note(900)) + "\n")
    manifest = run(**common, finish_pending=True)
    assert manifest["report"]["incremental"]["new"] == 1
    assert pending_runs(storage, options.output) == []


def test_a_run_whose_canaries_and_inputs_have_changed_is_given_up(
    run, storage, options, planted, tmp_path, caplog
):
    common = {"incremental": True, "max_gone": 1.0}
    file = planted(CLEAN[1], {"id": "canary-1", "gone": ["Quentin"]})
    with pytest.raises(GateFailed):
        run(**common, canaries=file)
    planted(*CLEAN)
    (tmp_path / "in/new.jsonl").write_text(json.dumps(note(900)) + "\n")
    manifest = run(**common, canaries=file, finish_pending=True)
    assert manifest["report"]["canaries"]["in_this_run"] == 2
    assert ": its canaries have changed" in caplog.text
    assert pending_runs(storage, options.output) == []


def test_a_quarantined_canary_that_may_be_missing_passes(run, planted):
    file = planted({"id": 9003, "gone": ["17"], "required": False})
    assert run(canaries=file)["report"]["canaries"]["in_this_run"] == 0


def test_a_file_that_is_not_there_or_wrong_is_refused_before_anything(run, planted, tmp_path):
    for file in (str(tmp_path / "nothing.jsonl"), planted("x")):
        with pytest.raises(UsageError, match="canaries"):
            run(canaries=file)
    assert not (tmp_path / "out").exists()


def test_canaries_of_a_night_may_be_in_what_stays(run, planted, tmp_path):
    one = max(path.stat().st_size for path in (tmp_path / "in").iterdir())
    common = {"incremental": True, "split_bytes": one, "canaries": planted(*CLEAN)}
    run(**common)
    write_corpus(tmp_path / "in/late", notes=3, files=1, broken=False)
    path = tmp_path / "in/late/part0.jsonl"
    path.write_text(path.read_text().replace('"note_id": ', '"note_id": 50'))
    manifest = run(**common)
    assert manifest["report"]["canaries"]["in_this_run"] == 0
    assert len(manifest["report"]["canaries"]["doc_keys"]) == 2
    path.write_text(path.read_text() + "\n")
    with pytest.raises(GateFailed, match="canary 3: missing"):
        run(**common | {"canaries": planted(*CLEAN, {"id": "nobody", "gone": ["x"]})})


@pytest.mark.slow
def test_canaries_planted_anew_each_night_are_judged_that_night(
    run, storage, planted, tmp_path, key_file
):
    common = {"incremental": True, "canaries": planted(*CLEAN)}
    first = (tmp_path / "in/planted.jsonl").read_text()
    (tmp_path / "in/planted.jsonl").unlink()

    def night(day, **changes):
        (tmp_path / f"in/night{day}").mkdir()
        (tmp_path / f"in/night{day}/planted.jsonl").write_text(first)
        return run(**common | changes)

    keys = load_keys(key_file, storage.read_bytes)
    for day in range(3):
        told = night(day)["report"]["canaries"]
        assert told["in_this_run"] == 2
        assert told["doc_keys"] == sorted(
            keys.doc_key(f"canary-{n}", ordinal) for n in (1, 2) for ordinal in range(day + 1)
        )
    with pytest.raises(GateFailed, match="1 of 2 canaries fail: canary 2: not clean"):
        night(3, recognisers=RULES[:2], incremental=False, inputs=(str(tmp_path / "in/night3"),))


@pytest.mark.slow
def test_all_canaries_that_are_in_the_output_are_told(run, storage, planted, tmp_path, key_file):
    """Old days leave, and a number that is free again is given to tonight's."""
    common = {"incremental": True, "drop_gone": True, "max_gone": 1.0, "canaries": planted(*CLEAN)}
    first = (tmp_path / "in/planted.jsonl").read_text()
    (tmp_path / "in/planted.jsonl").unlink()
    common["split_bytes"] = 1 + len(first)
    keys = load_keys(key_file, storage.read_bytes)
    for day in range(4):
        (tmp_path / f"in/night{day}").mkdir()
        (tmp_path / f"in/night{day}/planted.jsonl").write_text(first)
        if day == 3:
            (tmp_path / "in/night0/planted.jsonl").unlink()
        manifest = run(**common)
    rows = read_rows(storage, str(tmp_path / "out"), manifest, "documents")
    every = {keys.doc_key(f"canary-{n}", ordinal) for n in (1, 2) for ordinal in range(9)}
    there = every & {row["doc_key"] for row in rows}
    assert len(there) == 6
    assert there <= set(manifest["report"]["canaries"]["doc_keys"])


def test_canaries_in_what_stays_are_found_by_their_ordinals(run, planted, tmp_path):
    common = {"incremental": True, "canaries": planted(*CLEAN), "drop_gone": True}
    one = tmp_path / "in/planted.jsonl"
    one.rename(tmp_path / "in/a.jsonl")
    common["split_bytes"] = 1 + max(path.stat().st_size for path in (tmp_path / "in").iterdir())
    run(**common)
    shutil.copy(tmp_path / "in/a.jsonl", tmp_path / "in/z.jsonl")
    run(**common)
    (tmp_path / "in/a.jsonl").unlink()
    manifest = run(**common, max_gone=1.0)
    assert manifest["report"]["canaries"]["in_this_run"] == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["text", "csv", "parquet", "jsonl.gz", "zip", "tar.gz", "conll"])
def test_canaries_of_every_kind_of_output(run, tmp_path, planted, name):
    rows = [(f"n{n}.txt", f"Quentin was seen 3/{n}/2019 ok{n}.") for n in (1, 2)]
    made, ids = make(name, "stem", rows)
    folder = tmp_path / "made"
    folder.mkdir()
    for path, content in made.items():
        (folder / path).write_bytes(content)
    common = {"inputs": (str(folder),), "columns": None, "output": str(tmp_path / "other")}
    good = {"id": ids[1], "gone": ["3/2"], "stays": ["Quentin", "ok2"]}
    bad = {"id": ids[0], "gone": ["Quentin"]}
    with pytest.raises(GateFailed, match="1 of 2 canaries fail: canary 2: not clean"):
        run(**common, canaries=planted(good, bad))
    assert run(**common, canaries=planted(good))["report"]["canaries"]["in_this_run"] == 1


def test_a_folder_that_is_mirrored_is_looked_at_too(run, planted, tmp_path):
    folder = tmp_path / "tables/ward=Quentin"
    folder.mkdir(parents=True)
    (folder / "a.jsonl").write_text('{"note_id": 1, "text": "Seen 3/4/2019"}\n')
    columns = Columns.parse([("note_id", "id"), ("text", "text"), ("ward", "pass")])
    with pytest.raises(GateFailed, match="canary 1: not clean"):
        run(
            inputs=(str(tmp_path / "tables"),),
            columns=columns,
            canaries=planted({"id": 1, "gone": ["Quentin"]}),
        )


def test_the_key_must_be_that_of_the_run(run, storage, options, planted, tmp_path):
    with pytest.raises(RunOnHold):
        run(canaries=planted(*CLEAN), hold=True)
    (tmp_path / "key.txt").write_text("scrubline-key-v1:" + "QUJE" * 10 + "QUI=\n")
    with pytest.raises(UsageError, match="wrong master key"):
        resume(storage, options)


# -- spans lost


def test_a_run_that_loses_spans_is_held_back(run, storage, options):
    first = run(max_lost=0.0)
    assert first["report"]["lost_share"] == 0.0
    with pytest.raises(GateFailed, match=r"published spans are lost \(\d+\.\d+%\), more"):
        run(recognisers=RULES[:2], max_lost=0.01)
    assert read_manifest(storage, options.output) == first
    with pytest.raises(GateFailed):
        resume(storage, options)
    manifest = resume(storage, dataclasses.replace(options, max_lost=0.9))
    assert 0 < manifest["report"]["lost_share"] < 0.9


@pytest.mark.slow
@pytest.mark.parametrize("what", ["tokens", "key", "text column"])
def test_where_hardly_a_document_is_compared_nobody_knows_what_is_lost(
    run, storage, options, scrubline, tmp_path, key_file, what
):
    run(max_lost=0.0)
    changes = {"max_lost": 0.9, "max_gone": 1.0}
    if what == "tokens":
        for path in (tmp_path / "out/documents").iterdir():
            table = pq.read_table(path)
            more = pc.add(table["tokens"], pc.cast(pc.greater(table["tokens"], 0), "int64"))
            at = table.schema.get_field_index("tokens")
            pq.write_table(table.set_column(at, table.schema.field(at), more), path)
    elif what == "key":
        Path(key_file).write_text("scrubline-key-v1:" + "QUJE" * 10 + "QUI=\n")
    else:
        for path in (tmp_path / "in").iterdir():
            path.write_text(path.read_text().replace('"text": ', '"note": '))
        roles = [("note" if name == "text" else name, role) for name, role in COLUMNS.roles]
        changes["columns"] = Columns.parse(roles)
    with pytest.raises(GateFailed, match=r"only \d+ of the published documents \(\d+.\d\d%\) have"):
        run(recognisers=RULES[:1], **changes)
    output = ("--output", tmp_path / "out")
    code, out, _ = scrubline("diff", *output, "--max-lost", "0.9")
    assert code == 3
    assert "% of those before)" in out
    assert scrubline("diff", *output)[0] == 3
    assert scrubline("diff", *output, "--max-lost", "1")[0] == 0
    manifest = resume(storage, dataclasses.replace(options, max_lost=1.0))
    assert manifest["report"]["compared_share"] < 0.5


def test_without_a_limit_nothing_is_compared(run, monkeypatch):
    run()
    monkeypatch.setattr(gates, "diff_of_run", None)
    assert "lost_share" not in run(recognisers=RULES[:2])["report"]
