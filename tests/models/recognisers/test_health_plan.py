from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import health_plan


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [
        (c.start, text[c.start : c.end]) for c in health_plan.recognise(Document(text), Context())
    ]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "Medicare [[280-22-1907A]] +",
        "MEDI-CAL [[91882301C]].",
        "Member ID [[XQW123456789]]",
        "NASS: [[26 37482910 04]].",
        "insurance policy # [[AB-987654]].",
        "Policy Number: [[HPN-456789]]",
        "Health Plan ID: [[54321-XYZ]]",
        "Insurance#: [[HBP-234987]]",
        "her insurance ID is [[98765432]].",
        "ins: [[ZY-567890]].",
        "ins is [[ABC-987654]].",
        "HBN: [[789-456-123]]?",
        "HMO ID is [[5678-2345-4321]]",
        "Insurance: [[ABC234567]]",
        "insur ID [[WX-987654]]",
        "ins plan #[[R-987654]]",
        "Payor : Medicare [[9AA1-TE4-MK73]]",
        "card [[1EG4-TE5-MK73]] shown",
        "card [[1EG4TE5MK73]] shown",
        "number [[987-65-4320D]] on file",
        "MEDICAID# [[NM 0088213407]]",
        "Medicaid [[MS 334 17 0092]]",
        "Medicaid [[AL 5100 4417]].",
        "(Aetna [[W 1190 44781]])",
        "ins Anthem [[YRP771A40821]]  auth",
        "(ins HealthPartners id [[HP 8810 22 914]])",
        "Delta Dental ID [[4471 8890 02]]  grp [[00712]]",
        "BLUE CROSS, ID [[R 5044 1709]], FEDERAL",
        "TRICARE [[TP 88 0417 22]].",
        "SPONSOR ID [[000417226]]",
        "Group: [[VA0044-19]]",
        "GRP [[104]]",
        "POL [[HTH 5500 4417 01]]",
        "OHP [[AB123X7C]]",
        "UMWA card [[UM 44-0917]]",
        "group number [[88123]]",
        "subscriber no. [[771002]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "Medicaid 2012",
        "group 2-3",
        "member of 4 churches",
        "plan 2000 kcal",
        "Medicare G0439 visit",
        "Medicare A and B",
        "medical record number MRN-11335577",
        "medical record number 12345678",
        "policy 2012",
        "plan: 325mg daily",
        "plan E11.65",
        "insurance form 1040",
        "1EG4-TE5-MK7",
        "1SG4-TE5-MK73",
        "0EG4-TE5-MK73",
        "123-45-6789",
        "group therapy 12",
        "member id: XQ 123",
        "sheet/plan 33/21.2.3",
        "policy of 500 mg",
        "plan D5W 1000 ml",
        "grouped 12345",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
