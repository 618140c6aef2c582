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
from ..core.known_values import NAME_ATTRIBUTES, STAFF_LABEL, KnownValue, PersonKind
from .folding import FoldedView, fold, occurrences, spellings, split_words
from .matcher import RosterCandidate, RosterClass
from .names import FAMILY, GIVEN, split_name
from .word_lists import STAFF_TITLES, particles, words

HASH_BYTES = 8

_BY_TITLE, _BY_ITSELF = "\0title", "\0word"
_CREDENTIALS = frozenset(("do", "pa", "np", "md", "rn"))
_MOST_KEPT = 1 << 16
_MOST_WORDS = 4
"""Words of a full name, from the first to the one that completes the pair."""

_ANY = re.compile(r"[^\W\d_]+")
_GAP = re.compile(
    r"(?:[-'\u2019]|(?:\s?,)?\s{1,3}|,|\.\s{0,2})"
    r"(?:(?:[a-z]{1,3}|[A-Z]\.?|[A-Z][a-z]+)[ '\u2019-]){0,2}"
)
_MOST_GAP = 24
_BEFORE = STAFF_TITLES - _CREDENTIALS
_TITLES_WRITTEN = frozenset(
    written for title in _BEFORE for written in (title, title.upper(), title.title())
)
_NEAR = 40
_BEHIND_TITLE = re.compile(r"\.?\s{1,2}")
_CREDENTIAL = re.compile(r"(?:M\.?D|D\.?O|R\.?N|N\.?P|P\.?A|Ph\.?D)(?![A-Za-z])")
_BEHIND = frozenset(("MD", "DO", "RN", "NP", "PA", "PhD", "M", "D", "R", "N", "P", "Ph"))
_SURNAME = re.compile(r"(?<![^\W_])([^\W\d_]{2,39})\s?,?\s$")


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

    def candidates(self, text: str, view: FoldedView | None = None) -> list[RosterCandidate]:
        """The staff that a text names, in order and disjoint; linear in the text.

        Args:
            text: any.
            view: it folded, if it is at hand.
        """
        if not len(self._sorted):
            return []
        view = view or FoldedView.of(text)
        if len(self._folded) >= _MOST_KEPT:
            self._folded = {}  # another one: threads are at texts that need what is in this
        folded = self._folded
        order = split_words(text)
        written = set(order)
        spans = sorted(
            {
                *self._full_names(view, order, written, folded),
                *self._by_title(view, written, folded),
                *self._by_credential(text, written, folded),
            }
        )
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

    def _name_word(self, written: str, folded: dict[str, str]) -> str:
        """The folded word if it is in some name, else ""; remembered, for words recur."""
        known = folded.get(written)
        if known is None:
            known = fold(written)
            if len(known) < 2 or not self._has(self._hashes.word(known)):
                known = ""
            folded[written] = known
        return known

    def _is_surname(self, word: str) -> bool:
        return self._has(self._hashes.title(word))

    def _full_names(
        self, view: FoldedView, order: list[str], written: set[str], folded: dict[str, str]
    ) -> Iterator[tuple[int, int]]:
        """Yields stretches that begin and end with the words of a full name.

        First all words are looked at in their order; where they stand is asked of those few that
        are a name together.
        """
        text, known = view.text, folded.get
        is_small = text == view.folded if text.isascii() else text == text.lower()
        for word in written.difference(folded):
            self._name_word(word, folded)
        hits = [
            at
            for at, word in enumerate(map(known, order))
            if word and (is_small or not order[at][0].islower())
        ]
        pairs = {
            (order[at], order[behind])
            for step in range(1, _MOST_WORDS)
            for at, behind in zip(hits, hits[step:], strict=False)
            if behind - at < _MOST_WORDS
        }
        named = {
            (one, other)
            for one, other in pairs
            if self._is_full(folded[one], folded[other], is_small)
        }
        if named:
            spelt = {word for pair in named for word in pair}
            found = sorted((s, e, word) for word in spelt for s, e in occurrences(text, word))
            for at, (start, end, word) in enumerate(found):
                for other_start, other_end, other in found[at + 1 : at + _MOST_WORDS]:
                    gap = text[end:other_start]
                    if len(gap) > _MOST_GAP or not _GAP.fullmatch(gap):
                        break
                    if (word, other) in named:
                        yield start, other_end

    def _is_full(self, one: str, other: str, is_small: bool) -> bool:
        """Whether two folded words are a name; in small letters two words of lists are none."""
        if is_small and one in words() and other in words():
            return False
        return self._has(self._hashes.pair(one, other))

    def _by_title(
        self, view: FoldedView, written: set[str], folded: dict[str, str]
    ) -> Iterator[tuple[int, int]]:
        """Yields stretches behind a title that end with a surname."""
        for title in _BEFORE & {word.lower() for word in written & _TITLES_WRITTEN}:
            for start, end in occurrences(view.folded, title):
                if behind := _BEHIND_TITLE.match(view.text, view.span(start, end)[1]):
                    yield from self._behind_title(view.text, behind.end(), folded)

    def _by_credential(
        self, text: str, written: set[str], folded: dict[str, str]
    ) -> Iterator[tuple[int, int]]:
        """Yields surnames before a credential."""
        for credential in _BEHIND & written:
            for at, _ in occurrences(text, credential):
                before = _SURNAME.search(text, max(0, at - _NEAR), at)
                if before and _CREDENTIAL.match(text, at):
                    spelt = self._name_word(before[1], folded)
                    if spelt and self._is_surname(spelt):
                        yield before.span(1)

    def _behind_title(
        self, text: str, start: int, folded: dict[str, str]
    ) -> Iterator[tuple[int, int]]:
        reach = start
        for _ in range(3):
            word = _ANY.match(text, reach)
            if word is None:
                return
            spelt = self._name_word(word[0], folded)
            if spelt and self._is_surname(spelt):
                yield start, word.end()
            gap = _GAP.match(text, word.end())
            if gap is None:
                return
            reach = gap.end()
