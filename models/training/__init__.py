"""Training: a recipe and an annotated corpus become a bundle."""

from __future__ import annotations

import collections
import importlib.metadata
import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from ...dictionaries import Dictionary
from ..auxiliary import AuxiliaryModel, refuse_in_bundle
from ..bundles.bundle import Bundle, make_bundle
from ..bundles.contents import LABEL
from ..core.errors import UsageError
from ..core.labels import LABELS, UNKNOWN_KIND
from ..core.version import VERSION
from ..corpora import AnnotatedDocument, Annotation
from ..crf.codec import OUTSIDE
from ..crf.learning import Progress
from ..families import FAMILIES, Model
from ..recipes import Recipe
from .crossvalidation import Prepare
from .curves import Point, thinned
from .overlaps import cut_by_others
from .passes import fit_recipe
from .preparing import Prepared, make_dictionaries, prepare

__all__ = ["train"]


def train(
    recipe: Recipe,
    documents: Iterable[AnnotatedDocument],
    *,
    dictionaries: Mapping[str, Dictionary],
    auxiliary: Mapping[str, AuxiliaryModel] = MappingProxyType({}),
    name: str,
    label_map: Mapping[str, str | None] | None = None,
    native: bool = False,
    trained_on: str = "",
    command: str = "",
    progress: Progress | None = None,
    prepared_by: Prepare = prepare,
) -> Bundle:
    """Trains a model; the same input and C library give the same bundle, byte for byte.

    The model files hold words of the training texts: protect a bundle trained on real notes as you
    protect the notes.

    Args:
        recipe: what to train.
        documents: gold; held in memory together with their features. Some may have no spans, but
            not all.
        dictionaries: at least `recipe.lists`.
        auxiliary: at least the models that the recipe needs.
        name: of the bundle.
        label_map: label of the corpus -> native label, or None if the native set has none.
        native: whether every label must be native, or mapped by `label_map`.
        trained_on: the corpus, its version and licence, for the card.
        command: that trains the bundle, for the card.
        progress: see `crf.learning.Progress`.
        prepared_by: computes features; a cache may replace `prepare`.

    Raises:
        UsageError: if documents, labels, dictionaries or the recipe cannot be used; it gives the
            ordinals of documents, from 0.
        BundleError: if training gave no valid model.
    """
    refuse_in_bundle(f"recipe {recipe.name}", recipe.auxiliary)
    if label_map is not None and any(tagger.classes == "two" for tagger in recipe.taggers):
        label_map = {**label_map, UNKNOWN_KIND: UNKNOWN_KIND}
    corpus = list(documents)
    labels = _check_corpus(corpus, label_map, native)
    made = make_dictionaries(recipe, corpus, dictionaries, label_map)
    prepared = prepared_by(recipe, corpus, made, auxiliary)
    models, seen, curves = _fitted(recipe, prepared, corpus, made, auxiliary, progress)
    card = {
        "trained_on": trained_on,
        "command": command,
        "recipe": recipe.name,
        "scrubline": VERSION,
        "corpus": _corpus_card(corpus, labels, seen),
        "learner": _learner_card(recipe, curves),
        **_made_card(recipe, made),
        "scores": {},
    }
    return make_bundle(
        name,
        recipe=recipe,
        models=models,
        dictionaries=made,
        auxiliary=auxiliary,
        label_map=label_map,
        card=card,
    )


def _fitted(
    recipe: Recipe,
    prepared: Sequence[Prepared],
    corpus: Sequence[AnnotatedDocument],
    made: Mapping[str, Dictionary],
    auxiliary: Mapping[str, AuxiliaryModel],
    progress: Progress | None,
) -> tuple[dict[str, Model], dict[str, tuple[int, int]], dict[str, list[Point]]]:
    """The model of each tagger, its items and the spans that they cut, and its losses."""
    seen: dict[str, tuple[int, int]] = {}
    curves: dict[str, list[Point]] = {key: [] for key in recipe.keys}
    models = fit_recipe(
        recipe,
        prepared,
        corpus,
        made,
        auxiliary,
        progress=lambda key: _recording(curves[key], progress),
        fold_progress=lambda key: progress,
        on_prepared=lambda key, own: seen.update({key: (len(own.features.starts), own.misaligned)}),
    )
    return models, seen, curves


def _corpus_card(
    corpus: Sequence[AnnotatedDocument],
    labels: Mapping[str, int],
    seen: Mapping[str, tuple[int, int]],
) -> dict[str, object]:
    cut = cut_by_others(corpus)
    return {
        "documents": len(corpus),
        "characters": sum(len(document.text) for document in corpus),
        "items": {key: items for key, (items, _) in seen.items()},
        "spans": dict(sorted(labels.items())),
        "spans that items or sequences cut": {key: count for key, (_, count) in seen.items()},
        **({"spans that spans of other labels cut": cut} if cut else {}),
    }


def _made_card(recipe: Recipe, made: Mapping[str, Dictionary]) -> dict[str, object]:
    """What training counted, of recipes that count."""
    card: dict[str, object] = {}
    for kind, what in (("word frequencies", "words"), ("section headings", "headings")):
        of_headings = what == "headings"
        if of_kind := [c for c in recipe.counts if (c.counts == "headings") == of_headings]:
            card[kind] = {
                "counted in": "the training documents",
                what: {one.name: len(made[one.name]) for one in of_kind},
            }
    if recipe.trust is not None:
        card["trusted phrases"] = {
            "headings": len(made[recipe.trust.name]),
            "folds of cross-fitting": recipe.trust.folds,
        }
    return card


def _learner_card(recipe: Recipe, curves: Mapping[str, list[Point]]) -> dict[str, object]:
    families = {tagger.learner.family for tagger in recipe.taggers}
    libraries = sorted({name for family in families for name in FAMILIES[family].libraries})
    return {
        "algorithm": {key: t.learner.algorithm for key, t in recipe.tagger_of.items()},
        "parameters": {key: dict(t.learner.parameters) for key, t in recipe.tagger_of.items()},
        **{name: importlib.metadata.version(name) for name in libraries},
        "curve": {key: thinned(curve) for key, curve in curves.items()},
    }


def _recording(curve: list[Point], progress: Progress | None) -> Progress:
    """A progress callback that appends to `curve` and calls `progress`."""

    def record(iteration: int, loss: float) -> None:
        if math.isfinite(loss):  # CRFsuite does not report every loss
            curve.append((iteration, loss))
        if progress is not None:
            progress(iteration, loss)

    return record


def _check_corpus(
    corpus: Sequence[AnnotatedDocument], label_map: Mapping[str, str | None] | None, native: bool
) -> collections.Counter[str]:
    """Checks the spans and counts them by label."""
    if not corpus:
        raise UsageError("there are no training documents")
    counts: collections.Counter[str] = collections.Counter()
    for ordinal, document in enumerate(corpus):
        for span in document.spans:
            if not 0 <= span.start < span.end <= len(document.text):
                raise UsageError(f"training document {ordinal}: a span extends outside the text")
            if problem := _label_problem(span, label_map, native):
                raise UsageError(f"training document {ordinal}: the label of a span {problem}")
            counts[span.label] += 1
    if not counts:
        raise UsageError(
            f"none of the {len(corpus)} training documents has a span: nothing to learn"
        )
    return counts


def _label_problem(
    span: Annotation, label_map: Mapping[str, str | None] | None, native: bool
) -> str | None:
    if span.label == OUTSIDE or LABEL.fullmatch(span.label) is None:
        return (
            "is no name that a bundle can hold: 1 to 64 letters, digits, hyphens or underscores,"
            " and not O, which means no label"
        )
    if label_map is not None:
        if span.label not in label_map:
            return f"is missing in the label map; it has {sorted(label_map)}"
        mapped = label_map[span.label]
        if mapped is not None and mapped not in LABELS:
            return f"is mapped to {mapped!r}, which is not native"
    elif native and span.label not in LABELS:
        return f"is not native; the native labels are {sorted(LABELS)}"
    return None
