"""Names, institutions and street lines of other countries: what is found, what stays."""

from __future__ import annotations

import re
from types import ModuleType

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import health_service, joined_name, titled_name, unit_street

FOUND = [
    (joined_name, "Suami: [[Mohd Hafizul bin Zainuddin]] (driver)"),
    (joined_name, "(B)  [[SARAVANAN A/L MUNIANDY]] 790211"),
    (joined_name, "Wife [[Letchumi a/p Raman]] inform"),
    (joined_name, "[[Rashid Ahmed]] S/o [[Mallappa]], 58"),
    (joined_name, "M/36, S/o Late [[Karuppannan]]"),
    (joined_name, "[[Sakina]] w/o [[Imdad Ali]], 24 y"),
    (titled_name, "uncle Engr. [[Wasiu Adesanya]]."),
    (titled_name, "Smt. [[Lakshmi Devi]] came"),
    (titled_name, "Mdm [[Tan Siew Ling]] said"),
    (health_service, "[[Calder Vale Hospitals NHS Foundation Trust]]\n"),
    (health_service, "[[Southern Health and Social Care Trust]]"),
    (health_service, "([[NHS Lanarkshire]])"),
    (health_service, "dressing at [[PHC Kodihalli]]."),
    (health_service, "clinic [[KK Bedong]] 23/6"),
    (health_service, "39w [[Hosp. Melaka]] BW 3.4"),
    (health_service, "released from [[HMP Bedford]]."),
    (health_service, "[[North Mercian Ambulance Service NHS Trust]]  x"),
    (health_service, "belt no 1982, [[PS Saddar Jaranwala]]\n"),
    (health_service, "[[Waitemata District Health Board]]"),
    (health_service, "[[TALUK GENERAL HOSPITAL, HIREKERE]]\n"),
    (health_service, "[[District Hospital, Champhai]], the 9th"),
    (health_service, "OPD, [[University Hospital Limerick]], Dooradoyle"),
    (health_service, "GP [[SANDY LANE HEALTH CTR]]\n"),
    (health_service, "SVD 18th [[Crowborough Birth Ctr]], 38+6"),
    (health_service, "hand clinic at [[Groote Schuur]], accepts"),
    (health_service, "txf to [[Middlemore]] 0410"),
    (health_service, "seen at [[TTSH]] NNI; [[KEM]] OPD"),
    (health_service, "appt [[Guy's]] before C1"),
    (health_service, "go straight to the [[Bons]] or THE [[ROTUNDA]]"),
    (unit_street, "Address: [[Flat 6, Lockwood Court, 118 Horbury Road]], Ossett"),
    (unit_street, "[[5/88 Carlisle Ave]] Mount Druitt"),
    (unit_street, "Res. of: [[2/117, North Street]], V"),
    (unit_street, "[[Blk 318 Teban Vale Ave 2 #01-04]]  Singapore"),
    (unit_street, "[[Lot 1187 Jalan Parit Haji Omar]], Kg. Baru"),
    (unit_street, "at [[Block 42, Flat 6, Jakande Estate]], Oke"),
    (unit_street, "[[H. No. 4-5/2, Gandhi Nagar]], Guntur"),
    (unit_street, "[[Plot 12, Ademola Street]], Ikeja"),
]
STAYS = [
    (joined_name, "CT w/o Contrast, w/o Fever"),
    (joined_name, "C/o pain, H/O: RTA, h/o Asthma"),
    (joined_name, "the bin was emptied, in a bin Bag"),
    (titled_name, "Chief Complaint: pain"),
    (health_service, "Hospital Course: stable. Hospital Day 3"),
    (health_service, "NHS number, NHS Trust policy"),
    (health_service, "CHC, CBC; KK was seen; PS 2, pressure support PS Mode"),
    (health_service, "KEM, RVI and CGH are letters. Freeman said no"),
    (health_service, "District Hospital policy, University Hospital Ward"),
    (unit_street, "Block 4 given, Unit 3 of blood, Lot 4417"),
    (unit_street, "5/88 Positive, 2/6 Systolic Murmur"),
    (unit_street, "Flat affect. Plot 3 of Height"),
]


@pytest.mark.parametrize(("rule", "marked"), FOUND)
def test_what_is_marked_is_found(rule: ModuleType, marked: str) -> None:
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [text[c.start : c.end] for c in rule.recognise(Document(text), Context())]
    assert found == re.findall(r"\[\[(.*?)\]\]", marked)


@pytest.mark.parametrize(("rule", "text"), STAYS)
def test_what_looks_alike_stays(rule: ModuleType, text: str) -> None:
    assert list(rule.recognise(Document(text), Context())) == []
