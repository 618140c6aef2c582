"""What a run finds out after its plan was frozen: rows to skip, ordinals of repeated ids, links.

They amend the plan of a unit, and are kept in restricted/<run>/rework.json. A receipt has the hash
of the amendments that its unit was run with; when they change, the unit is run again. So the result
depends on the amendments alone, not on when they were found.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any

from ..core.errors import RunFailed
from ..core.keys import fingerprint
from ..storage.storage import Storage


@dataclasses.dataclass(frozen=True, slots=True)
class UnitAmendments:
    """The amendments of one unit.

    Attributes:
        skip: row ordinal -> error class under which the row is quarantined: unread, or, for
            `SKIPPED`, after it is read.
        ordinals: row ordinal -> ordinal among equal ids, where it is not 0.
        facts: hash of the unit's file of facts, what other notes say; "" for none.
    """

    skip: Mapping[int, str]
    ordinals: Mapping[int, int]
    facts: str = ""

    @property
    def hash(self) -> str:
        """Changes when the amendments do; "" if there are none."""
        if not self.skip and not self.ordinals and not self.facts:
            return ""
        found: list[object] = [sorted(self.skip.items()), sorted(self.ordinals.items())]
        return fingerprint(json.dumps([*found, self.facts] if self.facts else found))[:16]


SKIPPED = "Skipped"
"""The class of rows that an operator leaves out. If reading finds something wrong with such a row,
it gets the class of that error instead."""

NO_AMENDMENTS = UnitAmendments({}, {})


@dataclasses.dataclass(frozen=True, slots=True)
class RunAmendments:
    """The amendments of all units of a run.

    Attributes:
        units: unit index -> its amendments; units without any are absent.
    """

    units: Mapping[int, UnitAmendments] = dataclasses.field(default_factory=dict)

    def of_unit(self, unit: int) -> UnitAmendments:
        """The amendments of one unit."""
        return self.units.get(unit, NO_AMENDMENTS)

    def skipping(self, unit: int, row: int, error: str) -> RunAmendments:
        """These amendments, with one more row on the skip-list."""
        old = self.of_unit(unit)
        return RunAmendments(
            {**self.units, unit: dataclasses.replace(old, skip={**old.skip, row: error})}
        )

    def numbering(self, ordinals: Mapping[int, Mapping[int, int]]) -> RunAmendments:
        """These amendments, with all ordinals replaced: unit -> row -> ordinal."""
        return self._with(
            {
                unit: dataclasses.replace(self.of_unit(unit), ordinals=dict(ordinals.get(unit, {})))
                for unit in {*self.units, *ordinals}
            }
        )

    def linking(self, facts: Mapping[int, str]) -> RunAmendments:
        """These amendments, with all facts replaced: unit -> hash."""
        return self._with(
            {
                unit: dataclasses.replace(self.of_unit(unit), facts=facts.get(unit, ""))
                for unit in {*self.units, *facts}
            }
        )

    @staticmethod
    def _with(units: Mapping[int, UnitAmendments]) -> RunAmendments:
        return RunAmendments({unit: own for unit, own in units.items() if own.hash})

    def write(self, storage: Storage, folder: str) -> None:
        """Writes the amendments into `folder`, atomically."""
        value = {
            str(unit): {
                "skip": {str(row): code for row, code in sorted(own.skip.items())},
                "ordinals": {str(row): n for row, n in sorted(own.ordinals.items())},
                **({"facts": own.facts} if own.facts else {}),
            }
            for unit, own in sorted(self.units.items())
        }
        storage.write_bytes(f"{folder}/rework.json", json.dumps(value, indent=1).encode())

    @classmethod
    def read(cls, storage: Storage, folder: str) -> RunAmendments:
        """Reads the amendments; there are none if the file does not exist.

        Raises:
            RunFailed: if the file is damaged.
        """
        try:
            value: dict[str, Any] = json.loads(storage.read_bytes(f"{folder}/rework.json"))
            return cls(
                {
                    int(unit): UnitAmendments(
                        {int(row): str(code) for row, code in own["skip"].items()},
                        {int(row): int(n) for row, n in own["ordinals"].items()},
                        str(own.get("facts", "")),
                    )
                    for unit, own in value.items()
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
                f"restricted/<run>/rework.json is damaged ({type(error).__name__}): give the run "
                "up with `scrubline resume --output ... --discard`, then scrub again"
            ) from None
