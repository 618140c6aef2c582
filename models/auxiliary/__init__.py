"""Auxiliary models: taggers and tables whose output recipes use as features.

The command `scrubline part` trains each of them, on open corpora or on your own notes. None ships
with the package, because some of the data is share-alike. To add one, write a file here and add a
line to `AUXILIARY_MODELS` and one to `kinds.KIND_OF`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..core.errors import UsageError
from ..core.tokens import Tokens
from ..features import FOUND, Feature
from ..recipes.recipe import Learner
from . import brown, links, mesh, ner, pos, word2vec
from .base import open_auxiliary, read_auxiliary, revise_auxiliary, write_auxiliary
from .kinds import (
    CLUSTER,
    LINKS,
    NOT_IN_BUNDLES,
    TAG,
    TREE,
    AuxiliaryModel,
    AuxiliaryTagger,
    ClusterTable,
    ColumnModel,
    RecordedLinks,
    TreeTable,
)
from .sources import Origin, origin_of

__all__ = [
    "ANNOTATED",
    "CONLLU",
    "TEXTS",
    "CLUSTER",
    "HEADINGS",
    "LINKS",
    "NOT_IN_BUNDLES",
    "TREE",
    "ColumnModel",
    "RecordedLinks",
    "TreeTable",
    "refuse_in_bundle",
    "AUXILIARY_MODELS",
    "READS",
    "TAG",
    "ClusterTable",
    "Trainer",
    "Origin",
    "AuxiliaryModel",
    "AuxiliaryTagger",
    "cluster_tables",
    "missing_auxiliary",
    "open_auxiliary",
    "origin_of",
    "auxiliary_needed",
    "read_auxiliary",
    "require_auxiliary",
    "revise_auxiliary",
    "tag_columns",
    "write_auxiliary",
]

CONLLU, ANNOTATED, TEXTS, HEADINGS = "conllu", "annotated", "texts", "headings"

READS: Mapping[str, str] = {
    CONLLU: "sentences with tags, in CoNLL-U",
    ANNOTATED: "annotated documents, in any form that `scrubline convert --help` names",
    TEXTS: 'raw texts: .txt, or .jsonl with {"text"} a line',
    HEADINGS: "tables of headings and of entry terms, with tabs between the cells",
}
"""Kind of training data -> its description in help and errors."""


@dataclasses.dataclass(frozen=True, slots=True)
class Trainer:
    """How an auxiliary model is trained.

    Attributes:
        name: of the model.
        kind: `TAG`, `CLUSTER`, `TREE` or `LINKS`.
        title: a short description.
        reads: key of `READS`.
        inputs: the files that `command` names.
        train: function of the data; it takes the keywords `origin`, `command` and `progress`, and
            `learner` (a tagger) or those in `settings` (the others).
        learner: of a tagger, by default.
        settings: names of the whole numbers (`fold`: 0 or 1) that `train` takes.
        scored_on: key of `READS`: what the model is scored on.
        usual: settings that `command` names.
    """

    name: str
    kind: str
    title: str
    reads: str
    inputs: tuple[str, ...]
    train: Callable[..., AuxiliaryModel]
    learner: Learner | None = None
    settings: tuple[str, ...] = ()
    scored_on: str = ""
    usual: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.scored_on:
            object.__setattr__(self, "scored_on", self.reads)

    @property
    def command(self) -> str:
        """The command that trains the model, with the files it is usually trained on."""
        inputs = " ".join(f"--input {name}" for name in self.inputs)
        settings = "".join(f" --set {setting}" for setting in self.usual)
        return f"scrubline part train {self.name} {inputs}{settings} --output parts/{self.name}"


_UD = ("en_ewt-ud-train.conllu",)
_NOTES = ("notes.jsonl",)

AUXILIARY_MODELS: dict[str, Trainer] = {
    "pos": Trainer(
        "pos",
        TAG,
        "part of speech, Penn Treebank tags",
        CONLLU,
        _UD,
        functools.partial(pos.train_pos, name="pos"),
        pos.LEARNER_OF["pos"],
    ),
    "upos": Trainer(
        "upos",
        TAG,
        "part of speech, universal tags",
        CONLLU,
        _UD,
        functools.partial(pos.train_pos, name="upos"),
        pos.LEARNER_OF["upos"],
    ),
    "ner": Trainer(
        "ner",
        TAG,
        "names of people, places and organisations",
        ANNOTATED,
        ("wnut17.jsonl", "btc.jsonl", "wikigold.jsonl", "uner_ewt.jsonl"),
        ner.train_ner,
        ner.LEARNER,
    ),
    "brown": Trainer(
        "brown",
        CLUSTER,
        "Brown clusters: paths in a tree of words",
        TEXTS,
        _NOTES,
        brown.train_brown,
        settings=("clusters", "fold", "least_count", "vocabulary"),
    ),
    "word2vec": Trainer(
        "word2vec",
        CLUSTER,
        "clusters of word vectors; needs scrubline[clusters]",
        TEXTS,
        _NOTES,
        word2vec.train_word2vec,
        settings=("clusters", "dimensions", "epochs", "fold", "least_count", "seed", "window"),
    ),
    "mesh": Trainer(
        "mesh",
        TREE,
        "tree numbers of medical phrases, from MeSH",
        HEADINGS,
        ("mesh2022_descriptors.tsv", "mesh2022_entry_terms.tsv"),
        mesh.train_mesh,
        settings=("year",),
        scored_on=TEXTS,
        usual=("year=2022",),
    ),
    "links": Trainer(
        "links",
        LINKS,
        "links between words, recorded; for studies alone; needs Link Grammar",
        TEXTS,
        _NOTES,
        links.train_links,
    ),
    "linkleft": Trainer(
        "linkleft",
        TAG,
        "the nearest link to the left; needs Link Grammar to make it",
        TEXTS,
        _NOTES,
        functools.partial(links.train_learned, name="linkleft"),
        links.LEARNER,
    ),
    "linkright": Trainer(
        "linkright",
        TAG,
        "the nearest link to the right; needs Link Grammar to make it",
        TEXTS,
        _NOTES,
        functools.partial(links.train_learned, name="linkright"),
        links.LEARNER,
    ),
}
"""Name -> how the model is trained."""


def auxiliary_needed(features: Iterable[Feature]) -> tuple[str, ...]:
    """Names of the auxiliary models that features need, sorted."""
    needed = {name for kind, name in _needs(features) if kind in (TAG, CLUSTER)}
    return tuple(sorted(needed - {FOUND}))


def _needs(features: Iterable[Feature]) -> set[tuple[str, str]]:
    return {need for feature in features for part, _ in feature.parts for need in part.needs}


def missing_auxiliary(owner: str, missing: Iterable[str]) -> str:
    """An error message: the auxiliary models that `owner` lacks, and how to make them."""
    lines = []
    for name in sorted(missing):
        known = AUXILIARY_MODELS.get(name)
        how = f"make it with: {known.command}" if known else "no command makes it"
        lines.append(f"{owner} needs the auxiliary model {name!r}; {how}")
    return "\n".join(lines)


def require_auxiliary(
    owner: str, features: Iterable[Feature], available: Mapping[str, AuxiliaryModel]
) -> None:
    """Checks that every auxiliary model that features need is available and of the right kind.

    Args:
        owner: of the features, for the message: "recipe hitsz".
        features: of a recipe.
        available: models by name.

    Raises:
        UsageError: naming each missing model and the command that makes it.
    """
    declared = list(features)
    if missing := set(auxiliary_needed(declared)) - available.keys():
        raise UsageError(missing_auxiliary(owner, missing))
    for kind, name in sorted(_needs(declared) - {(TAG, FOUND)}):
        if kind in (TAG, CLUSTER) and isinstance(available[name], ColumnModel) != (kind == TAG):
            raise UsageError(f"{owner}: the auxiliary model {name!r} must be of kind {kind!r}")


def refuse_in_bundle(owner: str, names: Iterable[str]) -> None:
    """Checks that a bundle may hold the auxiliary models of a recipe.

    Args:
        owner: of the features, for the message: "recipe stat-deid".
        names: of the models.

    Raises:
        UsageError: naming those that are for studies alone.
    """
    if refused := sorted(NOT_IN_BUNDLES.intersection(names)):
        raise UsageError(
            f"{owner}: the auxiliary model {', '.join(refused)} is as sensitive as the notes that"
            " it was made from, so no bundle may hold it: train without it, and use it in studies"
        )


def tag_columns(
    auxiliary: Mapping[str, AuxiliaryModel], texts: Sequence[str | None], tokens: Tokens
) -> dict[str, Sequence[str]]:
    """Runs all models that give columns; the result is what `featurize` takes as `tags`."""
    return {
        name: model.columns(texts, tokens)
        for name, model in auxiliary.items()
        if isinstance(model, ColumnModel)
    }


def cluster_tables(auxiliary: Mapping[str, AuxiliaryModel]) -> dict[str, Mapping[str, str]]:
    """All tables of clusters, as `featurize` takes them in `clusters`."""
    return {
        name: model.clusters for name, model in auxiliary.items() if isinstance(model, ClusterTable)
    }
