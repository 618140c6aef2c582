"""What is read of an attribute, how coarse it is at once, and how a list of them is declared."""

import datetime

import pytest
from scrubline.dictionaries import load_weighted
from scrubline.models.core.errors import UsageError
from scrubline.models.patient_view.attributes import (
    LABELS,
    READERS,
    ViewAttributes,
    age_at,
    read_value,
    text_of_cell,
)
from scrubline.models.patient_view.hierarchies import HIERARCHIES
from scrubline.models.patient_view.occupations import GROUPS, group_of, kind_of_work
from scrubline.models.redaction.actions import VIEWED
from scrubline.models.redaction.generalization import RESTRICTED_ZIP3


@pytest.mark.parametrize(
    ("attribute", "text", "value"),
    [
        ("age", "67-year-old", "65-69"),
        ("age", "sixty-seven", "65-69"),
        ("age", "89.9", "85-89"),
        ("age", "93 y/o", "90+"),
        ("age", "18 months", "0-4"),
        ("age", "60-64 years", "60-64"),
        ("age", "60-65 years", None),
        ("age", "in his 60s", None),
        ("age", "late 90s", "90+"),
        ("age", "octogenarian", None),
        ("age", "teenager", None),
        ("age", "89+", None),
        ("age", "90+", "90+"),
        ("age", "3/12", None),
        ("age", "131", None),
        ("sex", "Female", "F"),
        ("sex", " m", "M"),
        ("sex", "unknown", None),
        ("sex", "missing", None),
        ("sex", "MTF", None),
        ("sex", "mujer", "F"),
        ("sex", "hombre", "M"),
        ("state", "New  York", "NY"),
        ("state", "N.Y.", "NY"),
        ("state", "ma", "MA"),
        ("state", "Puerto Rico", "PR"),
        ("state", "Ontario", None),
        ("zip3", "94110", "941"),
        ("zip3", " 02139-1234 ", "021"),
        ("zip3", "941", "941"),
        ("zip3", "03601", "000"),
        ("zip3", "036", "000"),
        ("zip3", "1234", None),
        ("year", "2019", "2019"),
        ("year", "2019-03-04", "2019"),
        ("year", "03/04/2019", None),
        ("year", "20190304", None),
        ("profession", "retired school bus driver", "transportation"),
        ("profession", "Math teachers", "education and library"),
        ("profession", "nurse’s aide", "healthcare support"),
        ("profession", "engineer", "architecture and engineering"),
        ("profession", "software engineer", "computers and mathematics"),
        ("profession", "retired", None),
        ("diagnosis", "  E11   diabetes ", "E11 diabetes"),
        ("diagnosis", "x" * 81, None),
        ("diagnosis", "a\x07b", None),
        ("diagnosis", " ", None),
        ("diagnosis", "2024-03-04", None),
        ("diagnosis", "03/04/2024", None),
        ("diagnosis", "2024", "2024"),
    ],
)
def test_values(attribute, text, value):
    assert read_value(attribute, text, RESTRICTED_ZIP3) == value


@pytest.mark.parametrize(
    ("attribute", "cell", "text"),
    [
        ("age", 67.5, "67"),
        ("age", 67.0, "67"),
        ("dx", True, "true"),
        ("dx", 7.5, "7.5"),
        ("dx", 3, "3"),
        ("dx", None, None),
        ("dx", float("nan"), None),
        ("zip3", 2139, "02139"),
        ("zip3", 501, None),
        ("zip3", "501", "501"),
        ("dx", datetime.date(2024, 3, 4), "2024-03-04"),
    ],
)
def test_cells(attribute, cell, text):
    assert text_of_cell(attribute, cell) == text


def test_every_attribute_has_a_reader_and_labels_are_those_of_the_action():
    assert READERS.keys() | {"zip3"} == HIERARCHIES.keys()
    assert LABELS.keys() == VIEWED


def test_every_occupation_has_a_group_and_every_group_a_kind():
    assert set(load_weighted("occupation_groups_en").values()) == GROUPS.keys()
    for phrase, number in load_weighted("occupation_groups_en").items():
        assert group_of(phrase) == GROUPS[number]
        kind_of_work(GROUPS[number])


def test_ages():
    birth = datetime.date(1950, 3, 4)
    assert age_at(birth, datetime.date(2019, 3, 3)) == 68
    assert age_at(birth, datetime.date(2019, 3, 4)) == 69
    assert age_at(datetime.date(2000, 2, 29), datetime.date(2001, 2, 28)) == 0
    assert age_at(birth, datetime.date(1949, 1, 1)) is None
    assert age_at(datetime.date(1800, 1, 1), datetime.date(2019, 1, 1)) is None


def test_a_list_is_read():
    found = ViewAttributes.parse("sex, age,zip3=postal,dx=icd,drug=label:DRUG")
    assert found.names == ("sex", "age", "zip3", "dx", "drug")
    assert (found.identifying, found.sensitive) == (("age", "sex", "zip3"), ("drug", "dx"))
    assert found.columns == (("zip3", "postal"), ("dx", "icd"))
    assert found.attributes_of("AGE") == ("age",)
    assert found.attributes_of("DRUG") == ("drug",)
    assert found.attributes_of("ZIP") == ()  # a column says it
    assert found.attributes_of("STATE") == ()  # not asked for


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected names"),
        ("age,,sex", "expected names"),
        ("Age", "expected names"),
        ("age=", "expected names"),
        ("age,age", "twice"),
        ("agee", "did you mean.*age"),
        ("diagnosis", "say where it comes from"),
        ("age=label:OLD", "its own label"),
        ("dx=icd", "at least one attribute"),
        ("a;b", "expected names"),
    ],
)
def test_a_wrong_list_is_refused(text, message):
    with pytest.raises(UsageError, match=message):
        ViewAttributes.parse(text)
