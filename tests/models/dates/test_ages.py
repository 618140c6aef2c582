import datetime

import pytest
from scrubline.models.dates import age_on, age_text, over_89, read_date, tells_birth

BIRTH = datetime.date(1930, 3, 15)


@pytest.mark.parametrize(
    ("date", "age", "over"),
    [
        ((2020, 3, 14), 89, False),
        ((2020, 3, 15), 90, True),
        ((2019, 12, 31), 89, False),
        ((1930, 3, 15), 0, False),
        ((1929, 1, 1), -2, False),
        ((2030, 1, 1), 99, True),
    ],
)
def test_over_89_begins_on_the_90th_birthday(date, age, over):
    day = datetime.date(*date)
    assert age_on(BIRTH, day) == age
    assert over_89(BIRTH, [day]) is over
    assert over_89(BIRTH, [datetime.date(2000, 1, 1), day]) is over


def test_29_february_has_its_birthday_on_1_march():
    birth = datetime.date(1932, 2, 29)
    assert age_on(birth, datetime.date(2022, 2, 28)) == 89
    assert age_on(birth, datetime.date(2022, 3, 1)) == 90
    assert not over_89(birth, [])


@pytest.mark.parametrize(
    ("text", "tells"),
    [
        ("3/15/1930", True),
        ("03/15/30", True),
        ("March 15, 1930", True),
        ("15 MAR 1930", True),
        ("1930-03-15", True),
        ("March 1930", True),
        ("3/1930", True),
        ("1930", True),
        ("'30", True),
        ("1930s", True),
        ("Q1 1930", True),
        ("March 15", True),
        ("3/10/1930-3/15/1930", True),
        ("3/14/1930", False),
        ("1931", False),
        ("April 1930", False),
        ("2/15/1930", False),
        ("1920s", False),
        ("March", False),
        ("the 15th", False),
        ("Friday", False),
        ("Christmas", False),
        ("spring 1930", False),
    ],
)
def test_what_tells_of_birth(text, tells):
    assert tells_birth(read_date(text), BIRTH) is tells


@pytest.mark.parametrize(
    ("covered", "plus", "bare"),
    [
        ("93", "90+", "90"),
        ("90", "90+", "90"),
        ("101", "90+", "90"),
        ("93-year-old", "90+-year-old", "90-year-old"),
        ("93 year old", "90+ year old", "90 year old"),
        ("92 y/o", "90+ y/o", "90 y/o"),
        ("95 años", "90+ años", "90 años"),
        ("aged 97 years", "aged 90+ years", "aged 90 years"),
        ("ninety-three-year-old", "ninety-year-old", "ninety-year-old"),
        ("Ninety-three years", "Ninety years", "Ninety years"),
        ("NINETY-THREE", "NINETY", "NINETY"),
        ("one hundred and two years old", "ninety years old", "ninety years old"),
        ("one hundred years old", "ninety years old", "ninety years old"),
        ("nonagenarian", "nonagenarian", "nonagenarian"),
        ("centenarian", "nonagenarian", "nonagenarian"),
        # What else the words tell goes with them.
        ("late 90s", "90+", "90"),
        ("94 years 3 months", "90+", "90"),
        ("93.5", "90+", "90"),
        # Up to 89 nothing is changed.
        ("89", "89", "89"),
        ("45-year-old", "45-year-old", "45-year-old"),
        ("eighty-nine", "eighty-nine", "eighty-nine"),
        ("2 years 3 months", "2 years 3 months", "2 years 3 months"),
        # What is not understood is redacted.
        ("3-12", None, None),
        ("89+", None, None),
        ("88-92 years", None, None),
        ("several years", None, None),
        ("9" * 1000, None, None),
        ("", None, None),
    ],
)
def test_ages_over_89_become_90_in_the_same_words(covered, plus, bare):
    assert age_text(covered) == plus
    assert age_text(covered, plus=False) == bare
