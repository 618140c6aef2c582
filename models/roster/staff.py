"""Staff, known everywhere: keyed hashes of pairs of name words, and where a text names one.

Staff are found by full name in either order, and by title and surname; never by a bare surname,
for the surnames of a large staff are 42 % of all words. The index holds no name: eight bytes of
HMAC-SHA256 a pair, sorted, under a subkey of the roster.
"""

from __future__ import annotations

import hmac
import itertools
import re
import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from ..core.keys import Keys
from .folding import FoldedView, fold, occurrences, spellings
from .known import NAME_ATTRIBUTES, KnownValue, PersonKind
from .matcher import STAFF_LABEL, RosterCandidate, RosterClass
from .names import FAMILY, GIVEN, split_name
from .word_lists import STAFF_TITLES, particles, words

HASH_BYTES = 8

_BY_TITLE, _BY_ITSELF = "\0title", "\0word"
_CREDENTIALS = frozenset(("do", "pa", "np", "md", "rn"))
_MOST_KEPT = 1 << 16
_MOST_WORDS = 4
"""Words of a full name, from the first to the one that completes the pair."""

_CAPITALISED_ASCII = re.compile(r"[A-Z][A-Za-z]*")
_CAPITALISED = re.compile(r"[^\W\d_a-z][^\W\d_]*")
_ANY = re.compile(r"[^\W\d_]+")
_GAP = re.compile(
    r"(?:[-'\u2019]|(?:\s?,)?\s{1,3}|,|\.\s{0,2})"
    r"(?:(?:[a-z]{1,3}|[A-Z]\.?|[A-Z][a-z]+)[ '\u2019]){0,2}"
)
_MOST_GAP = 16
_BEFORE = tuple(sorted(STAFF_TITLES - _CREDENTIALS))
_BEHIND_TITLE = re.compile(r"\.?\s{1,2}")
_CREDENTIAL = re.compile(r"\s?,?\s(?:M\.?D|D\.?O|R\.?N|N\.?P|P\.?A|Ph\.?D)(?![A-Za-z])")


_NameWord = tuple[int, int, str]
"""Start and end in the text, and the folded word."""


class StaffHash:
    """Hashes of pairs of folded words under the roster's subkey. Shows nothing of itself."""

    __slots__ = ("_key",)

    def __init__(self, keys: Keys) -> None:
        self._key = keys.roster[64:96]

    def __repr__(self) -> str:
        return "StaffHash()"

    def __reduce__(self) -> str:
        raise TypeError("keys cannot be pickled: open them where they are used")

    def pair(self, one: str, other: str) -> int:
        """The hash of two words of a name, the same in either order."""
        pair = (one, other) if one <= other else (other, one)
        fields = (word.encode("utf-8", "surrogatepass") for word in pair)
        framed = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
        return int.from_bytes(hmac.digest(self._key, framed, "sha256")[:HASH_BYTES], "big")

    def title(self, surname: str) -> int:
        """The hash of a surname behind a title."""
        return self.pair(_BY_TITLE, surname)

    def word(self, word: str) -> int:
        """The hash of a word that is in some name: what is in none is asked no further."""
        return self.pair(_BY_ITSELF, word)


def staff_hashes(known: Iterable[KnownValue], hashes: StaffHash) -> set[int]:
    """The hashes of one person of the staff."""
    parts: dict[int, set[str]] = {GIVEN: set(), FAMILY: set(), GIVEN | FAMILY: set()}
    for value in known:
        if value.kind is not PersonKind.STAFF or value.attribute not in NAME_ATTRIBUTES:
            continue
        for spelling in spellings(value.value):
            for group, part in split_name(value.attribute, spelling):
                spelt = {w for w in (*group, "".join(group)) if len(w) > 1}
                parts[part] |= {w for w in spelt if w not in particles() or len(group) == 1}
    between = parts[GIVEN | FAMILY]
    given, family = parts[GIVEN], parts[FAMILY]
    pairs = itertools.chain(
        itertools.product(given, family | between), itertools.product(between, family)
    )
    found = {hashes.pair(*pair) for pair in pairs}
    found |= {hashes.word(word) for spelt in parts.values() for word in spelt}
    return found | {hashes.title(word) for word in family or between}


class StaffIndex:
    """Finds staff in texts of any patient.

    Args:
        content: sorted hashes, little-endian; may be a memory map that processes share.
        hashes: under the same key.
    """

    __slots__ = ("_folded", "_hashes", "_sorted")

    def __init__(self, content: bytes | memoryview, hashes: StaffHash) -> None:
        self._sorted: Sequence[int] = memoryview(content).cast("Q")
        if sys.byteorder == "big":
            swapped = array("Q", bytes(content))
            swapped.byteswap()
            self._sorted = swapped
        self._hashes = hashes
        self._folded: dict[str, str] = {}

    def __repr__(self) -> str:
        return f"StaffIndex({len(self._sorted)} hashes)"

    def __len__(self) -> int:
        return len(self._sorted)

    def candidates(self, text: str) -> list[RosterCandidate]:
        """The staff that a text names, in order and disjoint; linear in the text."""
        if not len(self._sorted):
            return []
        view = FoldedView.of(text)
        words_of = self._name_words(view)
        spans = sorted({*self._full_names(view.text, words_of), *self._by_title(view, words_of)})
        merged: list[tuple[int, int]] = []
        for start, end in spans:
            if merged and start < merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return [
            RosterCandidate(start, end, STAFF_LABEL, PersonKind.STAFF, RosterClass.STAFF)
            for start, end in merged
        ]

    def _has(self, value: int) -> bool:
        at = bisect_left(self._sorted, value)
        return at < len(self._sorted) and self._sorted[at] == value

    def _name_word(self, written: str) -> str:
        """The folded word if it is in some name, else ""; remembered, for words recur."""
        known = self._folded.get(written)
        if known is None:
            if len(self._folded) >= _MOST_KEPT:
                self._folded.clear()
            known = fold(written)
            if len(known) < 2 or not self._has(self._hashes.word(known)):
                known = ""
            self._folded[written] = known
        return known

    def _is_surname(self, word: str) -> bool:
        return self._has(self._hashes.title(word))

    def _name_words(self, view: FoldedView) -> list[_NameWord]:
        """Words of names in a text: capitalised ones; of a text in small letters all."""
        text, known = view.text, self._name_word
        pattern = _CAPITALISED_ASCII if text.isascii() else _CAPITALISED
        if pattern.search(text) is None:
            pattern = _ANY
        found = [
            (m.start(), m.end(), word) for m in pattern.finditer(text) if (word := known(m[0]))
        ]
        return [word for word in found if not word[0] or not text[word[0] - 1].isalnum()]

    def _full_names(self, text: str, found: Sequence[_NameWord]) -> Iterator[tuple[int, int]]:
        """Yields stretches that begin and end with the words of a full name."""
        is_small = bool(found) and text[found[0][0]].islower()
        for at, (start, end, word) in enumerate(found):
            is_word = is_small and word in words()
            reach = end
            for other_start, other_end, other in found[at + 1 : at + _MOST_WORDS]:
                gap = text[reach:other_start]
                if len(gap) > _MOST_GAP or not _GAP.fullmatch(gap):
                    break
                reach = other_end
                # In small letters two words of lists are a sentence.
                if is_word and other in words():
                    continue
                if self._has(self._hashes.pair(word, other)):
                    yield start, other_end

    def _by_title(self, view: FoldedView, found: Sequence[_NameWord]) -> Iterator[tuple[int, int]]:
        """Yields stretches behind a title, or before a credential, that end with a surname."""
        for title in _BEFORE:
            for start, end in occurrences(view.folded, title):
                if behind := _BEHIND_TITLE.match(view.text, view.span(start, end)[1]):
                    yield from self._behind_title(view.text, behind.end())
        text = view.text
        for start, end, surname in found:
            if _CREDENTIAL.match(text, end) and self._is_surname(surname):
                yield start, end

    def _behind_title(self, text: str, start: int) -> Iterator[tuple[int, int]]:
        reach = start
        for _ in range(3):
            word = _ANY.match(text, reach)
            if word is None:
                return
            spelt = self._name_word(word[0])
            if spelt and self._is_surname(spelt):
                yield start, word.end()
            gap = _GAP.match(text, word.end())
            if gap is None:
                return
            reach = gap.end()
