"""Nights are compared with those before: no alarm without cause, and one where there is cause."""

import collections
import random

import pytest
from scrubline.models.risk.drift import distribution_of, least_distance
from scrubline.models.risk.nights import LEAST_COMPARED, LEAST_DISTANCE, drift_of_nights


def night(draw, texts, *, shift=0.0, mixed=1.0):
    """Invented numbers of tokens; `mixed` is the share of texts that are shifted."""
    return collections.Counter(
        round(draw.lognormvariate(5.8 + (shift if draw.random() < mixed else 0.0), 0.7))
        for _ in range(texts)
    )


def drifts(nights, **changes):
    return drift_of_nights(nights, **({"least": 5, "most": 30, "series": 3} | changes))


def test_what_was_not_changed_does_not_drift():
    draw = random.Random(1)
    found = drifts([night(draw, draw.randint(20, 2000)) for _ in range(200)])
    assert found[:5] == [None] * 5 and None not in found[5:]
    assert not any(one.is_drift for one in found[5:])


@pytest.mark.parametrize(
    ("texts", "shift", "mixed", "is_drift"),
    [
        (1000, 0.4, 1.0, True),
        (1000, 2.0, 0.2, True),
        (100_000, 0.02, 1.0, False),  # more than chance, and too small to matter
        (20, 0.1, 1.0, False),
        (25, 3.0, 1.0, True),
    ],
)
def test_a_changed_night_is_told(texts, shift, mixed, is_drift):
    draw = random.Random(2)
    nights = [night(draw, texts) for _ in range(8)]
    [*_, last] = drifts([*nights, night(draw, texts, shift=shift, mixed=mixed)])
    assert last.is_drift == is_drift


def test_one_great_night_does_not_stand_for_all():
    draw = random.Random(3)
    archive = night(draw, 100_000, shift=1.0)
    found = drifts([archive, *(night(draw, 300) for _ in range(20))])
    assert not any(one.is_drift for one in found[6:])


def test_the_distance_is_that_of_two_samples():
    draw = random.Random(4)
    nights = [night(draw, 50) for _ in range(2)]
    [_, found] = drifts(nights, least=1)
    first, second = (sorted(one.elements()) for one in nights)
    grid = sorted({*first, *second})
    slow = max(abs(sum(x <= at for x in first) - sum(x <= at for x in second)) / 50 for at in grid)
    assert found.distance == pytest.approx(slow)
    assert least_distance(distribution_of(first), second) <= found.distance + 1e-9


def test_few_texts_are_not_compared_and_none_are_no_night():
    few = collections.Counter({7: LEAST_COMPARED - 1})
    many = collections.Counter({7: 100})
    assert drifts([few] * 9) == [None] * 9
    assert drifts([{}] * 6 + [many]) == [None] * 7 and drifts([]) == []
    assert drifts([many] * 5 + [few, many])[-2:] == [None, drifts([many] * 6)[-1]]
    assert drifts([many] * 6)[-1].distance == 0.0
    far = collections.Counter({-40: 94, 3: 6})
    assert drifts([collections.Counter({-40: 100_000})] * 5 + [far])[-1].distance > LEAST_DISTANCE
