from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import vehicle


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [(c.start, text[c.start : c.end]) for c in vehicle.recognise(Document(text), Context())]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "VIN [[1HGCM82633A004352]]",
        "VIN\n[[5TETX22N09Z000417]]",
        "VIN: [[4S3BL616X47004170]]",
        "towed [[1M8GDM9AXKP042788]].",
        "[[1HGCM82633A004352]]",
        "license plate [[ABC 1234]]",
        "plate number [[8T41702]]",
        "car plate [[BKW-419]]",
        "gray F-150 plate [[BKW-419]]).",
        "Toyota Tacoma (plate [[8T41702]], x",
        "HER CAR: 2004 SUBARU, PLATE [[AZ 417-BKM]], x",
        "WHITE PICKUP, PLATE [[CB 77190]], DRIVER",
        "he has a truck, tag [[NJ XPK 41D]].",
        "CITY CAB TAG [[MEM 4417]]   x",
        "1994 Volvo (tag [[PA DRS 417]]) x",
        "IHS van [[US G41-0417T]].",
        "AIRCRAFT [[N417PV]]",
        "Vehicle: [[M-4471]]",
        "matrícula [[1234BCD]]",
        "tail number [[N417PV]]",
        "ambulance no. [[A-4417]]",
        "drives a Honda, plate [[7ABC123]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "plate 3.5 LCP 9-h",
        "plate 02.127.441",
        "skin tag 3 mm",
        "toe tag M-2231",
        "HUGS tag 0A77F1",
        "plate 12 screws 4",
        "1HGCM82643A004352",
        "12345678901234567",
        "car accident 2012",
        "car: 2004 SUBARU",
        "drove 100 miles",
        "van 12 people",
        "MRN 1HGCM82633A004352",
        "1hgcm82633a004352",
        "driver age 54",
        "bus 12",
        "growth plate 12 mm",
        "tag along 12",
        "vehicle 2012",
        "vinegar 12345",
        "cab at 1200",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
