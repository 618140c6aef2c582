"""What is known of people, opened for the steps of a job: a roster, or what rows say themselves."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable

from ..core.code_hash import hash_of_room
from ..core.detectors import ROSTER, DetectorId
from ..core.errors import DocumentError
from ..core.keys import fingerprint
from ..core.known_values import LABEL_OF, NAME_LABEL, STAFF_LABEL, KnownValue, PersonKind
from ..core.shortage import raise_shortage
from .bundle import RosterBundle
from .staff import StaffIndex

DEFAULT_FUZZY = 1
"""Edits within which a strong name is found; see `Matcher`."""

LABELS = frozenset((*LABEL_OF.values(), NAME_LABEL, STAFF_LABEL))
"""Labels of what is looked for; one that a policy keeps is not, and is not asserted."""


@functools.cache
def people_code_hash() -> str:
    """Hash of the code, and of the lists, by which people are found and asserted."""
    return fingerprint(hash_of_room("roster"), hash_of_room("dates"))


def detector_hashes_of_people(fuzzy: int = DEFAULT_FUZZY) -> dict[str, str]:
    """Name -> hash of the detectors of a roster, one for each kind of people.

    Which roster is not in it: equal rows of two rosters find the same.
    """
    value = fingerprint(people_code_hash(), str(fuzzy))
    return dict.fromkeys(_KIND_OF, value)


_KIND_OF = {str(DetectorId(ROSTER, kind)): kind for kind in PersonKind}


def whose(detectors: Iterable[str]) -> str | None:
    """Whose entry of a roster a span is, by the detectors that cover it; of several the first."""
    kinds = {_KIND_OF[name] for name in detectors if name in _KIND_OF}
    return next((kind.value for kind in PersonKind if kind in kinds), None)


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class KnownPeople:
    """Whom a job knows beforehand.

    Attributes:
        bundle: the roster; None where only rows say something of themselves.
        staff: its index of staff.
        fuzzy: see `Matcher`.
    """

    bundle: RosterBundle | None = None
    staff: StaffIndex | None = None
    fuzzy: int = DEFAULT_FUZZY

    @classmethod
    def of(cls, bundle: RosterBundle, fuzzy: int = DEFAULT_FUZZY) -> KnownPeople:
        """Those of a roster.

        Raises:
            RosterError: if its index of staff is damaged.
        """
        return cls(bundle, bundle.staff(), fuzzy)

    def has(self, patient_key: str) -> bool:
        """Whether the roster has a patient; errors of the files as in `row`."""
        return self.bundle is not None and self.bundle.sealed(patient_key) is not None

    def row(self, patient_key: str) -> tuple[KnownValue, ...] | None:
        """What the roster knows of a patient; None if it does not have the patient.

        Raises:
            DocumentError: if this one row is over its budget, or damaged.
            RosterError: if a file of the roster is damaged, missing, or another one by now.
        """
        if self.bundle is None or (sealed := self.bundle.sealed(patient_key)) is None:
            return None
        try:
            return self.bundle.opened(patient_key, sealed)
        except DocumentError:
            raise
        except Exception as error:  # fail closed: the rows of other patients are whole
            raise_shortage(error)
            raise DocumentError("DamagedRosterRow") from None
