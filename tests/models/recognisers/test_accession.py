from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import accession


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [
        (c.start, text[c.start : c.end]) for c in accession.recognise(Document(text), Context())
    ]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "Accession: [[K14-55012]]",
        "accession [[HX-20190611-88]] for",
        "ACC#: [[22112207714]]",
        "ACC      [[CR-11-0830-09]]",
        "Specimen # [[88123]]",
        "specimen no. [[C-4417]]",
        "(path [[S23-8841]]).",
        "(lab [[T16-7733]]): ethanol",
        "lab no. [[WA19-44170]].",
        "lab [[Q7719-22]]). ZPP",
        "Bx [[TS13-2207]].",
        "no. [[TS13-2207]]) shows",
        "pap done ([[P08-44170]]).",
        "for cx [[M05-77109]] sent",
        "[[CS-15-07713]]\nFINCH",
        "July 2013 ([[CS-13-10221]]) had",
        "Autopsy No.\n[[A05-0088]]",
        "[[S12-34567]]",
        "[[SCE-2007-4417]].",
        "requisition [[7719]]",
        "slide # [[A-4417]]",
        "🙂 [[NS14-06618]]",
        "pathology no. [[55123]]",
        "cytology [[C12-3381]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "L4-5, C5-6",
        "pathology T2N1M0, pT1cN0, margins clear",
        "biopsy pTisN0",
        "CA 19-9 1234",
        "CA15-3 of 3300",
        "B12-1000 mcg",
        "B12-5000",
        "D3-5000 units",
        "T10-1100 ml",
        "s12-34567",
        "MRN S12-34567",
        "lot S12-34567",
        "SN LT-88-0417",
        "visit: SB-11-004417",
        "2012-34567",
        "S12-34567-8901-2.5",
        "COVID-19 2020",
        "H1N1, A1C 7.2",
        "S1-34567",
        "ACCT 7719020331",
        "ICD E11.9",
        "lab 2012",
        "labs 12, 14",
        "path 3",
        "bx 2012",
        "accident 12345",
        "accordion 12345",
        "lab 1200 ml",
        "biopsy 5 mm",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
