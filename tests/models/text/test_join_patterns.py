"""Patterns over categories: what the extension matches is what `re` matches."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.arrays import joined_code_points
from scrubline.models.core.errors import UsageError
from scrubline.models.features.native_columns import WordColumns, merger_of
from scrubline.models.features.native_maps import fold_map, table_of
from scrubline.models.native import extension
from scrubline.models.text.characters import LINE_BREAKS
from scrubline.models.text.join_patterns import compile_patterns
from scrubline.models.text.joined import JOINS, KINDS, kinds_of, merged
from scrubline.models.text.tokenizer import characters_of, tokenize_documents

from ...examples import examples

NATIVE = extension()
needs_extension = pytest.mark.skipif(NATIVE is None, reason="the extension is not built here")

PIECES = st.lists(
    st.sampled_from(
        ["3", "12", "34", "96", "2012", "1234", "123", "12345", "123456", "1234567", "123456789"]
        + ["1234567890", *".,/-@:()+_?=&%#~'*", " ", "  ", "\n", "May", "mayo", "de", "of", "año"]
        + ["S", "s", "Dr", "Nº", "NºCol", "ªB", "ºb", "EE", "www", "http", "mail", "España", "UU"]
        + [
            "Ann",
            "LEE",
            "word",
            "ß",
            "ǅa",
            "é",
            "e\u0301",
            "٣٤",
            "²",
            "\ud800",
            "🙂",
            "\x1c",
            "\x00",
        ]
    ),
    max_size=30,
).map("".join)


@needs_extension
@examples(1_500)
@given(st.lists(st.one_of(st.none(), PIECES, st.text(max_size=30)), max_size=3))
@pytest.mark.slow
def test_both_paths_join_the_same(texts):
    tokens = tokenize_documents([text or "" for text in texts], sentences=False)
    wanted = merged(texts, tokens)
    codes, offsets = joined_code_points(texts)
    alive = np.array([text is not None for text in texts], np.bool_)
    arrays = (tokens.document_offsets, tokens.starts, tokens.ends, tokens.starts_line)
    found = NATIVE.merge(merger_of(NATIVE), codes, offsets, alive, *arrays)
    columns = [np.frombuffer(column, np.int64).tolist() for column in found]
    assert columns == [c.tolist() for c in (wanted.document_offsets, wanted.starts, wanted.ends)]


@needs_extension
@examples(1_500)
@given(
    st.one_of(PIECES, st.text(max_size=20)).filter(lambda word: not set(LINE_BREAKS) & set(word))
)
@pytest.mark.slow
def test_both_paths_know_the_same_kinds(word):
    """By the kind that stands in a column of its own."""
    words = WordColumns()
    words.add("kind")
    codes, offsets = joined_code_points([word])
    places = np.zeros(1, np.int64)
    ends = np.array([len(word)], np.int64)
    items = np.array([0, 1], np.int64)
    opened = NATIVE.open_words(characters_of(NATIVE), merger_of(NATIVE), *words.arrays())
    found, _, _ = NATIVE.intern(
        opened, codes, offsets, items, places, ends, 10, 10, np.zeros(1, np.int64)
    )
    (number,) = np.frombuffer(found, np.int32).tolist()
    shown = word if len(word) <= 256 else word[:128] + word[-128:]
    assert (KINDS[number] if number >= 0 else None) == kinds_of([shown])[0]


def test_every_pattern_of_the_layer_compiles_and_says_what_it_cannot_do_without():
    bodies = [f"{before}{body}{after}" for before, body, after in JOINS.values()]
    steps, sets, entries, firsts, required = compile_patterns(bodies)
    assert len(entries) == len(firsts) == len(required) == len(bodies)
    assert len(steps) > len(bodies) and len(sets)
    needs = dict(zip(JOINS, required.tolist(), strict=True))
    assert needs["email"] == [0, 1]  # "@" is character 64
    assert needs["decimal"] == [0, 0]


@pytest.mark.parametrize("pattern", ["a*", "a+", ".", "^a", r"\d", "a\\n", "[^a]", "é"])
def test_what_cannot_be_compiled_is_refused(pattern):
    re.compile(pattern)
    with pytest.raises(UsageError, match="cannot be compiled"):
        compile_patterns([pattern])


@needs_extension
@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, np.array([[2, 0, 0, 0]], np.int32)),  # the last step is no match
        (0, np.array([[9, 0, 0, 0], [0, 0, 0, 0]], np.int32)),
        (0, np.array([[2, 7, 0, 0], [0, 0, 0, 0]], np.int32)),  # a set that is not there
        (0, np.array([[4, 0, 0, 0], [0, 0, 0, 0]], np.int32)),  # for ever
        (0, np.array([[3, 1, 9, 0], [0, 0, 0, 0]], np.int32)),
        (0, np.array([[5, 9, 0, 1], [0, 0, 0, 0]], np.int32)),
        (2, np.array([1 << 20], np.int32)),
        (3, np.zeros((0, 2), np.uint64)),
    ],
)
def test_programs_that_leave_their_bounds_are_refused(place, value):
    good = compile_patterns(["a"])
    bad = tuple(value if i == place else one for i, one in enumerate(good))
    fixed = (characters_of(NATIVE), fold_map(), table_of({}), table_of({}), bytes(10))
    NATIVE.open_merger(*fixed, good, good)
    with pytest.raises(ValueError, match="program does not fit"):
        NATIVE.open_merger(*fixed, good, bad)
