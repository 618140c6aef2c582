"""Employers, schools, churches, insurers, shops, services and agencies."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import organization


def found(text: str) -> list[str]:
    return [text[c.start : c.end] for c in organization.recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He works at Fade Kings as a barber.", ["Fade Kings"]),
        ("employed by Vantek Aero, 2 wks off", ["Vantek Aero"]),
        ("poultry plant worker at Golden Cluck, coworker sick", ["Golden Cluck"]),
        ("School: 2nd grade, Maplewood Elementary, teacher Ms. Roe", ["Maplewood Elementary"]),
        ("Starts pre-K at Los Niños School in August", ["Los Niños School"]),
        ("She attends Denfeld High School", ["Denfeld High School"]),
        ("a student at Reed College", ["Reed College"]),
        ("Active at St. Brigid parish.", ["St. Brigid parish"]),
        ("member of Trinity Church", ["Trinity Church"]),
        ("brought in by Portland Police (Officer Drum", ["Portland Police"]),
        ("Transported by Acme Ambulance at 0300", ["Acme Ambulance"]),
        ("Marble Falls Fire Department on scene", ["Marble Falls Fire Department"]),
        ("Insurance: Anthem Blue Cross and Blue Shield", ["Anthem Blue Cross and Blue Shield"]),
        ("ins HealthPartners id HP 8810", ["HealthPartners"]),
        ("Rx sent to Walgreens today", ["Walgreens"]),
        ("picked up at CVS and Rite Aid", ["CVS", "Rite Aid"]),
        ("worked for Cumberland Haulage. The family", ["Cumberland Haulage"]),
        ("Medicare + Mutual of Omaha supp.", ["Mutual of Omaha"]),
        ("Employer: Cornhusk Co-op, Kersey", ["Cornhusk Co-op"]),
        ("note faxed to Lone Star Roofing 214-555-0149", ["Lone Star Roofing"]),
        ("lawyers of Roe & Doe LLC called", ["Roe & Doe LLC"]),
        ("Target pharmacy says PA needed", ["Target"]),
        ("19 yo Montana State freshman", ["Montana State"]),
        ("works for the Department of Veterans Affairs", ["Department of Veterans Affairs"]),
        ("Served with the US Army in 1944", ["US Army"]),
        ("stays at Motel 6 tonight", ["Motel 6"]),
        ("Medicare and Medicaid cover this", []),
        ("Insurance: Medicare", []),
        ("Insurance: HPB-654321", []),
        ("works at night, employed full time", []),
        ("REVIEW OF SYSTEMS\n", []),
        ("works at home; job at baseline", []),
        ("called Outpatient Pharmacy; pharmacy closed", []),
        ("fish oil, Castor Oil, Tea Tree Oil", []),
        ("Department of Orthopaedic Surgery", []),
        ("in high school; college student; goes to church", []),
        ("working with PT and OT; works with Dr. Roe", []),
        ("Social Services consulted, Physical Therapy Services", []),
        ("student in 9th grade, freshman w/ ADHD", []),
        ("gas 1.2 L, Blood Bank called, Skin Bank", []),
        ("seen at Stanford University Medical Center", []),
        ("attends Monday groups", []),
    ],
)
def test_table(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("CVS  HR 140s, MAP 30s", []),
        ("CVS: S1 S2", []),
        ("Pharmacy: CVS on Elm", ["CVS"]),
        ("No work in Koch's triangle.", []),
    ],
)
def test_hearts_and_triangles_are_no_shops(text, expected):
    assert found(text) == expected
