"""A release of the view: the levels that are frozen with the first, and the rows that go out."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pyarrow as pa

from ..core.errors import UsageError
from ..core.type_checks import check_field_types
from .anonymity import CountedTable, Distance, Requirement, generalised, least_levels
from .attributes import ViewAttributes
from .hierarchies import HIERARCHIES
from .merging import ViewTable

RELEASE = "restricted/view/release.json"
"""Where it lies, below the output."""

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
        requirement: what every class fulfils.
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
        from_texts = tuple(sorted(name for name, _ in attributes.labels))
        rules = cls(
            dict.fromkeys(attributes.identifying, 0), attributes.sensitive, from_texts, requirement
        )
        counted = rules.counted(rules.shown(table)).summed()
        levels = least_levels(counted, requirement).levels
        return dataclasses.replace(
            rules, levels=dict(zip(attributes.identifying, levels, strict=True))
        )

    @property
    def names(self) -> tuple[str, ...]:
        """All attributes, as columns have them."""
        return (*sorted(self.levels), *self.sensitive)

    def shown(self, table: ViewTable) -> ViewTable:
        """The rows as they go into classes: without words that few have."""
        for name in self.from_texts:
            table = table.without_rare(name, self.requirement.k, OTHER)
        return table

    def counted(self, table: ViewTable) -> CountedTable:
        """The rows, one by one."""
        return CountedTable(
            tuple(HIERARCHIES[name] for name in sorted(self.levels)),
            table.values,
            np.stack([table.codes[name] for name in sorted(self.levels)], axis=1),
            np.ones(len(table.patients), np.int64),
            {name: table.codes[name] for name in self.sensitive},
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
    """

    restricted: pa.Table
    public: pa.Table
    suppressed: int
    classes: int

    @classmethod
    def of(cls, table: ViewTable, rules: ViewRules) -> ViewRows:
        """Those of all patients."""
        shown = rules.shown(table)
        found = generalised(
            rules.counted(shown),
            [rules.levels[name] for name in sorted(rules.levels)],
            rules.requirement,
        )
        goes_out = ~found.fails[found.classes]
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
        return cls(
            pa.table(restricted), pa.table(public), found.suppressed, int((~found.fails).sum())
        )


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
    rows: str
    rows_sha256: str
    public_sha256: str

    @property
    def leaves_out_too_many(self) -> bool:
        """Whether more patients are left out than the requirement lets."""
        return self.suppressed > self.rules.requirement.suppressed * self.patients

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
            if any(
                name not in HIERARCHIES or not 0 <= level <= HIERARCHIES[name].most
                for name, level in release.rules.levels.items()
            ):
                raise ValueError("levels")
        except (ValueError, KeyError, TypeError, RecursionError, UsageError) as error:
            raise UsageError(
                f"the release of the view is damaged ({type(error).__name__}): {RELEASE}"
            ) from None
        return release
