"""The kinds of auxiliary models: what each of them is, and what it says of tokens."""

from __future__ import annotations

import abc
import dataclasses
import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...dictionaries import DICTIONARIES
from ...dictionaries import load as load_dictionary
from ...dictionaries.trie import TokenTrie
from ..core.errors import UsageError
from ..core.feature_rows import Features
from ..core.tokens import Tokens
from ..crf.decoding import open_decoder
from ..crf.model_file import CrfModel
from ..features import Feature
from ..features.base import intern_slices, require_int, require_one_of
from ..features.featurizing import featurize
from ..features.gazetteer import gazetteer_from_phrases
from ..features.items import SEQUENCES
from ..learners.decoder import Decoder
from .phrase_trees import PhraseTable
from .recorded_links import SentenceLinks, digest_of, rendered, sentences_of

TAG, CLUSTER, TREE, LINKS = "tag", "cluster", "tree", "links"
KIND_OF: Mapping[str, str] = {
    "pos": TAG,
    "upos": TAG,
    "ner": TAG,
    "brown": CLUSTER,
    "word2vec": CLUSTER,
    "mesh": TREE,
    "links": LINKS,
    "linkleft": TAG,
    "linkright": TAG,
}
"""Name of an auxiliary model, as features name it -> its kind."""

NOT_IN_BUNDLES = frozenset(name for name, kind in KIND_OF.items() if kind == LINKS)
"""Names of the models that are for studies alone."""

OUTSIDE = "O"
"""The CRF's tag for "no tag"; the column holds "" there."""

MAX_FEATURES = 2_000
_OWNER = "auxiliary tagger"
_MAX_SEQUENCE = 1_000_000


@dataclasses.dataclass(frozen=True, slots=True)
class Declaration:
    """The features of an auxiliary tagger.

    Attributes:
        features: in the order in which attributes are rendered; of the text and of shipped
            dictionaries, not of other auxiliary models.
        sequence: what the CRF labels as one sequence: a "line", a "sentence" or a "document".
        max_sequence: most items in a sequence; longer ones are cut.

    Raises:
        UsageError: if a value is not allowed, a dictionary does not ship with the package, or a
            feature needs an auxiliary model.
    """

    features: tuple[Feature, ...]
    sequence: str = "sentence"
    max_sequence: int = 1_000

    layer = "fine"
    kind = "token"

    def __post_init__(self) -> None:
        require_one_of(_OWNER, "sequence", self.sequence, SEQUENCES)
        require_int(_OWNER, "max_sequence", self.max_sequence, 1, _MAX_SEQUENCE)
        if not 1 <= len(self.features) <= MAX_FEATURES:
            raise UsageError(f"{_OWNER}: expected 1 to {MAX_FEATURES} features")
        if len({frozenset(feature.parts) for feature in self.features}) < len(self.features):
            raise UsageError(f"{_OWNER}: a feature is declared twice")
        if {need[0] for need in self._needs()} & {TAG, CLUSTER}:
            raise UsageError(f"{_OWNER}: its features cannot need another auxiliary model")
        if unknown := sorted({need[1] for need in self._needs()} - DICTIONARIES.keys()):
            raise UsageError(
                f"{_OWNER}: needs dictionaries {unknown}, which do not ship with the package"
            )

    def _needs(self) -> set[tuple[str, str]]:
        parts = [part for feature in self.features for part, _ in feature.parts]
        return {need for part in parts for need in part.needs}

    @property
    def dictionaries(self) -> tuple[str, ...]:
        """Names of the dictionaries that the features need, sorted."""
        return tuple(sorted({name for _, name in self._needs()}))

    def featurize(self, texts: Sequence[str | None], tokens: Tokens) -> Features:
        """The attributes of a batch; its items are the fine tokens of all texts but None."""
        return featurize(texts, tokens, self, _gazetteers(self.dictionaries))


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class AuxiliaryModel:
    """A validated model; made only by the functions `make_...` and by `open_auxiliary`.

    Attributes:
        name: key of `KIND_OF`.
        hash: SHA-256 of its `CHECKSUMS`, in hexadecimal: models with equal hashes are the same
            bytes.
        licence: of its training data, in short, from its card.
        card: the content of `card.json`.
        files: all files by name, including `CHECKSUMS`: what `open_auxiliary` takes.
    """

    name: str
    hash: str
    licence: str
    card: Mapping[str, Any] = dataclasses.field(repr=False)
    files: Mapping[str, bytes] = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ColumnModel(AuxiliaryModel, abc.ABC):
    """A model that says something of each fine token."""

    @abc.abstractmethod
    def columns(self, texts: Sequence[str | None], tokens: Tokens) -> list[str]:
        """One entry for each row of `tokens`, "" for none.

        The entries of a document depend on its text alone. Thread-safe.

        Args:
            texts: one for each document of `tokens`; None for a failed one, which gets no entries.
            tokens: fine tokens of the batch, with their sentences.
        """


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class AuxiliaryTagger(ColumnModel):
    """A CRF that tags fine tokens.

    Attributes:
        declaration: its features.
        model: its weights, parsed.
        tags: all that `columns` can return, sorted, without "".
    """

    declaration: Declaration = dataclasses.field(repr=False)
    model: CrfModel = dataclasses.field(repr=False)

    @property
    def tags(self) -> tuple[str, ...]:
        """See the class."""
        return tuple(sorted(set(self.model.tags) - {OUTSIDE}))

    def columns(self, texts: Sequence[str | None], tokens: Tokens) -> list[str]:
        """One tag for each row of `tokens`; see `ColumnModel.columns`."""
        features = self.declaration.featurize(texts, tokens)
        decoder = _opened(self)
        tags, _ = decoder.decode(decoder.ready(features), scored=False)
        column = np.full(len(tokens), "", object)
        is_active = np.array([text is not None for text in texts], np.bool_)
        rows = np.repeat(is_active, np.diff(tokens.document_offsets))
        names = np.array(["" if tag == OUTSIDE else tag for tag in decoder.tags], object)
        column[rows] = names[tags]
        as_list: list[str] = column.tolist()
        return as_list


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class ClusterTable(AuxiliaryModel):
    """A table from words to codes.

    Attributes:
        clusters: word, as written or case-folded -> code.
    """

    clusters: Mapping[str, str] = dataclasses.field(repr=False)


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class TreeTable(ColumnModel):
    """A table from phrases to tree numbers.

    Attributes:
        table: that finds the phrases.
    """

    table: PhraseTable = dataclasses.field(repr=False)

    def columns(self, texts: Sequence[str | None], tokens: Tokens) -> list[str]:
        """The tree numbers of the phrase that a token is in; see `ColumnModel.columns`.

        Phrases may go on in the next line. Several numbers are joined by ";".
        """
        words, ids = intern_slices(texts, tokens.document_offsets, tokens.starts, tokens.ends)
        folded = [word.casefold() for word in words]
        own = [folded[index] for index in ids.tolist()]
        column: list[str] = []
        for text, (low, high) in zip(
            texts, itertools.pairwise(tokens.document_offsets.tolist()), strict=True
        ):
            column += [""] * (high - low) if text is None else self.table.places(own[low:high])
        return column


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class RecordedLinks(ColumnModel):
    """The links of sentences that were parsed beforehand. For studies on open corpora alone.

    Attributes:
        sentences: digest of a sentence -> its number of fine tokens, and its links.
    """

    sentences: Mapping[str, tuple[int, SentenceLinks]] = dataclasses.field(repr=False)

    def columns(self, texts: Sequence[str | None], tokens: Tokens) -> list[str]:
        """The links of a token, as `features.Link` takes them; see `ColumnModel.columns`.

        A sentence that was not parsed has none.
        """
        column = [""] * len(tokens)
        for first, behind, sentence, starts, ends in sentences_of(texts, tokens):
            size, links = self.sentences.get(digest_of(sentence), (0, ()))
            if size == behind - first:
                words = [sentence[start:end] for start, end in zip(starts, ends, strict=True)]
                column[first:behind] = rendered(links, words)
        return column


@functools.lru_cache(maxsize=8)
def _gazetteers(names: tuple[str, ...]) -> dict[str, TokenTrie]:
    loaded = {name: load_dictionary(name) for name in names}
    return {n: gazetteer_from_phrases(d.phrases, "fine", d.weights) for n, d in loaded.items()}


@functools.lru_cache(maxsize=8)
def _opened(tagger: AuxiliaryTagger) -> Decoder:
    """A model is opened once per process, so its identity serves as the key."""
    return open_decoder(tagger.model)
