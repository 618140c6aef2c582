"""What `benchmarks.active` counts on: marginals, and which notes a way takes."""

import numpy as np
import pytest
from scrubline.dictionaries import load
from scrubline.models.crf.decoding import ReferenceDecoder
from scrubline.models.features.featurizing import featurize
from scrubline.models.features.gazetteer import gazetteer_from_phrases
from scrubline.models.recipes import recipe_in
from scrubline.models.synth import generate, load_templates
from scrubline.models.text.tokenizer import tokenize_documents
from scrubline.models.training import train
from scrubline.models.training.settings import FAST, with_learner

from benchmarks.active import Row, bars, doubts_of, marginals


@pytest.fixture(scope="module")
def bundle():
    recipe = with_learner(recipe_in("hide", "en"), FAST.algorithm, dict(FAST.parameters))
    notes = list(generate(load_templates(), seed=5, notes=12))
    lists = {name: load(name) for name in recipe.lists}
    return train(recipe, notes, dictionaries=lists, name="trial")


TEXTS = ["Seen by Dr. Halvorsen on 3/4/2012.\nHer sister called.", "", "MRN: 1234567", "Well."]


def test_marginals_of_padded_sequences_are_those_of_the_reference(bundle):
    ((key, recipe),) = bundle.recipe.tagger_of.items()
    model, temperature = bundle.models[key], bundle.temperature_of(recipe)
    gazetteers = {
        name: gazetteer_from_phrases(one.phrases, recipe.layer, one.weights)
        for name, one in bundle.dictionaries.items()
    }
    features = featurize(TEXTS, tokenize_documents(TEXTS), recipe, gazetteers)
    decoder = ReferenceDecoder(model)
    _, _, risks = decoder.decode_risks(decoder.ready(features), temperature=temperature)
    likeliest, outside, best = marginals(
        decoder._states(features, {}) / temperature,
        features.sequence_offsets,
        model.transitions() / temperature,
        model.tags.index("O"),
    )
    assert np.allclose(1 - outside, risks, atol=1e-9)
    assert (likeliest >= outside - 1e-12).all()
    assert ((best == 1) == np.isclose(likeliest, outside)).all()
    assert 0 < best.mean() < 1


def test_what_a_model_says_of_a_text_does_not_depend_on_the_others(bundle):
    together = doubts_of(bundle, TEXTS)
    for text, found in zip(TEXTS, together, strict=True):
        (alone,) = doubts_of(bundle, [text])
        assert alone.tokens == found.tokens
        assert (alone.uncertain, alone.risk) == pytest.approx((found.uncertain, found.risk))
    assert together[1].tokens == 0 and together[1].uncertain == 0
    assert all(0 <= one.uncertain <= one.tokens for one in together)


def test_bars_are_told_of_what_there_are_figures_of():
    rows = [Row("random", 1, 50, 900, 0.8, 0.9), Row("sum", 1, 50, 1200, 0.82, 0.9)]
    assert [held for _, held in bars(rows)] == [True]
    rows += [Row("random", 1, 100, 1900, 0.9, 0.94), Row("token", 1, 100, 1950, 0.9, 0.95)]
    assert [held for _, held in bars(rows)] == [True, False]
    assert bars([]) == []
