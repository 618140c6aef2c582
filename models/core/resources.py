"""Opens the small TOML files that come with the package, or a site's own by URL."""

from __future__ import annotations

import importlib.resources
import re
import tomllib
from collections.abc import Iterable, Sequence
from typing import Any

from ...dictionaries.files import NotARegularFile, read_named
from .errors import UsageError
from .shortage import raise_shortage
from .suggestions import did_you_mean

_ROOT = __package__.rpartition(".")[0]
_MOST_BYTES = 1 << 20
"""No policy or label map comes near this; a wrong URL to a data file does."""


def shipped_names(folder: str) -> tuple[str, ...]:
    """Names of the TOML files in one folder of `models`, sorted, without the ending."""
    files = importlib.resources.files(_ROOT).joinpath(folder).iterdir()
    return tuple(
        sorted(file.name.removesuffix(".toml") for file in files if file.name.endswith(".toml"))
    )


def shipped_text(kind: str, folder: str, name: str) -> str:
    """The content of a shipped file, comments and all.

    Raises:
        UsageError: if no shipped file has that name.
    """
    if name not in shipped_names(folder):
        raise UsageError(
            f"unknown {kind}{did_you_mean(name, shipped_names(folder))}; expected one of "
            f"{list(shipped_names(folder))}"
        )
    file = importlib.resources.files(_ROOT).joinpath(folder, f"{name}.toml")
    return file.read_text(encoding="utf-8")


def names_a_file(name_or_url: str) -> bool:
    """Whether it is a URL or path, and not the name of what is shipped."""
    return "/" in name_or_url or "\\" in name_or_url or name_or_url.endswith(".toml")


def read_toml(kind: str, folder: str, name_or_url: str) -> dict[str, Any]:
    """The parsed content of a shipped file, or of any file that fsspec can open.

    Args:
        kind: what it is called in messages, for example "policy".
        folder: the folder of `models` that holds the shipped ones.
        name_or_url: a shipped name; anything with a slash, a backslash or the ending `.toml` is a
            URL or path.

    Raises:
        UsageError: if it is neither a shipped name nor readable, or is not TOML in UTF-8. The
            message holds no URL: a URL may hold a name or a token.
    """
    if name_or_url in shipped_names(folder):
        file = importlib.resources.files(_ROOT).joinpath(folder, f"{name_or_url}.toml")
        content = file.read_bytes()
    elif names_a_file(name_or_url):
        return read_toml_file(kind, name_or_url, folder)
    else:
        meant = did_you_mean(name_or_url, shipped_names(folder))
        raise UsageError(f"unknown {kind}{meant}; {_expected(folder)}")
    return _parsed(kind, content)


def read_toml_file(kind: str, url: str, folder: str | None = None) -> dict[str, Any]:
    """The parsed content of any file that fsspec can open; `kind` and errors as in `read_toml`.

    Args:
        folder: of the shipped ones, if there are any, for messages.
    """
    try:
        content = read_named(url, _MOST_BYTES + 1)
    except NotARegularFile as error:
        raise UsageError(f"the {kind} file cannot be read: {error.strerror}") from None
    except FileNotFoundError:
        expected = f"; {_expected(folder)}" if folder is not None else ""
        raise UsageError(f"the {kind} file does not exist{expected}") from None
    except Exception as error:  # storage libraries raise whatever they like, and quote the URL
        raise_shortage(error)
        raise UsageError(f"the {kind} file cannot be read: {type(error).__name__}") from None
    if len(content) > _MOST_BYTES:
        raise UsageError(
            f"the {kind} file has more than {_MOST_BYTES} bytes, so it cannot be a {kind} "
            "file: is it the right file?"
        )
    return _parsed(kind, content)


def _parsed(kind: str, content: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise UsageError(f"the {kind} file is not UTF-8") from None
    except RecursionError:
        raise UsageError(f"the {kind} file is nested too deeply") from None
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"the {kind} file is not valid TOML: {error}") from None


def _expected(folder: str) -> str:
    return f"expected one of {list(shipped_names(folder))}, or a URL or path of a .toml file"


def require_keys(where: str, table: object, allowed: tuple[str, ...]) -> dict[str, Any]:
    """Returns `table` if it is a TOML table with allowed keys only.

    Raises:
        UsageError: naming the place, the unknown key (see `shown_keys`) and the allowed ones.
    """
    if not isinstance(table, dict):
        raise UsageError(f"{where}: expected a table, got {type(table).__name__}")
    if unknown := sorted(set(table) - set(allowed)):
        raise UsageError(
            f"{where}: unknown {shown_keys(unknown, tuple(table))}"
            f"{did_you_mean(unknown, allowed)}; allowed: {list(allowed)}"
        )
    return table


_KEY = re.compile(r"[\w-]{1,64}|\*")


def shown_keys(keys: Iterable[str], table: Sequence[str]) -> str:
    """Keys for a message; by their places in the table those that do not look like keys.

    Where key and value were swapped, a key is a phrase or a name.
    """
    shown = (repr(k) if _KEY.fullmatch(k) else f"key {table.index(k) + 1}" for k in keys)
    return f"[{', '.join(shown)}]"


def require_strings(where: str, value: object) -> tuple[str, ...]:
    """Returns `value` as a tuple if it is a list of strings.

    Raises:
        UsageError: if it is not.
    """
    if not isinstance(value, (list, tuple)) or not all(isinstance(item, str) for item in value):
        raise UsageError(f"{where}: expected a list of strings")
    return tuple(value)
