"""What the rules for numbers with a name have in common."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import RECOGNISERS, check_digits, modules_shared_by

RULES = [name for name in RECOGNISERS if "named_numbers" in modules_shared_by(name)]


def found(text: str) -> set[str]:
    return {
        text[c.start : c.end]
        for name in RULES
        for c in RECOGNISERS[name].recognise(Document(text), Context())
    }


@pytest.mark.parametrize(
    "text",
    [
        "case 3, unit 2, visit 12",
        "Medicaid 2012",
        "order 1000 ml",
        "ref by Dr. Sharp",
        "group 2-3",
        "MRN: 3/4/2012",
        "MRN pending",
        "claim 500 mg",
        "a lot of 20 pills",
        "license 2015",
        "visit 1/2/2014",
        "member of 4 churches",
        "identifies as male 1234567",
        "Avda. de Córdoba s/n 28041 Madrid",
        "caseload 12345",
        "plan 2000 kcal",
        "HIV accordion 12345",
        "metoprolol 25 mg po bid, heparin 5000 units sq q8h",
        "vancomycin 1000-1500 mg, KCl 40 meq, D5W 1000 ml",
        "plan: 325mg ASA, 1000ml NS",
        "BP 120/80 HR 72 RR 18 T 98.6 SpO2 97% on 2L",
        "GCS 15, ESI 3, NIHSS 4, Braden 18, APGAR 8/9",
        "Na 140 K 4.2 Cl 101 HCO3 24 BUN 18 Cr 1.1 Glu 110",
        "WBC 10,200 Hgb 9.8 Plt 250,000",
        "E11.9, I10, Z79.4, F32.1, M54.50",
        "plan E11.65 and case I10",
        "CPT 99213-25, 93000, 36415",
        "NDC 0002-8215-01",
        "18 gauge IV, 20G LAC, 7.5 ETT @ 23",
        "L4-5 disc, C5-6, T12-L1",
        "CA 19-9 37, CA-125 786 UI/ml",
        "HbA1c 7.2, CD4 350, BRCA1, HLA-B27, p53",
        "B12-1000 mcg, D3-5000 IU",
        "stage T2N0M0, grade 2-3, pT1c",
        "0700-1500, 1900-0700 shift",
        "PEEP 5, FiO2 40, TV 450, PIP 25",
        "5-FU 2400 mg/m2, FOLFOX6, MK-3475, BMS-986165",
        "EF 55-60, RVSP 35, LVOT 2.1",
        "glucosa 92 mg/dl (60-100), VN: 90-210",
        "page 2 of 2, line 3, figure 12",
        "room 1412, bed 2, floor 3, suite 210",
        "ISBN 978-3-16-148410-0",
        "in 2012, since 1998, until 2060",
        "at 0900 and 2100",
        "10,000 steps, 2000 kcal, 5000 m",
        "COVID-19, H1N1, SARS-CoV-2",
        "x2, x 3 days, 2x1000",
        "pH 7.35/45/98",
        "PID|1||||ROE^JO",
        "ICD-10, DSM-5, ICD 250.00",
    ],
)
def test_what_no_rule_may_take(text: str) -> None:
    assert found(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MRN 1234567 exp 12 mg", {"1234567"}),
        ("MRN:   \n  1234567", {"1234567"}),
        ("MRN no. : 1234567", {"1234567"}),
        ("MRN number is 1234567", {"1234567"}),
        ('"mrn": "1234567",', {"1234567"}),
        ("| MRN | 1234567 |", {"1234567"}),
        ("MRN [1234567]", {"1234567"}),
        ("MRN 44170 5512", {"44170 5512"}),
        ("MRN 44170 45 F", {"44170"}),
        ("MRN 44170 1200 hrs", {"44170"}),
        ("MRN 123 456 789", {"123 456 789"}),
        ("RxBIN: 610014 RxGrp: RX1234", {"610014", "RX1234"}),
        ("REF: 71338542 LOT: 08GM17845", {"08GM17845"}),
        ("logged in as jdoe7, Twitter @jdoe99", {"jdoe7", "jdoe99"}),
        ("MRN 1234567mg", set()),
        ("MRN 1234567 mg", set()),
        ("MRN 12", set()),
        ("claim 2012", set()),
        ("claim # 2012", {"2012"}),
        ("MRN SEE 12345", set()),
        ("MRN ABC 12345", {"ABC 12345"}),
        ("MRN abc 12345", set()),
        ("MRNX1234567", set()),
        ("xMRN 1234567", set()),
        ("éMRN 1234567", set()),
        ("MRN 1234567é", set()),
        ("MRN １２３４５６７", {"１２３４５６７"}),
    ],
)
def test_words_gaps_and_numbers(text: str, expected: set[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    ("digits", "valid"),
    [
        ("808401234567893", True),
        ("808401234567890", False),
        ("0", True),
        ("18", True),
        ("81", False),
    ],
)
def test_luhn(digits: str, valid: bool) -> None:
    assert check_digits.luhn(digits) is valid


@given(st.text(st.sampled_from("0123456789"), min_size=1, max_size=20))
def test_exactly_one_check_digit_is_right(digits: str) -> None:
    assert sum(check_digits.luhn(f"{digits}{last}") for last in "0123456789") == 1
