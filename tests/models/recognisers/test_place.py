"""Counties, parks, lakes, stations and other places by the words in their names."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import place


def found(text: str) -> list[str]:
    return [text[c.start : c.end] for c in place.recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lives in Cedar County with wife", ["Cedar County"]),
        ("deputy sheriff in\nBollinger County, does not", ["Bollinger County"]),
        ("a picnic at Lake Ridge Park on Sunday", ["Lake Ridge Park"]),
        ("He walks around Lafayette Park with his wife", ["Lafayette Park"]),
        ("Swam in Lake Volta. Ate", ["Lake Volta"]),
        ("fishing in Moosehead Lake in May", ["Moosehead Lake"]),
        ("fell on stairs at Union Station, pain", ["Union Station"]),
        ("water safety (Capitola Beach).", ["Capitola Beach"]),
        ("operator at Bridger Bowl. Grades Bs", ["Bridger Bowl"]),
        ("in the sun at Tugaloo State Park. Sat 97", ["Tugaloo State Park"]),
        ("near Liberty Bay. 1 glass wine", ["Liberty Bay"]),
        ("drug arrives at Boeing Field 2200", ["Boeing Field"]),
        ("FLYING IN FROM KUWAIT THRU ATLANTA AIRPORT\nWED", ["ATLANTA AIRPORT"]),
        ("slept under the 12th Street viaduct since", ["12th Street viaduct"]),
        ("LZ: Weld County fairgrounds", ["Weld County"]),
        ("CASE: SANTA INEZ COUNTY\n", ["SANTA INEZ COUNTY"]),
        ("hit at Gale Woods Farm on Halloween", ["Gale Woods Farm"]),
        ("hiked in Box Elder Canyon last week", ["Box Elder Canyon"]),
        ("inmate at Purdy Correctional Facility", ["Purdy Correctional Facility"]),
        ("camped near Fort Bridger in June", ["Fort Bridger"]),
        ("went to the county; walks in the park", []),
        ("County of residence; State Park", []),
        ("in Bay 4 of the nursing station", []),
        ("Sputum AFB smear x2 neg", []),
        ("FROM: NHS Forth Valley\nTo", []),
        ("transferred TO NRMC SUBIC BAY\n", []),
        ("FibroScan at Dorset County, date awaited", []),
        ("grew up in Dorset County, then", ["Dorset County"]),
        ("stationed at Minot AFB until", ["Minot AFB"]),
        ("Circle of Willis; Circle the answer", []),
        ("Rocky Mountain spotted fever titers", []),
        ("counseling w/ Sunny Park, LCPC", []),
        ("Cook County Hospital; Lake County General Hospital", []),
        ("St. Elizabeth Lake Forest Hospital", []),
        ("Visual Field intact. Sterile Field kept", []),
        ("ROM: Mid Bridge; dental Bridge upper", []),
        ("River blindness, Lake forms, Creek", []),
        ("Lyme disease; Ebola River virus", []),
        ("Dr. Lake and Dr. Park saw her. Mrs. Rivers", []),
        ("his home in Bar Harbor", []),
        ("Mount Sinai Hospital; Mt. Carmel", []),
        ("Falls: December 26. FALLS PRECAUTIONS", []),
    ],
)
def test_table(text: str, expected: list[str]) -> None:
    assert found(text) == expected
