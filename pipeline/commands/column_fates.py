"""What becomes of each input column: input column -> output column, before a run is started."""

from __future__ import annotations

from collections.abc import Iterator

from ...models.core.display_names import MOST_NAMED
from ...models.formats.column_roles import DOC_KEY, PATIENT_KEY, Columns, Role
from ...models.redaction.policy import Policy


def column_fates(columns: Columns, policy: Policy) -> Iterator[str]:
    """Yields a line for each declared column, in the order of declaration.

    `note_ts (date) -> left out by policy hipaa`; at most `MOST_NAMED` of them.
    """
    width = max((len(name) + len(role) for name, role in columns.roles[:MOST_NAMED]), default=0)
    for name, role in columns.roles[:MOST_NAMED]:
        yield f"  {f'{name} ({role})':<{width + 3}} -> {_fate(name, role, policy)}"
    if (more := len(columns.roles) - MOST_NAMED) > 0:
        yield f"  and {more:,} more"


def _fate(name: str, role: Role, policy: Policy) -> str:
    if role is Role.DATE:
        by = f"by policy {policy.name}"
        return f"{name}, as it is, {by}" if policy.keep_dates else f"left out {by}"
    return {
        Role.TEXT: f"{name}, scrubbed by policy {policy.name}",
        Role.ID: f"{DOC_KEY}, a keyed hash",
        Role.PATIENT: f"{PATIENT_KEY}, a keyed hash",
        Role.TYPE: f"{name}, as it is",
        Role.PASS: f"{name}, as it is",
        Role.HASH: f"{name}, a keyed hash",
        Role.DROP: "left out",
    }[role]
