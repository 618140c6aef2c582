import base64
import json

import pytest
from scrubline.models.core.errors import DocumentError
from scrubline.models.core.views import applied
from scrubline.models.formats.column_roles import Columns
from scrubline.models.messages.fhir import FHIR

from .fhir_examples import EXAMPLES, PLANTED, URN, as_text, b64
from .fhir_scrubbing import key_of, layers, opened, scrubbed, values_of

__all__ = ["layers"]

INDENTS = (None, 0, 3)


def strings_in(value):
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            waiting += [*one, *one.values()]
        elif isinstance(one, list):
            waiting += one


def all_text(record):
    """What a record says, also in base64."""
    found = [record]
    for one in strings_in(json.loads(record)):
        try:
            found.append(base64.b64decode(one, validate=True).decode("latin-1"))
        except ValueError:
            continue
    return "\n".join(found)


# -- nothing is left


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("indent", INDENTS)
def test_nothing_that_was_planted_is_left(name, indent):
    record = as_text(EXAMPLES[name], indent)
    assert [word for word in PLANTED if word in all_text(record)]
    found = scrubbed(record)
    left = [word for word in PLANTED if word in all_text(found)]
    assert left == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_all_bytes_that_nothing_replaces_are_kept(name):
    record = as_text(EXAMPLES[name], 1)
    column = opened(record)
    cells = {leaf: one.cells for leaf, one in column.leaves.items()}
    assert column.closed(cells)[0].as_py() == record


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("dates", [True, False])
def test_no_object_or_array_is_left_empty(name, dates):
    waiting = [json.loads(scrubbed(as_text(EXAMPLES[name]), dates=dates))]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict | list):
            assert one
            waiting += one.values() if isinstance(one, dict) else one
        if isinstance(one, dict):
            assert list(one) != ["url"]


def test_numbers_are_as_they_were_written():
    found = scrubbed(as_text(EXAMPLES["claim"]).replace("135.57,", "135.570,"))
    assert '"value": 135.570,' in found


# -- names

P, N = "Patient", "name"
GEOLOCATION = {
    "url": "http://hl7.org/fhir/StructureDefinition/geolocation",
    "extension": [
        {"url": "latitude", "valueDecimal": 45.51223},
        {"url": "longitude", "valueDecimal": -122.658722},
    ],
}
CASES = [
    ({"birthDate": "1974-12-25"}, "Patient.birthDate"),
    ({"birthDate": "25.12.1974"}, "string(malformed)"),
    ({"name": [{"family": "X"}]}, "Patient.name.family"),
    ({"name": [{"text": "X"}]}, "Patient.name.text"),
    ({"name": [{"use": "usual"}]}, "code"),
    ({"name": [{"use": "John Smith"}]}, "string(malformed)"),
    ({"address": [{"state": "IL", "country": "United States"}]},
     ("Address.state", "Address.country")),
    ({"address": [{"state": "12 Elm St"}]}, "string(malformed)"),
    ({"address": [{"country": "Springfield, IL 62704"}]}, "string(malformed)"),
    ({"name": "X"}, ""),
    ({"name": {"family": "X"}}, "Patient.name.family"),
    ({"name": [["X"]]}, ""),
    ({"active": True}, "boolean"),
    ({"active": "X"}, ""),
    ({"multipleBirthInteger": 2}, "integer"),
    ({"multipleBirthInteger": "X"}, ""),
    ({"gender": 5}, ""),
    ({"photo": [{"contentType": "text/plain; charset=utf-8"}]}, "Patient.photo"),
    ({"foo": "X"}, ""),
    ({"foo": {"bar": ["X"]}}, ""),
    ({"John Smith": "X"}, ""),
    ({"telecom": [{"system": "email", "value": "X"}]}, ("code", "Patient.telecom.value(email)")),
    ({"telecom": [{"value": "a@b"}]}, "Patient.telecom.value(email)"),
    ({"telecom": [{"value": "1"}]}, "Patient.telecom.value(phone)"),
    ({"telecom": [{"system": "url", "value": "X"}]}, ("code", "Patient.telecom.value")),
    ({"contact": [{"name": {"given": ["X"]}}]}, "Patient.contact.name.given"),
    ({"extension": [{"url": "http://x/y", "valueString": "X"}]},
     ("Extension.url", "Patient.extension.valueString")),
    ({"extension": [{"url": "http://x/patient-mothersMaidenName", "valueString": "X"}]},
     ("Extension.url", "Patient.extension(patient-mothersMaidenName).valueString")),
    ({"extension": [{"url": "http://x/y", "valueAddress": {"city": "X"}}]},
     ("Extension.url", "Address.city")),
    ({"address": [{"extension": [GEOLOCATION]}]},
     ("Extension.url", "Extension.url", "Extension(geolocation)", "Extension.url",
      "Extension(geolocation)")),
    ({"extension": [GEOLOCATION]},
     ("Extension.url", "Extension.url", "Extension(geolocation)", "Extension.url",
      "Extension(geolocation)")),
    ({"address": [{"extension": [{"url": "http://x/latitude", "valueDecimal": 45.512}]}]},
     ("Extension.url", "Extension(latitude)")),
    ({"address": [{"extension": [{"url": "http://x/longitude", "valueDecimal": -122.65}]}]},
     ("Extension.url", "Extension(longitude)")),
    ({"address": [{"extension": [{"url": "http://x/censusTract", "valueString": "X"}]}]},
     ("Extension.url", "Address.extension.valueString")),
    ({"telecom": [{"extension": [{"url": "http://x/local", "valueString": "8672001"}]}]},
     ("Extension.url", "ContactPoint.extension.valueString")),
    ({"name": [{"extension": [{"url": "u", "extension": [{"url": "v", "valueString": "X"}]}]}]},
     ("Extension.url", "Extension.url", "HumanName.extension.extension.valueString")),
    ({"identifier": [{"extension": [{"url": "http://x/y", "valueString": "77410"}]}]},
     ("Extension.url", "Identifier.extension.valueString")),
    ({"contact": [{"extension": [{"url": "http://x/y", "valueString": "X"}]}]},
     ("Extension.url", "Patient.contact.extension.valueString")),
    ({"modifierExtension": [{"url": "http://x/y", "valueString": "X"}]},
     ("Extension.url", "Patient.modifierExtension.valueString")),
    ({"extension": [{"url": "http://x/y", "valueFoo": "X"}]}, ("Extension.url", "")),
    ({"_birthDate": {"id": "a"}}, "Patient.birthDate"),
    ({"_name": [{"family": "X"}]}, "Patient.name.family"),
    ({"_name": [{"foo": "X"}]}, ""),
    ({"maritalStatus": {"text": "X"}}, "CodeableConcept.text"),
    ({"maritalStatus": {"coding": [{"system": "http://loinc.org", "display": "X"}], "text": "X"}},
     ("Coding.system", "Coding.display", "Coding.display")),
    ({"maritalStatus": {"coding": [{"display": "X"}], "text": "X"}},
     ("Coding.display(local)", "CodeableConcept.text")),
    ({"maritalStatus": {"coding": [{"system": "http://site.org/codes", "display": "X"}]}},
     ("Coding.system", "Coding.display(local)")),
    ({"maritalStatus": {"coding": [{"system": "http://loinc.org", "display": "by Dr Smith"}]}},
     ("Coding.system", "string(malformed)")),
    ({"maritalStatus": {"coding": [{"version": "2.74"}, {"version": "Dr Smith"}]}},
     ("Coding.version", "string(malformed)")),
    ({"extension": [{"url": "http://site.org/x?name=Smith", "valueCode": "a"}]},
     ("string(malformed)", "code")),
    ({"extension": [{"url": "http://site.org:80/x/y", "valueCode": "a"}]},
     ("Extension.url", "code")),
    ({"extension": [{"url": "urn:oid:1.2.3", "valueCode": "a"}]}, ("Extension.url", "code")),
    ({"maritalStatus": {"_text": {"extension": [{"url": "u", "valueString": "X"}]}}},
     ("Extension.url", "CodeableConcept.text")),
    ({"maritalStatus": {"_text": {"extension": [{"url": "u", "valueDateTime": "2019-03-04"}]}}},
     ("Extension.url", "dateTime")),
    ({"maritalStatus": {"_text": {"extension": [{"url": "u", "valueDecimal": 1.10}]}}},
     ("Extension.url", "decimal")),
    ({"extension": [{"url": "http://nema.org#0010:1010", "valueCode": "a"}]},
     ("Extension.url", "code")),
    ({"managingOrganization": {"reference": "Organization/1"}}, "Reference.reference"),
    ({"managingOrganization": {"reference": "Organization?name=X"}}, "Reference.reference(other)"),
    ({"link": [{"other": {"reference": "RelatedPerson/2", "display": "X"}}]},
     ("Reference.reference", "Reference.display(RelatedPerson)")),
    ({"generalPractitioner": [{"display": "X"}]}, "Reference.display"),
    ({"text": {"div": "<div/>"}}, "Narrative.div"),
    ({"language": "en"}, "code"),
    ({"meta": {"profile": ["http://a/b"], "versionId": "1"}}, ("canonical", "id")),
    ({"photo": [{"contentType": "text/plain", "data": "QQ=="}]}, ("Patient.photo",) * 2),
    ({"contained": [{"resourceType": "Foo", "bar": "X"}]}, ("", "")),
    ({"resourceType2": "X"}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("members", "expected"), CASES, ids=range(len(CASES)))
def test_names_of_values(members, expected):
    values = values_of(as_text({"resourceType": "Patient", **members}))
    assert tuple(value.name for value in values) == (
        (expected,) if isinstance(expected, str) else expected
    )


AGE = {"coding": [{"code": "30525-0"}]}
OTHERS = [
    ({"resourceType": "Condition", "onsetAge": {"value": 90, "code": "a"}},
     ["Age.value(over 89)", "code"]),
    ({"resourceType": "Condition", "onsetAge": {"value": 89, "code": "a"}}, ["decimal", "code"]),
    ({"resourceType": "Condition", "onsetAge": {"value": 1090, "code": "mo"}},
     ["Age.value(over 89)", "code"]),
    ({"resourceType": "Observation", "valueQuantity": {"value": 91, "code": "a_j"}},
     ["Quantity.value(over 89)", "code"]),
    ({"resourceType": "Observation", "valueQuantity": {"value": 91.5, "unit": "years"}},
     ["Quantity.value(over 89)", "Quantity.unit"]),
    ({"resourceType": "Observation", "valueQuantity": {"value": 120, "unit": "mmHg"}},
     ["decimal", "Quantity.unit"]),
    # What an observation is of, its code says.
    ({"resourceType": "Observation", "code": AGE, "valueQuantity": {"value": 93}},
     ["code", "Quantity.value(over 89)"]),
    ({"resourceType": "Observation", "code": AGE, "valueQuantity": {"value": 93, "code": "%"}},
     ["code", "decimal", "code"]),
    ({"resourceType": "Observation", "code": AGE, "valueInteger": 93},
     ["code", "Observation.valueInteger(over 89)"]),
    ({"resourceType": "Observation", "code": AGE, "valueInteger": 89}, ["code", "integer"]),
    ({"resourceType": "Observation", "code": AGE, "valueString": "93 y"},
     ["code", "Observation.valueString(over 89)"]),
    ({"resourceType": "Observation", "code": AGE, "valueRange": {"low": {"value": 90}}},
     ["code", "Quantity.value(over 89)"]),
    ({"resourceType": "Observation", "code": {"coding": [{"code": "8867-4"}]}, "valueInteger": 93},
     ["code", "integer"]),
    ({"resourceType": "Observation", "valueInteger": 93, "component": [
        {"valueInteger": 94, "code": AGE}]},
     ["integer", "Observation.component.valueInteger(over 89)", "code"]),
    ({"resourceType": "DocumentReference", "content": [{"attachment": {
        "contentType": "application/pdf", "data": "QQ=="}}]}, ["code", "Attachment.data(binary)"]),
    ({"resourceType": "DocumentReference", "content": [{"attachment": {
        "contentType": "text/plain; charset=utf-8", "size": 5}}]}, ["code", "Attachment.size"]),
    ({"resourceType": "DocumentReference", "content": [{"attachment": {"data": "QQ=="}}]},
     ["Attachment.data(binary)"]),
    ({"resourceType": "DocumentReference", "content": [{"attachment": {
        "contentType": "text/plain", "data": "QQ==", "url": "Binary/1"}}]},
     ["code", "Attachment.data", "Reference.reference"]),
    ({"resourceType": "DocumentReference", "content": [{"attachment": {"url": "http://a/b"}}]},
     ["url"]),
    ({"resourceType": "Binary", "contentType": "text/html", "data": "QQ=="},
     ["code", "Binary.data"]),
    ({"resourceType": "Procedure", "reasonReference": [{"reference": "Condition/1",
        "display": "X"}]}, ["Reference.reference", "Reference.display(clinical)"]),
    ({"resourceType": "Observation", "subject": {"reference": "Patient/1", "display": "X"}},
     ["Patient.id", "Reference.display(Patient)"]),
    ({"resourceType": "Observation", "subject": {"reference": "Group/1"}}, ["Reference.reference"]),
    ({"resourceType": "Observation", "subject": {"type": "Patient", "display": "X"}},
     ["Reference.type", "Reference.display(Patient)"]),
    ({"resourceType": "Immunization", "patient": {"reference": "urn:uuid:1"}}, ["Patient.id"]),
    ({"resourceType": "DocumentReference", "context": {"encounter": [{"reference": "Encounter/1"}],
        "period": {"start": "2020"}}},
     ["Reference.reference", "DocumentReference.context.period.start"]),
    ({"resourceType": "DocumentReference", "context": [{"reference": "Encounter/1"}]},
     ["Reference.reference"]),
    ({"resourceType": "AllergyIntolerance", "type": "allergy"}, ["code"]),
    ({"resourceType": "AllergyIntolerance", "type": {"coding": [{"code": "a"}]}}, ["code"]),
    ({"resourceType": "Foo", "id": "1", "name": "X"}, ["", "Resource.id", ""]),
    ({"resourceType": "Observation", "valueSampledData": {"data": "1 2 E"}}, ["SampledData.data"]),
    ({"resourceType": "Observation", "valueSampledData": {"data": "Smith"}},
     ["string(malformed)"]),
    ({"resourceType": "Observation", "valueQuantity": {"unit": "mm Hg"}}, ["Quantity.unit"]),
    ({"resourceType": "Observation", "valueQuantity": {"unit": "mg per Dr Smith"}},
     ["string(malformed)"]),
    ({"resourceType": "QuestionnaireResponse", "item": [{"linkId": "seen by Smith"}]},
     ["string(malformed)"]),
    ({"resourceType": "Parameters", "parameter": [{"name": "Smith", "valueCode": "a"}]},
     ["string(malformed)", "code"]),
    ({"resourceType": "Observation", "valueTime": "10:00"}, ["time"]),
    ({"resourceType": "Location", "address": {"state": "NY", "city": "X"}},
     ["Location.address", "Location.address"]),
    ({"resourceType": "Bundle", "entry": [{"request": {"method": "GET", "url": "Patient"}}]},
     ["code"]),
    ({"resourceType": "Bundle", "entry": [{"request": {"url": "Patient?name=X"}}]},
     ["Reference.reference(other)"]),
    ({"resourceType": "Bundle", "entry": [{"response": {"location": "Observation/1/_history/1"}}]},
     ["Reference.reference"]),
    ({"resourceType": "Encounter", "location": [{"location": {"reference": "Location/1"}}]},
     ["Encounter.location"]),
    ({"resourceType": "Parameters", "parameter": [{"name": "a", "resource": {
        "resourceType": "Patient", "id": "1"}}]}, ["Parameters.parameter.name", "Patient.id"]),
]  # fmt: skip


@pytest.mark.parametrize(("record", "expected"), OTHERS, ids=range(len(OTHERS)))
def test_names_of_values_of_other_resources(record, expected):
    assert [value.name or "" for value in values_of(as_text(record))] == expected


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ({"resourceType": "Patient", "foo": 1}, "Patient.foo"),
        ({"resourceType": "Patient", "contact": [{"a": [1]}]}, "Patient.contact.a"),
        ({"resourceType": "Patient", "_birthDate": {"x": "1"}}, None),
        ({"resourceType": "Patient", "_gender": {"x": "1"}}, "Patient.gender.x"),
        ({"resourceType": "Patient", "John Smith": 1}, "Patient.?"),
        ({"resourceType": "Foo"}, "Foo.resourceType"),
        ({"resourceType": "John Smith"}, "?.resourceType"),
        ({"resourceType": "Patient", "John Smith": None}, "Patient.?"),
        ({"resourceType": "Patient", "foo": ""}, "Patient.foo"),
        ({"resourceType": "Patient", "foo": {}}, "Patient.foo"),
        ({"resourceType": "Patient", "foo": [{}]}, "Patient.foo"),
        ({"resourceType": "Patient", "foo": [[]]}, "Patient.foo"),
        ({"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "Patient", "foo": 1}}]},
         "Patient.foo"),
    ],
)  # fmt: skip
def test_what_has_no_role_says_what_to_declare(record, name):
    (value,) = values_of(as_text(record))
    assert (FHIR.undeclared_name(value) if not value.name else None) == name
    if name is not None and "?" not in name:
        for declared in (name, name.rpartition(".")[0]):
            columns = Columns.of_record("fhir", [(declared, "drop")])
            (value,) = values_of(as_text(record), columns)
            assert value.name == declared
            assert "ohn" not in scrubbed(as_text(record), columns)


@pytest.mark.parametrize(
    ("declared", "expected"),
    [
        ([("Patient.name.family", "pass")], "Patient.name.family"),
        ([("Patient.name", "drop")], "Patient.name"),
        ([("Patient", "drop")], "Patient"),
        ([("HumanName.family", "hash")], "Patient.name.family"),
        ([("HumanName", "drop")], "Patient.name.family"),
    ],
)
def test_what_a_user_declares_holds(declared, expected):
    record = as_text({"resourceType": "Patient", "name": [{"family": "X"}]})
    (value,) = values_of(record, Columns.of_record("fhir", declared))
    assert value.name == expected


def test_only_strings_are_texts():
    columns = Columns.of_record("fhir", [("Observation.valueInteger", "text")])
    (value,) = values_of('{"resourceType": "Observation", "valueInteger": 3}', columns)
    assert value.name == ""


# -- ids


def ids_of(record):
    return {
        value.place: (value.name, value.value)
        for value in values_of(as_text(record))
        if value.name in ("Resource.id", "Patient.id", "Reference.reference")
    }


def test_a_resource_and_what_leads_to_it_have_one_key():
    assert ids_of({"resourceType": "Encounter", "id": "e1"}) == {
        "Encounter.id": ("Resource.id", "Encounter/e1")
    }
    assert ids_of(
        {
            "resourceType": "Observation",
            "id": "o1",
            "subject": {"reference": "https://h/fhir/Patient/p1/_history/2"},
            "encounter": {"reference": "Encounter/e1"},
        }
    ) == {
        "Observation.id": ("Resource.id", "Observation/o1"),
        "Observation.subject.reference": ("Patient.id", "p1"),
        "Observation.encounter.reference": ("Reference.reference", "Encounter/e1"),
    }
    assert FHIR.patient_of("Patient/p1") == "p1"
    assert FHIR.patient_of("Encounter/p1") is None


def test_the_patients_of_a_record_are_links_if_they_are_several():
    record = {
        "resourceType": "Patient",
        "id": "1",
        "link": [{"other": {"reference": "Patient/2"}}],
    }
    assert ids_of(record) == {
        "Patient.id": ("Resource.id", "Patient/1"),
        "Patient.link.other.reference": ("Reference.reference", "Patient/2"),
    }
    found = json.loads(scrubbed(as_text(record)))
    assert found["id"] == key_of("1")
    assert found["link"][0]["other"]["reference"] == f"Patient/{key_of('2')}"


def test_contained_resources_are_told_apart_by_what_contains_them():
    def record(id_):
        return {
            "resourceType": "Observation",
            "id": id_,
            "contained": [
                {"resourceType": "Patient", "id": "p"},
                {"resourceType": "Practitioner", "id": "d"},
                {
                    "resourceType": "Encounter",
                    "id": "e",
                    "subject": {"reference": "#p"},
                    "partOf": {"reference": "#"},
                },
            ],
            "subject": {"reference": "#p"},
            "performer": [{"reference": "#d"}],
        }

    one, two = (json.loads(scrubbed(as_text(record(id_)))) for id_ in "12")
    for found in (one, two):
        patient, practitioner, encounter = found["contained"]
        assert found["subject"]["reference"] == f"#{patient['id']}"
        assert encounter["subject"]["reference"] == f"#{patient['id']}"
        assert encounter["partOf"]["reference"] == "#"
        assert found["performer"][0]["reference"] == f"#{practitioner['id']}"
    assert one["subject"] != two["subject"]


def test_the_links_of_a_transaction_hold():
    found = json.loads(scrubbed(as_text(EXAMPLES["transaction bundle"])))
    patient, observation = found["entry"]
    assert observation["resource"]["subject"]["reference"] == patient["fullUrl"] != URN
    assert patient["fullUrl"].replace("-", "") == f"urn:uuid:{patient['resource']['id']}"
    assert patient["request"]["url"] == f"Patient/{patient['resource']['id']}"
    assert observation["request"]["url"] == "Observation"
    assert patient["resource"]["id"] == key_of(URN.removeprefix("urn:uuid:"))


def test_the_links_of_a_document_hold():
    found = json.loads(scrubbed(as_text(EXAMPLES["document bundle"])))
    composition, patient, *_ = found["entry"]
    assert composition["resource"]["subject"]["reference"] == f"Patient/{key_of('pat-1')}"
    assert patient["resource"]["id"] == key_of("pat-1")
    assert patient["fullUrl"] == f"http://example.org/fhir/Patient/{key_of('pat-1')}"


@pytest.mark.parametrize(
    ("bundle", "expected"),
    [
        ({"id": "b"}, ("Bundle.id", "Bundle/b")),
        ({"identifier": {"value": "n"}}, ("Bundle.identifier.value", "Bundle/n")),
        ({"entry": [{"resource": {"resourceType": "Patient", "id": "1"}}]},
         ("Bundle.entry.resource(Patient).id", "Patient/1")),
        ({"entry": [{"resource": {"resourceType": "Patient", "id": "1"}},
                    {"resource": {"resourceType": "Patient", "id": "2"}},
                    {"resource": {"resourceType": "Condition", "id": "1"}}]},
         ("Bundle.entry.resource[3](Condition).id", "Condition/1")),
        ({"entry": [{"resource": {"resourceType": "Patient", "id": "1"}},
                    {"resource": {"resourceType": "Patient", "id": "2"}}]}, None),
        ({"entry": [{"resource": {"resourceType": "Patient"}}]}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_what_stands_for_the_id_of_a_bundle(bundle, expected):
    values = values_of(as_text({"resourceType": "Bundle", **bundle}))
    found = [(value.place, value.value) for value in values if value.name == "Resource.id"]
    assert found == ([] if expected is None else [expected])


# -- texts


def test_short_texts_of_a_resource_are_one_note():
    record = {
        "resourceType": "Observation",
        "text": {"div": "<div>d</div>"},
        "note": [{"text": "a"}, {"text": "b"}],
        "valueString": "c",
    }
    assert [note.written.text for note in opened(as_text(record)).notes] == [
        "<div>d</div>",
        "a\nb\nc",
    ]
    bundle = {"resourceType": "Bundle", "entry": [{"resource": record}] * 2}
    assert len(opened(as_text(bundle)).notes) == 4


def test_a_text_in_base64_is_read_and_written():
    record = as_text(
        {"resourceType": "Binary", "id": "1", "contentType": "text/plain", "data": b64("José\n")}
    ).replace("=", r"\u003d")
    (note,) = opened(record).notes
    assert note.written.text == "José\n"
    found = json.loads(scrubbed(record, stand_in="[X] é"))
    assert base64.b64decode(found["data"]).decode() == "[X] é"


def test_a_text_that_is_nothing_but_base64_is_left_out_unless_somebody_wants_it_read():
    said = "Patient Zelda Quimby, seen by Dr. Fotheringay in 2019."
    record = as_text({"resourceType": "Observation", "note": [{"text": b64(said)}]})
    assert [value.name for value in values_of(record)] == ["string(base64)"]
    assert opened(record).notes == []
    read = Columns.of_record("fhir", [("string(base64)", "text")])
    (note,) = opened(record, columns=read).notes
    assert note.written.text == said
    dna = as_text({"resourceType": "MolecularSequence", "observedSeq": "ACGT" * 20})
    (note,) = opened(dna).notes
    assert note.written.text == "ACGT" * 20


@pytest.mark.parametrize(
    "data",
    [
        b64(b64("Seen by Dr. Fotheringay on 3/4/2019.")),
        b64("%PDF-1.4 /Author (Fotheringay)"),
        b64("MIME-Version: 1.0\nContent-Transfer-Encoding: base64\n\nRm90aGVyaW5nYXk="),
    ],
)
def test_attachments_that_are_seen_to_be_no_text_go(data):
    record = as_text({"resourceType": "Binary", "contentType": "text/plain", "data": data})
    assert scrubbed(record) == as_text({"resourceType": "Binary", "contentType": "text/plain"})


def test_an_attachment_of_plain_text_is_read_as_what_it_begins_as(monkeypatch):
    monkeypatch.undo()  # the layers of markup are the true ones
    data = b64(r"{\rtf1{\info{\author Zelda}}Dr. Fother{\b ingay}}")
    record = as_text({"resourceType": "Binary", "contentType": "text/plain", "data": data})
    (note,) = opened(record).notes
    assert note.written.text == "Dr. Fotheringay"


def test_an_attachment_that_is_called_rtf_and_is_plain_text_is_read(monkeypatch):
    monkeypatch.undo()
    data = b64("Dr. Fotheringay < 3/4/2019")
    record = as_text({"resourceType": "Binary", "contentType": "application/rtf", "data": data})
    (note,) = opened(record).notes
    assert note.written.text == "Dr. Fotheringay < 3/4/2019"


@pytest.mark.parametrize("data", ["QQ", "Q===", "é", b64("\0\1"), "gIGNkA=="])
def test_attachments_that_cannot_be_read_are_refused(data):
    record = as_text({"resourceType": "Binary", "contentType": "text/plain", "data": data})
    assert scrubbed(record) == "UnreadableAttachment"


# -- what goes


@pytest.mark.parametrize(
    ("before", "places", "after"),
    [
        ('{"a": 1, "b": 2}', "1", '{"b": 2}'),
        ('{"a": 1, "b": 2}', "2", '{"a": 1}'),
        ('{ "a": 1 ,\n "b": 2 , "c": 3 }', "2", '{ "a": 1 , "c": 3 }'),
        ('{ "a": 1 , "b": 2 , "c": 3 }', "12", '{ "c": 3 }'),
        ('{ "a": 1 , "b": 2 , "c": 3 }', "23", '{ "a": 1 }'),
        ('{ "a": 1 , "b": 2 , "c": 3 }', "13", '{ "b": 2 }'),
        ('{"a": 1}', "1", "{}"),
        ('{"a": [1, 2, 3], "b": 4}', "2", '{"a": [1, 3], "b": 4}'),
        ('{"a": [1, 2, 3], "b": 4}', "123", '{"b": 4}'),
        ('{"a": {"c": [1]}, "b": 4}', "1", '{"b": 4}'),
        ('{"a": {"c": [1], "d": {}}, "b": 4}', "1", '{"a": {"d": {}}, "b": 4}'),
        ('{"a": [1, 2], "_a": [null, {"b": 3}]}', "1", '{"a": [null, 2], "_a": [null, {"b": 3}]}'),
        ('{"a": [1, 2], "_a": [null, {"b": 3}]}', "12", '{"_a": [null, {"b": 3}]}'),
        ('{"a": [1, 2], "_a": [null, {"b": 3}]}', "3", '{"a": [1, 2]}'),
        ('{"a": [1, 2], "_a": [{"b": 4}, {"b": 3}]}', "13",
         '{"a": [null, 2], "_a": [{"b": 4}, null]}'),
        ('{"a": [1, null, 2]}', "12", "{}"),
        ('{"e": [{"url": 8, "valueX": 1}], "f": 9}', "1", '{"f": 9}'),
        ('{"e": [{"url": 8, "value": 1, "k": 2}], "f": 9}', "12", '{"e": [{"url": 8}], "f": 9}'),
        ('{"e": [{"url": 8}], "f": 9}', "9", '{"e": [{"url": 8}]}'),
        ('{"a": "x1", "b": true, "c": {}, "d": 2}', "t", '{"a": "x1", "c": {}, "d": 2}'),
    ],
)  # fmt: skip
def test_what_goes_takes_its_key_and_comma_along(before, places, after):
    class At:
        def __init__(self, start):
            self.start = start

    edits = FHIR.emptied(
        before, sorted((At(before.index(p)) for p in places), key=lambda a: a.start)
    )
    assert applied(before, edits) == after


def test_a_number_that_gets_a_key_becomes_a_string():
    columns = Columns.of_record("fhir", [("Observation.valueInteger", "hash")])
    found = scrubbed('{"resourceType": "Observation", "valueInteger": 3}', columns)
    assert json.loads(found)["valueInteger"] == key_of("3")


def test_the_place_of_an_address_goes_whole():
    record = {"resourceType": "Patient", "id": "1", "address": [
        {"state": "OR", "extension": [GEOLOCATION, {"url": "http://x/y", "valueCode": "a"}]}
    ]}  # fmt: skip
    [address] = json.loads(scrubbed(json.dumps(record)))["address"]
    assert address == {"state": "OR", "extension": [{"url": "http://x/y", "valueCode": "a"}]}


def test_a_url_that_changes_goes_with_the_extension():
    columns = Columns.of_record("fhir", [("Extension.url", "hash")])
    record = {
        "resourceType": "Patient",
        "active": True,
        "extension": [{"url": "http://x/y", "valueString": "X"}],
    }
    assert json.loads(scrubbed(as_text(record), columns)) == {
        "resourceType": "Patient",
        "active": True,
    }


# -- hostile


@pytest.mark.parametrize(
    ("record", "code"),
    [
        ("{}", "BadFhir"),
        ('{"resourceType": 5}', "BadFhir"),
        ('{"resourceType": "Bundle", "entry": [{"resource": {}}]}', "BadFhir"),
        (r'{"resourceType": "Patient", "id": "\ud800"}', "LoneSurrogate"),
        (r'{"resourceType": "Observation", "note": [{"text": "a \ud83d"}]}', "LoneSurrogate"),
        ('{"resourceType": "Patient", "id": "\ud800"}', "LoneSurrogate"),
        (r'{"resourceType": "Observation", "valueString": "a \ud800"}', "LoneSurrogate"),
        (r'{"resourceType": "Observation", "note": [{"text": "\ud83d"}, {"text": "\ude42"}]}',
         "LoneSurrogate"),
        (r'{"resourceType": "Observation", "valueString": "\ud83d\ude42"}', None),
        (r'{"resourceType": "Observation", "text": {"div": "<p>\udc00</p>"}}', "LoneSurrogate"),
        (r'{"resourceType": "Patient", "\ud800": "x"}', None),
        (r'{"resourceType": "\ud800", "id": "x"}', "LoneSurrogate"),
        ('{"resourceType": "Patient", "id": 1, "id": 2}', "DuplicateKey"),
        ('{"resourceType": "Patient", "contained": "x"}', None),
        ('{"resourceType": "Patient", "contained": [[]]}', None),
        ('{"resourceType": "Bundle", "entry": "x", "id": {}}', None),
        ('{"resourceType": "Bundle", "entry": [{"fullUrl": 5, "resource": "x"}]}', None),
        ('{"resourceType": "Patient", "extension": {"url": ["x"]}}', None),
    ],
)  # fmt: skip
def test_hostile_records(record, code):
    if code is None:
        values_of(record)
    else:
        with pytest.raises(DocumentError) as caught:
            values_of(record)
        assert caught.value.code == code


def test_nested_extensions_take_no_more_than_they_are_long():
    inner = '{"url": "a", "valueString": "X"}'
    for _ in range(45):
        inner = f'{{"url": "http://x/us-core-race", "extension": [{inner}]}}'
    values = values_of(f'{{"resourceType": "Patient", "extension": [{inner}]}}')
    assert len(values) == 47
    items = '{"linkId": "1"}'
    for _ in range(45):
        items = f'{{"item": [{items}]}}'
    values_of(f'{{"resourceType": "QuestionnaireResponse", "item": [{items}]}}')


def test_an_escaped_key_is_the_same_key():
    record = r'{"resourceType": "Patient", "n\u0061me": [{"f\u0061mily": "X"}]}'
    assert [value.name for value in values_of(record)] == ["Patient.name.family"]


def test_a_nul_in_a_text_stays():
    record = r'{"resourceType": "Observation", "valueString": "a\u0000b"}'
    (note,) = opened(record).notes
    assert note.written.text == "a\0b"


def test_keys_that_fhir_does_not_have_go_with_what_is_declared_of_them():
    columns = Columns.of_record("fhir", [("Patient.foo", "drop")])
    held = ({"John": None}, {"John": ""}, [{"John": []}], {"John": [None]}, {"John": [[], None]})
    for value in (None, "", {}, [], [None], *held, "John"):
        record = as_text({"resourceType": "Patient", "active": True, "foo": value})
        assert json.loads(scrubbed(record, columns)) == {"resourceType": "Patient", "active": True}


def test_texts_stay_where_they_are_when_items_before_them_go():
    record = {
        "resourceType": "Patient",
        "identifier": [{"value": "1"}, {"value": "2", "type": {"text": "a"}}, {"value": "3"}],
        "contact": [{"name": {"text": "b"}}, {"relationship": [{"text": "c"}, {"text": "d"}]}],
    }
    assert json.loads(scrubbed(as_text(record), stand_in="[X]")) == {
        "resourceType": "Patient",
        "identifier": [{"type": {"text": "[X]"}}],
        "contact": [{"relationship": [{"text": "[X]"}, {"text": "[X]"}]}],
    }
    assert [note.place for note in opened(as_text(record)).notes] == [
        "Patient.identifier.type.text"
    ]
    bundle = {
        "resourceType": "Bundle",
        "entry": [
            {"fullUrl": "http://x"},
            {"resource": {"resourceType": "Observation", "valueString": "a"}},
            {"resource": {"resourceType": "Observation", "valueString": "b"}},
        ],
    }
    assert [note.place for note in opened(as_text(bundle)).notes] == [
        "Bundle.entry.resource(Observation).valueString",
        "Bundle.entry.resource[2](Observation).valueString",
    ]


def test_items_within_items_have_their_roles():
    inner = {"linkId": "1.1", "text": "a"}
    record = {"resourceType": "QuestionnaireResponse", "item": [{"linkId": "1", "item": [inner]}]}
    assert [value.name for value in values_of(as_text(record))] == [
        "QuestionnaireResponse.item.linkId",
        "QuestionnaireResponse.item.linkId",
        "string",
    ]
