r"""How many own notes does it take? A learning curve of own notes beside generated ones.

    python -m benchmarks.adaptation --train tab/train.jsonl --test tab/dev.jsonl --label-map tab
    python -m benchmarks.adaptation --train grascco_phi/train.jsonl --test grascco_phi/dev.jsonl \
        --label-map grascco_phi --own 0 10 30

For each number of own notes a model is trained on generated notes and the first so many notes of
the site, weighted as `train --add` does, by the recipe `default` and the averaged perceptron,
without biases; beside it one on the own notes alone. Gold is in the native labels, by the map;
spans without counterpart are left out. Rules run beside both. Prints one JSON line a row, then the
table in Markdown.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from scrubline.dictionaries import load
from scrubline.models.bundles.bundle import Bundle
from scrubline.models.core.label_maps import load_map
from scrubline.models.corpora import AnnotatedDocument, read_annotated, remap
from scrubline.models.evaluation import compare
from scrubline.models.recipes import Recipe, recipe_in
from scrubline.models.scrubber import Scrubber
from scrubline.models.synth import generate, load_templates
from scrubline.models.training import train
from scrubline.models.training.settings import FAST, with_learner
from scrubline.pipeline.commands.train_inputs import weight_of

from .english import annotated

METRICS = ("token_blind", "strict")


def trained(recipe: Recipe, documents: Sequence[AnnotatedDocument]) -> Bundle:
    lists = {name: load(name) for name in recipe.lists}
    return train(recipe, documents, dictionaries=lists, name="trial")


def score(bundle: Bundle, test: Sequence[AnnotatedDocument]) -> dict[str, object]:
    """What this bundle and the rules find."""
    scrubber = Scrubber(bundle)
    found = list(annotated(scrubber, test))
    metrics = compare(test, found, metrics=METRICS, resamples=0).metrics
    tokens, strict = metrics["token_blind"].micro, metrics["strict"].micro
    return {
        "tokens": [round(tokens.precision or 0, 4), round(tokens.recall or 0, 4)],
        "strict_f1": round(strict.f1 or 0, 4),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--train", required=True)
    parser.add_argument("--test", required=True)
    parser.add_argument("--label-map", required=True)
    parser.add_argument("--own", type=int, nargs="+", default=[0, 10, 30, 100])
    parser.add_argument("--notes", type=int, default=800, help="generated ones")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    mapping = load_map(asked.label_map)
    site, test = (
        [remap(document, mapping.apply) for document in read_annotated(url)]
        for url in (asked.train, asked.test)
    )
    generated = list(generate(load_templates(), seed=asked.seed, notes=asked.notes))
    recipe = with_learner(recipe_in("default", "en"), FAST.algorithm, dict(FAST.parameters))
    lines = [
        "| own notes | with generated: tokens P / R, strict F1 | own alone |",
        "| --- | --- | --- |",
    ]
    for count in asked.own:
        own = site[:count]
        weight = weight_of(own, generated)
        row: dict[str, object] = {"own": len(own), "weight": weight}
        row["with generated"] = score(trained(recipe, generated + own * weight), test)
        if own:
            row["alone"] = score(trained(recipe, own), test)
        print(json.dumps(row), flush=True)
        cells = [str(len(own))]
        for name in ("with generated", "alone"):
            one: dict = row.get(name, {})  # type: ignore[type-arg, assignment]
            cells.append(
                f"{one['tokens'][0]:.3f} / {one['tokens'][1]:.3f}, {one['strict_f1']:.3f}"
                if one
                else "-"
            )
        lines.append(f"| {' | '.join(cells)} |")
    print("\n".join(lines), file=sys.stderr)


if __name__ == "__main__":
    main()
