"""A small frozen job with a bundle, for the transforms."""

import json

import numpy as np
import pytest
from scrubline.models.bundles.bundle import make_bundle, write_bundle
from scrubline.models.crf.model_file import CrfModel
from scrubline.models.features import Word, at
from scrubline.models.formats.column_roles import Columns
from scrubline.models.recipes import Learner, Recipe
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.options import Options
from scrubline.pipeline.run import plan_and_freeze

TEXTS = (
    "Seen by Doctor ann on 1/2/2019.",
    "Second note of ann. MRN: 7000001.",
    None,
    "No complaints.",
    "Fifth, ann again.",
)


@pytest.fixture(scope="session")
def bundle(tmp_path_factory):
    """A CRF that knows one word: `ann` is a DOCTOR."""
    recipe = Recipe.single(
        name="tiny",
        layer="fine",
        sequence="line",
        features=tuple(at(Word(), 0)),
        scheme="BIO",
        learner=Learner.of("averaged-perceptron", max_iterations=3),
    )
    tags = ("O", "B-DOCTOR")
    model = CrfModel(
        tags,
        ("w[0]=ann",),
        np.array([0]),
        np.array([1]),
        np.array([4.0]),
        np.array([], np.int64),
        np.array([], np.int64),
        np.array([]),
    )
    url = str(tmp_path_factory.mktemp("bundles") / "tiny")
    write_bundle(make_bundle("tiny", recipe=recipe, models={"token": model}, dictionaries={}), url)
    return url


@pytest.fixture
def job(bundle, tmp_path):
    """A frozen job of two units, two documents a batch."""
    (tmp_path / "in").mkdir()
    for name in ("a", "b"):
        lines = [
            json.dumps({"id": f"{name}{index}", "text": text}) for index, text in enumerate(TEXTS)
        ]
        (tmp_path / f"in/{name}.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "key.txt").write_text("scrubline-key-v1:" + "QUJD" * 10 + "QUI=\n")
    options = Options(
        inputs=(str(tmp_path / "in"),),
        output=str(tmp_path / "out"),
        models=(bundle,),
        columns=Columns.parse([("id", "id"), ("text", "text")]),
        key_source=str(tmp_path / "key.txt"),
        batch_documents=2,
        split_bytes=(tmp_path / "in/a.jsonl").stat().st_size,
    )
    job, plan = plan_and_freeze(Storage(), options)
    assert len(plan.units) == 2
    return job
