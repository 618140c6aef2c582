import contextlib
import gzip
import hashlib
import io
import itertools
import json
import string

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.formats import EXPLICIT_ONLY, FORMATS, Limits, format_of
from scrubline.models.formats.column_roles import Columns
from scrubline.models.formats.json_texts import JsonTexts
from scrubline.models.storage.storage import Storage

from ...examples import examples
from .test_contract import HOSTILE

STORAGE = Storage(sleep=lambda seconds: None)
FHIR = FORMATS["fhir"]
ROLES = Columns.of_record("fhir", [])


def put(name, data):
    url = f"memory://{hashlib.sha256(data).hexdigest()[:16]}/{name}"
    STORAGE.write_bytes(url, data)
    (file,) = STORAGE.list_files([url])
    return file


def read(data, form=FHIR, split_bytes=1 << 30, limits=None):
    """The records of a file, or their error codes."""
    name = "a.ndjson.gz" if form is not FHIR else "a.ndjson"
    file = put(name, data)
    found = []
    for locator in form.plan(STORAGE, 0, file, split_bytes, Limits()):
        for chunk in form.read(STORAGE, file, locator, ("fhir",), limits or Limits()):
            rows = chunk.columns.column(0).to_pylist()
            found += [chunk.errors.get(row, value) for row, value in enumerate(rows)]
    return found


ONE = '{"resourceType": "Patient", "id": "é"}'
TWO = '{"resourceType":"Observation","id":"2","note":[{"text":"a } \\" {"}]}'
PRETTY = json.dumps({"resourceType": "Bundle", "id": "3", "entry": [{"fullUrl": "a"}]}, indent=2)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", []),
        ("\n \r\n", []),
        (ONE, [ONE]),
        (f"{ONE}\n{TWO}\n", [ONE, TWO]),
        (f"\ufeff{ONE}\r\n\n  {TWO} \r\n\t\n", [ONE, TWO]),
        (PRETTY, [PRETTY]),
        (f"\ufeff\n{PRETTY}\n", [PRETTY]),
        (f"{PRETTY}\n{ONE}\n{PRETTY}{TWO}", [PRETTY, ONE, PRETTY, TWO]),
        (f"{ONE}\nnot json\n{TWO}\n", [ONE, "not json", TWO]),
        (f"{{}}\n{ONE[:-3]}\n{TWO}\n", ["{}", ONE[:-3], TWO]),
        (f"{PRETTY}\n}} x\n{ONE}", [PRETTY, "}", f"x\n{ONE}"]),
        ("{\n" * 3, ["{\n{\n{"]),
        ("[\n1]", ["[\n1]"]),
        ("[1]", ["[1]"]),
    ],
)
@pytest.mark.parametrize("form", ["fhir", "fhir.gz"])
def test_files_of_lines_and_of_texts(content, expected, form):
    data = content.encode()
    data = gzip.compress(data) if form == "fhir.gz" else data
    assert read(data, FORMATS[form]) == expected


@pytest.mark.parametrize("split_bytes", [1, 2, 7, 50, 1000])
@pytest.mark.parametrize("content", [f"{ONE}\n{TWO}\n\n{ONE}\n", f"{PRETTY}\n{TWO}\n{PRETTY}"])
def test_any_split_gives_the_same_records(content, split_bytes):
    assert read(content.encode(), split_bytes=split_bytes) == read(content.encode())


def test_bad_bytes_and_long_records_fail_alone():
    data = f"{ONE}\n".encode() + b'{"a": "\xff"}\n' + f"{TWO}\n".encode()
    assert read(data) == [ONE, "BadEncoding", TWO]
    assert read(data, limits=Limits(line_bytes=50)) == [ONE, "BadEncoding", "OverBudget:line"]
    texts = f"{PRETTY}\n{TWO * 10}\n{ONE}".encode()
    assert read(texts, limits=Limits(line_bytes=len(PRETTY))) == [PRETTY, *[TWO] * 10, ONE]
    assert read(texts, limits=Limits(line_bytes=50)) == ["OverBudget:line"] * 11 + [ONE]


def test_a_damaged_archive_is_an_error_of_its_rest():
    data = gzip.compress(f"{ONE}\n{TWO}\n".encode())
    assert read(data[:-12], FORMATS["fhir.gz"])[-1] == "DamagedArchive"
    assert read(b"x" * 100, FORMATS["fhir.gz"]) == ["DamagedArchive"]


class Parts(dict):
    @contextlib.contextmanager
    def open(self, name):
        sink = io.BytesIO()
        yield sink
        self[name] = sink.getvalue()


@pytest.mark.parametrize("records", list(itertools.permutations([ONE, TWO, PRETTY])))
@pytest.mark.parametrize("form", ["fhir", "fhir.gz"])
def test_a_part_is_read_back_however_its_records_are_written(records, form, monkeypatch):
    parts = Parts()
    writer = FORMATS[form].writer(parts.open, "u")
    for record in records:
        writer.write(pa.table({"fhir": [record]}))
    writer.close()
    ((name, data),) = parts.items()
    rows = list(FORMATS[form].part_rows(STORAGE, put(name, data), ROLES))
    assert [row.cells["fhir"] for row in rows] == list(records)
    ids = {ONE: "é", TWO: "2", PRETTY: "3"}
    assert [row.doc_key for row in rows] == [ids[record] for record in records]
    assert {"Observation.note.text": 'a } " {'} in [dict(row.texts) for row in rows]


def test_parts_hold_what_is_read_in_one_way():
    def token(text):
        return FHIR.schema_token(STORAGE, put("a.json", text.encode()))

    assert token(ONE) == token(f"{ONE}\n{TWO}") == token("") == "lines"
    assert token(PRETTY) == "texts"


def test_the_format_has_to_be_named():
    assert {"fhir", "fhir.gz"} <= EXPLICIT_ONLY
    assert format_of("a.ndjson") == "jsonl"
    with pytest.raises(UsageError, match="--format fhir"):
        format_of("a.json")


@pytest.mark.parametrize(
    ("name", "asked", "form"),
    [
        ("a.json", "fhir", "fhir"),
        ("a.NDJSON.GZ", "fhir", "fhir.gz"),
        ("a.ndjson.gz", "fhir.gz", "fhir.gz"),
        ("a.tar.gz", "tar", "tar.gz"),
        ("a.gz", "parquet", "parquet"),
    ],
)
def test_of_a_format_that_is_named_a_folder_holds_gzipped_files_too(name, asked, form):
    assert format_of(name, asked) == form


def refused(content):
    """The two messages of the error that a file is refused with."""
    with pytest.raises(UsageError) as caught:
        FHIR.check_types(STORAGE, put("a.ndjson", content.encode()), ROLES)
    return str(caught.value), caught.value.on_terminal


def test_keys_that_fhir_does_not_have_are_named_on_a_terminal_alone():
    FHIR.check_types(STORAGE, put("a.ndjson", ONE.encode()), ROLES)
    for_logs, on_terminal = refused('{"resourceType": "Patient", "quimby": 1}\nx\n')
    assert "[value 1]" in for_logs and "init" in for_logs and "quimby" not in for_logs
    assert "--column Patient.quimby=ROLE" in on_terminal


def test_few_of_many_keys_are_named():
    keys = {f"quimby{letter}": 1 for letter in string.ascii_letters}
    for_logs, on_terminal = refused(json.dumps({"resourceType": "Patient", **keys}))
    assert len(for_logs) < 1000 and "quimby" not in for_logs and "and 32 more" in for_logs
    assert len(on_terminal) < 2500 and "Patient.quimbyt" in on_terminal
    assert "Patient.quimbyu" not in on_terminal


def test_a_role_is_no_remedy_for_a_value_of_another_type():
    for message in refused('{"resourceType": "Observation", "valueInteger": "5"}'):
        assert "not of the type that FHIR gives them" in message
        assert "['Observation.valueInteger']" in message and "=ROLE" not in message


def test_a_type_that_fhir_does_not_have_is_told():
    for_logs, on_terminal = refused('{"resourceType": "Widget", "id": "1", "name": "x"}')
    assert "types of resources" in for_logs and "[type 1]" in for_logs
    assert "['Widget']" in on_terminal
    assert not any("=ROLE" in one or "Widget.name" in one for one in (for_logs, on_terminal))


@pytest.mark.parametrize("begin", ["", "\ufeff\n ", '<?xml version="1.0"?>\n'])
def test_fhir_in_xml_is_told(begin):
    for message in refused(f'{begin}<Patient xmlns="http://hl7.org/fhir"/>'):
        assert "JSON alone is read" in message


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("Patient.quimby", "does not name it"),
        ("Patient.active", "not of the type"),
        ("Widget.resourceType", "neither FHIR R4 nor R5"),
    ],
)
def test_why_a_value_has_no_role(name, why):
    assert why in FHIR.why_undeclared(name)


@examples(300)
@given(
    st.lists(st.sampled_from(['{"a":1}', '"x{"', "[", "]", "}", "\\", '"', " ", "\n", "é", "{"])),
    st.lists(st.integers(0, 30), max_size=5),
    st.integers(1, 40),
)
def test_texts_are_all_of_the_bytes_however_they_are_cut(tokens, cuts, most):
    data = "".join(tokens).encode()
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    blocks = [data[a:b] for a, b in itertools.pairwise(edges)]
    whole = list(JsonTexts(1000).cut([data]))
    assert list(JsonTexts(1000).cut(blocks)) == whole
    assert b"".join(b"".join(whole).split()) == b"".join(data.split())
    limited = list(JsonTexts(most).cut(blocks))
    assert len(limited) == len(whole)
    for one, other in zip(limited, whole, strict=True):
        assert one == other or (one is None and len(other) > most - data.count(b" ") - 9)


@pytest.mark.parametrize("data", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("form", ["fhir", "fhir.gz"])
def test_hostile_files_never_raise_when_read(data, form):
    limits = Limits(line_bytes=1_000_000, document_bytes=1_000_000)
    for content in (data, gzip.compress(data)):
        for found in read(content, FORMATS[form], limits=limits):
            assert isinstance(found, str)
