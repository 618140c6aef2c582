"""Before a roster is used: which of its words stand in many notes, whoever they are about.

A patient called "metformin" would take the drug out of that patient's notes, and a table whose
columns are shifted has "unknown" for a surname. Such words are counted here, and not shown.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterable, Iterator

from ..core.known_values import NAME_ATTRIBUTES, KnownValue
from .folding import fold, split_words
from .names import KnownNames, NameClass

LEAST_SHARE = 0.002
"""Of the notes: a strong word in more of them is told."""

LEAST_NOTES = 10
"""Fewer may all be of the one patient who is called so."""


class NoteWords:
    """In how many notes each folded word stands, small letters and capitals alike."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.notes = 0
        self.counts: Counter[str] = Counter()
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """Counts the words of a note."""
        self.notes += 1
        self.counts.update(set(split_words(fold(text))))


@dataclasses.dataclass(frozen=True, slots=True)
class FrequentWord:
    """A word of names that stands in many notes.

    Attributes:
        word: folded. PHI: shown to key holders alone.
        strength: its class.
        patients: that have it among their names.
        notes: that hold it.
    """

    word: str = dataclasses.field(repr=False)
    strength: NameClass
    patients: int
    notes: int


@dataclasses.dataclass(slots=True)
class RosterWords:
    """The words of the names of a roster.

    Attributes:
        patients: looked at.
        nameless: patients without any name.
        without_strong: patients of whose own names no word is strong.
        strengths: word -> its class.
        bearers: word -> how many patients have it.
    """

    patients: int = 0
    nameless: int = 0
    without_strong: int = 0
    strengths: dict[str, NameClass] = dataclasses.field(default_factory=dict)
    bearers: Counter[str] = dataclasses.field(default_factory=Counter)

    def add(self, known: Iterable[KnownValue]) -> None:
        """Takes the names of one patient."""
        named = [v for v in known if v.attribute in NAME_ATTRIBUTES]
        self.patients += 1
        if not named:
            self.nameless += 1
            return
        found = KnownNames.of(named).words
        mine = {word: what for word, what in found.items() if not what.derived}
        if not any(what.strength is NameClass.STRONG for what in mine.values()):
            self.without_strong += 1
        for word, what in mine.items():
            self.strengths[word] = what.strength
            self.bearers[word] += 1

    def by_class(self) -> Counter[NameClass]:
        """Different words by class."""
        return Counter(self.strengths.values())

    def frequent(self, notes: NoteWords, share: float = LEAST_SHARE) -> Iterator[FrequentWord]:
        """Yields words in more than a share of the notes, the most frequent first."""
        least = max(LEAST_NOTES, share * notes.notes)
        found = [
            FrequentWord(word, strength, self.bearers[word], notes.counts[word])
            for word, strength in self.strengths.items()
            if strength is not NameClass.SHORT and notes.counts[word] >= least
        ]
        yield from sorted(found, key=lambda f: (-f.notes, f.word))
