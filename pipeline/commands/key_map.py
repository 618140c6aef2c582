"""`scrubline key map`: a table of all ids of an input and their keys, for holders of the key.

It joins an output with its source, so it is as sensitive as the input: it is written to a new file
on this machine that only the user can read, and to nowhere else.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import logging
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...models.core.display_names import counted
from ...models.core.error_classes import explain
from ...models.core.errors import UsageError
from ...models.core.keys import Keys, canonical_id
from ...models.core.shortage import raise_shortage
from ...models.formats import Chunk, Format, Limits, open_format
from ...models.formats.column_roles import Columns, Role, is_single, preset_for
from ...models.formats.line_notes import GroupLines, whole_notes
from ...models.formats.nested_columns import OpenedColumn
from ...models.formats.nested_json import JsonNesting
from ...models.formats.nested_paths import Path, PathNode, parse_path, show_path, tree_of
from ...models.jobs.record_rows import patient_of_row, row_key
from ...models.storage.key_files import load_keys, warn_if_open
from ...models.storage.storage import Storage
from ..options import Options, load_config, options_from, said
from ..outputs.planning import InputSurvey, inspect_inputs, split
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import show
from .new_files import require_new
from .table_files import new_table, table_ending

_log = logging.getLogger(__name__)


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if there is no input, no id column, no key, or the file cannot be written.
    """
    if parsed.ids:
        raise UsageError("key map takes no ids: it reads those of --input")
    place = parsed.output
    if table_ending(place) is None:
        raise UsageError(
            "say where to write with --output FILE; its ending says how: .parquet, .csv or .jsonl"
        )
    require_new(place, "--output")
    overrides = said(parsed) | {"output": None}
    pairs = overrides.pop("columns", None)
    options = options_from(load_config(parsed.config), overrides, command="key")
    if not options.inputs:
        raise UsageError("say what to read with --input URL (a file, a folder or a glob)")
    storage = Storage()
    keys = load_keys(options.key_source, storage.read_bytes)
    warn_if_open(options.key_source)
    seen = inspect_inputs(storage, options.inputs, options.format, options.settings)
    source = _IdSource(storage, seen, *_columns(pairs, options, seen), keys, options)
    numbered, lost = source.repeated()
    names = ["id", "ordinal", "doc_key", *(["patient", "patient_key"] if source.patient else [])]
    with new_table(place, "--output", names, integers=("ordinal",)) as table:
        table.add(source.rows(numbered))
    if not table.rows and lost.without_id:
        _log.warning("none of %d rows has a usable id: the table is empty", lost.without_id)
    unread = f"{counted(lost.unreadable, 'row')} that cannot be read, " if lost.unreadable else ""
    show(
        f"{counted(table.rows, 'id')}, {unread}{counted(lost.without_id, 'row')} without a usable "
        f"id, key check value {keys.check}"
    )
    for error, count in sorted(lost.errors.items()):
        known = explain(error)
        say(f"{counted(count, 'row')} {error}: {known.cause}; {known.remedy}", "WARNING")
    return ExitCode.HELD if lost.unreadable else ExitCode.DONE


@dataclasses.dataclass(slots=True)
class _LostRows:
    """The rows that are not in the table.

    Attributes:
        errors: of those that cannot be read, by class; a run holds them back.
        without_id: that have none, or one that cannot be an id.
    """

    errors: Counter[str] = dataclasses.field(default_factory=Counter)
    without_id: int = 0

    @property
    def unreadable(self) -> int:
        """How many cannot be read."""
        return self.errors.total()


def _columns(
    pairs: Sequence[tuple[str, str]] | None, options: Options, seen: InputSurvey
) -> tuple[str, str | None, _Declared]:
    """The columns of ids and of patients, and all that are declared.

    None if no column has the role `patient`.

    Raises:
        UsageError: if the input has no such columns, or nobody says which they are.
    """
    if record := next(filter(None, sorted(seen.records)), ""):
        said_roles = options.columns.overlaid_roles if options.columns else ()
        columns = Columns.of_record(record, said_roles if pairs is None else pairs)
        patients = columns.named(Role.PATIENT)
        return columns.named(Role.ID)[0], next(iter(patients), None), _Declared((), {}, columns)
    if pairs is None:
        declared = options.columns or preset_for(seen.columns)
        pairs = [(name, str(role)) for name, role in declared.roles] if declared else []
    named = {role: [name for name, its in pairs if its == role] for role in (Role.ID, Role.PATIENT)}
    if len(named[Role.ID]) != 1 or len(named[Role.PATIENT]) > 1:
        raise UsageError(
            "say which column holds the ids, and which those of patients if any: "
            "--column NAME=id --column NAME=patient"
        )
    declared = _Declared.of((name for name, _ in pairs), seen.columns)
    for role, names in named.items():
        for name in names:
            if name in declared.paths and not is_single(name):
                raise UsageError(
                    f"role {role} needs one value a row, and items of a list or map may be many"
                )
            if name not in declared.paths and name not in seen.columns:
                raise UsageError(f"the input has no column of that name for the role {role}")
    forms = [open_format(name, seen.settings) for name in dict.fromkeys(seen.formats)]
    flat = [form.name for form in forms if form.nesting is None]
    if flat and {*named[Role.ID], *named[Role.PATIENT]} & declared.paths.keys():
        raise UsageError(f"a path leads into a nested column, which the format {flat[0]} lacks")
    return named[Role.ID][0], next(iter(named[Role.PATIENT]), None), declared


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class _Declared:
    """The columns that are declared.

    Attributes:
        names: those that are no paths.
        paths: a path into a nested column -> its steps.
        messages: the roles of a message format, where the input is of one.
    """

    names: tuple[str, ...]
    paths: Mapping[str, Path]
    messages: Columns | None = None

    @classmethod
    def of(cls, declared: Iterable[str], present: Sequence[str]) -> _Declared:
        """Tells paths from names as a run does: a flat column `note.id` is just that."""
        names, paths = [], {}
        for name in declared:
            path = None if name in present else parse_path(name)
            if path and len(path) > 1 and path[0] in present:
                paths[name] = path
            else:
                names.append(name)
        return cls(tuple(names), paths)

    def column(self, name: str) -> str:
        """The column in which the values of a name are."""
        if self.messages is not None:
            return self.messages.record
        return str(self.paths[name][0]) if name in self.paths else name

    def opened(self, form: Format, chunk: Chunk, ids: Sequence[str]) -> dict[str, OpenedColumn]:
        """The nested columns of a chunk that hold ids, by name.

        Args:
            ids: the names of the ids. Where nothing but these is declared of a column, whatever
                else is in it is no error, as in flat columns.
        """
        found: dict[str, OpenedColumn] = {}
        if self.messages is not None and form.nesting is not None:
            record = self.messages.record
            node = self.messages.nested[record]
            return {record: form.nesting.open(chunk.columns.column(record), record, node)}
        for column in {self.column(name) for name in ids if name in self.paths}:
            inside = {name: path for name, path in self.paths.items() if path[0] == column}
            cells, nesting = chunk.columns.column(column), form.nesting
            assert nesting is not None
            opened = nesting.open(cells, column, tree_of(inside))
            if opened.errors and inside.keys() <= set(ids) and isinstance(nesting, JsonNesting):
                tree = tree_of(inside)
                raw = cells.to_pylist()
                more = (nesting.undeclared(raw[row], column, tree) for row in opened.errors)
                for path in map(parse_path, itertools.chain.from_iterable(more)):
                    if beside := _first_name_out(path or (), tree):
                        inside[show_path(beside)] = beside
                opened = nesting.open(cells, column, tree_of(inside))
            found[column] = opened
        return found


def _first_name_out(path: Path, tree: PathNode) -> Path | None:
    """The beginning of a path, up to the first name that a tree lacks.

    None if it leaves the tree where that has a value of another kind.
    """
    node = tree
    for depth, step in enumerate(path[1:], 2):
        if step not in node.children:
            return path[:depth] if isinstance(step, str) else None
        node = node.children[step]
    return None


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class _IdSource:
    """The ids of an input, read in its order, as often as is asked."""

    storage: Storage
    seen: InputSurvey
    id: str
    patient: str | None
    declared: _Declared
    keys: Keys
    options: Options

    def repeated(self) -> tuple[frozenset[str], _LostRows]:
        """The ids that more than one row has, and the rows that have none that can be used.

        Memory: eight bytes a row. Two ids in 64 bits of a hash are hardly ever equal by chance, and
        then only counted in vain.
        """
        found = [np.zeros(0, np.uint64)]
        lost = _LostRows()
        for ids, _, errors in self._pairs():
            lost.errors.update(errors)
            lost.without_id += ids.count(None) - len(errors)
            found.append(np.array([_half(self._key(i)) for i in ids if i], np.uint64))
        values, counts = np.unique(np.concatenate(found), return_counts=True)
        twice = set(values[counts > 1].tolist())
        if not twice:
            return frozenset(), lost
        return frozenset(
            i for ids, _, _ in self._pairs() for i in ids if i and _half(self._key(i)) in twice
        ), lost

    def _key(self, canonical: str, ordinal: int = 0) -> str:
        messages = self.declared.messages
        record = "" if messages is None else messages.record
        return row_key(self.keys, record, canonical, ordinal)

    def rows(self, repeated: frozenset[str]) -> Iterator[tuple[str | int | None, ...]]:
        """Yields a row for each document: id, ordinal, doc_key, and of the patient id and key.

        Args:
            repeated: ids of more than one row; the rows are numbered as a run over all of the input
                numbers them.
        """
        times: dict[str, int] = {}
        for ids, patients, _ in self._pairs():
            for one, patient in zip(ids, patients, strict=True):
                if one is None:
                    continue
                ordinal = 0
                if one in repeated:
                    ordinal = times.get(one, 0)
                    times[one] = ordinal + 1
                row = (one, ordinal, self._key(one, ordinal))
                if self.patient is None:
                    yield row
                    continue
                if self.declared.messages is not None:
                    patient = patient_of_row(self.declared.messages.record, one, patient)
                yield *row, patient, None if patient is None else self.keys.patient_key(patient)

    def _pairs(self) -> Iterator[tuple[list[str | None], list[str | None], list[str]]]:
        """Yields ids and patients of some documents, in the order of the input.

        With the error classes of those that cannot be read.
        """
        limits = Limits(batch_documents=self.options.batch_documents)
        lines = self.options.group_lines
        by = GroupLines.parse(lines) if lines else None
        units = split(
            self.storage, self.seen, self.options.split_bytes, limits, "", whole_files=bool(by)
        )
        for unit in units:
            form, folders = open_format(unit.format, self.seen.settings), dict(unit.partition)
            ids = [name for name in (self.id, self.patient) if name]
            names: Iterable[str] = dict.fromkeys(map(self.declared.column, ids))
            if not form.traits.counts_rows:  # a record with an undeclared column is not read
                names = dict.fromkeys((*self.seen.columns, *self.declared.names))
            wanted = tuple(name for name in names if name not in folders)
            for locator in unit.locators:
                file = self.seen.files[locator.file]
                self.storage.check_unchanged(file)
                chunks = form.read(self.storage, file, locator, wanted, limits)
                if by is not None:
                    most = self.options.budgets.document_bytes
                    chunks = whole_notes(chunks, form, by, most)
                for chunk in chunks:
                    nested = self.declared.opened(form, chunk, ids)
                    errors = dict(chunk.errors)
                    for column in nested.values():
                        errors |= column.errors
                    firsts = _first_rows(chunk)
                    found = (
                        _canonical(self._cells(name, chunk, folders, form.decode, nested), errors)
                        for name in (self.id, self.patient)
                    )
                    rows, patients = ([values[row] for row in firsts] for values in found)
                    yield rows, patients, [errors[row] for row in firsts if row in errors]

    def _cells(
        self,
        name: str | None,
        chunk: Chunk,
        folders: Mapping[str, str],
        decode: Callable[[Any], list[Any]],
        nested: Mapping[str, OpenedColumn],
    ) -> list[Any]:
        """The values of a name, one a row."""
        count = chunk.columns.num_rows
        if name is None:
            return [None] * count
        if name in folders:
            return [folders[name]] * count
        if name not in self.declared.paths and self.declared.messages is None:
            return decode(chunk.columns.column(name))
        leaf = nested[self.declared.column(name)].leaves.get(name)
        values: list[Any] = [None] * count
        for row, value in () if leaf is None else zip(leaf.rows, decode(leaf.cells), strict=True):
            if values[row] is None:  # of what a message repeats, the first counts
                values[row] = value
        return values


def _canonical(values: Sequence[Any], errors: Container[int]) -> list[str | None]:
    """The canonical ids of some values; None where there is none that can be used.

    Args:
        errors: rows that cannot be read.
    """
    found: list[str | None] = []
    for row, value in enumerate(values):
        try:
            found.append(None if row in errors else canonical_id(value))
        except Exception as error:  # a run quarantines such a row
            raise_shortage(error)
            found.append(None)
    return found


def _first_rows(chunk: Chunk) -> Sequence[int]:
    """The first row of each note."""
    if chunk.first_rows is None:
        return range(chunk.columns.num_rows)
    return sorted(set(chunk.first_rows.tolist()))


def _half(doc_key: str) -> int:
    return int(doc_key[:16], 16)
