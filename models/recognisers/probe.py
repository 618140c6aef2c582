"""What a rule asks of a text before it looks at it: where that finds nothing, nor does the rule.

Most rules begin with patterns on the view of a text and with properties of its words, and look at
the text where those are. A *probe* stands in the place of such a text: to `view` and `words` it is
one, it answers that nothing is found and takes note of the question, and it has nothing else that
a text has. A rule that comes to its end on a probe has therefore asked nothing but what was noted,
and does the same, which is nothing, on any text in which none of it is found.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar, cast

T = TypeVar("T")


class WordQuestion(NamedTuple):
    """A question about the words of texts; see `casing.CasedWords.where`.

    Attributes:
        wanted: bit of a property.
        behind: bit of what the word before has besides, 0 for nothing.
        head: whether the word, or the one before if that is asked about, must be a head.
    """

    wanted: int
    behind: int
    head: bool


class Triggers(NamedTuple):
    """What a rule asks first.

    Attributes:
        patterns: the patterns.
        words: the questions about words.
        texts: the properties of the whole text.
    """

    patterns: tuple[Any, ...]
    words: tuple[WordQuestion, ...]
    texts: tuple[TextProperty, ...]


class Probe:
    """See the module."""

    def __init__(self) -> None:
        """Nothing has been asked."""
        self._patterns: dict[int, Any] = {}
        self._words: dict[WordQuestion, None] = {}
        self._texts: dict[TextProperty, None] = {}

    def matches_of(self, asked: Any) -> Iterator[Any]:
        """None, of a pattern."""
        self._patterns[asked.number] = asked
        return iter(())

    def where(self, wanted: Any, behind: Any = None, *, head: bool = False) -> list[int]:
        """None, as `CasedWords.where`."""
        self._words[WordQuestion(wanted.bit, behind.bit if behind else 0, head)] = None
        return []

    def asks(self, about: TextProperty) -> bool:
        """No, of the whole text."""
        self._texts[about] = None
        return False

    @property
    def triggers(self) -> Triggers:
        """What was asked."""
        return Triggers(tuple(self._patterns.values()), tuple(self._words), tuple(self._texts))


class TextProperty:
    """A question about a whole text, where neither a pattern nor a word answers it.

    Args:
        holds: answers for a text, in a time that is small beside that of a rule.
    """

    def __init__(self, holds: Callable[[str], bool]) -> None:
        """A rule makes it when it is imported."""
        self._holds = holds

    def __call__(self, text: str | Probe) -> bool:
        """Whether it holds; not of a probe."""
        if isinstance(text, Probe):
            return text.asks(self)
        return self._holds(text)


class Latest(threading.local, Generic[T]):
    """What is made of a text, for whoever asks in turn: that of the last text of a thread is kept.

    Args:
        make: makes it of a text.
    """

    def __init__(self, make: Callable[[str], T]) -> None:
        """Once in each thread."""
        self._make = make
        self.clear()

    def clear(self) -> None:
        """Forgets the last text."""
        self._text: str | None = None
        self._coming: tuple[str | None, Callable[[], T] | None] = (None, None)

    def expect(self, text: str, make: Callable[[], T]) -> None:
        """A text that will be asked about, of which there is a better way to make it."""
        self._coming = (text, make)

    def __call__(self, text: str) -> T:
        """What is made of the text; of a probe, the probe."""
        if text is not self._text:
            known, make = self._coming
            if isinstance(text, Probe):
                self._made = cast(T, text)
            elif text is known and make is not None:
                self._made = make()
            else:
                self._made = self._make(text)
            self._text = text
        return self._made
