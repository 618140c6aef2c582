"""`TaggerRecipe`: what one tagger sees, how it learns, and what it tells apart."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..core.detectors import DetectorId
from ..core.errors import BundleError, UsageError
from ..crf.codec import SCHEMES
from ..features import Feature, feature_from_json, feature_to_json
from ..features.base import require_int, require_one_of
from ..features.declaration import needs_of
from ..features.items import SEGMENTATIONS, SEQUENCES
from ..learners import Learner, Sampling
from ..trees.declaration import (
    CodedFeatures,
    TreesDeclaration,
    declaration_from_json,
    declaration_to_json,
)
from .reading import list_of, names_of, object_of, typed

CLASSES = ("typed", "two")
"""What a tagger tells apart: the labels of the corpus, or PHI and all else."""

KINDS = ("token", "character")
"""The kinds of tagger, in the order in which a recipe has them."""

_MOST_FEATURES = 2_000
_MOST_ITEMS = 1_000_000


@dataclasses.dataclass(frozen=True, slots=True)
class TaggerRecipe:
    """The features, labels and learner of one tagger.

    Attributes:
        layer: the segmentation into items: a key of `models.text.segmentations.SEGMENTATIONS`. The
            name is older than that term, and stays: it is a key of `recipe.json` in every bundle.
        sequence: what the tagger labels as one sequence: a "line", a "sentence" or a "document".
        features: in the order in which attributes are rendered.
        scheme: one of `SCHEMES`.
        learner: algorithm and parameters.
        sampling: which items the learner trains on.
        max_sequence: most items in a sequence; longer ones are cut.
        classes: what it tells apart: "typed" for the labels of the corpus, "two" for PHI or not;
            then its label is `labels.UNKNOWN_KIND`.
        coding: how trees see the features, and how many items before; None for other learners. Its
            features are `features`.

    Raises:
        UsageError: if a value is not allowed, a feature occurs twice, two properties would share a
            key, or the learner does not train taggers of such items.
    """

    layer: str
    sequence: str
    features: tuple[Feature, ...]
    scheme: str
    learner: Learner
    sampling: Sampling = Sampling()
    max_sequence: int = 5_000
    classes: str = "typed"
    coding: TreesDeclaration | None = None

    def __post_init__(self) -> None:
        require_one_of("recipe", "layer", self.layer, SEGMENTATIONS)
        require_one_of("recipe", "sequence", self.sequence, SEQUENCES)
        require_one_of("recipe", "scheme", self.scheme, SCHEMES)
        require_one_of("recipe", "classes", self.classes, CLASSES)
        require_int("recipe", "max_sequence", self.max_sequence, 1, _MOST_ITEMS)
        if not 1 <= len(self.features) <= _MOST_FEATURES:
            raise UsageError(f"recipe: expected 1 to {_MOST_FEATURES} features")
        seen: set[frozenset[tuple[object, int]]] = set()
        for feature in self.features:
            if (parts := frozenset(feature.parts)) in seen:
                raise UsageError(f"recipe: feature {feature.template} is declared twice")
            seen.add(parts)
        properties = {part for feature in self.features for part, _ in feature.parts}
        keys = sorted(part.key for part in properties)
        if shared := sorted(
            {key for key, after in zip(keys, keys[1:], strict=False) if key == after}
        ):
            raise UsageError(
                f"recipe: different properties share the key {', '.join(shared)}; "
                "put all values into one property"
            )
        self._check_learner()

    def _check_learner(self) -> None:
        """Refuses what the learner cannot do.

        Raises:
            UsageError: see the class.
        """
        owner = f"recipe: {self.learner.algorithm}"
        if self.kind not in DetectorId.items_of(self.learner.family):
            raise UsageError(f"{owner} trains no {self.kind} taggers")
        if self.coding is None and self.learner.family == "trees":
            raise UsageError(f"{owner} needs features made for it, as recipe szeged has them")
        if self.coding is not None and self.learner.family != "trees":
            raise UsageError(
                f"{owner} cannot learn this recipe, whose features are made for boosted-trees"
                " (leave out --fast and --algorithm)"
            )
        if self.coding is not None:
            if self.features != self.coding.features:
                raise UsageError(f"{owner}: features must be those of the coding, in its order")
            if self.sampling.method != "all":
                raise UsageError(
                    f"{owner} learns from all items: it sees the classes of those before; "
                    "leave the sampling out"
                )

    @property
    def kind(self) -> str:
        """One of `KINDS`."""
        return "character" if self.layer == "character" else "token"

    def needs(self, kind: str) -> frozenset[str]:
        """Names of the resources of a kind ("gazetteer", "cluster", "tag") that features need."""
        return needs_of(self.features, kind)

    def without(self, auxiliary: Iterable[str]) -> TaggerRecipe:
        """The tagger without the features that need any of these auxiliary models."""
        left_out = set(auxiliary)
        return self.with_features(
            lambda features: tuple(
                feature
                for feature in features
                if not any(
                    sort != "gazetteer" and name in left_out
                    for part, _ in feature.parts
                    for sort, name in part.needs
                )
            )
        )

    def with_features(
        self, changed: Callable[[tuple[Feature, ...]], tuple[Feature, ...]]
    ) -> TaggerRecipe:
        """The tagger with other features: of each group of a coding, which may lose all."""
        if self.coding is None:
            return dataclasses.replace(self, features=changed(self.features))
        groups = [(group, changed(group.features)) for group in self.coding.groups]
        coding = TreesDeclaration(
            tuple(CodedFeatures(kept, group.coding) for group, kept in groups if kept),
            self.coding.history,
        )
        return dataclasses.replace(self, features=coding.features, coding=coding)


@dataclasses.dataclass(frozen=True, slots=True)
class SharedFeatures:
    """All features of taggers that label the same items; the attributes are those of `FeatureSet`.

    Attributes:
        kind, layer, sequence, max_sequence: of each tagger.
        features: of all, each once.
    """

    kind: str
    layer: str
    sequence: str
    max_sequence: int
    features: tuple[Feature, ...]

    @classmethod
    def of(cls, taggers: Sequence[TaggerRecipe]) -> SharedFeatures | None:
        """Those of the taggers of one pass; None unless all have a coding, which picks its own."""
        if len(taggers) < 2 or any(tagger.coding is None for tagger in taggers):
            return None
        every = dict.fromkeys(feature for tagger in taggers for feature in tagger.features)
        one = taggers[0]
        return cls(one.kind, one.layer, one.sequence, one.max_sequence, tuple(every))


def tagger_to_json(tagger: TaggerRecipe) -> dict[str, object]:
    """The tagger as JSON values; equal ones give equal values."""
    return {
        "layer": tagger.layer,
        "sequence": tagger.sequence,
        "features": [feature_to_json(feature) for feature in tagger.features],
        "scheme": tagger.scheme,
        "learner": {
            "algorithm": tagger.learner.algorithm,
            "parameters": dict(tagger.learner.parameters),
        },
        "sampling": dataclasses.asdict(tagger.sampling),
        "max_sequence": tagger.max_sequence,
        **({"classes": tagger.classes} if tagger.classes != "typed" else {}),
        **({"coding": declaration_to_json(tagger.coding)} if tagger.coding else {}),
    }


def tagger_from_json(data: object) -> TaggerRecipe:
    """Reads what `tagger_to_json` returns.

    Raises:
        BundleError: if it is anything else.
        UsageError: if a value is not allowed.
    """
    absent = {"classes": "typed", "coding": None}
    values = object_of("tagger", data, names_of(TaggerRecipe), absent)
    learner = object_of("learner", values["learner"], ("algorithm", "parameters"))
    parameters = learner["parameters"]
    if not isinstance(parameters, Mapping) or not all(isinstance(n, str) for n in parameters):
        raise BundleError("learner: parameters must be an object")
    if not all(isinstance(value, int | float | str) for value in parameters.values()):
        raise BundleError("learner: a parameter must be a number or a string")
    algorithm = typed("learner", "algorithm", learner["algorithm"], str)
    sampling = object_of("sampling", values["sampling"], names_of(Sampling))
    return TaggerRecipe(
        layer=typed("tagger", "layer", values["layer"], str),
        sequence=typed("tagger", "sequence", values["sequence"], str),
        features=tuple(
            feature_from_json(one) for one in list_of("tagger", "features", values, _MOST_FEATURES)
        ),
        scheme=typed("tagger", "scheme", values["scheme"], str),
        learner=Learner(algorithm, tuple(sorted(parameters.items()))),
        sampling=Sampling(
            method=typed("sampling", "method", sampling["method"], str),
            keep=typed("sampling", "keep", sampling["keep"], int, float),
            history=typed("sampling", "history", sampling["history"], int),
            window=typed("sampling", "window", sampling["window"], int),
        ),
        max_sequence=typed("tagger", "max_sequence", values["max_sequence"], int),
        classes=typed("tagger", "classes", values["classes"], str),
        coding=None if values["coding"] is None else declaration_from_json(values["coding"]),
    )
