"""What ends a certificate by itself: another model on notes alike, and other notes by one model."""

import dataclasses
import re

import pytest
from scrubline.models.bundles.bundle import open_bundle, revise_bundle, write_bundle
from scrubline.models.core.errors import GateFailed, RunOnHold
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.run import resume, scrub

from ..measuring import certified_copy, write_notes

MODEL = "meddocan-hide"


@pytest.fixture(scope="module")
def published(waiting_run, tmp_path_factory):
    """Options of a run by a model that was certified, and is published."""
    folder = tmp_path_factory.mktemp("by-model")
    waiting = dataclasses.replace(
        waiting_run, output=str(folder / "waiting"), models=(MODEL,), trusted_keys=None
    )
    with pytest.raises(RunOnHold):
        scrub(Storage(), waiting)
    (folder / "certified").mkdir()
    certified = certified_copy(waiting, folder / "certified")
    assert resume(Storage(), certified)["report"]["risk"]["how"] == "measured"
    return certified


@pytest.fixture
def night(published, tmp_path):
    """Scrubs a night after it; gives how its risk is known, or the reasons that hold it."""

    def run(model=MODEL, **notes):
        source = write_notes(tmp_path / "in", first=5000, count=200, **notes)
        options = dataclasses.replace(
            published, inputs=(str(source),), output=str(tmp_path / "out"), models=(model,)
        )
        try:
            return scrub(Storage(), options)["report"]["risk"]["how"]
        except GateFailed as held:
            assert not (tmp_path / "out/_SUCCESS").exists()
            return re.findall(r"^  (\w+): ", str(held), re.MULTILINE)

    return run


@pytest.fixture
def alike(tmp_path):
    """A model that finds the same, and is another one by a word of its card."""
    place = str(tmp_path / "alike")
    write_bundle(revise_bundle(open_bundle(MODEL), card={"trained_again": "yes"}), place)
    return place


def test_a_night_like_it_by_the_same_model_passes(night):
    assert night() == "carried"


def test_another_model_alone_ends_it(night, alike):
    assert night(alike) == ["OtherModels"]


def test_drift_alone_ends_it(night):
    assert night(more="No pain at all. " * 60) == ["Drift"]


def test_both_are_told(night, alike):
    assert night(alike, more="No pain at all. " * 60) == ["OtherModels", "Drift"]
