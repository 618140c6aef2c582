"""Names that stand elsewhere in a note are found where they are in disguise, and back."""

import functools

import pytest
from scrubline import Scrubber

from benchmarks.disguises import one_pass

from ...growth import assert_linear

full = functools.cache(lambda: Scrubber("en-default"))  # opened by the first test that asks
BETWEEN = "\nRest.\nFluids.\nDiet as before.\nWalks daily.\nLabs were normal.\n"
WRITTEN = (
    *("Wuther-\ning", "Wu<b>thering</b>", "Wu&#116;hering", "Wu%74hering", "Wu\u200dthering"),
    *("W u t h e r i n g", "Wu\\u0074hering", "Wu=\nthering"),
)


@pytest.mark.parametrize("name", WRITTEN)
def test_a_name_found_elsewhere_is_found_in_disguise(name):
    text = f"Mr. Anselm Wuthering was admitted.{BETWEEN}Then {name} denies pain."
    shown = full().scrub(text)
    assert "\nThen [PATIENT] denies pain." in shown.replace("</b>", "")
    assert BETWEEN in shown


@pytest.mark.parametrize("name", WRITTEN)
def test_a_name_found_in_disguise_is_found_elsewhere(name):
    text = f"Seen by Dr. Anselm {name} today.{BETWEEN}Then Wuthering will call."
    shown = full().scrub(text)
    assert "Wuthering" not in shown
    assert BETWEEN in shown


@pytest.mark.parametrize("name", WRITTEN)
def test_rules_alone_carry_names_over_too_with_their_label(name):
    text = f"Mr. Anselm Wuthering was admitted.{BETWEEN}Then {name} denies pain."
    shown = Scrubber("none").scrub(text)
    assert "Then [PATIENT] denies pain." in shown.replace("</b>", "")
    assert BETWEEN in shown


def test_words_that_are_no_names_in_the_note_stay():
    text = (
        f"Dr. Brown saw her.{BETWEEN}The brown spu-\ntum was sent, the brown&nbsp;stain was not."
        f"{BETWEEN}Dr. Wilson came.{BETWEEN}Wilson disease was ex-\ncluded."
    )
    with one_pass():
        before = full().scrub(text)
    assert full().scrub(text) == before


def test_each_document_has_its_own_names():
    first = f"Mr. Anselm Wuthering was admitted.{BETWEEN}Well."
    second = f"Sleeps well.{BETWEEN}Then wuther-\ning denies pain."
    assert "wuther-\ning" in full().scrub(second)
    assert full().scrub(first) and "wuther-\ning" in full().scrub(second)


def test_time_grows_with_the_length():
    text = f"Mr. Anselm Wuthering came.{BETWEEN}Wuther-\ning denies. Dr. Oko&#110;jo.\n"
    assert_linear(lambda times: text * times, full().scrub, 10)
