"""Training and scrubbing again: what children are asked for, and what is told of them."""

import dataclasses
import json
import os

import pytest
from scrubline.models.corpora import read_annotated
from scrubline.models.review.marks import ReaderMarks, ReadText
from scrubline.pipeline.review import rescrubbing, training
from scrubline.pipeline.review.children import ChildFailed
from scrubline.pipeline.review.refusals import DeskRefusal
from scrubline.pipeline.review.rescrubbing import Rescrubbing, options_of_run
from scrubline.pipeline.review.training import Training

from ...waiting import GUARD_SECONDS
from .test_people import address, of_twice, read


class Children:
    """Stands for the processes; keeps what they were asked for and given."""

    def __init__(self, fails=False):
        self.asked, self.corpora, self.fails = [], {}, fails

    def __call__(self, words, *, accepted=(0,), folder):
        self.asked.append(list(words))
        for name in ("add", "score"):
            path = f"{folder}/{name}.jsonl"
            if os.path.exists(path):
                assert os.stat(path).st_mode & 0o777 == 0o600
                self.corpora[name] = list(read_annotated(path))
        if self.fails:
            raise ChildFailed("it ended with exit code 1: see docs/operations.md")
        scores = {"documents": 2, "f1": 0.9, "recall": 0.95, "low": 0.8, "high": 0.97}
        return json.dumps(scores).encode()


@pytest.fixture
def trained(reader, monkeypatch):
    def make(**more):
        ana = reader()
        children = Children(**more)
        monkeypatch.setattr(training, "run_child", children)
        # The output of these tests was made by rules alone.
        object.__setattr__(ana.output.job, "models", ("en-default",))
        ana.panel.training = Training(ana.desk)
        return ana, children

    return make


def wait(ana):
    ana.panel.training.wait(GUARD_SECONDS)
    return ana.call("GET", "/api/train")


def test_training_takes_what_was_read_and_leaves_no_text_behind(trained):
    ana, children = trained()
    assert ana.call("GET", "/api/train") == {
        "state": "none",
        "lines": [],
        "bundle": None,
        "error": None,
        "cost": {"generated": 16_432, "minutes": 76, "gigabytes": 17},
    }
    assert ana.call("POST", "/api/train", {}, 409)["error"] == "NothingRead"
    texts = of_twice(ana, twice=False)[:3]
    for text in texts:
        read(ana, text)
    assert ana.call("POST", "/api/train", {}, 202) == {"started": True}
    found = wait(ana)
    assert found["state"] == "done"
    assert found["lines"] == ["training on 3 notes read to the end", "trained"]
    (words,) = children.asked
    assert words[:4] == ["scrubline", "train", "--from-bundle", "en-default"]
    assert words[-1] == found["bundle"]
    documents = children.corpora["add"]
    assert {f"{one.doc_id}?field=text" for one in documents} == set(texts)
    names = [name for _, _, files in os.walk(ana.folder.file("bundles")) for name in files]
    assert names == []
    curve = ana.call("GET", "/api/curve")
    (point,) = curve["points"]
    assert (point["notes"], point["minutes"], point["model"]) == (3, 0.2, "en-default-review-1")
    assert (point["f1"], curve["scored_on"], curve["seconds_a_note"]) == (None, None, 5)


@pytest.mark.parametrize(
    ("card", "expected"),
    [
        ({"synth": {"seed": 1, "notes": 8216}}, (8216, 38, 11)),
        ({"synth": {"seed": 1}}, (0, 0, 0)),
        ({"synth": "many"}, (0, 0, 0)),
        ({}, (0, 0, 0)),
    ],
)
def test_what_a_training_takes_is_told_by_the_card(card, expected):
    assert dataclasses.astuple(training.cost_of(card)) == expected


def test_a_bundle_that_is_gone_tells_no_cost(trained):
    ana, _ = trained()
    object.__setattr__(ana.output.job, "models", ("/none/there",))
    assert ana.call("GET", "/api/train")["cost"] is None


def test_enough_patients_or_a_campaign_give_a_score(trained, campaign):
    drawn = campaign(planted=0)
    ana, children = trained()
    read(ana, of_twice(ana, twice=False)[0])
    folder = ana.folder.campaigns()[0]
    marks = ReaderMarks(folder.file("marks-ben.jsonl"), "ben")
    for one in drawn.texts:
        marks.add((one.doc_key, one.field), ReadText("h"), 0, (), "done", 9)
    ana.call("POST", "/api/train", {}, 202)
    found = wait(ana)
    assert found["lines"][-1] == "scored on 2 notes (measure)"
    assert children.asked[1][0].endswith("review.training")
    drawn_keys = {one.doc_key for one in drawn.texts}
    assert {one.doc_id for one in children.corpora["score"]} == drawn_keys
    assert not drawn_keys & {one.doc_id for one in children.corpora["add"]}
    curve = ana.call("GET", "/api/curve")
    assert curve["scored_on"] == "measure"
    assert curve["points"][0]["low"] == 0.8
    # Scored on is not trained on: the campaign still certifies.
    assert not drawn_keys & ana.folder.exported()


def test_a_child_that_fails_tells_its_code_alone(trained):
    ana, _ = trained(fails=True)
    read(ana, of_twice(ana, twice=False)[0])
    ana.call("POST", "/api/train", {}, 202)
    found = wait(ana)
    assert found["state"] == "failed"
    assert found["error"] == "it ended with exit code 1: see docs/operations.md"
    assert ana.call("GET", "/api/curve")["points"] == []


def test_scrubbing_again_needs_a_bundle(trained, output, key_file):
    ana, _ = trained()
    ana.panel.rescrubbing = Rescrubbing(ana.desk, ana.panel.training, output, key_file)
    assert ana.call("POST", "/api/rescrub", {}, 409)["error"] == "NoBundle"
    assert ana.call("GET", "/api/rescrub")["state"] == "none"


def test_the_run_once_more_is_found_from_the_folder_of_the_review(
    trained, output, key_file, monkeypatch
):
    ana, _ = trained()
    asked = []

    def run_child(words, *, accepted, folder):
        asked.append(words)
        raise ChildFailed("it ended with exit code 1")

    monkeypatch.setattr(rescrubbing, "run_child", run_child)
    monkeypatch.setattr(ana.panel.training, "newest", lambda: "/bundles/mine")
    monkeypatch.chdir(os.path.dirname(output))
    place, key = os.path.basename(output), os.path.relpath(key_file)
    ana.panel.rescrubbing = Rescrubbing(ana.desk, ana.panel.training, place, key)
    ana.call("POST", "/api/rescrub", {}, 202)
    ana.panel.rescrubbing.wait(60)
    run = ana.output.job.run
    assert asked[0][1:] == [
        os.path.realpath(output),
        run,
        os.path.realpath(key_file),
        "/bundles/mine",
    ]


def test_the_run_once_more_differs_in_its_model_alone(reader, output, key_file, published):
    ana = reader()
    run = ana.output.job.run
    options = options_of_run(output, run, key_file, "bundles/mine")
    job = ana.output.job
    assert options.hold is True
    assert options.models == ("bundles/mine",)
    assert (options.policy, options.recognisers) == (job.policy, job.recognisers)
    assert options.columns == job.columns
    assert all(url.rpartition("/")[0].endswith(str(published / "in")) for url in options.inputs)
    assert address(("a", "b")) == "a?field=b"


def test_one_at_a_time(trained):
    ana, _ = trained()
    read(ana, of_twice(ana, twice=False)[0])
    ana.panel.training._state = "running"
    with pytest.raises(DeskRefusal) as refused:
        ana.panel.training.start()
    assert refused.value.status == 409


@pytest.mark.parametrize("error", [OSError(28, "full"), DeskRefusal(503, "NoOriginal", "gone")])
def test_a_training_that_cannot_be_prepared_leaves_no_text_behind(
    trained, campaign, monkeypatch, error
):
    drawn = campaign(planted=0)
    ana, _ = trained()
    read(ana, of_twice(ana, twice=False)[0])
    marks = ReaderMarks(ana.folder.campaigns()[0].file("marks-ben.jsonl"), "ben")
    for one in drawn.texts:
        marks.add((one.doc_key, one.field), ReadText("h"), 0, (), "done", 9)
    write = training.write_corpus

    def write_one(path, documents):
        if path.endswith("score.jsonl"):
            raise error
        return write(path, documents)

    monkeypatch.setattr(training, "write_corpus", write_one)
    ana.call("POST", "/api/train", {}, 503)
    assert os.listdir(ana.folder.file("bundles/1")) == []
    assert ana.call("GET", "/api/train")["state"] == "none"
