r"""Patterns on the views of a batch: each is run once over all places where it may match.

What all patterns need (`prefilter`) is looked for in one pass over the views, in the native
extension. The windows around it, of all texts of a batch, are put one behind the other, and the
pattern is run over them; what it finds is kept by text. Most patterns match in few texts, and
asking one for its matches in another costs a look into a dict.

A window holds the whole of each match and a code point more on either side, so that `\b` sees what
stands there. Windows that a match reaches beyond, into these or the next one, are searched one by
one, in the texts themselves; so are those at the ends of a text by patterns with `^` or `$`, and
all where there is no extension.
"""

from __future__ import annotations

import functools
import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, cast

import numpy as np
import re2

from ..core.lazy import lazy
from ..native import extension
from .prefilter import Case, LiteralRun, Needs, needs
from .probe import Probe

_APART = b"\n\0\n"
"""What stands between two texts, and between two windows: no pattern means it."""


class Match(Protocol):
    """The part of RE2's match object that the rules use."""

    def start(self, group: int = 0) -> int: ...  # noqa: D102
    def end(self, group: int = 0) -> int: ...  # noqa: D102
    def span(self, group: int = 0) -> tuple[int, int]: ...  # noqa: D102
    def group(self, group: int = 0) -> bytes | None: ...  # noqa: D102
    def groups(self) -> tuple[Any, ...]: ...  # noqa: D102


class Pattern(Protocol):
    """The part of RE2's compiled pattern that the rules use."""

    def finditer(  # noqa: D102
        self, text: bytes, pos: int | None = None, endpos: int | None = None
    ) -> Iterator[Match]: ...
    def match(self, text: bytes, pos: int = 0, endpos: int = 0) -> Match | None: ...  # noqa: D102
    def fullmatch(self, text: bytes) -> Match | None: ...  # noqa: D102
    @property
    def groups(self) -> int: ...  # noqa: D102


class FoundMatch:
    """A match, told in offsets of its text; it keeps nothing of what was searched but the text."""

    __slots__ = ("_base", "_spans", "_views")

    def __init__(self, match: Match, groups: int, views: bytes, base: int, behind: int) -> None:
        """Takes the offsets over from a match of RE2.

        Args:
            match: it.
            groups: how many groups its pattern has.
            views: those of a batch.
            base: where that of the text begins.
            behind: how much too far the offsets of `match` are.
        """
        spans = [*match.span()]
        for group in range(1, groups + 1):
            spans += match.span(group)
        self._spans = tuple([at - behind if at >= 0 else -1 for at in spans])
        self._views, self._base = views, base

    def start(self, group: int = 0) -> int:
        """-1 for a group that took no part."""
        return self._spans[2 * group]

    def end(self, group: int = 0) -> int:
        """-1 for a group that took no part."""
        return self._spans[2 * group + 1]

    def span(self, group: int = 0) -> tuple[int, int]:
        """(-1, -1) for a group that took no part."""
        return self._spans[2 * group], self._spans[2 * group + 1]

    def group(self, group: int = 0) -> bytes | None:
        """None for a group that took no part."""
        start, end = self.span(group)
        return self._views[self._base + start : self._base + end] if start >= 0 else None

    def groups(self) -> tuple[bytes | None, ...]:
        """All but that of the whole match."""
        return tuple(map(self.group, range(1, len(self._spans) // 2)))


class RuleView(bytes):
    """A text as the rules see it; see `patterns.view`.

    Attributes:
        batch: the views that it is one of.
        place: which of them.
    """

    place = 0

    @lazy
    def batch(self) -> ViewBatch:
        """Alone, unless a batch made it."""
        return ViewBatch([self])


class ViewBatch:
    """The views of some texts, and what patterns find in them.

    Args:
        views: they; of a text that there is no more to say of, b"".
    """

    def __init__(self, views: Sequence[bytes]) -> None:
        """Nothing is searched before it is asked for."""
        self._views = _APART.join(views)
        lengths = [len(one) + len(_APART) for one in views]
        self._starts = [0, *itertools.accumulate(lengths)][:-1]
        ends = [start + len(one) for start, one in zip(self._starts, views, strict=True)]
        self._bounds = list(zip(self._starts, ends, strict=True))
        self._texts = np.array([self._starts, ends], np.int64).T.copy()
        self._found: dict[int, Mapping[int, list[Match]]] = {}
        # Where windows begin, of patterns that were asked about in one text.
        self._begins: dict[int, list[int]] = {}

    def view(self, index: int) -> RuleView:
        """The view of a text."""
        start, end = self._bounds[index]
        made = RuleView(self._views[start:end])
        made.batch, made.place = self, index
        return made

    @lazy
    def _windows(self) -> tuple[frozenset[int], dict[int, bytes]]:
        """Numbers of the patterns that were looked for, and where those may match that may."""
        native = extension()
        if native is None:
            return frozenset(), {}
        sought, scanner = _scanner(len(_PATTERNS))
        return sought, native.scan(scanner, self._views, self._texts)

    def matches(self, asked: Prefiltered) -> Mapping[int, list[Match]]:
        """The matches of a pattern in all texts: by the text's index, from left to right."""
        found = self._found.get(asked.number)
        if found is None:
            windows = self._windows_of(asked)
            found = _NOWHERE if windows is None else self._search(asked, windows)
            self._found[asked.number] = found
            self._windows[1].pop(asked.number, None)
        return found

    def matches_in(self, index: int, asked: Prefiltered) -> Sequence[Match]:
        """The matches of a pattern in one text; of the others nothing is found out."""
        found = self._found.get(asked.number)
        if found is not None:
            return found.get(index, ())
        windows, rows = self._windows_in(index, asked)
        return self._by_text(windows, self._one_by_one(asked, windows, rows)).get(index, ())

    def may_match(self, index: int, asked: Prefiltered) -> bool:
        """Whether a pattern may match in some part of a text, told without a search for it."""
        found = self._found.get(asked.number)
        return bool(self._windows_in(index, asked)[1]) if found is None else index in found

    def _windows_in(self, index: int, asked: Prefiltered) -> tuple[Any, range]:
        """The windows of a pattern, and which of them are in a text."""
        windows = self._windows_of(asked)
        if windows is None:
            return self._texts, range(0)
        begins = self._begins.get(asked.number)
        if begins is None:
            begins = self._begins[asked.number] = windows[:, 0].tolist()
        start, end = self._bounds[index]
        return windows, range(bisect_left(begins, start), bisect_right(begins, end))

    def _windows_of(self, asked: Prefiltered) -> Any:
        """Where a pattern may match: rows of where that begins and ends; None for nowhere."""
        sought, windows = self._windows
        rows = windows.get(asked.number)
        if rows is not None:
            return np.frombuffer(rows, np.int64).reshape(-1, 2)
        return None if asked.number in sought else self._texts

    def _search(self, asked: Prefiltered, windows: Any) -> Mapping[int, list[Match]]:
        native = extension()
        if native is None:
            return self._by_text(windows, self._one_by_one(asked, windows, range(len(windows))))
        alone = self._at_an_end(windows) if asked.needs.is_anchored else set()
        found: dict[int, list[Match]] = {}
        if len(alone) < len(windows):
            joined, places = native.join_windows(self._views, windows, _APART)
            begins = memoryview(places).cast("q")
            starts, ends = windows[:, 0].tolist(), windows[:, 1].tolist()
            for match in asked.search(joined):
                start, end = match.span()
                row = max(0, bisect_right(begins, start) - 1)
                behind = begins[row] - starts[row]
                if start < begins[row] or end - behind > ends[row] or start == end:
                    last = bisect_left(begins, end)
                    alone.update(range(row, min(last + 1, len(starts))))
                    continue
                index = bisect_right(self._starts, start - behind) - 1
                base = self._starts[index]
                told = FoundMatch(match, asked.groups, self._views, base, behind + base)
                found.setdefault(row, []).append(told)
        if alone:
            for row in alone.intersection(found):
                del found[row]
            found.update(self._one_by_one(asked, windows, sorted(alone)))
        return self._by_text(windows, found)

    def _at_an_end(self, windows: Any) -> set[int]:
        """Which windows begin or end where their text does."""
        starts, ends = self._text_bounds
        return {
            row
            for row, (start, end) in enumerate(windows.tolist())
            if start in starts or end in ends
        }

    @lazy
    def _text_bounds(self) -> tuple[frozenset[int], frozenset[int]]:
        """Where texts begin, and where they end."""
        return frozenset(start for start, _ in self._bounds), frozenset(
            end for _, end in self._bounds
        )

    def _one_by_one(
        self, asked: Prefiltered, windows: Any, rows: Iterable[int]
    ) -> dict[int, list[Match]]:
        """The matches in some windows, by window."""
        found: dict[int, list[Match]] = {}
        last, text = -1, b""
        for row in rows:
            left, right = windows[row].tolist()
            index = bisect_right(self._starts, left) - 1
            start, end = self._bounds[index]
            if index != last:
                last, text = index, self._views[start:end]
            # RE2 sees what stands beside a window, and no match goes beyond one: those of all
            # windows are those of the text.
            found[row] = [
                FoundMatch(match, asked.groups, self._views, start, 0)
                for match in asked.search(text, left - start, right - start)
            ]
        return found

    def _by_text(
        self, windows: Any, by_window: Mapping[int, list[Match]]
    ) -> Mapping[int, list[Match]]:
        found: dict[int, list[Match]] = {}
        for row in sorted(row for row, matches in by_window.items() if matches):
            index = bisect_right(self._starts, int(windows[row, 0])) - 1
            found.setdefault(index, []).extend(by_window[row])
        return found


_NOWHERE: Mapping[int, list[Match]] = {}


class Prefiltered:
    """A pattern that is only run where what it needs is near.

    Attributes:
        number: of it among all patterns.
        source: of the pattern.
        case: how its letters may be written.
    """

    def __init__(self, source: str, case: Case) -> None:
        """Nothing is compiled yet: a short run searches for few of all patterns."""
        self.number = len(_PATTERNS)
        self.source, self.case = source, case
        _PATTERNS.append(self)

    @lazy
    def _plain(self) -> Pattern:
        options = re2.Options()
        options.encoding = re2.Options.Encoding.LATIN1
        options.case_sensitive = self.case is Case.AS_IT_STANDS
        return cast(Pattern, re2.compile(self.source.encode("latin-1"), options))

    @lazy
    def groups(self) -> int:
        """How many it has."""
        return self._plain.groups

    @lazy
    def match(self) -> Callable[..., Match | None]:
        """See `Pattern`."""
        return self._plain.match

    @lazy
    def fullmatch(self) -> Callable[[bytes], Match | None]:
        """See `Pattern`."""
        return self._plain.fullmatch

    @lazy
    def search(self) -> Callable[..., Iterator[Match]]:
        """What `finditer` does on any stretch of text."""
        return self._plain.finditer

    @lazy
    def needs(self) -> Needs:
        """What is in every text that it matches; found when first asked for, not at import."""
        return needs(self.source, self.case)

    def finditer(
        self, text: bytes | Probe, pos: int | None = None, endpos: int | None = None
    ) -> Iterator[Match]:
        """All matches, from left to right."""
        if isinstance(text, RuleView):
            if pos is not None or endpos is not None:
                may = text.batch.may_match(text.place, self)
                return self.search(text, pos, endpos) if may else iter(())
            return iter(text.batch.matches_in(text.place, self))
        if isinstance(text, Probe):
            return text.matches_of(self)
        return self.search(text, pos, endpos)


_PATTERNS: list[Prefiltered] = []


@functools.lru_cache(1)
def _scanner(count: int) -> tuple[frozenset[int], object]:
    """Of the first so many patterns those that need anything; what they need, for the extension."""
    native = extension()
    assert native is not None
    numbers: dict[tuple[frozenset[LiteralRun], Case], int] = {}
    claims = [
        (
            prefiltered.number,
            numbers.setdefault((need.pieces, need.case), len(numbers)),
            need.before,
            prefiltered.needs.reach,
        )
        for prefiltered in _PATTERNS[:count]
        for need in prefiltered.needs.each
    ]
    rows = [(k, case, piece) for (pieces, case), k in numbers.items() for piece in pieces]
    scanner = native.open_prefilter(
        "".join(piece.text for _, _, piece in rows).encode("ascii"),
        np.cumsum([0, *(len(piece.text) for _, _, piece in rows)], dtype=np.int64),
        np.array([k for k, _, _ in rows], np.int64),
        np.array([p.begins + 2 * p.ends + 4 * case for _, case, p in rows], np.uint8),
        np.array(claims, np.int64),
    )
    return frozenset(number for number, *_ in claims), scanner
