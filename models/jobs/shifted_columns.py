"""Columns of role `date` and `birth` where a policy shifts dates: as the texts of their patient."""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

import pyarrow as pa

from ..core.display_names import declared_list
from ..core.errors import UsageError
from ..dates import DateSettings, WrittenDate, offset, over_89, shift_column, shift_value
from ..formats import CellForm
from ..formats.column_roles import Columns, Role
from ..redaction.policy import Policy
from ..redaction.stand_in_settings import SHIFT_DATES
from ..redaction.stand_ins import read_in

_ISO: Final = re.compile(r"\s*([0-9]{4})-([0-9]{2})-([0-9]{2})(?![0-9])")


@dataclasses.dataclass(frozen=True, slots=True)
class DateShifting:
    """How a policy shifts dates, as far as columns go.

    Attributes:
        settings: of offsets.
        languages: in which written dates are read.
        columns: whether columns of role `date` and `birth` are shifted; else they are left out.
    """

    settings: DateSettings
    languages: tuple[str, ...]
    columns: bool

    @classmethod
    def of(cls, policy: Policy) -> DateShifting | None:
        """That of a policy; None if it shifts no dates."""
        if not policy.shifts_dates:
            return None
        columns = policy.date_columns == SHIFT_DATES
        return cls(policy.dates, policy.surrogates.languages, columns)

    def days(self, key: bytes, patient: str | None) -> int | None:
        """The offset of a patient, by key; None without one."""
        return None if patient is None else offset(key, patient, self.settings)

    def read(self, value: object) -> datetime.date | None:
        """The day that a cell names, as `CellForm.decode` gives it; None if it is not read."""
        if isinstance(value, datetime.datetime):
            return value.date()
        if isinstance(value, datetime.date):
            return value
        if not isinstance(value, str):
            return None
        if match := _ISO.match(value):
            try:
                return datetime.date(*map(int, match.groups()))
            except ValueError:
                return None
        written = self._written(value.strip())
        dates = () if written is None else written.dates()
        return dates[0] if dates else None

    def _written(self, value: str) -> WrittenDate | None:
        """A cell read in the order of the policy; None for one that is a date in the other alone.

        A cell in the other order says that its whole column is: to read both would hide it.
        """
        written = read_in(value, self.languages, self.settings.order)
        return None if written is None or written.against_order else written

    def shifted(
        self, form: CellForm, column: Any, days: Sequence[int | None]
    ) -> tuple[Any, list[bool]]:
        """The cells moved, and of which a value became null.

        Args:
            form: what the cells are.
            column: of one type.
            days: the offset of each cell's row.
        """
        kind = column.type
        if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
            whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
            moved = shift_column(whole, pa.array(days, pa.int64()))
            unread = [b and not a for b, a in zip(_valid(whole), _valid(moved), strict=True)]
            return moved, unread
        values = form.decode(column)
        texts: list[Any] = [self._moved(value, by) for value, by in zip(values, days, strict=True)]
        unread = [
            value is not None and value != "" and text is None
            for value, text in zip(values, texts, strict=True)
        ]
        if not form.is_text(kind):  # numbers, of which nothing says what they count
            return pa.nulls(len(values), kind), unread
        return form.encode_text(texts, kind), unread

    def _moved(self, value: object, days: int | None) -> object:
        if days is None or not isinstance(value, str):
            # Records of Python hold dates; nothing else than these and texts can be moved.
            return None if days is None else shift_value(value, days)
        written = self._written(value)
        return None if written is None else written.shifted(days)


@dataclasses.dataclass(frozen=True, slots=True)
class DateColumns:
    """What a policy lets become of columns of role `date` and `birth`.

    Attributes:
        keep: whether they pass.
        reading: how their cells are read.
        shifting: how they are shifted; None if they are not.
        period: how much of a note's date may be told; see `telling.period_of`.
    """

    keep: bool
    reading: DateShifting = DateShifting(DateSettings(), ("en",), False)  # noqa: RUF009 - frozen
    shifting: DateShifting | None = None
    period: str | None = None

    @classmethod
    def of(cls, policy: Policy) -> DateColumns:
        """What a policy says."""
        shifting = DateShifting.of(policy)
        reading = DateShifting(policy.dates, policy.surrogates.languages, columns=False)
        return cls(policy.keep_dates, shifting or reading, shifting, policy.documents.period)

    @property
    def go_out(self) -> bool:
        """Whether such columns are in the output, as they are or shifted."""
        return self.keep or (self.shifting is not None and self.shifting.columns)


@dataclasses.dataclass(slots=True)
class RowDates:
    """What columns say of the dates of each row of a batch, where anybody asks.

    Attributes:
        days: offset of each row; None without a patient.
        notes: true date of the note.
        shifted_notes: the same moved.
        births_over_89: date of birth, of patients over 89.
        null_births: whether a birth date of the row must go.
        unread: how many values became null because they could not be moved; `column` counts.
    """

    days: tuple[int | None, ...] = ()
    notes: tuple[datetime.date | None, ...] = ()
    shifted_notes: tuple[datetime.date | None, ...] = ()
    births_over_89: tuple[datetime.date | None, ...] = ()
    null_births: tuple[bool, ...] = ()
    unread: list[int] = dataclasses.field(default_factory=list)

    @classmethod
    def of(
        cls,
        shifting: DateShifting,
        key: bytes,
        patients: Sequence[str | None],
        dates: Sequence[Sequence[object]],
        births: Sequence[Sequence[object]],
    ) -> RowDates:
        """Reads the columns of role `date` and `birth`.

        Args:
            shifting: how dates move.
            key: the subkey of offsets.
            patients: key of each row's patient.
            dates, births: the decoded values of each such column; the first one of role `date` is
                the date of the note.
        """
        read = [[shifting.read(value) for value in column] for column in dates]
        born = [[shifting.read(value) for value in column] for column in births]
        count = len(patients)
        of_row = list(zip(*read, strict=True)) or [()] * count
        births_of_row = list(zip(*born, strict=True)) or [()] * count
        days = tuple(shifting.days(key, patient) for patient in patients)
        notes = tuple(own[0] if own else None for own in of_row)
        over = [
            next((birth for birth in some if birth and _is_over_89(birth, own)), None)
            for some, own in zip(births_of_row, of_row, strict=True)
        ]
        return cls(
            days,
            notes,
            tuple(_moved(date, by) for date, by in zip(notes, days, strict=True)),
            tuple(over),
            tuple(old is not None or not any(own) for old, own in zip(over, of_row, strict=True)),
            [0] * count,
        )

    def column(
        self,
        shifting: DateShifting,
        form: CellForm,
        column: Any,
        rows: Sequence[int],
        *,
        is_birth: bool,
    ) -> Any:
        """Cells moved by the offsets of their rows; birth dates of people over 89 are null.

        So are those of rows without a date, which say nothing of the age.
        """
        moved, unread = shifting.shifted(form, column, [self.days[row] for row in rows])
        for row, flag in zip(rows, unread, strict=True):
            self.unread[row] += flag
        if is_birth:
            moved = with_nulls(moved, [self.null_births[row] for row in rows])
        return moved


NO_DATES = RowDates()


def _is_over_89(birth: datetime.date, dates: Sequence[datetime.date | None]) -> bool:
    return over_89(birth, [date for date in dates if date is not None])


def _moved(date: datetime.date | None, days: int | None) -> datetime.date | None:
    if date is None or days is None:
        return None
    moved = shift_value(date, days)
    return moved if isinstance(moved, datetime.date) else None


def with_nulls(column: Any, null: Sequence[bool]) -> Any:
    """The cells, those that are flagged null."""
    if not any(null):
        return column
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    kept = [None if flag else at for at, flag in enumerate(null)]
    return whole.take(pa.array(kept, pa.int64()))


def _valid(column: pa.Array) -> list[bool]:
    found: list[bool] = column.is_valid().to_pylist()
    return found


def require_shiftable(policy: Policy, columns: Columns, folders: Iterable[str] = ()) -> None:
    """Refuses roles with which the dates of a policy cannot be shifted.

    Args:
        policy: of the run.
        columns: the declared roles.
        folders: the keys of hive folders.

    Raises:
        UsageError: if it shifts dates and no column is the patient's, or a folder has a date.
    """
    if not policy.shifts_dates:
        return
    if not columns.named(Role.PATIENT):
        raise UsageError(
            f"policy {policy.name}: dates are shifted by patient, and no column has role patient: "
            "say which with --column NAME=patient, or choose another action for DATE"
        )
    dated = [name for role in (Role.DATE, Role.BIRTH) for name in columns.named(role)]
    if found := sorted(set(dated) & set(folders)):
        raise UsageError(
            f"policy {policy.name}: dates are shifted by patient, and a folder holds the notes of "
            f"many: give the keys {declared_list(found)} of the input's folders the role drop"
        )
