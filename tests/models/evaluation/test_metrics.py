"""Each metric against numbers counted by hand, against a slow and obvious count, and its laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.evaluation import Score, compare

from ...examples import examples
from .makers import PLAIN, WORD, document, pairs, tokenize

SHARES = {"documents", "clinical", "meddocan_leak", "error_groups"}
MATRICES = {
    *("hide_confusion", "hide_confusion_blanks", "phi_confusion"),
    *("error_labels", "error_extents"),
}
COUNTED = PLAIN.keys() - SHARES - MATRICES
SWAPPED = (
    COUNTED
    - {name for name in PLAIN if name.startswith("i2b2_2014_h")}
    - {
        "i2b2_2014_category",
        "i2b2_2014_relaxed",
        "i2b2_2006_token",
    }
)
"""Those that these labels allow and that treat both sides alike, as relaxed does not."""


def scores(gold, predicted, metric, **options):
    options = {"tokenize": tokenize, "resamples": 20} | options
    return compare(gold, predicted, **options).metrics[metric]


def shares(gold, predicted, **options):
    found = scores(gold, predicted, "documents", **options).shares
    return {name: (share.count, share.of) for name, share in found.items()}


GOLD = [
    document("Dr {DOCTOR Ann Lee} saw {PATIENT Bob} on {DATE 3 May}.", "a"),
    document("Ms {PATIENT Eve} of {CITY Rome}", "b"),
    document("No names here", "c"),
]
PREDICTED = [
    document("Dr {DOCTOR Ann} Lee saw {PATIENT Bob} on {AGE 3 May}{DATE .}", "a"),
    document("Ms {PATIENT Eve} {CITY of} Rome", "b"),
    document("No names {CITY here}", "c"),
]


def test_strict_spans_by_hand():
    found = scores(GOLD, PREDICTED, "strict")
    assert found.by_label == {
        "AGE": Score(0, 1, 0),
        "CITY": Score(0, 2, 1),
        "DATE": Score(0, 1, 1),
        "DOCTOR": Score(0, 1, 1),
        "PATIENT": Score(2, 0, 0),
    }
    assert found.micro == Score(2, 5, 3)
    assert found.micro.precision == 2 / 7
    assert found.micro.recall == 2 / 5
    assert found.micro.f1 == pytest.approx(2 * (2 / 7) * (2 / 5) / (2 / 7 + 2 / 5))
    assert found.macro.precision == found.macro.recall == found.macro.f1 == pytest.approx(1 / 5)


def test_tokens_by_hand():
    found = scores(GOLD, PREDICTED, "token")
    assert found.by_label == {
        "AGE": Score(0, 2, 0),
        "CITY": Score(0, 2, 1),
        "DATE": Score(0, 1, 2),
        "DOCTOR": Score(1, 0, 1),
        "PATIENT": Score(2, 0, 0),
    }
    assert found.micro == Score(3, 5, 4)
    # P: AGE 0, CITY 0, DATE 0, DOCTOR 1, PATIENT 1.  R: AGE undefined (0), DOCTOR 1/2, PATIENT 1.
    assert found.macro.precision == pytest.approx(2 / 5)
    assert found.macro.recall == pytest.approx(1.5 / 5)
    assert found.macro.f1 == pytest.approx((2 / 3 + 1) / 5)


def test_label_blind_tokens_by_hand():
    found = scores(GOLD, PREDICTED, "token_blind")
    # Found: Ann, Bob, 3, May, Eve.  Spurious: ".", of, here.  Missed: Lee, Rome.
    assert found.micro == Score(5, 3, 2)
    assert found.macro is None
    assert found.by_label == {}


def test_characters_by_hand():
    # Found: Ann 3, Bob 3, "3 May" 5, Eve 3.
    # Spurious: "." 1, of 2, here 4.  Missed: " Lee" 4, Rome 4.
    assert scores(GOLD, PREDICTED, "character").micro == Score(14, 7, 8)


def test_documents_by_hand():
    assert shares(GOLD, PREDICTED) == {
        "leaked": (2, 3),
        "leaked_where_phi": (2, 2),
        "leaked_blanks_only": (0, 3),
        "clean": (1, 3),
        "exact": (0, 3),
    }


@pytest.mark.parametrize(
    ("predicted", "leaked", "blanks_only", "exact"),
    [
        ("{DOCTOR Ann Lee} {DATE 3}", 0, 0, 1),
        ("{DATE Ann Lee} {AGE 3}", 0, 0, 0),  # wrong labels leak nothing
        ("{DOCTOR Ann Lee 3}", 0, 0, 0),
        ("{DOCTOR Ann}{DOCTOR  Lee} {DATE 3}", 0, 0, 0),
        ("{DOCTOR Ann} {DOCTOR Lee} {DATE 3}", 1, 1, 0),
        ("{DOCTOR Ann L}ee {DATE 3}", 1, 0, 0),
        ("{DOCTOR Ann Le}e {DATE 3}", 1, 0, 0),
        ("A{DOCTOR nn Lee} {DATE 3}", 1, 0, 0),
        ("{DOCTOR Ann Lee} 3", 1, 0, 0),
        ("Ann Lee 3", 1, 0, 0),
    ],
)
def test_one_character_is_a_leak(predicted, leaked, blanks_only, exact):
    found = shares([document("{DOCTOR Ann Lee} {DATE 3}")], [document(predicted)])
    assert found == {
        "leaked": (leaked, 1),
        "leaked_where_phi": (leaked, 1),
        "leaked_blanks_only": (blanks_only, 1),
        "clean": (1 - leaked, 1),
        "exact": (exact, 1),
    }


def test_a_token_counts_once_touched():
    gold, predicted = [document("x{A bcd}e fg")], [document("xb{A cde f}g")]
    assert scores(gold, predicted, "token").micro == Score(1, 1, 0)
    assert scores(gold, predicted, "character").micro == Score(2, 3, 1)


def test_spans_between_tokens_touch_none():
    gold, predicted = [document("a{X   }b")], [document("{X a}  {X b}")]
    assert scores(gold, predicted, "token").micro == Score(0, 2, 0)
    assert scores(gold, gold, "token").micro == Score(0, 0, 0)


def test_overlapping_spans_give_a_token_several_labels():
    text = "Mary Rose Hospital"
    gold = [AnnotatedDocument("1", text, (Annotation(0, 18, "HOSPITAL"), Annotation(0, 9, "NAME")))]
    predicted = [AnnotatedDocument("1", text, (Annotation(0, 18, "HOSPITAL"),))]
    assert scores(gold, predicted, "token").by_label == {
        "HOSPITAL": Score(3, 0, 0),
        "NAME": Score(0, 0, 2),
    }
    assert scores(gold, predicted, "token_blind").micro == Score(3, 0, 0)
    assert scores(gold, predicted, "character").micro == Score(18, 0, 0)
    assert shares(gold, predicted)["leaked"] == (0, 1)


def test_equal_spans_count_once():
    once = document("{A x} {B y}")
    twice = AnnotatedDocument(once.doc_id, once.text, once.spans * 2)
    assert scores([twice], [once], "strict").micro == Score(2, 0, 0)


def test_ignored_labels_count_on_neither_side():
    found = scores(GOLD, PREDICTED, "strict", ignore={"CITY", "DATE", "AGE", "no such label"})
    assert found.micro == Score(2, 1, 1)
    assert set(found.by_label) == {"DOCTOR", "PATIENT"}
    assert shares(GOLD, PREDICTED, ignore=["DOCTOR", "CITY"])["leaked"] == (0, 3)


def test_labels_are_mapped_on_both_sides_before_any_is_ignored():
    classes = {"DOCTOR": "NAME", "PATIENT": "NAME", "CITY": "PLACE", "DATE": "TIME", "AGE": "TIME"}
    found = scores(GOLD, PREDICTED, "strict", label_map=classes.get, ignore=["PLACE"])
    assert found.by_label == {"NAME": Score(2, 1, 1), "TIME": Score(1, 1, 0)}
    dropped = scores(GOLD, PREDICTED, "strict", label_map={"AGE": "DATE"}.get)
    assert dropped.by_label == {"DATE": Score(0, 1, 0)}


def test_nothing_predicted_leaves_precision_undefined():
    empty = [AnnotatedDocument(d.doc_id, d.text) for d in GOLD]
    for metric in ("strict", "token", "token_blind", "character"):
        found = scores(GOLD, empty, metric)
        assert (found.micro.precision, found.micro.recall, found.micro.f1) == (None, 0, 0)
        assert found.intervals.precision is None
        assert found.micro.fp == 0
        assert found.macro is None or found.macro.precision == 0
    assert shares(GOLD, empty)["leaked_where_phi"] == (2, 2)


def test_nothing_gold_leaves_recall_undefined():
    empty = [AnnotatedDocument(d.doc_id, d.text) for d in PREDICTED]
    found = scores(empty, PREDICTED, "strict").micro
    assert (found.precision, found.recall, found.f1) == (0, None, 0)
    report = scores(empty, PREDICTED, "documents").shares
    assert report["leaked_where_phi"].rate is None
    assert report["leaked_where_phi"].interval is None
    assert report["clean"].rate == 1


@pytest.mark.parametrize("documents", [[], [AnnotatedDocument("1", "")]], ids=["none", "empty"])
def test_nothing_at_all_leaves_everything_undefined(documents):
    for metric in ("strict", "token", "token_blind", "character"):
        found = scores(documents, documents, metric)
        assert (found.micro.precision, found.micro.recall, found.micro.f1) == (None, None, None)
        assert found.macro is None
        assert found.intervals.f1 is None
    assert shares(documents, documents)["leaked"] == (0, len(documents))


@pytest.mark.parametrize(
    ("gold", "predicted", "message"),
    [
        (["1", "2", "3"], ["1"], "2 of gold missing in predicted (ordinals 1, 2)"),
        (["1"], ["3", "1"], "1 of predicted missing in gold (ordinals 0)"),
        (["1", "2"], ["2", "1", "1"], "1 with a repeated doc_id in predicted (ordinals 2)"),
        (["1", "1", "1"], ["1"], "2 with a repeated doc_id in gold (ordinals 1, 2)"),
        ([], [str(i) for i in range(40)], "(ordinals 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...)"),
    ],
)
def test_both_sides_hold_the_same_documents(gold, predicted, message):
    def made(ids):
        return [AnnotatedDocument(f"MRN-{doc_id}", "Abernathy") for doc_id in ids]

    with pytest.raises(UsageError) as caught:
        compare(made(gold), made(predicted), tokenize=tokenize)
    assert message in str(caught.value)
    assert "MRN" not in str(caught.value)


def test_both_sides_hold_the_same_texts():
    gold = [AnnotatedDocument("MRN-1", "Abernathy"), AnnotatedDocument("MRN-2", "Bo")]
    predicted = [gold[1], AnnotatedDocument("MRN-1", "abernathy")]
    with pytest.raises(UsageError) as caught:
        compare(gold, predicted, tokenize=tokenize)
    assert "1 of predicted with a different text from gold (ordinals 1)" in str(caught.value)
    assert "bernathy" not in str(caught.value)
    assert "MRN" not in str(caught.value)


# --- laws ---------------------------------------------------------------------------------------

ALPHABET = "ab1.  \n🙂é\u2028\ud800"


def outcomes(gold: set, predicted: set) -> Score:
    return Score(len(gold & predicted), len(predicted - gold), len(gold - predicted))


def slow_tokens(documents: list[AnnotatedDocument]) -> set[tuple[str, tuple[int, int], str]]:
    return {
        (d.doc_id, m.span(), s.label)
        for d in documents
        for m in WORD.finditer(d.text)
        for s in d.spans
        if any(s.start <= at < s.end for at in range(*m.span()))
    }


def slow_characters(documents: list[AnnotatedDocument]) -> set[tuple[str, int]]:
    return {(d.doc_id, at) for d in documents for s in d.spans for at in range(s.start, s.end)}


@given(pairs(ALPHABET))
@examples(150)
def test_fast_counts_equal_slow_counts(both):
    gold, predicted = both
    metrics = compare(gold, predicted, tokenize=tokenize, resamples=3).metrics
    spans = [{(d.doc_id, s) for d in side for s in d.spans} for side in both]
    assert metrics["strict"].micro == outcomes(*spans)
    tokens = [slow_tokens(side) for side in both]
    assert metrics["token"].micro == outcomes(*tokens)
    for label, score in metrics["token"].by_label.items():
        assert score == outcomes(*({t for t in side if t[2] == label} for side in tokens))
    for label, score in metrics["strict"].by_label.items():
        assert score == outcomes(*({s for s in side if s[1].label == label} for side in spans))
    assert metrics["token_blind"].micro == outcomes(*({t[:2] for t in side} for side in tokens))
    characters = [slow_characters(side) for side in both]
    assert metrics["character"].micro == outcomes(*characters)
    left = characters[0] - characters[1]
    texts = {d.doc_id: d.text for d in gold}
    leaked = {doc_id for doc_id, _ in left}
    inked = {doc_id for doc_id, at in left if not texts[doc_id][at].isspace()}
    found = {name: share.count for name, share in metrics["documents"].shares.items()}
    assert found["leaked"] == found["leaked_where_phi"] == len(leaked)
    assert found["clean"] == len(gold) - len(leaked)
    assert found["leaked_blanks_only"] == len(leaked - inked)
    same = [set(g.spans) == set(p.spans) for g, p in zip(gold, predicted, strict=True)]
    assert found["exact"] == sum(same)


@given(pairs(ALPHABET))
@examples(50)
def test_swapping_the_sides_swaps_precision_and_recall(both):
    there = compare(*both, tokenize=tokenize, resamples=20).metrics
    back = compare(*reversed(both), tokenize=tokenize, resamples=20).metrics
    for name in SWAPPED:
        one, other = there[name].micro, back[name].micro
        assert (one.precision, one.recall, one.f1) == (other.recall, other.precision, other.f1)
        assert there[name].intervals.precision == back[name].intervals.recall
        assert there[name].intervals.f1 == back[name].intervals.f1
        if there[name].macro:
            assert there[name].macro.precision == pytest.approx(back[name].macro.recall)


@given(pairs(ALPHABET))
@examples(50)
def test_gold_against_itself_is_perfect(both):
    gold, _ = both
    metrics = compare(gold, gold, tokenize=tokenize, resamples=20).metrics
    for name in COUNTED & metrics.keys():
        micro = metrics[name].micro
        assert (micro.fp, micro.fn) == (0, 0)
        assert {micro.precision, micro.recall, micro.f1} == ({1} if micro.tp else {None})
    found = {name: (share.count, share.of) for name, share in metrics["documents"].shares.items()}
    assert found["leaked"][0] == 0
    assert found["clean"] == found["exact"] == (len(gold), len(gold))


@given(pairs(ALPHABET), st.randoms())
@examples(50)
def test_the_order_of_documents_does_not_matter(both, random):
    gold, predicted = both
    shuffled = [random.sample(side, len(side)) for side in both]
    reports = (
        compare(*sides, tokenize=tokenize, resamples=20).as_json()
        for sides in ((gold, predicted), shuffled)
    )
    one, other = ({**found, "worst_documents": None} for found in reports)  # they have ordinals
    assert one == other


@given(pairs(ALPHABET), st.data())
@examples(50)
def test_finding_one_more_gold_span_never_costs_recall(both, data):
    gold, predicted = both
    if not (missed := [i for i, d in enumerate(gold) if d.spans]):
        return
    at = data.draw(st.sampled_from(missed))
    span = data.draw(st.sampled_from(gold[at].spans))
    old = predicted[at]
    more = [*predicted]
    more[at] = AnnotatedDocument(old.doc_id, old.text, (*old.spans, span))
    before = compare(gold, predicted, tokenize=tokenize, resamples=0).metrics
    after = compare(gold, more, tokenize=tokenize, resamples=0).metrics
    for name in ("character", "token_blind", "token", "strict"):
        assert after[name].micro.tp >= before[name].micro.tp
        assert after[name].micro.fn <= before[name].micro.fn
    assert after["documents"].shares["leaked"].count <= before["documents"].shares["leaked"].count


@given(pairs(ALPHABET, ["PATIENT", "CITY", "AGE"]))
@examples(50)
def test_micro_counts_are_the_sums_over_labels(both):
    metrics = compare(*both, tokenize=tokenize, resamples=3).metrics
    assert metrics.keys() == PLAIN.keys()
    for name in COUNTED:
        by_label = metrics[name].by_label.values()
        if by_label:
            counts = [(score.tp, score.fp, score.fn) for score in by_label]
            micro = metrics[name].micro
            assert tuple(map(sum, zip(*counts, strict=True))) == (micro.tp, micro.fp, micro.fn)
    category, strict = metrics["i2b2_2014_category"].micro, metrics["strict"].micro
    assert category == strict


def test_every_score_has_an_interval_about_it():
    gold = [document("{PATIENT Ann} {CITY Rome} {AGE 9}", f"{n:02}") for n in range(40)]
    found = [
        document(
            "{PATIENT Ann} {CITY Rome} 9" if n % 4 else "{PATIENT Ann} {AGE Rome} 9", f"{n:02}"
        )
        for n in range(40)
    ]
    report = compare(gold, found, tokenize=tokenize, resamples=200)
    for name in COUNTED - {"i2b2_2006_token"}:
        scores = report.metrics[name]
        levels = [(scores.micro, scores.intervals), (scores.documents, scores.document_intervals)]
        levels += [(score, scores.label_intervals[one]) for one, score in scores.by_label.items()]
        for score, intervals in levels:
            for ratio in ("precision", "recall", "f1"):
                value, interval = getattr(score, ratio), getattr(intervals, ratio)
                assert (value is None) == (interval is None)
                if interval:
                    assert interval.low - 1e-9 <= value <= interval.high + 1e-9
    recall = report.metrics["strict"].intervals.recall
    assert 0.5 < recall.low < 0.5834 < recall.high < 0.667
