"""`scrubline train`: an annotated corpus becomes a bundle."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Collection, Mapping, Sequence

from .. import dictionaries
from ..models.bundles import (
    NAME_FORM,
    Bundle,
    is_bundle_name,
    open_bundle,
    revise_bundle,
    write_bundle,
)
from ..models.corpora import AnnotatedDocument, read_annotated, remap, write_annotated
from ..models.errors import UsageError
from ..models.evaluation import compare
from ..models.evaluation.plots import lines, standalone
from ..models.labels import LABELS
from ..models.mapping import load_map
from ..models.parts import Part
from ..models.recipes import Recipe, with_dictionaries, with_lists
from ..models.recipes.languages import recipe_in
from ..models.scrubber import Scrubber
from ..models.shipped import shipped_names
from ..models.storage import Storage
from ..models.synth import generate, load_templates
from ..models.training import train
from ..models.training.caching import prepare_cached
from ..models.training.crossvalidation import (
    Outcome,
    Prepare,
    Trial,
    best_of,
    cross_validate,
)
from ..models.training.folds import make_folds
from ..models.training.preparing import prepare
from ..models.training.private import private_folder
from ..models.training.pruning import shrink
from ..models.training.reporting import report_json, report_markdown
from ..models.training.settings import (
    FAST,
    Setting,
    grid,
    leave_out,
    number,
    parse_sampling,
    with_learner,
    with_sampling,
)
from .dialling import dialled, read_recalls, table
from .inputs import asked_by, end_of, read_corpora, read_parts
from .logs import is_terminal, say
from .new_files import require_new, write_new

RECIPE = "hide"
"""The recipe, if none is named: it is trained in seconds."""

_FOLDS_OF_A_SEARCH = 3


def train_bundle(asked: argparse.Namespace) -> str:
    """Trains and writes a bundle; returns what to tell the user.

    Args:
        asked: the parsed command line of `scrubline train`.

    Raises:
        UsageError: if the corpus, the recipe or a parameter cannot be used, the output exists, or a
            recall that was asked for cannot be reached; the bundle is then written without it.
    """
    storage = Storage()
    _check_asked(asked, storage)
    lists = _lists(asked.dictionaries or ())
    base = open_bundle(asked.from_bundle) if asked.from_bundle else None
    recipe = _recipe(asked, lists, base)
    settings = grid(recipe, _axes(asked.search or ()))
    synthetic = _synthetic(asked, base)
    documents, counted = _corpus(asked, synthetic)
    # Read before hours of training, which a broken file behind them would throw away.
    held_out, held_back = (
        read_corpora(asked.held_out, "--held-out"),
        read_corpora(asked.held_back, "--held-back"),
    )
    if asked.predicted and len({document.doc_id for document in documents}) < len(documents):
        raise UsageError(
            "--predicted: two training documents have one id; files could not tell them apart"
        )
    biases = {label: number(label, v) for label, v in _pairs(asked.biases, "--bias LABEL=VALUE")}
    labels = {span.label for document in documents for span in document.spans}
    if unknown := sorted(biases.keys() - labels - {"O"}):
        raise UsageError(f"--bias: the corpus has no label {', '.join(unknown)}")
    known = {n: _dictionary(n, lists, base) for n in recipe.lists}
    inherited = base.label_map if base is not None else None
    label_map = dict(load_map(asked.label_map).table) if asked.label_map else inherited
    label_map = _of_corpus(label_map, documents)
    _check_labels(asked, labels, label_map)
    parts = read_parts(asked.parts)
    if base is not None:
        parts = {**base.parts, **parts}
        biases = {**_biases_of(base, recipe, labels), **biases}
    if unseen := sorted(parts.keys() - set(recipe.parts)):
        raise UsageError(f"--part: recipe {recipe.name} does not see {', '.join(unseen)}")
    prepared_by = _prepare(asked)
    told: list[str] = []
    if base is not None and not synthetic:
        told.append(f"{base.name} was not trained on generated notes: own notes are all there is")
    card: dict[str, object] = {}
    if synthetic:
        card["synth"] = dict(zip(("seed", "notes"), synthetic, strict=True))
    if counted:
        card["own notes"] = counted
    if base is not None:
        card["from bundle"] = {"name": base.name, "hash": base.hash}
    if asked.search or asked.folds:
        outcomes = _cross_validated(
            asked, settings, documents, known, parts, label_map, prepared_by
        )
        count = asked.folds or _FOLDS_OF_A_SEARCH
        page = report_markdown(outcomes, recipe=recipe.name, folds=count)
        values = report_json(outcomes, recipe=recipe.name, folds=count)
        if asked.search_report:
            as_json = asked.search_report.endswith(".json")
            content = json.dumps(values, indent=1) + "\n" if as_json else page
            write_new(asked.search_report, content.encode(), "--search-report")
        told.append(page.rstrip())
        chosen = outcomes[best_of(outcomes)]
        if asked.predicted:
            write_annotated(chosen.predicted(documents), asked.predicted)
        recipe = chosen.setting.recipe
        card["cross-validation"] = {
            "folds": count,
            "settings tried": len(outcomes),
            "setting": dict(chosen.setting.values),
            "mean strict f1": chosen.f1,
            "spread of strict f1": chosen.spread,
        }
        if not asked.output:
            return "\n".join(told)
    bundle = train(
        recipe,
        documents,
        dictionaries=known,
        parts=parts,
        name=asked.name,
        label_map=label_map,
        trained_on=asked.credit or "",
        command=_command(asked),
        progress=_progress(),
        prepared_by=prepared_by,
    )
    if biases:
        bundle = revise_bundle(bundle, biases=biases)
    if asked.max_size is not None:
        bundle = _shrunk(bundle, asked.max_size, held_out, told)
    missed = ""
    if asked.recalls:
        recall, labels = read_recalls(asked.recalls)
        bundle, turned = dialled(bundle, held_back, recall, labels, asked.recall_by)
        told.append(table(turned))
        if not turned.reached:
            missed = "a recall cannot be reached; the bundle is written with the biases it had"
    if held_out:
        card["scores"] = _scores(bundle, held_out)
    bundle = revise_bundle(bundle, card=card)
    write_bundle(bundle, asked.output)
    if asked.curve:
        write_new(asked.curve, _curve(bundle).encode(), "--curve")
    size = sum(map(len, bundle.files.values()))
    told.append(
        f"bundle {bundle.name}: {len(bundle.labels)} labels, {size:,} bytes, "
        f"hash {bundle.hash[:12]}, trained on {len(documents):,} documents. "
        "It holds words of its training texts: keep it as you keep the notes."
    )
    if missed:
        raise UsageError("\n".join([missed, *told]))
    return "\n".join(told)


def _check_asked(asked: argparse.Namespace, storage: Storage) -> None:
    """Refuses what can be refused before anything is read."""
    measures = bool(asked.folds or asked.search)
    if not (asked.name and asked.output) and not (measures and not asked.output):
        raise UsageError(
            "--name and --output are required; only --folds or --search can do without, to measure"
        )
    if asked.name and not is_bundle_name(asked.name):
        raise UsageError(f"--name must be {NAME_FORM}")
    for option, place in (
        ("--output", asked.output),
        ("--predicted", asked.predicted),
        ("--search-report", asked.search_report),
        ("--curve", asked.curve),
    ):
        require_new(place, option, storage=storage)
    for option, value in (
        ("--search-report", asked.search_report),
        ("--work", asked.work),
        ("--predicted", asked.predicted),
        ("--group-by", asked.group_by),
    ):
        if value and not measures:
            raise UsageError(f"{option} belongs to --search or --folds")
    if bool(asked.recalls) != bool(asked.held_back):
        raise UsageError(
            "--recall and --held-back belong together: annotated notes that are neither trained on "
            "nor scored"
        )
    if asked.recalls:
        read_recalls(asked.recalls)
    if asked.fast and asked.algorithm:
        raise UsageError("--fast says which algorithm; leave out --algorithm")
    if not (asked.corpus or asked.mapped_corpus or asked.synth or asked.add):
        raise UsageError("nothing to train on: give --corpus, --synth or --add")
    if asked.from_bundle and (asked.recipe or asked.language != "en"):
        raise UsageError("--from-bundle brings its recipe: leave out --recipe and --language")
    if asked.add and measures:
        raise UsageError(
            "--folds and --search count each note once: measure --add by --held-out, on notes of "
            "other patients"
        )
    if asked.weight is not None and not (asked.add and 1 <= asked.weight <= MOST_GIVEN):
        raise UsageError(f"--weight belongs to --add, and is 1 to {MOST_GIVEN}")
    if asked.jobs < 1:
        raise UsageError("--jobs must be 1 or more")
    if asked.max_size is not None and not 0 < asked.max_size < 1e6:
        raise UsageError("--max-size must be a number of megabytes above 0")


def _synthetic(asked: argparse.Namespace, base: Bundle | None) -> tuple[int, int] | None:
    """Seed and number of the generated notes to train on; those of the base if none are named."""
    if asked.synth:
        if not (match := _SYNTH.fullmatch(asked.synth)):
            raise UsageError("--synth: expected SEED:NOTES, for example 1:3000")
        return int(match[1]), int(match[2])
    if base is not None and (known := base.card.get("synth")):
        pair = [known.get(key) if isinstance(known, dict) else None for key in ("seed", "notes")]
        if not all(type(n) is int and 0 <= n < _MOST_NOTES for n in pair):
            raise UsageError("--from-bundle: its card does not say what notes were generated")
        return pair[0], pair[1]
    return None


_MOST_NOTES = 10_000_000
_SYNTH = re.compile(r"(\d{1,10}):(\d{1,7})", re.ASCII)


def _corpus(
    asked: argparse.Namespace, synthetic: tuple[int, int] | None
) -> tuple[list[AnnotatedDocument], dict[str, int]]:
    """What is trained on; and, for the card, how many own notes are in it and how often each."""
    documents: list[AnnotatedDocument] = []
    if synthetic:
        seed, notes = synthetic
        documents += generate(load_templates(), seed=seed, notes=notes)
    documents += read_corpora(asked.corpus, "--corpus")
    for url, name in asked.mapped_corpus or ():
        with asked_by("--mapped-corpus"):
            mapping = load_map(name)
            documents += [remap(document, mapping.apply) for document in read_annotated(url)]
    own = read_corpora(asked.add, "--add")
    if not own:
        if asked.add:
            raise UsageError("--add: there is no document in it")
        return documents, {}
    weight = asked.weight or weight_of(own, documents)
    return documents + own * weight, {"documents": len(own), "each counted": weight}


MOST_GIVEN = 1000
"""What `--weight` may ask for."""

MOST_WEIGHT = 20
"""How often a note of one's own counts at most: beyond, it would be learned by heart."""


def weight_of(own: Sequence[AnnotatedDocument], others: Sequence[AnnotatedDocument]) -> int:
    """How often own notes must count to be a third of the text, within 1 to `MOST_WEIGHT`."""
    sizes = [sum(len(document.text) for document in some) for some in (own, others)]
    return max(1, min(MOST_WEIGHT, round(sizes[1] / max(2 * sizes[0], 1))))


def _recipe(
    asked: argparse.Namespace, lists: Mapping[str, str], base: Bundle | None = None
) -> Recipe:
    recipe = base.recipe if base is not None else recipe_in(asked.recipe or RECIPE, asked.language)
    if asked.without_parts:
        left_out = recipe.parts if asked.without_parts == ["all"] else asked.without_parts
        recipe = recipe.without(left_out)
    if asked.dictionaries:
        recipe = with_dictionaries(recipe, lists)
    if sources := _sources(asked.dictionary_from or ()):
        recipe = with_lists(recipe, sources)
    if asked.sequence:
        taggers = [dataclasses.replace(t, sequence=asked.sequence) for t in recipe.taggers]
        recipe = dataclasses.replace(recipe, taggers=tuple(taggers))
    if asked.leave_out:
        recipe = leave_out(recipe, asked.leave_out)
    if asked.sampling:
        recipe = with_sampling(recipe, parse_sampling(asked.sampling))
    if asked.fast:
        recipe = with_learner(recipe, FAST.algorithm, dict(FAST.parameters))
    given = {n: number(n, v) for n, v in _pairs(asked.parameters, "--set NAME=VALUE")}
    return with_learner(recipe, asked.algorithm, given)


def _sources(given: Sequence[str]) -> dict[str, list[str]]:
    """Dictionary that the recipe makes -> shipped lists that it is to be made from."""
    sources: dict[str, list[str]] = {}
    for name, source in _pairs(given, "--dictionary-from NAME=LIST"):
        if source != "none" and source not in dictionaries.DICTIONARIES:
            raise UsageError(f"--dictionary-from {name}: {source!r} is no list that ships")
        sources.setdefault(name, []).extend([] if source == "none" else [source])
    return sources


def _axes(given: Sequence[str]) -> list[tuple[str, list[str]]]:
    pairs = _pairs(given, "--search NAME=VALUE,VALUE,...")
    return [(name, [value.strip() for value in values.split(",")]) for name, values in pairs]


def _prepare(asked: argparse.Namespace) -> Prepare:
    if not asked.cache:
        return prepare
    return functools.partial(prepare_cached, private_folder(asked.cache, "--cache"))


def _cross_validated(
    asked: argparse.Namespace,
    settings: Sequence[Setting],
    documents: Sequence[AnnotatedDocument],
    known: Mapping[str, dictionaries.Dictionary],
    parts: Mapping[str, Part],
    label_map: Mapping[str, str | None] | None,
    prepared_by: Prepare,
) -> tuple[Outcome, ...]:
    folds = make_folds(documents, asked.folds or _FOLDS_OF_A_SEARCH, group_by=asked.group_by)
    live = is_terminal(sys.stderr)

    def where(setting: int, fold: int) -> str:
        name = settings[setting].name
        return f"setting {setting + 1} of {len(settings)} ({name}), fold {fold + 1} of {len(folds)}"

    def told(setting: int, fold: int, iteration: int, loss: float) -> None:
        if live:
            line = f"{where(setting, fold)}: iteration {iteration}, loss {loss:,.1f}"
            # A line that wraps would not be written over by the next one.
            width = shutil.get_terminal_size().columns - 1
            print(f"\r{line[:width]}\x1b[K", end="", file=sys.stderr, flush=True)

    def finished(setting: int, fold: int, trial: Trial, kept: bool) -> None:
        how = "kept from an earlier search" if kept else f"{trial.seconds:.1f} s of learning"
        line = f"{where(setting, fold)}: {how}, {trial.bytes:,} bytes"
        print(f"\r{line}\x1b[K" if live else line, file=sys.stderr, flush=True)

    return cross_validate(
        settings,
        documents,
        folds,
        dictionaries=known,
        parts=parts,
        label_map=label_map,
        jobs=asked.jobs,
        work=private_folder(asked.work, "--work") if asked.work else None,
        prepared_by=prepared_by,
        told=told,
        finished=finished,
    )


def _shrunk(
    bundle: Bundle, megabytes: float, held_out: Sequence[AnnotatedDocument], told: list[str]
) -> Bundle:
    smaller, pruned = shrink(bundle, int(megabytes * 1e6))
    line = f"size: {pruned.kept:.1%} of the weights kept"
    if held_out:
        f1 = [_strict_f1(_scores(one, held_out)) for one in (bundle, smaller)]
        line += f"; strict F1 on --held-out {f1[0]} before, {f1[1]} after"
        smaller = revise_bundle(
            smaller, card={"size": {**smaller.card["size"], "strict f1 before": f1[0]}}
        )
    else:
        line += "; give --held-out to see what that costs"
    told.append(line)
    return smaller


def _strict_f1(scores: Mapping[str, object]) -> float | None:
    strict = scores["strict spans"]
    assert isinstance(strict, dict)
    return None if strict["f1"] is None else round(strict["f1"], 4)


def _curve(bundle: Bundle) -> str:
    stored = bundle.card["learner"]["curve"]
    curves = {kind: [(x, y) for x, y in points] for kind, points in stored.items()}
    drawn = lines(curves, across="iteration", up="loss")
    return standalone(drawn, f"training of {bundle.name}")


def _lists(given: Sequence[str]) -> dict[str, str]:
    """Name of a list in the recipe -> as it was given: shipped, or a path or URL.

    A path cannot be part of an attribute: the file's name without its endings stands for it.
    """
    if list(given) == ["none"]:
        return {}
    lists: dict[str, str] = {}
    for one in given:
        name = one
        if one not in dictionaries.DICTIONARIES and any(mark in one for mark in "/\\:."):
            file = re.split(r"[/\\:]", dictionaries.without_secrets(one).rstrip("/"))[-1]
            bare = re.sub(r"(\.(txt|tsv))?(\.gz)?$", "", file)
            name = re.sub(r"[^A-Za-z0-9_.\-]", "_", bare)[:64]
        if lists.setdefault(name, one) != one:
            raise UsageError("--dictionary: two lists have the same file name; rename one of them")
    return lists


def _dictionary(
    name: str, lists: Mapping[str, str], base: Bundle | None
) -> dictionaries.Dictionary:
    if base is not None and name in base.dictionaries and name not in lists:
        return base.dictionaries[name]
    try:
        return dictionaries.load(lists.get(name, name))
    except dictionaries.DictionaryError as error:
        raise UsageError(str(error)) from None


def _scores(bundle: Bundle, gold: Sequence[AnnotatedDocument]) -> dict[str, object]:
    """What the card says: the model alone, in its own labels, on documents held out."""
    scrubber = Scrubber(bundle, recognisers=(), native_labels=False)
    predicted = scrubber.annotate(gold)
    metrics = compare(gold, predicted, metrics=("strict", "character"), resamples=0).metrics
    strict, blind = metrics["strict"].micro, metrics["character"].micro
    return {
        "documents": len(gold),
        "strict spans": {"precision": strict.precision, "recall": strict.recall, "f1": strict.f1},
        "label-blind characters": {"precision": blind.precision, "recall": blind.recall},
    }


def _biases_of(base: Bundle, recipe: Recipe, labels: Collection[str]) -> dict[str, float]:
    """The biases of a bundle that a recipe takes over: those of labels that the corpus has.

    None if the learner is another: the perceptron's weights are larger by a factor of tens.
    """
    learners = [[t.learner.algorithm for t in one.taggers] for one in (base.recipe, recipe)]
    if learners[0] != learners[1]:
        return {}
    return {name: bias for name, bias in base.biases.items() if name in {*labels, "O"}}


def _check_labels(
    asked: argparse.Namespace, labels: set[str], label_map: Mapping[str, str | None] | None
) -> None:
    """Says before the training what the bundle will be of no use for.

    Raises:
        UsageError: if there is a label map that lacks a label of the corpus.
    """
    foreign = sorted(labels - set(LABELS))
    if asked.output and label_map is not None and (lacking := sorted(labels - label_map.keys())):
        raise UsageError(
            f"the label map has no entry for the labels {', '.join(lacking)} of the corpus"
        )
    if asked.output and foreign and label_map is None:
        maps = ", ".join(shipped_names("label_maps"))
        say(
            f"labels {', '.join(foreign)} are not native and there is no --label-map: `scrub` will "
            "refuse this bundle, and `annotate` takes it with --own-labels alone. Stop here and "
            f"give --label-map NAME or FILE (shipped: {maps}), if it is to scrub",
            "WARNING",
        )


def _of_corpus(
    label_map: Mapping[str, str | None] | None, documents: Sequence[object]
) -> dict[str, str | None] | None:
    """The entries of a label map that the corpus needs."""
    if label_map is None:
        return None
    used = {span.label for document in documents for span in document.spans}  # type: ignore[attr-defined]
    return {label: target for label, target in label_map.items() if label in used}


def _pairs(given: Sequence[str] | None, form: str) -> list[tuple[str, str]]:
    pairs = [one.partition("=") for one in given or ()]
    if any(not equals for _, equals, _ in pairs):
        raise UsageError(f"expected {form}")
    return [(name, value) for name, _, value in pairs]


def _command(asked: argparse.Namespace) -> str:
    """The command line for the card, inputs by the ends of their names only."""
    words = ["scrubline", "train"]
    for option, value in (("--from-bundle", asked.from_bundle), ("--synth", asked.synth)):
        if value:
            words += [option, end_of(value)]
    for url in asked.corpus or ():
        words += ["--corpus", end_of(url)]
    for url, name in asked.mapped_corpus or ():
        words += ["--mapped-corpus", end_of(url), end_of(name)]
    for option, urls in (("--held-out", asked.held_out), ("--held-back", asked.held_back)):
        for url in urls or ():
            words += [option, end_of(url)]
    for url in asked.add or ():
        words += ["--add", end_of(url)]
    if asked.weight:
        words += ["--weight", str(asked.weight)]
    if not asked.from_bundle:
        words += ["--recipe", asked.recipe or RECIPE]
    words += ["--name", asked.name]
    if asked.language != "en":
        words += ["--language", asked.language]
    for url in asked.parts or ():
        words += ["--part", end_of(url)]
    for option, values in (
        ("--set", asked.parameters),
        ("--bias", asked.biases),
        ("--without-part", asked.without_parts),
        ("--dictionary", map(end_of, asked.dictionaries or ())),
        ("--dictionary-from", asked.dictionary_from),
        ("--leave-out", asked.leave_out),
        ("--search", asked.search),
        ("--recall", asked.recalls),
    ):
        for value in values or ():
            words += [option, end_of(value) if option == "--dictionary" else value]
    for option, value in (
        ("--sequence", asked.sequence),
        ("--algorithm", asked.algorithm),
        ("--sampling", asked.sampling),
        ("--folds", asked.folds),
        ("--group-by", asked.group_by),
        ("--max-size", asked.max_size),
        ("--label-map", end_of(asked.label_map or "")),
    ):
        if value:
            words += [option, str(value)]
    if asked.fast:
        words.append("--fast")
    if asked.recalls and asked.recall_by != "character":
        words += ["--recall-by", asked.recall_by]
    return shlex.join(words)


def _progress() -> Callable[[int, float], None] | None:
    if not is_terminal(sys.stderr):
        return None

    def tell(iteration: int, loss: float) -> None:
        print(f"\riteration {iteration}, loss {loss:,.1f} ", end="", file=sys.stderr, flush=True)

    return tell
