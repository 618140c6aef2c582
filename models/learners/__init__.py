"""How weights are learned: the algorithm with its parameters, and the sampling of items."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

from ..core.errors import UsageError
from ..features.base import require_int, require_one_of

Parameter = int | float | str

PARTS = "parts"
"""The parameter for how many parts of the corpus models learn from that are then mixed."""

_COMMON = (
    "feature.minfreq",
    "feature.possible_states",
    "feature.possible_transitions",
    "max_iterations",
)


@dataclasses.dataclass(frozen=True, slots=True)
class Algorithm:
    """A learning algorithm as recipes and options name it.

    Attributes:
        family: of the models that it learns: a key of `models.families.FAMILIES`.
        parameters: that it takes.
    """

    family: str
    parameters: tuple[str, ...]


ALGORITHMS: dict[str, Algorithm] = {
    "lbfgs": Algorithm(
        "crf",
        (
            *_COMMON,
            "c1",
            "c2",
            "num_memories",
            "epsilon",
            "period",
            "delta",
            "linesearch",
            "max_linesearch",
            PARTS,
        ),
    ),
    "averaged-perceptron": Algorithm("crf", (*_COMMON, "epsilon", PARTS)),
    "linear-svm": Algorithm("margin", ("C", "max_iterations")),
    "boosted-trees": Algorithm("trees", ("confidence", "least", "rounds")),
}
"""Learning algorithm -> its family and parameters. Those of CRFs have CRFsuite's names."""

_CHOICES = {"linesearch": ("MoreThuente", "Backtracking", "StrongBacktracking")}
"""Parameters that are words -> the words."""
_POSITIVE = {
    "lbfgs": (PARTS,),
    "averaged-perceptron": (PARTS,),
    "linear-svm": ("C", "max_iterations"),
}
"""Algorithm -> its parameters that must be above 0; CRFsuite takes 0 iterations for no limit."""
_WHOLE = ("least", "max_iterations", "max_linesearch", "num_memories", PARTS, "period", "rounds")


@dataclasses.dataclass(frozen=True, slots=True)
class Learner:
    """How the weights are learned.

    Attributes:
        algorithm: key of `ALGORITHMS`.
        parameters: (name, value) pairs, sorted by name; others have the algorithm's defaults.

    Raises:
        UsageError: if the algorithm or a parameter is unknown, or a value is not allowed.
    """

    algorithm: str
    parameters: tuple[tuple[str, Parameter], ...] = ()

    def __post_init__(self) -> None:
        require_one_of("learner", "algorithm", self.algorithm, ALGORITHMS)
        names = [name for name, _ in self.parameters]
        for name, value in self.parameters:
            known = ALGORITHMS[self.algorithm].parameters
            require_one_of(f"learner {self.algorithm}", "parameter", name, known)
            if name in _CHOICES:
                require_one_of("learner", name, str(value), _CHOICES[name])
            elif isinstance(value, bool | str) or not 0 <= value < math.inf:
                raise UsageError(f"learner: {name} must be a finite number, 0 or more")
            elif name in _POSITIVE.get(self.algorithm, ()) and not value:
                raise UsageError(f"learner: {name} must be above 0")
        if names != sorted(set(names)):
            raise UsageError("learner: parameters must be sorted by name and unique")

    @classmethod
    def of(cls, algorithm: str, **parameters: Parameter) -> Learner:
        """A learner with parameters by name; `feature_minfreq` stands for `feature.minfreq`."""
        named = {n.replace("feature_", "feature."): v for n, v in parameters.items()}
        return cls(algorithm, tuple(sorted(named.items())))

    @property
    def family(self) -> str:
        """Of the models that it learns: a key of `models.families.FAMILIES`."""
        return ALGORITHMS[self.algorithm].family

    def changed(self, algorithm: str | None, parameters: Mapping[str, Parameter]) -> Learner:
        """The learner with other parameters; with another algorithm, without those of this one.

        Args:
            algorithm: None to keep this one.
            parameters: by name; counts may be given as 9.0.

        Raises:
            UsageError: see the class.
        """
        chosen = algorithm or self.algorithm
        known = dict(self.parameters) if chosen == self.algorithm else {}
        new = {
            name: int(value)
            if name in _WHOLE and isinstance(value, float) and value.is_integer()
            else value
            for name, value in parameters.items()
        }
        return Learner(chosen, tuple(sorted({**known, **new}.items())))


SAMPLINGS = ("all", "random", "window")


@dataclasses.dataclass(frozen=True, slots=True)
class Sampling:
    """Which items of the training sequences the learner trains on; their order is kept.

    Items with a label are always kept. Attributes are computed before anything is left out.

    Source: Gardner et al. 2010, §5.1 (random O-sampling) and §5.2 (window sampling).

    Attributes:
        method: "all"; "random" keeps each other item with probability `keep`, and the `history`
            items before each labelled one; "window" keeps the `window` items on either side of each
            labelled one.
        keep: probability, above 0 and at most 1.
        history: items, 0 to 1,000; 4 in the paper's experiments (§6.2, footnote 9).
        window: items, 0 to 1,000.

    Raises:
        UsageError: if a value is out of range.
    """

    method: str = "all"
    keep: float = 1.0
    history: int = 4
    window: int = 10

    def __post_init__(self) -> None:
        require_one_of("sampling", "method", self.method, SAMPLINGS)
        if isinstance(self.keep, bool | str) or not 0 < self.keep <= 1:
            raise UsageError("sampling: keep must be a number above 0 and at most 1")
        require_int("sampling", "history", self.history, 0, 1_000)
        require_int("sampling", "window", self.window, 0, 1_000)
