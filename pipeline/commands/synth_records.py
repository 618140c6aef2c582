"""`scrubline synth --patients`: whole records of generated patients, and their roster."""

from __future__ import annotations

import argparse
import contextlib
import re
from collections.abc import Callable, Iterable, Iterator

from ...models.core.errors import UsageError
from ...models.corpora import AnnotatedDocument, write_annotated
from ...models.storage.places import is_same
from ...models.synth import load_templates
from ...models.synth.record_notes import Records
from ...models.synth.record_table import COLUMNS, Row, rows_of, staff_rows
from .new_files import require_new
from .table_files import TableFile, new_table, table_ending

RECORD_OPTIONS = ("--notes-per-patient", "--roster")
"""Options of `synth` that need `--patients`."""

_NOTES = "1:40"

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
    _require_roster(args.roster, args.output)
    templates = load_templates(args.templates, args.kind or (), args.language)
    records = Records.of(templates, seed=args.seed, patients=args.patients, notes=notes)
    counts = {"notes": 0, "spans": 0, "characters": 0}
    with contextlib.ExitStack() as opened:
        roster: TableFile | None = None
        if args.roster is not None:
            roster = opened.enter_context(new_table(args.roster, "--roster", COLUMNS))

        def add_rows(rows: Iterable[Row]) -> None:
            if roster is not None:
                roster.add(rows)

        def all_notes() -> Iterator[AnnotatedDocument]:
            add_rows(staff_rows(records.staff))
            for life in records.lives():
                add_rows(rows_of(life, records.staff))
                yield from records.notes_of(life)

        write_annotated(counted(all_notes(), counts), args.output)
    if roster is not None:
        counts["roster rows"] = roster.rows
    made = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    return f"{made} of {args.patients:,} patients from {len(templates):,} templates"


def _range(said: str) -> tuple[int, int]:
    match = re.fullmatch(r"([0-9]{1,9})(?::([0-9]{1,9}))?", said)
    if match is None:
        raise UsageError("--notes-per-patient: expected A:B, least and most notes, such as 1:40")
    return int(match[1]), int(match[2] or match[1])


def _require_roster(roster: str | None, output: str) -> None:
    if roster is None:
        return
    if table_ending(roster) is None:
        raise UsageError("--roster: the file must end in .csv, .jsonl or .parquet")
    if roster == output or is_same(roster, output):
        raise UsageError("--roster and --output are the same file")
    require_new(roster, "--roster")
