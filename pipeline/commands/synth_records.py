"""`scrubline synth --patients`: whole records of generated patients, and their roster."""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from ...models.core.errors import UsageError
from ...models.corpora import AnnotatedDocument, write_annotated
from ...models.storage.places import is_same
from ...models.synth import load_templates
from ...models.synth.record_notes import Records
from ...models.synth.record_table import COLUMNS, Row, rows_of, staff_rows
from .new_files import new_file, require_new

RECORD_OPTIONS = ("--notes-per-patient", "--roster")
"""Options of `synth` that need `--patients`."""

_NOTES = "1:40"

Add = Callable[[Iterable[Row]], None]

Counted = Callable[[Iterator[AnnotatedDocument], dict[str, int]], Iterator[AnnotatedDocument]]


def synthesise_records(args: argparse.Namespace, counted: Counted) -> str:
    """Writes records and, if asked for, their roster; returns a summary for the user.

    Args:
        args: the parsed command line of `scrubline synth`, with a number of patients.
        counted: passes documents on and adds notes, spans and characters to counts.

    Raises:
        UsageError: if options contradict each other, a number is out of range, a kind is unknown,
            a template cannot be read, or a file cannot be written.
    """
    if args.notes is not None or args.raw:
        raise UsageError(
            "--patients makes whole records: leave out --notes and --raw; --notes-per-patient A:B "
            "says how many notes a patient has"
        )
    notes = _range(_NOTES if args.notes_per_patient is None else args.notes_per_patient)
    ending = _ending(args.roster, args.output)
    templates = load_templates(args.templates, args.kind or (), args.language)
    records = Records.of(templates, seed=args.seed, patients=args.patients, notes=notes)
    counts = {"notes": 0, "spans": 0, "characters": 0, "roster rows": 0}
    with contextlib.ExitStack() as opened:
        add: Add | None = None
        if args.roster is not None:
            stream = opened.enter_context(new_file(args.roster, "--roster"))
            add = opened.enter_context(_WRITERS[ending](stream))

        def add_rows(rows: Iterable[Row]) -> None:
            if add is not None:
                some = list(rows)
                counts["roster rows"] += len(some)
                add(some)

        def all_notes() -> Iterator[AnnotatedDocument]:
            add_rows(staff_rows(records.staff))
            for life in records.lives():
                add_rows(rows_of(life, records.staff))
                yield from records.notes_of(life)

        write_annotated(counted(all_notes(), counts), args.output)
    if args.roster is None:
        del counts["roster rows"]
    made = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    return f"{made} of {args.patients:,} patients from {len(templates):,} templates"


def _range(said: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,9})(?::([0-9]{1,9}))?", said)
    if match is None:
        raise UsageError("--notes-per-patient: expected A:B, least and most notes, such as 1:40")
    return int(match[1]), int(match[2] or match[1])


def _ending(roster: str | None, output: str) -> str:
    """Of the roster's file name; "" without one."""
    if roster is None:
        return ""
    ending = roster.rpartition(".")[2].lower()
    if ending not in _WRITERS:
        raise UsageError("--roster: the file must end in .csv, .jsonl or .parquet")
    if roster == output or is_same(roster, output):
        raise UsageError("--roster and --output are the same file")
    require_new(roster, "--roster")
    return ending


# -- files

_ROWS_AT_ONCE = 50_000


@contextlib.contextmanager
def _csv(stream: BinaryIO) -> Iterator[Add]:
    def add(rows: Iterable[tuple[str, ...]]) -> None:
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows(rows)
        stream.write(text.getvalue().encode("utf-8"))

    add([COLUMNS])
    yield add


@contextlib.contextmanager
def _json_lines(stream: BinaryIO) -> Iterator[Add]:
    def add(rows: Iterable[Row]) -> None:
        lines = (
            json.dumps(dict(zip(COLUMNS, row, strict=True)), ensure_ascii=False) + "\n"
            for row in rows
        )
        stream.write("".join(lines).encode("utf-8"))

    yield add


@contextlib.contextmanager
def _parquet(stream: BinaryIO) -> Iterator[Add]:
    schema = pa.schema([(name, pa.string()) for name in COLUMNS])
    held: list[Row] = []
    with pq.ParquetWriter(stream, schema) as writer:

        def write() -> None:
            columns = [list(column) for column in zip(*held, strict=True)]
            writer.write_table(pa.table(columns, schema=schema))
            held.clear()

        def add(rows: Iterable[Row]) -> None:
            held.extend(rows)
            if len(held) >= _ROWS_AT_ONCE:
                write()

        yield add
        if held:
            write()


_WRITERS: dict[str, Callable[[BinaryIO], contextlib.AbstractContextManager[Add]]] = {
    "csv": _csv,
    "jsonl": _json_lines,
    "parquet": _parquet,
}
"""Ending of the roster's file -> what writes it."""
