"""`train`: a recipe and an annotated corpus become a bundle."""

from __future__ import annotations

import collections
import importlib.metadata
from collections.abc import Iterable, Mapping, Sequence

from ..dictionaries import Dictionary
from .bundles import Bundle, make_bundle
from .corpora import AnnotatedDocument, Annotation
from .crf.codec import encode_batch, misaligned_batch
from .crf.learning import Progress, learn
from .errors import UsageError
from .features.featurizing import featurize
from .features.gazetteer import gazetteer_from_phrases
from .labels import LABELS
from .recipes import Recipe
from .tokenizing import tokenize_documents


def train(
    recipe: Recipe,
    documents: Iterable[AnnotatedDocument],
    *,
    dictionaries: Mapping[str, Dictionary],
    name: str,
    label_map: Mapping[str, str | None] | None = None,
    native: bool = False,
    trained_on: str = "",
    command: str = "",
    progress: Progress | None = None,
) -> Bundle:
    """Trains a model; the same bundle, byte for byte, for the same input and the same C library.

    The model file holds words of the training texts: keep a bundle trained on real notes as you
        keep the notes.

    Args:
        recipe: what to train.
        documents: gold; held in memory together with their features. Some may have no spans, not
            all.
        dictionaries: at least those that the recipe names.
        name: of the bundle.
        label_map: label of the corpus -> native label, or None for what the native set does not
            have.
        native: whether every label must be native, or mapped by `label_map`.
        trained_on: what the card says of the corpus: its name, version, licence.
        command: what the card says of how it was trained.
        progress: see `crf.learning.Progress`.

    Raises:
        UsageError: if documents, labels, dictionaries or the recipe cannot be used; documents are
            named by their ordinal, from 0.
        BundleError: if the training gave no sound model.
    """
    if missing := sorted(set(recipe.dictionaries) - dictionaries.keys()):
        raise UsageError(f"recipe {recipe.name} needs dictionaries that were not given: {missing}")
    corpus = list(documents)
    labels = _check_corpus(corpus, label_map, native)

    texts = [document.text for document in corpus]
    gazetteers = {
        key: gazetteer_from_phrases(
            dictionaries[key].phrases, recipe.layer, dictionaries[key].weights
        )
        for key in recipe.dictionaries
    }
    features = featurize(texts, tokenize_documents(texts), recipe, gazetteers)
    gold = [[(span.start, span.end, span.label) for span in document.spans] for document in corpus]
    tags = encode_batch(gold, features, recipe.scheme)
    weights = learn(features, tags, recipe.learner, seed=recipe.seed, progress=progress)
    card = {
        "trained_on": trained_on,
        "command": command,
        "recipe": recipe.name,
        "corpus": {
            "documents": len(corpus),
            "characters": sum(map(len, texts)),
            "items": len(features.starts),
            "spans": dict(sorted(labels.items())),
            "spans that tokens or sequences cut": misaligned_batch(gold, features),
        },
        "learner": {
            "algorithm": recipe.learner.algorithm,
            "parameters": dict(recipe.learner.parameters),
            "python-crfsuite": importlib.metadata.version("python-crfsuite"),
        },
        "scores": {},
    }
    return make_bundle(
        name,
        recipe=recipe,
        weights=weights,
        dictionaries=dictionaries,
        label_map=label_map,
        card=card,
    )


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
