"""Measures one program that scrubs notes, in its own environment; see `benchmarks.peers`.

    python -m benchmarks.peers.measured presidio --notes notes.jsonl --gold review.jsonl

Runs with the Python of the program's own environment: standard library alone, but for the program.
One pass over the notes between two turns of the yardstick, all of them new to the process. Then,
not timed, what it would remove of notes with gold. Prints one line of JSON: counts, never text.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import importlib.metadata
import json
import time
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.speed.yardstick import Yardstick, load, read_texts, user_seconds

NAMES = frozenset({"PATIENT", "DOCTOR"})
FIRST = "Seen on 3/4/2021 by Ann Poe, MD in Boston."
Stretch = tuple[int, int]


@dataclasses.dataclass(frozen=True)
class Program:
    """A program that scrubs texts, opened.

    Attributes:
        scrub: texts -> scrubbed ones, by the program's own way for many notes.
        found: a text -> the stretches that would be removed.
    """

    scrub: Callable[[Sequence[str]], list[str]]
    found: Callable[[str], list[Stretch]]


def touched(found: Sequence[Stretch], start: int, end: int) -> bool:
    """Whether any character of a stretch would be removed."""
    return any(low < end and start < high for low, high in found)


def counted(rows: Sequence[dict[str, Any]], find: Callable[[str], list[Stretch]]) -> dict[str, int]:
    """What is found of gold spans, and what else is removed; blanks do not count.

    Args:
        rows: notes with `text` and `spans`.
        find: see `Program.found`.
    """
    counts = dict.fromkeys(
        ("names", "names_touched", "marked", "touched", "removed", "needless"), 0
    )
    for row in rows:
        text, found = row["text"], find(row["text"])
        gold: set[int] = set()
        for span in row["spans"]:
            hit = touched(found, span["start"], span["end"])
            gold.update(range(span["start"], span["end"]))
            counts["marked"] += 1
            counts["touched"] += hit
            if span["label"] in NAMES:
                counts["names"] += 1
                counts["names_touched"] += hit
        removed = {at for low, high in found for at in range(low, high) if not text[at].isspace()}
        counts["removed"] += len(removed)
        counts["needless"] += len(removed - gold)
    return counts


def measured(name: str, notes: Sequence[str], gold: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What one process takes.

    Args:
        name: a module beside this one.
        notes: that are scrubbed against the clock.
        gold: notes with `text` and `spans`; none, and nothing is counted.
    """
    loads = [load()]
    module = importlib.import_module(f"benchmarks.peers.{name}")
    program = module.opened()
    program.scrub([FIRST])
    opening = time.process_time()
    yardstick = Yardstick(notes)
    yardstick.turn()
    begun = user_seconds()
    scrubbed = program.scrub(notes)
    spent = user_seconds() - begun
    yardstick.turn()
    assert len(scrubbed) == len(notes)
    loads.append(load())
    return {
        "notes": len(notes),
        "words": yardstick.words,
        "spent": spent,
        "yardstick": yardstick.turns,
        "opening": opening,
        "changed": sum(a != b for a, b in zip(notes, scrubbed, strict=True)),
        "counts": counted(gold, program.found) if gold else None,
        "version": module.VERSION or importlib.metadata.version(module.DISTRIBUTION),
        "load": loads,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("name")
    parser.add_argument("--notes", required=True, help="JSON Lines with `text`")
    parser.add_argument("--gold", help="JSON Lines with `text` and `spans`")
    options = parser.parse_args()
    rows = []
    if options.gold:
        with open(options.gold, encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines if line.strip()]
    print(json.dumps(measured(options.name, read_texts([options.notes]), rows)))


if __name__ == "__main__":
    main()
