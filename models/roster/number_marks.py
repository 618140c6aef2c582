"""Where a text writes a known number or address, whatever separates its parts."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

import numpy as np

from .folding import WORD, FoldedView, occurrences
from .normal import LOCAL_DIGITS, Street
from .word_lists import street_suffixes, unit_words, words

_DIGITS = re.compile(r"\d+")
_HYPHEN = frozenset("-")
_ID_GAPS = frozenset(" -./\\#_:\n\r\t'")
_PHONE_GAPS = frozenset(" -./()\n\r\t+_")
_MOST_ID_GAP, _MOST_PHONE_GAP = 2, 4
_MOST_CODE = 5
"""Digits of `00` and the code of a country."""

_SHORT_ID = 6
"""Shorter ids of digits alone are written with hyphens at most: `120/80` is no id."""

_BEFORE_PHONE = re.compile(r"(?:\+?(?<!\d)(?:00)?\d{1,3}[ .-]?)?\(?$")
_MOST_BETWEEN = 4
"""Words between the parts of a street line: directions, `no`, `apt`."""

_CONNECTING = frozenset(
    ("n", "s", "e", "w", "ne", "nw", "se", "sw", "north", "south", "east", "west", "no", "nr")
) | frozenset(("num", "numero", "calle", "c"))


@dataclasses.dataclass(slots=True)
class _Collapsed:
    """The letters and digits of a folded text, or the digits alone, without what is between.

    Attributes:
        folded: the folded text.
        text: what is left of it.
        digits: whether letters are left out, too.
    """

    folded: str
    text: str
    digits: bool
    _positions: list[int] | None = None

    @property
    def positions(self) -> list[int]:
        """Where in the folded text each character stands; made when something was found."""
        if self._positions is None:
            keep = str.isdecimal if self.digits else str.isalnum
            if self.folded.isascii():  # six times as fast
                kept = _DIGIT_BYTES if self.digits else _ALNUM_BYTES
                written = np.frombuffer(self.folded.encode(), np.uint8)
                self._positions = np.flatnonzero(kept[written]).tolist()
            else:
                self._positions = [at for at, c in enumerate(self.folded) if keep(c)]
        return self._positions

    def is_one(self, start: int, end: int, gaps: frozenset[str], most: int) -> bool:
        """Whether nothing but a few separators stands between the characters."""
        positions, folded = self.positions, self.folded
        for at in range(start, end - 1):
            between = folded[positions[at] + 1 : positions[at + 1]]
            if len(between) > most or not gaps.issuperset(between):
                return False
        return True


_DIGIT_BYTES = np.array([byte < 128 and chr(byte).isdigit() for byte in range(256)])
_ALNUM_BYTES = np.array([byte < 128 and chr(byte).isalnum() for byte in range(256)])
_NOT_DIGITS, _NOT_ALNUM = (
    np.flatnonzero(~kept).astype(np.uint8).tobytes() for kept in (_DIGIT_BYTES, _ALNUM_BYTES)
)


def _without(folded: str, dropped: bytes, kept: re.Pattern[str]) -> str:
    """What is kept of a folded text; one call where it is ASCII."""
    if folded.isascii():
        return folded.encode().translate(None, dropped).decode()
    return "".join(kept.findall(folded))


class NumberTexts:
    """A folded text as numbers are looked for in it; each form is made when it is first needed."""

    __slots__ = ("_alnum", "_digits", "folded")

    def __init__(self, folded: str) -> None:
        self.folded = folded
        self._alnum: _Collapsed | None = None
        self._digits: _Collapsed | None = None

    @property
    def alnum(self) -> _Collapsed:
        """Letters and digits."""
        if self._alnum is None:
            text = _without(self.folded, _NOT_ALNUM, WORD)
            self._alnum = _Collapsed(self.folded, text, digits=False)
        return self._alnum

    @property
    def digits(self) -> _Collapsed:
        """Digits alone."""
        if self._digits is None:
            text = _without(self.folded, _NOT_DIGITS, _DIGITS)
            self._digits = _Collapsed(self.folded, text, digits=True)
        return self._digits


def id_marks(texts: NumberTexts, form: str) -> Iterator[tuple[int, int]]:
    """Yields where an id stands, with its leading zeros: `00-123-456` for 123456.

    Letters may touch its digits (`MRN123456`), further digits may not.
    """
    collapsed = texts.alnum
    gaps = _HYPHEN if len(form) < _SHORT_ID and form.isdigit() else _ID_GAPS
    at = collapsed.text.find(form)
    while at >= 0:
        end = at + len(form)
        if collapsed.is_one(at, end, gaps, _MOST_ID_GAP):
            start = _over_zeros(collapsed, at)
            while start < at and _touches(collapsed, start - 1):  # zeros of the number before it
                start += 1
            if not _touches(collapsed, start - 1) and not _touches(collapsed, end - 1):
                yield collapsed.positions[start], collapsed.positions[end - 1] + 1
        at = collapsed.text.find(form, at + 1)


def _over_zeros(collapsed: _Collapsed, at: int) -> int:
    while (
        at
        and collapsed.text[at - 1] == "0"
        and collapsed.text[at].isdigit()
        and collapsed.is_one(at - 1, at + 1, _ID_GAPS, 1)
    ):
        at -= 1
    return at


def _touches(collapsed: _Collapsed, at: int) -> bool:
    """Whether a character and the next one touch, and are both digits or both letters."""
    text, positions = collapsed.text, collapsed.positions
    if at < 0 or at + 1 >= len(text) or positions[at + 1] != positions[at] + 1:
        return False
    return text[at].isdigit() == text[at + 1].isdigit()


def phone_marks(texts: NumberTexts, form: str) -> Iterator[tuple[int, int]]:
    """Yields where a phone number stands, with its area and country code or without."""
    collapsed, local, area = texts.digits, form[-LOCAL_DIGITS:], form[:-LOCAL_DIGITS]
    at = collapsed.text.find(local)
    while at >= 0:
        end = at + len(local)
        if collapsed.is_one(at, end, _PHONE_GAPS, _MOST_PHONE_GAP) and not _touches(
            collapsed, end - 1
        ):
            start = _with_area(collapsed, at, area)
            if start is not None:
                first = collapsed.positions[start]
                last = collapsed.positions[end - 1] + 1
                before = _BEFORE_PHONE.search(texts.folded, max(0, first - 6), first)
                begin = before.start() if before else first
                if texts.folded[begin] == "(" and ")" not in texts.folded[begin:last]:
                    begin += 1  # it closes behind the number, and stays
                yield begin, last
        at = collapsed.text.find(local, at + 1)


def _with_area(collapsed: _Collapsed, at: int, area: str) -> int | None:
    """Where the number begins; None if it is part of another one."""
    size = len(area)
    start = at - size
    if (
        area
        and start >= 0
        and collapsed.text[start:at] == area
        and collapsed.is_one(start, at + 1, _PHONE_GAPS, _MOST_PHONE_GAP)
        and (not _touches(collapsed, start - 1) or _is_before_area(collapsed, start))
    ):
        return start
    if _touches(collapsed, at - 1):
        return None
    return at  # behind another area code, too: what stands before may be no part of the number


def _is_before_area(collapsed: _Collapsed, start: int) -> bool:
    """Whether the digits that touch an area code are a 0, a 1, or the code of a country."""
    text = collapsed.text
    if text[start - 1] in "01":
        return True
    first = start
    while first and start - first <= _MOST_CODE and _touches(collapsed, first - 1):
        first -= 1
    place = collapsed.positions[first]
    abroad = text.startswith("00", first) or collapsed.folded[max(0, place - 1) : place] == "+"
    return abroad and start - first <= _MOST_CODE


_PLUS_FOUR = re.compile(r"-\d{4}(?!\d)")


def zip_marks(texts: NumberTexts, form: str) -> Iterator[tuple[int, int]]:
    """Yields where a postcode stands; of a ZIP code also the four further digits."""
    if not form.isdigit():
        yield from id_marks(texts, form)
        return
    folded = texts.folded
    for start, end in occurrences(folded, form):
        decimal = folded[start - 1 : start] == "." or re.match(r"[.,]\d", folded[end : end + 2])
        if not decimal:
            more = _PLUS_FOUR.match(folded, end)
            yield start, more.end() if more else end


def email_marks(texts: NumberTexts, form: str) -> Iterator[tuple[int, int]]:
    """Yields where an e-mail address stands, with what touches it."""
    folded, at = texts.folded, texts.folded.find(form)
    while at >= 0:
        start, end = at, at + len(form)
        while start > max(0, at - 64) and (
            folded[start - 1].isalnum() or folded[start - 1] in "._"
        ):
            start -= 1
        while end < min(len(folded), at + len(form) + 64) and folded[end].isalnum():
            end += 1
        yield start, end
        at = folded.find(form, at + len(form))


def street_marks(view: FoldedView, street: Street) -> Iterator[tuple[int, int]]:
    """Yields where a street line stands, with the kind of street and the flat behind it."""
    folded = view.folded
    if street.number not in folded or not all(word in folded for word in street.words):
        return
    for start, end in occurrences(folded, street.words[0]):
        if (name_end := _words_from(folded, end, street.words[1:])) is None:
            continue
        if street.leads:
            before = _number_before(folded, start, street.number)
            if before is not None:
                yield before, _with_suffix(folded, name_end)
        elif (after := _number_behind(folded, name_end, street.number)) is not None:
            yield start, after


def city_marks(view: FoldedView, city: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yields where a place is named; one that is also a word, where it begins with a capital."""
    is_word = len(city) == 1 and city[0] in words()
    if not all(word in view.folded for word in city):
        return
    for start, end in occurrences(view.folded, city[0]):
        stop = _words_from(view.folded, end, city[1:])
        if stop is not None and not (is_word and view.at(start).islower()):
            yield start, stop


_NEXT = re.compile(r"[\s.,'#º°/-]{0,4}([^\W_]+)")


def _words_from(folded: str, at: int, spelt: tuple[str, ...]) -> int | None:
    """Where these words end, if they follow; None if others do."""
    for word in spelt:
        match = _NEXT.match(folded, at)
        if match is None or match[1] != word:
            return None
        at = match.end()
    return at


def _number_before(folded: str, at: int, number: str) -> int | None:
    """Where the number stands that leads a street's name, over directions and the like.

    A letter may touch it: what is before it may be removed, and then it stands alone.
    """
    head = folded[max(0, at - 60) : at]
    words = list(WORD.finditer(head))
    for back, match in enumerate(reversed(words)):
        if match[0].endswith(number) and not match[0][: -len(number)][-1:].isdigit():
            return at - len(head) + match.end() - len(number)
        if back >= _MOST_BETWEEN or match[0] not in _CONNECTING:
            return None
    return None


def _number_behind(folded: str, at: int, number: str) -> int | None:
    for _ in range(_MOST_BETWEEN):
        match = _NEXT.match(folded, at)
        if match is None:
            return None
        if match[1] == number:
            return match.end()
        if match[1] not in _CONNECTING and match[1] not in street_suffixes():
            return None
        at = match.end()
    return None


def _with_suffix(folded: str, at: int) -> int:
    """The end of a street line whose name ends at an offset."""
    for _ in range(2):
        match = _NEXT.match(folded, at)
        if match is None or "\n" in folded[at : match.start(1)]:
            return at
        if match[1] not in street_suffixes() and match[1] not in _CONNECTING:
            break
        at = match.end()
    match = _NEXT.match(folded, at)
    if match is not None and match[1] in unit_words():
        flat = _NEXT.match(folded, match.end())
        if flat is not None and len(flat[1]) <= 5:
            return flat.end()
    return at
