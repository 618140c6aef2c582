"""`scrubline train`: an annotated corpus becomes a bundle."""

from __future__ import annotations

import argparse
import functools
import json
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence

from ...models.bundles.bundle import Bundle, revise_bundle, write_bundle
from ...models.core.display_names import counted
from ...models.core.errors import UsageError
from ...models.corpora import AnnotatedDocument, write_annotated
from ...models.evaluation import compare
from ...models.plots.curves import lines
from ...models.plots.drawing import standalone
from ...models.scrubber import Scrubber
from ...models.storage.private_files import named_private_folder
from ...models.training import train
from ...models.training.caching import prepare_cached
from ...models.training.crossvalidation import (
    Prepare,
    SettingResult,
    Trial,
    best_of,
    cross_validate,
)
from ...models.training.folds import make_folds
from ...models.training.preparing import prepare
from ...models.training.pruning import require_weights, shrink
from ...models.training.reporting import report_json, report_markdown
from ...models.training.scoring import gold_for
from ..process.exit_codes import ExitCode
from ..process.logs import as_typed, is_terminal, remember_typed
from ..process.stdout import show
from .dial import read_recalls, tune_bundle, tuning_table
from .new_files import write_new
from .train_inputs import TrainInputs, read_inputs
from .train_options import check_options, command_line
from .training_progress import TrainingProgress

_FOLDS_OF_A_SEARCH = 3


def train_bundle(args: argparse.Namespace) -> str:
    """Trains and writes a bundle; returns a report for the user.

    Args:
        args: the parsed command line of `scrubline train`.

    Raises:
        UsageError: if the corpus, the recipe or a parameter cannot be used, an output exists, or a
            wanted recall cannot be reached; the bundle is then written without tuning.
    """
    check_options(args)
    inputs = read_inputs(args)
    prepared_by = _prepare(args)
    report: list[str] = []
    if inputs.base is not None and not inputs.synthetic:
        report.append(
            f"{inputs.base.name} was not trained on generated notes: training uses your notes only"
        )
    card = _card(inputs)
    recipe = inputs.recipe
    if args.max_size is not None:
        require_weights(recipe)
    if args.search or args.folds:
        chosen, page, card["cross-validation"] = _searched(args, inputs, prepared_by)
        report.append(page)
        recipe = chosen.setting.recipe
        if not args.output:
            return "\n".join(report)
    with TrainingProgress(recipe, prepared_by) as shown:
        bundle = train(
            recipe,
            inputs.documents,
            dictionaries=inputs.dictionaries,
            auxiliary=inputs.auxiliary,
            name=args.name,
            label_map=inputs.label_map,
            trained_on=args.credit or "",
            command=command_line(args),
            progress=shown.iterated,
            prepared_by=shown.prepare,
        )
    if inputs.biases:
        bundle = revise_bundle(bundle, biases=inputs.biases)
    if args.max_size is not None:
        bundle, line = _shrunk(bundle, args.max_size, inputs.held_out)
        report.append(line)
    is_missed = False
    if args.recalls:
        recall, labels = read_recalls(args.recalls)
        bundle, tuned = tune_bundle(bundle, inputs.tune_on, recall, labels, args.recall_by)
        report.append(tuning_table(tuned))
        is_missed = not tuned.reached
    if inputs.held_out:
        card["scores"], table = _scores(bundle, inputs.held_out)
        report += [
            f"scores on --held-out, {counted(len(inputs.held_out), 'document')}, strict spans:",
            table,
        ]
    bundle = revise_bundle(bundle, card=card)
    write_bundle(bundle, args.output)
    if args.curve:
        write_new(args.curve, _curve(bundle).encode(), "--curve")
    report += _without_headings(bundle)
    report.append(_summary(bundle, len(inputs.documents)))
    report += _next_commands(bool(inputs.held_out))
    if is_missed:
        missed = "a recall cannot be reached; the bundle is written with its previous biases"
        raise UsageError("\n".join([missed, *report]))
    return "\n".join(report)


def _card(inputs: TrainInputs) -> dict[str, object]:
    """What the card says about the inputs."""
    card: dict[str, object] = {}
    if inputs.synthetic:
        card["synth"] = inputs.synthetic.on_card()
    if inputs.own_notes:
        card["own notes"] = inputs.own_notes
    if inputs.base is not None:
        card["from bundle"] = {"name": inputs.base.name, "hash": inputs.base.hash}
    return card


def _summary(bundle: Bundle, documents: int) -> str:
    size = sum(map(len, bundle.files.values()))
    return (
        f"bundle {bundle.name}: {len(bundle.labels)} labels, {size:,} bytes, "
        f"hash {bundle.hash[:12]}, trained on {counted(documents, 'document')}. "
        "It holds words of its training texts: protect it as you protect the notes."
    )


def _next_commands(is_scored: bool) -> Iterator[str]:
    """What to type next; on a terminal the bundle stands in it as it was typed."""
    if not is_scored:
        yield (
            "next: score it on annotated notes of other patients, which it was not trained on:\n"
            "  scrubline annotate --input GOLD.jsonl --output predicted.jsonl --model OUT\n"
            "  scrubline evaluate GOLD.jsonl predicted.jsonl"
        )
    yield (
        "to scrub with it:\n"
        "  scrubline scrub --input URL --output URL --key-file KEYFILE --model OUT"
    )


def _without_headings(bundle: Bundle) -> Iterator[str]:
    """A line for each kind of headings of which training found none."""
    for kind in ("section headings", "trusted phrases"):
        counted = bundle.card.get(kind, {}).get("headings")
        if counted == 0 or (isinstance(counted, dict) and not any(counted.values())):
            yield (
                f"{kind}: no heading of the training notes was frequent or telling enough, so they"
                " have no effect; a hundred notes or more are needed"
            )


def _prepare(args: argparse.Namespace) -> Prepare:
    if not args.cache:
        return prepare
    return functools.partial(prepare_cached, named_private_folder(args.cache, "--cache"))


# -- search


def _searched(
    args: argparse.Namespace, inputs: TrainInputs, prepared_by: Prepare
) -> tuple[SettingResult, str, dict[str, object]]:
    """Cross-validates all settings and writes the files that options name.

    Returns:
        The best setting, the report, and the card's entry.
    """
    results = _cross_validated(args, inputs, prepared_by)
    count = args.folds or _FOLDS_OF_A_SEARCH
    name = inputs.recipe.name
    page = report_markdown(results, recipe=name, folds=count)
    if args.search_report:
        values = report_json(results, recipe=name, folds=count)
        as_json = args.search_report.endswith(".json")
        content = json.dumps(values, indent=1) + "\n" if as_json else page
        write_new(args.search_report, content.encode(), "--search-report")
    best = results[best_of(results)]
    if args.predicted:
        write_annotated(best.predicted(inputs.documents), args.predicted)
    card: dict[str, object] = {
        "folds": count,
        "settings tried": len(results),
        "setting": dict(best.setting.values),
        "mean strict f1": best.f1,
        "spread of strict f1": best.spread,
    }
    return best, page.rstrip(), card


def _cross_validated(
    args: argparse.Namespace, inputs: TrainInputs, prepared_by: Prepare
) -> tuple[SettingResult, ...]:
    settings, documents = inputs.settings, inputs.documents
    folds = make_folds(documents, args.folds or _FOLDS_OF_A_SEARCH, group_by=args.group_by)
    is_live = is_terminal(sys.stderr)

    def where(setting: int, fold: int) -> str:
        name = settings[setting].name
        return f"setting {setting + 1} of {len(settings)} ({name}), fold {fold + 1} of {len(folds)}"

    def on_iteration(setting: int, fold: int, iteration: int, loss: float) -> None:
        if is_live:
            line = f"{where(setting, fold)}: iteration {iteration}, loss {loss:,.1f}"
            # A line that wraps would not be overwritten by the next one.
            width = shutil.get_terminal_size().columns - 1
            print(f"\r{line[:width]}\x1b[K", end="", file=sys.stderr, flush=True)

    def on_trial(setting: int, fold: int, trial: Trial, is_kept: bool) -> None:
        how = "kept from an earlier search" if is_kept else f"{trial.seconds:.1f} s of learning"
        line = f"{where(setting, fold)}: {how}, {trial.bytes:,} bytes"
        print(f"\r{line}\x1b[K" if is_live else line, file=sys.stderr, flush=True)

    return cross_validate(
        settings,
        documents,
        folds,
        dictionaries=inputs.dictionaries,
        auxiliary=inputs.auxiliary,
        label_map=inputs.label_map,
        jobs=args.jobs,
        work=named_private_folder(args.work, "--work") if args.work else None,
        prepared_by=prepared_by,
        on_iteration=on_iteration,
        on_trial=on_trial,
    )


# -- after training


def _shrunk(
    bundle: Bundle, megabytes: float, held_out: Sequence[AnnotatedDocument]
) -> tuple[Bundle, str]:
    """The bundle within a size, and a line for the report."""
    smaller, pruned = shrink(bundle, int(megabytes * 1e6))
    line = f"size: {pruned.kept:.1%} of the weights kept"
    if not held_out:
        return smaller, f"{line}; give --held-out to see the effect"
    f1 = [_strict_f1(_scores(scored, held_out)[0]) for scored in (bundle, smaller)]
    size = {**smaller.card["size"], "strict f1 before": f1[0]}
    smaller = revise_bundle(smaller, card={"size": size})
    return smaller, f"{line}; strict F1 on --held-out {f1[0]} before, {f1[1]} after"


def _strict_f1(scores: Mapping[str, object]) -> float | None:
    strict = scores["strict spans"]
    assert isinstance(strict, dict)
    return None if strict["f1"] is None else round(strict["f1"], 4)


def _curve(bundle: Bundle) -> str:
    stored = bundle.card["learner"]["curve"]
    curves = {kind: [(x, y) for x, y in points] for kind, points in stored.items()}
    # What the bundle holds is what the last iteration left.
    marks = {
        kind: [(*points[-1], f"{points[-1][1]:.4g}, kept", True)]
        for kind, points in curves.items()
        if points
    }
    drawn = lines(curves, across="iteration", up="loss", marks=marks)
    return standalone(drawn, f"training of {bundle.name}")


def _scores(bundle: Bundle, gold: Sequence[AnnotatedDocument]) -> tuple[dict[str, object], str]:
    """The card's scores, of the taggers alone, in their own labels; and a table by label."""
    scrubber = Scrubber(bundle, recognisers=(), native_labels=False)
    predicted = scrubber.annotate(gold)
    own = gold_for(bundle.recipe, gold)
    metrics = compare(own, predicted, metrics=("strict", "character"), resamples=0).metrics
    strict, blind = metrics["strict"].micro, metrics["character"].micro
    card: dict[str, object] = {
        "documents": len(gold),
        "strict spans": {"precision": strict.precision, "recall": strict.recall, "f1": strict.f1},
        "label-blind characters": {"precision": blind.precision, "recall": blind.recall},
    }
    return card, "\n".join(metrics["strict"].as_lines())


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if what was asked for cannot be done.
    """
    if place := parsed.output:
        # A name without a slash would be taken for that of a shipped bundle.
        remember_typed({"--model": place if "/" in place else f"./{place}"})
    show(as_typed(train_bundle(parsed), sys.stdout))
    return ExitCode.DONE
