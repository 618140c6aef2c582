import datetime as dt
import decimal
import io
import itertools
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrubline.models.errors import StorageError, UsageError
from scrubline.models.formats import FORMATS, Limits, Locator
from scrubline.models.formats import parquet as module
from scrubline.models.formats.parquet import ROW_GROUP_ROWS, _cuts, row_bytes
from scrubline.models.storage import Storage

from .test_contract import STORAGE, Parts, put, read_all

PARQUET = FORMATS["parquet"]
WORDS = pa.dictionary(pa.int32(), pa.string())

COLUMNS = {
    "id": pa.array([1, None, 3], pa.int64()),
    "text": pa.array(["é🙂\x00", None, ""], pa.string()),
    "large": pa.array(["a", None, "c" * 99], pa.large_string()),
    "view": pa.array(["a", None, "c" * 99], pa.string_view()),
    "bytes_view": pa.array([b"\xff", None, b"c" * 99], pa.binary_view()),
    "word": pa.array(["b", None, "a"]).dictionary_encode().cast(WORDS),
    "words": pa.array([["b", "a"], None, [None]], pa.list_(pa.field("element", WORDS))),
    "views": pa.array([["b"], None, []], pa.large_list(pa.field("element", pa.string_view()))),
    "dec": pa.array([decimal.Decimal("1.10"), None, decimal.Decimal(-9)], pa.decimal128(38, 9)),
    "small": pa.array([1, None, 255], pa.uint8()),
    "float": pa.array([0.1, None, float("inf")], pa.float32()),
    "flag": pa.array([True, None, False]),
    "day": pa.array([dt.date(9999, 12, 31), None, dt.date(1, 1, 1)]),
    "ns": pa.array([1, None, 2**62], pa.timestamp("ns", "Europe/Madrid")),
    "us": pa.array([dt.datetime(9999, 12, 31), None, dt.datetime(1, 1, 1)], pa.timestamp("us")),
    "time": pa.array([1, None, 86399_999_999], pa.time64("us")),
    "raw": pa.array([b"\xff\x00", None, b""], pa.binary()),
    "fixed": pa.array([b"ab", None, b"cd"], pa.binary(2)),
    "pair": pa.array(
        [["a", "b"], ["c", None], ["", "d"]], pa.list_(pa.field("element", pa.string()), 2)
    ),
    "map": pa.array([[("a", 1)], None, []], pa.map_(pa.string(), pa.int32())),
    "struct": pa.array(
        [{"a": "x", "b": [1, None]}, None, {"a": None, "b": None}],
        pa.struct([("a", WORDS), pa.field("b", pa.list_(pa.field("element", pa.int16())))]),
    ),
    "none": pa.nulls(3),
    "a.b": pa.array(["dotted", None, "x"]),
    "a": pa.array([1.5, None, 2.5]),
}  # fmt: skip


def file_of(table, name="a.parquet", **options):
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return put(name, sink.getvalue())


def rewritten(file, columns, split_bytes=1 << 30, limits=None):
    """What the file becomes when it is read and written unchanged."""
    parts = Parts()
    writer = PARQUET.writer(parts.open, "u")
    for locator in PARQUET.plan(STORAGE, 0, file, split_bytes, Limits()):
        for chunk in PARQUET.read(STORAGE, file, locator, columns, limits or Limits()):
            assert not chunk.errors
            writer.write(chunk.columns)
    writer.close()
    return parts["u.parquet"]


def content_of(data):
    reader = pq.ParquetFile(io.BytesIO(data))
    return pa.concat_tables(
        [reader.read_row_group(i) for i in range(reader.num_row_groups)]
        or [reader.schema_arrow.empty_table()]
    )


def test_every_type_passes_exactly():
    file = file_of(pa.table(COLUMNS))
    columns = PARQUET.columns(STORAGE, file)
    assert columns == tuple(COLUMNS)
    before = content_of(STORAGE.read_bytes(file.url))
    after = content_of(rewritten(file, columns))
    assert after.schema.equals(before.schema, check_metadata=True)
    assert after.equals(before)
    for field in after.schema:
        assert (
            field.type == COLUMNS[field.name].type or field.name == "map"
        )  # a name inside differs


@pytest.mark.parametrize("name", COLUMNS)
def test_each_column_alone_in_any_batches(name):
    table = pa.concat_tables([pa.table({name: COLUMNS[name], "n": [0, 1, 2]})] * 50)
    file = file_of(table, row_group_size=40)
    expected = content_of(STORAGE.read_bytes(file.url))
    first = rewritten(file, (name, "n"))
    assert content_of(first).equals(expected)
    for documents in (1, 7, 1000):
        assert rewritten(file, (name, "n"), limits=Limits(batch_documents=documents)) == first
    chunks = [
        chunk
        for locator in PARQUET.plan(STORAGE, 0, file, 1, Limits())
        for chunk in PARQUET.read(STORAGE, file, locator, (name,), Limits())
    ]
    # What whoever builds the output does with chunks has a kernel for every type.
    taken = pa.concat_tables([c.columns.take(pa.array([1, 2])) for c in chunks])
    assert taken.num_rows == 2 * len(chunks)
    assert all(len(PARQUET.decode(c.columns.column(name))) == c.columns.num_rows for c in chunks)


def test_only_declared_columns_in_their_order():
    file = file_of(pa.table(COLUMNS))
    (chunk,) = PARQUET.read(STORAGE, file, Locator(0, 0, 1, 1), ("a", "id"), Limits())
    assert chunk.columns.column_names == ["a", "id"]
    assert chunk.columns.column("a").to_pylist() == [1.5, None, 2.5]
    (chunk,) = PARQUET.read(STORAGE, file, Locator(0, 0, 1, 1), ("a.b",), Limits())
    assert chunk.columns.to_pydict() == {"a.b": ["dotted", None, "x"]}


def test_a_declared_column_that_the_file_lacks_is_null_and_not_written():
    file = file_of(pa.table({"t": ["x", "y"]}))
    (chunk,) = PARQUET.read(STORAGE, file, Locator(0, 0, 1, 1), ("new", "t"), Limits())
    assert chunk.columns.to_pydict() == {"new": [None, None], "t": ["x", "y"]}
    assert content_of(rewritten(file, ("new", "t"))).to_pydict() == {"t": ["x", "y"]}
    (chunk,) = PARQUET.read(STORAGE, file, Locator(0, 0, 1, 1), ("new",), Limits())
    assert chunk.columns.to_pydict() == {"new": [None, None]}


def test_metadata_of_fields_passes_and_that_of_the_file_nobody_declared():
    field = pa.field("t", pa.string(), False, {b"comment": b"note", b"PARQUET:field_id": b"7"})
    schema = pa.schema([field], {b"site": b"x", b"pandas": b"{}", b"huggingface": b"{}"})
    file = file_of(pa.table([pa.array(["x"])], schema=schema))
    after = content_of(rewritten(file, ("t",)))
    assert not after.schema.metadata
    assert after.schema.field("t").equals(field, check_metadata=True)


def test_schema_tokens_tell_schemas_apart_but_not_file_metadata():
    def token(table):
        return PARQUET.schema_token(STORAGE, file_of(table))

    plain = pa.table({"t": ["x"]})
    one = token(plain)
    assert one == token(pa.table({"t": ["y", "z"]}))
    assert one == token(plain.replace_schema_metadata({"pandas": "{'stop': 1}", "site": "x"}))
    others = {
        token(pa.table({"t": pa.array(["x"], pa.large_string())})),
        token(pa.table({"u": ["x"]})),
        token(pa.table({"t": ["x"], "u": [1]})),
    }
    assert len(others) == 3 and one not in others


def test_int96_beyond_nanoseconds_does_not_wrap():
    sink = io.BytesIO()
    # Arrow itself writes INT96 by way of nanoseconds, so only the type is looked at.
    pq.write_table(
        pa.table({"d": pa.array([0], pa.timestamp("ns"))}),
        sink,
        use_deprecated_int96_timestamps=True,
    )
    file = put("a.parquet", sink.getvalue())
    (chunk,) = PARQUET.read(STORAGE, file, Locator(0, 0, 1, 1), ("d",), Limits())
    assert chunk.columns.schema.field("d").type == pa.timestamp("us")


# -- damage


def damaged(table, at, **options):
    """A file with a run of zeros and ones in the data of one column chunk."""
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    data = bytearray(sink.getvalue())
    group, column = at
    chunk = pq.ParquetFile(io.BytesIO(data)).metadata.row_group(group).column(column)
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    data[start : start + chunk.total_compressed_size] = b"\xff" * chunk.total_compressed_size
    return put("a.parquet", bytes(data))


@pytest.mark.parametrize("documents", [1, 7, 1000])
@pytest.mark.parametrize("hold", [0, 1 << 20])
def test_a_damaged_row_group_becomes_error_rows(monkeypatch, documents, hold):
    monkeypatch.setattr(module, "HOLD_BYTES", hold)
    table = pa.table({"t": [f"text {i}" for i in range(100)], "n": list(range(100))})
    file = damaged(table, (1, 0), row_group_size=30)
    limits = Limits(batch_documents=documents)
    expected = [(f"text {i}", i) for i in range(100)]
    expected[30:60] = ["CorruptRowGroup"] * 30
    assert read_all(PARQUET, file, ("t", "n"), limits=limits) == expected
    # The damaged column is not asked for: nothing is wrong.
    assert read_all(PARQUET, file, ("n",), limits=limits) == [(i,) for i in range(100)]


def test_no_damage_ever_raises_or_loses_a_row():
    table = pa.table({"t": [f"some text {i}" for i in range(60)], "n": list(range(60))})
    sink = io.BytesIO()
    pq.write_table(table, sink, row_group_size=20, compression="snappy")
    whole = sink.getvalue()
    draw = random.Random(11)
    refused = 0
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(draw.randrange(1, 6)):
            data[draw.randrange(4, len(data) - 8)] ^= 1 << draw.randrange(8)
        file = put("a.parquet", bytes(data))
        try:
            locators = PARQUET.plan(STORAGE, 0, file, 1, Limits())
        except UsageError:
            refused += 1
            continue
        metadata = pq.ParquetFile(io.BytesIO(data)).metadata
        assert locators[-1].end == metadata.num_row_groups
        rows = sum(metadata.row_group(i).num_rows for i in range(metadata.num_row_groups))
        assert len(read_all(PARQUET, file, ("t", "n"), split_bytes=1)) == rows
    assert refused < 75


@pytest.mark.parametrize("cut", [0, 4, 11, 50, -1, -4, -8, -20])
def test_a_broken_footer_is_refused_without_name(cut):
    sink = io.BytesIO()
    pq.write_table(pa.table({"t": ["x"] * 100}), sink)
    file = put("smith_john.parquet", sink.getvalue()[:cut])
    for action in (
        lambda: PARQUET.plan(STORAGE, 0, file, 1, Limits()),
        lambda: PARQUET.columns(STORAGE, file),
        lambda: PARQUET.schema_token(STORAGE, file),
    ):
        with pytest.raises(UsageError, match="Parquet") as caught:
            action()
        assert "smith" not in str(caught.value)


def test_two_columns_of_one_name_are_refused():
    file = file_of(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["t", "t"]))
    with pytest.raises(UsageError, match="two columns"):
        PARQUET.columns(STORAGE, file)


def test_a_failing_store_is_no_damage():
    file = file_of(pa.table({"t": ["x" * 1000] * 1000}), compression="none", use_dictionary=False)

    class Failing(Storage):
        def retry(self, operation, url, action):
            if operation == "read" and (not reads or reads.pop()):
                raise StorageError("down")
            return action()

    def read():
        return list(PARQUET.read(Failing(), file, Locator(0, 0, 1, 1), ("t",), Limits()))

    reads = [False] * 99
    read()
    needed = 99 - len(reads)
    assert needed > 1
    for healthy in range(needed):
        reads = [False] * healthy
        with pytest.raises(StorageError, match="down"):
            read()


@pytest.mark.parametrize("as_dictionary", [False, True])
@pytest.mark.parametrize("documents", [1, 2, 1000])
def test_rows_with_invalid_utf8_are_errors(as_dictionary, documents):
    def unchecked(values):
        buffers = pa.array(values, pa.binary()).buffers()
        return pa.Array.from_buffers(pa.string(), len(values), buffers)

    column = unchecked([b"ok", b"\xff", None, b"\xed\xa0\x80", "é".encode()])
    if as_dictionary:
        words = unchecked([b"ok", b"\xff", b"\xed\xa0\x80", "é".encode()])
        column = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 2, 3], pa.int32()), words)
    file = file_of(pa.table({"t": column, "n": range(5)}), write_statistics=False)
    assert PARQUET.columns(STORAGE, file) == ("t", "n")
    found = read_all(PARQUET, file, ("t", "n"), limits=Limits(batch_documents=documents))
    assert found == [("ok", 0), "BadEncoding", (None, 2), "BadEncoding", ("é", 4)]


# -- planning, cutting, writing


def test_row_groups_are_packed():
    file = file_of(pa.table({"t": [str(i) * 50 for i in range(1000)]}), row_group_size=100)
    every = PARQUET.plan(STORAGE, 0, file, 1, Limits())
    assert [(lo.start, lo.end) for lo in every] == [(i, i + 1) for i in range(10)]
    two = PARQUET.plan(STORAGE, 0, file, every[0].bytes + every[1].bytes, Limits())
    assert (two[0].start, two[0].end) == (0, 2)
    (whole,) = PARQUET.plan(STORAGE, 0, file, 1 << 30, Limits())
    assert (whole.start, whole.end) == (0, 10) and whole.bytes <= file.size
    assert read_all(PARQUET, file_of(pa.table({"t": pa.array([], pa.string())})), ("t",)) == []


@settings(deadline=None)
@given(st.lists(st.integers(0, 20), max_size=30), st.integers(1, 6), st.integers(1, 40))
def test_cuts(sizes, most_rows, most_bytes):
    ends = _cuts(np.array(sizes, np.int64), most_rows, most_bytes)
    pieces = [sizes[a:b] for a, b in itertools.pairwise([0, *ends])]
    assert [size for piece in pieces for size in piece] == sizes
    for piece, following in itertools.zip_longest(pieces, pieces[1:]):
        assert 1 <= len(piece) <= most_rows and (len(piece) == 1 or sum(piece) <= most_bytes)
        if following:
            assert len(piece) == most_rows or sum(piece) + following[0] > most_bytes


@pytest.mark.parametrize("name", COLUMNS)
def test_row_sizes_depend_on_values_alone(name):
    file = file_of(pa.concat_tables([pa.table({name: COLUMNS[name]})] * 4))
    (chunk,) = PARQUET.read(STORAGE, file, Locator(0, 0, 1, 1), (name,), Limits())
    table = chunk.columns
    sizes = row_bytes(table).tolist()
    assert len(sizes) == 12 and sizes[:3] == sizes[3:6] and min(sizes) >= 0
    assert row_bytes(table.slice(3, 5)).tolist() == sizes[3:8]
    assert row_bytes(pa.concat_tables([table.slice(0, 5), table.slice(5)])).tolist() == sizes


def test_long_texts_in_lists_count():
    table = pa.table({"t": pa.array([["x" * 1000, "y"], [], None], pa.list_(pa.string()))})
    sizes = row_bytes(table).tolist()
    assert sizes[0] > 1000 and sizes[1] == sizes[2] < 10


def test_row_groups_are_cut_by_rows_and_bytes(monkeypatch):
    monkeypatch.setattr(module, "ROW_GROUP_BYTES", 50_000)
    parts = Parts()
    writer = PARQUET.writer(parts.open, "u")
    short = pa.table({"t": ["x"] * (ROW_GROUP_ROWS + 5)})
    long = pa.table({"t": ["y" * 20_000] * 5 + ["z" * 90_000, "x"]})
    writer.write(short)
    writer.write(long)
    writer.close()
    metadata = pq.ParquetFile(io.BytesIO(parts["u.parquet"])).metadata
    rows = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
    assert rows == [ROW_GROUP_ROWS, 7, 2, 1, 1, 1]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", None, "cc"]), min_size=1, max_size=40),
    st.lists(st.integers(1, 9), min_size=1),
)
def test_dictionaries_of_batches_do_not_show(words, steps):
    def part(pieces):
        parts = Parts()
        writer = PARQUET.writer(parts.open, "u")
        for piece in pieces:
            writer.write(
                pa.table({"w": pa.array(piece, pa.string()).dictionary_encode().cast(WORDS)})
            )
        writer.close()
        return parts["u.parquet"]

    pieces, at = [], 0
    for step in itertools.cycle(steps):
        if at >= len(words):
            break
        pieces.append(words[at : at + step])
        at += step
    assert part(pieces) == part([words])
    assert content_of(part(pieces)).schema.field("w").type == WORDS


def test_a_write_with_other_columns_is_refused():
    writer = PARQUET.writer(Parts().open, "u")
    writer.write(pa.table({"a": [1]}))
    with pytest.raises(ValueError, match="same columns"):
        writer.write(pa.table({"b": [1]}))


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), WORDS, pa.dictionary(pa.int8(), pa.large_string())]
)
def test_texts_go_back_in_their_own_type(kind):
    cells = PARQUET.encode_text(["b", None, "é", "b"], kind)
    assert cells.type == kind and PARQUET.decode(cells) == ["b", None, "é", "b"]


def test_an_absent_text_column_stays_null():
    assert PARQUET.encode_text([None, None], pa.null()).type == pa.null()
    assert PARQUET.encode_text(["x"], pa.null()).to_pylist() == ["x"]


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (pa.array([1, None], pa.timestamp("ns", "Europe/Madrid")), "1970-01-01T00:00:00.000000001"),
        (pa.array([10**9, None], pa.timestamp("s")), "2001-09-09T01:46:40"),
        (pa.array([dt.date(2020, 1, 31), None]), "2020-01-31"),
        (pa.array([7, None], pa.time32("s")), "00:00:07"),
        (pa.array([7, None], pa.int8()), 7),
        (pa.array([b"x", None]), b"x"),
        (pa.array([decimal.Decimal("1.10"), None]), decimal.Decimal("1.10")),
        (pa.array(["w", None]).dictionary_encode(), "w"),
    ],
)
def test_decode(column, expected):
    values = PARQUET.decode(pa.chunked_array([column]))
    assert values == [expected, None]


def test_decode_never_raises_for_what_python_cannot_hold():
    column = pa.array([[1], None, []], pa.list_(pa.timestamp("ns")))
    values = PARQUET.decode(column)
    assert values[1] is None
    assert all(isinstance(value, tuple | list) for value in (values[0], values[2]))
