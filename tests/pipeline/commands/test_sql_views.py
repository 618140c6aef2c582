"""`scrubline inspect --sql`: the views say what the tables hold."""

import hashlib
import json
from collections import Counter
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs.audit import EARLIER
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands.inspect import read_rows
from scrubline.pipeline.commands.sql_views import sql_views
from scrubline.pipeline.commands.verify import verify
from scrubline.pipeline.outputs.manifest import read_manifest
from scrubline.pipeline.outputs.table_faults import faults_of_tables, read_tables


@pytest.fixture
def database():
    with duckdb.connect() as opened:
        yield opened


def rows(database, query):
    found = database.execute(query)
    names = [one[0] for one in found.description]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def test_the_views_agree_with_the_tables(run, storage, options, scrubline, database):
    manifest = run()
    code, sql, err = scrubline("inspect", "--output", options.output, "--sql")
    assert code == 0, err
    database.execute(sql)
    database.execute(sql)  # again, over what is there
    audit = read_rows(storage, options.output, manifest, "audit")
    documents = read_rows(storage, options.output, manifest, "documents")

    assert len(rows(database, "FROM scrubline.audit")) == len(audit)
    [count] = rows(database, "SELECT count(*) AS n FROM scrubline.audit WHERE entity")
    assert count["n"] == manifest["counts"]["spans"]
    told = rows(database, "SELECT label, sum(spans) AS n FROM scrubline.labels GROUP BY label")
    assert {row["label"]: row["n"] for row in told} == manifest["labels"]
    told = rows(database, "SELECT source, sum(spans) AS n FROM scrubline.sources GROUP BY source")
    assert {row["source"]: row["n"] for row in told} == Counter(row["source"] for row in audit)

    [seen] = rows(database, "SELECT DISTINCT detectors FROM scrubline.documents")
    expected = [one.split("@") for one in documents[0]["detectors"].split(" ")]
    assert seen["detectors"] == [name for name, _ in expected]
    told = rows(database, "FROM scrubline.detectors ORDER BY detector")
    assert [[row["detector"], row["hash"]] for row in told] == sorted(expected)

    told = rows(database, "FROM scrubline.density")
    spans = Counter(row["doc_key"] for row in audit if not row["fragment"])
    assert {row["doc_key"]: row["spans"] for row in told if row["spans"]} == spans
    held = rows(database, "FROM scrubline.held_back")
    assert {f"{r['stage']}: {r['error']}": r["row_count"] for r in held} == manifest["errors"]

    told = rows(database, "FROM scrubline.history WHERE label IS NOT NULL")
    assert {row["label"]: row["spans"] for row in told} == manifest["labels"]
    [night] = rows(database, "FROM scrubline.nights")
    assert night["run"] == manifest["run"] and night["removed"] == manifest["counts"]["spans"]
    held = 100 * sum(manifest["errors"].values()) / manifest["counts"]["rows_in"]
    assert night["held_back_percent"] == round(held, 2) and night["median_tokens"] > 0


def test_type_and_period_are_told_where_the_policy_says_so(run, options, database, tmp_path):
    folder = tmp_path / "dated"
    folder.mkdir()
    notes = [("x", "2019-03-04", "1/2/2019"), ("y", "3/4/2018", "none"), (None, None, "3/4/2018")]
    (folder / "a.jsonl").write_text(
        "".join(
            json.dumps({"note_id": n, "kind": kind, "day": day, "text": f"Seen {text}"}) + "\n"
            for n, (kind, day, text) in enumerate(notes)
        )
    )
    roles = Columns.parse([("note_id", "id"), ("kind", "type"), ("day", "date"), ("text", "text")])
    told = {}
    for name, documents in (
        ("nothing", ""),
        ("year", '[documents]\nnote_type = true\nperiod = "year"\n'),
        ("month", '[documents]\nperiod = "month"\n'),
    ):
        policy = tmp_path / f"{name}.toml"
        policy.write_text(f'name = "{name}"\n{documents}')
        output = str(tmp_path / f"out-{name}")
        manifest = run(inputs=(str(folder),), output=output, policy=str(policy), columns=roles)
        assert ("documents" in manifest["policy"]) == bool(documents)
        assert verify(Storage(), output, originals=True, key_source=None)[0] == []
        database.execute(sql_views(Storage(), output))
        query = "SELECT note_type, period FROM scrubline.documents ORDER BY ordinal"
        told[name] = database.execute(query).fetchall()
        found = database.execute("SELECT note_type, period FROM scrubline.audit ORDER BY ALL")
        assert set(found.fetchall()) == {told[name][0], told[name][2]}
    assert told == {
        "nothing": [(None, None)] * 3,
        "year": [("x", "2019"), ("y", "2018"), (None, None)],
        "month": [(None, "2019-03"), (None, None), (None, None)],
    }


def test_files_of_earlier_versions_are_read_beside_new_ones(run, storage, options, database):
    """As an incremental run leaves them: parts without the new columns."""
    manifest = run()
    for name, schemas in EARLIER.items():
        part = sorted(Path(options.output, name).rglob("*.parquet"))[0]
        pq.write_table(pq.read_table(part).select(schemas[0].names), part)
        content = part.read_bytes()
        for entry in manifest["parts"]:
            if entry["path"].endswith(part.name) and entry["table"] == name:
                entry |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    tables = read_tables(storage, options.output, manifest, ())
    assert tables.faults == [] and list(faults_of_tables(tables, manifest)) == []
    database.execute(sql_views(storage, options.output))
    [count] = database.execute("SELECT count(*) FROM scrubline.documents").fetchone()
    assert count == len(tables.documents)


def test_a_table_without_files_has_no_rows(run, options, scrubline, database, tmp_path):
    (tmp_path / "it's").mkdir()
    (tmp_path / "it's/a.jsonl").write_text('{"note_id": 1, "text": "none", "kind": "x"}\n')
    output = str(tmp_path / "it's/out")
    run(inputs=(str(tmp_path / "it's/a.jsonl"),), output=output)
    assert read_manifest(Storage(), output)["counts"]["rows_quarantined"] == 0
    database.execute(sql_views(Storage(), output))
    assert rows(database, "FROM scrubline.quarantine") == []
    assert rows(database, "FROM scrubline.held_back") == []
    assert [row["per_thousand"] for row in rows(database, "FROM scrubline.density")] == [0.0]
    (Path(output) / "history.parquet").unlink()
    database.execute(sql_views(Storage(), output))
    assert rows(database, "FROM scrubline.nights") == []


def test_there_must_be_an_output(scrubline, tmp_path):
    code, out, err = scrubline("inspect", "--output", tmp_path / "none", "--sql")
    assert (code, out) == (2, "")
