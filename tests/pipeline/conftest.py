"""Corpora and runs for the pipeline's tests; rules alone: fast, and no bundle is needed."""

import dataclasses
import functools
import io
import json
import shutil
import signal
import sys

import pytest
from scrubline.models.core.keys import new_key
from scrubline.models.formats.column_roles import Columns
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.cli import main as cli
from scrubline.pipeline.options import Options

from ..quick_beam import answer_once
from .measuring import POLICY, write_notes

answer_once()

COLUMNS = Columns.parse(
    [
        ("note_id", "id"),
        ("patient_id", "patient"),
        ("kind", "type"),
        ("text", "text"),
        ("n", "pass"),
    ]
)


@pytest.fixture
def scrubline(monkeypatch, capfdbinary):
    """Runs a command line in this process; gives exit code, standard output and error."""

    def run_it(*words, stdin=b""):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            cli.main([str(word) for word in words])
        sys.stdout.flush()
        out, err = capfdbinary.readouterr()
        return ended.value.code, out.decode(), err.decode()

    return run_it


@pytest.fixture
def terminal(monkeypatch):
    """Makes standard error, and output, a terminal for the messages of commands that follow."""

    def begin():
        monkeypatch.setattr("scrubline.pipeline.process.logs.is_terminal", lambda stream: True)

    return begin


def note(number: int) -> dict:
    """An invented note; about one in seven holds no PHI, one in eleven no text."""
    text: str | None = (
        f"Seen on {number % 12 + 1}/{number % 28 + 1}/2019. MRN: {7_000_000 + number}. "
        "Café → ok 🙂.\n"
        f"BP 120/80, strength 5/5. Call 555-867-{number % 9000 + 1000} "
        f"or mail p{number}@clinic.example.\n"
    )
    if number % 7 == 3:
        text = "No complaints. 1/2 tab daily.\r\n"
    if number % 11 == 5:
        text = None
    return {
        "note_id": number,
        "patient_id": f"00{number % 5}",
        "kind": "progress",
        "text": text,
        "n": [number, 1.50],
    }


def write_corpus(folder, notes=60, files=3, broken=True):
    """JSON Lines files with `notes` notes and, if asked, some lines that cannot be read."""
    folder.mkdir(parents=True, exist_ok=True)
    for index in range(files):
        lines = [json.dumps(note(n), ensure_ascii=bool(n % 2)) for n in range(index, notes, files)]
        # What JSON can say and Python's floats cannot keep must pass as it was written.
        lines = [line.replace(", 1.5]", ", 1.50]") for line in lines]
        if broken and index == 1:
            lines.insert(2, '{"note_id": 9001, "text": "cut off')
            lines.insert(4, '{"note_id": null, "text": "no id", "n": 1}')
            lines.insert(5, '{"note_id": 9002, "text": "half \\ud83d", "n": 1}')
            lines.insert(6, '{"note_id": 9003, "text": 17, "n": 1}')
        (folder / f"part{index}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


BROKEN = 4


@pytest.fixture
def storage():
    return Storage(sleep=lambda seconds: None)


@pytest.fixture
def key_file(tmp_path):
    path = tmp_path / "key.txt"
    path.write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    path.chmod(0o600)
    assert len(new_key()) == len(path.read_text().strip())
    return str(path)


@pytest.fixture
def options(tmp_path, key_file):
    """Options of a run over a small corpus; change them with `dataclasses.replace`."""
    return Options(
        inputs=(str(write_corpus(tmp_path / "in")),),
        output=str(tmp_path / "out"),
        models=(),
        columns=COLUMNS,
        key_source=key_file,
        max_quarantined=0.5,
        progress=False,
    )


@pytest.fixture
def run(storage, options):
    """Runs a scrub with some options changed; returns the manifest."""
    from scrubline.pipeline.run import scrub

    def run_it(**changes):
        return scrub(storage, dataclasses.replace(options, **changes))

    return run_it


@pytest.fixture(scope="session")
def waiting_run(tmp_path_factory):
    """A folder with notes, a key, a policy and an output whose run waits; not to be changed."""
    from scrubline.models.core.errors import RunOnHold
    from scrubline.pipeline.run import scrub

    folder = tmp_path_factory.mktemp("measured")
    key = folder / "key.txt"
    key.write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    key.chmod(0o600)
    (folder / "policy.toml").write_text(POLICY, encoding="utf-8")
    options = Options(
        inputs=(str(write_notes(folder / "in")),),
        output=str(folder / "out"),
        models=(),
        columns=COLUMNS,
        key_source=str(key),
        policy=str(folder / "policy.toml"),
        progress=False,
        hold=True,
    )
    with pytest.raises(RunOnHold):
        scrub(Storage(sleep=lambda seconds: None), options)
    return options


@pytest.fixture
def measured(waiting_run, tmp_path):
    """Options of a copy of that output; only the output and what is below it may be changed."""
    shutil.copytree(waiting_run.output, tmp_path / "out", symlinks=True)
    return dataclasses.replace(waiting_run, output=str(tmp_path / "out"), hold=False)


@pytest.fixture
def forked(forking_python, monkeypatch):
    """Processes of Scrubline that a test starts are forked: for where the start is not the point.

    Workers that are started by the command line of the package are real ones in `test_supervisor`.
    """
    from scrubline.pipeline.runners import supervisor, units

    monkeypatch.setattr(sys, "executable", forking_python)
    command = (forking_python, *supervisor.COMMAND[1:])
    settings = functools.partial(supervisor.WorkerSettings, command=command)
    monkeypatch.setattr(units, "WorkerSettings", settings)


@pytest.fixture
def signals_as_in_a_terminal():
    """Who starts the tests in the background may have had signals ignored, for children too."""
    usual = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: signal.SIG_DFL,
        signal.SIGHUP: signal.SIG_DFL,
    }
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)
