from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import relative_name


def found(text: str) -> list[str]:
    return [
        text[c.start : c.end]
        for c in relative_name.recognise(Document(text), Context())
        if c.label == "PATIENT"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("His wife, Mary, found him.", ["Mary"]),
        ("Daughter Anna to bring the list", ["Anna"]),
        ("lives with her son Kevin.", ["Kevin"]),
        ("accompanied by her husband Tomas Halvard", ["Tomas Halvard"]),
        ("his brother-in-law Pedro drives", ["Pedro"]),
        ("her sister Bukola came from Lagos", ["Bukola"]),
        ("a sister, Solveig, in Oslo", ["Solveig"]),
        ("sister named Priya", ["Priya"]),
        ("wife is Graciela", ["Graciela"]),
        ("here w/ dads Andre Pettigrew & Teo Halvard", ["Andre Pettigrew", "Teo Halvard"]),
        ("sons Kevin, Peter and Paul", ["Kevin", "Peter", "Paul"]),
        ("Kids Sasha 11, Kevin 6", ["Sasha", "Kevin"]),
        ("husb otis stayed", ["otis"]),
        ("asked when her brother otis is coming", ["otis"]),
        ("NEPHEW LEON CALLED", ["LEON"]),
        ("DTR LENORE 555-0100", ["LENORE"]),
        ("daughter Joy at bedside", ["Joy"]),
        ("wife June saw it", ["June"]),
        ("Daughter April Pettigrew-Stone is proxy", ["April Pettigrew-Stone"]),
        ("neighbor Gus Pettigrew found her", ["Gus Pettigrew"]),
        ("girlfriend Kiki visited", ["Kiki"]),
        ("grandfather Ángel died", ["Ángel"]),
        ("Her daughter, Zofia O'Rourke-Nowak, drives", ["Zofia O'Rourke-Nowak"]),
        ("Mary (daughter) agrees", ["Mary"]),
        ("told Lenore (his wife) today", ["Lenore"]),
        ("Kevin's mother called", ["Kevin"]),
        ("spoke with Anna about it", ["Anna"]),
        ("lives with Graciela in town", ["Graciela"]),
        ("a patient named Jane D. with CHF", ["Jane D."]),
        ("pt Emily R., seen today", ["Emily R."]),
        ("a boy named Peter Halvard", ["Peter Halvard"]),
        ("Lenore present. Tearful.", ["Lenore"]),
        ("Slept well. Graciela says he snores", ["Graciela"]),
        ("on his wife's (Solveig, 91) pills", ["Solveig"]),
        ("roommate Tyrell helps", ["Tyrell"]),
        ("boss Doyle wants a letter", ["Doyle"]),
        ("emergency: son, Bartholomew", ["Bartholomew"]),
        ("é🙂 wife Mary 🙂", ["Mary"]),
    ],
)
def test_people_around_the_patient_are_found(text: str, expected: list[str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "wife",
        "mother",
        "Mother: Diabetes",
        "mother, Crohn's disease",
        "Mother died at 58",
        "MOTHER HTN, DM",
        "FATHER DECEASED",
        "his wife will call",
        "her son may visit",
        "sister age 58",
        "brother in January",
        "wife April 3",
        "spoke with Cardiology",
        "spoke with the family",
        "daughter Medicare",
        "lives with family",
        "his wife. Exam benign.",
        "Son: Alzheimer's",
        "brother Monday",
        "Patient's mother called",
        "Parkinson's sister drug",
        "mother COPD",
        "two sisters, both healthy",
        "friend Hospital",
        "met with Oncology",
        "patient is Alert and oriented",
        "partner Violence screen",
        "Lisinopril helps",
        "Dr. Halvard reports progress",
        "Warfarin helped",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a Granny Smith is fine", []),
        ("the parents are Somali speakers", []),
        ("her granny Anna came", ["Anna"]),
    ],
)
def test_apples_and_nations_are_no_relatives(text, expected):
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Daughter Mdm Tay Hui Min is", ["Tay Hui Min"]),
        ("mum (Alhaja Sekinat), trader", ["Sekinat"]),
        ("uncle Engr. Wasiu Adesanya", []),
        ("Brother Errol MI at 49", ["Errol"]),
        ("wife Mai Nguyen came", ["Mai Nguyen"]),
        ("husband Tuan Pham came", ["Tuan Pham"]),
        ("SON ERROL MI", ["ERROL MI"]),
    ],
)
def test_titles_and_abbreviations_are_outside(text, expected):
    assert found(text) == expected
