"""`scrubline prune`: removes what superseded and given-up runs left in an output."""

from __future__ import annotations

import argparse

from ...models.storage.storage import Storage
from ..outputs.pruning import prune
from ..process.exit_codes import ExitCode
from ..process.stdout import show


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        ScrublineError: if the output cannot be looked at or changed.
    """
    for line in prune(
        Storage(),
        parsed.output.rstrip("/"),
        keep_runs=parsed.keep_runs,
        older_than_days=parsed.older_than,
        yes=parsed.yes,
    ):
        show(line)
    return ExitCode.DONE
