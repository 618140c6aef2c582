"""Scrubs one text, from standard input or a file to standard output."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence

from ...models.core.error_classes import explain
from ...models.core.errors import DocumentError, UsageError
from ...models.formats.column_roles import Role
from ...models.formats.text_markup import is_message
from ...models.scrubber import Scrubber
from ...models.storage.storage import Storage
from ..options import Options, load_config, options_from, said
from ..options.values import parse_columns
from ..process.exit_codes import ExitCode
from ..process.logs import say
from ..process.stdout import read_stdin_bytes, show_bytes

_TEXT = "text"
"""The column of a text, as in text files, and their format."""


def scrub_stdin(parsed: argparse.Namespace) -> ExitCode:
    """Runs `scrubline scrub -`; HELD, with nothing printed, if the text cannot be processed.

    Raises:
        UsageError: if standard input is closed, or an option cannot be used.
    """
    return _scrub(parsed, read_stdin_bytes)


def scrub_file(parsed: argparse.Namespace, storage: Storage, path: str) -> ExitCode:
    """Runs `scrubline scrub NOTE.txt`; HELD, with nothing printed, as `scrub_stdin`.

    Raises:
        UsageError: if an option cannot be used.
    """
    return _scrub(parsed, lambda: storage.read_bytes(path))


def _options(parsed: argparse.Namespace) -> Options:
    options = options_from(load_config(parsed.config), said(parsed))
    if options.roster is not None:
        raise UsageError(
            "--roster: one text does not say whose it is. Scrub a table with a column of role "
            "patient, or annotated notes with `annotate --roster`"
        )
    # What a config file says is of the files of a run.
    if parsed.format not in (None, _TEXT):
        raise UsageError(
            f"--format {options.format}: one text is no file of that format. Scrub the file into a "
            f"folder: --input FILE --format {options.format} --output scrubbed/ --key-file key.txt"
        )
    return options


def _markup(columns: Sequence[Sequence[str]]) -> str | None:
    """How the text is written, where `--column text=text:html` says so.

    Raises:
        UsageError: for another column, or another role: there is nothing but the text.
    """
    declared = parse_columns(columns)
    if any(name != _TEXT or role is not Role.TEXT for name, role in declared.roles):
        raise UsageError(
            "--column: one text has one column, text, of role text: --column text=text:html, "
            "text:rtf, text:xml or text:plain says how it is written"
        )
    return dict(declared.markup).get(_TEXT)


def _scrubber(options: Options) -> Scrubber:
    return Scrubber(
        models=options.models,
        policy=options.policy,
        recognisers=options.recognisers,
        budgets=options.budgets,
    )


def _scrub(parsed: argparse.Namespace, read: Callable[[], bytes]) -> ExitCode:
    options = _options(parsed)
    markup = _markup(said(parsed).get("columns", ()))
    scrubber = _scrubber(options)
    try:
        text = read().decode(options.settings.encoding)
        found = scrubber.explain(text, markup=markup)
        shown = json.dumps(found.as_json(), indent=1) + "\n" if options.as_json else found.text
    except UnicodeDecodeError:
        return _held(DocumentError("BadEncoding"))
    except DocumentError as error:
        return _held(error)
    if found.markup and found.markup != markup:
        say(
            f"scrubline: the text looked like {found.markup.upper()}, and what is read within it "
            f"was scrubbed: --column text=text:{found.markup} says that it is, text:plain that it "
            "is not",
            "WARNING",
        )
    if markup is None and is_message(text):
        say(
            "scrubline: the text began as a message of HL7 v2, and was scrubbed as a text: scrub "
            "files of messages with --format hl7 and --output, which gives each field a role "
            "(--column text=text:plain says that it is a text)",
            "WARNING",
        )
    show_bytes(shown.encode())
    return ExitCode.DONE


def _held(error: DocumentError) -> ExitCode:
    """Fails closed: nothing is printed of a text that cannot be processed."""
    known = explain(error.code)
    say(f"scrubline: the text is held back: {error.code}: {known.cause}; {known.remedy}")
    return ExitCode.HELD
