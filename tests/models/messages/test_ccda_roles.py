"""The roles of the grammar, and roles that a user lays over them."""

import re

import pytest
from scrubline.models.formats.column_roles import Columns, Role
from scrubline.models.messages.ccda import CCDA

from .ccda_documents import document, names

ROLES = CCDA.default_roles()


def test_the_roles_are_those_of_columns():
    columns = Columns.of_record("ccda", ())
    assert columns.named(Role.ID) == ("ClinicalDocument.id",)
    assert columns.named(Role.PATIENT) == ("recordTarget.patientRole.id",)
    assert columns.named(Role.TYPE) == ("ClinicalDocument.code@code",)
    assert {str(role) for _, role in columns.roles} == set(map(str, Role))
    assert set(CCDA.note_dates) <= set(columns.named(Role.DATE))


def test_names_are_paths_of_few_elements():
    element = r"[\w:-]+(?:\([\w ]+\))?"
    form = re.compile(rf"(?:(?:{element}\.){{0,2}}{element})?(?:@[\w:]+(?:\([\w ]+\))?)?")
    assert [name for name in ROLES if not form.fullmatch(name)] == []


def test_nothing_of_a_person_passes():
    people = re.compile(r"addr|\(AD\)|telecom|name(\.|$)|birth|Time|extension|[Ii]d@")
    passed = {name for name, role in ROLES.items() if role == "pass" and people.search(name)}
    assert passed == {
        "addr.state",
        "addr.country",
        "value(AD).state",
        "value(AD).country",
        "templateId@extension",
        "typeId@extension",
        "sdtc:templateId@extension",
        "sdtc:typeId@extension",
    }


AUTHOR = (
    '<author><time value="2024"/><assignedAuthor><id root="1.2" extension="a"/><assignedPerson>'
    "<name><family>b</family></name></assignedPerson></assignedAuthor></author>"
)
VALUE = (
    '<o><value xsi:type="CD" code="a" displayName="b"><originalText>c</originalText></value></o>'
)


@pytest.mark.parametrize(
    ("body", "declared", "place", "name"),
    [
        # A name holds for all that lies within it, whatever the grammar says of that.
        (AUTHOR, "author", "author.time@value", "author"),
        (AUTHOR, "author", "assignedAuthor.id@extension", "author"),
        (AUTHOR, "author", "name.family", "author"),
        (AUTHOR, "assignedPerson", "name.family", "assignedPerson"),
        (AUTHOR, "assignedPerson", "assignedAuthor.id@extension", "assignedAuthor.id@extension"),
        (AUTHOR, "author.assignedAuthor", "name.family", "author.assignedAuthor"),
        (AUTHOR, "author.time", "author.time@value", "author.time"),
        (AUTHOR, "assignedAuthor.id", "assignedAuthor.id@root", "assignedAuthor.id"),
        (AUTHOR, "id@root", "assignedAuthor.id@root", "id@root"),
        (AUTHOR, "@root", "assignedAuthor.id@root", "@root"),
        # Also names that the table has, if it has others within them.
        (VALUE, "value", "o.value(CD)@code", "value"),
        (VALUE, "value", "value(CD).originalText", "value"),
        (VALUE, "value(CD)", "o.value(CD)@displayName", "value(CD)"),
        (VALUE, "o.value", "o.value(CD)@code", "o.value"),
        (VALUE, "@displayName", "o.value(CD)@displayName", "@displayName"),
        (VALUE, "@displayName", "o.value(CD)@code", "@code"),
        # A kind of value that has no role of its own has that of the rest.
        ('<x><id root="1.2"/></x>', "@root", "x.id@root", "@root"),
        ('<x><id root="1.2"/></x>', "id@root", "x.id@root", "id@root"),
        ("<x><telecom value='tel:5'/></x>", "telecom@value", "x.telecom@value", "telecom@value"),
    ],
)
def test_declared_names_hold_for_all_within_them(body, declared, place, name):
    assert names(document(body), (declared, "drop"))[place] == name


def test_the_most_specific_of_declared_names_counts():
    found = names(document(AUTHOR), ("author", "drop"), ("author.assignedAuthor.id", "pass"))
    assert found["author.time@value"] == "author"
    assert found["assignedAuthor.id@extension"] == "author.assignedAuthor.id"


def test_another_value_may_be_the_id_of_the_document():
    record = document('<id root="1.2" extension="a"/><setId root="1.2" extension="b"/>')
    found = names(record, ("ClinicalDocument.setId", "id"))
    assert found["ClinicalDocument.setId@extension"] == "ClinicalDocument.setId"
    assert found["ClinicalDocument.setId@root"] == "ClinicalDocument.setId"
    found = names(record, ("ClinicalDocument.setId@extension", "id"))
    assert found["ClinicalDocument.setId@root"] == "@root"
