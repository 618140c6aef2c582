"""How much of what could be tried is tried.

The hypothesis profile `full` draws as many examples as a test asks for, `fast` a part: `make test`
and CI run with `fast`, everything else with `full` (see `conftest.py`). Of a product of parameters,
`make test-all` tries what shows each value, `make test-exhaustive` the rest.
"""

from __future__ import annotations

import pytest
from hypothesis import settings

EXHAUSTIVE = pytest.mark.exhaustive

FAST_PART = 10
"""One example in so many is drawn by the profile `fast`."""
LEAST = 10


def examples(count: int) -> settings:
    """Settings of a test that draws `count` examples in a full run."""
    return settings(max_examples=drawn(count, settings.default.max_examples))


def drawn(count: int, of_profile: int) -> int:
    """How many are drawn where the profile draws `of_profile` for a test that does not say."""
    return min(count, max(LEAST, count * of_profile // 100))


def rest(*values: object, id: str | None = None) -> object:
    """A set of parameters that is tried by `make test-exhaustive` alone."""
    return pytest.param(*values, marks=EXHAUSTIVE, id=id)
