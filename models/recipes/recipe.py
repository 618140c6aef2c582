"""`Recipe`: everything that defines a detector before it is trained on a corpus."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from ..core.errors import BundleError, UsageError
from ..core.labels import LABELS
from ..crf.codec import SCHEMES
from ..features import FOUND, Feature, Gazetteer, feature_from_json, feature_to_json
from ..features.base import require_int, require_name, require_one_of
from ..features.declaration import needs_of
from ..features.items import SEGMENTATIONS, SEQUENCES
from ..learners import ALGORITHMS, Learner, Parameter, Sampling
from ..redaction.merging import ORDERS
from ..trees.declaration import (
    CodedFeatures,
    TreesDeclaration,
    declaration_from_json,
    declaration_to_json,
)
from .passes import STANDARDISED, Trust, WordCounts
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
    "Trust",
    "WordCounts",
    "with_dictionaries",
    "with_lists",
]

CLASSES = ("typed", "two")
KINDS = ("token", "character")
"""The kinds of tagger, in the order in which a recipe has them."""

VOTES = ("any", "both", "majority")
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
        coding: how trees see the features, and how many items before; None for other learners. Its
            features are `features`.

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
        if self.learner.family != "crf" and self.kind == "character":
            raise UsageError(f"{owner} labels tokens, not characters")
        if (self.coding is not None) != (self.learner.family == "trees"):
            raise UsageError(
                f"{owner} {'needs' if self.coding is None else 'takes no'} coded features: recipes "
                "made for boosted-trees have them, others do not"
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
            All label the same items; with `trust`, a later pass sees what the one before found.
        trust: what it sees of that; None for nothing.
        standardise: whether every occurrence of a phrase that the passes found takes one label, in
            the end: one of `passes.STANDARDISED`.
        counts: gazetteers of counted words that training makes; some feature uses each of them.
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
    trust: Trust | None = None
    standardise: str = "none"
    counts: tuple[WordCounts, ...] = ()

    def __post_init__(self) -> None:
        owner = "recipe"
        require_name(owner, "name", self.name)
        owner = f"recipe {self.name}"
        require_one_of(owner, "vote", self.vote, VOTES)
        require_one_of(owner, "order", self.order, ORDERS)
        require_one_of(owner, "standardise", self.standardise, STANDARDISED)
        if self.passes:
            self._check_passes(owner)
        else:
            kinds = tuple(tagger.kind for tagger in self.taggers)
            if not kinds or kinds != tuple(kind for kind in KINDS if kind in kinds):
                raise UsageError(f"{owner}: taggers must be one or two of {', '.join(KINDS)}")
            if self.vote == "majority" or (self.vote == "both" and len(kinds) < 2):
                raise UsageError(f"{owner}: a vote needs two taggers, a majority passes")
            if self.trust is not None or self.standardise != "none":
                raise UsageError(f"{owner}: trust and standardising need passes")
        require_int(owner, "seed", self.seed, 0, 2**31 - 1)
        for name in self.rules:
            require_name(owner, "rules", name)
        used = {name for tagger in self.taggers for name in tagger.needs("gazetteer")}
        for what, names in (
            ("extensions", [extension.name for extension in self.extensions]),
            ("counts", [one.name for one in self.counts]),
        ):
            if names != sorted(set(names) & used):
                raise UsageError(
                    f"{owner}: {what} must be sorted by name, unique, and used by a feature"
                )
        made = [one.name for one in self.extensions] + [one.name for one in self.counts]
        if self.trust is not None:
            made.append(self.trust.name)
        if len(set(made)) < len(made) or (self.trust is not None and self.trust.name in used):
            raise UsageError(f"{owner}: what training makes must have names of its own")
        first = self.passes[0] if self.trust is not None else len(self.taggers)
        if any(FOUND in tagger.needs("tag") for tagger in self.taggers[:first]):
            raise UsageError(f"{owner}: only a later pass, with trust, sees what was found")

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
        if self.trust is not None and len(self.passes) < 2:
            raise UsageError(f"{owner}: trust needs a second pass")

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
    def keys_of_passes(self) -> tuple[tuple[str, ...], ...]:
        """The keys of the taggers that work side by side: of all without passes."""
        if not self.passes:
            return (self.keys,)
        ends = [sum(self.passes[:number]) for number in range(len(self.passes) + 1)]
        return tuple(self.keys[low:high] for low, high in zip(ends, ends[1:], strict=False))

    @property
    def tagger_of(self) -> dict[str, TaggerRecipe]:
        """Key -> tagger, in order."""
        return dict(zip(self.keys, self.taggers, strict=True))

    @classmethod
    def single(cls, *, name: str, seed: int = 0, **tagger: Any) -> Recipe:
        """A recipe of one tagger; the other arguments are those of `TaggerRecipe`."""
        return cls(name=name, taggers=(TaggerRecipe(**tagger),), seed=seed)

    @property
    def dictionaries(self) -> tuple[str, ...]:
        """Names of the gazetteers that features use, and of the headings of `trust`, sorted."""
        headings = [] if self.trust is None else [self.trust.name]
        return _sorted_names([headings, *(tagger.needs("gazetteer") for tagger in self.taggers)])

    @property
    def made(self) -> frozenset[str]:
        """Names of the dictionaries that training makes."""
        headings = [] if self.trust is None else [self.trust.name]
        counted = [one.name for one in self.counts]
        return frozenset([*headings, *counted, *(extension.name for extension in self.extensions)])

    @property
    def lists(self) -> tuple[str, ...]:
        """Names of the dictionaries that training needs, sorted."""
        sources = [extension.lists for extension in self.extensions]
        return _sorted_names([set(self.dictionaries) - self.made, *sources])

    @property
    def auxiliary(self) -> tuple[str, ...]:
        """Names of the auxiliary models that features need, sorted."""
        return _sorted_names(
            tagger.needs(kind) - {FOUND} for tagger in self.taggers for kind in ("cluster", "tag")
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
            **({"trust": dataclasses.asdict(self.trust)} if self.trust else {}),
            **({"standardise": self.standardise} if self.standardise != "none" else {}),
            **({"counts": [dataclasses.asdict(one) for one in self.counts]} if self.counts else {}),
        }

    @classmethod
    def from_json(cls, data: object) -> Recipe:
        """Reads what `as_json` returns.

        Raises:
            BundleError: if a key is unknown or missing, or a value has the wrong type or is not
                allowed.
        """
        # What most recipes do without is written only by those that have it.
        absent: dict[str, object] = {
            "passes": [],
            "order": "standard",
            "trust": None,
            "standardise": "none",
            "counts": [],
        }
        values = _object("recipe", data, _names_of(cls), absent)
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
                trust=None if values["trust"] is None else _trust_from_json(values["trust"]),
                standardise=_typed("recipe", "standardise", values["standardise"], str),
                counts=tuple(
                    _counts_from_json(one) for one in _list("recipe", "counts", values, 100)
                ),
                propagation=None
                if values["propagation"] is None
                else _propagation_from_json(values["propagation"]),
            )
        except BundleError:
            raise
        except UsageError as error:
            raise BundleError(str(error)) from None


def with_dictionaries(recipe: Recipe, names: Iterable[str]) -> Recipe:
    """The recipe with other gazetteers, each used wherever one of its own was.

    Args:
        recipe: not changed.
        names: of the gazetteers that replace the recipe's own; if empty, their features are left
            out.

    Raises:
        UsageError: if there are names but the recipe uses no gazetteer, uses several in one
            conjunction, where it is not clear which to replace, or makes its own.
    """
    chosen = sorted(set(names))
    if recipe.extensions or recipe.counts:
        raise UsageError(
            f"recipe {recipe.name} makes its own dictionaries from lists and training spans; "
            "give the lists with --dictionary-from NAME=LIST"
        )
    taggers = tuple(
        tagger.with_features(lambda features: _with_gazetteers(recipe.name, features, chosen))
        for tagger in recipe.taggers
    )
    changed = dataclasses.replace(recipe, taggers=taggers)
    if chosen and not changed.dictionaries:
        raise UsageError(f"recipe {recipe.name} has no dictionary features")
    return changed


def with_lists(recipe: Recipe, lists: Mapping[str, Iterable[str]]) -> Recipe:
    """The recipe with other dictionaries for the gazetteers that it makes: for another language.

    Args:
        recipe: not changed.
        lists: name of an extension -> names of the dictionaries that replace its own; if empty, it
            is made from training spans alone. Other extensions keep theirs.

    Raises:
        UsageError: if the recipe makes no such gazetteer, or a dictionary's name is not valid.
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
            dataclasses.replace(old, lists=tuple(sorted(set(lists.get(old.name, old.lists)))))
            for old in recipe.extensions
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
                f"recipe {recipe}: feature {feature.template} uses several dictionaries"
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
        **({"coding": declaration_to_json(tagger.coding)} if tagger.coding else {}),
    }


def _tagger_from_json(data: object) -> TaggerRecipe:
    absent = {"classes": "typed", "coding": None}
    values = _object("tagger", data, _names_of(TaggerRecipe), absent)
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
        coding=None if values["coding"] is None else declaration_from_json(values["coding"]),
    )


def _extension_from_json(data: object) -> Extension:
    values = _object("extension", data, _names_of(Extension))
    return Extension(
        name=_typed("extension", "name", values["name"], str),
        lists=_words("extension", "lists", values["lists"]),
        labels=_words("extension", "labels", values["labels"]),
    )


def _trust_from_json(data: object) -> Trust:
    values = _object("trust", data, _names_of(Trust))
    return Trust(
        name=_typed("trust", "name", values["name"], str),
        entropy=_typed("trust", "entropy", values["entropy"], int, float),
        phrases=_typed("trust", "phrases", values["phrases"], int),
        folds=_typed("trust", "folds", values["folds"], int),
    )


def _counts_from_json(data: object) -> WordCounts:
    values = _object("counts", data, _names_of(WordCounts))
    return WordCounts(
        name=_typed("counts", "name", values["name"], str),
        counts=_typed("counts", "counts", values["counts"], str),
        least=_typed("counts", "least", values["least"], int),
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
