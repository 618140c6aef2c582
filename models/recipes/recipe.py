"""`Recipe`: everything that defines a detector before it is trained on a corpus."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from ..core.errors import BundleError, UsageError
from ..core.labels import LABELS
from ..crf.codec import SCHEMES
from ..features import FOUND
from ..features.base import require_int, require_name, require_one_of
from ..learners import ALGORITHMS, Learner, Parameter, Sampling
from ..redaction.merging import ORDERS
from .passes import STANDARDISED, Trust, WordCounts
from .propagation import Propagation
from .reading import list_of, listed, names_of, object_of, typed, words_of
from .tagger import KINDS, TaggerRecipe, tagger_from_json, tagger_to_json

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
]

VOTES = ("any", "both", "majority")
"""How the taggers of a recipe become one; see `Recipe.vote`."""

_MOST_PASSES = 4
_MOST_TAGGERS = 12


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
        counts: gazetteers of counted words or headings that training makes; some feature uses each
            of them.
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
        if len({tagger.classes for tagger in self.taggers}) > 1:
            raise UsageError(f"{owner}: all taggers must tell the same classes apart")
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
    def classes(self) -> str:
        """One of `CLASSES`: that of all taggers."""
        return self.taggers[0].classes

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
            "taggers": [tagger_to_json(tagger) for tagger in self.taggers],
            "extensions": [listed(dataclasses.asdict(extension)) for extension in self.extensions],
            "vote": self.vote,
            "rules": list(self.rules),
            "propagation": listed(dataclasses.asdict(self.propagation))
            if self.propagation
            else None,
            "seed": self.seed,
            **({"passes": list(self.passes)} if self.passes else {}),
            **({"order": self.order} if self.order != "standard" else {}),
            **({"trust": dataclasses.asdict(self.trust)} if self.trust else {}),
            **({"standardise": self.standardise} if self.standardise != "none" else {}),
            **({"counts": [one.as_json() for one in self.counts]} if self.counts else {}),
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
        values = object_of("recipe", data, names_of(cls), absent)
        try:
            return cls(
                name=typed("recipe", "name", values["name"], str),
                taggers=tuple(
                    tagger_from_json(one)
                    for one in list_of("recipe", "taggers", values, _MOST_TAGGERS)
                ),
                extensions=tuple(
                    _extension_from_json(one)
                    for one in list_of("recipe", "extensions", values, 100)
                ),
                vote=typed("recipe", "vote", values["vote"], str),
                rules=words_of("recipe", "rules", values["rules"]),
                seed=typed("recipe", "seed", values["seed"], int),
                passes=tuple(
                    typed("recipe", "passes", one, int)
                    for one in list_of("recipe", "passes", values, _MOST_PASSES)
                ),
                order=typed("recipe", "order", values["order"], str),
                trust=None if values["trust"] is None else _trust_from_json(values["trust"]),
                standardise=typed("recipe", "standardise", values["standardise"], str),
                counts=tuple(
                    _counts_from_json(one) for one in list_of("recipe", "counts", values, 100)
                ),
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


def _extension_from_json(data: object) -> Extension:
    values = object_of("extension", data, names_of(Extension))
    return Extension(
        name=typed("extension", "name", values["name"], str),
        lists=words_of("extension", "lists", values["lists"]),
        labels=words_of("extension", "labels", values["labels"]),
    )


def _trust_from_json(data: object) -> Trust:
    values = object_of("trust", data, names_of(Trust))
    return Trust(
        name=typed("trust", "name", values["name"], str),
        entropy=typed("trust", "entropy", values["entropy"], int, float),
        phrases=typed("trust", "phrases", values["phrases"], int),
        folds=typed("trust", "folds", values["folds"], int),
    )


def _counts_from_json(data: object) -> WordCounts:
    values = object_of("counts", data, names_of(WordCounts), {"most": 0})
    return WordCounts(
        name=typed("counts", "name", values["name"], str),
        counts=typed("counts", "counts", values["counts"], str),
        least=typed("counts", "least", values["least"], int),
        most=typed("counts", "most", values["most"], int),
    )


def _propagation_from_json(data: object) -> Propagation:
    values = object_of("propagation", data, names_of(Propagation))
    return Propagation(
        labels=words_of("propagation", "labels", values["labels"]),
        names=words_of("propagation", "names", values["names"]),
        shortest=typed("propagation", "shortest", values["shortest"], int),
        share=typed("propagation", "share", values["share"], int, float),
    )
