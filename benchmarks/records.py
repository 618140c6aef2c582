"""Links between the notes of a patient: what they are worth, and what they cost.

    python -m benchmarks.records [worth] [job] [scale] [skew] [--patients N] [--seed N] [--runs N]

`worth` takes records of `scrubline synth --patients`, whose gold says what is PHI. With simulated
misses each mention is missed by chance and propagation runs within the note; with real ones the
mentions are those that `--model` and all rules find. A word of gold counts from three letters or
four digits on; `needless` are words that are carried over and are no PHI.
`job` scrubs such records with links and without, medians of several runs. `scale` joins evidence
of made-up notes by the tens of thousands, `skew` compares one patient who has half of all notes
with an even corpus. Times are of the processor; nothing else should run.
"""

import argparse
import bisect
import hashlib
import json
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
from scrubline import Scrubber
from scrubline.models.bundles.propagate import propagate
from scrubline.models.core.keys import Keys
from scrubline.models.core.record_links import Evidence
from scrubline.models.core.spans import Candidate
from scrubline.models.jobs.link_task import EvidencePart, LinkTask, link_bucket, read_facts
from scrubline.models.recipes.propagation import Propagation
from scrubline.models.records.carrying import RULE, ReadWords, RecordLinks
from scrubline.models.records.evidence_files import evidence_bytes
from scrubline.models.records.linking import facts_of
from scrubline.models.storage.storage import Storage
from scrubline.models.text.tokenizer import tokenize_documents

KEYS = Keys(bytes(range(32)))
PROPAGATION = Propagation(("DOCTOR", "IDNUM", "MEDICALRECORD", "PATIENT"), ("DOCTOR", "PATIENT"))
COLUMNS = (
    *("doc_id=id", "text=text", "spans=drop", "meta.patient=patient", "meta.note_date=date"),
    *("meta.type=pass", "meta.template=pass", "meta.people=drop"),
)
NOTES_OF_UNIT = 10_000
ROWS_OF_NOTE = 36


class Note(NamedTuple):
    """A note of a patient, with its gold."""

    patient: str
    text: str
    gold: list[tuple[int, int, str]]


def command(*words: str) -> None:
    """Runs a command of Scrubline."""
    place = Path(sys.executable).with_name("scrubline")
    done = subprocess.run([str(place), *words], capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)


def make(folder: Path, patients: int, seed: int) -> Path:
    """Records of patients."""
    place = folder / "records.jsonl"
    if not place.exists():
        command(
            *("synth", "--patients", str(patients), "--seed", str(seed), "--output", str(place)),
        )
    return place


def read(place: Path) -> list[Note]:
    """The notes of a file."""
    notes = []
    for line in place.read_text("utf-8").splitlines():
        row = json.loads(line)
        gold = [(s["start"], s["end"], s["label"]) for s in row["spans"]]
        notes.append(Note(KEYS.patient_key(str(row["meta"]["patient"])), row["text"], gold))
    return notes


# -- worth


def simulated(notes: Sequence[Note], misses: float, seed: int) -> Iterator[list[Candidate]]:
    """The gold of each note without some mentions; what propagation brings back is in."""
    draw = random.Random(seed)
    for note in notes:
        found = [
            Candidate(start, end, label, "crf:gold", 1.0)
            for start, end, label in note.gold
            if draw.random() >= misses
        ]
        tokens = tokenize_documents([note.text])
        yield found + propagate(PROPAGATION, note.text, tokens.starts, tokens.ends, found, None)


def real(notes: Sequence[Note], scrubber: Scrubber) -> Iterator[list[Candidate]]:
    """What a model and all rules find."""
    for at in range(0, len(notes), 200):
        yield from scrubber.candidates(*(note.text for note in notes[at : at + 200]))


def missed_words(note: Note, words: ReadWords, found: Sequence[Candidate]) -> Iterator[str]:
    """Yields the label of each word of gold that nothing was found on."""
    starts, ends = words.starts.tolist(), words.ends.tolist()
    for start, end, label in note.gold:
        low, high = bisect.bisect_right(ends, start), bisect.bisect_left(starts, end)
        for token in range(low, high):
            word = words.spelt(token)
            counts = (word.isalpha() and len(word) > 2) or (word.isdecimal() and len(word) > 3)
            touched = any(c.start < ends[token] and starts[token] < c.end for c in found)
            if counts and not touched:
                yield label


def worth(notes: Sequence[Note], found: Iterator[list[Candidate]]) -> None:
    """Prints what is missed, what of it is carried over, and how right that is."""
    links = RecordLinks(KEYS.records)
    said: list[tuple[int, int]] = []
    all_words, missed = [], Counter[str]()
    for note, candidates in zip(notes, found, strict=True):
        tokens = tokenize_documents([note.text])
        words = links.read(note.text, tokens.starts, tokens.ends, candidates)
        said += links.rows(note.patient, [words])
        all_words.append(words)
        missed.update(missed_words(note, words, candidates))
    facts = facts_of(Evidence.of([key for key, _ in said], [code for _, code in said]), RULE)
    mended: Counter[str] = Counter()
    for note, words in zip(notes, all_words, strict=True):
        for one in links.carried(note.patient, words, facts):
            mended[next((la for s, e, la in note.gold if s < one.end and one.start < e), "")] += 1
    total = sum(mended.values())
    precision = 1 - mended[""] / max(1, total)
    print(f"  evidence {len(said) / len(notes):.1f} rows a note")
    print(f"  carried over {total} words, {precision:.3f} of them PHI; needless {mended['']}")
    for label in sorted(set(mended) - {""}):
        of = missed[label]
        share = f"{mended[label] / max(1, of):8.1%}"
        print(f"  {label:<15}missed {of:7,}  carried over {mended[label]:7,}{share}")


# -- cost


def job(folder: Path, runs: int) -> None:
    """Whole jobs with links and without, in one process."""
    columns = [word for one in COLUMNS for word in ("--column", one)]
    command("key", "new", "--output", str(folder / "key.txt"))
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    for number in range(runs):
        for name, more in (("without", ()), ("with", ("--link-notes",))):
            out = folder / f"{name}{number}"
            began = resource.getrusage(resource.RUSAGE_CHILDREN)
            command(
                *("scrub", "--input", str(folder / "records.jsonl"), "--output", str(out)),
                *("--key-file", str(folder / "key.txt"), "--workers", "0", "--no-progress"),
                *(*columns, *more),
            )
            ended = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds[name].append(ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime)
    ratios = [w / o for w, o in zip(seconds["with"], seconds["without"], strict=True)]
    manifest = json.loads((folder / "with0/manifest.json").read_text())
    notes = manifest["counts"]["documents"]
    size = sum(p.stat().st_size for p in folder.glob("with0/restricted/*/evidence/*"))
    print(
        f"a job of {notes:,} notes with links takes {statistics.median(ratios):.2f} times as long"
    )
    for name, times in seconds.items():
        print(f"  {name:<8}{statistics.median(times):8.1f} s of processor")
    print(f"  evidence {size / notes:6.0f} bytes a note; facts", end=" ")
    print(manifest["report"]["metrics"]["LinkNotes"]["facts"])


def made_up(
    folder: Path, units: int, patients: int, hot: float, seed: int = 1
) -> list[EvidencePart]:
    """Evidence of units of made-up notes, `hot` of which are of one patient."""
    draw = np.random.default_rng(seed)
    parts = []
    for unit in range(units):
        whose = draw.integers(1, patients, NOTES_OF_UNIT, dtype=np.uint64)
        whose[draw.random(NOTES_OF_UNIT) < hot] = 0
        patient = np.repeat(whose * np.uint64(40503) % np.uint64(1 << 24), ROWS_OF_NOTE)
        word = draw.zipf(1.3, len(patient)).astype(np.uint64) % np.uint64(1 << 20)
        keys = (patient << np.uint64(40)) | (word * np.uint64(2654435761) % np.uint64(1 << 40))
        codes = np.where(draw.random(len(keys)) < 0.3, 1 + word % np.uint64(6), 0)
        one = np.ones(len(keys), np.uint32)
        evidence = Evidence.summed(Evidence(keys, codes.astype(np.uint8), one))
        path = f"{unit:06d}-0.parquet"
        content = evidence_bytes(evidence)
        (folder / path).write_bytes(content)
        sha256 = hashlib.sha256(content).hexdigest()
        parts.append(EvidencePart(path, sha256, len(evidence), is_staged=False))
    return parts


def join(folder: Path, parts: Sequence[EvidencePart]) -> tuple[float, int]:
    """Joins evidence; seconds of the processor, and facts."""
    storage, where = Storage(), SimpleNamespace(staging=str(folder), output=str(folder))
    task = LinkTask.of(parts)
    began = time.process_time()
    facts = sum(link_bucket(storage, where, task, bucket) for bucket in range(task.buckets))
    for _ in read_facts(storage, where, task):
        pass
    return time.process_time() - began, facts


def scale(most: int) -> None:
    """The join alone, over ever more notes."""
    print("notes        us a note  ns a row  bytes a note  facts a note  peak memory, MB")
    notes = 100_000
    while notes <= most:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            parts = made_up(folder, notes // NOTES_OF_UNIT, 1 + notes // 20, 0.0)
            size = sum(p.stat().st_size for p in folder.glob("*.parquet"))
            rows = sum(part.rows for part in parts)
            seconds, facts = join(folder, parts)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        times = f"{seconds / notes * 1e6:9.2f}{seconds / rows * 1e9:10.0f}"
        print(f"{notes:<13,}{times}{size / notes:14.0f}{facts / notes:14.2f}{peak:17,}")
        notes *= 10


def skew() -> None:
    """A patient who has half of all notes, beside an even corpus."""
    ratios = []
    for seed in range(5):
        seconds = []
        for hot in (0.0, 0.5):
            with tempfile.TemporaryDirectory() as name:
                parts = made_up(Path(name), 20, 10_000, hot, seed)
                seconds.append(join(Path(name), parts)[0])
        ratios.append(seconds[1] / seconds[0])
    ratio = statistics.median(ratios)
    print(f"one patient with 100,000 of 200,000 notes: {ratio:.2f} times as long")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.records")
    parser.add_argument("what", nargs="*", help="worth, job, scale, skew (default: all)")
    parser.add_argument("--patients", type=int, default=300)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--misses", type=float, default=0.05)
    parser.add_argument("--model", default="en-default")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--most", type=int, default=1_000_000, help="notes of `scale`")
    chosen = parser.parse_args()
    what: list[Any] = chosen.what or ["worth", "job", "scale", "skew"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "worth" in what:
            notes = read(make(folder, chosen.patients, chosen.seed))
            print(f"{len(notes):,} notes of {chosen.patients:,} patients")
            print(f"simulated misses, {chosen.misses:.0%} of mentions")
            worth(notes, simulated(notes, chosen.misses, 1))
            print(f"misses of {chosen.model} and all rules")
            worth(notes, real(notes, Scrubber(models=[chosen.model])))
        if "job" in what:
            make(folder, chosen.patients, chosen.seed)
            job(folder, chosen.runs)
    if "scale" in what:
        scale(chosen.most)
    if "skew" in what:
        skew()


if __name__ == "__main__":
    main()
