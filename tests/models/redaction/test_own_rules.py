"""Rules of a site's own: what they find, and what is refused."""

import dataclasses
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.errors import UsageError
from scrubline.models.redaction.own_rules import (
    MOST_PATTERNS,
    SCORE,
    OwnRule,
    recognise_own,
)
from scrubline.models.redaction.phrases import fold

LABELS = {"DOCTOR": "DOCTOR", "LOCATION_OTHER": "LOCATION-OTHER", "STUDY": "STUDY"}


def rule(*patterns, label="IDNUM", **about):
    for key in ("near", "not_near", "veto"):
        about[key] = frozenset(map(fold, about.get(key, ())))
    return OwnRule("x", patterns, label, LABELS, **about)


def found(text, *rules):
    return [(text[c.start : c.end], c.label) for c in recognise_own(text, rules)]


CHART = rule(r"\bGV-(?P<phi>\d{6,8})\b")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("GV-1234567", ["1234567"]),
        ("gv-1234567,GV-123456", ["1234567", "123456"]),
        ("GV-12345", []),
        ("XGV-1234567", []),
        ("é GV-1234567 🙂 GV-7654321", ["1234567", "7654321"]),
        ("GV‑１２３４５６", ["１２３４５６"]),
        ("GV\N{MINUS SIGN}٠١٢٣٤٥", ["٠١٢٣٤٥"]),
        ("\ud800GV-1234567\udfff", ["1234567"]),
        ("ł\x00GV-123456\r\n", ["123456"]),
    ],
)
def test_the_group_is_what_is_found(text, expected):
    assert found(text, CHART) == [(one, "IDNUM") for one in expected]


@pytest.mark.parametrize(
    ("patterns", "text", "expected"),
    [
        ((r"\bHX\d{2}",), "hx12 HX123", [("hx12", "IDNUM"), ("HX12", "IDNUM")]),
        (("(?-i)HX",), "hx HX", [("HX", "IDNUM")]),
        (("Łódź",), "ŁÓDŹ, łódź", [("ŁÓDŹ", "IDNUM"), ("łódź", "IDNUM")]),
        ((r"\pL{1,9}-7",), "é ñandú-7", [("ñandú-7", "IDNUM")]),
        (("a|b", "ab"), "ab", [("a", "IDNUM"), ("ab", "IDNUM"), ("b", "IDNUM")]),
        ((" {0,3}x {0,3}",), "a  x  b", [("x", "IDNUM")]),
        (("(?:a)(b)",), "ab", [("ab", "IDNUM")]),
        (("(?<phi>b)a?",), "ba", [("b", "IDNUM")]),
        (
            (r"(?P<DOCTOR>\w{1,9}), (?P<LOCATION_OTHER>ward \d)(?: of (?P<STUDY>H\d))?",),
            "Ann, ward 7. Bob, Ward 8 of H2",
            [
                ("Ann", "DOCTOR"),
                ("ward 7", "LOCATION-OTHER"),
                ("Bob", "DOCTOR"),
                ("Ward 8", "LOCATION-OTHER"),
                ("H2", "STUDY"),
            ],
        ),
        (("(?P<phi>a)|(?P<STUDY>b)",), "ab", [("a", "IDNUM"), ("b", "STUDY")]),
        (("x(?P<phi> ?)",), "x x", []),
        ((r"[+*]\*\Q+*\E[^]+*]",), "+*+*a", [("+*+*a", "IDNUM")]),
    ],
)
def test_what_patterns_mean(patterns, text, expected):
    assert found(text, rule(*patterns)) == expected


def test_a_rule_may_have_groups_alone():
    only = rule("by (?P<DOCTOR>[a-z]{1,9})", label=None)
    assert found("seen by ann", only) == [("ann", "DOCTOR")]
    assert only.labels == ("DOCTOR",) and CHART.labels == ("IDNUM",)
    assert rule("(?P<STUDY>x)").labels == ("IDNUM", "STUDY")


CONTEXT = rule(r"N\d{3}", near=("chart", "File no"), not_near=("lot",), window=10)


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("N123", True),
        ("chart N123", False),
        ("N123 CHART", False),
        ("charts N123", True),
        ("file\n  no N123", False),
        ("chart 456 N123", False),
        ("chart 4567 N123", True),
        ("N123 45678 chart", True),
        ("N123 4567 chart", True),
        ("N123 456 chart", False),
        ("chart N123 lot", True),
        ("chart N123 the lots", False),
        ("lot 1234567 N123 chart", False),
        ("chartN123", True),
        ("chart N123 lot N456", True),
    ],
)
def test_words_beside_a_match(text, stays):
    assert (found(text, CONTEXT) == []) == stays


def test_words_within_a_match_are_not_beside_it():
    inside = rule(r"chart \d{3} lot", near=("chart",), not_near=("lot",))
    assert found("chart 123 lot", inside) == []
    assert found("chart: chart 123 lot", inside) == [("chart 123 lot", "IDNUM")]


def test_a_veto_is_of_the_part_that_is_phi():
    veto = rule(r"N(?P<phi>\d{3})(?P<STUDY>h\d)?", veto=("000", "H1"))
    assert found("N000 N001 N000h2 N002H1", veto) == [
        ("001", "IDNUM"),
        ("h2", "STUDY"),
        ("002", "IDNUM"),
    ]


def test_candidates_name_the_rule():
    [candidate] = recognise_own("GV-1234567", [CHART])
    assert (candidate.detector, candidate.score) == ("own:x", SCORE)
    assert recognise_own("GV-1234567", []) == []


@given(st.text(alphabet=st.sampled_from("NnG-019٣ \n🙂éłchart\ud800\x00")))
def test_finds_are_inside_the_text_and_do_not_depend_on_the_order_of_rules(text):
    rules = [CONTEXT, rule(r"n\d", "ch|cha"), rule(r"\PM{1,3}(?P<STUDY>0)", not_near=("chart",))]
    candidates = recognise_own(text, rules)
    assert candidates == sorted(recognise_own(text, rules[::-1]))
    for one in candidates:
        covered = text[one.start : one.end]
        assert covered and covered == covered.strip()


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        (r"\d+", "a repetition without an end"),
        ("a*b", "a repetition without an end"),
        ("a{3,}", "a repetition without an end"),
        ("[+]x+?", "a repetition without an end"),
        (r"\\+", "a repetition without an end"),
        ("x{101}", "at most 100 repetitions"),
        ("x{1,5000}", "at most 100 repetitions"),
        (r"\pL{1,60}", "repeats too much"),
        ("", "no character"),
        ("x?", "no character"),
        ("^", "no character"),
        ("$", "no character"),
        (r"\b", "no character"),
        (r"\B", "no character"),
        (r"(?m)^\s{0,1}", "no character"),
        (r"(?m)^$", "no character"),
        (r"a|\b(?:b?)\b", "no character"),
        ("(John Smith", r"RE2 cannot read it \(missing \)\)"),
        (r"\1John", r"RE2 cannot read it \(invalid escape sequence\)"),
        ("(?=John)", "RE2 cannot read it"),
        ("[z-a]", "RE2 cannot read it"),
        ("\ud800", "a lone surrogate"),
        ("x" * 1001, "at most 1000 characters"),
        ("(?P<John>x)", "called by no label"),
        ("(?P<phi>x)|(?P<phi>y)", "the same name|RE2 cannot read it"),
    ],
)
def test_patterns_that_are_refused(pattern, told):
    with pytest.raises(UsageError, match=f"^patterns 2: .*{told}") as caught:
        rule("fine", pattern)
    assert "John" not in str(caught.value)


@pytest.mark.parametrize("pattern", ["x", "(?P<phi>x)", "(?P<phi>x)(?P<DOCTOR>y)"])
def test_a_label_is_missing(pattern):
    with pytest.raises(UsageError, match="patterns 1: the rule has no label"):
        rule(pattern, label=None)


@pytest.mark.parametrize(
    ("about", "told"),
    [
        ({"window": 0}, "window"),
        ({"window": 1001}, "window"),
        ({"window": True}, "window"),
        ({"window": 5.0}, "window"),
        ({"patterns": ()}, "patterns: expected 1 to"),
        ({"patterns": ("x",) * (MOST_PATTERNS + 1)}, "patterns: expected 1 to"),
    ],
)
def test_what_else_is_refused(about, told):
    with pytest.raises(UsageError, match=told):
        dataclasses.replace(CHART, **about)


@pytest.mark.parametrize(
    "about",
    [
        {"patterns": ("y",)},
        {"label": "DEVICE"},
        {"near": frozenset({"a"})},
        {"not_near": frozenset({"a"})},
        {"veto": frozenset({"a"})},
        {"window": 51},
    ],
)
def test_the_hash_is_of_what_decides(about):
    assert dataclasses.replace(CHART, **about).hash != CHART.hash


def test_the_hash_is_not_of_name_tests_or_order():
    told = dataclasses.replace(CHART, name="y", finds=("a",), leaves=("b",))
    assert told.hash == CHART.hash and "GV" not in repr(told)
    assert rule("a", "b").hash == rule("b", "a").hash
    renamed = dataclasses.replace(rule("(?P<STUDY>x)"), groups={"STUDY": "DEVICE"})
    assert renamed.hash != rule("(?P<STUDY>x)").hash
    assert dataclasses.replace(CHART, groups={}).hash == CHART.hash


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pattern", "piece"), [("a.{0,100}b|a", "a"), (r"\d{1,100}X|\d", "1"), (r"N\d", "chart N1 ")]
)
def test_time_grows_with_the_text_alone(pattern, piece):
    one = rule(pattern, near=("chart",)) if "N" in pattern else rule(pattern)
    took = []
    for size in (20_000, 80_000):
        text = (piece * size)[:size]
        begun = time.process_time()
        recognise_own(text, [one])
        took.append(time.process_time() - begun)
    assert took[1] < 12 * took[0] + 0.1
