"""Times between HL7's digits, ISO 8601 and FHIR."""

import datetime
import zoneinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import DocumentError
from scrubline.models.messages.message_times import as_digits, as_fhir, in_zone, plain_time

DETROIT = zoneinfo.ZoneInfo("America/Detroit")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("2019", "2019"),
        ("201902", "2019-02"),
        ("2019-02", "2019-02"),
        ("20190211", "2019-02-11"),
        (" 2019-02-11 ", "2019-02-11"),
        ("2019021106", "2019-02-11T06"),
        ("201902110652", "2019-02-11T06:52"),
        ("2019-02-11 06:52", "2019-02-11T06:52"),
        ("20190211065207.2500-0500", "2019-02-11T06:52:07.25-05:00"),
        ("2019-02-11T06:52:07.000000Z", "2019-02-11T06:52:07+00:00"),
        ("2019-02-11T06:52:07 +0100", "2019-02-11T06:52:07+01:00"),
        ("20240229", "2024-02-29"),
        ("20230229", None),
        ("20191311", None),
        ("201902112400", None),
        ("20190211065260", None),
        ("2019-02-11T06:52+24:00", None),
        ("2019-02-11T06:52+01:60", None),
        ("0000", None),
        ("3/4/2019", None),
        ("2019-2-11", None),
        ("20190211+0100", None),
        ("yesterday", None),
        ("", None),
        ("２０１９", None),
    ],
)
def test_the_plain_form(text, plain):
    assert plain_time(text) == plain


@pytest.mark.parametrize(
    ("plain", "digits", "fhir"),
    [
        ("2019", "2019", "2019"),
        ("2019-02", "201902", "2019-02"),
        ("2019-02-11", "20190211", "2019-02-11"),
        ("2019-02-11T06", "2019021106", "BadDate"),
        ("2019-02-11T06:52", "201902110652", "TimeWithoutZone"),
        ("2019-02-11T06:52-05:00", "201902110652-0500", "2019-02-11T06:52:00-05:00"),
        ("2019-02-11T06:52:07.2512+00:00", "20190211065207.2512+0000",
         "2019-02-11T06:52:07.2512+00:00"),
        ("2019-02-11T06:52:07.25123+00:00", "BadDate", "2019-02-11T06:52:07.25123+00:00"),
    ],
)  # fmt: skip
def test_as_messages_write_it(plain, digits, fhir):
    for write, expected in ((as_digits, digits), (as_fhir, fhir)):
        if expected.isalpha():
            with pytest.raises(DocumentError, match=expected):
                write(plain)
        else:
            assert write(plain) == expected


@pytest.mark.parametrize(
    ("plain", "with_zone"),
    [
        ("2019-02-11T06:52", "2019-02-11T06:52-05:00"),
        ("2019-07-11T06:52:07.5", "2019-07-11T06:52:07.5-04:00"),
        ("2019-07-11T06", "2019-07-11T06-04:00"),
        ("2019-11-03T01:30", "2019-11-03T01:30-04:00"),
        ("2019-02-11", "2019-02-11"),
        ("2019-02-11T06:52+01:00", "2019-02-11T06:52+01:00"),
    ],
)
def test_in_a_zone(plain, with_zone):
    assert in_zone(plain, DETROIT) == with_zone


def test_a_zone_of_seconds_is_refused():
    with pytest.raises(DocumentError, match="BadDate"):
        in_zone("1801-01-01T00:00", DETROIT)


@given(
    st.datetimes(
        datetime.datetime(1800, 1, 1),
        timezones=st.none() | st.integers(-1400, 1400).map(
            lambda m: datetime.timezone(datetime.timedelta(minutes=m))
        ),
    )
)  # fmt: skip
def test_what_is_written_is_read_as_it_was(moment):
    moment = moment.replace(microsecond=moment.microsecond // 100 * 100)
    plain = plain_time(moment.isoformat())
    assert datetime.datetime.fromisoformat(plain) == moment
    assert plain_time(as_digits(plain)) == plain_time(plain) == plain
