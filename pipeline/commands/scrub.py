"""`scrubline scrub`: scrubs a corpus; or one text, from a file or standard input to the output."""

from __future__ import annotations

import argparse
import shlex

from ...models.core.errors import UsageError
from ..options import load_config
from ..process.exit_codes import ExitCode

_STDIN = "-"
_TEXT = ".txt"


def run(parsed: argparse.Namespace) -> ExitCode:
    """Runs the command.

    Raises:
        ScrublineError: whatever ends the run; `exit_code_of` says with which code.
    """
    paths: list[str] = parsed.paths
    # One text needs neither the planner nor an engine: each way imports its own.
    if _STDIN in paths:
        if parsed.inputs or parsed.output or parsed.dry_run or len(paths) > 1:
            raise UsageError("`scrub -` takes one text from standard input and prints it; no files")
        from .scrub_text import scrub_stdin

        return scrub_stdin(parsed)
    if paths and not parsed.output and "output" not in load_config(parsed.config):
        if len(paths) > 1 or parsed.inputs or parsed.dry_run:
            raise _needs_output(paths)
        return _scrub_one(parsed, paths[0])
    if paths:
        parsed.inputs = [*(parsed.inputs or ()), *paths]
    from .scrub_corpus import scrub_corpus

    return scrub_corpus(parsed)


def _scrub_one(parsed: argparse.Namespace, path: str) -> ExitCode:
    """Prints one text file, scrubbed; anything else needs an output."""
    from ...models.storage.storage import Storage
    from .scrub_text import scrub_file

    storage = Storage()
    if not storage.exists(path):
        message = "scrub: there is no such file or folder"
        raise UsageError(message, on_terminal=f"{message}: {path}")
    if not path.lower().endswith(_TEXT) or parsed.format or storage.list_sizes(path):
        raise _needs_output([path])
    return scrub_file(parsed, storage, path)


def _needs_output(paths: list[str]) -> UsageError:
    """What to type where paths were given alone: on a terminal with their names."""
    what = "scrubbed copies need a folder to go to"
    columns = "" if all(map(_is_notes, paths)) else " --column NAME=ROLE ..."
    tail = f" --output scrubbed/ --key-file key.txt{columns}"
    how = "key.txt is made by `scrubline key new --output key.txt`"
    if columns:
        how += "; `scrubline init --input URL` writes a config file with a role for each column"

    def line(inputs: str) -> str:
        return f"{what}:\n  scrubline scrub {inputs}{tail}\n({how})"

    named = " ".join(f"--input {shlex.quote(path)}" for path in paths)
    return UsageError(line("--input URL"), on_terminal=line(named))


def _is_notes(path: str) -> bool:
    """Whether it is a text file, messages or, by its name, a folder: these have their roles."""
    from ...models.formats import FORMATS

    name = path.rpartition("/")[2].lower()
    traits = ((form.traits, form.suffixes) for form in FORMATS.values())
    records = (
        suffix for one, ends in traits if one.record and not one.explicit_only for suffix in ends
    )
    return "." not in name or name.endswith((_TEXT, *records))
