"""The words of a document with their offsets and how they are written, found in one linear scan.

Rules that look for names need to know which words are capitalised, in texts of any script, where
patterns on the view of `matching` see `?`. Several rules ask for the words of the same document in
turn, so those of the last one are kept, as its view is. No list is read here: what a word means is
its rule's business.

    >>> from scrubline.models.recognisers.word_forms import CAPITALISED, UPPER
    >>> found = words("Seen by Dr. O'Brien-Núñez's team, 3 BROTHERS")
    >>> [found.texts[i] for i in found.written(CAPITALISED)]
    ['Seen', 'Dr', "O'Brien-Núñez"]
    >>> [found.texts[i] for i in found.written(UPPER)]
    ['BROTHERS']
    >>> found.between(2), found.between(3)
    ('. ', "'s ")
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
from bisect import bisect_left
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ..core.arrays import Ints, code_points
from ..core.forksafe import ForkSafeLock
from ..core.lazy import lazy
from ..native import extension
from ..text.characters import IS_ALNUM, trait_table
from .probe import Latest, WordQuestion
from .word_forms import plain, shape_of

K = TypeVar("K")

LONGEST_WORD = 40
"""Code points; longer words are OTHER, so that no rule copies or looks up what is no word."""

KNOWN_WORDS = 32_768
"""How many words are remembered from document to document by what asks for their properties: a word
occurs often, what it is never changes."""


def _cut_by(letter: str, accents: str, hyphen: str, apostrophe: str) -> re.Pattern[str]:
    """Splits a text into what stands before a word, the word and its possessive 's, in turn.

    An apostrophe or hyphen joins two pieces; the possessive 's is outside the word. Each repetition
    ends where a class of characters ends that the next piece cannot begin with: no backtracking, so
    linear in any text.
    """
    piece = rf"{letter}+{accents}"
    possessive = rf"{apostrophe}[sS](?!{letter})"
    joint = rf"(?:{hyphen}(?={letter})|(?!{possessive}){apostrophe}(?={letter}))"
    return re.compile(rf"({piece}(?:{joint}{piece})*)((?:{possessive})?)")


# Letters and digits, with the accents that may stand after a letter as code points of their own.
_LETTER = r"[^\W_]"
_CUT = _cut_by(_LETTER, rf"(?:[\u0300-\u036f]+{_LETTER}*)*", r"[-\u2010\u2011]", r"['\u2019\u02bc]")
_CUT_ASCII = _cut_by("[A-Za-z0-9]", "", "-", "'")


WordFacts = Callable[[str], Hashable]
"""Takes a word of ASCII letters alone, in small letters, and gives what an answer for it goes by
beside its shape (`shape_of`), its length up to 4, and whether it begins with a capital.

Most new words are alike in all facts with others that were met, and have their answers.
"""


class WordProperty:
    """A question about a word, asked once for each different word and not at each of its places.

    A rule makes one for each set of words that it begins with, when it is imported, and looks its
    places up with `CasedWords.where`.

    Args:
        holds: answers for a word as it is written. No word longer than `LONGEST_WORD` is asked
            about, and of a number only how long it is: its digits are all 0.
        facts: see `WordFacts`.
    """

    __slots__ = ("bit",)

    def __init__(self, holds: Callable[[str], bool], facts: WordFacts | None = None) -> None:
        """Questions are few, and last as long as the program."""
        self.bit = bit = _VOCABULARY.ask()
        _VOCABULARY.answer_by(lambda word: bit if holds(word) else 0, facts)

    @classmethod
    def one_of(cls, words: Iterable[str]) -> WordProperty:
        """Whether `plain` writes a word as one of these."""
        made = cls.__new__(cls)
        made.bit = _VOCABULARY.ask()
        listed = _VOCABULARY.listed
        listed.update({word: listed.get(word, 0) | made.bit for word in words})
        return made


class WordKind(Generic[K]):
    """What several questions about words go by, found out once for each word.

    Args:
        of: tells the kind of a word, see `WordProperty`; there are few kinds.
        facts: see `WordFacts`.
    """

    def __init__(self, of: Callable[[str], K], facts: WordFacts | None = None) -> None:
        """Without questions."""
        self._of = of
        self._asked: list[tuple[int, Callable[[K], bool]]] = []
        self._known: dict[K, int] = {}
        _VOCABULARY.answer_by(self._answer, facts)

    def property(self, holds: Callable[[K], bool]) -> WordProperty:
        """A question that is answered for a kind of words."""
        made = WordProperty.__new__(WordProperty)
        made.bit = _VOCABULARY.ask()
        self._asked.append((made.bit, holds))
        self._known.clear()
        return made

    def _answer(self, word: str) -> int:
        kind = self._of(word)
        bits = self._known.get(kind)
        if bits is None:
            bits = self._known[kind] = sum(bit for bit, holds in self._asked if holds(kind))
        return bits


Answers = npt.NDArray[np.uint64]
"""What is known of words, an element each, a bit for each question."""


class _Vocabulary:
    """What is known of the different words of the last texts, a row each.

    Attributes:
        listed: word as `plain` writes it -> the questions that lists answer.
    """

    def __init__(self) -> None:
        self.listed: dict[str, int] = {}
        # They give the bits of the other questions that hold for a word: those without facts, and
        # those with them.
        self._asked: list[Callable[[str], int]] = []
        self._asked_by_facts: list[Callable[[str], int]] = []
        self._facts: list[WordFacts] = []
        self._questions = 0
        self._lock = ForkSafeLock(after_fork=self.clear)
        self.clear()

    def clear(self) -> None:
        """Forgets all words."""
        native = extension()
        # The rows of words: in the extension, or here.
        self._words = native.open_vocabulary(LONGEST_WORD) if native else None
        self._rows: dict[str, int] = {}
        self._count = 0
        self._shapes = np.zeros(1024, np.uint8)
        self._answers: Answers = np.zeros(1024, np.uint64)
        # Facts of words of letters -> the bits that go by them.
        self._known: dict[Hashable, int] = {}

    def answer_by(self, answer: Callable[[str], int], facts: WordFacts | None) -> None:
        """Gives the bits of questions; see `WordFacts`."""
        if facts is None:
            self._asked.append(answer)
        else:
            self._asked_by_facts.append(answer)
            self._facts.append(facts)

    def ask(self) -> int:
        """The bit of a new question."""
        if self._questions == 64:
            raise OverflowError("no more than 64 properties of words")
        self._questions += 1
        self.clear()
        words.clear()
        return 1 << self._questions - 1

    def words_of(self, text: str) -> _CutWords:
        """The words of a text; threads wait for each other."""
        with self._lock:
            try:
                cut = self._cut_natively(text) if self._words else self._cut(text)
                return _CutWords(
                    cut.starts, cut.ends, cut.heads, self._shapes[cut.rows], self._answers[cut.rows]
                )
            except BaseException:
                # Some words may have a row here and not there.
                self.clear()
                raise

    def _cut_natively(self, text: str) -> _WordRows:
        codes = code_points(text)
        classes = _ASCII if text.isascii() else _classes()
        native = extension()
        assert native is not None
        had, *columns = native.cut_words(self._words, KNOWN_WORDS, classes, codes)
        starts, ends, rows, heads, fresh = (np.frombuffer(c, np.int64) for c in columns)
        self._count = had
        for word in _sliced(text, starts[fresh], ends[fresh]):
            self._learn(word.translate(_ZEROS))
        return _WordRows(starts, ends, heads, rows)

    def _cut(self, text: str) -> _WordRows:
        """What `_cut_natively` does, many times slower."""
        cut = _CUT_ASCII if text.isascii() else _CUT
        reached = list(itertools.accumulate(len(part) for part in cut.split(text)))
        starts, ends = (np.array(at, np.int64) for at in (reached[:-1:3], reached[1::3]))
        if len(self._rows) > KNOWN_WORDS:
            self.clear()
        kinds = [word.translate(_ZEROS) for word in _sliced(text, starts, ends)]
        for kind in kinds:
            if kind not in self._rows:
                self._rows[kind] = self._count
                self._learn(kind)
        rows = np.array([self._rows[kind] for kind in kinds], np.int64)
        heads = [
            i
            for i, start in enumerate(starts.tolist())
            if _APART.search(text, max(0, start - 2), start)
        ]
        return _WordRows(starts, ends, np.array(heads, np.int64), rows)

    def _learn(self, word: str) -> None:
        """The next row."""
        row = self._count
        if row >= len(self._shapes):
            self._answers = np.concatenate((self._answers, np.zeros_like(self._answers)))
            self._shapes = np.concatenate((self._shapes, np.zeros_like(self._shapes)))
        self._answers[row], self._shapes[row] = self._answered(word)
        self._count += 1

    def _answered(self, word: str) -> tuple[int, int]:
        """The bits that hold for a word, and its shape."""
        shape, low = shape_of(word), plain(word)
        bits = self.listed.get(low, 0)
        if not word:
            return bits, shape
        for answer in self._asked:
            bits |= answer(word)
        if not (word.isascii() and word.isalpha()):
            return bits | self._by_facts(word), shape
        written = shape, min(len(word), 4), word[0].isupper()
        key = written, *[facts(low) for facts in self._facts]
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._by_facts(word)
        return bits | known, shape

    def _by_facts(self, word: str) -> int:
        bits = 0
        for answer in self._asked_by_facts:
            bits |= answer(word)
        return bits


class _WordRows(NamedTuple):
    """The words of a text, as in `CasedWords`, and their rows."""

    starts: Ints
    ends: Ints
    heads: Ints
    rows: Ints


class _CutWords(NamedTuple):
    """The words of a text, as in `CasedWords`."""

    starts: Ints
    ends: Ints
    heads: Ints
    shapes: npt.NDArray[np.uint8]
    answers: Answers


_ZEROS = str.maketrans("123456789", "0" * 9)
# What stands before a word that may begin a line, up to the word.
_APART_MARK = r"\t\r\n*>|#\-_~\u2013\u2014"
_APART = re.compile(rf"(?:\A|[{_APART_MARK}]|[ {_APART_MARK}] |\A )\Z")


_VOCABULARY = _Vocabulary()


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class CasedWords:
    """The words of one text in order, a row each.

    Attributes:
        text: the text that they were found in.
        starts: offset of the first code point of each.
        ends: offset one past the last; a possessive 's is left outside and is no word itself.
        shapes: `LOWER`, `INITIAL`, `CAPITALISED`, `UPPER` or `OTHER` of each.
        heads: indices of those that may begin a line, a column or an item: all but those that
            stand behind a single blank, a bracket or the like.
        batch: the texts that it is one of.
        index: which of them.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    shapes: bytes
    heads: Sequence[int]
    batch: WordBatch
    index: int

    @lazy
    def texts(self) -> Sequence[str]:
        """The words themselves; "" for one longer than `LONGEST_WORD`."""
        return _sliced(self.text, self.starts, self.ends)

    @lazy
    def plains(self) -> Sequence[str]:
        """The words as `plain` writes them."""
        if self.text.isascii():
            # Most texts: all words in small letters at once.
            return _sliced(self.text.lower(), self.starts, self.ends)
        return list(map(plain, self.texts))

    def __len__(self) -> int:
        return len(self.starts)

    def written(self, *shapes: int) -> list[int]:
        """Indices of the words of the given shapes, in order."""
        return [match.start() for match in re.finditer(b"[%b]" % bytes(shapes), self.shapes)]

    def where(
        self, wanted: WordProperty, behind: WordProperty | None = None, *, head: bool = False
    ) -> Sequence[int]:
        """Indices of the words that have a property, in order.

        Args:
            wanted: the property.
            behind: what the word before it must have besides.
            head: whether the word, or the one before if that is asked about, must be a head.
        """
        asked = WordQuestion(wanted.bit, behind.bit if behind else 0, head)
        return self.batch.where(asked).get(self.index, [])

    def among(self, wanted: Container[str]) -> list[int]:
        """Indices of the words that `plain` writes as one of these, in order."""
        return [index for index, word in enumerate(self.plains) if word in wanted]

    def between(self, index: int) -> str:
        """What stands between a word and the next, at most 80 code points of it.

        Before the first word with -1, behind the last one to the end of the text.
        """
        start = self.ends[index] if index >= 0 else 0
        end = self.starts[index + 1] if index + 1 < len(self.starts) else len(self.text)
        return self.text[start : min(end, start + 80)]

    def at(self, offset: int) -> int:
        """Index of the first word that starts at or behind an offset (`len` if there is none)."""
        return bisect_left(self.starts, offset)


def _sliced(text: str, starts: Sequence[int] | Ints, ends: Sequence[int] | Ints) -> list[str]:
    native = extension()
    if native is None:
        return [
            text[s:e] if e - s <= LONGEST_WORD else "" for s, e in zip(starts, ends, strict=True)
        ]
    pieces: list[str] = native.slices(text, starts, ends, LONGEST_WORD)
    return pieces


class WordBatch:
    """The words of some texts, cut and looked up at once."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Texts of which there is no more to say are ""."""
        self._texts = texts
        self._found: dict[WordQuestion, Mapping[int, Sequence[int]]] = {}
        lengths = [len(text) + len(_BETWEEN) for text in texts]
        self._starts = [0, *itertools.accumulate(lengths)]

    @lazy
    def _words(self) -> _CutWords:
        return _VOCABULARY.words_of(_BETWEEN.join(self._texts))

    @lazy
    def _bounds(self) -> Ints:
        """Row pointers of texts into their words."""
        return np.searchsorted(self._words.starts, np.array(self._starts, np.int64))

    @lazy
    def _bounds_of_texts(self) -> list[tuple[int, int, int, int]]:
        """Of each text: its row pointers into the words, and into the heads."""
        bounds = self._bounds
        heads = np.searchsorted(self._words.heads, bounds)
        columns = (bounds[:-1], bounds[1:], heads[:-1], heads[1:])
        return list(zip(*(column.tolist() for column in columns), strict=True))

    @lazy
    def _is_head(self) -> npt.NDArray[np.bool_]:
        return self._marked(self._words.heads)

    @lazy
    def _is_first(self) -> npt.NDArray[np.bool_]:
        """Whether a word is the first one of a text: the word before it is of another."""
        return self._marked(self._bounds[:-1])[:-1]

    def _marked(self, rows: Ints) -> npt.NDArray[np.bool_]:
        # The row of the first word of texts without words at the end is behind all.
        marked = np.zeros(len(self._words.starts) + 1, np.bool_)
        marked[rows] = True
        return marked

    @lazy
    def _holds(self) -> int:
        return int(np.bitwise_or.reduce(self._words.answers))

    def where(self, asked: WordQuestion) -> Mapping[int, Sequence[int]]:
        """By text, without those that have none: indices of the words that are asked for."""
        found = self._found.get(asked)
        if found is None:
            found = self._found[asked] = self._look_up(asked)
        return found

    def _look_up(self, asked: WordQuestion) -> Mapping[int, Sequence[int]]:
        wanted, behind, head = asked
        if not self._holds & wanted or (behind and not self._holds & behind):
            return {}
        words, bounds = self._words, self._bounds
        found = (words.answers & np.uint64(wanted)).nonzero()[0]
        if behind:
            found = found[~self._is_first[found]]
            found = found[(words.answers[found - 1] & np.uint64(behind)) != 0]
        if head:
            found = found[self._is_head[found - (behind > 0)]]
        ends = np.searchsorted(found, bounds)
        texts = (ends[1:] > ends[:-1]).nonzero()[0]
        return {
            text: (found[ends[text] : ends[text + 1]] - bounds[text]).tolist()
            for text in texts.tolist()
        }

    def of(self, index: int) -> CasedWords:
        """The words of one text."""
        first, end, low, high = self._bounds_of_texts[index]
        start, all_words = self._starts[index], self._words
        return CasedWords(
            self._texts[index],
            (all_words.starts[first:end] - start).data,
            (all_words.ends[first:end] - start).data,
            all_words.shapes[first:end].tobytes(),
            (all_words.heads[low:high] - first).tolist(),
            self,
            index,
        )


_BETWEEN = "\n\0\n"
"""What stands between two texts: no part of a word, and a word behind it is a head."""

words: Latest[CasedWords] = Latest(lambda text: WordBatch([text]).of(0))
"""The words of a text, in one pass over it; those of the last text are kept."""

TOO_LONG = WordProperty.one_of([""])
"""Whether a word is longer than `LONGEST_WORD`; no other question is asked about it."""


# As in models/native/vocabulary.h.
_LETTER_OR_DIGIT, _HYPHEN, _APOSTROPHE, _ACCENT, _LAYOUT, _BLANK = (1 << at for at in range(6))


@functools.cache
def _classes() -> npt.NDArray[np.uint8]:
    """What each code point can be."""
    return _classes_of(trait_table() & IS_ALNUM != 0)


def _classes_of(alphanumeric: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint8]:
    classes, end = alphanumeric.astype(np.uint8), len(alphanumeric)
    classes[0x300:0x370] = _ACCENT
    for marks, name in (
        ("-\u2010\u2011", _HYPHEN),
        ("'\u2019", _APOSTROPHE),
        (" \t\r\n*>|#-_~\u2013\u2014", _LAYOUT),
        (" ", _BLANK),
    ):
        classes[[ord(mark) for mark in marks if ord(mark) < end]] |= name
    return classes


_ASCII = _classes_of(np.array([chr(code).isalnum() for code in range(128)]))
