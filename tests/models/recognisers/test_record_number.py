from __future__ import annotations

import pytest
from scrubline.models.documents import Context, Document
from scrubline.models.recognisers import record_number


def found(text: str) -> list[tuple[str, str]]:
    return [
        (text[c.start : c.end], c.label) for c in record_number.recognise(Document(text), Context())
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MRN: 70-12-884   DOB", ("70-12-884", "MEDICALRECORD")),
        ("MRN#1234567,t98.6", ("1234567", "MEDICALRECORD")),
        ("medical record number is 44-0917-2.", ("44-0917-2", "MEDICALRECORD")),
        ("Unit No: 123-45-67", ("123-45-67", "MEDICALRECORD")),
        ("chart SB-2207", ("SB-2207", "MEDICALRECORD")),
        ("NHC: 368503.", ("368503", "MEDICALRECORD")),
        ("HISTORIA CLÍNICA Nº 3681254", ("3681254", "MEDICALRECORD")),
        ("MRN:\n5541907", ("5541907", "MEDICALRECORD")),
        ("ACCT 7719020331", ("7719020331", "ACCOUNT")),
        ("account number: 99-1234", ("99-1234", "ACCOUNT")),
        ("Accession: K14-55012", ("K14-55012", "IDNUM")),
        ("CASE HD-10-2281", ("HD-10-2281", "IDNUM")),
        ("case no. 2012", ("2012", "IDNUM")),
        ("job 77120", ("77120", "IDNUM")),
        ("claim #MD-88102, forms", ("MD-88102", "IDNUM")),
        ("ref LOC-22918.", ("LOC-22918", "IDNUM")),
        ("INTERPRETER #30918", ("30918", "IDNUM")),
        ("(ID: 987654321)?", ("987654321", "IDNUM")),
        ("Medicare 280-22-1907A +", ("280-22-1907A", "HEALTHPLAN")),
        ("MEDI-CAL 91882301C.", ("91882301C", "HEALTHPLAN")),
        ("member ID: XQ 123", None),
        ("Member ID XQW123456789", ("XQW123456789", "HEALTHPLAN")),
        ("NASS: 26 37482910 04.", ("26 37482910 04", "HEALTHPLAN")),
        ("DEA BK7719203", ("BK7719203", "LICENSE")),
        ("NPI 1234567893", ("1234567893", "LICENSE")),
        ("lic I.0800417", ("I.0800417", "LICENSE")),
        ("Nº Col: 28 28 70973", ("28 28 70973", "LICENSE")),
        ("(lot R019772),", ("R019772", "DEVICE")),
        ("serial BPF-2291044.", ("BPF-2291044", "DEVICE")),
        ("VIN 1HGCM82633A004352", ("1HGCM82633A004352", "VEHICLE")),
        ("é🙂 MRN: 1234567 🙂", ("1234567", "MEDICALRECORD")),
    ],
)
def test_named_numbers_are_found(text: str, expected: tuple[str, str] | None) -> None:
    assert found(text) == ([expected] if expected else [])


@pytest.mark.parametrize(
    "text",
    [
        "case 3, unit 2, visit 12",
        "Medicaid 2012",
        "order 1000 ml",
        "ref by Dr. Sharp",
        "group 2-3",
        "MRN: 3/4/2012",
        "MRN pending",
        "claim 500 mg",
        "a lot of 20 pills",
        "license 2015",
        "visit 1/2/2014",
        "member of 4 churches",
        "identifies as male 1234567",
        "Avda. de Córdoba s/n 28041 Madrid",
        "caseload 12345",
        "plan 2000 kcal",
        "acct",
        "HIV accordion 12345",
        "serial 7s",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    assert found(text) == []
