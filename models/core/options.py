"""Options that are declared once: a dataclass whose fields say what their readers need.

A field made by `option` carries an `Option`; `options_of` gives those of a class. The command line,
the config file, the frozen job, the manual and shell completion are all made from that one table.
Nothing heavy is imported here: `scrubline --help` reads it.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import typing
from collections.abc import Callable, Mapping
from typing import Any

from .errors import UsageError
from .suggestions import did_you_mean

_KEY = "option"


class Kept(enum.Enum):
    """Where the value of an option is kept.

    Attributes:
        JOB: frozen with the plan, from which `resume` takes it; may stand in the config file.
        CONFIG: taken anew by each command; may stand in the config file.
        NEITHER: for one command; on the command line alone.
    """

    JOB = "job"
    CONFIG = "config"
    NEITHER = "neither"


class ValueKind(enum.Enum):
    """What values an option has, as messages and manual call them."""

    TEXT = "text"
    INTEGER = "whole number"
    NUMBER = "number"
    SWITCH = "true or false"
    TEXTS = "list of texts"
    TABLE = "table"

    @classmethod
    def of(cls, annotation: object) -> ValueKind:
        """The kind of a field, by its annotation."""
        name = str(annotation)
        if isinstance(annotation, type) and not typing.get_args(annotation):
            name = annotation.__name__
        first = name.partition(" | ")[0]
        if first.startswith("tuple["):
            return cls.TEXTS
        return _KINDS.get(first, cls.TABLE)


_KINDS = {
    "str": ValueKind.TEXT,
    "int": ValueKind.INTEGER,
    "float": ValueKind.NUMBER,
    "bool": ValueKind.SWITCH,
}


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option: all that its readers need, but for what its field says itself.

    Attributes:
        name: as users spell it, words joined by "-": `--name` on the command line, `name` in the
            config file, where "_" may stand for "-".
        help: a phrase for help and manual, without the default.
        help_for: command -> another phrase where the option means something else there.
        group: heading of help and manual.
        kept: see `Kept`.
        commands: those that take it.
        metavar: stands for the value in the help.
        shown: the default as help and manual show it; None for the default itself, "" for nothing.
        planned: for an option whose default, None, means "as planned": what a new plan takes.
        choices: the values allowed; () for any. Values outside of them are refused.
        suggested: further values that shell completion offers.
        check: raises UsageError for a value that cannot be used; gets the value alone.
        parse: makes the value of what was written: a text, a tuple of texts, or pairs of a table.
        aliases: other names that are as good, in the spelling of `name`.
        old_names: keys of config files of earlier versions; read with a warning.
        on_command_line: whether there is an option `--name`.
        may_be_empty: whether an empty text is a value.
        attribute, kind, default: of the field; filled in by `options_of`.
    """

    name: str
    help: str
    help_for: Mapping[str, str] = dataclasses.field(default_factory=dict)
    group: str
    kept: Kept
    commands: tuple[str, ...]
    metavar: str | None = None
    shown: str | None = None
    planned: Any = None
    choices: tuple[str, ...] = ()
    suggested: tuple[str, ...] = ()
    check: Callable[[Any], None] | None = None
    parse: Callable[[Any], Any] | None = None
    aliases: tuple[str, ...] = ()
    old_names: tuple[str, ...] = ()
    on_command_line: bool = True
    may_be_empty: bool = False
    attribute: str = ""
    kind: ValueKind = ValueKind.TEXT
    default: Any = None

    @property
    def flag(self) -> str:
        """The option as it is typed, and as messages name it."""
        return f"--{self.name}"

    @property
    def key(self) -> str:
        """The option as the manual spells it in the config file."""
        return self.name.replace("-", "_")

    def default_for(self, command: str = "") -> str:
        """The default as help and manual show it; "" if there is none to show."""
        if self.planned is not None and command == "resume":
            return "as planned"
        if self.shown is not None:
            return self.shown
        value = self.default if self.planned is None else self.planned
        if value is None or isinstance(value, bool) or value in ("", ()):
            return ""
        return f"{value:g}" if isinstance(value, float) else str(value)

    def help_of(self, command: str = "") -> str:
        """The phrase for a command."""
        return self.help_for.get(command, self.help)

    def require(self, value: Any) -> None:
        """Refuses a value that no command could work with.

        Raises:
            UsageError: naming the option and what is allowed.
        """
        if value is None:
            return
        if value == "" and self.default != "" and not self.may_be_empty:
            raise UsageError(f"{self.flag} is empty: is an environment variable unset?")
        if self.choices and value not in self.choices:
            meant = did_you_mean(str(value), self.choices)
            raise UsageError(
                f"{self.flag} must be one of {', '.join(self.choices)}, got {value!r}{meant}"
            )
        if self.check is not None:
            try:
                self.check(value)
            except UsageError as error:
                raise UsageError(f"{self.flag} {error}") from None


def option(
    default: Any = dataclasses.MISSING,
    *,
    default_factory: Any = dataclasses.MISSING,
    **said: Any,
) -> Any:
    """A dataclass field that is an option.

    Args:
        default, default_factory: as of `dataclasses.field`. A factory may import what the table
            itself must not; then `shown` says what the default is.
        said: of `Option`.
    """
    more = {"default": default, "default_factory": default_factory}
    given = {name: value for name, value in more.items() if value is not dataclasses.MISSING}
    return dataclasses.field(**given, metadata={_KEY: Option(**said)})


def options_of(owner: type) -> tuple[Option, ...]:
    """The options that a dataclass declares or inherits, in the order of its fields."""
    return _options_of(owner)


@functools.cache
def _options_of(owner: Any) -> tuple[Option, ...]:
    found = []
    for field in dataclasses.fields(owner):
        if (declared := field.metadata.get(_KEY)) is not None:
            default = None if field.default is dataclasses.MISSING else field.default
            found.append(
                dataclasses.replace(
                    declared, attribute=field.name, kind=ValueKind.of(field.type), default=default
                )
            )
    return tuple(found)


def require_usable(values: Any) -> None:
    """Checks each option of a dataclass; see `Option.require`."""
    for declared in options_of(type(values)):
        declared.require(getattr(values, declared.attribute))


# -- checks; written so that NaN is refused too


def above_zero(value: float) -> None:
    """Refuses 0 and less."""
    if not value > 0:
        raise UsageError(f"must be above 0, got {value}")


def at_least_zero(value: float) -> None:
    """Refuses what is negative or has no end."""
    if not 0 <= value < float("inf"):
        raise UsageError(f"must be 0 or more, got {value}")


def between_0_and_2(value: int) -> None:
    """Refuses what is not 0, 1 or 2."""
    if not 0 <= value <= 2:
        raise UsageError(f"must be 0, 1 or 2, got {value}")


def between_0_and_1(value: float) -> None:
    """Refuses what is not a share of a whole."""
    if not 0 <= value <= 1:
        raise UsageError(f"must be a share from 0 to 1, got {value}")
