import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.formats.column_roles import Columns
from scrubline.models.formats.nested_paths import (
    Inner,
    PathNode,
    parse_path,
    show_path,
    tree_of,
    without_numbers,
)

ITEM, ENTRY = Inner.ITEM, Inner.ENTRY


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("note", ("note",)),
        ("note.text", ("note", "text")),
        ("notes[].text", ("notes", ITEM, "text")),
        ("notes[12].text", ("notes", ITEM, "text")),
        ("a[][]", ("a", ITEM, ITEM)),
        ("meta{}.value", ("meta", ENTRY, "value")),
        ("meta{3}.key", ("meta", ENTRY, "key")),
        ('"vital.signs".x', ("vital.signs", "x")),
        ('a."b""c"', ("a", 'b"c')),
        ('"".x', ("", "x")),
        ("note text.y z", ("note text", "y z")),
        ("", None),
        (".a", None),
        ("a.", None),
        ("a..b", None),
        ("a[", None),
        ("a[x]", None),
        ("[].a", None),
        ("{}", None),
        ('a"b"', None),
        ('"a"b', None),
        ('a."b', None),
        ("a[]b", None),
    ],
)
def test_paths(text, path):
    assert parse_path(text) == path


NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
PATHS = st.tuples(NAMES, st.lists(st.one_of(NAMES, st.sampled_from(Inner)), max_size=5))


@given(PATHS)
def test_any_path_comes_back(parts):
    first, rest = parts
    path = (first, *rest)
    assert parse_path(show_path(path)) == path


def test_numbers_are_left_out():
    assert without_numbers('notes[2]."a[1]"') == 'notes[]."a[1]"'
    assert without_numbers("a[") == "a["


def columns(**roles):
    return roles


def resolved(roles, available):
    return Columns.parse([("id", "id"), *roles.items()]).resolved(["id", *available])


def test_a_name_is_a_path_only_where_no_column_has_it():
    roles = {"note.text": "text", "a.b": "pass", "x[]": "drop"}
    assert resolved(roles, ["note", "a.b"]).paths == ("note.text", "x[]")
    assert resolved(roles, ["note.text", "note", "a"]).paths == ("a.b", "x[]")
    found = resolved(roles, ["note"])
    assert found == Columns.parse([("id", "id"), *roles.items()])  # paths are not compared
    assert found.inputs == ("id", "note", "a.b", "x")
    assert Columns.parse(found.to_json()).paths == found.paths
    assert Columns.parse(found.to_json()) == found


def test_what_flat_columns_are_written_as_stays():
    flat = Columns.parse([("id", "id"), ("note.text", "text")])
    assert flat.to_json() == [("id", "id"), ("note.text", "text")]
    assert flat.inputs == ("id", "note.text")
    assert flat.nested == {}


def test_the_tree_of_paths():
    roles = {"n.a": "text", "n.l[].b": "pass", "n.m{}.key": "pass", "n.m{}.value": "drop"}
    node = resolved(roles, ["n"]).nested["n"]
    assert list(node.leaves()) == list(roles)
    assert node.children["l"].inner is ITEM
    assert node.without(["n.a", "n.l[].b"]).children.keys() == {"m"}
    assert list(node.without(["n.m{}.key"]).leaves()) == ["n.a", "n.l[].b"]
    assert node.without(roles) is None
    assert PathNode("x").inner is None


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        ({"n.a": "text", "n.a.b": "pass"}, "lies within"),
        ({"n": "pass", "n.a": "text"}, "part of it"),
        ({"n.a": "text", "n[].b": "pass"}, "struct, a list"),
        ({"n[].a": "text", "n{}.key": "pass", "n{}.value": "pass"}, "struct, a list"),
        ({"n{}.value": "text"}, "role for its keys"),
        ({"n{}": "text"}, "role for its keys"),
        ({"n{}.key": "text", "n{}.value": "text"}, "keys of a map"),
        ({"t": "text", "n[].a": "type"}, "one value a row"),
        ({"t": "text", "n[].a": "patient"}, "one value a row"),
        ({"doc_key.a": "text"}, "a name that the output uses"),
        ({"n[0].a": "pass", "n[].a": "text"}, "lies within|declared|name"),
    ],
)
def test_contradictions_are_refused(roles, said):
    with pytest.raises(UsageError, match=said):
        _ = resolved(roles, ["n", "t", "doc_key"]).nested


def test_a_column_with_the_name_of_a_place_is_refused():
    with pytest.raises(UsageError, match="rename the column"):
        resolved({"n[].a": "text", "n[0].a": "pass"}, ["n", "n[0].a"])


def test_a_declaration_with_too_much_is_refused():
    with pytest.raises(ValueError, match="too much"):
        Columns.parse([("a", "id", "path", "x")])
    with pytest.raises(ValueError, match="too much"):
        Columns.parse([("a", "id", "pth")])


def test_trees_need_paths_of_one_column():
    assert tree_of({"a": ("a",)}) == PathNode("a")
