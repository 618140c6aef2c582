"""Scrubs one text, from standard input or a file to standard output."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable

from ...models.core.error_classes import explain
from ...models.core.errors import DocumentError, UsageError
from ...models.scrubber import Scrubber
from ...models.storage.storage import Storage
from ..options import Options, load_config, options_from, said
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import read_stdin_bytes, show_bytes


def scrub_stdin(parsed: argparse.Namespace) -> ExitCode:
    """Runs `scrubline scrub -`; HELD, with nothing printed, if the text cannot be processed.

    Raises:
        UsageError: if standard input is closed, or an option cannot be used.
    """
    return _scrub(_options(parsed), read_stdin_bytes)


def scrub_file(parsed: argparse.Namespace, storage: Storage, path: str) -> ExitCode:
    """Runs `scrubline scrub NOTE.txt`; HELD, with nothing printed, as `scrub_stdin`.

    Raises:
        UsageError: if an option cannot be used.
    """
    return _scrub(_options(parsed), lambda: storage.read_bytes(path))


def _options(parsed: argparse.Namespace) -> Options:
    options = options_from(load_config(parsed.config), said(parsed))
    if options.roster is not None:
        raise UsageError(
            "--roster: one text does not say whose it is. Scrub a table with a column of role "
            "patient, or annotated notes with `annotate --roster`"
        )
    return options


def _scrubber(options: Options) -> Scrubber:
    return Scrubber(
        models=options.models,
        policy=options.policy,
        recognisers=options.recognisers,
        budgets=options.budgets,
    )


def _scrub(options: Options, read: Callable[[], bytes]) -> ExitCode:
    scrubber = _scrubber(options)
    try:
        found = scrubber.explain(read().decode(options.settings.encoding))
        shown = json.dumps(found.as_json(), indent=1) + "\n" if options.as_json else found.text
    except UnicodeDecodeError:
        return _held(DocumentError("BadEncoding"))
    except DocumentError as error:
        return _held(error)
    show_bytes(shown.encode())
    return ExitCode.DONE


def _held(error: DocumentError) -> ExitCode:
    """Fails closed: nothing is printed of a text that cannot be processed."""
    known = explain(error.code)
    say(f"scrubline: the text is held back: {error.code}: {known.cause}; {known.remedy}")
    return ExitCode.HELD
