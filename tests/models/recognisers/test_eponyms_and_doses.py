"""Scales, signs and hours that look like places, people and dates; and the places that are none."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import (
    city_state,
    date,
    date_short,
    listed_name,
    relative_name,
    spanish_street,
    street,
    titled_name,
)


def found(rule, text: str) -> list[str]:
    return [text[c.start : c.end] for c in rule.recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (city_state, "Milwaukee shoulder; Birmingham hip; Congo red"),
        (city_state, "Edinburgh postnatal depression scale 9"),
        (city_state, "Liverpool care pathway"),
        (city_state, "Cincinnati prehospital stroke scale"),
        (city_state, "Ottawa ankle rules"),
        (date, "APGAR 8/9/10 at delivery"),
        (date, "Apgar scores were 8/9/10"),
        (date, "stage 3-iv-20, 5/v/2, 1.ii.3"),
        (date_short, "Metronidazole 500mg 8/24 for a week"),
        (date_short, "Paracetamol 1 g PO 6/24"),
        (listed_name, "Austin Moore prosthesis"),
        (titled_name, "Sister Mary Joseph nodule absent"),
        (relative_name, "Sister Mary Joseph nodule absent"),
        (street, "RR 18, site clean"),
        (spanish_street, "caba, acaba"),
    ],
)
def test_they_stay(rule, text):
    assert found(rule, text) == []


@pytest.mark.parametrize(
    ("rule", "text", "phrases"),
    [
        (city_state, "moved from Milwaukee hip pain", ["Milwaukee"]),
        (city_state, "lives in Boston and scale", ["Boston"]),
        (city_state, "Moved to Liverpool, care pathway", ["Liverpool"]),
        (date, "seen 8/9/10 at delivery", ["8/9/10"]),
        (date, "03/ii/1961, 3-II-1961, 3.ii.1961, 03/ii/61", None),
        (date_short, "Lasix 20mg on 8/24", ["8/24"]),
        (date_short, "Seen 8/20. Lasix 20mg 8/24", ["8/20", "8/24"]),
        (titled_name, "Sister Mary Joseph came", ["Mary Joseph"]),
        (street, "RR 3, Site 12, Comp 8, Lac", ["RR 3, Site 12, Comp 8"]),
        (street, "Site 12, Comp 8, RR 3", ["Site 12, Comp 8, RR 3"]),
        (spanish_street, "Av. Rivadavia 4127, CABA", ["Av. Rivadavia 4127", "CABA"]),
        (spanish_street, "vive en CABA", ["CABA"]),
    ],
)
def test_what_is_meant_goes(rule, text, phrases):
    assert found(rule, text) == (text.split(", ") if phrases is None else phrases)
