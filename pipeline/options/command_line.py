"""The options of the table as arguments of a command, and what was said with them."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from ...models.core.errors import UsageError
from ...models.core.options import Kept, Option, ValueKind
from . import table


def add_options(parser: argparse.ArgumentParser, command: str) -> None:
    """Adds the options that a command takes, under the headings of the table."""
    for heading, options in itertools.groupby(options_for(command), key=lambda one: one.group):
        group = parser.add_argument_group(heading)
        for option in options:
            add_option(group, option, command)


def options_for(command: str) -> Iterator[Option]:
    """The options of the table that a command takes, in its order."""
    for option in table.run_options():
        if command in option.commands and option.on_command_line:
            yield option


def add_named(target: Any, command: str, *names: str) -> None:
    """Adds some options that a command takes, by their names without dashes."""
    known = {option.name: option for option in options_for(command)}
    for name in names:
        add_option(target, known[name], command)


def add_option(target: Any, option: Option, command: str) -> None:
    """Adds one option to a parser, or to a group of one.

    What is not said stays None, so that the config file and the default come after.
    """
    words: dict[str, Any] = {"dest": option.attribute, "default": None}
    words["help"] = _help(option, command)
    flags = [f"--{name}" for name in (option.name, *option.aliases)]
    if option.kind is ValueKind.SWITCH:
        # What is on by itself, or may be on in the config file, can be switched off.
        words["action"] = "store_true" if option.kept is Kept.NEITHER else Switch
    else:
        words |= {"metavar": option.metavar, "type": _READERS.get(option.kind)}
        if option.kind in (ValueKind.TEXTS, ValueKind.TABLE):
            words["action"] = "append"
    action = target.add_argument(*flags, **words)
    action.suggested = option.choices or option.suggested


class Switch(argparse.BooleanOptionalAction):
    """An option with its contrary, which the help shows as one: `--[no-]header`."""


def said(parsed: argparse.Namespace) -> dict[str, Any]:
    """What a command line says: attribute of `Options` -> value, for what it says at all.

    Raises:
        UsageError: for pairs that are none.
    """
    values: dict[str, Any] = {}
    for option in table.run_options():
        value = getattr(parsed, option.attribute, None)
        if value is None:
            continue
        if option.kind is ValueKind.TABLE:
            value = _pairs(option, value)
        elif option.kind is ValueKind.TEXTS:
            value = tuple(value)
        values[option.attribute] = value
    return values


def _pairs(option: Option, words: Sequence[str]) -> list[tuple[str, str]]:
    """Names and values of `NAME=VALUE`; a name may hold "=" too."""
    if bad := [word for word in words if "=" not in word]:
        raise UsageError(f"{option.flag} takes {option.metavar}; these have no =: {bad}")
    parts = [word.rpartition("=") for word in words]
    return [(name, value) for name, _, value in parts]


def _help(option: Option, command: str) -> str:
    default = option.default_for(command)
    phrase = option.help_of(command)
    if default and "default:" not in phrase:
        phrase += f" (default: {default})"
    if option.aliases:
        phrase += f"; also --{', --'.join(option.aliases)}"
    return phrase.replace("%", "%%")


def _whole_number(word: str) -> int:
    try:
        return int(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a {ValueKind.INTEGER.value}") from None


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a {ValueKind.NUMBER.value}") from None


_READERS = {ValueKind.INTEGER: _whole_number, ValueKind.NUMBER: _number}
