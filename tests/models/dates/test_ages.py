import datetime

import pytest
from scrubline.models.dates import age_on, over_89, read_date, tells_birth

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
