r"""What the second pass over decoded lines costs, on plain notes and on notes that are full of it.

    python -m benchmarks.views --model en-default --texts notes.jsonl [--pairs 7]

The same texts are detected with and without the second pass, in turn, in one process that has seen
them once; a pair is one of each, the first of which alternates. Three ways to write them: as they
are; hard-wrapped at 72 columns with a hyphen in every word that crosses it; and with every sign as
an HTML entity. Processor time of one core: seconds without, medians
over the pairs of the ratio with / without, and their range. Prints one JSON line for each.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence

from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.bundles.detector import BundleDetector
from scrubline.models.core.budgets import Budgets
from scrubline.models.jobs.steps import (
    featurize_batch,
    label_batch,
    recognise_batch,
    tokenize_batch,
)
from scrubline.models.recognisers import DEFAULT_RECOGNISERS

from .decoder import read_texts
from .disguises import one_pass
from .speed.detection import batches

COLUMNS = 72


def wrapped(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        while len(line) > COLUMNS:
            inside = line[COLUMNS - 1].isalpha() and line[COLUMNS].isalpha()
            lines.append(line[:COLUMNS] + "-" if inside else line[:COLUMNS])
            line = line[COLUMNS:]
        lines.append(line)
    return "\n".join(lines)


def with_entities(text: str) -> str:
    return "".join(
        c if c.isascii() and (c.isalnum() or c.isspace()) else f"&#{ord(c)};" for c in text
    )


WRITTEN: dict[str, Callable[[str], str]] = {
    "plain": str,
    "wrapped": wrapped,
    "entities": with_entities,
}


def seconds(system: BundleDetector, texts: Sequence[str]) -> float:
    """Processor time of detection."""
    began = time.process_time()
    for batch in batches(texts):
        batch = tokenize_batch(batch, Budgets(), sentences=system.reads_sentences)
        batch = label_batch(featurize_batch(batch, [system]), [system])
        recognise_batch(batch, tuple(DEFAULT_RECOGNISERS))
    return time.process_time() - began


def without(system: BundleDetector, texts: Sequence[str]) -> float:
    with one_pass():
        return seconds(system, texts)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", default="en-default")
    parser.add_argument("--texts", nargs="+", required=True)
    parser.add_argument("--pairs", type=int, default=7)
    options = parser.parse_args()
    system = BundleDetector(open_bundle(options.model))
    texts = [text for path in options.texts for text in read_texts(path)]
    for name, write in WRITTEN.items():
        given = [write(text) for text in texts]
        seconds(system, given)
        once, ratios = [], []
        for pair in range(options.pairs):
            both = (without, seconds) if pair % 2 else (seconds, without)
            found = {way: way(system, given) for way in both}
            once.append(found[without])
            ratios.append(found[seconds] / found[without])
        print(
            json.dumps(
                {
                    "written": name,
                    "ratio": round(statistics.median(ratios), 4),
                    "from": round(min(ratios), 4),
                    "to": round(max(ratios), 4),
                    "seconds without": round(statistics.median(once), 3),
                    "documents": len(given),
                    "characters": sum(map(len, given)),
                    "pairs": options.pairs,
                    "model": options.model,
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
