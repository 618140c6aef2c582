"""What a run learns after its plan was frozen: the skip-list, ordinals of repeated ids.

Both are facts about rows of units, kept under restricted/<run>/rework.json. A receipt names the
facts that its unit was run with; when they change, the unit is run again. So the end state depends
on the facts alone, not on when they were learnt.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from .errors import RunFailed
from .keys import fingerprint
from .storage import Storage


@dataclasses.dataclass(frozen=True, slots=True)
class UnitRework:
    """The facts about one unit.

    Attributes:
        skip: row ordinal -> error class under which the row is quarantined: unread, or for
            `SKIPPED` once it is read.
        ordinals: row ordinal -> ordinal among equal ids, where it is not 0.
    """

    skip: Mapping[int, str]
    ordinals: Mapping[int, int]

    @property
    def hash(self) -> str:
        """Changes when the facts do; "" if there are none."""
        if not self.skip and not self.ordinals:
            return ""
        return fingerprint(json.dumps([sorted(self.skip.items()), sorted(self.ordinals.items())]))[
            :16
        ]


SKIPPED = "Skipped"
"""The class of rows that an operator leaves out. It is no verdict: what reading finds wrong with
such a row is said in its place."""

NOTHING_LEARNT = UnitRework({}, {})


@dataclasses.dataclass(frozen=True, slots=True)
class Rework:
    """The facts about all units of a run.

    Attributes:
        units: unit index -> its facts; units without any are left out.
    """

    units: Mapping[int, UnitRework] = dataclasses.field(default_factory=dict)

    def of_unit(self, unit: int) -> UnitRework:
        """The facts about one unit."""
        return self.units.get(unit, NOTHING_LEARNT)

    def skipping(self, unit: int, row: int, error: str) -> Rework:
        """These facts and one more row on the skip-list."""
        old = self.of_unit(unit)
        return Rework({**self.units, unit: UnitRework({**old.skip, row: error}, old.ordinals)})

    def numbering(self, ordinals: Mapping[int, Mapping[int, int]]) -> Rework:
        """These facts with all ordinals replaced: unit -> row -> ordinal."""
        units = {
            unit: UnitRework(self.of_unit(unit).skip, dict(ordinals.get(unit, {})))
            for unit in {*self.units, *ordinals}
        }
        return Rework({unit: facts for unit, facts in units.items() if facts.hash})

    def write(self, storage: Storage, folder: str) -> None:
        """Writes the facts into `folder` (atomic)."""
        value = {
            str(unit): {
                "skip": {str(row): code for row, code in sorted(facts.skip.items())},
                "ordinals": {str(row): n for row, n in sorted(facts.ordinals.items())},
            }
            for unit, facts in sorted(self.units.items())
        }
        storage.write_bytes(f"{folder}/rework.json", json.dumps(value, indent=1).encode())

    @classmethod
    def read(cls, storage: Storage, folder: str) -> Rework:
        """Reads the facts; none if nothing was learnt yet.

        Raises:
            RunFailed: if the file is damaged.
        """
        try:
            value: dict[str, Any] = json.loads(storage.read_bytes(f"{folder}/rework.json"))
            return cls(
                {
                    int(unit): UnitRework(
                        {int(row): str(code) for row, code in facts["skip"].items()},
                        {int(row): int(n) for row, n in facts["ordinals"].items()},
                    )
                    for unit, facts in value.items()
                }
            )
        except FileNotFoundError:
            return cls()
        except (
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
            OverflowError,
            RecursionError,
        ) as error:
            raise RunFailed(
                f"restricted/<run>/rework.json is damaged ({type(error).__name__})"
            ) from None
