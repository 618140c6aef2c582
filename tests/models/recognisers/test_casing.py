from __future__ import annotations

import doctest
import itertools
import re
import string
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.native import extension
from scrubline.models.recognisers import casing as capitals
from scrubline.models.recognisers.casing import words
from scrubline.models.recognisers.word_forms import (
    CAPITALISED,
    INITIAL,
    LOWER,
    OTHER,
    UPPER,
    plain,
    plain_all,
    shape_of,
)

from ...examples import examples
from ...growth import assert_linear

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
@examples(200)
def test_what_begins_lines_and_columns_stands_behind_more_than_a_blank(text: str) -> None:
    found = words(text)
    apart = " \t\r\n*>|#-_~\u2013\u2014"
    for index, start in enumerate(found.starts):
        left = ("\n\n" + text[:start])[-2:]
        expected = left[1] in apart and (left[1] != " " or left[0] in apart)
        assert (index in found.heads) == expected


@given(text=TEXTS)
@examples(200)
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
@examples(400)
def test_words_are_those_of_the_obvious_pattern(text: str) -> None:
    for written in (text, text.encode("ascii", "ignore").decode()):
        found = words(written)
        spans = [match.span(1) for match in WORD.finditer(written)]
        assert list(zip(found.starts, found.ends, strict=True)) == spans
        assert list(found.plains) == list(map(plain, found.texts))


@given(text=TEXTS)
@examples(100)
def test_words_are_looked_up_by_what_they_are(text: str) -> None:
    found = words(text)
    for wanted in ({"ann", "a", "e"}, {"ann": 1, "7": 2}, frozenset({"o'brien", "zz"}), ()):
        indices = [i for i, word in enumerate(found.plains) if word in wanted]
        assert found.among(wanted) == indices


SHORT = capitals.WordProperty(lambda word: len(word) < 3)
ANN = capitals.WordProperty.one_of(["ann"])


@given(text=TEXTS)
@examples(100)
def test_words_are_looked_up_by_their_properties(text: str) -> None:
    found = words(text)
    short = [i for i, word in enumerate(found.texts) if word and len(word) < 3]
    assert found.where(SHORT) == short
    assert found.where(ANN) == [i for i, word in enumerate(found.plains) if word == "ann"]
    assert found.where(SHORT, behind=ANN) == [
        i for i in short if i and found.plains[i - 1] == "ann"
    ]


def test_many_different_words_are_forgotten() -> None:
    letters = itertools.product(string.ascii_lowercase, repeat=3)
    many = " ".join(map("".join, itertools.islice(letters, 9_000)))
    count = -(-capitals.KNOWN_WORDS // 9_000)
    for text in (many.replace(" ", f"{letter} ") for letter in "abcdefghij"[:count]):
        assert len(words(text).where(SHORT)) == 0
    assert words("Ann et al").where(SHORT) == [1, 2]


def test_threads_may_ask_at_once() -> None:
    texts = [" ".join(f"w{i}x{'abcdefgh'[i * k % 8]}" * 2 for i in range(300)) for k in range(40)]
    expected = [list(words(text).plains) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(5):
            capitals._VOCABULARY.clear()
            found = list(
                pool.map(lambda text: list(capitals.WordBatch([text]).of(0).plains), texts)
            )
            assert found == expected


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
    # Both so long that their arrays come from the system: pages cost more than a heap in use.
    assert_linear(lambda size: piece * (size // len(piece)), words, 100_000)


@given(text=TEXTS)
@examples(200)
def test_the_extension_cuts_words_as_python_does(text: str) -> None:
    vocabulary = capitals._Vocabulary()
    slow = vocabulary._cut(text)
    found = words(text)
    assert [list(column) for column in (found.starts, found.ends, found.heads)] == [
        list(column) for column in (slow.starts, slow.ends, slow.heads)
    ]
    assert list(found.texts) == [
        text[start:end] if end - start <= capitals.LONGEST_WORD else ""
        for start, end in zip(slow.starts, slow.ends, strict=True)
    ]
    assert list(found.plains) == [plain(word) for word in found.texts]


def test_what_a_question_raises_leaves_no_word_half_known() -> None:
    asked = capitals._VOCABULARY._asked
    asked.append(lambda word: int(1 / 0))
    try:
        with pytest.raises(ZeroDivisionError):
            words("Zyxxa Zyxxb")
    finally:
        asked.pop()
    found = words("Zyxxa Zyxxb Ann")
    assert found.where(ANN) == [2]
    assert list(found.texts) == ["Zyxxa", "Zyxxb", "Ann"]


@pytest.mark.skipif(extension() is None, reason="needs the extension")
def test_columns_that_do_not_fit_are_refused() -> None:
    native = extension()
    assert native is not None
    vocabulary = native.open_vocabulary(40)
    with pytest.raises(ValueError, match="no class"):
        native.cut_words(vocabulary, 9, bytes(128), "\x80".encode("utf-32-le"))
    with pytest.raises(ValueError, match="whole number"):
        native.cut_words(vocabulary, 9, bytes(128), b"abc")
    one = memoryview(bytes(8)).cast("q")
    with pytest.raises(ValueError, match="as many"):
        native.slices("abc", one, b"", 40)
    with pytest.raises(IndexError):
        native.slices("abc", memoryview(b"\xff" * 8).cast("q"), one, 40)
    far = memoryview((1 << 40).to_bytes(8, "little")).cast("q")
    assert native.slices("abc", far, far, 40) == [""]
