"""That a pattern matches nowhere where the pieces of words that it needs are not."""

from __future__ import annotations

import doctest
import functools
import importlib
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.native import extension
from scrubline.models.recognisers import RECOGNISERS, matching
from scrubline.models.recognisers import prefilter as necessary
from scrubline.models.recognisers.patterns import compiled, lines_before, view
from scrubline.models.recognisers.prefilter import Case, LiteralRun, needs

from ...examples import examples
from ...growth import assert_linear
from ...waiting import GUARD_SECONDS
from .test_contract import TEXTS

CASES = Path(__file__).parent.parent / "cases"
ROOT = Path(__file__).parents[3]


def prefiltered() -> dict[str, matching.Prefiltered]:
    """All patterns of the rules, by module and name."""
    modules = {"named_numbers", *RECOGNISERS}
    found = {}
    for name in sorted(modules):
        module = importlib.import_module(f"scrubline.models.recognisers.{name}")
        for key, value in vars(module).items():
            for part in (value, getattr(value, "strong", None), getattr(value, "weak", None)):
                if isinstance(part, matching.Prefiltered):
                    found[f"{name}.{key}.{part.number}"] = part
    return found


PATTERNS = prefiltered()


def counted(
    pattern: matching.Prefiltered, found: Iterable[matching.Match]
) -> list[tuple[int, int]]:
    """Where the matches are of which a rule has any use."""
    return [
        match.span()
        for match in found
        if pattern.case is not Case.CAPITAL
        or next(chr(c) for c in match.group() or b"" if chr(c).isalpha()).isupper()
    ]


def require_same(text: str) -> None:
    """Fails if a pattern finds something else on a view than where it is run on all of the text."""
    seen = view(text)
    for name, pattern in PATTERNS.items():
        expected = counted(pattern, pattern.search(bytes(seen)))
        assert counted(pattern, pattern.finditer(seen)) == expected, name


def test_examples() -> None:
    assert doctest.testmod(necessary).failed == 0


def test_most_patterns_need_something() -> None:
    assert sum(bool(pattern.needs.each) for pattern in PATTERNS.values()) > 130


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\bacct ?#", {("acct", True, True)}),
        (r"acct", {("acct", False, False)}),
        (r"\bbiops(?:y|ies)\b", {("biopsy", True, True), ("biopsies", True, True)}),
        (r"\bbiops(?:y|ies)", {("biopsy", True, False), ("biopsies", True, False)}),
        (r"\blab(?:oratory)?", {("lab", True, False)}),
        (r"x@y", {("@", False, False)}),
        (r"\d{3}-\d{2}-\d{4}", {("0000", True, False)}),
        (r"(?:Lake|LAKE) [A-Z]", {("lake", False, True)}),
        (r"\b[a-z]{2,5}\b", set()),
        (r"(?:acct|\S)x?", set()),
        (r"no\b", {("no", False, True)}),
        (r"'s", set()),
        (r"[oóÓ]tro\b", {("tro", True, True), ("otro", False, True)}),
        (r"(?:[a-z0-9]{1,20}\.){1,3}(?:com|org)\b", {("com", True, True), ("org", True, True)}),
        (r"\pL", set()),
        (r"", set()),
    ],
)
def test_pieces_of_patterns(source: str, expected: set[tuple[str, bool, bool]]) -> None:
    each = needs(source).each
    if source.startswith(r"\d{3}"):
        # Digits are much alike; some number of them.
        assert all(set(piece.text) == {"0"} for piece in each[0].pieces)
        return
    assert {piece for need in each[:1] for piece in need.pieces} == {
        LiteralRun(*p) for p in expected
    }


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\bacct", 0),
        (r"acct", 0),
        (r"[ \n]acct", 1),
        (r"\b ?acct", -1),
        (r"^ ?acct", -1),
        (r" {1,2}acct", -1),
        (r"(?:^|\n)acct", -1),
        (r"\b(?:the )?acct", -1),
        (r"[a-z]acct", -1),
    ],
)
def test_where_matches_begin(source: str, expected: int) -> None:
    assert needs(source).each[0].before == expected


def test_how_long_matches_are() -> None:
    assert needs(r"\bacct[: ]{1,4}\d{1,3}").reach == 11
    assert needs(r"\bacct.*").reach == necessary.NO_END


def test_a_pattern_may_need_several_things() -> None:
    many = "|".join("abcdefghijklmnopqrst")
    source = (
        rf"\bacct(?:(?:{many}){{2}}(?:{many}){{3}})?[^a]{{1,9}}(?:{many})(?:{many})(?:{many})dob"
    )
    assert all(need.pieces for need in needs(source).each)


def test_capitals_may_matter() -> None:
    assert needs(r"\bLake (?:Ann)?", Case.AS_IT_STANDS).each[0].pieces == {
        LiteralRun("Lake", True, True)
    }
    assert needs(r"\b(?:medical center|infirmary)\b", Case.CAPITAL).each[0].pieces == {
        LiteralRun("medical", True, True),
        LiteralRun("infirmary", True, True),
    }


@pytest.mark.parametrize("path", sorted(CASES.glob("*.txt")), ids=lambda path: path.stem)
def test_patterns_find_in_the_cases_what_they_match(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    require_same(text)
    for line in text.splitlines():
        require_same(line)


@given(text=TEXTS)
@examples(300)
def test_patterns_find_in_all_texts_what_they_match(text: str) -> None:
    require_same(text)


PARTS = [
    "acct",
    "Acct",
    "ACCT",
    "no",
    "12",
    "7",
    "@",
    " ",
    "\n",
    ": ",
    "lake",
    "Lake",
    "x",
    "_",
    "\xe9",
]
SOURCES = [
    (r"\bacct(?:[: ]{1,4}no)?[: ]{1,4}\d{1,3}", Case.ANY),
    (r"acct", Case.ANY),
    (r"[ \n](?:acct|lake)\b", Case.CAPITAL),
    (r"\b(?:lake|acct)[ x]{0,3}\b", Case.CAPITAL),
    (r"\bLake.{0,9}\d", Case.AS_IT_STANDS),
    (r"(?:x|lake|12).*no", Case.ANY),
    (r"[a-z]{1,5}@[a-z]{1,5}", Case.ANY),
    (r"\d{2}(?:acct)?$", Case.ANY),
    (r"(?:^|\n)[ ]?lake", Case.ANY),
]


@given(parts=st.lists(st.sampled_from(PARTS), max_size=60))
@examples(300)
@pytest.mark.parametrize(("source", "case"), SOURCES)
def test_little_patterns_find_what_they_match(source: str, case: Case, parts: list[str]) -> None:
    pattern = little(source, case)
    # Long enough for windows that are apart.
    for apart in ("", " " * 900):
        seen = view(apart.join(parts))
        assert counted(pattern, pattern.finditer(seen)) == counted(
            pattern, pattern.search(bytes(seen))
        )


@functools.cache
def little(source: str, case: Case) -> matching.Prefiltered:
    made = compiled(source, case)
    assert isinstance(made, matching.Prefiltered)
    return made


def test_a_pattern_that_is_made_later_is_run_on_texts_seen_before() -> None:
    seen = matching.RuleView(b"insured by Acme Health")
    assert not list(little(r"\bno such\b", Case.ANY).finditer(seen))
    late = little(r"\bacme health\b", Case.ANY)
    try:
        assert [match.span() for match in late.finditer(seen)] == [(11, 22)]
    finally:
        matching._PATTERNS.remove(late)  # type: ignore[arg-type]


FIRST_AND_SECOND = """
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import DEFAULT_RECOGNISERS, recognise_all
text = "She has Bright Health. Seen by Dr. Ann Poe at Mercy Hospital, Boston, MA on 3/4/2021."
first, second = (recognise_all(Document(text), Context(), DEFAULT_RECOGNISERS) for _ in range(2))
assert any(text[c.start : c.end] == "Bright Health" for c in second)
assert first == second
"""


def test_the_first_texts_of_a_process_are_recognised_like_later_ones() -> None:
    done = subprocess.run(
        [sys.executable, "-c", FIRST_AND_SECOND], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(extension() is None, reason="needs the extension")
@pytest.mark.parametrize(
    "columns",
    [
        (b"ab", [0, 1], [0], [0], [[0, 0, 0, 9]]),
        (b"ab", [0, 2], [1], [0], [[0, 2, 0, 9]]),
        (b"ab", [0, 2], [-1], [0], [[0, 0, 0, 9]]),
        (b"ab", [0, 2], [0], [12], [[0, 0, 0, 9]]),
        (b"a-", [0, 2], [0], [0], [[0, 0, 0, 9]]),
        (b"5", [0, 1], [0], [0], [[0, 0, 0, 9]]),
        (b"-", [0, 1], [0], [1], [[0, 0, 0, 9]]),
        (b"ab", [0, 2], [0], [0], [[0, 0, -2, 9]]),
        (b"ab", [0, 2], [0], [0], [[0, 0, 0, -1]]),
        (b"ab", [0, 0, 2], [0, 0], [0, 0], [[0, 0, 0, 9]]),
    ],
)
def test_needs_that_do_not_fit_are_refused(columns: tuple[Any, ...]) -> None:
    letters, offsets, numbers, flags, claims = columns
    native = extension()
    assert native is not None
    with pytest.raises(ValueError, match="do not fit"):
        native.open_prefilter(
            letters,
            np.array(offsets, np.int64),
            np.array(numbers, np.int64),
            np.array(flags, np.uint8),
            np.array(claims, np.int64),
        )


@pytest.mark.parametrize("piece", ["a", "7", "acct ", "mrn 7 ", "@", "no. 7 of ", "Lake "])
def test_time_is_linear(piece: str) -> None:
    def view(size: int) -> matching.RuleView:
        return matching.RuleView(piece.encode() * (size // len(piece)))

    assert_linear(view, lambda seen: seen.batch._windows, 100_000)


@given(
    text=st.text("ab\n", max_size=40),
    places=st.lists(st.integers(0, 39), max_size=5).map(sorted),
    reach=st.integers(0, 12),
)
def test_lines_are_whole_in_order_and_hold_what_stands_before_the_places(
    text: str, places: list[int], reach: int
) -> None:
    places = [place for place in places if place < len(text)]
    lines = list(lines_before(text.encode(), places, reach))
    covered = [False] * len(text)
    behind = 0
    for start, end in lines:
        assert behind <= start < end
        assert start == 0 or text[start - 1] == "\n"
        assert end == len(text) or text[end - 1] == "\n"
        covered[start:end] = [True] * (end - start)
        behind = end
    for place in places:
        assert all(covered[max(0, place - reach) : place + 1])


FORKED = """
import os, signal, sys, threading
from scrubline.models.core.documents import Context, Document
from scrubline.models.recognisers import DEFAULT_RECOGNISERS, recognise_all
from scrubline.models.recognisers.matching import RuleView

def rules():
    recognise_all(Document("Dr. Smith, MRN 1234567"), Context(), DEFAULT_RECOGNISERS)

scans = threading.Event()

def scan():
    while True:
        RuleView(b"Dr. Lee, MRN 1234567, seen 3/4/2012.\\n" * 50_000).batch._windows
        scans.set()

rules()
threading.Thread(target=scan, daemon=True).start()
scans.wait()
child = os.fork()
if not child:
    signal.alarm(int(sys.argv[1]))
    rules()
    os._exit(0)
os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0)
"""


def test_a_fork_beside_a_thread_that_scans_goes_on() -> None:
    command = [sys.executable, "-c", FORKED, str(int(GUARD_SECONDS))]
    assert subprocess.run(command, cwd=ROOT).returncode == 0
