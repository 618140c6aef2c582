"""Labels that the other side cannot know are named, with what maps them."""

from __future__ import annotations

import json

import pytest
from scrubline.models.core.label_maps import load_map
from scrubline.models.evaluation import compare
from scrubline.models.evaluation.html import page
from scrubline.models.evaluation.label_sets import label_warnings, unknown_labels

from .makers import document, tokenize


@pytest.mark.parametrize(
    ("labels", "others", "unknown"),
    [
        ((), (), ()),
        (("NAME",), (), ()),
        (("PATIENT", "DEVICE"), ("DOCTOR",), ()),
        (("NAME", "DATE"), ("PATIENT", "DATE"), ("NAME",)),
        (("GEOGRAPHIC_LOCATION", "NAME"), ("PATIENT",), ("GEOGRAPHIC_LOCATION", "NAME")),
        (("PATIENT",), ("NAME", "URL"), ("PATIENT",)),
        (("FECHAS", "HOSPITAL"), ("CALLE",), ()),
        (("CALLE",), ("DATE", "PATIENT"), ("CALLE",)),
        (("SITE-A", "SITE-B"), ("SITE-A",), ("SITE-B",)),
        (("SITE-A",), ("SITE-A",), ()),
    ],
)
def test_labels_of_no_set_of_the_other_side_are_unknown(labels, others, unknown):
    assert unknown_labels(labels, others) == unknown


def test_every_label_of_a_shipped_map_is_foreign_to_native_predictions_or_native():
    for label in load_map("asq_phi").table:
        native = {"PATIENT", "DATE", "DEVICE"}
        assert unknown_labels([label], native) in ((), (label,))


GOLD = [document("{NAME a} {DATE b} c", "1")]
FOUND = [document("{PATIENT a} {DATE b} c", "1")]


def test_table_json_and_page_have_the_warnings():
    report = compare(GOLD, FOUND, tokenize=tokenize, resamples=0)
    gold, predicted = report.warnings
    assert gold == (
        "gold labels unknown to the prediction: NAME. Their spans can never match by label; map "
        "them with --label-map asq_phi"
    )
    assert predicted.startswith("predicted labels unknown to gold: PATIENT.")
    assert "--predicted-label-map" in predicted
    assert f"warning: {gold}" in report.as_table().splitlines()
    assert json.loads(json.dumps(report.as_json()))["warnings"] == [gold, predicted]
    assert f'<p class="warning">Warning: {gold}</p>' in page(report, facts={}).decode()


def test_a_map_that_lacks_a_label_of_the_side_is_not_suggested():
    (said, _) = label_warnings(("NAME", "DATE", "SITE-A"), ("PATIENT", "DATE"))
    assert said.startswith("gold labels unknown to the prediction: NAME, SITE-A.")
    assert said.endswith("--label-map and a map of your own: no shipped one has all gold labels")
    # SITE-A is known to the prediction, but the map would be refused for it all the same.
    said = next(label_warnings(("NAME", "SITE-A"), ("PATIENT", "SITE-A")))
    assert "asq_phi" not in said


@pytest.mark.parametrize("name", ["asq_phi", "i2b2_2006", "meddocan", "physionet"])
def test_a_map_that_is_suggested_is_not_refused(name):
    labels = tuple(load_map(name).table)
    for said in label_warnings(labels, ("PATIENT", "DOCTOR", "DEVICE")):
        if "gold labels" in said and "--label-map " in said:
            for suggested in said.partition("--label-map ")[2].split(" or "):
                assert all(load_map(suggested).apply(label) or True for label in labels)


def test_without_resamples_there_is_no_row_of_intervals():
    def rows(resamples):
        metric = compare(GOLD, FOUND, tokenize=tokenize, resamples=resamples).metrics["strict"]
        return [line.strip().split("  ")[0] for line in metric.as_lines()]

    assert "95 %" not in rows(0) and "95 %" in rows(50)


def test_a_map_ends_the_warning():
    mapping = load_map("asq_phi")
    mapped = [document("{PATIENT a} {DATE b} c", "1")]
    assert mapping.apply("NAME") == "PATIENT"
    assert compare(mapped, FOUND, tokenize=tokenize, resamples=0).warnings == ()


def test_ignored_labels_are_not_warned_of():
    report = compare(GOLD, FOUND, tokenize=tokenize, resamples=0, ignore=("NAME", "PATIENT"))
    assert report.warnings == ()
