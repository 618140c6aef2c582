"""What stands in place of PHI where a policy says surrogate or shift, once a whole note is known.

Merging puts markers there. Here each is replaced by the surrogate of its text, or by its date moved
by the patient's offset; where there is neither, the marker stays and the action is redact. Pure:
all follows from key, settings, the note and its spans; no other note, no order and no clock bears
on it.
"""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Protocol

from ..core.errors import UsageError
from ..core.keys import Keys
from ..dates import (
    DateSettings,
    NoteOrder,
    Order,
    WrittenDate,
    offset,
    order_of,
    read_date,
    tells_birth,
    tells_over_89,
)
from ..surrogates import NOBODY, Known, Surrogates
from ..surrogates.identity import PERSONS, WHOLE
from ..surrogates.names import WORD
from .actions import ACTIONS, REDACT, SHIFT, SURROGATE, VIEW
from .policy import Policy

MOST_PEOPLE: Final = 200
"""Of a note with more full names, no initials are told whose they are."""

NAMED: Final = frozenset((*PERSONS, *WHOLE))
"""Labels of texts in which names of people stand."""


WhoIsMeant = Callable[[Iterable[str]], Mapping[str, str]]


def _nobody_is_meant(_words: Iterable[str]) -> Mapping[str, str]:
    return {}


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class PeopleOfNote:
    """What is known beforehand of the patient, relatives and contacts.

    Attributes:
        names: the words of each full name, given names first.
        classes: word -> class of a name; see `Surrogates.known`.
        avoid: true words and numbers, which no surrogate may be.
        births: dates of birth, on which no shifted date may come to lie.
        meant: of words of a note gives those that are a known name, with an error or cut short,
            and the name, whose surrogate they take.
    """

    names: tuple[tuple[str, ...], ...] = ()
    classes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    avoid: tuple[str, ...] = ()
    births: frozenset[datetime.date] = frozenset()

    meant: WhoIsMeant = dataclasses.field(default=_nobody_is_meant, compare=False)


NO_ONE: Final = PeopleOfNote()


@dataclasses.dataclass(frozen=True, slots=True)
class NoteFacts:
    """What is known of a note beside its text.

    Attributes:
        patient: the patient's key; None if there is none: then its dates get markers, and its
            surrogates hold for the document alone.
        document: the document's key.
        field: the text column.
        date: the true date of the note, by which dates without a year are understood.
        birth: the date of birth of a patient over 89; None for others.
        people: whom it is about, as far as that is known beforehand.
    """

    patient: str | None
    document: str
    field: str = ""
    date: datetime.date | None = None
    birth: datetime.date | None = None
    people: PeopleOfNote = NO_ONE


@dataclasses.dataclass(frozen=True, slots=True)
class LateSpan:
    """A span whose label is filled in late.

    Attributes:
        start, end, label: those of the span.
        action: what merging left: a late one, or redact, where something of it might show that
            must go. The latter is not filled in, but tells what is true in the note.
        is_plain: whether the reader sees its text as it is written; see `views`.
    """

    start: int
    end: int
    label: str
    action: str
    is_plain: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class StandIn:
    """What stands in place of a span in the end.

    Attributes:
        text: None for the marker that is there.
        action: as the audit has it.
        attempt, precision, entity: columns of the audit.
    """

    text: str | None = dataclasses.field(repr=False)
    action: str = REDACT
    attempt: int | None = None
    precision: str | None = None
    entity: str | None = None


MARKED: Final = StandIn(None)


class ValuesOfRecord(Protocol):
    """What the identifier view says of a patient; see `patient_view.lookup`."""

    def shown(self, patient: str, label: str, text: str, start: int, end: int) -> str | None:
        """What stands in place of a stretch of a text; None for a marker."""


class StandIns:
    """Makes what stands in place of PHI, under one key. Cannot be pickled, as no key can.

    Args:
        policy: settings of surrogates and dates; it may have note types, which share them.
        keys: subkeys of the master key.
        view: values of the records; None where there is no view yet.

    Raises:
        ValueError: if the policy needs none of them.
    """

    __slots__ = ("_date_key", "_dates", "_languages", "_surrogates", "_view")

    def __init__(self, policy: Policy, keys: Keys, view: ValuesOfRecord | None = None) -> None:
        if not policy.needs_key:
            raise ValueError("stand-ins: the policy fills nothing in late")
        self._view = view
        self._date_key = keys.dates
        self._dates: DateSettings = policy.dates
        self._languages = policy.surrogates.languages
        self._surrogates = (
            Surrogates(keys.surrogates, policy.surrogates) if policy.puts_surrogates else None
        )

    def __repr__(self) -> str:
        return "StandIns()"

    @classmethod
    def of(cls, policy: Policy, keys: Keys, view: ValuesOfRecord | None = None) -> StandIns | None:
        """Those of a policy; None if it needs none."""
        return cls(policy, keys, view) if policy.needs_key else None

    def of_note(
        self, text: str, spans: Sequence[LateSpan], note: NoteFacts
    ) -> tuple[list[StandIn], bool]:
        """What stands in place of each span of a note.

        Returns:
            stand_ins: one for each span, in order.
            ambiguous: whether dates of the note show day and month in both orders.
        """
        found = [MARKED] * len(spans)
        dated = [at for at, span in enumerate(spans) if ACTIONS[SHIFT].serves(span.label)]
        named = [at for at, span in enumerate(spans) if not ACTIONS[SHIFT].serves(span.label)]
        order = NoteOrder("mdy", False)
        if dated:
            texts = [_covered(text, spans[at]) for at in dated]
            order = order_of(texts, self._languages[0], self._dates.order)
            read = [read_in(covered, self._languages, order.order) for covered in texts]
            days = None
            if note.patient is not None:
                days = offset(self._date_key, note.patient, self._dates)
            latest = note.date or _latest(written for written in read if written is not None)
            for at, written in zip(dated, read, strict=True):
                fits = spans[at].action == SHIFT and spans[at].is_plain
                if fits and days is not None and written is not None:
                    found[at] = self._shifted(written, days, note, latest)
        if self._view is not None and note.patient is not None:
            for at, span in enumerate(spans):
                if span.action == VIEW and span.is_plain:
                    shown = self._view.shown(note.patient, span.label, text, span.start, span.end)
                    found[at] = MARKED if shown is None else StandIn(shown, VIEW)
        if named and self._surrogates is not None:
            known, avoid = self._context(
                self._surrogates, text, [spans[at] for at in named], note.people
            )
            made: dict[tuple[str, str, int], StandIn] = {}
            by_place = self._surrogates.settings.scope == "mention"
            for at in named:
                span = spans[at]
                if span.action == SURROGATE and span.is_plain:
                    key = span.label, _covered(text, span), span.start if by_place else 0
                    if key not in made:
                        made[key] = self._surrogate(
                            self._surrogates, text, span, note, known, avoid
                        )
                    found[at] = made[key]
        return found, order.ambiguous

    def _shifted(
        self, written: WrittenDate, days: int, note: NoteFacts, latest: datetime.date | None
    ) -> StandIn:
        if note.birth is not None and tells_birth(written, note.birth):
            return MARKED
        if latest is not None and tells_over_89(written, latest):
            return MARKED
        shifted = written.shifted(days, note.date, seasons=self._dates.season)
        moved = {date + datetime.timedelta(days) for date in written.dates(note.date)}
        if shifted is None or not moved.isdisjoint(note.people.births):
            return MARKED
        return StandIn(shifted, SHIFT, precision=written.precision)

    def _context(
        self,
        surrogates: Surrogates,
        text: str,
        spans: Sequence[LateSpan],
        of_note: PeopleOfNote,
    ) -> tuple[Known, frozenset[str]]:
        """The people of a note, and the true words and numbers that must not come out in it."""
        pairs = [(span.label, _covered(text, span)) for span in spans]
        words = [match.group() for _, covered in pairs for match in WORD.finditer(covered)]
        words += [covered for label, covered in pairs if label not in PERSONS]
        avoid = surrogates.normal(word for word in (*words, *of_note.avoid) if len(word) > 1)
        people = [*of_note.names, *surrogates.people(pairs)]
        # Each text with initials is compared with each person.
        people = people if len(people) <= MOST_PEOPLE else []
        of_patients = (covered for label, covered in pairs if label == "PATIENT")
        same = of_note.meant(m.group() for c in of_patients for m in WORD.finditer(c))
        if not people and not of_note.classes and not same:
            return NOBODY, avoid
        return surrogates.known(people=people, classes=of_note.classes, same=same), avoid

    def _surrogate(
        self,
        surrogates: Surrogates,
        text: str,
        span: LateSpan,
        note: NoteFacts,
        known: Known,
        avoid: frozenset[str],
    ) -> StandIn:
        covered = _covered(text, span)
        known = known if span.label in NAMED else NOBODY
        document = note.document
        if surrogates.settings.scope == "mention":
            document = f"{document} {note.field}"  # where a mention begins is told by column
        made = surrogates.of(
            note.patient,
            span.label,
            covered,
            document=document,
            mention=span.start,
            known=known,
            avoid=avoid,
        )
        if made is None:
            return MARKED
        entity = surrogates.entity(
            note.patient, span.label, covered, document=document, known=known
        )
        return StandIn(made.text, SURROGATE, attempt=made.attempt, entity=entity)


def _latest(dates: Iterable[WrittenDate]) -> datetime.date | None:
    """The latest full day that a note names: it was written then, or later."""
    return max((day for written in dates for day in written.dates()), default=None)


def read_in(covered: str, languages: Iterable[str], order: Order | None) -> WrittenDate | None:
    """A written date by the grammar of the first language that reads it."""
    for language in languages:
        if (written := read_date(covered, language, order)) is not None:
            return written
    return None


def is_late(policy: Policy, label: str, action: str, *, fragment: bool) -> bool:
    """Whether a span belongs to `LateSpan`: its label is filled in late, and it is removed.

    Args:
        policy: of the note's type.
        label, action, fragment: of the span, before or after it was filled in.
    """
    named = policy.action(label)
    return not fragment and ACTIONS[named].is_late(label) and action in (named, REDACT)


def require_no_key_needed(policy: Policy, what: str) -> None:
    """Refuses a policy whose replacements are made with a key, where there is none.

    Args:
        what: does without one, for the message.

    Raises:
        UsageError: saying what to do.
    """
    if policy.needs_key:
        kinds = (
            ("surrogates", policy.puts_surrogates),
            ("shifted dates", policy.shifts_dates),
            ("values of the view", policy.puts_views),
        )
        made = " and ".join(name for name, used in kinds if used)
        raise UsageError(
            f"policy {policy.name}: {made} are made with the master key, for the patient and the "
            f"document of a row, and {what} has neither: use `scrubline scrub` on a table, or "
            "`scrub_table` and `ScrubText` with roles; or choose a policy without them"
        )


def _covered(text: str, span: LateSpan) -> str:
    return text[span.start : span.end]
