"""`train` and `dial` with other learners than CRFs, and with two classes, as command lines."""

from __future__ import annotations

import json

import pytest
from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.corpora import AnnotatedDocument, read_annotated, remap, write_annotated

from .test_train_search import note

pytest.importorskip("sklearn")

OWN = {"DATE": "FECHAS", "DOCTOR": "NOMBRE_PERSONAL_SANITARIO"}


def own(number: int) -> AnnotatedDocument:
    return remap(note(number), OWN.get)


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """Corpora for training, for the dial and for scores; and one in labels of its own."""
    folder = tmp_path_factory.mktemp("corpora")
    for name, numbers in (("train", range(12)), ("back", range(40, 60)), ("out", range(70, 90))):
        write_annotated([note(n) for n in numbers], str(folder / f"{name}.jsonl"))
    write_annotated([own(n) for n in range(12)], str(folder / "own.jsonl"))
    return folder


@pytest.fixture
def stat_deid(corpora, tmp_path):
    return [
        *("train", "--corpus", corpora / "train.jsonl", "--recipe", "stat-deid"),
        *("--without-part", "all", "--name", "mine", "--output", tmp_path / "mine"),
    ]


def opened(folder):
    return open_bundle(f"{folder}/")


def test_stat_deid_finds_phi_of_unknown_kind(scrubline, stat_deid, corpora, tmp_path):
    code, out, _ = scrubline(*stat_deid, "--held-out", corpora / "out.jsonl")
    assert code == 0 and "bundle mine: 1 labels" in out
    bundle = opened(tmp_path / "mine")
    assert (bundle.labels, bundle.label_map) == (("PHI",), None)
    assert "token.svm.xz" in bundle.files
    # Held-out notes have labels of their own; what is compared is PHI.
    assert bundle.card["scores"]["strict spans"]["f1"] > 0.3
    code, *_ = scrubline(
        *("annotate", "--input", corpora / "out.jsonl", "--model", f"{tmp_path}/mine"),
        *("--recogniser", "none", "--output", tmp_path / "found.jsonl"),
    )
    assert code == 0
    found = list(read_annotated(tmp_path / "found.jsonl"))
    assert {span.label for document in found for span in document.spans} == {"PHI"}


def test_labels_of_the_corpus_need_no_map_if_they_are_not_learned(
    scrubline, stat_deid, corpora, tmp_path
):
    stat_deid[2] = corpora / "own.jsonl"
    code, _, err = scrubline(*stat_deid)
    assert code == 0 and "are not native" not in err
    assert opened(tmp_path / "mine").labels == ("PHI",)
    more = ("--label-map", "meddocan", "--output", tmp_path / "mapped")
    assert scrubline(*stat_deid, *more)[0] == 0
    mapped = opened(tmp_path / "mapped")
    assert mapped.label_map == {
        "FECHAS": "DATE",
        "NOMBRE_PERSONAL_SANITARIO": "DOCTOR",
        "PHI": "PHI",
    }


def test_folds_and_searches_count_phi(scrubline, stat_deid, tmp_path):
    report = tmp_path / "report.json"
    code, *_ = scrubline(*stat_deid, "--search", "C=0.1,1", "--search-report", report)
    assert code == 0
    card = opened(tmp_path / "mine").card["cross-validation"]
    assert card["settings tried"] == 2 and card["mean strict f1"] > 0.3
    assert opened(tmp_path / "mine").card["learner"]["parameters"]["token"]["C"] in (0.1, 1.0)


def test_biases_and_recall_are_of_phi(scrubline, stat_deid, corpora, tmp_path):
    code, _, err = scrubline(*stat_deid, "--bias", "DATE=1")
    assert code == 2 and "no label DATE" in err
    more = ("--bias", "PHI=0.25", "--tune-on", corpora / "back.jsonl", "--recall", "PHI=0.9")
    assert scrubline(*stat_deid, *more)[0] == 0
    bundle = opened(tmp_path / "mine")
    assert bundle.card["dial"]["recall reached"]["PHI"] >= 0.9
    code, out, _ = scrubline(
        *("dial", tmp_path / "mine", "--on", corpora / "back.jsonl", "--recall", "0.97", "--json")
    )
    assert code == 0 and json.loads(out)["dial"]["recall reached"]["O"] >= 0.97


@pytest.mark.parametrize(
    ("recipe", "algorithm", "file", "labels"),
    [
        ("hide", "linear-svm", "token.svm.xz", ("DATE", "DOCTOR")),
        ("stat-deid", "averaged-perceptron", "token.crf.xz", ("PHI",)),
        ("stat-deid", "lbfgs", "token.crf.xz", ("PHI",)),
    ],
)
def test_an_algorithm_of_another_family_gives_its_models(
    scrubline, corpora, tmp_path, recipe, algorithm, file, labels
):
    words = ["train", "--corpus", corpora / "train.jsonl", "--recipe", recipe]
    words += ["--without-part", "all"] if recipe == "stat-deid" else []
    words += ["--algorithm", algorithm, "--set", "max_iterations=9", "--name", "mine"]
    assert scrubline(*words, "--output", tmp_path / "mine")[0] == 0
    bundle = opened(tmp_path / "mine")
    assert file in bundle.files and bundle.labels == labels
    assert bundle.card["learner"]["algorithm"] == {"token": algorithm}
    more = ("--max-size", "0.001", "--output", tmp_path / "small")
    assert scrubline(*words, *more)[0] == 0
    assert len(opened(tmp_path / "small").files[file]) <= 1000


def test_what_a_family_cannot_learn_is_refused(scrubline, corpora, tmp_path):
    words = ("train", "--corpus", corpora / "train.jsonl", "--name", "mine")
    code, _, err = scrubline(
        *words, "--recipe", "hitsz", "--algorithm", "linear-svm", "--output", tmp_path / "mine"
    )
    assert code == 2 and "linear-svm trains no character taggers" in err
    code, _, err = scrubline(
        *words, "--algorithm", "linear-svm", "--set", "c1=1", "--output", tmp_path / "mine"
    )
    assert code == 2 and "parameter must be one of C, max_iterations" in err
    assert not (tmp_path / "mine").exists()
