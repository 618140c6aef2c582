"""The inputs of `scrubline train`: recipe, corpora, dictionaries, label map and biases."""

from __future__ import annotations

import argparse
import dataclasses
import re
from collections.abc import Collection, Mapping, Sequence

from ...dictionaries import DICTIONARIES, Dictionary, DictionaryError, load, without_secrets
from ...models.auxiliary import AuxiliaryModel, refuse_in_bundle
from ...models.bundles.bundle import Bundle, open_bundle
from ...models.core.errors import UsageError
from ...models.core.label_maps import label_map_names, load_map
from ...models.core.labels import LABELS, UNKNOWN_KIND
from ...models.core.resources import shown_keys
from ...models.core.suggestions import did_you_mean
from ...models.corpora import AnnotatedDocument, read_annotated, remap
from ...models.recipes import DEFAULT_RECIPE, Recipe, recipe_in, with_dictionaries, with_lists
from ...models.synth import generate, load_templates
from ...models.synth.parsing import COUNTRIES_IN, ENGLISH
from ...models.training.overlaps import cut_by_others
from ...models.training.settings import (
    FAST,
    Setting,
    grid,
    leave_out,
    number,
    parse_sampling,
    with_learner,
    with_sampling,
)
from ..process.logs import say
from .named_inputs import naming, read_auxiliary_models, read_corpora
from .train_options import split_pairs

MAX_WEIGHT = 20
"""The largest weight that `weight_of` gives; with more, the notes would be memorised."""

_MAX_NOTES = 10_000_000
_SYNTH = re.compile(r"(\d{1,10}):(\d{1,7})", re.ASCII)


_OF_CARD = ("seed", "notes")


@dataclasses.dataclass(frozen=True, slots=True)
class GeneratedNotes:
    """Which generated notes are trained on.

    Attributes:
        seed, notes: of `generate`.
        language: of their templates.
    """

    seed: int
    notes: int
    language: str

    def on_card(self) -> dict[str, object]:
        """What the card says of them; English goes without saying."""
        card: dict[str, object] = {"seed": self.seed, "notes": self.notes}
        return card if self.language == ENGLISH else {**card, "language": self.language}


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class TrainInputs:
    """Everything that a command line of `scrubline train` names.

    Attributes:
        base: the bundle of --from-bundle.
        recipe: as the options change it.
        settings: those of a search; the recipe alone without --search.
        documents: trained on, generated ones first, own ones repeated by their weight.
        synthetic: the generated notes among them, if any.
        own_notes: counts of --add, for the card; empty without it.
        held_out: scored.
        tune_on: for recall tuning.
        dictionaries: those that the recipe needs.
        auxiliary: models of --part and of the base.
        label_map: its entries for labels of the corpus; None for native labels.
        biases: those of the base and of --bias.
    """

    base: Bundle | None
    recipe: Recipe
    settings: tuple[Setting, ...]
    documents: Sequence[AnnotatedDocument]
    synthetic: GeneratedNotes | None
    own_notes: Mapping[str, int]
    held_out: Sequence[AnnotatedDocument]
    tune_on: Sequence[AnnotatedDocument]
    dictionaries: Mapping[str, Dictionary]
    auxiliary: Mapping[str, AuxiliaryModel]
    label_map: Mapping[str, str | None] | None
    biases: Mapping[str, float]


def read_inputs(args: argparse.Namespace) -> TrainInputs:
    """Reads all inputs, also those needed only after hours of training.

    Args:
        args: the parsed command line, after `check_options`.

    Raises:
        UsageError: if an input cannot be read, or does not fit the others.
    """
    lists = _lists(args.dictionaries or ())
    base = open_bundle(args.from_bundle) if args.from_bundle else None
    recipe = _recipe(args, lists, base)
    settings = grid(recipe, _axes(args.search or ()))
    synthetic = _synthetic(args, base)
    documents, own_notes = _corpus(args, synthetic)
    held_out = read_corpora(args.held_out, "--held-out")
    tune_on = read_corpora(args.tune_on, "--tune-on")
    if args.predicted and len({document.doc_id for document in documents}) < len(documents):
        raise UsageError("--predicted: two training documents have the same id")
    labels = {span.label for document in documents for span in document.spans}
    learned = {UNKNOWN_KIND} if recipe.classes == "two" else labels
    biases = _biases(args, learned)
    known = {name: _dictionary(name, lists, base) for name in recipe.lists}
    label_map = _label_map(args, base, labels)
    _check_labels(args, recipe, labels, label_map)
    if cut := cut_by_others(documents):
        say(
            f"{cut:,} spans overlap longer ones of another label: training has one label for a"
            " character, that of the longest span",
            "WARNING",
        )
    auxiliary = read_auxiliary_models(args.parts)
    if base is not None:
        auxiliary = {**base.auxiliary, **auxiliary}
        biases = {**_base_biases(base, recipe, learned), **biases}
    refuse_in_bundle("--part", auxiliary)
    if unused := sorted(auxiliary.keys() - set(recipe.auxiliary)):
        raise UsageError(f"--part: recipe {recipe.name} does not need {', '.join(unused)}")
    return TrainInputs(
        base=base,
        recipe=recipe,
        settings=settings,
        documents=documents,
        synthetic=synthetic,
        own_notes=own_notes,
        held_out=held_out,
        tune_on=tune_on,
        dictionaries=known,
        auxiliary=auxiliary,
        label_map=label_map,
        biases=biases,
    )


# -- recipe


def _recipe(args: argparse.Namespace, lists: Mapping[str, str], base: Bundle | None) -> Recipe:
    name = args.recipe or DEFAULT_RECIPE
    recipe = base.recipe if base is not None else recipe_in(name, args.language)
    if args.without_parts:
        left_out = recipe.auxiliary if args.without_parts == ["all"] else args.without_parts
        recipe = recipe.without(left_out)
    if args.dictionaries:
        recipe = with_dictionaries(recipe, lists)
    if sources := _sources(args.dictionary_from or ()):
        recipe = with_lists(recipe, sources)
    if args.sequence:
        taggers = [dataclasses.replace(t, sequence=args.sequence) for t in recipe.taggers]
        recipe = dataclasses.replace(recipe, taggers=tuple(taggers))
    if args.leave_out:
        recipe = leave_out(recipe, args.leave_out)
    if args.sampling:
        recipe = with_sampling(recipe, parse_sampling(args.sampling))
    if args.fast:
        recipe = with_learner(recipe, FAST.algorithm, dict(FAST.parameters))
    parameters = {n: number(n, v) for n, v in split_pairs(args.parameters, "--set NAME=VALUE")}
    return with_learner(recipe, args.algorithm, parameters)


def _sources(values: Sequence[str]) -> dict[str, list[str]]:
    """Dictionary that the recipe makes -> shipped lists to make it from."""
    sources: dict[str, list[str]] = {}
    for name, source in split_pairs(values, "--dictionary-from NAME=LIST"):
        if source != "none" and source not in DICTIONARIES:
            raise UsageError(f"--dictionary-from {name}: no list {source!r} ships with the package")
        sources.setdefault(name, []).extend([] if source == "none" else [source])
    return sources


def _axes(values: Sequence[str]) -> list[tuple[str, list[str]]]:
    pairs = split_pairs(values, "--search NAME=VALUE,VALUE,...")
    return [(name, [value.strip() for value in tried.split(",")]) for name, tried in pairs]


# -- dictionaries


def _lists(values: Sequence[str]) -> dict[str, str]:
    """Name of a list in the recipe -> as given by --dictionary: a shipped name, path or URL.

    A path cannot be part of an attribute, so the name of the file without its endings replaces it.
    """
    if list(values) == ["none"]:
        return {}
    lists: dict[str, str] = {}
    for value in values:
        name = value
        if value not in DICTIONARIES and any(sign in value for sign in "/\\:."):
            file = re.split(r"[/\\:]", without_secrets(value).rstrip("/"))[-1]
            bare = re.sub(r"(\.(txt|tsv))?(\.gz)?$", "", file)
            name = re.sub(r"[^A-Za-z0-9_.\-]", "_", bare)[:64]
        if lists.setdefault(name, value) != value:
            raise UsageError("--dictionary: two lists have the same file name; rename one of them")
    return lists


def _dictionary(name: str, lists: Mapping[str, str], base: Bundle | None) -> Dictionary:
    if base is not None and name in base.dictionaries and name not in lists:
        return base.dictionaries[name]
    try:
        return load(lists.get(name, name))
    except DictionaryError as error:
        raise UsageError(str(error)) from None


# -- corpora


def _synthetic(args: argparse.Namespace, base: Bundle | None) -> GeneratedNotes | None:
    """The generated notes to train on, by default those of the base."""
    of_base = base.card.get("synth") if base is not None else None
    language = args.language
    if isinstance(of_base, dict):
        language = str(of_base.get("language", ENGLISH))
    if args.synth:
        if not (match := _SYNTH.fullmatch(args.synth)):
            raise UsageError("--synth: expected SEED:NOTES, for example 1:3000")
        return GeneratedNotes(int(match[1]), int(match[2]), language)
    if of_base:
        pair = [of_base.get(key) if isinstance(of_base, dict) else None for key in _OF_CARD]
        known = language in COUNTRIES_IN
        if not known or not all(type(n) is int and 0 <= n < _MAX_NOTES for n in pair):
            raise UsageError("--from-bundle: its card does not give its generated notes")
        return GeneratedNotes(pair[0], pair[1], language)
    return None


def _corpus(
    args: argparse.Namespace, synthetic: GeneratedNotes | None
) -> tuple[list[AnnotatedDocument], dict[str, int]]:
    """The documents to train on; and, for the card, the number and weight of own notes."""
    documents: list[AnnotatedDocument] = []
    if synthetic:
        templates = load_templates(language=synthetic.language)
        documents += generate(templates, seed=synthetic.seed, notes=synthetic.notes)
    documents += read_corpora(args.corpus, "--corpus")
    for url, name in args.mapped_corpus or ():
        with naming("--mapped-corpus"):
            mapping = load_map(name)
            documents += [remap(document, mapping.apply) for document in read_annotated(url)]
    own = read_corpora(args.add, "--add")
    if not own:
        if args.add:
            raise UsageError("--add: the corpus has no documents")
        return documents, {}
    weight = args.weight or weight_of(own, documents)
    return documents + own * weight, {"documents": len(own), "each counted": weight}


def weight_of(own: Sequence[AnnotatedDocument], others: Sequence[AnnotatedDocument]) -> int:
    """How often own notes must count to be a third of the text, from 1 to `MAX_WEIGHT`."""
    sizes = [sum(len(document.text) for document in side) for side in (own, others)]
    return max(1, min(MAX_WEIGHT, round(sizes[1] / max(2 * sizes[0], 1))))


# -- labels and biases


def _label_map(
    args: argparse.Namespace, base: Bundle | None, labels: Collection[str]
) -> dict[str, str | None] | None:
    """The label map of the option or of the base, only for labels of the corpus."""
    label_map = base.label_map if base is not None else None
    if args.label_map:
        label_map = load_map(args.label_map).table
    if label_map is None:
        return None
    return {label: target for label, target in label_map.items() if label in labels}


def _check_labels(
    args: argparse.Namespace,
    recipe: Recipe,
    labels: set[str],
    label_map: Mapping[str, str | None] | None,
) -> None:
    """Warns before training if the bundle cannot be used to scrub.

    Raises:
        UsageError: if the label map lacks a label of the corpus.
    """
    foreign = sorted(labels - set(LABELS))
    if args.output and label_map is not None and (lacking := sorted(labels - label_map.keys())):
        raise UsageError(
            f"the label map lacks labels of the corpus: {shown_keys(lacking, lacking)}"
        )
    if args.output and foreign and label_map is None and recipe.classes == "typed":
        maps = ", ".join(label_map_names())
        say(
            f"labels {shown_keys(foreign, foreign)} are not native and there is no --label-map:"
            " `scrub` will refuse this bundle, and `annotate` needs --own-labels for it. If it is "
            f"meant to scrub, stop here and give --label-map NAME or FILE (shipped: {maps})",
            "WARNING",
        )


def _biases(args: argparse.Namespace, labels: Collection[str]) -> dict[str, float]:
    pairs = split_pairs(args.biases, "--bias LABEL=VALUE")
    biases = {label: number(label, value) for label, value in pairs}
    if unknown := sorted(biases.keys() - {*labels, "O"}):
        meant = did_you_mean(unknown, {*labels, "O"})
        raise UsageError(f"--bias: the corpus has no label {', '.join(unknown)}{meant}")
    return biases


def _base_biases(base: Bundle, recipe: Recipe, labels: Collection[str]) -> dict[str, float]:
    """The biases of the base for labels of the corpus.

    Empty if the learner differs: the weights of the perceptron are tens of times larger.
    """
    learners = [[t.learner.algorithm for t in used.taggers] for used in (base.recipe, recipe)]
    if learners[0] != learners[1]:
        return {}
    return {name: bias for name, bias in base.biases.items() if name in {*labels, "O"}}
