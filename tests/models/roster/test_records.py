"""Messages as tables of people: what their headers say, by the roles of their formats."""

import json

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.roster.building import build_roster
from scrubline.models.roster.bundle import RosterBundle
from scrubline.models.storage.storage import Storage

from .test_bundle import KEYS, build, opened, row

PATIENT = {
    "resourceType": "Patient",
    "id": "p1",
    "identifier": [{"value": "00991234"}],
    "name": [{"family": "Quimbyson", "given": ["Zelda"]}],
    "telecom": [{"system": "phone", "value": "(555) 123-4567"}],
    "birthDate": "1950-03-04",
    "address": [{"line": ["12 Maplewood Dr"], "city": "Springfield"}],
    "quimby": "a key that FHIR does not have",
}
RELATED = {
    "resourceType": "RelatedPerson",
    "id": "r1",
    "patient": {"reference": "Patient/p1"},
    "name": [{"text": "Yorick Quimbyson"}],
}
DOCTOR = {
    "resourceType": "Practitioner",
    "id": "d1",
    "name": [{"family": "Brandywine", "given": ["Octavia"]}],
    "telecom": [{"system": "phone", "value": "(555) 999-0000"}],
}
OF_P1 = [
    "relative.name=Yorick Quimbyson",
    "self.birth=1950-03-04",
    "self.city=Springfield",
    "self.family=Quimbyson",
    "self.given=Zelda",
    "self.mrn=00991234",
    "self.phone=(555) 123-4567",
    "self.street=12 Maplewood Dr",
]


def lines(*records):
    return "".join(json.dumps(one) + "\n" for one in records)


def built(folder, text, name, form):
    (folder / name).write_text(text, encoding="utf-8")
    tables = opened(folder / name, form=form)
    place = str(folder / "roster")
    return build_roster(tables, KEYS, place, storage=Storage(private=True)), place


def test_a_bulk_export_is_a_table_of_people(tmp_path):
    (manifest, counts), place = built(
        tmp_path, lines(PATIENT, RELATED, DOCTOR, PATIENT), "a.ndjson", "fhir"
    )
    assert (manifest.patients, manifest.staff, counts.rows) == (1, 1, 4)
    assert counts.unusable == {"staff.phone": 1, "self.mrn": 1}  # the id of RelatedPerson's patient
    with RosterBundle(place, KEYS) as bundle:
        assert row(bundle, "p1") == OF_P1
        assert row(bundle, "r1") is None


def test_messages_of_hl7_are_a_table_of_people(tmp_path):
    message = (
        "MSH|^~\\&|A|B|C|D|2024||ADT^A01|M1|P|2.5\r"
        "PID|1||00991234^^^S^MR||QUIMBYSON^ZELDA||19500304|F\r"
        "NK1|1|QUIMBYSON^YORICK|SPO\rPV1|1|I|||||77^Brandywine^Octavia\rZPD|1|x\r"
    )
    (manifest, _), place = built(tmp_path, message, "a.hl7", None)
    assert (manifest.patients, manifest.staff) == (1, 1)
    with RosterBundle(place, KEYS) as bundle:
        found = row(bundle, "00991234")
    assert {"self.family=QUIMBYSON", "self.birth=19500304", "self.mrn=00991234"} <= set(found)


def test_what_is_of_several_patients_is_counted(tmp_path):
    other = {**PATIENT, "id": "p2"}
    entries = [{"resource": one} for one in (PATIENT, other, DOCTOR)]
    bundle = {"resourceType": "Bundle", "id": "b", "entry": entries}
    (manifest, counts), _ = built(tmp_path, lines(bundle), "a.ndjson", "fhir")
    assert (manifest.patients, manifest.staff) == (0, 1)
    assert counts.unusable["self.family"] == 2


def test_a_broken_record_is_a_fault_that_is_told_by_its_place(tmp_path):
    text = lines(PATIENT) + '{"resourceType": "Patient", "id": "Zq'
    with pytest.raises(UsageError, match=r"file 1, record 2: it cannot be read \(BadJson\)") as one:
        built(tmp_path, text, "a.ndjson", "fhir")
    assert "Zq" not in str(one.value)
    assert not (tmp_path / "roster").exists()


def test_messages_take_no_columns(tmp_path):
    (tmp_path / "a.ndjson").write_text(lines(PATIENT))
    with pytest.raises(UsageError, match="--column is of tables alone"):
        opened(tmp_path / "a.ndjson", mapping=[("id", "patient")], form="fhir")


@pytest.mark.parametrize(
    "table",
    ["patient,kind,attribute,value\n", "patient,kind,attribute,value\np1,self,phone,unknown\n"],
)
def test_a_roster_of_nobody_is_refused(tmp_path, table):
    with pytest.raises(UsageError, match="nobody is in the tables"):
        build(tmp_path, table)
    assert not (tmp_path / "roster").exists()


def test_an_export_without_people_is_refused(tmp_path):
    text = lines({"resourceType": "Observation", "id": "o", "status": "final"})
    with pytest.raises(UsageError, match="nobody is in the tables"):
        built(tmp_path, text, "a.ndjson", "fhir")
