from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import license


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [(c.start, text[c.start : c.end]) for c in license.recognise(Document(text), Context())]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "lic [[I.0800417]]",
        "Rheumatologist  GMC [[0417752]]",
        "Nº Col: [[28 28 70973]]",
        "driver license [[WDL7K1M163PB]],",
        "Ky. lic. [[22817]]",
        "License LA [[D-06617]]",
        "Colorado license [[DR.0061177]]",
        "lic [[NMW 2281]]",
        "lic [[B4172 77190 07372]].",
        "CO DL [[94-187-0417]], SSN",
        "DL: NV [[1700417226]]",
        "DL# [[S1234567]]",
        "CDL ME [[7719204]]",
        "operator no. [[27 004 417]];",
        "Iowa license [[417AA2203]]",
        "CLIA [[24D0998812]]",
        "the lab ([[45D0417008]])",
        "NCPDP [[4855590]].",
        "cred [[RCP 4417]]",
        "Delphine Roux, MD   [[MD 188204]]",
        "Winifred Osei, LCSW ([[L8817]])",
        "N. Orsini OTR/L, CHT   [[OT.0004417]]",
        "Levi Strand, PT  PA [[PT-017733]]",
        "H. Grosz, MD, MPH   [[25MA 0417200]]",
        "Noonan MS CCC-SLP  [[LL 60447719]]   x",
        "M.D.      PA [[MD 041772-L]]",
        "Farida Nasser, MS, LGC       [[GC 60001417]]",
        "Leocadia Roe, MD      [[A 117043]]",
        "nursing license number [[RN-554123]]",
        "license # [[123456]]",
        "RN license [[44170]]",
        "certificate no. [[88120]]",
        "state license no. [[A-12345]]",
        "physician license: [[G55123]]",
        "lic #[[P-330817]]",
        "bleep 2276, GMC [[7904416]]",
        "(GMC reg. no. [[7136620]])",
        "PARAMEDIC HCPC [[PA48117]]",
        "CMW N. Whitbread NMC [[14I0337E]]",
        "MRCPsych, IMC [[027416]]",
        "my MCNZ [[19-08842]].",
        "Prov No [[459508HF]]",
        "Dr Lam   prov [[6054503T]]   x",
        "Vaidya PT   CPO [[20418]]   x",
        "OIIQ [[2094417]]",
        "KMC Reg [[68214]]",
        "SMO, PMDC [[48127-P]]",
        "MCR [[M61274D]]",
        "HPCSA [[MP0781156]]",
        "(MDCN [[67702]])",
        "N/O Muthoni (NCK [[71883]])",
        "BMC reg. [[1187]]",
        "A. Roe, MD  PRC [[0104418]]",
        "GP - [[DHA-P-0155902]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "license 2015",
        "licensed 12345",
        "BUN 18 mg/dl (200-360)",
        "Hb 16 g/dl (13-17,4)",
        "MD 2012",
        "seen by MD  12345",
        "RN 2000 ml",
        "PT 12.5, INR 1.1",
        "PT  12345",
        "OD 1.25",
        "NP at 1200",
        "MD   MRN 12345",
        "DEA BK7719203",
        "NPI 1234567893",
        "state of 4417 people",
        "PRC 2 units O neg, GMC 2023",
        "APC 1309 mutation, CPO 250 mg",
        "seen at BMC 2019, DOH 12/4",
        "MOH2207719403",
        "RN  BP 120/80",
        "PT  T98.6",
        "DO 4/5/2012",
        "licence expired",
        "dl",
        "mg/dL 1234567",
        "24D099881",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
