"""Paths into nested columns: `note.text`, `notes[].text`, `meta{}.value`; and the trees they form.

A path begins with the name of a column. `.name` is a field of a struct (a key of a JSON object),
`[]` the items of a list, `{}` the entries of a map (or of a JSON object with any keys), of which
`.key` and `.value` are the fields. A name with one of the signs . [ ] { } " in it, or an empty one,
stands in double quotes, in which a double quote is doubled: `"vital.signs".comment`.

One item of a list, or entry of a map, is named by its number from 0: `notes[2].text`. So a text is
named in audit and documents tables.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from collections.abc import Iterable, Iterator, Mapping

from ..core.errors import UsageError
from ..messages.base import DeclaredNames


class Inner(enum.Enum):
    """Steps of a path that have no name."""

    ITEM = "[]"
    ENTRY = "{}"


Step = str | Inner
Path = tuple[Step, ...]

KEY, VALUE = "key", "value"
"""The fields of an entry of a map."""

_STEP = re.compile(
    r'(?:(?P<dot>^|\.)(?:(?P<bare>[^.\[\]{}"]+)|"(?P<quoted>(?:[^"]|"")*)"))'
    r"|\[(?P<item>\d*)\]|\{(?P<entry>\d*)\}"
)
_BARE = re.compile(r'[^.\[\]{}"]+')


def parse_path(text: str) -> Path | None:
    """The path that a text spells, its numbers of items left out; None if it spells none."""
    steps: list[Step] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        # A name follows a dot, but for the first one.
        if match is None or match["dot"] == ("." if at == 0 else ""):
            return None
        if match["dot"] is None:
            steps.append(Inner.ITEM if match["item"] is not None else Inner.ENTRY)
        elif match["bare"] is not None:
            steps.append(match["bare"])
        else:
            steps.append(match["quoted"].replace('""', '"'))
        at = match.end()
    return tuple(steps) if steps and isinstance(steps[0], str) else None


def show_path(path: Iterable[Step]) -> str:
    """A path as text: the reverse of `parse_path`."""
    shown = ""
    for step in path:
        if isinstance(step, Inner):
            shown += step.value
        else:
            shown += ("." if shown else "") + show_name(step)
    return shown


def show_name(name: str) -> str:
    """A name as a step of a path, in quotes where it needs them."""
    return name if _BARE.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def numbered(place: str, step: Inner, number: int) -> str:
    """The place of one item or entry."""
    return f"{place}{step.value[0]}{number}{step.value[1]}"


def without_numbers(place: str) -> str:
    """The path of a place: `notes[].text` of `notes[2].text`."""
    path = parse_path(place)
    return place if path is None else show_path(path)


@dataclasses.dataclass(frozen=True, slots=True)
class PathNode:
    """What is declared at a place of a nested column.

    Attributes:
        leaf: what was declared (the path as text), if nothing lies deeper.
        children: step -> what lies there; names alone, or one of `Inner` alone.
        declared: of the column of a message format, all names that have a role; such a node has
            nothing else.
    """

    leaf: str = ""
    children: Mapping[Step, PathNode] = dataclasses.field(default_factory=dict)
    declared: DeclaredNames | None = None

    @property
    def inner(self) -> Inner | None:
        """The step without a name, if it is one."""
        return next((step for step in self.children if isinstance(step, Inner)), None)

    def leaves(self) -> Iterator[str]:
        """Yields the leaves of the tree, in order."""
        if self.leaf:
            yield self.leaf
        for child in self.children.values():
            yield from child.leaves()

    def without(self, leaves: Iterable[str]) -> PathNode | None:
        """The tree without some leaves, and without what holds none then; None if nothing stays."""
        gone = frozenset(leaves)
        if self.leaf:
            return None if self.leaf in gone else self
        kept = {step: child.without(gone) for step, child in self.children.items()}
        children = {step: child for step, child in kept.items() if child is not None}
        entry = self.children.get(Inner.ENTRY, PathNode())
        if any(child.without(gone) is None for child in entry.children.values()):
            return None  # a map without its keys, or without its values, is none
        return PathNode("", children) if children else None


def tree_of(paths: Mapping[str, Path]) -> PathNode:
    """The tree of some paths with the same first step, from below that.

    Args:
        paths: text of each path -> the path.

    Raises:
        UsageError: if one of them leads through another, or a place would be of two kinds.
    """
    return _tree({text: path[1:] for text, path in paths.items()})


def _tree(rests: Mapping[str, Path]) -> PathNode:
    ending = [text for text, rest in rests.items() if not rest]
    if ending:
        if len(rests) > 1:
            other = next(text for text in rests if text != ending[0])
            raise UsageError(
                f"columns {ending[0]!r} and {other!r}: one lies within the other; give a role to "
                "the whole, or to each of its parts"
            )
        return PathNode(ending[0])
    by_step: dict[Step, dict[str, Path]] = {}
    for text, rest in rests.items():
        by_step.setdefault(rest[0], {})[text] = rest[1:]
    if len(by_step) > 1 and not all(isinstance(step, str) for step in by_step):
        first, other = (next(iter(paths)) for paths in list(by_step.values())[:2])
        raise UsageError(
            f"columns {first!r} and {other!r}: a place is either a struct, a list ([]) or a map "
            "({})"
        )
    node = PathNode("", {step: _tree(paths) for step, paths in by_step.items()})
    entry = node.children.get(Inner.ENTRY)
    if entry is not None and (entry.leaf or set(entry.children) != {KEY, VALUE}):
        text = next(iter(rests))
        raise UsageError(
            f"column {text!r}: a map needs a role for its keys and one for its values, "
            "{}.key and {}.value"
        )
    return node
