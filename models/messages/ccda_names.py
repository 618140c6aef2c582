"""The declared name of each value of a CDA document, by the path of elements in which it lies.

Tried, most specific first: the path from below `ClinicalDocument`, its last three, two and one
elements, and of an attribute its own name (`@code`). Names that a user declares hold for all that
lies within them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from ..core.errors import DocumentError
from .base import DeclaredNames
from .xml_values import BAD_CCDA

ROOT: Final = "ClinicalDocument"
SUFFIX_ELEMENTS: Final = 3
"""How many of the last elements of a path a name of the table has at most, or it has all."""

MOST_PATHS: Final = 50_000
"""Of one document, in which they are what the schema allows and not what somebody made up."""

_MOST_KEPT: Final = 200_000
"""Of paths and names that are kept from one document to the next."""

_WITHIN = re.compile(r"(?=[.(@])")
"""Where the name of a thing ends in the names of what lies within it."""


def base_of(name: str) -> str:
    """A name, or the last part of one, without what tells its kind: `value(PQ)` is `value`."""
    return name.partition("(")[0]


class PathNames:
    """The names that have a role, and the paths that were met with them.

    Args:
        declared: all names that have a role.
        defaults: the grammar's own.
    """

    def __init__(self, declared: DeclaredNames, defaults: Mapping[str, str]) -> None:
        self.declared = declared
        names = declared.names
        taken = {above for name in defaults.keys() - names for above in _above(name)}
        self.own = frozenset((names - defaults.keys()) | (names & taken))
        """What a user declared: it holds for all that lies within."""
        self.most_elements = max((name.count(".") + 1 for name in self.own), default=0)
        self.kept = self.document = self.met = 0
        self._clear()

    def _clear(self) -> None:
        self._root = PathOf(self, None, ROOT)
        self.kept = self.document = self.met = 0

    def root(self) -> PathOf:
        """The path of a document itself, whose paths are counted from now on."""
        if self.kept > _MOST_KEPT:
            self._clear()
        self.document += 1
        self.met = 0
        return self._root

    def meet(self) -> int:
        """Counts a path that was not yet met in the document; gives the document's number.

        Raises:
            DocumentError: `BAD_CCDA`, if there are too many.
        """
        self.met += 1
        if self.met > MOST_PATHS:
            raise DocumentError(BAD_CCDA)
        return self.document


class PathOf:
    """A path of elements, and the names of what stands in it."""

    __slots__ = (
        "_children",
        "_document",
        "_known",
        "_names",
        "_within",
        "depth",
        "label",
        "parent",
        "place",
    )

    def __init__(self, names: PathNames, parent: PathOf | None, label: str) -> None:
        self._names, self.parent, self.label = names, parent, label
        self.place = label if parent is None else f"{parent.label}.{label}"
        """The last two elements: as specific as an undeclared name is."""
        self.depth: int = 0 if parent is None else parent.depth + 1
        self._document = 0
        self._children: dict[str, PathOf] = {}
        self._known: dict[tuple[str, bool], str] = {}
        self._within: str = self._own("") or ("" if parent is None else parent._within)

    def child(self, label: str) -> PathOf:
        """The path of an element of this one."""
        found = self._children.get(label)
        if found is None:
            self._names.kept += 1
            found = self._children[label] = PathOf(self._names, self, label)
        if found._document != self._names.document:
            found._document = self._names.meet()
        return found

    def beside(self, label: str) -> PathOf:
        """The path of another element in the one that holds this one."""
        return self if self.parent is None else self.parent.child(label)

    def name(self, part: str = "", *, identifies: bool = False) -> str:
        """The declared name of the element's text, or of an attribute; "" for none.

        Args:
            part: `@extension`, `@root(unique)`; "" for the text.
            identifies: whether the value is what an identifier says, so that it also has the name
                of the element, where that is declared with all of its path.
        """
        found = self._known.get((part, identifies))
        if found is None:
            self._names.kept += 1
            found = self._known[part, identifies] = next(
                (one for one in self._candidates(part, identifies) if one), ""
            )
        return found

    def _candidates(self, part: str, identifies: bool) -> Iterator[str]:
        names = self._names.declared.names
        yield self._own(part)
        yield self._own(base_of(part)) if part else ""
        yield self._within
        full = self._full()
        if identifies and full in names:
            yield full
        for one in (part, base_of(part)) if part else (part,):
            labels = self._labels(SUFFIX_ELEMENTS)
            found = (".".join(labels[at:]) + one for at in range(len(labels)))
            yield from (name for name in (full + one, *found) if name in names)
            if one in names:
                yield one

    def _own(self, part: str) -> str:
        """The longest of the names that a user declared for just this; "" for none."""
        own = self._names.own
        labels = self._labels(self._names.most_elements)
        for at in range(len(labels)):
            above = ".".join((*labels[at:-1], ""))
            for name in (above + self.label + part, above + base_of(self.label) + part):
                if name in own:
                    return name
        return part if part in own else ""

    def _labels(self, most: int) -> list[str]:
        """The last elements of the path; the document itself is one for what it holds itself."""
        labels: list[str] = []
        node: PathOf | None = self
        while node is not None and len(labels) < most and (node.depth or self.depth < 2):
            labels.append(node.label)
            node = node.parent
        return labels[::-1]

    def _full(self) -> str:
        return ".".join(self._labels(self.depth + 1))


def _above(name: str) -> Iterator[str]:
    return (name[: sign.start()] for sign in _WITHIN.finditer(name))
