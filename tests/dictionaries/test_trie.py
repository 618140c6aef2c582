from __future__ import annotations

import pickle
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.dictionaries.trie import TokenTrie

from ..growth import assert_linear


def slow_match(phrases: set[tuple[str, ...]], tokens: Sequence[str]) -> list[tuple[int, int]]:
    found, start = [], 0
    while start < len(tokens):
        ends = [start + len(p) for p in phrases if tuple(tokens[start : start + len(p)]) == p]
        if ends:
            found.append((start, max(ends)))
        start = max(ends, default=start + 1)
    return found


@pytest.mark.parametrize(
    ("phrases", "text", "expected"),
    [
        ("new york|new york city|york", "in new york city and york", [(1, 4), (5, 6)]),
        ("a b c|a", "a b d a b c", [(0, 1), (3, 6)]),
        ("a b|b c", "a b c", [(0, 2)]),
        ("a a", "a a a", [(0, 2)]),
        ("a b c d|b", "a b c", [(1, 2)]),
        ("", "a b", []),
        ("a", "", []),
        ("🙂 é", "x 🙂 é", [(1, 3)]),
        ("York", "york", []),
    ],
)
def test_leftmost_longest(phrases: str, text: str, expected: list[tuple[int, int]]) -> None:
    trie = TokenTrie(tuple(phrase.split()) for phrase in phrases.split("|") if phrase)
    assert trie.match(text.split()) == expected


PHRASES = st.sets(st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(tuple), max_size=12)


@given(phrases=PHRASES, tokens=st.lists(st.sampled_from("abcd"), max_size=30))
def test_agrees_with_the_obvious_way(phrases: set[tuple[str, ...]], tokens: list[str]) -> None:
    trie = TokenTrie(phrases)
    assert trie.match(tokens) == slow_match(phrases, tokens)
    assert len(trie) == len(phrases)
    assert trie.longest == max(map(len, phrases), default=0)
    assert pickle.loads(pickle.dumps(trie)).match(tokens) == trie.match(tokens)


def test_every_place_has_its_longest_phrase() -> None:
    trie = TokenTrie([("a",), ("a", "b"), ("b", "a", "b")])
    assert list(trie.every("abab c".replace(" ", ""))) == [(0, 2), (1, 4), (2, 4)]
    assert list(trie.every([])) == []


def test_repeated_phrases_count_once() -> None:
    assert len(TokenTrie([("a", "b"), ("a", "b"), ("a",)])) == 2


@pytest.mark.parametrize("phrase", [(), ("a", "")])
def test_empty_phrases_and_tokens_are_refused(phrase: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="phrase 1 is empty or has an empty token"):
        TokenTrie([("a",), phrase])


def test_hostile_runs_cost_no_more_than_the_longest_phrase() -> None:
    trie = TokenTrie([("a",) * 20 + ("b",)])
    assert trie.match(["a"] * 1_000) == []
    assert_linear(lambda size: ["a"] * size, trie.match, 1_000)


def test_a_very_long_phrase_pickles() -> None:
    phrase = ("a",) * 5000
    assert pickle.loads(pickle.dumps(TokenTrie([phrase]))).match(phrase) == [(0, 5000)]


def test_weights_of_repeated_phrases_are_added_up() -> None:
    trie = TokenTrie([("a", "b"), ("a",), ("a", "b")], [1, 0, 5])
    assert trie.weighted and not TokenTrie([("a",)]).weighted
    weights = [trie.weight(phrase) for phrase in (["a", "b"], ["a"], ["b"], ["a", "b", "c"], [])]
    assert weights == [6, 0, 0, 0, 0]
    assert TokenTrie([("a",)]).weight(["a"]) == 0
    assert pickle.loads(pickle.dumps(trie)).weight(("a", "b")) == 6


@pytest.mark.parametrize("weights", [[], [1, 2]])
def test_there_is_a_weight_for_each_phrase(weights: list[int]) -> None:
    with pytest.raises(ValueError):
        TokenTrie([("a",)], weights)
