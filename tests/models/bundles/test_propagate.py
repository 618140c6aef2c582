"""What is carried over to other places of a document, and what is not."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.bundles.propagate import propagate
from scrubline.models.core.errors import UsageError
from scrubline.models.core.spans import Candidate
from scrubline.models.recipes.propagation import Propagation
from scrubline.models.text.tokenizer import tokenize_documents

from ...examples import examples
from ...growth import assert_linear

ALL = Propagation(("CITY", "DOCTOR", "ID"), names=("DOCTOR",), share=0.3)


def carried(text: str, propagation: Propagation = ALL) -> list[str]:
    """What is added to a text in which candidates stand as <LABEL phrase>, told in the same way."""
    plain, candidates, at = "", [], 0
    for match in re.finditer(r"<([A-Z]+) ([^<>]*)>", text):
        plain += text[at : match.start()]
        start = len(plain)
        plain += match[2]
        candidates.append(Candidate(start, len(plain), match[1], "crf:x", 0.5))
        at = match.end()
    plain += text[at:]
    return [f"{c.label} {plain[c.start : c.end]}" for c in found(plain, candidates, propagation)]


def found(
    text: str, candidates: list[Candidate], propagation: Propagation = ALL
) -> list[Candidate]:
    tokens = tokenize_documents([text])
    return propagate(propagation, text, tokens.starts, tokens.ends, candidates, "propagation:x")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr <DOCTOR Ada Lee>. Ada Lee came.", ["DOCTOR Ada Lee"]),
        ("<DOCTOR Ada Lee> and LEE, then Ada.", ["DOCTOR LEE", "DOCTOR Ada"]),
        ("before: Lee. Dr <DOCTOR Lee>", ["DOCTOR Lee"]),
        ("<DOCTOR Ada\nLee> or Ada  Lee", ["DOCTOR Ada  Lee"]),
        # Only a name is known by a part.
        ("<CITY New Haven> and New Haven, but Haven", ["CITY New Haven"]),
        # A part of a token, or with other case or other tokens between, is no such phrase.
        ("<DOCTOR Lee> Leeds lee Lees", []),
        ("<CITY New Haven> New, Haven new Haven", []),
        # A word that stands here in small letters too is a word.
        ("<DOCTOR Hope>. Hope came. We hope.", []),
        ("<DOCTOR Ada Hope>. Hope came. Ada. We hope.", ["DOCTOR Ada"]),
        ("<CITY Hope Town>. Hope Town, a town of hope.", ["CITY Hope Town"]),
        # An eponym is nobody's name.
        ("Dr <DOCTOR Wilson> rules out Wilson disease, Wilson's syndrome.", []),
        ("Dr <DOCTOR Wilson> spoke of Wilson’s disease; Wilson agreed.", ["DOCTOR Wilson"]),
        # Too short to tell, or not a name's word.
        ("<DOCTOR Al> Al", []),
        ("<DOCTOR A. B. Poe> came, A. went; B. or Poe", ["DOCTOR Poe"]),
        ("<DOCTOR ada lee> ada lee", []),
        # Numbers of four digits or more, whole.
        ("<ID 7> 7", []),
        ("<ID 123-45> 123-45 123 45", ["ID 123-45"]),
        ("<ID AB12345> AB12345, 12345", ["ID AB12345"]),
        # Labels that are not named, or of which another is more frequent.
        ("<DATE March> March", []),
        ("<CITY Lee> <DOCTOR Lee> <DOCTOR Lee> Lee", ["DOCTOR Lee"]),
        ("<CITY Lee> <STREET Lee> <STREET Lee> Lee", []),
        # Of equals the first label by name; a quarter is below the share that is asked for.
        ("<CITY Lee> <DOCTOR Lee> Lee", ["CITY Lee"]),
        ("<DOCTOR Lee> Lee Lee", ["DOCTOR Lee", "DOCTOR Lee"]),
        ("<DOCTOR Lee> Lee Lee Lee", []),
        # Longest first, and up to a candidate's edge only.
        ("<DOCTOR Ada Lee> <DOCTOR Lee> Ada Lee Poe", ["DOCTOR Ada Lee"]),
        ("<DOCTOR Ada Lee>. Ada <DOCTOR Lee>", ["DOCTOR Ada"]),
        ("<DOCTOR Ada Lee>. <DATE Ada> Lee", ["DOCTOR Lee"]),
        # Caseless writing has no small letters.
        ("<DOCTOR 東京子> 東京子", ["DOCTOR 東京子"]),
        ("", []),
        ("no candidate: Lee", []),
    ],
)
def test_what_is_carried_over(text, expected):
    assert carried(text) == expected


def test_a_candidate_that_cuts_a_token_is_not_carried_over_but_keeps_its_token():
    text = "DrLee Lee DrLee"
    half = Candidate(2, 5, "DOCTOR", "charcrf:x", 1.0)
    assert found(text, [half]) == []
    whole = Candidate(6, 9, "DOCTOR", "crf:x", 1.0)
    assert found(text, [half, whole, Candidate(12, 13, "CITY", "charcrf:x", 1.0)]) == []


def test_the_score_is_that_of_the_best_place():
    text = "Lee Lee Lee Lee"
    places = [Candidate(0, 3, "DOCTOR", "crf:x", 0.25), Candidate(4, 7, "DOCTOR", "crf:x", 0.75)]
    assert found(text, [*places, Candidate(12, 15, "CITY", "crf:x", 1.0)]) == [
        Candidate(8, 11, "DOCTOR", "propagation:x", 0.75)
    ]


def test_how_long_and_how_often_are_settings():
    short = Propagation(("DOCTOR",), shortest=2, share=0.5)
    assert carried("<DOCTOR Al> Al", short) == ["DOCTOR Al"]
    assert carried("<DOCTOR Lee> Lee Lee", short) == []
    assert carried("<DOCTOR Ada Lee> Lee", short) == []
    long = Propagation(("CITY",), share=1e-9)
    phrase = " ".join(f"Word{i}" for i in range(13))
    assert carried(f"<CITY {phrase}> {phrase}", long) == []
    assert carried("<CITY Lee>" + " Lee" * 1_000, long) == ["CITY Lee"] * 1_000


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"labels": ()}, "at least one"),
        ({"labels": ("B", "A")}, "sorted"),
        ({"labels": ("A", "A")}, "sorted"),
        ({"labels": ("A",), "names": ("B",)}, "not among the labels"),
        ({"labels": ("A",), "shortest": 0}, "shortest"),
        ({"labels": ("A",), "shortest": True}, "shortest"),
        *(({"labels": ("A",), "share": share}, "share") for share in (0, 1.01, True, "1")),
        ({"labels": ("a b",)}, "labels"),
    ],
)
def test_bad_settings_are_refused(values, words):
    with pytest.raises(UsageError, match=words):
        Propagation(**values)


PIECES = st.sampled_from(
    [*("Ada", "Lee", "LEE", "lee", "Ada Lee", "1234", "7"), *", ß\ud800\0🙂", "\r\n"]
)


@st.composite
def documents(draw) -> tuple[str, list[Candidate]]:
    text = draw(st.lists(PIECES, max_size=40).map("".join) | st.text(max_size=60))
    ends = st.integers(1, max(1, len(text)))
    candidates = []
    for low, high in draw(st.lists(st.tuples(ends, ends), max_size=8)) if text else ():
        label = draw(st.sampled_from(["CITY", "DOCTOR", "ID", "OTHER"]))
        start, end = min(low, high) - 1, max(low, high)
        candidates.append(Candidate(start, end, label, "charcrf:x", 0.5))
    return text, sorted(candidates)


@examples(300)
@given(documents(), st.sampled_from([ALL, Propagation(("DOCTOR",), ("DOCTOR",), 1, 0.01)]))
def test_it_only_adds_whole_tokens_where_nothing_was_found(document, propagation):
    text, candidates = document
    added = found(text, candidates, propagation)
    assert added == sorted(added) == found(text, candidates[::-1], propagation)
    taken = np.zeros(len(text) + 1, bool)
    for candidate in candidates:
        taken[candidate.start : candidate.end] = True
    labels = {c.label for c in candidates} & set(propagation.labels)
    for one in added:
        assert one.end <= len(text) and one.label in labels and one.detector == "propagation:x"
        assert not taken[one.start : one.end].any()
        taken[one.start : one.end] = True


@examples(50)
@given(documents())
def test_what_is_added_is_carried_over_no_further(document):
    """One pass: where what it added is taken as found, nothing of the same phrases is left."""
    text, candidates = document
    once = Propagation(("CITY", "DOCTOR", "ID"), share=1e-9)
    added = found(text, candidates, once)
    assert found(text, sorted(candidates + added), once) == []


@pytest.mark.slow
def test_a_huge_document_of_names():
    """A quadratic pass would take hours."""
    words = [f"Name{i}x" for i in range(40_000)]
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    candidates = [
        Candidate(end - len(word), end, "DOCTOR", "crf:x", 1.0)
        for end, word in zip(ends.tolist(), words, strict=True)
    ]
    added = found(" ".join(words * 2), candidates)
    assert len(added) == len(words)


@pytest.mark.parametrize("phrase", ["<DOCTOR Ada{0}>", "<DOCTOR Lee{0}> Lee{0}", "<CITY Ab{0} Cd>"])
def test_many_different_phrases_cost_linear_time(phrase):
    letters = str.maketrans("0123456789", "abcdefghij")

    def text(count: int) -> str:
        return "\n".join(phrase.format(str(n).translate(letters)) for n in range(count))

    assert_linear(text, carried, 500)
