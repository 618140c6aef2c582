"""Short dates: month and day ("3/14"), month and year ("03/2012", "10/82"), a day ("on the 28th").

Clinical text is full of numbers that look like them: strength `5/5`, murmurs `2/6`, pain `8/10`,
half a tablet, the durations of British notes (`3/7`, three days). What tells them apart is that a
score does not exceed its maximum: 11/3 is a date wherever no machine or drug is named; 3/11 is one
with a word for it ("on", "through", "RTC"), a leading zero, a day above 12, or beside a date of the
same weeks in the same document; and neither is one beside a word or unit of measurement.

Day first, as most of the world writes, counts behind a word that leaves no doubt ("on 23/5"), with
a zero ("29/08"), behind a weekday, and in a document whose full dates have the day first; there
`18/12` and `28/7` may be 18 months and 28 days, and stand at the head of a line or cell. "The 2nd
inst." is a day. A day alone counts behind such a word too, unless a noun follows ("on the 4th
finger").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...dictionaries import phrase_set
from ..core.documents import Context, Document
from ..core.spans import Candidate
from .datewords import UNITS, is_day, is_piece, with_weekday
from .patterns import after, before, disjoint, is_word, pattern, previous_word, view

NAME = "date_short"
LABELS = ("DATE",)
# 95 of 96 right: english_clinical_sample 17/17, demo/train 77/78, asq_phi 1/1.
# `python -m benchmarks.rules --scores`
SCORE = 0.9796

_TWO = pattern(r"(\d{1,2})([-/])(\d{4}|\d{1,2})")
_CUES = phrase_set("date_short_cues_en")
# Words that a cue may be, but that stand before scores and durations too: only with what is no
# usual denominator.
_WEAK_CUES = phrase_set("date_short_weak_cues_en")
_DENOMINATORS = frozenset((2, 3, 4, 5, 6, 7, 8, 9, 10, 12))
_RARE_DENOMINATORS = frozenset((1, 7, 8, 9, 11, 12))
_SENTENCE_END = re.compile(r"(?<=[\w)]{3})[.;] |(?<=\)[.;]) |; |\) ")
_DOSED_TO = re.compile(r"\b(?:daily|bid|tid|qid|qd|qhs|hs|prior|back|moved|postponed) to ?$")
_NO_DATE_LEFT = phrase_set("date_short_no_date_after_en")
_NO_DATE_RIGHT = re.compile(
    r" ?(?:strength|pain|murmur|sem\b|systolic|diastolic|tabs?\b|tablets?|pills?|caps?\b|capsules?"
    r"|cups?\b|ppd|pack|%|mg|mcg|ml|cc\b|units?\b|meq|mm\b|cm\b|in\b|inch|oz\b|tsp|tbsp|amp|dose"
    r"|of the|of an?\b|thirds?|power|pulses|motor|points?|criteria|turn\b|way\b|rate\b|steps?\b"
    r"|trials?\b|teeth|gpc|gnr|bott|bottles|blood cultures|positive|pos\b|neg|full|hours?|hrs?"
    r"|days?\b(?! \d)|weeks?|wks?|months?|years?|lb|kg|hpf|lpf|nodes|joints|hx\b|history|ago\b"
    r"|course|mile|gallon|pint|liter|l\b|r\b|bilat|throughout|intensity|severity|scale|x\b"
    r"|normal saline|ns\b|nss|strain|holosystolic|at rest|rest\b|with activity|at (?:its )?(?:worst"
    r"|best)|in severity|on (?:a|the) (?:pain|scale|visual|right|left)|(?:sys|crescendo|ejection"
    r"|sternal|sev(?:ere|\b)))"
)
_LIST_LINKS = (
    *(b", ", b" and ", b" & ", b", and ", b" to ", b",", b" through ", b" thru "),
    *(b" or ", b" - ", b"-", b"; ", b" / "),
)
_RANGE_AHEAD = re.compile(r" ?(?:-|to|through|thru|and) ?(\d{1,2})/(\d{1,2})(/\d{2,4})?(?![\d/])")
_RANGE_BEHIND = re.compile(r"(\d{1,2})/(\d{1,2})(/\d{2,4})? ?(?:-|to|thru|through) ?$")
_TIME_BEHIND = re.compile(
    r" {1,2}(?:@|at)? ?(?:(?:[01]?\d|2[0-3]):[0-5]\d|(?:[01]\d|2[0-3])[0-5]\d)(?![\d/.])"
    r"| {1,2}(?:@|at)? ?1?\d ?[ap]\.?m\b| (?:am|pm|noon|noc|eve|evening|morning)\b"
)
_YEAR_CUES = phrase_set("date_short_year_cues_en")
_DRUGS = re.compile(r"\d(?:mg|mcg)?/$|\b(?:on|takes?|taking)\s$")
# "500mg 8/24": every eight hours.
_DOSED = re.compile(
    r"\d ?(?:mg|mcg|g|ml|iu|units?|puffs?|tabs?)(?: (?:p\.?o|i\.?v|i\.?m|s\.?c|p\.?r)\.?)? $"
)
_HOURS = frozenset((4, 6, 8, 12))
_BIRTH = re.compile(r"(?:dob|birth|born|b\.)\W{0,4}(?:date\W{0,3})?$")
_DATED = pattern(
    r"(\d{1,2})[/-](\d{1,2})[/-](?:(?:19|20)\d{2}|\d{2})"
    r"|\b(?:19|20)\d{2}-?([01]\d)-?([0-3]\d)"
)
_MONTH_WORD = pattern(
    r"\b(?:\d{1,2}(?:st|nd|rd|th)?[ -]?(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.? \d{1,2}\b)"
)
_MONTH_WORDS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


_THE_DAY = pattern(
    r"\b(?:on|by|until|till|since|through|thru|before|after|from|for|due|scheduled|between|to) the"
    r" ([12]?\d(?:st|nd|rd|th)|3(?:0th|1st))\b"
)
_DAY_ENDS = re.compile(
    r" ?(?:[,;.)?!]|$|\r)|-|/| (?:at|for|with|and (?:the )?(?!\d)|to|through|thru|because|but|when"
    r"|he|she|they|we|so|if|or the|of (?:this|last|next|the) month)\b"
)


# "the 2nd inst.", as letters said it: of this month, the last and the next.
_INSTANT = pattern(r"\b([12]?\d(?:st|nd|rd|th)|3(?:0th|1st)) (?:inst|ult|prox)\b")
_ALL_FIGURES = pattern(
    r"\b(\d{1,2})(?:/(\d{1,2})/|-(\d{1,2})-|\.(\d{1,2})\.)(?:(?:19|20)\d{2}|\d{2})\b"
)
# Tables of skin tests: wheal and flare in mm, "Kentucky blue 8/30".
_WHEALS = pattern(r"\b(?:wheals?\b|w/f in mm\b|skin[- ]prick|prick tests?\b|histamine \d)")
_DURATIONS = frozenset((7, 12, 24))
_HEAD_OF_CELL = re.compile(r"(?:^|[\n\r|]|\t| {3}|: ) ?$")
_WEEKDAY_BEHIND = re.compile(
    r"\b(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?:[a-z]{0,5}day)?[.,]? $"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one DATE per date, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [*_short_dates(text, seen), *_days(text, seen)]
    yield from disjoint(
        Candidate(with_weekday(seen, start), end, "DATE", NAME, SCORE) for start, end in found
    )


def _days(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    """Days of the month alone: "on the 28th", "from the 19th through the 23rd"."""
    for match in _THE_DAY.finditer(seen):
        start, end = match.span(1)
        whole = not is_word(text, match.start() - 1) and not is_word(text, end)
        if whole and _DAY_ENDS.match(after(seen, end, 24)):
            yield start, end
    for match in _INSTANT.finditer(seen):
        yield match.span(1)


def _short_dates(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    months: frozenset[int] | None = None
    day_first: bool | None = None
    wheals: bool | None = None
    # Where the last date ended, and its month and day: the next of a list comes soon after it.
    reach, latest = -1, (0, 0)
    for match in _TWO.finditer(seen):
        start, end = match.span()
        first, separator, second = match.groups()
        slash = separator == b"/"
        if (
            not 1 <= int(first) <= 31
            or is_piece(text, start, end, "./,:" if slash else "./,:-")
            or is_word(text, end)
            or (is_word(text, start - 1) and not _glued(seen, start))
        ):
            continue
        if start and text[start - 1] in ">+<~=$^" or end < len(text) and text[end] in "%+":
            continue
        left, right = before(seen, start), after(seen, end, 24)
        if len(second) == 4:
            valid = 1 <= int(first) <= 12 and b"1900" <= second <= b"2099"
            if valid and not UNITS.match(right) and (slash or previous_word(left) in _YEAR_CUES):
                yield start, end
            continue
        if not slash or _NO_DATE_RIGHT.match(right):
            continue
        if int(second) > 31:
            if _is_month_and_year(int(first), int(second), left, right):
                yield start, end
            continue
        if day_first is None:
            day_first = _writes_day_first(seen)
        if int(first) > 12 and is_day(int(second), int(first)):
            if _is_day_and_month(second, left, right, day_first):
                yield start, end
            continue
        if months is None:
            months = _months_of(seen, day_first)
        soon = latest < (int(first), int(second)) and int(first) <= latest[0] + 1
        follows = soon and 0 <= reach <= start and seen[reach:start] in _LIST_LINKS
        near = int(second if day_first else first) in months
        # A date only if the document has others of these weeks.
        dated = near or abs(latest[0] - int(first)) < 2
        if not dated and second == b"24" and int(first) in _HOURS and _DOSED.search(left):
            continue
        if wheals is None:
            wheals = any(_WHEALS.finditer(seen))
        if wheals and previous_word(left) not in _CUES and not _TIME_BEHIND.match(right):
            continue
        if _is_month_and_day(first, second, left, right, follows, near):
            yield start, end
            reach, latest = end, (int(first), int(second))


def _glued(seen: bytes, start: int) -> bool:
    """Whether one of the words that typists glue to a date stands before it: "since2/10"."""
    left = before(seen, start, 8)
    return left.endswith(("since", "from", "until", "through", "started", "on", "to")) and not (
        left[-3:-2].isalpha() and left.endswith(("on", "to"))
    )


def _months_of(seen: bytes, day_first: bool) -> frozenset[int]:
    """The months about which a document writes: those of its dates, birthdays aside, +- 1."""
    found: set[int] = set()
    for match in _DATED.finditer(seen):
        month = int(match.group(1) or match.group(3) or b"0")
        day = int(match.group(2) or match.group(4) or b"0")
        if day_first and match.group(1):
            month, day = day, month
        if is_day(month, day) and not _BIRTH.search(before(seen, match.start(), 20)):
            found.add(month)
    for match in _MONTH_WORD.finditer(seen):
        if not _BIRTH.search(before(seen, match.start(), 20)):
            name = (match.group(1) or match.group(2) or b"").decode().lower()
            found.add(_MONTH_WORDS.index(name) + 1)
    return frozenset((m + by - 1) % 12 + 1 for m in found for by in (-1, 0, 1))


def _is_month_and_year(month: int, year: int, left: str, right: str) -> bool:
    """Whether "10/82" is October 1982; blood pressures and strengths of drugs are not."""
    return (
        1 <= month <= 12
        # "Review in 1/52": a week, as British notes count.
        and year != 52
        and (previous_word(left) in _YEAR_CUES or (year > 64 and year % 5 != 0))
        and not UNITS.match(right)
        and _NO_DATE_LEFT.isdisjoint(left.split()[-3:])
        and not _DRUGS.search(left)
    )


def _writes_day_first(seen: bytes) -> bool:
    """Whether the full dates of a document have the day before the month."""
    found = []
    for match in _ALL_FIGURES.finditer(seen):
        one, other = (int(group) for group in match.groups() if group is not None)
        found.append((one, other))
    first = any(is_day(b, a) and a > 12 for a, b in found)
    return first and not any(is_day(a, b) and b > 12 for a, b in found)


def _is_day_and_month(month: bytes, left: str, right: str, day_first: bool) -> bool:
    """Whether "21/3" is the 21st of March."""
    word = previous_word(left)
    if (word in _CUES and word not in _WEAK_CUES) or _WEEKDAY_BEHIND.search(left):
        return True
    beside = [part.strip(".,:;()[]\"'") for part in _SENTENCE_END.split(left)[-1].split()[-2:]]
    if not _NO_DATE_LEFT.isdisjoint(beside) or left.rstrip().endswith((">", "=", "~", "±")):
        return False
    if month[:1] == b"0":
        return True
    if not day_first:
        return False
    if int(month) in _DURATIONS:
        return bool(_HEAD_OF_CELL.search(left) or _TIME_BEHIND.match(right))
    return True


def _is_month_and_day(
    first: bytes, second: bytes, left: str, right: str, follows: bool, near: bool
) -> bool:
    month, day = int(first), int(second)
    word = previous_word(left)
    cue = word in _CUES or left.endswith(("since", "from", "until", "through", "started"))
    if not is_day(month, day):
        return False
    if follows or _WEEKDAY_BEHIND.search(left):
        return True
    sentence = _SENTENCE_END.split(left)[-1]
    beside = [part.strip(".,:;()[]\"'") for part in sentence.replace("-> ", "").split()[-2:]]
    if not _NO_DATE_LEFT.isdisjoint(beside) or left.rstrip().endswith(("->", ">", "=", "~", "±")):
        return False
    if _TIME_BEHIND.match(right):
        return True
    if word == "by" and month <= day <= 4:
        return False
    if month > day or day > 12 or first[:1] == b"0" or second[:1] == b"0":
        return True
    if cue and (word not in _WEAK_CUES or day not in _DENOMINATORS):
        return True
    if near and (cue or day in _RARE_DENOMINATORS or not left.strip()):
        return word != "to" or _DOSED_TO.search(left) is not None
    ends = [_RANGE_AHEAD.match(right), _RANGE_BEHIND.search(left)]
    return any(
        end
        and (end[3] or int(end[2]) > 12 or int(end[1]) > int(end[2]))
        and is_day(int(end[1]), int(end[2]))
        for end in ends
    )
