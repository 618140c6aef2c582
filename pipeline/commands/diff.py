"""`scrubline diff`: what a waiting run would change, or how two outputs differ."""

from __future__ import annotations

import argparse
import json

from ...models.storage.storage import Storage
from ..options.command_line import options_for
from ..outputs.audit_diff import diff, format_diff, format_document_changes
from ..process.exit_codes import ExitCode
from ..process.stdout import show
from .advice import watched


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command; HELD if the spans differ, or more are lost than --max-lost allows.

    Raises:
        UsageError: if there is nothing to compare.
    """
    limit: float | None = parsed.max_lost
    for option in options_for("diff"):
        option.require(getattr(parsed, option.attribute))
    with watched(parsed):
        found = diff(
            Storage(),
            parsed.output.rstrip("/"),
            run=parsed.run,
            against=parsed.against and parsed.against.rstrip("/"),
            by_document=parsed.documents,
        )
    if parsed.json:
        show(json.dumps(found.to_json(), indent=1))
    else:
        show(*(format_document_changes(found) if parsed.documents else format_diff(found)))
    is_alike = found.is_none if limit is None else found.lost_share <= limit
    return ExitCode.DONE if is_alike and (found.is_telling or limit == 1) else ExitCode.HELD
