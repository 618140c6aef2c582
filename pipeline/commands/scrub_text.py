"""Scrubs one text, from standard input to standard output."""

from __future__ import annotations

import argparse
import json

from ...models.core.errors import DocumentError
from ...models.scrubber import Scrubber
from ..options import load_config, options_from, said
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import read_stdin, show_bytes


def scrub_text(parsed: argparse.Namespace) -> ExitCode:
    """Runs `scrubline scrub -`; HELD, with nothing printed, if the text cannot be processed.

    Raises:
        UsageError: if there is no text, or an option cannot be used.
    """
    options = options_from(load_config(parsed.config), said(parsed))
    scrubber = Scrubber(
        models=options.models,
        policy=options.policy,
        recognisers=options.recognisers,
        budgets=options.budgets,
    )
    text = read_stdin()
    try:
        found = scrubber.explain(text)
        shown = json.dumps(found.as_json(), indent=1) + "\n" if options.as_json else found.text
    except DocumentError as error:
        # Fail closed: nothing is printed of a text that cannot be processed.
        say(f"scrubline: the text is held back: {error.code}")
        return ExitCode.HELD
    show_bytes(shown.encode())
    return ExitCode.DONE
