"""What a training shows: a time beforehand, its iterations, scores by label, the next command."""

import json
import re

import pytest
from scrubline import dictionaries
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.learners import Learner
from scrubline.models.recipes import recipe_in
from scrubline.models.training.settings import with_learner
from scrubline.pipeline.commands.progress_bar import shown_time
from scrubline.pipeline.commands.training_progress import (
    TrainingProgress,
    cap_of,
    estimate,
    measured_documents,
    memory_need,
)


def documents(count, text="Seen by Zorp Quell on the ward today, no complaints.", label="DOCTOR"):
    return [
        AnnotatedDocument(str(n), text, (Annotation(8, 18, label if n % 50 else f"{label}-2"),))
        for n in range(count)
    ]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "Jane_Roe.jsonl"
    spans = [{"start": 8, "end": 18, "label": "DOCTOR"}]
    rows = [{"doc_id": str(n), "text": "Seen by Zorp Quell.", "spans": spans} for n in range(9)]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n")
    return path


def words(corpus, output):
    line = ["train", "--corpus", corpus, "--recipe", "hide", "--name", "mine", "--output", output]
    return [*line, "--set", "max_iterations=4"]


@pytest.fixture
def slow(monkeypatch):
    """Makes every training one that takes long."""
    monkeypatch.setattr("scrubline.pipeline.commands.training_progress._SOON", 0.0)


def test_off_a_terminal_a_short_training_says_nothing(scrubline, corpus, tmp_path):
    code, _, err = scrubline(*words(corpus, tmp_path / "mine"))
    assert (code, err) == (0, "")


def test_off_a_terminal_there_are_lines_without_names(scrubline, corpus, tmp_path, slow):
    output = tmp_path / "Jane_Roe"
    code, out, err = scrubline(*words(corpus, output), "--held-out", corpus)
    assert code == 0
    assert "training on 9 documents, 171 characters\n" in err
    assert re.search(r"^features made in \d+ s$", err, re.MULTILINE)
    assert re.search(r"^iteration 2 of 4 at most, loss [\d.,]+, [\d.]+ s each", err, re.MULTILINE)
    assert re.search(r"^  micro +1.0000 +1.0000", out, re.MULTILINE)
    assert re.search(r"^  DOCTOR +1.0000 +1.0000", out, re.MULTILINE)
    assert "scrubline scrub --input URL --output URL --key-file KEYFILE --model OUT" in out
    assert "Jane" not in out + err


def test_on_a_terminal_the_next_command_names_the_bundle(
    scrubline, corpus, tmp_path, terminal, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    terminal()
    code, out, _ = scrubline(*words(corpus, "mine"))
    assert code == 0
    assert "--key-file KEYFILE --model ./mine" in out
    assert "next: score it" in out


def test_the_time_is_measured_on_a_part_that_has_all_labels():
    every = documents(3000)
    part = measured_documents(every)
    assert 0 < len(part) < len(every) / 2
    assert {s.label for d in part for s in d.spans} == {"DOCTOR", "DOCTOR-2"}
    recipe = with_learner(recipe_in("hide", "en"), None, {"max_iterations": 10})
    lists = {name: dictionaries.load(name) for name in recipe.lists}
    seconds = estimate(recipe, every, lists, {})
    assert seconds is not None and seconds > 0


@pytest.mark.parametrize("name", ["szeged", "hide"])
def test_where_no_time_can_be_told_none_is(name):
    assert estimate(recipe_in(name, "en"), documents(20), {}, {}) is None


def test_memory_is_told_in_gigabytes_for_the_learner_that_was_measured(capsys, slow, monkeypatch):
    module = "scrubline.pipeline.commands.training_progress"
    monkeypatch.setattr(f"{module}._BYTES_A_CHARACTER", {"lbfgs": 2_000_000})
    monkeypatch.setattr(f"{module}._MEASURED_CHARACTERS", 400)
    lists = {name: dictionaries.load(name) for name in recipe_in("hide", "en").lists}
    for learner in ("lbfgs", "averaged-perceptron"):
        recipe = with_learner(recipe_in("hide", "en"), learner, {"max_iterations": 3})
        TrainingProgress(recipe, lambda *_: ()).prepare(recipe, documents(40), lists, {})
    lines = [line for line in capsys.readouterr().err.splitlines() if "training on" in line]
    told = r"training on 40 documents, 2,080 characters: about \d+ s at most"
    assert re.fullmatch(f"{told}, about 4 GB of memory", lines[0])
    assert re.fullmatch(told, lines[1])


def test_the_english_model_needs_sixteen_gigabytes():
    recipe = recipe_in("default", "en")
    assert round(memory_need(recipe, 12_200_000) / 1e9) == 16
    assert memory_need(with_learner(recipe, "averaged-perceptron", {}), 12_200_000) == 0


def test_a_number_that_goes_down_belongs_to_the_next_tagger(capsys, slow):
    recipe = recipe_in("hitsz", "en")
    shown = TrainingProgress(recipe)
    for iteration in (1, 2, 1):
        shown.iterated(iteration, float("inf"))
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("tagger 1 of") and lines[-1].startswith("tagger 2 of")


def test_limits_of_iterations():
    assert cap_of(dict(Learner.of("lbfgs", max_iterations=70).parameters)) == 70
    assert cap_of(dict(Learner.of("boosted-trees", rounds=9).parameters)) == 9
    assert cap_of({}) is None
    assert [shown_time(s) for s in (4.2, 130, 7200)] == ["4 s", "2 min", "2.0 h"]
