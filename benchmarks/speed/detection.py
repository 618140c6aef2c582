"""What detection costs, from texts to candidates with scores, in a process of its own.

    python -m benchmarks.speed.detection --model en-default notes.jsonl

Steps are those of a job: Tokenize, Featurize, Label (the candidates of the CRFs, carried over where
the recipe says so) and Recognise (all rules). Every text and every word is new to the process
("cold"); then it sees the same texts once more ("warm"). The yardstick goes before, between and
behind them. User time of one core. Prints one line of JSON, which `benchmarks.speed` reads.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.bundles.detector import BundleDetector
from scrubline.models.core.batches import Batch
from scrubline.models.core.budgets import Budgets
from scrubline.models.core.documents import Documents, Rows
from scrubline.models.jobs.steps import (
    featurize_batch,
    label_batch,
    recognise_batch,
    tokenize_batch,
)
from scrubline.models.native import extension
from scrubline.models.recognisers import DEFAULT_RECOGNISERS

from .yardstick import Yardstick, load, read_texts, user_seconds

AT_ONCE = 64
FIRST = "Seen on 3/4/2021 by Ann Poe, MD in Boston, signed A n n P o e."
"""Spaced letters, for the lists of words that may be written so are opened at the first ones."""


def batches(texts: Sequence[str]) -> Iterator[Batch]:
    for low in range(0, len(texts), AT_ONCE):
        part = texts[low : low + AT_ONCE]
        numbers = np.arange(len(part), dtype=np.int64)
        nothing = (None,) * len(part)
        rows = Rows(numbers, nothing, nothing, nothing, pa.table({}), numbers)
        yield Batch(0, True, rows, Documents.of(*part))


@dataclasses.dataclass
class Pass:
    """One pass of all steps over texts.

    Attributes:
        tokens: fine ones.
        spent: user seconds by step.
    """

    tokens: int = 0
    spent: dict[str, float] = dataclasses.field(default_factory=dict)

    def run(self, system: BundleDetector, texts: Sequence[str], rules: bool) -> None:
        """Takes the texts in batches through all steps."""
        steps: dict[str, Callable[[Batch], Batch]] = {
            "tokenize": lambda b: tokenize_batch(b, Budgets(), sentences=system.reads_sentences),
            "featurize": lambda b: featurize_batch(b, [system]),
            "label": lambda b: label_batch(b, [system]),
        }
        if rules:
            steps["recognise"] = lambda b: recognise_batch(b, DEFAULT_RECOGNISERS)
        for batch in batches(texts):
            for name, step in steps.items():
                begun = user_seconds()
                batch = step(batch)
                self.spent[name] = self.spent.get(name, 0.0) + user_seconds() - begun
            if batch.failures:
                sys.exit(f"detection.py: {len(batch.failures)} documents failed")
            self.tokens += len(batch.tokens or ())


def measured(model: str, texts: Sequence[str], rules: bool) -> dict[str, Any]:
    """What one process takes; see `table.Measured`."""
    loads = [load()]
    begun = time.process_time()
    system = BundleDetector(open_bundle(model))
    # Rules open their lists at their first text, as a worker does once.
    Pass().run(system, [FIRST], rules)
    opening = time.process_time() - begun
    yardstick, cold, warm = Yardstick(texts), Pass(), Pass()
    yardstick.by_turns(
        lambda: cold.run(system, texts, rules), lambda: warm.run(system, texts, rules)
    )
    loads.append(load())
    unit = 1e6 if sys.platform == "darwin" else 1e3  # of ru_maxrss, in MB
    return {
        "documents": len(texts),
        "tokens": cold.tokens,
        "spent": {"cold": cold.spent, "warm": warm.spent},
        "yardstick": yardstick.turns,
        "opening": opening,
        "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit,
        "extension": extension() is not None,
        "load": loads,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--no-rules", action="store_true")
    parser.add_argument("texts", nargs="+", help="JSON Lines with `text`")
    options = parser.parse_args()
    print(json.dumps(measured(options.model, read_texts(options.texts), not options.no_rules)))


if __name__ == "__main__":
    main()
