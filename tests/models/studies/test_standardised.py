"""Standardising across documents, by hand."""

from __future__ import annotations

import pytest
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.studies.standardised import standardised

TEXTS = ("Dr Gil Roe saw Roe.", "Roe left Gil. Gil", "Roe met Ann")
DOCUMENTS = [AnnotatedDocument(str(n), text) for n, text in enumerate(TEXTS)]
FOUND = [
    [Annotation(3, 10, "DOCTOR")],
    [Annotation(0, 3, "PATIENT"), Annotation(14, 17, "CITY")],
    [],
]


def shown(found, documents=DOCUMENTS):
    return [
        [(document.text[s.start : s.end], s.start, s.label) for s in spans]
        for document, spans in zip(documents, found, strict=True)
    ]


def test_within_a_document_others_do_not_matter():
    found = standardised(DOCUMENTS, FOUND, which="all", scope="document")
    assert shown(found) == [
        [("Gil Roe", 3, "DOCTOR")],
        [("Roe", 0, "PATIENT"), ("Gil", 9, "CITY"), ("Gil", 14, "CITY")],
        [],
    ]


def test_across_documents_a_phrase_is_the_same_everywhere():
    found = standardised(DOCUMENTS, FOUND, which="all", scope="corpus")
    # The longest phrase goes first; then "Roe" and "Gil" are found wherever they stand.
    assert shown(found) == [
        [("Gil Roe", 3, "DOCTOR"), ("Roe", 15, "PATIENT")],
        [("Roe", 0, "PATIENT"), ("Gil", 9, "CITY"), ("Gil", 14, "CITY")],
        [("Roe", 0, "PATIENT")],
    ]


def test_no_phrase_reaches_into_the_next_document():
    documents = [AnnotatedDocument(str(n), text) for n, text in enumerate(("a Gil", "Roe b"))]
    wanted = AnnotatedDocument("2", "Gil Roe")
    found = standardised(
        [*documents, wanted], [[], [], [Annotation(0, 7, "DOCTOR")]], which="all", scope="corpus"
    )
    assert shown(found, [*documents, wanted]) == [[], [], [("Gil Roe", 0, "DOCTOR")]]


def test_nothing_is_found_where_nothing_was():
    assert standardised(DOCUMENTS, [[], [], []], which="all", scope="corpus") == [[], [], []]
    with pytest.raises(ValueError, match="scope must be one of"):
        standardised(DOCUMENTS, FOUND, which="all", scope="folder")
