"""Match and Guard: what is known of a row's people is found in its texts, and asserted to be gone.

Between the two lie Merge and Scrub. Both look up the people of each row anew: what is opened of a
roster is kept no longer than a step takes. They share tables, and no logic.
"""

from __future__ import annotations

import dataclasses
import datetime
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

import pyarrow as pa

from ..core.batches import Batch, Failure, map_documents
from ..core.errors import DocumentError, error_class
from ..core.known_values import STAFF_LABEL, KnownValue
from ..core.shortage import raise_shortage
from ..core.spans import Candidate, Candidates
from ..formats import CellForm
from ..formats.column_roles import Columns, Role
from ..formats.nested_columns import OpenedColumn
from ..formats.nested_texts import open_nested
from ..redaction.policy import Policy
from ..redaction.stand_ins import PeopleOfNote
from ..roster.folding import FoldedView
from ..roster.guard import Guard
from ..roster.matcher import Matcher, RosterCandidate
from ..roster.passing import PassingGuard
from ..roster.people import LABELS, KnownPeople
from ..views.batches import bring_back
from .people_of_note import people_of_note

_Known = tuple[KnownValue, ...]
_ASSERTED = (Role.PASS, Role.TYPE)


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class PassingColumns:
    """The columns of a unit that go out as they are.

    Attributes:
        form: how its cells are held.
        columns: their roles.
        partition: hive keys and values of the unit.
    """

    form: CellForm
    columns: Columns
    partition: tuple[tuple[str, str], ...] = ()

    def values(
        self, table: pa.Table, opened: Mapping[str, OpenedColumn] = MappingProxyType({})
    ) -> list[list[object]]:
        """For each row of a table all values that pass, as the format decodes them.

        Args:
            opened: the table's nested columns, where they have been opened already.
        """
        roles = dict(self.columns.roles)
        names = [name for role in _ASSERTED for name in self.columns.named(role)]
        folders = [value for name, value in self.partition if roles[name] in _ASSERTED]
        found: list[list[object]] = [[*folders] for _ in range(table.num_rows)]
        nested = opened
        if self.columns.paths and not opened:
            nested = open_nested(self.form, self.columns, table)
        leaves = {path: leaf for column in nested.values() for path, leaf in column.leaves.items()}
        for name in names:
            if name in leaves:
                values = self._decoded(leaves[name].cells)
                rows: Sequence[int] = leaves[name].rows
            elif name in table.column_names and not self.columns.is_path(name):
                values = self._decoded(table.column(name))
                rows = range(table.num_rows)
            else:
                continue
            for row, value in zip(rows, values, strict=True):
                found[row].append(value)
        return found

    def _decoded(self, column: pa.ChunkedArray | pa.Array) -> list[object]:
        try:
            return self.form.decode(column)
        except Exception as error:  # what Python has no value for, such as the year 12000
            raise_shortage(error)
            texts: list[object] = column.cast(pa.string()).to_pylist()
            return texts


BETWEEN = "\n;\n"
"""Joins texts, and no two of them to one name or number."""


def texts_of(value: object) -> Iterator[str]:
    """Yields the texts within a value of a format; numbers and days as they are written."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield value.decode("utf-8", "replace")
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from texts_of(key)
            yield from texts_of(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_of(inner)
    elif isinstance(value, float) and value.is_integer():
        yield str(int(value))
    elif isinstance(value, datetime.date):  # and of a moment its day
        yield value.isoformat()[:10]
    elif value is not None and not isinstance(value, bool):
        yield str(value)


# -- whom a row is of


def look_up_people(
    batch: Batch, people: KnownPeople, stage: str
) -> tuple[Batch, dict[int, _Known]]:
    """What is known of the people of each note, by its first row; and the batch with failures.

    A patient is looked up once, for all rows. Where a note is several rows, what any of them says
    is known of all.

    Raises:
        RosterError: if a file of the roster is damaged: no row is at fault.
    """
    rows, failures = batch.rows, dict(batch.failures)
    patients: dict[str, _Known | DocumentError | None] = {}
    found: dict[int, list[_Known]] = {}
    same: dict[_Known, _Known] = {}
    in_roster: list[bool | None] = [None] * len(rows)
    for row, first in enumerate(rows.first_rows.tolist()):
        if row in failures or first in failures:
            continue
        own = found.setdefault(first, [])
        key = rows.patient_keys[row]
        if key is not None and key not in patients:
            try:
                patients[key] = people.row(key)
            except DocumentError as error:
                patients[key] = error
        of_roster = patients[key] if key is not None else None
        if isinstance(of_roster, DocumentError):
            failures[first] = Failure(stage, error_class(of_roster))
            continue
        if people.bundle is not None:
            in_roster[row] = of_roster is not None
        of_row = rows.known[row] if rows.known else ()
        own += [values for values in (of_roster, same.setdefault(of_row, of_row)) if values]
    known = {first: _together(own, same) for first, own in found.items() if first not in failures}
    batch = dataclasses.replace(batch, failures=failures, in_roster=tuple(in_roster))
    return batch, known


def _together(parts: list[_Known], same: dict[_Known, _Known]) -> _Known:
    """The values of all parts, each once; equal ones are one object, to be told apart by `id`.

    Hashing every row's values would cost as much as finding them, so a single part is taken as is:
    `look_up_people` has one of each patient.
    """
    if not parts:
        return ()
    if all(part is parts[0] for part in parts):
        return parts[0]
    values = tuple(dict.fromkeys(itertools.chain.from_iterable(parts)))
    return same.setdefault(values, values)


def people_by_row(batch: Batch, people: KnownPeople | None) -> dict[int, PeopleOfNote]:
    """What surrogates and shifted dates are to know of the people of each note, by its first row.

    Rows of which it cannot be opened have failed already, or fail in Guard.

    Raises:
        RosterError: as `match_batch`.
    """
    if people is None:
        return {}
    _, known = look_up_people(batch, people, "scrub")
    different = {id(values): values for values in known.values() if values}
    found = {key: people_of_note(one, people.fuzzy) for key, one in different.items()}
    return {row: found[id(values)] for row, values in known.items() if values}


def labels_kept(policies: Sequence[Policy]) -> dict[int, frozenset[str]]:
    """By `id` of each policy what a roster knows and it keeps: not looked for, nor asserted."""
    different = {id(policy): policy for policy in policies}
    return {key: LABELS.intersection(policy.kept) for key, policy in different.items()}


# -- Match


def match_batch(
    batch: Batch,
    policies: Sequence[Policy],
    people: KnownPeople,
    labels: Mapping[str, str] | None = None,
) -> Batch:
    """Adds candidates for what is known of each row's patient, and for staff in any row.

    Texts in disguise are matched as they are read, too.

    Args:
        batch: with the candidates of all other detectors.
        policies: the one that holds for each document.
        people: whom the job knows.
        labels: see `steps.recognise_batch`; what has no name there keeps its own.

    Raises:
        RosterError: if a file of the roster is damaged, or another one by now.
    """
    batch, known = look_up_people(batch, people, "match")
    kept = labels_kept(policies)
    matchers: dict[tuple[int, frozenset[str]], Matcher] = {}
    rows = batch.documents.rows.tolist()

    def found_in(index: int, text: str) -> list[Candidate]:
        values, keeps = known[rows[index]], kept[id(policies[index])]
        found: list[RosterCandidate] = []
        view = FoldedView.of(text) if values or people.staff is not None else None
        if values:
            key = id(values), keeps
            if key not in matchers:
                matchers[key] = Matcher(values, fuzzy=people.fuzzy, kept=keeps)
            found += matchers[key].candidates(text, view)
        if people.staff is not None and STAFF_LABEL not in keeps:
            found += people.staff.candidates(text, view)
        candidates = [one.candidate() for one in found]
        if labels is None:
            return candidates
        return [c._replace(label=labels.get(c.label, c.label)) for c in candidates]

    texts = batch.documents.texts
    batch = _with_found(batch, lambda index: found_in(index, texts[index]))
    if batch.views is None:
        return batch
    owners, inner = batch.views.owners, batch.views.batch
    inner = dataclasses.replace(inner, failures=batch.failures)
    views = inner.documents.texts
    return bring_back(batch, _with_found(inner, lambda at: found_in(owners[at], views[at])))


def _with_found(batch: Batch, find: Callable[[int], list[Candidate]]) -> Batch:
    results, failures = map_documents(batch, "match", find)
    found = [(index, c) for index, candidates in enumerate(results) for c in candidates or ()]
    candidates = Candidates.joined(batch.candidates, Candidates.of(found))
    return dataclasses.replace(batch, candidates=candidates, failures=failures)


# -- Guard


def guard_batch(
    batch: Batch,
    policies: Sequence[Policy],
    people: KnownPeople,
    passing: PassingColumns | None,
) -> Batch:
    """Fails each row in whose output something of its own people is left.

    Looked at are the scrubbed texts, names within their markup, and the columns that pass, in which
    nothing was matched: these by the matcher, too. The error class says what sort of identifier it
    is; which one it is and where is told nowhere.

    Args:
        batch: with scrubbed texts.
        policies: the one that holds for each row.
        people: whom the job knows.
        passing: None if no column goes out.

    Raises:
        RosterError: as `match_batch`.
    """
    assert batch.scrubbed is not None, "Scrub comes first"
    batch, known = look_up_people(batch, people, "guard")
    assert batch.scrubbed is not None
    failures = dict(batch.failures)
    written: dict[int, list[list[object]]] = {first: [] for first, own in known.items() if own}
    passes: dict[int, list[list[object]]] = {first: [] for first in written}
    try:
        rows = batch.rows
        passed = passing.values(rows.columns, rows.opened) if passing and written else []
    except Exception as error:  # fail closed, as below
        raise_shortage(error)
        failures |= dict.fromkeys(written, Failure("guard", error_class(error)))
        return dataclasses.replace(batch, failures=failures)
    for row, values in zip(rows.first_rows.tolist(), passed, strict=False):
        if row in written:
            written[row].append(values)
            passes[row].append(values)
    if batch.rows.viewed is not None:  # what the view tells of a row goes out, too
        for cells in batch.rows.viewed.cells.values():
            for row, cell in zip(batch.rows.first_rows.tolist(), cells, strict=True):
                if row in written:
                    written[row].append([cell])
                    passes[row].append([cell])
    for row, values in _texts_that_go_out(batch):
        if row in written:
            written[row].append(values)
    kept = labels_kept(policies)
    guards: dict[tuple[int, frozenset[str]], tuple[Guard, PassingGuard]] = {}
    for row, places in written.items():
        try:
            key = id(known[row]), kept[id(policies[row])]
            if key not in guards:
                of_patient = known[row]
                guards[key] = (
                    Guard(of_patient, kept=key[1]),
                    PassingGuard(of_patient, key[1]),
                )
            guard, passing_guard = guards[key]
            texts = (BETWEEN.join(texts_of(values)) for values in places)
            left = {found for text in texts for found, _ in guard.violations(text)}
            for value in itertools.chain.from_iterable(map(texts_of, passes[row])):
                left |= passing_guard.left_in(value)
        except Exception as error:  # fail closed: what was not asserted does not go out
            raise_shortage(error)
            failures[row] = Failure("guard", error_class(error))
            continue
        if left:
            failures[row] = Failure("guard", min(left).value)
    return dataclasses.replace(batch, failures=failures)


def _texts_that_go_out(batch: Batch) -> Iterator[tuple[int, list[object]]]:
    """Yields first rows with their scrubbed texts, and with names in markup, which no one reads."""
    assert batch.scrubbed is not None
    rows = batch.documents.rows.tolist()
    for row, text in zip(rows, batch.scrubbed.texts, strict=True):
        yield row, [text]
    for index, document in batch.documents.written.items():
        if names := document.names:
            yield rows[index], [names]
