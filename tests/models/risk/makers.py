"""Frames, campaigns and marks of invented notes, without a text."""

import json

from scrubline.models.risk.drawing import draw
from scrubline.models.risk.frame import FrameDocument, frame_of
from scrubline.models.risk.planting import RemovedSpan
from scrubline.models.risk.rows import Campaign, MarksFile

KEY = bytes(range(32))
MANIFEST = json.dumps({"run": "r1", "fingerprint": "f1", "content_digest": "0"}).encode()


def key_of(number):
    return f"{number:032x}"


def documents(count, types=("letter",), notes_a_patient=1, risk=lambda i: None):
    return [
        FrameDocument(
            key_of(i),
            tokens=100 + i % 37,
            spans=i % 9,
            note_type=types[i % len(types)],
            patient=f"{i // notes_a_patient:032x}" if notes_a_patient > 1 else None,
            risk=risk(i),
        )
        for i in range(count)
    ]


def removed_spans(found, label="PATIENT"):
    """Two spans in each note: one that both detectors found, one that a single one did."""
    for one in found:
        yield RemovedSpan(one.doc_key, "text", 10, 15, label, 2, 0.9)
        yield RemovedSpan(one.doc_key, "text", 40, 48, label, 1, 0.6)


def campaign_of(frame, **settings):
    given = {"name": "c1", "run": "r1", "fingerprint": "f1", "target": 0.05, "n": 100}
    return Campaign(frame=frame.facts(), cut_tail=frame.cut_tail, **{**given, **settings})


def drawn_of(count=5000, asked=(), types=("letter",), notes_a_patient=1, spans=True, **settings):
    found = documents(count, types, notes_a_patient)
    frame = frame_of(found, asked=frozenset(asked))
    campaign = campaign_of(frame, types=tuple(sorted(asked)), **settings)
    return draw(campaign, frame, KEY, removed_spans(found) if spans else ())


def mark(start, end, label="PATIENT", was=None):
    return {"start": start, "end": end, "label": label, "was": was}


def row(seq, text, spans=(), verdict="done", rev=1, **more):
    given = {
        "seq": seq,
        "doc_key": text.doc_key,
        "field": text.field,
        "text_hmac": text.text_hmac,
        "rev": rev,
        "spans": list(spans),
        "verdict": verdict,
        "seconds": 5,
    }
    return {**given, **more}


def reading(texts, left=None, verdicts=None, misses=()):
    """Rows of a reader who marks what is planted, but for some, and what is left of some."""
    left, verdicts = left or {}, verdicts or {}
    rows = []
    for seq, text in enumerate(texts, 1):
        found = [mark(p.start, p.end) for p in text.planted if text.doc_key not in misses]
        found += left.get(text.doc_key, [])
        rows.append(row(seq, text, found, verdicts.get(text.doc_key, "done")))
    return rows


def marks_file(rows, reader="anna", is_adjudicated=False):
    content = b"".join(json.dumps(one).encode() + b"\n" for one in rows)
    return MarksFile(reader, content, is_adjudicated)
