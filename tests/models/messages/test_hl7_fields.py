"""The tables of HL7's fields and types: their form, and what no role may let through."""

import importlib.resources
from collections import Counter
from types import MappingProxyType

import pytest
from scrubline.models import messages
from scrubline.models.core.known_values import KnownAttribute, PersonKind
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.messages.hl7_fields import (
    FIELDS_FILE,
    FIELDS_HEADER,
    TYPES_FILE,
    TYPES_HEADER,
    Component,
    FieldLine,
    default_roles,
    expand,
    field_names,
    fields,
    parse_fields,
    parse_types,
    types,
)

OF_A_PERSON = frozenset(
    ("AD", "CK", "CN", "CX", "DLN", "NDL", "PLN", "PN", "PPN", "XAD", "XCN", "XPN", "XTN")
)
IDENTIFYING = OF_A_PERSON | {"HD", "LA1", "LA2", "PL", "RP", "TN", "XON"}
CODES = ("CE", "CNE", "CWE")
PEOPLE = frozenset(map(str, PersonKind))
TABLE = {field.key: field for field in fields()}
PASSING = {
    "AD": {4, 6, 7},
    "CK": {3},
    "CX": {3, 5},
    "PLN": {2},
    "PPN": {10, 12, 13, 16, 19},
    "XAD": {4, 6, 7, 11, 16, 17, 18, 21},
    "XCN": {10, 12, 13, 15, 18},
    "XPN": {7, 8, 11},
    "XTN": {2, 3, 18},
}
"""Codes, indicators, states and countries of a person: the components that may pass."""


def roles_of(key):
    """Component, or 0 for the whole -> role."""
    found = {0: default_roles()[key]} if key in default_roles() else {}
    place = 1
    while (name := f"{key}.{place}") in default_roles():
        found[place] = default_roles()[name]
        place += 1
    return found


def content(file):
    return importlib.resources.files(messages).joinpath(file).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("key", "role"),
    [
        ("MSH-10", "id"),
        ("PID-3.1", "patient"),
        ("PID-3.4", "drop"),
        ("PID-5.1", "known:self.family"),
        ("PID-5.2", "known:self.given"),
        ("PID-6.1", "known:relative.family"),
        ("PID-7", "birth"),
        ("PID-8.1", "pass"),
        ("PID-11.3", "known:self.city"),
        ("PID-11.4", "pass"),
        ("PID-18.1", "known:self.id"),
        ("PID-19", "known:self.id"),
        ("PID-21.1", "known:relative.id"),
        ("NK1-16", "known:relative.birth"),
        ("PV1-3", "drop"),
        ("PV1-7.2", "known:staff.family"),
        ("PV1-19.1", "hash"),
        ("OBR-2.1", "hash"),
        ("OBR-2.2", "drop"),
        ("OBR-4.1", "type"),
        ("OBR-4.2", "pass"),
        ("OBX-3", "pass"),
        ("OBX-5(TX)", "text"),
        ("OBX-5(NM)", "pass"),
        ("OBX-5(ED).2", "pass"),
        ("OBX-5(ED).5", "text"),
        ("OBX-5(RP)", "drop"),
        ("NTE-3", "text"),
        ("DG1-4", "text"),
        ("TXA-12.1", "hash"),
    ],
)
def test_role(key, role):
    assert default_roles()[key] == role


def test_every_role_can_be_declared():
    staff = f"{Role.KNOWN}:{PersonKind.STAFF}."
    columns = Columns.parse(default_roles().items())
    assert columns.named(Role.ID) == ("MSH-10",)
    assert columns.named(Role.PATIENT) == ("PID-3.1",)
    assert columns.named(Role.TYPE) == ("OBR-4.1",)
    assert columns.named(Role.BIRTH) == ("PID-7",)
    attributes = {role[len(staff) :] for role in default_roles().values() if role.startswith(staff)}
    assert attributes <= set(KnownAttribute)
    assert {KnownAttribute.FAMILY, KnownAttribute.GIVEN, KnownAttribute.ID} <= attributes


def test_a_medical_record_number_is_of_the_patient_alone():
    kinds = {role for role in default_roles().values() if role.endswith(".mrn")}
    assert kinds == {"known:self.mrn"}


def test_roles_and_names_cannot_be_changed():
    assert type(default_roles()) is type(field_names()) is MappingProxyType
    assert default_roles() is default_roles()


def test_names_are_those_of_whole_fields():
    assert field_names()["PID-5"] == "Patient Name"
    assert not [key for key in field_names() if "." in key or "(" in key]
    assert set(field_names()) == {key.partition("(")[0].partition(".")[0] for key in TABLE}


def test_fields_of_a_segment_are_numbered_without_a_gap():
    numbers = {}
    for key in field_names():
        segment, _, number = key.partition("-")
        numbers.setdefault(segment, []).append(int(number))
    assert len(numbers) == 188
    assert all(found == list(range(1, len(found) + 1)) for found in numbers.values())


def test_an_identifying_type_never_passes():
    for key in (key for key, field in TABLE.items() if field.type in IDENTIFYING):
        found = roles_of(key)
        passing = {place for place, role in found.items() if role == "pass"}
        assert found, key
        assert passing <= PASSING.get(TABLE[key].type, set()), key


@pytest.mark.parametrize("data_type", sorted(OF_A_PERSON))
def test_a_type_of_people_is_of_somebody_or_left_out(data_type):
    found = {field.role for field in TABLE.values() if field.type == data_type}
    assert found <= {*PEOPLE, "drop", "hash"}
    if "hash" in found:
        assert data_type == "CX"


def test_a_date_is_shifted_or_left_out():
    for key in (key for key, field in TABLE.items() if field.type in ("DR", "DT", "DTM", "TS")):
        (role,) = roles_of(key).values()
        known = role.startswith("known:") and role.endswith(".birth")
        assert known or role in ("date", "birth", "drop"), key


def test_free_text_never_passes():
    passing = set()
    for key, field in TABLE.items():
        if field.type in ("TX", "FT", "ST") and "." not in key:
            (role,) = roles_of(key).values()
            if role == "pass":
                passing.add(key)
            else:
                assert role in ("text", "drop", "hash", "id") or role.startswith("known:"), key
    assert passing == {
        "BHS-1", "BHS-2", "BTS-1", "FHS-1", "FHS-2", "MSH-1", "MSH-2",  # of the message itself
        "BUI-8", "BUI-9", "IIM-3", "ILT-2", "INV-16", "SID-2",  # of stocks
        "OBX-7",  # of numbers
        "RXA-15", "RXD-18", "RXG-19",  # lots, each for thousands of people
        "UB2-2", "UB2-4", "UB2-5",  # numbers of days
    }  # fmt: skip


OF_LISTS = {
    *("AL1-2", "AL1-4", "NK1-3", "OBX-3", "OBX-6", "OBX-8", "OBX-17"),
    *("PID-10", "PID-15", "PID-16", "PID-22"),
}
"""Codes whose texts come from lists that few people edit, or stand in every message many times."""


def test_the_texts_of_a_code_are_scrubbed():
    assert {key for key in OF_LISTS if set(roles_of(key).values()) == {"pass"}} == OF_LISTS
    codes = {key for key, field in TABLE.items() if field.type in CODES}
    for key in codes - OF_LISTS - {"OBR-4"}:
        found = roles_of(key)
        if set(found) == {0}:
            assert found[0] in ("text", "drop"), key
        else:
            assert {found[place] for place in {2, 5, 9, 11} & set(found)} == {"text"}, key


def test_what_is_known_or_left_out_of_people_has_a_letter():
    for field in TABLE.values():
        of_people = field.role.partition(":")[2].partition(".")[0] or field.role
        if of_people in (PersonKind.SELF, PersonKind.RELATIVE, PersonKind.CONTACT):
            assert field.hipaa != "-", field.key
        if field.role in ("date", "birth", "hash"):
            assert field.hipaa != "-", field.key
        if field.role in ("pass", "by type", "text") or of_people == PersonKind.STAFF:
            assert field.hipaa in ("-", "C"), field.key


def test_all_letters_stand_for_something():
    used = Counter(letter for field in TABLE.values() for letter in field.hipaa)
    assert {*"ABCDEFGHIJKMR"} <= set(used)
    # No field of the standard is for vehicles, web addresses, network addresses or pictures alone.
    assert not {*"LNOPQ"} & set(used)


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (["PID-5\tXPN\tself"], "line 2: expected the cells"),
        (["PID5\tXPN\tself\tName\tA"], "line 2: expected a field such as PID-5"),
        (["PID-0\tXPN\tself\tName\tA"], "line 2: expected a field"),
        (["PID-5\tXPN\tsecret\tName\tA"], "line 2: unknown role"),
        (["PID-5\tXPN\tknown:self.shoe\tName\tA"], "line 2: unknown role"),
        (["PID-5\tXPN\tknown:name\tName\tA"], "line 2: unknown role"),
        (["PID-5\tXPN\tself\t\tA"], "line 2: PID-5 has no name"),
        (["PID-5\t\tself\tName\tA"], "line 2: PID-5 has no name, or no type"),
        (["PID-5\tXPN\tself\tName\tZ"], "line 2: expected letters"),
        (["PID-5\tXPN\tself\tName\tA", "PID-5\tXPN\tself\tName\tA"], "line 3: PID-5 stands twice"),
        (["PID-10\tST\ttext\tName\t-", "PID-9\tST\ttext\tName\t-"], "line 3: PID-9 stands twice"),
        (["PID-5.1\tFN\tdrop\tName\tA", "PID-5\tXPN\tself\tName\tA"], "line 3: PID-5 stands twice"),
        (["PID-5\tXPN\tself\tName\tA", ""], "line 3: expected the cells"),
    ],
)
def test_a_bad_line_of_fields_is_named(lines, what):
    text = "\n".join([FIELDS_HEADER, *lines]) + "\n"
    with pytest.raises(ValueError, match=f"^some.tsv, {what}"):
        list(parse_fields(text, "some.tsv"))


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (["XPN.1\tdrop"], "line 2: expected the cells"),
        (["XPN1\tdrop\tName"], "line 2: expected a component such as XPN.1"),
        (["XPN.1\tid\tName"], "line 2: unknown role"),
        (["XPN.1\tknown:self.family\tName"], "line 2: unknown role"),
        (["XPN.1\tknown:shoe\tName"], "line 2: unknown role"),
        (["XPN.1\tdrop\t"], "line 2: XPN.1 has no name"),
        (["XPN.2\tdrop\tName"], "line 2: expected XPN.1, got XPN.2"),
        (["XPN.1\tdrop\tName", "XPN.1\tdrop\tName"], "line 3: expected XPN.2, got XPN.1"),
        (["XPN.1\tdrop\tName", "CX.1\tdrop\tName"], "line 3: CX.1 does not stand in order"),
    ],
)
def test_a_bad_line_of_types_is_named(lines, what):
    text = "\n".join([TYPES_HEADER, *lines]) + "\n"
    with pytest.raises(ValueError, match=f"^some.tsv, {what}"):
        parse_types(text, "some.tsv")


@pytest.mark.parametrize("parse", [lambda text: list(parse_fields(text)), parse_types])
def test_another_header_is_refused(parse):
    with pytest.raises(ValueError, match="line 1: expected the header"):
        parse("field\trole\n")


NAME = Component("known:family", "Family"), Component("pass", "Code")


@pytest.mark.parametrize(
    ("table", "roles"),
    [
        ([("A-1", "XPN", "self")], {"A-1.1": "known:self.family", "A-1.2": "pass"}),
        ([("A-1", "XPN", "drop")], {"A-1": "drop"}),
        ([("A-1", "XPN", "drop"), ("A-2", "ST", "text")], {"A-1": "drop", "A-2": "text"}),
        ([("A-1", "XPN", "self"), ("A-1.1", "FN", "pass")], {"A-1": "pass"}),
        ([("A-1", "ST", "hash")], {"A-1": "hash"}),
    ],
)
def test_a_field_stands_alone_or_by_its_components(table, roles):
    found = [FieldLine(key, data_type, role, "Name", "-") for key, data_type, role in table]
    assert expand(found, {"XPN": NAME}) == roles


@pytest.mark.parametrize(
    ("table", "what"),
    [
        ([("A-1", "XPN", "by type")], "of a person: whose"),
        ([("A-1", "XPN", "hash")], "of a person: whose"),
        ([("A-1", "ST", "self")], "ST is not in"),
        ([("A-1", "XPN", "self"), ("A-1.3", "ST", "pass")], "no such component"),
        ([("A-1", "XPN", "drop"), ("A-1.1", "ST", "pass")], "not opened"),
        ([("A-1.1", "ST", "pass")], "not opened"),
    ],
)
def test_a_table_that_contradicts_itself_is_refused(table, what):
    found = [FieldLine(key, data_type, role, "Name", "-") for key, data_type, role in table]
    with pytest.raises(ValueError, match=what):
        expand(found, {"XPN": NAME})


@pytest.mark.parametrize("file", [FIELDS_FILE, TYPES_FILE])
def test_cells_are_tidy(file):
    for line in content(file).splitlines():
        assert all(cell == " ".join(cell.split()) and cell.isascii() for cell in line.split("\t"))


def test_every_type_of_the_table_is_opened_by_some_field():
    opened = {f.type for f in TABLE.values() if f.role in (*PEOPLE, "by type", "hash")}
    assert set(types()) <= opened
