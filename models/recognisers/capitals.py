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
from bisect import bisect_left

LOWER, INITIAL, CAPITALISED, UPPER, OTHER = range(5)
"""How a word is written: `smith`; `J` (one capital, nothing else); `Smith`, `McDonald`, `O'Brien`,
`Smith-jones` (a capital, then a small letter or an apostrophe); `SMITH`, `O'BRIEN` (two capitals or
more, no small letter); anything else: with a digit, `mRNA`, `BPs`, a script without cases."""

LONGEST_WORD = 40
"""Code points; longer words are OTHER, so that no rule copies or looks up what is no word."""

# Letters and digits, with the accents that may stand after a letter as code points of their own.
# An apostrophe or hyphen joins two such pieces; the possessive 's is outside the word. Each
# repetition ends where a class of characters ends that the next piece cannot begin with: no
# backtracking, so linear in any text.
_PIECE = r"(?:[^\W_][\u0300-\u036f]*)+"
_WORD = re.compile(
    rf"({_PIECE}(?:(?:[-\u2010\u2011](?=[^\W_])|['’ʼ](?![sS](?![^\W_]))(?=[^\W_])){_PIECE})*)"
    r"(?:['’ʼ][sS](?![^\W_]))?"
)


@dataclasses.dataclass(frozen=True, slots=True, eq=False, repr=False)
class Words:
    """The words of one text in order, a row each.

    Attributes:
        text: the text that they were found in.
        starts: offset of the first code point of each.
        ends: offset one past the last; a possessive 's is left outside and is no word itself.
        texts: the words themselves; "" for one longer than `LONGEST_WORD`.
        shapes: `LOWER`, `INITIAL`, `CAPITALISED`, `UPPER` or `OTHER` of each.
    """

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    texts: tuple[str, ...]
    shapes: bytes

    def __len__(self) -> int:
        return len(self.starts)

    def written(self, *shapes: int) -> list[int]:
        """Indices of the words of the given shapes, in order."""
        wanted = frozenset(shapes)
        return [index for index, shape in enumerate(self.shapes) if shape in wanted]

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
    spans = [match.span(1) for match in _WORD.finditer(text)]
    texts = tuple(text[start:end] if end - start <= LONGEST_WORD else "" for start, end in spans)
    return Words(
        text,
        tuple(start for start, _ in spans),
        tuple(end for _, end in spans),
        texts,
        bytes(map(shape_of, texts)),
    )


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
