r"""How good, fast and large are the recipes: trained and scored on one corpus, in one table.

    python -m benchmarks.systems --train meddocan/train.jsonl --test meddocan/dev.jsonl \
        --language es --label-map meddocan --output build/systems

Each recipe is trained and tags the test part in a process of its own, one after another, so that
its memory is its own. Prints one JSON line a recipe, then the table in Markdown.

`--output` keeps what is finished: `NAME/` is the bundle, `NAME.json` what was measured while it was
trained and scored. A second call with the same options takes both from there and measures speed
alone. An edit of what is learnt needs another folder, for the code is not compared.

Speeds are by processor time over the test part, in `--runs` new processes each, of which the median
counts. So no run has seen a document or a word before; opening the bundle is not in it. "labelled"
is what the bundle does: texts to tokens, features, tags, votes, passes, candidates. "detected" is
all of `annotate`: that, disguises of texts, the recipe's rules, and the choice among candidates.

For the Text Anonymization Benchmark: with `--masked` only mentions that are to be masked (DIRECT
and QUASI) are gold. With `--blind` a CRF is trained on all mentions with two labels, to be masked
or not, and the label map drops the second: so it learns what a mention is from every one, and what
is to be masked in one place is masked everywhere. Scores by type mean nothing then.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import json
import multiprocessing
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from scrubline.dictionaries import load
from scrubline.models.auxiliary import read_auxiliary
from scrubline.models.bundles.bundle import Bundle, open_bundle, revise_bundle, write_bundle
from scrubline.models.bundles.detector import BundleDetector
from scrubline.models.core.label_maps import load_map
from scrubline.models.core.spans import Candidates
from scrubline.models.corpora import AnnotatedDocument, Annotation, read_annotated
from scrubline.models.evaluation import compare
from scrubline.models.recipes import RECIPES, Learner, Propagation, Recipe, recipe_in
from scrubline.models.scrubber import Scrubber, batched
from scrubline.models.text.tokenizer import tokenize_documents
from scrubline.models.training import train
from scrubline.models.training.identity import hash_of

METRICS = ("documents", "character", "token_blind", "token", "strict", "meddocan_strict")
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


def fitted(asked: argparse.Namespace, name: str, kept: Path) -> dict[str, object]:
    """Trains one recipe, writes its bundle, tags the test part, and scores it."""
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
        auxiliary={one: auxiliary[one] for one in recipe.auxiliary},
        name=f"{name}-bench",
        label_map=label_map,
    )
    trained = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if asked.biases:
        biases = {
            label: float(value) for label, _, value in (b.partition("=") for b in asked.biases)
        }
        bundle = revise_bundle(bundle, biases=biases)
    shutil.rmtree(kept, ignore_errors=True)
    write_bundle(bundle, str(kept))
    found = list(_opened(bundle, asked).annotate(test))
    report = compare(test, found, metrics=METRICS, resamples=asked.resamples)
    return {
        "recipe": name,
        "auxiliary": list(recipe.auxiliary),
        "train_seconds": round(trained, 1),
        "peak_mb": peak,
        "bundle_bytes": sum(map(len, bundle.files.values())),
        "model_bytes": sum(len(c) for file, c in bundle.files.items() if file.endswith(".xz")),
        "metrics": report.as_json()["metrics"],
    }


def detected(asked: argparse.Namespace, kept: Path) -> float:
    """Fine tokens of the test part a second of processor time, from texts to entities."""
    scrubber = _opened(open_bundle(str(kept)), asked)
    # What the first text of a process loads is no part of it.
    scrubber.entities("x")
    test = _read(asked.test)
    began = time.process_time()
    for _ in scrubber.annotate(test):
        pass
    return _tokens(test) / (time.process_time() - began)


def labelled(asked: argparse.Namespace, kept: Path) -> float:
    """Fine tokens of the test part a second of processor time, from texts to a bundle's labels."""
    detector = BundleDetector(open_bundle(str(kept)), labels_as="own")
    label_texts(detector, ["x"])
    test = _read(asked.test)
    began = time.process_time()
    for batch in batched(test):
        label_texts(detector, [document.text for document in batch])
    return _tokens(test) / (time.process_time() - began)


def label_texts(detector: BundleDetector, texts: Sequence[str]) -> Candidates:
    """The candidates of a batch."""
    tokens = tokenize_documents(texts, sentences=detector.reads_sentences)
    return detector.label(detector.featurize(texts, tokens), texts, tokens)


def _tokens(documents: Sequence[AnnotatedDocument]) -> int:
    return len(tokenize_documents([document.text for document in documents]))


def trial(asked: argparse.Namespace, name: str, output: Path) -> dict[str, object]:
    """One row: what is kept of it, and its speed measured anew."""
    kept, file = output / name, output / f"{name}.json"
    asked_for = identity(asked, name)
    known = json.loads(file.read_bytes()) if file.exists() else {}
    if known.pop("of", None) != asked_for or not kept.is_dir():
        known = _alone(fitted, asked, name, kept)
        file.write_text(json.dumps({"of": asked_for, **known}) + "\n", encoding="utf-8")
    speeds = {}
    for what, measured in (("labelled", labelled), ("detected", detected)):
        runs = [_alone(measured, asked, kept) for _ in range(asked.runs)]
        speeds[what] = {"median": round(statistics.median(runs)), "runs": [*map(round, runs)]}
    return {**known, "tokens_per_second": speeds}


def identity(asked: argparse.Namespace, name: str) -> str:
    """A hash of what a trial depends on but the code: corpora, recipe, parts and options."""
    files = [*asked.train, *asked.test]
    options = (asked.biases, asked.parameters, asked.label_map, asked.masked, asked.blind)
    return hash_of(
        [
            [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files],
            recipe_in(name, asked.language).as_json(),
            sorted(read_auxiliary(part).hash for part in asked.parts or ()),
            [*options, asked.resamples, *METRICS],
        ]
    )


def _alone(work: Callable[..., Any], *arguments: object) -> Any:
    """What the work gives back, done in a process of its own."""
    # Forked, not spawned: nothing has run yet that a child must not inherit.
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(work, arguments)


def _opened(bundle: Bundle, asked: argparse.Namespace) -> Scrubber:
    return Scrubber(bundle, recognisers=bundle.recipe.rules, native_labels=asked.blind)


def _read(urls: list[str]) -> list[AnnotatedDocument]:
    return [document for url in urls for document in read_annotated(url)]


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The table in Markdown."""
    lines = [
        "| recipe | strict P / R / F1 (95 %) | spans strict F1 | tokens P / R / F1 |"
        " tokens, label-blind P / R / F1 | characters P / R | documents leaking | training, CPU s |"
        " peak MB | tokens/s labelled | detected | MB | of models |",
        "|" + " --- |" * 13,
    ]
    for row in rows:
        m = row["metrics"]
        strict, spans, typed, blind, chars = (
            m[name]["micro"]
            for name in ("strict", "meddocan_strict", "token", "token_blind", "character")
        )
        low, high = strict["intervals"]["f1"]
        leaked, speeds = m["documents"]["leaked"], row["tokens_per_second"]
        lines.append(
            f"| `{row['recipe']}` | {_three(strict)} ({low:.3f}-{high:.3f}) | {spans['f1']:.4f} |"
            f" {_three(typed)} | {_three(blind)} |"
            f" {chars['precision']:.4f} / {chars['recall']:.4f} |"
            f" {leaked['count']} of {leaked['of']} | {row['train_seconds']} | {row['peak_mb']} |"
            f" {speeds['labelled']['median']:,} | {speeds['detected']['median']:,} |"
            f" {row['bundle_bytes'] / 1e6:.2f} |"
            f" {row['model_bytes'] / 1e6:.2f} |"
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
    parser.add_argument("--output", help="keeps bundles and finished trials here")
    parser.add_argument("--runs", type=int, default=5, help="of speed")
    asked = parser.parse_args()
    if asked.blind and not asked.masked:
        parser.error("--blind goes with --masked")
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        output = Path(asked.output or temporary)
        output.mkdir(parents=True, exist_ok=True)
        for name in asked.recipes or RECIPES:
            row = trial(asked, name, output)
            print(json.dumps(row), flush=True)
            rows.append(row)
    print(table(rows), file=sys.stderr)


if __name__ == "__main__":
    main()
