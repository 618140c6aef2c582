"""There is one version: package, command, manifest, report and evaluation say the same."""

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

from scrubline.models.corpora import AnnotatedDocument, write_annotated
from scrubline.models.job import CODE_VERSION
from scrubline.models.version import VERSION

from .conftest import COLUMNS, write_corpus

ROOT = Path(__file__).parents[2]


def test_the_package_and_its_build_say_the_version_of_the_code():
    """Fails in an environment that was installed before the version changed: install again."""
    assert importlib.metadata.version("scrubline") == VERSION == CODE_VERSION
    built = subprocess.run(
        [sys.executable, "setup.py", "--version"], cwd=ROOT, capture_output=True, text=True
    )
    assert built.stdout.split()[-1] == VERSION


def test_the_command_says_it(scrubline):
    assert scrubline("--version") == (0, f"scrubline {VERSION}\n", "")


def test_manifest_and_report_say_it(scrubline, tmp_path, key_file):
    source = write_corpus(tmp_path / "source", notes=3, files=1, broken=False)
    report = tmp_path / "report.json"
    words = ["scrub", "--input", source, "--output", tmp_path / "out", "--key-file", key_file]
    words += ["--model", "none", "--recogniser", "date", "--report", report]
    for name, role in COLUMNS.roles:
        words += ["--column", f"{name}={role}"]
    assert scrubline(*words)[0] == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["code_version"] == VERSION
    assert json.loads(report.read_text())["versions"]["code"] == VERSION


def test_the_evaluation_says_it(scrubline, tmp_path):
    gold = tmp_path / "gold.jsonl"
    write_annotated([AnnotatedDocument("a", "b")], gold)
    _, out, _ = scrubline("evaluate", gold, gold, "--json", "--resamples", 0)
    assert json.loads(out)["options"]["version"] == VERSION
