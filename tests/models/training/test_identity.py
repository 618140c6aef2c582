from __future__ import annotations

import dataclasses

import pytest
from scrubline.dictionaries import Dictionary
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.training.identity import corpus_hash, feature_key, lists_hash
from scrubline.models.training.settings import changed

from .notes import CORPUS, LISTS, RECIPE


@pytest.mark.parametrize(
    "other",
    [
        CORPUS[1:],
        [*CORPUS[1:], CORPUS[0]],
        [dataclasses.replace(CORPUS[0], text=CORPUS[0].text + " "), *CORPUS[1:]],
        [dataclasses.replace(CORPUS[0], spans=CORPUS[0].spans[1:]), *CORPUS[1:]],
        [*CORPUS, AnnotatedDocument("empty", "")],
        [*CORPUS, AnnotatedDocument("odd", "\ud800", (Annotation(0, 1, "X"),))],
    ],
)
def test_what_teaches_something_else_has_another_hash(other):
    assert corpus_hash(other) != corpus_hash(CORPUS)
    assert corpus_hash(other) == corpus_hash(list(other))


def test_ids_and_meta_teach_nothing():
    renamed = [dataclasses.replace(d, doc_id=f"x{d.doc_id}", meta={}) for d in CORPUS]
    assert corpus_hash(renamed) == corpus_hash(CORPUS)


def test_a_text_is_not_taken_for_spans():
    one = [AnnotatedDocument("a", "xy[]"), AnnotatedDocument("b", "")]
    two = [AnnotatedDocument("a", "xy"), AnnotatedDocument("b", "[]")]
    assert corpus_hash(one) != corpus_hash(two)


def test_learners_and_names_do_not_change_features():
    same = changed(RECIPE, [("max_iterations", "2"), ("sampling", "window:1")])
    assert feature_key(dataclasses.replace(same, name="x", seed=3)) == feature_key(RECIPE)
    assert feature_key(changed(RECIPE, [("leave_out", "word")])) != feature_key(RECIPE)


def test_lists_are_known_by_their_content():
    claimed = {"sites": Dictionary("sites", ("Elsewhere",), LISTS["sites"].sha256), "more": LISTS}
    assert lists_hash(RECIPE, claimed) != lists_hash(RECIPE, LISTS)
    assert list(lists_hash(RECIPE, claimed)) == ["sites"]
