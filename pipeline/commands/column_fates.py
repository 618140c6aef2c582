"""What becomes of each input column: input column -> output column, before a run and after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...models.core.display_names import MOST_NAMED
from ...models.formats.column_roles import DOC_KEY, PATIENT_KEY, Role


def column_fates(roles: Sequence[Sequence[str]], policy: Mapping[str, Any]) -> Iterator[str]:
    """Yields a line for each declared column, in the order of declaration.

    `note_ts (date) -> left out by policy hipaa`; at most `MOST_NAMED` of them.

    Args:
        roles: name and role of each column, as `Columns.roles` and manifests have them.
        policy: what `Policy.to_dict` says; manifests of versions up to 0.10.0 do not say what it
            does with dates.
    """
    # Of what is known of people, a manifest says what it is: `known:name`.
    shown = [(name, role.partition(":")[0]) for name, role, *_ in roles[:MOST_NAMED]]
    width = max((len(name) + len(role) for name, role in shown), default=0)
    for name, role in shown:
        yield f"  {f'{name} ({role})':<{width + 3}} -> {_fate(name, role, policy)}"
    if (more := len(roles) - MOST_NAMED) > 0:
        yield f"  and {more:,} more"


def _fate(name: str, role: str, policy: Mapping[str, Any]) -> str:
    by = f"by policy {policy.get('name', '?')}"
    if role in (Role.DATE, Role.BIRTH):
        return {
            "keep": f"{name}, as it is, {by}",
            "shift": f"{name}, moved by the patient's days, {by}",
            "drop": f"left out {by}",
        }.get(policy.get("date_columns", ""), f"{name}, or left out, {by}")
    return {
        Role.TEXT.value: f"{name}, scrubbed {by}",
        Role.ID.value: f"{DOC_KEY}, a keyed hash",
        Role.PATIENT.value: f"{PATIENT_KEY}, a keyed hash",
        Role.TYPE.value: f"{name}, as it is",
        Role.PASS.value: f"{name}, as it is",
        Role.HASH.value: f"{name}, a keyed hash",
        Role.DROP.value: "left out",
        "record": "messages; each value by its role (docs/messages.md)",
        Role.KNOWN.value: "left out, and removed from the texts of its row",
    }.get(role, f"{name}, by a role of another version")
