"""The actions of a policy: one table, read by whatever has to know what they are.

A new action is an entry in `ACTIONS`, and what it does a function here or in a file beside. The
file format, its checks, merging, the audit's schema, `verify`, `inspect` and `policy check` read
the table. Two actions are known by name elsewhere, for the laws of merging need them: `REDACT`,
which can always remove, and `KEEP`, that of what stays.
"""

from __future__ import annotations

import dataclasses
import string
from collections.abc import Callable
from typing import Final

from ..core.errors import UsageError
from .generalization import GENERALISATIONS

REDACT: Final = "redact"
MASK: Final = "mask"
GENERALISE: Final = "generalise"
KEEP: Final = "keep"

Replace = Callable[[str, int, str], str | None]
"""(label, length of the stretch in code points, marker) -> what takes its place."""

Look = Callable[[str, str, frozenset[str]], str | None]
"""(label, text of the stretch, restricted ZIP prefixes) -> what takes its place,
`generalization.KEEP` if it may stay, or None if it is not understood and has to be redacted."""


def _nothing(label: str, length: int, marker: str) -> None:
    """Without a look at the text there is no replacement."""


@dataclasses.dataclass(frozen=True, slots=True)
class Action:
    """What may become of a stretch of text.

    Attributes:
        name: in policies and in the audit.
        removes: whether no character of the stretch stays.
        replace: gives the replacement where no look at the text is needed; None if it stays.
        look: gives it by the text; None if `replace` does. What is made of a text is taken back,
            and redacted, where another candidate would not put the same in its place.
        labels: the labels it can be used for; None for every one.
        fills: whether the replacement has one character for each of the stretch. A fragment beside
            an entity has one of its own then, else it has none.
        marks: whether the replacement is the policy's marker.
        samples: what `look` may give, as far as characters beside ASCII digits go: a format must
            be able to hold them.
        meaning: for people, after "is ..."; empty where the name says it.
    """

    name: str
    removes: bool
    replace: Replace = _nothing
    look: Look | None = None
    labels: frozenset[str] | None = None
    fills: bool = False
    marks: bool = False
    samples: tuple[str, ...] = ()
    meaning: str = ""

    @property
    def blind(self) -> bool:
        """Whether its outcome needs no look at the text.

        Only such an action can be a default or serve a deny-list: what a look at the text decides
        may be to keep it.
        """
        return self.look is None

    def serves(self, label: str) -> bool:
        """Whether it can be used for a label."""
        return self.labels is None or label in self.labels


def _mark(label: str, length: int, marker: str) -> str:
    return f"[{label}]" if marker is MARKER else marker.format(label=label)


def _mask(label: str, length: int, marker: str) -> str:
    """A `*` for every code point, line breaks included.

    So no character of a removed stretch stays, and a reader cannot tell where in it a line ended.
    """
    return "*" * length


def _generalise(label: str, covered: str, restricted_zip3: frozenset[str]) -> str | None:
    generalise = GENERALISATIONS.get(label)
    return None if generalise is None else generalise(covered, restricted_zip3)


ACTIONS: dict[str, Action] = {
    action.name: action
    for action in (
        Action(REDACT, True, _mark, marks=True),
        Action(MASK, True, _mask, fills=True),
        Action(
            GENERALISE,
            True,
            look=_generalise,
            labels=frozenset(GENERALISATIONS),
            samples=("90+",),
            meaning="made coarser (an age over 89 to 90+, a ZIP code to three digits, 000 where "
            "few live); an age up to 89 stays; what is not understood is replaced by a marker",
        ),
        Action(KEEP, False, meaning="left as it is"),
    )
}
"""Name -> action."""

SPELLINGS = {"generalize": GENERALISE}
"""American spelling -> the name of an action."""

REMOVALS: tuple[str, ...] = tuple(a.name for a in ACTIONS.values() if a.removes and a.blind)
"""The actions that remove whatever the text is; only these can be a default."""

MARKER: Final = "[{label}]"
"""What takes the place of a redacted stretch, where a policy has no text of its own."""

LONGEST_MARKER = 100


def replacement_of(action: str, label: str, length: int, marker: str = MARKER) -> str | None:
    """What takes the place of a stretch of `length` code points, whatever its text is.

    Args:
        action: a name in `ACTIONS`.
        marker: a text that `check_marker` let pass.

    Returns:
        None if the stretch stays, or only a look at its text can tell.
    """
    return ACTIONS[action].replace(label, length, marker)


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
