"""A unit behind a number is no person's initials; what is beside a dose stays found."""

import pytest
from scrubline.models.bundles.doses import without_doses
from scrubline.models.core.spans import Candidate


def kept(text, *phrases):
    """The phrases that are still candidates, each looked for in the text."""
    found = [
        Candidate(text.index(phrase), text.index(phrase) + len(phrase), "DOCTOR", "crf:x", 0.5)
        for phrase in phrases
    ]
    return [text[c.start : c.end] for c in without_doses(found, text)]


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Metoprolol tartrate 25 MG", "MG"),
        ("Heparin 5000 UNT/ML", "ML"),
        ("Heparin 5000 UNT/ML", "UNT"),
        ("Heparin 5,000 UNT/ML", "UNT/ML"),
        ("Potassium chloride 20 MEQ ER Tab", "ER Tab"),
        ("Potassium chloride 20 MEQ ER Tab", "MEQ"),
        ("Aspirin 81 MG EC", "EC"),
        ("Carbidopa 25 MG / Levodopa 100 MG", "MG"),
        ("Fluticasone 50 MCG/ACTUAT Nasal Spray", "ACTUAT"),
        ("Insulin 10-12 UNITS SC", "SC"),
        ("1/2 tablet by mouth", "1/2"),
        ("give 1/2 TAB", "1/2"),
        ("0.5 MG", "MG"),
    ],
)
def test_parts_of_doses_are_no_people(text, phrase):
    assert kept(text, phrase) == []


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Aspirin 81 MG, Mg Stone", "Mg Stone"),
        ("Aspirin 81 mg Dr Stone", "Dr Stone"),
        ("Aspirin 81 mg Stone", "Stone"),
        ("signed 3/12/20 MG", "MG"),
        ("dictated 10:25 MG", "MG"),
        ("MRN 1234567-25 MG", "MG"),
        ("seen by MG", "MG"),
        ("on 1/2 in the clinic", "1/2"),
        ("on 1/2/20 tablets", "1/2/20"),
        ("12 L Street", "12 L Street"),
        ("25 MGH staff", "MGH"),
        ("aged 92 h", "92 h"),
    ],
)
def test_what_may_be_somebody_stays(text, phrase):
    assert kept(text, phrase) == [phrase]
