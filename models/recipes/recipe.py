"""`Recipe`: all that decides what a tagger is, before it is trained on a corpus."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping
from typing import cast

from ..errors import BundleError, UsageError
from ..features import Feature, Gazetteer, feature_from_json, feature_to_json
from ..features.base import require_int, require_name, require_one_of
from ..features.items import LAYERS, SEQUENCES

SCHEMES = ("BIO", "BIOES")

Parameter = int | float | str

_COMMON = (
    "feature.minfreq",
    "feature.possible_states",
    "feature.possible_transitions",
    "max_iterations",
)

ALGORITHMS: dict[str, tuple[str, ...]] = {
    "lbfgs": (
        *_COMMON,
        "c1",
        "c2",
        "num_memories",
        "epsilon",
        "period",
        "delta",
        "linesearch",
        "max_linesearch",
    ),
    "averaged-perceptron": (*_COMMON, "epsilon"),
}
"""Learning algorithm -> the parameters that CRFsuite takes for it."""

_MOST_FEATURES = 2_000
_MOST_ITEMS = 1_000_000


@dataclasses.dataclass(frozen=True, slots=True)
class Learner:
    """How the weights are learned.

    Attributes:
        algorithm: key of `ALGORITHMS`.
        parameters: (name, value) pairs, sorted by name; what is not there has CRFsuite's default.

    Raises:
        UsageError: if the algorithm or a parameter is unknown, or a value is no finite number or
            word.
    """

    algorithm: str
    parameters: tuple[tuple[str, Parameter], ...] = ()

    def __post_init__(self) -> None:
        require_one_of("learner", "algorithm", self.algorithm, ALGORITHMS)
        names = [name for name, _ in self.parameters]
        for name, value in self.parameters:
            require_one_of(
                f"learner {self.algorithm}", "parameter", name, ALGORITHMS[self.algorithm]
            )
            if name == "linesearch":
                allowed = ("MoreThuente", "Backtracking", "StrongBacktracking")
                require_one_of("learner", name, str(value), allowed)
            elif isinstance(value, bool | str) or not 0 <= value < math.inf:
                raise UsageError(f"learner: {name} must be a finite number, 0 or more")
        if names != sorted(set(names)):
            raise UsageError("learner: parameters must be sorted by name, each once")

    @classmethod
    def of(cls, algorithm: str, **parameters: Parameter) -> Learner:
        """A learner with parameters by name; `feature_minfreq` stands for `feature.minfreq`."""
        named = {n.replace("feature_", "feature."): v for n, v in parameters.items()}
        return cls(algorithm, tuple(sorted(named.items())))


@dataclasses.dataclass(frozen=True, slots=True)
class Recipe:
    """What a tagger sees, how it labels and how it is learned.

    Attributes:
        name: of the recipe, also of the tagger.
        layer: what an item is: a "fine" token, a "coarse" token or a "character".
        sequence: what is labelled as one: a "line", a "sentence" or a "document".
        features: in the order in which attributes are rendered.
        scheme: "BIO" or "BIOES".
        learner: algorithm and parameters.
        dictionaries: names of the gazetteers and cluster tables that the features need, sorted.
        max_sequence: most items of a sequence; what is longer is cut.
        seed: of all that is random in training.

    Raises:
        UsageError: if a value is not allowed, a feature occurs twice, two properties would share a
            key, or `dictionaries` are not those that the features name.
    """

    name: str
    layer: str
    sequence: str
    features: tuple[Feature, ...]
    scheme: str
    learner: Learner
    dictionaries: tuple[str, ...] = ()
    max_sequence: int = 5_000
    seed: int = 0

    def __post_init__(self) -> None:
        require_name("recipe", "name", self.name)
        owner = f"recipe {self.name}"
        require_one_of(owner, "layer", self.layer, LAYERS)
        require_one_of(owner, "sequence", self.sequence, SEQUENCES)
        require_one_of(owner, "scheme", self.scheme, SCHEMES)
        require_int(owner, "max_sequence", self.max_sequence, 1, _MOST_ITEMS)
        require_int(owner, "seed", self.seed, 0, 2**31 - 1)
        if not 1 <= len(self.features) <= _MOST_FEATURES:
            raise UsageError(f"{owner}: features must be 1 to {_MOST_FEATURES}")
        seen: set[frozenset[tuple[object, int]]] = set()
        for feature in self.features:
            if (parts := frozenset(feature.parts)) in seen:
                raise UsageError(f"{owner}: feature {feature.template} is declared twice")
            seen.add(parts)
        properties = {part for feature in self.features for part, _ in feature.parts}
        keys = sorted(part.key for part in properties)
        if shared := sorted(
            {key for key, after in zip(keys, keys[1:], strict=False) if key == after}
        ):
            raise UsageError(
                f"{owner}: different properties are both called {', '.join(shared)};"
                " give one property all the values"
            )
        needed = sorted({p.needs[1] for p in properties if p.needs and p.needs[0] != "tag"})
        if list(self.dictionaries) != needed:
            raise UsageError(
                f"{owner}: dictionaries must be those the features name, sorted: {needed}"
            )

    @property
    def tags(self) -> tuple[str, ...]:
        """Names of the tag columns that the features need, sorted."""
        needs = {part.needs for feature in self.features for part, _ in feature.parts}
        return tuple(sorted(need[1] for need in needs if need and need[0] == "tag"))

    def as_json(self) -> dict[str, object]:
        """The recipe as JSON values; equal recipes give equal values."""
        return {
            "name": self.name,
            "layer": self.layer,
            "sequence": self.sequence,
            "features": [feature_to_json(feature) for feature in self.features],
            "scheme": self.scheme,
            "learner": {
                "algorithm": self.learner.algorithm,
                "parameters": dict(self.learner.parameters),
            },
            "dictionaries": list(self.dictionaries),
            "max_sequence": self.max_sequence,
            "seed": self.seed,
        }

    @classmethod
    def from_json(cls, data: object) -> Recipe:
        """The recipe that `as_json` wrote.

        Raises:
            BundleError: if a key is unknown or missing, or a value is of a wrong type or not
                allowed.
        """
        values = _object("recipe", data, tuple(field.name for field in dataclasses.fields(cls)))
        learner = _object("learner", values["learner"], ("algorithm", "parameters"))
        parameters = learner["parameters"]
        if not isinstance(parameters, Mapping) or not all(isinstance(n, str) for n in parameters):
            raise BundleError("learner: parameters must be an object")
        if not all(isinstance(value, int | float | str) for value in parameters.values()):
            raise BundleError("learner: a parameter must be a number or a word")
        for name in ("name", "layer", "sequence", "scheme"):
            if not isinstance(values[name], str):
                raise BundleError(f"recipe: {name} must be a string")
        if not isinstance(learner["algorithm"], str):
            raise BundleError("learner: algorithm must be a string")
        features, dictionaries = values["features"], values["dictionaries"]
        if not isinstance(features, list) or len(features) > _MOST_FEATURES:
            raise BundleError(f"recipe: features must be a list of at most {_MOST_FEATURES}")
        if not isinstance(dictionaries, list) or not all(isinstance(d, str) for d in dictionaries):
            raise BundleError("recipe: dictionaries must be a list of strings")
        for name in ("max_sequence", "seed"):
            if not isinstance(values[name], int):
                raise BundleError(f"recipe: {name} must be a whole number")
        make = cast(Callable[..., Recipe], cls)
        try:
            made = {
                "features": tuple(feature_from_json(feature) for feature in features),
                "learner": Learner(learner["algorithm"], tuple(sorted(parameters.items()))),
                "dictionaries": tuple(dictionaries),
            }
            return make(**{**values, **made})
        except BundleError:
            raise
        except UsageError as error:
            raise BundleError(str(error)) from None


def dictionaries_of(features: tuple[Feature, ...]) -> tuple[str, ...]:
    """Names of the gazetteers and cluster tables that the features need, sorted."""
    needs = {part.needs for feature in features for part, _ in feature.parts}
    return tuple(sorted({need[1] for need in needs if need and need[0] != "tag"}))


def with_dictionaries(recipe: Recipe, names: Iterable[str]) -> Recipe:
    """The recipe with other gazetteers, each seen wherever one of its own was; cluster tables stay.

    Args:
        recipe: unchanged.
        names: of the gazetteers in place of the recipe's own; none leaves their features out.

    Raises:
        UsageError: if there are names but the recipe sees no gazetteer, or sees several in one
            conjunction, where it cannot be told which is which.
    """
    chosen = sorted(set(names))
    features: list[Feature] = []
    done = set()
    for feature in recipe.features:
        places = [i for i, (part, _) in enumerate(feature.parts) if isinstance(part, Gazetteer)]
        if not places:
            features.append(feature)
            continue
        if len(places) > 1:
            raise UsageError(
                f"recipe {recipe.name}: feature {feature.template} sees several dictionaries"
            )
        (place,) = places
        part, offset = feature.parts[place]
        assert isinstance(part, Gazetteer)
        made = [
            Feature(
                (
                    *feature.parts[:place],
                    (dataclasses.replace(part, name=name), offset),
                    *feature.parts[place + 1 :],
                )
            )
            for name in chosen
        ]
        features.extend(one for one in made if one not in done)
        done.update(made)
    if chosen and not done:
        raise UsageError(f"recipe {recipe.name} has no features of dictionaries")
    kept = tuple(features)
    return dataclasses.replace(recipe, features=kept, dictionaries=dictionaries_of(kept))


def _object(owner: str, data: object, keys: tuple[str, ...]) -> dict[str, object]:
    """The mapping, if its keys are exactly those expected."""
    if not isinstance(data, Mapping):
        raise BundleError(f"{owner}: expected an object")
    if unknown := [key for key in data if key not in keys]:
        shown = sorted(repr(k[:64]) if isinstance(k, str) else type(k).__name__ for k in unknown)
        raise BundleError(f"{owner}: unknown keys {', '.join(shown)}; known: {', '.join(keys)}")
    if missing := [key for key in keys if key not in data]:
        raise BundleError(f"{owner}: keys {', '.join(missing)} are missing")
    return dict(data)
