"""What this run did is told apart from what the output holds, and nothing done is said."""

from __future__ import annotations

import json

import pytest
from scrubline.pipeline.commands.inspect import summary

from ..conftest import COLUMNS, write_corpus


@pytest.fixture
def words(tmp_path, key_file):
    """Words of a scrub with rules alone over the folder `source`."""
    write_corpus(tmp_path / "source", notes=30, files=3, broken=False)
    common = ["scrub", "--input", tmp_path / "source", "--output", tmp_path / "out"]
    common += ["--key-file", key_file, "--model", "none", "--recogniser", "date"]
    for name, role in COLUMNS.roles:
        common += ["--column", f"{name}={role}"]
    return common


def lines_of(text):
    return {line[:16].strip(): line[17:] for line in text.splitlines() if line[:1] != " "}


def test_a_night_says_what_it_read_and_what_is_published(scrubline, words, tmp_path):
    _, first, _ = scrubline(*words)
    assert "this run" not in first
    more = write_corpus(tmp_path / "more", notes=37, files=1, broken=False) / "part0.jsonl"
    new = more.read_text().splitlines()[30:]
    (tmp_path / "source" / "new.jsonl").write_text("\n".join(new) + "\n")
    report = tmp_path / "report.json"
    code, out, _ = scrubline(*words, "--incremental", "--report", report)
    assert code == 0
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    told, done = lines_of(out), manifest["report"]
    assert told["this run"].startswith("7 rows in = 7 out + 0 quarantined; ")
    assert told["rows"].startswith("37 in = 37 out")
    assert list(told).index("this run") < list(told).index("published") < list(told).index("rows")
    assert (manifest["counts"]["rows_in"], done["counts"]["rows_in"]) == (37, 7)
    assert done["rows_worked_on"] == 7
    rate = 7 / done["seconds"]
    assert told["time"].endswith(f", {rate:,.0f} rows/s")
    assert json.loads(report.read_text())["counts"]["rows_in"] == 7
    code, out, _ = scrubline("inspect", "--output", tmp_path / "out")
    assert "this run" not in out
    assert lines_of(out)["last run"].startswith("7 rows in = 7 out")


def test_a_publication_alone_has_no_rate(scrubline, words, tmp_path):
    assert scrubline(*words, "--hold")[0] == 4
    code, out, _ = scrubline("resume", "--output", tmp_path / "out")
    assert code == 0
    assert "rows/s" not in out
    assert lines_of(out)["time"].endswith("no rows were left to do")
    assert json.loads((tmp_path / "out/manifest.json").read_text())["report"]["rows_worked_on"] == 0


def test_the_same_command_again_says_that_nothing_was_to_do(scrubline, words, tmp_path):
    report = tmp_path / "report.json"
    assert scrubline(*words, "--report", report)[0] == 0
    assert json.loads(report.read_text())["nothing_to_do"] is False
    before = (tmp_path / "out/manifest.json").read_bytes()
    code, out, _ = scrubline(*words, "--report", report)
    assert code == 0
    first, *rest = out.splitlines()
    assert first.startswith("nothing to do: these inputs are published")
    assert "\n".join(rest) == summary(json.loads(before))
    found = json.loads(report.read_text())
    assert (found["nothing_to_do"], found["state"]) == (True, "published")
    code, out, _ = scrubline(*words, "--json")
    assert json.loads(out) == json.loads(before) | {"nothing_to_do": {}}
    assert (tmp_path / "out/manifest.json").read_bytes() == before
    assert "nothing to do" not in scrubline("inspect", "--output", tmp_path / "out")[1]


def test_an_idle_night_says_so_in_its_report(scrubline, words, tmp_path):
    report = tmp_path / "report.json"
    assert scrubline(*words)[0] == 0
    assert scrubline(*words, "--incremental", "--report", report)[0] == 0
    found = json.loads(report.read_text())
    assert (found["nothing_to_do"], found["state"]) == (True, "idle")
