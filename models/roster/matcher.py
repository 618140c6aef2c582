"""Finds in a note what the roster knows of its patient: candidates, before anything is merged."""

from __future__ import annotations

import dataclasses
import datetime
import enum
from collections.abc import Collection, Iterable, Iterator

from ..core.errors import OverBudget
from ..core.known_values import (
    LABEL_OF,
    NAME_LABEL,
    STAFF_LABEL,
    KnownAttribute,
    KnownValue,
    PersonKind,
)
from ..core.spans import Candidate
from .folding import FoldedView
from .name_runs import NameRun, name_runs
from .names import KnownNames, NameClass
from .normal import (
    Street,
    birth_dates,
    city_form,
    email_form,
    id_form,
    phone_form,
    street_form,
    zip_form,
)
from .number_marks import (
    NumberTexts,
    city_marks,
    email_marks,
    id_marks,
    phone_marks,
    street_marks,
    zip_marks,
)
from .packed_rows import BUDGET, MOST_VALUES
from .written_dates import date_marks

MOST_EDITS = 2


class RosterClass(enum.StrEnum):
    """By what a candidate was found."""

    STRONG = "strong"
    WEAK = "weak"
    INITIALS = "initials"
    NEAR = "near"
    NUMBER = "number"
    DATE = "date"
    ADDRESS = "address"
    STAFF = "staff"


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class RosterCandidate:
    """A stretch of a text that the roster knows. The covered text is deliberately absent.

    Attributes:
        start, end: half-open code-point offsets in the text.
        label: PHI category.
        kind: whose it is.
        found: by what.
    """

    start: int
    end: int
    label: str
    kind: PersonKind
    found: RosterClass

    def candidate(self) -> Candidate:
        """As merging takes it; the detector names the kind ("roster:self")."""
        return Candidate(self.start, self.end, self.label, f"roster:{self.kind}", 1.0)


class Matcher:
    """Finds the names, numbers, addresses and birth dates of one patient's roster.

    Never changed after it is built, so that threads may share it. Building takes some 50
    microseconds; a text costs one pass to fold, one to cut, and what it holds of the roster.

    >>> matcher = Matcher([KnownValue.of("self", "name", "Zelda Quimby")])
    >>> [(c.start, c.end, c.label) for c in matcher.candidates("Ms. QUIMBY, Z. was seen.")]
    [(4, 13, 'PATIENT')]

    Args:
        known: of one patient, as `RosterBundle.row` gives it, and what the row of a note says
            itself: the names of its staff are DOCTOR.
        fuzzy: edits within which a strong name of five letters or more is found: 0, 1, or 2 for
            names of eight letters or more.
        kept: labels that the policy keeps on purpose; they are not looked for.

    Raises:
        OverBudget: "roster", for more than `MOST_VALUES` values.
        ValueError: for other edits.
    """

    __slots__ = ("_births", "_cities", "_fuzzy", "_names", "_numbers", "_staff", "_streets")

    def __init__(
        self,
        known: Iterable[KnownValue],
        *,
        fuzzy: int = 1,
        kept: Collection[str] = (),
    ) -> None:
        if not 0 <= fuzzy <= MOST_EDITS:
            raise ValueError(f"fuzzy must be 0 to {MOST_EDITS}")
        values = list(dict.fromkeys(known))
        if len(values) > MOST_VALUES:
            raise OverBudget(BUDGET)
        self._fuzzy = fuzzy
        people, staff = ([v for v in values if is_staff(v) is which] for which in (False, True))
        self._names = KnownNames.of(people if NAME_LABEL not in kept else ())
        self._staff = KnownNames.of(staff if STAFF_LABEL not in kept else ())
        self._births: list[tuple[datetime.date, PersonKind]] = []
        self._cities: list[tuple[tuple[str, ...], PersonKind]] = []
        self._streets: list[tuple[Street, PersonKind]] = []
        self._numbers: dict[tuple[KnownAttribute, str], PersonKind] = {}
        for value in values:
            if LABEL_OF.get(value.attribute, "") not in (*kept, ""):
                self._add(value)

    def __repr__(self) -> str:
        return "Matcher()"

    def _add(self, value: KnownValue) -> None:
        match value.attribute:
            case KnownAttribute.BIRTH:
                self._births += [(date, value.kind) for date in birth_dates(value.value)]
            case KnownAttribute.STREET:
                if (street := street_form(value.value)) is not None:
                    self._streets.append((street, value.kind))
            case KnownAttribute.CITY:
                if city := city_form(value.value):
                    self._cities.append((city, value.kind))
            case attribute if form := _FORMS[attribute](value.value):
                self._numbers.setdefault((attribute, form), value.kind)

    def candidates(self, text: str, view: FoldedView | None = None) -> list[RosterCandidate]:
        """All that is found in a text, in order; candidates of different labels may overlap.

        Args:
            text: any.
            view: it folded, if it is at hand.
        """
        view = view or FoldedView.of(text)
        found = {
            RosterCandidate(*view.span(run.start, run.end), NAME_LABEL, run.kind, _class(run))
            for run in name_runs(view, self._names, self._fuzzy)
        }
        if self._staff.words or self._staff.whole:
            found |= {
                RosterCandidate(
                    *view.span(run.start, run.end), STAFF_LABEL, run.kind, RosterClass.STAFF
                )
                for run in name_runs(view, self._staff, self._fuzzy)
            }
        found.update(self._of_numbers(view))
        found.update(self._of_addresses(view))
        for date, kind in self._births:
            for mark in date_marks(view, date):
                found.add(RosterCandidate(*view.span(*mark), "DATE", kind, RosterClass.DATE))
        return sorted(found)

    def _of_numbers(self, view: FoldedView) -> Iterator[RosterCandidate]:
        texts = NumberTexts(view.folded)
        for (attribute, form), kind in self._numbers.items():
            is_address = attribute in (KnownAttribute.ZIP, KnownAttribute.EMAIL)
            found = RosterClass.ADDRESS if is_address else RosterClass.NUMBER
            for start, end in _MARKS[attribute](texts, form):
                span = view.span(start, end)
                yield RosterCandidate(*span, LABEL_OF[attribute], kind, found)

    def _of_addresses(self, view: FoldedView) -> Iterator[RosterCandidate]:
        for street, kind in self._streets:
            for start, end in street_marks(view, street):
                yield RosterCandidate(*view.span(start, end), "STREET", kind, RosterClass.ADDRESS)
        for city, kind in self._cities:
            for start, end in city_marks(view, city):
                yield RosterCandidate(*view.span(start, end), "CITY", kind, RosterClass.ADDRESS)


def is_staff(value: KnownValue) -> bool:
    """Whether a value is of no patient, relative or contact."""
    return value.kind is PersonKind.STAFF


def _class(run: NameRun) -> RosterClass:
    if run.strength is NameClass.SHORT:
        return RosterClass.INITIALS
    if not run.exact:
        return RosterClass.NEAR
    return RosterClass.STRONG if run.strength is NameClass.STRONG else RosterClass.WEAK


_FORMS = {
    KnownAttribute.MRN: id_form,
    KnownAttribute.ID: id_form,
    KnownAttribute.PHONE: phone_form,
    KnownAttribute.ZIP: zip_form,
    KnownAttribute.EMAIL: email_form,
}
_MARKS = {
    KnownAttribute.MRN: id_marks,
    KnownAttribute.ID: id_marks,
    KnownAttribute.PHONE: phone_marks,
    KnownAttribute.ZIP: zip_marks,
    KnownAttribute.EMAIL: email_marks,
}
