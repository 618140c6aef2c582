"""A table from phrases to tree numbers, and how it is packed.

Inside an xz stream, in UTF-8, one line for each set of tree numbers: the numbers joined by ";",
then all phrases that have just these, each behind a tab. A phrase is its case-folded fine tokens
joined by blanks. Lines, numbers and phrases are sorted, and no phrase occurs twice.
"""

from __future__ import annotations

import collections
import itertools
import re
from collections.abc import Iterable, Mapping, Sequence

from ..core.errors import BundleError
from ..core.packing import compressed, decompressed
from ..features.tree import DEEPEST

MOST_TOKENS = 16
"""Fine tokens of a phrase; longer ones are not in the table."""

NUMBER = re.compile(r"[A-Z][0-9]{2}(?:\.[0-9]{3})*")
"""A tree number as it is published."""

_DEEP_NUMBER = re.compile(rf"[A-Z][0-9]{{2}}(?:\.[0-9]{{3}}){{0,{DEEPEST - 1}}}")
PHRASE = re.compile(r"[^\s\0\ud800-\udfff]+(?: [^\s\0\ud800-\udfff]+)*")
"""A phrase as the table has it."""

_WHAT = "packed table of tree numbers"
_MOST_BYTES = 1 << 24
_MOSTPHRASES = 1_000_000


class PhraseTable:
    """Finds phrases, leftmost-longest, in case-folded tokens. For threads too.

    Attributes:
        numbers: phrase -> its tree numbers, sorted, joined by ";".
    """

    def __init__(self, numbers: Mapping[str, str]) -> None:
        """Prepares the search.

        Args:
            numbers: of phrases of at most `MOST_TOKENS` tokens.
        """
        self.numbers = numbers
        sizes: dict[str, set[int]] = collections.defaultdict(set)
        for phrase in numbers:
            sizes[phrase.partition(" ")[0]].add(phrase.count(" ") + 1)
        self._sizes = {word: tuple(sorted(own, reverse=True)) for word, own in sizes.items()}

    def places(self, words: Sequence[str]) -> list[str]:
        """For each word the numbers of the phrase that it is in, or "".

        Costs at most `MOST_TOKENS` look-ups a word.
        """
        found = [""] * len(words)
        row = 0
        while row < len(words):
            step = 1
            for size in self._sizes.get(words[row], ()):
                numbers = self.numbers.get(" ".join(words[row : row + size]))
                if numbers is not None and row + size <= len(words):
                    found[row : row + size] = [numbers] * size
                    step = size
                    break
            row += step
        return found


def joined_numbers(numbers: Iterable[str]) -> str:
    """Tree numbers, cut at `DEEPEST` components, each once, sorted and joined by ";"."""
    return ";".join(sorted({".".join(number.split(".")[:DEEPEST]) for number in numbers}))


def pack_trees(numbers: Mapping[str, str]) -> bytes:
    """The packed form; the same table and version of liblzma give the same bytes.

    Args:
        numbers: phrase -> `joined_numbers`.
    """
    phrases: dict[str, list[str]] = collections.defaultdict(list)
    for phrase, own in sorted(numbers.items()):
        phrases[own].append(phrase)
    lines = ("\t".join((own, *phrases[own])) + "\n" for own in sorted(phrases))
    return compressed("".join(lines).encode())


def unpack_trees(data: bytes) -> dict[str, str]:
    """The table that `pack_trees` packed, fully checked.

    Raises:
        BundleError: if it is damaged, or larger than any such table may be.
    """
    try:
        lines = decompressed(data, _WHAT, _MOST_BYTES).decode().split("\n")
    except UnicodeDecodeError:
        raise BundleError(f"the {_WHAT} is not UTF-8") from None
    if lines.pop() or not lines:
        raise BundleError(f"the {_WHAT} must not be empty, and must end with a line break")
    table: dict[str, str] = {}
    before = ""
    for place, line in enumerate(lines, 1):
        numbers, *phrases = line.split("\t")
        problem = _problem(before, numbers, phrases, table)
        if problem:
            raise BundleError(f"{_WHAT}, line {place}: {problem}")
        table.update(dict.fromkeys(phrases, numbers))
        before = numbers
    if len(table) > _MOSTPHRASES:
        raise BundleError(f"the {_WHAT} has more than {_MOSTPHRASES:,} phrases")
    return table


def _problem(
    before: str, numbers: str, phrases: Sequence[str], known: Mapping[str, str]
) -> str | None:
    own = numbers.split(";")
    if not all(map(_DEEP_NUMBER.fullmatch, own)) or not _rise(own) or numbers <= before:
        return "expected sorted tree numbers, of at most 11 levels, in an order of their own"
    if not phrases or not all(map(PHRASE.fullmatch, phrases)) or not _rise(phrases):
        return "expected sorted phrases behind tabs, of words and single blanks"
    if any(phrase.count(" ") >= MOST_TOKENS for phrase in phrases):
        return f"a phrase has more than {MOST_TOKENS} words"
    if any(phrase in known for phrase in phrases):
        return "a phrase occurs twice"
    return None


def _rise(strings: Sequence[str]) -> bool:
    return all(one < other for one, other in itertools.pairwise(strings))
