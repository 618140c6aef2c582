from __future__ import annotations

import itertools

import pytest
from scrubline.dictionaries import load
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import titled_name
from scrubline.models.recognisers.casing import words
from scrubline.models.recognisers.word_forms import plain


def found(text: str) -> list[tuple[str, str]]:
    return [
        (text[c.start : c.end], c.label) for c in titled_name.recognise(Document(text), Context())
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Seen by Dr. Halvard today.", "Halvard"),
        ("Dr Halvard will see her", "Halvard"),
        ("Dr. J. R. Whitby-Stone called.", "J. R. Whitby-Stone"),
        ("Dr. J.R. Whitby agrees", "J.R. Whitby"),
        ("Dr. Ana Lucía Núñez-Ochoa, cardiology", "Ana Lucía Núñez-Ochoa"),
        ("Dr. O'Rourke's note", "O'Rourke"),
        ("Dr. O’Rourke’s note", "O’Rourke"),
        ("Dr. van der Meulen saw him", "van der Meulen"),
        ("Dr. de la Fuente and team", "de la Fuente"),
        ("Dr. McAllister.", "McAllister"),
        ("Dr. Łukasz Wójcik reviewed", "Łukasz Wójcik"),
        ("dr. halvard in, ok to go", "halvard"),
        ("dr whitlow aware", "whitlow"),
        ("DR HALVARD PAGED AT 0200", "HALVARD"),
        ("DR. LONG NOTIFIED", "LONG"),
        ("saw Dr. May on rounds", "May"),
        ("Dr.\nHalvard to review", "Halvard"),
        ("Dr. Anna\nHalvard to review", "Anna\nHalvard"),
        ("Doctor Halvard explained", "Halvard"),
        ("Professor Adaeze Obi gave a talk", "Adaeze Obi"),
        ("Nurse Pettigrew gave it", "Pettigrew"),
        ("Dr. A. said so", "A."),
        ("Attending: Dr. Pettigrew, Agnes", "Pettigrew, Agnes"),
        ("ATTENDING: DR. PETTIGREW, AGNES OSLER NODES", "PETTIGREW, AGNES"),
        ("sign\nDr. Long, Forrest Murphy sign", "Long, Forrest"),
        ("Dr. Long, Agnes reports pain", "Long"),
        ("seen by Dr. Pettigrew, Agnes", "Pettigrew"),
        ("Surgeon: Dr. Pettigrew, Orthopedics", "Pettigrew"),
        ("John Halvard Jr., MD", "John Halvard Jr."),
        ("Dr. William Teague III.", "William Teague III"),
        ("Agnes Pettigrew, MD", "Agnes Pettigrew"),
        ("Agnes Pettigrew, M.D., Ph.D.", "Agnes Pettigrew"),
        ("Agnes Pettigrew RN, BSN", "Agnes Pettigrew"),
        ("A. Pettigrew, PA-C", "A. Pettigrew"),
        ("A Pettigrew LPN", "A Pettigrew"),
        ("PETTIGREW, AGNES MD", "PETTIGREW, AGNES"),
        ("signed a. pettigrew rn", "a. pettigrew"),
        ("Tomas Halvard, PT, DPT", "Tomas Halvard"),
        ("Tomas Halvard, DO", "Tomas Halvard"),
        ("Tomas Grisham DO", "Tomas Grisham"),
        ("Ref: Long, Agnes MD", "Long, Agnes"),
        ("seen with José Peña, MD (pager 12)", "José Peña"),
        ("🙂 Dr. Halvard 🙂", "Halvard"),
    ],
)
def test_clinicians_are_found(text: str, expected: str) -> None:
    assert found(text) == [(expected, "DOCTOR")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. Halvard is 54.", "Halvard"),
        ("Mrs Pettigrew was seen", "Pettigrew"),
        ("Ms. Agnes Pettigrew returns", "Agnes Pettigrew"),
        ("Miss Pettigrew's rash", "Pettigrew"),
        ("Mx. Halvard uses a cane", "Halvard"),
        ("MR. HALVARD IS HERE", "HALVARD"),
        ("Mr. and Mrs. Halvard", "Halvard"),
        ("mr. halvard slept well", "halvard"),
        ("hello , mrs . halvard , how are you", "halvard"),
        ("Mr. W. was admitted", "W."),
        ("Rev. Josiah Pettigrew visits", "Josiah Pettigrew"),
        ("Mr. Brown has a cough", "Brown"),
        ("Ms. Young, 34", "Young"),
    ],
)
def test_others_are_patients(text: str, expected: str) -> None:
    assert found(text) == [(expected, "PATIENT")]


def test_lists_of_doctors_are_found_one_by_one() -> None:
    text = "Drs. Halvard, Pettigrew and Whitby agree; Prof. Dr. Teague does not"
    assert [name for name, _ in found(text)] == ["Halvard", "Pettigrew", "Whitby", "Teague"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Dr.",
        "Mr. ",
        "Dr. will see him",
        "dr aware of the result",
        "DR NOTIFIED",
        "lives at 14 Elm Dr Springfield",
        "14 Old Mill Dr. Apt 3",
        "severe MR and mild TR",
        "MS since 2010",
        "MS Contin 15 mg",
        "latency 120 ms on the right",
        "spoke with the MD on call",
        "charge RN aware",
        "TO OR WITH RN",
        "PT and OT to see",
        "Take 2 tabs, DO NOT CRUSH",
        "Lactated Ringer, PT 12.1",
        "Chest PA and lateral",
        "a nurse practitioner came",
        "her sister has asthma",
        "miss two doses",
        "the judge and the officer",
        "Mr",
        "Ms.\n\nPLAN",
        "normal MRI, MD aware",
    ],
)
def test_near_misses_are_left_alone(text: str) -> None:
    assert found(text) == []


def test_all_credentials_begin_with_known_letters() -> None:
    listed = {plain(phrase) for phrase in load("credentials_en").phrases}
    credentials = {
        *listed,
        *(word.replace(".", "") for word in listed),
        *(word.replace(".", ". ") for word in listed),
        *map("".join, itertools.product("abcdefghijklmnopqrstuvwxyz", repeat=3)),
        *("pgy-3", "pgy2", "ms3", "lcsw", "licsw", "lmcsw", "otr/l", "emt-b", "fnp-bc", "ccc-slp"),
    }
    known = [
        word for word in credentials if titled_name._CREDENTIAL.fullmatch(word.encode("latin-1"))
    ]
    assert len(known) > 60
    for credential in known:
        assert titled_name._begins_credential(words(credential.upper()).texts[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("under Mr Worrell.", [("Worrell", "DOCTOR")]),
        ("Surg on call Mr Whitlam direct", [("Whitlam", "DOCTOR")]),
        ("HV Mrs Tugwell, Beacon", [("Tugwell", "DOCTOR")]),
        ("seen by Mr Rafiq", [("Rafiq", "DOCTOR")]),
        ("Therapy with Miss Keisha Oxley continues", [("Keisha Oxley", "DOCTOR")]),
        ("brought by Mr Rafiq", [("Rafiq", "PATIENT")]),
        ("block at 168 ms. CTI line", []),
        ("0.8 ms. Combined index", []),
        ("Moderate ischemic MR. Pisa and jet", []),
        ("Ms. Combs came", [("Combs", "PATIENT")]),
    ],
)
def test_titles_of_staff_abroad(text, expected):
    assert found(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr Zhu ECG visit", [("Zhu", "DOCTOR")]),
        ("Mental health nurse Campbell J. MMSE 24", [("Campbell J.", "DOCTOR")]),
        ("Dr LEE KIM", [("LEE KIM", "DOCTOR")]),
    ],
)
def test_abbreviations_behind_names(text, expected):
    assert found(text) == expected
