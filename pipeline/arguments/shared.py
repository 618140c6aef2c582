"""What commands of several modules take alike."""

from __future__ import annotations

import argparse
from typing import Any


def command(commands: Any, name: str, help: str, more: str) -> Any:
    """The parser of a new command.

    Args:
        commands: to which it is added.
        help: its line in the list of commands, which also begins its own help.
        more: the rest of that, laid out.
    """
    return commands.add_parser(
        name,
        help=help,
        description=f"{help[0].upper()}{help[1:]}.\n\n{more}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


_SHARED: dict[str, dict[str, Any]] = {
    "--input": {
        "dest": "inputs",
        "action": "append",
        "metavar": "URL",
        "help": "file, folder or glob; may be repeated",
    },
    "--model": {
        "dest": "models",
        "action": "append",
        "metavar": "NAME|URL",
        "help": "bundle; may be repeated; `none` for rules alone; default en-default",
    },
    "--key-file": {
        "metavar": "URL",
        "help": "the master key; default: the variable SCRUBLINE_KEY",
    },
    "--from": {
        "dest": "source_form",
        "metavar": "FORM",
        "help": "format of the input; default: by the names' endings, for .xml by the content",
    },
    "--to": {
        "dest": "target_form",
        "metavar": "FORM",
        "help": "format of the output; default: by its name's ending",
    },
    "--overwrite": {
        "action": "store_true",
        "help": "replace an output file that exists; never one that is an input",
    },
    "--json": {"action": "store_true", "help": "print JSON instead of a table"},
}
"""Options that are the same wherever they are taken."""


def share(group: Any, *names: str) -> None:
    """Adds options that several commands take, by their names."""
    for name in names:
        group.add_argument(name, **_SHARED[name])


def add_max_lost(group: Any, help: str) -> None:
    """Adds `--max-lost`, which a run and a comparison take for different ends."""
    group.add_argument("--max-lost", type=float, metavar="SHARE", help=help)
