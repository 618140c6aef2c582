from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import dea


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [(c.start, text[c.start : c.end]) for c in dea.recognise(Document(text), Context())]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "DEA [[BK7719203]]",
        "DEA# [[MF0990417]]",
        "DEA No. [[AB1234567]]",
        "dea: [[FM1234563]]",
        "DEA registration [[BR1234563]]",
        "DEA number [[AS9912345]]",
        "DEA license # [[MJ5555555]]",
        "DEA #[[BW3498124]]",
        "signed [[AB1234563]]",
        "([[F91234563]])",
        "🙂 [[BC1111119]].",
        "Rx [[AP5836727]]",
        "DEA\n[[BK7719203]]",
        "DEA is [[BK7719203]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "AB1234567",
        "ab1234563",
        "YB1234563",
        "AB12345630",
        "XAB1234563",
        "MRN AB1234563",
        "chart AB1234563",
        "lot AB1234563",
        "#AB1234563",
        "1AB1234563",
        "AB123456",
        "AB1234563-4",
        "dear 12345",
        "DEA pending",
        "ideal 12345",
        "DEA agents 2",
        "schedule II",
        "deaf 12345",
        "CD4 1234563",
        "HLA-B2712345",
        "T98.6, P 100",
        "DEA 3/4/2012",
        "RN 1234563",
        "W2007 18 400417",
        "BP 120/80",
        "AB1234564",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
