"""Phrases of a policy's lists, found in texts: whole words, whatever their case and line breaks.

Text and phrase are folded, then cut alike: a word is a run of letters and digits with the marks
that combine with them, a run of white space is one blank, any other character stands alone with its
marks. Folded is case, in Unicode's canonical caseless manner (The Unicode Standard, section 3.13,
D145), and beyond it what only typography tells apart: every apostrophe is ', a dot over an i is
none (İ is i), soft hyphens and characters of no width are not there. So "Mount  SINAI" over two
lines is the phrase "Mount Sinai", and "Sinais" is not; "Sinai_2" holds the phrase "Sinai".
"""

from __future__ import annotations

import functools
import os
import re
import sys
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from ...dictionaries import DICTIONARIES, LONGEST_PHRASE, DictionaryError, load, parse
from ...dictionaries.files import NotARegularFile, read_named
from ..core.errors import UsageError
from ..core.resources import require_keys, require_strings
from ..core.shortage import raise_shortage

Occurrence = tuple[int, int, str]
"""Start, end, label."""

_BLANK = " "
_PLAIN_PIECE = re.compile(r"[A-Za-z0-9]++|\s++|.", re.DOTALL)
"""What an ASCII text is cut into, as by `_piece`."""

# U+02BC, which Unicode calls a letter; quotes and accents that people type for an apostrophe.
_APOSTROPHES = "\u02bc\u2018\u2019\u201b\uff07\u00b4`"
# Soft hyphen, joiners, marks of direction, variation selectors, byte-order mark.
_UNSEEN = (
    "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff"
)
_DROPPED = re.compile(f"[{_UNSEEN}]+")
_DOTS = re.compile("i\u0307+")
_ALIKE = str.maketrans(dict.fromkeys(_APOSTROPHES, "'"))


def fold(phrase: str) -> str:
    """The form in which phrases are compared and kept: case-folded, blanks for white space."""
    return _BLANK.join(_fold_piece(phrase).split())


def _fold_piece(piece: str) -> str:
    folded = unicodedata.normalize("NFD", _DROPPED.sub("", piece)).casefold()
    return unicodedata.normalize("NFC", _DOTS.sub("i", folded).translate(_ALIKE))


@functools.cache
def _piece() -> re.Pattern[str]:
    """Cuts a text so that its folded pieces, put together, are the folded text.

    No character composes with one of another piece: what may is a mark, or a letter after a letter.
    """
    marks = "".join(
        chr(code)
        for code in range(sys.maxunicode + 1)
        if code < 0x20000 or 0xE0000 <= code < 0xF0000  # no others are assigned but ideographs
        if unicodedata.category(chr(code)).startswith("M")
    )
    within_word = f"[{_UNSEEN}{marks}]"
    return re.compile(rf"(?:[^\W_\u02bc]++|{within_word}++)++|\s++|.{within_word}*+", re.DOTALL)


def has_word(phrase: str) -> bool:
    """Whether there is a letter or digit in it: a list of punctuation is a mistake."""
    return any(character.isalnum() for character in phrase)


class PhraseMatcher:
    """Finds the phrases of several labels at once.

    Built once, never changed, so that threads may share it. One dict a distinct beginning of a
    phrase; a text costs one look-up a word, and at a word that begins a phrase at most as many more
    as the longest phrase that begins with it has words.

    >>> matcher = PhraseMatcher({"HOSPITAL": ["4 west", "4 west annex"], "STUDY": ["west 7"]})
    >>> matcher.find("4  WEST annex, 4 West 7")
    [(0, 13, 'HOSPITAL'), (15, 21, 'HOSPITAL'), (17, 23, 'STUDY')]
    """

    __slots__ = ("_children", "_labels", "_roots")

    def __init__(self, phrases: Mapping[str, Iterable[str]]) -> None:
        """Builds the matcher from label -> phrases as `fold` gives them; their order is all one."""
        self._children: list[dict[str, int] | None] = [{}]
        self._labels: list[tuple[str, ...]] = [()]
        for label in sorted(phrases):
            for phrase in phrases[label]:
                self._add(phrase, label)
        self._roots = self._children[0] or {}

    def _add(self, phrase: str, label: str) -> None:
        node, before = 0, ""
        for piece in _piece().findall(phrase):
            if piece == _BLANK:
                before = _BLANK
                continue
            children = self._children[node]
            if children is None:
                children = self._children[node] = {}
            # The blank before a word is part of its key: half as many nodes.
            following = children.setdefault(before + piece, len(self._children))
            if following == len(self._children):
                self._children.append(None)
                self._labels.append(())
            node, before = following, ""
        if label not in self._labels[node]:
            self._labels[node] = (*self._labels[node], label)

    def find(self, text: str) -> list[Occurrence]:
        """All occurrences, by start and label; of those of one start and label the longest.

        They may overlap: in "New York Hospital" both "New York" and "York Hospital" are found.
        """
        roots = self._roots
        cut = _cut(text)
        pieces = cut.pieces
        begins = [at for at, piece in enumerate(pieces) if piece in roots]
        if not begins:
            return []
        starts, ends = cut.offsets()
        found: list[Occurrence] = []
        for at in begins:
            longest = self._from(pieces, at)
            found += [(starts[at], ends[longest[label] - 1], label) for label in sorted(longest)]
        return found

    def _from(self, pieces: list[str], at: int) -> dict[str, int]:
        """Label -> one past the last piece of its longest phrase that begins at a piece."""
        longest: dict[str, int] = {}
        node, size = self._roots[pieces[at]], len(pieces)
        while True:
            at += 1
            for label in self._labels[node]:
                longest[label] = at
            children = self._children[node]
            if children is None or at == size:
                return longest
            key = pieces[at]
            if key.isspace():
                at += 1
                if at == size:
                    return longest
                key = _BLANK + pieces[at]
            following = children.get(key)
            if following is None:
                return longest
            node = following


class _FoldedText(NamedTuple):
    """A text cut into folded pieces.

    Attributes:
        pieces: of the folded text.
        raw: of the text itself.
        folded: what each of `raw` folds to; None if that is `pieces`, one for one.
    """

    pieces: list[str]
    raw: list[str]
    folded: list[str] | None

    def offsets(self) -> tuple[Sequence[int], Sequence[int]]:
        """Where each piece starts and ends in the text itself: folding may change lengths."""
        raw = [0, *accumulate(map(len, self.raw))]
        if self.folded is None:
            return raw, raw[1:]
        folded = [0, *accumulate(map(len, self.folded))]
        bounds = [0, *accumulate(map(len, self.pieces))]
        starts = [raw[bisect_right(folded, at) - 1] for at in bounds[:-1]]
        ends = [raw[bisect_left(folded, at)] for at in bounds[1:]]
        return starts, ends


def _cut(text: str) -> _FoldedText:
    text = text.replace("`", "'")  # the one of `_APOSTROPHES` that is ASCII
    if text.isascii():
        pieces = _PLAIN_PIECE.findall(text.lower())
        return _FoldedText(pieces, pieces, None)
    cut = _piece().findall
    raw = cut(text)
    foreign = {piece: _fold_piece(piece) for piece in set(raw) if not piece.isascii()}
    folded = [foreign[piece] if piece in foreign else piece.lower() for piece in raw]
    # Few letters fold to an apostrophe and a letter, few pieces to nothing: neighbours may change.
    if all(cut(piece) == [piece] for piece in foreign.values()):
        return _FoldedText(folded, raw, None)
    return _FoldedText(cut("".join(folded)), raw, folded)


def within(occurrences: Iterable[Occurrence]) -> Callable[[str, int, int], bool]:
    """A function that says whether [start, end) lies wholly within an occurrence of a label.

    O(log n) a question.
    """
    starts: dict[str, list[int]] = {}
    reach: dict[str, list[int]] = {}
    for start, end, label in sorted(occurrences):
        ends = reach.setdefault(label, [])
        starts.setdefault(label, []).append(start)
        ends.append(max(end, ends[-1]) if ends else end)

    def holds(label: str, start: int, end: int) -> bool:
        if label not in starts:
            return False
        at = bisect_right(starts[label], start)
        # Among those that begin at or before it, one that reaches its end.
        return at > 0 and reach[label][at - 1] >= end

    return holds


_MOST_BYTES = 1 << 26
"""Of a list, unpacked: a million phrases. What is larger is another file."""


def read_phrases(where: str, value: object, folder: str) -> frozenset[str]:
    """The phrases that a value in a policy file means, folded.

    Args:
        where: the place in the file, for messages.
        value: a list of phrases; or a text that names a list: a shipped dictionary, a path or an
            fsspec URL (see `dictionaries.parse` for what is in it); or a table with `phrases` and
            `lists`, for several.
        folder: of the policy file, with its slash: relative paths begin there.

    Raises:
        UsageError: for anything else, a list that cannot be read, a phrase that is too long or has
            no letter or digit. No phrase and no URL is in the message.
    """
    if isinstance(value, str):
        value = {"lists": [value]}
    elif not isinstance(value, dict):
        value = {"phrases": value}
    table = require_keys(where, value, ("phrases", "lists"))
    phrases = require_strings(where, table.get("phrases", []))
    for number, name in enumerate(require_strings(where, table.get("lists", [])), 1):
        phrases += _list(where, number, name, folder)
    folded = frozenset(map(fold, phrases))
    if not all(map(has_word, folded)) or any(len(phrase) > LONGEST_PHRASE for phrase in phrases):
        raise UsageError(
            f"{where}: every phrase needs a letter or digit, and at most {LONGEST_PHRASE} "
            "characters"
        )
    return folded


def folder_of(name_or_url: str) -> str:
    """The folder of a file by its path or URL, with its slash; "" if there is none."""
    return name_or_url[: max(name_or_url.rfind("/"), name_or_url.rfind("\\")) + 1]


def named_from(folder: str, name: str) -> str:
    """What a path or URL in a file means: relative paths begin at the folder of the file."""
    return name if os.path.isabs(name) or "://" in name else folder + name


def _list(where: str, number: int, name: str, folder: str) -> tuple[str, ...]:
    if name in DICTIONARIES:
        return load(name).phrases
    try:
        content = read_named(named_from(folder, name), _MOST_BYTES + 1, unpack=True)
    except NotARegularFile as error:
        raise UsageError(f"{where}: list {number} cannot be read: {error.strerror}") from None
    except Exception as error:  # storage libraries raise whatever they like, and quote the URL
        raise_shortage(error)
        raise UsageError(
            f"{where}: list {number} cannot be read ({type(error).__name__}); a text names a list, "
            "shipped or by path or URL, and phrases stand in brackets"
        ) from None
    if len(content) > _MOST_BYTES:
        raise UsageError(f"{where}: list {number} is over {_MOST_BYTES} bytes")
    try:
        return parse(str(number), content).phrases
    except DictionaryError as error:
        raise UsageError(f"{where}: {error}") from None


@functools.lru_cache(maxsize=16)
def _matcher_of(key: str, phrases: tuple[tuple[str, frozenset[str]], ...]) -> PhraseMatcher:
    for label, some in phrases:
        if any(phrase != fold(phrase) or not has_word(phrase) for phrase in some):
            raise UsageError(
                f"policy: [{key}] {label}: phrases must be folded and have a letter or digit"
            )
    return PhraseMatcher(dict(phrases))


def matcher_of_lists(key: str, phrases: Mapping[str, frozenset[str]]) -> PhraseMatcher | None:
    """Checks and indexes; note types mostly share the lists of their policy, and so the index."""
    if not any(phrases.values()):
        return None
    return _matcher_of(key, tuple(sorted(phrases.items(), key=lambda item: item[0])))


def matches_pattern(pattern: str, name: str) -> bool:
    """Whether a name is of a pattern, in which each `*` stands for any characters. Linear."""
    first, *middle, last = pattern.split("*")
    if len(name) < len(first) + len(last) or not name.startswith(first):
        return False
    at, end = len(first), len(name) - len(last)
    for piece in middle:
        found = name.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return name.endswith(last)
