from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import npi


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [(c.start, text[c.start : c.end]) for c in npi.recognise(Document(text), Context())]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "NPI [[1234567893]]",
        "NPI: [[1990000417]]",
        "npi # [[1880000523]]",
        "NPI no. [[1550041799]]",
        "National Provider Identifier [[1234567893]]",
        "NPI is [[1234567893]]",
        "UPIN [[A12345]]",
        "NPI#[[1760009982]]",
        "signed [[1234567893]]",
        "J Roe MD ([[1234567893]])",
        "|[[1234567893]]^FROST",
        "[[1245319599]]",
        "🙂 [[1003000126]].",
        "NPI\n[[1234567893]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "1234567890",
        "1234567894",
        "2234567893",
        "617-555-0100",
        "6175550100",
        "MRN 1234567893",
        "acct 1234567893",
        "#1234567893",
        "1234567893 ml",
        "11234567893",
        "12345678931",
        "1234567893.5",
        "A1234567893",
        "1,234,567,893",
        "NPI pending",
        "NPI 12",
        "npi",
        "NPIs 1 and 2",
        "order 1234567893",
        "claim # 1234567893",
        "call 1034567892",
        "WBC 1.2, Plt 150",
        "0123456789",
        "CPT 99213",
        "NPI 3/4/2012",
        "insulin 1000 units",
        "unipi 12345",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
