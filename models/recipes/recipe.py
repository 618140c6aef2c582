"""`Recipe`: all that decides what a detector is, before it is trained on a corpus."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..errors import BundleError, UsageError
from ..features import Feature, Gazetteer, feature_from_json, feature_to_json
from ..features.base import require_int, require_name, require_one_of
from ..features.items import LAYERS, SEQUENCES
from ..labels import LABELS
from ..propagation import Propagation
from .learner import ALGORITHMS, Learner, Parameter, Sampling

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
    "with_dictionaries",
    "with_lists",
]

SCHEMES = ("BIO", "BIOES")
KINDS = ("token", "character")
"""The kinds of tagger, in the order in which a recipe has them."""

VOTES = ("any", "both")

_MOST_FEATURES = 2_000
_MOST_ITEMS = 1_000_000


@dataclasses.dataclass(frozen=True, slots=True)
class TaggerRecipe:
    """What one CRF sees, how it labels and how it is learned.

    Attributes:
        layer: what an item is: a key of `models.layers.LAYERS`.
        sequence: what is labelled as one: a "line", a "sentence" or a "document".
        features: in the order in which attributes are rendered.
        scheme: "BIO" or "BIOES".
        learner: algorithm and parameters.
        sampling: which items the learner sees.
        max_sequence: most items of a sequence; what is longer is cut.

    Raises:
        UsageError: if a value is not allowed, a feature occurs twice, or two properties would share
            a key.
    """

    layer: str
    sequence: str
    features: tuple[Feature, ...]
    scheme: str
    learner: Learner
    sampling: Sampling = Sampling()
    max_sequence: int = 5_000

    def __post_init__(self) -> None:
        require_one_of("recipe", "layer", self.layer, LAYERS)
        require_one_of("recipe", "sequence", self.sequence, SEQUENCES)
        require_one_of("recipe", "scheme", self.scheme, SCHEMES)
        require_int("recipe", "max_sequence", self.max_sequence, 1, _MOST_ITEMS)
        if not 1 <= len(self.features) <= _MOST_FEATURES:
            raise UsageError(f"recipe: features must be 1 to {_MOST_FEATURES}")
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
                f"recipe: different properties are both called {', '.join(shared)};"
                " give one property all the values"
            )

    @property
    def kind(self) -> str:
        """One of `KINDS`."""
        return "character" if self.layer == "character" else "token"

    def needs(self, kind: str) -> frozenset[str]:
        """Names of the resources of a kind ("gazetteer", "cluster", "tag") that features need."""
        return frozenset(
            name
            for feature in self.features
            for part, _ in feature.parts
            for sort, name in part.needs
            if sort == kind
        )

    def without(self, parts: Iterable[str]) -> TaggerRecipe:
        """The tagger without the features that are made from any of these parts."""
        left_out = set(parts)
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
    """A gazetteer of single tokens, made when a recipe is trained: from lists and from gold spans.

    Source: He et al. 2015, §2.2. Of a cross-validation's folds each has its own, so that no test
    document is in it.

    Attributes:
        name: of the gazetteer, as features name it.
        lists: names of the dictionaries whose phrases' tokens are taken.
        labels: native labels of the training spans whose tokens are taken.

    Raises:
        UsageError: if a name cannot be one, or a label is not native.
    """

    name: str
    lists: tuple[str, ...]
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        require_name("extension", "name", self.name)
        for one in self.lists:
            require_name("extension", "lists", one)
        for label in self.labels:
            require_one_of("extension", "labels", label, LABELS)


@dataclasses.dataclass(frozen=True, slots=True)
class Recipe:
    """One or two CRFs, what they are made from, and what is done with what they find.

    Attributes:
        name: of the recipe.
        taggers: at most one of each of `KINDS`, in that order.
        extensions: gazetteers that training makes; each is seen by some feature.
        vote: "any": what either tagger finds is a candidate; "both": only what the token tagger and
            the character tagger find alike (Liu et al. 2015, §5).
        rules: names of the recognisers that belong to the recipe.
        propagation: what is carried over to other places of a document; None for nothing.
        seed: of all that is random in training.

    Raises:
        UsageError: if a value is not allowed, or a part of the recipe has no use.
    """

    name: str
    taggers: tuple[TaggerRecipe, ...]
    extensions: tuple[Extension, ...] = ()
    vote: str = "any"
    rules: tuple[str, ...] = ()
    propagation: Propagation | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        owner = "recipe"
        require_name(owner, "name", self.name)
        owner = f"recipe {self.name}"
        kinds = tuple(tagger.kind for tagger in self.taggers)
        if not kinds or kinds != tuple(kind for kind in KINDS if kind in kinds):
            raise UsageError(f"{owner}: taggers must be one or two of {', '.join(KINDS)}")
        require_one_of(owner, "vote", self.vote, VOTES)
        if self.vote == "both" and len(kinds) < 2:
            raise UsageError(f"{owner}: a vote needs two taggers")
        require_int(owner, "seed", self.seed, 0, 2**31 - 1)
        for name in self.rules:
            require_name(owner, "rules", name)
        names = [extension.name for extension in self.extensions]
        if names != sorted(set(names) & set(self.dictionaries)):
            raise UsageError(
                f"{owner}: extensions must be sorted by name, each once and seen by a feature"
            )

    @classmethod
    def single(cls, *, name: str, seed: int = 0, **tagger: Any) -> Recipe:
        """A recipe of one tagger; the other arguments are those of `TaggerRecipe`."""
        return cls(name=name, taggers=(TaggerRecipe(**tagger),), seed=seed)

    @property
    def dictionaries(self) -> tuple[str, ...]:
        """Names of the gazetteers that features see, sorted."""
        return _sorted_names(tagger.needs("gazetteer") for tagger in self.taggers)

    @property
    def lists(self) -> tuple[str, ...]:
        """Names of the dictionaries that training must be given, sorted."""
        made = {extension.name for extension in self.extensions}
        sources = [extension.lists for extension in self.extensions]
        return _sorted_names([set(self.dictionaries) - made, *sources])

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the language parts that features see, sorted."""
        return _sorted_names(
            tagger.needs(kind) for tagger in self.taggers for kind in ("cluster", "tag")
        )

    def without(self, parts: Iterable[str]) -> Recipe:
        """The recipe without the features that are made from any of these parts.

        Raises:
            UsageError: if it has no features made from one of them.
        """
        left_out = set(parts)
        if unknown := sorted(left_out - set(self.parts)):
            raise UsageError(
                f"recipe {self.name} has no features made from {', '.join(unknown)}; "
                f"its parts are: {', '.join(self.parts) or 'none'}"
            )
        return dataclasses.replace(
            self, taggers=tuple(tagger.without(left_out) for tagger in self.taggers)
        )

    def as_json(self) -> dict[str, object]:
        """The recipe as JSON values; equal recipes give equal values."""
        return {
            "name": self.name,
            "taggers": [_tagger_to_json(tagger) for tagger in self.taggers],
            "extensions": [_listed(dataclasses.asdict(one)) for one in self.extensions],
            "vote": self.vote,
            "rules": list(self.rules),
            "propagation": _listed(dataclasses.asdict(self.propagation))
            if self.propagation
            else None,
            "seed": self.seed,
        }

    @classmethod
    def from_json(cls, data: object) -> Recipe:
        """The recipe that `as_json` wrote.

        Raises:
            BundleError: if a key is unknown or missing, or a value is of a wrong type or not
                allowed.
        """
        values = _object("recipe", data, _names_of(cls))
        try:
            return cls(
                name=_typed("recipe", "name", values["name"], str),
                taggers=tuple(
                    _tagger_from_json(one) for one in _list("recipe", "taggers", values, len(KINDS))
                ),
                extensions=tuple(
                    _extension_from_json(one) for one in _list("recipe", "extensions", values, 100)
                ),
                vote=_typed("recipe", "vote", values["vote"], str),
                rules=_words("recipe", "rules", values["rules"]),
                seed=_typed("recipe", "seed", values["seed"], int),
                propagation=None
                if values["propagation"] is None
                else _propagation_from_json(values["propagation"]),
            )
        except BundleError:
            raise
        except UsageError as error:
            raise BundleError(str(error)) from None


def with_dictionaries(recipe: Recipe, names: Iterable[str]) -> Recipe:
    """The recipe with other gazetteers, each seen wherever one of its own was.

    Args:
        recipe: unchanged.
        names: of the gazetteers in place of the recipe's own; none leaves their features out.

    Raises:
        UsageError: if there are names but the recipe sees no gazetteer, sees several in one
            conjunction, where it cannot be told which is which, or makes its own.
    """
    chosen = sorted(set(names))
    if recipe.extensions:
        raise UsageError(
            f"recipe {recipe.name} makes its own dictionaries from lists and training spans: "
            "give each its lists by name"
        )
    taggers = tuple(
        dataclasses.replace(tagger, features=_with_gazetteers(recipe.name, tagger.features, chosen))
        for tagger in recipe.taggers
    )
    changed = dataclasses.replace(recipe, taggers=taggers)
    if chosen and not changed.dictionaries:
        raise UsageError(f"recipe {recipe.name} has no features of dictionaries")
    return changed


def with_lists(recipe: Recipe, lists: Mapping[str, Iterable[str]]) -> Recipe:
    """The recipe with other lists behind the gazetteers that it makes: for another language.

    Args:
        recipe: unchanged.
        lists: name of an extension -> names of the dictionaries in place of its own; none leaves it
            to the training spans. Extensions not named keep theirs.

    Raises:
        UsageError: if the recipe makes no gazetteer of such a name, or a list's name cannot be one.
    """
    names = [extension.name for extension in recipe.extensions]
    if unknown := sorted(set(lists) - set(names)):
        raise UsageError(
            f"recipe {recipe.name} makes no dictionary {', '.join(unknown)}; "
            f"it makes: {', '.join(names) or 'none'}"
        )
    return dataclasses.replace(
        recipe,
        extensions=tuple(
            dataclasses.replace(one, lists=tuple(sorted(set(lists.get(one.name, one.lists)))))
            for one in recipe.extensions
        ),
    )


def _with_gazetteers(
    recipe: str, features: Iterable[Feature], chosen: Iterable[str]
) -> tuple[Feature, ...]:
    made: dict[Feature, None] = {}
    for feature in features:
        places = [i for i, (part, _) in enumerate(feature.parts) if isinstance(part, Gazetteer)]
        if len(places) > 1:
            raise UsageError(
                f"recipe {recipe}: feature {feature.template} sees several dictionaries"
            )
        if not places:
            made[feature] = None
        for place in places:
            part, offset = feature.parts[place]
            assert isinstance(part, Gazetteer)
            for name in chosen:
                seen = (dataclasses.replace(part, name=name), offset)
                made[Feature((*feature.parts[:place], seen, *feature.parts[place + 1 :]))] = None
    return tuple(made)


def _sorted_names(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(sorted({name for group in groups for name in group}))


# To JSON and back


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
    }


def _tagger_from_json(data: object) -> TaggerRecipe:
    values = _object("tagger", data, _names_of(TaggerRecipe))
    learner = _object("learner", values["learner"], ("algorithm", "parameters"))
    parameters = learner["parameters"]
    if not isinstance(parameters, Mapping) or not all(isinstance(n, str) for n in parameters):
        raise BundleError("learner: parameters must be an object")
    if not all(isinstance(value, int | float | str) for value in parameters.values()):
        raise BundleError("learner: a parameter must be a number or a word")
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


_TYPE_NAMES: Mapping[type, str] = {str: "a string", int: "a whole number", float: "a number"}


def _typed(owner: str, name: str, value: Any, *kinds: Callable[..., Any]) -> Any:
    """The value, if it is of one of the types; true and false are no numbers."""
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
