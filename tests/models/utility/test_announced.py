"""Names announced among eponyms, and how many of them are missed. See `benchmarks/announced.py`."""

from __future__ import annotations

import pytest
from scrubline.models.scrubber import Scrubber

from benchmarks.announced import ANNOUNCEMENTS, NAMES, PASSAGES, measure, texts

MOST = 30
"""Missed names that are put up with, of 1,320; what was reached is not to be lost."""


def test_texts_announce_one_name_each():
    found = list(texts(1))
    assert len(found) == len(ANNOUNCEMENTS) * len(PASSAGES) * len(NAMES) == 1320
    assert len({one.text for one in found}) > 1300
    names = {word.strip(",") for pool in NAMES.values() for word in pool.lower().split()}
    for one in found:
        written = one.text[one.start : one.end].lower().replace(",", "")
        assert all(any(word in name for name in names) for word in written.split())
        assert one.text == one.text.lower() or not one.form[:1].islower()


def test_texts_are_those_of_the_seed():
    assert list(texts(1)) == list(texts(1))
    assert list(texts(1)) != list(texts(2))


@pytest.mark.slow
def test_most_announced_names_are_found():
    found = measure(Scrubber("en-default"))
    assert found["missed"] <= MOST, found
