"""What a tagger may say of a text of one or two words."""

from __future__ import annotations

import pytest
from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.bundles.detector import join
from scrubline.models.bundles.tiny_texts import is_tiny, language_of, plausible
from scrubline.models.core.spans import Candidate
from scrubline.models.corpora import AnnotatedDocument
from scrubline.models.scrubber import Scrubber

STAY = {
    "en": (
        *("na", "N/A", "n/a.", "nil", "Nil", "none", "b", "X", "Y", "ok", "yes", "unk", "nka"),
        *("BP", "bp", "PO", "po", "IV", "iv", "PE", "TBC", "tbc", "sc", "im", "od", "Os", "HR"),
        *("ECG", "MRI", "UTI", "COPD", "NKDA", "DVT", "LRTI", "TVP", "cough", "Fever", "Asthma"),
        *("Diabetes", "Warfarin", "Stable", "Reviewed", "DISCHARGED", "Home", "as above"),
        *("bp ok", "sc im", "PO, IV", " na\n", "4/5", "10/10", "2/52", "120/80", "12", "2012"),
        *("x2", "T4", "500mg", "10 ml", "98%", "7.4", "1-0-1", "3+", "B12", "FiO2", "HbA1c"),
    ),
    "es": (
        *("na", "no", "sí", "Sí", "Asma", "ASMA", "ECG", "12", "X", "DM", "HTA", "UCI", "TAC"),
        *("EPOC", "tos", "Fiebre", "Dolor", "Normal", "ALTA", "estable", "4/5", "3/7", "1-0-1"),
        *("VHB", "vo", "im iv", "120/80", "sin dolor", "dermatología", "37,5", "98%"),
    ),
}
GO = {
    "en": (
        *("Fenwick", "fenwick", "FENWICK", "Orla Fenwick", "O Fenwick", "Okonkwo", "Adaeze"),
        *("Siobhán", "Nguyen", "Dr Patel", "Kaur", "Tane", "Jo Ng", "Li Na", "Fenwick's"),
        *("Mary-Ann", "O'Brien", "Rose", "grace", "Zsigmondyova", "Xiomarela", "李娜", "مريم"),
        *("07700900812", "12345678Z", "SG17 5XY", "3/2/61", "Peckham", "ZAC5361", "555-0142"),
        *("K0432178", "4321987", "jsmith22", "a@b.org", "1961-02-03", "\ue863\ue864"),
    ),
    "es": (
        *("García", "María", "Iturrioz", "iturrioz", "Rosa", "Dolores", "Xiomara", "Ortega"),
        *("12345678Z", "X1234567L", "28009", "3/2/61", "Pérez Gómez", "Goikoetxea"),
    ),
}


def cases(table: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(language, text) for language, texts in table.items() for text in texts]


def guess(text: str) -> Candidate:
    return Candidate(0, len(text), "DOCTOR", "crf:x", 0.5)


@pytest.mark.parametrize(("language", "text"), cases(STAY), ids=str)
def test_what_is_no_name_and_no_number_of_somebody_stays(language, text):
    assert is_tiny(text)
    assert plausible([guess(text)], text, language) == []


@pytest.mark.parametrize(("language", "text"), cases(GO), ids=str)
def test_what_may_be_one_goes(language, text):
    assert plausible([guess(text)], text, language) == [guess(text)]


def test_the_tables_are_long_enough():
    assert len(cases(STAY)) >= 90
    assert len(cases(GO)) >= 45


@pytest.mark.parametrize(
    ("text", "tiny"),
    [
        ("", True),
        ("?", True),
        ("na na", True),
        ("O'Brien-Lee, Mary/Ann", True),
        ("na na na", False),
        ("<p>na</p>", False),
        ("na,na,na", False),
        (" " * 200 + "na", True),
        ("a" * 81, False),
    ],
)
def test_a_tiny_text_has_two_words(text, tiny):
    assert is_tiny(text) is tiny


def test_longer_texts_are_left_to_the_tagger():
    text = "BP po IV"
    for recipe in (open_bundle("en-default").recipe, open_bundle("es-default").recipe):
        assert join([[guess(text)]], recipe, text) == [guess(text)]
        assert join([[guess("BP")]], recipe, "BP") == []


def test_only_the_place_of_the_tagger_counts():
    text = "BP Fenwick"
    first, last = Candidate(0, 2, "DATE", "crf:x", 0.5), Candidate(3, 10, "DATE", "crf:x", 0.5)
    assert plausible([first, last], text, "en") == [last]


@pytest.mark.parametrize(
    ("bundle", "language"),
    [("en-default", "en"), ("es-default", "es"), ("meddocan-default", "es")],
)
def test_the_dictionaries_tell_the_language(bundle, language):
    assert language_of(open_bundle(bundle).recipe) == language


@pytest.mark.slow
@pytest.mark.parametrize(("bundle", "language"), [("en-default", "en"), ("es-default", "es")])
def test_alone_together_and_as_annotation_alike(bundle, language):
    scrubber = Scrubber(bundle)
    texts = [*STAY[language], *GO[language]]
    together = scrubber.entities(*texts)
    assert [scrubber.entities(text)[0] for text in texts] == together
    documents = [AnnotatedDocument(str(i), text, ()) for i, text in enumerate(texts)]
    annotated = [
        [(span.start, span.end) for span in document.spans]
        for document in scrubber.annotate(documents)
    ]
    assert annotated == [[(c.start, c.end) for c in own] for own in together]
    taggers_alone = Scrubber(bundle, recognisers=()).entities(*STAY[language])
    assert [t for t, own in zip(STAY[language], taggers_alone, strict=True) if own] == []
    for text in STAY[language]:
        assert scrubber.scrub(text) == text


@pytest.mark.slow
def test_rules_keep_what_they_find():
    scrubber = Scrubber("en-default")
    assert scrubber.scrub("Monday") == "[DATE]"
    assert scrubber.scrub("Dr Ng") == "Dr [DOCTOR]"
