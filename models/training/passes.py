"""Training of recipes with passes: each pass learns with what the one before finds.

What is found in the documents that a model was trained on is better than what it finds elsewhere.
So the column that a later pass learns from is made by cross-fitting: the documents of a fold are
tagged by models that were trained on the others. In labelling, the models of all documents tag.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ...dictionaries import Dictionary
from ..auxiliary import AuxiliaryModel
from ..bundles.passes import Tagged, found_tags, majority
from ..core.feature_rows import Featurized
from ..corpora import AnnotatedDocument
from ..crf.codec import SpanTuple
from ..crf.learning import Progress
from ..families import FAMILIES, Model
from ..recipes import Recipe
from ..text.tokenizer import tokenize_documents
from .folds import make_folds, training_part
from .preparing import Prepared, fit, prepare

Spans = list[list[SpanTuple]]
"""Of each document."""


def fit_recipe(
    recipe: Recipe,
    first: Sequence[Prepared],
    documents: Sequence[AnnotatedDocument],
    dictionaries: Mapping[str, Dictionary],
    auxiliary: Mapping[str, AuxiliaryModel] = MappingProxyType({}),
    *,
    progress: Callable[[str], Progress | None] = lambda key: None,
    fold_progress: Callable[[str], Progress | None] = lambda key: None,
    on_prepared: Callable[[str, Prepared], None] = lambda key, prepared: None,
) -> dict[str, Model]:
    """Trains all taggers of a recipe, pass by pass; the same input gives the same models.

    Args:
        recipe: what to train.
        first: the input of the taggers of the first pass; of all without passes.
        documents: gold, those of `first`.
        dictionaries: from `make_dictionaries`.
        auxiliary: those that the recipe needs.
        progress: key of a tagger -> see `crf.learning.Progress`.
        fold_progress: the same while folds are fitted, of the tagger that they stand for.
        on_prepared: called with each tagger's input before it is trained.

    Returns:
        Key of each tagger -> its model, in order.
    """
    models: dict[str, Model] = {}
    prepared = first
    passes = recipe.keys_of_passes
    for number, keys in enumerate(passes):
        for key, own in zip(keys, prepared, strict=True):
            on_prepared(key, own)
            models[key] = fit(own, seed=recipe.seed, progress=progress(key))
        if number + 1 == len(passes):
            break
        column = None
        if recipe.trust is not None:
            found = _found(recipe, keys, prepared, models, documents, fold_progress)
            headings = frozenset(dictionaries[recipe.trust.name].phrases)
            texts = [document.text for document in documents]
            column = found_tags(found, headings, texts, tokenize_documents(texts))
        # What the pass before was made of is let go before the next is made.
        prepared = ()
        prepared = prepare(
            recipe, documents, dictionaries, auxiliary, keys=passes[number + 1], found=column
        )
    return models


def _found(
    recipe: Recipe,
    keys: Sequence[str],
    prepared: Sequence[Prepared],
    models: Mapping[str, Model],
    documents: Sequence[AnnotatedDocument],
    progress: Callable[[str], Progress | None],
) -> Spans:
    """What a pass finds in the documents that it is trained on."""
    assert recipe.trust is not None
    count = min(recipe.trust.folds, len(documents))
    if count < 2:
        return _voted([(models[key], own) for key, own in zip(keys, prepared, strict=True)])
    found: Spans = [[] for _ in documents]
    folds = make_folds(documents, count, seed=recipe.seed)
    for fold, held in enumerate(folds):
        training = parts(prepared, training_part(folds, fold))
        fitted = [
            fit(part, seed=recipe.seed, progress=progress(key))
            for key, part in zip(keys, training, strict=True)
        ]
        del training
        tagged = _voted(list(zip(fitted, parts(prepared, held), strict=True)))
        for document, spans in zip(held, tagged, strict=True):
            found[document] = spans
    return found


def parts(prepared: Sequence[Prepared], documents: Sequence[int]) -> list[Prepared]:
    """`Prepared.of_documents` of each; those that share features still do."""
    made: list[Prepared] = []
    for own in prepared:
        if made and own.features is prepared[0].features:
            made.append(own.with_rows_of(made[0]))
        else:
            made.append(own.of_documents(documents))
    return made


def _voted(tagged: Sequence[tuple[Model, Prepared]]) -> Spans:
    """What the taggers of a pass agree on, in each document."""
    rows: Featurized = tagged[0][1].features
    votes = []
    for model, prepared in tagged:
        decoder = FAMILIES[prepared.recipe.learner.family].open_decoder(model)
        ready = decoder.ready(prepared.features)
        votes.append(Tagged(decoder.tags, *decoder.decode(ready, scored=False)))
    return [[(s, e, label) for s, e, label, _ in own] for own in majority(votes).spans(rows)]
