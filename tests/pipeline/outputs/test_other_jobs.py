"""Another job into an output: refused with 2 before anything is written, unless asked for."""

from __future__ import annotations

import json
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.keys import new_key

pytestmark = pytest.mark.slow


@pytest.fixture
def words(tmp_path, key_file):
    """Words of a scrub of one named input into the output `out`; more words may follow."""

    def of(source, *more, key=key_file):
        common = ("scrub", "--input", tmp_path / source, "--output", tmp_path / "out")
        return (*common, "--key-file", key, "--model", "none", "--recogniser", "date", *more)

    return of


ROLES = ("--column", "id=id", "--column", "note=text", "--column", "score=pass")


@pytest.fixture
def warehouse(tmp_path, scrubline, words):
    """An output that holds one Parquet file of three columns."""
    table(tmp_path, "a.parquet")
    assert scrubline(*words("a.parquet", *ROLES))[0] == 0
    return tmp_path / "out"


def table(folder, name, **more):
    columns = {"id": [name], "note": ["Seen 3/4/2012"], "score": [1], **more}
    pq.write_table(pa.table(columns), folder / name)


def texts(folder, name):
    with zipfile.ZipFile(folder / name, "w") as archive:
        archive.writestr("jane_roe.txt", "Seen 3/4/2012")


def everything(folder):
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file() and p.name != "LOCK"}


@pytest.mark.parametrize("command", ["scrub", "plan"])
@pytest.mark.parametrize(
    ("source", "more", "says"),
    [
        (
            "b.zip",
            (),
            "columns: path (id here, absent in the published job), text (text here, absent in the "
            "published job), id (absent here, id in the published job), note (absent here, text in "
            "the published job), score (absent here, pass in the published "
            "job); format: texts, published Parquet",
        ),
        (
            "b.parquet",
            ("--column", "id=id", "--column", "note=text", "--column", "score=hash"),
            "columns: score (hash here, pass in the published job).",
        ),
        ("b.jsonl", ROLES, "differs in format: JSON Lines, published Parquet."),
        ("b.parquet", (*ROLES, "--policy", "research"), "differs in policy."),
        ("b.parquet", (*ROLES, "--policy", "research", "--incremental"), "differs in policy."),
    ],
    ids=["zip", "role", "format", "policy", "incremental"],
)
def test_another_job_is_refused_before_anything_is_written(
    scrubline, tmp_path, warehouse, words, command, source, more, says
):
    texts(tmp_path, "b.zip")
    table(tmp_path, "b.parquet")
    (tmp_path / "b.jsonl").write_text('{"id": "b", "note": "Seen 3/4/2012", "score": 1}\n')
    before = everything(tmp_path)
    asked = (command, *words(source, *more)[1:])
    code, out, err = scrubline(*asked)
    assert (code, out) == (2, "")
    assert "the output holds 1 unit of another job" in err and says in err
    assert "--allow-different-job" in err and "roe" not in err and "b.zip" not in err
    assert everything(tmp_path) == before
    assert scrubline(*asked, "--allow-different-job")[0] == 0
    if command == "scrub":
        assert len(list((warehouse / "data").rglob("*.*"))) == 2
        assert scrubline(*asked)[0] == 0  # it is one of the output's jobs by now


def test_another_key_is_refused(scrubline, tmp_path, warehouse, words):
    other = tmp_path / "other.txt"
    other.write_text(new_key() + "\n")
    table(tmp_path, "b.parquet")
    code, _, err = scrubline(*words("b.parquet", *ROLES, key=other))
    assert code == 2 and "differs in master key." in err


@pytest.mark.parametrize("how", [(), ("--incremental",)])
def test_the_same_job_goes_on(scrubline, tmp_path, warehouse, words, how):
    for number in range(2):
        table(tmp_path, f"b{number}.parquet")
        # A further column that is dropped changes nothing for those who read the output.
        roles = (*ROLES, "--column", "new=drop") if number else ROLES
        if number:
            table(tmp_path, "b1.parquet", new=[None])
        assert scrubline(*words("b*.parquet", *roles, *how))[0] == 0
    assert json.loads((warehouse / "manifest.json").read_text())["counts"]["rows_in"] == 3


def test_other_models_and_rules_are_no_other_job(scrubline, tmp_path, warehouse, words):
    table(tmp_path, "b.parquet")
    assert scrubline(*words("b.parquet", *ROLES, "--recogniser", "email"))[0] == 0


@pytest.mark.parametrize("how", [(), ("--incremental",)])
def test_a_job_that_replaces_all_is_no_other_job(scrubline, tmp_path, warehouse, words, how):
    """A new policy for the whole output: `--incremental` takes what is outdated."""
    code, _, err = scrubline(*words("a.parquet", *ROLES, "--policy", "research", *how))
    assert (code, err) == (0, "")
    manifest = json.loads((warehouse / "manifest.json").read_text())
    assert manifest["policy"]["name"] == "research"


def test_an_incremental_upgrade_leaves_what_is_gone(scrubline, tmp_path, warehouse, words):
    """As before: it is the same data, and the summary says what could not be taken."""
    table(tmp_path, "b.parquet")
    assert scrubline(*words("[ab].parquet", *ROLES))[0] == 0
    (tmp_path / "a.parquet").unlink()
    night = words("[ab].parquet", *ROLES, "--incremental", "--policy", "research")
    code, out, _ = scrubline(*night)
    assert code == 0 and "1 inputs no longer exist" in out


def test_what_was_planned_with_the_flag_is_resumed_without(scrubline, tmp_path, warehouse, words):
    texts(tmp_path, "b.zip")
    assert scrubline("plan", *words("b.zip", "--allow-different-job")[1:])[0] == 0
    assert scrubline("resume", "--output", warehouse)[0] == 0


def test_the_config_file_says_it_too(scrubline, tmp_path, warehouse, words):
    texts(tmp_path, "b.zip")
    (tmp_path / "job.toml").write_text("allow_different_job = true\n")
    assert scrubline(*words("b.zip", "--config", tmp_path / "job.toml"))[0] == 0
