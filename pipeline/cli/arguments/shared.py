"""What commands of several modules take alike, and how their help is laid out."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

from ...options.command_line import Switch

_WIDTH = 96


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Keeps descriptions as they are laid out; shows each option once, by its first name."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=28)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if isinstance(action, Switch):
            return f"--[no-]{action.option_strings[0].removeprefix('--')}"
        if not action.option_strings or isinstance(action, argparse._HelpAction):
            return super()._format_action_invocation(action)
        if action.nargs == 0:
            return action.option_strings[0]
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{action.option_strings[0]} {value}"


def describe(parser: argparse.ArgumentParser, usage: str, more: str, *examples: str) -> None:
    """Gives the parser of a command its help.

    Args:
        parser: `prog` is the program and the command, `description` one line about it.
        usage: what follows the command on a command line, in short.
        more: what there is to know. Its lines are wrapped, but for those that begin with a space.
        examples: command lines, each with a comment or not.
    """
    lines = (*map(_wrapped, more.split("\n")), "", *(f"example: {line}" for line in examples))
    parser.usage = f"{parser.prog} {usage}"
    parser.description = f"{parser.description}\n\n" + "\n".join(lines)
    parser.formatter_class = HelpFormatter


def _wrapped(line: str) -> str:
    if line.startswith(" "):
        return line
    return textwrap.fill(line, _WIDTH, break_on_hyphens=False, break_long_words=False)


_SHARED: dict[str, dict[str, Any]] = {
    "--from": {
        "dest": "source_form",
        "metavar": "FORM",
        "help": "format of the input (default: by the file name; for .xml by the content)",
    },
    "--to": {
        "dest": "target_form",
        "metavar": "FORM",
        "help": "format of the output (default: by its name)",
    },
    "--overwrite": {
        "action": "store_true",
        "help": "replace the output if it exists; an input is never replaced",
    },
    "--patient": {
        "metavar": "NAME",
        "help": "with --roster: the member of a note's meta that holds the id of its patient "
        "(default: patient)",
    },
    "--json": {"action": "store_true", "help": "print JSON instead of a table"},
}
"""Options that are the same wherever they are taken, and not in the table of `pipeline.options`."""


def share(group: Any, *names: str) -> None:
    """Adds options that several commands take, by their names."""
    for name in names:
        group.add_argument(name, **_SHARED[name])
