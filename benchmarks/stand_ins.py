"""What a run puts in place of gold spans of whole records: agreement, markers, dates, cost.

    scrubline synth --patients 150 --notes-per-patient 1:20 --output records.jsonl
    python -m benchmarks.stand_ins records.jsonl [--policy expert]

The gold spans of a corpus of records (`scrubline synth --patients`) are filled in as Scrub fills in
what was found, note by note. Prints one JSON line for each question:

- `markers`: by label, spans, and how many of them keep a marker.
- `words`: occurrences of words of names, by patient and normal form; how many have the surrogate
  that the word has most often in the record; how many drew twice or more.
- `people`: mentions of a patient by surname, alone or with others, typos and former names among
  them, and how many have the entity id of most of them.
- `dates`: gold dates by precision, `marker` for those that are not moved.
- `cost`: processor time in milliseconds a note, and spans a note.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import json
import time
from pathlib import Path
from typing import Any

from scrubline.models.core.keys import Keys
from scrubline.models.redaction.policy_file import load_policy
from scrubline.models.redaction.stand_ins import LateSpan, NoteFacts, StandIn, StandIns, is_late
from scrubline.models.surrogates.identity import PERSONS
from scrubline.models.surrogates.names import WORD
from scrubline.models.surrogates.words import folded

KEY = bytes(range(32))
FORMS = ("fl", "lf", "last", "li", "hl7")
"""Forms of the corpus in which a surname stands."""


def main() -> None:
    """Prints the lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus")
    parser.add_argument("--policy", default="expert")
    asked = parser.parse_args()
    policy, keys = load_policy(asked.policy), Keys(KEY)
    stand_ins = StandIns(policy, keys)
    notes = [json.loads(line) for line in Path(asked.corpus).read_text("utf-8").splitlines()]
    found: list[tuple[dict[str, Any], list[LateSpan], list[StandIn]]] = []
    began = time.process_time()
    for note in notes:
        spans = [
            LateSpan(span["start"], span["end"], span["label"], policy.action(span["label"]))
            for span in note["spans"]
            if is_late(policy, span["label"], policy.action(span["label"]), fragment=False)
        ]
        facts = NoteFacts(
            keys.patient_key(note["meta"]["patient"]),
            note["doc_id"],
            date=datetime.date.fromisoformat(note["meta"]["note_date"]),
        )
        found.append((note, spans, stand_ins.of_note(note["text"], spans, facts)[0]))
    seconds = time.process_time() - began
    _tell("markers", _markers(found))
    _tell("words", _words(found))
    _tell("people", _people(found))
    dates = [
        one.precision or "marker"
        for _, spans, made in found
        for span, one in zip(spans, made, strict=True)
        if span.label == "DATE"
    ]
    _tell("dates", dict(sorted(collections.Counter(dates).items())))
    count = sum(len(spans) for _, spans, _ in found)
    cost = {"ms_a_note": 1000 * seconds / len(notes), "spans_a_note": count / len(notes)}
    _tell("cost", {name: round(value, 3) for name, value in cost.items()})


_Found = list[tuple[dict[str, Any], list[LateSpan], list[StandIn]]]


def _tell(question: str, answer: dict[str, Any]) -> None:
    print(json.dumps({"question": question, **answer}))


def _markers(found: _Found) -> dict[str, Any]:
    all_of: collections.Counter[str] = collections.Counter()
    marked: collections.Counter[str] = collections.Counter()
    for _, spans, made in found:
        for span, one in zip(spans, made, strict=True):
            all_of[span.label] += 1
            marked[span.label] += one.text is None
    return {label: [count, marked[label]] for label, count in sorted(all_of.items())}


def _words(found: _Found) -> dict[str, Any]:
    by_word: dict[tuple[str, str], collections.Counter[str]] = {}
    later = 0
    for note, spans, made in found:
        for span, one in zip(spans, made, strict=True):
            if span.label not in PERSONS or one.text is None:
                continue
            true = WORD.findall(note["text"][span.start : span.end])
            drawn = WORD.findall(one.text)
            later += bool(one.attempt)
            if len(true) != len(drawn):
                continue
            for word, other in zip(true, drawn, strict=True):
                if len(word) > 1 and folded(word) != folded(other):
                    key = note["meta"]["patient"], folded(word).removesuffix("s")
                    counted = by_word.setdefault(key, collections.Counter())
                    counted[folded(other).removesuffix("s")] += 1
    most = sum(counted.most_common(1)[0][1] for counted in by_word.values())
    occurrences = sum(counted.total() for counted in by_word.values())
    share = round(most / occurrences, 5)
    return {"occurrences": occurrences, "agree": most, "share": share, "drew_again": later}


def _people(found: _Found) -> dict[str, Any]:
    by_patient: dict[str, collections.Counter[str | None]] = {}
    for note, spans, made in found:
        patients = {
            (one["start"], one["end"])
            for one in note["meta"]["people"]
            if one["who"] == "patient" and one["form"] in FORMS
        }
        for span, one in zip(spans, made, strict=True):
            is_name = span.label == "PATIENT" and (span.start, span.end) in patients
            if is_name and one.text is not None:
                counted = by_patient.setdefault(note["meta"]["patient"], collections.Counter())
                counted[one.entity] += 1
    most = sum(counted.most_common(1)[0][1] for counted in by_patient.values())
    mentions = sum(counted.total() for counted in by_patient.values())
    return {"mentions": mentions, "agree": most, "share": round(most / mentions, 5)}


if __name__ == "__main__":
    main()
