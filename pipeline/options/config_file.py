"""The config file, and options put together: command line, then config file, then default."""

from __future__ import annotations

import logging
import os
import shlex
from collections.abc import Iterable, Mapping
from typing import Any

from ...models.core.errors import UsageError
from ...models.core.options import Kept, Option, ValueKind
from ...models.core.shortage import raise_shortage
from ...models.core.suggestions import did_you_mean
from . import table

_log = logging.getLogger(__name__)

_TYPES: Mapping[ValueKind, tuple[type, ...]] = {
    ValueKind.TEXT: (str,),
    ValueKind.INTEGER: (int,),
    ValueKind.NUMBER: (int, float),
    ValueKind.SWITCH: (bool,),
    ValueKind.TABLE: (dict,),
}
_NAMES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def options_from(
    config: Mapping[str, Any], overrides: Mapping[str, Any], *, command: str = "scrub"
) -> table.Options:
    """Fills `Options`.

    Args:
        config: the parsed config file.
        overrides: attribute of `Options` -> value, from the command line or from Python; None says
            nothing.
        command: of a config file `resume` takes only what is not frozen with the plan. The rest of
            the file is checked all the same.

    Raises:
        UsageError: for unknown keys, and for values that cannot be used: with the option, and what
            is allowed.
    """
    options = table.run_options()
    values = _values(config, options)
    if command == "resume":
        anew = {o.attribute for o in options if o.kept is Kept.CONFIG and command in o.commands}
        values = {name: value for name, value in values.items() if name in anew}
    values |= {name: value for name, value in overrides.items() if value is not None}
    for option in options:
        if option.parse is not None and option.attribute in values:
            values[option.attribute] = option.parse(values[option.attribute])
    return table.Options(**values)


def load_config(path: str | None) -> dict[str, Any]:
    """What a config file says; {} without one.

    Raises:
        UsageError: if it cannot be read, or is not TOML.
    """
    if not path:
        return {}
    from ...dictionaries.files import NO_FILE, NotARegularFile, open_regular

    try:
        with os.fdopen(open_regular(path), "rb") as stream:
            return read_config(stream.read())
    except NotARegularFile:
        raise _refused(f"the file cannot be read: {NO_FILE}", path) from None
    except FileNotFoundError:
        raise _refused("there is no such file", path) from None
    except OSError as error:
        raise_shortage(error)
        raise _refused(f"the file cannot be read ({type(error).__name__})", path) from None


def _refused(why: str, path: str) -> UsageError:
    """An error that repeats the path on the terminal of the one who typed it, and nowhere else."""
    return UsageError(f"--config: {why}", on_terminal=f"--config {shlex.quote(path)}: {why}")


def read_config(content: bytes) -> dict[str, Any]:
    """Parses a config file.

    Raises:
        UsageError: if it is not TOML.
    """
    import tomllib  # the help does without

    try:
        return tomllib.loads(content.decode())
    except RecursionError:
        raise UsageError("the config file is nested too deeply") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"the config file is not TOML: {error}") from None


def _values(config: Mapping[str, Any], options: Iterable[Option]) -> dict[str, Any]:
    """Attribute -> value, of the kind that the option has, for every key of a config file."""
    by_name = {name: option for option in options for name in _names(option)}
    _require_known(config, by_name)
    keys: dict[str, str] = {}
    values: dict[str, Any] = {}
    for key, value in config.items():
        option = by_name[_spelling(key)]
        if option.kept is Kept.NEITHER:
            raise UsageError(
                f"the config file sets {key}, which is for one command: give {option.flag} on the "
                "command line"
            )
        if option.attribute in keys:
            raise UsageError(
                f"the config file sets {option.key} twice: as {keys[option.attribute]} and as {key}"
            )
        if _spelling(key) in option.old_names:
            _log.warning("the config file: %s is called %s now; rename it", key, option.key)
        keys[option.attribute] = key
        values[option.attribute] = _checked(option, key, value)
    return values


def _names(option: Option) -> tuple[str, ...]:
    return (option.name, *option.aliases, *option.old_names)


def _spelling(key: str) -> str:
    return key.replace("_", "-")


def _require_known(config: Mapping[str, Any], by_name: Mapping[str, Option]) -> None:
    unknown = sorted(key for key in config if _spelling(key) not in by_name)
    if not unknown:
        return
    known = sorted({o.key for o in by_name.values() if o.kept is not Kept.NEITHER})
    meant = {key: did_you_mean(_spelling(key).replace("-", "_"), known) for key in unknown}
    shown = ", ".join(f"{key!r}{guess}" for key, guess in meant.items())
    more = "" if all(meant.values()) else f"; known are {known}"
    raise UsageError(f"the config file has unknown keys: {shown}{more}")


def _checked(option: Option, key: str, value: Any) -> Any:
    """A value of the kind that the option has; a list as a tuple, a table as pairs."""
    if option.kind is ValueKind.TEXTS:
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise UsageError(f"the config file: {key} must be a text or a list of texts")
        return tuple(texts)
    if option.kind is ValueKind.TABLE and isinstance(value, dict):
        return list(value.items())
    is_bool = isinstance(value, bool)
    if not isinstance(value, _TYPES[option.kind]) or is_bool != (option.kind is ValueKind.SWITCH):
        kind = f"a table, [{key}]" if option.kind is ValueKind.TABLE else _article(option.kind)
        given = _NAMES.get(type(value), type(value).__name__)
        raise UsageError(f"the config file: {key} must be {kind}, got {given}")
    return value


def _article(kind: ValueKind) -> str:
    return kind.value if kind is ValueKind.SWITCH else f"a {kind.value}"
