from __future__ import annotations

import pytest
from scrubline.models.documents import Context, Document
from scrubline.models.recognisers import phone


def found(text: str) -> list[tuple[str, str]]:
    return [(text[c.start : c.end], c.label) for c in phone.recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("phone 301-555-0116.", [("301-555-0116", "PHONE")]),
        ("(406)555-0171", [("(406)555-0171", "PHONE")]),
        ("(617) 555-0100", [("(617) 555-0100", "PHONE")]),
        ("505.555.0133. ", [("505.555.0133", "PHONE")]),
        ("+1 617 555 0100", [("+1 617 555 0100", "PHONE")]),
        ("T 603-555-0141   F 603-555-0142", [("603-555-0141", "PHONE"), ("603-555-0142", "FAX")]),
        (
            "faxed packet to 555-0129. nephew, 555-0130",
            [("555-0129", "FAX"), ("555-0130", "PHONE")],
        ),
        ("fax: (617) 555-0111", [("(617) 555-0111", "FAX")]),
        ("phone/fax 617-555-0111", [("617-555-0111", "PHONE")]),
        ("call 617-555-0111 x4419", [("617-555-0111", "PHONE"), ("4419", "PHONE")]),
        ("617-555-0111x4419", [("617-555-0111", "PHONE"), ("4419", "PHONE")]),
        ("lic  x4419", [("4419", "PHONE")]),
        ("ext. 225", [("225", "PHONE")]),
        ("pager 71120, pgr 2-7734", [("71120", "PHONE"), ("2-7734", "PHONE")]),
        ("beeper #3312", [("3312", "PHONE")]),
        ("cell 6175550100", [("6175550100", "PHONE")]),
        ("tel 555 0133", [("555 0133", "PHONE")]),
        ("+44 20 7946 0958", [("+44 20 7946 0958", "PHONE")]),
        ("Tfno: 956 203 145 y 956 203 146.", [("956 203 145", "PHONE"), ("956 203 146", "PHONE")]),
        (
            "Tel.: 93 416 97 00 Fax: 973 70 52 63",
            [("93 416 97 00", "PHONE"), ("973 70 52 63", "FAX")],
        ),
        ("🙂 teléfono 🙂 617–555–0100", [("617–555–0100", "PHONE")]),
    ],
)
def test_numbers_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "500-1000 mg",
        "heparin 500-1000",
        "shift 700-1500",
        "0700-1500",
        "platelets 150-400",
        "MRN 555-0116",
        "MRN: 301-555-0116",
        "acct 6175550100",
        "steri x4, A&O x3",
        "x 2000 units",
        "2x1000",
        "SSN 123-45-6789",
        "12-555-01167",
        "1234567890",
        "07/04/2012",
        "peptide 166 pmol/L (298-2350)",
        "OMIM +603967",
        "ICD 250.00",
        "4.0-11.0",
        "vitamin D 1000 IU",
        "HPN-9876543210",
        "BP 120/80",
        "call 911",
        "exit 2",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    assert found(text) == []
