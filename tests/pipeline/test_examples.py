"""The example of a night runs as it stands in docs/examples."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import write_corpus

EXAMPLES = Path(__file__).resolve().parents[2] / "docs/examples"
CONFIG = """
models = ["none"]
workers = 1
max_quarantined = 0.5
[columns]
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
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m scrubline.pipeline.cli "$@"\n')
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

    def run():
        done = subprocess.run(
            ["bash", EXAMPLES / "nightly.sh"], env=environment, capture_output=True, text=True
        )
        return done.returncode, done.stdout + done.stderr

    return run


def test_two_nights_and_one_that_is_refused(night, tmp_path):
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
