from __future__ import annotations

import dataclasses

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.features import Gazetteer, Nearest, Word, at
from scrubline.models.recipes import RECIPES, Extension, Learner, Recipe, Sampling
from scrubline.models.training import train
from scrubline.models.training.settings import (
    FAST,
    changed,
    grid,
    kinds_of,
    leave_out,
    parse_sampling,
    with_learner,
)

from .notes import CORPUS, LISTS, RECIPE

LBFGS = dataclasses.replace(RECIPE.taggers[0], learner=Learner.of("lbfgs", c2=0.5))
MIXED = Recipe("mixed", (LBFGS, dataclasses.replace(RECIPE.taggers[0], layer="character")))


def parameters(recipe):
    return [dict(tagger.learner.parameters) for tagger in recipe.taggers]


def test_a_grid_has_all_combinations_the_last_axis_fastest():
    settings = grid(RECIPE, [("max_iterations", ("1", "2")), ("sampling", ("all", "window:3"))])
    assert [setting.name for setting in settings] == [
        "max_iterations=1 sampling=all",
        "max_iterations=1 sampling=window:3",
        "max_iterations=2 sampling=all",
        "max_iterations=2 sampling=window:3",
    ]
    assert settings[3].recipe.taggers[0].sampling == Sampling("window", window=3)
    assert parameters(settings[3].recipe) == [{"max_iterations": 2}]
    assert [setting.name for setting in grid(RECIPE, [])] == ["as it is"]
    assert grid(RECIPE, [])[0].recipe == RECIPE


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ([("c1", ())], "expected different values"),
        ([("c1", ("1", ""))], "expected different values"),
        ([("max_iterations", ("1", "1"))], "expected different values"),
        ([("c1", ("1",)), ("c1", ("2",))], "a name repeats"),
        ([("max_iterations", tuple(map(str, range(1001))))], "the limit is 1,000"),
        ([("max_iterations", ("1", "x"))], "max_iterations must be a number"),
        ([("max_iterations", ("inf",))], "finite"),
        ([("c1", ("1",))], "parameter must be one of"),
    ],
)
def test_grids_that_cannot_be_tried(axes, words):
    with pytest.raises(UsageError, match=words):
        grid(RECIPE, axes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("all", Sampling()),
        ("random:0.3", Sampling("random", keep=0.3)),
        ("window:5", Sampling("window", window=5)),
        ("window:0", Sampling("window", window=0)),
    ],
)
def test_samplings(text, expected):
    assert parse_sampling(text) == expected


@pytest.mark.parametrize(
    "text",
    ["", "all:1", "random", "random:", "random:0", "random:1.5", "random:nan", "window:1.5", "k:1"],
)
def test_no_samplings(text):
    with pytest.raises(UsageError, match="sampling"):
        parse_sampling(text)


def test_each_tagger_gets_what_is_meant_for_its_learner():
    assert parameters(with_learner(MIXED, None, {"c1": 1.0})) == [
        {"c1": 1.0, "c2": 0.5},
        {"max_iterations": 6},
    ]
    assert parameters(with_learner(MIXED, None, {"max_iterations": 9.0})) == [
        {"c2": 0.5, "max_iterations": 9},
        {"max_iterations": 9},
    ]
    fast = with_learner(MIXED, FAST.algorithm, dict(FAST.parameters))
    assert [tagger.learner for tagger in fast.taggers] == [FAST, FAST]
    assert with_learner(MIXED, None, {}) == MIXED
    for unknown in ("depth", "c1"):
        with pytest.raises(UsageError, match="parameter must be one of"):
            with_learner(RECIPE, None, {unknown: 1.0})


@pytest.mark.parametrize("name", RECIPES)
def test_every_kind_of_every_recipe_can_be_left_out(name):
    recipe = RECIPES[name]
    for kind in kinds_of(recipe):
        try:
            less = leave_out(recipe, [kind])
        except UsageError as error:
            assert "no features left" in str(error)
            continue
        assert kind not in kinds_of(less)
        assert set(less.lists) <= set(recipe.lists)
        seen = {part for t in less.taggers for f in t.features for part, _ in f.parts}
        lists = {name for part in seen for what, name in part.needs if what == "gazetteer"}
        assert set(less.dictionaries) - {less.trust and less.trust.name} == lists


def test_a_recipe_that_sees_lists_as_landmarks_alone_is_trained():
    recipe = Recipe.single(
        name="landmarks",
        layer="fine",
        sequence="line",
        features=at(Nearest("site", "behind", "far", dictionaries=("sites",)), 0),
        scheme="BIO",
        learner=FAST,
    )
    assert recipe.lists == ("sites",)
    bundle = train(recipe, CORPUS, dictionaries=LISTS, name="landmarks")
    assert bundle.dictionaries.keys() == {"sites"}


def test_lists_that_nobody_sees_any_more_are_not_extended():
    extended = dataclasses.replace(RECIPE, extensions=(Extension("sites", (), ("HOSPITAL",)),))
    assert leave_out(extended, ["gazetteer"]).extensions == ()
    assert changed(extended, [("leave_out", "none")]) == extended
    pairs = Recipe.single(
        name="pairs",
        layer="fine",
        sequence="line",
        features=at(Word(), 0) + at(Gazetteer("sites"), 0),
        scheme="BIO",
        learner=FAST,
    )
    with pytest.raises(UsageError, match="no features left"):
        leave_out(pairs, ["word", "gazetteer"])
    with pytest.raises(UsageError, match=r"has no features of kind magic"):
        leave_out(pairs, ["magic"])
