"""Taggers: a CRF of a bundle, opened for work."""

from __future__ import annotations

import dataclasses
import functools
import logging
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType, ModuleType
from typing import Any, NoReturn

import numpy as np

from ..dictionaries import Dictionary
from . import compiled
from .bundles import Bundle, PackedModels
from .crf.codec import OUTSIDE, decode_ids
from .crf.decoding import Decoder, NativeDecoder, model_arrays, open_decoder
from .crf.model_file import snap_bias
from .errors import BundleError, UsageError
from .features import Featurized
from .features.featurizing import featurize
from .features.gazetteer import PhraseIndex, gazetteer_from_phrases
from .features.indexing import AttributeIndex, IndexArrays
from .labels import LABELS
from .native import extension
from .parts import cluster_tables
from .recipes import TaggerRecipe
from .spans import Candidate, Candidates
from .tokens import Tokens

SCORE_DIGITS = 4


class Tagger:
    """Finds candidates with one CRF of a bundle.

    Opened where it works (a DoFn's `setup`) and never pickled. For threads too.

    Attributes:
        name: the detector's name, see `detector_name`.
        labels: those that candidates can have, sorted.
        recipe: what it sees.
    """

    def __init__(
        self,
        bundle: Bundle,
        kind: str = "token",
        *,
        biases: Mapping[str, float] | None = None,
        labels_as: str = "native",
    ) -> None:
        """Opens a CRF of a bundle.

        Args:
            bundle: shared; nothing of it is changed.
            kind: of the tagger, one that the bundle's recipe has.
            biases: own label, or "O" -> bias, instead of the bundle's; rounded to the grid.
            labels_as: "native" maps labels by the bundle's label map and drops what that has no PHI
                label for; "own" leaves them as in the corpus that the model was trained on.

        Raises:
            BundleError: if the bundle has no such tagger, labels cannot be mapped, or there is a
                bias for a label that the bundle lacks.
        """
        recipes = {tagger.kind: tagger for tagger in bundle.recipe.taggers}
        if kind not in recipes:
            raise BundleError(f"bundle {bundle.name} has no {kind} tagger, but {list(recipes)}")
        self.name = detector_name(bundle, kind)
        self.recipe = recipes[kind]
        self._names = output_names(bundle, labels_as)
        self.labels = tuple(sorted({name for name in self._names.values() if name is not None}))
        self._biases = dict(bundle.biases if biases is None else biases)
        if unknown := sorted(self._biases.keys() - {*bundle.labels, OUTSIDE}):
            raise BundleError(f"a bias is given for {unknown}, which are no labels of the model")
        for bias in self._biases.values():
            snap_bias(bias)
        self._opened = _opened(bundle, kind)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Tagger is not pickled: send the bundle's name and open it where it works"
        )

    def featurize(
        self,
        texts: Sequence[str | None],
        tokens: Tokens,
        tags: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> Featurized:
        """The attribute rows of a batch.

        Args:
            texts: one that is None has no items.
            tokens: of the batch.
            tags: columns of the tag parts that the recipe names.
        """
        return self._opened.featurize(texts, tokens, tags)

    def label(self, features: Featurized) -> Candidates:
        """The candidates of all documents of a batch."""
        return Candidates.of(self._candidates(features))

    def label_documents(self, features: Featurized) -> list[list[Candidate]]:
        """The candidates of each document of a batch, in order."""
        found: list[list[Candidate]] = [[] for _ in range(len(features.document_offsets) - 1)]
        for document, candidate in self._candidates(features):
            found[document].append(candidate)
        for own in found:
            own.sort()
        return found

    def label_document(self, features: Featurized, document: int) -> list[Candidate]:
        """The candidates of one document of a batch, in order."""
        return sorted(c for _, c in self._candidates(_only(features, document)))

    def _candidates(self, features: Featurized) -> list[tuple[int, Candidate]]:
        decoder = self._opened.decoder
        tags, scores = decoder.decode(decoder.ready(features), self._biases)
        rows = []
        for document, start, end, label, first, last in decode_ids(tags, decoder.tags, features):
            if (name := self._names[label]) is not None:
                score = round(float(scores[first : last + 1].min()), SCORE_DIGITS)
                rows.append((document, Candidate(start, end, name, self.name, score)))
        return rows


def detector_name(bundle: Bundle, kind: str) -> str:
    """What tells a tagger's candidates apart, and their rank: "charcrf:" or "crf:" and the name."""
    return f"{'charcrf' if kind == 'character' else 'crf'}:{bundle.name}"


@dataclasses.dataclass(frozen=True, slots=True)
class _Opened:
    """What taggers of one bundle share, whatever their biases.

    Attributes:
        decoder: of the model.
        featurize: texts, tokens and columns of tags to what the decoder takes.
    """

    decoder: Decoder
    featurize: Callable[[Sequence[str | None], Tokens, Mapping[str, Sequence[str]]], Featurized]


@functools.lru_cache(maxsize=8)
def _opened(bundle: Bundle, kind: str) -> _Opened:
    """Bundles are opened once a process, so their identity will do as the key."""
    (recipe,) = (tagger for tagger in bundle.recipe.taggers if tagger.kind == kind)
    native = extension()
    if native is not None and (opened := _opened_natively(bundle, recipe, native)) is not None:
        return opened
    clusters = cluster_tables(bundle.parts)
    gazetteers = {
        name: gazetteer_from_phrases(one.phrases, recipe.layer, one.weights)
        for name, one in _lists(bundle, recipe).items()
    }

    def by_strings(
        texts: Sequence[str | None], tokens: Tokens, tags: Mapping[str, Sequence[str]]
    ) -> Featurized:
        return featurize(texts, tokens, recipe, gazetteers, tags, clusters=clusters)

    return _Opened(open_decoder(bundle.models[kind]), by_strings)


def _lists(bundle: Bundle, recipe: TaggerRecipe) -> dict[str, Dictionary]:
    return {name: bundle.dictionaries[name] for name in sorted(recipe.needs("gazetteer"))}


def _opened_natively(bundle: Bundle, recipe: TaggerRecipe, native: ModuleType) -> _Opened | None:
    """By the extension, as it was compiled before on this machine, or now; None if it cannot be."""
    name = compiled.name_of(bundle.hash, recipe.kind)
    if (found := compiled.read(name)) is not None:
        try:
            arrays, index_arrays = found
            index = AttributeIndex.opened(recipe, IndexArrays(*index_arrays), native)
            decoder = NativeDecoder(arrays)
            # The last that holds the file in memory.
            index.forget_arrays()
            return _Opened(decoder, index.featurize)
        except (BundleError, TypeError, ValueError):
            # Sound by its checksum, and still none: it is made anew.
            logging.getLogger(__name__).warning("a compiled tagger in the cache is not used")
    model = bundle.models[recipe.kind]
    weighed = {name: (one.phrases, one.weights) for name, one in _lists(bundle, recipe).items()}
    phrases = PhraseIndex(weighed, recipe.layer, native)
    clusters = cluster_tables(bundle.parts)
    try:
        index = AttributeIndex(recipe, model.attributes, native, phrases=phrases, clusters=clusters)
    except UsageError as error:
        logging.getLogger(__name__).warning(
            "bundle %s: %s; its attributes are looked up as strings, which takes several times"
            " longer",
            bundle.name,
            error,
        )
        return None
    arrays = model_arrays(model)
    if (layout := index.arrays) is not None:
        fields = tuple(getattr(layout, field.name) for field in dataclasses.fields(layout))
        compiled.write(name, (arrays, fields))
        index.forget_arrays()
    decoder = NativeDecoder(arrays)
    if isinstance(bundle.models, PackedModels):
        # The extension has all of it that is needed.
        bundle.models.forget()
    return _Opened(decoder, index.featurize)


def output_names(bundle: Bundle, labels_as: str) -> dict[str, str | None]:
    """Own label -> label of the candidates, or None where there is to be none."""
    if labels_as not in ("native", "own"):
        raise BundleError(f"labels_as must be 'native' or 'own', not {labels_as!r}")
    if labels_as == "own":
        return {label: label for label in bundle.labels}
    if bundle.label_map is not None:
        return {label: bundle.label_map[label] for label in bundle.labels}
    if foreign := sorted(set(bundle.labels) - set(LABELS)):
        raise BundleError(
            f"bundle {bundle.name}: labels {foreign} are not native and it has no label map; "
            "open it with its own labels"
        )
    return {label: label for label in bundle.labels}


def _only(features: Featurized, document: int) -> Featurized:
    """The features of one document, as document 0."""
    first, last = features.document_offsets[document : document + 2].tolist()
    sequences = features.sequence_offsets[first : last + 1]
    items = features.item_offsets[sequences[0] : sequences[-1] + 1]
    rows = slice(int(sequences[0]), int(sequences[-1]))
    changes: dict[str, Any] = {
        "attribute_ids": features.attribute_ids[items[0] : items[-1]],
        "item_offsets": items - items[0],
        "starts": features.starts[rows],
        "ends": features.ends[rows],
        "sequence_offsets": sequences - sequences[0],
        "document_offsets": np.array([0, last - first], np.int64),
    }
    return dataclasses.replace(features, **changes)
