import csv
import dataclasses
import gzip
import io
import itertools
import string
import tracemalloc

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.formats import ENCODINGS, FORMATS, FormatOptions, Limits, open_format
from scrubline.models.formats.column_roles import Columns
from scrubline.models.formats.csv_scan import RecordScan, cut_at_records, read_records
from scrubline.models.formats.delimited import (
    HEADER_BYTES,
    MOST_COLUMNS,
    Delimited,
)
from scrubline.models.formats.encodings import is_single_byte
from scrubline.models.storage.storage import Storage

from ...examples import examples
from ...growth import assert_linear
from .test_contract import STORAGE, Parts, put, read_all

CSV, TSV = FORMATS["csv"], FORMATS["tsv"]

DIALECTS = {
    "comma": FormatOptions(),
    "pipes and escapes": FormatOptions(delimiter="|", escape="\\"),
    "without quotes": FormatOptions(delimiter="\x01", quote=""),
    "single quotes": FormatOptions(delimiter=";", quote="'"),
    "odd signs": FormatOptions(delimiter="^", quote="]", escape="-"),
    "headerless": FormatOptions(header=False),
}


@pytest.fixture(params=DIALECTS.values(), ids=DIALECTS.keys())
def dialect(request):
    return CSV.configured(request.param)


def records(form, data, columns=None, **more):
    """The records of a file's content; None for columns that the file says itself."""
    file = put(f"x{form.suffixes[0]}", data)
    return read_all(form, file, columns or form.columns(STORAGE, file), **more)


def written(form, columns, rows):
    """The one file that a writer makes."""
    table = pa.table([pa.array(list(c), pa.string()) for c in zip(*rows, strict=True)], columns)
    parts = Parts()
    writer = form.writer(parts.open, "u")
    writer.write(table)
    writer.close()
    (data,) = parts.values()
    return data


# -- cells


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("1,2,3", ("1", "2", "3")),
        (" 1 ,\t,3 ", (" 1 ", "\t", "3 ")),
        (",,", (None, None, None)),
        ('"","",""', ("", "", "")),
        ('"a","b,c","d\ne"', ("a", "b,c", "d\ne")),
        ('"a\r\nb\rc",",""",x', ("a\r\nb\rc", ',"', "x")),
        ('"""","""a""","a""b"', ('"', '"a"', 'a"b')),
        ("5'10\" tall,a\"b\"c,\"", None),
        ("5'10\" tall,a\"b\"c,x\"", ("5'10\" tall", 'a"b"c', 'x"')),
        (' "a",b,c', (' "a"', "b", "c")),
        ("a\rb,\r,c\rd", ("a\rb", "\r", "c\rd")),
        ("\0,\ufeff,🙂é\u2028\x85\x0b\x1a", ("\0", "\ufeff", "🙂é\u2028\x85\x0b\x1a")),
        ("=1+1,+2,@x", ("=1+1", "+2", "@x")),
        ("\\N,NULL,\\\"", ("\\N", "NULL", '\\"')),
        ("1,2", None),
        ("1,2,3,4", None),
        (" ", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_cells(line, expected, end):
    for head in ("a,b,c\n", "a,b,c\r\n", "\ufeffa,b,c\n", '\ufeff"a",b,"c"\r\n', "\n\r\na,b,c\n\n"):
        found = records(CSV, (head + line + end).encode())
        if line.endswith('"') and expected is None:
            assert found == ["BadQuote"]
        else:
            assert found == [expected or "WrongCellCount"]


@pytest.mark.parametrize("end", ["\r", "\r\n"])
def test_a_carriage_return_is_text_but_for_one_at_the_end(end):
    assert records(CSV, f"a,b\n\r,x\r\r{end}".encode()) == [("\r", "x\r\r")]
    assert records(CSV, f"a,b\nx,{end}".encode()) == [("x", None)]
    assert records(CSV, f'a,b\nx,"y"{end}'.encode()) == [("x", "y")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (r'"a\"b"|c', ('a"b', "c")),
        (r'"a\\"|"\\\""', ("a\\", '\\"')),
        (r'"a\b\n"|\"x', ("a\\b\\n", '\\"x')),
        ('"a\\\nb\\\r\n"|"\\|"', ("a\nb\r\n", "|")),
        (r'""|\\', ("", "\\\\")),
        ('"a""b"|c', "BadQuote"),
        (r'"a\"|c', "BadQuote"),
    ],
)
def test_cells_with_an_escape(line, expected):
    form = CSV.configured(FormatOptions(delimiter="|", escape="\\"))
    assert records(form, f"a|b\n{line}\n".encode()) == [expected]


def test_cells_without_quotes():
    form = TSV.configured(FormatOptions(quote=""))
    data = b'a\tb\n"x\ty"\r\n""\t"\n\t\r\r\n'
    assert records(form, data) == [('"x', 'y"'), ('""', '"'), (None, "\r")]


# -- what is malformed


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # Text after a closing quote, in one line or over several.
        ('1,"a"b",c\n2,x,y', ["BadQuote", ("2", "x", "y")]),
        ('1,"a" ,c"\n2,x,y', ["BadQuote", ("2", "x", "y")]),
        ('1,"a"b\nc,d,e\nf",g\n2,x,y', ["BadQuote"] * 3 + [("2", "x", "y")]),
        ('1,"He said "hello" to me\nwell, fine, good\nend","y"\r\n2,x,y',
         ["BadQuote"] * 3 + [("2", "x", "y")]),
        ('1,"a"b"\n2,x,y', ["BadQuote", ("2", "x", "y")]),
        ('1,"a"\rb,c"\n2,x,y', ["BadQuote", ("2", "x", "y")]),
        ('1,"a"b\n2,x,y', ["BadQuote"] * 2),
        # After a quote that ends a cell, the rest of that line belongs to it.
        ('1,"a"b",c,"d\ne",f\n2,x,y', ["BadQuote"] * 2 + [("2", "x", "y")]),
        # A quote that is never closed.
        ('1,2,3\n1,"a,c\n2,x,y\n3,x,y\n', [("1", "2", "3")] + ["BadQuote"] * 3),
        ('1,"a,c\n\n2,x,y', ["BadQuote"] * 3),
        ('1,2,"', ["BadQuote"]),
        ('1,2,"\n', ["BadQuote"]),
        ('1,2,"\r\n', ["BadQuote"]),
        ('1,2,"a""', ["BadQuote"]),
        # A wrong count spoils its own record alone, however many lines it has.
        ('1,"a\nb\nc"\n2,x,y', ["WrongCellCount", ("2", "x", "y")]),
        ("1,2\n\n1,2,3,4\r\n2,x,y", ["WrongCellCount"] * 2 + [("2", "x", "y")]),
        # Bytes that are no UTF-8.
        ('1,"\udcff\n",c\n2,x,\udced\udca0\udc80\n3,x,y', ["BadEncoding"] * 2 + [("3", "x", "y")]),
    ],
)  # fmt: skip
def test_what_is_malformed_is_an_error_and_the_rest_is_not(body, expected):
    data = ("a,b,c\n" + body).encode("utf-8", "surrogateescape")
    assert records(CSV, data) == expected
    for split_bytes in range(1, len(data)):
        assert records(CSV, data, split_bytes=split_bytes) == expected


def test_no_piece_of_a_broken_note_becomes_a_record():
    """Each line of the note has as many cells as the header."""
    note = 'Told "no" twice.\nSmith, John, 555-1234, Boston\nSeen, by, Dr., Jones\n'
    data = f'id,patient,text,type\n1,7,"{note}",progress\n2,7,fine,progress\n'
    assert records(CSV, data.encode()) == ["BadQuote"] * 4 + [("2", "7", "fine", "progress")]


def test_a_record_over_budget_is_one_error_whatever_it_holds():
    long = 'b\n,"",\n' * 1000
    data = f'a,b,c\n1,2,3\n1,"{long.replace(chr(34), chr(34) * 2)}",3\n4,5,6\n'.encode()
    good = [("1", "2", "3"), ("1", long, "3"), ("4", "5", "6")]
    size = len(data) - len("a,b,c\n1,2,3\n4,5,6\n") - 1
    for split_bytes in (1 << 30, 3000, 7):
        for most, second in ((size, good[1]), (size - 1, "OverBudget:line"), (10, None)):
            found = records(CSV, data, limits=Limits(line_bytes=most), split_bytes=split_bytes)
            assert found == [good[0], second or "OverBudget:line", good[2]]


def test_a_record_over_budget_that_is_malformed_too_is_as_malformed_as_any():
    data = b'a,b\n1,"x' + b"y,z\n" * 5000 + b'"z",2\n3,4\n'
    for most in (10, 1 << 20):
        found = records(CSV, data, limits=Limits(line_bytes=most))
        assert found == ["BadQuote"] * 5001 + [("3", "4")]


def test_an_undeclared_column_fails_each_record():
    assert records(CSV, b"a,b\n1,2\n3\n", ("a",)) == ["UndeclaredColumn", "WrongCellCount"]


def test_cells_go_by_name_and_a_missing_column_is_null():
    columns = ("a", "b", "c")
    assert records(CSV, b"c,a\n1,2\n", columns) == [("2", None, "1")]
    assert records(CSV, b"b,c,a\n1,2,3\n", columns) == [("3", "1", "2")]


def test_empty_lines():
    assert records(CSV, b"a,b\n\n1,2\r\n\r\n\n3,4\n\n") == [("1", "2"), ("3", "4")]
    assert records(CSV, b'a\n\n1\r\n\r\n""\n') == [(None,), ("1",), (None,), ("",)]


# -- the machine, against one that goes byte by byte


def slow_records(data, delimiter, quote, escape):
    """(end, None or content, lines if malformed), by the rules of the module's docstring."""
    found, at = [], 0
    while at < len(data):
        start, inside, begins, broken = at, False, True, False
        while at < len(data):
            sign = data[at : at + 1]
            if inside:
                after = data[at + 1 : at + 2]
                if sign == escape:
                    at += 2
                    continue
                if sign == quote and after == quote and escape is None:
                    at += 2
                    continue
                if sign == quote:
                    if after in (delimiter, b"\n", b"") or data[at + 1 :][:2] in (b"\r\n", b"\r"):
                        inside = False
                        broken |= (
                            after == b"\r"
                            and data[at + 1 :][:2] == b"\r"
                            and len(data[at + 1 :]) > 1
                        )
                    else:
                        broken = True
                at += 1
                continue
            at += 1
            if sign == b"\n":
                break
            inside = begins and bool(quote) and sign == quote
            begins = sign == delimiter
        at = min(at, len(data))
        content = data[start:at]
        broken |= inside
        lines = content.count(b"\n") + (not content.endswith(b"\n"))
        content = content.removesuffix(b"\n").removesuffix(b"\r")
        found.append((at, None if broken else content, lines if broken else 0))
    return found


MACHINES = [(",", '"', None), ("|", '"', "\\"), ("\t", "", None), ("-", "^", "]")]


@examples(700)
@given(
    st.sampled_from(MACHINES),
    st.lists(st.sampled_from(["D", "Q", "X", "\n", "\r", "\r\n", "a", "é", "\ufeff", "\0"])),
    st.integers(1, 9),
)
@example((",", '"', None), list("QaQ\ra") + ["\n"], 1)
@example((",", '"', None), list("QQQQ\n"), 2)
@example(("|", '"', "\\"), list("QXQQX"), 1)
def test_the_machine_agrees_with_a_slow_one(dialect, signs, step):
    delimiter, quote, escape = dialect
    replace = {"D": delimiter, "Q": quote, "X": escape or "x"}
    data = "".join(replace.get(sign, sign) for sign in signs).encode()
    form = Delimited("x", (".x",), delimiter, quote, escape)
    expected = slow_records(
        data, delimiter.encode(), quote.encode(), None if escape is None else escape.encode()
    )
    for size in (step, len(data) or 1):
        blocks = [data[at : at + size] for at in range(0, len(data), size)]
        assert [tuple(one) for one in read_records(form.dialect, blocks, 0, 1 << 20)] == expected
    ends = [end for end, *_ in expected]
    edges = sorted({step, len(data) // 2, len(data) - 1} & set(range(1, len(data))))
    wanted = sorted({min(end for end in ends if end >= edge) for edge in edges} - {len(data)})
    for size in (step, len(data) or 1):
        blocks = [data[at : at + size] for at in range(0, len(data), size)]
        assert sorted(set(cut_at_records(form.dialect, blocks, 0, edges)) - {len(data)}) == wanted
    text_cells = [
        form.dialect.cells(content.decode(), 1000)
        for _, content, lines in expected
        if content is not None
    ]
    assert all(text_cells)


@examples(300)
@given(
    st.lists(
        st.lists(st.text(st.sampled_from(",;\"'\n\r a🙂\0\ufeff")), min_size=2, max_size=4),
        max_size=6,
    ),
    st.sampled_from([",", ";", "\t", "|"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([None, "\\"]),
)
def test_reading_agrees_with_the_csv_module(rows, delimiter, quoting, end, escape):
    width = max(map(len, rows), default=2)
    rows = [row + ["x"] * (width - len(row)) for row in rows]
    if end == "\n":  # the module then writes a last carriage return without quotes
        rows = [[cell.replace("\r", "") for cell in row] for row in rows]
    stream = io.StringIO(newline="")
    names = [f"n{i}" for i in range(width)]
    how = {"doublequote": True} if escape is None else {"doublequote": False, "escapechar": escape}
    writer = csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator=end, **how)
    writer.writerows([names, *rows])
    form = CSV.configured(FormatOptions(delimiter=delimiter, escape=escape))
    if escape is not None and quoting != csv.QUOTE_ALL:
        return  # the module then escapes quotes outside of quotes as well
    found = records(form, stream.getvalue().encode())
    assert [[cell or "" for cell in row] for row in found] == rows


# -- writing


any_text = st.text(
    st.sampled_from(",|;\t\"'\\\n\r\0\ufeff\x01]^-=+@ aé🙂\u2028") | st.characters(codec="utf-8"),
    max_size=8,
)


def rows_of(form):
    """Rows that a dialect can hold."""
    texts = st.none() | any_text
    if not form.quote:
        texts = texts.map(
            lambda text: (text or "").replace(form.delimiter, "").replace("\n", "") or None
        )
    return st.lists(st.tuples(texts, texts, texts), max_size=5)


@pytest.mark.parametrize("name", DIALECTS)
@examples(100)
@given(st.data(), st.integers(1, 60))
def test_what_is_written_is_read_and_written_again_alike(name, data, split_bytes):
    form = CSV.configured(DIALECTS[name])
    rows = [("k", *row) for row in data.draw(rows_of(form))]
    if not rows:
        return
    columns = ("doc_key", "a", "b", "c")
    content = written(form, columns, rows)
    with_header = dataclasses.replace(form, header=True)
    assert records(with_header, content) == rows
    assert records(with_header, content, split_bytes=split_bytes) == rows
    assert written(form, columns, rows) == content


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_encodings_round_trip(encoding):
    form = CSV.configured(FormatOptions(encoding=encoding, delimiter=";"))
    letters = "".join(
        c for c in map(chr, [*range(128), *range(0xA0, 0x600), 0x20AC, 0x4E2D, 0xAC00, 0x1F642])
        if _holds(encoding, c)
    )  # fmt: skip
    rows = [("k1", letters), ("k2", None), ("k3", letters[::-1] * 200)]
    content = written(form, ("doc_key", "text"), rows)
    assert content.decode(encoding).startswith("doc_key;text\n")
    file = put("x.csv", content)
    for split_bytes in (1, 1000, 1 << 20):
        assert read_all(form, file, ("doc_key", "text"), split_bytes=split_bytes) == rows
        locators = form.plan(STORAGE, 0, file, split_bytes, Limits())
        assert len(locators) == 1 or is_single_byte(encoding) or encoding == "utf-8"
    packed = FORMATS["csv.gz"].configured(FormatOptions(encoding=encoding, delimiter=";"))
    zipped = put("x.csv.gz", gzip.compress(content))
    assert packed.columns(STORAGE, zipped) == ("doc_key", "text")
    assert read_all(packed, zipped, ("doc_key", "text")) == rows


def _holds(encoding, character):
    try:
        return character.encode(encoding).decode(encoding) == character
    except UnicodeError:
        return False


@pytest.mark.parametrize(
    ("encoding", "bad"),
    [
        ("utf-8", b"\xff"),
        ("ascii", b"\xe9"),
        ("cp1252", b"\x81"),
        ("utf-16-le", b"\x00\xd8"),
        ("utf-16-be", b"\xdc\x00"),
        ("utf-16", b"\x00\xd8"),
        ("shift_jis", b"\xff"),
        ("gb18030", b"\xff"),
        ("euc-kr", b"\xff"),
        ("gb18030", b"\xff"),
    ],
)
def test_what_is_not_in_the_encoding_fails_its_record(encoding, bad):
    form = CSV.configured(FormatOptions(encoding=encoding))
    mark, codec = (b"\xff\xfe", "utf-16-le") if encoding == "utf-16" else (b"", encoding)
    head, tail = (text.encode(codec) for text in ("a,b\n1,x\n2,", "y\n3,z\n"))
    expected = [("1", "x"), "BadEncoding", ("3", "z")]
    assert records(form, mark + head + bad + tail) == expected


def test_utf_16_that_is_cut_in_a_character():
    form = CSV.configured(FormatOptions(encoding="utf-16-le"))
    assert records(form, "a,b\n1,x\n2,y".encode("utf-16-le")[:-1]) == [("1", "x"), "BadEncoding"]
    assert records(form, "a,b\n1,x\n2,🙂".encode("utf-16-le")[:-2]) == [("1", "x"), "BadEncoding"]


def test_excels_unicode_text():
    form = TSV.configured(FormatOptions(encoding="utf-16"))
    for data in ("id\ttext\r\n1\tCafé 🙂\r\n".encode("utf-16-le"),):
        assert records(form, b"\xff\xfe" + data) == [("1", "Café 🙂")]
    with pytest.raises(UsageError, match="utf-16-le or utf-16-be"):
        form.columns(STORAGE, put("x.tsv", data))
    assert records(form, data, ("id", "text")) == ["BadHeader"]
    with pytest.raises(UsageError, match="--encoding utf-16"):
        TSV.columns(STORAGE, put("x.tsv", b"\xff\xfe" + data))
    assert form.columns(STORAGE, put("x.tsv", b"")) == ()
    packed = FORMATS["tsv.gz"].configured(FormatOptions(encoding="utf-16"))
    assert packed.columns(STORAGE, put("x.tsv.gz", gzip.compress(b""))) == ()


def test_a_file_as_written():
    rows = [
        ("k1", None, ""),
        ("k2", 'say "no"', "a,b"),
        ("k3", "a\nb", "\r"),
        ("k4", "=1+1", "\ufeffx"),
        ("k5", " x ", "'"),
    ]
    data = written(CSV, ("doc_key", "n,m", "t"), rows)
    assert data.decode() == (
        'doc_key,"n,m",t\n'
        'k1,,""\n'
        'k2,"say ""no""","a,b"\n'
        'k3,"a\nb","\r"\n'
        'k4,=1+1,"\ufeffx"\n'
        "k5, x ,'\n"
    )
    escaped = CSV.configured(FormatOptions(delimiter="|", quote="'", escape="\\"))
    assert written(escaped, ("a", "b"), [("it's\\", "\\x"), ("x", "'|'")]).decode() == (
        "a|b\n'it\\'s\\\\'|\\x\nx|'\\'|\\''\n"
    )
    with pytest.raises(TypeError, match="texts"):
        CSV.writer(Parts().open, "u").write(pa.table({"a": [1]}))


def test_the_last_cell_keeps_its_carriage_return_without_quotes():
    form = TSV.configured(FormatOptions(quote=""))
    rows = [("a\r", "b\r"), ("c", "\r"), ("d", "e")]
    assert written(form, ("x", "y"), rows) == b"x\ty\na\r\tb\r\r\nc\t\r\r\nd\te\n"
    assert records(form, written(form, ("x", "y"), rows)) == rows


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "euc-kr"])
def test_texts_that_the_encoding_cannot_hold_are_refused_without_telling_them(encoding):
    form = CSV.configured(FormatOptions(encoding=encoding))
    with pytest.raises(UsageError, match=encoding) as caught:
        form.encode_text(["fine", "smith 🙂"], pa.string())
    assert "smith" not in str(caught.value) and caught.value.__context__ is None
    with pytest.raises(UsageError):
        CSV.encode_text(["\ud800"], pa.string())


def test_texts_that_the_dialect_cannot_hold_are_refused():
    form = CSV.configured(FormatOptions(delimiter="[", quote=""))
    for text in ("[DATE]", "a\nb"):
        with pytest.raises(UsageError, match="without quotes") as caught:
            form.encode_text([None, text], pa.string())
        with pytest.raises(UsageError, match="without quotes"):
            written(form, ("a", "b"), [("k", text)])
        assert "DATE" not in str(caught.value)
    assert form.encode_text(["", None, "x"], pa.string()).to_pylist() == [None, None, "x"]


# -- settings


SIGNS = [sign for sign in map(chr, range(128)) if not sign.isalnum() and sign not in "\r\n"]


@pytest.mark.parametrize("sign", SIGNS, ids=[f"{ord(sign):02x}" for sign in SIGNS])
def test_any_sign_serves_for_anything(sign):
    rows = [("k", "".join(SIGNS)), (sign, sign * 3), (f"x{sign}", f"{sign}x"), ("", None)]
    others = [other for other in ',"\\' if other != sign]
    for one in (
        FormatOptions(delimiter=sign, quote=others[0]),
        FormatOptions(delimiter=others[0], quote=sign),
        FormatOptions(delimiter=others[0], quote=others[1], escape=sign),
    ):
        form = CSV.configured(one)
        data = written(form, ("a", "b"), rows)
        assert records(form, data) == rows
        assert form.dialect.skip_records(data + b"\xff\n", 0, len(data) + 2) == len(data) + 2


@pytest.mark.parametrize(
    ("given_settings", "told"),
    [
        (FormatOptions(delimiter=""), "--delimiter"),
        (FormatOptions(delimiter=",,"), "--delimiter"),
        (FormatOptions(delimiter="\\t"), r"\$'\\t'"),
        (FormatOptions(delimiter="\n"), "--delimiter"),
        (FormatOptions(delimiter="\r"), "--delimiter"),
        (FormatOptions(delimiter="a"), "--delimiter"),
        (FormatOptions(delimiter="0"), "--delimiter"),
        (FormatOptions(delimiter="¦"), "--delimiter"),
        (FormatOptions(delimiter="\ud800"), "--delimiter"),
        (FormatOptions(quote="''"), "--quote"),
        (FormatOptions(quote="\n"), "--quote"),
        (FormatOptions(quote="«"), "--quote"),
        (FormatOptions(escape=""), "--escape"),
        (FormatOptions(escape="ab"), "--escape"),
        (FormatOptions(escape="\n"), "--escape"),
        (FormatOptions(delimiter='"'), "must differ"),
        (FormatOptions(quote=","), "must differ"),
        (FormatOptions(escape=","), "must differ"),
        (FormatOptions(quote="", escape="\\"), "inside quotes"),
        (FormatOptions(encoding="rot13"), "rot13"),
    ],
)
def test_settings_that_make_no_dialect_are_refused(given_settings, told):
    for name in ("csv", "csv.gz"):
        with pytest.raises(UsageError, match=told):
            open_format(name, given_settings)


def test_settings_have_defaults_a_format():
    assert CSV.configured(FormatOptions()) == CSV and TSV.configured(FormatOptions()) == TSV
    assert TSV.configured(FormatOptions(delimiter=",")).delimiter == ","
    assert CSV.configured(FormatOptions(escape='"')) == CSV
    assert CSV.configured(FormatOptions(encoding="latin-1")).encoding == "iso8859-1"
    assert records(TSV, b"a\tb\n1,\t2\n") == [("1,", "2")]


# -- headers


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", ()),
        (b"\xef\xbb\xbf", ()),
        (b"\n\r\n", ()),
        (b"id", ("id",)),
        (b"\xef\xbb\xbfid,t\r\n", ("id", "t")),
        (b'\xef\xbb\xbf"id","a\r\n""b"""', ("id", 'a\r\n"b"')),
        (b"\n\nid\n", ("id",)),
        (b" id ,ID", (" id ", "ID")),
    ],
)
def test_headers(data, expected):
    assert CSV.columns(STORAGE, put("x.csv", data)) == expected


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"a,,c,\n1,2,3,4\n", "2 have no name; the first is column 2"),
        (b'a,""\n', "the first is column 2"),
        (b"a,b,a,b,c\n", r"\[column 1, column 2\]"),
        (b"id,secret: x,secret: x,b\n", r"\[column 2\] \(undeclared names.*--no-header"),
        (b"1950,secret,secret,2017\n", r"\[column 2\] \(undeclared names.*--no-header"),
        (b"a,\xff\n", "not valid utf-8"),
        (b"a,b\rsecret,2\r", "carriage return"),
        (b'a,"b\n1,secret', "cannot be read"),
        (b'a,"b"c\nsecret', "cannot be read"),
        (b"a" * (HEADER_BYTES + 1), "cannot be read"),
        (b"a,b\r" * HEADER_BYTES, "cannot be read"),
        (b"," * MOST_COLUMNS + b"\n", "columns: is --delimiter right"),
        (b'"a",' + b"," * MOST_COLUMNS + b"\n", "columns: is --delimiter right"),
        (b"\xff\xfea\0,\0b\0\n\0", "--encoding utf-16"),
    ],
)
def test_headers_that_are_refused(data, told):
    file = put("x.csv", data)
    with pytest.raises(UsageError, match=told) as caught:
        CSV.columns(STORAGE, file)
    assert "secret" not in str(caught.value) + caught.value.on_terminal
    assert read_all(CSV, file, ("a", "b")) == ["BadHeader"]
    packed = put("x.csv.gz", gzip.compress(data))
    with pytest.raises(UsageError, match=told):
        FORMATS["csv.gz"].columns(STORAGE, packed)


def test_a_mark_of_utf_8_is_no_part_of_a_name_in_any_encoding():
    form = CSV.configured(FormatOptions(encoding="cp1252"))
    with pytest.raises(UsageError, match="--encoding utf-8"):
        form.columns(STORAGE, put("x.csv", b"\xef\xbb\xbfid,t\n"))
    for encoding in ("utf-16-le", "utf-16-be", "gb18030"):
        form = CSV.configured(FormatOptions(encoding=encoding))
        file = put("x.csv", "\ufeffid,t\n".encode(encoding))
        assert form.columns(STORAGE, file) == ("id", "t")


def test_without_a_header_columns_have_numbers():
    form = CSV.configured(FormatOptions(header=False))
    data = b'\xef\xbb\xbf\n"a"b",c,d\n\xff,1\n1,"x\ny",\n2,3\n4,5,6'
    file = put("x.csv", data)
    assert form.columns(STORAGE, file) == ("c1", "c2", "c3")
    expected = [
        "BadQuote", "BadEncoding", ("1", "x\ny", None), "WrongCellCount", ("4", "5", "6"),
    ]  # fmt: skip
    for split_bytes in range(1, len(data) + 1):
        assert records(form, data, split_bytes=split_bytes) == expected
    assert form.columns(STORAGE, put("x.csv", b"\n")) == ()


def test_a_part_without_a_header_in_the_input_has_one():
    form = CSV.configured(FormatOptions(header=False))
    data = written(form, ("doc_key", "patient_key", "c3", "c4"), [("k", "p", "text", None)])
    assert data == b"doc_key,patient_key,c3,c4\nk,p,text,\n"
    roles = Columns.parse([("c1", "id"), ("c2", "patient"), ("c3", "text"), ("c4", "pass")])
    (row,) = form.part_rows(STORAGE, put("u.csv", data), roles)
    assert (row.doc_key, row.patient_key, row.texts) == ("k", "p", {"c3": "text"})
    assert row.cells == {"c4": None}


# -- size and time


def test_a_cell_of_10_mb_and_a_line_without_end():
    cell = 'né "x",\r\n' * 1_000_000
    data = written(CSV, ("a", "b"), [("1", cell), ("2", "x")])
    assert records(CSV, data, split_bytes=1_000_000) == [("1", cell), ("2", "x")]
    limits = Limits(line_bytes=1_000_000)
    assert records(CSV, data, limits=limits) == ["OverBudget:line", ("2", "x")]
    assert records(CSV, b"a,b\n" + b"x" * 10_000_000, limits=limits) == ["OverBudget:line"]
    assert records(CSV, b"a,b\n" + b"," * 10_000_000) == ["WrongCellCount"]
    assert records(CSV, b'a,b\n"' + b"x" * 10_000_000, limits=limits) == ["BadQuote"]
    headless = CSV.configured(FormatOptions(header=False))
    assert len(records(headless, b"x" * 10_000_000)[0][0]) == 10_000_000


def test_reading_holds_little_of_a_long_record():
    data = b"a,b\n" + b'1,"' + b"x" * 30_000_000 + b'"\n2,x\n'
    form, limits = CSV, Limits(line_bytes=100_000)
    file = put("x.csv", data)
    tracemalloc.start()
    try:
        found = read_all(form, file, ("a", "b"), limits=limits)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert found == ["OverBudget:line", ("2", "x")]
    assert peak < 25_000_000  # two blocks of an object store, and small things


HOSTILE = {
    "opens again on each line": b'a",x,"\n',
    "one quote a line": b'"\n',
    "quotes alone": b'"',
    "cells opened without end": b'"",',
    "odd runs": b'"""\n',
    "broken on each line": b'"a"b",c\n',
    "broken and never whole": b'"a"b\n',
    "escapes": b'"\\',
    "returns": b'"\r',
    "delimiters": b",",
    "empty": b"\n",
    "closed and opened": b'","',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_grows_with_size_alone(name):
    form = CSV.configured(FormatOptions(escape="\\" if name == "escapes" else None))
    piece = HOSTILE[name]

    def read_and_cut(data):
        for record in read_records(form.dialect, [data], 0, 1000):
            assert record.end
        step = len(data) // 50
        list(cut_at_records(form.dialect, [data], 0, range(step, len(data), step)))

    assert_linear(lambda size: piece * (size // len(piece)), read_and_cut, 20_000)


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_pieces_give_the_same_records_for_any_split(piece):
    data = b"a,b\n1,2\n" + piece * 40 + b"\n3,4\n" + piece * 3
    whole = records(CSV, data)
    for split_bytes in (1, 2, 3, 10, 37, len(data) - 1):
        assert records(CSV, data, split_bytes=split_bytes) == whole


class _Blocks(Storage):
    """Reads in blocks of a given size."""

    def __init__(self, step):
        object.__setattr__(self, "_step", step)

    def read_blocks(self, url, start, end, block_bytes=0):
        yield from STORAGE.read_blocks(url, start, end, self._step)


@examples(150)
@given(
    st.text(st.sampled_from(',"\n\r\\aé'), max_size=60),
    st.integers(1, 12),
    st.integers(1, 60),
    st.integers(1, 20),
    st.sampled_from([None, "\\"]),
    st.booleans(),
)
def test_any_split_block_and_encoding_give_the_same_records(
    text, step, split, most, escape, header
):
    given_settings = FormatOptions(escape=escape, header=header)
    form = CSV.configured(given_settings)
    columns = ("c1", "c2") if header else ("c1", "c2", "c3", "c4")
    data = "c1,c2\n1,2\n" + text
    file = put("x.csv", data.encode())
    limits = Limits(line_bytes=most)
    whole = read_all(form, file, columns, limits=limits)
    pieces = []
    for locator in form.plan(_Blocks(step), 0, file, split, limits):
        for chunk in form.read(_Blocks(step + 1), file, locator, columns, limits):
            rows = list(zip(*(c.to_pylist() for c in chunk.columns.columns), strict=True))
            pieces += [chunk.errors.get(i, row) for i, row in enumerate(rows)]
    assert pieces == whole
    for encoding in ("utf-16-le", "gb18030"):
        other = CSV.configured(dataclasses.replace(given_settings, encoding=encoding))
        assert records(other, data.encode(encoding), columns, limits=limits) == whole


def test_ranges_are_about_as_long_as_asked_for():
    data = b"a,b\n" + b'1,"x\ny"\n' * 100_000
    file = put("x.csv", data)
    locators = CSV.plan(STORAGE, 0, file, 50_000, Limits())
    assert len(locators) == -(-len(data) // 50_000)
    assert all(abs(lo.bytes - len(data) / len(locators)) < 100 for lo in locators)
    assert all(data[lo.start - 1 : lo.start + 2] == b"\n1," for lo in locators[1:])
    read = []

    class Counting(Storage):
        def read_blocks(self, url, start, end, block_bytes=0):
            for block in super().read_blocks(url, start, end, block_bytes):
                read.append(len(block))
                yield block

    rows = sum(
        chunk.columns.num_rows
        for chunk in CSV.read(Counting(), file, locators[3], ("a", "b"), Limits())
    )
    assert rows * 8 == locators[3].bytes
    assert sum(read) < 200_000


def test_a_machine_that_saw_nothing_is_fresh():
    scan = RecordScan(CSV.dialect)
    assert scan.advance(b"", 0) == 0 and scan.fresh and scan.closed


def test_splits_do_not_move_with_the_blocks_that_are_read():
    data = b"a,b\n" + b"".join(b'%d,"x\n%s"\n' % (i, b"y" * (i % 90)) for i in range(3000))
    file = put("x.csv", data)
    plans = [CSV.plan(_Blocks(step), 0, file, 9000, Limits()) for step in (100, 4096, 1 << 20)]
    assert all(a == b for a, b in itertools.pairwise(plans)) and len(plans[0]) > 10


def test_letters_and_digits_are_no_signs():
    for sign in string.ascii_letters + string.digits:
        with pytest.raises(UsageError):
            CSV.configured(FormatOptions(quote=sign))


# -- gzip


def test_a_damaged_gzip_file_keeps_what_came_before():
    form = FORMATS["csv.gz"]
    lines = "".join(f"{i},{i * 7919}\n" for i in range(200_000))
    packed = gzip.compress(f"a,b\n{lines}".encode(), mtime=0)
    file = put("x.csv.gz", packed[: len(packed) // 2])
    found = read_all(form, file, ("a", "b"))
    assert found[-1] == "DamagedArchive" and found[0] == ("0", "0") and len(found) > 1000
    roles = Columns.parse([("a", "id"), ("b", "text")])
    (row,) = form.part_rows(STORAGE, put("u.csv.gz", b"no gzip"), roles)
    assert row.doc_key is None


@pytest.mark.parametrize("encoding", ["gb18030", "shift_jis", "euc-kr", "utf-16", "cp1252"])
def test_a_long_row_of_a_part_is_read_whatever_its_encoding(encoding):
    text = {"cp1252": "€"}.get(encoding, "語" if encoding != "euc-kr" else "가") * 500
    form = CSV.configured(FormatOptions(encoding=encoding))
    data = written(form, ["doc_key", "text"], [("k", text)])
    (row,) = form.part_rows(
        STORAGE, put("u.csv", data), Columns.parse([("id", "id"), ("text", "text")])
    )
    assert (row.doc_key, row.texts) == ("k", {"text": text})
