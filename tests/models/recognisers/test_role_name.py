from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import role_name


def found(text: str) -> list[str]:
    return [
        text[c.start : c.end]
        for c in role_name.recognise(Document(text), Context())
        if c.label == "DOCTOR"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("interpreter Pedro Garrison, by phone", ["Pedro Garrison"]),
        ("charge nurse Tammy aware", ["Tammy"]),
        ("Physical therapist Glen Pettigrew to see", ["Glen Pettigrew"]),
        ("report to ED, RN Beatrice Pettigrew.", ["Beatrice Pettigrew"]),
        ("RN PETTIGREW NOTIFIED", ["PETTIGREW"]),
        ("NP Thomas Garrison to chair", ["Thomas Garrison"]),
        ("SW Odessa re respite", ["Odessa"]),
        ("CRNA Leland Pettigrew at bedside", ["Leland Pettigrew"]),
        ("per MD Pettigrew at bedside", ["Pettigrew"]),
        ("aide LATRICE helped", ["LATRICE"]),
        ("dietitian Monique re low salt", ["Monique"]),
        ("our chaplain Moss visits", ["Moss"]),
        ("Chaplain Timothy Yancey sang", ["Timothy Yancey"]),
        ("dentist Lyle Prather did it", ["Lyle Prather"]),
        ("pharmacist, Monique, called", ["Monique"]),
        ("RN Monique and Tammy turned him", ["Monique", "Tammy"]),
        ("walked the hall w/ Brianna (PT)", ["Brianna"]),
        ("Monique, the interpreter, stayed", ["Monique"]),
        ("Tammy from case mgmt faxed it", []),
        ("Tammy from pharmacist staff", ["Tammy"]),
        ("report to tammy at 7", ["tammy"]),
        ("paged Okafor twice", ["Okafor"]),
        ("d/w Pettigrew, agrees", ["Pettigrew"]),
        ("Discussed with Monique Pettigrew", ["Monique Pettigrew"]),
        ("read by van Houten", ["van Houten"]),
        ("seen by Pettigrew at 2114", ["Pettigrew"]),
        ("called to Tammy at clinic", ["Tammy"]),
        ("signed out to Yusuf", ["Yusuf"]),
        ("referred by diane nelson for pain", ["diane nelson"]),
        ("technician Sanjay Pettigrew", ["Sanjay Pettigrew"]),
        ("school nurse O'Rourke called", ["O'Rourke"]),
        ("psychiatrist José Peña", ["José Peña"]),
        ("é🙂 RN Tammy 🙂", ["Tammy"]),
    ],
)
def test_staff_are_found(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nurse",
        "RN",
        "nurse aware",
        "Nurse Practitioner to follow",
        "the nurse may call",
        "PT Eval today",
        "PT 12.1 INR 1.0",
        "OT consult placed",
        "MD aware",
        "MD Anderson Cancer Center",
        "report from Johns Hopkins",
        "PA and lateral",
        "RN NOTIFIED",
        "surgeon Monday",
        "paged Cardiology",
        "discussed with Radiology",
        "seen by Orthopedics",
        "read by radiologist",
        "called to room",
        "per Epic",
        "per Protocol",
        "under Anesthesia",
        "care of Parkinson's disease",
        "Pt Maria is well",
        "tech support",
        "resident of Ohio",
        "physician Assistant note",
        "told Lisinopril was stopped",
        "follow up with Cardiology",
        "therapist visit Friday",
        "RT neck pain",
        "do Not resuscitate",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    assert found(text) == []
