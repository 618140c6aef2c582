"""The whole loop on the demo: scrub and wait, draw, read, certify, publish; by commands alone.

What it takes is printed (`pytest -s`); it should be under three minutes.
"""

import json
import re
import shutil
import time
from pathlib import Path

import pytest
from scrubline.models.risk.judging import is_direct
from scrubline.pipeline.outputs.risk_sentence import told_risk

from ..measuring import (
    drawn_texts,
    gold_of,
    left_of,
    read_campaign,
    removed_places,
    signing_keys,
)

DEMO = Path(__file__).resolve().parents[3] / "demo"
KEPT = ("AGE",)
"""What the policy keeps of the gold labels: ages under 90."""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with the demo's notes and config, and keys of an officer."""
    shutil.copytree(DEMO / "parquet", tmp_path / "notes")
    config = (DEMO / "scrubline.toml").read_text("utf-8")
    (tmp_path / "job.toml").write_text(re.sub("key_file = .*", 'key_file = "key.txt"', config))
    signing_keys(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def marks_from_gold(root):
    """What a reader marks who misses nothing."""
    gold, removed = gold_of("key.txt"), removed_places(root)

    def marks(text):
        words, spans = gold[text.doc_key]
        wanted = [span for span in spans if span[2] not in KEPT]
        return list(left_of(words, wanted, removed.get(text.doc_key, set())))

    return gold, marks


def test_the_demo_is_scrubbed_measured_certified_and_published(place, scrubline, capfdbinary):
    began = time.monotonic()
    assert scrubline("key", "new", "--output", "key.txt")[0] == 0
    assert (
        scrubline("scrub", "--config", "job.toml", "--input", "notes", "--output", "out", "--hold")[
            0
        ]
        == 4
    )
    (staging,) = Path("out/_staging").iterdir()
    key = ("--key-file", "key.txt")

    code, said, err = scrubline("campaign", "out", "--target", "0.15", "--name", "spring", *key)
    assert (code, err) == (0, "") and "campaign spring: " in said
    folder = Path("out/restricted/review/spring")
    gold, marks = marks_from_gold(staging)
    read_campaign(folder, marks)
    # A tenth is read by two people.
    read_campaign(folder, marks, reader="ben", only=lambda text: text.twice)
    code, told, err = scrubline(
        "certify", "out", "--campaign", "spring", *key, "--sign", "officer.pem"
    )
    assert (code, err) == (0, ""), told + err
    assert "they judged 100% of these alike" in told
    certificate = json.loads(Path("out/risk/certificate.json").read_text())
    primary = certificate["statements"][0]
    leaking = {
        text.n for text in drawn_texts(folder) if any(is_direct(mark.label) for mark in marks(text))
    }
    assert primary["k"] == len(leaking) > 0 and primary["bound"] > primary["k"] / primary["n"]

    gate = ("--trusted-keys", "officer.pub")
    signed = ("--certificate", "out/risk/certificate.dsse.json")
    resume = ("resume", "--output", "out", *gate)
    code, _, err = scrubline(*resume, "--max-risk", "direct=0.15")
    assert code == 3 and "NoCertificate" in err
    code, _, err = scrubline(*resume, *signed, "--max-risk", "direct=0.02")
    assert code == 3 and "AboveLimit" in err and not Path("out/_SUCCESS").exists()
    code, published, err = scrubline(*resume, *signed, "--max-risk", "direct=0.15")
    assert code == 0, err
    manifest = json.loads(Path("out/manifest.json").read_text())
    assert manifest["report"]["risk"]["how"] == "measured"
    assert told_risk(manifest).statement.bound == primary["bound"]
    code, report, _ = scrubline("report", "out")
    assert code == 0
    code, verified, _ = scrubline("verify", "--output", "out", *key, *gate)
    assert code == 0, verified
    code, checked, _ = scrubline(
        "certify", "verify", "out/risk/certificate.dsse.json", "out", *gate, *key
    )
    assert code == 0 and "agree: draw.jsonl, marks.jsonl, run.json" in checked
    seconds = time.monotonic() - began

    says = said + told + published + report + verified + checked
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


def test_a_tail_of_the_demo_is_cut_by_the_risk_of_its_models(place, scrubline):
    scrubline("key", "new", "--output", "key.txt")
    scrubline("scrub", "--config", "job.toml", "--input", "notes", "--output", "out")
    given = ("--target", "0.15", "--name", "c", "--key-file", "key.txt", "--cut-tail", "0.1")
    code, said, err = scrubline("campaign", "out", *given)
    assert (code, err) == (0, "")
    cut = int(re.search(r"cut: the (\d+) documents? of a risk over -?\d+", said)[1])
    assert 0 < cut <= 9 and f": {91 - cut} documents of " in said
