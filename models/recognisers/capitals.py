"""The words of a document with their offsets and how they are written, found in one linear scan.

Rules that look for names need to know which words are capitalised, in texts of any script, where
patterns on the view of `matching` see `?`. Several rules ask for the words of the same document in
turn, so those of the last one are kept, as its view is. No list is read here: what a word means is
its rule's business.

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
import re
import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, chain

LOWER, INITIAL, CAPITALISED, UPPER, OTHER = range(5)
"""How a word is written: `smith`; `J` (one capital, nothing else); `Smith`, `McDonald`, `O'Brien`,
`Smith-jones` (a capital, then a small letter or an apostrophe); `SMITH`, `O'BRIEN` (two capitals or
more, no small letter); anything else: with a digit, `mRNA`, `BPs`, a script without cases."""

LONGEST_WORD = 40
"""Code points; longer words are OTHER, so that no rule copies or looks up what is no word."""

KNOWN_WORDS = 65_536
"""How many words, the last ones used, are remembered from document to document by what asks for
their properties: a word occurs often, what it is never changes."""


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
# Most texts are ASCII, where simpler classes do, at twice the speed.
_LETTER = r"[^\W_]"
_CUT = _cut_by(_LETTER, rf"(?:[\u0300-\u036f]+{_LETTER}*)*", r"[-\u2010\u2011]", r"['\u2019\u02bc]")
_CUT_ASCII = _cut_by("[A-Za-z0-9]", "", "-", "'")


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Words:
    """The words of one text in order, a row each.

    Attributes:
        text: the text that they were found in.
        starts: offset of the first code point of each.
        ends: offset one past the last; a possessive 's is left outside and is no word itself.
        gaps: what stands before each, a possessive 's left out.
        texts: the words themselves; "" for one longer than `LONGEST_WORD`.
        plains: the words as `plain` writes them.
        shapes: `LOWER`, `INITIAL`, `CAPITALISED`, `UPPER` or `OTHER` of each.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]
    gaps: Sequence[str]
    texts: Sequence[str]
    plains: Sequence[str]
    shapes: bytes

    def __len__(self) -> int:
        return len(self.starts)

    def written(self, *shapes: int) -> list[int]:
        """Indices of the words of the given shapes, in order."""
        return [match.start() for match in re.finditer(b"[%b]" % bytes(shapes), self.shapes)]

    def where(self, wanted: Iterable[str]) -> list[int]:
        """Indices of the words that `plain` writes as one of these, in order.

        Takes the time of the document's different words and of what it gives, not of its length.
        """
        at = places(self)
        cues = wanted if isinstance(wanted, frozenset) else frozenset(wanted)
        hits = cues.intersection(_different(self))
        return sorted(chain.from_iterable(map(at.__getitem__, hits)))

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


@functools.lru_cache(maxsize=1)
def words(text: str) -> Words:
    """The words of a text, in one pass over it; those of the last text are kept."""
    plainly = text.isascii()
    parts = (_CUT_ASCII if plainly else _CUT).split(text)
    reached = list(accumulate(map(len, parts)))
    # What is behind the last word is the last part.
    texts = parts[1::3]
    if max(map(len, texts), default=0) > LONGEST_WORD:
        texts = [word if len(word) <= LONGEST_WORD else "" for word in texts]
    # In ASCII `plain` is `lower`, which is one call for all words.
    lower = "\0".join(texts).lower().split("\0") if plainly and texts else map(plain, texts)
    return Words(
        text,
        reached[:-1:3],
        reached[1::3],
        parts[:-1:3],
        texts,
        list(lower),
        bytes(map(shape_of, texts)),
    )


@functools.lru_cache(maxsize=1)
def places(found: Words) -> Mapping[str, list[int]]:
    """Word as `plain` writes it -> where it stands, in order; that of the last text is kept."""
    at: defaultdict[str, list[int]] = defaultdict(list)
    for index, word in enumerate(found.plains):
        at[word].append(index)
    return at


@functools.lru_cache(maxsize=1)
def _different(found: Words) -> frozenset[str]:
    return frozenset(places(found))


@functools.lru_cache(KNOWN_WORDS)
def shape_of(word: str) -> int:
    """How one word is written; OTHER for "" too."""
    if not word or any(map(str.isdecimal, word)):
        return OTHER
    if word.islower():
        return LOWER
    if not word[0].isupper():
        return OTHER
    if word.isupper():
        return INITIAL if len(word) == 1 else UPPER
    return CAPITALISED if not word[1].isupper() else OTHER


_TYPOGRAPHIC = str.maketrans("’ʼ‐‑łŁøØđĐıæÆ", "''--lLoOdDiaA")


@functools.lru_cache(KNOWN_WORDS)
def plain(word: str) -> str:
    """A word in small letters, without accents, with ASCII apostrophes and hyphens."""
    if word.isascii():
        return word.lower()
    parts = unicodedata.normalize("NFD", word.translate(_TYPOGRAPHIC))
    return "".join(c for c in parts if not unicodedata.combining(c)).lower()


def plain_all(listed: Iterable[str]) -> list[str]:
    """What `plain` makes of the phrases of a list, in any order, without line ends in them.

    One call for all that are ASCII, and none of them is kept, as words of texts are.
    """
    phrases = list(listed)
    simple = [phrase for phrase in phrases if phrase.isascii()]
    others = [plain.__wrapped__(phrase) for phrase in phrases if not phrase.isascii()]
    return ("\n".join(simple).lower().split("\n") if simple else []) + others
