"""Promise 5 for what people look at: what commands print, and the files that they leave."""

import json

import pyarrow as pa
import pytest
from scrubline import Scrubber, scrub_table

from .test_canary import (  # noqa: F401 (fixtures)
    ALL_COLUMNS,
    FILE,
    ID,
    TEXT,
    common,
    phi,
    restricted,
    row,
    sinks,
)


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "in" / f"{FILE}-folder"
    folder.mkdir(parents=True)
    lines = [row(number, phi(number)) for number in range(30)] + [f"{TEXT} is not JSON"]
    (folder / f"{FILE}-1.jsonl").write_text("\n".join(lines) + "\n")
    return str(folder)


@pytest.mark.slow
def test_nothing_leaks_to_where_people_look(sinks, common, source, tmp_path):  # noqa: F811
    out, key = str(tmp_path / "out"), ["--key-file", str(tmp_path / "key.txt")]
    scrub = ["scrub", "--input", source, "--output", out, *common, *ALL_COLUMNS]
    seen = [
        ["init", "--input", source, "--output", str(tmp_path / "job.toml"), *key],
        ["scrub", "--config", str(tmp_path / "job.toml"), "--output", out, "--dry-run"],
        [*scrub, "--dry-run", "--json"],
        [*scrub, "--report", str(tmp_path / "report.json"), "--log-format", "json"],
        ["preview", "--input", source, *ALL_COLUMNS],
        ["inspect", "--output", out],
        ["inspect", "--output", out, "--sql"],
        ["status", "--output", out, "--json"],
        ["scrub", f"{source}/{FILE}-1.jsonl"],
        ["key", "map", "--input", source, *ALL_COLUMNS, *key, "--output", f"{out}/no/map.csv"],
        ["completion", "bash"],
        ["completion", "zsh"],
    ]
    codes = sinks.run("looked at", seen)
    assert codes == [0, 0, 0, 0, 2, 0, 0, 0, 2, 2, 0, 0]
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["state"] == "published" and report["counts"]["rows_quarantined"] == 1
    assert sinks.found(TEXT, ID) == []
    # A config file names its input, and only its owner can read it.
    named = [place for place, _ in restricted(sinks.found(FILE))]
    assert set(named) <= {"job.toml"} and (tmp_path / "job.toml").stat().st_mode & 0o77 == 0


def test_what_a_notebook_or_a_log_shows_of_results_holds_no_text():
    scrubber = Scrubber(None)
    table = pa.table({"note": [phi(1), None], "name": [TEXT, TEXT]})
    done = scrub_table(table, {"note": "text", "name": "drop"}, scrubber=scrubber)
    result = scrubber.explain(phi(1))
    shown = (*map(repr, (scrubber, done, result)), str(result), result._repr_html_())
    assert not [one for one in shown if TEXT.lower() in one.lower()]
    assert TEXT.lower() not in repr((done.audit.to_pylist(), done.quarantine.to_pylist())).lower()
    assert TEXT.lower() not in repr(done.table.to_pylist()).lower()
