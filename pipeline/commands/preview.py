"""`scrubline preview`: some notes before and after, side by side, on the user's own terminal.

Nothing is written, and no key is needed. What is shown is PHI, so it goes to a terminal and nowhere
else.
"""

from __future__ import annotations

import argparse
import itertools
import secrets
import sys
from collections.abc import Iterator

from ...models.core.batches import Batch
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
    for batch, index, result in itertools.islice(
        _documents(Storage(), options, scrubber, parsed.rows), parsed.rows
    ):
        _show(batch, index, result, colours)
    if scrubber.policy.needs_key:
        show("surrogates and shifted dates are examples: a run makes others, with its key")
    return ExitCode.DONE


def _documents(
    storage: Storage, options: Options, scrubber: Scrubber, rows: int
) -> Iterator[tuple[Batch, int, ScrubbedText | DocumentError]]:
    """Yields the first documents of the input: a batch, the index there, what became of it."""
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
            results = scrubber.explain_batch(batch, stand_ins=stand_ins, people=people)
            yield from ((batch, index, result) for index, result in enumerate(results))


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
