"""The whole loop on the demo, by the commands of `make demo-certificate`: until it is published.

What it takes is printed (`pytest -s`); it should be under three minutes.
"""

import importlib.util
import json
import re
import sys
import time
from pathlib import Path

import pytest
from scrubline.models.risk.judging import is_direct
from scrubline.pipeline.outputs.risk_sentence import told_risk

from ..measuring import drawn_texts

DEMO = Path(__file__).resolve().parents[3] / "demo"


@pytest.fixture(scope="module")
def demo():
    """The module of the demo."""
    spec = importlib.util.spec_from_file_location("demo_certificate", DEMO / "certificate.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["demo_certificate"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["demo_certificate"]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_demo_is_scrubbed_measured_certified_and_published(demo, place, scrubline, capfdbinary):
    began = time.monotonic()
    folder, said, leaking = Path("out/restricted/review/spring"), {}, set()
    for step in demo.steps(place):
        if step.words[0] == "certify" and not leaking:  # while the audit lies where the run waits
            gold, removed = demo.gold_of(place / "key.txt"), demo.removed_places(place / "out")
            leaking = {
                text.n
                for text in drawn_texts(folder)
                if any(is_direct(mark.label) for mark in demo.left_of(text, gold, removed))
            }
        code, out, err = scrubline(*step.words)
        assert code == step.code, out + err
        said[step.about] = out, err
        assert Path("out/_SUCCESS").exists() == (step.words[-1] == "direct=0.15" and code == 0) or (
            step.words[1] == "verify"
        )
    _, told, held, above, published, checked = list(said.values())[2:]
    assert "they judged 100% of these alike" in told[0]
    assert "NoCertificate" in held[1] and "AboveLimit" in above[1]
    assert "agree: draw.jsonl, marks.jsonl, run.json" in checked[0]
    certificate = json.loads(Path("out/risk/certificate.json").read_text())
    primary = certificate["statements"][0]
    assert primary["k"] == len(leaking) > 0 and primary["bound"] > primary["k"] / primary["n"]
    manifest = json.loads(Path("out/manifest.json").read_text())
    assert manifest["report"]["risk"]["how"] == "measured"
    assert told_risk(manifest).statement.bound == primary["bound"]
    seconds = time.monotonic() - began

    code, report, _ = scrubline("report", "out")
    assert code == 0
    gate = ("--key-file", "key.txt", "--trusted-keys", "officer.pub")
    code, verified, _ = scrubline("verify", "--output", "out", *gate)
    assert code == 0, verified
    says = "".join(out + err for out, err in said.values()) + report + verified
    _look_for_phi(says, gold, folder)
    with capfdbinary.disabled():
        print(f"\nwhole loop of the demo: {seconds:.0f} s; bound {primary['bound']:.4f}")


def _look_for_phi(said, gold, folder):
    """No gold name, number or contact stands in what was said or written."""
    files = [
        *folder.parent.rglob("*.jsonl"),
        *Path("out/risk").iterdir(),
        Path("out/manifest.json"),
    ]
    written = said + "".join(path.read_text() for path in files)
    words = {
        words[start:end]
        for words, spans in gold.values()
        for start, end, label in spans
        if label in ("PATIENT", "DOCTOR", "PHONE", "MEDICALRECORD", "IDNUM", "STREET", "EMAIL")
    }
    found = [
        word for word in words if len(word) > 4 and re.search(rf"\b{re.escape(word)}\b", written)
    ]
    assert len(words) > 200 and not found
    assert drawn_texts(folder)


def test_a_tail_of_the_demo_is_cut_by_the_risk_of_its_models(demo, place, scrubline):
    key, scrub, *_ = (step.words for step, _ in zip(demo.steps(place), range(2), strict=False))
    scrubline(*key)
    scrubline(*scrub)
    given = ("--target", "0.15", "--name", "c", "--key-file", "key.txt", "--cut-tail", "0.1")
    code, said, err = scrubline("campaign", "out", *given)
    assert (code, err) == (0, "")
    cut = int(re.search(r"cut: the (\d+) documents? of a risk over -?\d+", said)[1])
    assert 0 < cut <= 9 and f": {91 - cut} documents of " in said
