"""Taggers: a model of a bundle, ready to label documents."""

from __future__ import annotations

import dataclasses
import functools
import logging
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType, ModuleType
from typing import NoReturn

from ...dictionaries import Dictionary
from ..auxiliary import cluster_tables
from ..core.detectors import DetectorId
from ..core.errors import BundleError, UsageError
from ..core.feature_rows import Featurized
from ..core.labels import LABELS
from ..core.spans import Candidate, Candidates
from ..core.tokens import Tokens
from ..crf.codec import OUTSIDE
from ..crf.model_file import snap_bias
from ..families import FAMILIES, Family
from ..features import Feature
from ..features.attribute_index import AttributeIndex
from ..features.declaration import needs_of
from ..features.featurizing import featurize
from ..features.gazetteer import PhraseIndex, gazetteer_from_phrases
from ..features.native_layout import IndexArrays
from ..learners.decoder import Decoder
from ..native import extension
from ..recipes import TaggerRecipe
from ..recipes.tagger import SharedFeatures
from . import tagger_cache
from .bundle import Bundle
from .contents import PackedModels
from .passes import Tagged

SCORE_DIGITS = 4


class Tagger:
    """Finds candidates with one model of a bundle.

    Opened in the process that uses it (a DoFn's `setup`) and never pickled. Thread-safe.

    Attributes:
        name: the detector's name, see `DetectorId`.
        labels: all that candidates can have, sorted.
        recipe: of the tagger.
        tells_risks: whether it knows how likely each of its tokens is PHI: a CRF of tokens does.
        opened: shared by all taggers of the same model.
    """

    def __init__(
        self,
        bundle: Bundle,
        key: str = "token",
        *,
        biases: Mapping[str, float] | None = None,
        labels_as: str = "native",
    ) -> None:
        """Opens a model of a bundle.

        Args:
            bundle: shared and never changed.
            key: of the tagger, one that the bundle's recipe has: see `Recipe.keys`.
            biases: own label or "O" -> bias, in place of the bundle's; rounded to the grid.
            labels_as: "native" maps labels by the bundle's label map and drops candidates whose
                label has no native one; "own" keeps the labels of the training corpus.

        Raises:
            BundleError: if the bundle has no such tagger, labels cannot be mapped, or a bias is for
                a label that the bundle lacks.
        """
        recipes = bundle.recipe.tagger_of
        if key not in recipes:
            raise BundleError(f"bundle {bundle.name} has no {key} tagger; it has {list(recipes)}")
        self.recipe = recipe = recipes[key]
        self.name = detector_of(recipe, bundle.name)
        self._names = output_names(bundle, labels_as)
        self.labels = tuple(sorted({name for name in self._names.values() if name is not None}))
        self._biases = dict(bundle.biases if biases is None else biases)
        if unknown := sorted(self._biases.keys() - {*bundle.labels, OUTSIDE}):
            raise BundleError(f"a bias is set for {unknown}, but the model has no such labels")
        for bias in self._biases.values():
            snap_bias(bias)
        self.opened = _opened(bundle, key)
        self.tells_risks = recipe.learner.family == "crf" and recipe.kind == "token"
        self._temperature = bundle.temperature_of(recipe)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a Tagger cannot be pickled: send the bundle's name and open it in the worker"
        )

    def featurize(
        self,
        texts: Sequence[str | None],
        tokens: Tokens,
        tags: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> Featurized:
        """The attribute rows of a batch.

        Args:
            texts: a text of None has no items.
            tokens: of the batch.
            tags: columns of the auxiliary taggers that the recipe needs.
        """
        return self.opened.featurize(texts, tokens, tags)

    def label(self, features: Featurized) -> Candidates:
        """The candidates of all documents of a batch."""
        return Candidates.of(self._candidates(features))

    def label_documents(
        self, features: Featurized, tagged: Tagged | None = None
    ) -> list[list[Candidate]]:
        """The candidates of each document of a batch, in order; `tagged` if it is known."""
        found: list[list[Candidate]] = [[] for _ in range(len(features.document_offsets) - 1)]
        for document, candidate in self._candidates(features, tagged):
            found[document].append(candidate)
        for own in found:
            own.sort()
        return found

    def label_document(
        self, features: Featurized, document: int, tagged: Tagged | None = None
    ) -> list[Candidate]:
        """The candidates of one document of a batch, in order; `tagged` if it alone is known."""
        return sorted(c for _, c in self._candidates(features.of_document(document), tagged))

    def tag(self, features: Featurized, *, at_risk: bool = False) -> Tagged:
        """The tag of each item of a batch, in the labels of the training corpus.

        Args:
            features: of the batch.
            at_risk: whether to compute risks, if the tagger tells them.
        """
        decoder = self.opened.decoder
        ready = decoder.ready(features)
        if at_risk and self.tells_risks:
            found = decoder.decode_risks(ready, self._biases, temperature=self._temperature)
            return Tagged(decoder.tags, *found)
        return Tagged(decoder.tags, *decoder.decode(ready, self._biases))

    def _candidates(
        self, features: Featurized, tagged: Tagged | None = None
    ) -> list[tuple[int, Candidate]]:
        tagged = self.tag(features) if tagged is None else tagged
        return [
            (document, Candidate(start, end, name, self.name, round(score, SCORE_DIGITS)))
            for document, found in enumerate(tagged.spans(features))
            for start, end, label, score in found
            if (name := self._names[label]) is not None
        ]


def detector_of(recipe: TaggerRecipe, bundle: str) -> str:
    """The name of the detector that a tagger of a bundle is."""
    return str(DetectorId.of_tagger(recipe.learner.family, recipe.kind, bundle))


@dataclasses.dataclass(frozen=True, slots=True)
class _SharedTagger:
    """What taggers of one bundle share, independent of biases.

    Attributes:
        decoder: of the model.
        featurize: turns texts, tokens and columns of tags into what the decoder takes.
        index: of the attributes of all taggers of its pass, whose ids the decoder takes; None if
            the tagger has features of its own.
    """

    decoder: Decoder
    featurize: Callable[[Sequence[str | None], Tokens, Mapping[str, Sequence[str]]], Featurized]
    index: AttributeIndex | None = None


def featurize_together(
    taggers: Sequence[Tagger],
    texts: Sequence[str | None],
    tokens: Tokens,
    tags: Mapping[str, Sequence[str]],
) -> tuple[Featurized, ...]:
    """`Tagger.featurize` of each; what taggers of one pass see alike is looked for once."""
    index = taggers[0].opened.index
    if index is None or any(tagger.opened.index is not index for tagger in taggers):
        return tuple(tagger.featurize(texts, tokens, tags) for tagger in taggers)
    return (index.featurize(texts, tokens, tags),) * len(taggers)


@functools.lru_cache(maxsize=32)
def _opened(bundle: Bundle, key: str) -> _SharedTagger:
    """A bundle is opened once per process, so its identity serves as the key."""
    recipe = bundle.recipe.tagger_of[key]
    family = FAMILIES[recipe.learner.family]
    native = extension()
    if native is not None and (opened := _opened_in_pass(bundle, key, family, native)) is not None:
        return opened
    if native is not None and (opened := _opened_natively(bundle, key, family, native)) is not None:
        return opened
    clusters = cluster_tables(bundle.auxiliary)
    gazetteers = {
        name: gazetteer_from_phrases(one.phrases, recipe.layer, one.weights)
        for name, one in _lists(bundle, recipe.features).items()
    }

    def by_strings(
        texts: Sequence[str | None], tokens: Tokens, tags: Mapping[str, Sequence[str]]
    ) -> Featurized:
        return featurize(texts, tokens, recipe, gazetteers, tags, clusters=clusters)

    return _SharedTagger(family.open_decoder(bundle.models[key]), by_strings)


def _lists(bundle: Bundle, features: Sequence[Feature]) -> dict[str, Dictionary]:
    return {name: bundle.dictionaries[name] for name in sorted(needs_of(features, "gazetteer"))}


def _opened_in_pass(
    bundle: Bundle, key: str, family: Family, native: ModuleType
) -> _SharedTagger | None:
    """Opens the tagger with those beside it; None if it shares no features with them."""
    (beside,) = (keys for keys in bundle.recipe.keys_of_passes if key in keys)
    together = _opened_together(bundle, beside, native)
    if together is None:
        return None
    index, attributes = together
    decoder = family.open_arrays(family.arrays(bundle.models[key], attributes))
    return _SharedTagger(decoder, index.featurize, index)


@functools.lru_cache(maxsize=8)
def _opened_together(
    bundle: Bundle, keys: tuple[str, ...], native: ModuleType
) -> tuple[AttributeIndex, tuple[str, ...]] | None:
    """The index of the attributes of all models of a pass, and these in the order of their ids."""
    shared = SharedFeatures.of([bundle.recipe.tagger_of[key] for key in keys])
    if shared is None:
        return None
    attributes = tuple(
        dict.fromkeys(name for key in keys for name in bundle.models[key].attributes)
    )
    lists = _lists(bundle, shared.features)
    weighed = {name: (one.phrases, one.weights) for name, one in lists.items()}
    try:
        index = AttributeIndex(
            shared,
            attributes,
            native,
            phrases=PhraseIndex(weighed, shared.layer, native),
            clusters=cluster_tables(bundle.auxiliary),
        )
    except UsageError:
        return None
    return index, attributes


def _opened_natively(
    bundle: Bundle, key: str, family: Family, native: ModuleType
) -> _SharedTagger | None:
    """Opens the tagger with the extension, from the cache if possible; None if it cannot be."""
    recipe = bundle.recipe.tagger_of[key]
    name = tagger_cache.name_of(bundle.hash, key)
    if (found := tagger_cache.read(name)) is not None:
        try:
            arrays, index_arrays = found
            index = AttributeIndex.opened(recipe, IndexArrays(*index_arrays), native)
            decoder = family.open_arrays(arrays)
            # They are the last reference to the mapped file.
            index.forget_arrays()
            return _weighed(decoder, index)
        except (BundleError, TypeError, ValueError):
            # Its checksum agrees but its content is not valid: compile again.
            logging.getLogger(__name__).warning("ignoring an invalid compiled tagger in the cache")
    model = bundle.models[key]
    weighed = {
        name: (one.phrases, one.weights) for name, one in _lists(bundle, recipe.features).items()
    }
    phrases = PhraseIndex(weighed, recipe.layer, native)
    clusters = cluster_tables(bundle.auxiliary)
    try:
        index = AttributeIndex(recipe, model.attributes, native, phrases=phrases, clusters=clusters)
    except UsageError as error:
        logging.getLogger(__name__).warning(
            "bundle %s: %s; falling back to string attributes, which is several times slower",
            bundle.name,
            error,
        )
        return None
    arrays = family.arrays(model)
    if (layout := index.arrays) is not None:
        fields = tuple(getattr(layout, field.name) for field in dataclasses.fields(layout))
        tagger_cache.write(name, (arrays, fields))
        index.forget_arrays()
    decoder = family.open_arrays(arrays)
    if isinstance(bundle.models, PackedModels):
        # The extension has copied all that it needs.
        bundle.models.forget()
    return _weighed(decoder, index)


def _weighed(decoder: Decoder, index: AttributeIndex) -> _SharedTagger:
    """A tagger with an index of its own, which adds up what the decoder's model makes of it."""
    if decoder.weights is not None:
        index.weigh(decoder.weights)
    return _SharedTagger(decoder, index.featurize)


def output_names(bundle: Bundle, labels_as: str) -> dict[str, str | None]:
    """Own label -> label of the candidates, or None to drop them."""
    if labels_as not in ("native", "own"):
        raise BundleError(f"labels_as must be 'native' or 'own', not {labels_as!r}")
    if labels_as == "own":
        return {label: label for label in bundle.labels}
    if bundle.label_map is not None:
        return {label: bundle.label_map[label] for label in bundle.labels}
    if foreign := sorted(set(bundle.labels) - set(LABELS)):
        raise BundleError(
            f"bundle {bundle.name}: labels {foreign} are not native and there is no label map; "
            "open it with its own labels"
        )
    return {label: label for label in bundle.labels}
