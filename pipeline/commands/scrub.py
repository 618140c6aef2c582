"""`scrubline scrub`: scrubs a corpus; or one text, from standard input to standard output."""

from __future__ import annotations

import argparse

from ...models.core.errors import UsageError
from ..process.exit_codes import ExitCode


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        ScrublineError: whatever ends the run; `exit_code_of` says with which code.
    """
    # One text needs neither the planner nor an engine: each way imports its own.
    if parsed.text is None:
        from .scrub_corpus import scrub_corpus

        return scrub_corpus(parsed)
    if parsed.text != "-":
        raise UsageError(
            "files are named by options: scrubline scrub --input FILE --output FOLDER --column "
            "NAME=ROLE ... (--input again for each further file, or a glob in quotes). One text "
            "from standard input: scrubline scrub - < FILE"
        )
    if parsed.inputs or parsed.output or parsed.columns or parsed.dry_run:
        raise UsageError("`scrub -` takes one text from standard input and prints it; no files")
    from .scrub_text import scrub_text

    return scrub_text(parsed)
