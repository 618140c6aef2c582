"""The vote of a pass, and what a later pass knows of what was found."""

from __future__ import annotations

import numpy as np
import pytest
from scrubline.models.bundles.passes import Tagged, acronym, found_tags, headings, majority
from scrubline.models.text.tokenizer import tokenize_documents


def tagged(tags: str, scores: float = 0.5) -> Tagged:
    names = tuple(sorted({*tags.split()}))
    ids = np.array([names.index(tag) for tag in tags.split()], np.int64)
    return Tagged(names, ids, np.full(len(ids), scores))


def voted(*tags: str) -> str:
    agreed = majority([tagged(one) for one in tags])
    return " ".join(agreed.names[tag] for tag in agreed.tags.tolist())


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (("B-A O", "B-A O", "O B-A"), "B-A O"),
        (("B-A", "B-B", "B-C"), "O"),
        (("B-A", "I-A", "O"), "O"),
        (("B-B I-B", "O I-B", "B-B O"), "B-B I-B"),
        (("B-A O",), "B-A O"),
        (("B-A B-A", "B-A O"), "B-A O"),
    ],
)
def test_two_of_three_decide_and_else_nobody(tags, expected):
    assert voted(*tags) == expected
    assert voted(*reversed(tags)) == expected


def test_the_score_is_that_of_those_who_agree():
    agreed = majority([tagged("B-A O", 0.8), tagged("B-A O", 0.6), tagged("O B-A", 0.1)])
    assert agreed.scores.tolist() == [0.7, 1.0]


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("Mount Oak Hospital", ("MOH",)),
        ("University of Leeds", ("UL",)),
        ("Ann", ()),
        ("of the", ()),
        ("", ()),
    ],
)
def test_acronyms_are_initials_of_capitalised_words(phrase, expected):
    assert acronym(phrase.split()) == expected


def column(text: str | None, found: list[tuple[str, str]], trusted: set[str]) -> list[str]:
    """The words with a tag, as "word/TAG"; phrases are found at their first place."""
    spans = [(text.index(p), text.index(p) + len(p), label) for p, label in found] if text else []
    tokens = tokenize_documents([text])
    tags = found_tags([spans], trusted, [text], tokens)
    words = tokens.texts(0, text) if text else []
    return [f"{w}/{tag}" for w, tag in zip(words, tags, strict=True) if tag]


FORM = (
    "Hospital: Mount Oak\nDoctor: Dr. Lee\nSeen at MOUNT OAK (MO), not mount oak.\nDr. He said he"
)


def test_phrases_under_a_trusted_heading_are_known_everywhere_with_their_acronym():
    found = [("Mount Oak", "HOSPITAL"), ("Lee", "DOCTOR"), ("He", "DOCTOR")]
    assert column(FORM, found, {"hospital"}) == [
        *("Mount/HOSPITAL", "Oak/HOSPITAL", "MOUNT/HOSPITAL", "OAK/HOSPITAL", "MO/HOSPITAL")
    ]


def test_a_word_behind_a_title_is_not_trusted_outside_of_its_heading():
    # The paper's "Dr. He": the name stands in prose, where nothing is trusted.
    text = "Doctor: Dr. Lee\nNote\n\nPlan: Dr. He saw her. He left. LEE agreed."
    found = [("Lee", "DOCTOR"), ("He", "DOCTOR")]
    assert column(text, found, {"doctor"}) == ["Lee/DOCTOR", "LEE/DOCTOR"]


def test_of_several_labels_the_most_frequent_counts():
    text = "Name: Ann\nName: ANN\nSite: Ann."
    spans = [(6, 9, "B"), (16, 19, "B"), (26, 29, "A")]
    tags = found_tags([spans], {"name", "site"}, [text], tokenize_documents([text]))
    assert [tag for tag in tags if tag] == ["B"] * 3


@pytest.mark.parametrize(
    ("text", "found", "trusted"),
    [(None, [], {"name"}), ("Name: Ann", [], {"name"}), ("Name: Ann", [("Ann", "A")], set())],
)
def test_nothing_is_trusted_without_text_finds_or_headings(text, found, trusted):
    assert column(text, found, trusted) == []


def test_headings_hold_until_the_next_one_and_never_over_a_document():
    texts = ["Name: Ann\nwho came", None, "left"]
    tokens = tokenize_documents(texts)
    ids, values = headings(texts, tokens)
    assert [values[i] if i >= 0 else "" for i in ids.tolist()] == ["name"] * 5 + [""]
