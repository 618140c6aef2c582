"""What a sample shows of the values within a nested column, each by its path."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import pyarrow as pa

from ..core.errors import UsageError
from ..formats import Format
from ..formats.column_roles import is_single
from ..formats.column_types import shown_type
from ..formats.nested_paths import Inner, Path, parse_path, show_name, tree_of
from .column_facts import ColumnFacts, FactsCounter

MOST_PATHS = 100
"""A column with more different paths has keys that are data, most likely."""

_NAME = re.compile(r"(?!.*\d{4})[^\W\d][\w .-]{0,63}")

Sample = tuple[Format, pa.ChunkedArray]
"""Some cells of a column that could be read, and the format that reads them."""


class NotExpanded(Exception):  # noqa: N818 - not an error of the program
    """A nested column is better left out as a whole; the message says why, without a name."""


def facts_within(name: str, samples: Sequence[Sample]) -> dict[str, ColumnFacts]:
    """Path -> facts of the values there; {} if the column is not nested.

    Args:
        name: of the column.
        samples: of it.

    Raises:
        NotExpanded: if its parts cannot be given roles.
    """
    found: dict[str, None] = {}
    for form, column in samples:
        if form.nesting is not None:
            found |= dict.fromkeys(form.nesting.leaf_paths(column, name))
    paths = {text: steps for text in found if (steps := parse_path(text)) is not None}
    if set(paths) <= {show_name(name)}:
        return {}
    _require_names(paths.values())
    try:
        node = tree_of(paths)
    except UsageError:
        raise NotExpanded("values of different kinds in one place") from None
    counters: dict[str, FactsCounter] = {}
    for form, column in samples:
        if form.nesting is None:
            continue
        for path, leaf in form.nesting.open(column, name, node).leaves.items():
            kind = shown_type(leaf.cells.type) if hasattr(form, "column_types") else ""
            counter = counters.setdefault(path, FactsCounter(kind))
            counter.add(form.decode(leaf.cells))
            if is_single(path):
                counter.add([None] * (len(column) - len(leaf.rows)))
    return {path: counters.get(path, FactsCounter()).facts() for path in node.leaves()}


def _require_names(paths: Collection[Path]) -> None:
    if len(paths) > MOST_PATHS:
        raise NotExpanded("over a hundred different keys: are they data? See {} in docs/formats.md")
    for path in paths:
        for step in path[1:]:
            if not isinstance(step, Inner) and not _NAME.fullmatch(step):
                raise NotExpanded("keys that look like data: see {} in docs/formats.md")
