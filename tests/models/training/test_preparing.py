"""Folds of what was prepared once, and the dictionaries that a recipe makes from its corpus."""

from __future__ import annotations

import dataclasses

import pytest
from scrubline.dictionaries import Dictionary
from scrubline.models.bundles.bundle import open_bundle, write_bundle
from scrubline.models.core.errors import UsageError
from scrubline.models.core.feature_rows import Features
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.features import Gazetteer, Prefix, Word, at
from scrubline.models.recipes import Extension, Learner, Recipe
from scrubline.models.training import train
from scrubline.models.training.preparing import fit, make_dictionaries, prepare

PLACES = Dictionary("places", ("New York", "Oakton"), "0" * 64)
RECIPE = Recipe.single(
    name="tiny",
    layer="fine",
    sequence="line",
    features=(*at(Word(), -1, 0), *at(Prefix(2), 0), *at(Gazetteer("city"), 0)),
    scheme="BIO",
    learner=Learner.of("averaged-perceptron", max_iterations=5),
)
RECIPE = dataclasses.replace(
    RECIPE, extensions=(Extension("city", ("places",), ("CITY", "STATE")),)
)


def note(doc_id: str, text: str, **spans: str) -> AnnotatedDocument:
    found = tuple(
        Annotation(text.index(word), text.index(word) + len(word), label)
        for label, word in spans.items()
    )
    return AnnotatedDocument(doc_id, text, found)


NOTES = [
    note("a", "Born in San José, lives in Ohio.\nNo fever.", CITY="San José", STATE="Ohio"),
    note("b", "", **{}),
    note("c", "Seen by Ann in Oakton on Monday", DOCTOR="Ann", CITY="Oakton"),
    note("d", "No fever, no cough.\n\nHome."),
]


def rows(features: Features, document: int) -> list[list[list[str]]]:
    """The attribute strings of each item of each sequence of a document."""
    first, last = features.document_offsets[document : document + 2]
    return [
        [
            [
                features.attributes[i]
                for i in features.attribute_ids[
                    features.item_offsets[item] : features.item_offsets[item + 1]
                ]
            ]
            for item in range(
                features.sequence_offsets[sequence], features.sequence_offsets[sequence + 1]
            )
        ]
        for sequence in range(first, last)
    ]


@pytest.mark.parametrize("chosen", [[], [0], [2, 0], [1], [3, 1, 2], [0, 1, 2, 3]])
def test_a_fold_is_what_its_documents_give_alone(chosen):
    lists = make_dictionaries(RECIPE, NOTES, {"places": PLACES})
    (every,) = prepare(RECIPE, NOTES, lists)
    fold = every.of_documents(chosen)
    (alone,) = prepare(RECIPE, [NOTES[i] for i in chosen], lists)
    assert list(fold.tags) == list(alone.tags)
    assert set(fold.features.attributes) == set(alone.features.attributes)
    assert fold.features.starts.tolist() == alone.features.starts.tolist()
    for place in range(len(chosen)):
        assert rows(fold.features, place) == rows(alone.features, place)
    if len(chosen) > 1:
        assert fit(fold).on_grid()


def test_dictionaries_are_extended_from_the_documents_given_alone():
    made = make_dictionaries(RECIPE, NOTES, {"places": PLACES})
    assert made["city"].phrases == ("josé", "new", "oakton", "ohio", "san", "york")
    assert make_dictionaries(RECIPE, NOTES[2:], {"places": PLACES})["city"].phrases == (
        ("new", "oakton", "york")
    )
    assert len(made["city"].sha256) == 64


def test_labels_of_the_corpus_are_mapped_before_they_extend():
    notes = [note("a", "Born in Xalapa near Ohio", TOWN="Xalapa", STATE="Ohio")]
    made = make_dictionaries(RECIPE, notes, {"places": PLACES}, {"TOWN": "CITY", "STATE": None})
    assert "xalapa" in made["city"].phrases and "ohio" not in made["city"].phrases


def test_what_no_list_can_hold_extends_nothing():
    text = "Born in a\x00b c\ud800 " + "z" * 300
    spans = (Annotation(8, len(text), "CITY"),)
    made = make_dictionaries(RECIPE, [AnnotatedDocument("a", text, spans)], {"places": PLACES})
    assert all(p.isprintable() and len(p) <= 200 for p in made["city"].phrases)
    assert {"b", "c", "oakton"} & set(made["city"].phrases)


def test_missing_lists_are_named():
    with pytest.raises(UsageError, match="recipe tiny needs the dictionaries.*places"):
        make_dictionaries(RECIPE, NOTES, {})


def test_the_bundle_holds_what_training_made(tmp_path):
    bundle = train(RECIPE, NOTES, dictionaries={"places": PLACES}, name="tiny-1")
    write_bundle(bundle, str(tmp_path / "b"))
    opened = open_bundle(f"{tmp_path}/b")
    assert opened.dictionaries.keys() == {"city"}
    assert "ohio" in opened.dictionaries["city"].phrases
    assert opened.recipe == RECIPE


def test_a_gazetteer_of_labels_that_do_not_occur_is_kept_empty(tmp_path):
    lone = dataclasses.replace(RECIPE, extensions=(Extension("city", (), ("STREET",)),))
    bundle = train(lone, NOTES, dictionaries={}, name="lone")
    assert bundle.dictionaries["city"].phrases == ()
    write_bundle(bundle, str(tmp_path / "b"))
    opened = open_bundle(str(tmp_path / "b"))
    assert opened.hash == bundle.hash
    assert opened.dictionaries["city"] == bundle.dictionaries["city"]
