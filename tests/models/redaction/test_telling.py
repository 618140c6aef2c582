"""What the documents table tells of a note, and when."""

import datetime

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.redaction.policy import Policy
from scrubline.models.redaction.policy_file import load_policy
from scrubline.models.redaction.telling import NOTHING, Telling, period_of


@pytest.mark.parametrize(
    ("value", "year", "month"),
    [
        (None, None, None),
        (datetime.date(2019, 3, 4), "2019", "2019-03"),
        (datetime.datetime(2019, 12, 31, 23, 59), "2019", "2019-12"),
        ("2019-03-04", "2019", "2019-03"),
        (" 2019-03-04T10:00Z", "2019", "2019-03"),
        ("2019-03", "2019", "2019-03"),
        ("20190304", "2019", "2019-03"),
        ("20190304 1000", "2019", "2019-03"),
        ("3/4/2019", "2019", None),
        ("04.03.2019 10:00", "2019", None),
        ("2019-13-01", None, None),
        ("2019-031", None, None),
        ("201903041000", None, None),
        ("12345678", None, None),
        ("1234567", None, None),
        ("3/4/19", None, None),
        ("3/4/20190", None, None),
        ("seen 2019-03-04", None, None),
        ("0000-01-01", None, None),
        (20190304, None, None),
        (1.5, None, None),
        ({"a": 1}, None, None),
    ],
)
def test_the_period_of_a_date(value, year, month):
    assert (period_of(value, "year"), period_of(value, "month")) == (year, month)


def load(tmp_path, content):
    (tmp_path / "p.toml").write_text('name = "a"\n' + content)
    return load_policy(str(tmp_path / "p.toml"))


def test_a_policy_tells_nothing_unless_it_says_so(tmp_path):
    assert load_policy("hipaa").documents == load_policy("research").documents == NOTHING
    silent = load(tmp_path, "[documents]\nnote_type = false\n")
    assert silent.fingerprint == load(tmp_path, "").fingerprint
    told = load(tmp_path, '[documents]\nnote_type = true\nperiod = "month"\n[note_types.x]\n')
    assert told.documents == Telling(note_type=True, period="month")
    assert told.note_types["x"].documents == told.documents
    assert told.to_dict()["documents"] == {"note_type": True, "period": "month"}
    assert told.fingerprint != silent.fingerprint


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("documents = 3", "expected a table"),
        ("[documents]\ndate = true", "unknown .*date.*allowed"),
        ("[documents]\nnote_type = 1", "note_type: expected true or false"),
        ("[documents]\nperiod = 1", "period: expected one of"),
        ('[documents]\nperiod = "day"', "period: expected one of"),
        ('extends = "hipaa"\n[documents]\nperiod = "month"', "month is refused under hipaa"),
    ],
)
def test_what_is_refused(tmp_path, content, message):
    with pytest.raises(UsageError, match=rf"^policy: \[documents\].*{message}"):
        load(tmp_path, content)


def test_years_are_fine_under_hipaa(tmp_path):
    assert load(tmp_path, 'extends = "hipaa"\n[documents]\nperiod = "year"').documents.period
    with pytest.raises(UsageError, match="month is refused"):
        Policy("hipaa", documents=Telling(period="month"))
