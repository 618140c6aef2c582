"""Values of options that need more than texts and numbers; imported is only what a value needs.

`parse_...` makes a value of what was written, and gives back what is one already. `default_...` is
a default that stands elsewhere.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ...models.formats.column_roles import Columns


def parse_models(names: Iterable[str]) -> tuple[str, ...]:
    """Bundles; () for "none"."""
    given = tuple(names)
    return () if given == ("none",) else given


def parse_recognisers(names: Iterable[str]) -> tuple[str, ...]:
    """Rules, each once, with those that run by default in the place of "all"; () for "none"."""
    given = tuple(dict.fromkeys(names))
    if given == ("none",):
        return ()
    rules = [default_rules() if name == "all" else (name,) for name in given]
    return tuple(dict.fromkeys(itertools.chain.from_iterable(rules)))


def parse_columns(pairs: Any) -> Columns:
    """Roles of columns, of (name, role).

    Raises:
        UsageError: for what cannot be a declaration; see `Columns`.
    """
    from ...models.formats.column_roles import Columns

    if isinstance(pairs, Columns):
        return pairs
    return Columns.parse(_declared(pairs), partial=True)


def _declared(pairs: Iterable[tuple[str, Any]], above: str = "") -> Iterator[tuple[str, str]]:
    """Names and roles; a table within the table, as TOML reads `note.text = "text"`, is a path."""
    from ...models.formats.nested_paths import show_name

    for name, role in pairs:
        if isinstance(role, dict):
            inner = above + (f"{show_name(name)}." if not above else f"{name}.")
            yield from _declared(role.items(), inner)
        else:
            yield above + name, str(role)


def default_models() -> tuple[str, ...]:
    """The bundle that runs where none is named."""
    from ...models.bundles.bundle import DEFAULT_MODEL

    return (DEFAULT_MODEL,)


def default_rules() -> tuple[str, ...]:
    """The rules that run where none is named."""
    from ...models.bundles.detector import LANGUAGE
    from ...models.recognisers import DEFAULT_RECOGNISERS

    return (*DEFAULT_RECOGNISERS, LANGUAGE)


def default_key() -> str:
    """Where the master key is looked for."""
    from ...models.storage.key_files import ENVIRONMENT

    return f"env:{ENVIRONMENT}"


def default_price() -> float:
    """What a core hour costs in the example of estimates."""
    from ..cost_model import CORE_HOUR_PRICE

    return CORE_HOUR_PRICE


def of_format(name: str) -> Callable[[], Any]:
    """Gives the default of a field of `FormatOptions`."""

    def default() -> Any:
        from ...models.formats import FormatOptions

        return getattr(FormatOptions(), name)

    return default
