"""Column roles: what may be done with each input column. An undeclared column is refused.

Publishing a column like `patient_name` by accident is the commonest leak of all; so no column
passes unless the user declared that it may.
"""

from __future__ import annotations

import dataclasses
import enum
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from ..core.display_names import ColumnNames, declared_list
from ..core.errors import UsageError
from ..core.suggestions import did_you_mean


class Role(enum.StrEnum):
    """What a column is."""

    TEXT = "text"
    ID = "id"
    PATIENT = "patient"
    TYPE = "type"
    DATE = "date"
    PASS = "pass"
    DROP = "drop"
    HASH = "hash"


MEANING = {
    Role.TEXT: "free text: scrubbed",
    Role.ID: "identifies the row: replaced by doc_key",
    Role.PATIENT: "identifies the patient: replaced by patient_key",
    Role.TYPE: "kind of note: passed, and seen by detectors",
    Role.DATE: "date of the note: passed or dropped as the policy says",
    Role.PASS: "passed unchanged",
    Role.DROP: "left out",
    Role.HASH: "replaced by a keyed hash of its value",
}
DOC_KEY, PATIENT_KEY = "doc_key", "patient_key"

MOST_COLUMNS = 100_000
"""Of an input, and of a declaration. The work is linear in them, but each takes memory."""

PRESETS: Mapping[str, Mapping[str, Role]] = {
    "text files": {"path": Role.ID, "text": Role.TEXT},
    "stand-off corpus": {
        "doc_id": Role.ID,
        "text": Role.TEXT,
        "spans": Role.DROP,
        "meta": Role.DROP,
    },
}
"""Roles taken when none is declared and every column of the input is in one of these."""


def require_few(columns: int, what: str) -> None:
    """Refuses more columns than `MOST_COLUMNS`.

    Raises:
        UsageError: with the number and the limit.
    """
    if columns > MOST_COLUMNS:
        raise UsageError(
            f"{what} {columns:,} columns; at most {MOST_COLUMNS:,} are supported: is it a table, "
            "and is --delimiter right?"
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Columns:
    """The declared role of every input column, partition keys included.

    Attributes:
        roles: column -> role, in the order of declaration.

    Raises:
        UsageError: if there is not exactly one `id`, not at least one `text`, more than one
            `patient` or `type`, more than `MOST_COLUMNS`, or a name that Scrubline itself writes.
    """

    roles: tuple[tuple[str, Role], ...]

    def __post_init__(self) -> None:
        require_few(len(self.roles), "roles are declared for")
        times = Counter(name for name, _ in self.roles)
        if twice := sorted(name for name, count in times.items() if count > 1):
            raise UsageError(f"columns declared twice: {declared_list(twice)}")
        if not self.named(Role.TEXT):
            raise UsageError("no column has role text: say which one with --column NAME=text")
        if len(self.named(Role.ID)) != 1:
            found = declared_list(self.named(Role.ID))
            raise UsageError(
                f"exactly one column must have role id (found {found}): "
                "doc_key, which joins data and audit, is made from it; "
                "say which with --column NAME=id"
            )
        for role in (Role.PATIENT, Role.TYPE):
            if len(self.named(role)) > 1:
                found = declared_list(self.named(role))
                raise UsageError(f"only one column may have role {role}: {found}")
        for name, role in self.roles:
            if name in (DOC_KEY, PATIENT_KEY) and role in (
                Role.PASS,
                Role.TEXT,
                Role.HASH,
                Role.TYPE,
                Role.DATE,
            ):
                raise UsageError(
                    f"the input has a column {name}, a name that the output uses: give it role drop"
                )

    @classmethod
    def parse(cls, pairs: Iterable[tuple[str, str]]) -> Columns:
        """Builds from (name, role) texts.

        Raises:
            UsageError: for an unknown role, with the list of roles and what they mean.
        """
        roles = []
        for name, role in pairs:
            if role not in Role.__members__.values():
                known = "; ".join(f"{r}: {MEANING[r]}" for r in Role)
                meant = did_you_mean(role, list(Role))
                raise UsageError(f"column {name}: unknown role {role!r}{meant}; roles are {known}")
            roles.append((name, Role(role)))
        return cls(tuple(roles))

    def named(self, role: Role) -> tuple[str, ...]:
        """The columns of one role, in order."""
        return tuple(name for name, r in self.roles if r == role)

    def role_of(self, name: str) -> Role:
        """The role of a declared column."""
        return dict(self.roles)[name]

    def check(
        self,
        available: Iterable[str],
        *,
        partial: bool = False,
        unseen: bool = False,
        where: Callable[[str], str] = lambda name: "",
    ) -> None:
        """Compares the declaration with the columns that the input has.

        Args:
            available: the columns seen.
            partial: whether only the beginning of the input was seen: then a declared column may
                come later, except id and text, which every record needs.
            unseen: whether no file showed any column, because all are empty or damaged: then no
                column is missing, as no record could be published without it.
            where: names the file that has a column, for the message; "" if there is only one.

        Raises:
            UsageError: for undeclared columns, with the list and the options to add; for declared
                ones that the input does not have, which may be the same, misspelt.
        """
        present = dict.fromkeys(available)
        declared = dict(self.roles)
        names = ColumnNames(present, declared)
        if undeclared := [name for name in present if name not in declared]:
            place = where(undeclared[0])
            raise names.error(
                "the input has columns without a declared role: {columns}"
                f"{place and f', the first in {place}'}. Undeclared columns are never passed on. "
                f"Add: {{options}} (ROLE is one of {', '.join(Role)})",
                undeclared,
                unseen=[name for name in declared if name not in present],
            )
        if unseen:
            return
        needed = {Role.ID, Role.TEXT} if partial else set(Role) - {Role.DROP}
        if missing := [name for name, r in self.roles if name not in present and r in needed]:
            raise UsageError(
                f"the input lacks declared columns: {declared_list(missing)}; it has "
                f"{declared_list(present)}"
            )


TEXT_FILES = Columns(tuple(PRESETS["text files"].items()))


def preset_for(available: Iterable[str]) -> Columns | None:
    """The preset roles for an input whose columns are all known, or None."""
    present = list(dict.fromkeys(available))
    for roles in PRESETS.values():
        needed = {name for name, role in roles.items() if role in (Role.ID, Role.TEXT)}
        if needed <= set(present) <= set(roles):
            return Columns(tuple((name, roles[name]) for name in present))
    return None
