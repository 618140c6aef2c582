"""The track's scores by hand, and against a slow scorer that follows the script's rules.

The slow scorer reads the XML that we write, as the script does: by the elements of TAGS.
"""

import math
import re
from statistics import fmean, pstdev
from xml.etree import ElementTree

import pytest
from hypothesis import given
from scrubline.models.core.labels import CATEGORIES, LABELS
from scrubline.models.corpora import i2b2_2014
from scrubline.models.evaluation import compare

from ...examples import examples
from .makers import counts, document, measured, pairs, placed, tokenize

TEXT = "seen by Ann Lee on 3 May 2012 in Rome"


@pytest.mark.parametrize(
    ("start", "end", "label", "strict", "relaxed"),
    [
        (8, 15, "DOCTOR", 1, 1),
        (8, 16, "DOCTOR", 0, 1),
        (8, 17, "DOCTOR", 0, 1),
        (8, 18, "DOCTOR", 0, 0),  # three too far
        (8, 14, "DOCTOR", 0, 1),
        (8, 13, "DOCTOR", 0, 1),
        (8, 12, "DOCTOR", 0, 0),
        (7, 15, "DOCTOR", 0, 0),  # the start is never off
        (9, 15, "DOCTOR", 0, 0),
        (6, 15, "DOCTOR", 0, 0),
        (8, 15, "PATIENT", 0, 0),  # nor is the label, within a category either
        (8, 15, "CITY", 0, 0),
    ],
)
def test_relaxed_lets_only_the_end_be_off_by_two(start, end, label, strict, relaxed):
    gold, predicted = [placed(TEXT, (8, 15, "DOCTOR"))], [placed(TEXT, (start, end, label))]
    assert counts(gold, predicted, "strict") == (strict, 1 - strict, 1 - strict)
    assert counts(gold, predicted, "i2b2_2014_relaxed") == (relaxed, 1 - relaxed, 1 - relaxed)


def test_relaxed_drops_of_one_side_what_equals_a_longer_one():
    gold = [placed(TEXT, (8, 15, "DOCTOR"), (8, 14, "DOCTOR"), (8, 12, "DOCTOR"))]
    # 15 takes 14 away, 12 is three from 15 and stays.
    assert counts(gold, gold, "i2b2_2014_relaxed") == (2, 0, 0)
    assert counts(gold, gold, "strict") == (3, 0, 0)


def test_relaxed_counts_the_smaller_side():
    # Both of gold equal the one predicted; the predicted side is the smaller: one hit.
    gold = [placed(TEXT, (8, 12, "DOCTOR"), (8, 15, "DOCTOR"))]
    predicted = [placed(TEXT, (8, 13, "DOCTOR"))]
    assert counts(gold, predicted, "i2b2_2014_relaxed") == (1, 0, 0)
    assert counts(predicted, gold, "i2b2_2014_relaxed") == (1, 0, 0)
    # With as many on both sides the predicted ones are counted.
    padded = [placed(TEXT, (8, 13, "DOCTOR"), (33, 37, "CITY"))]
    assert counts(gold, padded, "i2b2_2014_relaxed") == (1, 1, 0)
    assert counts(padded, gold, "i2b2_2014_relaxed") == (2, 0, 1)


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ("{DOCTOR Ann Lee}", "{DOCTOR Ann} {DOCTOR Lee}", (2, 0, 0)),
        ("{DOCTOR Ann Lee}", "{DOCTOR Ann} Lee", (1, 0, 1)),
        ("{DOCTOR Ann Lee}", "{DOCTOR Ann} {PATIENT Lee}", (1, 1, 1)),
        ("{DOCTOR Ann} Lee", "{DOCTOR Ann Le}e", (1, 1, 0)),
        ("{DATE 3/4-2012}", "{DATE 3}/{DATE 4}-{DATE 2012}", (3, 0, 0)),
        ("{DATE 3/4}", "{DATE 3/}{DATE 4}", (2, 0, 0)),
        ("{PHONE (617) 555}", "({PHONE 617) 555}", (2, 0, 0)),
        # Letters beyond ASCII part words: "Jos", "P" and "rez".
        ("{DOCTOR José Pérez}", "{DOCTOR Jos}é Pé{DOCTOR rez}", (2, 0, 1)),
        ("{DOCTOR a_b}", "{DOCTOR a}_b", (1, 0, 1)),
        # A span without any is one empty token at its end.
        ("{ID ---} x", "{ID ---} x", (1, 0, 0)),
        ("{ID ---} x", "{ID --}- x", (0, 1, 1)),
        ("{ID ---} x", "-{ID --} x", (1, 0, 0)),
    ],
)
def test_tokens_split_phrases_into_words(gold, predicted, expected):
    assert counts([document(gold)], [document(predicted)], "i2b2_2014_token") == expected


def test_hipaa_is_what_the_script_lets_through():
    outside = {
        *("DOCTOR", "USERNAME", "PROFESSION", "HOSPITAL", "STATE", "COUNTRY", "LOCATION-OTHER"),
        *("URL", "IPADDR", "IDNUM", "PHI"),
    }
    every = [document(" ".join(f"{{{label} x}}" for label in LABELS))]
    for level in ("strict", "relaxed", "token"):
        found = measured(every, every, f"i2b2_2014_hipaa_{level}")
        assert set(found.by_label) == set(LABELS) - outside
        assert found.micro.tp == len(LABELS) - len(outside)


def test_hipaa_drops_the_others_before_anything_is_counted():
    # Relaxed counts the smaller side: HOSPITAL, gone, does not make gold the larger one.
    gold = [placed(TEXT, (8, 12, "CITY"), (8, 15, "CITY"), (33, 37, "HOSPITAL"))]
    predicted = [placed(TEXT, (8, 13, "CITY"), (20, 22, "DATE"))]
    assert counts(gold, predicted, "i2b2_2014_hipaa_relaxed") == (1, 1, 0)
    assert counts(predicted, gold, "i2b2_2014_hipaa_relaxed") == (2, 0, 1)


def test_categories_sum_their_labels():
    gold = [document("{PATIENT a} {DOCTOR b} {CITY c} {DATE d}")]
    predicted = [document("{PATIENT a} {PATIENT b} {CITY c} {AGE d}")]
    found = measured(gold, predicted, "i2b2_2014_category").by_label
    assert {name: (s.tp, s.fp, s.fn) for name, s in found.items()} == {
        "NAME": (1, 1, 1),  # the sub-category has to be right
        "LOCATION": (1, 0, 0),
        "DATE": (0, 0, 1),
        "AGE": (0, 1, 0),
    }


@pytest.mark.parametrize(
    "metric",
    [
        *(f"i2b2_2014_{level}" for level in ("relaxed", "token", "category")),
        *(f"i2b2_2014_hipaa_{level}" for level in ("strict", "relaxed", "token")),
        "i2b2_2006_token",
    ],
)
def test_phi_of_unknown_kind_has_no_typed_score_and_counts_label_blind(metric):
    gold = [document("{PATIENT a} {CITY b} {PHI c} {DATE d}")]
    predicted = [document("{PHI a} {CITY b} {PHI c} {PHI d}")]
    # PATIENT and DATE are missed; that PHI was found there is no false alarm.
    assert counts(gold, predicted, metric) == (1, 0, 2)
    assert "PHI" not in (measured(gold, predicted, metric).by_label or {})
    assert counts(gold, predicted, "token_blind") == (4, 0, 0)
    assert counts(gold, predicted, "strict") == (2, 2, 2)  # labels as they are written


def test_macro_is_over_documents():
    gold = [
        document("{DATE a} {DATE b} {DATE c} {DATE d}", "1"),
        document("{DATE a} b", "2"),
        document("a b", "3"),
        document("a {CITY b}", "4"),
    ]
    predicted = [
        document("{DATE a} {DATE b} {DATE c} d", "1"),  # P 1, R 3/4
        document("{DATE a} {DATE b}", "2"),  # P 1/2, R 1
        document("a b", "3"),  # nothing on either side: P 0, R 0
        document("a b", "4"),  # P 0, R 0
    ]
    found = measured(gold, predicted, "strict")
    precision, recall = (1 + 1 / 2) / 4, (3 / 4 + 1) / 4
    assert found.documents.precision == pytest.approx(precision)
    assert found.documents.recall == pytest.approx(recall)
    # Of the means, not the mean of the documents' F1.
    assert found.documents.f1 == pytest.approx(2 * precision * recall / (precision + recall))
    assert found.deviations == pytest.approx((pstdev([1, 0.5, 0, 0]), pstdev([0.75, 1, 0, 0])))
    assert (found.micro.tp, found.micro.fp, found.micro.fn) == (4, 1, 2)


def test_no_documents_have_no_mean():
    found = measured([], [], "strict")
    assert (found.documents, found.deviations) == (None, None)


@pytest.mark.parametrize("metric", ["i2b2_2014_category", "i2b2_2014_hipaa_strict"])
def test_foreign_labels_are_left_out_and_it_is_said(metric):
    gold = [document("{TERRITORIO a}")]
    report = compare(gold, gold, tokenize=tokenize)
    assert metric not in report.metrics
    assert "native labels" in report.left_out[metric]
    assert f"  {metric}: " in report.as_table()
    assert metric in report.as_json()["left_out"]
    native = compare([document("{CITY a}")], [document("{CITY a}")], tokenize=tokenize)
    assert metric in native.metrics
    assert not native.left_out


# --- a slow scorer by the script's rules -------------------------------------------------------

HIPAA = {
    "NAME": ["PATIENT"],
    "LOCATION": ["CITY", "STREET", "ZIP", "ORGANIZATION"],
    "CONTACT": ["PHONE", "FAX", "EMAIL"],
    "ID": [
        "SSN",
        "MEDICALRECORD",
        "HEALTHPLAN",
        "ACCOUNT",
        "LICENSE",
        "VEHICLE",
        "DEVICE",
        "BIOID",
    ],
    "DATE": ["DATE"],
    "AGE": ["AGE"],
}


class Tag:
    """Equal if element, TYPE and start are, and the ends differ by at most `reach`."""

    def __init__(self, name: str, label: str, start: int, end: int, reach: int) -> None:
        self.key, self.end, self.reach = (name, label, start), end, reach

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, Tag)
        return self.key == other.key and abs(self.end - other.end) <= self.reach

    def __hash__(self) -> int:
        return hash(self.key)


def tags_of(xml: bytes, level: str, hipaa: bool) -> set[Tag]:
    root = ElementTree.fromstring(xml)
    text = root.find("TEXT").text or ""
    rows = [
        (name, element.get("TYPE"), int(element.get("start")), int(element.get("end")))
        for name in CATEGORIES
        for element in root.find("TAGS").findall(name)
        if not hipaa or element.get("TYPE") in HIPAA.get(name, [])
    ]
    if level != "token":
        return {Tag(*row, reach=2 if level == "relaxed" else 0) for row in rows}
    tokens = set()
    for name, label, start, end in rows:
        # Split as by a capturing group: what is between, a token, what is between, ...
        pieces = re.split("([a-zA-Z0-9]+)", text[start:end])
        if len(pieces) == 1:
            pieces += ["", ""]
        at = start
        for index, piece in enumerate(pieces):
            if index % 2:
                tokens.add(Tag(name, label, at, at + len(piece), 0))
            at += len(piece)
    return tokens


def part(some: float, of: float) -> float:
    return some / of if of else 0.0


def script_scores(gold, predicted, level, hipaa):
    """Micro and macro (P, R, F), and the deviations, of lists of XML files."""
    rows = []
    for one, other in zip(gold, predicted, strict=True):
        truth, system = tags_of(one, level, hipaa), tags_of(other, level, hipaa)
        rows.append((len(truth & system), len(system - truth), len(truth - system)))
    tp, fp, fn = (sum(row[at] for row in rows) for at in range(3))
    precisions = [part(row[0], row[0] + row[1]) for row in rows]
    recalls = [part(row[0], row[0] + row[2]) for row in rows]
    micro = (part(tp, tp + fp), part(tp, tp + fn))
    macro = (fmean(precisions), fmean(recalls))
    f1 = [2 * part(p * r, p + r) for p, r in (micro, macro)]
    return (*micro, f1[0]), (*macro, f1[1]), (pstdev(precisions), pstdev(recalls))


@given(pairs("ab1. é-", ["PATIENT", "DOCTOR", "CITY", "IDNUM", "AGE"]))
@examples(120)
def test_ours_are_the_scripts_on_the_xml_that_we_write(both):
    if not both[0]:
        return
    files = [[i2b2_2014.render([one]) for one in side] for side in both]
    gold, predicted = ([next(iter(file.values())) for file in side] for side in files)
    metrics = compare(*both, tokenize=tokenize, resamples=0).metrics
    for hipaa in (False, True):
        for level in ("strict", "relaxed", "token"):
            name = f"i2b2_2014_{'hipaa_' if hipaa else ''}{level}"
            found = metrics["strict" if name == "i2b2_2014_strict" else name]
            micro, macro, deviations = script_scores(gold, predicted, level, hipaa)
            ours = (found.micro.precision, found.micro.recall, found.micro.f1)
            assert [value or 0.0 for value in ours] == pytest.approx(micro)
            ours = (found.documents.precision, found.documents.recall, found.documents.f1)
            assert list(ours) == pytest.approx(macro)
            assert list(found.deviations) == pytest.approx(deviations)
            assert math.isclose(sum(score.tp for score in found.by_label.values()), found.micro.tp)
