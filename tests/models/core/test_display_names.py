import pickle

import pytest
from scrubline.models.core.display_names import MOST_NAMED, ColumnNames, declared_list, role_list
from scrubline.models.core.errors import UsageError
from scrubline.models.formats.column_roles import Columns

GOOD = [("note_id", "id"), ("text", "text"), ("patient", "patient")]


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
def test_what_looks_like_a_name_is_shown_on_a_terminal_alone(name, good):
    columns = ColumnNames(["a", "b", name])
    assert columns.listed([name], True) == f"[{name!r}]" if good else "[column 3]"
    assert columns.listed([name], False) == "[column 3]"
    assert ColumnNames([name], {name}).listed([name], False) == f"[{name!r}]"


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        (["id", "text"], "['id', 'text']"),
        (["id", "Smith, J", "text"], "['id', column 2, 'text'] (not shown"),
        (["0042", "John Smith", "Seen on 3/4"], "[column 1, column 2, column 3] (not shown"),
        ([], "[]"),
    ],
)
def test_names_are_numbers_where_they_may_be_a_record(names, shown):
    error = ColumnNames(names).error("found {columns}.", names)
    assert error.on_terminal.startswith(f"found {shown}")
    numbers = ", ".join(f"column {n}" for n in range(1, len(names) + 1))
    assert str(error).startswith(f"found [{numbers}]")
    assert not any(name in str(error) for name in names)


def test_messages_hold_no_first_record_not_even_on_a_terminal():
    record = ["0042", "John Smith", "Seen by Dr. Jones on 3/4."]
    with pytest.raises(UsageError, match=r"column 2.*--no-header.*--column NAME=ROLE") as caught:
        Columns.parse(GOOD).check(record)
    for message in (str(caught.value), caught.value.on_terminal):
        assert not any(word in message for word in ("Smith", "Jones", "0042"))


def test_one_undeclared_name_among_declared_ones_is_a_number_but_on_a_terminal():
    with pytest.raises(UsageError) as caught:
        Columns.parse(GOOD).check(["note_id", "Jones: 4", "text", "patient", "kind"])
    assert "role: [column 2, column 5]" in str(caught.value)
    assert "role: [column 2, 'kind']" in caught.value.on_terminal
    assert "--column kind=ROLE --column NAME=ROLE for each" in caught.value.on_terminal


def test_options_to_add_are_quoted_for_a_shell():
    with pytest.raises(UsageError) as caught:
        Columns.parse(GOOD).check(["note_id", "text", "patient", "Note Kind"])
    assert "Add: --column 'Note Kind=ROLE' (ROLE" in caught.value.on_terminal


def test_a_message_names_few_columns_however_many_there_are():
    many = [f"col{chr(97 + n % 26)}{chr(97 + n // 26)}" for n in range(600)]
    with pytest.raises(UsageError) as caught:
        Columns.parse(GOOD).check(["note_id", "text", "patient", *many])
    for message in (str(caught.value), caught.value.on_terminal):
        assert "and 580 more" in message
        assert len(message) < 2000
    assert caught.value.on_terminal.count("=ROLE") == MOST_NAMED + 1
    assert declared_list(many).endswith("] and 580 more")
    assert role_list(dict.fromkeys(many, "pass")).endswith(" and 580 more")
    with pytest.raises(UsageError, match="and 581 more") as caught:
        Columns.parse([*GOOD, *((name, "pass") for name in many)]).check(["note_id", "text"])
    assert len(str(caught.value)) < 1500


class Counting(str):
    """A name that counts how often it is compared or hashed."""

    __slots__ = ()
    looks = 0

    def __hash__(self):
        Counting.looks += 1
        return super().__hash__()

    def __eq__(self, other):
        Counting.looks += 1
        return super().__eq__(other)


def looks_at(count):
    """How often each name is looked at while so many columns are declared, and are refused."""
    Counting.looks = 0
    names = [Counting(f"column_{number:x}") for number in range(count)]
    columns = Columns.parse([*GOOD, *((name, "pass") for name in names)])
    columns.check(["note_id", "text", "patient", *names])
    with pytest.raises(UsageError):
        Columns.parse(GOOD).check(["note_id", "text", "patient", *names])
    with pytest.raises(UsageError):
        columns.check(["note_id", "text", "patient"])
    with pytest.raises(UsageError):
        Columns.parse([*GOOD, *((name, "pass") for name in [*names, *names])])
    return Counting.looks / count


def test_work_on_columns_grows_as_their_number():
    assert 0 < looks_at(8000) <= 1.2 * looks_at(500)


def test_errors_keep_both_messages_on_their_way():
    error = ColumnNames(["note"]).error("found {columns}", ["note"]).within("input file 0")
    assert error.on_terminal == "input file 0: found ['note']"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.on_terminal) == (str(error), error.on_terminal)
    assert UsageError("plain").on_terminal == "plain"
