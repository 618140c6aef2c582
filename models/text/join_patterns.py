"""Patterns over categories, compiled for the extension.

What can be said: characters, sets of them, groups, `|`, `?`, `{m,n}`, and looking ahead or behind;
all of it bounded, so that a program only ever goes forward. What a program matches is what `re`
matches: the first alternative that leads to a match counts, and repeats take as much as they can.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from re import _constants, _parser  # type: ignore[attr-defined]
from typing import Any

import numpy as np

from ..core.errors import UsageError

_MATCH, _END, _SET, _SPLIT, _JUMP, _LOOK = range(6)
_SIGNS = 128
_FURTHEST_BEHIND = 8

Program = tuple[Any, Any, Any, Any, Any]
"""What the extension takes: steps, sets, first steps, and what alternatives begin with and need."""


def compile_patterns(patterns: Iterable[str], *, whole: bool = False) -> Program:
    """One program of several patterns, in order of preference.

    Args:
        patterns: over ASCII characters but the line break, which none may match.
        whole: a match must reach to the end.

    Raises:
        UsageError: if a pattern says what cannot be compiled.
    """
    compiler = _Compiler()
    entries, firsts, required = [], [], []
    for pattern in patterns:
        tree = _parser.parse(pattern)
        entries.append(len(compiler.steps))
        compiler.sequence(tree)
        if whole:
            compiler.steps.append((_END, 0, 0, 0))
        compiler.steps.append((_MATCH, 0, 0, 0))
        first, _ = _first(tree)
        firsts.append(_words(first))
        required.append(_words(_required(tree)))
    return (
        np.array(compiler.steps, np.int32).reshape(-1, 4),
        np.array([_words(one) for one in compiler.sets], np.uint64).reshape(-1, 2),
        np.array(entries, np.int32),
        np.array(firsts, np.uint64).reshape(-1, 2),
        np.array(required, np.uint64).reshape(-1, 2),
    )


def _words(signs: Iterable[int]) -> tuple[int, int]:
    bits = sum(1 << sign for sign in set(signs))
    return bits & ((1 << 64) - 1), bits >> 64


def _refuse(what: object) -> UsageError:
    return UsageError(f"patterns: {what} cannot be compiled")


def _set(operation: Any, argument: Any) -> frozenset[int] | None:
    """The characters that one step matches; None if it is of another kind."""
    if operation is _constants.LITERAL:
        found = {argument}
    elif operation is _constants.IN:
        found = set()
        for kind, value in argument:
            if kind is _constants.LITERAL:
                found.add(value)
            elif kind is _constants.RANGE:
                found.update(range(value[0], value[1] + 1))
            else:
                raise _refuse(kind)
    else:
        return None
    if max(found) >= _SIGNS or ord("\n") in found:
        raise _refuse("a character beyond ASCII or a line break")
    return frozenset(found)


def _branches(operation: Any, argument: Any) -> Sequence[Any] | None:
    if operation is _constants.BRANCH:
        branches: Sequence[Any] = argument[1]
        return branches
    if operation is _constants.SUBPATTERN:
        return [argument[3]]
    return None


def _is_look(operation: Any) -> bool:
    return operation is _constants.ASSERT or operation is _constants.ASSERT_NOT


@dataclasses.dataclass
class _Compiler:
    """Steps and sets as they are made; targets are absolute."""

    steps: list[tuple[int, int, int, int]] = dataclasses.field(default_factory=list)
    sets: list[frozenset[int]] = dataclasses.field(default_factory=list)

    def sequence(self, tree: Any) -> None:
        for operation, argument in tree:
            self._one(operation, argument)

    def _one(self, operation: Any, argument: Any) -> None:
        if (signs := _set(operation, argument)) is not None:
            if signs not in self.sets:
                self.sets.append(signs)
            self.steps.append((_SET, self.sets.index(signs), 0, 0))
        elif (branches := _branches(operation, argument)) is not None:
            self._alternatives(branches)
        elif operation is _constants.MAX_REPEAT:
            fewest, most, body = argument
            if most is _constants.MAXREPEAT:
                raise _refuse("a repeat without bound")
            for _ in range(fewest):
                self.sequence(body)
            self._optional(most - fewest, body)
        elif _is_look(operation):
            direction, body = argument
            least, most = body.getwidth()
            if direction < 0 and (least != most or most > _FURTHEST_BEHIND):
                raise _refuse("a lookbehind without a fixed width")
            at = self._hole()
            self.sequence(body)
            self.steps.append((_MATCH, 0, 0, 0))
            behind = most if direction < 0 else 0
            negative = int(operation is _constants.ASSERT_NOT)
            self.steps[at] = (_LOOK, behind, negative, len(self.steps))
        else:
            raise _refuse(operation)

    def _hole(self) -> int:
        self.steps.append((_MATCH, 0, 0, 0))
        return len(self.steps) - 1

    def _alternatives(self, branches: Sequence[Any]) -> None:
        jumps = []
        for branch in branches[:-1]:
            split = self._hole()
            self.sequence(branch)
            jumps.append(self._hole())
            self.steps[split] = (_SPLIT, split + 1, len(self.steps), 0)
        self.sequence(branches[-1])
        for jump in jumps:
            self.steps[jump] = (_JUMP, len(self.steps), 0, 0)

    def _optional(self, times: int, body: Any) -> None:
        splits = []
        for _ in range(times):
            splits.append(self._hole())
            self.sequence(body)
        for split in splits:
            self.steps[split] = (_SPLIT, split + 1, len(self.steps), 0)


def _first(tree: Any) -> tuple[frozenset[int], bool]:
    """The characters that a match can begin with, and whether it may be empty."""
    found: frozenset[int] = frozenset()
    for operation, argument in tree:
        if _is_look(operation):
            continue
        if (signs := _set(operation, argument)) is not None:
            return found | signs, False
        if (branches := _branches(operation, argument)) is not None:
            parts = [_first(branch) for branch in branches]
        else:
            parts = [_first(argument[2])]
            if argument[0] == 0:
                parts.append((frozenset(), True))
        found = found.union(*(part for part, _ in parts))
        if not any(empty for _, empty in parts):
            return found, False
    return found, True


def _required(tree: Any) -> frozenset[int]:
    """Characters that every match has."""
    found: frozenset[int] = frozenset()
    for operation, argument in tree:
        if _is_look(operation):
            continue
        if (signs := _set(operation, argument)) is not None:
            if len(signs) == 1:
                found |= signs
        elif (branches := _branches(operation, argument)) is not None:
            found |= frozenset.intersection(*map(_required, branches))
        elif argument[0] > 0:
            found |= _required(argument[2])
    return found
