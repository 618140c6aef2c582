"""The parser of the whole command line."""

from __future__ import annotations

import argparse
import itertools
import re
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, cast

from ...models.core.suggestions import closest
from ...models.core.version import VERSION
from ..options.table import run_options
from ..process import logs
from ..process.exit_codes import ExitCode
from ..process.stdout import show
from .table import COMMANDS, Topic

RUNS = ("scrub", "plan", "resume")
"""Commands that take options of Beam after `--`."""

_MAY_BE_EMPTY = {option.flag for option in run_options() if option.may_be_empty}

_FORMER = {f"--{old}": option.flag for option in run_options() for old in option.old_names}
"""Names that the configuration file also understands -> the option."""

_EPILOG = "\n".join(
    (
        "exit codes:",
        *(f"  {code}  {code.meaning}" for code in ExitCode),
        "",
        "The master key comes from --key-file or from the environment variable SCRUBLINE_KEY;",
        "make one with `scrubline key new`. Credentials of object stores come from the",
        "environment, never from options.",
    )
)


_VERSION = "--version"
_INSTEAD = {"version": f"scrubline {_VERSION}"}
"""What one may take for a command -> how it is said."""

_SHORT = {"-v": _VERSION, "-V": _VERSION}

_OF_OUTPUTS = ("inspect", "verify", "status", "diff", "prune", "resume")
"""Commands about an output that is there."""


def _on_terminal(words: Sequence[str]) -> str:
    """The words themselves, for the terminal of the user who typed them."""
    return f": {shlex.join(words)}" if logs.is_terminal(sys.stderr) else ""


class _Topics(argparse.RawDescriptionHelpFormatter):
    """Lists the commands under their topics."""

    def _format_action(self, action: argparse.Action) -> str:
        if not isinstance(action, argparse._SubParsersAction):
            return super()._format_action(action)
        lines = []
        for topic in Topic:
            lines += ["", f"  {topic}:"]
            lines += [f"    {n:<14}{c.help}" for n, c in COMMANDS.items() if c.topic is topic]
        return "\n".join((*lines[1:], "", ""))


class _Version(argparse.Action):
    """Prints the version, and whether the extension is there: speed hangs on it."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any, **__: Any) -> NoReturn:
        from ...models.native import why_absent

        reason = why_absent()
        native = f"without the native extension: it {reason}" if reason else "native"
        show(f"scrubline {VERSION} ({native})")
        parser.exit()


class CommandLineParser(argparse.ArgumentParser):
    """Does not repeat values in its errors: a file's name in a wrong place is still a name.

    An option that is not known is repeated where it resembles one that is.
    """

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What argparse gives; of what it does not know, what was meant."""
        parsed, unknown = self.parse_known_args(args, namespace)
        if unknown:
            has_output = getattr(parsed, "output", None) is not None
            self.commands[parsed.command].refuse_unknown(unknown, has_output=has_output)
        return parsed

    @property
    def commands(self) -> Mapping[str, CommandLineParser]:
        """The parser of each command, by its name."""
        (action,) = (a for a in self._actions if isinstance(a, argparse._SubParsersAction))
        return cast("Mapping[str, CommandLineParser]", action.choices)

    def knows(self, word: str) -> bool:
        """Whether a word is one of the options, or the beginning of one."""
        return any(name.startswith(word.partition("=")[0]) for name in self.options)

    @property
    def options(self) -> tuple[str, ...]:
        """The options of this parser, not of its commands."""
        return tuple(name for action in self._actions for name in action.option_strings)

    def _get_option_tuples(self, option_string: str) -> list[Any]:
        """The options that an abbreviation may mean; two spellings of one are no ambiguity."""
        found = super()._get_option_tuples(option_string)
        return found[:1] if len({id(match[0]) for match in found}) == 1 else found

    def refuse_unknown(self, words: Sequence[str], *, has_output: bool = False) -> NoReturn:
        """Ends with the options that were meant; or says how many words were not understood.

        Args:
            has_output: whether --output was given.
        """
        known = self.options
        for word in words:
            name = word.partition("=")[0]
            meant = _FORMER.get(name) if _FORMER.get(name) in known else None
            # Without their dashes: these are alike in all options.
            bare = {option.lstrip("-"): option for option in (*known, _VERSION)}
            meant = meant or _SHORT.get(name) or bare.get(closest(name.lstrip("-"), bare) or "")
            if name in _SHORT or (name.startswith("--") and meant):
                whose = "scrubline " if meant == _VERSION else ""
                self.error(f"unknown option {name}: did you mean {whose}{meant}?")
        how = ""
        if not all(word.startswith("-") for word in words):
            if self.prog.rpartition(" ")[2] in _OF_OUTPUTS:
                if not has_output:
                    how = f". An output is named by --output: {self.prog} --output OUT"
            elif "--input" in known:
                how = ". Files are named by --input"
        self.error(f"unrecognized arguments ({len(words)}){_on_terminal(words)}{how}")

    def error(self, message: str) -> NoReturn:
        """Ends with a line or two; the whole usage is what --help is for."""
        if choice := re.search(r"invalid choice: '(.*?)' \(choose from (.*)\)", message, re.DOTALL):
            known = re.findall(r"[\w-]+", choice[2])
            beside = _INSTEAD if "help" in known else {}
            meant = closest(choice[1], [*known, *beside])
            message += f": did you mean {beside.get(meant, meant)}?" if meant else ""
        self._print_message(f"usage: {self.prog} ...; see {self.prog} --help\n", sys.stderr)
        message = re.sub(
            r"(ambiguous option|ignored explicit argument):? .*",
            r"\1",
            message,
        )
        message = re.sub(
            r"(invalid \S+ value|invalid choice): .*?(?= \(choose from|$)", r"\1", message
        )
        self.exit(ExitCode.REFUSED, f"{self.prog}: error: {message}\n")


def parse(words: Sequence[str]) -> argparse.Namespace:
    """A command line, parsed; ends the process with a message if it cannot be.

    Returns:
        The values of the command's options; `command`: its name; `beam`: the words after `--`, or
        None without any; `frozen`: False, for the command to set once a run can be resumed.
    """
    words, beam = list(words), []
    if "--" in words and words[0] in RUNS:
        cut = words.index("--")
        words, beam = words[:cut], words[cut + 1 :]
    # Without a command there is nothing but help and version.
    parser = make_parser(next((word for word in words if word in COMMANDS), "none"))
    if not words:
        parser.print_help(sys.stderr)
    elif words[0].startswith("-") and not parser.knows(words[0]):
        parser.refuse_unknown(words[:1])  # argparse would ask for a command
    parsed = parser.parse_args(words)
    if empty := _empty_option(words):
        parser.error(f"{empty} is empty: is an environment variable unset?")
    parsed.beam, parsed.frozen = tuple(beam) or None, False
    return parsed


def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of one command."""
    return make_parser(command).commands[command]


def _empty_option(words: Sequence[str]) -> str | None:
    """An option whose value is empty: what was meant would be missing without a word."""
    for option, value in itertools.pairwise((*words, "-")):
        name, equals, same = option.partition("=")
        if name.startswith("--") and not (same if equals else value) and name not in _MAY_BE_EMPTY:
            return name
    return None


def make_parser(wanted: str | None = None) -> CommandLineParser:
    """The parser of the whole command line; `command` of what it gives is the command's name.

    Args:
        wanted: a command: only its options are added, which takes a fraction of the time; None for
            those of all commands.
    """
    parser = CommandLineParser(
        prog="scrubline",
        description="Removes protected health information from clinical text, with an audit log.",
        epilog=_EPILOG,
        formatter_class=_Topics,
    )
    parser.add_argument(_VERSION, action=_Version, nargs=0, help="show the version")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, entry in COMMANDS.items():
        of_command = commands.add_parser(
            name, help=entry.help, description=f"{entry.help[0].upper()}{entry.help[1:]}."
        )
        if wanted in (None, name):
            entry.add(of_command)
    return parser
