"""Keys, links and dates of FHIR records in a unit: what leads to a record has its key."""

import json

import pytest
from scrubline.models.core.known_values import KnownValue
from scrubline.models.formats import FORMATS, Limits
from scrubline.models.formats.column_roles import Columns
from scrubline.models.jobs.amendments import UnitAmendments
from scrubline.models.jobs.plan import Unit
from scrubline.models.jobs.read_unit import read_unit
from scrubline.models.jobs.shifted_columns import DateColumns
from scrubline.models.redaction.policy_file import load_policy
from scrubline.models.storage.storage import Storage

from ..conftest import BUDGETS, KEYS, LIMITS

STORAGE = Storage(sleep=lambda seconds: None)
PATIENT = {"resourceType": "Patient", "id": "p1", "birthDate": "1950-01-02"}
ENCOUNTER = {
    "resourceType": "Encounter",
    "id": "e1",
    "subject": {"reference": "Patient/p1"},
    "period": {"start": "2020-01-02", "end": "2020-01-03T10:00:00Z"},
}
OBSERVATION = {
    "resourceType": "Observation",
    "id": "e1",
    "subject": {"reference": "http://h/fhir/Patient/p1"},
    "encounter": {"reference": "Encounter/e1"},
    "performer": [{"reference": "Patient/p1"}, {"reference": "Practitioner/d"}],
    "effectiveDateTime": "2020-01",
    "valueString": "x",
}
BOTH = {
    "resourceType": "Bundle",
    "id": "b",
    "entry": [
        {"resource": PATIENT},
        {"resource": {**PATIENT, "id": "p2", "name": [{"family": "Kowalczyk"}]}},
        {"resource": {**OBSERVATION, "subject": {"reference": "Patient/p2"}}},
    ],
}


def batch_of(tmp_path, *records, policy="hipaa", ordinals=None, declared=()):
    path = tmp_path / "in.ndjson"
    path.write_text("\n".join(map(json.dumps, records)))
    form, files = FORMATS["fhir"], STORAGE.list_files([str(path)])
    locators = form.plan(STORAGE, 0, files[0], 1 << 30, Limits())
    (batch,) = read_unit(
        STORAGE,
        form,
        Unit(0, "000000-abc", "fhir", (), tuple(locators)),
        files,
        Columns.of_record("fhir", declared).resolved(()),
        KEYS,
        LIMITS,
        BUDGETS,
        dates=DateColumns.of(load_policy(policy)),
        amendments=UnitAmendments({}, ordinals or {}),
    )
    return batch


def out(batch):
    return [json.loads(one) for one in batch.rows.columns.column("fhir").to_pylist()]


def test_what_leads_to_a_record_has_its_key(tmp_path):
    batch = batch_of(tmp_path, PATIENT, ENCOUNTER, OBSERVATION)
    assert not batch.failures
    patient, encounter, observation = out(batch)
    of_patient = KEYS.patient_key("p1")
    assert patient["id"] == of_patient
    assert encounter["subject"]["reference"] == f"Patient/{of_patient}"
    assert observation["subject"]["reference"] == f"Patient/{of_patient}"
    assert observation["performer"][0]["reference"] == f"Patient/{of_patient}"
    assert observation["encounter"]["reference"] == f"Encounter/{encounter['id']}"
    assert [patient["id"], encounter["id"], observation["id"]] == list(batch.rows.doc_keys)
    assert batch.rows.patient_keys == (of_patient,) * 3
    assert encounter["id"] != observation["id"]  # the same id, of another type


def test_a_record_that_is_repeated_has_a_key_of_its_own(tmp_path):
    batch = batch_of(tmp_path, PATIENT, PATIENT, ENCOUNTER, ordinals={1: 1})
    one, two, encounter = out(batch)
    assert one["id"] != two["id"] and [one["id"], two["id"]] == list(batch.rows.doc_keys[:2])
    assert encounter["subject"]["reference"] == f"Patient/{one['id']}"
    assert len(set(batch.rows.patient_keys)) == 1


@pytest.mark.parametrize("policy", ["hipaa", "expert"])
def test_a_record_of_several_patients_has_none(tmp_path, policy):
    batch = batch_of(tmp_path, BOTH, policy=policy)
    assert batch.rows.patient_keys == (None,)
    ((kowalczyk, *_),) = batch.rows.known
    assert kowalczyk == KnownValue.of("self", "family", "Kowalczyk")
    (bundle,) = out(batch)
    one, two, observation = (entry["resource"] for entry in bundle["entry"])
    assert (one["id"], two["id"]) == (KEYS.patient_key("p1"), KEYS.patient_key("p2"))
    assert observation["subject"]["reference"] == f"Patient/{two['id']}"
    assert observation["performer"][0]["reference"] == f"Patient/{one['id']}"
    assert "effectiveDateTime" not in observation


def test_dates_move_with_their_patient(tmp_path):
    batch = batch_of(tmp_path, PATIENT, ENCOUNTER, OBSERVATION, policy="expert")
    _, encounter, observation = out(batch)
    start, end = encounter["period"]["start"], encounter["period"]["end"]
    assert start != "2020-01-02" and len(start) == 10 and end.endswith("T10:00:00Z")
    assert len(observation["effectiveDateTime"]) == len("2020-01")
    assert batch.rows.note_dates[1].isoformat() == "2020-01-02"


@pytest.mark.parametrize(
    ("record", "code"),
    [
        ({"resourceType": "Patient"}, "MissingId"),
        ({"resourceType": "Bundle", "entry": [{"resource": PATIENT}, {"resource": PATIENT}]},
         "MissingId"),
        ({**PATIENT, "foo": "x"}, "UndeclaredColumn"),
        ({"id": "1"}, "BadFhir"),
    ],
)  # fmt: skip
def test_a_record_that_cannot_be_read_fails_alone(tmp_path, record, code):
    batch = batch_of(tmp_path, PATIENT, record, ENCOUNTER)
    assert {row: why.error for row, why in batch.failures.items()} == {1: code}


def test_a_bundle_without_id_has_that_of_its_first_resource(tmp_path):
    bundle = {"resourceType": "Bundle", "entry": [{"resource": PATIENT}, {"resource": ENCOUNTER}]}
    batch = batch_of(tmp_path, bundle)
    (found,) = out(batch)
    patient, encounter = (entry["resource"] for entry in found["entry"])
    assert (patient["id"],) == batch.rows.doc_keys == batch.rows.patient_keys
    assert encounter["subject"]["reference"] == f"Patient/{patient['id']}"


def test_a_record_whose_texts_would_not_be_found_again_is_held_back(tmp_path):
    # Without its type, the attachment is no text in what goes out, and would go out as it is.
    record = {
        "resourceType": "Binary",
        "id": "1",
        "contentType": "text/plain",
        "data": "Sm9obiBTbWl0aA==",
    }
    batch = batch_of(tmp_path, record, ENCOUNTER, declared=[("Binary.contentType", "drop")])
    assert {row: why.error for row, why in batch.failures.items()} == {0: "UnstableRecord"}
    assert not batch_of(tmp_path, record, ENCOUNTER).failures
