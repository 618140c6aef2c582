"""Jobs of patients and relatives, behind words that say so."""

from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import profession


def found(text: str) -> list[str]:
    return [text[c.start : c.end] for c in profession.recognise(Document(text), Context())]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("works as a line cook", ["line cook"]),
        ("She is a florist with shoulder pain", ["florist"]),
        ("54-year-old parking lot attendant who", ["parking lot attendant"]),
        ("a 66 year old retired papermaker, for", ["papermaker"]),
        ("Retired irrigation ditch rider. R/O BCC", ["irrigation ditch rider"]),
        ("she used to be a telephone operator and", ["telephone operator"]),
        ("widowed former milliner who lives", ["milliner"]),
        ("(school principal, Dayton)", ["school principal"]),
        ("36M line cook from Baltimore", ["line cook"]),
        ("yo court stenographer with", []),
        ("a 48 yo court stenographer with", ["court stenographer"]),
        ("Andre (tugboat mate) away", ["tugboat mate"]),
        ("retired from Entergy as a payroll clerk in", ["payroll clerk"]),
        ("Occupation: potter", ["potter"]),
        ("JOB: Postal carrier     EMPLOYER", ["Postal carrier"]),
        ("neck pain. Mail carrier. \n", ["Mail carrier"]),
        ("poultry plant worker at Golden Cluck", ["poultry plant worker"]),
        ("SCREEN NEG - poultry plant worker at Golden Cluck", ["poultry plant worker"]),
        ("Her husband is a smelter tender", ["smelter tender"]),
        ("Mom is school bus driver.", ["school bus driver"]),
        ("Sheet metal worker by trade until", ["Sheet metal worker"]),
        ("He was a coal truck\ndriver for years", ["coal truck\ndriver"]),
        ("RETIRED COAL TRUCK DRIVER, THEN", ["COAL TRUCK DRIVER"]),
        ("He is a retired nurse", ["nurse"]),
        ("Dad machinist at Vantek", ["machinist"]),
        ("Ms. Roe is a luthier, well", ["luthier"]),
        ("an unemployed piano tuner, was brought", ["piano tuner"]),
        ("She is a smoker and a heavy drinker", []),
        ("He is a poor historian; candidate for surgery", []),
        ("seen by an orthopedic surgeon; a cardiologist", []),
        ("see a physical therapist; nurse Anna Roe", []),
        ("has a pacemaker; he is non-tender", []),
        ("a 28-year-old right-hand dominant man", []),
        ("her daughter is a survivor, carrier of BRCA", []),
        ("60-year-old patient, John Smith, came", []),
        ("a 54 yo male patient Robert Baker", []),
        ("next patient is nicole miller .", []),
        ("Dr. Roe is a specialist; RN at bedside", []),
        ("abdomen is tender; driver of the car", []),
        ("German shepherd bit him; she is the mother", []),
        ("interpreter used; social worker consulted", []),
        ("works full time; works nights", []),
        ("rider by occupation", []),
        ("male, okada\nrider by occupation, a Christian", []),
        ("potter by trade", ["potter"]),
    ],
)
def test_table(text: str, expected: list[str]) -> None:
    assert found(text) == expected
