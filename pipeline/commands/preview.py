"""`scrubline preview`: some notes before and after, side by side, on the user's own terminal.

Nothing is written, and no key is needed. What is shown is PHI, so it goes to a terminal and nowhere
else.
"""

from __future__ import annotations

import argparse
import dataclasses
import secrets
import sys
from collections.abc import Iterator, Sequence

from ...models.core.batches import Batch
from ...models.core.display_names import counted
from ...models.core.error_classes import explain
from ...models.core.errors import DocumentError, UsageError
from ...models.core.keys import Keys
from ...models.formats import Limits, open_format
from ...models.formats.column_roles import Columns
from ...models.formats.line_notes import GroupLines
from ...models.jobs.read_unit import read_unit
from ...models.jobs.shifted_columns import DateColumns, require_shiftable
from ...models.redaction.actions import ACTIONS
from ...models.redaction.stand_ins import StandIns
from ...models.roster.people import KnownPeople
from ...models.scrubber import ScrubbedText, Scrubber
from ...models.storage.storage import Storage
from ..options import Options
from ..outputs.planning import check_types, inspect_inputs, roles_for, split
from ..preparation import require_people
from ..process.exit_codes import ExitCode
from ..process.stdout import show
from .column_fates import column_fates
from .roster_of_notes import open_roster
from .run_options import read_options
from .side_by_side import show_side_by_side, without_controls

_COLOURS = ("red", "blue", "magenta", "yellow", "cyan", "bright_red", "bright_blue")
"""Of labels, in the order of their first find; green is what stays."""

_STAYS = "green"

_MOST_HELD_BACK = 1_000
"""Rows without a note to show after which no more are read."""


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if standard output is no terminal, or the input cannot be read as declared.
    """
    if not sys.stdout.isatty():
        raise UsageError(
            "preview shows notes as they are, so it prints to a terminal only: not into a file or "
            "pipe"
        )
    if parsed.rows < 1:
        raise UsageError("--rows: expected a whole number from 1 on")
    options = read_options(parsed)
    scrubber = Scrubber(
        models=options.models,
        policy=options.policy,
        recognisers=options.recognisers,
        budgets=options.budgets,
    )
    colours: dict[str, str] = {}
    read = _ReadRows()
    for batch, results in _batches(Storage(), options, scrubber, parsed.rows):
        read.add(batch, results)
        for index, result in enumerate(results[: parsed.rows - read.shown]):
            _show(batch, index, result, colours)
            read.shown += 1
        if read.shown == parsed.rows or read.held_back >= _MOST_HELD_BACK:
            break
    show(*read.told())
    if scrubber.policy.needs_key and read.shown:
        show("surrogates and shifted dates are examples: a run makes others, with its key")
    return ExitCode.HELD if read.rows and read.held_back == read.rows else ExitCode.DONE


@dataclasses.dataclass(slots=True)
class _ReadRows:
    """The rows that were read, and why some of them are held back.

    Attributes:
        rows: how many.
        shown: notes that were shown, or told to be held back.
        reasons: class of error -> how many rows, and where the first of them is.
    """

    rows: int = 0
    shown: int = 0
    reasons: dict[str, tuple[int, str]] = dataclasses.field(default_factory=dict)

    @property
    def held_back(self) -> int:
        """How many rows a run would put in the quarantine."""
        return sum(count for count, _ in self.reasons.values())

    def add(self, batch: Batch, results: Sequence[ScrubbedText | DocumentError]) -> None:
        """Counts the rows of a batch; a row is held back with the first of its notes that is."""
        self.rows += len(batch.rows.ordinals)
        codes = {row: failure.error for row, failure in batch.failures.items()}
        for row, result in zip(batch.documents.rows.tolist(), results, strict=True):
            if isinstance(result, DocumentError):
                codes.setdefault(row, result.code)
        for row, code in sorted(codes.items()):
            place = f"unit {batch.unit}, row {int(batch.rows.ordinals[row])}"
            count, first = self.reasons.get(code, (0, place))
            self.reasons[code] = count + 1, first

    def told(self) -> Iterator[str]:
        """Yields lines: how many rows are held back, why, and what to do; none if all is well."""
        if not self.reasons:
            if not self.shown:
                yield f"{counted(self.rows, 'row')} read: no note to show"
            return
        verb = "is" if self.held_back == 1 else "are"
        yield (
            f"{self.held_back:,} of {counted(self.rows, 'row')} read {verb} held back: a run puts "
            "such rows in its quarantine, and never in its output"
        )
        for code, (count, first) in sorted(self.reasons.items()):
            meaning = explain(code)
            yield f"  {code} ({count:,}; first: {first}): {meaning.cause}; {meaning.remedy}"


def _batches(
    storage: Storage, options: Options, scrubber: Scrubber, rows: int
) -> Iterator[tuple[Batch, list[ScrubbedText | DocumentError]]]:
    """Yields the first batches of the input, and what became of each of their documents."""
    seen = inspect_inputs(storage, options.inputs, options.format, options.settings)
    columns = roles_for(seen, options.columns, scrubber.policy)
    check_types(storage, seen, columns)
    require_shiftable(scrubber.policy, columns)
    show("columns", *column_fates(columns.to_json(), scrubber.policy.to_dict()))
    limits = Limits(batch_documents=min(rows, options.batch_documents))
    by = GroupLines.parse(options.group_lines) if options.group_lines else None
    drawn = Keys(secrets.token_bytes(32))  # no one can link what is made with it
    people, keys = _people(storage, options, columns, drawn)
    stand_ins = StandIns.of(scrubber.policy, drawn)
    for unit in split(storage, seen, options.split_bytes, limits, "", whole_files=bool(by)):
        for batch in read_unit(
            storage,
            open_format(unit.format, seen.settings),
            unit,
            seen.files,
            columns,
            keys,
            limits,
            options.budgets,
            dates=DateColumns.of(scrubber.policy),
            group_lines=by,
        ):
            yield batch, scrubber.explain_batch(batch, stand_ins=stand_ins, people=people)


def _people(
    storage: Storage, options: Options, columns: Columns, drawn: Keys
) -> tuple[KnownPeople | None, Keys]:
    """Whom a run would know, and the keys to look them up by: without a roster any will do."""
    require_people(options.roster, columns)
    if options.roster is None:
        return (KnownPeople(fuzzy=options.roster_fuzzy) if columns.known else None), drawn
    return open_roster(storage, options.roster, options.key_source, options.roster_fuzzy)


def _show(
    batch: Batch, index: int, result: ScrubbedText | DocumentError, colours: dict[str, str]
) -> None:
    row, field = int(batch.documents.rows[index]), batch.documents.fields[index]
    place = f"unit {batch.unit}, row {int(batch.rows.ordinals[row])}, {field}"
    text = batch.documents.texts[index]
    if isinstance(result, DocumentError):
        show(f"{place}: held back: {result.code}")
    else:
        _side_by_side(text, result, place, colours)


def _side_by_side(text: str, found: ScrubbedText, place: str, colours: dict[str, str]) -> None:
    from rich.text import Text

    text, scrubbed = without_controls(text), without_controls(found.text)
    left, right, legend = Text(), Text(), Text()
    at = out_at = 0
    styles: dict[str, str] = {}
    for span, start, end in zip(found.spans, found.out_starts, found.out_ends, strict=True):
        colour = colours.setdefault(span.label, _COLOURS[len(colours) % len(_COLOURS)])
        style = f"bold {colour}" if ACTIONS[span.action].removes else _STAYS
        styles.setdefault(span.label, style)
        left.append(text[at : span.start]).append(text[span.start : span.end], style=style)
        right.append(scrubbed[out_at:start]).append(scrubbed[start:end], style=style)
        at, out_at = span.end, end
    left.append(text[at:])
    right.append(scrubbed[out_at:])
    for label, style in styles.items():
        legend.append(f"{label} ", style=style)
    show_side_by_side(place, left, right, legend)
