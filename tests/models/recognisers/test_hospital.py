"""Hospitals, clinics, practices and nursing homes; departments are none."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import hospital


def found(text: str) -> list[str]:
    return [text[c.start : c.end] for c in hospital.recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He was seen at Oak Lawn Hospital in May.", ["Oak Lawn Hospital"]),
        ("transferred from St. Mary's Hospital", ["St. Mary's Hospital"]),
        ("GREENHOLLOW MEMORIAL HOSPITAL\nDISCHARGE SUMMARY", ["GREENHOLLOW MEMORIAL HOSPITAL"]),
        ("Follow up with Dr. Roe at Takoma Community Clinic on 8/14", ["Takoma Community Clinic"]),
        ("Elliot Street Family Practice", ["Elliot Street Family Practice"]),
        (
            "Coldwater Gastroenterology, P.A.\n31 Millrace Road",
            ["Coldwater Gastroenterology, P.A."],
        ),
        ("COMPARISON: 2/2012, Oak Lawn Imaging.", ["Oak Lawn Imaging"]),
        ("HIGH DESERT PATHOLOGY                CASE HD-10", ["HIGH DESERT PATHOLOGY"]),
        ("Transferred to MGH for catheterization", ["MGH"]),
        ("She was admitted to BWH overnight.", ["BWH"]),
        ("echo at Cheshire in June", ["Cheshire"]),
        ("a stone in 2016 at Good Shepherd Hospital in", ["Good Shepherd Hospital"]),
        ("NORTH RIVER CARDIOLOGY CONSULTANTS\n2400", ["NORTH RIVER CARDIOLOGY CONSULTANTS"]),
        ("treated at Johns Hopkins on 3/4", ["Johns Hopkins"]),
        ("She had surgery at UCLA Medical Center", ["UCLA Medical Center"]),
        ("the Children's Hospital of Philadelphia on 3/4", ["Children's Hospital of Philadelphia"]),
        ("Hospice of the Ozarks, routine visit", ["Hospice of the Ozarks"]),
        ("TRIAGE 12/30/2020 2144  ESI 3  MERCY COAST ED\n", ["MERCY COAST ED"]),
        ("lives at Sunrise Assisted Living since June", ["Sunrise Assisted Living"]),
        ("Seen at Keystone Rehab, fax 555-0188", ["Keystone Rehab"]),
        ("MSH|^~\\&|LIS|NORTHFORK|EMR|WREN VALLEY|20160411", ["NORTHFORK", "WREN VALLEY"]),
        ("PID|||69914^^^WVH||ROE^JO", ["WVH"]),
        ("ok for rehab at fernbrook if bed", ["fernbrook"]),
        ("D/c to Legacy Manor, first choice", ["Legacy Manor"]),
        ("SVD at St. Odile, mom 31", ["St. Odile"]),
        ("Winona VA Medical Center", ["Winona VA Medical Center"]),
        ("Elm & Fourth Pediatrics, PLLC\n", ["Elm & Fourth Pediatrics, PLLC"]),
        ("referred from the Pain Clinic", []),
        ("He came to the ED and went to 3 North.", []),
        ("transferred to ICU, then to Floor", []),
        ("the emergency department of the hospital", []),
        ("Hospital Course: stable.", []),
        ("HOSPITAL COURSE\nPAST MEDICAL HISTORY", []),
        ("Outpatient Cardiology and Coumadin Clinic follow-up", []),
        ("PRIMARY CARE PHYSICIAN: Dr. Roe", []),
        ("Skilled Nursing Facility placement; Home Health ordered", []),
        ("SURGICAL PATHOLOGY REPORT\nGROSS: skin", []),
        ("INTERVENTIONAL RADIOLOGY CONSULT", []),
        ("ST elevation was seen at 0900 in V2, treated at Home", []),
        ("seen at Baseline; admitted on Monday", []),
        ("a Hill-Sachs lesion seen at MRI, Circle of Willis intact", []),
        ("reactions to Lisinopril; called to Jane", []),
        ("born in Boston, treated in Germany", []),
        ("her Mayo stand, MAYO scissors", []),
        ("MRN: UCLA-12345", []),
        ("Dr. Grady saw her", []),
    ],
)
def test_table(text: str, expected: list[str]) -> None:
    assert found(text) == expected
