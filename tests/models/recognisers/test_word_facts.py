"""Words that are alike in the facts that rules name have the same answers."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.recognisers import RECOGNISERS
from scrubline.models.recognisers import casing as capitals
from scrubline.models.recognisers.dispatch import triggers_of
from scrubline.models.recognisers.name_words import common_words, given_names, surnames
from scrubline.models.recognisers.place_words import first_words, small_places

from ...examples import examples

LETTERS = st.text("abehnrstwJMSO", min_size=1, max_size=8)
LISTS = (common_words, given_names, surnames, first_words, small_places)
OTHERS = "i st rehab rehabs rehabilitation carrier bricklayer rockmaker md do pa am may of van o"
WAYS = (str, str.capitalize, str.upper, str.swapcase, lambda word: word[:1] + word[1:].upper())


def assert_as_asked(word: str) -> None:
    """What is known of a word by its facts is what its questions say."""
    vocabulary = capitals._VOCABULARY
    bits, _ = vocabulary._answered(word)
    asked = vocabulary.listed.get(word.lower(), 0) | vocabulary._by_facts(word)
    for answer in vocabulary._asked:
        asked |= answer(word)
    assert bits == asked, word


@pytest.fixture(scope="module", autouse=True)
def _questions() -> None:
    """All of them are there before the first word is learnt."""
    for rule in RECOGNISERS.values():
        triggers_of(rule)


@pytest.mark.parametrize("listed", LISTS)
def test_listed_words_are_what_they_are_asked(listed) -> None:
    words = [word for word in sorted(listed())[::37] if word.isascii() and word.isalpha()]
    assert len(words) > 200
    for word, way in itertools.product(words, WAYS):
        assert_as_asked(way(word))


@pytest.mark.parametrize("word", OTHERS.split())
def test_words_that_rules_name_are_what_they_are_asked(word: str) -> None:
    for way in WAYS:
        assert_as_asked(way(word))


@given(word=LETTERS)
@examples(500)
def test_any_word_is_what_it_is_asked(word: str) -> None:
    assert_as_asked(word)
