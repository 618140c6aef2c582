from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scrubline.models.bundles.bundle import open_bundle, write_bundle
from scrubline.models.bundles.layout import model_path
from scrubline.models.core.errors import UsageError
from scrubline.models.crf.model_file import CONSTANT
from scrubline.models.crf.packed import pack, unpack
from scrubline.models.scrubber import Scrubber
from scrubline.models.training import train
from scrubline.models.training.pruning import prune, prune_to_size, shrink

from .notes import CORPUS, LISTS, RECIPE


@pytest.fixture(scope="module")
def bundle():
    return train(RECIPE, CORPUS, dictionaries=LISTS, name="tiny")


def test_a_model_that_fits_stays_as_it_is(bundle):
    pruned = prune_to_size(bundle.models, 10**9)
    assert (pruned.models, pruned.threshold, pruned.kept) == (bundle.models, 0.0, 1.0)


@pytest.mark.parametrize("share", [0.95, 0.8, 0.6])
def test_the_smallest_weights_go_until_it_fits(bundle, share, tmp_path):
    most = int(len(pack(bundle.models["token"])) * share)
    smaller, pruned = shrink(bundle, most)
    assert len(smaller.files[model_path("token")]) <= most
    before, after = bundle.models["token"], smaller.models["token"]
    assert after.on_grid()
    kept = {
        (after.attributes[a], t, w)
        for a, t, w in zip(
            after.state_attributes, after.state_tags, after.state_weights, strict=True
        )
    }
    expected = {
        (before.attributes[a], t, w)
        for a, t, w in zip(
            before.state_attributes, before.state_tags, before.state_weights, strict=True
        )
        if abs(w) >= pruned.threshold or before.attributes[a] == CONSTANT
    }
    assert kept == expected
    assert (after.transition_weights == before.transition_weights).all()
    # The next lower threshold would not fit.
    lower = np.abs(before.state_weights)
    lower = lower[lower < pruned.threshold].max()
    assert len(pack(prune(before, float(lower)))) > most
    assert smaller.card["size"]["least weight kept"] == pruned.threshold
    assert 0 < pruned.kept < 1
    write_bundle(smaller, str(tmp_path / "b"))
    assert open_bundle(f"{tmp_path}/b").hash == smaller.hash
    Scrubber(smaller, recognisers=()).entities(CORPUS[1].text)


def test_nothing_fits_into_nothing(bundle):
    with pytest.raises(UsageError, match="even without features the model has .* bytes"):
        prune_to_size(bundle.models, 100)


def test_a_model_without_state_weights_is_a_model(bundle):
    bare = prune(bundle.models["token"], 1e6)
    assert set(bare.attributes) <= {CONSTANT}
    assert unpack(pack(bare)).tags == bundle.models["token"].tags
    assert dataclasses.replace(bare).on_grid()
