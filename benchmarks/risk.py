r"""What the column `risk` of the documents table costs, and what it is worth.

    python -m benchmarks.risk --model en-default --gold benchmarks/notes/development.jsonl
    python -m benchmarks.risk --model meddocan-hide --no-rules --gold corpora/meddocan/dev.jsonl

Cost: each repeat is two processes, one after the other in turns, that take the same texts through
Tokenize, Featurize, Label, Recognise and Merge, one of them with risks, and their ranks; each text
is new to both. Processor time of one core, the median of the ratios first, then the times of both
in microseconds a fine token.

Worth: a document leaks if a gold span has a character other than white space that no span covers,
whatever a policy does with the span; `direct` counts names, numbers, contacts and streets alone.
`auc` is the share of pairs of a leaking and another document that ranks put in order, ties as half
(Mann and Whitney 1947); `top` is the share of the spans that leak in the tenth of the documents
with the highest ranks, and `best` what it could be. `length` is the AUC of the number of
characters.

Equality: the ranks by the extension, by batches of one document, and by the reference path in a
process without the extension. With `--temperatures` also the AUC at others. Exit code 1 if ranks
differ. Prints one JSON line.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from scrubline.models.bundles.bundle import open_bundle, revise_bundle
from scrubline.models.core.batches import Batch
from scrubline.models.core.spans import Spans
from scrubline.models.corpora import AnnotatedDocument, read_annotated
from scrubline.models.jobs.steps import run_steps
from scrubline.models.native import SWITCH, extension
from scrubline.models.risk.judging import is_direct
from scrubline.models.risk.scoring import ranks_of_documents
from scrubline.models.scrubber import Scrubber
from scrubline.models.single_texts import batch_of

AT_ONCE = 64
FIRST = "Seen on 3/4/2021 by Ann Poe, MD in Boston."


class Chain:
    """Detection and Merge of one model."""

    def __init__(self, model: str, rules: bool, temperature: float | None = None) -> None:
        bundle = open_bundle(model)
        if temperature is not None:
            bundle = revise_bundle(bundle, card={"risk_temperature": temperature})
        more: dict[str, Any] = {} if rules else {"recognisers": ()}
        own = bundle.label_map is not None and not rules
        self._map = bundle.label_map if own else None
        self._scrubber = Scrubber(models=bundle, native_labels=not own, **more)
        self.run([FIRST], at_risk=True)  # opens the lists of rules, as a worker does once

    def run(self, texts: Sequence[str], *, at_risk: bool) -> Batch:
        """The texts after Merge."""
        resources = dataclasses.replace(self._scrubber._resources, at_risk=at_risk)
        batch = run_steps(batch_of(texts, (None,) * len(texts), {}), resources, last="Merge")
        if batch.failures:
            sys.exit(f"risk.py: {len(batch.failures)} documents failed")
        return batch

    def ranks(self, texts: Sequence[str], at_once: int = AT_ONCE) -> list[int | None]:
        """The rank of each text, so many in a batch."""
        found: list[int | None] = []
        for low in range(0, len(texts), at_once):
            found += ranks_in(self.run(texts[low : low + at_once], at_risk=True))
        return found

    def is_direct(self, label: str) -> bool:
        """Whether a gold label, native or of the model's corpus, is of a direct identifier."""
        native = label if self._map is None else self._map.get(label)
        return native is not None and is_direct(native)


def ranks_in(batch: Batch) -> list[int] | list[None]:
    assert batch.spans is not None
    return ranks_of_documents(batch.risks, batch.spans, len(batch.documents))


def timed(chain: Chain, texts: Sequence[str], at_risk: bool) -> dict[str, float]:
    begun = time.process_time()
    tokens = 0
    for low in range(0, len(texts), AT_ONCE):
        batch = chain.run(texts[low : low + AT_ONCE], at_risk=at_risk)
        if at_risk:
            ranks_in(batch)
        tokens += len(batch.tokens or ())
    return {"seconds": time.process_time() - begun, "tokens": tokens}


def leaks_of(chain: Chain, documents: Sequence[AnnotatedDocument]) -> list[tuple[int, int]]:
    """Of each document the gold spans that leak, and the direct ones of them."""
    found = []
    for low in range(0, len(documents), AT_ONCE):
        part = documents[low : low + AT_ONCE]
        spans = chain.run([one.text for one in part], at_risk=False).spans
        assert spans is not None
        for at, document in enumerate(part):
            covered = cover(spans, at, len(document.text))
            left = [
                span.label
                for span in document.spans
                if any(
                    not covered[place] and not document.text[place].isspace()
                    for place in range(span.start, span.end)
                )
            ]
            found.append((len(left), sum(map(chain.is_direct, left))))
    return found


def cover(spans: Spans, document: int, length: int) -> np.ndarray[Any, Any]:
    covered = np.zeros(length, np.bool_)
    own = spans.documents == document
    for start, end in zip(spans.starts[own].tolist(), spans.ends[own].tolist(), strict=True):
        covered[start:end] = True
    return covered


def auc(scores: Sequence[float], leaking: Sequence[bool]) -> float | None:
    hits = [s for s, one in zip(scores, leaking, strict=True) if one]
    others = np.array([s for s, one in zip(scores, leaking, strict=True) if not one])
    if not hits or not len(others):
        return None
    won = sum(int((others < s).sum()) + 0.5 * int((others == s).sum()) for s in hits)
    return round(won / (len(hits) * len(others)), 3)


def top_tenth(ranks: Sequence[float], leaks: Sequence[int]) -> float | None:
    count = max(1, len(ranks) // 10)
    order = sorted(range(len(ranks)), key=lambda at: (-ranks[at], at))[:count]
    return round(sum(leaks[at] for at in order) / sum(leaks), 3) if sum(leaks) else None


def worth(
    chain: Chain, documents: Sequence[AnnotatedDocument], ranks: Sequence[int]
) -> dict[str, Any]:
    leaks = leaks_of(chain, documents)
    row: dict[str, Any] = {"documents": len(documents)}
    for at, of in enumerate(("any", "direct")):
        counts = [one[at] for one in leaks]
        leaking = [count > 0 for count in counts]
        row[of] = {
            "leaking": sum(leaking),
            "auc": auc(ranks, leaking),
            "length": auc([len(one.text) for one in documents], leaking),
            "top": top_tenth(ranks, counts),
            "best": top_tenth(counts, counts),
        }
    return row


def child(options: argparse.Namespace, what: str, **environment: str) -> Any:
    command = [sys.executable, "-m", "benchmarks.risk", *sys.argv[1:], "--once", what]
    shown = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, env={**os.environ, **environment}
    )
    return json.loads(shown.stdout)


def cost(options: argparse.Namespace) -> dict[str, Any]:
    runs: dict[str, list[dict[str, float]]] = {"with": [], "without": []}
    for repeat in range(options.repeats):
        for what in sorted(runs, reverse=bool(repeat % 2)):
            runs[what].append(child(options, what))
    ratios = [
        one["seconds"] / other["seconds"]
        for one, other in zip(runs["with"], runs["without"], strict=True)
    ]
    return {
        "ratio": round(statistics.median(ratios), 3),
        "ratios": [round(ratio, 3) for ratio in ratios],
        **{
            f"{what} risk": round(
                statistics.median(1e6 * one["seconds"] / one["tokens"] for one in own), 3
            )
            for what, own in runs.items()
        },
        "tokens": int(runs["with"][0]["tokens"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", required=True)
    parser.add_argument("--gold", action="append", required=True, help="annotated documents")
    parser.add_argument("--no-rules", action="store_true")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--temperatures", type=float, nargs="*", default=())
    parser.add_argument("--once", choices=("with", "without", "ranks"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    documents = [one for place in options.gold for one in read_annotated(place)]
    texts = [one.text for one in documents]
    chain = Chain(options.model, not options.no_rules)
    if options.once == "ranks":
        print(json.dumps(chain.ranks(texts)))
        return
    if options.once:
        print(json.dumps(timed(chain, texts, options.once == "with")))
        return
    ranks = chain.ranks(texts)
    known = [rank for rank in ranks if rank is not None]
    if len(known) < len(ranks) or extension() is None:
        sys.exit("risk.py: the model tells no risk, or there is no extension")
    equal = {
        "alone": chain.ranks(texts, 1) == ranks,
        "reference": child(options, "ranks", **{SWITCH: "0"}) == ranks,
    }
    quantiles = np.quantile(known, (0, 0.1, 0.5, 0.9, 1)).tolist()
    others = {
        f"{temperature:g}": worth(
            chain,
            documents,
            [r or 0 for r in Chain(options.model, not options.no_rules, temperature).ranks(texts)],
        )["any"]["auc"]
        for temperature in options.temperatures
    }
    print(
        json.dumps(
            {
                "model": options.model,
                "rules": not options.no_rules,
                "cost": cost(options) if options.repeats else None,
                "equal": equal,
                **worth(chain, documents, known),
                "ranks": quantiles,
                **({"auc at temperatures": others} if others else {}),
            }
        )
    )
    if not all(equal.values()):
        sys.exit(1)


if __name__ == "__main__":
    main()
