"""Post codes of other countries: lettered, named, behind towns."""

from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import post_code


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [
        (c.start, text[c.start : c.end]) for c in post_code.recognise(Document(text), Context())
    ]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "Gaol Hill, Wakefield [[WF1 9QD]]",
        "RUGELEY [[WS15 8TG]]",
        "Aberuthven, [[PH3 1HZ]]",
        "London [[EC1A 1BB]]",
        "Co. Armagh [[BT35 9WD]]",
        "Eircode [[V31 KX47]]",
        "Dublin 15, [[D15 E8P4]]",
        "Cote-Saint-Luc, QC [[H4W 2T8]].",
        "Dalby QLD [[4405]]. NOK",
        "East Melbourne VIC [[3002]]",
        "Address: 5/88 Carlisle Ave Mount Druitt [[2770]]",
        "1126 Waiomatatini Road, Ruatoria [[4083]]",
        "12 Site B, Khayelitsha [[7784]]; cell",
        "Singapore [[600318]]",
        "7 Upper Boon Lane S([[387214]])",
        "Street, Kottakkal, Malappuram, [[676503]]",
        "Gobi Tk., Erode Dt. [[638476]]",
        "H.No. 4, Gandhi Nagar, Chennai - [[600 042]]",
        "Lot 1187 Jalan Haji Omar, Kg. Baru, [[77000]] Jasin",
        "St. Michael, Barbados [[BB11156]]",
        "House 12, Street 4, Lahore - [[54000]]",
        "postcode: [[0181]]",
        "Pin code: [[560001]]",
    ],
)
def test_codes_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "GCS 14 (E4V4M6)",
        "vitamin B6 1BD, B12 1 mg",
        "T1 N0, T12 5400",
        "Platelets 450000",
        "P.O. Box 55218, Dubai",
        "Dr N. Umeh (MDCN 67702)",
        "Close 1144   Out 1206",
        "in Lagos 2021, seen at Ikeja Road 2019",
        "Hb 9.1, WCC 12000",
        "version V31 ABCD",
        "units SA 2000 ml",
        "Morphine 10000 units",
        "band no. BB77104",
        "Take H2 2T",
    ],
)
def test_other_figures_stay(text: str) -> None:
    assert list(post_code.recognise(Document(text), Context())) == []
