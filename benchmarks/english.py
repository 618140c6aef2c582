r"""What each source of training data and each detector is worth, and each operating point.

    python -m benchmarks.english --notes 6930 --source raw=raw.jsonl --source asq=asq.jsonl \
        --source own=demo/gold/train.jsonl --source own=benchmarks/notes/practice.jsonl
    python -m benchmarks.english --model en-default --bias 0 -5 -10 -20

With `--source` a model is trained on the generated notes and all sources, then one without each of
them in turn, by the averaged perceptron, and scored with the rules beside it. With `--model` a
bundle is scored whole, without its rules, without its CRF and without propagation, and whole with
each `--bias` of O. The notes to score on are the development notes, or `--test`. Sources are in the
native labels (`scrubline convert --label-map`); those named `own` count three times. Each row says
how many of the clinical probes stay. Prints one JSON line a row, then the table in Markdown;
seconds are of this process, once, on whatever machine it is: compare rows of one run.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence

from scrubline.dictionaries import load
from scrubline.models.bundles.bundle import Bundle, make_bundle, open_bundle, revise_bundle
from scrubline.models.corpora import COVER, AnnotatedDocument, Annotation, read_annotated
from scrubline.models.evaluation import compare
from scrubline.models.recipes import recipe_in
from scrubline.models.redaction.merging import cover, select
from scrubline.models.scrubber import Scrubber, batched
from scrubline.models.synth import generate, load_templates
from scrubline.models.training import train
from scrubline.models.training.settings import FAST, with_learner

from .probes import lost, read_probes

DEVELOPMENT = "benchmarks/notes/development.jsonl"
METRICS = ("documents", "token_blind", "strict")
GENERATED, OWN, OWN_WEIGHT = "generated", "own", 3


def score(
    name: str,
    bundles: Sequence[Bundle],
    test: Sequence[AnnotatedDocument],
    *,
    rules: Sequence[str] | None = None,
) -> dict[str, object]:
    """One row: what these detectors find in the test notes, and how fast."""
    scrubber = Scrubber(models=bundles, recognisers=rules)
    began = time.process_time()
    found = list(annotated(scrubber, test))
    seconds = time.process_time() - began
    report = compare(test, found, metrics=METRICS, resamples=0)
    probes = read_probes()
    phrases = sum(len(probe.phrases) for probe in probes)
    return {
        "name": name,
        "tokens_per_second": round(report.tokens / seconds),
        "probes": [phrases - len(lost(scrubber, probes)), phrases],
        "metrics": report.as_json()["metrics"],
    }


def annotated(
    scrubber: Scrubber, documents: Iterable[AnnotatedDocument]
) -> Iterator[AnnotatedDocument]:
    """Yields the documents with what is found, and in their meta all that would be removed."""
    for some in batched(documents):
        found = scrubber.candidates(*(document.text for document in some))
        for document, candidates in zip(some, found, strict=True):
            spans = tuple(Annotation(c.start, c.end, c.label) for c in select(candidates))
            meta = {COVER: [[*stretch] for stretch in cover(candidates)]}
            yield dataclasses.replace(document, spans=spans, meta=meta)


def without_propagation(bundle: Bundle) -> Bundle:
    """The same bundle, nothing carried over."""
    return make_bundle(
        bundle.name,
        recipe=dataclasses.replace(bundle.recipe, propagation=None),
        models=bundle.models,
        dictionaries=bundle.dictionaries,
        auxiliary=bundle.auxiliary,
        biases=bundle.biases,
        card=bundle.card,
    )


def detectors(bundle: Bundle, test: Sequence[AnnotatedDocument]) -> Iterable[dict[str, object]]:
    """A row for the whole, and one without each detector."""
    yield score("all", [bundle], test)
    yield score("without rules", [bundle], test, rules=())
    yield score("without the CRF", [], test)
    yield score("without propagation", [without_propagation(bundle)], test)


def points(
    bundle: Bundle, test: Sequence[AnnotatedDocument], biases: Sequence[float]
) -> Iterable[dict[str, object]]:
    """A row for each bias of O."""
    for bias in biases:
        yield score(f"O {bias:+g}", [revise_bundle(bundle, biases={"O": bias})], test)


def sources(
    asked: argparse.Namespace, test: Sequence[AnnotatedDocument]
) -> Iterable[dict[str, object]]:
    """A row for all sources, and one without each."""
    corpora: dict[str, list[AnnotatedDocument]] = collections.defaultdict(list)
    corpora[GENERATED] = list(generate(load_templates(), seed=asked.seed, notes=asked.notes))
    for name, _, url in (one.partition("=") for one in asked.sources):
        corpora[name] += list(read_annotated(url)) * (OWN_WEIGHT if name == OWN else 1)
    recipe = with_learner(recipe_in("default", "en"), FAST.algorithm, dict(FAST.parameters))
    for left_out in (None, *corpora):
        documents = [one for name, some in corpora.items() if name != left_out for one in some]
        bundle = train(
            recipe, documents, dictionaries={n: load(n) for n in recipe.lists}, name="trial"
        )
        bundle = revise_bundle(bundle, biases={"O": (asked.bias or [-10.0])[0]})
        yield score(f"without {left_out}" if left_out else "all sources", [bundle], test)


def table(rows: Sequence[dict[str, object]]) -> str:
    """The table in Markdown."""
    lines = [
        "| | tokens P / R | strict F1 | clean | probes that stay | tokens/s |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        metrics: dict = row["metrics"]  # type: ignore[type-arg, assignment]
        tokens, strict = metrics["token_blind"]["micro"], metrics["strict"]["micro"]
        clean = metrics["documents"]["clean"]
        stay, phrases = row["probes"]  # type: ignore[misc]
        cells = (
            f"{row['name']}",
            f"{tokens['precision']:.3f} / {tokens['recall']:.3f}",
            f"{strict['f1']:.3f}",
            f"{clean['count']} of {clean['of']}",
            f"{stay} of {phrases}",
            f"{row['tokens_per_second']:,}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--model", help="a bundle whose detectors are taken away in turn")
    parser.add_argument("--source", dest="sources", action="append", metavar="NAME=FILE")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--notes", type=int, default=6930, help="generated ones")
    parser.add_argument(
        "--bias", type=float, nargs="+", help="of O; the first, else -10, for --source"
    )
    parser.add_argument("--test", default=DEVELOPMENT)
    asked = parser.parse_args()
    if not (asked.model or asked.sources):
        parser.error("give --model, --source or both")
    test = list(read_annotated(asked.test))
    rows = []
    runs: list[Iterable[dict[str, object]]] = []
    if asked.model:
        bundle = open_bundle(asked.model)
        runs += [detectors(bundle, test), points(bundle, test, asked.bias or ())]
    runs += [sources(asked, test)] if asked.sources else []
    for run in runs:
        for row in run:
            print(json.dumps(row), flush=True)
            rows.append(row)
    print(table(rows), file=sys.stderr)


if __name__ == "__main__":
    main()
