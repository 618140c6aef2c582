from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import ssn


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [(c.start, text[c.start : c.end]) for c in ssn.recognise(Document(text), Context())]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "SSN [[123-45-6789]].",
        "[[078-05-1120]]",
        "SS# [[987654321]]",
        "social security [[900 12 3456]]",
        "last four of SSN [[6789]]; SSN: xxx-xx-[[1234]]",
        "SSN: [[000-52-4417]]",
        "SSN ([[900-55-0417]]), got",
        "SSN card [[000-73-5512]];",
        "soc sec # [[123456789]]",
        "social security number is [[474-49-7577]]",
        "ITIN [[912-70-0417]]",
        "[[912-70-0417]]",
        "last 4 of SSN [[1234]]",
        "last 4 SSN: [[1234]]",
        "last four digits of her social security number: [[1234]]",
        "last 4 of his SSN is [[9912]]",
        "SSN ending in [[1234]]",
        "SSN last 4 [[1234]]",
        "XX" + "X-XX-[[1234]]",
        "xxx-xx-[[1234]]",
        "***-**-[[1234]]",
        "SSN ***-**-[[1234]]",
        "xxxxx[[1234]]",
        "SSN xxx xx [[1234]]",
        "SSN is [[123.45.6789]]",
        "🙂 SSN: [[123–45–6789]]",
        "ss# [[123-45-6789]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "MRN: 123-45-6789",
        "000-12-3456, 666-12-3456, 123-00-4567, 123-45-0000, 905-12-3456",
        "Medicare 280-22-1907A; 1-280-22-1907; 123-45-67890",
        "123456789",
        "looks from SS 2011 Fashion",
        "123-456-789",
        "12-345-6789",
        "617-555-0100",
        "9/12/2012",
        "1123-45-6789",
        "123-45-6789-1",
        "account 123-45-6789",
        "lot 123-45-6789",
        "social history 1234",
        "last 4 days 1234",
        "last 4 of 2012",
        "class 1234",
        "xxx 12",
        "x-1234",
        "ssn",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
