"""`train --synth`, `--from-bundle` and `--add`: own notes beside those of a shipped bundle."""

import json

import pytest
from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.corpora import AnnotatedDocument
from scrubline.pipeline.commands.train_inputs import MAX_WEIGHT, weight_of

QUICK = ("--set", "max_iterations=4", "--set", "c1=0.1")


@pytest.fixture
def own(tmp_path):
    rows = [
        {
            "doc_id": str(n),
            "text": f"Seen by Zorp{n} Quell.",
            "spans": [{"start": 8, "end": 19, "label": "DOCTOR"}],
        }
        for n in range(1, 4)
    ]
    path = tmp_path / "own.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path


@pytest.fixture
def base(scrubline, tmp_path):
    folder = tmp_path / "base"
    code, _, err = scrubline(
        *("train", "--synth", "5:12", "--recipe", "hide", *QUICK),
        *("--bias", "O=-0.5", "--name", "base", "--output", folder),
    )
    assert code == 0, err
    return folder


def documents_of(folder):
    return open_bundle(str(folder)).card["corpus"]["documents"]


def test_generated_notes_are_trained_on_and_the_card_says_so(base):
    card = open_bundle(str(base)).card
    assert card["corpus"]["documents"] == 12
    assert card["synth"] == {"seed": 5, "notes": 12}
    assert "--synth 5:12" in card["command"]


@pytest.mark.slow
def test_own_notes_are_added_to_what_a_bundle_was_trained_on(scrubline, tmp_path, base, own):
    folder = tmp_path / "mine"
    code, _, err = scrubline(
        *("train", "--from-bundle", base, "--add", own, "--weight", "3"),
        *("--name", "mine", "--output", folder),
    )
    assert code == 0, err
    old, new = open_bundle(str(base)), open_bundle(str(folder))
    assert documents_of(folder) == 12 + 3 * 3
    assert open_bundle(str(folder)).card["own notes"] == {"documents": 3, "each counted": 3}
    assert new.recipe == old.recipe
    assert new.biases == old.biases == {"O": -0.5}
    assert new.card["from bundle"] == {"name": "base", "hash": old.hash}
    assert new.card["synth"] == {"seed": 5, "notes": 12}
    assert "own.jsonl" in new.card["command"]
    assert str(tmp_path) not in new.card["command"]


@pytest.mark.slow
def test_the_bias_given_beats_that_of_the_bundle(scrubline, tmp_path, base, own):
    code, _, err = scrubline(
        *("train", "--from-bundle", base, "--add", own, "--synth", "1:2", "--bias", "O=-1"),
        *("--name", "mine", "--output", tmp_path / "mine"),
    )
    assert code == 0, err
    assert open_bundle(str(tmp_path / "mine")).biases == {"O": -1.0}


@pytest.mark.slow
def test_biases_of_another_learner_are_left_behind(scrubline, tmp_path, base, own):
    folder = tmp_path / "mine"
    words = ("train", "--from-bundle", base, "--add", own, "--fast", "--name", "mine")
    assert scrubline(*words, "--output", folder)[0] == 0
    assert open_bundle(str(folder)).biases == {}


def test_the_label_map_is_taken_over_and_a_base_without_generated_notes_is_told(
    scrubline, tmp_path
):
    note = {"doc_id": "1", "text": "Visto por Zorp.", "spans": []}
    note["spans"] = [{"start": 10, "end": 14, "label": "NOMBRE_PERSONAL_SANITARIO"}]
    (tmp_path / "own.jsonl").write_text(json.dumps(note) + "\n")
    folder = tmp_path / "mine"
    code, out, err = scrubline(
        *("train", "--from-bundle", "meddocan-hide", "--add", tmp_path / "own.jsonl", *QUICK),
        *("--name", "mine", "--output", folder),
    )
    assert code == 0, err
    assert "meddocan-hide was not trained on generated notes" in out
    assert open_bundle(str(folder)).label_map == {"NOMBRE_PERSONAL_SANITARIO": "DOCTOR"}


def test_own_notes_are_a_third_of_the_text_by_default():
    def notes(characters):
        return [AnnotatedDocument("x", "a" * characters)]

    assert weight_of(notes(100), notes(1000)) == 5
    assert weight_of(notes(10), notes(100_000)) == MAX_WEIGHT
    assert weight_of(notes(1000), notes(10)) == 1
    assert weight_of(notes(10), []) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--recipe", "hide"], "nothing to train on"),
        (["--synth", "x"], "expected SEED:NOTES"),
        (["--synth", "9" * 50 + ":5"], "expected SEED:NOTES"),
        (["--add", "/dev/null", "--weight", "2000000000"], "must be 1 to 1000"),
        (["--synth", "1:2", "--weight", "2"], "--weight belongs to --add"),
        (
            ["--from-bundle", "en-default", "--recipe", "hide", "--synth", "1:2"],
            "leave out --recipe",
        ),
        (["--add", "x.jsonl", "--folds", "3"], "--held-out"),
    ],
)
def test_what_does_not_go_together_is_refused(scrubline, tmp_path, words, message):
    code, _, err = scrubline("train", *words, "--name", "x", "--output", tmp_path / "x")
    assert code == 2
    assert message in err
