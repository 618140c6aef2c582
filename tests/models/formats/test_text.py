import dataclasses

import pyarrow as pa
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.formats import FORMATS, Limits
from scrubline.models.formats.column_roles import Columns

from .test_contract import STORAGE, TEXTS, Parts, put, read_all

TEXT = FORMATS["text"]


@pytest.mark.parametrize("text", TEXTS)
def test_a_file_is_kept_code_point_for_code_point(text):
    file = put("note é.txt", text.encode())
    assert read_all(TEXT, file, ("path", "text")) == [("note é.txt", text)]
    assert read_all(TEXT, file, ("text",)) == [(text,)]


@pytest.mark.parametrize("data", [b"\xff", b"a\xed\xa0\x80", b"\xc0\x80", b"ok \xe2\x82"])
def test_what_is_no_utf8_is_an_error(data):
    assert read_all(TEXT, put("a.txt", data), ("path", "text")) == ["BadEncoding"]


def test_a_file_over_budget_is_not_read():
    file = put("a.txt", b"12345")
    assert read_all(TEXT, file, ("text",), limits=Limits(document_bytes=5)) == [("12345",)]
    gone = dataclasses.replace(file, url="memory://nowhere/a.txt")
    assert read_all(TEXT, gone, ("text",), limits=Limits(document_bytes=4)) == ["OverBudget:bytes"]


@pytest.mark.parametrize("change", [-1, 1])
def test_a_file_of_another_size_than_listed_is_never_cut(change):
    file = put("a.txt", b"12345")
    listed = dataclasses.replace(file, size=file.size + change)
    assert read_all(TEXT, listed, ("text",)) == ["InputChanged"]


def test_a_file_a_row():
    parts = Parts()
    writer = TEXT.writer(parts.open, "u-1")
    writer.write(
        pa.table({"doc_key": ["a1", "b2"], "patient_key": ["p", "q"], "text": ["\ufeffx\r\n", ""]})
    )
    writer.close()
    assert parts == {"u-1/a1.txt": "\ufeffx\r\n".encode(), "u-1/b2.txt": b""}


@pytest.mark.parametrize(
    ("key", "text"), [("../x", "t"), ("a/b", "t"), ("", "t"), (None, "t"), ("a", None)]
)
def test_a_row_without_a_safe_key_is_refused(key, text):
    row = pa.table({"doc_key": pa.array([key], pa.string()), "text": pa.array([text], pa.string())})
    with pytest.raises(ValueError, match="doc_key") as caught:
        TEXT.writer(Parts().open, "u").write(row)
    assert "../x" not in str(caught.value)


def test_many_small_files_are_one_locator_each():
    files = [put(f"{i}.txt", b"x" * i) for i in range(4)]
    locators = [lo for i, f in enumerate(files) for lo in TEXT.plan(STORAGE, i, f, 100, Limits())]
    assert [(lo.file, lo.end, lo.bytes) for lo in locators] == [(i, i, i) for i in range(4)]


@pytest.mark.parametrize(
    "roles",
    [
        [("path", "pass"), ("text", "text"), ("ward", "id")],
        [("path", "id"), ("text", "pass"), ("note", "text")],
        [("path", "text"), ("text", "text"), ("ward", "id")],
        [("ward", "id"), ("text", "text")],
        [("path", "id"), ("note", "text")],
    ],
)
def test_roles_that_a_text_file_has_no_room_for(roles):
    with pytest.raises(UsageError, match="in text files"):
        TEXT.check_roles(Columns.parse(roles))
    TEXT.check_roles(Columns.parse([("path", "drop"), ("text", "text"), ("ward", "id")]))
