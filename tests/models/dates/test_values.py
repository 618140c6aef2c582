import datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.dates import can_shift, shift_column, shift_value

from ...examples import examples

DAY = datetime.date(2024, 5, 3)
MOMENT = datetime.datetime(2024, 5, 3, 10, 15, 30, 123456)


@pytest.mark.parametrize(
    ("value", "days", "shifted"),
    [
        (DAY, -7, datetime.date(2024, 4, 26)),
        (MOMENT, -7, MOMENT.replace(month=4, day=26)),
        ("2024-05-03", -7, "2024-04-26"),
        ("5/3/24 10:15", -7, "4/26/24 10:15"),
        ("Thanksgiving", -7, None),
        ("none", -7, None),
        ("", -7, None),
        (None, -7, None),
        (5, -7, None),
        (datetime.date(1800, 1, 3), -7, None),
        (datetime.date(2199, 12, 30), 7, None),
        (datetime.date(9999, 12, 31), 7, None),
        (DAY, 10**12, None),
    ],
)
def test_one_value_moves_in_its_type(value, days, shifted):
    assert shift_value(value, days) == shifted


def test_texts_take_language_and_order():
    assert shift_value("5/3/2024", -7, order="dmy") == "27/2/2024"
    assert shift_value("3 de mayo de 2024", -7, language="es") == "26 de abril de 2024"


TYPES = [
    pa.date32(),
    pa.date64(),
    *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")),
    pa.timestamp("us", "Europe/Madrid"),
]


@pytest.mark.parametrize("kind", TYPES, ids=str)
@examples(100)
@given(
    rows=st.lists(
        st.tuples(
            st.none() | st.dates(datetime.date(1700, 1, 1), datetime.date(2250, 1, 1)),
            st.none() | st.integers(-800, 800),
        ),
        max_size=20,
    )
)
def test_a_column_moves_as_its_values_do(kind, rows):
    days = pa.array([by for _, by in rows], pa.int32())
    values = pa.array([day for day, _ in rows], pa.date32()).cast(pa.timestamp("s")).cast(kind)
    moved = shift_column(values, days)
    assert (moved.type, len(moved)) == (kind, len(rows))
    expected = [None if day is None or by is None else shift_value(day, by) for day, by in rows]
    utc = moved.cast(pa.timestamp("s")) if pa.types.is_timestamp(kind) else moved
    assert utc.cast(pa.date32()).to_pylist() == expected
    moved.validate(full=True)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
def test_a_text_column_is_read_by_the_grammar(kind):
    values = pa.array(["5/3/24", "5/3/24", "May 2024", "?", None, "5/3/24"], kind)
    moved = shift_column(values, pa.array([-7, 7, -77, 7, 7, None]))
    assert moved == pa.array(["4/26/24", "5/10/24", "February 2024", None, None, None], kind)


def test_slices_and_empty_columns_keep_their_type():
    values = pa.array([None, DAY, DAY, None], pa.date32())
    assert shift_column(values[1:3], pa.array([None, -7, 7, 7])[1:3]).to_pylist() == [
        datetime.date(2024, 4, 26),
        datetime.date(2024, 5, 10),
    ]
    for kind in (*TYPES, pa.string()):
        assert shift_column(pa.array([], kind), pa.array([], pa.int64())).type == kind


def test_extremes_of_a_type_are_null_and_never_wrap():
    most = 2**63 - 1
    values = pa.array([most, -most, 0], pa.int64()).cast(pa.timestamp("ns"))
    moved = shift_column(values, pa.array([most, -most, 1], pa.int64()))
    assert moved.cast(pa.int64()).to_pylist() == [None, None, 86_400 * 10**9]
    wide = pa.array([2**31 - 1, -(2**31)], pa.int32()).cast(pa.date32())
    assert shift_column(wide, pa.array([7, -7])).null_count == 2


def test_what_cannot_be_shifted_is_refused():
    assert [can_shift(kind) for kind in (*TYPES, pa.string())] == [True] * (len(TYPES) + 1)
    assert not can_shift(pa.int64())
    with pytest.raises(TypeError, match="dates of type int64 cannot be shifted"):
        shift_column(pa.array([1]), pa.array([7]))
    with pytest.raises(ValueError, match="1 values and 2 offsets"):
        shift_column(pa.array([DAY]), pa.array([7, 7]))
