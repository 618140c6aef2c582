"""Small Parquet files, read without threads."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.small_parquet import table_in


def file_of(table):
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


TABLE = pa.table({"a": [1, 2], "b": ["x", None], "c": [[1], []]})


def test_all_columns_or_some_in_the_order_asked_for():
    assert table_in(file_of(TABLE)).equals(TABLE)
    assert table_in(file_of(TABLE), ["c", "a"]).equals(TABLE.select(["c", "a"]))


def test_what_is_damaged_or_lacks_a_column_is_an_error():
    with pytest.raises(KeyError):
        table_in(file_of(TABLE), ["a", "missing"])
    for content in (b"", b"PAR1", file_of(TABLE)[:-9]):
        with pytest.raises((pa.ArrowException, OSError)):
            table_in(content)
