"""k-anonymity by full-domain generalisation, with l-diversity and t-closeness of what is sensitive.

All values of an attribute are at one level, the same for all patients; patients who are then still
in too small a class are suppressed, up to a share of all. Of all choices of levels that do, the one
with the least loss is taken.

Sources: Samarati 2001, "Protecting respondents' identities in microdata release", §4 (levels,
suppression); Machanavajjhala et al. 2007, "l-diversity", §4.1 (distinct and entropy); Li et al.
2007, "t-closeness", §3 (equal and ordered distance). HIDE uses the first (Gardner et al. 2010, §3).
"""

from __future__ import annotations

import dataclasses
import enum
import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..core.arrays import Ints
from ..core.errors import UsageError
from .hierarchies import Hierarchy


class Distance(enum.StrEnum):
    """How far apart two values of a sensitive attribute are."""

    EQUAL = "equal"
    ORDERED = "ordered"


@dataclasses.dataclass(frozen=True, slots=True)
class Requirement:
    """What a class must be to be released.

    Attributes:
        k: fewest patients.
        suppressed: greatest share of patients who are left out for it.
        l_distinct: fewest different values of each sensitive attribute.
        l_entropy: least exp of the entropy of each; 1 for no bound.
        t: greatest distance of each from how it is among all; 1 for no bound.
        distance: between values, in the order of their names.
    """

    k: int = 5
    suppressed: float = 0.01
    l_distinct: int = 1
    l_entropy: float = 1.0
    t: float = 1.0
    distance: Distance = Distance.EQUAL

    def __post_init__(self) -> None:
        bounds = (self.k, self.l_distinct, self.l_entropy)
        if not all(1 <= bound < 1 << 31 for bound in bounds):
            raise UsageError("k and l must be 1 or more, and numbers that a table may have")
        if not 0 <= self.suppressed <= 1 or not 0 <= self.t <= 1:
            raise UsageError("the share of the suppressed, and t, must be between 0 and 1")


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class CountedTable:
    """Patients by what is said of them, equal ones counted.

    Attributes:
        hierarchies: of the attributes by which somebody may be known, in order.
        values: attribute -> values of level 0 by code.
        codes: a row each for equal patients, a column an attribute: index into its values.
        counts: how many patients each row is.
        sensitive: attribute that must not be learnt -> code of each row.
        unknown: attribute of these -> the code of "not known", which is no value that a class could
            have beside others.
    """

    hierarchies: tuple[Hierarchy, ...]
    values: Mapping[str, tuple[str, ...]]
    codes: Ints
    counts: Ints
    sensitive: Mapping[str, Ints] = dataclasses.field(default_factory=dict)
    unknown: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(
        cls,
        hierarchies: Sequence[Hierarchy],
        rows: Sequence[Sequence[str]],
        sensitive: Mapping[str, Sequence[str]] | None = None,
    ) -> CountedTable:
        """Of a row a patient, with a value of level 0 for each hierarchy."""
        columns = [[row[at] for row in rows] for at in range(len(hierarchies))]
        kept = dict(sensitive or {})
        coded = [_coded(column) for column in (*columns, *kept.values())]
        values = {h.name: values for h, (_, values) in zip(hierarchies, coded, strict=False)}
        own = [codes for codes, _ in coded]
        size = len(hierarchies)
        return cls.counted(
            hierarchies, values, own[:size], dict(zip(kept, own[size:], strict=True))
        )

    @classmethod
    def counted(
        cls,
        hierarchies: Sequence[Hierarchy],
        values: Mapping[str, tuple[str, ...]],
        columns: Sequence[Ints],
        sensitive: Mapping[str, Ints] | None = None,
    ) -> CountedTable:
        """Of a column of codes for each hierarchy, and for what is sensitive; a row a patient."""
        size = len(columns[0]) if columns else 0
        codes = np.stack(columns, axis=1) if columns else np.zeros((size, 0), np.int64)
        each = np.ones(size, np.int64)
        return cls(tuple(hierarchies), values, codes, each, dict(sensitive or {})).summed()

    def summed(self) -> CountedTable:
        """The same with equal rows counted together."""
        keys = np.zeros(len(self.counts), np.int64)
        for column in (*self.codes.T, *self.sensitive.values()):
            keys = _dense(keys, column)
        _, first, places = np.unique(keys, return_index=True, return_inverse=True)
        counts = np.bincount(places.reshape(-1), weights=self.counts, minlength=len(first))
        sensitive = {name: column[first] for name, column in self.sensitive.items()}
        return dataclasses.replace(
            self, codes=self.codes[first], counts=counts.astype(np.int64), sensitive=sensitive
        )

    @property
    def patients(self) -> int:
        """How many there are."""
        return int(self.counts.sum())


_SAFE = 1 << 62


def _dense(keys: Ints, column: Ints) -> Ints:
    """Keys of pairs of what the keys stood for and a column; small again where they would run over.

    Equal pairs have equal keys, and they sort by the first of the two.
    """
    width = int(column.max()) + 1 if len(column) else 1
    if len(keys) and int(keys.max()) + 1 > _SAFE // width:
        keys = np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return keys * width + column


def _coded(column: Sequence[str]) -> tuple[Ints, tuple[str, ...]]:
    values = sorted(set(column))
    numbers = {value: number for number, value in enumerate(values)}
    return np.array([numbers[value] for value in column], np.int64), tuple(values)


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Generalised:
    """A table at some levels.

    Attributes:
        levels: of each attribute.
        classes: for each row of the table the number of its class.
        sizes: patients of each class.
        fails: whether a class must not be released.
        suppressed: patients of these.
    """

    levels: tuple[int, ...]
    classes: Ints
    sizes: Ints
    fails: npt.NDArray[np.bool_]
    suppressed: int


def generalised(
    table: CountedTable, levels: Sequence[int], requirement: Requirement
) -> Generalised:
    """The classes of a table at given levels, and which of them must not be released."""
    keys = np.zeros(len(table.counts), np.int64)
    for at, (hierarchy, level) in enumerate(zip(table.hierarchies, levels, strict=True)):
        codes = hierarchy.codes(table.values[hierarchy.name], level)
        keys = _dense(keys, codes[table.codes[:, at]] if len(codes) else table.codes[:, at])
    classes = np.unique(keys, return_inverse=True)[1].reshape(-1).astype(np.int64)
    count = int(classes.max()) + 1 if len(classes) else 0
    sizes = np.bincount(classes, weights=table.counts, minlength=count).astype(np.int64)
    fails = sizes < requirement.k
    for name, codes in table.sensitive.items():
        unknown = table.unknown.get(name)
        fails |= _too_alike(classes, codes, table.counts, sizes, requirement, unknown)
    if requirement.t < 1:
        fails = _too_far(table, classes, sizes, fails, requirement)
    return Generalised(tuple(levels), classes, sizes, fails, int(sizes[fails].sum()))


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class _ValuesByClass:
    """Values of a sensitive attribute by class: owner, value and patients of each that occurs."""

    owner: Ints
    value: Ints
    patients: npt.NDArray[np.float64]

    @classmethod
    def of(cls, classes: Ints, codes: Ints, counts: Ints) -> _ValuesByClass:
        width = int(codes.max()) + 1 if len(codes) else 1
        cells, places = np.unique(classes * width + codes, return_inverse=True)
        patients = np.bincount(places.reshape(-1), weights=counts).astype(np.float64)
        return cls(cells // width, cells % width, patients)


def _too_alike(
    classes: Ints,
    codes: Ints,
    counts: Ints,
    sizes: Ints,
    requirement: Requirement,
    unknown: int | None,
) -> npt.NDArray[np.bool_]:
    """Which classes have too few values of a sensitive attribute (l-diversity)."""
    fails = np.zeros(len(sizes), np.bool_)
    cells = _ValuesByClass.of(classes, codes, counts)
    if requirement.l_distinct > 1:
        known = cells.owner if unknown is None else cells.owner[cells.value != unknown]
        fails |= np.bincount(known, minlength=len(sizes)) < requirement.l_distinct
    if requirement.l_entropy > 1:
        share = cells.patients / sizes[cells.owner]
        entropy = np.bincount(cells.owner, -share * np.log(share), minlength=len(sizes))
        fails |= np.exp(entropy) < requirement.l_entropy * (1 - 1e-9)
    return fails


def _too_far(
    table: CountedTable,
    classes: Ints,
    sizes: Ints,
    fails: npt.NDArray[np.bool_],
    requirement: Requirement,
) -> npt.NDArray[np.bool_]:
    """Which classes fail, with those that are too far from all that is released (t-closeness).

    What is released gets less with each class that fails, and with it how it is among all: so it is
    looked at again until nothing changes.
    """
    of_attribute = [
        _ValuesByClass.of(classes, codes, table.counts) for codes in table.sensitive.values()
    ]
    while True:
        before = fails
        for cells in of_attribute:
            released = ~fails[cells.owner]
            owner, value = cells.owner[released], cells.value[released]
            patients = cells.patients[released]
            if not len(owner):
                return fails
            whole = np.bincount(value, weights=patients) / patients.sum()
            apart = _distances(
                owner, value, patients / sizes[owner], whole, len(sizes), requirement.distance
            )
            apart[fails] = 0
            fails = fails | (apart > requirement.t + 1e-9)
        if fails.sum() == before.sum():
            return fails


_CELLS_AT_ONCE = 1 << 22


def _distances(
    owner: Ints,
    value: Ints,
    share: npt.NDArray[np.float64],
    whole: npt.NDArray[np.float64],
    classes: int,
    distance: Distance,
) -> npt.NDArray[np.float64]:
    """How far the shares of values in each class are from those among all: 0 to 1."""
    found = np.zeros(classes)
    step = max(1, _CELLS_AT_ONCE // len(whole))
    for first in range(0, classes, step):
        low, high = np.searchsorted(owner, [first, first + step])
        dense = np.zeros((min(step, classes - first), len(whole)))
        dense[owner[low:high] - first, value[low:high]] = share[low:high]
        apart = dense - whole
        if distance is Distance.EQUAL:
            found[first : first + step] = np.abs(apart).sum(axis=1) / 2
        elif len(whole) > 1:
            sums = np.abs(np.cumsum(apart, axis=1)).sum(axis=1)
            found[first : first + step] = sums / (len(whole) - 1)
    return found


def loss_of(hierarchies: Sequence[Hierarchy], levels: Sequence[int]) -> float:
    """How much levels lose: the mean share of its levels that each attribute has gone up.

    Source: Samarati and Sweeney 1998, precision of a generalisation.
    """
    return sum(level / h.most for h, level in zip(hierarchies, levels, strict=True)) / max(
        1, len(hierarchies)
    )


def _hopeless_pairs(
    table: CountedTable, k: int, allowed: int
) -> dict[tuple[int, int], set[tuple[int, int]]]:
    """For each two attributes the levels at which these alone leave too many in small classes.

    No other attribute can help then: more attributes only part classes. So of a large table most
    levels are never counted as a whole.
    """
    found = {}
    most = [hierarchy.most for hierarchy in table.hierarchies]
    for one, two in itertools.combinations(range(len(most)), 2):
        only = dataclasses.replace(
            table,
            hierarchies=(table.hierarchies[one], table.hierarchies[two]),
            codes=table.codes[:, [one, two]],
            sensitive={},
        ).summed()
        found[one, two] = {
            levels
            for levels in itertools.product(range(most[one] + 1), range(most[two] + 1))
            if generalised(only, levels, Requirement(k=k)).suppressed > allowed
        }
    return found


_NO_LEVELS = (
    "no levels do: even with all attributes hidden, {patients} patients are fewer than k = {k}, or "
    "all of them tell too much of a sensitive attribute. Ask for less, or let more be left out"
)


def least_levels(table: CountedTable, requirement: Requirement) -> Generalised:
    """The levels with the least loss at which few enough patients are suppressed.

    Of equal losses, the first by the order of the attributes. Levels are tried one after another:
    what is sensitive is not always told less at a coarser level once classes are suppressed.

    Raises:
        UsageError: if even the last levels do not do.
    """
    most = [hierarchy.most for hierarchy in table.hierarchies]
    choices = sorted(
        itertools.product(*(range(level + 1) for level in most)),
        key=lambda levels: (round(loss_of(table.hierarchies, levels), 9), levels),
    )
    allowed = int(requirement.suppressed * table.patients)
    plain = Requirement(k=requirement.k, l_distinct=requirement.l_distinct)
    if generalised(table, most, plain).suppressed > allowed:
        raise UsageError(_NO_LEVELS.format(patients=table.patients, k=requirement.k))
    hopeless = _hopeless_pairs(table, requirement.k, allowed)
    for levels in choices:
        if any((levels[one], levels[two]) in pairs for (one, two), pairs in hopeless.items()):
            continue
        found = generalised(table, levels, requirement)
        if found.suppressed <= allowed:
            return found
    raise UsageError(_NO_LEVELS.format(patients=table.patients, k=requirement.k))
