"""How long training takes, and what `--fast` costs in quality.

    python -m benchmarks.training --corpus TRAIN --held-out DEV [--recipe NAME] [--language NAME]
                                  [--sequence NAME] [--skip-full]

One JSON line. For the fast learner and the full one: processor and wall seconds for features (which
both share) and for learning, iterations, size of the model, strict F1 and label-blind recall of
characters on the documents held out. "total" is reading, features and learning. Then the ratio of
times and the difference of F1, and the greatest resident set in MB. Language parts are left out.

The bar (hide with the Spanish lists on MEDDOCAN, 500 documents): "fast" total under 60 s of wall
time on an idle core, and F1 within 0.003 of "full", which is L-BFGS with 200 iterations, c1=0.1,
c2=0.05.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import platform
import resource
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import TypeVar

from scrubline.dictionaries import load
from scrubline.models.corpora import AnnotatedDocument, read_annotated
from scrubline.models.crf.packed import pack
from scrubline.models.recipes import LANGUAGES, RECIPES, Learner, Recipe, recipe_in
from scrubline.models.training.decoding import Decoders
from scrubline.models.training.preparing import fit, make_dictionaries, prepare
from scrubline.models.training.scoring import Scorer
from scrubline.models.training.settings import FAST

FULL = Learner.of("lbfgs", c1=0.1, c2=0.05, max_iterations=200, epsilon=1e-5, delta=1e-5, period=1)
T = TypeVar("T")


def timed(run: Callable[[], T]) -> tuple[T, dict[str, float]]:
    """What it gives, and the seconds that it took."""
    wall, processor = time.perf_counter(), time.process_time()
    result = run()
    took = {
        "wall": round(time.perf_counter() - wall, 2),
        "processor": round(time.process_time() - processor, 2),
    }
    return result, took


def measure(
    recipe: Recipe, learner: Learner, train: list[AnnotatedDocument], held: list[AnnotatedDocument]
) -> dict[str, object]:
    lists = make_dictionaries(recipe, train, {name: load(name) for name in recipe.lists})
    prepared, features = timed(lambda: prepare(recipe, train, lists))
    iterations = 0

    def count(iteration: int, loss: float) -> None:
        nonlocal iterations
        iterations += 1

    models, learning = timed(
        lambda: {p.recipe.kind: fit(p, learner=learner, progress=count) for p in prepared}
    )
    seen = {p.recipe.kind: p.features for p in prepare(recipe, held, lists)}
    scored = Scorer(held).score(Decoders(models, seen, recipe, [d.text for d in held]).entities())
    return {
        "learner": {"algorithm": learner.algorithm, **dict(learner.parameters)},
        "features": features,
        "learning": learning,
        "total": {key: round(features[key] + learning[key], 2) for key in features},
        "iterations": iterations,
        "bytes": sum(len(pack(model)) for model in models.values()),
        **scored.as_json(),
        "strict_f1": scored.strict.f1,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--held-out", required=True)
    parser.add_argument("--recipe", default="hide", choices=sorted(RECIPES))
    parser.add_argument("--language", default="en", choices=sorted(LANGUAGES))
    parser.add_argument("--sequence")
    parser.add_argument("--skip-full", action="store_true")
    options = parser.parse_args()
    recipe = recipe_in(options.recipe, options.language)
    recipe = recipe.without(recipe.auxiliary)
    if options.sequence:
        taggers = [dataclasses.replace(t, sequence=options.sequence) for t in recipe.taggers]
        recipe = dataclasses.replace(recipe, taggers=tuple(taggers))
    train, held = list(read_annotated(options.corpus)), list(read_annotated(options.held_out))
    report: dict[str, object] = {
        "what": "training of one recipe, seconds; strict F1 on documents held out",
        "recipe": recipe.name,
        "documents": len(train),
        "characters": sum(len(document.text) for document in train),
        "held_out": len(held),
    }
    fast = report["fast"] = measure(recipe, FAST, train, held)
    if not options.skip_full:
        full = report["full"] = measure(recipe, FULL, train, held)
        seconds = [side["total"]["processor"] for side in (fast, full)]  # type: ignore[index]
        report["times_faster"] = round(seconds[1] / seconds[0], 1)
        report["f1_lost"] = round(full["strict_f1"] - fast["strict_f1"], 4)  # type: ignore[operator]
    report |= {
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        "python": platform.python_version(),
        "python-crfsuite": version("python-crfsuite"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "seed": 0,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
