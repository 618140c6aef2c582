"""Street lines, named streets, highways and rural routes."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import street


def found(text: str) -> list[str]:
    return [text[c.start : c.end] for c in street.recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("lives at 80 Elder Street, Xenia", ["80 Elder Street"]),
        ("31 Millrace Road, Keene, NH", ["31 Millrace Road"]),
        ("Address: 1212 Colley Avenue\nNorfolk", ["1212 Colley Avenue"]),
        ("404 Elm Avenue South\nMinneapolis", ["404 Elm Avenue South"]),
        ("88 W. 2nd St., Unit C * Reno", ["88 W. 2nd St., Unit C"]),
        ("2201 Murchison Pl, Suite 6, El Paso", ["2201 Murchison Pl, Suite 6"]),
        ("Lives 1733 SE Ankeny St Apt 3B, Portland", ["1733 SE Ankeny St Apt 3B"]),
        ("9106 Bolsa Ave #204, Westminster", ["9106 Bolsa Ave #204"]),
        ("41 Quay Street, Level 2, Bar Harbor", ["41 Quay Street, Level 2"]),
        ("One Anchor Plaza, 4th Floor, Norfolk", ["One Anchor Plaza, 4th Floor"]),
        ("618 HARBOR BLUFF RD, MARQUETTE", ["618 HARBOR BLUFF RD"]),
        ("|7 ELM CT^^HAVRE", ["7 ELM CT"]),
        ("2209 Old Wire Rd, Rogers", ["2209 Old Wire Rd"]),
        ("2200 Quarry Hill Road\nAllentown", ["2200 Quarry Hill Road"]),
        ("Address: 2200 QUARRY HILL ROAD, SPRINGFIELD", ["2200 QUARRY HILL ROAD"]),
        ("lives at 14 FOREST PARK AVENUE APT 3\n", ["14 FOREST PARK AVENUE APT 3"]),
        ("lives at 2200 quarry hill road\n", ["2200 quarry hill road"]),
        ("81 Sugar Maple Loop, Shelbyville", ["81 Sugar Maple Loop"]),
        ("a walk-up on Vine Street. I", ["Vine Street"]),
        ("lives on Elm Street with", ["Elm Street"]),
        ("Rx to Walmart N 7th Ave, closed", ["N 7th Ave"]),
        ("crash on Highway 154 near", ["Highway 154"]),
        ("driving to work on I-264. D2B", ["I-264"]),
        ("car, Route 51; Pamelor", ["Route 51"]),
        ("mail to RR 2 Box 14, Salina", ["RR 2 Box 14"]),
        ("off County Road 12 last night", ["County Road 12"]),
        ("PLACE US 60 & Broad St", ["US 60", "Broad St"]),
        ("stays at 12 N Cottonwood Dr, 15 min", ["12 N Cottonwood Dr"]),
        ("12 oak lane, upstairs", ["12 oak lane"]),
        ("the corner of Fifth and Vine, fell", ["Fifth and Vine"]),
        ("RR 16 HR 80; RR 18", []),
        ("2 mg Drive; 10 mg PO, give 5 mL via NG", []),
        ("room 4 Dr Wu, 3 pm Dr. Smith called", []),
        ("ST elevation in II, III; 2 mm ST depression", []),
        ("St. Mary and St. Luke", []),
        ("I-131 therapy, US 2 weeks ago, SR 70", []),
        ("Circle of Willis; 3 vessel run off; main court", []),
        ("WBC 12 Hgb 9 CT: stone. UA >100 WBC. CT neg", []),
        ("walks 2 blocks; drives; on the road; in the street", []),
        ("BUN 38 CR 1.9", []),
        ("the 4th and 5th fingers", []),
        ("Elliot Street Family Practice", []),
        ("took 2 tablets by mouth on way home", []),
        ("8 steps Way too many", []),
        ("C4 C5 pass; 20 French Foley", []),
    ],
)
def test_table(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("her shop in 14 Toorak Road. You know", ["14 Toorak Road"]),
        ("at 12 Elm St. Call", ["12 Elm St."]),
    ],
)
def test_a_full_stop_is_not_of_a_word_in_full(text, expected):
    assert found(text) == expected
