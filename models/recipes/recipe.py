"""`Recipe`: everything that defines a detector before it is trained on a corpus."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from ..core.detectors import DetectorId
from ..core.errors import BundleError, UsageError
from ..core.labels import LABELS
from ..crf.codec import SCHEMES
from ..features import Feature, feature_from_json, feature_to_json
from ..features.base import require_int, require_name, require_one_of
from ..features.declaration import needs_of
from ..features.items import SEGMENTATIONS, SEQUENCES
from ..learners import ALGORITHMS, Learner, Parameter, Sampling
from ..redaction.merging import ORDERS
from .propagation import Propagation

__all__ = [
    "ALGORITHMS",
    "SCHEMES",
    "VOTES",
    "Extension",
    "Learner",
    "Parameter",
    "Propagation",
    "Recipe",
    "Sampling",
    "TaggerRecipe",
]

CLASSES = ("typed", "two")
"""What a tagger tells apart: the labels of the corpus, or PHI and all else."""

KINDS = ("token", "character")
"""The kinds of tagger, in the order in which a recipe has them."""

VOTES = ("any", "both", "majority")
"""How the taggers of a recipe become one; see `Recipe.vote`."""

_MOST_PASSES = 4
_MOST_TAGGERS = 12

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

    def __post_init__(self) -> None:
        require_one_of("recipe", "layer", self.layer, SEGMENTATIONS)
        require_one_of("recipe", "sequence", self.sequence, SEQUENCES)
        require_one_of("recipe", "scheme", self.scheme, SCHEMES)
        require_one_of("recipe", "classes", self.classes, CLASSES)
        require_int("recipe", "max_sequence", self.max_sequence, 1, _MOST_ITEMS)
        if self.kind not in DetectorId.items_of(self.learner.family):
            raise UsageError(f"recipe: {self.learner.algorithm} trains no {self.kind} taggers")
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
        kept = tuple(
            feature
            for feature in self.features
            if not any(
                sort != "gazetteer" and name in left_out
                for part, _ in feature.parts
                for sort, name in part.needs
            )
        )
        return dataclasses.replace(self, features=kept)


@dataclasses.dataclass(frozen=True, slots=True)
class Extension:
    """A gazetteer of single tokens that training makes from dictionaries and gold spans.

    Source: He et al. 2015, §2.2. Each fold of a cross-validation has its own, without the documents
    that are held out.

    Attributes:
        name: of the gazetteer, as features name it.
        lists: names of the dictionaries whose tokens it takes.
        labels: native labels of the training spans whose tokens it takes.

    Raises:
        UsageError: if a name is not valid, or a label is not native.
    """

    name: str
    lists: tuple[str, ...]
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        require_name("extension", "name", self.name)
        for name in self.lists:
            require_name("extension", "lists", name)
        for label in self.labels:
            require_one_of("extension", "labels", label, LABELS)


@dataclasses.dataclass(frozen=True, slots=True)
class Recipe:
    """Taggers, the resources that they need, and what happens to their candidates.

    Attributes:
        name: of the recipe.
        taggers: without `passes`, at most one of each of `KINDS`, in that order.
        extensions: gazetteers that training makes; some feature uses each of them.
        vote: "any": whatever either tagger finds is a candidate; "both": only what the token tagger
            and the character tagger find alike (Liu et al. 2015, §5); "majority", with `passes`:
            the tag of an item on which more than half of the taggers of a pass agree, else O
            (Szarvas et al. 2006).
        passes: how many of the taggers each pass has, in order; () for one pass without a majority.
            All label the same items; a later pass sees what the one before found.
        order: in which detectors are believed: a key of `merging.ORDERS`.
        rules: names of the recognisers that belong to the recipe.
        propagation: what is propagated within a document; None for nothing.
        seed: of all randomness in training.

    Raises:
        UsageError: if a value is not allowed, or an extension is not used.
    """

    name: str
    taggers: tuple[TaggerRecipe, ...]
    extensions: tuple[Extension, ...] = ()
    vote: str = "any"
    rules: tuple[str, ...] = ()
    propagation: Propagation | None = None
    seed: int = 0
    passes: tuple[int, ...] = ()
    order: str = "standard"

    def __post_init__(self) -> None:
        owner = "recipe"
        require_name(owner, "name", self.name)
        owner = f"recipe {self.name}"
        require_one_of(owner, "vote", self.vote, VOTES)
        require_one_of(owner, "order", self.order, ORDERS)
        if self.passes:
            self._check_passes(owner)
        else:
            kinds = tuple(tagger.kind for tagger in self.taggers)
            if not kinds or kinds != tuple(kind for kind in KINDS if kind in kinds):
                raise UsageError(f"{owner}: taggers must be one or two of {', '.join(KINDS)}")
            if self.vote == "majority" or (self.vote == "both" and len(kinds) < 2):
                raise UsageError(f"{owner}: a vote needs two taggers, a majority passes")
        if len({tagger.classes for tagger in self.taggers}) > 1:
            raise UsageError(f"{owner}: all taggers must tell the same classes apart")
        require_int(owner, "seed", self.seed, 0, 2**31 - 1)
        for name in self.rules:
            require_name(owner, "rules", name)
        names = [extension.name for extension in self.extensions]
        if names != sorted(set(names) & set(self.dictionaries)):
            raise UsageError(
                f"{owner}: extensions must be sorted by name, unique, and used by a feature"
            )

    def _check_passes(self, owner: str) -> None:
        """Refuses passes that do not fit the taggers.

        Raises:
            UsageError: see the class.
        """
        if len(self.passes) > _MOST_PASSES or min(self.passes) < 1:
            raise UsageError(f"{owner}: expected 1 to {_MOST_PASSES} passes of taggers")
        if sum(self.passes) != len(self.taggers) or len(self.taggers) > _MOST_TAGGERS:
            raise UsageError(f"{owner}: its passes do not have as many taggers as it has")
        if len({(t.layer, t.sequence, t.scheme, t.max_sequence) for t in self.taggers}) > 1:
            raise UsageError(f"{owner}: all taggers of its passes must label the same items")
        if self.vote != "majority":
            raise UsageError(f"{owner}: passes vote by majority")

    @property
    def keys(self) -> tuple[str, ...]:
        """What each tagger goes by in a bundle: its kind, or pass and place ("2-1"), from 1."""
        if not self.passes:
            return tuple(tagger.kind for tagger in self.taggers)
        return tuple(
            f"{number}-{place}"
            for number, count in enumerate(self.passes, 1)
            for place in range(1, count + 1)
        )

    @property
    def tagger_of(self) -> dict[str, TaggerRecipe]:
        """Key -> tagger, in order."""
        return dict(zip(self.keys, self.taggers, strict=True))

    @classmethod
    def single(cls, *, name: str, seed: int = 0, **tagger: Any) -> Recipe:
        """A recipe of one tagger; the other arguments are those of `TaggerRecipe`."""
        return cls(name=name, taggers=(TaggerRecipe(**tagger),), seed=seed)

    @property
    def classes(self) -> str:
        """One of `CLASSES`: that of all taggers."""
        return self.taggers[0].classes

    @property
    def dictionaries(self) -> tuple[str, ...]:
        """Names of the gazetteers that features use, sorted."""
        return _sorted_names(tagger.needs("gazetteer") for tagger in self.taggers)

    @property
    def lists(self) -> tuple[str, ...]:
        """Names of the dictionaries that training needs, sorted."""
        made = {extension.name for extension in self.extensions}
        sources = [extension.lists for extension in self.extensions]
        return _sorted_names([set(self.dictionaries) - made, *sources])

    @property
    def auxiliary(self) -> tuple[str, ...]:
        """Names of the auxiliary models that features need, sorted."""
        return _sorted_names(
            tagger.needs(kind) for tagger in self.taggers for kind in ("cluster", "tag")
        )

    def without(self, auxiliary: Iterable[str]) -> Recipe:
        """The recipe without the features that need any of these auxiliary models.

        Raises:
            UsageError: if no feature needs one of them.
        """
        left_out = set(auxiliary)
        if unknown := sorted(left_out - set(self.auxiliary)):
            raise UsageError(
                f"recipe {self.name} does not need the auxiliary model {', '.join(unknown)}; "
                f"it needs: {', '.join(self.auxiliary) or 'none'}"
            )
        return dataclasses.replace(
            self, taggers=tuple(tagger.without(left_out) for tagger in self.taggers)
        )

    def as_json(self) -> dict[str, object]:
        """The recipe as JSON values; equal recipes give equal values."""
        return {
            "name": self.name,
            "taggers": [_tagger_to_json(tagger) for tagger in self.taggers],
            "extensions": [_listed(dataclasses.asdict(extension)) for extension in self.extensions],
            "vote": self.vote,
            "rules": list(self.rules),
            "propagation": _listed(dataclasses.asdict(self.propagation))
            if self.propagation
            else None,
            "seed": self.seed,
            **({"passes": list(self.passes)} if self.passes else {}),
            **({"order": self.order} if self.order != "standard" else {}),
        }

    @classmethod
    def from_json(cls, data: object) -> Recipe:
        """Reads what `as_json` returns.

        Raises:
            BundleError: if a key is unknown or missing, or a value has the wrong type or is not
                allowed.
        """
        # Recipes of one pass, and of the standard order, are written without saying so.
        values = _object("recipe", data, _names_of(cls), {"passes": [], "order": "standard"})
        try:
            return cls(
                name=_typed("recipe", "name", values["name"], str),
                taggers=tuple(
                    _tagger_from_json(one)
                    for one in _list("recipe", "taggers", values, _MOST_TAGGERS)
                ),
                extensions=tuple(
                    _extension_from_json(one) for one in _list("recipe", "extensions", values, 100)
                ),
                vote=_typed("recipe", "vote", values["vote"], str),
                rules=_words("recipe", "rules", values["rules"]),
                seed=_typed("recipe", "seed", values["seed"], int),
                passes=tuple(
                    _typed("recipe", "passes", one, int)
                    for one in _list("recipe", "passes", values, _MOST_PASSES)
                ),
                order=_typed("recipe", "order", values["order"], str),
                propagation=None
                if values["propagation"] is None
                else _propagation_from_json(values["propagation"]),
            )
        except BundleError:
            raise
        except UsageError as error:
            raise BundleError(str(error)) from None


def _sorted_names(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(sorted({name for group in groups for name in group}))


# JSON


def _tagger_to_json(tagger: TaggerRecipe) -> dict[str, object]:
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
    }


def _tagger_from_json(data: object) -> TaggerRecipe:
    values = _object("tagger", data, _names_of(TaggerRecipe), {"classes": "typed"})
    learner = _object("learner", values["learner"], ("algorithm", "parameters"))
    parameters = learner["parameters"]
    if not isinstance(parameters, Mapping) or not all(isinstance(n, str) for n in parameters):
        raise BundleError("learner: parameters must be an object")
    if not all(isinstance(value, int | float | str) for value in parameters.values()):
        raise BundleError("learner: a parameter must be a number or a string")
    algorithm = _typed("learner", "algorithm", learner["algorithm"], str)
    sampling = _object("sampling", values["sampling"], _names_of(Sampling))
    return TaggerRecipe(
        layer=_typed("tagger", "layer", values["layer"], str),
        sequence=_typed("tagger", "sequence", values["sequence"], str),
        features=tuple(
            feature_from_json(one) for one in _list("tagger", "features", values, _MOST_FEATURES)
        ),
        scheme=_typed("tagger", "scheme", values["scheme"], str),
        learner=Learner(algorithm, tuple(sorted(parameters.items()))),
        sampling=Sampling(
            method=_typed("sampling", "method", sampling["method"], str),
            keep=_typed("sampling", "keep", sampling["keep"], int, float),
            history=_typed("sampling", "history", sampling["history"], int),
            window=_typed("sampling", "window", sampling["window"], int),
        ),
        max_sequence=_typed("tagger", "max_sequence", values["max_sequence"], int),
        classes=_typed("tagger", "classes", values["classes"], str),
    )


def _extension_from_json(data: object) -> Extension:
    values = _object("extension", data, _names_of(Extension))
    return Extension(
        name=_typed("extension", "name", values["name"], str),
        lists=_words("extension", "lists", values["lists"]),
        labels=_words("extension", "labels", values["labels"]),
    )


def _propagation_from_json(data: object) -> Propagation:
    values = _object("propagation", data, _names_of(Propagation))
    return Propagation(
        labels=_words("propagation", "labels", values["labels"]),
        names=_words("propagation", "names", values["names"]),
        shortest=_typed("propagation", "shortest", values["shortest"], int),
        share=_typed("propagation", "share", values["share"], int, float),
    )


def _listed(values: Mapping[str, object]) -> dict[str, object]:
    return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}


def _names_of(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


def _object(
    owner: str,
    data: object,
    keys: tuple[str, ...],
    optional: Mapping[str, object] = MappingProxyType({}),
) -> dict[str, object]:
    """The mapping, if its keys are those expected, with the values of absent `optional` ones."""
    if not isinstance(data, Mapping):
        raise BundleError(f"{owner}: expected an object")
    if unknown := [key for key in data if key not in keys]:
        shown = sorted(repr(k[:64]) if isinstance(k, str) else type(k).__name__ for k in unknown)
        raise BundleError(f"{owner}: unknown keys {', '.join(shown)}; known: {', '.join(keys)}")
    if missing := [key for key in keys if key not in data and key not in optional]:
        raise BundleError(f"{owner}: keys {', '.join(missing)} are missing")
    return {**optional, **data}


_TYPE_NAMES: Mapping[type, str] = {str: "a string", int: "a whole number", float: "a number"}


def _typed(owner: str, name: str, value: Any, *kinds: Callable[..., Any]) -> Any:
    """The value, if it has one of the types; true and false are not numbers."""
    if type(value) not in kinds:
        raise BundleError(f"{owner}: {name} must be {_TYPE_NAMES[kinds[-1]]}")  # type: ignore[index]
    return value


def _list(owner: str, name: str, values: Mapping[str, object], most: int) -> list[object]:
    value = values[name]
    if not isinstance(value, list) or len(value) > most:
        raise BundleError(f"{owner}: {name} must be a list of at most {most}")
    return value


def _words(owner: str, name: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise BundleError(f"{owner}: {name} must be a list of strings")
    return tuple(value)
