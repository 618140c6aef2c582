"""Filling a template: pieces of text, each with its label or none.

What a slot means is said in the modules of its topic (`people`, `calendar`, `places`, `numbers`,
`clinical`); each has a table `SLOTS`, name -> maker. A maker gets the note that is being filled and
the slot, and gives pieces.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from .drawing import Draw
from .parsing import Choice, Mark, Node, Slot, Template, TemplateError, Text


class Mention(NamedTuple):
    """Whom a piece of a note of a record speaks of.

    Attributes:
        who: "patient", "relative:2", "contact:1", "staff:17" or "other:1".
        form: the slot's form: "fl", "last", "street"...
        written: "plain", or how a reader of the roster would not find it: "nickname", "typo"...
    """

    who: str
    form: str
    written: str


class NotePiece(NamedTuple):
    """A piece of a note.

    Attributes:
        text: never empty.
        label: its label, or "" if it is not PHI.
        means: whom it speaks of; told in notes of records alone.
    """

    text: str
    label: str = ""
    means: tuple[Mention, ...] = ()


Pieces = list[NotePiece]

OLDEST, NEWEST = datetime.date(1988, 1, 1), datetime.date(2026, 12, 31)
"""Days that notes are of, but for the few of archives that were shifted into the future."""


@dataclasses.dataclass(slots=True)
class Note:
    """What a note that is being filled remembers.

    Attributes:
        template: what it is filled from.
        draw: of its small choices.
        today: the day of the note.
        memory: what was drawn for remembered slots and for the manner of the note.
    """

    template: Template
    draw: Draw
    today: datetime.date
    memory: dict[str, Any] = dataclasses.field(default_factory=dict)

    def remember(self, key: str, make: Callable[[], Any]) -> Any:
        """What `make` gave the first time for this key."""
        if key not in self.memory:
            self.memory[key] = make()
        return self.memory[key]

    def drawn(self, slot: Slot, make: Callable[[], Any]) -> Any:
        """A value for a slot: the same in the whole note if it has a digit, else a new one."""
        if slot.index:
            return self.remember(f"{slot.name}{slot.index}", make)
        return make()

    def wrong(self, slot: Slot, what: str) -> TemplateError:
        """An error that names the template, the line and the slot."""
        where = f"{self.template.kind} {self.template.number}, line {slot.line}"
        return TemplateError(f"{where}: slot {slot.name}: {what}")


Maker = Callable[[Note, Slot], Pieces]


def open_note(template: Template, draw: Draw) -> Note:
    """A note that nothing was filled into yet."""
    days = (NEWEST - OLDEST).days
    today = OLDEST + datetime.timedelta(draw.below(days))
    if draw.chance(0.08):
        # Archives shift dates into the future.
        today = today.replace(year=today.year + draw.between(40, 110), day=min(today.day, 28))
    return Note(template, draw, today)


def fill(note: Note, nodes: Sequence[Node], slots: dict[str, Maker]) -> Pieces:
    """Fills nodes; pieces of no text are left out.

    Raises:
        TemplateError: if a slot, a form or an argument is unknown.
    """
    pieces: Pieces = []
    for node in nodes:
        match node:
            case Text():
                pieces.append(NotePiece(node.text))
            case Choice():
                pieces += fill(note, note.draw.pick(node.ways), slots)
            case Mark():
                pieces.append(_marked(fill(note, node.nodes, slots), node.label))
            case Slot():
                make = slots.get(node.name)
                if make is None:
                    raise note.wrong(node, f"no such slot; known: {', '.join(sorted(slots))}")
                pieces += in_case(make(note, node), node.case)
    return [piece for piece in pieces if piece.text]


LITERAL = "literal"
"""How a name is written that holds words of the template."""


def _marked(pieces: Pieces, label: str) -> NotePiece:
    """Pieces as one, of another label."""
    means = tuple(mention for piece in pieces for mention in piece.means)
    if any(not piece.means and any(map(str.isalnum, piece.text)) for piece in pieces):
        means = tuple(mention._replace(written=LITERAL) for mention in means)
    return NotePiece("".join(piece.text for piece in pieces), label, means)


_CASES: dict[str, Callable[[str], str]] = {
    "u": str.upper,
    "l": str.lower,
    "t": str.title,
    "": str,
}


def in_case(pieces: Iterable[NotePiece], case: str) -> Pieces:
    """Pieces in upper ("u"), lower ("l") or title case ("t"), or as they are ("")."""
    return [NotePiece(_CASES[case](text), label, means) for text, label, means in pieces]


def plain(make: Callable[[Draw], str], label: str = "") -> Maker:
    """A maker of one piece from a function of a draw; its slot takes no form and no argument."""

    def maker(note: Note, slot: Slot) -> Pieces:
        refuse_extras(note, slot)
        return [NotePiece(note.drawn(slot, lambda: make(note.draw)), label)]

    return maker


def refuse_extras(note: Note, slot: Slot, forms: Sequence[str] = ()) -> None:
    """Refuses what a slot would ignore.

    Args:
        note: the note that is filled.
        slot: it may have no argument.
        forms: those that it may have.

    Raises:
        TemplateError: if the slot has an argument, or another form.
    """
    if slot.argument:
        raise note.wrong(slot, "takes no argument")
    if slot.form and slot.form not in forms:
        known = f"known: {', '.join(forms)}" if forms else "it has none"
        raise note.wrong(slot, f"no form .{slot.form}; {known}")


def span_of(argument: str, first: int, last: int) -> tuple[int, int]:
    """The ends of an argument such as `3-9`, `-400..-30` or `+7`; the given ones if it is empty.

    Raises:
        ValueError: if it has another form.
    """
    if not argument:
        return first, last
    if ".." in argument:
        low, high = argument.split("..")
    elif "-" in argument[1:] and argument[0].isdigit():
        low, high = argument.split("-")
    else:
        low = high = argument
    return int(low), int(high)
