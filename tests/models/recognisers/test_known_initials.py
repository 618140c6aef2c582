"""Initials of people already named, and the abbreviations that look like them."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import known_initials


def found(text: str) -> list[tuple[str, str]]:
    return [
        (text[c.start : c.end], c.label)
        for c in known_initials.recognise(Document(text), Context())
    ]


STAFF = "Seen by Jane Kimani, RN. "


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dose at 0915 JK\nagain 1015 JK", ["JK", "JK"]),
        ("gauze changed /JK", ["JK"]),
        ("plan as above (JK)", ["JK"]),
        ("plan as above - J.K.", ["J.K."]),
        ("| 06:00 | 5 mg | JK |", ["JK"]),
        ("\nJK: morning, all well", ["JK"]),
        ("the JK protein rose", []),
        ("at 0915 XY", []),
        ("jk rowling", []),
        ("BJKL 0915", []),
    ],
)
def test_initials_where_people_sign(text, expected):
    assert found(STAFF + text) == [(initials, "DOCTOR") for initials in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # An abbreviation of medicine needs a cell or a clock.
        ("Anil Menon, RN\n0930 AM\nfelt weak in the AM (AM)", ["AM"]),
        ("Key: AM = Anil Menon, SJ = Sijo Jose\n06 AM  18 SJ", ["AM", "SJ", "AM", "SJ"]),
        ("nobody is named; 0915 JK", []),
    ],
)
def test_abbreviations_and_keys(text, expected):
    assert [initials for initials, _ in found(text)] == expected


def test_initials_of_a_surname_before_an_initial():
    assert found("Nurse Campbell J, RN wrote. 1015 JC\n") == [("JC", "DOCTOR")]
