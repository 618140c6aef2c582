import pytest
from scrubline.models.errors import UsageError
from scrubline.models.roles import Columns, Role, can_be_shown, preset_for, shown_names

GOOD = [("note_id", "id"), ("text", "text"), ("patient", "patient")]


def test_an_undeclared_column_is_refused_with_the_option_to_add():
    with pytest.raises(UsageError, match=r"patient_name.*--column patient_name=ROLE"):
        Columns.parse(GOOD).check(["note_id", "text", "patient", "patient_name"])


def test_a_declared_column_must_be_there_unless_it_is_dropped():
    columns = Columns.parse([*GOOD, ("gone", "drop")])
    columns.check(["note_id", "text", "patient"])
    with pytest.raises(UsageError, match="patient"):
        columns.check(["note_id", "text"])


def test_where_no_file_showed_a_column_none_is_missed_and_folders_need_roles_all_the_same():
    columns = Columns.parse(GOOD)
    columns.check([], unseen=True)
    with pytest.raises(UsageError, match="does not have"):
        columns.check([])
    with pytest.raises(UsageError, match="--column year=ROLE"):
        columns.check(["year"], unseen=True)


@pytest.mark.parametrize(
    ("roles", "what"),
    [
        ([("a", "id")], "no column has role text"),
        ([("a", "text")], "exactly one column must have role id"),
        ([("a", "id"), ("b", "id"), ("c", "text")], "exactly one"),
        ([*GOOD, ("p2", "patient")], "only one column may have role patient"),
        ([*GOOD, ("text", "pass")], "twice"),
        ([*GOOD, ("doc_key", "pass")], "doc_key"),
        ([*GOOD, ("x", "publish")], "unknown role 'publish'"),
    ],
)
def test_bad_declarations(roles, what):
    with pytest.raises(UsageError, match=what):
        Columns.parse(roles)


def test_presets_need_every_column_to_be_known():
    assert preset_for(["path", "text"]).role_of("path") is Role.ID
    assert preset_for(["doc_id", "text", "spans", "meta"]).role_of("spans") is Role.DROP
    assert preset_for(["doc_id", "text", "name"]) is None
    assert preset_for(["text"]) is None


# -- names in messages


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("patient_name", True),
        ("_x", True),
        ("Note Text", True),
        ("obs.value-1", True),
        ("Libellé du compte rendu", True),
        ("c1", True),
        ("a" * 64, True),
        ("a" * 65, False),
        ("", False),
        ("123", False),
        ("note_2017", False),
        ("one two three four five", False),
        ("two  blanks", False),
        (" id", False),
        ("id ", False),
        ("id\n", False),
        ("a\nb", False),
        ("a\tb", False),
        ("Smith, John", False),
        ("Seen on 3/4", False),
        ("x\ud800", False),
    ],
)
def test_what_looks_like_a_name(name, good):
    assert can_be_shown(name, ["a", "b", name]) is good
    assert can_be_shown(name, [name], {name})


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["id", "text"], "['id', 'text']"),
        (["id", "Smith, J", "text"], "['id', column 2, 'text'] (not shown"),
        (["0042", "John Smith", "Seen on 3/4"], "[column 1, column 2, column 3] (not shown"),
        ([], "[]"),
    ],
)
def test_names_are_shown_by_place_where_they_may_be_a_record(names, shown):
    assert shown_names(names, names).startswith(shown)


def test_messages_hold_no_first_record():
    record = ["0042", "John Smith", "Seen by Dr. Jones on 3/4."]
    with pytest.raises(UsageError, match=r"column 2.*--no-header.*--column NAME=ROLE") as told:
        Columns.parse(GOOD).check(record)
    assert not any(word in str(told.value) for word in ("Smith", "Jones", "0042"))
    with pytest.raises(UsageError, match=r"role: \[column 2, 'kind'\].*--column kind=ROLE") as told:
        Columns.parse(GOOD).check(["note_id", "Jones: 4", "text", "patient", "kind"])
    assert "Jones" not in str(told.value)


def test_options_to_add_are_quoted_for_a_shell():
    with pytest.raises(UsageError, match="Add: --column 'Note Kind=ROLE' "):
        Columns.parse(GOOD).check(["note_id", "text", "patient", "Note Kind"])
