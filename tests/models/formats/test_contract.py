"""What every entry of FORMATS promises."""

import ast
import contextlib
import dataclasses
import hashlib
import io
import itertools
from pathlib import Path

import pyarrow as pa
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.corpora import CORPORA
from scrubline.models.formats import EXPLICIT_ONLY, FORMATS, Limits, format_of
from scrubline.models.formats.column_roles import Columns
from scrubline.models.messages.table import GRAMMARS
from scrubline.models.storage.input_files import InputFile
from scrubline.models.storage.storage import Storage

STORAGE = Storage(sleep=lambda seconds: None)
DEFAULT = Limits()

TEXTS = [
    "",
    "plain",
    "é 🙂 \u2028 \x85 \x0b",
    "\ufeffbom",
    "a\r\nb\n\n",
    "NUL \x00 in it",
    '"quoted" \\ back',
    "x" * 3000,
    "\x7f\x01",
    " ",
]

HOSTILE = [
    b"",
    b"\n",
    b"\r\n\r\n",
    b"\x00" * 100,
    b"\xff\xfe" + "text".encode("utf-16-le"),
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b"PAR1" * 10,
    b"{" * 5000,
    b"[" * 200_000 + b"\n{}",
    b'{"text": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    b'{"text": "' + b"a" * 100_000 + b'"}',
    b"x" * 10_000_000,
    bytes(range(256)) * 40,
]


def has_columns(form):
    """Whether a record has room for more than a key and a text."""
    return form.traits.holds_patient_key


def texts_for(form):
    """Those of TEXTS that files of a format can hold: XML knows no control characters."""
    if ".xml" not in form.suffixes:
        return TEXTS
    return [text for text in TEXTS if not set(text) & set("\0\x01\x0b")]


HEADED = ("csv", "tsv")
"""Formats that take names of columns from a file's first line, whatever it holds."""


class Parts(dict):
    """Collects what a writer writes, by name."""

    @contextlib.contextmanager
    def open(self, name):
        sink = io.BytesIO()
        yield sink
        assert name not in self
        self[name] = sink.getvalue()


def listed(url):
    (file,) = STORAGE.list_files([url])
    return file


def put(name, data):
    url = f"memory://{hashlib.sha256(data).hexdigest()[:16]}/{name}"
    STORAGE.write_bytes(url, data)
    return listed(url)


def read_all(form, file, columns, *, split_bytes=1 << 30, limits=DEFAULT):
    """All records of a file: tuples of cells, or the error code."""
    records = []
    for locator in form.plan(STORAGE, 0, file, split_bytes, Limits()):
        for chunk in form.read(STORAGE, file, locator, columns, limits):
            assert tuple(chunk.columns.column_names) == columns
            assert 0 < chunk.columns.num_rows <= limits.batch_documents
            rows = list(zip(*(c.to_pylist() for c in chunk.columns.columns), strict=True))
            for row, code in chunk.errors.items():
                assert rows[row] == (None,) * len(columns)
                rows[row] = code
            records += rows
    return records


def sample(name):
    """One file of a format with rows of TEXTS; of a format whose file is one row, one."""
    form = FORMATS[name]
    texts = texts_for(form)[4:5] if form.traits.file_is_record else texts_for(form)
    table = pa.table(
        {
            "doc_key": form.encode_text([f"k{i}" for i in range(len(texts))], pa.string()),
            "text": form.encode_text(texts, pa.string()),
        }
    )
    parts = Parts()
    writer = form.writer(parts.open, "unit-0")
    writer.write(table)
    writer.close()
    # Beside a text in brat's form stands a file of annotations.
    ((path, data),) = [one for one in parts.items() if one[0].endswith(form.suffixes[0])]
    assert path.startswith("unit-0") and path.endswith(form.suffixes[0])
    return put(path, data), texts


TABLES = tuple(name for name, form in FORMATS.items() if not form.traits.record)
"""Formats of messages have a contract of their own: `test_message_files.py`."""


@pytest.fixture(params=TABLES)
def form(request):
    return FORMATS[request.param]


@pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)
def test_the_table_knows_its_entries(form):
    assert FORMATS[form.name] is form
    assert all(s.startswith(".") and s == s.lower() for s in form.suffixes)
    for suffix in form.suffixes:
        others = [one.name for one in FORMATS.values() if suffix in one.suffixes]
        if form.name not in EXPLICIT_ONLY:
            assert format_of(f"a/b.c{suffix}") == format_of(f"A{suffix.upper()}") == form.name
        elif set(others) <= EXPLICIT_ONLY:
            with pytest.raises(UsageError, match=f"--format {' or '.join(others)}"):
                format_of(f"john.smith{suffix}")


def test_an_unknown_ending_is_refused_without_the_name():
    with pytest.raises(UsageError, match=r"\.jsonl") as caught:
        format_of("in/john.smith")
    assert "smith" not in str(caught.value)


def test_what_is_written_is_read(form):
    file, texts = sample(form.name)
    assert "text" in form.columns(STORAGE, file)
    assert form.schema_token(STORAGE, file) == form.schema_token(STORAGE, file)
    found = []
    for locator in form.plan(STORAGE, 3, file, 1000, Limits()):
        assert locator.file == 3
        columns = tuple(n for n in ("doc_key", "text") if n in form.columns(STORAGE, file))
        for chunk in form.read(STORAGE, file, locator, columns, Limits()):
            assert not chunk.errors
            found += form.decode(chunk.columns.column("text"))
    assert found == texts


def test_any_split_and_any_cap_give_the_same_records(form):
    file, texts = sample(form.name)
    columns = form.columns(STORAGE, file)
    whole = read_all(form, file, columns)
    assert len(whole) == len(texts)
    for split_bytes in (1, 2, 7, 100, 1000, 32 << 20):
        assert read_all(form, file, columns, split_bytes=split_bytes) == whole
    for documents, size in itertools.product((1, 2, 3, 1000), (1, 3500, 1 << 20)):
        limits = Limits(batch_documents=documents, batch_bytes=size)
        assert read_all(form, file, columns, limits=limits) == whole


def test_plans_cover_the_file(form):
    file, _ = sample(form.name)
    for split_bytes in (1, 10, 1000, 1 << 30):
        locators = form.plan(STORAGE, 0, file, split_bytes, Limits())
        assert all(a.end == b.start for a, b in itertools.pairwise(locators))
        assert locators[0].start == 0 and all(lo.start < lo.end for lo in locators)
        assert form.name == "zip" or sum(lo.bytes for lo in locators) <= file.size


def test_a_sample_is_a_part_of_its_locator_that_can_be_read_by_itself(form):
    file, _ = sample(form.name)
    columns = form.columns(STORAGE, file)

    def records(locator):
        return [
            row
            for chunk in form.read(STORAGE, file, locator, columns, DEFAULT)
            for row in zip(*(c.to_pylist() for c in chunk.columns.columns), strict=True)
        ]

    for whole in form.plan(STORAGE, 3, file, 1 << 30, DEFAULT):
        for at, most_bytes in itertools.product((0, 1, whole.bytes - 1), (1, 100, 1 << 30)):
            found = form.sample(STORAGE, file, whole, at, most_bytes)
            if found is None:
                assert form.name not in SAMPLED
                continue
            part = found.locator
            assert part.file == 3 and whole.start <= part.start < part.end <= whole.end
            expected = records(whole)
            part_records = records(part)
            position = expected.index(part_records[0]) if part_records else 0
            assert part_records == expected[position : position + len(part_records)]
            assert found.rows in (None, len(part_records))
            if most_bytes == 1 << 30 and form.traits.locator_unit != "row groups" and not at:
                assert (part.end, part.bytes) == (whole.end, whole.bytes)


SAMPLED = ("jsonl", "zip", "parquet")
"""Formats in which reading can begin anywhere, or at any member or row group."""


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_never_raise_when_read(form, data):
    limits = Limits(line_bytes=1_000_000, document_bytes=1_000_000)
    file = put(f"x{form.suffixes[0]}", data)
    try:
        columns = form.columns(STORAGE, file)
        locators = form.plan(STORAGE, 0, file, 1 << 20, Limits())
    except UsageError as error:
        assert form.name in ("parquet", "zip", "tar", *HEADED) and "x." not in str(error)
        return
    assert set(columns) <= {"path", "doc_id", "text"} or form.name in HEADED
    for locator in locators:
        for chunk in form.read(STORAGE, file, locator, ("path", "text"), limits):
            values = form.decode(chunk.columns.column("text"))
            assert len(values) == chunk.columns.num_rows


@pytest.mark.parametrize("cut", [1, 7, 1000])
def test_a_part_does_not_show_how_its_rows_came(form, cut):
    keys = [f"k{i:05d}" for i in range(2500)]
    texts = [("né " * (i % 50)) if i % 7 or not has_columns(form) else None for i in range(2500)]
    table = pa.table(
        {
            "doc_key": form.encode_text(keys, pa.string()),
            "text": form.encode_text(texts, pa.string()),
        }
    )

    def written(pieces):
        parts = Parts()
        writer = form.writer(parts.open, "p")
        for piece in pieces:
            writer.write(piece)
        writer.close()
        return parts

    once = written([table])
    assert written(table.slice(i, cut) for i in range(0, table.num_rows, cut)) == once
    assert written([table.slice(0, 0), table, table.slice(0, 0)]) == once


def test_nothing_is_opened_before_the_first_row_or_left_after_a_fault(form, tmp_path):
    form.writer(lambda name: pytest.fail("opened"), "p").close()
    table = pa.table(
        {name: form.encode_text(["x", "y"], pa.string()) for name in ("doc_key", "text")}
    )
    with pytest.raises(KeyError), contextlib.ExitStack() as stack:

        def open_part(name):
            return stack.enter_context(STORAGE.create(f"{tmp_path}/{name}"))

        form.writer(open_part, "p").write(table)
        raise KeyError
    assert [n for n in STORAGE.list_names(str(tmp_path)) if not n.startswith("p/")] == []


def test_limits_are_checked():
    with pytest.raises(ValueError, match="batch_bytes"):
        Limits(batch_bytes=0)
    with pytest.raises(ValueError, match="2 GiB"):
        Limits(line_bytes=2**31)


def test_a_chunk_and_a_file_hide_their_names():
    file = InputFile("memory://smith.txt", 1, "v", "smith.txt", (("k", "smith"),))
    assert "smith" not in repr(file) and dataclasses.replace(file) == file


# -- roles and parts

ROLES = Columns.parse(
    [("path", "id"), ("text", "text"), ("kind", "pass"), ("code", "hash"), ("gone", "drop")]
)


def test_roles_that_any_format_takes(form):
    form.check_roles(ROLES)
    assert form.traits.locator_unit in ("bytes", "row groups", "members")


def part_of(form, columns):
    """The data files of a part, as listed."""
    parts = Parts()
    writer = form.writer(parts.open, "u")
    writer.write(
        pa.table({name: form.encode_text(values, pa.string()) for name, values in columns.items()})
    )
    writer.close()
    return [put(path, data) for path, data in sorted(parts.items())]


def rows_of(form, files, roles=ROLES):
    return [row for file in files for row in form.part_rows(STORAGE, file, roles)]


def test_the_rows_of_a_part_are_what_was_written(form):
    texts = texts_for(form)
    keys = [f"{index:032x}" for index in range(len(texts))]
    columns = {
        "doc_key": keys,
        "patient_key": [f"p{index}" for index in range(len(texts))],
        "text": texts,
        "kind": ['"a"'] * len(texts),
    }
    rows = rows_of(form, part_of(form, columns))
    assert [row.doc_key for row in rows] == keys
    assert [row.texts for row in rows] == [{"text": text} for text in texts]
    written = form.encode_text(columns["kind"], pa.string())
    for row, patient, cell in zip(rows, columns["patient_key"], form.cells(written), strict=True):
        assert row.patient_key == (patient if form.traits.holds_patient_key else None)
        if form.traits.holds_patient_key:
            assert {name: one for name, one in row.cells.items() if one is not None} == {
                "kind": cell
            }
        else:
            assert row.cells == {}
        assert "p0" not in repr(row)


def test_a_part_may_lack_a_declared_text(form):
    roles = Columns.parse([("path", "id"), ("text", "text"), ("other", "text")])
    (row,) = rows_of(form, part_of(form, {"doc_key": ["k"], "text": ["t"]}), roles)
    assert row.texts == {"text": "t", "other": None}
    assert row.patient_key is None


def test_a_part_is_read_whole_whatever_the_limits_of_reading_are(form):
    long = "x" * (Limits().document_bytes + 1)
    (row,) = rows_of(form, part_of(form, {"doc_key": ["k"], "text": [long]}))
    assert row.texts == {"text": long}


@pytest.mark.parametrize("data", HOSTILE[:8], ids=range(8))
def test_a_part_that_was_tampered_with_gives_rows_without_a_key_or_none(form, data):
    file = put(f"u{form.suffixes[0]}", data)
    try:
        rows = rows_of(form, [file])
    except UsageError as error:
        assert form.name in ("parquet", "zip", "tar") and "u." not in str(error)
        return
    for row in rows:
        assert row.doc_key is None or form.traits.file_is_record


def test_files_that_are_records_are_one_locator_and_one_row(form):
    file, texts = sample(form.name)
    locators = form.plan(STORAGE, 0, file, 10, Limits())
    assert not form.traits.file_is_record or len(locators) == len(texts) == 1


@pytest.mark.parametrize("name", sorted(n for n, form in FORMATS.items() if has_columns(form)))
def test_only_formats_that_say_so_miss_columns(name):
    form, many = FORMATS[name], 3000
    keys = [f"{index:0200d}" for index in range(many)]
    late = [None] * (many - 1) + ["x"]
    (file,) = part_of(form, {"doc_key": keys, "text": ["t"] * many, "late": late})
    assert ("late" in form.columns(STORAGE, file)) is not form.traits.columns_are_partial


# -- one place that knows formats

ROOT = Path(__file__).parent.parent.parent.parent
ALLOWED = {
    ("models/jobs/receipts.py", "parquet"),
    ("models/storage/filesystems.py", "tar"),
    ("models/embedding/tables.py", "parquet"),
    *(("pipeline/commands/table_files.py", name) for name in ("parquet", "csv", "jsonl")),
    ("pipeline/serving/messages.py", "text"),
    ("models/messages/ccda_scan.py", "text"),
}
"""The tables beside the data are always Parquet, whatever the format of the input; `tar` is a
protocol of fsspec as well; tables of Arrow have the cells of Parquet; tables that a command
makes are written in three formats; `text` is a key of requests, and an
element of C-CDA."""

OTHER_WORDS = {"text", "zip", *GRAMMARS, *CORPORA}
"""Names of formats that also name columns, digests, corpora, rules: only comparisons count."""


def named_formats():
    """(module, format) of each literal outside of models/formats that is the name of a format."""
    for room in ("dictionaries", "models", "transforms", "pipeline"):
        for path in sorted((ROOT / room).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if name.startswith("models/formats/"):
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and node.value in set(FORMATS) - OTHER_WORDS:
                    yield name, node.value
                if isinstance(node, ast.Compare):
                    for side in (node.left, *node.comparators):
                        if isinstance(side, ast.Constant) and side.value in OTHER_WORDS:
                            yield name, side.value


def test_no_other_module_knows_a_format_by_name():
    assert set(named_formats()) == ALLOWED
