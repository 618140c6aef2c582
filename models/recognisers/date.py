"""Dates: numeric, with month names, weekdays, holidays, seasons, and years behind a cue.

Convention (i2b2 2014): years, months, day names, seasons and holidays are dates; times of day,
"day 3" and "in six weeks" are not. A weekday joins the date behind it ("Tuesday, November 2"); the
two ends of a range are two dates.

Clinical text is full of numbers that look like dates: strength `5/5`, murmurs `2/6`, pain `8/10`,
half a tablet. A month and day without a year therefore counts only with a word for it ("on",
"through", "RTC"), a leading zero, or a day above 12, and never beside a word or unit of
measurement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..documents import Context, Document
from ..spans import Candidate
from .matching import (
    after,
    before,
    disjoint,
    is_digit,
    is_word,
    names_a_number,
    pattern,
    previous_word,
    view,
)

NAME = "date"
LABELS = ("DATE",)
# 1,826 of 1,902 right: english_clinical_sample 71/71, asq_phi 493/540, meddocan 1,213/1,224,
# presidio_synth 49/67. Most others are years alone ("in 2019"), which asq_phi does not annotate.
# `python -m benchmarks.rules <corpus>.jsonl --labels <corpus>` on the training parts.
SCORE = 0.9596


def _words(spaced: str) -> frozenset[str]:
    return frozenset(spaced.split())


_FULL = pattern(
    r"(\d{1,2})(?: ?/ ?(\d{1,2}) ?/ ?|-(\d{1,2})-|\.(\d{1,2})\.)(\d{4}|'?\d{2})"
    r"|((?:19|20)\d{2})(?:/(\d{1,2})/|-(\d{1,2})-|\.(\d{1,2})\.)(\d{1,2})"
)
_COMPACT = pattern(r"((?:19|20)\d{2})(\d{2})(\d{2})(?:([01]\d|2[0-3])[0-5]\d(?:[0-5]\d)?)?")
_TWO = pattern(r"(\d{1,2})([-/])(\d{4}|\d{1,2})")

# Spanish first: RE2 takes the first alternative that fits, and "mar" would win over "marzo" only
# by the \b behind it.
_MONTH = (
    r"(enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre"
    r"|diciembre"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)"
)
_NUMBER_OF_YEAR = r"(?:(?:19|20)\d{2}|['´`]\d{2})"
# RE2's matches give offsets by group number only: the month is group 1 here and group 4 below.
# Month first: "May 7, 2014", "Sept. 3rd", "May 3-5, 2014", "May-07-2014", "Oct '99", "March of
# 2012", "May".
_MONTH_FIRST = pattern(
    rf"\b{_MONTH}\b\.?"
    r"(?:(?: {1,2}(?:the )?|-)([0-3]?\d)(?:(st|nd|rd|th)\b|\b)(?: ?- ?[0-3]?\d(?:st|nd|rd"
    r"|th)?\b)?)?"
    rf"(?:(?: ?,? {{0,2}}| of | del? (?:año )?|[-/])({_NUMBER_OF_YEAR}))?"
)
# Day first: "19 Apr 2018", "3rd of May", "07-MAY-14", "07MAY2014", "19 de abril de 2018".
_DAY_FIRST = pattern(
    rf"([0-3]?\d)(st|nd|rd|th)?( (?:day )?of | de |[ .-]{{0,2}}){_MONTH}"
    rf"(?:\b\.?(?:(?: ?,? {{0,2}}| of | del? (?:año )?|[-/.])({_NUMBER_OF_YEAR})|[-/.](\d{{2}}))"
    r"|((?:19|20)\d{2}|\d{2})|\b\.?)"
)
_LONG_WEEKDAY = (
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|lunes|martes|miércoles|jueves|viernes"
    r"|sábados?|domingos?"
)
_WEEKDAY = pattern(rf"\b(?:({_LONG_WEEKDAY})|(tues|weds|thurs?|fri)|(mon|tue|wed|thu)|(sat|sun))\b")
_HOLIDAY = pattern(
    r"\b(?:christmas(?:time)?(?: (?:eve|day))?|x-?mas(?: (?:eve|day))?|thanksgiving(?: day)?"
    r"|easter(?: (?:sunday|monday))?"
    r"|new year'?s?'? ?(?:eve|day)|new year'?s|(?:labor|labour|memorial|veterans?'?|presidents?'?"
    r"|president's|columbus"
    r"|independence|mother'?s'?|father'?s'?|valentine'?s?|st\.? patrick'?s|mlk|martin luther king"
    r"|groundhog"
    r"|indigenous peoples'?|boxing|canada|patriots'?|flag|earth|election|bastille) day"
    r"|halloween|(?:4th|fourth) of july|july (?:4th|fourth)|cinco de mayo|juneteenth|mardi gras"
    r"|hanukkah|chanukah"
    r"|passover|yom kippur|rosh hashanah?|ramadan|eid(?: al-\w{3,5})|diwali|kwanzaa|good friday"
    r"|ash wednesday|palm sunday"
    r"|navidad(?:es)?|nochebuena|nochevieja|semana santa|día de reyes|todos los santos)\b"
)
_SEASON = pattern(
    r"\b(?:(?:(?:in|during|since|by|until|early|late|mid|last|next|this|of) (?:the )?(?:early "
    r"|late )?(summer|winter|autumn))"
    r"|(?:in the|during the|last|next|this|early|late) (spring)|(?:in the) (fall)"
    r"|((?:spring|summer|fall|autumn|winter)(?: of|,)? (?:19|20)\d{2}))\b"
)
_YEAR = pattern(
    r"\b(?:(in|since|year|circa|ca\.?|c\.|born|b\.|d\.|died|dx'?d?|diagnosed|of|early|late|mid|en"
    r"|desde|año)"
    r"|(from|until|till?|by|before|after|through|thru|between|prior to|around|approximately|hasta"
    r"|entre))[ -]{1,2}(?:el |the |about |year )?"
    r"((?:19|20)\d{2})(?: ?(?:-|to|and|or|through) ?((?:19|20)\d{2}))?"
)
_YEAR_IN_BRACKETS = pattern(r"\(((?:19|20)\d{2})(?: ?[-,&] ?((?:19|20)\d{2}))?\)")
_SHORT_YEAR = pattern(r"['´`]([0-9]\d)s?")
_DECADE = pattern(r"\b(?:19|20)\d0'?s\b")

_MONTH_DAY_CUES = _words(
    "on since until till til through thru by before after from dated date dates rtc f/u follow-up"
    " followup lmp due dos doa"
    " admit admitted admission discharged d/c d/c'd dc seen of ending starting started began"
    " begin as starts last"
    " next mon tue tues wed weds thu thur thurs fri sat sun monday tuesday wednesday thursday"
    " friday saturday sunday"
    " dob visit'd appt appointment scheduled collected drawn received reported week w/o vs in"
    " el del al día"
    " ekg ecg echo cxr ct mri pet us labs bcx ucx cultures culture tte film films cath"
    " colonoscopy review exp expires"
)
# Words that a cue may be, but that stand before scores too: only with what is no usual denominator.
_WEAK_CUES = _words(
    "from after of before in as vs last next ekg ecg echo cxr ct mri pet us labs bcx ucx cultures"
    " culture tte film films cath"
    " collected drawn received reported review"
)
_DENOMINATORS = frozenset((2, 3, 4, 5, 6, 8, 9, 10))
_NO_DATE_LEFT = _words(
    "strength pain bp grade gr murmur score scored scale glasgow gcs gds mmse moca apgar apgars"
    " vision va"
    " motor pulses pulse reflexes"
    " power acuity stage step steps cycle day dose level part page pages visit room rm bed ratio"
    " titer titers"
    " kps ecog nyha class tanner"
    " mrs nihss phq gad bishop ballard cage audit mmt hr rr sat o2 sats fio2 peep"
    " kellgren-lawrence frailty deauville"
    " norco percocet vicodin lortab advair symbicort humalog novolog station session set sets"
    " type no chapter item level"
    " pugh child-pugh child ph po pco2 size french drops gtt diopters lot mrn # id case"
    " acct"
)
_NO_DATE_RIGHT = re.compile(
    r" ?(?:strength|pain|murmur|sem\b|systolic|diastolic|tabs?\b|tablets?|pills?|caps?\b"
    r"|capsules?|cups?\b|ppd|pack|%|mg|mcg|ml"
    r"|cc\b|units?\b|meq|mm\b|cm\b|in\b|inch|oz\b|tsp|tbsp|amp|dose|of the|of an?\b|thirds?|power"
    r"|pulses|motor|points?|criteria"
    r"|bottles|blood cultures|positive|pos\b|neg|full|hours?|hrs?|days?|weeks?|wks?|months?"
    r"|years?|lb|kg|hpf|lpf|nodes|joints"
    r"|bilat|throughout|intensity|severity|scale|x\b|normal saline|ns\b|nss|strain|holosystolic"
    r"|at rest|rest\b|with activity)"
)
_WEEKDAY_CUES = _words(
    "on last next this until till by since home every each through thru from before after late"
    " early"
)
_MONTHS_WITHOUT_DOUBT = _words(
    "january february july september october november december"
    " enero febrero junio septiembre setiembre octubre noviembre diciembre"
)
_MONTHS = {
    name: number
    for names in (
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "ene feb mar abr may jun jul ago sep oct nov dic",
    )
    for number, name in enumerate(names.split(), 1)
} | {"set": 9}
# Words for months that are ordinary words or abbreviations in lower case.
_WORDS_TOO = _words("may march mar dec sep oct")
_MONTH_CUES = _words("in since until till last next this early late mid during en desde hasta")
_UNITS = re.compile(
    r" ?(?:mg|mcg|ml|cc|l|units?|iu|meq|kg|gm?|lbs?|steps|feet|ft|cal|kcal|calories|hours?|hrs?"
    r"|h\b|/[a-z]|%|cells|patients|mls|x10"
    r"|mm\b|cm\b|meters?|m\b|dollars|am\b|pm\b|o'clock)(?![a-z])"
)


def recognise(document: Document, context: Context) -> Iterator[Candidate]:
    """Yields one DATE per date, left to right and without overlap."""
    text = document.text
    seen = view(text)
    days = list(_weekdays(text, seen))
    found = [
        *days,
        *_full_dates(text, seen),
        *_compact_dates(text, seen),
        *_short_dates(text, seen),
        *_months_first(text, seen),
        *_days_first(text, seen),
        *_holidays(text, seen),
        *_seasons(seen),
        *_years(text, seen),
    ]
    dates = disjoint(Candidate(start, end, "DATE", NAME, SCORE) for start, end in found)
    yield from _joined(seen, dates, {start for start, _ in days})


def _joined(seen: bytes, dates: list[Candidate], days: set[int]) -> Iterator[Candidate]:
    """Makes one date of a weekday and the date right behind it."""
    waiting: Candidate | None = None
    for date in dates:
        if waiting and seen[waiting.end : date.start] in (
            b" ",
            b", ",
            b". ",
            b",",
            b"  ",
            b" the ",
            b", the ",
            b" el ",
        ):
            date = Candidate(waiting.start, date.end, "DATE", NAME, SCORE)
            waiting = None
        if waiting:
            yield waiting
            waiting = None
        if date.start in days and date.end - date.start < 12:
            waiting = date
        else:
            yield date
    if waiting:
        yield waiting


def _is_day(month: int, day: int) -> bool:
    """Whether the month has such a day; February 29 counts, since the year may be unknown."""
    return (
        1 <= month <= 12 and 1 <= day <= (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]
    )


def _is_piece(text: str, start: int, end: int, joints: str) -> bool:
    """Whether a digit, or one of `joints` with a digit behind it, touches [start, end)."""
    if is_digit(text, start - 1) or is_digit(text, end):
        return True
    if start > 1 and text[start - 1] in joints and is_digit(text, start - 2):
        return True
    return end + 1 < len(text) and text[end] in joints and is_digit(text, end + 1)


def _full_dates(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    """Day, month and year in figures, in any order that a calendar allows."""
    for match in _FULL.finditer(seen):
        start, end = match.span()
        first, *others = (group for group in match.groups() if group is not None)
        if len(first) == 4:
            year, month, day = first, int(others[0]), int(others[1])
            valid = _is_day(month, day)
        else:
            year = others[1]
            valid = _is_day(int(first), int(others[0])) or _is_day(int(others[0]), int(first))
        separator = seen[start + len(first) : start + len(first) + 2].strip()[:1]
        # Ranges are written with a dash, so one beside a date with slashes makes no piece of it.
        if not valid or _is_piece(text, start, end, "./,:" if separator == b"/" else "./,:-"):
            continue
        if len(year) == 4 and not b"1800" <= year <= b"2199":
            continue
        if separator == b"/":
            # Transcriptions glue dates to words ("DOB3/4/12", "3/4/12MRN"), but T4/5/12 is no date.
            glued = is_word(text, start - 1) and not is_word(text, start - 2)
            if glued or (len(year) == 2 and _UNITS.match(after(seen, end, 12))):
                continue
        elif (
            is_word(text, start - 1)
            or (is_word(text, end) and text[end] != "T")
            # 1.2.10 is a version or a heading, and so is 1.12.10.
            or (len(year) == 2 and separator == b"." and min(len(first), len(others[0])) < 2)
            or (len(year) == 2 and names_a_number(before(seen, start)))
        ):
            continue
        if not _NO_SERIES.match(after(seen, end, 12)):
            yield start, end


_NO_SERIES = re.compile(r" ?(?:reps|lbs|pounds|sec|min|mg|ml)\b")


def _compact_dates(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    """YYYYMMDD, also with HHMM or HHMMSS behind it, as HL7 writes it; the span is the date."""
    for match in _COMPACT.finditer(seen):
        start, end = match.start(), match.end(3)
        if (
            _is_day(int(seen[match.start(2) : match.end(2)]), int(seen[match.start(3) : end]))
            and not _is_piece(text, start, match.end(), "./-")
            and not is_word(text, start - 1)
            and not is_word(text, match.end())
            and not names_a_number(before(seen, start))
        ):
            yield start, end


_RANGE_AHEAD = re.compile(r" ?(?:-|to|through|thru|and) ?(\d{1,2})/(\d{1,2})(/\d{2,4})?(?![\d/])")
_RANGE_BEHIND = re.compile(r"(\d{1,2})/(\d{1,2})(/\d{2,4})? ?- ?$")
_TIME_BEHIND = re.compile(r" ?(?:@|at)? ?(?:[01]?\d|2[0-3]):?[0-5]\d(?![\d/.])")
_LIST_LINKS = (
    b", ",
    b" and ",
    b" & ",
    b", and ",
    b" to ",
    b",",
    b" through ",
    b" thru ",
    b" or ",
    b" - ",
    b"-",
)


def _short_dates(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    """Month and day, or month and year, in figures."""
    reach = -1
    for match in _TWO.finditer(seen):
        start, end = match.span()
        first, separator, second = match.groups()
        slash = separator == b"/"
        if (
            _is_piece(text, start, end, "./,:" if slash else "./,:-")
            or is_word(text, start - 1)
            or is_word(text, end)
        ):
            continue
        if start and text[start - 1] in ">+<~=$^" or end < len(text) and text[end] in "%+":
            continue
        left, right = before(seen, start), after(seen, end, 24)
        if len(second) == 4:
            valid = 1 <= int(first) <= 12 and b"1900" <= second <= b"2099"
            if valid and not _UNITS.match(right) and (slash or previous_word(left) in _MONTH_CUES):
                yield start, end
                reach = end
            continue
        follows = 0 <= reach <= start and seen[reach:start] in _LIST_LINKS
        if (
            slash
            and not _NO_DATE_RIGHT.match(right)
            and _is_month_and_day(first, second, left, right, follows)
        ):
            yield start, end
            reach = end


def _is_month_and_day(first: bytes, second: bytes, left: str, right: str, follows: bool) -> bool:
    month, day = int(first), int(second)
    word = previous_word(left)
    cue = word in _MONTH_DAY_CUES
    if not _is_day(month, day):
        # Day first, as most of the world writes: only behind a word that leaves no doubt.
        return month > 12 and _is_day(day, month) and cue and word not in _WEAK_CUES
    if word in _NO_DATE_LEFT or not _NO_DATE_LEFT.isdisjoint(left.split()[-2:]):
        return False
    if follows or _TIME_BEHIND.match(right) and not left.strip():
        return True
    if word == "by" and day <= 4:
        return False
    clear = day > 12 or first[:1] == b"0" or second[:1] == b"0"
    if clear or (cue and (word not in _WEAK_CUES or day not in _DENOMINATORS)):
        return True
    ends = [_RANGE_AHEAD.match(right), _RANGE_BEHIND.search(left)]
    return any(
        end and (end[3] or int(end[2]) > 12) and _is_day(int(end[1]), int(end[2])) for end in ends
    )


def _months_first(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _MONTH_FIRST.finditer(seen):
        start, end = match.span()
        name = text[start : match.end(1)]
        _, day, ordinal, year = match.groups()
        if (
            is_word(text, start - 1)
            or is_word(text, end)
            or (day and not _is_day(_month_number(name), int(day)))
        ):
            continue
        if (
            end + 1 < len(text)
            and text[end] in ".:/,"
            and is_digit(text, end + 1)
            and (day or year)
        ):
            # "Dec 12.5", "May 10:30", "may 3/day": the figures are no day.
            continue
        right = after(seen, end, 24)
        if (day or year) and _UNITS.match(right):
            continue
        if (
            year
            or (day and (name not in _WORDS_TOO or ordinal))
            or (not day and _stands_for_month(name, before(seen, start, 24), right))
        ):
            # The dot of a month alone ends the sentence more often than the abbreviation.
            yield start, end if day or year else match.end(1)


def _month_number(name: str) -> int:
    return _MONTHS[name[:3].lower()]


def _stands_for_month(name: str, left: str, right: str) -> bool:
    folded = name.lower()
    if folded in _MONTHS_WITHOUT_DOUBT:
        return True
    if right.lstrip().startswith(("clinic", "'s", "be ", "have ", "need ")):
        return False
    if (
        len(folded) <= 4
        and folded not in ("may", "june", "july", "mayo")
        and (name.islower() or name.isupper())
    ):
        # "in MAR", "on OCT", "last dec": the medication record, a scan, a decrease.
        return False
    return previous_word(left) in _MONTH_CUES


def _days_first(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _DAY_FIRST.finditer(seen):
        start, end = match.span()
        name = text[match.start(4) : match.end(4)]
        day, ordinal, link, _, *years = match.groups()
        if (
            is_word(text, start - 1)
            or is_word(text, end)
            or not _is_day(_month_number(name), int(day or b"0"))
        ):
            continue
        if start > 1 and text[start - 1] in ".,/:-" and is_digit(text, start - 2):
            continue
        if not any(years):
            end = match.end(4)
            worded = bool(ordinal) or (link or b"").strip() in (b"of", b"day of", b"de", b"-")
            if not worded and (name.lower() in _WORDS_TOO and not name.istitle() or not link):
                continue
        yield start, end


def _weekdays(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _WEEKDAY.finditer(seen):
        start, end = match.span()
        if is_word(text, start - 1) or is_word(text, end):
            continue
        name = text[start:end]
        if name in ("Domingo", "Domingos"):
            # A surname and first name; Spanish writes days in lower case.
            continue
        word = previous_word(before(seen, start, 24))
        kind = 1 + [group is not None for group in match.groups()].index(True)
        if kind == 3:
            # "6 mon" are months, "wed" is married.
            if word[-1:].isdigit() or (name.islower() and word not in _WEEKDAY_CUES):
                continue
        elif kind == 4:
            # Oxygen saturation, "sat up", the sun.
            cues = (
                _WEEKDAY_CUES
                if name.istitle()
                else ("last", "next", "this", "until", "till", "since")
            )
            if word not in cues or _SATURATION.match(after(seen, end, 8)):
                continue
        yield start, end


_SATURATION = re.compile(
    r" ?[:=]? ?\d{2,3}(?![\d/])| ?%| (?:up|down|of|exposure|screen|probe|burn)"
)
_NO_HOLIDAY = (" disease", " factor", " tree", " island", " egg", " cactus")


def _holidays(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _HOLIDAY.finditer(seen):
        start, end = match.span()
        alone = not is_word(text, start - 1) and not is_word(text, end)
        if alone and not after(seen, end, 10).startswith(_NO_HOLIDAY):
            yield start, end


def _seasons(seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _SEASON.finditer(seen):
        group = 1 + [found is not None for found in match.groups()].index(True)
        yield match.span(group)


def _years(text: str, seen: bytes) -> Iterator[tuple[int, int]]:
    for match in _YEAR.finditer(seen):
        first, last = match.span(3), match.span(4)
        end = match.end()
        if (
            is_word(text, match.start() - 1)
            or is_word(text, end)
            or _is_piece(text, first[0], end, "./,:-")
        ):
            continue
        if _UNITS.match(after(seen, end, 12)):
            continue
        years = [int(seen[start:stop]) for start, stop in (first, last) if start >= 0]
        # 1900-1959 and 2000-2059 are also times of day (mostly at multiples of five minutes), "of
        # 2000" is also a count.
        if match.span(2) != (-1, -1):
            if not any(year % 100 > 59 or year % 5 for year in years):
                continue
        elif (match.group(1) or b"").lower() == b"of" and years[0] % 100 == 0:
            continue
        yield from (span for span in (first, last) if span[0] >= 0)
    for match in _YEAR_IN_BRACKETS.finditer(seen):
        yield from (match.span(group) for group in (1, 2) if match.start(group) >= 0)
    for match in _SHORT_YEAR.finditer(seen):
        start, end = match.span()
        if (
            (start == 0 or text[start - 1] in " \t\n(,")
            and not is_word(text, end)
            and seen[end : end + 1] not in (b"'", b'"')
            and not before(seen, start, 4).rstrip()[-1:].isdigit()
        ):
            yield start, end
    for match in _DECADE.finditer(seen):
        if not is_word(text, match.start() - 1) and not is_word(text, match.end()):
            yield match.span()
