"""Settings: changes of a recipe by a search or the command line, and the grid of a search."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping, Sequence

from ..core.errors import UsageError
from ..features import Feature
from ..recipes import Learner, Recipe, Sampling, TaggerRecipe
from ..recipes.recipe import ALGORITHMS, Parameter

LEAVE_OUT = "leave_out"
SAMPLING = "sampling"
MOST_SETTINGS = 1_000

FAST = Learner.of("averaged-perceptron", max_iterations=20)
"""The learner of `train --fast`: on MEDDOCAN within 0.003 of the best strict F1 in a ninth of the
time (see docs/training.md). Its scores are not calibrated."""


@dataclasses.dataclass(frozen=True, slots=True)
class Setting:
    """One point of a search.

    Attributes:
        values: (name, value as text), in the given order.
        recipe: with these values.
    """

    values: tuple[tuple[str, str], ...]
    recipe: Recipe

    @property
    def name(self) -> str:
        """For display: "c1=0.1 c2=0.01"; "as it is" if nothing is changed."""
        return " ".join(f"{name}={value}" for name, value in self.values) or "as it is"


def grid(recipe: Recipe, axes: Sequence[tuple[str, Sequence[str]]]) -> tuple[Setting, ...]:
    """All combinations of the values of the axes; the last axis varies fastest.

    Args:
        recipe: that the values change.
        axes: name and values of each: a parameter of the learner, "leave_out" or "sampling"; see
            `changed`.

    Raises:
        UsageError: if an axis repeats, has no or equal values, or a value is not allowed; or there
            are more than `MOST_SETTINGS` combinations.
    """
    names = [name for name, _ in axes]
    if len(set(names)) != len(names):
        raise UsageError("--search: a name repeats; give all its values at once: c1=0.05,0.1")
    for name, values in axes:
        if not values or len(set(values)) != len(values) or "" in values:
            raise UsageError(f"--search {name}: expected different values, as in c1=0.05,0.1")
    size = 1
    for _, values in axes:
        size *= len(values)
    if size > MOST_SETTINGS:
        raise UsageError(f"--search: {size:,} combinations; the limit is {MOST_SETTINGS:,}")
    return tuple(
        Setting(pairs, changed(recipe, pairs))
        for chosen in itertools.product(*(values for _, values in axes))
        for pairs in [tuple(zip(names, chosen, strict=True))]
    )


def changed(recipe: Recipe, values: Sequence[tuple[str, str]]) -> Recipe:
    """The recipe with settings applied to each of its taggers.

    Args:
        recipe: not changed.
        values: (name, value) pairs: "leave_out" takes kinds of property joined by "+", or "none";
            "sampling" takes the values of `parse_sampling`; other names are parameters of the
            learner.

    Raises:
        UsageError: if a value is not allowed.
    """
    parameters: dict[str, float] = {}
    for name, value in values:
        if name == LEAVE_OUT:
            recipe = leave_out(recipe, () if value == "none" else value.split("+"))
        elif name == SAMPLING:
            recipe = _each(recipe, sampling=parse_sampling(value))
        else:
            parameters[name] = number(name, value)
    return with_learner(recipe, None, parameters) if parameters else recipe


def with_learner(
    recipe: Recipe, algorithm: str | None, parameters: Mapping[str, Parameter]
) -> Recipe:
    """The recipe with another algorithm, or with parameters added.

    Raises:
        UsageError: if the algorithm does not have a parameter.
    """
    if algorithm is not None and algorithm not in ALGORITHMS:
        raise UsageError(f"algorithm must be one of {', '.join(sorted(ALGORITHMS))}")

    def learner(tagger: TaggerRecipe) -> Learner:
        chosen = algorithm or tagger.learner.algorithm
        # Two taggers may have different algorithms: each gets the parameters of its own. The first
        # refuses parameters that no algorithm has.
        own = {
            name: value
            for name, value in parameters.items()
            if name in ALGORITHMS[chosen].parameters or name not in known
        }
        return tagger.learner.changed(algorithm, own)

    algorithms = {algorithm or tagger.learner.algorithm for tagger in recipe.taggers}
    known = {name for used in algorithms for name in ALGORITHMS[used].parameters}
    taggers = tuple(dataclasses.replace(t, learner=learner(t)) for t in recipe.taggers)
    return dataclasses.replace(recipe, taggers=taggers)


def parse_sampling(text: str) -> Sampling:
    """A sampling as written in options: "all", "random:0.3" or "window:5".

    Raises:
        UsageError: for anything else.
    """
    method, _, value = text.partition(":")
    if text == "all":
        return Sampling()
    try:
        if method == "random":
            return Sampling("random", keep=float(value))
        if method == "window":
            return Sampling("window", window=int(value))
    except ValueError:
        pass
    raise UsageError(
        "sampling must be all, random:P (keep the share P of what is not PHI) or window:K "
        "(keep K items around PHI)"
    )


def with_sampling(recipe: Recipe, sampling: Sampling) -> Recipe:
    """The recipe with a sampling for each of its taggers."""
    return _each(recipe, sampling=sampling)


def kinds_of(recipe: Recipe) -> tuple[str, ...]:
    """The kinds of property in a recipe's features, sorted."""
    kinds = {part.KIND for t in recipe.taggers for f in t.features for part, _ in f.parts}
    return tuple(sorted(kinds))


def leave_out(recipe: Recipe, kinds: Sequence[str]) -> Recipe:
    """The recipe without the features that use some kinds of property.

    Raises:
        UsageError: if it has no such kind, or a tagger would have no features left.
    """
    if not kinds:
        return recipe
    known = kinds_of(recipe)
    if unknown := sorted(set(kinds) - set(known)):
        raise UsageError(
            f"leave_out: recipe {recipe.name} has no features of kind {', '.join(unknown)}; "
            f"it has {', '.join(known)}"
        )

    def kept(features: tuple[Feature, ...]) -> tuple[Feature, ...]:
        return tuple(f for f in features if not {p.KIND for p, _ in f.parts} & set(kinds))

    if not all(kept(tagger.features) for tagger in recipe.taggers):
        raise UsageError("leave_out: a tagger would have no features left")
    taggers = tuple(tagger.with_features(kept) for tagger in recipe.taggers)
    used = {name for tagger in taggers for name in tagger.needs("gazetteer")}
    return dataclasses.replace(
        recipe,
        taggers=taggers,
        extensions=tuple(e for e in recipe.extensions if e.name in used),
        counts=tuple(one for one in recipe.counts if one.name in used),
    )


def number(name: str, text: str) -> float:
    """A finite number.

    Raises:
        UsageError: naming the option, if it is not one.
    """
    try:
        value = float(text)
    except ValueError:
        raise UsageError(f"{name} must be a number") from None
    if not abs(value) < float("inf"):
        raise UsageError(f"{name} must be a finite number")
    return value


def _each(recipe: Recipe, **changes: object) -> Recipe:
    taggers = tuple(dataclasses.replace(t, **changes) for t in recipe.taggers)  # type: ignore[arg-type]
    return dataclasses.replace(recipe, taggers=taggers)
