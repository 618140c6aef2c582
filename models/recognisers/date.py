"""Dates with a year or a named month: "3/4/2012", "May 7, 2014", "the 3rd of March", "Oct '99".

In figures all three parts are there, in any order that a calendar allows; with the name of a month
a day or a year is enough. English and Spanish names, ordinals ("March 3rd", "November third"),
ranges ("March 3-7, 2012" is two dates), and years in words as they are dictated. A year of two
figures stands behind a blank only where the phrase ends ("14 JUL 83, USS"); "17.2.25" is a date if
it can be no heading: day above 12, or a word for dates or a weekday before it.

Source: i2b2 2014 annotation guidelines, DATE (Stubbs and Uzuner 2015).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..core.documents import Context, Document
from ..core.spans import Candidate
from .datewords import MONTH, UNITS, WORDS_TOO, is_day, is_piece, month_number, with_weekday
from .number_words import names_a_number
from .patterns import after, before, disjoint, is_digit, is_word, pattern, view

NAME = "date"
LABELS = ("DATE",)
# 670 of 672 right: english_clinical_sample 28/28, demo/train 152/152, asq_phi 490/492.
# `python -m benchmarks.rules --scores`
SCORE = 0.9955

_FULL = pattern(
    r"(\d{1,2})(?: ?/ ?(\d{1,2}) ?/ ?|-(\d{1,2})-|\.(\d{1,2})\.)(\d{4}|'?\d{2})"
    r"|((?:19|20)\d{2})(?:/(\d{1,2})/|-(\d{1,2})-|\.(\d{1,2})\.)(\d{1,2})"
)
# "3-II-1961", "03/ii/61": with Roman months, one sign between all three parts.
_ROMAN = pattern(
    r"([0-3]?\d)(?:(/)(?:i{1,3}|i?v|vi{1,3}|i?x|xi{1,2})/|(-)(?:i{1,3}|i?v|vi{1,3}|i?x|xi{1,2})-"
    r"|(\.)(?:i{1,3}|i?v|vi{1,3}|i?x|xi{1,2})\.)((?:1[89]|2[01])\d\d|\d\d)"
)
_APGAR = re.compile(r"\bapgars?(?: scores?)?(?: (?:of|was|were|are|is))?[ :=]{0,3}$")
_GLUED_TIME = re.compile(r"(?:[01]\d|2[0-3])[0-5]\d(?![\d./:-])")
_NO_SERIES = re.compile(r" ?(?:reps|lbs|pounds|sec|min|mg|ml)\b")
_UNITS_WORDS = r"one|two|three|four|five|six|seven|eight|nine"
_YEAR_IN_WORDS = (
    r"(?:nineteen|twenty)[ -](?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
    rf"(?:[ -](?:{_UNITS_WORDS}))?|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    rf"|oh[ -](?:{_UNITS_WORDS}))|two thousand(?: (?:and )?(?:{_UNITS_WORDS}|ten|eleven|twelve"
    rf"|twenty(?:[ -](?:{_UNITS_WORDS}))?"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teen))?"
)
_DAY_IN_WORDS = (
    r"(first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth"
    r"|(?:thir|four|fif|six|seven|eigh|nine)teenth|twentieth|thirtieth|thirty[- ]first"
    r"|twenty[- ](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth))"
)
_NUMBER_OF_YEAR = rf"(?:(?:19|20)\d{{2}}|['´`]\d{{2}}|(?:{_YEAR_IN_WORDS})\b)"
_DOT_OR_GAP = r"(?: ?,?(?: {0,2}|\r?\n)| of[ \n]| del? (?:año )?)"
# RE2's matches give offsets by group number only: the month is group 1 here and group 4 below.
# Month first: "May 7, 2014", "Sept. 3rd", "May 3-5, 2014", "May-07-2014", "Oct '99", "March of
# 2012", "November third".
_MONTH_FIRST = pattern(
    rf"\b{MONTH}\b\.?"
    r"(?:(?:(?: {1,2}|\r?\n)(?:the )?|-)(?:([0-3]?\d)(?:(st|nd|rd|th)\b|\b)"
    rf"(?:( ?(?:-|to|through|thru|&|and|,) ?)([0-3]?\d(?:st|nd|rd|th)?\b))?|{_DAY_IN_WORDS}\b))?"
    rf"(?:(?:{_DOT_OR_GAP}|[-/])({_NUMBER_OF_YEAR}))?"
)
# Day first: "19 Apr 2018", "3rd of May", "07-MAY-14", "07MAY2014", "19 de abril de 2018".
_DAY_FIRST = pattern(
    rf"([0-3]?\d)(st|nd|rd|th)?( (?:day )?of | de |[ .-]{{0,2}}){MONTH}"
    rf"(?:\b\.?(?:(?:{_DOT_OR_GAP}|[-/.])({_NUMBER_OF_YEAR})|[-/.](\d{{2}}))"
    r"|((?:19|20)\d{2}|\d{2})|\b\.?)"
)
_WORDS_FIRST = pattern(
    rf"\b{_DAY_IN_WORDS}(?: day)? of {MONTH}\b(?:{_DOT_OR_GAP}({_NUMBER_OF_YEAR}))?"
)
# "14 JUL 83": two figures behind a blank, and nothing that they count.
_SHORT_YEAR = pattern(r" (\d{2})(?:[,;)\]\r\n|]|\.(?:\s|\z)| {2}| ?\z| \d{4}\b| \d{1,2}:\d\d)")
_DATED = re.compile(
    r"\b(?:dates?|dated|dtd?|dob|d\.o\.b|born|on|since|from|until|till|signed|seen|review"
    r"|adm(?:itted)?|disch(?:arged)?|op|(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?)"
    r"[.:,]? {0,3}$"
)
# "5. May drive": the figure of a list, and a verb.
_ITEM = re.compile(r"(?:^|[^\w] ?)$")


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one DATE per date, left to right and without overlap."""
    text = document.text
    seen = view(text)
    found = [
        *_full_dates(text, seen),
        *_roman_dates(text, seen),
        *_months_first(text, seen),
        *_days_first(text, seen),
        *_worded_days_first(text, seen),
    ]
    yield from disjoint(
        Candidate(with_weekday(seen, start), end, "DATE", NAME, SCORE) for start, end in found
    )


def _full_dates(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    """Day, month and year in figures, in any order that a calendar allows."""
    for match in _FULL.finditer(seen):
        start, end = match.span()
        first, *others = (group for group in match.groups() if group is not None)
        if len(first) == 4:
            year, month, day = first, int(others[0]), int(others[1])
            valid = is_day(month, day)
        else:
            year = others[1]
            valid = is_day(int(first), int(others[0])) or is_day(int(others[0]), int(first))
        if not valid or (len(year) == 4 and not b"1800" <= year <= b"2199"):
            continue
        separator = seen[start + len(first) : start + len(first) + 2].strip()[:1]
        # Ranges are written with a dash, so one beside a date with slashes makes no piece of it.
        joints = "./,:" if separator == b"/" else "./,:-"
        right = after(seen, end, 12)
        glued_time = len(year) == 4 != len(first) and _GLUED_TIME.match(right)
        if is_digit(text, start - 1) or (not glued_time and is_piece(text, start, end, joints)):
            continue
        if separator == b"/":
            # Transcriptions glue dates to words ("DOB3/4/12", "3/4/12MRN"), but T4/5/12 is no date.
            glued = is_word(text, start - 1) and not is_word(text, start - 2)
            scored = len(year) < 3 and _APGAR.search(before(seen, start)) is not None
            if glued or scored or (len(year) == 2 and UNITS.match(right)):
                continue
        elif (
            is_word(text, start - 1)
            or (is_word(text, end) and text[end] != "T" and not glued_time)
            # 1.2.10 is a version or a heading, and so is 1.12.10.
            or (
                len(year) == 2
                and separator == b"."
                and min(len(first), len(others[0])) < 2
                and int(first) < 13
                and not _DATED.search(before(seen, start))
            )
            or (len(year) == 2 and names_a_number(before(seen, start)))
        ):
            continue
        if not _NO_SERIES.match(right):
            yield start, end


def _roman_dates(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    """Days, Roman months and years; a short year only between slashes."""
    for match in _ROMAN.finditer(seen):
        start, end = match.span()
        day, slash, _, _, year = match.groups()
        if (
            1 <= int(day or b"0") <= 31
            and (slash or len(year or b"") == 4)
            and not is_word(text, start - 1)
            and not is_word(text, end)
            and not is_piece(text, start, end, "./,:-")
        ):
            yield start, end


def _months_first(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _MONTH_FIRST.finditer(seen):
        start, end = match.span()
        name = text[start : match.end(1)]
        _, day, ordinal, link, last, worded, year = match.groups()
        if not (day or worded or year) or is_word(text, start - 1):
            continue
        if day and not is_day(month_number(name), int(day)):
            continue
        # What reads like the end of a range may be the time, the dose or the next number.
        if last and not _ends_range(text, seen, match.span(5), link, bool(year)):
            last = None
        if link is not None and last is None:
            end = match.end(3) if ordinal else match.end(2)
            year = None
        if is_word(text, end):
            continue
        if day and end + 1 < len(text) and text[end] in ".:/," and is_digit(text, end + 1):
            # "Dec 12.5", "May 10:30", "may 3/day": the figures are no day.
            continue
        if UNITS.match(after(seen, end, 24)):
            continue
        broken = day and b"\n" in seen[match.end(1) : match.start(2)]
        if broken and not year and text[end : end + 1] in (".", ")"):
            # "in October\n2. Tylenol": the number of the next item.
            continue
        if not year and name in WORDS_TOO and not ordinal:
            continue
        if worded and not year and name.lower() in WORDS_TOO and not _certain(seen, start, name):
            continue
        if last:
            yield start, match.end(3) if ordinal else match.end(2)
            yield match.start(5), end
        else:
            yield start, end


def _certain(seen: bytes, start: int, name: str) -> bool:
    """Whether "May first" is a day: behind "on", and with a capital."""
    return name[:1].isupper() and before(seen, start, 8).rstrip().endswith(("on", "since", "until"))


def _ends_range(
    text: str, seen: bytes, span: tuple[int, int], link: bytes | None, dated: bool
) -> bool:
    start, end = span
    if link is None or is_word(text, end) or UNITS.match(after(seen, end, 24)):
        return False
    if end + 1 < len(text) and text[end] in ".:/," and is_digit(text, end + 1):
        return False
    figures = seen[start:end].rstrip(b"stndrhSTNDRH")
    if not 1 <= int(figures) <= 31:
        return False
    # "May 3, 5 mg", "May 3 and 4 tablets": only a dash needs nothing more.
    return dated or link.strip() in (b"-", b"to", b"through", b"thru") or figures != seen[start:end]


def _days_first(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _DAY_FIRST.finditer(seen):
        start, end = match.span()
        name = text[match.start(4) : match.end(4)]
        day, ordinal, link, _, *years = match.groups()
        if (
            is_word(text, start - 1)
            or is_word(text, end)
            or not is_day(month_number(name), int(day or b"0"))
        ):
            continue
        if start > 1 and text[start - 1] in ".,/:-" and is_digit(text, start - 2):
            continue
        if not any(years):
            end = match.end(4)
            short = _SHORT_YEAR.match(seen, end, len(seen))
            if short and link and name not in WORDS_TOO:
                yield start, short.end(1)
                continue
            worded = bool(ordinal) or (link or b"").strip() in (b"of", b"day of", b"de", b"-")
            if not worded and (name.lower() in WORDS_TOO and not name.istitle() or not link):
                continue
            if b"." in (link or b"") and _ITEM.search(before(seen, start, 4)):
                continue
        yield start, end


def _worded_days_first(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _WORDS_FIRST.finditer(seen):
        start, end = match.span()
        if not is_word(text, start - 1) and not is_word(text, end):
            yield start, end
