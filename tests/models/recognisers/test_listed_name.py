from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import listed_name


def found(text: str) -> list[tuple[str, str]]:
    return [
        (text[c.start : c.end], c.label) for c in listed_name.recognise(Document(text), Context())
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Agnes Kowalski is a 44-year-old woman", "Agnes Kowalski"),
        ("a 44-year-old woman, Agnes Kowalski, with CHF", "Agnes Kowalski"),
        ("a 60 yo male, Robert L., on warfarin", "Robert L."),
        ("a 60 yo male, Frank L., on warfarin", "Frank L."),
        ("again Maria Garcia-Lopez today", "Maria Garcia-Lopez"),
        ("we saw José Martínez again", "José Martínez"),
        ("next is agnes kowalski , here for cough", "agnes kowalski"),
        ("AGNES KOWALSKI SEEN IN ER", "AGNES KOWALSKI"),
        ("Kowalski, Agnes   00771823  DOS 1/2", "Kowalski, Agnes"),
        ("KOWALSKI, AGNES M F 39Y  MRN 12", "KOWALSKI, AGNES M"),
        ("VANG, PA HOUA F 39Y", "VANG, PA HOUA"),
        ("Small, Tyrell  44-0917-2", "Small, Tyrell"),
        ("  Kowalski, Agnes\nseen today", "Kowalski, Agnes"),
        ("Agnes Kowalski  ID BH4417", "Agnes Kowalski"),
        ("Kowalski Agnes       41F   mrn 000", "Kowalski Agnes"),
        ("3/12 0700   kowalski, d\nalert", "kowalski, d"),
        ("Robert Brown came back", "Robert Brown"),
        ("Michael van der Berg came back", "Michael van der Berg"),
        ("Mary O'Brien came back", "Mary O'Brien"),
        ("Mary Ann Johnson came back", "Mary Ann Johnson"),
        ("Robert J. Kowalski came back", "Robert J. Kowalski"),
        ("Thomas McDonald Jr. came back", "Thomas McDonald Jr."),
        ("notes of A. Kowalski attached", "A. Kowalski"),
        ("Patel, Priya DOB 1/2/60", "Patel, Priya"),
        ("🙂 é Agnes Kowalski 🙂", "Agnes Kowalski"),
    ],
)
def test_listed_pairs_are_patients(text: str, expected: str) -> None:
    assert found(text) == [(expected, "PATIENT")]


@pytest.mark.parametrize(
    "text",
    [
        "films were sent to Agnes Kowalski yesterday",
        "followed via Agnes Kowalski at the clinic",
        "w/ Agnes Kowalski at the desk",
    ],
)
def test_what_stands_before_makes_them_staff(text: str) -> None:
    assert found(text) == [("Agnes Kowalski", "DOCTOR")]


def test_the_label_comes_from_the_rest_of_the_document() -> None:
    assert found("Dr. Kowalski called.\n\nPlan of Agnes Kowalski as above") == [
        ("Agnes Kowalski", "DOCTOR")
    ]
    assert found("Dr. Agnes Kowalski called") == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Mary",
        "Foley catheter in place",
        "Parkinson Disease",
        "Stevens Johnson syndrome",
        "Wolff Parkinson White syndrome",
        "Bell's palsy and Graves disease",
        "Homans sign negative",
        "Jackson Memorial Hospital",
        "Johns Hopkins Hospital",
        "Martin Luther Hospital",
        "treated at Cedar Sinai",
        "St. Mary Johnson wing",
        "San Jose, California",
        "El Paso, TX 79930",
        "Elko, NV 89801",
        "Santa Monica",
        "80 Martin Kowalski Street",
        "Vitamin D 1000 units",
        "Vit D, melatonin",
        "Hepatitis B. negative",
        "Will Call back",
        "May Take with food",
        "Grace Period",
        "Long Term Care",
        "Brown Bag review",
        "Chest Pain",
        "Assessment And Plan",
        "Aspirin, Lisinopril",
        "DISCHARGE, STABLE",
        "Heart, Lungs clear",
        "Lipitor, Zocor  40 mg",
        "E. Coli in urine",
        "C. Difficile toxin",
        "H. Pylori stool test",
        "Blue Cross Blue Shield",
        "New York, New York",
        "Rose Garden Park",
        "June 4, August 5",
        "Mark the site",
        "Chase Bank",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Marcus Gunn pupil on the left", []),
        ("Charles Bonnet phenomena", []),
        ("drinks Earl Grey, no Jack Daniel's", []),
        ("safeguarding lead Matron Odette Hansen", [("Odette Hansen", "DOCTOR")]),
        ("ICP Shannon Hansen here", [("Shannon Hansen", "DOCTOR")]),
    ],
)
def test_eponyms_of_two_names_and_staff(text, expected):
    assert found(text) == expected
