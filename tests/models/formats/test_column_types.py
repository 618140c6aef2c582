"""Roles and types: what no row could use is refused while the run is planned."""

from __future__ import annotations

import datetime
import decimal
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.formats import FORMATS
from scrubline.models.formats.column_roles import Columns
from scrubline.models.formats.column_types import shown_type
from scrubline.models.storage.storage import Storage

PARQUET = FORMATS["parquet"]
WHEN = datetime.datetime(2019, 3, 4)
NESTED = {
    "list": pa.array([["a"]]),
    "large_list": pa.array([["a"]], pa.large_list(pa.string())),
    "struct": pa.array([{"jane_roe": 1}]),
    "map": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
}
PLAIN = {
    "double": pa.array([1.5]),
    "int64": pa.array([1]),
    "bool": pa.array([True]),
    "timestamp[us]": pa.array([WHEN]),
    "date32[day]": pa.array([WHEN.date()]),
    "decimal128(3, 1)": pa.array([decimal.Decimal("12.5")]),
    "binary": pa.array([b"a"]),
}
TEXTS = {
    "string": pa.array(["a"]),
    "large_string": pa.array(["a"], pa.large_string()),
    "dictionary": pa.array(["a"]).dictionary_encode(),
}


def refusal(tmp_path, roles, **columns):
    """What is said of a file with these columns; None if they are fine."""
    path = tmp_path / "file.parquet"
    pq.write_table(pa.table(columns), path)
    (file,) = Storage().list_files([str(path)])
    try:
        PARQUET.check_types(Storage(), file, Columns.parse(roles))
    except UsageError as error:
        return str(error)
    return None


@pytest.mark.parametrize("kind", [*PLAIN, *NESTED])
def test_text_has_to_be_text(tmp_path, kind):
    column = {**PLAIN, **NESTED}[kind]
    said = refusal(tmp_path, [("id", "id"), ("t", "text")], id=pa.array(["1"]), t=column)
    assert f"column 't' has role text, which does not accept its type {kind}: give" in said
    assert "jane_roe" not in said


@pytest.mark.parametrize(("kind", "way"), [("struct", "t.text=text"), ("list", "t[]=text")])
def test_of_a_nested_column_the_path_of_its_parts_is_named(tmp_path, kind, way):
    said = refusal(tmp_path, [("id", "id"), ("t", "text")], id=pa.array(["1"]), t=NESTED[kind])
    assert f"--column {way}" in said


def json_refusal(tmp_path, *notes, roles=(("id", "id"), ("note", "text"))):
    """As `refusal`, of JSON Lines whose records have these notes."""
    path = tmp_path / "file.jsonl"
    path.write_text("".join(json.dumps({"id": 1, "note": note}) + "\n" for note in notes))
    (file,) = Storage().list_files([str(path)])
    columns = Columns.parse(roles).resolved(["id", "note"])
    try:
        FORMATS["jsonl"].check_types(Storage(), file, columns)
    except UsageError as error:
        return str(error)
    return None


@pytest.mark.parametrize(
    ("notes", "said"),
    [
        ([{"jane_roe": "x"}, None], "its type struct: give its fields roles, each by its path "
         "(--column note.text=text"),
        ([["jane_roe"]], "its type list: give its items a role (--column note[]=text)"),
        ([{"jane_roe": "x"}, ["y"]], "its type struct: give its fields roles"),
        (["x", {"jane_roe": "x"}], None),
        ([5], None),
        ([None], None),
    ],
)  # fmt: skip
def test_objects_and_lists_are_no_text(tmp_path, notes, said):
    found = json_refusal(tmp_path, *notes)
    assert (found is None) if said is None else said in found
    assert "jane_roe" not in str(found)


def test_paths_into_objects_are_text(tmp_path):
    roles = [("id", "id"), ("note.text", "text")]
    assert json_refusal(tmp_path, {"text": "x"}, roles=roles) is None


@pytest.mark.parametrize("kind", TEXTS)
def test_texts_of_any_layout_are_text(tmp_path, kind):
    assert refusal(tmp_path, [("i", "id"), ("t", "text")], i=pa.array(["1"]), t=TEXTS[kind]) is None


@pytest.mark.parametrize("role", ["text", "id", "patient", "hash", "type", "date"])
@pytest.mark.parametrize("kind", [*PLAIN, *NESTED, *TEXTS])
def test_what_is_refused_is_what_every_row_would_be_quarantined_for(tmp_path, role, kind):
    """Of ids: as `canonical_id`, but for fractions, which a column of floats may not have."""
    other = pa.array(["a"])
    roles = {"i": "id", "t": "text", "x": role}
    if role in ("id", "text"):
        del roles["i" if role == "id" else "t"]
    column = {**PLAIN, **NESTED, **TEXTS}[kind]
    said = refusal(tmp_path, [*roles.items()], i=other, t=other, x=column)
    bad = {
        "text": kind not in TEXTS,
        "id": kind in (*NESTED, "bool", "binary"),
        "type": kind in (*NESTED, "binary"),
    }
    assert (said is not None) == bad.get(role, bad["type" if role == "date" else "id"])


@pytest.mark.parametrize("role", ["text", "id", "date"])
def test_a_column_without_values_is_fine(tmp_path, role):
    roles = {"i": "id", "t": "text", "x": role}
    if role in ("id", "text"):
        del roles["i" if role == "id" else "t"]
    texts = pa.array(["a", "b"])
    for column in (pa.nulls(2), pa.nulls(2, pa.list_(pa.float64())), pa.nulls(2, pa.float64())):
        assert refusal(tmp_path, [*roles.items()], i=texts, t=texts, x=column) is None


@pytest.mark.parametrize("role", ["pass", "drop"])
def test_what_is_passed_or_dropped_may_be_anything(tmp_path, role):
    for column in (*PLAIN.values(), *NESTED.values()):
        roles = [("i", "id"), ("t", "text"), ("x", role), ("absent", "hash")]
        assert refusal(tmp_path, roles, i=pa.array(["a"]), t=pa.array(["a"]), x=column) is None


def test_types_are_shown_without_names_of_fields():
    secret = pa.struct([("jane_roe", pa.int64())])
    for kind in (secret, pa.list_(secret), pa.map_(pa.string(), secret), pa.list_(secret, 2)):
        assert "jane_roe" not in shown_type(kind)
