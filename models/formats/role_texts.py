"""What a role says behind its colon (`text:html`, `known:self.name`); roles over others."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from ..core.errors import UsageError
from ..core.known_values import KnownAttribute, PersonKind
from ..core.suggestions import did_you_mean
from ..rendering.kinds import LAYERS

PLAIN = "plain"
"""What role text says of texts that only look as if they were markup."""


def markup_of(name: str, kind: str) -> str:
    """How the texts of a column are written: what role text says behind the colon.

    Raises:
        UsageError: for anything else.
    """
    if kind not in (*LAYERS, PLAIN):
        raise UsageError(
            f"column {name}: role text says how texts are written, as in text:html"
            f"{did_you_mean(kind, [*LAYERS, PLAIN])}; it may be {', '.join(LAYERS)}, or {PLAIN} "
            "for texts that are never markup. Without it, each text's beginning tells"
        )
    return kind


def known_of(name: str, what: str) -> tuple[PersonKind, KnownAttribute]:
    """Whose and what a column with role `known` is: `name` and `relative.name` behind the colon.

    Raises:
        UsageError: for anything else.
    """
    kind, _, attribute = what.rpartition(".")
    kind = kind or PersonKind.SELF
    if (
        kind not in PersonKind.__members__.values()
        or attribute not in KnownAttribute.__members__.values()
    ):
        attributes = list(KnownAttribute)
        raise UsageError(
            f"column {name}: role known says what the column is, as in known:name or "
            f"known:relative.name{did_you_mean(attribute, attributes)}; it may be "
            f"{', '.join(attributes)}, of {', '.join(PersonKind)}"
        )
    return PersonKind(kind), KnownAttribute(attribute)


def overlay(
    roles: Mapping[str, str],
    overlaid: Iterable[tuple[str, str]],
    *,
    alone: Collection[str],
    instead: str,
) -> dict[str, str]:
    """Roles of names with others laid over them; see `Columns.of_record`.

    Args:
        alone: roles that one name may have; one that is laid over is taken from its name.
        instead: the role that this name has then.
    """
    others = dict(overlaid)
    taken = {role for role in others.values() if role in alone}
    found: dict[str, str] = {}
    for name, role in roles.items():
        above = (name[: sign.start()] for sign in _WITHIN.finditer(name)) if others else ()
        if others.keys().isdisjoint(above):
            found[name] = instead if role in taken else role
    return found | others


_WITHIN = re.compile(r"(?=[-.@]|(?<!\AOBX-5)\()")
"""Where the name of a thing ends in the names of what lies within it.

Each type of `OBX-5` has an entry of its own, that its name alone replaces, or that of the segment:
what is said of a number need not hold for a report, or for what encodes one.
"""
