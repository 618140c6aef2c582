import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.formats.column_roles import Columns, Role, preset_for

GOOD = [("note_id", "id"), ("text", "text"), ("patient", "patient")]


def test_an_undeclared_column_is_refused_with_the_option_to_add():
    with pytest.raises(UsageError, match=r"role: \[column 4\].*--column NAME=ROLE") as caught:
        Columns.parse(GOOD).check(["note_id", "text", "patient", "patient_name"])
    assert "--column patient_name=ROLE" in caught.value.on_terminal
    assert "patient_name" not in str(caught.value)


def test_a_declared_column_must_be_there_unless_it_is_dropped():
    columns = Columns.parse([*GOOD, ("gone", "drop")])
    columns.check(["note_id", "text", "patient"])
    with pytest.raises(UsageError, match="patient"):
        columns.check(["note_id", "text"])


def test_where_no_file_showed_a_column_none_is_missed_and_folders_need_roles_all_the_same():
    columns = Columns.parse(GOOD)
    columns.check([], unseen=True)
    with pytest.raises(UsageError, match="lacks declared columns"):
        columns.check([])
    with pytest.raises(UsageError, match="--column NAME=ROLE"):
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
