"""All studies at less than their quick size on the demo corpus: pages, tables and plots; and once
more.
"""

from __future__ import annotations

import csv
import dataclasses
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
from scrubline.dictionaries import load
from scrubline.models.core.label_maps import load_map
from scrubline.models.corpora import Annotation, read_annotated
from scrubline.models.evaluation.matrices import Matrix
from scrubline.models.evaluation.scores import Score
from scrubline.models.evaluation.wi_deid import MISSING, SPURIOUS
from scrubline.models.recipes import LANGUAGES, Learner, hide, hitsz, stat_deid, szeged, wi_deid
from scrubline.models.studies import (
    SIZES,
    STUDIES,
    Bench,
    ClaimCheck,
    Findings,
    Material,
    PageTable,
    Plot,
    Study,
    index_page,
    kernels,
    lists_needed,
    overview,
    page,
    write_findings,
)
from scrubline.models.studies.base import (
    FULL,
)
from scrubline.models.studies.classifiers import agreed, join, of_native
from scrubline.models.studies.hide import _claim_of_errors
from scrubline.models.studies.hide_sampling import _Curve, _poor
from scrubline.models.studies.nursing import describe_nursing, nursing_notes
from scrubline.models.studies.untested import UNTESTED, UntestedClaim
from scrubline.models.studies.wi_deid import _shares_table, official
from scrubline.models.training import passes

DEMO = Path(__file__).parents[3] / "demo" / "gold"
SMALL = dataclasses.replace(
    SIZES["quick"],
    documents=8,
    held=8,
    characters=6,
    learner=Learner.of("averaged-perceptron", max_iterations=2),
    rounds=1,
    kernel_documents=4,
    kernel_tokens=200,
)
"""A third of the quick size: every study runs all the same."""


def material(**changes: object) -> Material:
    values: dict[str, object] = {
        "name": "demo",
        "train": list(read_annotated(str(DEMO / "train.jsonl"))),
        "test": list(read_annotated(str(DEMO / "dev.jsonl"))),
        "language": "en",
        "dictionaries": {name: load(name) for name in lists_needed("en")},
    }
    return Material(**{**values, **changes})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def pages(work, tmp_path_factory):
    """The folder of all pages."""
    folder = tmp_path_factory.mktemp("pages")
    bench = Bench(material(), SMALL, work=work)
    for study in STUDIES.values():
        write_findings(folder, study, "demo", study.run(bench), f"scrubline study {study.name}")
    return folder


@pytest.mark.parametrize("name", STUDIES)
@pytest.mark.slow
def test_every_study_makes_its_page(pages, name):
    text = (pages / f"{name}.demo.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {STUDIES[name].title}: demo\n")
    assert STUDIES[name].source in text
    assert re.search(r"^\| .* \| .* \| (agrees|does not agree|cannot tell) \|$", text, re.M)
    assert f"scrubline study {name}" in text
    linked = set(re.findall(r"\(([\w.-]+\.(?:csv|svg))\)", text))
    there = {p.name for p in pages.iterdir() if p.name.startswith(f"{name}.demo.")}
    assert linked == {file for file in there if not file.endswith(".md")}
    assert any(file.endswith(".csv") for file in linked)


@pytest.mark.slow
def test_tables_are_rectangles_and_plots_are_drawn(pages):
    for path in pages.glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.reader(stream))
        assert len(rows) > 1 and len({len(row) for row in rows}) == 1, path.name
    for path in pages.glob("*.svg"):
        root = ElementTree.parse(path).getroot()  # noqa: S314 - our own
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root[0].tag.endswith("title") and root[0].text
        assert "NaN" not in path.read_text(encoding="utf-8")


@pytest.mark.slow
def test_no_text_of_the_corpus_is_in_a_page(pages):
    names = {
        document.text[span.start : span.end]
        for document in read_annotated(str(DEMO / "dev.jsonl"))
        for span in document.spans
        if span.label in ("PATIENT", "PHONE", "SSN", "EMAIL", "MEDICALRECORD")
    }
    written = "".join(p.read_text(encoding="utf-8") for p in pages.iterdir())
    assert not [name for name in names if len(name) > 6 and name in written]


@pytest.mark.slow
def test_a_study_goes_on_from_what_is_kept(pages, work, tmp_path, monkeypatch):
    def refuse(*args, **more):
        raise AssertionError("trained again")

    monkeypatch.setattr(passes, "fit", refuse)
    monkeypatch.setattr(kernels, "_tagged", refuse)
    bench = Bench(material(), SMALL, work=work)
    for study in STUDIES.values():
        write_findings(tmp_path, study, "demo", study.run(bench), f"scrubline study {study.name}")
    for path in pages.iterdir():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name


@pytest.mark.slow
def test_studies_of_one_paper_share_what_they_train(work, pages):
    lines: list[str] = []
    bench = Bench(material(), SMALL, work=work, report=lines.append)
    STUDIES["hitsz-categories"].run(bench)
    assert lines and all("kept from before" in line for line in lines)


def test_labels_are_mapped_for_what_needs_native_ones():
    mapping = dict(load_map("meddocan").table)
    spanish = material(language="es", label_map=mapping)
    assert spanish.native("CALLE") == "STREET"
    assert spanish.native("SEXO_SUJETO_ASISTENCIA") is None
    assert spanish.native("NOTHING") is None
    assert material().native("PATIENT") == "PATIENT"
    assert material().native("CALLE") is None


@pytest.mark.parametrize("name", LANGUAGES)
def test_the_lists_of_a_language_ship_and_suit_the_recipes(name):
    sources = {n for row in wi_deid.LISTS_IN[name].values() for n in row}
    needed = {*hide.DICTIONARIES_IN[name], *hitsz.LISTS_IN[name], *sources, *hide.DICTIONARIES}
    needed |= {*szeged.LANGUAGES[name], *stat_deid.LANGUAGES[name]}
    assert lists_needed(name) == sorted(needed)
    assert all(len(load(dictionary)) > 0 for dictionary in needed)
    bench = Bench(material(language=name), FULL)
    assert bench.hide().dictionaries == tuple(sorted(hide.DICTIONARIES_IN[name]))
    assert set(bench.wi_deid(more_lists=True).lists) == sources
    paper = {n for row in wi_deid.PAPER_LISTS_IN[name].values() for n in row}
    assert set(bench.wi_deid().lists) == paper <= sources
    with_lists = bench.hitsz("token", dictionaries=True)
    assert set(with_lists.lists) == set(hitsz.LISTS_IN[name])
    assert bench.hitsz("token").lists == ()
    assert set(bench.szeged().lists) == set(szeged.LANGUAGES[name])
    assert set(bench.stat_deid().lists) == set(stat_deid.LANGUAGES[name])
    assert bench.stat_deid().auxiliary == ()
    assert bench.hitsz("token").auxiliary == () and bench.missing_auxiliary == (
        ("brown", "ner", "pos", "word2vec")
    )


def test_the_merge_of_the_paper():
    def spans(*rows: tuple[int, int, str]) -> list[list[Annotation]]:
        return [[Annotation(*row) for row in rows]]

    token = spans((0, 4, "A"), (10, 20, "A"), (30, 40, "A"))
    character = spans((2, 6, "B"), (12, 14, "B"))
    rule = spans((5, 8, "C"), (50, 52, "C"))
    merged = join([token, character, rule])
    # By rank alone: rule, character CRF, token CRF; the character's first span falls to the rule,
    # and the token's first is overlapped by nothing that stays.
    assert merged == spans((0, 4, "A"), (5, 8, "C"), (12, 14, "B"), (30, 40, "A"), (50, 52, "C"))
    assert agreed(token, token) == token
    assert agreed(token, character) == [[]]


def test_only_the_five_labels_of_the_rules_are_compared():
    bench = Bench(material(label_map={"TEL": "PHONE", "NAME": "PATIENT"}), FULL)
    found = [[Annotation(0, 3, "TEL"), Annotation(4, 7, "NAME"), Annotation(8, 9, "NONE")]]
    assert of_native(bench, found, ["PHONE", "EMAIL"]) == [[Annotation(0, 3, "TEL")]]
    assert of_native(bench, found, ["PATIENT", "PHONE"]) == [found[0][:2]]


def test_the_official_run_has_no_features_of_the_next_tokens_in_two_groups():
    whole = wi_deid.wi_deid()
    (tagger,) = official(whole).taggers
    gone = set(whole.taggers[0].features) - set(tagger.features)
    # Orthographic: shape, length, class; dictionaries: five. Two offsets each.
    assert len(gone) == (3 + 5) * 2
    assert {offset for feature in gone for _, offset in feature.parts} == {1, 2}
    assert not gone & set(wi_deid.LEXICAL)
    assert official(whole).extensions == whole.extensions


def test_the_shares_of_missing_and_spurious_leave_out_errors_of_extent():
    labels = Matrix(
        "", ("A", "B", SPURIOUS), ("A", "B", MISSING), ((5, 1, 2), (0, 4, 0), (1, 0, 0)), "", ""
    )
    extents = Matrix("", ("short",), ("A", "B"), ((2, 0),), "", "")
    rows = {row[0]: row[1:] for row in _shares_table(labels, extents).rows}
    # Of 8 gold spans of A two are inexact, two missing; of 6 predicted ones one is spurious.
    assert rows["A"] == (2, "0.3333", None, 1, "0.2500", None)
    assert rows["B"] == (0, "0.0000", None, 0, "0.0000", None)


def test_nursing_notes_are_generated_or_given():
    bench = Bench(material(), FULL)
    notes = nursing_notes(bench)
    assert len(notes) == 163 and notes == nursing_notes(bench)
    assert "generated" in describe_nursing(bench) and "`--nursing`" in describe_nursing(bench)
    own = Bench(material(nursing=material().train[:5]), FULL)
    assert len(nursing_notes(own)) == 5 and "5 given ones" in describe_nursing(own)


@pytest.mark.parametrize(
    ("recalls", "poor"),
    [((0.97, 0.80), True), ((0.97, 0.92), False), ((0.70, 0.80), False)],
)
def test_recall_is_poor_where_one_token_in_ten_is_left(recalls, poor):
    scores = [Score(round(1000 * r), 100, round(1000 * (1 - r))) for r in recalls]
    curve = _Curve("p", (0.1, 1.0), scores, (1.0, 2.0))
    check = _poor(curve, "claim")
    assert check.agrees is poor
    assert check.found.startswith(f"At p = 0.1 recall {recalls[0]:.4f}, precision")


def test_errors_with_o_and_what_is_right_are_counted():
    matrix = Matrix("", ("B-A", "I-A", "O"), ("B-A", "I-A", "O"),
                    ((90, 1, 3), (0, 9, 0), (2, 0, 50)), "", "")  # fmt: skip
    check = _claim_of_errors(matrix)
    assert "99 of 103 PHI tokens are right, 0.9612; of 6 errors 5 have O" in check.found
    assert check.agrees


def test_some_documents_are_always_the_same_ones():
    documents = material().train
    some = Bench.some(documents, 10)
    assert len(some) == 10 and some == Bench.some(documents, 10)
    assert [d.doc_id for d in some] != [d.doc_id for d in documents[:10]]
    assert Bench.some(documents, 1_000) == list(documents)


def test_a_page_says_what_agrees_and_escapes_its_cells():
    study = Study("x", "A title", "A source", lambda bench: findings)
    findings = Findings(
        "How.",
        (
            PageTable("", ("a", "b"), (("x|y", 1234), (None, 0.5))),
            PageTable("wide", ("c",) * 20, ()),
        ),
        (Plot("", "what it shows", '<svg width="1"></svg>'),),
        (ClaimCheck("c1", "f1", True), ClaimCheck("c2", "f2", False), ClaimCheck("c3", "f3", None)),
    )
    text = page(study, "corpus", findings, "command")
    assert "| c1 | f1 | agrees |" in text and "| c2 | f2 | does not agree |" in text
    assert "| c3 | f3 | cannot tell |" in text
    assert "| x\\|y | 1,234 |" in text and "| - | 0.5 |" in text
    assert "![what it shows](x.corpus.svg)" in text and "(x.corpus.wide.csv)" in text
    assert "| c | c |" not in text
    index = index_page([study], {"x": ["corpus"]})
    assert "[corpus](x.corpus.md)" in index


def test_the_overview_has_each_claim_once_with_what_each_corpus_says(tmp_path, monkeypatch):
    study = Study("x", "A title", 'Smith et al. 1999, "A paper", Fig. 2', lambda bench: None)
    other = Study("y", "Another", 'Jones 2001, "Other paper", Table 1', lambda bench: None)
    for corpus, agrees in (("one", True), ("two", None)):
        claims = (ClaimCheck("More, and better.", f'"{corpus}"', agrees),)
        write_findings(tmp_path, study, corpus, Findings("How.", (), (), claims), "command")
    untested = UntestedClaim("Smith et al. 1999", "§3", "People find less.", "No people here.")
    monkeypatch.setattr(overview, "UNTESTED", (untested,))
    text = overview.overview_page([study, other], {"x": ["one", "two"], "y": ["earlier"]}, tmp_path)
    rows = [
        '| Fig. 2 | More, and better. | [one](x.one.md) | "one" | agrees |',
        '|  |  | [two](x.two.md) | "two" | cannot tell |',
        "| §3 | People find less. | - | No people here. | not tested |",
    ]
    assert "\n".join(rows) in text
    assert "| Table 1 | (The page is older than its claims: make it again.) | [earlier]" in text
    assert text.index("## Smith et al. 1999") < text.index("## Jones 2001")


def test_claims_without_a_study_are_of_papers_that_have_some():
    papers = {study.source.split(",")[0] for study in STUDIES.values()}
    assert {claim.paper for claim in UNTESTED} <= papers
