"""A release of the view: the levels that are frozen with the first, and the rows that go out."""

from __future__ import annotations

import dataclasses
import json
import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..core.errors import UsageError
from ..core.type_checks import check_field_types
from .anonymity import CountedTable, Distance, Requirement, generalised, least_levels
from .attributes import RESERVED, ViewAttributes
from .hierarchies import HIERARCHIES, UNKNOWN
from .merging import ViewTable

RELEASE = "restricted/view/release.json"
"""Where it lies, below the output."""

ROWS = re.compile(r"restricted/view/patients-[0-9]{1,9}\.parquet")
"""Where its restricted rows lie."""

OTHER = "other"
"""In place of what texts name, and fewer than k patients have."""

CLASS_SIZE = "class_size"
"""Column of the restricted rows: how many patients look alike; 0 for those who are left out."""


@dataclasses.dataclass(frozen=True, slots=True)
class ViewRules:
    """How rows are made anonymous; frozen with the first release.

    Attributes:
        levels: attribute by which somebody may be known -> its level.
        sensitive: the other attributes.
        from_texts: those of them whose values are words of notes.
        requirement: what every class fulfils, and how many may be left out for it.
    """

    levels: dict[str, int]
    sensitive: tuple[str, ...]
    from_texts: tuple[str, ...]
    requirement: Requirement

    @classmethod
    def chosen(
        cls, table: ViewTable, attributes: ViewAttributes, requirement: Requirement
    ) -> ViewRules:
        """Those with the least loss; errors as of `least_levels`."""
        levels = dict.fromkeys(attributes.identifying, 0)
        rules = cls(levels, attributes.sensitive, attributes.from_texts, requirement)
        counted = rules.counted(rules.shown(table)).summed()
        least = least_levels(counted, requirement).levels
        return dataclasses.replace(rules, levels=dict(zip(levels, least, strict=True)))

    @property
    def names(self) -> tuple[str, ...]:
        """All attributes, as columns have them."""
        return (*sorted(self.levels), *self.sensitive)

    def shown(self, table: ViewTable, among: npt.NDArray[np.bool_] | None = None) -> ViewTable:
        """The rows as they go into classes: without words that few have, of some or of all."""
        some = np.ones(len(table.patients), np.bool_) if among is None else among
        for name in self.from_texts:
            table = table.without_rare(name, self.requirement.k, OTHER, some)
        return table

    def counted(self, table: ViewTable) -> CountedTable:
        """The rows, one by one."""
        return CountedTable(
            tuple(HIERARCHIES[name] for name in sorted(self.levels)),
            table.values,
            np.stack([table.codes[name] for name in sorted(self.levels)], axis=1),
            np.ones(len(table.patients), np.int64),
            {name: table.codes[name] for name in self.sensitive},
            {
                name: table.values[name].index(UNKNOWN)
                for name in self.sensitive
                if UNKNOWN in table.values[name]
            },
        )


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class ViewRows:
    """The rows of a view under some rules.

    Attributes:
        restricted: of all patients: key, a column for each attribute as fine as it is kept, and
            `CLASS_SIZE`.
        public: of those who are not left out: key, and the attributes as they go out.
        suppressed: patients who are left out.
        classes: that go out.
        known: attribute -> of how many patients it is known.
    """

    restricted: pa.Table
    public: pa.Table
    suppressed: int
    classes: int
    known: dict[str, int]

    @classmethod
    def of(cls, table: ViewTable, rules: ViewRules) -> ViewRows:
        """Those of all patients."""
        levels = [rules.levels[name] for name in sorted(rules.levels)]
        shown = rules.shown(table)
        while True:
            found = generalised(rules.counted(shown), levels, rules.requirement)
            goes_out = ~found.fails[found.classes]
            # Words that few have of those who go out: with fewer values, more classes may fail.
            again = rules.shown(shown, goes_out)
            if all(again.values[name] == shown.values[name] for name in rules.from_texts):
                break
            shown = again
        everyone = np.ones(len(goes_out), np.bool_)
        sizes = np.where(goes_out, found.sizes[found.classes], 0)
        restricted = {"patient_key": table.patients}
        public = {"patient_key": table.patients.filter(pa.array(goes_out))}
        for name in rules.names:
            level = rules.levels.get(name, 0)
            values = [
                HIERARCHIES[name].at(value, level) if name in rules.levels else value
                for value in shown.values[name]
            ]
            restricted[name] = table.shown(name, table.values[name], everyone)
            public[name] = shown.shown(name, values, goes_out)
        restricted[CLASS_SIZE] = pa.array(sizes, pa.int32())
        known = {
            name: int(pc.sum(pc.not_equal(restricted[name], UNKNOWN)).as_py() or 0)
            for name in rules.names
        }
        classes = int((~found.fails).sum())
        return cls(pa.table(restricted), pa.table(public), found.suppressed, classes, known)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """What a view was made with, and what came of it.

    Attributes:
        number: of builds, from 1.
        levels_number: of choices of levels, from 1; more than 1 after `view relevel`.
        run: of the output, that was published when it was built.
        key_check: of the key that the patients' keys were made with.
        rules: frozen with the first release.
        patients, suppressed: who is in the restricted rows, and who of them is left out.
        classes: that are released.
        known: attribute -> of how many patients it is known.
        rows, rows_sha256: the restricted rows, below the output.
        public_sha256: of the released ones.
    """

    number: int
    levels_number: int
    run: str
    key_check: str
    rules: ViewRules
    patients: int
    suppressed: int
    classes: int
    known: dict[str, int]
    rows: str
    rows_sha256: str
    public_sha256: str

    @property
    def leaves_out_too_many(self) -> bool:
        """Whether more patients are left out than the requirement lets."""
        return self.suppressed > self.rules.requirement.suppressed * self.patients

    @property
    def is_possible(self) -> bool:
        """Whether a build can have written it."""
        rules, numbers = self.rules, (self.number, self.patients, self.suppressed, self.classes)
        return (
            bool(rules.levels)
            and all(
                name in HIERARCHIES and 0 <= level <= HIERARCHIES[name].most
                for name, level in rules.levels.items()
            )
            and not {*rules.sensitive} & (HIERARCHIES.keys() | RESERVED)
            and set(rules.from_texts) <= set(rules.sensitive)
            and self.known.keys() == set(rules.names)
            and min(numbers) >= 0
            and ROWS.fullmatch(self.rows) is not None
        )

    def to_json(self) -> str:
        """The release as JSON text."""
        return json.dumps(dataclasses.asdict(self), indent=1, sort_keys=True)

    @classmethod
    def from_json(cls, text: str | bytes) -> Release:
        """Reads what `to_json` wrote.

        Raises:
            UsageError: if it is damaged.
        """
        try:
            value: dict[str, Any] = json.loads(text)
            rules = dict(value["rules"])
            asked = dict(rules["requirement"])
            asked["distance"] = Distance(asked["distance"])
            rules["requirement"] = Requirement(**asked)
            for name in ("sensitive", "from_texts"):
                rules[name] = tuple(rules[name])
            release = cls(**value | {"rules": ViewRules(**rules)})
            check_field_types(release)
            if not release.is_possible:
                raise ValueError("values")
        except (ValueError, KeyError, TypeError, RecursionError, UsageError) as error:
            raise UsageError(
                f"the release of the view is damaged ({type(error).__name__}): {RELEASE}"
            ) from None
        return release
