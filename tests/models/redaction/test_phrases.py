from __future__ import annotations

import gzip
import pickle
import random
import re
import unicodedata

import fsspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.redaction.phrases import PhraseMatcher, fold, has_word, read_phrases, within

from ...examples import examples
from ...growth import assert_linear, assert_within


def found(text, *phrases):
    matcher = PhraseMatcher({"X": [fold(phrase) for phrase in phrases]})
    return [text[start:end] for start, end, _ in matcher.find(text)]


@pytest.mark.parametrize(
    ("text", "phrases", "expected"),
    [
        ("at Mount Sinai today", ["mount sinai"], ["Mount Sinai"]),
        ("at MOUNT\r\n\t SINAI.", ["Mount Sinai"], ["MOUNT\r\n\t SINAI"]),
        (
            "Mount\xa0Sinai\u2028Mount\u3000Sinai",
            ["Mount Sinai"],
            ["Mount\xa0Sinai", "Mount\u3000Sinai"],
        ),
        ("Mount Sinais, Amount Sinai, MountSinai", ["mount sinai"], []),
        ("Mount, Sinai", ["mount sinai"], []),
        ("4-west 4 west 4west", ["4 West"], ["4 west"]),
        ("4-west 4 - west", ["4-WEST"], ["4-west"]),
        ("(HEART-2)", ["heart-2"], ["HEART-2"]),
        ("HEART-22 HEART-2.", ["heart-2"], ["HEART-2"]),
        ("_Sinai_ Sinai_2", ["sinai"], ["Sinai", "Sinai"]),
        ("O'Brien OBrien O' Brien", ["o'brien"], ["O'Brien"]),
        ("STRASSE straße Straße", ["Straße"], ["STRASSE", "straße", "Straße"]),
        ("José JOSE\u0301 Jose", ["JOSÉ"], ["José", "JOSE\u0301"]),
        ("Jose\u0301", ["Jose"], []),
        ("ΣΊΣΥΦΟΣ Σίσυφος", ["σίσυφος"], ["ΣΊΣΥΦΟΣ", "Σίσυφος"]),
        ("İzmir İZMİR izmir", ["İzmir"], ["İzmir", "İZMİR", "izmir"]),
        (
            "\u0958\u093e \u0915\u093c\u093e \u0915\u093e",
            ["\u0958\u093e"],
            ["\u0958\u093e", "\u0915\u093c\u093e"],
        ),
        (
            "\ufb2a\u05e8 \u05e9\u05c1\u05e8 \u05e9\u05e8",
            ["\ufb2a\u05e8"],
            ["\ufb2a\u05e8", "\u05e9\u05c1\u05e8"],
        ),
        ("O’Brien O`BRIEN Oʼbrien OBrien", ["o'brien"], ["O’Brien", "O`BRIEN", "Oʼbrien"]),
        ("O'Brien o`brien", ["O’Brien"], ["O'Brien", "o`brien"]),
        (
            "Si\u00adnai Sinai\u200b \ufeffSinai",
            ["sinai"],
            ["Si\u00adnai", "Sinai\u200b", "\ufeffSinai"],
        ),
        ("Mount \u200b Sinai", ["mount sinai"], ["Mount \u200b Sinai"]),
        ("Mount Sinai", ["mo\u200bunt \u200b si\u00adnai"], ["Mount Sinai"]),
        ("ŉ x, a≠b =\u0338", ["ŉ x", "a \u2260", "a=\u0338b"], ["ŉ x", "a≠b"]),
        ("-\u0345a", ["-\u0345a"], ["-\u0345a"]),
        ("a 🙂 b", ["a 🙂 b"], ["a 🙂 b"]),
        ("New York Hospital", ["New York", "York Hospital"], ["New York", "York Hospital"]),
        ("New York City", ["New York", "New York City"], ["New York City"]),
        ("New York Citys", ["New York", "New York City"], ["New York"]),
        ("ab ab ab", ["ab ab"], ["ab ab", "ab ab"]),
        ("ab ", ["ab c"], []),
        ("ab c", ["ab"], ["ab"]),
        ("", ["ab"], []),
        ("ab", [], []),
        ("\x00ab\ud800ab", ["ab"], ["ab", "ab"]),
    ],
)
def test_phrases_are_found_as_whole_words(text, phrases, expected):
    assert found(text, *phrases) == expected


def test_each_label_has_its_longest_phrase_at_a_place():
    matcher = PhraseMatcher({"B": ["a b", "a"], "A": ["a", "a b c"], "C": ["b"]})
    assert matcher.find("a b c") == [(0, 5, "A"), (0, 3, "B"), (2, 3, "C")]


@pytest.mark.parametrize(
    ("phrase", "folded"),
    [
        ("  Mount \t Sinai\n", "mount sinai"),
        ("Straße", "strasse"),
        ("JOSE\u0301", "josé"),
        ("", ""),
        ("\u2003", ""),
    ],
)
def test_fold(phrase, folded):
    assert fold(phrase) == folded


@given(st.text())
def test_fold_does_no_more_the_second_time(text):
    assert fold(fold(text)) == fold(text)
    assert has_word(text) == any(c.isalnum() for c in text)


# -- laws

WORDS = st.sampled_from(
    ["ab", "Ab", "b", "é", "E\u0301", "ß", "SS", "-", "'", "_", "7", "b7", "🙂"]
)
GAPS = st.sampled_from(["", " ", "  ", "\n", "\r\n", "\xa0"])
TEXTS = st.lists(st.tuples(WORDS, GAPS), max_size=9).map(lambda ps: "".join(w + g for w, g in ps))
PHRASES = TEXTS.map(fold).filter(has_word)


ANY = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("aİıŉßǰΐ'’ʼ`-_7 \n\xa0\xad\u200b\u200d\ufeff\u0307\u0338\u0345\u0301"),
        st.sampled_from("\u0958\u0915\u093c\ufb2a\u05e9\u05c1\u1100\u1161\u11a8가=≠ſﬁΣς"),
    ),
    max_size=12,
)


@examples(500)
@given(
    ANY.filter(lambda p: has_word(fold(p))), st.sampled_from(["", " ", "\n", " \u200b", "\xa0\t"])
)
def test_a_phrase_is_found_in_itself(phrase, blank):
    matcher = PhraseMatcher({"A": [fold(phrase)]})
    for other in (phrase, fold(phrase), phrase.upper(), phrase.lower(), phrase.title()):
        if fold(other) != fold(phrase):
            continue
        text = blank + other + blank
        # Its edges may be blanks or characters that are not seen.
        (start, end, _) = max(matcher.find(text), key=lambda found: found[1] - found[0])
        assert fold(text[start:end]) == fold(phrase)


def slow_find(text, phrases):
    """Every stretch between word borders, folded."""

    def in_word(character):
        return character.isalnum() or unicodedata.combining(character)

    borders = [
        i
        for i in range(len(text) + 1)
        if i in (0, len(text)) or not (in_word(text[i - 1]) and in_word(text[i]))
    ]
    best = {}
    for start in borders:
        for end in borders:
            covered = text[start:end]
            if covered and not covered[0].isspace() and not covered[-1].isspace():
                for label in phrases:
                    if fold(covered) in phrases[label]:
                        best[start, label] = max(end, best.get((start, label), 0))
    return [(start, end, label) for (start, label), end in sorted(best.items())]


@examples(300)
@given(TEXTS, st.lists(PHRASES, max_size=5), st.lists(PHRASES, max_size=5))
def test_find_agrees_with_the_slow_definition(text, some, others):
    phrases = {"A": some, "B": others}
    assert PhraseMatcher(phrases).find(text) == slow_find(text, phrases)


@given(PHRASES, TEXTS, TEXTS)
def test_a_phrase_is_found_wherever_it_stands_alone(phrase, before, after):
    text = f"{before} {phrase.upper()} {after}"
    start = len(before) + 1
    occurrences = PhraseMatcher({"A": [phrase]}).find(text)
    assert within(occurrences)("A", start, start + len(phrase.upper()))


@given(st.text(), st.lists(st.text(), max_size=4))
def test_nothing_is_raised_and_offsets_are_inside(text, phrases):
    matcher = PhraseMatcher({"A": [f for p in phrases if has_word(f := fold(p))]})
    for start, end, _ in matcher.find(text):
        assert 0 <= start < end <= len(text)


STRETCHES = st.tuples(st.integers(0, 20), st.integers(1, 9), st.sampled_from("AB")).map(
    lambda row: (row[0], row[0] + row[1], row[2])
)


@given(st.lists(STRETCHES, max_size=8), STRETCHES)
def test_within_agrees_with_the_definition(occurrences, asked):
    start, end, label = asked
    expected = any(s <= start and end <= e and la == label for s, e, la in occurrences)
    assert within(occurrences)(label, start, end) == expected


# -- size


@pytest.mark.slow
def test_a_hundred_thousand_phrases_cost_no_more_a_word_than_ten():
    rng = random.Random(5)
    vocabulary = ["".join(rng.choices("abcdefghij", k=6)) for _ in range(30_000)]
    many = sorted(
        {" ".join(rng.choices(vocabulary, k=rng.randrange(2, 5))) for _ in range(100_000)}
    )
    words = rng.choices(vocabulary, k=32_000)
    small, large = PhraseMatcher({"X": many[:10]}), PhraseMatcher({"X": many})
    # Every word begins a phrase here: about six times the work, and not ten thousand times.
    text = " ".join(words[:20_000])
    assert_within(
        100, lambda matcher: matcher.find(text), lambda: small, lambda: large, "100,000 phrases"
    )
    assert_linear(lambda size: " ".join(words[:size]), large.find, 2_000)


def test_a_text_that_nearly_matches_everywhere_stays_linear():
    matcher = PhraseMatcher({"X": ["a " * 90 + "b"]})

    assert matcher.find("a " * 1_000) == []
    assert_linear(lambda size: "a " * size, matcher.find, 1_000)


def test_one_word_of_ten_megabytes():
    assert found("x" * 10_000_000 + " Sinai", "sinai") == ["Sinai"]


def test_a_matcher_travels():
    matcher = PhraseMatcher({"X": ["a " * 99 + "a"]})
    assert pickle.loads(pickle.dumps(matcher)).find("A " * 100) == matcher.find("a " * 100)


# -- lists in a policy file


def put(name, content):
    url = f"memory://lists/{name}"
    with fsspec.open(url, "wb") as stream:
        stream.write(content)
    return url


def test_a_value_is_phrases_or_a_list_or_both():
    url = put("units.txt", b"\xef\xbb\xbf4 West\r\n\r\n 4 EAST \n4 west\n")
    zipped = put("units.txt.gz", gzip.compress(b"ICU 2\n"))
    assert read_phrases("w", ["A  B", "a b"], "") == {"a b"}
    assert read_phrases("w", url, "") == {"4 west", "4 east"}
    assert read_phrases("w", {"phrases": ["x"], "lists": [url, zipped]}, "") == {
        *("x", "4 west", "4 east", "icu 2")
    }
    assert read_phrases("w", "units.txt", "memory://lists/") == {"4 west", "4 east"}
    assert "texas" in read_phrases("w", "us_states", "memory://nowhere/")
    assert read_phrases("w", [], "") == frozenset()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, "expected a list of strings"),
        ([3], "expected a list of strings"),
        (
            {"phrase": []},
            r"unknown \['phrase'\] \(did you mean 'phrases'\?\); allowed: \['phrases', 'lists'\]",
        ),
        ({"lists": "x"}, "expected a list of strings"),
        (["--"], "needs a letter or digit"),
        (["x" * 201], "at most 200 characters"),
        ("HEART2", r"list 1 cannot be read \(FileNotFoundError\).*in brackets"),
        ("memory://JohnSmith/none.txt", "list 1 cannot be read"),
        ("nosuch://JohnSmith/none.txt", "list 1 cannot be read"),
        ("/no/JohnSmith.txt", "list 1 cannot be read"),
        (b"\xff", "dictionary 1, line 1: not UTF-8"),
        (b"a\x01b", "control character"),
        (b"\n", "no phrases"),
        (b"a\n--\n", "needs a letter or digit"),
    ],
)
def test_mistakes_name_the_place_and_no_phrase(value, message):
    if isinstance(value, bytes):
        value = put("JohnSmith.txt", value)
    with pytest.raises(
        UsageError, match=re.compile(rf"^policy: \[deny\] X: .*{message}")
    ) as caught:
        read_phrases("policy: [deny] X", value, "memory://lists/")
    assert "JohnSmith" not in str(caught.value) and "HEART2" not in str(caught.value)
