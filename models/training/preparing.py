"""From annotated documents to the input of a learner: dictionaries, attributes and tags."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np

from ...dictionaries import Dictionary
from ..auxiliary import AuxiliaryModel, cluster_tables, require_auxiliary, tag_columns
from ..core.arrays import Ints
from ..core.errors import UsageError
from ..core.feature_rows import Features
from ..core.labels import UNKNOWN_KIND
from ..corpora import AnnotatedDocument
from ..crf.codec import SpanTuple, encode_batch, misaligned_batch
from ..crf.learning import Progress
from ..families import Model, learn
from ..features import FOUND
from ..features.base import gather
from ..features.declaration import FeatureSet, needs_of
from ..features.featurizing import featurize
from ..features.gazetteer import cut_phrases, gazetteer_from_phrases
from ..learners import Learner
from ..recipes import Recipe, TaggerRecipe
from ..recipes.tagger import SharedFeatures
from ..text.tokenizer import tokenize_documents
from .counting import counted_dictionaries, trusted_headings
from .sampling import sample


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Prepared:
    """The input of one tagger: attributes and gold tags of all items of the documents.

    Attributes:
        recipe: of the tagger.
        features: of all documents.
        tags: one list for each sequence, one tag for each of its items.
        misaligned: number of gold spans that encoding and decoding does not return unchanged.
    """

    recipe: TaggerRecipe
    features: Features
    tags: Sequence[Sequence[str]]
    misaligned: int

    def of_documents(self, documents: Sequence[int]) -> Prepared:
        """The same for some of the documents, in the given order: a fold of a cross-validation."""
        every = self.features
        chosen = np.asarray(documents, np.int64)
        document_offsets, sequences = gather(
            every.document_offsets, np.arange(len(every.sequence_offsets) - 1), chosen
        )
        sequence_offsets, items = gather(
            every.sequence_offsets, np.arange(len(every.starts)), sequences
        )
        item_offsets, attribute_ids = gather(every.item_offsets, every.attribute_ids, items)
        attributes, attribute_ids = _used(every.attributes, attribute_ids)
        return Prepared(
            self.recipe,
            Features(
                attributes,
                attribute_ids,
                item_offsets,
                every.starts[items],
                every.ends[items],
                sequence_offsets,
                document_offsets,
            ),
            [self.tags[sequence] for sequence in sequences.tolist()],
            0,
        )

    def with_rows_of(self, other: Prepared) -> Prepared:
        """The same tagger with the rows of another one that has the same items and tags."""
        return dataclasses.replace(other, recipe=self.recipe)


def make_dictionaries(
    recipe: Recipe,
    documents: Sequence[AnnotatedDocument],
    lists: Mapping[str, Dictionary],
    label_map: Mapping[str, str | None] | None = None,
) -> dict[str, Dictionary]:
    """The gazetteers of a recipe: from dictionaries, and made from training documents.

    Args:
        recipe: that needs them.
        documents: only those trained on.
        lists: at least `recipe.lists`.
        label_map: label of the corpus -> native label; without it labels are native.

    Raises:
        UsageError: if a dictionary is missing.
    """
    if missing := sorted(set(recipe.lists) - lists.keys()):
        raise UsageError(f"recipe {recipe.name} needs the dictionaries {missing}")
    extensions = {extension.name: extension for extension in recipe.extensions}
    made = {name: lists[name] for name in recipe.dictionaries if name not in recipe.made}
    made |= counted_dictionaries(recipe.counts, documents)
    if recipe.trust is not None:
        made[recipe.trust.name] = trusted_headings(recipe.trust, documents)
    for name, extension in extensions.items():
        phrases = [phrase for source in extension.lists for phrase in lists[source].phrases]
        for document in documents:
            for span in document.spans:
                native = label_map.get(span.label) if label_map else span.label
                if native in extension.labels:
                    phrases.append(document.text[span.start : span.end])
        layer = next(t.layer for t in recipe.taggers if name in t.needs("gazetteer"))
        words = {word for phrase in cut_phrases(phrases, layer) for word in phrase}
        made[name] = dictionary_of(name, words)
    return made


def dictionary_of(name: str, phrases: Sequence[str] | set[str]) -> Dictionary:
    """A dictionary of these phrases, in a form that a bundle can hold."""
    # Phrases that a file with one phrase per line cannot hold are left out.
    kept = {p.strip() for p in phrases if p.strip() and p.isprintable() and len(p) <= 200}
    draft = Dictionary(name, tuple(sorted(kept)), "")
    return dataclasses.replace(draft, sha256=hashlib.sha256(draft.to_bytes()).hexdigest())


def prepare(
    recipe: Recipe,
    documents: Sequence[AnnotatedDocument],
    dictionaries: Mapping[str, Dictionary],
    auxiliary: Mapping[str, AuxiliaryModel] = MappingProxyType({}),
    *,
    keys: Sequence[str] | None = None,
    found: Sequence[str] | None = None,
) -> tuple[Prepared, ...]:
    """The input of the taggers of a recipe.

    Trees take what they declare from the features of all taggers beside them, which are made once.

    Args:
        recipe: what to train.
        documents: gold.
        dictionaries: from `make_dictionaries`.
        auxiliary: those that the recipe needs.
        keys: of the taggers, which are side by side; those of the first pass by default.
        found: the column `FOUND` of a later pass.

    Raises:
        UsageError: if an auxiliary model is missing; it names the command that makes it.
    """
    for tagger in recipe.taggers:
        require_auxiliary(f"recipe {recipe.name}", tagger.features, auxiliary)
    texts = [document.text for document in documents]
    tokens = tokenize_documents(texts)
    tags = tag_columns({name: auxiliary[name] for name in recipe.auxiliary}, texts, tokens)
    if found is not None:
        tags = {**tags, FOUND: found}
    clusters = cluster_tables(auxiliary)
    spans = [[(s.start, s.end, s.label) for s in document.spans] for document in documents]
    prepared: list[Prepared] = []
    taggers = [recipe.tagger_of[key] for key in keys or recipe.keys_of_passes[0]]
    shared = SharedFeatures.of(taggers)
    for tagger in taggers:
        if shared is not None and prepared:
            prepared.append(dataclasses.replace(prepared[0], recipe=tagger))
            continue
        needing: FeatureSet = shared or tagger
        gazetteers = {
            name: gazetteer_from_phrases(
                dictionaries[name].phrases, tagger.layer, dictionaries[name].weights
            )
            for name in sorted(needs_of(needing.features, "gazetteer"))
        }
        features = featurize(texts, tokens, needing, gazetteers, tags, clusters=clusters)
        gold = spans if tagger.classes == "typed" else _of_one_label(spans)
        gold_tags = encode_batch(gold, features, tagger.scheme)
        prepared.append(Prepared(tagger, features, gold_tags, misaligned_batch(gold, features)))
    return tuple(prepared)


def _of_one_label(spans: Sequence[Sequence[SpanTuple]]) -> list[list[SpanTuple]]:
    return [[(start, end, UNKNOWN_KIND) for start, end, _ in own] for own in spans]


def fit(
    prepared: Prepared,
    *,
    seed: int = 0,
    learner: Learner | None = None,
    progress: Progress | None = None,
) -> Model:
    """Trains one tagger and returns its model.

    Args:
        prepared: its input; items are sampled here.
        seed: of the sampling and the learner.
        learner: replaces the recipe's.
        progress: see `crf.learning.Progress`.
    """
    features, tags = sample(prepared.features, prepared.tags, prepared.recipe.sampling, seed)
    model: Model = learn(
        features,
        tags,
        learner or prepared.recipe.learner,
        seed=seed,
        progress=progress,
        coding=prepared.recipe.coding,
    )
    return model


def _used(attributes: Sequence[str], ids: Ints) -> tuple[tuple[str, ...], Ints]:
    """The attributes that occur in `ids`, in order, and `ids` renumbered accordingly."""
    occurs = np.zeros(len(attributes), np.bool_)
    occurs[ids] = True
    kept = tuple(attributes[index] for index in np.flatnonzero(occurs).tolist())
    return kept, (np.cumsum(occurs) - 1)[ids]
