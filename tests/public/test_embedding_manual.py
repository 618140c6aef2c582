"""The examples of docs/embedding.md, where the programs that they are for are installed."""

import os
import re
import shutil
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from scrubline import Scrubber

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/embedding.md").read_text(encoding="utf-8")
KEY = "scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n"


@pytest.fixture
def place(tmp_path, monkeypatch):
    (tmp_path / "key.txt").write_text(KEY)
    (tmp_path / "demo").symlink_to(ROOT / "demo")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    return tmp_path


@pytest.fixture(scope="module")
def expected():
    notes = pq.read_table(ROOT / "demo/parquet")["note_text"].to_pylist()
    return Scrubber().scrub_many(notes)


def run(name, **given):
    """What an example leaves behind, as a script of its own would."""
    code = re.search(rf"<!-- example: {name} -->\n```python\n(.*?)```", PAGE, re.DOTALL)[1]
    names = {"__name__": "__main__", **given}
    exec(compile(code, f"docs/embedding.md: {name}", "exec"), names)
    return names


@pytest.mark.slow
def test_pandas(place, expected):
    pytest.importorskip("pandas", reason="pandas is not installed: make test-embed does it")
    found = run("pandas")
    assert found["scrubbed"]["note_text"].tolist() == expected
    assert len(found["audit"]) > 100
    assert len(found["quarantine"]) == 0
    column = Scrubber(None).scrub_many(found["notes"]["note_text"].head(3))
    assert len(column) == 3


@pytest.mark.slow
def test_missing_values_of_pandas_pass(place):
    pd = pytest.importorskip("pandas", reason="pandas is not installed: make test-embed does it")
    scrubber = Scrubber(None)
    for column in (
        pd.Series(["3/4/2012", None, float("nan"), pd.NA, pd.NaT], dtype=object),
        pd.Series(["3/4/2012", None], dtype="string"),
    ):
        for done in (column.map(scrubber.scrub), scrubber.scrub_many(column)):
            assert next(iter(done)) == "[DATE]"
            assert all(pd.isna(value) for value in list(done)[1:])


@pytest.mark.slow
def test_polars(place, expected):
    pytest.importorskip("polars", reason="polars is not installed: make test-embed does it")
    found = run("polars")
    assert found["scrubbed"]["note_text"].to_list() == expected
    assert found["failed"].height == 0


@pytest.mark.slow
def test_duckdb(place, expected):
    pytest.importorskip("duckdb", reason="duckdb is not installed: make test-embed does it")
    found = run("duckdb")
    assert found["scrubbed"]["note_text"].to_pylist() == expected
    assert sum(count for _, _, count in found["removed"]) == len(found["audit"])


@pytest.mark.slow
def test_spark(place, expected):
    pytest.importorskip("pyspark", reason="PySpark is not installed: make test-embed does it")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java")
    found = run("spark", KEY_FILE=str(place / "key.txt"))
    try:
        rows = found["scrubbed"].collect()
    finally:
        found["spark"].stop()
    assert sorted(row.note_text for row in rows) == sorted(expected)
    assert {row.error for row in rows} == {None}
    assert len({row.doc_key for row in rows}) == len(rows)


@pytest.mark.slow
def test_beam(place, capfd, monkeypatch):
    from apache_beam.options import pipeline_options

    # The default runner would first look for another one.
    monkeypatch.setattr(pipeline_options.StandardOptions, "DEFAULT_RUNNER", "FnApiRunner")
    run("beam")
    printed = capfd.readouterr().out
    assert "'note': 'Seen [DATE].', 'ward': '4'" in printed
    assert "error='NotText'" in printed
    assert "DATE 5 13" in printed
