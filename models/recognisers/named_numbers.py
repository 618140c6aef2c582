"""What the rules for numbers with a name share: words, the gap behind them, the number itself.

A rule gives the words; `named` finds `word, gap, number` on a view and decides whether the number
can be one: enough digits, no date, no year, no quantity, no diagnosis code. Which label the word
asks for is the rule's business.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Iterator

from ...dictionaries import phrase_set
from ..core.spans import Candidate
from .matching import Match, Pattern
from .number_words import names_a_number
from .patterns import after, before, disjoint, is_digit, is_word, number_is_whole, pattern

_GAP = (
    r"[ \t]{0,24}(?:(?:[]:#=.(*\"'|[]|-{1,2}|\n|no\b|n[º°]|num(?:ber|ero)?\b|nbr\b|id\b|is\b|was\b"
    r"|code\b)[ \t]{0,24}){0,6}"
)
# Capitals may stand apart from the digits ("MRN FMV 10223") or be joined to them in several pieces
# ("UCLA-T1D-2023").
_NUMBER = (
    r"((?:[a-z]{1,4} )?(?:[a-z]{1,8}[-./]){0,2}[a-z]{0,5}[-.:/]?\d[a-z0-9]{0,24}"
    r"(?:[-./][a-z0-9]{1,24}){0,5})"
)
_APART = pattern(r"[a-z]{1,4} ")
# Words before a number, which are no part of it.
_NO_PREFIX = phrase_set("named_numbers_no_prefix_en")
# Plans, licences and registers print numbers in groups ("NASS: 28 12345678 90").
_FIRST_GROUP = pattern(r"(?:[a-z]{1,4} )?[a-z]{0,3}\d{1,3}")
_FIRST_LONG_GROUP = pattern(r"(?:[a-z]{1,4} )?[a-z]{0,3}\d{1,5}|\d{8}")
_GROUPS = pattern(r"(?: \d{2,10}){1,4}\b")
# Behind four or five digits an age may stand ("MRN 44170 45 F"), but no third digit.
_LONG_GROUPS = pattern(r"(?: \d{3,10}){1,4}\b")
_DATE = pattern(
    r"(?:\d{1,2}[-./]\d{1,2}[-./](?:(?:19|20)\d{2}|\d{2})|(?:19|20)\d{2}[-./]\d{1,2}[-./]\d{1,2}(?:t\d{2})?"
    r"|\d{1,2}/\d{1,4})"
)
# "FIN 98.6"
_DECIMAL = pattern(r"\d{1,3}\.\d{1,2}")
_YEAR = pattern(r"(?:[a-z]{1,4} )?(?:19|20)\d{2}s?")
_NUMBER_SIGN = pattern(r"(?s).{0,80}(?:#|:|no\b|n[º°]|num)")
_UNIT_WORDS = (
    r"(?:mg|mcg|ug|g|gm|ml|cc|units?|iu|meq|mmol|mm|cm|kg|lbs?|k?cal|hours?|hrs?|days?|weeks?|wks?"
    r"|months?|years?|y/?o|minutes?|mins?|times|bpm|mmhg)"
)
_UNIT = pattern(rf" ?(?:{_UNIT_WORDS}(?:[^a-z]|$)|%)")
_QUANTITY = pattern(rf"\d{{1,9}}(?:[-.]\d{{1,6}})?{_UNIT_WORDS}")
# What `names_a_number` does not know, because telephone numbers stand behind it too.
_OTHER = re.compile(
    r"\b(?:visit|sn|s/n|vin|episodio|report|rpt|incident|job|form|template|stored as|encounter)"
    r"[ :.=]{0,3}$"
)
# ICD-10-CM: a letter, a digit, a digit or letter, and up to four behind a point.
_DIAGNOSIS = pattern(r"[a-z]\d[0-9a-z](?:\.[0-9a-z]{1,4})?")


@dataclasses.dataclass(frozen=True, slots=True)
class NumberPatterns:
    """Compiled patterns `word gap number`, the number in group 1.

    Attributes:
        strong: words that always have a number of their own; three digits are enough.
        weak: words also used of other things ("case 3", "Medicare 2012"): four digits, or three
            among letters, and no year, no diagnosis code.
    """

    strong: Pattern
    weak: Pattern | None


def words(strong: str, weak: str = "") -> NumberPatterns:
    """Compiles alternatives of words, in the notation of `matching.pattern`."""
    return NumberPatterns(_behind(strong), _behind(weak) if weak else None)


def _behind(alternatives: str) -> Pattern:
    return pattern(rf"\b(?:{alternatives}){_GAP}{_NUMBER}")


def named(
    text: str, seen: bytes, names: NumberPatterns, *, long_groups: bool = False
) -> Iterator[tuple[int, int, int]]:
    """Yields (start of the word, start, end of the number); strong words first, unsorted.

    Args:
        text: the document's text.
        seen: its view.
        names: words of one kind of number.
        long_groups: whether numbers of this kind are also printed in groups that begin with four or
            five digits ("4471 8890 02"); the others only go on behind one of up to three.
    """
    for found, weak in ((names.strong, False), (names.weak, True)):
        if found is None:
            continue
        for match in found.finditer(seen):
            if not is_word(text, match.start() - 1):
                span = _number(text, seen, match, weak, long_groups)
                if span:
                    yield match.start(), *span


def _number(
    text: str, seen: bytes, match: Match, weak: bool, long_groups: bool
) -> tuple[int, int] | None:
    start, end = match.span(1)
    if is_word(text, end):
        return None
    # "REPORTED 02/05/10", "ACCT 77190": the word goes on; "MRN: MBI-0011568": it is part of the
    # number.
    if is_word(text, start - 1) and not is_digit(text, start):
        return None
    if seen[start - 1] == 0x2D and is_word(text, start - 2) and not is_unnamed(seen, match.start()):
        return None
    number = seen[start:end]
    apart = _APART.match(seen, start, end)
    if apart and not _is_prefix(seen[start : apart.end() - 1]):
        return None
    end = _end_of_groups(text, seen, start, end, long_groups)
    number = seen[start:end]
    digits = count_digits(number)
    few = 4 if apart or (weak and not _is_mixed(number)) else 3
    if digits < few or any(p.fullmatch(number) for p in (_DATE, _DECIMAL, _QUANTITY)):
        return None
    # "Medicaid 2012" but "case no. 2012": a year needs a sign that a number follows.
    if _YEAR.fullmatch(number) and not _NUMBER_SIGN.match(seen[match.start() : start]):
        return None
    if weak and _DIAGNOSIS.fullmatch(number):
        return None
    if _UNIT.match(seen, end, min(len(seen), end + 12)):
        return None
    return start, end


def _end_of_groups(text: str, seen: bytes, start: int, end: int, long_groups: bool) -> int:
    number = seen[start:end]
    if _FIRST_GROUP.fullmatch(number) or (long_groups and _FIRST_LONG_GROUP.fullmatch(number)):
        groups = _GROUPS.match(seen, end, len(seen))
    elif _FIRST_LONG_GROUP.fullmatch(number):
        groups = _LONG_GROUPS.match(seen, end, len(seen))
    else:
        return end
    if not groups or not number_is_whole(text, start, groups.end()) or has_unit(seen, groups.end()):
        return end
    return groups.end()


def _is_prefix(letters: bytes) -> bool:
    return letters.isupper() and letters.decode("latin-1").lower() not in _NO_PREFIX


def has_own_prefix(number: bytes) -> bool:
    """Whether the letters apart from the digits, if any, are of the number and no word for it."""
    letters, space, _ = number.partition(b" ")
    return not space or not letters.isalpha() or _is_prefix(letters)


def _is_mixed(number: bytes) -> bool:
    """Whether letters and digits stand together in at least five characters, as in lot codes."""
    return len(number) > 4 and any(0x41 <= byte <= 0x5A for byte in number)


def count_digits(number: bytes) -> int:
    """How many ASCII digits there are."""
    return sum(0x30 <= byte <= 0x39 for byte in number)


def is_unnamed(seen: bytes, start: int) -> bool:
    """Whether no word before an offset claims the number there for a kind of its own."""
    left = before(seen, start).rstrip()
    return not left.endswith("#") and not names_a_number(f"{left} ") and not _OTHER.search(left)


def has_unit(seen: bytes, end: int) -> bool:
    """Whether a unit of measurement follows."""
    return _UNIT.match(after(seen, end, 12).encode("latin-1")) is not None


def is_capital(text: str, start: int, end: int) -> bool:
    """Whether the letters of [start, end) are capitals; patterns do not see case."""
    return text[start:end].upper() == text[start:end]


def candidates(
    spans: Iterable[tuple[int, int]], label: str, name: str, score: float
) -> list[Candidate]:
    """One candidate a span, of overlapping ones the leftmost, then the longest; sorted."""
    return disjoint(Candidate(start, end, label, name, score) for start, end in spans)
