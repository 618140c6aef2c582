import pytest
from scrubline.models.core.known_values import KnownAttribute
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.messages.fhir_elements import (
    HEADER,
    PRIMITIVES,
    elements,
    parse_elements,
    resource_types,
)
from scrubline.models.messages.fhir_plans import LINK, OTHER_LINK, PATIENT
from scrubline.models.messages.fhir_references import read_name
from scrubline.models.messages.fhir_roles import (
    HEADER as ROLES_HEADER,
)
from scrubline.models.messages.fhir_roles import (
    NOTE_DATES,
    default_roles,
    is_element,
    parse_roles,
    role_lines,
)
from scrubline.models.messages.fhir_walk import ID


def types(owner, key):
    return [one.name for one in elements()[owner][key]]


@pytest.mark.parametrize(
    ("owner", "key", "expected"),
    [
        ("Patient", "birthDate", ["date"]),
        ("Patient", "id", ["id"]),
        ("Patient", "contained", ["Resource"]),
        ("Patient", "deceasedDateTime", ["dateTime"]),
        ("Patient", "contact", ["Patient.contact"]),
        ("Patient.contact", "name", ["HumanName"]),
        ("Patient.contact", "modifierExtension", ["Extension"]),
        ("Bundle.entry", "resource", ["Resource"]),
        ("Bundle.entry", "link", ["Bundle.link"]),
        ("Age", "value", ["decimal"]),
        ("Narrative", "div", ["xhtml"]),
        ("Extension", "valueHumanName", ["HumanName"]),
        ("DocumentReference", "context", ["DocumentReference.context", "Reference"]),
        ("MedicationRequest", "medicationReference", ["Reference"]),
        ("MedicationRequest", "medication", ["CodeableReference"]),
        ("Encounter", "hospitalization", ["Encounter.hospitalization"]),
        ("Encounter", "admission", ["Encounter.admission"]),
    ],
)
def test_types_of_elements(owner, key, expected):
    assert types(owner, key) == expected


def test_the_shape_of_the_table():
    assert 900 < len(elements()) < 1100
    assert 150 < len(resource_types()) < 200
    assert {"Patient", "Bundle", "Binary", "Parameters", "Transport", "Media"} <= resource_types()
    assert not resource_types() & {"Age", "HumanName", "Resource", "DomainResource", "Element"}
    for name in resource_types():
        assert {"id", "meta", "language", "implicitRules"} <= elements()[name].keys()
    for owner, own in elements().items():
        assert all(key[0].islower() and key.isalnum() for key in own), owner
        for found in own.values():
            assert found and all(one.name in elements() or one.name in PRIMITIVES for one in found)
    assert elements()["Patient"]["generalPractitioner"][0].targets == (
        "Organization",
        "Practitioner",
        "PractitionerRole",
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "type\tparent\n",
        f"{HEADER}\nA\t-\ta=nothing\n",
        f"{HEADER}\nA\tB\ta=string\n",
        f"{HEADER}\nB\t-\tb=string\nA\t-\ta=string\n",
        f"{HEADER}\nA\t-\ta=string\nA\t-\ta=string\n",
        f"{HEADER}\nA\n",
        f"{HEADER}\nA\t-\ta=*\n",
    ],
)
def test_a_broken_table_is_refused(text):
    with pytest.raises(ValueError, match=r"fhir_elements\.tsv"):
        parse_elements(text)


# -- roles


def test_the_roles_are_those_of_columns():
    columns = Columns.of_record("fhir", [])
    assert columns.named(Role.ID) == (ID,)
    assert columns.named(Role.PATIENT) == (PATIENT,)
    assert set(columns.named(Role.BIRTH)) == {"Patient.birthDate"}
    assert set(NOTE_DATES) <= set(columns.named(Role.DATE))
    roles = dict(columns.roles)
    assert roles[LINK] is Role.HASH and roles[OTHER_LINK] is Role.DROP
    assert {roles[name] for name in ("string", "markdown", "Narrative.div")} == {Role.TEXT}
    assert set(PRIMITIVES) - {"xhtml"} <= roles.keys()
    assert ("Patient.name.family", "self", "family") in columns.known
    assert ("Patient.identifier.value", "self", "mrn") in columns.known
    assert ("Practitioner.identifier.value", "staff", "id") in columns.known
    assert {attribute for _, _, attribute in columns.known} <= set(KnownAttribute)


def test_every_name_is_one_of_fhir():
    made_up = {
        "string(malformed)": "Coding.display",
        "string(base64)": "Coding.display",
        PATIENT: "Patient.id",
        OTHER_LINK: "Reference.reference",
        ID: "Resource.id",
    }
    names = [made_up.get(name, name) for name in default_roles()]
    assert [name for name in names if not (name in PRIMITIVES or is_element(name))] == []


def test_no_line_says_what_holds_anyway():
    assert len(role_lines()) == len({line.name for line in role_lines()})


@pytest.mark.parametrize(
    "line",
    ["A\tpass", "A\tpass\t", "A\tno\twhy", "A\tself Quantity\twhy", "B\tpass\tw\nA\tpass\tw"],
)
def test_a_broken_table_of_roles_is_refused(line):
    with pytest.raises(ValueError, match=r"fhir_roles\.tsv, line [23]"):
        list(parse_roles(f"{ROLES_HEADER}\n{line}\n"))


# -- names of resources


@pytest.mark.parametrize(
    ("source", "expected", "replaced"),
    [
        ("Patient/1", ("Patient", "1"), "1"),
        (r"Patient\/1", ("Patient", "1"), "1"),
        ("Patient/a-b.c/_history/3", ("Patient", "a-b.c"), "a-b.c/_history/3"),
        ("http://h.org/fhir/Patient/1", ("Patient", "1"), "http://h.org/fhir/Patient/1"),
        (r"https:\/\/h\/Patient\/1", ("Patient", "1"), r"https:\/\/h\/Patient\/1"),
        ("urn:uuid:AB-1", ("", "urn:uuid:ab-1"), "AB-1"),
        ("urn:oid:1.2.3", ("", "urn:oid:1.2.3"), "1.2.3"),
        ("#p1", ("", "p1"), "p1"),
        ("Patient", None, ""),
        ("Patient/", None, ""),
        ("patient/1", None, ""),
        ("Smith/1", None, ""),
        ("Patient/1/name", None, ""),
        ("Patient?name=x", None, ""),
        ("http://h.org/fhir", None, ""),
        ("Patient/a b", None, ""),
        ("Patient/" + "1" * 3000, None, ""),
        ("http://" + "A" * 1900, None, ""),
    ],
)
def test_names_of_resources(source, expected, replaced):
    name = read_name(source)
    assert (name and (name.type, name.id)) == expected
    if name is not None:
        assert source[name.low : name.high] == replaced
