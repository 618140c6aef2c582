"""One surrogate in the making: its scope, what is known of the record, and what must not come out.

Source of the collision rules: a surrogate that is another true word of the record would point at
somebody, and two true words with one surrogate would make two people one.
"""

from __future__ import annotations

import dataclasses
import string
from collections.abc import Callable, Mapping
from typing import Final

from .drawing import Draws
from .lexicon import Lexicon
from .pools import WordPool, pool
from .settings import SurrogateSettings
from .words import folded, like, plain

ATTEMPTS: Final = 3
"""Draws of a word: the first, and two more where it must not come out."""


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What a roster, or the note, says of the people of a record; `Surrogates.known` makes it.

    All words are in their normal form. Two are equal only if they are one.

    Attributes:
        classes: word -> its class, which overrules the lists.
        same: word -> the word that is meant: typos and nicknames.
        people: the names of each person, given names first; for initials.
        attempts: word -> the draw to begin with; `ATTEMPTS` for a marker.
        words: all words above; such a word is a name, never a title or particle.
    """

    classes: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)
    same: Mapping[str, str] = dataclasses.field(default_factory=dict, repr=False)
    people: tuple[tuple[str, ...], ...] = dataclasses.field(default=(), repr=False)
    attempts: Mapping[str, int] = dataclasses.field(default_factory=dict, repr=False)
    words: frozenset[str] = dataclasses.field(default=frozenset(), repr=False)


NOBODY: Final = Known()

DrawWord = Callable[[tuple[str, ...], str, str, str, int, int | None], str | None]
"""(scope, class, language, normal form, attempt, length) -> a word of the pool."""


class Drawer:
    """Draws for one text.

    Attributes:
        draws: the choices of the scope.
        settings, words, known: as `Surrogates` has them.
        attempt: the last draw that a word of it took.
        used: normal forms of what was drawn.
    """

    __slots__ = ("_avoid", "_draw", "_scope", "attempt", "draws", "known", "settings", "used",
                 "words")  # fmt: skip

    def __init__(
        self,
        draws: Draws,
        scope: tuple[str, ...],
        settings: SurrogateSettings,
        words: Lexicon,
        known: Known,
        avoid: frozenset[str],
        draw: DrawWord,
    ) -> None:
        self.draws = draws
        self.settings = settings
        self.words = words
        self.known = known
        self.attempt = 0
        self.used: set[str] = set()
        self._scope = scope
        self._avoid = avoid
        self._draw = draw

    @property
    def pads(self) -> bool:
        """Whether the length is kept."""
        return self.settings.layout == "pad"

    @property
    def language(self) -> str:
        """The first language."""
        return self.settings.languages[0]

    def is_known(self, word: str) -> bool:
        """Whether note or roster have a normal form as a name."""
        return word in self.known.words

    def takes(self, normal: str, truths: frozenset[str], attempt: int) -> bool:
        """Whether a word may come out; if so, it counts as drawn by that attempt."""
        if normal in truths or normal in self._avoid:
            return False
        self.used.add(normal)
        self.attempt = max(self.attempt, attempt)
        return True

    def name(self, written: str, truths: frozenset[str]) -> str | None:
        """The surrogate of a word of a name, written alike; None for a marker.

        Args:
            written: the word without possessive and plural.
            truths: normal forms of the true words of the text.
        """
        normal = self.words.normal(written)
        meant = self.meant(normal)
        truths = truths | {meant}
        length = len(written) if self.pads else None
        for attempt in range(self.first_attempt(normal, meant), ATTEMPTS):
            word = self.name_at(meant, attempt, length)
            if word is None:
                return None
            if meant != normal and not self.pads:
                word = self.words.nickname(self.words.normal(word)) or word
            if self.takes(self.words.normal(word), truths, attempt):
                return self._written(word, written, normal)
        return None

    def name_at(self, meant: str, attempt: int, length: int | None = None) -> str | None:
        """The draw of a name by its normal form."""
        kind, language, _ = self.words.class_of(meant)
        kind = self.known.classes.get(meant, kind)
        return self._draw(self._scope, kind, language, meant, attempt, length)

    def first_attempt(self, normal: str, meant: str) -> int:
        """The draw that a name begins with."""
        attempts = self.known.attempts
        return max(attempts.get(normal, 0), attempts.get(meant, 0)) if attempts else 0

    def meant(self, normal: str) -> str:
        """The name that is meant by a normal form: of a nickname the name, of a typo the word."""
        if (said := self.known.same.get(normal)) is not None:
            return said
        if normal in self.known.classes:
            return normal
        return self.words.canonical(normal)

    def _written(self, word: str, written: str, normal: str) -> str:
        if written.isascii() and not word.isascii() and self.words.has_accents(normal):
            word = plain(word)
        return like(word, written)

    def word_of(self, kind: str, written: str, truths: frozenset[str]) -> str | None:
        """The surrogate of a word that is no person's: of a place, a street."""
        normal = folded(written)
        truths = truths | {normal}
        length = len(written) if self.pads else None
        for attempt in range(ATTEMPTS):
            word = self._draw(self._scope, kind, self.pool_language(kind), normal, attempt, length)
            if word is None:
                return None
            if self.takes(folded(word), truths, attempt):
                return like(word, written)
        return None

    def phrase_of(
        self, kind: str, key: str, truths: frozenset[str], chosen: WordPool | None = None
    ) -> str | None:
        """A phrase of a pool: a city, a profession.

        Args:
            kind: class of the pool.
            key: folded text of the truth.
            truths: more that must not come out.
            chosen: another pool than that of the class.
        """
        language = self.pool_language(kind)
        found = chosen or pool(kind, language)
        if found is None:
            return None
        for attempt in range(ATTEMPTS):
            number = self.draws.number("phrase", kind, key, str(attempt))
            phrase = found.words[number % len(found.words)]
            small = phrase.casefold()
            parts = {folded(part) for part in small.split() if len(part) > 3}
            if folded(phrase) != key and parts.isdisjoint(truths):
                if not parts.isdisjoint(self._avoid):
                    continue
                self.attempt = max(self.attempt, attempt)
                self.used |= parts
                return phrase
        return None

    def pool_language(self, kind: str) -> str:
        """The first language that has a pool of a class."""
        for language in self.settings.languages:
            if pool(kind, language) is not None:
                return language
        return self.language

    def letter_of(self, word: str) -> str | None:
        """The first letter of what stands for a name, by its normal form; None for a marker."""
        meant = self.meant(word)
        truths = frozenset((word, meant))
        length = len(word) if self.pads else None
        for attempt in range(self.first_attempt(word, meant), ATTEMPTS):
            name = self.name_at(meant, attempt, length)
            if name is None:
                return None
            normal = self.words.normal(name)
            if self.takes(normal, truths, attempt):
                return normal[:1]
        return None

    def letter(self, letter: str, attempt: int = 0) -> str:
        """Another letter, or by chance the same; in small letters."""
        number = self.draws.number("letter", letter, str(attempt))
        return string.ascii_lowercase[number % len(string.ascii_lowercase)]


def drawn_word(draws: Draws, kind: str, normal: str, attempt: int, words: tuple[str, ...]) -> str:
    """One of the words for a normal form: the draw that all names go through."""
    return words[draws.below(len(words), "word", kind, normal, str(attempt))]


def drawn_letters(draws: Draws, normal: str, attempt: int, length: int) -> str:
    """Letters for a word that is shorter than those of the pool."""
    stream = draws.stream(length, "short word", normal, str(attempt))
    letters = "".join(string.ascii_lowercase[n % 26] for n in stream)
    return letters.capitalize()
