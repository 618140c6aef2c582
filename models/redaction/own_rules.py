"""Rules of a site's own: patterns with a label, and what must or must not stand near them.

`own_rules_file` reads them; docs/own-rules.md is the manual. Patterns are RE2's, read as UTF-8,
whatever the case of letters. They see the text with typographic dashes, quotes and spaces, and the
digits of every script, as their ASCII likeness, one code point for one.

RE2 finds one match in linear time. For all matches of a pattern to be, no match may be long: no
repetition is without an end, and the compiled pattern is bounded.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import re2

from ..core.detectors import OWN, DetectorId
from ..core.errors import UsageError
from ..core.spans import Candidate
from ..recognisers.patterns import narrow
from .phrases import PhraseMatcher, fold

MOST_RULES, MOST_PATTERNS = 100, 20
"""Rules of a policy; patterns of a rule. Each pattern costs a pass over every text."""

LONGEST_PATTERN, MOST_REPEATS, MOST_STEPS = 1_000, 100, 60_000
"""Characters of a pattern; how often anything may repeat; instructions of what RE2 compiles it to.
The last two bound a match."""

WINDOW, MOST_WINDOW = 50, 1_000
"""Code points on each side of a match in which `near` and `not_near` are looked for."""

PHI = "phi"
"""The group that has the label of the rule."""

SCORE = 1.0
"""In the audit; nobody has measured it."""

_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_GROUP_NAME = re.compile(r"\(\?P?<(\w+)>")
_PIECE = re.compile(
    r"\\Q.*?(?:\\E|$)"  # quoted
    r"|\\[pP]\{[^}]*\}|\\x\{[^}]*\}|\\."  # escaped
    r"|\[\^?\]?(?:\[:[^\]]*:\]|\\.|[^\]\\])*\]"  # a class
    r"|(?P<endless>[*+]|\{\d+,\})"
    r"|\{(?:\d+,)?(?P<most>\d+)\}",
    re.DOTALL,
)
_KINDS_OF_CHARACTER = ("a", " ", "\n", "-")
"""Of what stands beside a place all that RE2's `^`, `$`, `\\b` and so on tell apart."""


@dataclasses.dataclass(frozen=True, slots=True)
class OwnRule:
    """One rule; checked when it is made.

    Attributes:
        name: of 1 to 40 small letters, digits and underscores; the audit says `own:NAME`.
        patterns: sources. Where a pattern has named groups, these alone are PHI, as far as they
            take part in a match. Where it has none, the whole match is PHI.
        label: of whole matches and of the group "phi"; None if no pattern needs it.
        groups: label of each other named group, by its name.
        near: folded phrases (see `phrases.fold`), one of which must stand beside a match; if there
            are none, nothing must.
        not_near: folded phrases, none of which may.
        window: so many code points before and after a match are beside it.
        veto: folded phrases; PHI that is one of them is no find.
        finds: texts with marks (docs/annotation.md), in which it finds what is marked, no more and
            no less.
        leaves: texts in which it finds nothing.

    Raises:
        UsageError: for what cannot be used, saying which key; without pattern or phrase.
    """

    name: str
    patterns: tuple[str, ...] = dataclasses.field(repr=False)
    label: str | None = None
    groups: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)
    near: frozenset[str] = dataclasses.field(default=frozenset(), repr=False)
    not_near: frozenset[str] = dataclasses.field(default=frozenset(), repr=False)
    window: int = WINDOW
    veto: frozenset[str] = dataclasses.field(default=frozenset(), repr=False)
    finds: tuple[str, ...] = dataclasses.field(default=(), repr=False)
    leaves: tuple[str, ...] = dataclasses.field(default=(), repr=False)

    def __post_init__(self) -> None:
        if not 1 <= len(self.patterns) <= MOST_PATTERNS:
            raise UsageError(f"patterns: expected 1 to {MOST_PATTERNS} of them")
        for number, source in enumerate(self.patterns, 1):
            try:
                _check_pattern(source, self.label, self.groups)
            except UsageError as error:
                raise UsageError(f"patterns {number}: {error}") from None
        if type(self.window) is not int or not 1 <= self.window <= MOST_WINDOW:
            raise UsageError(f"window: expected a whole number from 1 to {MOST_WINDOW}")

    @property
    def detector(self) -> str:
        """What the audit calls it."""
        return str(DetectorId(OWN, self.name))

    @property
    def labels(self) -> tuple[str, ...]:
        """Those that its candidates may have, sorted."""
        of_groups = {self.groups[name] for name in named_groups(self.patterns)}
        return tuple(sorted(of_groups | ({self.label} if self.label else set())))

    @property
    def hash(self) -> str:
        """SHA-256, as hex, of all that decides what it finds: neither its name nor its tests."""
        content: dict[str, Any] = {
            "patterns": sorted(self.patterns),
            "label": self.label,
            "groups": {name: self.groups[name] for name in named_groups(self.patterns)},
            "window": self.window,
            **{key: sorted(getattr(self, key)) for key in ("near", "not_near", "veto")},
        }
        canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def check_rule_name(name: str) -> None:
    """Refuses what no rule may be called.

    Raises:
        UsageError: without the name, which may be a phrase.
    """
    if not _NAME.fullmatch(name):
        raise UsageError("expected names of 1 to 40 small letters, digits and underscores")


def named_groups(patterns: Iterable[str]) -> frozenset[str]:
    """The names of the groups of patterns that RE2 can read, but for "phi"."""
    return frozenset(name for source in patterns for name, _ in _compiled(source)[1]) - {PHI}


def recognise_own(text: str, rules: Sequence[OwnRule]) -> list[Candidate]:
    """The candidates of some rules, sorted; those of different patterns may overlap.

    Linear in the length of the text, for each pattern.
    """
    if not rules:
        return []
    seen = _SeenText(text)
    return sorted({candidate for rule in rules for candidate in _found(seen, rule)})


def _found(seen: _SeenText, rule: OwnRule) -> Iterator[Candidate]:
    beside: Callable[[int, int], bool] | None = None
    detector = rule.detector
    for source in rule.patterns:
        pattern, groups = _compiled(source)
        for match in pattern.finditer(seen.content):
            parts = [(match.span(index), name) for name, index in groups] or [(match.span(), PHI)]
            found = [
                (start, end, rule.label if name == PHI else rule.groups[name])
                for span, name in parts
                if span[0] >= 0
                for start, end in [seen.trimmed(*map(seen.offset, span))]
                if start < end
            ]
            if not found:
                continue
            if beside is None:
                beside = _context(seen.text, rule)
            if not beside(*map(seen.offset, match.span())):
                continue
            for start, end, label in found:
                assert label is not None, "it was checked"
                if not (rule.veto and fold(seen.text[start:end]) in rule.veto):
                    yield Candidate(start, end, label, detector, SCORE)


class _SeenText:
    """A text as patterns see it.

    Attributes:
        text: as it is.
        content: in UTF-8, with likenesses.
    """

    __slots__ = ("_begins", "content", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._begins = None
        if text.isascii():
            self.content = text.encode("ascii")
            return
        self.content = text.translate(_likenesses(frozenset(text))).encode("utf-8", "replace")
        octets = np.frombuffer(self.content, np.uint8)
        self._begins = np.flatnonzero((octets & 0xC0) != 0x80)

    def offset(self, octet: int) -> int:
        """The code point that begins at an octet."""
        if self._begins is None:
            return octet
        return int(np.searchsorted(self._begins, octet))

    def trimmed(self, start: int, end: int) -> tuple[int, int]:
        """A stretch without the white space at its edges."""
        covered = self.text[start:end]
        return end - len(covered.lstrip()), start + len(covered.rstrip())


def _likenesses(characters: frozenset[str]) -> dict[int, str]:
    """The ASCII likeness of each character that has one; see `patterns.view`."""
    found = {}
    for character in characters:
        if not character.isascii():
            seen = narrow(character)
            if seen.isascii() and seen != b"?":
                found[ord(character)] = seen.decode()
    return found


def _context(text: str, rule: OwnRule) -> Callable[[int, int], bool]:
    """Whether what must stand beside a match does, and what must not does not. O(text), once."""
    if not rule.near and not rule.not_near:
        return lambda start, end: True
    wanted = _beside(_occurrences(rule.near, text), rule.window)
    unwanted = _beside(_occurrences(rule.not_near, text), rule.window)
    needed = bool(rule.near)
    return lambda start, end: (not needed or wanted(start, end)) and not unwanted(start, end)


def _beside(stretches: list[tuple[int, int]], window: int) -> Callable[[int, int], bool]:
    """Whether one of the stretches lies wholly within the window before or after a match.

    O(log n) a question, and as many more as begin within the window.
    """
    stretches.sort()
    starts = np.array([start for start, _ in stretches], np.int64)

    def holds(start: int, end: int) -> bool:
        low = int(np.searchsorted(starts, start - window))
        for at in range(low, len(stretches)):
            first, last = stretches[at]
            if first >= end + window:
                return False
            if last <= start or (first >= end and last <= end + window):
                return True
        return False

    return holds


def _occurrences(phrases: frozenset[str], text: str) -> list[tuple[int, int]]:
    if not phrases:
        return []
    return [(start, end) for start, end, _ in _matcher(phrases).find(text)]


@functools.lru_cache(maxsize=2 * MOST_RULES)
def _matcher(phrases: frozenset[str]) -> PhraseMatcher:
    return PhraseMatcher({"": phrases})


# -- patterns


@functools.lru_cache(maxsize=MOST_RULES * MOST_PATTERNS)
def _compiled(source: str) -> tuple[Any, tuple[tuple[str, int], ...]]:
    """A pattern, and the name and number of each named group.

    Raises:
        UsageError: saying what RE2 refuses, without what stands there.
    """
    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    try:
        compiled = re2.compile(source.encode(), options)
    except UnicodeEncodeError:
        raise UsageError("has a lone surrogate") from None
    except re2.error as error:
        said = error.args[0] if error.args else b""
        reason = said.decode(errors="replace").partition(":")[0] if type(said) is bytes else ""
        raise UsageError(
            f"RE2 cannot read it ({reason}); see https://github.com/google/re2/wiki/Syntax"
        ) from None
    names = sorted((name.decode(), index) for name, index in compiled.groupindex.items())
    return compiled, tuple(names)


def _check_pattern(source: str, label: str | None, labels: Mapping[str, str]) -> None:
    if len(source) > LONGEST_PATTERN:
        raise UsageError(f"expected at most {LONGEST_PATTERN} characters")
    for piece in _PIECE.finditer(source):
        if piece["endless"]:
            raise UsageError(
                "a repetition without an end; write how many at most, such as {1,20} for + and "
                "{0,20} for *"
            )
        if piece["most"] and int(piece["most"][:9]) > MOST_REPEATS:
            raise UsageError(f"expected at most {MOST_REPEATS} repetitions")
    pattern, groups = _compiled(source)
    if pattern.programsize > MOST_STEPS:
        raise UsageError("it repeats too much; write fewer or shorter repetitions")
    names = _GROUP_NAME.findall(source)
    if len(names) > len(groups):
        raise UsageError("two groups have the same name; write two patterns")
    if _matches_nothing(pattern):
        raise UsageError("it matches where there is no character; say what must be there")
    if label is None and (not groups or PHI in names):
        raise UsageError(f"the rule has no label, and the match or its group {PHI!r} needs it")
    if any(name != PHI and name not in labels for name, _ in groups):
        raise UsageError(
            f"a group is called by no label: expected {PHI!r}, or a label with _ in place of -"
        )


def _matches_nothing(pattern: Any) -> bool:
    """Whether an empty text is a match, whatever stands beside it."""
    beside = ("", *_KINDS_OF_CHARACTER)
    return any(
        pattern.fullmatch((before + after).encode(), len(before), len(before))
        for before, after in product(beside, beside)
    )
