"""Staff, known everywhere: keyed hashes of pairs of name words, and where a text names one.

Staff are found by full name in either order, and by title and surname; never by a bare surname,
for the surnames of a large staff are 42 % of all words. The index holds no name: eight bytes of
HMAC-SHA256 a pair, sorted, under a subkey of the roster.
"""

from __future__ import annotations

import hmac
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ..core.keys import Keys
from .folding import FoldedView, spellings
from .known import NAME_ATTRIBUTES, KnownValue, PersonKind
from .matcher import STAFF_LABEL, RosterCandidate, RosterClass
from .names import FAMILY, GIVEN, split_name
from .word_lists import STAFF_TITLES, particles, words

HASH_BYTES = 8

_BY_TITLE = "\0title"
_MOST_KEPT = 1 << 16
_MOST_WORDS = 4
"""Words of a full name, from the first to the one that completes the pair."""

_CAPITALISED = re.compile(r"(?<![^\W_])[^\W\d_a-z][^\W\d_]*")
_ANY = re.compile(r"(?<![^\W_])[^\W\d_]+")
_GAP = re.compile(
    r"(?:[-'\u2019]|(?:\s?,)?\s{1,3}|,|\.\s{0,2})(?:(?:[a-z]{1,3}|[A-Za-z]\.)[ '\u2019]){0,3}"
)
_MOST_GAP = 16
_TITLE = re.compile(
    r"(?<![^\W_])(?:" + "|".join(sorted(STAFF_TITLES - {"do", "pa", "np", "md", "rn"})) + r")\.?\s",
    re.IGNORECASE,
)
_CREDENTIAL = re.compile(r"\s?,?\s(?:M\.?D|D\.?O|R\.?N|N\.?P|P\.?A(?:-C)?|Ph\.?D)\b")


class StaffHash:
    """Hashes of pairs of folded words under the roster's subkey. Shows nothing of itself."""

    __slots__ = ("_key", "_known")

    def __init__(self, keys: Keys) -> None:
        self._key = keys.roster[64:96]
        self._known: dict[tuple[str, str], int] = {}

    def __repr__(self) -> str:
        return "StaffHash()"

    def __reduce__(self) -> str:
        raise TypeError("keys cannot be pickled: open them where they are used")

    def pair(self, one: str, other: str) -> int:
        """The hash of two words of a name, the same in either order."""
        pair = (one, other) if one <= other else (other, one)
        if (known := self._known.get(pair)) is not None:
            return known
        fields = (word.encode("utf-8", "surrogatepass") for word in pair)
        framed = b"".join(len(field).to_bytes(4, "big") + field for field in fields)
        found = int.from_bytes(hmac.digest(self._key, framed, "sha256")[:HASH_BYTES], "big")
        if len(self._known) >= _MOST_KEPT:
            self._known.clear()
        self._known[pair] = found
        return found

    def title(self, surname: str) -> int:
        """The hash of a surname behind a title."""
        return self.pair(_BY_TITLE, surname)


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
    return found | {hashes.title(word) for word in family or between}


class StaffIndex:
    """Finds staff in texts of any patient.

    Args:
        content: sorted hashes, big-endian; may be a memory map that processes share.
        hashes: under the same key.
    """

    __slots__ = ("_hashes", "_sorted")

    def __init__(self, content: bytes | memoryview, hashes: StaffHash) -> None:
        self._sorted: npt.NDArray[np.uint64] = np.frombuffer(content, ">u8")
        self._hashes = hashes

    def __repr__(self) -> str:
        return f"StaffIndex({len(self._sorted)} hashes)"

    def __len__(self) -> int:
        return len(self._sorted)

    def candidates(self, text: str) -> list[RosterCandidate]:
        """The staff that a text names, in order and disjoint; linear in the text."""
        if not len(self._sorted):
            return []
        view = FoldedView.of(text)
        asked = [*self._full_names(view), *self._by_title(view)]
        if not asked:
            return []
        values = np.array([value for _, _, value in asked], np.uint64)
        at = np.searchsorted(self._sorted, values)
        at[at == len(self._sorted)] = 0
        hits = self._sorted[at] == values
        spans = sorted((s, e) for (s, e, _), hit in zip(asked, hits.tolist(), strict=True) if hit)
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

    def _full_names(self, view: FoldedView) -> Iterator[tuple[int, int, int]]:
        """Yields stretches of the text with the hash of their first and last word."""
        found = _name_words(view.text)
        text = view.text
        is_small = bool(found) and text[found[0][0]].islower()
        for at, (start, end, word) in enumerate(found):
            is_word = is_small and word in words()
            reach = end
            for other_start, other_end, other in found[at + 1 : at + _MOST_WORDS]:
                gap = text[reach:other_start]
                if len(gap) > _MOST_GAP or not _GAP.fullmatch(gap):
                    break
                # In small letters two words of lists are a sentence.
                if len(word) > 1 and len(other) > 1 and not (is_word and other in words()):
                    yield start, other_end, self._hashes.pair(word, other)
                reach = other_end

    def _by_title(self, view: FoldedView) -> Iterator[tuple[int, int, int]]:
        """Yields stretches behind a title, or before a credential, with the hash of a surname."""
        text = view.text
        for match in _TITLE.finditer(text):
            start = reach = match.end()
            for _ in range(3):
                word = _ANY.match(text, reach)
                if word is None:
                    break
                yield start, word.end(), self._hashes.title(_fold_word(word[0]))
                gap = _GAP.match(text, word.end())
                if gap is None:
                    break
                reach = gap.end()
        for match in _CREDENTIAL.finditer(text):
            start = match.start()
            while start > 0 and match.start() - start < 40 and text[start - 1].isalpha():
                start -= 1
            if start < match.start():
                word_text = _fold_word(text[start : match.start()])
                yield start, match.start(), self._hashes.title(word_text)


def _name_words(text: str) -> Sequence[tuple[int, int, str]]:
    """Capitalised words; all of a text in small letters."""
    pattern = _CAPITALISED if _CAPITALISED.search(text) else _ANY
    return [(m.start(), m.end(), _fold_word(m[0])) for m in pattern.finditer(text)]


def _fold_word(word: str) -> str:
    return FoldedView.of(word).folded
