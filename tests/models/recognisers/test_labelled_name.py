from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import labelled_name


def found(text: str) -> list[tuple[str, str]]:
    return [
        (text[c.start : c.end], c.label) for c in labelled_name.recognise(Document(text), Context())
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Patient: Halvard, Tomas   MRN 12", "Halvard, Tomas"),
        ("PATIENT NAME: HALVARD, TOMAS Q   DOB 3/4/60", "HALVARD, TOMAS Q"),
        ("Name: Tomas Halvard\nAge: 44", "Tomas Halvard"),
        ("Name      : Tomas Halvard", "Tomas Halvard"),
        ("Pt: Hope Halvard, 71", "Hope Halvard"),
        ("pt: tomas garrison   mrn 1", "tomas garrison"),
        ("Pt Long, Agnes   Dx sprain", "Long, Agnes"),
        ("PATIENT  PETTIGREW, AGNES   AGE 7", "PETTIGREW, AGNES"),
        ("RE: Agnes Pettigrew", "Agnes Pettigrew"),
        ('Pt: Tomas "Bud" Halvard Jr.   DOB 12-2-56', 'Tomas "Bud" Halvard Jr.'),
        ("Patient: Tomas 'Bud' Halvard age 36", "Tomas 'Bud' Halvard"),
        ('Pt\tHalvard, Tomas "Junebug"\tID 418', 'Halvard, Tomas "Junebug"'),
        ('Name: Agnes ("Vo") Pettigrew   Room: 6', 'Agnes ("Vo") Pettigrew'),
        ('Pt: Agnes Pettigrew ("Vo")', 'Agnes Pettigrew ("Vo")'),
        ("Pt: Tomas Halvard (Agnes is his wife)", "Tomas Halvard"),
        ('PATIENT: TOMAS "BUD" HALVARD   DOB', 'TOMAS "BUD" HALVARD'),
        ("Pt: Tomas ‘Bud’ Halvard, 71", "Tomas ‘Bud’ Halvard"),
        ('Patient: Agnes Pettigrew ("Warfarin") held', "Agnes Pettigrew"),
        ('Patient: Agnes Pettigrew "Yes" to all', "Agnes Pettigrew"),
        ('Patient: Agnes Pettigrew "feels fine" today', "Agnes Pettigrew"),
        ("PATIENT NAME:  Halvard, Tomas J., Jr.\nMEDICAL REC", "Halvard, Tomas J., Jr."),
        ("Re: José Peña, dob 1/2/58", "José Peña"),
        ("Patient:\nWiśniewska, Zofia", "Wiśniewska, Zofia"),
        ("Emergency contact: Agnes Pettigrew 555-0100", "Agnes Pettigrew"),
        ("Next of kin: Halvard, Agnes", "Halvard, Agnes"),
        ("Mother: Agnes Pettigrew", "Agnes Pettigrew"),
        ("Caller: Agnes (wife)", "Agnes"),
        ("Accompanied by: Agnes Pettigrew", "Agnes Pettigrew"),
        ("Guarantor: O'Rourke, Maeve", "O'Rourke, Maeve"),
        ("Patient: Brown, Hazel", "Brown, Hazel"),
        ("Member name: Tomas van der Meulen", "Tomas van der Meulen"),
        ("RESIDENT: PETTIGREW, AGNES", "PETTIGREW, AGNES"),
        ("Hi Agnes,\nplease call", "Agnes"),
        ("Infant: PETTIGREW, BABY GIRL", "PETTIGREW, BABY GIRL"),
        ("PID|1||77||HALVARD^TOMAS^Q||1947", "HALVARD^TOMAS^Q"),
        ("NK1|1|PETTIGREW^AGNES|SPO", "PETTIGREW^AGNES"),
        ("é🙂 Patient: Tomas Halvard 🙂", "Tomas Halvard"),
    ],
)
def test_patients_are_found(text: str, expected: str) -> None:
    assert found(text) == [(expected, "PATIENT")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Attending: Agnes Pettigrew, MD", "Agnes Pettigrew"),
        ("PCP: T. Halvard", "T. Halvard"),
        ("PCP:  Wm. Halvard, DO", "Wm. Halvard"),
        ("Surgeon: Tomas Halvard, MD", "Tomas Halvard"),
        ("Referring physician: Halvard, Tomas", "Halvard, Tomas"),
        ("Ordering: Halvard, Tomas     Date: 1/2", "Halvard, Tomas"),
        ("Dictated by: Agnes Pettigrew", "Agnes Pettigrew"),
        ("Electronically signed by: Agnes Pettigrew", "Agnes Pettigrew"),
        ("Reviewed by: A. Pettigrew", "A. Pettigrew"),
        ("Anes: Pettigrew", "Pettigrew"),
        ("Radiologist: Agnes Pettigrew", "Agnes Pettigrew"),
        ("cc: Agnes Pettigrew", "Agnes Pettigrew"),
        ("Dear Agnes:", "Agnes"),
        ("Dear Agnes,\r\n\r\nThank you", "Agnes"),
        ("MD: Pettigrew-Stone", "Pettigrew-Stone"),
        ("Interpreter: Agnes Pettigrew", "Agnes Pettigrew"),
        ("OBR|1||H1|CBC|||2016|||||||||PETTIGREW^AGNES", "PETTIGREW^AGNES"),
        ("PV1|1|I|W||||1234^HALVARD^TOMAS^^^^MD", "HALVARD^TOMAS"),
        ("name: Agnes Pettigrew, RN", "Agnes Pettigrew"),
    ],
)
def test_clinicians_are_found(text: str, expected: str) -> None:
    assert found(text) == [(expected, "DOCTOR")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Patient: Agnes Pettigrew Allis sign, Murphy syndrome", "Agnes Pettigrew"),
        ("Pt: Agnes Q. Pettigrew Kocher's, Allis", "Agnes Q. Pettigrew"),
        ("Patient: Agnes Pettigrew, Dupuytren contracture", "Agnes Pettigrew"),
        ("Patient: Pettigrew, Agnes Osler nodes", "Pettigrew, Agnes"),
        ("Patient: Agnes Pettigrew Grey Turner sign", "Agnes Pettigrew"),
        ("Patient: Pettigrew Murphy sign", "Pettigrew"),
        ("Patient: Agnes Pettigrew, Springfield Hospital", "Agnes Pettigrew"),
        ("Patient name\nAgnes Pettigrew\nAllis sign", "Agnes Pettigrew"),
        ("Allis sign\r\nPatient\r\nPettigrew, Agnes\r\nKocher", "Pettigrew, Agnes"),
        ("Patient name\nPettigrom\nDx", "Pettigrom"),
        ("name: hope church\nallis sign", "hope church"),
        ("patient: church, hope\nallis sign", "church, hope"),
        ("Name: Agnes Quested\nDOB", "Agnes Quested"),
        ("Patient: Agnes Quested, 71", "Agnes Quested"),
        ("Patient: Agnes R. Larkspur", "Agnes R. Larkspur"),
        ("His wife's name is Agnes Pettigrew. Allis sign", "Agnes Pettigrew"),
        ("Her name is Agnes Murphy Osler nodes", "Agnes Murphy"),
        ("Caller: Agnes Murphy's daughter", "Agnes Murphy"),
        ("the patient’s name was agnes pettigrew", "agnes pettigrew"),
    ],
)
def test_names_end_before_eponyms_and_may_be_alone_on_a_line(text: str, expected: str) -> None:
    assert found(text) == [(expected, "PATIENT")]


@pytest.mark.parametrize(
    "text",
    [
        "Patient: Grey Turner sign, Cullen sign",
        "Patient: Murphy sign positive",
        "Patient: Charles Bonnet syndrome",
        "Patient: Marcus Gunn pupil",
        "Patient: Murphy's, Allis",
        "Patient\nStable overnight",
        "Name\nRoom\nAge",
        "Name: Tylenol\nDose: 1",
        "patient: frank blood in stool",
        "Name of drug is Eliquis",
        "The brand name is Xarelto",
        "Her name is on the board",
        "Signed\nsee above",
    ],
)
def test_eponyms_alone_headings_and_products_are_no_names(text: str) -> None:
    assert found(text) == []


def test_staff_may_be_named_below_a_field_or_in_a_sentence() -> None:
    assert found("Attending\nAgnes Pettigrew, MD\nMurphy sign") == [("Agnes Pettigrew", "DOCTOR")]
    assert found("Signed by\nPettigrew, Agnes\n") == [("Pettigrew, Agnes", "DOCTOR")]
    assert found("the surgeon's name is Agnes Pettigrew") == [("Agnes Pettigrew", "DOCTOR")]


def test_fields_may_hold_several_names_and_nicknames() -> None:
    assert found("Copies to: A. Pettigrew, MD; T. Garrison, RN") == [
        ("A. Pettigrew", "DOCTOR"),
        ("T. Garrison", "DOCTOR"),
    ]
    assert found('Name: Pettigrew, Agnes  "Nell"  DOB') == [('Pettigrew, Agnes  "Nell"', "PATIENT")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Patient:",
        "Patient: is a 54 yo man",
        "Patient: Female",
        "Patient: unknown",
        "Name: ",
        "Attending: None",
        "Attending: present for key portions",
        "Surgeon: same",
        "Anesthesia: General",
        "ANESTHESIA: SPINAL",
        "CC: chest pain",
        "CC: CHEST PAIN",
        "CC: Chest pain for two days",
        "Physician: see below",
        "Provider: Clinic",
        "Mother: Diabetes",
        "FATHER: DECEASED",
        "Sister: breast cancer",
        "Reviewed: Medications",
        "Signed: 3/4/2012",
        "Contact: john.halvard@example.org",
        "Dear Sir or Madam:",
        "Re: your letter of May 4",
        "To: Emergency Department",
        "Consult: Cardiology",
        "Drug name: Lisinopril",
        "Pt is a 40 yo man",
        "Primary: pneumonia",
        "Ordered: Chest CT",
        "Copy: yes",
        "PID|1||77|||||",
        "OBX|1|NM|WBC||3.1|K/uL",
        "Day: Monday",
        "Patient's condition: stable",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    assert found(text) == []
