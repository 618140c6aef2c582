"""What the columns of a table of people are: the long form, or a wide one by a mapping.

Long: a row a value, with columns `patient`, `kind`, `attribute`, `value`. Wide: a row a person,
with a column of patients' ids, and attributes by column, each of the patient ("family") or of
somebody else ("relative:family", "staff:name").
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from ..core.errors import UsageError
from ..core.known_values import KnownAttribute, PersonKind
from ..core.suggestions import did_you_mean

PATIENT, KIND, ATTRIBUTE, VALUE, DROP = "patient", "kind", "attribute", "value", "drop"

_LONG = (PATIENT, KIND, ATTRIBUTE, VALUE)


@dataclasses.dataclass(frozen=True, slots=True)
class TableColumns:
    """Where in a table is what.

    Attributes:
        patient: column of the patients' ids; None in a wide table of staff.
        kind: column of kinds in the long form; None in a wide table.
        attribute: column of attributes in the long form.
        value: column of values in the long form.
        wide: column -> whose attribute it holds, in a wide table.
    """

    patient: str | None
    kind: str | None = None
    attribute: str | None = None
    value: str | None = None
    wide: Mapping[str, tuple[PersonKind, KnownAttribute]] = dataclasses.field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that are read, each once."""
        own = (self.patient, self.kind, self.attribute, self.value, *self.wide)
        return tuple(dict.fromkeys(name for name in own if name is not None))


def attribute_of(meaning: str) -> tuple[PersonKind, KnownAttribute] | None:
    """What "family" or "staff:family" (or "staff.family") means; None for anything else."""
    kind, separator, attribute = meaning.replace(".", ":").rpartition(":")
    try:
        return PersonKind(kind if separator else PersonKind.SELF), KnownAttribute(attribute)
    except ValueError:
        return None


def check_mapping(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Column -> what it is, of `--column NAME=WHAT`.

    Raises:
        UsageError: if WHAT is unknown, or a column is named twice.
    """
    found: dict[str, str] = {}
    known = (*_LONG, DROP, *KnownAttribute)
    for number, (name, meaning) in enumerate(pairs, 1):
        if meaning not in (*_LONG, DROP) and attribute_of(meaning) is None:
            meant = did_you_mean(meaning.rpartition(":")[2], known)
            raise UsageError(
                f"--column number {number}: {meaning!r} is nothing that a table of people "
                f"holds{meant}; known are {', '.join(known)}, and of others than the patient "
                f"KIND:ATTRIBUTE with {', '.join(PersonKind)}"
            )
        if name in found:
            raise UsageError(f"--column number {number}: the column is named twice")
        found[name] = meaning
    return found


def columns_of(
    available: Sequence[str], mapping: Mapping[str, str], where: str, *, partial: bool = False
) -> TableColumns:
    """What is where in a table that has these columns.

    Without a mapping the table is in the long form.

    Args:
        available: columns of the table.
        mapping: of `check_mapping`; a column that this table lacks is another table's.
        where: of the table, for messages.
        partial: whether the table may have columns that were not seen yet.

    Raises:
        UsageError: if it has not what one of the two forms needs.
    """
    present = set(available)
    meanings = {
        name: meaning for name, meaning in mapping.items() if partial or name in present
    } or {name: name for name in _LONG if name in present}
    by: dict[str, str] = {}
    wide: dict[str, tuple[PersonKind, KnownAttribute]] = {}
    for name, meaning in meanings.items():
        if (meant := attribute_of(meaning)) is not None:
            wide[name] = meant
        elif meaning != DROP:
            if meaning in by:
                raise UsageError(f"{where}: two columns are said to be the {meaning}")
            by[meaning] = name
    patient = by.get(PATIENT)
    long = [meaning for meaning in (KIND, ATTRIBUTE, VALUE) if meaning in by]
    if wide and not long:
        if patient is None and any(kind is not PersonKind.STAFF for kind, _ in wide.values()):
            raise UsageError(
                f"{where}: no column holds the patients' ids: say which with --column NAME=patient"
            )
        return TableColumns(patient, wide=wide)
    if wide:
        raise UsageError(
            f"{where}: a table is in the long form (patient, kind, attribute, value) or in a wide "
            "one (attributes by column), not in both"
        )
    if len(long) < 3 or patient is None:
        missing = [meaning for meaning in _LONG if meaning not in by]
        raise UsageError(
            f"{where}: a table of people has the columns patient, kind, attribute, value, and "
            f"{', '.join(missing)} is missing; say what other columns are with --column NAME=WHAT, "
            "for example --column PAT_ID=patient --column LAST=family"
        )
    return TableColumns(patient, by[KIND], by[ATTRIBUTE], by[VALUE])
