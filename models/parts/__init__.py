"""Language parts: taggers and cluster tables that recipes may see texts through.

Each is made by one command from open corpora, or from notes of one's own; none comes with the
package, for some of their data is share-alike. A new part is a file here, a line in `PARTS` and
one in `base.KIND_OF`.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..errors import UsageError
from ..features import Feature
from ..recipes.recipe import Learner
from ..tokens import Tokens
from . import brown, ner, pos, word2vec
from .base import (
    CLUSTER,
    TAG,
    ClusterPart,
    Part,
    TagPart,
    open_part,
    read_part,
    revise_part,
    write_part,
)
from .sources import Origin, origin_of

__all__ = [
    "CLUSTER",
    "PARTS",
    "READS",
    "TAG",
    "ClusterPart",
    "Maker",
    "Origin",
    "Part",
    "TagPart",
    "cluster_tables",
    "missing_parts",
    "open_part",
    "origin_of",
    "parts_needed",
    "read_part",
    "require_parts",
    "revise_part",
    "tag_columns",
    "write_part",
]

CONLLU, ANNOTATED, TEXTS = "conllu", "annotated", "texts"

READS: Mapping[str, str] = {
    CONLLU: "sentences with tags, in CoNLL-U",
    ANNOTATED: "annotated documents, in any form that `scrubline convert --help` names",
    TEXTS: 'raw texts: .txt, or .jsonl with {"text"} a line',
}
"""Input form -> what it is called in help and errors."""


@dataclasses.dataclass(frozen=True, slots=True)
class Maker:
    """How a part is made.

    Attributes:
        name: of the part.
        kind: `TAG` or `CLUSTER`.
        title: what it gives, in some words.
        reads: key of `READS`.
        inputs: the files that `command` names.
        train: function of the data, with keyword `origin`, `command` and `progress`, `learner` of a
            tag part or `settings` of a cluster part.
        learner: of a tag part, unless another is asked for.
        settings: names of the whole numbers (`fold`: 0 or 1) that `train` of a cluster part takes.
    """

    name: str
    kind: str
    title: str
    reads: str
    inputs: tuple[str, ...]
    train: Callable[..., Part]
    learner: Learner | None = None
    settings: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """The command that makes the part, of the files it is usually made from."""
        inputs = " ".join(f"--input {name}" for name in self.inputs)
        return f"scrubline part train {self.name} {inputs} --output parts/{self.name}"


_UD = ("en_ewt-ud-train.conllu",)
_NOTES = ("notes.jsonl",)

PARTS: dict[str, Maker] = {
    "pos": Maker(
        "pos",
        TAG,
        "part of speech, Penn Treebank tags",
        CONLLU,
        _UD,
        functools.partial(pos.train_pos, name="pos"),
        pos.LEARNER_OF["pos"],
    ),
    "upos": Maker(
        "upos",
        TAG,
        "part of speech, universal tags",
        CONLLU,
        _UD,
        functools.partial(pos.train_pos, name="upos"),
        pos.LEARNER_OF["upos"],
    ),
    "ner": Maker(
        "ner",
        TAG,
        "names of people, places and organisations",
        ANNOTATED,
        ("wnut17.jsonl", "btc.jsonl", "wikigold.jsonl", "uner_ewt.jsonl"),
        ner.train_ner,
        ner.LEARNER,
    ),
    "brown": Maker(
        "brown",
        CLUSTER,
        "Brown clusters: paths in a tree of words",
        TEXTS,
        _NOTES,
        brown.train_brown,
        settings=("clusters", "fold", "least_count", "vocabulary"),
    ),
    "word2vec": Maker(
        "word2vec",
        CLUSTER,
        "clusters of word vectors; needs scrubline[clusters]",
        TEXTS,
        _NOTES,
        word2vec.train_word2vec,
        settings=("clusters", "dimensions", "epochs", "fold", "least_count", "seed", "window"),
    ),
}
"""Name -> how the part is made."""


def parts_needed(features: Iterable[Feature]) -> tuple[str, ...]:
    """Names of the parts that features see texts through, sorted."""
    return tuple(sorted({name for kind, name in _needs(features) if kind in (TAG, CLUSTER)}))


def _needs(features: Iterable[Feature]) -> set[tuple[str, str]]:
    return {need for feature in features for part, _ in feature.parts for need in part.needs}


def missing_parts(owner: str, missing: Iterable[str]) -> str:
    """Says that something needs parts that are not there, and how to make them."""
    lines = []
    for name in sorted(missing):
        made = f"make it with: {PARTS[name].command}" if name in PARTS else "no command makes it"
        lines.append(f"{owner} needs the part {name!r}; {made}")
    return "\n".join(lines)


def require_parts(owner: str, features: Iterable[Feature], given: Mapping[str, Part]) -> None:
    """Checks that all parts are there that features need, each of the kind that they ask for.

    Args:
        owner: what has the features, for the message: "recipe hitsz".
        features: of a recipe.
        given: by name.

    Raises:
        UsageError: naming each missing part and the command that makes it.
    """
    declared = list(features)
    if missing := set(parts_needed(declared)) - given.keys():
        raise UsageError(missing_parts(owner, missing))
    for kind, name in sorted(_needs(declared)):
        if kind in (TAG, CLUSTER) and isinstance(given[name], TagPart) != (kind == TAG):
            raise UsageError(f"{owner}: the part {name!r} must be a {kind} part")


def tag_columns(
    parts: Mapping[str, Part], texts: Sequence[str | None], tokens: Tokens
) -> dict[str, Sequence[str]]:
    """The columns of all tag parts, as `featurize` takes them in `tags`."""
    return {
        name: part.columns(texts, tokens)
        for name, part in parts.items()
        if isinstance(part, TagPart)
    }


def cluster_tables(parts: Mapping[str, Part]) -> dict[str, Mapping[str, str]]:
    """The tables of all cluster parts, as `featurize` takes them in `clusters`."""
    return {name: part.clusters for name, part in parts.items() if isinstance(part, ClusterPart)}
