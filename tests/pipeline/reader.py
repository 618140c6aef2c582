"""A scripted reader of campaigns: what a person marks who knows the gold spans of notes."""

import dataclasses
import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from scrubline.models.core.keys import Keys, canonical_id, key_bytes
from scrubline.models.redaction.actions import ACTIONS
from scrubline.models.risk.rows import MarkedSpan, MarkedText, json_line, read_draw

GOLD = Path(__file__).resolve().parents[2] / "demo/gold"


def gold_of(key_file, files=("train.jsonl", "dev.jsonl")):
    """doc_key -> gold spans (start, end, label) of the demo's notes."""
    keys = Keys(key_bytes(Path(key_file).read_text()))
    found = {}
    for name in files:
        for line in (GOLD / name).read_text("utf-8").splitlines():
            row = json.loads(line)
            spans = [(s["start"], s["end"], s["label"]) for s in row["spans"]]
            found[keys.doc_key(canonical_id(row["doc_id"]))] = (row["text"], spans)
    return found


def covered(root):
    """doc_key -> places that the audit removed, of all parts below a folder."""
    found = {}
    for path in sorted(Path(root, "audit").rglob("*.parquet")):
        table = pq.read_table(path)
        for row in pa.Table.to_pylist(table):
            if ACTIONS[row["action"]].removes and row["reason"] is None:
                places = found.setdefault(row["doc_key"], set())
                places.update(range(row["start"], row["end"]))
    return found


def left_of(text, spans, removed):
    """What of gold spans is left in the clear, but for blanks."""
    for start, end, label in spans:
        at = start
        while at < end:
            stop = at
            while stop < end and stop not in removed:
                stop += 1
            if text[at:stop].strip():
                yield MarkedSpan(at, stop, label)
            at = stop + 1


def read_campaign(folder, marks_of, reader="ana", verdict=lambda text: "done", only=None):
    """Writes the marks of one reader, on what is planted and on what `marks_of` gives of a text."""
    drawn = read_draw(Path(folder, "draw.jsonl").read_bytes())
    lines = []
    for text in drawn.texts:
        if only is not None and not only(text):
            continue
        spans = [MarkedSpan(one.start, one.end, "PATIENT") for one in text.planted]
        spans += marks_of(text)
        row = MarkedText(
            len(lines) + 1,
            text.doc_key,
            text.field,
            "h" + text.doc_key,
            1,
            tuple(sorted(spans, key=lambda one: one.start)),
            verdict(text),
            30.0,
        )
        lines.append(json_line(dataclasses.asdict(row)))
    path = Path(folder, f"marks-{reader}.jsonl")
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(b"".join(lines))
    return path
