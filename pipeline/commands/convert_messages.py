"""`scrubline convert` from messages to a table, and from a table to messages.

Both read as a run reads, unit after unit, and hold no more than a batch. What a run would hold back
is left out, counted and told.
"""

from __future__ import annotations

import argparse
import array
import contextlib
import dataclasses
import datetime
import hashlib
import posixpath
import shlex
import zoneinfo
from collections.abc import Iterator, Mapping
from types import TracebackType

import numpy as np
import pyarrow as pa

from ...models.core.display_names import counted
from ...models.core.error_classes import explain
from ...models.core.errors import UsageError
from ...models.core.shortage import raise_shortage
from ...models.formats import (
    FORMATS,
    CellForm,
    Chunk,
    Format,
    FormatOptions,
    Limits,
    PartWriter,
    Sink,
    open_format,
)
from ...models.formats.column_roles import DOC_KEY, Columns
from ...models.jobs.note_messages import NoteWriter, require_message_roles
from ...models.jobs.note_rows import NoteReader
from ...models.jobs.note_tables import NoteTable
from ...models.storage.places import is_inside
from ...models.storage.storage import Storage
from ...models.storage.writers import Writer
from ..options import Options, load_config, options_from, said
from ..outputs.planning import InputSurvey, check_types, inspect_inputs, roles_for, split
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import show
from .convert_kinds import ConversionAsked, Way
from .new_files import require_new

_NOT_SCRUBBED = (
    "the table holds the texts and ids of the messages as they are: it is NOT de-identified"
)


def to_table(parsed: argparse.Namespace, asked: ConversionAsked) -> ExitCode:
    """Writes the notes of messages as a table, and prints how to scrub it if it has a row.

    Raises:
        UsageError: if the input cannot be read as messages, holds values without a role, or the
            output is there already.
    """
    source = _Source.of(parsed, asked)
    form = open_format(asked.target, FormatOptions())
    table = NoteTable.of(form, source.columns)
    reader = NoteReader(source.columns, source.options.budgets, tuple(n for n, _ in table.more))
    require_new(parsed.target, "the output", inputs=[parsed.source], overwrite=parsed.overwrite)
    say(f"scrubline: {_NOT_SCRUBBED}", "WARNING")
    records = notes = 0
    with _written(parsed.target, form) as writer:
        writer.write(table.rows([], []))
        for at in source.chunks():
            read = reader.notes(at.form, at.chunk, at.folders)
            source.refuse(at, read.failures)
            file = source.seen.files[at.file].path
            where = [(file, at.first + note.row) for note in read.notes]
            writer.write(table.rows(read.notes, where))
            records += at.chunk.columns.num_rows
            notes += len(read.notes)
    show(
        f"{counted(records, 'record')} of {counted(len(source.seen.files), 'file')}: "
        f"{counted(notes, 'row')} written as {asked.target}",
        *([_scrub_command(parsed, table)] if notes else []),
    )
    return source.told(records, "record")


def to_messages(parsed: argparse.Namespace, asked: ConversionAsked) -> ExitCode:
    """Writes a message for each row of a table.

    Raises:
        UsageError: if the table cannot be read, a column has a role for which messages have no
            place, or the output is there already.
    """
    zone = _zone(parsed.time_zone)
    source = _Source.of(parsed, asked)
    form = FORMATS[asked.target]
    grammar = form.traits.record
    require_message_roles(source.columns, grammar)
    reader = NoteReader(source.columns, source.options.budgets)
    maker = NoteWriter(grammar, zone)
    _require_place(parsed, form)
    ids = array.array("Q")
    rows = messages = 0
    with _written(parsed.target, form) as writer:
        for at in source.chunks():
            read = reader.notes(at.form, at.chunk, at.folders)
            made = maker.messages(read.notes)
            source.refuse(at, {**read.failures, **made.failures})
            rows += at.chunk.columns.num_rows
            ids.extend(_half(n.doc_id) for n in read.notes if n.row not in made.failures)
            names = [f"{messages + number:09}" for number in range(1, len(made.records) + 1)]
            messages += len(made.records)
            if made.records:
                cells = {DOC_KEY: names, grammar: made.records}
                writer.write(pa.table({n: pa.array(c, pa.string()) for n, c in cells.items()}))
    show(f"{counted(rows, 'row')}: {counted(messages, 'message')} written as {asked.target}")
    if repeated := len(ids) - len(np.unique(np.array(ids, np.uint64))):
        say(
            f"scrubline: messages with an id that another has too: {repeated:,}; a receiver may "
            "take one for a new version of the other",
            "WARNING",
        )
    return source.told(rows, "row")


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class _ChunkAt:
    """A chunk, and where it was read: index of the file, and number of its first record there."""

    chunk: Chunk
    form: CellForm
    file: int
    first: int
    folders: Mapping[str, str]


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class _Source:
    """What is read.

    Attributes:
        refused: error class -> how many records, and the place of the first.
    """

    storage: Storage
    seen: InputSurvey
    options: Options
    columns: Columns
    refused: dict[str, tuple[int, int, int]] = dataclasses.field(default_factory=dict)

    @classmethod
    def of(cls, parsed: argparse.Namespace, asked: ConversionAsked) -> _Source:
        """The input, with its roles checked as a run checks them."""
        overrides = said(parsed) | {"inputs": (parsed.source,), "format": asked.source}
        config = load_config(parsed.config)
        if asked.way is Way.TO_TABLE:  # which format of messages it is, was looked at
            config.pop("format", None)
        options = options_from(config, overrides, command="convert")
        storage = Storage()
        seen = inspect_inputs(storage, options.inputs, options.format, options.settings)
        columns = roles_for(seen, options.columns)
        check_types(storage, seen, columns)
        return cls(storage, seen, options, columns)

    def chunks(self) -> Iterator[_ChunkAt]:
        """Yields what the files hold, in their order."""
        budgets = self.options.budgets
        limits = Limits(
            line_bytes=budgets.line_bytes,
            document_bytes=budgets.document_bytes,
            unpacked_ratio=budgets.unpacked_ratio,
        )
        before, first = -1, 1
        for unit in split(self.storage, self.seen, self.options.split_bytes, limits, ""):
            form, folders = open_format(unit.format, self.seen.settings), dict(unit.partition)
            names = tuple(name for name in self.columns.inputs if name not in folders)
            for locator in unit.locators:
                file = self.seen.files[locator.file]
                first = first if locator.file == before else 1
                before = locator.file
                self.storage.check_unchanged(file)
                for chunk in form.read(self.storage, file, locator, names, limits):
                    yield _ChunkAt(chunk, form, locator.file, first, folders)
                    first += chunk.columns.num_rows

    def refuse(self, at: _ChunkAt, failures: Mapping[int, str]) -> None:
        """Counts what is left out."""
        for row, code in failures.items():
            count, *place = self.refused.get(code, (0, at.file, at.first + row))
            self.refused[code] = (count + 1, *place)  # type: ignore[assignment]

    def told(self, total: int, what: str) -> ExitCode:
        """Tells what was left out; a command that left anything out has held it back."""
        if not self.refused:
            return ExitCode.DONE
        count = sum(count for count, _, _ in self.refused.values())
        verb = "is" if count == 1 else "are"
        say(f"scrubline: {count:,} of {counted(total, what)} {verb} not in the output:")
        for code, (times, file, number) in sorted(self.refused.items()):
            meaning = explain(code)
            say(
                f"  {code} ({times:,}; first: {what} {number:,} of input file "
                f"{self.seen.number(file) + 1}): {meaning.cause}; {meaning.remedy}"
            )
        return ExitCode.HELD


class _OpenOutput:
    """The file of an output, as a format opens and closes it: it stays open until all is well."""

    def __init__(self, sink: Writer) -> None:
        self._sink = sink

    def write(self, data: bytes, /) -> int:
        # What a library still writes when it is cleaned up after an error goes nowhere.
        return len(data) if self._sink.closed else self._sink.write(data)

    def __enter__(self) -> _OpenOutput:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None:
        """Nothing: the file is closed by whoever opened it."""


@contextlib.contextmanager
def _written(target: str, form: Format) -> Iterator[PartWriter]:
    """A writer of the output, which only its owner may read; it is there whole, or not at all."""
    storage = Storage(private=True)
    if form.traits.file_is_record:
        urls: list[str] = []

        def opened(name: str) -> Sink:
            urls.append(f"{target.rstrip('/')}/{posixpath.basename(name)}")
            return storage.create(urls[-1])

        writer = form.writer(opened, "messages")
        try:
            yield writer
            writer.close()
        except BaseException:
            for url in urls:
                storage.delete(url)
            raise
        return
    with storage.create(target) as sink:
        writer = form.writer(lambda name: _OpenOutput(sink), "messages")
        yield writer
        writer.close()


def _require_place(parsed: argparse.Namespace, form: Format) -> None:
    """Refuses a place that is taken; a folder may be there if it is empty."""
    storage, target = Storage(), parsed.target
    if form.traits.file_is_record:
        if storage.list_names(target.rstrip("/")):
            raise UsageError(
                f"{form.name} needs a folder that is empty or does not exist: old files would "
                "become part of it"
            )
        return
    require_new(target, "the output", inputs=[parsed.source], overwrite=parsed.overwrite)


def _scrub_command(parsed: argparse.Namespace, table: NoteTable) -> str:
    """How the table is scrubbed, with the roles of its columns."""
    taken = (parsed.source, parsed.target)
    output = next(
        (p for p in ("scrubbed/", "../scrubbed/") if not any(_overlap(p, t) for t in taken)),
        "OUTPUT/",
    )
    words = ["scrubline", "scrub", "--input", parsed.target, "--output", output]
    words += ["--key-file", "key.txt"]
    for name, role in table.roles():
        words += ["--column", f"{name}={role}"]
    return shlex.join([*words, "--dry-run"])


def _overlap(left: str, right: str) -> bool:
    return is_inside(left, right) or is_inside(right, left)


def _zone(name: str | None) -> datetime.tzinfo | None:
    """A time zone by its name, or by what it adds to UTC.

    Raises:
        UsageError: if there is none of that name.
    """
    if name is None:
        return None
    with contextlib.suppress(ValueError):
        return datetime.datetime.strptime(name, "%z").tzinfo
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise_shortage(error)
        raise UsageError(
            "--time-zone: unknown zone; expected a name such as Europe/Berlin, or +01:00"
        ) from None


def _half(own: str) -> int:
    """Eight bytes for an id: two different ones are hardly ever equal by chance."""
    return int.from_bytes(hashlib.blake2b(own.encode(), digest_size=8).digest(), "big")
