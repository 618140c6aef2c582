from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import account


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [(c.start, text[c.start : c.end]) for c in account.recognise(Document(text), Context())]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "ACCT [[7719020331]]",
        "account number: [[99-1234]]",
        "(Acct#: [[GRM-998877]])",
        "account number [[BA-98765432]]?",
        "Acct     :  [[SS00719338]]",
        "acct [[CL-7719-04]], box",
        "ACCT#: [[0830-1117]]",
        "FIN [[771000288]]",
        "FIN: [[8812034417]]",
        "HAR [[60012345]]",
        "CSN [[100234567]]",
        "encounter # [[20417]]",
        "|  Visit [[100937718]]",
        "invoice [[INV-20417]]",
        "Guarantor # [[44170]]",
        "guarantor account number [[GB-2109]]",
        "Billing no. [[77120]]",
        "please pay account [[FRH-009912]].",
        "IBAN [[GB85QZXO20740530696990]]",
        "from [[GB82WEST12345698765432]] to",
        "paid by [[GB82 WEST 1234 5698 7654 32]].",
        "card [[4111 1111 1111 1111]] exp",
        "card [[4111111111111111]]",
        "amex [[378282246310005]]",
        "VISA ending [[4417]]",
        "credit card ending in [[1234]].",
        "card ending with x[[9912]]",
        "routing number [[021000021]]",
        "bank account [[12345678]]",
        "Account ID [[A-77120]]",
        "🙂 acct [[77120]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "account 2012",
        "BP at last visit 120/80, pulse 72",
        "Last visit: 138/86",
        "visit 99214",
        "Encounter: 99213",
        "since last visit 12500 WBC",
        "FIN 98.6",
        "CSN 12.5",
        "on account of 2 falls",
        "accounts for 500 mg",
        "accounted 12345",
        "GB82WEST12345698765431",
        "4111111111111112",
        "gauge 18, 20",
        "SSN 123-45-6789",
        "card 3/4/2012",
        "DNR card 2019",
        "finding 12345",
        "fine 12345",
        "fin",
        "hard 12345",
        "accident 2012",
        "acct pending",
        "MRN 4111111111111111",
        "week ending 2012-03-04",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
