"""There is one version: package, command, manifest, report, bundle and evaluation state it."""

import importlib.metadata
import json
import re
import subprocess
import sys
from pathlib import Path

from scrubline import __version__, open_bundle
from scrubline.models.auxiliary import read_auxiliary
from scrubline.models.core.version import VERSION
from scrubline.models.corpora import AnnotatedDocument, Annotation, write_annotated
from scrubline.models.jobs.job import CODE_VERSION
from scrubline.models.native import why_absent

from ..conftest import COLUMNS, write_corpus

ROOT = Path(__file__).parents[3]


def test_the_package_and_its_build_say_the_version_of_the_code():
    """Fails in an environment that was installed before the version changed: install again."""
    assert importlib.metadata.version("scrubline") == VERSION == CODE_VERSION == __version__
    built = subprocess.run(
        [sys.executable, "setup.py", "--version"], cwd=ROOT, capture_output=True, text=True
    )
    assert built.stdout.split()[-1] == VERSION


def test_the_command_says_it(scrubline):
    native = why_absent()
    how = f"without the native extension: it {native}" if native else "native"
    assert scrubline("--version") == (0, f"scrubline {VERSION} ({how})\n", "")


def test_the_command_says_whether_the_extension_is_there(scrubline, monkeypatch):
    monkeypatch.setattr("scrubline.models.native.why_absent", lambda: "is not installed")
    said = "(without the native extension: it is not installed)"
    assert scrubline("--version")[1] == f"scrubline {VERSION} {said}\n"


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


def test_a_bundle_states_the_version_that_trained_it(scrubline, tmp_path):
    corpus, bundle = tmp_path / "gold.jsonl", tmp_path / "bundle"
    write_annotated(
        [AnnotatedDocument(f"d{n}", f"Seen by Dr. Poe {n}.", (Annotation(12, 15, "DOCTOR"),))
         for n in range(10)],
        corpus,
    )  # fmt: skip
    words = ("--recipe", "hide", "--name", "small", "--output", bundle, "--set", "max_iterations=2")
    code, _, err = scrubline("train", "--corpus", corpus, *words)
    assert code == 0, err
    assert open_bundle(str(bundle)).card["scrubline"] == VERSION
    assert f"\n- scrubline: {VERSION}\n" in (bundle / "card.md").read_text()


def test_a_part_states_the_version_that_made_it(scrubline, tmp_path):
    notes, part = tmp_path / "notes.jsonl", tmp_path / "part"
    notes.write_text('{"text": "the man ate soup . the dog ate bread .", "meta": {}}\n' * 3)
    words = ("--set", "clusters=2", "--licence", "ours", "--credit", "Notes of our own.")
    code, _, err = scrubline("part", "train", "brown", "--input", notes, "--output", part, *words)
    assert code == 0, err
    assert read_auxiliary(str(part)).card["scrubline"] == VERSION


def test_the_evaluation_says_it(scrubline, tmp_path):
    gold, page = tmp_path / "gold.jsonl", tmp_path / "page.html"
    write_annotated([AnnotatedDocument("a", "b")], gold)
    _, out, _ = scrubline("evaluate", gold, gold, "--json", "--resamples", 0, "--html", page)
    assert json.loads(out)["options"]["version"] == VERSION
    assert re.search(rf"version\W[^.]*\b{re.escape(VERSION)}\b", page.read_text())
