"""`train` with search, cross-validation, cache and size, and `dial`, as command lines."""

from __future__ import annotations

import json
import signal
import stat
import subprocess
import sys

import pytest
from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.bundles.layout import model_path
from scrubline.models.corpora import AnnotatedDocument, Annotation, write_annotated
from scrubline.pipeline.commands import train as training

from ...waiting import GUARD_SECONDS, group_alive, wait_until

NAMES = ("Lopez", "Smith", "Chen", "Okafor", "Novak")
OTHERS = ("marlow", "iqbal", "haas", "Smith", "Ruiz")


def note(number: int) -> AnnotatedDocument:
    """An invented note; names without a title are harder to find."""
    text, spans = "", []
    for piece, label in (
        ("Seen on ", None),
        (f"{number % 12 + 1}/{number % 28 + 1}/2019", "DATE"),
        (". " if number % 4 == 0 else ". Dr. ", None),
        ((NAMES if number < 40 else OTHERS)[number % 5], "DOCTOR"),
        (f" says: take {number} tablets.\n", None),
    ):
        if label:
            spans.append(Annotation(len(text), len(text) + len(piece), label))
        text += piece
    return AnnotatedDocument(f"d{number}", text, tuple(spans), {"patient": number // 2})


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """Corpora for training, for the dial and for scores."""
    folder = tmp_path_factory.mktemp("corpora")
    for name, numbers in (("train", range(12)), ("back", range(40, 60)), ("out", range(70, 90))):
        write_annotated([note(n) for n in numbers], str(folder / f"{name}.jsonl"))
    return folder


@pytest.fixture
def words(corpora, tmp_path):
    return [
        *("train", "--corpus", corpora / "train.jsonl", "--dictionary", "none"),
        *("--set", "max_iterations=6", "--name", "mine", "--output", tmp_path / "mine"),
    ]


def opened(folder):
    return open_bundle(f"{folder}/")


def test_a_search_reports_and_trains_the_best(scrubline, words, tmp_path):
    report = tmp_path / "report.json"
    search = ["--search", "c2=0.1,10", "--search", "sampling=all,window:1", "--search-report"]
    more = ["--work", tmp_path / "work", "--folds", "2", "--group-by", "patient", "--jobs", "2"]
    code, out, err = scrubline(*words, *search, report, *more)
    assert code == 0, err
    assert "| setting | F1 |" in out and "trained on 12 documents" in out
    assert err.count("fold 2 of 2: ") == 4 and "of learning" in err
    values = json.loads(report.read_text())
    assert len(values["settings"]) == 4 and values["folds"] == 2
    best = values["settings"][values["best"]]
    bundle = opened(tmp_path / "mine")
    (tagger,) = bundle.recipe.taggers
    assert str(dict(tagger.learner.parameters)["c2"]) in (best["setting"]["c2"], "10.0")
    assert tagger.sampling.method == best["setting"]["sampling"].partition(":")[0]
    card = bundle.card["cross-validation"]
    assert card["setting"] == best["setting"] and card["settings tried"] == 4
    assert "--search c2=0.1,10" in bundle.card["command"]
    # Again, in one process: every fold is there, and the bytes are the same.
    words[words.index("--output") + 1] = tmp_path / "again"
    code, out, err = scrubline(*words, *search, tmp_path / "report.md", *more[:-1], "1")
    assert code == 0 and err.count("kept from an earlier search") == 8
    assert opened(tmp_path / "again").hash == bundle.hash
    assert (tmp_path / "report.md").read_text().startswith("# Cross-validation of recipe hide")


def test_folds_alone_measure_and_write_nothing(scrubline, corpora, tmp_path):
    code, out, _ = scrubline(
        *("train", "--corpus", corpora / "train.jsonl", "--dictionary", "none", "--fast"),
        *("--set", "max_iterations=3", "--folds", "3"),
    )
    assert code == 0
    assert "`as it is`" in out and "| fold | precision" in out
    assert list(tmp_path.iterdir()) == []


def test_what_folds_found_is_a_corpus_to_score(scrubline, corpora, tmp_path):
    train, found = corpora / "train.jsonl", tmp_path / "found.jsonl"
    report = tmp_path / "report.json"
    words = ["train", "--corpus", train, "--dictionary", "none", "--folds", "3", "--fast"]
    code, _, _ = scrubline(*words, "--predicted", found, "--search-report", report)
    assert code == 0
    code, out, _ = scrubline("evaluate", train, found, "--json")
    assert code == 0
    (ours,) = json.loads(report.read_text())["settings"]
    micro = json.loads(out)["metrics"]["strict"]["micro"]
    assert ours["strict"]["f1"] == pytest.approx(micro["f1"], abs=2e-6)
    code, _, err = scrubline(*words, "--predicted", found)
    assert code == 2 and "--predicted: the file already exists" in err
    code, _, err = scrubline(*words, "--corpus", train, "--predicted", tmp_path / "x.jsonl")
    assert code == 2 and "have the same id" in err


def test_a_cache_changes_nothing(scrubline, words, tmp_path):
    cache = tmp_path / "cache"
    assert scrubline(*words)[0] == 0
    for folder in ("first", "second"):
        words[words.index("--output") + 1] = tmp_path / folder
        assert scrubline(*words, "--cache", cache)[0] == 0
        assert opened(tmp_path / folder).hash == opened(tmp_path / "mine").hash
    assert stat.S_IMODE(cache.stat().st_mode) == 0o700
    (entry,) = cache.iterdir()
    entry.write_bytes(entry.read_bytes()[:-9])
    words[words.index("--output") + 1] = tmp_path / "third"
    code, _, err = scrubline(*words, "--cache", cache)
    assert code == 0 and "cache is damaged" in err
    assert opened(tmp_path / "third").hash == opened(tmp_path / "mine").hash


def test_size_curve_and_sampling(scrubline, words, corpora, tmp_path):
    more = ["--fast", "--sampling", "random:0.5", "--curve", tmp_path / "curve.svg"]
    held_out = ["--held-out", corpora / "out.jsonl"]
    code, out, _ = scrubline(*words, *more, *held_out, "--max-size", "0.003")
    assert code == 0
    assert "of the weights kept; strict F1 on --held-out" in out
    bundle = opened(tmp_path / "mine")
    assert len(bundle.files[model_path("token")]) <= 3_000
    (tagger,) = bundle.recipe.taggers
    assert (tagger.sampling.method, tagger.sampling.keep) == ("random", 0.5)
    assert tagger.learner.algorithm == "averaged-perceptron"
    curve = bundle.card["learner"]["curve"]["token"]
    assert [iteration for iteration, _ in curve] == list(range(1, len(curve) + 1))
    assert bundle.card["size"]["strict f1 before"] is not None
    assert bundle.card["scores"]["documents"] == 20
    svg = (tmp_path / "curve.svg").read_text()
    assert (
        svg.startswith("<svg")
        and "polyline" in svg
        and "http" not in svg.replace("http://www.w3.org/2000/svg", "")
    )


def test_recall_asked_for_in_training_and_afterwards(scrubline, words, corpora, tmp_path):
    back = corpora / "back.jsonl"
    assert scrubline(*words, "--held-out", corpora / "out.jsonl")[0] == 0
    words[words.index("--output") + 1] = tmp_path / "tuned"
    code, out, _ = scrubline(
        *words, "--recall", "0.99", "--tune-on", back, "--held-out", corpora / "out.jsonl"
    )
    assert code == 0
    assert "recall of all PHI, label-blind: 0.9900 wanted" in out and ": reached" in out
    tuned = opened(tmp_path / "tuned")
    assert tuned.card["dial"]["recall reached"]["O"] >= 0.99
    plain = opened(tmp_path / "mine")
    assert tuned.biases["O"] < 0 and plain.biases == {}
    code, out, _ = scrubline(
        *("dial", f"{tmp_path}/mine/", "--on", back, "--recall", "0.99"),
        *("--output", tmp_path / "later", "--curve", "--svg", tmp_path / "dial.svg", "--json"),
    )
    assert code == 0
    later = opened(tmp_path / "later")
    assert (
        later.biases == tuned.biases
        and later.files[model_path("token")] == plain.files[model_path("token")]
    )
    assert later.card["scores"] == {}
    assert later.card["scores before the dial"] == plain.card["scores"]
    values = json.loads(out)
    assert values["hash"] == later.hash and len(values["curve"]) > 5
    assert "recall" in (tmp_path / "dial.svg").read_text()
    code, out, _ = scrubline("dial", f"{tmp_path}/mine/", "--on", back, "--curve")
    assert code == 0 and out.startswith("bias of O")


def test_a_recall_that_cannot_be_reached_is_told(scrubline, words, tmp_path):
    odd = tmp_path / "odd.jsonl"
    # No token covers blanks and line breaks, so this span is never found whole.
    blank = AnnotatedDocument("smith", "a\n \n b", (Annotation(1, 4, "DOCTOR"),))
    write_annotated([note(1), blank], str(odd))
    code, out, err = scrubline(*words, "--recall", "1", "--tune-on", odd)
    assert code == 2 and out == ""
    assert "the bundle is written with its previous biases" in err and "NOT REACHED" in err
    assert opened(tmp_path / "mine").biases == {}
    dial = ["dial", f"{tmp_path}/mine/", "--on", odd, "--recall", "DOCTOR=1"]
    code, out, err = scrubline(*dial, "--output", tmp_path / "tuned")
    assert code == 2 and "nothing is written" in err and "smith" not in err
    assert not (tmp_path / "tuned").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--search", "c2"], "expected --search NAME=VALUE"),
        (["--search", "c2=1,1"], "expected different values"),
        (["--search", "c2=1,2", "--search", "c2=3"], "a name repeats"),
        (["--search", "c2=1,many"], "c2 must be a number"),
        (["--search", "depth=1,2"], "parameter must be one of"),
        (["--search", "c1=" + ",".join(map(str, range(1001)))], "1,001 combinations"),
        (["--search", "leave_out=word,magic"], "no features of kind"),
        (["--leave-out", "magic"], "no features of kind"),
        (["--sampling", "window"], "sampling must be"),
        (["--sampling", "random:2"], "keep must be a number above 0"),
        (["--sampling", "window:-1"], "window must be"),
        (["--folds", "1"], "--folds must be 2 to 100"),
        (["--folds", "50"], "50 folds need at least 50 documents; there are 12"),
        (["--folds", "2", "--group-by", "ward"], "document 0: its meta lacks"),
        (["--work", "w"], "needs --search or --folds"),
        (["--group-by", "patient"], "needs --search or --folds"),
        (["--predicted", "p"], "needs --search or --folds"),
        (["--recall", "0.9"], "--recall and --tune-on belong together"),
        (["--recall", "1.1", "--tune-on", "x"], "above 0 and at most 1"),
        (["--recall", "many", "--tune-on", "x"], "takes a share"),
        (["--fast", "--algorithm", "lbfgs"], "leave out --algorithm"),
        (["--max-size", "-1"], "--max-size must be"),
        (["--max-size", "nan"], "--max-size must be"),
        (["--max-size", "0.0001"], "even without features"),
        (["--name", "Not a Name"], "--name must be 1 to 64 lower-case letters"),
        (["--bias", "NOBODY=1"], "--bias: the corpus has no label NOBODY"),
        (["--jobs", "0"], "--jobs must be"),
        (["--cache", "s3://bucket/x"], "--cache must be a folder on a local disk"),
    ],
)
def test_what_cannot_be_done_is_refused(scrubline, words, tmp_path, change, message):
    code, _, err = scrubline(*words, *change)
    assert code == 2
    assert message in err
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--name", "../Mine"], "name must be 1 to 64 lower-case letters"),
        (["--bias", "DOCTOR=nan"], "must be a finite number"),
        (["--held-out", "broken.jsonl"], "BadJson"),
        (["--tune-on", "broken.jsonl", "--recall", "0.9"], "BadJson"),
    ],
)
def test_it_is_refused_before_training(scrubline, words, tmp_path, monkeypatch, change, message):
    monkeypatch.setattr(training, "train", lambda *_, **__: pytest.fail("trained for nothing"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "broken.jsonl").write_text("{\n", encoding="utf-8")
    code, _, err = scrubline(*words, *change)
    assert (code, message in err) == (2, True)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "nothing to do: give --recall"),
        (["--curve", "--output", "x"], "give --recall too"),
        (["--recall", "SECRET=0.9"], "the bundle has no labels"),
        (["--recall", "=0.9"], "once for each label"),
    ],
)
def test_dials_that_cannot_be_turned(scrubline, corpora, more, message):
    on = ["--on", corpora / "back.jsonl"]
    code, _, err = scrubline("dial", "en-default", *on, *more)
    assert code == 2 and message in err


def test_a_name_and_an_output_are_needed(scrubline, corpora):
    code, _, err = scrubline("train", "--corpus", corpora / "train.jsonl", "--name", "mine")
    assert code == 2 and "--name and --output are required" in err


KILLED_AT_ITS_FIRST_TRIAL = """
import os, signal
from scrubline.models.training import crossvalidation
from scrubline.pipeline.cli.main import command

write = crossvalidation.write_checked

def write_and_die(*given):
    write(*given)
    os.kill(os.getpid(), signal.SIGKILL)

crossvalidation.write_checked = write_and_die
command()
"""


@pytest.mark.slow
def test_a_search_killed_outright_leaves_no_process_and_goes_on(scrubline, words, tmp_path):
    work = tmp_path / "work"
    slow = [
        *("--algorithm", "averaged-perceptron", "--set", "epsilon=0", "--set"),
        *("max_iterations=1000", "--search", "feature.minfreq=0,1,2,3", "--folds", "2"),
        *("--work", work, "--jobs", "2"),
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED_AT_ITS_FIRST_TRIAL, *map(str, [*words, *slow])],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    assert process.wait(GUARD_SECONDS) == -signal.SIGKILL
    wait_until(lambda: not group_alive(process.pid), "its processes have ended")
    assert not (tmp_path / "mine").exists()
    assert len([path for path in work.iterdir() if path.name.startswith("trial-")]) == 1
    code, _, err = scrubline(*words, *slow)
    assert code == 0
    assert err.count("kept from an earlier search") == 1
    assert err.count("of learning") == 7
    assert opened(tmp_path / "mine").card["cross-validation"]["settings tried"] == 4
