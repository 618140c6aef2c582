import decimal
import io
import json
import random

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scrubline.models.core.errors import DocumentError
from scrubline.models.formats import FORMATS, Limits, Locator
from scrubline.models.formats.jsonl import MAX_DEPTH, lines_of, scan_record
from scrubline.models.storage.storage import Storage

from ...examples import examples
from .test_contract import STORAGE, Parts, put, read_all

JSONL = FORMATS["jsonl"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("{}", {}),
        (' { } \r', {}),
        ('{"a":1}', {"a": "1"}),
        ('{"a": 1.10, "b": 1e400}', {"a": "1.10", "b": "1e400"}),
        ('{"c": -0, "d": 1E+2}', {"c": "-0", "d": "1E+2"}),
        ('{"a" :\t"\\u00e9\\/\\n" , "b": "é"}', {"a": '"\\u00e9\\/\\n"', "b": '"é"'}),
        ('{"a": [1, {"a": 2, "a": 3}]}', {"a": '[1, {"a": 2, "a": 3}]'}),
        ('{"b": {"x" : null}}', {"b": '{"x" : null}'}),
        ('{"a": null, "b": true, "c": false}', {"a": "null", "b": "true", "c": "false"}),
        ('{"\\u0061b": 1, "": 2}', {"ab": "1", "": "2"}),
        ('{"a": "\\ud800"}', {"a": '"\\ud800"'}),
        ('{"a": ' + "9" * 5000 + "}", {"a": "9" * 5000}),
        ('{"a": "]]}\\"["}', {"a": '"]]}\\"["'}),
        ('{"a": "\u2028\x85\x7f"}', {"a": '"\u2028\x85\x7f"'}),
    ],
)  # fmt: skip
def test_values_are_verbatim(line, expected):
    assert scan_record(line) == expected


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", "BadJson"),
        ('{"a"}', "BadJson"),
        ('{"a":}', "BadJson"),
        ('{"a":1,}', "BadJson"),
        ('{"a":1 "b":2}', "BadJson"),
        ('{,"a":1}', "BadJson"),
        ("{'a':1}", "BadJson"),
        ('{a:1}', "BadJson"),
        ('{"a":1} x', "BadJson"),
        ('{"a":1}{"a":1}', "BadJson"),
        ('{"a":1}\x00', "BadJson"),
        ('{"a":NaN}', "BadJson"),
        ('{"a":[Infinity]}', "BadJson"),
        ('{"a":-Infinity}', "BadJson"),
        ('{"a":01}', "BadJson"),
        ('{"a":1.}', "BadJson"),
        ('{"a":+1}', "BadJson"),
        ('{"a":.5}', "BadJson"),
        ('{"a":١}', "BadJson"),
        ('{"a":tru}', "BadJson"),
        ('{"a":"x\ty"}', "BadJson"),
        ('{"a":"x\x00"}', "BadJson"),
        ('{"a":"\\x"}', "BadJson"),
        ('{"a":"\\u12"}', "BadJson"),
        ('{"a":"x', "BadJson"),
        ('{"a":[1}', "BadJson"),
        ('\ufeff{"a":1}', "BadJson"),
        ('\u00a0{"a":1}', "BadJson"),
        ("nonsense", "BadJson"),
        ("[1", "BadJson"),
        ("[1] 2", "BadJson"),
        ("[1]", "NotAnObject"),
        ('"text"', "NotAnObject"),
        ("1", "NotAnObject"),
        (" null ", "NotAnObject"),
        ('{"a":1,"a":1}', "DuplicateKey"),
        ('{"a":1,"\\u0061":2}', "DuplicateKey"),
        ('{"a":1,"a":}', "BadJson"),
        ('{"a":' + "[" * 100_000 + "}", "OverBudget:depth"),
        ('{"a":' + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1) + "}", "OverBudget:depth"),
        ("[" * 100_000, "OverBudget:depth"),
        ('{"a":' + '{"a":' * 100_000 + "}", "OverBudget:depth"),
    ],
)  # fmt: skip
def test_what_is_no_strict_object_is_an_error(line, code):
    with pytest.raises(DocumentError) as caught:
        scan_record(line)
    assert caught.value.code == code
    assert caught.value.__context__ is None


def test_depth_counts_brackets_outside_of_strings():
    brackets = json.dumps(["[{" * 500, '\\"[' * 500])
    assert scan_record(f'{{"a": {brackets}}}') == {"a": brackets}
    deepest = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert scan_record(f'{{"a": {deepest}, "b": [{"[]," * 999}[]]}}')["a"] == deepest


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(
    st.dictionaries(st.text(), json_values, max_size=5), st.booleans(), st.sampled_from([None, 1])
)
def test_scanning_agrees_with_the_json_module(record, ascii_only, indent):
    text = json.dumps(record, ensure_ascii=ascii_only, indent=indent)
    found = scan_record(text)
    assert {key: json.loads(raw) for key, raw in found.items()} == record
    assert all(raw in text for raw in found.values())


@given(st.text(alphabet='{}[]":,\\u0aée1-.+ \t\r\x00NIf', max_size=30))
@example('{"a":1}')
def test_scanning_refuses_what_the_json_module_refuses(text):
    def strict(pairs):
        if len(dict(pairs)) != len(pairs):
            raise ValueError
        return dict(pairs)

    def refuse(word):
        raise ValueError

    try:
        value = json.loads(text, parse_constant=refuse)
    except ValueError:
        value = None
    try:
        found = scan_record(text)
    except DocumentError as error:
        if error.code != "DuplicateKey":
            assert not isinstance(value, dict)
    else:
        assert found.keys() == value.keys()


# -- lines and ranges


def test_every_split_of_a_small_file():
    lines = [
        '{"t": "é🙂"}',
        "",
        '{"t": 1}\r',
        " \t\r",
        "broken é",
        '{"t": "\u2028\x85"}',
        "{}",
        '{"t":2}',
    ]
    for data in ("\n".join(lines), "\ufeff" + "\n".join(lines) + "\n", "\n\n" + "\r\n".join(lines)):
        raw = data.encode()
        file = put("a.jsonl", raw)
        whole = read_all(JSONL, file, ("t",))
        assert whole == [('"é🙂"',), ("1",), "BadJson", ('"\u2028\x85"',), (None,), ("2",)]
        for split_bytes in range(1, len(raw) + 2):
            assert read_all(JSONL, file, ("t",), split_bytes=split_bytes) == whole


class _Blocks(Storage):
    """Serves a byte string in blocks of a given size."""

    def __init__(self, data, step):
        object.__setattr__(self, "_data", (data, step))

    def read_blocks(self, url, start, end, block_bytes=0):
        data, step = self._data
        for at in range(start, min(end, len(data)), step):
            yield data[at : min(at + step, end)]


class _File:
    url = "x"

    def __init__(self, size):
        self.size = size


@examples(300)
@given(
    st.lists(st.binary(max_size=12).map(lambda b: b.replace(b"\n", b"")), max_size=8),
    st.booleans(),
    st.integers(1, 9),
    st.integers(1, 30),
    st.integers(1, 14),
)
def test_lines_belong_to_the_range_they_start_in(lines, ended, step, split, line_bytes):
    data = b"\n".join(lines) + (b"\n" if ended else b"")
    expected, at = [], 0
    for line in data.split(b"\n"):
        if at < len(data):
            expected.append((at, line if len(line) <= line_bytes else None))
        at += len(line) + 1
    found = []
    for start in range(0, len(data), split):
        end = min(start + split, len(data))
        blocks = _Blocks(data, step)
        found += list(lines_of(blocks, _File(len(data)), start, end, line_bytes))
    assert found == expected


def test_a_line_over_budget_is_an_error_and_is_not_held():
    lines = ['{"t": "a"}', '{"t": "' + "b" * 5_000_000 + '"}', '{"t": "c"}']
    file = put("long.jsonl", "\n".join(lines).encode())
    limits = Limits(line_bytes=1_000_000)
    expected = [('"a"',), "OverBudget:line", ('"c"',)]
    for split_bytes in (1 << 30, 1_000_000, 700_001):
        assert read_all(JSONL, file, ("t",), limits=limits, split_bytes=split_bytes) == expected
    exact = len(lines[1])
    assert read_all(JSONL, file, ("t",), limits=Limits(line_bytes=exact))[1] == (lines[1][6:-1],)
    assert (
        read_all(JSONL, file, ("t",), limits=Limits(line_bytes=exact - 1))[1] == "OverBudget:line"
    )


def test_a_range_reads_little_beyond_its_end():
    read = []

    class Counting(Storage):
        def read_blocks(self, url, start, end, block_bytes=0):
            for block in super().read_blocks(url, start, end, block_bytes):
                read.append(len(block))
                yield block

    file = put("big.jsonl", b'{"t": "0123456789"}\n' * 500_000)
    rows = 0
    for chunk in JSONL.read(Counting(), file, Locator(0, 1000, 2000, 1000), ("t",), Limits()):
        rows += chunk.columns.num_rows
    assert rows == 50 and sum(read) < 400_000


def test_errors_by_line():
    file = put(
        "e.jsonl",
        b'{"t":1}\n{"t":1,"x":2}\n{"t":"\xff"}\n[1]\n{"t":1,"t":2}\n{"t"\n\x00\n{"t":"\xed\xa0\x80"}\n{}',
    )
    assert read_all(JSONL, file, ("t",)) == [
        ("1",),
        "UndeclaredColumn",
        "BadEncoding",
        "NotAnObject",
        "DuplicateKey",
        "BadJson",
        "BadJson",
        "BadEncoding",
        (None,),
    ]


# -- columns


def test_columns_by_first_appearance():
    file = put("c.jsonl", b'\xef\xbb\xbf{"b":1}\nbroken\n[1]\n{"a":1,"b":2}\n{"\\ud800":1,"c":1}')
    assert JSONL.columns(STORAGE, file) == ("b", "a", "c")
    assert JSONL.columns(STORAGE, put("none.jsonl", b"")) == ()


def test_columns_look_at_the_beginning_alone_but_at_one_record_at_least():
    late = put("l.jsonl", b'{"a":1}\n' * 40_000 + b'{"z":1}\n')
    assert JSONL.columns(STORAGE, late) == ("a",)
    long = put("w.jsonl", b'{"a":"' + b"x" * 900_000 + b'"}\n{"z":1}\n')
    assert JSONL.columns(STORAGE, long) == ("a",)


# -- values and writing


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (None, None),
        ("null", None),
        ('"a\\n\\u00e9"', "a\né"),
        ('"\\ud800"', "\ud800"),
        ("7", 7),
        ("-12345678901234567890", -12345678901234567890),
        ("1.10", decimal.Decimal("1.10")),
        ("1e400", decimal.Decimal("1e400")),
        ("1e99999999", float("inf")),
        ("1e-99999999", 0.0),
        ("1e9999999999999999999999", float("inf")),
        ("9" * 5000, decimal.Decimal("9" * 5000)),
        ("true", True),
        ('[1, "a"]', [1, "a"]),
        ('{"a": null}', {"a": None}),
    ],
)
def test_decode(raw, expected):
    (value,) = JSONL.decode(pa.array([raw], pa.string()))
    assert value == expected and type(value) is type(expected)


@given(st.lists(st.none() | st.text(st.characters(codec=None)), max_size=5))
def test_texts_round_trip_even_with_lone_surrogates(texts):
    cells = JSONL.encode_text(texts, pa.string())
    assert JSONL.decode(cells) == texts


def test_lines_as_written():
    parts = Parts()
    writer = JSONL.writer(parts.open, "u")
    writer.write(
        pa.table(
            {
                "doc_key": pa.array(['"k1"', '"k2"']),
                'odd "é\n': pa.array(["1.10", None], pa.string()),
                "text": pa.array(['"\\u00e9"', "null"]),
            }
        )
    )
    writer.close()
    assert parts == {
        "u.jsonl": (
            '{"doc_key": "k1", "odd \\"é\\n": 1.10, "text": "\\u00e9"}\n'
            '{"doc_key": "k2", "text": null}\n'
        ).encode()
    }
    with pytest.raises(TypeError, match="raw JSON"):
        JSONL.writer(lambda name: io.BytesIO(), "u").write(pa.table({"a": [1]}))


@examples(60)
@given(
    st.lists(st.dictionaries(st.sampled_from("abc"), json_values), max_size=6), st.integers(1, 40)
)
def test_write_of_read_keeps_every_value(records, split_bytes):
    lines = [json.dumps(r, ensure_ascii=bool(i % 2)) for i, r in enumerate(records)]
    file = put("r.jsonl", "\n".join(lines).encode())
    parts = Parts()
    writer = JSONL.writer(parts.open, "u")
    for locator in JSONL.plan(STORAGE, 0, file, split_bytes, Limits()):
        for chunk in JSONL.read(STORAGE, file, locator, ("a", "b", "c"), Limits()):
            assert not chunk.errors
            writer.write(chunk.columns)
    writer.close()
    written = parts.get("u.jsonl", b"").decode().split("\n")[:-1]
    assert [scan_record(line) for line in written] == [scan_record(line) for line in lines]


def test_big_file_by_ranges_on_disk(tmp_path):
    draw = random.Random(5)
    lines = [
        json.dumps({"i": i, "t": "né" * draw.randrange(300)}, ensure_ascii=False)
        for i in range(6000)
    ]
    (tmp_path / "b.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (file,) = STORAGE.list_files([str(tmp_path)])
    for split_bytes in (1 << 30, 200_000, 17_171):
        assert [r[0] for r in read_all(JSONL, file, ("i", "t"), split_bytes=split_bytes)] == [
            str(i) for i in range(6000)
        ]
