"""Whether work grows in proportion to its input, not with its square.

Measured is the processor time of the calling thread, not the time that passes: it does not count
what other processes and threads do. A busy machine still shows in it (shared caches and cores), by
a factor of two or so, hence a margin of four on both sides and several tries.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")

GROWTH = 16
"""How much larger the large input is."""
ALLOWED = GROWTH**1.5
"""How much longer it may take: in the middle between 16 (linear) and 256 (quadratic)."""
TRIES = 8
LEAST_SECONDS = 0.0005
"""What the small input is taken to cost at least: less is noise."""


def processor_seconds(work: Callable[[Input], object], given: Input) -> float:
    """Processor time of this thread for one call."""
    began = time.thread_time()
    work(given)
    return time.thread_time() - began


def assert_linear(
    prepare: Callable[[int], Input], work: Callable[[Input], object], size: int, what: object = ""
) -> None:
    """Compares the cost of an input of `GROWTH * size` with that of `size`.

    Args:
        prepare: makes the input of a size; not measured. Called anew for each measurement.
        work: what is measured, called once with each input.
        size: of the small input, so large that it costs a millisecond or so.
        what: names the input in the message.

    Raises:
        AssertionError: if the large one took more than `ALLOWED` times as long in every try.
    """
    assert_within(
        ALLOWED, work, lambda: prepare(size), lambda: prepare(GROWTH * size), what or "more input"
    )


def assert_within(
    times: float,
    work: Callable[[Input], object],
    small: Callable[[], Input],
    large: Callable[[], Input],
    what: object,
) -> None:
    """Compares the cost of the input that `large` makes with that of the one that `small` makes.

    Raises:
        AssertionError: if it was more than `times` as much in every try, naming `what` was given.
    """
    ratios = []
    for _ in range(TRIES):
        least = max(processor_seconds(work, small()), LEAST_SECONDS)
        ratios.append(processor_seconds(work, large()) / least)
        if ratios[-1] < times:
            return
    raise AssertionError(f"{what}: {min(ratios):.0f} times the cost, expected below {times:.0f}")
