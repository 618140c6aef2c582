"""What every format promises whose cells may hold others: open then close keeps every value."""

import io
import itertools
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.formats import FORMATS, Limits
from scrubline.models.formats.column_roles import Columns
from scrubline.models.formats.gzipped import GzipSink
from scrubline.models.formats.nested_texts import nested_texts, open_nested, with_texts

from .test_contract import STORAGE, put

NESTED = tuple(
    name for name, form in FORMATS.items() if form.nesting is not None and not form.traits.record
)
ROLES = {
    "id": "id",
    "note.text": "text",
    "note.ward": "pass",
    "items[].t": "text",
    "items[].n": "pass",
    "deep[].inner[]": "text",
    "meta{}.key": "pass",
    "meta{}.value": "text",
}
SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("note", pa.struct([("text", pa.string()), ("ward", pa.string())])),
        ("items", pa.list_(pa.struct([("t", pa.string()), ("n", pa.int64())]))),
        ("deep", pa.large_list(pa.struct([("inner", pa.list_(pa.string()))]))),
        ("meta", pa.map_(pa.string(), pa.string())),
    ]
)


def row(number, note=None, items=None, deep=None, meta=None):
    return {"id": number, "note": note, "items": items, "deep": deep, "meta": meta}


ROWS = [
    row(0),
    row(1, {"text": "a", "ward": "W"}, [{"t": "b", "n": 1}, None, {"t": "c", "n": None}]),
    row(2, {"text": None, "ward": None}, [], [], {}),
    row(3, {"text": "", "ward": "V"}, [{"t": None, "n": 2}], [{"inner": ["d", None, "e"]}]),
    row(4, None, None, [None, {"inner": None}, {"inner": []}], {"k": "f", "l": None}),
    row(5, {"text": "ü \u2028", "ward": "x"}, None, [{"inner": ["g"]}, {"inner": ["h"]}]),
]
PLACES = [
    {"note.text": None, "items[].t": None, "deep[].inner[]": None, "meta{}.value": None},
    {
        "note.text": "a",
        "items[0].t": "b",
        "items[2].t": "c",
        "deep[].inner[]": None,
        "meta{}.value": None,
    },
    {"note.text": None, "items[].t": None, "deep[].inner[]": None, "meta{}.value": None},
    {
        "note.text": "",
        "items[].t": None,
        "deep[0].inner[0]": "d",
        "deep[0].inner[2]": "e",
        "meta{}.value": None,
    },
    {"note.text": None, "items[].t": None, "deep[].inner[]": None, "meta{0}.value": "f"},
    {
        "note.text": "ü \u2028",
        "items[].t": None,
        "deep[0].inner[0]": "g",
        "deep[1].inner[0]": "h",
        "meta{}.value": None,
    },
]


def file_of(name, rows=ROWS, schema=SCHEMA):
    sink = io.BytesIO()
    if name == "parquet":
        given = [
            {n: list(v.items()) if n == "meta" and v is not None else v for n, v in one.items()}
            for one in rows
        ]
        pq.write_table(pa.Table.from_pylist(given, schema), sink, row_group_size=2)
        return put("a.parquet", sink.getvalue())
    lines = "".join(json.dumps(one) + "\n" for one in rows).encode()
    if name == "jsonl":
        return put("a.jsonl", lines)
    assert name == "jsonl.gz"
    with GzipSink(sink_of(sink)) as packed:
        packed.write(lines)
    return put("a.jsonl.gz", sink.getvalue())


class sink_of:  # noqa: N801 - a file that stays open
    def __init__(self, sink):
        self.write = sink.write

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None


def chunks(form, file, columns, limits=Limits()):  # noqa: B008
    for locator in form.plan(STORAGE, 0, file, 1 << 30, limits):
        yield from form.read(STORAGE, file, locator, columns.inputs, limits)


@pytest.fixture(params=NESTED)
def form(request):
    return FORMATS[request.param]


COLUMNS = Columns.parse(list(ROLES.items())).resolved(SCHEMA.names)


def test_formats_with_nested_cells():
    assert set(NESTED) == {"jsonl", "jsonl.gz", "parquet"}


def test_each_value_has_a_place(form):
    found = []
    for chunk in chunks(form, file_of(form.name), COLUMNS):
        rows = [{} for _ in range(chunk.columns.num_rows)]
        opened = open_nested(form, COLUMNS, chunk.columns)
        for texts in nested_texts(form, COLUMNS, opened).values():
            for text in texts:
                assert text.is_text
                rows[text.row][text.place] = text.value
        found += [{p: v for p, v in one.items() if v is not None} for one in rows]
    assert found == [{p: v for p, v in one.items() if v is not None} for one in PLACES]


def python(form, table):
    if form.name == "parquet":
        return table.to_pylist()
    return [
        {n: None if raw is None else json.loads(raw) for n, raw in one.items()}
        for one in table.to_pylist()
    ]


def test_closed_with_its_own_values_a_column_is_as_it_was(form):
    for chunk in chunks(form, file_of(form.name), COLUMNS):
        table = chunk.columns
        for name, column in open_nested(form, COLUMNS, table).items():
            assert column.errors == {}
            cells = {leaf: one.cells for leaf, one in column.leaves.items()}
            closed = column.closed(cells)
            field = column.field(table.schema.field(name), cells)
            assert closed.type == field.type
            made = pa.table([closed], schema=pa.schema([field]))
            made.validate(full=True)
            assert python(form, made) == python(form, table.select([name]))


def test_texts_are_replaced_in_their_place_and_all_else_stays(form):
    for documents in (1, 2, 1000):
        made = []
        limits = Limits(batch_documents=documents)
        for chunk in chunks(form, file_of(form.name), COLUMNS, limits):
            texts = {}
            opened = open_nested(form, COLUMNS, chunk.columns)
            for of_path in nested_texts(form, COLUMNS, opened).values():
                texts |= {(t.row, t.place): f"<{t.value}>" for t in of_path if t.value is not None}
            made += python(form, with_texts(form, COLUMNS, chunk.columns, texts))
        assert made[0] == python_row(form, ROWS[0])
        assert made[1]["note"] == {"text": "<a>", "ward": "W"}
        assert made[1]["items"] == [{"t": "<b>", "n": 1}, None, {"t": "<c>", "n": None}]
        assert made[2] == python_row(form, ROWS[2])
        assert made[3]["note"]["text"] == "<>"
        assert made[3]["items"] == [{"t": None, "n": 2}]
        assert made[3]["deep"] == [{"inner": ["<d>", None, "<e>"]}]
        assert made[4]["deep"] == [None, {"inner": None}, {"inner": []}]
        assert dict(made[4]["meta"]) == {"k": "<f>", "l": None}


def python_row(form, one):
    if form.name == "parquet":
        meta = None if one["meta"] is None else list(one["meta"].items())
        return one | {"meta": meta}
    return one


def test_a_text_that_was_not_scrubbed_does_not_stay(form):
    for chunk in chunks(form, file_of(form.name), COLUMNS):
        made = str(python(form, with_texts(form, COLUMNS, chunk.columns, {})))
        assert not any(f"'{text}'" in made for text in "abcdefgh")


def test_what_is_left_out_leaves_nothing(form):
    leaves = [name for name in ROLES if name != "id"]
    for gone in itertools.chain([[*leaves]], ([leaf] for leaf in leaves)):
        for chunk in chunks(form, file_of(form.name), COLUMNS):
            for name, column in open_nested(form, COLUMNS, chunk.columns).items():
                cells = {leaf: o.cells for leaf, o in column.leaves.items() if leaf not in gone}
                closed = column.closed(cells)
                if not cells or (name == "meta" and len(cells) < 2):
                    assert closed is None
                    continue
                field = column.field(chunk.columns.schema.field(name), cells)
                assert closed.type == field.type
                made = str(python(form, pa.table([closed], schema=pa.schema([field]))))
                for leaf in gone:
                    assert f"'{leaf.rpartition('.')[2]}'" not in made or leaf.endswith("[]")


def test_the_rows_of_a_written_part_name_places(form):
    parts = {}

    class Sink(io.BytesIO):
        def __exit__(self, *error):
            parts[self.name] = self.getvalue()

    def open_part(name):
        sink = Sink()
        sink.name = name
        return sink

    writer = form.writer(open_part, "u")
    for chunk in chunks(form, file_of(form.name), COLUMNS):
        table = chunk.columns.drop_columns(["id"])
        keys = form.encode_text(["k"] * table.num_rows, pa.string())
        writer.write(table.add_column(0, "doc_key", keys))
    writer.close()
    ((name, data),) = parts.items()
    rows = list(form.part_rows(STORAGE, put(name, data), COLUMNS))
    assert [one.texts for one in rows] == PLACES
    assert all(one.doc_key == "k" for one in rows)
    assert set(rows[0].cells) == {"note", "items", "deep", "meta"}


LEAVES = {
    *("note.text", "note.ward", "items[].t", "items[].n", "deep[].inner[]"),
}


def test_leaves_are_named(form):
    for chunk in itertools.islice(chunks(form, file_of(form.name), COLUMNS), 1):
        found = {
            path
            for name in SCHEMA.names
            for path in form.nesting.leaf_paths(chunk.columns.column(name), name)
        }
    if form.name == "parquet":
        assert found == {*LEAVES, "id", "meta{}.key", "meta{}.value"}
    else:  # where objects have no types, entries are fields
        assert found == {*LEAVES, "id", "meta.k", "meta.l"}


@pytest.mark.parametrize("left_out", ["note.text", "note.ward", "items[].t", "items[].n", "meta"])
def test_a_value_without_a_role_is_refused(form, left_out):
    roles = {n: role for n, role in ROLES.items() if not n.startswith(left_out)}
    if left_out == "meta":
        roles |= {"meta.other": "drop"}
    columns = Columns.parse(list(roles.items())).resolved(SCHEMA.names)
    with pytest.raises(UsageError, match="without a declared role") as caught:
        form.check_types(STORAGE, file_of(form.name), columns)
    assert left_out not in str(caught.value)
    assert left_out == "meta" or f"--column '{left_out}=ROLE'" in caught.value.on_terminal.replace(
        f"--column {left_out}=ROLE", f"--column '{left_out}=ROLE'"
    )


def test_all_declared_is_accepted(form):
    form.check_types(STORAGE, file_of(form.name), COLUMNS)


# -- JSON


def opened(raw, roles):
    columns = Columns.parse([("id", "id"), ("t", "text"), *roles.items()]).resolved(["n"])
    table = pa.table({"n": pa.array([raw], pa.string())})
    return open_nested(FORMATS["jsonl"], columns, table)["n"]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ('"text"', "UndeclaredColumn"),
        ("[1]", "UndeclaredColumn"),
        ("5", "UndeclaredColumn"),
        ('{"b": 1}', "UndeclaredColumn"),
        ('{"a": 1, "a": 2}', "DuplicateKey"),
        ('{"a": 1, "l": {}}', "UndeclaredColumn"),
        ('{"a": 1, "l": [[1]]}', "UndeclaredColumn"),
        ("null", None),
        ("{}", None),
        ('{"a": {"x": [1, 2]}, "l": []}', None),
        ('{"l": [null, {"b": "x"}]}', None),
    ],
)
def test_mixed_types_are_errors_of_their_row(raw, code):
    column = opened(raw, {"n.a": "pass", "n.l[].b": "text"})
    assert column.errors == ({0: code} if code else {})
    if code:
        assert all(not leaf.rows for leaf in column.leaves.values())


def test_raw_values_pass_as_written():
    raw = '{ "a" : 1.10 , "l":[ {"b":1e400},{"b": "\\u0041" } ]}'
    column = opened(raw, {"n.a": "pass", "n.l[].b": "pass"})
    cells = {name: leaf.cells for name, leaf in column.leaves.items()}
    expected = '{"a": 1.10, "l": [{"b": 1e400}, {"b": "\\u0041"}]}'
    assert column.closed(cells).to_pylist() == [expected]


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(JSON)
def test_nothing_undeclared_comes_out_of_any_value(value):
    roles = {"n.a": "pass", "n.l[].b": "pass", "n.l[].m{}.key": "pass", "n.l[].m{}.value": "drop"}
    column = opened(json.dumps(value), roles)
    cells = {name: leaf.cells for name, leaf in column.leaves.items() if name == "n.a"}
    made = column.closed(cells).to_pylist()[0]
    if made is not None and isinstance(value, dict):
        assert json.loads(made) == {k: v for k, v in value.items() if k == "a"}
    elif made is not None:
        assert value is None


# -- Parquet


def parquet(kind, values, roles, field=None):
    sink = io.BytesIO()
    table = pa.table([pa.array(values, kind)], schema=pa.schema([field or pa.field("n", kind)]))
    pq.write_table(table, sink)
    file = put("n.parquet", sink.getvalue())
    form = FORMATS["parquet"]
    columns = Columns.parse([("id", "id"), ("t", "text"), *roles.items()]).resolved(["n"])
    form.check_types(STORAGE, file, columns)
    (locator,) = form.plan(STORAGE, 0, file, 1 << 30, Limits())
    (chunk,) = form.read(STORAGE, file, locator, ("n",), Limits())
    return form, columns, chunk.columns


@pytest.mark.parametrize(
    ("kind", "values", "roles"),
    [
        (pa.list_(pa.string(), 2), [["a", None], ["b", "c"]], {"n[]": "text"}),
        (pa.struct([("a", pa.string_view())]), [{"a": "x"}, None], {"n.a": "text"}),
        (pa.list_(pa.list_(pa.large_string())), [[["a"], [], None], []], {"n[][]": "text"}),
        (
            pa.struct([("a", pa.dictionary(pa.int8(), pa.string())), ("b", pa.timestamp("ns"))]),
            [{"a": "x", "b": 1000}, {"a": None, "b": None}],
            {"n.a": "text", "n.b": "pass"},
        ),
        (
            pa.struct([pa.field("a", pa.string(), nullable=False)]),
            [{"a": "x"}, None],
            {"n.a": "text"},
        ),
        (pa.struct([("a", pa.null())]), [{"a": None}], {"n.a": "text"}),
        (pa.null(), [None, None], {"n.a": "text"}),
    ],
    ids=str,
)
def test_types_are_kept(kind, values, roles):
    form, columns, table = parquet(kind, values, roles)
    column = open_nested(form, columns, table)["n"]
    texts = {
        (t.row, t.place): t.value
        for found in nested_texts(form, columns, {"n": column}).values()
        for t in found
        if t.value is not None
    }
    made = with_texts(form, columns, table, texts)
    assert made.to_pylist() == table.to_pylist()
    written = {}

    class Sink(io.BytesIO):
        def __exit__(self, *error):
            written["n"] = self.getvalue()

    writer = form.writer(lambda name: Sink(), "u")
    writer.write(made)
    writer.close()
    back = pq.read_table(io.BytesIO(written["n"]))
    assert back.to_pylist() == table.to_pylist()
    if kind != pa.struct([pa.field("a", pa.string(), nullable=False)]):
        assert back.schema.field("n").type.equals(kind) or pa.types.is_list(kind)


@pytest.mark.parametrize(
    ("kind", "roles", "said"),
    [
        (pa.struct([("a", pa.int64())]), {"n.a": "text"}, "does not accept its type int64"),
        (pa.struct([("a", pa.bool_())]), {"n.a": "hash"}, "does not accept its type bool"),
        (pa.string(), {"n.a": "text"}, "without a declared role"),
        (pa.list_(pa.string()), {"n.a": "text"}, "without a declared role"),
        (pa.struct([("a", pa.string())]), {"n[].a": "text"}, "without a declared role"),
        (pa.map_(pa.string(), pa.string()), {"n.key": "text"}, "without a declared role"),
        (pa.struct([("a", pa.struct([("b", pa.string())]))]), {"n.a": "text"}, "its type struct"),
    ],
)
def test_roles_that_do_not_fit_are_refused(kind, roles, said):
    with pytest.raises(UsageError, match=said):
        parquet(kind, [], roles)
