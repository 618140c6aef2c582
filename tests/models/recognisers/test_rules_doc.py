"""docs/rules.md names the rules as they are, and the benchmark that writes it counts rightly."""

from __future__ import annotations

import importlib.util
import json
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest
from scrubline.models.core.documents import Document
from scrubline.models.core.spans import Candidate
from scrubline.models.recognisers import DEFAULT_RECOGNISERS, lists_of

ROOT = Path(__file__).parents[3]
UNMEASURED = "Not measured yet."
"""Ends the docstring of a new rule until someone with the corpora has written the page."""
MEASURED = [
    name
    for name, rule in DEFAULT_RECOGNISERS.items()
    if not (rule.__doc__ or "").rstrip().endswith(UNMEASURED)
]


@pytest.fixture(scope="module")
def sections() -> dict[str, str]:
    """Heading -> text of docs/rules.md."""
    text = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.fixture(scope="module")
def rules() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rules_benchmark", ROOT / "benchmarks/rules.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up while they are built.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_the_page_has_a_section_for_each_rule_in_order(sections: dict[str, str]) -> None:
    assert list(sections) == ["Figures", *MEASURED]


@pytest.mark.parametrize("name", MEASURED)
def test_a_section_says_what_the_file_says(name: str, sections: dict[str, str]) -> None:
    rule, lines = DEFAULT_RECOGNISERS[name], sections[name].splitlines()
    assert lines[1] == (rule.__doc__ or "").strip().splitlines()[0]
    assert f"- labels: {', '.join(rule.LABELS)}" in lines
    assert f"- score: {rule.SCORE}" in lines
    lists = ", ".join(lists_of(name))
    assert (f"- dictionaries: {lists}" in lines) == bool(lists)
    assert any(line.startswith("| together |") for line in lines)


def test_the_figures_name_each_rule_once(sections: dict[str, str]) -> None:
    assert re.findall(r"^\| \[(\w+)\]", sections["Figures"], re.MULTILINE) == MEASURED


def test_counts_of_what_is_found_right_and_covered(rules: ModuleType) -> None:
    text = "3/4/12 and 5/6/13, also 7/8/14"
    gold = (
        rules.Gold(0, 6, frozenset({"DATE"})),
        rules.Gold(8, 17, frozenset({"PHONE"})),
        rules.Gold(18, 22, frozenset()),
    )
    corpus = rules.Corpus("made", ((Document(text), gold),), frozenset(), (), "0" * 16)
    counts = rules.measure(DEFAULT_RECOGNISERS["date"], corpus)
    assert counts == rules.Counts(found=3, right=1, exact=1, phi=2, gold=1, covered=1)
    assert (counts.precision, counts.phi_precision, counts.recall) == (1 / 3, 2 / 3, 1.0)
    assert counts.score == 0.4 and counts.fails


def test_what_nothing_says_is_none(rules: ModuleType) -> None:
    counts = rules.Counts()
    assert (counts.precision, counts.recall, counts.fails, counts.score) == (None, None, False, 0.5)


@pytest.mark.parametrize(
    ("label", "span", "overlapping", "judged"),
    [
        ("DATE", (3, 7), False, False),  # a year alone
        ("DATE", (3, 7), True, True),
        ("DATE", (0, 7), False, True),
        ("AGE", (3, 7), False, False),  # the corpus has no such label
        ("PHONE", (3, 7), False, True),
    ],
)
def test_a_corpus_does_not_judge_what_it_leaves_out(
    label: str, span: tuple[int, int], overlapping: bool, judged: bool, rules: ModuleType
) -> None:
    silence = rules.Silence("DATE", r"(?:19|20)\d\d", "no years")
    corpus = rules.Corpus("made", (), frozenset({"AGE"}), (silence,), "0" * 16)
    candidate = Candidate(*span, label, "made", 0.9)
    assert corpus.judges(candidate, "in 2014", overlapping) is judged


def test_maps_are_shipped_and_widened(rules: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    spans = [{"start": 0, "end": 3, "label": "NAME"}, {"start": 4, "end": 8, "label": "DATE"}]
    path.write_text(json.dumps({"doc_id": "1", "text": "Lee 2014", "spans": spans}) + "\n")
    corpus = rules.read_corpus("asq_phi", rules.CORPORA["asq_phi"], path)
    assert [gold.labels for gold in corpus.documents[0][1]] == [{"PATIENT", "DOCTOR"}, {"DATE"}]
    assert {"AGE", "PROFESSION", "STATE"} <= corpus.unknown
    assert not {"DATE", "HOSPITAL", "PATIENT"} & corpus.unknown


@pytest.fixture
def made(tmp_path: Path) -> Path:
    path = tmp_path / "made.jsonl"
    spans = [{"start": 5, "end": 11, "label": "DATE"}, {"start": 16, "end": 19, "label": "DOCTOR"}]
    text = "seen 3/4/12 Dr. Lee"
    path.write_text(json.dumps({"doc_id": "1", "text": text, "spans": spans}) + "\n")
    return path


def test_the_report_and_its_json_agree(
    rules: ModuleType, made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rules.main([str(made)]) == 0
    table = capsys.readouterr().out
    assert rules.main([str(made), "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    date = next(x for x in lines if x.get("rule") == "date" and x["corpus"] == "together")
    assert (date["found"], date["right"], date["gold"], date["covered"]) == (1, 1, 1, 1)
    assert {x["rule"] for x in lines if "rule" in x} == {*DEFAULT_RECOGNISERS, "*"}
    whole = next(x for x in lines if x.get("rule") == "*" and x["corpus"] == "together")
    assert whole["token_blind_recall"] and "tokens, label-blind" in table
    assert "Lee" not in table and "3/4/12" not in table


def test_scores_are_lines_for_the_files(
    rules: ModuleType,
    made: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(rules, "SCORED", ("made",))
    assert rules.main([str(made), "--scores"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[::3]] == list(DEFAULT_RECOGNISERS)
    at = 3 * list(DEFAULT_RECOGNISERS).index("date")
    assert lines[at + 1 : at + 3] == ["    # 1 of 1 right: made 1/1.", "    SCORE = 0.6667"]


def test_a_corpus_that_is_not_there_is_an_error(
    rules: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rules.main([str(tmp_path / "none.jsonl")]) == 2
    assert rules.main(["--write-docs", "--corpora", str(tmp_path)]) == 2
    assert "not there" in capsys.readouterr().err
