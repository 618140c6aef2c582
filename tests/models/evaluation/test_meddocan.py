import pytest
from hypothesis import given
from scrubline.models.evaluation.meddocan import merged
from scrubline.models.text.tokenizer import tokenize_documents

from ...examples import examples
from .makers import counts, document, measured, pairs, placed


@pytest.mark.parametrize(
    ("gold", "predicted", "strict", "joined"),
    [
        ("{N Ana} {N Ruiz}", "{N Ana} {N Ruiz}", (2, 0, 0), (3, 0, 0)),
        ("{N Ana} {N Ruiz}", "{N Ana Ruiz}", (0, 1, 2), (1, 0, 0)),
        ("{N Ana Ruiz}", "{N Ana} {N Ruiz}", (0, 2, 1), (1, 0, 0)),
        ("{N Ana} {N Ruiz}", "{X Ana} {X Ruiz}", (2, 0, 0), (3, 0, 0)),
        ("{N Ana}, ({N Ruiz})", "{N Ana, (Ruiz})", (0, 1, 2), (1, 0, 0)),
        ("{N Ana} y {N Ruiz}", "{N Ana y Ruiz}", (0, 1, 2), (0, 1, 2)),  # a letter between
        ("{N Ana} 2 {N Ruiz}", "{N Ana 2 Ruiz}", (0, 1, 2), (0, 1, 2)),  # a digit between
        ("{N Ana} {N Ruiz}", "{N Ana} Ruiz", (1, 0, 1), (1, 0, 1)),
        ("{N Ana} Ruiz", "{N Ana} {N Ruiz}", (1, 1, 0), (1, 1, 0)),
        ("{N Ana} Ruiz", "Ana {N Ruiz}", (0, 1, 1), (0, 1, 1)),
        ("Ana", "Ana", (0, 0, 0), (0, 0, 0)),
    ],
)
def test_sensitive_spans_by_hand(gold, predicted, strict, joined):
    sides = [document(gold)], [document(predicted)]
    assert counts(*sides, "meddocan_strict") == strict
    assert counts(*sides, "meddocan_merged") == joined


def test_labels_do_not_matter_and_equal_stretches_count_once():
    gold = [placed("Ana x", (0, 3, "N"), (0, 3, "M"))]
    assert counts(gold, [document("{Z Ana} x")], "meddocan_strict") == (1, 0, 0)


@pytest.mark.parametrize(
    ("text", "places", "expected"),
    [
        ("ab", [], []),
        ("a b", [(0, 1), (2, 3)], [(0, 3)]),
        ("ab", [(0, 1), (1, 2)], [(0, 2)]),
        ("a-é-b", [(0, 1), (2, 3), (4, 5)], [(0, 5)]),
        ("a_b", [(0, 1), (2, 3)], [(0, 3)]),  # an underscore is no letter
        ("aéb", [(0, 1), (2, 3)], [(0, 1), (2, 3)]),
        ("a²b", [(0, 1), (2, 3)], [(0, 1), (2, 3)]),  # isalnum takes it for a digit
        ("abcd", [(0, 4), (1, 2)], [(0, 2)]),  # the script's way with nested spans
    ],
)
def test_joining(text, places, expected):
    assert merged(text, places) == expected


def test_a_span_within_a_joined_one_that_is_right_is_no_mistake():
    gold, predicted = [document("{N a} {N b c}")], [document("{N a b} {N c}")]
    # Joined both are (0, 5); all four lie within it.
    assert counts(gold, predicted, "meddocan_merged") == (1, 0, 0)
    assert counts(gold, predicted, "meddocan_strict") == (0, 2, 2)


def test_leak_score_by_hand():
    gold = [document("{N a} {N b}. c", "1"), document("{N a} b", "2")]
    predicted = [document("{N a} {M b}. c", "1"), document("a b", "2")]
    # The maker's sentences are its tokens: 4 and 2. Missed: b with a wrong label, and a.
    share = measured(gold, predicted, "meddocan_leak").shares["missed_spans_per_sentence"]
    assert (share.count, share.of) == (2, 6)
    assert share.rate == pytest.approx(1 / 3)


def test_sentences_are_those_of_our_tokenizer():
    gold = [document("The man was seen today. He was {N Lee}. He went home.")]
    predicted = [document("The man was seen today. He was Lee. He went home.")]
    share = measured(gold, predicted, "meddocan_leak", tokenize=tokenize_documents).shares
    assert share["missed_spans_per_sentence"].of == 3


@given(pairs())
@examples(100)
def test_merged_equals_a_slow_count(both):
    tp = fp = fn = 0
    for gold, predicted in zip(*both, strict=True):
        sides = []
        for one in (gold, predicted):
            own = sorted({(s.start, s.end) for s in one.spans})
            joined = []
            for place in own:
                between = one.text[joined[-1][1] : place[0]] if joined else "x"
                if any(c.isalnum() for c in between):
                    joined.append(place)
                else:
                    joined.append((joined.pop()[0], place[1]))
            sides.append((set(own), set(joined)))
        (gold_own, gold_joined), (own, joined) = sides
        right = (gold_own & own) | (gold_joined & joined)

        def inside(place, right=right):
            return any(a <= place[0] and place[1] <= b for a, b in right)

        tp += len(right)
        fp += sum(not inside(place) for place in own - gold_own)
        fn += sum(not inside(place) for place in gold_own - own)
    assert counts(*both, "meddocan_merged") == (tp, fp, fn)
