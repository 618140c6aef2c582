"""Marks in texts: what is read is what was meant, and wrong marks are refused by line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.corpora import Annotation
from scrubline.models.corpora.inline import ESCAPES, mark, parse_marked


def found(source):
    text, spans = parse_marked(source)
    return [(text[one.start : one.end], one.label) for one in spans]


@pytest.mark.parametrize(
    ("source", "text", "spans"),
    [
        ("nothing", "nothing", []),
        ("", "", []),
        ("Dr. ⟦DOCTOR:Ann Lee⟧.", "Dr. Ann Lee.", [("Ann Lee", "DOCTOR")]),
        ("⟦DATE:5/9⟧⟦AGE:3⟧", "5/93", [("5/9", "DATE"), ("3", "AGE")]),
        ("⟦PATIENT:Ann\nLee⟧", "Ann\nLee", [("Ann\nLee", "PATIENT")]),
        ("a⟦FF⟧b⟦NBSP⟧c⟦TAB⟧", "a\fb\N{NO-BREAK SPACE}c\t", []),
        ("⟦LOCATION-OTHER:Elk Pond⟧", "Elk Pond", [("Elk Pond", "LOCATION-OTHER")]),
        ("⟦PATIENT:a:b⟧", "a:b", [("a:b", "PATIENT")]),
    ],
)
def test_marks_are_taken_out(source, text, spans):
    assert parse_marked(source)[0] == text
    assert found(source) == spans


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("fine\n⟦PATIENT:Ann", "line 2: a mark is not closed or is nested"),
        ("⟧", "line 1: a mark is not closed or is nested"),
        ("\n\n⟦PATIENT:⟦DOCTOR:x⟧⟧", "line 3: a mark is not closed or is nested"),
        ("⟦XX⟧", "line 1: unknown escape; known: FF, NBSP, TAB"),
        ("⟦PATIENT: Ann⟧", "line 1: PATIENT: white space at the edge of a mark"),
        ("a\n⟦AGE:5 ⟧", "line 2: AGE: white space at the edge of a mark"),
        ("⟦patient:Ann⟧", "line 1: a mark is not closed or is nested"),
    ],
)
def test_a_wrong_mark_is_refused_by_its_line_and_without_text(source, message):
    with pytest.raises(ValueError) as caught:
        parse_marked(source)
    assert str(caught.value) == message


def test_labels_of_a_policy_may_have_small_letters():
    text, [span] = parse_marked("in ⟦Study_2:HEART⟧", own_labels=True)
    assert (text, span) == ("in HEART", Annotation(3, 8, "Study_2"))


@given(st.text(), st.lists(st.integers(0, 40), max_size=8))
def test_marking_and_parsing_are_inverse(text, cuts):
    text = text.replace("⟦", "").replace("⟧", "")
    edges = sorted({cut for cut in cuts if cut <= len(text)})
    spans = tuple(
        Annotation(a, b, "DATE")
        for a, b in zip(edges[::2], edges[1::2], strict=False)
        if text[a:b] and text[a:b] == text[a:b].strip()
    )
    assert parse_marked(mark(text, spans)) == (text, spans)


def test_what_cannot_be_marked_is_refused():
    with pytest.raises(ValueError, match="a bracket of marks"):
        mark("⟦", ())
    with pytest.raises(ValueError, match="overlap"):
        mark("abc", (Annotation(0, 2, "AGE"), Annotation(1, 3, "DATE")))
    with pytest.raises(ValueError, match="after the text"):
        mark("abc", (Annotation(2, 9, "AGE"),))


def test_escapes_are_single_characters():
    assert all(len(sign) == 1 for sign in ESCAPES.values())
