"""`scrubline inspect --columns`: number, name and type of each column of an input.

Column names may be values of the input, so they go to a terminal, or to a file that only the user
can read, and nowhere else.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from ...models.core.errors import UsageError
from ...models.formats import open_format
from ...models.storage.storage import Storage
from ..options import Options
from ..outputs.planning import InputSurvey, inspect_inputs
from ..process.exit_codes import ExitCode
from ..process.stdout import show
from .new_files import write_new
from .run_options import read_options

_UNTYPED = "-"
"""The type of columns of a format whose files give none."""


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        UsageError: if no input is given or readable, or names would go where others can read them.
    """
    if parsed.names_file is None and not sys.stdout.isatty():
        raise UsageError(
            "column names may be values of the input, so they are printed on a terminal only: "
            "write them to a new file that only you can read with --names-file FILE"
        )
    lines = list_columns(Storage(), read_options(parsed))
    if parsed.names_file is None:
        show(*lines)
    else:
        text = "".join(f"{line}\n" for line in lines)
        write_new(parsed.names_file, text.encode("utf-8", "backslashreplace"), "--names-file")
    return ExitCode.DONE


def list_columns(storage: Storage, options: Options) -> Iterator[str]:
    """Yields a line for each column: number, name, type; tab-separated, the first names them.

    Numbers are those of messages. A key of hive folders is a column of the type `folder`; where
    files do not say types, it is `-`.

    Raises:
        UsageError: if no input is given, or a file cannot be read as its format.
    """
    if not options.inputs:
        raise UsageError("say what to read with --input URL (a file, a folder or a glob)")
    seen = inspect_inputs(storage, options.inputs, options.format, options.settings)
    types = _types(storage, seen)
    yield "column\tname\ttype"
    for number, name in enumerate(seen.columns, 1):
        yield f"{number}\t{_printable(name)}\t{_printable(types[name])}"


def _types(storage: Storage, seen: InputSurvey) -> dict[str, str]:
    """Column -> type in the first file that has it."""
    found: dict[str, str] = {}
    for file, form in zip(seen.files, seen.formats, strict=True):
        if len(found) == len(seen.columns):
            break
        # Of typed formats alone.
        types_of = getattr(open_format(form, seen.settings), "column_types", None)
        if types_of is not None:
            found = types_of(storage, file) | found
        found = {key: "folder" for key, _ in file.partition} | found
    return {name: found.get(name, _UNTYPED) for name in seen.columns}


def _printable(text: str) -> str:
    """A text that is safe in a line on a terminal."""
    return text if text.isprintable() else repr(text)
