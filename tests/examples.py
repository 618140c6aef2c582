"""How many examples hypothesis draws: the profile `full` draws what a test asks for, `fast` a part.

`make test` runs with `fast`, everything else with `full` (see `conftest.py`).
"""

from __future__ import annotations

from hypothesis import settings

FAST_PART = 10
"""One example in so many is drawn by the profile `fast`."""
LEAST = 10


def examples(count: int) -> settings:
    """Settings of a test that draws `count` examples in a full run."""
    return settings(max_examples=drawn(count, settings.default.max_examples))


def drawn(count: int, of_profile: int) -> int:
    """How many are drawn where the profile draws `of_profile` for a test that does not say."""
    return min(count, max(LEAST, count * of_profile // 100))
