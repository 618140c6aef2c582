"""Measures the demo: scrub and wait, draw, read, certify, and let the gate decide.

`python demo/certificate.py FOLDER` makes the folder anew and runs every command in it, each shown
before it runs. Who reads is no person but the demo's gold annotation: it marks what is planted and
what is left, and misses nothing. What a person would mark, `scrubline review` writes into the same
file.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import shlex
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from scrubline.models.core.keys import Keys, canonical_id, key_bytes
from scrubline.models.redaction.actions import ACTIONS
from scrubline.models.risk.rows import DONE, DrawnText, MarkedSpan, MarkedText, json_line, read_draw
from scrubline.models.storage.private_files import write_private

DEMO = Path(__file__).resolve().parent
CAMPAIGN, TARGET, LOWER = "spring", "0.15", "0.02"
KEPT = ("AGE",)
"""What the policy keeps of the gold labels: ages under 90."""

_KEY = ("--key-file", "key.txt")
_CERTIFICATE = "out/risk/certificate.dsse.json"
_GATE = ("--trusted-keys", "officer.pub")


@dataclasses.dataclass(frozen=True, slots=True)
class DemoStep:
    """A command, and the exit code with which it is to end."""

    about: str
    words: tuple[str, ...]
    code: int = 0


def steps(folder: Path) -> Iterator[DemoStep]:
    """Yields the commands, each to be run in the folder before the next one is asked for."""
    job = ("--config", str(DEMO / "scrubline.toml"), "--input", str(DEMO / "parquet"))
    resume = ("resume", "--output", "out", *_GATE, "--max-risk")
    certify = ("certify", "out", "--campaign", CAMPAIGN, *_KEY)
    yield DemoStep("a master key", ("key", "new", "--output", "key.txt"))
    yield DemoStep("a run that waits", ("scrub", *job, *_KEY, "--output", "out", "--hold"), 4)
    yield DemoStep(
        "notes are drawn", ("campaign", "out", "--target", TARGET, "--name", CAMPAIGN, *_KEY)
    )
    write_officer(folder)
    read_campaign(folder)
    yield DemoStep("what was read is certified and signed", (*certify, "--sign", "officer.pem"))
    yield DemoStep("without a certificate the gate holds", (*resume, f"direct={TARGET}"), 3)
    resume_signed = (*resume[:-1], "--certificate", _CERTIFICATE, "--max-risk")
    yield DemoStep("it states more than is asked for", (*resume_signed, f"direct={LOWER}"), 3)
    yield DemoStep("at a higher limit it publishes", (*resume_signed, f"direct={TARGET}"))
    yield DemoStep(
        "all of it is checked", ("certify", "verify", _CERTIFICATE, "out", *_GATE, *_KEY)
    )


def write_officer(folder: Path) -> None:
    """Writes a key to sign with, and its public one."""
    key = Ed25519PrivateKey.generate()
    pem, private = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    content = key.private_bytes(pem, private, serialization.NoEncryption())
    write_private(str(folder / "officer.pem"), [content])
    public = key.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    (folder / "officer.pub").write_bytes(public)


def read_campaign(folder: Path) -> None:
    """Writes what two readers mark who know the gold: ana of all, ben of what is read twice."""
    review = folder / "out/restricted/review" / CAMPAIGN
    texts = read_draw((review / "draw.jsonl").read_bytes()).texts
    gold, removed = gold_of(folder / "key.txt"), removed_places(folder / "out")
    for reader in ("ana", "ben"):
        rows = []
        for text in texts:
            if reader == "ana" or text.twice:
                marks = [MarkedSpan(one.start, one.end, "PATIENT") for one in text.planted]
                marks += left_of(text, gold, removed)
                rows.append(_row(len(rows) + 1, text, marks))
        write_private(str(review / f"marks-{reader}.jsonl"), rows)


def _row(seq: int, text: DrawnText, marks: list[MarkedSpan]) -> bytes:
    spans = tuple(sorted(marks, key=lambda one: one.start))
    row = MarkedText(
        seq, text.doc_key, text.field, text.text_hmac, 1, spans, verdict=DONE, seconds=30.0
    )
    return json_line(dataclasses.asdict(row))


Gold = dict[str, tuple[str, list[tuple[int, int, str]]]]


def gold_of(key_file: Path) -> Gold:
    """doc_key -> text and gold spans (start, end, label) of the demo's notes."""
    keys = Keys(key_bytes(key_file.read_text("utf-8")))
    found = {}
    for name in ("train.jsonl", "dev.jsonl"):
        for line in (DEMO / "gold" / name).read_text("utf-8").splitlines():
            row = json.loads(line)
            spans = [(one["start"], one["end"], one["label"]) for one in row["spans"]]
            found[keys.doc_key(canonical_id(row["doc_id"]))] = (row["text"], spans)
    return found


def removed_places(output: Path) -> dict[str, set[int]]:
    """doc_key -> places that were removed, by the audit of the run that waits."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for path in sorted(output.glob("_staging/*/audit/**/*.parquet")):
        for row in pq.ParquetFile(path).read().to_pylist():
            if ACTIONS[row["action"]].removes and row["reason"] is None:
                found[row["doc_key"]].update(range(row["start"], row["end"]))
    return found


def left_of(text: DrawnText, gold: Gold, removed: dict[str, set[int]]) -> list[MarkedSpan]:
    """What of the gold spans of a text is left in the clear, but for blanks."""
    words, spans = gold[text.doc_key]
    gone, found = removed.get(text.doc_key, set()), []
    for start, end, label in spans:
        at = start
        while label not in KEPT and at < end:
            stop = at
            while stop < end and stop not in gone:
                stop += 1
            if words[at:stop].strip():
                found.append(MarkedSpan(at, stop, label))
            at = stop + 1
    return found


def main() -> int:
    """Runs all steps; 1 if one does not end as it should."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder.resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    began = time.monotonic()
    for step in steps(folder):
        print(f"\n# {step.about}\n$ scrubline {shlex.join(step.words)}", flush=True)
        done = subprocess.run([sys.executable, "-m", "scrubline", *step.words], cwd=folder)
        if done.returncode != step.code:
            print(f"exit code {done.returncode}, expected {step.code}", file=sys.stderr)
            return 1
    print(f"\nthe whole loop: {time.monotonic() - began:.0f} s, in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
