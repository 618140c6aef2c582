"""Which words of a document count, what is said of them, and what is carried over to them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.record_links import LEFT, Facts
from scrubline.models.core.spans import Candidate
from scrubline.models.records.carrying import CARRIED, DETECTOR, RecordLinks
from scrubline.models.records.hashes import RecordHash
from scrubline.models.records.words import word_classes, words_of
from scrubline.models.text.tokenizer import tokenize_documents

KEY = bytes(range(32))
PATIENT = "0123456789abcdef0123456789abcdef"
OTHER = "fedcba9876543210fedcba9876543210"
PATIENT_CODE = 1 + CARRIED.index("PATIENT")


def read(text, *spans):
    tokens = tokenize_documents([text])
    candidates = [
        Candidate(text.index(covered), text.index(covered) + len(covered), label, "date", 1.0)
        for covered, label in spans
    ]
    return words_of(text, tokens.starts, tokens.ends, candidates, CARRIED, word_classes())


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Zelda QUIMBY-Núñez was seen", ["zelda", "quimby", "nunez"]),
        ("quimby quimby", ["quimby", "quimby"]),
        (
            "Brown stool, brown stool, LONG and May",
            ["brown", "long", "may"],
        ),  # people are so called
        ("Chest clear. Denies pain", []),  # nobody is
        ("MRN 0012345, room 123, in 2019", ["0012345", "2019"]),
        ("Dr Mrs Prof", []),
        ("Al Xu", []),
        ("x" * 41 + " " + "7" * 41, []),
        ("a1b2 ZQ7 \x00 \ud800 \U0001f600", []),
        ("", []),
    ],
)
def test_words_that_are_left(text, left):
    found = read(text)
    assert [word.form for word in found.left] == left
    assert not found.found


def test_listed_words_are_told_from_others():
    assert [word.is_listed for word in read("Quimby Brown 12345").left] == [False, True, False]


@pytest.mark.parametrize(
    ("text", "span", "label", "found"),
    [
        ("Zelda Quimby", "Zelda Quimby", "PATIENT", {("zelda", "PATIENT"), ("quimby", "PATIENT")}),
        ("Dr. Brown", "Dr. Brown", "DOCTOR", {("brown", "DOCTOR")}),
        (
            *("Zelda MaryBethany", "Zelda MaryBethany", "PATIENT"),
            {(form, "PATIENT") for form in ("zelda", "mary", "bethany", "marybethany")},
        ),
        ("Mu\u0308llerine", "Mu\u0308llerine", "PATIENT", {("mullerine", "PATIENT")}),
        ("seen by brown", "brown", "DOCTOR", set()),  # a listed word in small letters
        ("MRN 12-34567", "12-34567", "MEDICALRECORD", {("34567", "MEDICALRECORD")}),
        ("Quimby 12345", "Quimby 12345", "IDNUM", {("12345", "IDNUM")}),
        ("Quimby 12345", "Quimby 12345", "PATIENT", {("quimby", "PATIENT")}),
        ("Springfield 12345", "Springfield 12345", "HOSPITAL", set()),  # not carried over
    ],
)
def test_words_that_are_found(text, span, label, found):
    said = read(text, (span, label))
    assert said.found == found
    assert not said.left


def test_keys_are_of_one_patient_and_sort_by_patient():
    hashes = RecordHash(KEY)
    keys = [hashes.key(patient, form) for patient in (PATIENT, OTHER) for form in ("a", "b")]
    assert len(set(keys)) == 4
    assert keys[0] >> 40 == keys[1] >> 40 == int(PATIENT[:6], 16)
    assert max(keys[:2]) < min(keys[2:])
    assert RecordHash(bytes(32)).key(PATIENT, "a") != keys[0]
    assert all(0 <= key < 1 << 64 for key in keys)
    with pytest.raises(TypeError):
        hashes.__reduce__()
    assert repr(hashes) == "RecordHash()"


@given(st.text(max_size=40))
def test_any_form_has_a_key(form):
    assert 0 <= RecordHash(KEY).key(PATIENT, form) < 1 << 64


def carried(text, forms, *spans, documents=1, code=PATIENT_CODE, patient=PATIENT):
    links, hashes = RecordLinks(KEY), RecordHash(KEY)
    keys = np.array(sorted(hashes.key(PATIENT, form) for form in forms), np.uint64)
    facts = Facts(keys, np.full(len(keys), code, np.uint8), np.full(len(keys), documents, np.uint8))
    tokens = tokenize_documents([text])
    candidates = [
        Candidate(text.index(c), text.index(c) + len(c), label, "date", 1.0) for c, label in spans
    ]
    document = links.read(text, tokens.starts, tokens.ends, candidates)
    found = links.carried(patient, document, facts)
    assert all((c.detector, c.label) == (DETECTOR, CARRIED[code - 1]) for c in found)
    return [text[c.start : c.end] for c in found]


@pytest.mark.parametrize(
    ("text", "forms", "more", "found"),
    [
        ("quimby, QUIMBY and Quimbys", ["quimby"], {}, ["quimby", "QUIMBY"]),
        ("quimby", ["vorpal"], {}, []),
        ("quimby", [], {}, []),
        ("quimby", ["quimby"], {"patient": OTHER}, []),
        ("Brown said", ["brown"], {"documents": 2}, []),
        ("Brown said; brown stool", ["brown"], {"documents": 3}, ["Brown"]),
        ("Quimby disease, Quimby's sign, quimby", ["quimby"], {}, ["quimby"]),
        ("no. 12345", ["12345"], {"code": 1 + CARRIED.index("IDNUM")}, ["12345"]),
    ],
)
def test_what_is_carried_over(text, forms, more, found):
    assert carried(text, forms, **more) == found


def test_a_word_on_which_something_was_found_is_left_alone():
    assert carried("Zelda Quimby quimby", ["quimby"], ("Zelda Quimby", "PATIENT")) == ["quimby"]


def test_words_of_labels_that_the_policy_keeps_are_left():
    text = "Dr. Vorpal"
    tokens = tokenize_documents([text])
    candidate = Candidate(4, 10, "DOCTOR", "date", 1.0)
    for kept, code in (((), 1 + CARRIED.index("DOCTOR")), (("DOCTOR",), LEFT)):
        links = RecordLinks(KEY, kept)
        document = links.read(text, tokens.starts, tokens.ends, [candidate])
        assert [one for _, one in links.rows(PATIENT, [document])] == [code]
