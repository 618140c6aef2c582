"""`scrubline inspect --sql`: the views say what the tables hold."""

from collections import Counter

import duckdb
import pytest
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.commands.inspect import read_rows
from scrubline.pipeline.commands.sql_views import sql_views
from scrubline.pipeline.outputs.manifest import read_manifest


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
    assert (code, err) == (0, "")
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


def test_there_must_be_an_output(scrubline, tmp_path):
    code, out, err = scrubline("inspect", "--output", tmp_path / "none", "--sql")
    assert (code, out) == (2, "")
