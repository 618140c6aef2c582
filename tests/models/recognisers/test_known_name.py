from __future__ import annotations

import pytest
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import known_name

PATIENT = "Patient: Agnes Pettigrew\n"
DOCTOR = "Attending: Tomas Kowalski, MD\n"
WORDS = "Patient: Hope Long\n"


def found(text: str) -> list[tuple[str, str]]:
    return [
        (text[c.start : c.end], c.label) for c in known_name.recognise(Document(text), Context())
    ]


@pytest.mark.parametrize(
    ("head", "text", "expected"),
    [
        (PATIENT, "Pettigrew slept well.", ["Pettigrew"]),
        (PATIENT, "PETTIGREW slept well.", ["PETTIGREW"]),
        (PATIENT, "pettigrew slept well", ["pettigrew"]),
        (PATIENT, "Pettigrew's leg", ["Pettigrew"]),
        (PATIENT, "Pettigrew’s leg", ["Pettigrew"]),
        (PATIENT, "PETTIGREW'S LEG", ["PETTIGREW"]),
        (PATIENT, "labeled “Pettigrew” L ear", ["Pettigrew"]),
        (PATIENT, "Agnes is better and agnes eats", ["Agnes", "agnes"]),
        (PATIENT, "Agnes\nPettigrew", ["Agnes", "Pettigrew"]),
        (PATIENT, "the Pettigrew family; pettigrew/agnes", ["Pettigrew", "pettigrew", "agnes"]),
        (WORDS, "I told Hope to rest", ["Hope"]),
        (WORDS, "we asked Long to rest", ["Long"]),
        ("Patient: José Peña\n", "Peña and jose", ["Peña", "jose"]),
        ("Patient: Jose Pena\n", "Peña and José", ["Peña", "José"]),
        ("Patient: Mary O'Rourke\n", "O’Rourke is up", ["O’Rourke"]),
        ("wife Solveig; ", "later solveig left", ["solveig"]),
    ],
)
def test_later_mentions_of_patients_are_found(head: str, text: str, expected: list[str]) -> None:
    assert found(head + text) == [(name, "PATIENT") for name in expected]
    # The evidence may as well stand behind.
    assert found(text + "\n\n" + head) == [(name, "PATIENT") for name in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Kowalski agrees.", "Kowalski"),
        ("ok per KOWALSKI at 2", "KOWALSKI"),
        ("kowalski agrees", "kowalski"),
        ("the resident of Kowalski", "Kowalski"),
        ("ask Tomas", "Tomas"),
    ],
)
def test_later_mentions_of_clinicians_are_found(text: str, expected: str) -> None:
    # "per Kowalski" is the business of another rule.
    assert found(DOCTOR + text) in ([(expected, "DOCTOR")], [])
    assert found(DOCTOR + "and " + expected + " left") == [(expected, "DOCTOR")]


def test_most_mentions_decide_the_label() -> None:
    head = "Dr. Pettigrew, Dr. A. Pettigrew and wife Agnes Pettigrew.\n"
    assert found(head + "Pettigrew came")[-1] == ("Pettigrew", "DOCTOR")


def test_neighbours_become_one() -> None:
    head = "Patient: Xandria Quillfeather\n"
    assert found(head + "so Quillfeather, Xandria came") == [("Quillfeather, Xandria", "PATIENT")]


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (PATIENT, ""),
        (PATIENT, "Pettigrews came"),
        (PATIENT, "apettigrew"),
        (PATIENT, "write to a.pettigrew@example.org"),
        (PATIENT, "write to agnes.p@example.org"),
        (PATIENT, "user agnes_p and agnes2"),
        (PATIENT, "St. Agnes Hospital"),
        (PATIENT, "Agnes Clinic"),
        (PATIENT, "Pettigrew syndrome"),
        (PATIENT, "a Pettigrew sign"),
        (WORDS, "I hope so, it took long"),
        (WORDS, "HOPE TO GO HOME BEFORE LONG"),
        (WORDS, "Long history of pain. Hope is low."),
        (WORDS, "- Long acting insulin"),
        ("Patient: Robert Brown\n", "brown sputum. Brown stool. BROWN"),
        ("Patient: May Pettigrew\n", "in May she may go"),
        ("Patient: Agnes Will\n", "she will go. Will call"),
        ("Patient: Thomas England\n", "born in England"),
        ("Dr. Baker\n", "a Baker cyst"),
        ("Dr. A.\n", "a plan and A positive"),
        ("Dr. de la Fuente\n", "de la"),
        ("no names. ", "Pettigrew slept well"),
    ],
)
def test_near_misses_are_left_alone(head: str, text: str) -> None:
    assert found(head + text) == []
