"""Laws of reading and shifting, over generated forms and over texts that are none."""

import datetime
import os
import random
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.dates import read_date

from ...examples import examples
from .writers import DAY_MONTH_WRITERS, MONTH_WRITERS, WRITERS, range_writers

DAYS = st.dates(datetime.date(1803, 1, 1), datetime.date(2196, 12, 31))
TWO_DIGITS = st.dates(datetime.date(1971, 1, 1), datetime.date(2066, 12, 31))
OFFSETS = st.integers(-364, 364)
FORMS = [
    (where, name, write) for where, writers in WRITERS.items() for name, write in writers.items()
]
RANGES = [
    (where, name, write)
    for where, writers in range_writers().items()
    for name, write in writers.items()
]


def days_for(name):
    return TWO_DIGITS if "yy" in name.replace("yyyy", "") or "blanks" in name else DAYS


@pytest.mark.parametrize(("where", "name", "write"), FORMS, ids=[f"{w} {n}" for w, n, _ in FORMS])
@examples(300)
@given(data=st.data())
def test_a_generated_form_is_read_right_and_shifted_as_its_writer_would(where, name, write, data):
    language, order = where.split()
    day, days = data.draw(days_for(name)), data.draw(OFFSETS)
    text = write(day)
    written = read_date(text, language, order)
    assert written is not None, text
    assert str(written) == text
    assert written.precision == "day"
    assert written.dates() == (day,)
    other = day + datetime.timedelta(days=days)
    assert written.shifted(days) == write(other), text
    # The clock of the reader is no part of it: a reference changes nothing of a full date.
    assert written.shifted(days, datetime.date(1999, 9, 9)) == write(other)


@pytest.mark.slow
def test_of_twenty_thousand_generated_forms_none_is_wrong():
    draw = random.Random(20240503)
    wrong = []
    for number in range(20_000):
        where, name, write = FORMS[number % len(FORMS)]
        two_digits = days_for(name) is TWO_DIGITS
        first, last = (1971, 2066) if two_digits else (1803, 2196)
        day = datetime.date(first, 1, 1) + datetime.timedelta(
            days=draw.randrange((last - first) * 365)
        )
        days = draw.randrange(-364, 365)
        written = read_date(write(day), *where.split())
        moved = write(day + datetime.timedelta(days=days))
        if written is None or written.dates() != (day,) or written.shifted(days) != moved:
            wrong.append((where, name, day, days))
    assert wrong == []


@pytest.mark.parametrize(("where", "name", "write"), RANGES, ids=[f"{w} {n}" for w, n, _ in RANGES])
@examples(500)
@given(data=st.data())
def test_both_ends_of_a_range_move_alike(where, name, write, data):
    language, order = where.split()
    first, days = data.draw(days_for(name)), data.draw(OFFSETS)
    last = first + datetime.timedelta(days=data.draw(st.integers(1, 300)))
    text = write(first, last)
    written = read_date(text, language, order)
    assert written is not None, text
    assert (str(written), written.dates()) == (text, (first, last))
    moved = (day + datetime.timedelta(days=days) for day in (first, last))
    shifted = written.shifted(days)
    # A range that lay in two years and now lies in one may say the year twice.
    again = read_date(shifted, language, order)
    assert again is not None, (text, shifted)
    assert again.dates() == tuple(moved), (text, shifted)


@examples(2000)
@given(
    day=TWO_DIGITS,
    length=st.integers(1, 27),
    days=OFFSETS,
    form=st.sampled_from(
        [
            ("en", "dmy", lambda a, b: f"{a.day}-{b.day} {EN(b)} {b.year}"),
            ("en", "mdy", lambda a, b: f"{EN(b)} {a.day}-{b.day}, {b.year}"),
            ("en", "mdy", lambda a, b: f"{a.month}/{a.day}-{b.month}/{b.day}/{b:%y}"),
            ("en", "dmy", lambda a, b: f"{a.day}-{b.day}/{b.month}/{b:%y}"),
            ("es", "dmy", lambda a, b: f"del {a.day} al {b.day} de {ES(b)} de {b.year}"),
            ("de", "dmy", lambda a, b: f"{a:%d}.-{b:%d.%m.%Y}"),
            ("de", "dmy", lambda a, b: f"{a.day}. bis {b.day}. {DE(b)} {b.year}"),
            ("de", "dmy", lambda a, b: f"{a.day}.{a.month}.-{b.day}.{b.month}.{b.year}"),
        ]
    ),
)
def test_a_range_says_what_its_ends_do_not_share_any_more(day, length, days, form):
    language, order, write = form
    last = day.replace(day=min(28, day.day)) + datetime.timedelta(days=length)
    first = last.replace(day=max(1, last.day - length))
    if first == last:
        return
    text = write(first, last)
    written = read_date(text, language, order)
    assert written is not None, text
    assert (str(written), written.dates()) == (text, (first, last))
    shifted = written.shifted(days)
    again = read_date(shifted, language, order)
    assert again is not None, (text, shifted)
    assert again.dates() == tuple(d + datetime.timedelta(days=days) for d in (first, last)), shifted


def EN(day):  # noqa: N802
    return f"{day:%B}"


def ES(day):  # noqa: N802
    return MONTH_WRITERS["es"]["month de yyyy"](day).split()[0]


def DE(day):  # noqa: N802
    return MONTH_WRITERS["de"]["Month yyyy"](day).split()[0]


MONTHS = [(lang, n, w) for lang, writers in MONTH_WRITERS.items() for n, w in writers.items()]


@pytest.mark.parametrize(
    ("language", "name", "write"), MONTHS, ids=[f"{w} {n}" for w, n, _ in MONTHS]
)
@examples(300)
@given(data=st.data())
def test_a_month_moves_as_its_15th(language, name, write, data):
    day = data.draw(TWO_DIGITS).replace(day=15)
    days = data.draw(OFFSETS)
    text = write(day)
    written = read_date(text, language)
    assert written is not None, text
    assert str(written) == text
    assert written.precision in ("month", "month_name")
    assert written.dates() == ()
    moved = day + datetime.timedelta(days=days)
    assert written.shifted(days, day) == write(moved)


SHORT = [(w, n, f) for w, writers in DAY_MONTH_WRITERS.items() for n, f in writers.items()]


@pytest.mark.parametrize(("where", "name", "write"), SHORT, ids=[f"{w} {n}" for w, n, _ in SHORT])
@examples(500)
@given(day=TWO_DIGITS, near=st.integers(-180, 180), days=OFFSETS)
def test_a_day_without_a_year_is_the_one_nearest_to_the_reference(
    where, name, write, day, near, days
):
    language, order = where.split()
    written = read_date(write(day), language, order)
    assert written is not None
    assert (str(written), written.precision) == (write(day), "day_month")
    reference = day + datetime.timedelta(days=near)
    if (day.month, day.day) != (2, 29):
        moved = day + datetime.timedelta(days=days)
        assert written.shifted(days, reference) == write(moved)
    # Without one, a common year: at most a day off.
    alone = written.shifted(days)
    assert alone is not None
    assert read_date(alone, language, order) is not None


PIECES = st.sampled_from(
    [
        *(
            "3",
            "05",
            "12",
            "31",
            "2024",
            "98",
            "1990",
            "20240503",
            "0",
            "/",
            "-",
            ".",
            ",",
            "'",
            " ",
        ),
        *(
            "May",
            "mayo",
            "Mai",
            "Mar",
            "mon",
            "Tues",
            "V",
            "X",
            "of",
            "de",
            "del",
            "the",
            "el",
            "th",
        ),
        *("st", "º", "to", "al", "bis", "from", "early", "summer", "Q", "s", "er", "\n", "T", ":"),
        *(
            "10:15",
            "pm",
            "Uhr",
            "twenty",
            "second",
            "dos mil",
            "años",
            "–",
            "(",
            ")",
            "é",
            "\u0301",
        ),
        *("\x00", "\ud800", "\u202e", "\u200f", "٣", "²", "Ⅳ", "ª", "İ", "ß", "9" * 30),
    ]
)


@examples(1500)
@given(
    text=st.lists(PIECES, max_size=9).map("".join) | st.text(max_size=40),
    language=st.sampled_from(["en", "es", "de"]),
    order=st.sampled_from(["mdy", "dmy", "ymd", None]),
    days=st.integers(-80_000, 80_000),
    reference=st.none() | st.dates(),
    seasons=st.booleans(),
)
def test_any_text_is_read_whole_or_not_at_all(text, language, order, days, reference, seasons):
    written = read_date(text, language, order)
    if written is None:
        return
    assert str(written) == text
    assert read_date(text, language, order) == written
    shifted = written.shifted(days, reference, seasons=seasons)
    assert shifted is None or isinstance(shifted, str)
    assert shifted == written.shifted(days, reference, seasons=seasons)
    if written.precision == "day" and (dates := written.dates()) and shifted is not None:
        first, last = dates[0], dates[-1]
        assert len(dates) == len(written.ends)
        assert first <= last


@examples(500)
@given(first=DAYS, second=DAYS, days=OFFSETS, form=st.sampled_from(FORMS))
def test_intervals_of_full_days_are_kept(first, second, days, form):
    where, name, write = form
    language, order = where.split()
    if "yy" in name.replace("yyyy", ""):
        first, second = (
            d.replace(year=1970 + d.year % 90, day=min(d.day, 28)) for d in (first, second)
        )
    moved = [
        read_date(read_date(write(day), language, order).shifted(days), language, order).dates()[0]
        for day in (first, second)
    ]
    assert moved[1] - moved[0] == second - first


_FROZEN = """
import datetime, sys, time
year = int(sys.argv[1])
real = datetime.date
class Frozen(datetime.date):
    @classmethod
    def today(cls):
        return real(year, 7, 7)
class FrozenTime(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(year, 7, 7)
    today = utcnow = now
datetime.date, datetime.datetime = Frozen, FrozenTime
time.time = lambda: (year - 1970) * 31556952.0
from scrubline.models.dates import read_date
for text in {texts!r}:
    for language in ("en", "es", "de"):
        written = read_date(text, language)
        print(ascii(text), language, written and ascii(written.shifted(-77)))
"""


def test_the_output_is_the_same_in_1999_and_2099():
    texts = [
        *(
            "5/3",
            "May",
            "Mon",
            "'98",
            "3/4/57",
            "spring",
            "12 de mayo",
            "May 3",
            "the 17th",
            "1990s",
        ),
        *(
            "10:15",
            "29 Feb",
            "5/3-7/4",
            "2019",
            "Thanksgiving",
            "Q3 2024",
            "71",
            "Fri 7/2",
            "10/82",
        ),
    ]
    outputs = {
        subprocess.run(
            [sys.executable, "-c", _FROZEN.replace("{texts!r}", repr(texts)), year],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": year},
        ).stdout
        for year in ("1999", "2099")
    }
    assert len(outputs) == 1
    assert b"None" in outputs.pop()
