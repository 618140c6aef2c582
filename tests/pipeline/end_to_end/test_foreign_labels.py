"""Labels that are not native: said before they cost an afternoon, with the remedy."""

import json

import pytest
from scrubline.models.corpora import AnnotatedDocument, Annotation, write_annotated

TEXT = "Seen by Abernathy on 3/4/2019 in Rome."


@pytest.fixture
def corpus(tmp_path):
    def make(name, *labels):
        spans = tuple(
            Annotation(*place, label)
            for place, label in zip(((8, 17), (21, 29)), labels, strict=True)
        )
        documents = [AnnotatedDocument(str(n), TEXT, spans) for n in range(6)]
        write_annotated(documents, tmp_path / name)
        return tmp_path / name

    return make


def test_evaluate_warns_and_a_map_helps(scrubline, corpus, tmp_path):
    gold = corpus("gold.jsonl", "NAME", "DATE")
    found = corpus("found.jsonl", "PATIENT", "DATE")
    words = ("evaluate", gold, found, "--resamples", 0)
    code, out, _ = scrubline(*words)
    assert code == 0
    assert "warning: gold labels unknown to the prediction: NAME." in out
    assert "--label-map asq_phi" in out and "strict F1                0.5000" in out
    code, out, _ = scrubline(*words, "--label-map", "asq_phi")
    assert "warning" not in out and "strict F1                1.0000" in out
    code, out, _ = scrubline(*words, "--json", "--html", tmp_path / "page.html")
    assert len(json.loads(out)["warnings"]) == 2
    assert "Warning: gold labels unknown" in (tmp_path / "page.html").read_text()


TRAIN = ("--dictionary", "none", "--set", "max_iterations=2", "--name", "mine")


def test_train_warns_before_it_begins(scrubline, corpus, tmp_path):
    train = ("train", "--corpus", corpus("gold.jsonl", "NAME", "DATE"), *TRAIN, "--output")
    code, out, err = scrubline(*train, tmp_path / "b")
    assert code == 0
    assert err.startswith("labels ['NAME'] are not native and there is no --label-map")
    assert "asq_phi" in err
    code, _, err = scrubline("scrub", "-", "--model", tmp_path / "b", stdin=b"x")
    assert code == 2 and "['NAME'] are not native" in err
    code, _, err = scrubline(*train, tmp_path / "c", "--label-map", "asq_phi")
    assert (code, err) == (0, "")
    assert scrubline("scrub", "-", "--model", tmp_path / "c", stdin=b"x")[0] == 0


def test_native_labels_need_no_word(scrubline, corpus, tmp_path):
    words = ("train", "--corpus", corpus("gold.jsonl", "PATIENT", "DATE"), *TRAIN)
    assert scrubline(*words, "--output", tmp_path / "b")[::2] == (0, "")


def test_a_map_that_lacks_a_label_is_refused_before_the_folds(scrubline, corpus, tmp_path):
    words = ("train", "--corpus", corpus("gold.jsonl", "NAMEN", "DATE"), *TRAIN)
    words += ("--folds", 2, "--output", tmp_path / "b", "--label-map", "asq_phi")
    code, out, err = scrubline(*words)
    assert (code, out) == (2, "")
    assert err == "scrubline: the label map lacks labels of the corpus: ['NAMEN']\n"
