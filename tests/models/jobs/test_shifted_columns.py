"""Columns of role date and birth where a policy shifts dates."""

import dataclasses
import datetime
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs.output_rows import output_partition
from scrubline.models.jobs.shifted_columns import DateShifting, require_shiftable
from scrubline.models.redaction.policy import Policy
from scrubline.models.redaction.policy_file import load_policy

from ..conftest import KEYS, columns, read, write_lines

EXPERT = load_policy("expert")
SHIFTING = DateShifting.of(EXPERT)
ROLES = columns(id="id", mrn="patient", on="date", born="birth", text="text")
DAYS = datetime.timedelta(days=SHIFTING.days(KEYS.dates, KEYS.patient_key("m")))


def lines(tmp_path, *rows, roles=ROLES, shifting=SHIFTING):
    records = [{"id": n, "mrn": "m", "text": "x", **row} for n, row in enumerate(rows)]
    write_lines(tmp_path / "in.jsonl", *(json.dumps(record) for record in records))
    (batch,) = read(tmp_path / "in.jsonl", roles, shifting=shifting)
    assert not batch.failures
    return batch


def out(batch, name):
    return [None if v is None else json.loads(v) for v in batch.rows.columns[name].to_pylist()]


def moved(year, month, day):
    return datetime.date(year, month, day) + DAYS


def test_dates_move_as_they_are_written(tmp_path):
    batch = lines(
        tmp_path,
        {"on": "2024-05-03"},
        {"on": "5/3/24"},
        {"on": "May 3, 2024 10:15"},
        {"on": "2024-05-03T10:15:00Z"},
        {"on": "2024-02-29"},
    )
    day = moved(2024, 5, 3)
    assert out(batch, "on") == [
        day.isoformat(),
        f"{day.month}/{day.day}/{day:%y}",
        f"{day:%B} {day.day}, {day.year} 10:15",
        f"{day.isoformat()}T10:15:00Z",
        moved(2024, 2, 29).isoformat(),
    ]
    assert batch.rows.dates_unread == (0,) * 5
    assert batch.rows.note_dates[:4] == (datetime.date(2024, 5, 3),) * 4


def test_what_cannot_be_moved_is_null_and_counted(tmp_path):
    batch = lines(
        tmp_path,
        {"on": "Christmas"},
        {"on": "9999-12-31"},
        {"on": 20240503},
        {"on": None},
        {"on": ""},
        {"on": "2024-05-03", "mrn": None},
        {"on": "2024-02-30"},
        {},
    )
    assert out(batch, "on") == [None] * 8
    assert batch.rows.dates_unread == (1, 1, 1, 0, 0, 1, 1, 0)


@pytest.mark.parametrize(
    ("born", "on", "stays"),
    [
        ("1950-05-03", "2024-05-03", True),
        ("1934-05-04", "2024-05-03", True),
        ("1934-05-03", "2024-05-03", False),
        ("5/3/1934", "May 3, 2024", False),
        ("1920-01-01", "2024-05-03", False),
        # Without a date of the row, nothing tells the age.
        ("1950-05-03", None, False),
        ("1950-05-03", "Christmas", False),
    ],
)
def test_births_over_89_are_null(born, on, stays, tmp_path):
    batch = lines(tmp_path, {"born": born, "on": on})
    (found,) = out(batch, "born")
    assert (found is not None) == stays
    told = not stays and on not in (None, "Christmas")
    assert (batch.rows.births_over_89[0] is not None) == told


def test_a_cell_in_the_other_order_is_unread_for_its_column_is_in_it(tmp_path):
    batch = lines(tmp_path, {"on": "10/05/2019"}, {"on": "13/05/2019"}, {"on": "05/13/2019"})
    assert [one is None for one in out(batch, "on")] == [False, True, False]
    assert batch.rows.dates_unread == (0, 1, 0)
    assert batch.rows.note_dates == (datetime.date(2019, 10, 5), None, datetime.date(2019, 5, 13))


def test_typed_columns_move_by_arithmetic(tmp_path):
    day = datetime.date(2024, 5, 3)
    stamp = datetime.datetime(2024, 5, 3, 10, 15, 0, 5)
    table = pa.table(
        {
            "id": ["a", "b"],
            "mrn": ["m", None],
            "on": pa.array([stamp, stamp], pa.timestamp("us", "UTC")),
            "born": pa.array([datetime.date(1950, 1, 2), day], pa.date32()),
            "text": ["x", "y"],
            "n": pa.array([20240503, None]),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    roles = Columns.parse([*ROLES.to_json(), ("n", "date")])
    (batch,) = read(tmp_path / "a.parquet", roles, shifting=SHIFTING)
    rows = batch.rows.columns
    assert rows.schema.field("on").type == pa.timestamp("us", "UTC")
    assert rows["on"].to_pylist() == [
        (stamp + DAYS).replace(tzinfo=datetime.UTC),
        None,
    ]
    assert rows["born"].to_pylist() == [moved(1950, 1, 2), None]
    # A number says nothing of what it counts.
    assert rows["n"].to_pylist() == [None, None] and rows["n"].type == pa.int64()
    assert batch.rows.dates_unread == (1, 2)


def test_nested_values_move(tmp_path):
    roles = Columns.parse(
        [("id", "id"), ("mrn", "patient"), ("text", "text"), ("visits[].on", "date")]
    ).resolved(["id", "mrn", "text", "visits"])
    batch = lines(tmp_path, {"visits": [{"on": "2024-05-03"}, {"on": "soon"}]}, roles=roles)
    (found,) = out(batch, "visits")
    assert found == [{"on": moved(2024, 5, 3).isoformat()}, {"on": None}] or found == [
        {"on": moved(2024, 5, 3).isoformat()},
        {},
    ]
    assert batch.rows.dates_unread == (1,)


def test_dates_are_left_out_where_the_policy_says_so(tmp_path):
    policy = Policy("a", {"DATE": "shift"}, date_columns="drop")
    batch = lines(tmp_path, {"on": "2024-05-03"}, shifting=DateShifting.of(policy))
    assert batch.rows.columns.column_names == ["text"]
    assert batch.rows.note_dates == (datetime.date(2024, 5, 3),)


def test_a_policy_without_shifts_has_none():
    assert DateShifting.of(load_policy("hipaa")) is None
    require_shiftable(load_policy("hipaa"), columns(id="id", text="text"))


def test_what_cannot_be_shifted_is_refused_beforehand():
    with pytest.raises(UsageError, match="no column has role patient: say which with"):
        require_shiftable(EXPERT, columns(id="id", text="text"))
    roles = columns(id="id", mrn="patient", day="date", text="text")
    require_shiftable(EXPERT, roles, ["year"])
    with pytest.raises(UsageError, match="a folder holds the notes of many: give the keys"):
        require_shiftable(EXPERT, roles, ["day"])
    assert output_partition(roles, (("day", "2024-05-03"),), KEYS, keep_dates=False) == ()


def test_a_note_type_that_shifts_needs_a_patient_too():
    policy = Policy("a", note_types={"x": Policy("a", {"DATE": "shift"})})
    with pytest.raises(UsageError, match="no column has role patient"):
        require_shiftable(policy, columns(id="id", text="text"))


def test_the_settings_decide_the_offset():
    other = dataclasses.replace(EXPERT, dates=dataclasses.replace(EXPERT.dates, days=728))
    patient = KEYS.patient_key("m")
    assert DateShifting.of(other).days(KEYS.dates, patient) != DAYS.days
    assert SHIFTING.days(KEYS.dates, None) is None
