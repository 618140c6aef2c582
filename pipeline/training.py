"""`scrubline train`: an annotated corpus becomes a bundle."""

from __future__ import annotations

import argparse
import dataclasses
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence

from .. import dictionaries
from ..models.bundles import Bundle, revise_bundle, write_bundle
from ..models.corpora import AnnotatedDocument, Annotation, read_annotated, remap
from ..models.errors import UsageError
from ..models.evaluation import compare
from ..models.mapping import load_map
from ..models.recipes import RECIPES, Learner, Recipe, with_dictionaries
from ..models.scrubber import Scrubber
from ..models.storage import Storage
from ..models.training import train


def train_bundle(asked: argparse.Namespace) -> str:
    """Trains and writes a bundle; returns what to tell the user.

    Args:
        asked: the parsed command line of `scrubline train`.

    Raises:
        UsageError: if the corpus, the recipe or a parameter cannot be used, or the output exists.
    """
    storage = Storage()
    if storage.exists(asked.output):
        raise UsageError("the output exists already: a bundle is never overwritten")
    lists = _lists(asked.dictionaries or ())
    recipe = _recipe(asked, lists)
    documents = [document for url in asked.corpus for document in read_annotated(url)]
    for url, name in asked.mapped_corpus or ():
        mapping = load_map(name)
        documents += [remap(document, mapping.apply) for document in read_annotated(url)]
    label_map = dict(load_map(asked.label_map).table) if asked.label_map else None
    bundle = train(
        recipe,
        documents,
        dictionaries={n: _dictionary(lists.get(n, n)) for n in recipe.dictionaries},
        name=asked.name,
        label_map=_of_corpus(label_map, documents),
        trained_on=asked.credit or "",
        command=_command(asked),
        progress=_progress(),
    )
    if biases := _pairs(asked.biases, "--bias LABEL=VALUE"):
        bundle = revise_bundle(bundle, biases={label: _number(label, v) for label, v in biases})
    if asked.held_out:
        held_out = [document for url in asked.held_out for document in read_annotated(url)]
        bundle = revise_bundle(bundle, card={"scores": _scores(bundle, held_out)})
    write_bundle(bundle, asked.output)
    size = sum(map(len, bundle.files.values()))
    return (
        f"bundle {bundle.name}: {len(bundle.labels)} labels, {size:,} bytes, "
        f"hash {bundle.hash[:12]}, trained on {len(documents):,} documents. "
        "It holds words of its training texts: keep it as you keep the notes."
    )


def _recipe(asked: argparse.Namespace, lists: Mapping[str, str]) -> Recipe:
    if asked.recipe not in RECIPES:
        raise UsageError(f"unknown recipe {asked.recipe!r}; recipes are {sorted(RECIPES)}")
    recipe = RECIPES[asked.recipe]
    if asked.dictionaries:
        recipe = with_dictionaries(recipe, lists)
    if asked.sequence:
        recipe = dataclasses.replace(recipe, sequence=asked.sequence)
    if asked.algorithm or asked.parameters:
        algorithm = asked.algorithm or recipe.learner.algorithm
        known = dict(recipe.learner.parameters) if algorithm == recipe.learner.algorithm else {}
        given = {n: _number(n, v) for n, v in _pairs(asked.parameters, "--set NAME=VALUE")}
        whole = {n: int(v) if v == int(v) and n in _WHOLE else v for n, v in given.items()}
        learner = Learner(algorithm, tuple(sorted({**known, **whole}.items())))
        recipe = dataclasses.replace(recipe, learner=learner)
    return recipe


_WHOLE = ("max_iterations", "num_memories", "period", "max_linesearch")


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


def _dictionary(name: str) -> dictionaries.Dictionary:
    try:
        return dictionaries.load(name)
    except dictionaries.DictionaryError as error:
        raise UsageError(str(error)) from None


def _scores(bundle: Bundle, gold: Sequence[AnnotatedDocument]) -> dict[str, object]:
    """What the card says: the model alone, in its own labels, on documents held out."""
    scrubber = Scrubber(bundle, recognisers=(), native_labels=False)
    found = scrubber.entities(*(document.text for document in gold))
    predicted = [
        dataclasses.replace(
            document,
            spans=tuple(Annotation(one.start, one.end, one.label) for one in entities),
            meta={},
        )
        for document, entities in zip(gold, found, strict=True)
    ]
    metrics = compare(gold, predicted).metrics
    strict, blind = metrics["strict"].micro, metrics["character"].micro
    return {
        "documents": len(gold),
        "strict spans": {"precision": strict.precision, "recall": strict.recall, "f1": strict.f1},
        "label-blind characters": {"precision": blind.precision, "recall": blind.recall},
    }


def _of_corpus(
    label_map: dict[str, str | None] | None, documents: Sequence[object]
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


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"{name} must be a number") from None


def _command(asked: argparse.Namespace) -> str:
    """The command line for the card, inputs by their last name only."""
    words = ["scrubline", "train"]
    for url in asked.corpus:
        words += ["--corpus", _end_of(url)]
    for url, name in asked.mapped_corpus or ():
        words += ["--mapped-corpus", _end_of(url), name]
    for url in asked.held_out or ():
        words += ["--held-out", _end_of(url)]
    words += ["--recipe", asked.recipe, "--name", asked.name]
    for option, values in (
        ("--set", asked.parameters),
        ("--bias", asked.biases),
        ("--dictionary", asked.dictionaries),
    ):
        for value in values or ():
            words += [option, value]
    for option, value in (("--sequence", asked.sequence), ("--algorithm", asked.algorithm)):
        if value:
            words += [option, value]
    if asked.label_map:
        words += ["--label-map", asked.label_map]
    return shlex.join(words)


def _end_of(url: str) -> str:
    return "/".join(url.rstrip("/").split("/")[-2:])


def _progress() -> Callable[[int, float], None] | None:
    if not sys.stderr.isatty():
        return None

    def tell(iteration: int, loss: float) -> None:
        print(f"\riteration {iteration}, loss {loss:,.1f} ", end="", file=sys.stderr, flush=True)

    return tell
