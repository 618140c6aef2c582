"""`scrubline roster`: seals tables of known people; checks a roster, and compares two."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator

from ...models.core.errors import UsageError
from ...models.formats import Limits, open_format
from ...models.roster.building import build_roster
from ...models.roster.bundle import RosterBundle, RosterFiles
from ...models.roster.differences import RosterChange, roster_changes
from ...models.roster.frequent import LEAST_SHARE, NoteWords, RosterWords
from ...models.roster.manifest import check_date
from ...models.roster.mapping import check_mapping
from ...models.roster.tables import PeopleTables
from ...models.storage.key_files import load_keys, warn_if_open
from ...models.storage.storage import Storage
from ..options import Options, options_from, said
from ..outputs.planning import inspect_inputs, split
from ..process.exit_codes import ExitCode
from ..process.stdout import show
from .new_files import require_new
from .roster_report import BuildProgress, check_lines, manifest_lines, shown_words

_SPLIT_BYTES = 1 << 26
_TEXT = "text"


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if something is missing, or a table or roster cannot be used.
    """
    pairs = _pairs(parsed.people_columns or ())
    if parsed.what == "diff":
        _diff(parsed.rosters)
    elif parsed.what == "build":
        _build(parsed, pairs)
    else:
        _check(parsed, pairs)
    return ExitCode.DONE


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    for number, word in enumerate(words, 1):
        if "=" not in word:
            raise UsageError(
                f"--column number {number}: expected NAME=WHAT, for example ID=patient"
            )
    return [(name, what) for name, _, what in (word.rpartition("=") for word in words)]


def _build(parsed: argparse.Namespace, pairs: list[tuple[str, str]]) -> None:
    options = options_from({}, said(parsed) | {"output": None}, command="roster")
    if parsed.rosters:
        raise UsageError("roster build takes its tables with --input, and no other words")
    if not options.inputs:
        raise UsageError("say which tables to read with --input URL (a file, a folder or a glob)")
    if not parsed.output:
        raise UsageError("say where to write the roster with --output FOLDER")
    mapping, date = check_mapping(pairs), check_date(parsed.date)
    require_new(parsed.output, "--output")
    storage = Storage(private=True)
    keys = load_keys(options.key_source, storage.read_bytes)
    warn_if_open(options.key_source)
    tables = PeopleTables.open(
        storage, options.inputs, mapping, form=options.format, options=options.settings
    )
    output = parsed.output.rstrip("/") or parsed.output
    with BuildProgress() as progress:
        manifest, counts = build_roster(
            tables, keys, output, storage=storage, date=date, progress=progress.tell
        )
    show(*manifest_lines(manifest))
    show(f"from {counts.rows:,} rows, {counts.empty:,} empty cells")


def _check(parsed: argparse.Namespace, pairs: list[tuple[str, str]]) -> None:
    options = options_from({}, said(parsed) | {"output": None}, command="roster")
    if len(parsed.rosters) != 1:
        raise UsageError("roster check takes one roster: the folder that `roster build` wrote")
    if parsed.show and not sys.stdout.isatty():
        raise UsageError(
            "--show prints words of names, so it prints to a terminal only: not into a file or pipe"
        )
    share = LEAST_SHARE if parsed.share is None else parsed.share
    if not 0 < share <= 1:
        raise UsageError("--share: expected a number above 0 and at most 1")
    if other := [what for _, what in pairs if what != _TEXT]:
        raise UsageError(f"roster check: --column takes NAME=text alone ({len(other)} are not)")
    storage = Storage()
    keys = load_keys(options.key_source, storage.read_bytes)
    warn_if_open(options.key_source)
    words = RosterWords()
    with RosterBundle(parsed.rosters[0], keys, storage) as bundle:
        show(*manifest_lines(bundle.manifest))
        for _, known in bundle.rows():
            words.add(known)
        bundle.staff()
    notes = NoteWords()
    if options.inputs:
        for text in _texts(storage, options, [name for name, _ in pairs]):
            notes.add(text)
    show(*check_lines(words, notes, share))
    if parsed.show and notes.notes:
        show(*shown_words(words.frequent(notes, share), notes.notes))


def _texts(storage: Storage, options: Options, named: list[str]) -> Iterator[str]:
    """Yields the texts of notes, in the order of the input.

    Raises:
        UsageError: if the input has no such column.
    """
    seen = inspect_inputs(storage, options.inputs, options.format, options.settings)
    columns = named or [_TEXT]
    if not set(columns) <= set(seen.columns):
        raise UsageError(
            "the notes have no such column: say which is free text with --column NAME=text"
        )
    limits = Limits()
    for unit in split(storage, seen, _SPLIT_BYTES, limits, ""):
        form, folders = open_format(unit.format, seen.settings), dict(unit.partition)
        names = columns if form.traits.counts_rows else [*dict.fromkeys((*seen.columns, *columns))]
        wanted = tuple(name for name in names if name not in folders)
        for locator in unit.locators:
            file = seen.files[locator.file]
            for chunk in form.read(storage, file, locator, wanted, limits):
                for name in columns:
                    values = form.decode(chunk.columns.column(name))
                    yield from (value for value in values if isinstance(value, str))


def _diff(places: list[str]) -> None:
    if len(places) != 2:
        raise UsageError("roster diff takes two rosters: the old and the new")
    counts: Counter[RosterChange] = Counter()
    with RosterFiles(places[0]) as old, RosterFiles(places[1]) as new:
        for change, patient in roster_changes(old, new):
            counts[change] += 1
            show(f"{change} {patient}")
        files = (old.manifest.files, new.manifest.files)
        if files[0]["staff.bin"].sha256 != files[1]["staff.bin"].sha256:
            show("staff: changed")
    said_counts = (
        f"{name.lower()}: {counts[RosterChange[name]]:,}" for name in RosterChange.__members__
    )
    show(f"patients {', '.join(said_counts)}")
