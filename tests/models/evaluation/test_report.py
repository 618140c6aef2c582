import dataclasses
import json

import pytest
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.evaluation import METRICS, compare
from scrubline.models.evaluation.comparison import align
from scrubline.models.evaluation.report import Metric
from scrubline.models.evaluation.scores import Tally
from scrubline.models.evaluation.tables import aligned
from scrubline.models.tokenizing import tokenize_documents

SECRET = "Abernathy"
TEXT = f"Mr {SECRET} came on May 3"
GOLD = [
    AnnotatedDocument(f"MRN-{i}", TEXT, (Annotation(3, 12, "PATIENT"), Annotation(21, 26, "DATE")))
    for i in range(10)
]
PREDICTED = [
    AnnotatedDocument(d.doc_id, d.text, d.spans[: 1 + (i > 1)]) for i, d in enumerate(GOLD)
]


@pytest.fixture(scope="module")
def report():
    return compare(GOLD, PREDICTED, seed=3)


def test_json_by_hand(report):
    found = json.loads(json.dumps(report.as_json()))
    assert {key: found[key] for key in found if key != "metrics"} == {
        "documents": 10,
        "characters": 260,
        "tokens": report.tokens,
        "gold_spans": 20,
        "predicted_spans": 18,
        "ignored": [],
        "resamples": 1000,
        "seed": 3,
    }
    assert list(found["metrics"]) == list(METRICS)
    strict = found["metrics"]["strict"]
    low, high = strict["micro"]["intervals"].pop("recall")
    assert 0.75 <= low < 0.9 < high <= 1
    assert strict["micro"]["intervals"].pop("f1") is not None
    assert strict == {
        "title": "Spans, strict",
        "micro": {
            "precision": 1.0,
            "recall": 0.9,
            "f1": 0.947368,
            "tp": 18,
            "fp": 0,
            "fn": 2,
            "intervals": {"precision": [1.0, 1.0]},
        },
        "macro": {"precision": 1.0, "recall": 0.9, "f1": 0.944444},
        "by_label": {
            "DATE": {"precision": 1.0, "recall": 0.8, "f1": 0.888889, "tp": 8, "fp": 0, "fn": 2},
            "PATIENT": {"precision": 1.0, "recall": 1.0, "f1": 1.0, "tp": 10, "fp": 0, "fn": 0},
        },
    }
    leaked = found["metrics"]["documents"]["leaked"]
    assert (leaked["count"], leaked["of"], leaked["rate"]) == (2, 10, 0.2)
    assert leaked["interval"][0] < 0.2 < leaked["interval"][1]


def test_json_of_nothing_has_nulls_and_no_nan():
    found = json.dumps(compare([], []).as_json(), allow_nan=False)
    assert json.loads(found)["metrics"]["strict"]["micro"]["precision"] is None


def test_table_names_every_metric_and_label(report):
    table = report.as_table()
    lines = table.splitlines()
    assert lines[0].startswith("10 documents, 260 characters, ")
    for metric in METRICS.values():
        assert sum(line.startswith(metric.title + "  ") for line in lines) == 1
    strict = [line.split() for line in lines[-5:] if "95 %" not in line]
    assert strict == [
        ["micro", "1.0000", "0.9000", "0.9474", "18", "0", "2"],
        ["macro", "1.0000", "0.9000", "0.9444"],
        ["DATE", "1.0000", "0.8000", "0.8889", "8", "0", "2"],
        ["PATIENT", "1.0000", "1.0000", "1.0000", "10", "0", "0"],
    ]
    assert max(map(len, lines)) <= 100
    assert table.endswith("\n")


def test_columns_are_aligned():
    assert aligned([("label", "P"), ("a", "0.5000"), ("bb", "")]) == [
        "label       P",
        "a      0.5000",
        "bb",
    ]


def test_table_shows_undefined_as_a_hyphen():
    empty = [AnnotatedDocument(d.doc_id, d.text) for d in GOLD]
    lines = compare(GOLD, empty).as_table().splitlines()
    assert ["micro", "-", "0.0000", "0.0000", "0", "0", "20"] in [line.split() for line in lines]


def test_table_tells_what_was_ignored():
    report = compare(GOLD, PREDICTED, ignore=["DATE", "AGE"])
    assert report.as_table().splitlines()[0].endswith("; ignored: AGE, DATE")
    assert report.as_json()["ignored"] == ["AGE", "DATE"]


def test_wide_labels_fit_a_terminal():
    label = "ID_TITULACION_PERSONAL_SANITARIO"
    documents = [AnnotatedDocument("1", "x", (Annotation(0, 1, label),))]
    assert max(map(len, compare(documents, documents).as_table().splitlines())) <= 100


def test_no_text_and_no_id_is_shown(report):
    for shown in (repr(report), str(report), report.as_table(), json.dumps(report.as_json())):
        assert SECRET not in shown
        assert "MRN" not in shown


def test_equal_inputs_give_equal_reports(report):
    assert compare(GOLD, PREDICTED, seed=3).as_json() == report.as_json()
    assert compare(GOLD, PREDICTED, seed=4).as_json() != report.as_json()


def test_reports_cannot_be_changed(report):
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.documents = 0
    with pytest.raises(TypeError):
        report.metrics["strict"] = None
    with pytest.raises(TypeError):
        report.metrics["strict"].by_label["DATE"] = None
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.metrics["strict"].micro.tp = 0


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS.keys())
def test_every_metric_measures_by_document(metric: Metric):
    """Counts of a document do not depend on the others: else no resample would be honest."""
    whole = metric.measure(align(GOLD, PREDICTED, tokenize_documents))
    half = metric.measure(align(GOLD[:5], PREDICTED[:5], tokenize_documents))
    if isinstance(whole, Tally):
        assert whole.tp[:5].tolist() == half.tp.tolist()
        assert whole.fn[:5].tolist() == half.fn.tolist()
    else:
        for name, columns in whole.flags.items():
            assert [c[:5].tolist() for c in columns] == [c.tolist() for c in half.flags[name]]
