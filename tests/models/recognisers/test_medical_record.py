from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import medical_record


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [
        (c.start, text[c.start : c.end])
        for c in medical_record.recognise(Document(text), Context())
    ]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "MRN: [[70-12-884]]   DOB",
        "MRN#[[1234567]],t98.6",
        "medical record number is [[44-0917-2]].",
        "Medical Record # [[BL-456789]]",
        "med rec # [[99887766]], w/ hx",
        "Unit No: [[123-45-67]]",
        "Unit no. : [[4417-09]]",
        "chart [[SB-2207]]",
        "Chart #[[20933]]",
        "NHC: [[368503]].",
        "HISTORIA CLÍNICA Nº [[3681254]]",
        "MRN:\n[[5541907]]",
        "MRN FMV10 and MRN [[FMV 10223]]",
        "MRN: [[UCLA-T1D-2023]]",
        "MR# [[77280114]]",
        "MR#:            [[HCI45518]]",
        "HOSPITAL NUMBER: [[SR 55-20-19]]",
        "HOSP# [[20-41-733]]",
        "Patient ID: [[ABCD1234]]",
        "pt id #[[SP-112233]]",
        "EMR: [[456123789]].",
        "mrn[[49282721]] . patient's name",
        "our no. [[SB-35571]]",
        "our # [[SD9031]]",
        "(ED no [[PH-31450]])",
        "transplant ctr # [[UH3390185]]",
        "Pt: ROE, JO   |MR [[TH-018230]] |DOB",
        "Roe, Jo     MR [[61122]]   24 M",
        "Jo Roe  ID [[BH4417]]   1/17/2022",
        "Voss, Eleanor   [[338-22-816]]   DOS 1/5/2011",
        "OKONKWO-REYES, AMARA   15Y F   [[PH-31450]]   acct 904",
        "LØVAAS, INGRID\n[[77280114]]\n06/19/87",
        "Dixon, Tamara    19    #[[WCT-2815]]    Medicaid",
        "66f   [[BH 64418]]   cycler",
        "MICU BED 6   BUCKHALTER C   [[90-26604]]\n",
        "é🙂 MRN: [[1234567]] 🙂",
        "Record [[T53317]]. Date June 11",
        "EHR #[[20931]]",
        "MRN [[12345-678-90]]?",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "MRN: 3/4/2012",
        "MRN pending",
        "MR moderate, 3+",
        "MR 2+, TR 3+",
        "chart review 2012",
        "charted 12345 times",
        "medical records from 2012",
        "unit 2, case 3",
        "Smith, John   37.5   98",
        "Smith, John   54   M",
        "Smith, John   120/80   72",
        "Smith, John   2012-03-04   M",
        "Smith, John   555-0100   home",
        "LEFT KNEE   12345 steps",
        "Roux, Jo, MD   MD 188204",
        "Acetaminophen, Codeine 12345",
        "Keene, NH 03431",
        "Springfield, IL 62704   phone",
        "Glucose, fasting   110",
        "record 5000 ml",
        "WBC 10.2   Hgb 9.8   Plt 250",
        "ICD E11.9, CPT 99213",
        "hospital day 1234 mg",
        "ID: infectious disease",
        "Infectious disease ID 123 mg",
        "opened the chart\n2025-01-06T07:14:40",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
