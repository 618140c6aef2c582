"""The actions of a policy: one table, read by whatever has to know what they are.

A new action is an entry in `ACTIONS`, and what it does a function here or in a file beside. The
file format, its checks, merging, the audit's schema, `verify`, `inspect` and `policy check` read
the table. Two actions are known by name elsewhere, for the laws of merging need them: `REDACT`,
which can always remove, and `KEEP`, that of what stays; and those that are late, `SHIFT`,
`SURROGATE` and `VIEW`, where `stand_ins` makes what stands there in the end.
"""

from __future__ import annotations

import dataclasses
import string
from collections.abc import Callable
from typing import Final

from ..core.errors import UsageError
from ..dates.written_ages import KEEP as MAY_STAY
from ..surrogates import KEEPS, MAKERS, age_surrogate
from .generalization import GENERALISATIONS

REDACT: Final = "redact"
MASK: Final = "mask"
GENERALISE: Final = "generalise"
KEEP: Final = "keep"
SURROGATE: Final = "surrogate"
SHIFT: Final = "shift"
VIEW: Final = "view"

VIEWED: Final = frozenset(("AGE", "PROFESSION", "STATE", "ZIP"))
"""Labels that tell of an attribute of the identifier view."""

Replace = Callable[[str, int, str], str | None]
"""(label, length of the stretch in code points, marker) -> what takes its place."""

Look = Callable[[str, str, frozenset[str]], str | None]
"""(label, text of the stretch, restricted ZIP prefixes) -> what takes its place,
`written_ages.KEEP` if it may stay, or None if it is not understood and has to be redacted."""


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
        looks_at: the labels whose text `look` sees, the others are left to `replace`; None for all.
        shows: the labels of which something may show in what `replace` gives or what is filled in:
            that is taken back, as what is made of a text, and serves no deny-list.
        late: whether what `replace` gives is filled in once the patient and the whole note are
            known; it stays where that gives nothing.
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
    looks_at: frozenset[str] | None = None
    shows: frozenset[str] = frozenset()
    late: bool = False
    labels: frozenset[str] | None = None
    fills: bool = False
    marks: bool = False
    samples: tuple[str, ...] = ()
    meaning: str = ""

    @property
    def blind(self) -> bool:
        """Whether its outcome needs no look at the text, whatever the label.

        Only such an action can be a default: what a look at the text decides may be to keep it.
        """
        return self.look is None

    def is_blind(self, label: str) -> bool:
        """Whether its outcome for a label needs no look at the text."""
        return self.look is None or (self.looks_at is not None and label not in self.looks_at)

    def goes(self, label: str) -> bool:
        """Whether what has the label goes whatever its text is, and nothing of it shows."""
        return self.removes and self.is_blind(label) and label not in self.shows

    def is_late(self, label: str) -> bool:
        """Whether what takes the place of a stretch with the label is filled in later."""
        return self.late and self.is_blind(label)

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


def _surrogate_age(label: str, covered: str, restricted_zip3: frozenset[str]) -> str | None:
    found = age_surrogate(covered)
    return MAY_STAY if found == covered else found


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
        Action(
            SURROGATE,
            True,
            _mark,
            look=_surrogate_age,
            looks_at=frozenset(KEEPS),
            shows=frozenset(("CITY",)),
            late=True,
            labels=frozenset(MAKERS),
            samples=("90+",),
            meaning="replaced by another of its kind, which is nobody's; an age up to 89 stays, "
            "one over 89 becomes 90; what is not understood is replaced by a marker",
        ),
        Action(
            SHIFT,
            True,
            _mark,
            shows=frozenset(("DATE",)),
            late=True,
            labels=frozenset(("DATE",)),
            meaning="moved by the patient's secret number of days; what is not understood, and any "
            "date of a note without a patient, is replaced by a marker",
        ),
        Action(
            VIEW,
            True,
            _mark,
            shows=VIEWED,
            late=True,
            labels=VIEWED,
            samples=("90+",),
            meaning="replaced by the value of the patient's record in the released view, where the "
            "text says the same; else by a marker",
        ),
        Action(KEEP, False, meaning="left as it is"),
    )
}
"""Name -> action."""

SPELLINGS = {"generalize": GENERALISE}
"""American spelling -> the name of an action."""

REMOVALS: tuple[str, ...] = tuple(
    a.name for a in ACTIONS.values() if a.removes and a.blind and a.labels is None
)
"""The actions that remove whatever label and text are; only these can be a default."""

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
