"""`train`: a recipe and an annotated corpus become a bundle."""

from __future__ import annotations

import collections
import importlib.metadata
import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from ...dictionaries import Dictionary
from ..bundles import Bundle, make_bundle
from ..corpora import AnnotatedDocument, Annotation
from ..crf.learning import Progress
from ..errors import UsageError
from ..labels import LABELS
from ..parts import Part
from ..recipes import Recipe
from .crossvalidation import Prepare
from .curves import Point, thinned
from .preparing import fit, make_dictionaries, prepare

__all__ = ["train"]


def train(
    recipe: Recipe,
    documents: Iterable[AnnotatedDocument],
    *,
    dictionaries: Mapping[str, Dictionary],
    parts: Mapping[str, Part] = MappingProxyType({}),
    name: str,
    label_map: Mapping[str, str | None] | None = None,
    native: bool = False,
    trained_on: str = "",
    command: str = "",
    progress: Progress | None = None,
    prepared_by: Prepare = prepare,
) -> Bundle:
    """Trains a model; the same bundle, byte for byte, for the same input and the same C library.

    The model file holds words of the training texts: keep a bundle trained on real notes as you
        keep the notes.

    Args:
        recipe: what to train.
        documents: gold; held in memory together with their features. Some may have no spans, not
            all.
        dictionaries: at least `recipe.lists`.
        parts: at least those that the recipe names.
        name: of the bundle.
        label_map: label of the corpus -> native label, or None for what the native set does not
            have.
        native: whether every label must be native, or mapped by `label_map`.
        trained_on: what the card says of the corpus: its name, version, licence.
        command: what the card says of how it was trained.
        progress: see `crf.learning.Progress`.
        prepared_by: makes features; a cache may stand in for `prepare`.

    Raises:
        UsageError: if documents, labels, dictionaries or the recipe cannot be used; documents are
            named by their ordinal, from 0.
        BundleError: if the training gave no sound model.
    """
    corpus = list(documents)
    labels = _check_corpus(corpus, label_map, native)
    made = make_dictionaries(recipe, corpus, dictionaries, label_map)
    models, items, cut, curves = {}, {}, {}, {}
    for prepared in prepared_by(recipe, corpus, made, parts):
        kind = prepared.recipe.kind
        curve: list[Point] = []
        models[kind] = fit(prepared, seed=recipe.seed, progress=_recording(curve, progress))
        items[kind], cut[kind] = len(prepared.features.starts), prepared.misaligned
        curves[kind] = thinned(curve)
    card = {
        "trained_on": trained_on,
        "command": command,
        "recipe": recipe.name,
        "corpus": {
            "documents": len(corpus),
            "characters": sum(len(document.text) for document in corpus),
            "items": items,
            "spans": dict(sorted(labels.items())),
            "spans that items or sequences cut": cut,
        },
        "learner": {
            "algorithm": {t.kind: t.learner.algorithm for t in recipe.taggers},
            "parameters": {t.kind: dict(t.learner.parameters) for t in recipe.taggers},
            "python-crfsuite": importlib.metadata.version("python-crfsuite"),
            "curve": curves,
        },
        "scores": {},
    }
    return make_bundle(
        name,
        recipe=recipe,
        models=models,
        dictionaries=made,
        parts=parts,
        label_map=label_map,
        card=card,
    )


def _recording(curve: list[Point], progress: Progress | None) -> Progress:
    """Tells `progress`, and keeps what is told."""

    def tell(iteration: int, loss: float) -> None:
        if math.isfinite(loss):  # what CRFsuite did not say is no point of a curve
            curve.append((iteration, loss))
        if progress is not None:
            progress(iteration, loss)

    return tell


def _check_corpus(
    corpus: Sequence[AnnotatedDocument], label_map: Mapping[str, str | None] | None, native: bool
) -> collections.Counter[str]:
    """Counts the spans by label, checking them."""
    if not corpus:
        raise UsageError("there is no training document")
    counts: collections.Counter[str] = collections.Counter()
    for ordinal, document in enumerate(corpus):
        for span in document.spans:
            if not 0 <= span.start < span.end <= len(document.text):
                raise UsageError(f"training document {ordinal}: a span lies outside of its text")
            if problem := _label_problem(span, label_map, native):
                raise UsageError(f"training document {ordinal}: a span has a label {problem}")
            counts[span.label] += 1
    if not counts:
        raise UsageError(
            f"none of the {len(corpus)} training documents has a span: there is nothing to learn"
        )
    return counts


def _label_problem(
    span: Annotation, label_map: Mapping[str, str | None] | None, native: bool
) -> str | None:
    if label_map is not None:
        if span.label not in label_map:
            return f"that the label map lacks; it has {sorted(label_map)}"
        mapped = label_map[span.label]
        if mapped is not None and mapped not in LABELS:
            return f"that the label map maps to {mapped!r}, which is not native"
    elif native and span.label not in LABELS:
        return f"that is not native; the native ones are {sorted(LABELS)}"
    return None
