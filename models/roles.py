"""Column roles: what may be done with each input column. An undeclared column is refused.

Publishing a column like `patient_name` by accident is the commonest leak of all; so nothing passes
unless somebody said that it may.
"""

from __future__ import annotations

import dataclasses
import enum
import re
import shlex
from collections.abc import Container, Iterable, Mapping, Sequence

from .errors import UsageError


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


@dataclasses.dataclass(frozen=True, slots=True)
class Columns:
    """The declared role of every input column, partition keys included.

    Attributes:
        roles: column -> role, in the order of declaration.

    Raises:
        UsageError: if there is not exactly one `id`, not at least one `text`, more than one
            `patient` or `type`, or a name that Scrubline itself writes.
    """

    roles: tuple[tuple[str, Role], ...]

    def __post_init__(self) -> None:
        names = [name for name, _ in self.roles]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            raise UsageError(f"columns declared twice: {twice}")
        if not self.named(Role.TEXT):
            raise UsageError("no column has role text: say which one with --column NAME=text")
        if len(self.named(Role.ID)) != 1:
            raise UsageError(
                f"exactly one column must have role id (found {list(self.named(Role.ID))}): "
                "doc_key, which joins data and audit, is made from it; "
                "say which with --column NAME=id"
            )
        for role in (Role.PATIENT, Role.TYPE):
            if len(self.named(role)) > 1:
                raise UsageError(f"only one column may have role {role}: {list(self.named(role))}")
        for name, role in self.roles:
            if name in (DOC_KEY, PATIENT_KEY) and role in (
                Role.PASS,
                Role.TEXT,
                Role.HASH,
                Role.TYPE,
                Role.DATE,
            ):
                raise UsageError(
                    f"the input has a column {name}, a name that the output needs: declare it drop"
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
                raise UsageError(f"column {name}: unknown role {role!r}; roles are {known}")
            roles.append((name, Role(role)))
        return cls(tuple(roles))

    def named(self, role: Role) -> tuple[str, ...]:
        """The columns of one role, in order."""
        return tuple(name for name, r in self.roles if r == role)

    def role_of(self, name: str) -> Role:
        """The role of a declared column."""
        return dict(self.roles)[name]

    def check(
        self, available: Iterable[str], *, sampled: bool = False, unseen: bool = False
    ) -> None:
        """Compares the declaration with the columns that the input has.

        Args:
            available: the columns seen.
            sampled: whether only the beginning of the input was seen: then a declared column may
                come later, but for id and text, which every record needs.
            unseen: whether no file showed any column, all being empty or damaged: then none is
                missed, for there is no record that could be published without it.

        Raises:
            UsageError: for undeclared columns, with the list and the options to add; for declared
                ones that the input does not have.
        """
        present = list(dict.fromkeys(available))
        declared = dict(self.roles)
        if undeclared := [name for name in present if name not in declared]:
            told = [n for n in undeclared if can_be_shown(n, present, declared)]
            options = [f"--column {shlex.quote(f'{name}=ROLE')}" for name in told]
            if len(told) < len(undeclared):
                options.append("--column NAME=ROLE for each")
            raise UsageError(
                "the input has columns without a declared role: "
                f"{shown_names(undeclared, present, declared)}. "
                "Nothing passes that nobody declared. "
                f"Add: {' '.join(options)} (ROLE is one of {', '.join(Role)})"
            )
        if unseen:
            return
        needed = {Role.ID, Role.TEXT} if sampled else set(Role) - {Role.DROP}
        if missing := [name for name, r in self.roles if name not in present and r in needed]:
            raise UsageError(
                f"declared columns that the input does not have: {missing}; it has "
                f"{shown_names(present, present, declared)}"
            )


TEXT_FILES = Columns(tuple(PRESETS["text files"].items()))

_NAME = re.compile(r"(?!.*\d{4})(?=.{1,64}\Z)[^\W\d][\w.-]*(?: [\w.-]+){0,3}")


def can_be_shown(name: str, present: Sequence[str], declared: Container[str] = ()) -> bool:
    """Whether a message may hold the name of a column.

    The names of a CSV file without a header are its first record; keys of JSON are what somebody
    put there. So it must look like a name: some short words without long numbers. Where half of the
    names do not, and none is a declared one, all are taken for a record, which may hold words too.

    Args:
        present: all columns of the input.
        declared: those that were named by whoever reads the message.
    """
    if name in declared:
        return True
    if not _NAME.fullmatch(name):
        return False
    strange = sum(not _NAME.fullmatch(other) for other in present)
    return 2 * strange < len(present) or any(other in declared for other in present)


def shown_names(names: Iterable[str], present: Sequence[str], declared: Container[str] = ()) -> str:
    """Names of columns for a message; those that `can_be_shown` refuses as `column 2`.

    Args:
        present: all columns of the input in order, for their places.
        declared: see `can_be_shown`.
    """
    held = {name: can_be_shown(name, present, declared) for name in names}
    shown = [repr(n) if good else f"column {present.index(n) + 1}" for n, good in held.items()]
    hint = (
        " (not shown: what does not look like a name; a CSV file without a header needs "
        "--no-header)"
    )
    return f"[{', '.join(shown)}]" + ("" if all(held.values()) else hint)


def preset_for(available: Iterable[str]) -> Columns | None:
    """The preset roles for an input whose columns are all known, or None."""
    present = list(dict.fromkeys(available))
    for roles in PRESETS.values():
        needed = {name for name, role in roles.items() if role in (Role.ID, Role.TEXT)}
        if needed <= set(present) <= set(roles):
            return Columns(tuple((name, roles[name]) for name in present))
    return None
