"""The order in which detectors are believed is the recipe's, wherever a bundle is used."""

from __future__ import annotations

import dataclasses

import pytest
from scrubline.models.bundles.bundle import make_bundle, write_bundle
from scrubline.models.core.spans import Candidate
from scrubline.models.corpora import AnnotatedDocument, Annotation, read_annotated, write_annotated
from scrubline.models.features import Word, at
from scrubline.models.recipes import Learner, Recipe, TaggerRecipe
from scrubline.models.redaction.merging import LIU_2015, ORDER, ORDERS
from scrubline.models.redaction.policy import Policy
from scrubline.models.scrubber import Scrubber
from scrubline.models.training import decoding, train
from scrubline.models.training.crossvalidation import cross_validate
from scrubline.models.training.settings import Setting
from scrubline.pipeline.commands.annotate import annotate_corpus

PHONE = "617-555-0143"
TEXT = f"Lot tel {PHONE} Elm lane"
STREET = (0, len(TEXT), "STREET")
"""What the token tagger finds; the rule finds the number in it."""

RECIPE = Recipe(
    "whole",
    (
        TaggerRecipe(
            "fine",
            "line",
            at(Word(), -1, 0, 1),
            "BIO",
            Learner.of("averaged-perceptron", max_iterations=10),
        ),
    ),
)
NOTES = [
    AnnotatedDocument("a", f"{TEXT}\nno fever", (Annotation(*STREET),)),
    AnnotatedDocument("b", f"no fever\n{TEXT}", (Annotation(9, 9 + len(TEXT), "STREET"),)),
]
EXPECTED = {
    "standard": [("crf:whole", TEXT, "STREET")],
    "rules-first": [("phone", PHONE, "PHONE")],
}


@pytest.fixture(scope="module")
def bundles():
    """Order -> the bundle of a recipe that asks for it."""
    first = train(RECIPE, NOTES, dictionaries={}, name="whole")
    other = dataclasses.replace(RECIPE, order="rules-first")
    return {
        "standard": first,
        "rules-first": make_bundle("whole", recipe=other, models=first.models, dictionaries={}),
    }


def rows(text: str, entities: list[Candidate]) -> list[tuple[str, str, str]]:
    return [(c.detector, text[c.start : c.end], c.label) for c in entities]


@pytest.mark.parametrize("order", EXPECTED)
def test_entities_are_chosen_in_the_order_of_the_recipe(bundles, order):
    scrubber = Scrubber(bundles[order], recognisers=["phone"])
    assert scrubber.order == {"standard": ORDER, "rules-first": LIU_2015}[order]
    (candidates,) = scrubber.candidates(TEXT)
    assert {c.detector for c in candidates} == {"crf:whole", "phone"}
    (entities,) = scrubber.entities(TEXT)
    assert rows(TEXT, entities) == EXPECTED[order]


def test_bundles_that_do_not_agree_have_the_standard_order(bundles):
    scrubber = Scrubber(*bundles.values(), recognisers=["phone"])
    assert scrubber.order == ORDER
    assert Scrubber(models=None, recognisers=["phone"]).order == ORDER


@pytest.mark.parametrize(
    ("order", "expected"),
    [("standard", "[STREET]"), ("rules-first", "[PHONE]")],
)
def test_the_steps_of_the_pipeline_merge_in_that_order(bundles, order, expected):
    # All of both goes, whoever is believed; what is left of the loser has no second marker.
    assert Scrubber(bundles[order], recognisers=["phone"]).scrub(TEXT) == expected
    keeps = Policy("site", {"STREET": "keep"})
    kept = Scrubber(bundles[order], recognisers=["phone"], policy=keeps)
    assert kept.scrub(TEXT) == "Lot tel [PHONE] Elm lane"


@pytest.mark.parametrize("order", EXPECTED)
def test_annotate_chooses_in_that_order(bundles, order, tmp_path):
    write_bundle(bundles[order], str(tmp_path / "bundle"))
    write_annotated([AnnotatedDocument("a", TEXT)], tmp_path / "in.jsonl")
    annotate_corpus(
        [str(tmp_path / "in.jsonl")],
        str(tmp_path / "out.jsonl"),
        models=[str(tmp_path / "bundle")],
        recognisers=["phone"],
        native_labels=True,
    )
    (document,) = read_annotated(tmp_path / "out.jsonl")
    assert [(TEXT[s.start : s.end], s.label) for s in document.spans] == [
        row[1:] for row in EXPECTED[order]
    ]


def test_cross_validation_chooses_in_that_order(monkeypatch):
    asked = []

    def noted(candidates, order):
        asked.append(tuple(order))
        return tuple(candidates)

    monkeypatch.setattr(decoding, "select", noted)
    for order in ORDERS:
        recipe = dataclasses.replace(RECIPE, order=order)
        cross_validate([Setting((), recipe)], NOTES, ((0,), (1,)), dictionaries={})
        assert set(asked) == {ORDERS[order]}
        asked.clear()
