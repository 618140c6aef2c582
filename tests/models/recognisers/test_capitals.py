from __future__ import annotations

import doctest
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scrubline.models.recognisers import capitals
from scrubline.models.recognisers.capitals import (
    CAPITALISED,
    INITIAL,
    LOWER,
    OTHER,
    UPPER,
    plain,
    plain_all,
    shape_of,
    words,
)

TEXTS = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(
            [
                "Ann",
                "'",
                "’",
                "-",
                "'s",
                "S",
                "s",
                " ",
                ".",
                "É",
                "e\u0301",
                "ß",
                "İ",
                "\ud800",
                "🙂",
            ]
            + ["7", "_", "\n", "王", "O'Brien", "\u2010", "\x00", "A", "mRNA", "x" * 50]
        ),
        max_size=30,
    ).map("".join),
)


def test_examples() -> None:
    assert doctest.testmod(capitals).failed == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" .,;\n", []),
        ("Jane Smith", ["Jane", "Smith"]),
        ("O'Brien's D’Angelo’s", ["O'Brien", "D’Angelo"]),
        ("JANE'S CAR", ["JANE", "CAR"]),
        ("it's Jess' hat", ["it", "Jess", "hat"]),
        ("Smith-Jones, A.", ["Smith-Jones", "A"]),
        ("Smith- Jones -x", ["Smith", "Jones", "x"]),
        ("Gomez‐Farr", ["Gomez‐Farr"]),
        ("José Wiśniewska Ångström", ["José", "Wiśniewska", "Ångström"]),
        ("Jose\u0301 Pen\u0303a", ["Jose\u0301", "Pen\u0303a"]),
        ("DOE^JANE^Q|7", ["DOE", "JANE", "Q", "7"]),
        ("__Jane__", ["Jane"]),
        ("a_b", ["a", "b"]),
        ("don't", ["don't"]),
        ("O'Shea O'", ["O'Shea", "O"]),
        ("555-0100 x12", ["555-0100", "x12"]),
        ("a\ud800b", ["a", "b"]),
        ("\ufeffJane", ["Jane"]),
        ("x" * 41, [""]),
    ],
)
def test_words_are_cut_as_names_are_written(text: str, expected: list[str]) -> None:
    assert list(words(text).texts) == expected


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("smith", LOWER),
        ("ñu", LOWER),
        ("o'brien", LOWER),
        ("J", INITIAL),
        ("Á", INITIAL),
        ("Smith", CAPITALISED),
        ("O'Brien", CAPITALISED),
        ("McDONALD", CAPITALISED),
        ("Smith-jones", CAPITALISED),
        ("SMITH", UPPER),
        ("O'BRIEN", UPPER),
        ("JR", UPPER),
        ("BPs", OTHER),
        ("mRNA", OTHER),
        ("A1c", OTHER),
        ("2014", OTHER),
        ("王", OTHER),
        ("", OTHER),
    ],
)
def test_shapes(word: str, shape: int) -> None:
    assert shape_of(word) == shape


@given(text=TEXTS)
@settings(max_examples=200, deadline=None)
def test_rows_are_ordered_disjoint_and_inside(text: str) -> None:
    found = words(text)
    reach = 0
    for start, end, word, shape in zip(
        found.starts, found.ends, found.texts, found.shapes, strict=True
    ):
        assert reach <= start < end <= len(text)
        assert word == (text[start:end] if end - start <= capitals.LONGEST_WORD else "")
        assert shape == shape_of(word)
        assert text[start].isalnum()
        reach = end
    assert found.written(LOWER, INITIAL, CAPITALISED, UPPER, OTHER) == list(range(len(found)))


# What a word is, as one pattern for texts of any script: slow, and obvious.
PIECE = r"(?:[^\W_][\u0300-\u036f]*)+"
WORD = re.compile(
    rf"({PIECE}(?:(?:[-\u2010\u2011](?=[^\W_])|['\u2019\u02bc](?![sS](?![^\W_]))(?=[^\W_])){PIECE})*)"
    r"(?:['\u2019\u02bc][sS](?![^\W_]))?"
)


@given(text=st.one_of(TEXTS, st.text("aS's-\u2019 \u0301é_7.", max_size=30)))
@settings(max_examples=400, deadline=None)
def test_words_are_those_of_the_obvious_pattern(text: str) -> None:
    for written in (text, text.encode("ascii", "ignore").decode()):
        found = words(written)
        spans = [match.span(1) for match in WORD.finditer(written)]
        assert list(zip(found.starts, found.ends, strict=True)) == spans
        assert list(found.plains) == list(map(plain, found.texts))


@given(text=TEXTS)
@settings(max_examples=100, deadline=None)
def test_words_are_looked_up_by_what_they_are(text: str) -> None:
    found = words(text)
    for wanted in ({"ann", "a", "e"}, {"ann": 1, "7": 2}, frozenset({"o'brien", "zz"}), ()):
        assert found.where(wanted) == [i for i, word in enumerate(found.plains) if word in wanted]


@given(st.lists(st.text(st.characters(exclude_characters="\n"))))
def test_lists_are_written_plainly_as_words_are(phrases: list[str]) -> None:
    assert sorted(plain_all(phrases)) == sorted(map(plain, phrases))


def test_neighbours_are_asked_by_index_and_by_offset() -> None:
    found = words("Ann,  Bob.")
    assert (found.between(-1), found.between(0), found.between(1)) == ("", ",  ", ".")
    assert (found.at(0), found.at(1), found.at(6), found.at(99)) == (0, 1, 1, 2)
    assert len(words("a" + " " * 1000 + "b").between(0)) == 80
    assert "Ann" not in repr(found)


@pytest.mark.parametrize("piece", ["a", "a-", "a'", "'s", "a's ", "e\u0301", "-", "A\u2010"])
def test_time_is_linear(piece: str) -> None:
    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        begun = time.process_time()
        words(text)
        return time.process_time() - begun

    # Both so long that their arrays come from the system: pages cost more than a heap in use.
    ratios = (seconds(1_600_000) / max(seconds(400_000), 2e-3) for _ in range(6))
    assert any(ratio < 9 for ratio in ratios)
