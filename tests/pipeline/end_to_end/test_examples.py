"""The example of a night runs as it stands in docs/examples."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ...waiting import GUARD_SECONDS, wait_until
from ..conftest import write_corpus

EXAMPLES = Path(__file__).resolve().parents[3] / "docs/examples"
CONFIG = """
model = ["none"]
workers = 1
max_quarantined = 0.5
[column]
note_id = "id"
patient_id = "patient"
text = "text"
ward = "pass"
kind = "pass"
n = "pass"
"""


@pytest.fixture
def night(tmp_path):
    """Runs nightly.sh; gives its exit code and what it printed."""
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin/scrubline"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m scrubline.pipeline.cli.main "$@"\n')
    command.chmod(0o755)
    (tmp_path / "nightly.toml").write_text(CONFIG)
    (tmp_path / "state").mkdir()
    write_corpus(tmp_path / "in", notes=6, files=2)
    environment = os.environ | {
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "CONFIG": str(tmp_path / "nightly.toml"),
        "INPUT": str(tmp_path / "in"),
        "OUTPUT": str(tmp_path / "out"),
        "STATE": str(tmp_path / "state"),
        "SCRUBLINE_KEY": "scrubline-key-v1:" + "QUJD" * 10 + "QUI=",
    }

    def run(*words, meanwhile=lambda process: None):
        process = subprocess.Popen(
            words or ["bash", EXAMPLES / "nightly.sh"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        meanwhile(process)
        said, _ = process.communicate(timeout=GUARD_SECONDS)
        return process.returncode, said

    return run


def report_of(tmp_path):
    return json.loads((tmp_path / "state/report.json").read_text())


@pytest.mark.slow
def test_two_nights_and_one_that_is_refused(forked, night, tmp_path):
    code, said = night()
    assert code == 0, said
    report = json.loads((tmp_path / "state/report.json").read_text())
    assert (report["state"], report["counts"]["rows_out"]) == ("published", 6)
    gauges = (tmp_path / "state/scrubline.prom").read_text()
    assert "scrubline_exit_code 0" in gauges
    code, said = night()
    assert code == 0, said
    assert "nothing to do" in said
    report = json.loads((tmp_path / "state/report.json").read_text())
    assert (report["state"], report["exit_code"]) == ("idle", 0)
    (tmp_path / "nightly.toml").write_text('policy = "nowhere"\n' + CONFIG)
    assert night()[0] == 2


@pytest.mark.slow
def test_a_night_that_was_stopped_is_finished_by_the_next_one_or_given_up(night, tmp_path):
    def stop(process):
        report = tmp_path / "state/report.json"
        wait_until(lambda: report.exists() or process.poll() is not None, "the run has begun")
        process.terminate()  # as an orchestrator does, to the first process alone

    code, said = night(meanwhile=stop)
    assert code == 1, said
    assert "stopped." in said
    assert report_of(tmp_path)["state"] == "stopped"
    # Whether the stop came before the plan was frozen or after: now there is one.
    options = ("--config", tmp_path / "nightly.toml", "--input", tmp_path / "in", "--incremental")
    code, said = night(tmp_path / "bin/scrubline", "plan", *options, "--output", tmp_path / "out")
    assert code == 0, said
    for path in (tmp_path / "in").iterdir():
        os.utime(path, (1, 1))
    code, said = night()
    assert code == 0, said
    assert "giving up the unfinished run" in said
    assert report_of(tmp_path)["counts"]["rows_out"] == 6
