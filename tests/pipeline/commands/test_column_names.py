"""Names of columns that no one declared are values of the input: a terminal alone shows them."""

import json
import os
import pty
import stat
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.pipeline.cli import main as cli

from ...waiting import GUARD_SECONDS

CANARY = "Quuxford"
"""What the names of columns are made of; some look like names, some do not."""


def csv_without_header(folder):
    (folder / "a.csv").write_text(f"{CANARY},{CANARY} Anna,seen by {CANARY} on 3/4/2019\nx,y,z\n")


def header_with_doubles(folder):
    (folder / "a.csv").write_text(f"id,{CANARY},{CANARY},text\nx,y,z,w\n")


def keys_of_json(folder):
    (folder / "a.jsonl").write_text(json.dumps({"note_id": 1, "text": "x", f"{CANARY} A": 1}))


def columns_of_parquet(folder):
    kind = pa.struct([(f"{CANARY}_inner", pa.string())])
    table = pa.table({"note_id": [1], "text": ["x"], CANARY: pa.array([None], kind)})
    pq.write_table(table, folder / "a.parquet")


def folders_of_hive(folder):
    inner = folder / f"{CANARY}_key={CANARY} value"
    inner.mkdir()
    (inner / "a.jsonl").write_text('{"note_id": 1, "text": "x"}\n')


def folders_of_hive_twice(folder):
    inner = folder / f"{CANARY}=1" / f"{CANARY}=2"
    inner.mkdir(parents=True)
    (inner / "a.jsonl").write_text('{"note_id": 1, "text": "x"}\n')


def key_that_is_a_column(folder):
    inner = folder / f"{CANARY}=1"
    inner.mkdir()
    (inner / "a.jsonl").write_text(json.dumps({"note_id": 1, CANARY: 1, "text": "x"}))


INPUTS = (
    csv_without_header,
    header_with_doubles,
    keys_of_json,
    columns_of_parquet,
    folders_of_hive,
    folders_of_hive_twice,
    key_that_is_a_column,
)


@pytest.fixture
def source(tmp_path, request):
    folder = tmp_path / "in"
    folder.mkdir()
    request.param(folder)
    return folder


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key.txt"
    path.write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    path.chmod(0o600)  # else a warning comes first
    return path


DECLARED = ("--column", "note_id=id", "--column", "text=text")


@pytest.mark.parametrize("declared", [DECLARED, ()], ids=["declared", "nothing declared"])
@pytest.mark.parametrize("source", INPUTS, indirect=True)
def test_no_message_log_or_report_names_a_column_that_no_one_declared(
    source, key, tmp_path, capsys, declared
):
    out, report, metrics = tmp_path / "out", tmp_path / "report.json", tmp_path / "m.prom"
    run = ["--input", str(source), "--output", str(out), "--key-file", str(key), "--model", "none"]
    run += [*declared, "--log-level", "DEBUG"]
    kept = ["--report", str(report), "--metrics-file", str(metrics)]
    for line in (
        ["scrub", *run, *kept],
        ["scrub", *run, *kept, "--log-format", "json", "--json"],
        ["scrub", *run, "--dry-run", "--json"],
        ["scrub", *run, "--dry-run", "--estimate"],
        ["plan", *run, "--json"],
        ["scrub", *run, "--incremental"],
    ):
        with pytest.raises(SystemExit) as end:
            cli.main(line)
        assert end.value.code == 2
    said = capsys.readouterr()
    places = [said.out, said.err, report.read_text()]
    places += [path.read_text() for path in (metrics,) if path.exists()]
    assert not any(CANARY in place for place in places)
    assert "column" in said.err or "partition key" in said.err
    assert json.loads(report.read_text())["error"]["class"] == "UsageError"
    assert not out.exists()


def on_a_terminal(line):
    """Runs a command whose standard output and error are one terminal; gives code and text."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "scrubline.pipeline.cli.main", *line],
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    said = b""
    try:
        while block := os.read(ours, 1 << 16):
            said += block
    except OSError:  # EIO: the other side is closed
        pass
    finally:
        os.close(ours)
    return process.wait(timeout=GUARD_SECONDS), said.decode().replace("\r\n", "\n")


@pytest.mark.slow
def test_a_terminal_shows_them_but_logs_in_json_do_not(tmp_path, key):
    keys_of_json(tmp_path)
    line = ["scrub", "--input", str(tmp_path / "a.jsonl"), "--output", str(tmp_path / "out")]
    line += ["--key-file", str(key), "--model", "none", *DECLARED]
    report = tmp_path / "report.json"
    code, said = on_a_terminal([*line, "--report", str(report)])
    assert code == 2
    assert f"--column '{CANARY} A=ROLE'" in said
    assert CANARY not in report.read_text()
    code, said = on_a_terminal([*line, "--log-format", "json"])
    assert code == 2
    assert CANARY not in said
    assert "column 3" in json.loads(said)["message"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            csv_without_header,
            [
                ["1", CANARY, "-"],
                ["2", f"{CANARY} Anna", "-"],
                ["3", f"seen by {CANARY} on 3/4/2019", "-"],
            ],
        ),
        (
            keys_of_json,
            [
                ["1", "note_id", "-"],
                ["2", "text", "-"],
                ["3", f"{CANARY} A", "-"],
            ],
        ),
        (
            columns_of_parquet,
            [
                ["1", "note_id", "int64"],
                ["2", "text", "string"],
                ["3", CANARY, f"struct<{CANARY}_inner: string>"],
            ],
        ),
        (
            folders_of_hive,
            [
                ["1", "note_id", "-"],
                ["2", "text", "-"],
                ["3", f"{CANARY}_key", "folder"],
            ],
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
    indirect=["source"],
)
def test_inspect_lists_columns_in_a_file_of_the_user_alone(source, tmp_path, expected, capsys):
    path = tmp_path / "names.tsv"
    line = ["inspect", "--columns", "--input", str(source)]
    before = os.umask(0)
    try:
        with pytest.raises(SystemExit) as end:
            cli.main([*line, "--names-file", str(path)])
    finally:
        os.umask(before)
    assert end.value.code == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    head, *rows = [row.split("\t") for row in path.read_text().splitlines()]
    assert head == ["column", "name", "type"]
    assert rows == expected
    assert CANARY not in "".join(capsys.readouterr())


def test_inspect_prints_columns_on_a_terminal_alone(tmp_path, capsys):
    (tmp_path / "a.csv").write_text(f"{CANARY};\x1b[2J\nx;y\n")
    line = ["inspect", "--columns", "--input", str(tmp_path / "a.csv"), "--delimiter", ";"]
    with pytest.raises(SystemExit) as end:
        cli.main(line)
    assert end.value.code == 2
    said = capsys.readouterr()
    assert CANARY not in said.out + said.err
    assert "--names-file" in said.err
    code, said = on_a_terminal(line)
    assert code == 0
    # A name may hold signs that would steer the terminal.
    assert said == f"column\tname\ttype\n1\t{CANARY}\t-\n2\t'\\x1b[2J'\t-\n"


def test_a_file_of_names_is_never_written_over_nor_through_a_link(tmp_path, capsys):
    keys_of_json(tmp_path)
    line = ["inspect", "--columns", "--input", str(tmp_path / "a.jsonl"), "--names-file"]
    victim, link, nowhere = (tmp_path / name for name in ("victim", "link", "nowhere"))
    victim.write_text("precious")
    link.symlink_to(victim)
    dangling = tmp_path / "dangling"
    dangling.symlink_to(nowhere)
    for path in (victim, link, dangling):
        with pytest.raises(SystemExit) as end:
            cli.main([*line, str(path)])
        assert end.value.code == 2
        assert "never overwritten" in capsys.readouterr().err
    assert victim.read_text() == "precious"
    assert not nowhere.exists()


def test_the_columns_of_an_input_need_an_input_and_a_summary_an_output(tmp_path, capsys):
    for line in (["--columns", "--names-file", str(tmp_path / "x")], []):
        with pytest.raises(SystemExit) as end:
            cli.main(["inspect", *line])
        assert end.value.code == 2
    said = capsys.readouterr().err
    assert "--input URL" in said
    assert "--output URL" in said
    assert not (tmp_path / "x").exists()
