r"""What detection costs, from text to candidates with scores, and what the plain way costs.

    python -m benchmarks.detection --model en-default --texts notes.jsonl [--repeats 3]
    python -m benchmarks.detection --model meddocan-hide --no-rules --texts notes.jsonl

Each repeat is a process of its own, so that every text and every word is new to it ("cold"); then
it sees the same texts once more ("warm"). Steps are those of a job: Tokenize, Featurize, Label (the
candidates of the CRFs, carried over where the recipe says so) and Recognise (all rules). Beside
them, over the same texts in the same process: the reference path (attributes as strings, tags and
scores by python-crfsuite), and a plain `re.findall` of words, digits and signs. Processor time of
one core in microseconds a fine token, medians over the repeats, ratios first; "opening", of the
model and of the rules' lists, is in seconds, "memory" in MB. Prints one JSON line.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from scrubline.models.auxiliary import cluster_tables, tag_columns
from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.bundles.detector import BundleDetector
from scrubline.models.core.batches import Batch
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.documents import Documents, Rows
from scrubline.models.crf.decoding import ReferenceDecoder
from scrubline.models.features.featurizing import featurize
from scrubline.models.features.gazetteer import gazetteer_from_phrases
from scrubline.models.jobs.steps import (
    featurize_batch,
    label_batch,
    recognise_batch,
    tokenize_batch,
)
from scrubline.models.native import extension
from scrubline.models.recognisers import DEFAULT_RECOGNISERS
from scrubline.models.text.tokenizer import tokenize_documents

from .decoder import Clock, read_texts

PLAIN = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
AT_ONCE = 64
FIRST = "Seen on 3/4/2021 by Ann Poe, MD in Boston."
STEPS = ("tokenize", "featurize", "label", "recognise")
REFERENCE_SHARE = 8
"""Every so many batches go the reference way too: it takes long."""


def batches(texts: Sequence[str]) -> Iterator[Batch]:
    for low in range(0, len(texts), AT_ONCE):
        part = texts[low : low + AT_ONCE]
        numbers = np.arange(len(part), dtype=np.int64)
        nothing = (None,) * len(part)
        rows = Rows(numbers, nothing, nothing, nothing, pa.table({}), numbers)
        yield Batch(0, True, rows, Documents.of(*part))


def detect(
    clock: Clock, temperature: str, system: BundleDetector, texts: Sequence[str], rules: bool
) -> int:
    """Runs all steps; gives the number of tokens."""
    tokens = 0
    for batch in batches(texts):
        steps: list[tuple[str, Callable[[Batch], Batch]]] = [
            ("tokenize", lambda b: tokenize_batch(b, Budgets(), sentences=system.reads_sentences)),
            ("featurize", lambda b: featurize_batch(b, [system])),
            ("label", lambda b: label_batch(b, [system])),
        ]
        if rules:
            steps.append(("recognise", lambda b: recognise_batch(b, DEFAULT_RECOGNISERS)))
        for name, step in steps:
            batch = clock.run(f"{temperature} {name}", lambda s=step, b=batch: s(b))  # noqa: B023
        if batch.failures:
            sys.exit(f"detection.py: {len(batch.failures)} documents failed")
        tokens += len(batch.tokens or ())
    return tokens


def reference(clock: Clock, name: str, texts: Sequence[str]) -> int:
    """The reference way, for a share of the texts; gives the number of their tokens."""
    bundle = open_bundle(name)
    tokens = 0
    clusters = cluster_tables(bundle.auxiliary)
    for recipe in bundle.recipe.taggers:
        decoder = ReferenceDecoder(bundle.models[recipe.kind])
        gazetteers = {
            key: gazetteer_from_phrases(one.phrases, recipe.layer, one.weights)
            for key, one in bundle.dictionaries.items()
            if key in recipe.needs("gazetteer")
        }
        for low in range(0, len(texts), AT_ONCE * REFERENCE_SHARE):
            part = texts[low : low + AT_ONCE]
            found = tokenize_documents(part)
            tags = tag_columns(bundle.auxiliary, part, found)
            strings = clock.run(
                "reference featurize",
                lambda a=(part, found, recipe, gazetteers, tags): featurize(*a, clusters=clusters),  # noqa: B023
            )
            clock.run(
                "reference label",
                lambda s=strings: decoder.decode(decoder.ready(s), bundle.biases),  # noqa: B023
            )
            tokens += len(found)
    return tokens


def once(options: argparse.Namespace) -> dict[str, Any]:
    texts = [text for path in options.texts for text in read_texts(path)]
    begun = time.process_time()
    system = BundleDetector(open_bundle(options.model))
    # Rules open their lists at their first text, as a worker does once.
    detect(Clock(), "", system, [FIRST], not options.no_rules)
    opening = time.process_time() - begun
    clock = Clock()
    tokens = 0
    for temperature in ("cold", "warm"):
        tokens = detect(clock, temperature, system, texts, not options.no_rules)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1e6 if sys.platform == "darwin" else 1e3
    )
    clock.run("re.findall", lambda: [PLAIN.findall(text) for text in texts])
    compared = reference(clock, options.model, texts)
    spent = {
        step: 1e6 * seconds / (compared if step.startswith("reference") else tokens)
        for step, seconds in clock.spent.items()
    }
    return {"tokens": tokens, "opening": opening, "memory": memory, "spent": spent}


def summary(runs: list[dict[str, Any]], options: argparse.Namespace) -> dict[str, Any]:
    spent = {
        step: statistics.median(run["spent"][step] for run in runs) for step in runs[0]["spent"]
    }

    def total(temperature: str, *steps: str) -> float:
        return sum(spent.get(f"{temperature} {step}", 0.0) for step in steps)

    plain = spent["reference featurize"] + spent["reference label"]
    cold = total("cold", *STEPS)
    crf = {t: total(t, "tokenize", "featurize", "label") for t in ("cold", "warm")}
    return {
        "model": options.model,
        "rules": not options.no_rules,
        "extension": extension() is not None,
        "times_faster_than_reference": {t: round(plain / crf[t], 1) for t in crf},
        "of_re_findall": round(crf["cold"] / spent["re.findall"], 2),
        "tokens_a_second": {
            "cold": round(1e6 / cold),
            "warm": round(1e6 / total("warm", *STEPS)),
            "cold, CRF alone": round(1e6 / crf["cold"]),
        },
        "microseconds_a_token": {step: round(value, 3) for step, value in spent.items()},
        "opening": round(statistics.median(run["opening"] for run in runs), 2),
        "memory": round(max(run["memory"] for run in runs)),
        "tokens": runs[0]["tokens"],
        "repeats": len(runs),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--texts", action="append", required=True, help="JSON Lines with `text`")
    parser.add_argument("--no-rules", action="store_true")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        print(json.dumps(once(options)))
        return
    runs = []
    for _ in range(options.repeats):
        command = [sys.executable, "-m", "benchmarks.detection", *sys.argv[1:], "--once"]
        shown = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
        runs.append(json.loads(shown))
    print(json.dumps(summary(runs, options)))


if __name__ == "__main__":
    main()
