"""The actions of a policy: one table, read by whatever has to know what they are.

A new action is an entry in `ACTIONS`, and a line in `Policy.decide` if it looks at the text. The
file format, its checks, merging, the audit's schema, `verify`, `inspect` and `policy check` read
the table.
"""

from __future__ import annotations

import dataclasses
import string
from typing import Final

from ..core.errors import UsageError

REDACT: Final = "redact"
MASK: Final = "mask"
GENERALISE: Final = "generalise"
KEEP: Final = "keep"


@dataclasses.dataclass(frozen=True, slots=True)
class Action:
    """What may become of a stretch of text.

    Attributes:
        name: in policies and in the audit.
        removes: whether no character of the stretch stays.
        blind: whether its outcome needs no look at the text. Only such an action can be a default
            or serve a deny-list: what a look at the text decides may be to keep it.
        meaning: for people, after "is ...".
    """

    name: str
    removes: bool
    blind: bool
    meaning: str


ACTIONS: dict[str, Action] = {
    action.name: action
    for action in (
        Action(REDACT, True, True, "replaced by a marker"),
        Action(MASK, True, True, "replaced by a * for each character"),
        Action(
            GENERALISE,
            True,
            False,
            "made coarser (an age over 89 to 90+, a ZIP code to three digits, 000 where few live); "
            "an age up to 89 stays; what is not understood is replaced by a marker",
        ),
        Action(KEEP, False, True, "left as it is"),
    )
}
"""Name -> action."""

REMOVALS: tuple[str, ...] = tuple(a.name for a in ACTIONS.values() if a.removes and a.blind)
"""The actions that remove whatever the text is; only these can be a default."""

MARKER: Final = "[{label}]"
"""What takes the place of a redacted stretch, where a policy has no text of its own."""

LONGEST_MARKER = 100


def replacement_of(action: str, label: str, length: int, marker: str = MARKER) -> str | None:
    """What takes the place of a stretch of `length` code points that is redacted, masked or kept.

    A mask has a `*` for every code point, line breaks included: no character of a removed stretch
    stays, and a reader cannot tell where in it a line ended. Neither replacement depends on the
    text.

    Args:
        marker: a text that `check_marker` let pass.
    """
    if action == REDACT:
        return f"[{label}]" if marker is MARKER else marker.format(label=label)
    return "*" * length if action == MASK else None


def check_marker(where: str, marker: str) -> None:
    """Lets pass what may take the place of redacted text.

    Not empty nor blank: the words around would fuse, and nobody could see that something was there.
    No line breaks, tabs, other control characters or lone surrogates: lines stay lines, a text
    column stays valid in every format. No braces but `{label}`; `{{` and `}}` stand for themselves.

    Raises:
        UsageError: naming the place, never the text.
    """
    if not marker.strip() or len(marker) > LONGEST_MARKER:
        raise UsageError(f"{where}: expected 1 to {LONGEST_MARKER} characters that are not blank")
    if not marker.isprintable():
        raise UsageError(f"{where}: line breaks, tabs and control characters are not allowed")
    try:
        fields = [field for field in string.Formatter().parse(marker) if field[1] is not None]
    except ValueError:
        fields = [("", "", "", "")]
    if any(field[1:] != ("label", "", None) for field in fields):
        raise UsageError(
            f"{where}: in braces only {{label}} is allowed; write {{{{ and }}}} for braces"
        )
