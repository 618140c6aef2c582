from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import idnum


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [(c.start, text[c.start : c.end]) for c in idnum.recognise(Document(text), Context())]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "CASE [[HD-10-2281]]",
        "case no. [[2012]]",
        "job [[77120]]",
        "claim #[[MD-88102]], forms",
        "ref [[LOC-22918]].",
        "INTERPRETER #[[30918]]",
        "(ID: [[987654321]])?",
        "Auth [[PT08-77120]]",
        "Humana auth [[0110-88213]].",
        "PA# [[09-77190]].",
        "Run #: [[19-002217]]",
        "INCIDENT RPT [[08-117]] TO",
        "incident [[RL-15-4471]].",
        "POLICE RPT [[11-08-4417]], GLOBE",
        "report [[9770-417-16]]. His",
        "consent form [[ISD-44-2017-0338]] is",
        "form is no. [[BC-21-00871]].",
        "kit # [[CH-2290-117]].",
        "hold # [[20-MH-1187]]",
        "(Officer Roe, badge [[4471]]) from",
        "bdg [[MC-0092]].",
        "conf # [[HF88-0031]]",
        "Confirmation: [[HF88-0031]]",
        "tax ID is [[84-5550417]].",
        "DoD ID [[1417004417]].",
        "Message id [[PM-20141118-00712]]",
        "Reference:    [[PA-2013-7716620]]",
        "eScription document: [[5-7719023]]",
        "toe tag ([[M-2231]])",
        "VA claim ([[C 28 771 904]]).",
        "quote no. [[HQ-20417]])",
        "thread [[8817-0417]]",
        "VN: [[8810447]]",
        "passport [[X1234567]]",
        "DNI: [[12345678Z]]",
        "NIE [[X1234567L]]",
        "Episodio: [[7345609]].",
        "supply order # [[BX-7719022]].",
        "subject id [[004-117]]",
        "cab voucher [[0417]], go",
        "envelope [[60417]].",
        "video ID\n[[88412]]) the",
        "The disc (no. [[CD-09-4417]]) goes",
        "tracking no. [[1Z999AA1]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "case 3, visit 12",
        "K 4.4 (ref 3.5-5.1), ALP 88 (ref 40.5-120)",
        "order 1000 ml",
        "ref by Dr. Sharp",
        "claim 500 mg",
        "visit 1/2/2014",
        "identifies as male 1234567",
        "caseload 12345",
        "Patient ID: ABCD1234",
        "Member ID XQW123456789",
        "Delta Dental ID 4471 8890",
        "user id jdoe12",
        "VN: 90-210",
        "vn: 0-35",
        "(REF CQ-7584, lot",
        "photographed, form FP-0303",
        "report of 2012",
        "REPORTED 02/05/10",
        "no. 5 tube",
        "no 12345",
        "visit 2012",
        "job 2012",
        "ID band on",
        "id 12",
        "case E11.9",
        "ref range 12-15",
        "job: nurse",
        "order CBC",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
