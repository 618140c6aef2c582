"""Cities, states and countries."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import city_state


def found(text: str) -> list[tuple[str, str]]:
    return [
        (text[c.start : c.end], c.label) for c in city_state.recognise(Document(text), Context())
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Keene, NH 03431", [("Keene", "CITY"), ("NH", "STATE")]),
        ("MARQUETTE MI 49855", [("MARQUETTE", "CITY"), ("MI", "STATE")]),
        ("El Paso, TX 79930", [("El Paso", "CITY"), ("TX", "STATE")]),
        (
            "404 Elm Avenue South\nMinneapolis, Minnesota 55419",
            [("Minneapolis", "CITY"), ("Minnesota", "STATE")],
        ),
        ("born in Abilene, Kansas, in 1907", [("Abilene", "CITY"), ("Kansas", "STATE")]),
        ("^^HAVRE^MT^59501||", [("HAVRE", "CITY"), ("MT", "STATE")]),
        ("who came from Silver Spring with fever", [("Silver Spring", "CITY")]),
        ("telehealth, pt in Bozeman)", [("Bozeman", "CITY")]),
        ("Back from break in Billings; sad", [("Billings", "CITY")]),
        ("Adopted at birth, Fresno; bio", [("Fresno", "CITY")]),
        ("KIDS W/ GRANDMA MAI IN CLOVIS.", [("CLOVIS", "CITY")]),
        ("Lakeshore Orthopedic Hospital, Evanston", [("Evanston", "CITY")]),
        ("She grew up in Poulsbo and", [("Poulsbo", "CITY")]),
        ("His sister, Solange, in Trois-Rivières, had", [("Trois-Rivières", "CITY")]),
        ("moved to Chinle last year", [("Chinle", "CITY")]),
        ("seen in New York City, NY today", [("New York City", "CITY"), ("NY", "STATE")]),
        ("a resident of Kennett Square since", [("Kennett Square", "CITY")]),
        ("her sister came from England to help", [("England", "COUNTRY")]),
        ("She was in Burkina Faso and Ghana", [("Burkina Faso", "COUNTRY"), ("Ghana", "COUNTRY")]),
        ("moved here from Turkey", [("Turkey", "COUNTRY")]),
        ("emigrated from Chad in 1999", [("Chad", "COUNTRY")]),
        (
            "Miami, FL and Boston, MA",
            [("Miami", "CITY"), ("FL", "STATE"), ("Boston", "CITY"), ("MA", "STATE")],
        ),
        ("Ky. lic. 22817", [("Ky.", "STATE")]),
        ("DL: NV 1700417226", [("NV", "STATE")]),
        ("Iowa license 417AA2203", [("Iowa", "STATE")]),
        ("Salem, OR 97301", [("Salem", "CITY"), ("OR", "STATE")]),
        ("ate turkey sandwich; Turkey and rice", []),
        ("Jordan will call; Chad at bedside", []),
        ("Georgia Smith and Virginia were here", []),
        ("Spanish-speaking, French accent, Chinese food", []),
        ("Jane Roe, MD; Ann Lee, PA; J. Doe, MA", []),
        ("to the OR, in or out, me, HI, OK, hi", []),
        ("Smith, OK to go. HTN, MI, CT, PE, PA, MS, AL", []),
        ("Glasgow coma scale 15; Boston Scientific lead", []),
        ("Framingham risk score; Philadelphia chromosome", []),
        ("Boston 2+3+3 = 8; Miami J collar; Milan criteria", []),
        ("Reading at grade level; Mobile; Orange juice; Surprise", []),
        ("family history of Huntington disease; died of Hodgkin", []),
        ("Mutual of Omaha; University of Houston", []),
        ("Commonwealth of Pennsylvania; Maine BMV", []),
        ("Denies pain in Left leg, from Monday, to Floor", []),
        ("Lincoln, MD and Jackson, PA saw him", []),
        ("pt lives in Apartment 4; in Hospital", []),
        ("transferred from ICU to Telemetry", []),
        ("New York Heart Association class II", []),
    ],
)
def test_table(text: str, expected: list[tuple[str, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("walnuts, Brussels sprouts, Brazil nuts", []),
        ("by the revised Atlanta scheme", []),
        ("Salmonella enterica ser. Dublin", []),
        ("Other serovars: Newport, Javiana, Kentucky, Panama", []),
        ("Wagner 2, Texas IB", []),
        ("patency of the Denver shunt", []),
        ("lives in Denver, shunt revised", [("Denver", "CITY")]),
        ("She lives in Boston.", [("Boston", "CITY")]),
    ],
)
def test_places_that_name_something_else(text, expected):
    assert found(text) == expected
