"""What items leave of gold spans."""

from __future__ import annotations

import pytest
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.evaluation import compare
from scrubline.models.features import Gazetteer, at
from scrubline.models.recipes import Learner, TaggerRecipe
from scrubline.models.training.upper_bound import upper_bound


def tagger(layer: str, sequence: str = "document", scheme: str = "BIO", **more) -> TaggerRecipe:
    # A gazetteer that is not there: features do not matter.
    features = at(Gazetteer("nowhere"), 0)
    return TaggerRecipe(layer, sequence, features, scheme, Learner("lbfgs"), **more)


def note(doc_id: str, marked: str) -> AnnotatedDocument:
    """[ and ] stand around spans of DATE."""
    text, spans, begin = "", [], 0
    for character in marked:
        if character == "[":
            begin = len(text)
        elif character == "]":
            spans.append(Annotation(begin, len(text), "DATE"))
        else:
            text += character
    return AnnotatedDocument(doc_id, text, tuple(spans), {"source": "x"})


def marked(document: AnnotatedDocument) -> str:
    edges = [(s.start, 1, "[") for s in document.spans] + [(s.end, 0, "]") for s in document.spans]
    text = document.text
    for place, _, bracket in sorted(edges, reverse=True):
        text = text[:place] + bracket + text[place:]
    return text


@pytest.mark.parametrize(
    ("recipe", "gold", "expected"),
    [
        (tagger("fine"), "since[6/03]/04 x", "since[6/03]/04 x"),
        (tagger("word"), "since[6/03]/04 x", "[since6/03/04] x"),
        (tagger("wi-deid"), "since[6/03]/04 x", "since[6/03]/04 x"),
        (tagger("fine"), "dr[lee] x", "[drlee] x"),
        (tagger("character", "line", "BIOES"), "dr[lee] x", "dr[lee] x"),
        (tagger("fine"), "[a\nb]", "[a\nb]"),
        (tagger("fine", "line"), "[a\nb]", "[a]\n[b]"),
        (tagger("fine", max_sequence=2), "[a b c] d", "[a b] [c] d"),
        (tagger("word"), "[a][b]", "[ab]"),
        (tagger("fine"), "a[ ]b", "a b"),
        (tagger("fine"), "", ""),
    ],
)
def test_spans_come_back_as_items_let_them(recipe, gold, expected) -> None:
    (found,) = upper_bound([note("a", gold)], recipe)
    assert marked(found) == expected
    assert (found.doc_id, found.text, found.meta) == ("a", note("a", gold).text, {})


def test_it_is_scored_as_any_prediction() -> None:
    gold = [note(str(n), f"[{n}] on [6/03/04] by dr[lee]") for n in range(130)]
    strict = compare(gold, upper_bound(gold, tagger("fine")), resamples=0).metrics["strict"].micro
    assert strict.f1 == pytest.approx(2 / 3)
    whole = upper_bound(gold, tagger("character", "line", "BIOES"))
    assert compare(gold, whole, resamples=0).metrics["strict"].micro.f1 == 1
    assert upper_bound([], tagger("fine")) == ()
