"""What an output with surrogates and shifted dates keeps of records, and what it leaves of people.

    python -m benchmarks.release [--patients 200] [--seed 31] [--policy expert] [--roster]
                                 [--model en-default]

Writes generated records (`scrubline synth --patients`), scrubs them by the command, and compares
the output with the gold spans and the gold people, place by place, by the audit. Prints one JSON
line for each question:

- `coreference`: mentions by surname of one person in one record that became a surrogate, and the
  share of them with the surname that most of them got. Markers and what was missed are told apart.
- `intervals`: dates of full days that were shifted, and the share whose distance to the others of
  the record is the true one; markers and what was missed are told apart.
- `layout`: notes with as many lines as before, and characters out for characters in.
- `truth`: surrogates that are what they replace.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow.dataset as ds
from scrubline.models.core.keys import Keys, canonical_id, key_bytes
from scrubline.models.corpora import AnnotatedDocument, read_annotated
from scrubline.models.dates import order_of, read_date
from scrubline.models.surrogates.words import folded

from .roster_jobs import make, scrub

SURNAMES = ("fl", "last")
"""Forms of a mention that end with the surname."""

PLAIN = ("plain", "former")
LANGUAGE = "en"


@dataclasses.dataclass(frozen=True)
class Note:
    """A note before and after.

    Attributes:
        gold: before.
        text: after.
        places: audit rows by where they begin before, without fragments.
    """

    gold: AnnotatedDocument
    text: str
    places: Mapping[tuple[int, int], Mapping[str, object]]

    @property
    def patient(self) -> str:
        """Whose record it is of."""
        return str(self.gold.meta["patient"])

    def became(self, start: int, end: int) -> tuple[str, str] | None:
        """What action was taken at just this place, and the text there now; None for another."""
        row = self.places.get((start, end))
        if row is None:
            return None
        return str(row["action"]), self.text[int(row["out_start"]) : int(row["out_end"])]


def scrubbed(folder: Path, asked: argparse.Namespace) -> list[Note]:
    """Generates records and scrubs them."""
    make(folder, asked.patients, asked.seed)
    roster = ("--roster", str(folder / "roster")) if asked.roster else ()
    scrub(folder, "out", False, 0, "--model", asked.model, "--policy", asked.policy, *roster)
    keys = Keys(key_bytes((folder / "key.txt").read_text()))
    return list(notes_of(list(read_annotated(str(folder / "records.jsonl"))), folder / "out", keys))


def notes_of(gold: Sequence[AnnotatedDocument], out: Path, keys: Keys) -> Iterator[Note]:
    """Yields the notes that were published."""
    texts: dict[str, str] = {}
    for part in (out / "data").glob("*.jsonl"):
        for line in part.open(encoding="utf-8"):
            row = json.loads(line)
            texts[row["doc_key"]] = row["text"]
    places: dict[str, dict[tuple[int, int], Mapping[str, object]]] = defaultdict(dict)
    for row in ds.dataset(out / "audit").to_table().to_pylist():
        if not row["fragment"]:
            places[row["doc_key"]][row["start"], row["end"]] = row
    for document in gold:
        key = keys.doc_key(canonical_id(document.doc_id) or "")
        if key in texts:
            yield Note(document, texts[key], places[key])


def people(note: Note) -> list[Mapping[str, object]]:
    found = note.gold.meta["people"]
    assert isinstance(found, list)
    return found


def coreference(notes: Sequence[Note]) -> dict[str, object]:
    """One person, one surrogate surname."""
    got: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    other = Counter[str]()
    for note in notes:
        for mention in people(note):
            if mention["form"] not in SURNAMES or mention["written"] not in PLAIN:
                continue
            start, end = int(mention["start"]), int(mention["end"])
            became = note.became(start, end)
            if became is None:
                other["missed, or found with more or less"] += 1
            elif became[0] != "surrogate" or became[1].startswith("["):
                other["markers"] += 1
            else:
                true = folded(note.gold.text[start:end].split()[-1])
                person = (note.patient, str(mention["who"]), true)
                got[person][folded(became[1].split()[-1])] += 1
    several = [counts for counts in got.values() if counts.total() > 1]
    mentions = sum(counts.total() for counts in several)
    alike = sum(max(counts.values()) for counts in several)
    return {
        "people named twice or more": len(several),
        "mentions": mentions,
        "with the surname of most": round(alike / mentions, 4) if mentions else None,
        **other,
    }


def intervals(notes: Sequence[Note]) -> dict[str, object]:
    """Whether dates of full days moved alike within a record."""
    moved: dict[str, Counter[int]] = defaultdict(Counter)
    other = Counter[str]()
    for note in notes:
        text = note.gold.text
        spans = [s for s in note.gold.spans if s.label == "DATE"]
        order = order_of([text[s.start : s.end] for s in spans], LANGUAGE).order
        for span in spans:
            true = day(text[span.start : span.end], order)
            if true is None:
                continue
            became = note.became(span.start, span.end)
            if became is None:
                other["missed, or found with more or less"] += 1
            elif became[1].startswith("["):
                other["markers"] += 1
            elif (now := day(became[1], order)) is None:
                other["not read again"] += 1
            else:
                moved[note.patient][(now - true).days] += 1
    total = sum(counts.total() for counts in moved.values())
    kept = sum(max(counts.values()) for counts in moved.values())
    still = sum(counts[0] for counts in moved.values())
    return {
        "dates of full days": total,
        "moved as most of the record": round(kept / total, 4) if total else None,
        "not moved": still,
        **other,
    }


def day(text: str, order: object) -> datetime.date | None:
    """The day that a text names in full, with all digits of its year."""
    read = read_date(text, LANGUAGE, order)  # type: ignore[arg-type]
    if read is None or read.precision != "day" or len(read.ends) != 1:
        return None
    said = read.ends[0].said
    if said.year is None or said.month is None or said.day is None:
        return None
    return datetime.date(said.year, said.month, said.day)


def layout(notes: Sequence[Note]) -> dict[str, object]:
    """Whether lines and lengths stay."""
    same = sum(note.text.count("\n") == note.gold.text.count("\n") for note in notes)
    before, after = (sum(map(len, texts)) for texts in zip(*texts_of(notes), strict=True))
    return {
        "notes": len(notes),
        "with as many lines": same,
        "characters out for one in": round(after / before, 4),
    }


def texts_of(notes: Sequence[Note]) -> Iterator[tuple[str, str]]:
    for note in notes:
        yield note.gold.text, note.text


def truth(notes: Sequence[Note]) -> dict[str, object]:
    """Surrogates that are what they replace; ages up to 89 may stay."""
    seen = same = 0
    for note in notes:
        for (start, end), row in note.places.items():
            if row["action"] != "surrogate" or row["label"] == "AGE":
                continue
            seen += 1
            became = note.became(start, end)
            same += became is not None and folded(became[1]) == folded(note.gold.text[start:end])
    return {"surrogates": seen, "that are the truth": same}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--patients", type=int, default=200)
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--policy", default="expert")
    parser.add_argument("--model", default="en-default")
    parser.add_argument("--roster", action="store_true", help="with the roster of the records")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        notes = scrubbed(Path(folder), asked)
    for name, found in (
        ("coreference", coreference(notes)),
        ("intervals", intervals(notes)),
        ("layout", layout(notes)),
        ("truth", truth(notes)),
    ):
        print(json.dumps({name: found}))


if __name__ == "__main__":
    main()
