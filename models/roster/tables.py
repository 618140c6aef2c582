"""Tables of patients and staff, in every format that inputs are read in, as values of people.

What is wrong with a table is told by the numbers of file, row and column, never by what is in it.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..core.errors import DocumentError, UsageError
from ..core.keys import canonical_id
from ..core.known_values import (
    LONGEST_VALUE,
    NAME_ATTRIBUTES,
    KnownAttribute,
    KnownValue,
    PersonKind,
)
from ..formats import Format, FormatOptions, Limits, format_of, open_format
from ..storage.input_files import InputFile
from ..storage.storage import Storage
from .mapping import TableColumns, columns_of
from .normal import is_usable
from .records import RecordPeople, RecordValue

MOST_FAULTS = 10
"""Places of faults that a message names."""

_SPLIT_BYTES = 1 << 26


class TableFaults:
    """What is wrong with tables, and where; reading goes on, so that a message can name several."""

    def __init__(self) -> None:
        self._places: list[str] = []
        self.count = 0

    def add(self, place: str, problem: str) -> None:
        """Notes a fault at a place."""
        self.count += 1
        if len(self._places) < MOST_FAULTS:
            self._places.append(f"{place}: {problem}")

    def require_none(self) -> None:
        """Refuses the tables if there was one.

        Raises:
            UsageError: with the first places.
        """
        if self.count:
            more = self.count - len(self._places)
            listed = "; ".join(self._places) + (f"; and {more:,} more" if more else "")
            raise UsageError(f"the tables of people have {self.count:,} faults: {listed}")


@dataclasses.dataclass(slots=True)
class TableCounts:
    """What was read.

    Attributes:
        rows: of all tables.
        values: that are used, by "kind.attribute".
        empty: cells without a value.
        unusable: values that nothing can be matched by (a phone "unknown"), by "kind.attribute".
    """

    rows: int = 0
    values: Counter[str] = dataclasses.field(default_factory=Counter)
    empty: int = 0
    unusable: Counter[str] = dataclasses.field(default_factory=Counter)

    def usable(self, kind: PersonKind, attribute: KnownAttribute, text: str) -> KnownValue | None:
        """A value, counted; None for one by which nobody is looked for."""
        name = f"{kind}.{attribute}"
        known = KnownValue.of(kind, attribute, text)
        of_nobody = kind is PersonKind.STAFF and attribute not in NAME_ATTRIBUTES
        if of_nobody or not is_usable(known):
            self.unusable[name] += 1
            return None
        self.values[name] += 1
        return known


@dataclasses.dataclass(frozen=True, slots=True)
class PersonValue:
    """One value of a table.

    Attributes:
        owner: canonical id of the patient; of staff, what tells one person from another.
        known: the value.
    """

    owner: str = dataclasses.field(repr=False)
    known: KnownValue


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class PeopleTables:
    """Some tables, opened by their headings.

    Attributes:
        files: in the order of their paths.
        forms: the format of each file, configured.
        columns: where in each file is what; nothing of files of messages.
        available: the columns that each file was seen to have.
    """

    storage: Storage
    files: tuple[InputFile, ...]
    forms: tuple[Format, ...]
    columns: tuple[TableColumns, ...]
    available: tuple[tuple[str, ...], ...]

    @classmethod
    def open(
        cls,
        storage: Storage,
        urls: Sequence[str],
        mapping: Mapping[str, str],
        *,
        form: str | None = None,
        options: FormatOptions | None = None,
    ) -> PeopleTables:
        """Lists the files and looks at their headings.

        Args:
            urls: files, folders or globs.
            mapping: of `mapping.check_mapping`; empty for the long form.
            form: key of `FORMATS`; None to go by the endings of the names.

        Raises:
            UsageError: if a file cannot be read, is no table of people, or no file has a column
                that the mapping names.
        """
        files = tuple(storage.list_files(urls))
        forms, columns, seen = [], [], []
        named: set[str] = set()
        partial = False
        for number, file in enumerate(files, 1):
            opened = open_format(format_of(file.path, form), options or FormatOptions())
            available = (*opened.columns(storage, file), *(name for name, _ in file.partition))
            is_partial = opened.traits.columns_are_partial
            where = f"file {number} of {len(files)}"
            if opened.traits.record and mapping:
                raise UsageError(
                    f"{where} holds messages: their format says what its values are, and --column "
                    "is of tables alone"
                )
            columns.append(
                TableColumns(None)
                if opened.traits.record
                else columns_of(available, mapping, where, partial=is_partial)
            )
            forms.append(opened)
            seen.append(available)
            named.update(available)
            partial = partial or is_partial
        if not partial and (
            missing := [n for n, name in enumerate(mapping, 1) if name not in named]
        ):
            raise UsageError(
                f"no table has the column of --column number {', '.join(map(str, missing))}; "
                "names of columns are compared letter by letter"
            )
        return cls(storage, files, tuple(forms), tuple(columns), tuple(seen))

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size for file in self.files)

    def values(self, counts: TableCounts, faults: TableFaults) -> Iterator[PersonValue]:
        """Yields the values of all tables, in the order of files and rows; one pass, little memory.

        Args:
            counts: what is read is counted here.
            faults: what is wrong is noted here.
        """
        for number in range(len(self.files)):
            row = 0
            if self.forms[number].traits.record:
                yield from self._of_records(number, counts, faults)
                continue
            for cells, errors, size in self._chunks(number):
                for at in range(size):
                    row += 1
                    place = f"file {number + 1}, row {row}"
                    if at in errors:
                        faults.add(place, f"it cannot be read ({errors[at]})")
                        continue
                    one = {name: column[at] for name, column in cells.items()}
                    yield from self._row(number, place, one, counts, faults)
            counts.rows += row

    def _of_records(
        self, number: int, counts: TableCounts, faults: TableFaults
    ) -> Iterator[PersonValue]:
        """Yields what the records of a file of messages say of people.

        What is of nobody (several patients in one record) is counted as unusable.
        """
        file, form = self.files[number], self.forms[number]
        people, row = RecordPeople(form.traits.record), 0
        for locator in form.plan(self.storage, number, file, _SPLIT_BYTES, Limits()):
            for chunk in form.read(self.storage, file, locator, (people.record,), Limits()):
                for at, record in enumerate(chunk.columns.column(people.record).to_pylist()):
                    row += 1
                    place, error = f"file {number + 1}, record {row}", chunk.errors.get(at, "")
                    found: list[RecordValue] = []
                    try:
                        found = [] if error else list(people.values(record))
                    except DocumentError as broken:
                        error = broken.code
                    if error:
                        faults.add(place, f"it cannot be read ({error})")
                    yield from self._of_record(place, found, counts, faults)
        counts.rows += row

    def _of_record(
        self, place: str, found: Sequence[RecordValue], counts: TableCounts, faults: TableFaults
    ) -> Iterator[PersonValue]:
        for one in found:
            if len(one.text) > LONGEST_VALUE:
                faults.add(place, f"a value of over {LONGEST_VALUE} characters")
            elif one.owner is None:
                counts.unusable[f"{one.kind}.{one.attribute}"] += 1
            elif (known := counts.usable(one.kind, one.attribute, one.text)) is not None:
                yield PersonValue(one.owner, known)

    def _chunks(
        self, number: int
    ) -> Iterator[tuple[dict[str, list[object]], Mapping[int, str], int]]:
        """Yields columns, errors and the number of rows of some rows of a file."""
        file, form = self.files[number], self.forms[number]
        folders = dict(file.partition)
        wanted: Sequence[str] = self.columns[number].names
        if not form.traits.counts_rows:  # a record with a column that was not asked for is an error
            wanted = tuple(dict.fromkeys((*self.available[number], *wanted)))
        inside = tuple(name for name in wanted if name not in folders)
        limits = Limits()
        for locator in form.plan(self.storage, number, file, _SPLIT_BYTES, limits):
            for chunk in form.read(self.storage, file, locator, inside, limits):
                size = chunk.columns.num_rows
                cells: dict[str, list[object]] = {
                    name: list[object]([folders[name]]) * size
                    if name in folders
                    else form.decode(chunk.columns.column(name))
                    for name in self.columns[number].names
                }
                yield cells, chunk.errors, size

    def _row(
        self,
        number: int,
        place: str,
        cells: Mapping[str, object],
        counts: TableCounts,
        faults: TableFaults,
    ) -> Iterator[PersonValue]:
        columns = self.columns[number]
        reader = _RowReader(place, cells, self.available[number], counts, faults)
        earlier = faults.count
        patient = reader.text(columns.patient)
        if faults.count > earlier:
            return
        if columns.kind is None:
            for name, (kind, attribute) in columns.wide.items():
                owner = place if kind is PersonKind.STAFF else patient
                yield from reader.value(owner, kind, attribute, name)
            return
        kind_text, attribute_text = reader.text(columns.kind), reader.text(columns.attribute)
        try:
            kind = PersonKind((kind_text or "").lower())
        except ValueError:
            reader.fault(columns.kind, f"the kind is none of {', '.join(PersonKind)}")
            return
        try:
            attribute = KnownAttribute((attribute_text or "").lower())
        except ValueError:
            reader.fault(columns.attribute, f"the attribute is none of {', '.join(KnownAttribute)}")
            return
        if patient is None and kind is PersonKind.STAFF and attribute is KnownAttribute.NAME:
            patient = place
        assert columns.value is not None
        yield from reader.value(patient, kind, attribute, columns.value)


@dataclasses.dataclass(slots=True, repr=False)
class _RowReader:
    """One row of a table."""

    place: str
    cells: Mapping[str, object]
    available: tuple[str, ...]
    counts: TableCounts
    faults: TableFaults

    def fault(self, column: str | None, problem: str) -> None:
        """Notes what is wrong with a cell, by the number of its column."""
        number = self.available.index(column) + 1 if column in self.available else "?"
        self.faults.add(f"{self.place}, column {number}", problem)

    def text(self, column: str | None) -> str | None:
        """A cell as text; None if it is empty or cannot be text, which is noted."""
        if column is None:
            return None
        try:
            return canonical_id(self.cells[column])
        except DocumentError:
            self.fault(column, "a value that is no text, number or date")
            return None

    def value(
        self, owner: str | None, kind: PersonKind, attribute: KnownAttribute, column: str
    ) -> Iterator[PersonValue]:
        """Yields the value of a cell, if there is one that can be used."""
        text = self.text(column)
        if text is None:
            self.counts.empty += 1
            return
        if owner is None:
            self.fault(column, "a value of nobody: the row has no patient")
            return
        if len(text) > LONGEST_VALUE:
            self.fault(column, f"a value of over {LONGEST_VALUE} characters")
            return
        if (known := self.counts.usable(kind, attribute, text)) is not None:
            yield PersonValue(owner, known)
