r"""What each source of training data and each detector is worth, and each operating point.

    python -m benchmarks.english --notes 6930 --source raw=raw.jsonl --source asq=asq.jsonl \
        --source own=demo/gold/train.jsonl --source own=benchmarks/notes/practice.jsonl
    python -m benchmarks.english --model en-default --bias 0 -5 -10 -20
    python -m benchmarks.english --notes 1733 --without traps='trap-*' --without world='world-*' \
        --without countries --without-feature nearest --without-feature eponyms_en \
        --test benchmarks/notes/world.jsonl --test benchmarks/notes/traps.jsonl

With `--source` a model is trained on the generated notes and all sources, then one without each of
them in turn, by the averaged perceptron, and scored with the rules beside it. With `--model` a
bundle is scored whole, without its rules, without its CRF and without propagation, and whole with
each `--bias` of O. With `--without` a model is trained on all generated notes, then one without
all batches of templates, and one without each in turn, all on as many notes: a batch is a name
and a pattern of kinds, or `countries`: all notes of templates that ask for no country are then of
the United States. With `--without-feature` a model is trained without the features of one kind,
such as `nearest`, or without those of one list. The notes to score on are the development notes, or
the sets of `--test`; one trained model is scored on all of them. Sources are in the
native labels (`scrubline convert --label-map`); those named `own` count three times. Each row says
how many of the clinical probes stay, and how many spans were found in notes without PHI. Prints one
JSON line a row, then the table in Markdown;
seconds are of this process, once, on whatever machine it is: compare rows of one run.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import fnmatch
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from scrubline.dictionaries import load
from scrubline.models.bundles.bundle import Bundle, make_bundle, open_bundle, revise_bundle
from scrubline.models.corpora import COVER, AnnotatedDocument, Annotation, read_annotated
from scrubline.models.evaluation import compare
from scrubline.models.features import Feature
from scrubline.models.recipes import recipe_in
from scrubline.models.recipes.tagger import TaggerRecipe
from scrubline.models.redaction.merging import cover, select
from scrubline.models.scrubber import Scrubber, batched
from scrubline.models.synth import Template, generate, load_templates
from scrubline.models.training import train
from scrubline.models.training.settings import FAST, with_learner

from .probes import lost, read_probes

DEVELOPMENT = "benchmarks/notes/development.jsonl"
METRICS = ("documents", "token_blind", "strict")
GENERATED, OWN, OWN_WEIGHT = "generated", "own", 3
COUNTRIES = "countries"


Row = dict[str, object]
Tests = Mapping[str, Sequence[AnnotatedDocument]]
"""Name of a set of notes -> the notes."""


def score(
    name: str, bundles: Sequence[Bundle], tests: Tests, *, rules: Sequence[str] | None = None
) -> Iterator[Row]:
    """A row for each set: what these detectors find in its notes, and how fast."""
    scrubber = Scrubber(models=bundles, recognisers=rules)
    probes = read_probes()
    phrases = sum(len(probe.phrases) for probe in probes)
    stay = phrases - len(lost(scrubber, probes))
    for set_name, test in tests.items():
        began = time.process_time()
        found = list(annotated(scrubber, test))
        seconds = time.process_time() - began
        report = compare(test, found, metrics=METRICS, resamples=0)
        empty = {document.doc_id for document in test if not document.spans}
        yield {
            "name": name,
            "test": set_name,
            "tokens_per_second": round(report.tokens / seconds),
            "probes": [stay, phrases],
            "false_spans": [
                sum(len(document.spans) for document in found if document.doc_id in empty),
                len(empty),
            ],
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


def detectors(bundle: Bundle, tests: Tests) -> Iterator[Row]:
    """Rows for the whole, and those without each detector."""
    yield from score("all", [bundle], tests)
    yield from score("without rules", [bundle], tests, rules=())
    yield from score("without the CRF", [], tests)
    yield from score("without propagation", [without_propagation(bundle)], tests)


def points(bundle: Bundle, tests: Tests, biases: Sequence[float]) -> Iterator[Row]:
    """Rows for each bias of O."""
    for bias in biases:
        yield from score(f"O {bias:+g}", [revise_bundle(bundle, biases={"O": bias})], tests)


def sources(asked: argparse.Namespace, tests: Tests) -> Iterator[Row]:
    """Rows for all sources, and those without each."""
    corpora: dict[str, list[AnnotatedDocument]] = collections.defaultdict(list)
    corpora[GENERATED] = list(generate(load_templates(), seed=asked.seed, notes=asked.notes))
    for name, _, url in (one.partition("=") for one in asked.sources):
        corpora[name] += list(read_annotated(url)) * (OWN_WEIGHT if name == OWN else 1)
    for left_out in (None, *corpora):
        documents = [one for name, some in corpora.items() if name != left_out for one in some]
        name = f"without {left_out}" if left_out else "all sources"
        yield from score(name, [_trained(asked, documents)], tests)


def _trained(
    asked: argparse.Namespace, documents: Sequence[AnnotatedDocument], left_out: str = ""
) -> Bundle:
    recipe = with_learner(recipe_in("default", "en"), FAST.algorithm, dict(FAST.parameters))
    taggers = tuple(dataclasses.replace(t, features=_kept(t, left_out)) for t in recipe.taggers)
    recipe = dataclasses.replace(recipe, taggers=taggers)
    lists = {name: load(name) for name in recipe.lists}
    bundle = train(recipe, documents, dictionaries=lists, name="trial")
    return revise_bundle(bundle, biases={"O": (asked.bias or [-10.0])[0]})


def _kept(tagger: TaggerRecipe, left_out: str) -> tuple[Feature, ...]:
    """The features without those that have a property of this kind, or of this list."""
    return tuple(
        feature
        for feature in tagger.features
        if not any(
            left_out == part.KIND or left_out in (name for _, name in part.needs)
            for part, _ in feature.parts
        )
    )


def batches(asked: argparse.Namespace, tests: Tests) -> Iterator[Row]:
    """Rows for all, for those without each batch and without all batches, or without features."""
    named = dict(one.partition("=")[::2] for one in asked.without)
    ways: dict[str, list[str]] = {"all templates": []}
    if named:
        ways["without all of these"] = list(named)
    if len(named) > 1:
        ways |= {f"without {name}": [name] for name in named}
    for way, names in ways.items():
        templates = load_templates()
        for name in names:
            templates = _without(templates, named[name])
        documents = list(generate(templates, seed=asked.seed, notes=asked.notes))
        yield from score(way, [_trained(asked, documents)], tests)
    documents = list(generate(load_templates(), seed=asked.seed, notes=asked.notes))
    for feature in asked.without_features:
        yield from score(f"without {feature}", [_trained(asked, documents, feature)], tests)


def _without(templates: Sequence[Template], pattern: str) -> list[Template]:
    """Those of other kinds; without a pattern, all at home if they do not say where they are."""
    if pattern:
        return [one for one in templates if not fnmatch.fnmatch(one.kind, pattern)]
    return [
        dataclasses.replace(one, settings={"country": "US", **one.settings}) for one in templates
    ]


def _share(value: float | None) -> str:
    """Three decimals; notes without PHI have no recall."""
    return "-" if value is None else f"{value:.3f}"


def table(rows: Sequence[Row]) -> str:
    """The table in Markdown."""
    lines = [
        "| | notes | tokens P / R | strict F1 | clean | false spans | probes | tokens/s |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        metrics: dict = row["metrics"]  # type: ignore[type-arg, assignment]
        tokens, strict = metrics["token_blind"]["micro"], metrics["strict"]["micro"]
        clean = metrics["documents"]["clean"]
        stay, phrases = row["probes"]  # type: ignore[misc]
        spans, empty = row["false_spans"]  # type: ignore[misc]
        cells = (
            f"{row['name']}",
            f"{row['test']}",
            f"{_share(tokens['precision'])} / {_share(tokens['recall'])}",
            _share(strict["f1"]),
            f"{clean['count']} of {clean['of']}",
            f"{spans} in {empty}" if empty else "-",
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
    parser.add_argument("--test", dest="tests", action="append", metavar="FILE")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        metavar="NAME=KINDS",
        help="a batch of templates that is left out in turn; `countries` stands for itself",
    )
    parser.add_argument(
        "--without-feature",
        dest="without_features",
        action="append",
        default=[],
        metavar="KIND|LIST",
        help="a kind of features, or a list, that is left out in turn",
    )
    asked = parser.parse_args()
    if not (asked.model or asked.sources or asked.without or asked.without_features):
        parser.error("give --model, --source, --without or --without-feature")
    for one in asked.without:
        if "=" not in one and one != COUNTRIES:
            parser.error(f"--without: expected NAME=KINDS or {COUNTRIES}")
    recipe = recipe_in("default", "en")
    for one in asked.without_features:
        if all(_kept(tagger, one) == tagger.features for tagger in recipe.taggers):
            parser.error(f"--without-feature: the recipe has no features of the kind or list {one}")
    tests = {Path(file).stem: list(read_annotated(file)) for file in asked.tests or [DEVELOPMENT]}
    rows = []
    runs: list[Iterable[Row]] = []
    if asked.model:
        bundle = open_bundle(asked.model)
        runs += [detectors(bundle, tests), points(bundle, tests, asked.bias or ())]
    runs += [sources(asked, tests)] if asked.sources else []
    runs += [batches(asked, tests)] if asked.without or asked.without_features else []
    for run in runs:
        for row in run:
            print(json.dumps(row), flush=True)
            rows.append(row)
    print(table(rows), file=sys.stderr)


if __name__ == "__main__":
    main()
