"""The list of errors names each once, by kind, with what stands around it."""

from scrubline.models.corpora import AnnotatedDocument
from scrubline.models.corpora.inline import parse_marked
from scrubline.models.evaluation.comparison import align
from scrubline.models.evaluation.error_list import error_page, list_errors
from scrubline.models.text.tokenizer import tokenize_documents


def document(name, marked):
    return AnnotatedDocument(name, *parse_marked(marked))


def listed(*pairs):
    gold = [document(f"n{9 - i}", pair[0]) for i, pair in enumerate(pairs)]
    predicted = [document(f"n{9 - i}", pair[1]) for i, pair in enumerate(pairs)]
    return list_errors(align(gold, predicted, tokenize_documents))


def test_each_kind_of_error_is_listed_once():
    errors = listed(
        (
            "Dr. ⟦DOCTOR:Ann Lee⟧, ⟦DATE:5/9⟧, BP 5/5, ⟦CITY:Elk⟧",
            "Dr. ⟦DOCTOR:Ann⟧ Lee, ⟦AGE:5/9⟧, BP ⟦DATE:5/5⟧, ⟦CITY:Elk⟧",
        ),
        ("⟦AGE:3⟧\nold", "3\nold"),
    )
    assert [(one.kind, one.label, one.ordinal, one.found) for one in errors] == [
        ("missed", "AGE", 1, ()),
        ("missed", "DOCTOR", 0, ("DOCTOR",)),
        ("false alarm", "DATE", 0, ()),
        ("label or ends", "DATE", 0, ("AGE",)),
    ]
    assert errors[0].shown == ">>3<< old"
    assert errors[1].shown == "Dr. >>Ann Lee<<, 5/9, BP 5/5, Elk"


def test_blanks_alone_are_no_miss():
    assert [one.kind for one in listed(("⟦DOCTOR:Ann Lee⟧", "⟦DOCTOR:Ann⟧ ⟦DOCTOR:Lee⟧"))] == [
        "label or ends"
    ]


def test_no_errors():
    assert listed(("⟦AGE:3⟧", "⟦AGE:3⟧")) == []
    assert error_page([]).startswith("0 errors\nmissed: 0\n")


def test_the_page_counts_first():
    page = error_page(listed(("⟦AGE:3⟧ ⟦AGE:4⟧ ⟦CITY:Elk⟧", "3 4 Elk")))
    assert page.splitlines()[:2] == ["3 errors", "missed: 3 (AGE 2, CITY 1)"]
    assert "missed: AGE" in page
    assert page.count(">>") == 3
