"""`scrubline resume`: continues a run that was planned, stopped or held back, or gives it up."""

from __future__ import annotations

import argparse

from ...models.core.errors import UsageError
from ...models.storage.storage import Storage
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..run import resume
from .recording import recorded
from .run_summaries import show_manifest


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        ScrublineError: whatever ends the run; `exit_code_of` says with which code.
    """
    storage = Storage()
    with recorded(parsed, storage) as (options, recorder):
        rows = [_row(text) for text in options.skip]
        if rows and options.discard:
            raise UsageError("--skip continues a run and --discard gives it up: choose one")
        manifest = resume(
            storage,
            options,
            options.run,
            key_source=parsed.key_source,
            discard=options.discard,
            skip=rows,
            observer=recorder,
        )
    if options.discard:
        say(
            "the run is discarded: its plan and its unpublished work are removed; what was "
            "published is as it was",
            "INFO",
        )
    show_manifest(manifest, as_json=options.as_json)
    return ExitCode.DONE


def _row(text: str) -> tuple[int, int]:
    """Unit and ordinal of `UNIT:ORDINAL`.

    Raises:
        UsageError: if it is something else.
    """
    unit, _, ordinal = text.partition(":")
    if not all(n.isascii() and n.isdecimal() and len(n) < 19 for n in (unit, ordinal)):
        raise UsageError(
            "--skip takes UNIT:ORDINAL, two numbers, as the message of the stopped run gives them"
        )
    return int(unit), int(ordinal)
