import base64
import datetime as dt
import decimal
import io
import itertools
import random
import subprocess
import sys
import textwrap

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import StorageError, UsageError
from scrubline.models.formats import FORMATS, Limits, Locator, parquet_groups, parquet_writer
from scrubline.models.formats.arrow_types import passing_schema
from scrubline.models.formats.parquet_sizes import cut_rows, is_over, row_bytes, string_paths
from scrubline.models.formats.parquet_writer import ROW_GROUP_ROWS
from scrubline.models.storage.storage import Storage

from ...examples import examples
from ...waiting import GUARD_SECONDS
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


SAID = "Quorvath"
"""What only metadata says; it must be nowhere in what is written."""

NOTED = {"comment": f"e.g. {SAID}", "PARQUET:field_id": "7", "scrubline:origin": SAID}


class Foreign(pa.ExtensionType):
    """An extension type that is not registered, and serialises free text."""

    def __init__(self, storage):
        super().__init__(storage, f"{SAID}.type")

    def __arrow_ext_serialize__(self):
        return SAID.encode()

    @classmethod
    def __arrow_ext_deserialize__(cls, storage, serialized):
        return cls(storage)


def noted(kind, name="element", nullable=True):
    return pa.field(name, kind, nullable, NOTED)


def extension(kind, values):
    return pa.ExtensionArray.from_storage(kind, pa.array(values, kind.storage_type))


UUIDS = [b"0123456789abcdef", None]
TENSOR = pa.fixed_shape_tensor(pa.int8(), [2], dim_names=[SAID])
DEEP = pa.struct([noted(pa.list_(noted(pa.struct([noted(WORDS, "w")]))), "l")])

WITH_METADATA = {
    "plain": (pa.array(["x", None]), pa.string()),
    "dictionary": (pa.array(["x", None]).dictionary_encode().cast(WORDS), WORDS),
    "list": (pa.array([["x"], None], pa.list_(noted(pa.string(), SAID))), pa.list_(pa.string())),
    "large list": (
        pa.array([["x"], None], pa.large_list(noted(pa.string(), SAID))),
        pa.large_list(pa.string()),
    ),
    "fixed list": (
        pa.array([["x"], ["y"]], pa.list_(noted(pa.string(), SAID), 1)),  # of Arrow, none is null
        pa.list_(pa.string(), 1),
    ),
    "map": (
        pa.array(
            [[("a", 1)], None],
            pa.map_(noted(pa.string(), SAID, False), noted(pa.int8(), SAID)),
        ),
        pa.map_(pa.string(), pa.int8()),
    ),
    "deep": (
        pa.array([{"l": [{"w": "x"}]}, None], DEEP),
        pa.struct([("l", pa.list_(pa.struct([("w", WORDS)])))]),
    ),
    "uuid": (extension(pa.uuid(), UUIDS), pa.uuid()),
    "json": (extension(pa.json_(), ["{}", None]), pa.json_()),
    "bool8": (extension(pa.bool8(), [1, None]), pa.bool8()),
    "tensor": (extension(TENSOR, [[1, 2], [3, 4]]), pa.list_(pa.int8(), 2)),
    "opaque": (extension(pa.opaque(pa.string(), SAID, SAID), ["x", None]), pa.string()),
    "foreign": (extension(Foreign(pa.int32()), [1, None]), pa.int32()),
    "foreign in a list": (
        pa.ListArray.from_arrays([0, 2], extension(Foreign(pa.int32()), [1, None])).take([0, None]),
        pa.list_(pa.int32()),
    ),
    "opaque in a struct": (
        pa.StructArray.from_arrays(
            [extension(pa.opaque(pa.string(), SAID, SAID), ["x", None])],
            fields=[noted(pa.opaque(pa.string(), SAID, SAID), "s")],
        ),
        pa.struct([("s", pa.string())]),
    ),
    "uuid in a map": (
        pa.MapArray.from_arrays([0, 1, 2], ["a", "b"], extension(pa.uuid(), UUIDS)),
        pa.map_(pa.string(), pa.uuid()),
    ),
    "zone": (pa.array([1, None], pa.timestamp("us", SAID)), pa.timestamp("us", "UTC")),
    "zones": (
        pa.array([[1], None], pa.list_(pa.timestamp("us", f"{SAID}/Bel"))),
        pa.list_(pa.timestamp("us", "UTC")),
    ),
    "offset": (pa.array([1, None], pa.timestamp("s", "+07:30")), pa.timestamp("ms", "+07:30")),
}  # fmt: skip
"""What is read, and the type in which it is written."""


def all_that_is_said(data):
    """The bytes of a Parquet file, and those of the Arrow schema in its footer, decoded."""
    metadata = pq.ParquetFile(io.BytesIO(data)).metadata
    stored = (metadata.metadata or {}).get(b"ARROW:schema", b"")
    return data + base64.b64decode(stored) + repr(metadata.metadata).encode()


@pytest.mark.parametrize("name", WITH_METADATA)
def test_metadata_of_fields_and_types_is_left_out_at_every_depth(name):
    column, expected = WITH_METADATA[name]
    field = pa.field("t", column.type, True, NOTED)
    schema = pa.schema([field], {b"pandas": f'{{"{SAID}": 1}}'.encode(), b"site": SAID.encode()})
    file = file_of(pa.table([column], schema=schema), compression="none")
    before = STORAGE.read_bytes(file.url)
    assert SAID.encode() in all_that_is_said(before)
    data = rewritten(file, ("t",))
    assert SAID.encode() not in all_that_is_said(data)
    after = content_of(data).schema
    assert not after.metadata
    assert after.field("t").type == expected
    assert after.field("t").metadata == {b"PARQUET:field_id": b"7"}
    values = content_of(data).column("t")
    assert PARQUET.cells(values) == PARQUET.cells(content_of(before).column("t"))
    for limits in (Limits(batch_documents=1), Limits(batch_documents=7)):
        assert rewritten(file, ("t",), limits=limits) == data


def test_a_number_of_a_field_that_is_none_is_left_out():
    field = pa.field("t", pa.string(), True, {"PARQUET:field_id": SAID})
    assert passing_schema(pa.schema([field])).field("t").metadata is None


def test_files_that_differ_in_comments_alone_share_a_part():
    def token(metadata):
        inner = pa.field("element", pa.string(), True, metadata)
        field = pa.field("t", pa.list_(inner), True, metadata)
        table = pa.table([pa.array([["x"]], field.type)], schema=pa.schema([field]))
        return PARQUET.schema_token(STORAGE, file_of(table))

    assert token(None) == token({"comment": SAID})


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
    monkeypatch.setattr(parquet_groups, "HOLD_BYTES", hold)
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


@given(st.lists(st.integers(0, 20), max_size=30), st.integers(1, 6), st.integers(1, 40))
def test_cuts(sizes, most_rows, most_bytes):
    ends = cut_rows(np.array(sizes, np.int64), most_rows, most_bytes)
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
    monkeypatch.setattr(parquet_writer, "ROW_GROUP_BYTES", 50_000)
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


@examples(40)
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


# -- what unpacks to more than it may


def folded(values, count):
    """A column that names values, of a dictionary, over and over."""
    indices = pa.array([n % len(values) for n in range(count)], pa.int32())
    return pa.DictionaryArray.from_arrays(indices, pa.array(values))


def errors_of(file, columns, limits=Limits()):  # noqa: B008 - frozen
    """The error of each row, None for none."""
    read = read_all(PARQUET, file, columns, limits=limits)
    return [one if isinstance(one, str) else None for one in read]


def bomb(kind, value_bytes, count):
    """A file of some kB with `count` values of so many bytes."""
    big = "x" * value_bytes
    options = {"dictionary_pagesize_limit": 1 << 30}
    if kind == "nested":
        column = pa.ListArray.from_arrays(pa.array([0, count], pa.int32()), folded([big], count))
    elif kind == "delta":
        column = pa.array([big] * count)
        options = {
            "use_dictionary": False,
            "column_encoding": {"id": "PLAIN", "text": "DELTA_BYTE_ARRAY"},
        }
    else:
        column = folded([big], count)
    ids = pa.array([str(n) for n in range(len(column))])
    sink = io.BytesIO()
    table = pa.table([ids, column], ["id", "text"])
    pq.write_table(table, sink, compression="zstd", store_schema=kind == "typed", **options)
    return sink.getvalue()


@pytest.mark.parametrize("kind", ["plain", "typed", "nested", "delta"])
def test_a_row_group_that_unpacks_to_too_much_is_over_budget(kind):
    content = bomb(kind, 1_000_000, 80)
    assert len(content) < 20_000
    file = put("bomb.parquet", content)
    rows = pq.read_metadata(io.BytesIO(content)).num_rows
    for limits in (Limits(), Limits(batch_documents=1, batch_bytes=1)):
        found = errors_of(file, ("id", "text"), limits)
        assert found == ["OverBudget:unpacked"] * rows
    wide = Limits(unpacked_ratio=10**6)
    assert errors_of(file, ("id", "text"), wide) == [None] * rows
    # The column that is not read unpacks to little.
    assert errors_of(file, ("id",)) == [None] * rows


@pytest.mark.parametrize("kind", ["plain", "typed", "nested"])
def test_it_is_found_in_little_memory(kind, tmp_path):
    """45 GB, found in an address space of 3: never is the group unpacked, nor memory short."""
    (tmp_path / "bomb.parquet").write_bytes(bomb(kind, 15_000_000, 3000))
    code = f"""
        import resource
        from collections import Counter
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
        from scrubline.models.formats import FORMATS, Limits, Locator
        from scrubline.models.storage.storage import Storage
        storage = Storage()
        [file] = storage.list_files([{str(tmp_path / "bomb.parquet")!r}])
        chunks = FORMATS["parquet"].read(
            storage, file, Locator(0, 0, 1, file.size), ("id", "text"), Limits()
        )
        print(Counter(error for chunk in chunks for error in chunk.errors.values()))
    """
    out = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=GUARD_SECONDS,
    )
    rows = 1 if kind == "nested" else 3000
    assert out.stdout == f"Counter({{'OverBudget:unpacked': {rows}}})\n", out.stderr


def test_a_row_group_beside_one_that_is_over_budget_is_read():
    good = pa.table({"id": ["a", "b"], "text": ["good", "too"]})
    bad = pa.table({"id": ["c"] * 80, "text": folded(["x" * 1_000_000], 80).cast(pa.string())})
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, good.schema, dictionary_pagesize_limit=1 << 30) as writer:
        writer.write_table(good)
        writer.write_table(bad)
        writer.write_table(good)
    assert errors_of(put("three.parquet", sink.getvalue()), ("id", "text")) == [
        *(None, None),
        *["OverBudget:unpacked"] * 80,
        *(None, None),
    ]


@pytest.mark.parametrize("name", COLUMNS)
def test_sizes_of_folded_columns_are_those_of_the_values(name):
    array = COLUMNS[name]
    sink = io.BytesIO()
    pq.write_table(pa.table([array], [name]), sink)
    paths = string_paths(pq.ParquetFile(sink))
    measured = pq.ParquetFile(sink, read_dictionary=paths)
    size = int(row_bytes(pq.read_table(sink)).sum())
    assert not is_over(measured, 0, [name], max(4 * size, 2000))
    grown = pa.concat_arrays([array] * 5000)
    sink = io.BytesIO()
    pq.write_table(pa.table([grown], [name]), sink)
    measured = pq.ParquetFile(sink, read_dictionary=paths)
    assert is_over(measured, 0, [name], 5000 * size // 8) or pa.types.is_null(array.type)
