import dataclasses
import json

import pytest
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.evaluation import compare
from scrubline.models.evaluation.clinical import shipped_terms
from scrubline.models.evaluation.comparison import align
from scrubline.models.evaluation.intervals import wilson
from scrubline.models.evaluation.matrices import Cells
from scrubline.models.evaluation.portions import Portions
from scrubline.models.evaluation.report import Metric
from scrubline.models.evaluation.scores import DocumentCounts
from scrubline.models.evaluation.tables import aligned
from scrubline.models.text.tokenizer import tokenize_documents

from .makers import PLAIN

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
    assert {key: found[key] for key in found if key not in ("metrics", "worst_documents")} == {
        "documents": 10,
        "characters": 260,
        "tokens": report.tokens,
        "gold_spans": 20,
        "predicted_spans": 18,
        "ignored": [],
        "removed": "predicted spans",
        "resamples": 1000,
        "seed": 3,
        "left_out": {},
        "warnings": [],
    }
    assert list(found["metrics"]) == list(PLAIN)
    assert [one["ordinal"] for one in found["worst_documents"]] == [0, 1]
    assert found["worst_documents"][0]["leaked"] == 5
    strict = found["metrics"]["strict"]
    low, high = strict["micro"]["intervals"].pop("recall")
    assert 0.75 <= low < 0.9 < high <= 1
    assert strict["micro"]["intervals"].pop("f1") is not None
    assert strict["by_label"]["DATE"].pop("intervals")["precision"] == [
        round(wilson(8, 8).low, 6),
        1.0,
    ]
    low, high = strict["by_label"]["PATIENT"].pop("intervals")["recall"]
    assert (low, high) == (round(wilson(10, 10).low, 6), 1.0)
    # Eight documents with P = R = 1, two with P = 1 and R = 1/2.
    means = strict.pop("macro_documents")
    assert means.pop("intervals")["recall"][0] < 0.9 < 1 == means.pop("precision")
    assert means == {
        "recall": 0.9,
        "f1": 0.947368,
        "precision_deviation": 0.0,
        "recall_deviation": 0.2,
    }
    assert strict == {
        "title": "Spans, strict",
        "micro": {
            "precision": 1.0,
            "recall": 0.9,
            "f1": 0.947368,
            "tp": 18,
            "fp": 0,
            "fn": 2,
            "intervals": {"precision": [round(wilson(10, 10).low, 6), 1.0]},
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
    for metric in PLAIN.values():
        assert sum(line.startswith(metric.title + "  ") for line in lines) == 1
    at = next(n for n, line in enumerate(lines) if line.startswith("Spans, strict"))
    strict = [line.split() for line in lines[at + 1 : at + 7] if "95 %" not in line]
    assert strict == [
        ["micro", "1.0000", "0.9000", "0.9474", "18", "0", "2"],
        ["macro,", "documents", "1.0000", "0.9000", "0.9474"],
        ["macro,", "labels", "1.0000", "0.9000", "0.9444"],
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


@pytest.mark.parametrize("metric", PLAIN.values(), ids=PLAIN.keys())
def test_every_metric_measures_by_document(metric: Metric):
    """Counts of a document do not depend on the others: else no resample would be honest."""
    whole = metric.measure(align(GOLD, PREDICTED, tokenize_documents, find_terms=shipped_terms()))
    half = metric.measure(
        align(GOLD[:5], PREDICTED[:5], tokenize_documents, find_terms=shipped_terms())
    )
    if isinstance(whole, DocumentCounts):
        for table in ("tp", "fp", "fn"):
            assert getattr(whole, table)[:5].tolist() == getattr(half, table).tolist()
    elif isinstance(whole, Portions):
        assert whole.counts.keys() == half.counts.keys()
        for name, columns in whole.counts.items():
            assert [c[:5].tolist() for c in columns] == [c.tolist() for c in half.counts[name]]
    else:

        def cells(found: Cells) -> list[tuple[int, str, str]]:
            columns = (found.documents.tolist(), found.rows.tolist(), found.columns.tolist())
            return [
                (document, found.row_names[row], found.column_names[column])
                for document, row, column in zip(*columns, strict=True)
                if document < 5
            ]

        assert cells(whole) == cells(half)
