import collections
import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.dates import DateSettings, offset

from ...examples import examples

KEY = b"k" * 32
SETTINGS = st.builds(
    DateSettings,
    days=st.integers(364, 73_000),
    season=st.booleans(),
    direction=st.sampled_from(["past", "future", "both"]),
) | st.builds(
    DateSettings,
    days=st.integers(7, 800),
    weekday=st.booleans(),
    direction=st.sampled_from(["past", "future", "both"]),
)


@examples(500)
@given(settings=SETTINGS, patient=st.text(max_size=20))
def test_an_offset_is_never_zero_and_within_its_settings(settings, patient):
    days = offset(KEY, patient, settings)
    assert days == offset(KEY, patient, settings)
    assert days != 0
    assert abs(days) <= settings.days + (21 if settings.season else 0)
    if settings.weekday:
        assert days % 7 == 0
    if settings.direction != "both":
        assert (days < 0) == (settings.direction == "past")
    if settings.season:
        assert any(
            abs(abs(days) - 364 * years) <= 21 for years in range(1, settings.days // 364 + 1)
        )


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (DateSettings(days=21), {-7, -14, -21}),
        (DateSettings(days=14, direction="future"), {7, 14}),
        (DateSettings(days=14, direction="both"), {-14, -7, 7, 14}),
        (DateSettings(days=3, weekday=False), {-1, -2, -3}),
        (DateSettings(days=364, season=True), {-364 + 7 * weeks for weeks in range(-3, 4)}),
        (
            DateSettings(days=730, season=True, direction="future"),
            {364 * years + 7 * weeks for years in (1, 2) for weeks in range(-3, 4)},
        ),
    ],
)
def test_all_offsets_are_drawn_equally_often(settings, expected):
    assert sorted(settings.nth(number) for number in range(settings.count)) == sorted(expected)
    drawn = collections.Counter(offset(KEY, str(n), settings) for n in range(200 * len(expected)))
    assert drawn.keys() == expected
    assert all(130 < count < 280 for count in drawn.values())


def test_an_offset_is_the_hmac_of_length_prefixed_fields():
    fields = (b"date offset 1", b"364 True False past", b"123")
    message = b"".join(len(field).to_bytes(8, "big") + field for field in fields)
    drawn = int.from_bytes(hmac.new(KEY, message, hashlib.sha256).digest()[:16], "big")
    assert offset(KEY, "123", DateSettings()) == -7 * (drawn % 52 + 1)


def test_keys_patients_and_settings_give_offsets_of_their_own():
    def row(key, settings):
        return [offset(key, str(patient), settings) for patient in range(60)]

    rows = [
        row(KEY, DateSettings()),
        row(b"l" * 32, DateSettings()),
        row(KEY, DateSettings(days=728)),
        row(KEY, DateSettings(direction="future")),
    ]
    assert len({tuple(abs(days) for days in each) for each in rows}) == 4
    # The order of day and month moves nothing.
    assert row(KEY, DateSettings(order="dmy")) == rows[0]
    assert isinstance(offset(KEY, "\ud800\x00", DateSettings()), int)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"days": 6}, "dates.days: 7 to 73000 is expected with weekday, not 6"),
        ({"days": 0, "weekday": False}, "dates.days: 1 to 73000"),
        ({"days": -7}, "dates.days: 7 to"),
        ({"days": 80_000}, "dates.days"),
        ({"days": 363, "season": True}, "dates.days: 364 to 73000 is expected with season"),
        ({"days": 7.0}, "dates.days: a whole number"),
        ({"days": True}, "dates.days: a whole number"),
        ({"weekday": 1}, "dates.weekday: true or false"),
        ({"season": "yes"}, "dates.season: true or false"),
        ({"season": True, "weekday": False}, "dates.season keeps weekdays"),
        ({"direction": "pasts"}, "dates.direction: one of past, future, both.*did you mean 'past'"),
        ({"order": "mmdd"}, "dates.order: one of mdy, dmy, ymd"),
    ],
)
def test_settings_that_cannot_be_are_refused_by_name(settings, message):
    with pytest.raises(UsageError, match=message):
        DateSettings(**settings)
