"""All occurrences of a phrase take one label; what is cut stays found."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.bundles.standardising import standardise
from scrubline.models.core.spans import Candidate
from scrubline.models.text.tokenizer import tokenize_documents

from ...growth import assert_linear


def parsed(text: str) -> tuple[str, list[Candidate]]:
    plain, candidates, at = "", [], 0
    for match in re.finditer(r"<([A-Z]+) ([^<>]*)>", text):
        plain += text[at : match.start()]
        start = len(plain)
        plain += match[2]
        candidates.append(Candidate(start, len(plain), match[1], "trees:x", 0.5))
        at = match.end()
    return plain + text[at:], candidates


def changed(plain: str, candidates: list[Candidate], which: str = "telling") -> list[Candidate]:
    tokens = tokenize_documents([plain])
    return standardise(plain, tokens.starts, tokens.ends, candidates, which)


def shown(text: str, which: str = "telling") -> list[str]:
    plain, candidates = parsed(text)
    return [f"{c.label} {plain[c.start : c.end]}" for c in changed(plain, candidates, which)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<A Ann Lee> and ANN LEE", ["A Ann Lee", "A ANN LEE"]),
        ("<A Ann Lee> and Ann", ["A Ann Lee"]),
        ("<A Ann Lee>, <A Ann Lee>, <B Ann Lee>", ["A Ann Lee"] * 3),
        # The longest goes first; whatever it had before does not matter.
        ("<A Oak Hill Ward>, <B Oak Hill>, <B Oak> Hill Ward",
         ["A Oak Hill Ward", "B Oak Hill", "A Oak Hill Ward"]),
        # What a longer phrase cuts keeps the rest.
        ("<A Oak Hill Ward>. <B Old Oak Hill Ward North Side> here. <C Old Oak> there",
         ["A Oak Hill Ward", "B Old Oak Hill Ward North Side", "C Old Oak"]),
        ("<A Mount Oak Hill>. <B Nine Mount> Oak Hill",
         ["A Mount Oak Hill", "B Nine", "A Mount Oak Hill"]),
        # Phrases that tell nothing stay as they are.
        ("<A he> said he", ["A he"]),
        ("<A He> said he. He left", ["A He"]),
        ("<A 12> or 12", ["A 12"]),
        ("<A 555-1234> or 555-1234", ["A 555-1234", "A 555-1234"]),
        ("", []),
    ],
)  # fmt: skip
def test_phrases_take_the_label_of_the_longest_match(text, expected):
    assert shown(text) == expected


def test_all_phrases_means_all():
    assert shown("<A he> said he", "all") == ["A he", "A he"]


WORDS = st.sampled_from(
    ["Ann", "Lee", "ann", "Oak", "12", ",", "\n", "<A Ann>", "<B Ann Lee>", "<A Oak, Lee Ann>"]
)


@given(st.lists(WORDS, max_size=20))
def test_no_token_that_was_found_is_lost_and_nothing_overlaps(words):
    plain, candidates = parsed(" ".join(words))
    tokens = tokenize_documents([plain])
    bounds = list(zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True))

    def covered(found: list[Candidate]) -> set[tuple[int, int]]:
        return {(s, e) for s, e in bounds if any(c.start < e and s < c.end for c in found)}

    for which in ("telling", "all"):
        made = changed(plain, candidates, which)
        assert all(a.end <= b.start for a, b in zip(made, made[1:], strict=False))
        assert covered(candidates) <= covered(made)


def test_it_is_linear():
    assert_linear(
        lambda size: parsed("<A Ann Lee> and Ann Lee, Bo.\n" * size),
        lambda given: changed(*given),
        200,
    )
