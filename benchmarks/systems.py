r"""How good, fast and large are the recipes: trained and scored on one corpus, in one table.

    python -m benchmarks.systems --train meddocan/train.jsonl --test meddocan/dev.jsonl \
        --language es --label-map meddocan --output build/systems

Each recipe is trained and tags the test part in a process of its own, one after another, so that
its memory is its own. Prints one JSON line a recipe, then the table in Markdown.

For the Text Anonymization Benchmark: with `--masked` only mentions that are to be masked (DIRECT
and QUASI) are gold. With `--blind` a CRF is trained on all mentions with two labels, to be masked
or not, and the label map drops the second: so it learns what a mention is from every one, and what
is to be masked in one place is masked everywhere. Scores by type mean nothing then.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import multiprocessing
import resource
import sys
import time
from pathlib import Path

from scrubline.dictionaries import load
from scrubline.models.auxiliary import read_auxiliary
from scrubline.models.bundles.bundle import revise_bundle, write_bundle
from scrubline.models.core.label_maps import load_map
from scrubline.models.corpora import AnnotatedDocument, Annotation, read_annotated
from scrubline.models.evaluation import compare
from scrubline.models.recipes import RECIPES, Learner, Propagation, Recipe, recipe_in
from scrubline.models.scrubber import Scrubber
from scrubline.models.training import train

METRICS = ("documents", "character", "token_blind", "strict", "meddocan_strict")
GOES, STAYS = "MASKED", "UNMASKED"
BLIND: dict[str, str | None] = {GOES: "IDNUM", STAYS: None}
CARRIED = Propagation((GOES,), share=0.34)


def masked(document: AnnotatedDocument, *, blind: bool = False) -> AnnotatedDocument:
    """A document of the Text Anonymization Benchmark with the mentions that are to be masked.

    Args:
        document: as converted, with all annotators' mentions in its meta.
        blind: with all mentions, in the labels of `BLIND`.
    """
    mentions = document.meta["annotators"][document.meta["spans_annotator"]]  # type: ignore[index]
    kept = {
        Annotation(m["start"], m["end"], (STAYS if stays else GOES) if blind else m["label"])
        for m in mentions
        if not (stays := m["identifier_type"] == "NO_MASK") or blind
    }
    return dataclasses.replace(
        document, spans=tuple(sorted(kept, key=lambda s: (s.start, -s.end, s.label)))
    )


def with_parameters(recipe: Recipe, parameters: dict[str, float]) -> Recipe:
    """The recipe with other parameters of all its learners."""
    taggers = (
        dataclasses.replace(
            tagger,
            learner=Learner.of(
                tagger.learner.algorithm, **{**dict(tagger.learner.parameters), **parameters}
            ),
        )
        for tagger in recipe.taggers
    )
    return dataclasses.replace(recipe, taggers=tuple(taggers))


def run(asked: argparse.Namespace, name: str) -> dict[str, object]:
    """Trains one recipe, tags the test part, and scores it."""
    training, test = _read(asked.train), _read(asked.test)
    if asked.masked:
        training = [masked(document, blind=asked.blind) for document in training]
        test = [masked(document) for document in test]
    label_map = dict(load_map(asked.label_map).table) if asked.label_map else None
    auxiliary = {model.name: model for model in map(read_auxiliary, asked.parts or ())}
    recipe = recipe_in(name, asked.language)
    recipe = recipe.without(set(recipe.auxiliary) - auxiliary.keys())
    if asked.parameters:
        values = (p.partition("=") for p in asked.parameters)
        recipe = with_parameters(recipe, {name: float(value) for name, _, value in values})
    if asked.blind:
        label_map = BLIND
        if recipe.propagation is not None:
            recipe = dataclasses.replace(recipe, propagation=CARRIED)
    began = time.process_time()
    bundle = train(
        recipe,
        training,
        dictionaries={one: load(one) for one in recipe.lists},
        auxiliary=auxiliary,
        name=f"{name}-bench",
        label_map=label_map,
    )
    trained = time.process_time() - began
    if asked.biases:
        biases = {
            label: float(value) for label, _, value in (b.partition("=") for b in asked.biases)
        }
        bundle = revise_bundle(bundle, biases=biases)
    if asked.output:
        write_bundle(bundle, str(Path(asked.output) / name))
    began = time.process_time()
    found = _tag(bundle, recipe, test, native=asked.blind)
    tagged = time.process_time() - began
    report = compare(test, found, metrics=METRICS, resamples=asked.resamples)
    metrics = report.as_json()["metrics"]
    return {
        "recipe": name,
        "auxiliary": list(recipe.auxiliary),
        "train_seconds": round(trained, 1),
        "tokens_per_second": round(report.tokens / tagged),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "bundle_bytes": sum(map(len, bundle.files.values())),
        "metrics": metrics,
    }


def _tag(
    bundle: object, recipe: Recipe, test: list[AnnotatedDocument], *, native: bool
) -> list[AnnotatedDocument]:
    scrubber = Scrubber(bundle, recognisers=recipe.rules, native_labels=native)  # type: ignore[arg-type]
    return list(scrubber.annotate(test))


def _read(urls: list[str]) -> list[AnnotatedDocument]:
    return [document for url in urls for document in read_annotated(url)]


def table(rows: list[dict[str, object]]) -> str:
    """The table in Markdown."""
    lines = [
        "| recipe | strict P / R / F1 (95 %) | spans strict F1 | tokens, label-blind P / R / F1 |"
        " characters P / R | documents leaking | training, CPU s | peak MB | tokens/s | MB |",
        "|" + " --- |" * 10,
    ]
    for row in rows:
        m = row["metrics"]
        strict, spans, tokens, chars = (
            m[name]["micro"] for name in ("strict", "meddocan_strict", "token_blind", "character")
        )
        low, high = strict["intervals"]["f1"]
        leaked = m["documents"]["leaked"]
        lines.append(
            f"| `{row['recipe']}` | {_three(strict)} ({low:.3f}-{high:.3f}) | {spans['f1']:.4f} |"
            f" {_three(tokens)} | {chars['precision']:.4f} / {chars['recall']:.4f} |"
            f" {leaked['count']} of {leaked['of']} | {row['train_seconds']} | {row['peak_mb']} |"
            f" {row['tokens_per_second']:,} | {row['bundle_bytes'] / 1e6:.1f} |"
        )
    return "\n".join(lines)


def _three(score: dict[str, float]) -> str:
    return f"{score['precision']:.4f} / {score['recall']:.4f} / {score['f1']:.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--train", action="append", required=True)
    parser.add_argument("--test", action="append", required=True)
    parser.add_argument("--language", default="en")
    parser.add_argument("--label-map")
    parser.add_argument("--part", dest="parts", action="append")
    parser.add_argument("--recipe", dest="recipes", action="append", choices=sorted(RECIPES))
    parser.add_argument("--bias", dest="biases", action="append")
    parser.add_argument("--parameter", dest="parameters", action="append", metavar="NAME=VALUE")
    parser.add_argument("--masked", action="store_true")
    parser.add_argument("--blind", action="store_true")
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--output", help="keeps the bundles here")
    asked = parser.parse_args()
    if asked.blind and not asked.masked:
        parser.error("--blind goes with --masked")
    rows = []
    for name in asked.recipes or RECIPES:
        # Forked, not spawned: nothing has run yet that a child must not inherit.
        with multiprocessing.get_context("fork").Pool(1) as pool:
            row = pool.apply(run, (asked, name))
        print(json.dumps(row), flush=True)
        rows.append(row)
    print(table(rows), file=sys.stderr)


if __name__ == "__main__":
    main()
