"""What `scrubline roster` says: counts, sizes, places; a value on a terminal alone, if asked."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...models.roster.frequent import FrequentWord, NoteWords, RosterWords
from ...models.roster.manifest import STAFF, RosterManifest
from ...models.roster.names import NameClass
from ..process.logs import is_terminal, say

_SECONDS_BETWEEN_LINES = 30.0
_MOST_SHOWN = 200
_SHARES = (0.5, 0.1, 0.02, 0.002)


class BuildProgress:
    """How far a build has come, by numbers alone; use it with `with`."""

    def __init__(self) -> None:
        self._told = time.monotonic()
        self._bar: Any = None

    def __enter__(self) -> BuildProgress:
        if is_terminal(sys.stderr):
            from rich.console import Console
            from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

            self._bar = Progress(
                SpinnerColumn(),
                TextColumn("{task.description}"),
                TimeElapsedColumn(),
                console=Console(stderr=True),
            )
            self._task = self._bar.add_task("reading tables", total=None)
            self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def tell(self, values: int, patients: int) -> None:
        """Shows values read, or patients sealed."""
        said = f"{patients:,} patients sealed" if patients else f"{values:,} values read"
        now = time.monotonic()
        if self._bar is not None:
            self._bar.update(self._task, description=said)
        elif now - self._told >= _SECONDS_BETWEEN_LINES:
            self._told = now
            say(f"roster: {said}", "INFO")


def manifest_lines(manifest: RosterManifest) -> Iterator[str]:
    """Yields what a roster holds."""
    dated = f", date {manifest.date}" if manifest.date else ""
    yield f"generation {manifest.generation}{dated}, key check value {manifest.key_check}"
    yield f"  patients  {manifest.patients:>12,}"
    if manifest.over_budget:
        yield (
            f"            {manifest.over_budget:>12,} of them have over 200 values: their "
            "documents will be quarantined (OverBudget:roster)"
        )
    yield f"  staff     {manifest.staff:>12,}  ({manifest.files[STAFF].rows:,} hashes)"
    shards = [file for name, file in manifest.files.items() if name != STAFF]
    size = sum(file.bytes for file in shards)
    each = size / manifest.patients if manifest.patients else 0
    yield f"  bytes     {size:>12,}  ({each:,.0f} a patient, {len(shards)} files)"
    yield f"            {manifest.files[STAFF].bytes:>12,}  of staff"
    yield "values"
    yield from _counted(manifest.values)
    if manifest.unusable:
        yield "cells by which nothing can be found (a phone without digits, a date not read)"
        yield from _counted(manifest.unusable)


def _counted(counts: Mapping[str, int]) -> Iterator[str]:
    for name, count in sorted(counts.items()):
        yield f"  {name:<22}{count:>12,}"


def check_lines(words: RosterWords, notes: NoteWords, share: float) -> Iterator[str]:
    """Yields the classes of words, and how many are frequent in the notes."""
    by_class = words.by_class()
    bearers: Counter[NameClass] = Counter()
    for word, count in words.bearers.items():
        bearers[words.strengths[word]] += count
    yield "words of names             different       of people"
    for strength, meaning in _MEANING.items():
        yield f"  {meaning:<22}{by_class[strength]:>12,}{bearers[strength]:>16,}"
    if words.nameless:
        yield f"{words.nameless:,} patients have no name: nothing but numbers is found of them"
    if words.without_strong:
        yield (
            f"{words.without_strong:,} patients have no strong word in their names: in a note "
            "all in small letters they may be left"
        )
    if not notes.notes:
        yield "give notes with --input to see which words are frequent in them"
        return
    found = list(words.frequent(notes, share))
    yield f"words in many of {notes.notes:,} notes"
    yield "  share of notes            strong            weak"
    bounds = [bound for bound in _SHARES if bound > share] + [share]
    upper = float("inf")
    for bound in bounds:
        within = [f for f in found if bound <= f.notes / notes.notes < upper or
                  (bound == share and f.notes / notes.notes < bound)]  # fmt: skip
        counts = Counter(f.strength for f in within)
        yield f"  {bound:>9.1%} or more{counts[NameClass.STRONG]:>15,}{counts[NameClass.WEAK]:>16,}"
        upper = bound
    strong = [f for f in found if f.strength is NameClass.STRONG]
    if strong:
        patients = sum(f.patients for f in strong)
        yield (
            f"warning: {len(strong):,} strong words, in names of {patients:,} patients, are "
            "frequent in notes: they are taken out of those patients' notes wherever they stand. "
            "Look at them with --show; a shifted column or a placeholder is the usual cause"
        )


_MEANING = {
    NameClass.STRONG: "strong (in no list)",
    NameClass.WEAK: "weak (also a word)",
    NameClass.SHORT: "short",
}


def shown_words(found: Iterable[FrequentWord], notes: int) -> Iterator[str]:
    """Yields the frequent words themselves: PHI, for a terminal."""
    for number, one in enumerate(found):
        if number == _MOST_SHOWN:
            yield "..."
            return
        strength = one.strength.name.lower()
        yield f"  {one.word:<24}{strength:<8}{one.notes / notes:>8.1%}{one.patients:>10,} patients"
