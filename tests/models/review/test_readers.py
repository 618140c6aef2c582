"""Agreement by hand, the order of reading, and what comes of differences."""

import itertools
import random

import pytest
from scrubline.models.core.errors import UsageError
from scrubline.models.review.adjudication import Decision, compared, decided
from scrubline.models.review.choosing import (
    MOST_OF_TEMPLATE,
    QueuedText,
    TeachingText,
    bars_of,
    is_read_twice,
    next_to_learn,
    worst_first,
)
from scrubline.models.review.readers import (
    TextOfReaders,
    agreement_of,
    cohen_kappa,
    krippendorff_alpha,
    seconds_a_text,
)
from scrubline.models.risk.rows import MarkedSpan, Stretch

TOKENS = [(at, at + 2) for at in range(0, 20, 2)]


def span(start, end, label="PATIENT", was=None):
    return MarkedSpan(start, end, label, was)


def text(**marks):
    return TextOfReaders(TOKENS, marks)


def test_f1_is_of_one_reader_against_the_other():
    found = agreement_of(
        [
            text(ana=[span(0, 2), span(4, 6)], ben=[span(0, 2), span(4, 6, "DOCTOR")]),
            text(ana=[span(8, 10, "DATE")], ben=[]),
        ]
    )
    # Strict: one in common, two of Ana alone, one of Ben alone. Blind: two, one, none.
    assert found.read_twice == 2
    assert found.strict.f1 == pytest.approx(2 / 5)
    assert found.blind.f1 == pytest.approx(4 / 5)
    assert found.strict.low <= found.strict.f1 <= found.strict.high
    assert found.by_label == {"DATE": (0.0, 1), "DOCTOR": (0.0, 1), "PATIENT": (2 / 3, 3)}
    (pair,) = found.pairs
    assert (pair.readers, pair.documents) == (("ana", "ben"), 2)
    assert pair.f1 == pytest.approx(2 / 5)
    assert found.alpha is None


def test_agreement_is_the_same_whoever_comes_first():
    marks = [[span(0, 2), span(6, 8)], [span(0, 2)]]
    one, other = (
        agreement_of([text(ana=first, ben=second)]) for first, second in (marks, marks[::-1])
    )
    assert (one.strict, one.blind, one.kappa) == (other.strict, other.blind, other.kappa)


def test_nothing_read_twice_agrees_on_nothing():
    found = agreement_of([])
    assert (found.read_twice, found.strict.f1, found.kappa, found.alpha) == (0, None, None, None)
    assert agreement_of([text(ana=[], ben=[])]).strict.f1 is None


def test_kappa_by_hand():
    # Cohen 1960: 50 things, 20 and 15 alike.
    table = {("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}
    assert cohen_kappa(table) == pytest.approx(0.4)
    assert cohen_kappa({("y", "y"): 7}) is None
    assert cohen_kappa({}) is None


def test_kappa_of_tokens_weighs_pairs_by_tokens():
    found = agreement_of([text(ana=[span(0, 4)], ben=[span(0, 2)])])
    # 10 tokens: 1 both, 1 Ana alone, 8 neither.
    seen, expected = 0.9, (2 * 1 + 8 * 9) / 100
    assert found.kappa == pytest.approx((seen - expected) / (1 - expected))


def test_alpha_of_krippendorffs_example():
    # Krippendorff 2011, "Computing Krippendorff's alpha-reliability", nominal data, any number of
    # observers, missing data: .743.
    units = [
        *(("1", "1", "1"), ("2", "2", "3", "2"), ("3", "3", "3", "3"), ("3", "3", "3", "3")),
        *(("2", "2", "2", "2"), ("1", "2", "3", "4"), ("4", "4", "4", "4"), ("1", "1", "2", "1")),
        *(("2", "2", "2", "2"), ("5", "5", "5"), ("1", "1"), ("3",)),
    ]
    assert krippendorff_alpha(units) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha([("a",), ("b",)]) is None
    assert krippendorff_alpha([("a", "a"), ("a", "a")]) is None
    assert krippendorff_alpha([]) is None


def test_alpha_is_of_texts_that_three_have_read():
    two = text(ana=[span(0, 2)], ben=[span(2, 4)])
    three = text(ana=[span(0, 2)], ben=[span(0, 2)], cem=[span(0, 2)])
    found = agreement_of([two, three])
    assert found.alpha == 1
    assert len(found.pairs) == 3
    assert [pair.documents for pair in found.pairs] == [2, 1, 1]


def test_pauses_do_not_move_the_time_that_a_note_takes():
    assert seconds_a_text([40, 60, 50, 9000]) == 55
    assert seconds_a_text([]) is None


# -- order


def test_the_worst_come_first():
    texts = [
        QueuedText("a", "t", risk=3),
        QueuedText("b", "t", risk=9),
        QueuedText("c", "t", risk=-4, disagreement=90),
        QueuedText("d", "t", disagreement=7),
        QueuedText("e", "t", disagreement=8),
        QueuedText("f", "t", risk=3),
    ]
    for some in itertools.islice(itertools.permutations(texts), 0, 720, 97):
        assert "".join(one.doc_key for one in worst_first(some)) == "bafced"


def test_bars_are_ranks():
    assert [bars_of(rank, 14) for rank in (1, 2, 3, 13, 14)] == [7, 7, 6, 1, 1]
    assert {bars_of(rank, 1000) for rank in range(1, 1001)} == set(range(1, 8))
    assert bars_of(1, 1) == 7


def test_a_tenth_is_read_twice():
    chosen = sum(is_read_twice(b"key", (str(at), "t")) for at in range(5000))
    assert 400 < chosen < 600
    assert is_read_twice(b"key", ("1", "t")) == is_read_twice(b"key", ("1", "t"))


def teaching(count, seed=1):
    values = random.Random(seed)
    return [
        TeachingText(
            f"{at:04}", "t", values.random(), f"template {at % 9}", "letter" if at % 4 else "other"
        )
        for at in range(count)
    ]


def test_the_first_notes_are_chosen_at_random_and_by_type():
    texts = teaching(400)
    first = next_to_learn(texts, b"key", 25)
    assert len(set(first)) == 25
    assert sum(one.note_type == "letter" for one in first) in (18, 19)
    uncertain = sum(one.uncertainty for one in first) / 25
    assert 0.3 < uncertain < 0.7
    assert next_to_learn(texts[::-1], b"key", 25) == first
    assert next_to_learn(texts, b"other", 25) != first


def test_later_ones_are_mostly_the_least_certain_and_not_all_of_one_template():
    texts = teaching(400)
    batch = next_to_learn(texts, b"key", 25, already_read=25)
    assert len(set(batch)) == 25
    by_score = batch[:20]
    assert min(one.uncertainty for one in by_score) > 0.9
    counts = [sum(one.template == f"template {at}" for one in by_score) for at in range(9)]
    assert max(counts) <= MOST_OF_TEMPLATE


def test_a_batch_that_begins_among_the_first_has_both():
    batch = next_to_learn(teaching(400), b"key", 25, already_read=15)
    assert len(set(batch)) == 25


@pytest.mark.parametrize("count", [0, 3, 7])
def test_there_are_no_more_than_there_are(count):
    for read in (0, 100):
        assert len(next_to_learn(teaching(count), b"key", 25, read)) == count


# -- adjudication

ANA = [span(0, 2), span(4, 6), span(8, 10, "DATE")]
BEN = [span(0, 2), span(4, 6, "DOCTOR", Stretch(4, 6))]


def test_what_readers_agree_on_is_no_difference():
    agreed, differences = compared({"ana": ANA, "ben": BEN})
    assert agreed == (span(0, 2),)
    assert [(one.start, one.end, one.marks) for one in differences] == [
        (4, 6, {"ana": "PATIENT", "ben": "DOCTOR"}),
        (8, 10, {"ana": "DATE", "ben": None}),
    ]


def test_decisions_join_what_is_agreed():
    readings = {"ana": ANA, "ben": BEN}
    spans, verdict = decided(readings, [Decision(4, 6, "STAFF"), Decision(8, 10)])
    assert spans == (span(0, 2), span(4, 6, "STAFF", Stretch(4, 6)))
    assert verdict == "done"


def test_what_is_undecided_leaves_the_text_open():
    spans, verdict = decided(
        {"ana": ANA, "ben": BEN}, [Decision(4, 6, "undecided"), Decision(8, 10, "DATE")]
    )
    assert spans == (span(0, 2), span(8, 10, "DATE"))
    assert verdict == "open"


@pytest.mark.parametrize(
    "decisions",
    [
        [],
        [Decision(4, 6)],
        [Decision(4, 6), Decision(8, 10), Decision(0, 2)],
        [Decision(4, 6), Decision(8, 10), Decision(8, 10, "DATE")],
    ],
)
def test_each_difference_is_decided_once(decisions):
    with pytest.raises(UsageError, match="one decision"):
        decided({"ana": ANA, "ben": BEN}, decisions)
