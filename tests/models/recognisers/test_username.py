from __future__ import annotations

import re

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import username


def check(marked: str) -> None:
    """What stands in [[ ]] is found, and nothing else."""
    text = re.sub(r"\[\[|\]\]", "", marked)
    found = [
        (c.start, text[c.start : c.end]) for c in username.recognise(Document(text), Context())
    ]
    starts = [m.start() - 4 * i for i, m in enumerate(re.finditer(r"\[\[", marked))]
    assert found == list(zip(starts, re.findall(r"\[\[(.*?)\]\]", marked, re.DOTALL), strict=True))


@pytest.mark.parametrize(
    "marked",
    [
        "user [[tmaki14]]",
        "user: [[jdoe12]]",
        "username: [[jdoe]]",
        "username is [[jdoe7]]",
        "login: [[jdoe]]",
        "LOGIN [[kvoigt.al4]]",
        "Login ID: [[mroe]]",
        "user [[kati_mo68]]\nSubject",
        "signed by [[jsmith4]]",
        "account [[jdoe12]]",
        "esigned [[wtate]] 01/10/11 1103",
        "esig [[labern01]] 10/02/2012",
        "Electronically signed: [[EBRANDT]] 05/09/2016",
        "(electronic signature [[AFAIRWEA]] 09/09/2014",
        "CLERK [[dfitch]]  TERMINAL 192",
        "from: [[greglind58]]   ip",
        "barcode badge [[plockhart3]]",
        "by user [[tmaki14]]",
        "called at 0811 by [[LT22]]. Slide",
        "Printed 09/14/2021 0740 by [[POR417]]   from",
        "0547 BY TECH [[T0417]] R. FIELD",
        "Bea Potter-Singh, MD. Final 5/7/14 15:02 ([[bpsingh]])",
        "RN ALVES,T [[TALVES]]\n",
        "LINDAHL, BO ([[BLINDAHL]])",
        "Hermione Vasko, MD      [[HVASKO]]   06/05/2015",
        "Xiomara Peña, RN, CDRMS     [[XPENA]]     ph",
        "L Tran     [[ltran2]] \n",
        "entered by [[mroe3]]",
    ],
)
def test_numbers_are_found(marked: str) -> None:
    check(marked)


@pytest.mark.parametrize(
    "text",
    [
        "user denies pain",
        "IV drug user 2 years",
        "former user of tobacco",
        "login page",
        "signed by Dr. Roe",
        "user: 12345",
        "account 12345",
        "account of pain",
        "electronically signed by Jane Roe 05/09/2016",
        "badge 4471",
        "from: clinic",
        "from home 12",
        "[JS1.1]",
        "user",
        "login",
        "Jane Roe (mother)",
        "Jane Roe (stable)",
        "Small table (stable)",
        "Mary Brown  BROWN  ",
        "clerk called 911",
        "signed",
        "username",
        "username:",
        "user@host.org",
        "user: a@b.com",
        "Roe, Jane (RN)",
        "from T12 to L2",
        "users 12",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    check(text)
