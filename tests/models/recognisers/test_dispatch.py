"""That rules find in a batch what each of them finds in a text alone, called or not."""

from __future__ import annotations

import functools
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.documents import Context, Document
from scrubline.models.core.spans import Candidate
from scrubline.models.native import extension
from scrubline.models.recognisers import RECOGNISERS, recognise_all, rules_on
from scrubline.models.recognisers.casing import WordBatch, WordProperty
from scrubline.models.recognisers.dispatch import triggers_of
from scrubline.models.recognisers.matching import RuleView, ViewBatch
from scrubline.models.recognisers.patterns import compiled, narrow
from scrubline.models.recognisers.prefilter import Case
from scrubline.models.recognisers.probe import Latest, Probe, WordQuestion

from ...examples import examples
from .test_contract import TEXTS

ROOT = Path(__file__).parents[3]
CASES = [path.read_text("utf-8") for path in sorted((ROOT / "tests/models/cases").glob("*.txt"))]


def alone(text: str) -> list[Candidate]:
    """What all rules find in a text of which nothing is known before."""
    return recognise_all(Document(text), Context(), RECOGNISERS)


def together(texts: list[str]) -> list[list[Candidate]]:
    batch = rules_on(texts, RECOGNISERS)
    return [
        recognise_all(Document(text), Context(), batch.called_on(index))
        for index, text in enumerate(texts)
    ]


@pytest.mark.parametrize("name", RECOGNISERS)
def test_every_rule_says_what_it_asks_first(name: str) -> None:
    triggers = triggers_of(RECOGNISERS[name])
    assert triggers is not None, f"{name} looks at each text: it is called on all of them"
    assert any(triggers)


@pytest.mark.parametrize("at_once", [2, 7, 64])
def test_rules_find_in_a_batch_what_they_find_alone(at_once: int) -> None:
    texts = [line for text in CASES for line in (text[:3000], *text.splitlines()[:40])]
    demo = (ROOT / "demo/gold/train.jsonl").read_text("utf-8").splitlines()[:24]
    texts += [json.loads(line)["text"] for line in demo]
    for low in range(0, len(texts), at_once):
        part = texts[low : low + at_once]
        for text, found in zip(part, together(part), strict=True):
            assert found == alone(text)


@given(texts=st.lists(TEXTS, min_size=1, max_size=5))
@examples(150)
def test_rules_find_in_any_batch_what_they_find_alone(texts: list[str]) -> None:
    assert together(texts) == [alone(text) for text in texts]


def test_a_text_that_is_passed_over_changes_nothing_for_others() -> None:
    batch = rules_on([None, "Dr. Jane Smith, MRN 1234567", None], RECOGNISERS)
    document = Document("Dr. Jane Smith, MRN 1234567")
    assert recognise_all(document, Context(), batch.called_on(1)) == alone(document.text)
    assert not batch.called_on(0)


@pytest.mark.parametrize(
    "looks",
    [
        lambda text: text[:3],
        lambda text: text.lower(),
        lambda text: len(text),
        lambda text: "a" in text,
        lambda text: list(text),
    ],
)
def test_a_rule_that_looks_at_the_text_itself_is_called_on_all(looks) -> None:
    class Rule:
        NAME, LABELS, SCORE = "mine", ("DATE",), 1.0

        @staticmethod
        def recognise(document: Document, context: Context):
            looks(document.text)
            yield Candidate(0, 1, "DATE", "mine", 1.0)

    assert triggers_of(Rule) is None


def test_a_rule_that_asks_its_context_is_called_on_all() -> None:
    class AskingRule:
        @staticmethod
        def recognise(document: Document, context: Context):
            if context.note_type:
                yield Candidate(0, 1, "DATE", "mine", 1.0)

    assert triggers_of(AskingRule) is None


SOURCES = [
    (r"acct[: ]{1,4}\d{1,3}", Case.ANY),
    (r"\d\d", Case.ANY),
    (r"\bLake.{0,9}\d", Case.AS_IT_STANDS),
    (r"(?:^|\n)lake", Case.ANY),
    (r"lake(?:$|\n)", Case.ANY),
    (r"[^x]{1,30}12", Case.ANY),
    (r"x.*no", Case.ANY),
    (r"[a-z](?: acct)?", Case.ANY),
    (r"(acct)|(lake)(\d)?", Case.ANY),
]
PARTS = [
    "acct",
    "12",
    "7",
    "12 34 56",
    "@",
    " ",
    "\n",
    ": ",
    "lake",
    "Lake",
    "x",
    "no",
    "\0",
    "\xe9",
]
made = functools.cache(compiled)


@given(
    views=st.lists(st.lists(st.sampled_from(PARTS), max_size=20).map("".join), max_size=6),
    apart=st.sampled_from(["", " " * 40]),
)
@examples(200)
@pytest.mark.parametrize(("source", "case"), SOURCES)
def test_a_batch_matches_as_each_text_alone(
    source: str, case: Case, views: list[str], apart: str
) -> None:
    asked = made(source, case)
    texts = [apart.join((text, text)).encode("latin-1") for text in views]
    batch = ViewBatch(texts)
    expected = [
        [(m.span(), m.groups(), [m.span(g + 1) for g in range(len(m.groups()))]) for m in found]
        for found in (asked.search(text) for text in texts)
    ]
    for matches in (
        batch.matches(asked),
        {i: ViewBatch(texts).matches_in(i, asked) for i in range(len(texts))},
    ):
        assert expected == [
            [
                (
                    (m.start(), m.end()),
                    m.groups(),
                    [(m.start(g + 1), m.end(g + 1)) for g in range(len(m.groups()))],
                )
                for m in matches.get(index, ())
            ]
            for index in range(len(texts))
        ]
    for index, matches in batch.matches(asked).items():
        for match in matches:
            assert match.group() == texts[index][slice(*match.span())]


LETTERS = WordProperty(lambda word: len(word) < 3)
NAMES = WordProperty.one_of(["ann", "bo"])


@given(
    texts=st.lists(TEXTS | st.sampled_from(["Ann Bo", "\nAnn", " ann", "bo\n- bo x"]), max_size=6)
)
@examples(200)
def test_words_of_a_batch_are_those_of_each_text(texts: list[str]) -> None:
    batch = WordBatch(texts)
    for wanted, behind, head in (
        (LETTERS, None, False),
        (NAMES, LETTERS, False),
        (LETTERS, NAMES, True),
        (NAMES, None, True),
    ):
        question = WordQuestion(wanted.bit, behind.bit if behind else 0, head)
        found = batch.where(question)
        for index, text in enumerate(texts):
            one, mine = WordBatch([text]).of(0), batch.of(index)
            assert (list(mine.starts), list(mine.ends), list(mine.heads), mine.shapes) == (
                list(one.starts),
                list(one.ends),
                list(one.heads),
                one.shapes,
            )
            assert (mine.texts, mine.plains) == (one.texts, one.plains)
            having = [
                {i for i, w in enumerate(one.texts) if w and len(w) < 3}
                if kind is LETTERS
                else {i for i, w in enumerate(one.plains) if w in ("ann", "bo")}
                for kind in (wanted, behind or wanted)
            ]
            expected = [
                i
                for i in sorted(having[0])
                if (not behind or i - 1 in having[1])
                and (not head or i - bool(behind) in one.heads)
            ]
            assert (
                list(found.get(index, ())) == expected == list(one.where(wanted, behind, head=head))
            )


def test_the_last_text_is_kept_and_one_that_comes_is_made_as_it_was_told() -> None:
    made_of: list[str] = []

    def make(text: str) -> str:
        made_of.append(text)
        return text.upper()

    latest = Latest(make)
    first, second = "a" * 3, "b" * 3
    assert [latest(first), latest(first), latest(second)] == ["AAA", "AAA", "BBB"]
    assert made_of == [first, second]
    latest.expect(first, lambda: "told")
    assert (latest(first), made_of) == ("told", [first, second])
    probe = Probe()
    assert latest(probe) is probe  # type: ignore[arg-type, comparison-overlap]


@pytest.mark.skipif(extension() is None, reason="needs the extension")
@pytest.mark.parametrize(
    "stretches", [[[1, 0]], [[-1, 2]], [[0, 6]], [[2, 3], [1, 2]], [[0, 3], [2, 4]]]
)
def test_stretches_that_are_not_in_the_texts_are_refused(stretches: list[list[int]]) -> None:
    native = extension()
    assert native is not None
    rows = np.array(stretches, np.int64)
    empty = np.array([0], np.int64)
    scanner = native.open_prefilter(b"", empty, empty[:0], b"", empty[:0].reshape(0, 4))
    with pytest.raises(ValueError, match="not in order"):
        native.scan(scanner, b"abcde", rows)
    with pytest.raises(ValueError, match="not in order"):
        native.join_windows(b"abcde", rows, b"\n")


def test_windows_are_joined_with_what_stands_beside_them() -> None:
    native = extension()
    if native is None:
        pytest.skip("needs the extension")
    rows = np.array([[0, 2], [3, 5]], np.int64)
    joined, places = native.join_windows(b"abcde", rows, b"|")
    assert joined.startswith(b"abc|cde|") and set(joined[8:]) <= {10}
    assert np.frombuffer(places, np.int64).tolist() == [0, 5]
    assert list(RuleView(narrow("aé"))) == [97, 233]


@pytest.mark.parametrize(
    "text",
    [
        "Boston-2 beside O'Brien",
        "X-Ray of Boston-a2, Really?Boston",
        "Is it 'Boston'? In Boston-2.",
        "seen in Boston, O'Fallon-2 and Winston-Salem",
    ],
)
def test_words_that_the_view_joins_are_read_as_the_view_has_them(text: str) -> None:
    assert together([text, "plain", text]) == [alone(text), alone("plain"), alone(text)]


def test_matches_of_a_batch_keep_little_memory() -> None:
    pattern = compiled(r"(\d\d)-(\d\d)", Case.AS_IT_STANDS)
    texts = [narrow(f"seen on {number % 90 + 10}-11, at home " * 20) for number in range(500)]
    batch = ViewBatch(texts)
    tracemalloc.start()
    matches = batch.matches(pattern)
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    found = sum(map(len, matches.values()))
    assert found == 500 * 20
    # What was searched is not kept: it is of the length of all texts, for each pattern.
    assert kept < 400 * found
    assert [match.groups() for match in matches[3]][:1] == [(b"13", b"11")]
