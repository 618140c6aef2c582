"""`history.parquet`: a run once, however often it was cut off; no night fails because of it."""

import collections
import dataclasses
import datetime
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import StorageError
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs import history, publishing
from scrubline.pipeline.outputs.history import (
    RUNS_BY_TYPE,
    faults_of_history,
    history_bytes,
    read_history,
    said_of_history,
)
from scrubline.pipeline.outputs.history_rows import (
    MOST_TYPES,
    OTHER,
    SCHEMA,
    named_types,
    night_rows,
    quantiles,
)
from scrubline.pipeline.outputs.manifest import read_manifest
from scrubline.pipeline.outputs.night_counts import NightCounts, TypeCounts, count_night
from scrubline.pipeline.outputs.pruning import prune
from scrubline.pipeline.run import resume

from benchmarks.history import night

from ..conftest import note

RULES = ("date", "medical_record", "phone", "email", "url", "zip_code")


@pytest.fixture
def run(run):
    """The same with a few rules."""
    return lambda **changes: run(**({"recognisers": RULES} | changes))


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def rows_of(out):
    return pq.read_table(out / "history.parquet").to_pylist()


def told(storage, options):
    return verify(storage, options.output, originals=False, key_source=options.key_source)


def more_notes(tmp_path, first, kind="progress"):
    lines = [json.dumps(note(n) | {"kind": kind}) for n in range(first, first + 30)]
    (tmp_path / "in" / f"later{first}.jsonl").write_text("\n".join(lines) + "\n")


def history_of(nights, types=("progress",)):
    """The bytes of a history of so many invented runs, and its table."""
    content, table = b"", None
    for number in range(nights):
        content, runs = history_bytes(table, night_rows(*night(number, types)))
        assert runs == number + 1
        table = history._parsed(content)
    return content, table


# -- of a run


def test_a_run_writes_what_it_published(run, storage, options, out):
    manifest = run()
    rows = rows_of(out)
    whole, *labels = rows
    assert {row["run"] for row in rows} == {manifest["run"]}
    assert (whole["note_type"], whole["label"], whole["risk_quantiles"]) == (None, None, None)
    counts = manifest["counts"]
    assert whole["documents"] == counts["documents"] - counts["documents_null"]
    assert [whole[name] for name in ("tokens", "spans", "rows")] == [
        counts[name] for name in ("tokens", "spans", "rows_in")
    ]
    assert dict(whole["quarantined"]) == manifest["errors"] and len(manifest["errors"]) > 1
    assert whole["published"] == datetime.datetime.fromisoformat(manifest["report"]["published"])
    assert (
        dict(whole["step_ms"])["Recognise"]
        == (manifest["report"]["metrics"]["Recognise"]["batch_ms_sum"])
    )
    assert {row["label"]: row["spans"] for row in labels} == manifest["labels"]
    assert whole["by_rules"] == whole["spans"] and whole["by_taggers"] == whole["by_both"] == 0
    assert all(row["tokens"] is None and row["quarantined"] is None for row in labels)
    tokens = sorted(
        row["tokens"]
        for row in pq.read_table(out / "documents").to_pylist()
        if row["status"] == "scrubbed"
    )
    assert whole["token_quantiles"][2] == tokens[(len(tokens) - 1) // 2]
    faults, lines = told(storage, options)
    assert faults == [] and "history.parquet tells of 1 run" in lines


def test_rows_by_type_where_the_policy_tells_types(run, out, tmp_path):
    policy = tmp_path / "policy.toml"
    text = 'name = "mine"\ndefault = "redact"\n[documents]\nnote_type = true\n'
    policy.write_text(text + '[note_types."radio*"]\ndefault = "redact"\n')
    for first, kind in ((100, "odd"), (200, "Radiology"), (300, "x" * 90)):
        more_notes(tmp_path, first, kind)
    lines = (tmp_path / "in" / "later200.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "in" / "later200.jsonl").write_text("".join(lines[:6]))
    run(policy=str(policy))
    rows = rows_of(out)
    types = {row["note_type"]: row for row in rows if row["note_type"] and not row["label"]}
    assert list(types) == ["Radiology", "odd", "progress", OTHER]
    assert types["Radiology"]["documents"] < 20, "the policy names it"
    for name in ("documents", "tokens", "spans", "fragments", "by_rules"):
        assert sum(row[name] for row in types.values()) == rows[0][name]
    for name in ("spans", "kept", "fragments", "by_rules"):
        by_label = [row[name] for row in rows if row["label"]]
        assert sum(by_label) == rows[0][name]
    dates = pq.read_table(out / "audit").to_pylist()
    of_documents = {
        row["doc_key"]: row["note_type"] for row in pq.read_table(out / "documents").to_pylist()
    }
    for name in ("odd", "progress"):
        assert sum(
            row["label"] == "DATE" and of_documents[row["doc_key"]] == name for row in dates
        ) == next(r["spans"] for r in rows if (r["note_type"], r["label"]) == (name, "DATE"))


def test_small_and_long_types_are_other():
    def of(documents):
        return TypeCounts(documents=documents)

    counts = NightCounts({"a": of(20), "b": of(19), "Ward 7": of(1), "x" * 81: of(99), None: of(3)})
    assert {
        name: found.documents for name, found in named_types(counts, ("ward *", "b")).items()
    } == {
        "Ward 7": 1,
        "a": 20,
        "b": 19,
        OTHER: 102,
    }
    many = NightCounts({f"t{n:02}": of(100 + n) for n in range(40)} | {OTHER: of(500)})
    found = named_types(many, ())
    assert len(found) == MOST_TYPES + 1 and sum(one.documents for one in found.values()) == 5280
    assert list(found)[-2:] == ["t39", OTHER]


def test_quantiles_are_values_that_occur():
    assert quantiles(collections.Counter()) is None
    assert quantiles(collections.Counter({7: 1})) == [7] * 5
    assert quantiles(collections.Counter(range(1, 101))) == [5, 25, 50, 75, 95]
    assert quantiles(collections.Counter({1: 96, 9: 4})) == [1] * 5


def test_risk_is_taken_up_where_documents_have_it(run, storage, out):
    run()
    manifest = read_manifest(storage, str(out))
    [part] = (out / "documents").rglob("*.parquet")
    documents = pq.read_table(part)
    if "risk" in documents.column_names:
        documents = documents.drop_columns(["risk"])
    scrubbed = [row["status"] == "scrubbed" for row in documents.to_pylist()]
    risks = [n % 4 - 2 if n % 5 and is_text else None for n, is_text in enumerate(scrubbed)]
    pq.write_table(documents.append_column("risk", pa.array(risks, pa.int64())), part)
    whole, *others = night_rows(manifest, count_night(storage, str(out), manifest))
    counts = collections.Counter(risk for risk in risks if risk is not None)
    assert dict(whole["risk_counts"]) == counts and len(counts) == 4
    assert whole["risk_quantiles"] == quantiles(counts)
    assert all(row["risk_counts"] is None for row in others)


# -- over nights


def test_nights_append_and_a_run_that_is_done_again_replaces_its_rows(
    run, storage, options, out, tmp_path
):
    first = run(incremental=True)
    more_notes(tmp_path, 100)
    second = run(incremental=True)
    assert list(dict.fromkeys(row["run"] for row in rows_of(out))) == [first["run"], second["run"]]
    assert second["report"]["history"]["runs"] == 2
    assert "nothing_to_do" in run(incremental=True)
    assert len({row["run"] for row in rows_of(out)}) == 2
    [row] = [r for r in rows_of(out) if r["run"] == second["run"] and r["label"] is None]
    assert row["rows"] == 30, "of the run alone"
    (out / "data").rename(tmp_path / "gone")  # parts are missing: the same run is done again
    (out / "data").mkdir()
    again = run()
    assert again["report"]["history"]["runs"] == len({row["run"] for row in rows_of(out)})
    assert told(storage, options)[0] == []


@pytest.mark.parametrize("where", ["write_history_or_warn", "write_seal", "write_page_or_warn"])
def test_a_publication_that_is_cut_off_gives_its_run_once(
    run, storage, options, out, tmp_path, monkeypatch, where, caplog
):
    first = run(incremental=True)
    more_notes(tmp_path, 100)

    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(publishing, where, stop)
        with pytest.raises(KeyboardInterrupt):
            run(incremental=True)
    second = resume(storage, dataclasses.replace(options, recognisers=RULES))
    rows = rows_of(out)
    assert list(dict.fromkeys(row["run"] for row in rows)) == [first["run"], second["run"]]
    assert sum(row["label"] is None for row in rows) == 2
    assert "history.parquet" not in caplog.text
    assert told(storage, options)[0] == []


def test_pruning_leaves_it(run, storage, options, out):
    run(incremental=True)
    run(policy="research")
    content = (out / "history.parquet").read_bytes()
    assert any("superseded" in line for line in prune(storage, options.output, yes=True))
    assert (out / "history.parquet").read_bytes() == content
    assert told(storage, options)[0] == []


def test_same_rows_same_bytes_and_the_order_of_publication():
    content, table = history_of(5, ("b", "a"))
    assert history_of(5, ("b", "a"))[0] == content
    # Of a run in the middle the same rows again: nothing moves.
    assert history_bytes(table, night_rows(*night(2, ("b", "a"))))[0] == content
    published = table.column("published").to_pylist()
    assert published == sorted(published)
    assert history_bytes(None, table.to_pylist())[0] == content


def test_older_runs_keep_labels_of_all_types():
    nights = RUNS_BY_TYPE + 3
    _, table = history_of(nights, ("a", "b"))
    for number in (0, 2, 3, nights - 1):
        manifest, counts = night(number, ("a", "b"))
        expected = night_rows(manifest, counts)
        found = [row for row in table.to_pylist() if row["run"] == manifest["run"]]
        cells = [row for row in found if row["label"] is not None]
        assert [row for row in found if row["label"] is None] == [
            {**row, "published": row["published"]} for row in expected if row["label"] is None
        ]
        assert {row["note_type"] for row in cells} == ({None} if number < 3 else {"a", "b"})
        for name in ("spans", "kept", "fragments", "by_rules", "by_taggers", "by_both"):
            assert sum(row[name] for row in cells) == expected[0][name]


def test_late_runs_alone_keep_counts_of_documents(monkeypatch):
    monkeypatch.setattr(history, "RUNS_COUNTED", 2)
    _, table = history_of(4)
    whole = [row for row in table.to_pylist() if row["label"] is None and not row["note_type"]]
    for number, row in enumerate(whole):
        [expected, *_] = night_rows(*night(number))
        for name in ("token", "density", "risk"):
            counts = expected[f"{name}_counts"] if number >= 2 else None
            assert row[f"{name}_counts"] == counts
            assert row[f"{name}_quantiles"] == expected[f"{name}_quantiles"]


def test_a_history_of_an_earlier_version_is_carried_on():
    _, table = history_of(2)
    fewer = parquet_of(*table.to_pylist(), schema=SCHEMA.remove(SCHEMA.get_field_index("rows")))
    found = history._parsed(fewer)
    assert found.schema.equals(SCHEMA) and found.column("rows").null_count == found.num_rows
    more = pa.field("later", pa.string())
    assert history._parsed(parquet_of(*table.to_pylist(), schema=SCHEMA.append(more))).equals(table)
    needed = SCHEMA.remove(SCHEMA.get_field_index("spans"))
    assert history._parsed(parquet_of(*table.to_pylist(), schema=needed)) is None


def test_no_more_runs_than_are_kept(monkeypatch):
    monkeypatch.setattr(history, "MOST_RUNS", 4)
    table = None
    for number in range(7):
        content, runs = history_bytes(table, night_rows(*night(number)))
        table = history._parsed(content)
    assert runs == 4
    kept = [night(number)[0]["run"] for number in range(3, 7)]
    assert list(dict.fromkeys(table.column("run").to_pylist())) == kept


# -- lost, damaged, changed


def parquet_of(*rows, schema=SCHEMA):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(list(rows), schema), sink)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize(
    "content", [None, b"", b"PAR1 and more", parquet_of(schema=pa.schema([("run", pa.string())]))]
)
def test_a_lost_or_damaged_history_is_told_and_begins_anew(
    run, storage, options, out, tmp_path, caplog, content
):
    run(incremental=True)
    place = out / "history.parquet"
    faults, lines = told(storage, options)
    assert faults == []
    if content is None:
        place.unlink()
        faults, lines = told(storage, options)
        assert not any("history" in fault for fault in faults)
        assert any("history.parquet is not here" in line for line in lines)
    else:
        place.write_bytes(content)
        assert any("history.parquet is not what" in fault for fault in told(storage, options)[0])
    more_notes(tmp_path, 100)
    caplog.clear()
    second = run(incremental=True)
    assert "it begins anew with this run" in caplog.text
    assert {row["run"] for row in rows_of(out)} == {second["run"]}
    assert told(storage, options)[0] == []


def test_what_somebody_changed_is_not_carried_on(run, storage, options, out, tmp_path, caplog):
    first = run(incremental=True)
    rows = rows_of(out)
    rows[0]["spans"] += 1
    (out / "history.parquet").write_bytes(history_bytes(None, rows)[0])
    more_notes(tmp_path, 100)
    run(incremental=True)
    assert "history.parquet is not what the last run wrote: it begins anew" in caplog.text
    assert first["run"] not in {row["run"] for row in rows_of(out)}


def test_rows_of_the_last_run_are_compared_with_the_tables(run, storage, options, out):
    manifest = run()
    rows = rows_of(out)
    rows[0]["documents"] += 1
    content = history_bytes(None, rows)[0]
    (out / "history.parquet").write_bytes(content)
    digest = history.hashlib.sha256(content).hexdigest()
    manifest["report"]["history"]["sha256"] = digest
    faults, _ = faults_of_history(storage, options.output, json.loads(json.dumps(manifest)))
    assert faults == ["history.parquet: its rows of the last run are not what the tables give"]
    manifest["code_version"] = "0.0.1"
    faults, lines = faults_of_history(storage, options.output, manifest)
    assert faults == [] and "another version" in lines[0]


def test_no_night_fails_because_of_it(run, storage, options, out, tmp_path, monkeypatch, caplog):
    def fail(*_):
        raise StorageError("no room")

    with monkeypatch.context() as patch:
        patch.setattr(history, "count_night", fail)
        first = run(incremental=True)
    assert "history.parquet could not be written (no room)" in caplog.text
    assert (out / "_SUCCESS").exists() and "history" not in first["report"]
    assert not (out / "history.parquet").exists() and told(storage, options)[0] == []

    def foreign(*_):
        raise KeyError("Mr Abernathy")

    more_notes(tmp_path, 100)
    with monkeypatch.context() as patch:
        patch.setattr(history, "count_night", foreign)
        run(incremental=True)
    assert "(KeyError)" in caplog.text and "Abernathy" not in caplog.text
    more_notes(tmp_path, 200)
    caplog.clear()
    third = run(incremental=True)
    assert {row["run"] for row in rows_of(out)} == {third["run"]} and not caplog.text


@pytest.mark.parametrize("what", ["folder", "link"])
def test_what_stands_in_its_place_does_no_harm(run, out, tmp_path, what, caplog):
    out.mkdir()
    aim = tmp_path / "elsewhere"
    aim.write_text("mine")
    if what == "folder":
        (out / "history.parquet").mkdir()
    else:
        (out / "history.parquet").symlink_to(aim)
    run()
    assert (out / "_SUCCESS").exists() and aim.read_text() == "mine"
    assert "history.parquet" in caplog.text or not (out / "history.parquet").is_symlink()


def test_on_an_object_store_likewise(run, out):
    manifest = run(output="memory://history-out/x")
    from scrubline.models.storage.storage import Storage

    place = "memory://history-out/x"
    found = read_history(Storage(), place, said_of_history(manifest))
    assert found.problem == "" and found.table.num_rows > 1
    [count] = count_night(Storage(), place, read_manifest(Storage(), place)).types.values()
    assert count.documents == found.table.column("documents")[0].as_py()


def test_it_holds_nothing_of_the_notes(run, out, tmp_path):
    (tmp_path / "in" / "Abernathy-Qx71.jsonl").write_text(
        "".join(
            json.dumps(note(n) | {"kind": f"Abernathy-Qx71 {n}", "note_id": f"MRN{n}"}) + "\n"
            for n in range(500, 520)
        )
    )
    policy = tmp_path / "policy.toml"
    policy.write_text('name = "mine"\ndefault = "redact"\n[documents]\nnote_type = true\n')
    run(policy=str(policy))
    said = json.dumps(rows_of(out), default=str)
    assert "Abernathy" not in said and "555-867" not in said and "MRN" not in said
    assert "Abernathy" not in (out / "history.parquet").read_bytes().decode("latin-1")
