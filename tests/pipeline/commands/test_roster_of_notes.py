"""`--roster` of `annotate` and `evaluate`, and of `preview`."""

import csv
import json

import pytest
from scrubline.models.core.known_values import KnownValue
from scrubline.models.corpora import AnnotatedDocument, Annotation
from scrubline.models.evaluation import compare

from .test_preview import on_terminal

pytestmark = pytest.mark.slow

PEOPLE = [
    ("7", "self", "name", "Zelda Quimby"),
    ("7", "relative", "name", "May Quimby"),
    ("8", "self", "name", "Yorick Brandenquist"),
]
NOTES = [
    ("a", 7, "Zelda was seen. QUIMBY, May called, and Yorick too."),
    ("b", "8", "brandenquist left with Zelda."),
    ("c", None, "Quimby and Brandenquist."),
]

HAS_TWO = "the roster has the patients of 2 of 2 notes that name a patient\n"


def in_text(text, *names):
    return tuple(Annotation(text.index(n), text.index(n) + len(n), "PATIENT") for n in names)


@pytest.fixture
def places(tmp_path, scrubline):
    with (tmp_path / "people.csv").open("w", newline="") as stream:
        table = csv.writer(stream)
        table.writerows([("patient", "kind", "attribute", "value"), *PEOPLE])
    (tmp_path / "notes.jsonl").write_text(
        "".join(
            json.dumps({"doc_id": i, "text": text, "spans": [], "meta": {"patient": who}}) + "\n"
            for i, who, text in NOTES
        )
    )
    key = ("--key-file", tmp_path / "key.txt")
    scrubline("key", "new", "--output", key[1])
    table, roster = tmp_path / "people.csv", tmp_path / "roster"
    code, _, _ = scrubline("roster", "build", "--input", table, *key, "--output", roster)
    assert code == 0
    return tmp_path / "notes.jsonl", ("--roster", roster, *key)


def annotate(scrubline, notes, found, *words):
    return scrubline("annotate", "--input", notes, "--model", "none", "--output", found, *words)


def test_annotate_finds_what_the_roster_knows_of_each_note(places, tmp_path, scrubline):
    notes, roster = places
    code, _, err = annotate(scrubline, notes, tmp_path / "found.jsonl", *roster)
    assert (code, err) == (0, HAS_TWO)
    found = [json.loads(line) for line in (tmp_path / "found.jsonl").read_text().splitlines()]
    covered = [[one["text"][s["start"] : s["end"]] for s in one["spans"]] for one in found]
    assert covered == [["Zelda", "QUIMBY, May"], ["brandenquist"], []]
    assert {s["label"] for one in found for s in one["spans"]} == {"PATIENT"}


def test_evaluate_counts_the_words_of_known_names(places, tmp_path, scrubline):
    notes, roster = places
    rows = [json.loads(line) for line in notes.read_text().splitlines()]
    for row, names in zip(
        rows, (("Zelda", "QUIMBY, May"), ("brandenquist", "Zelda"), ()), strict=True
    ):
        spans = in_text(row["text"], *names)
        row["spans"] = [{"start": s.start, "end": s.end, "label": s.label} for s in spans]
    gold = tmp_path / "gold.jsonl"
    gold.write_text("".join(json.dumps(row) + "\n" for row in rows))
    annotate(scrubline, notes, tmp_path / "found.jsonl", *roster)
    annotate(scrubline, notes, tmp_path / "none.jsonl", "--recogniser", "date")
    for found, removed in (("found.jsonl", 4), ("none.jsonl", 0)):
        code, out, err = scrubline("evaluate", gold, tmp_path / found, *roster, "--json")
        assert (code, err) == (0, HAS_TWO)
        shares = json.loads(out)["metrics"]["known_names"]
        counts = {
            name: (one["count"], one["of"]) for name, one in shares.items() if name != "title"
        }
        assert counts == {
            "all words": (removed, 4),
            "strong": (min(removed, 3), 3),
            "weak": (min(removed, 1), 1),
            "of the patient": (min(removed, 3), 3),
            "of relatives and contacts": (min(removed, 1), 1),
        }
    code, out, _ = scrubline("evaluate", gold, tmp_path / "found.jsonl", "--json")
    assert code == 0 and "known_names" not in json.loads(out)["metrics"]


@pytest.mark.parametrize(
    ("drop", "words", "told"),
    [
        (2, (), "no master key"),
        (0, ("--patient", "person"), "meta.person"),
        (4, ("--patient", "person"), "--patient is for --roster"),
    ],
)
def test_what_is_refused(places, tmp_path, scrubline, drop, words, told):
    notes, roster = places
    code, _, err = annotate(scrubline, notes, tmp_path / "f.jsonl", *roster[: 4 - drop], *words)
    assert code == 2 and told in err and "Quimby" not in err
    assert not (tmp_path / "f.jsonl").exists()


def test_a_roster_of_other_patients_is_refused(places, tmp_path, scrubline):
    notes, roster = places
    notes.write_text(json.dumps({"doc_id": "a", "text": "x", "spans": [], "meta": {"patient": 9}}))
    code, _, err = annotate(scrubline, notes, tmp_path / "f.jsonl", *roster)
    assert code == 2 and "it has the patient of none of 1 note" in err
    assert not (tmp_path / "f.jsonl").exists()


def test_a_patient_that_is_no_id_is_refused_without_its_value(places, tmp_path, scrubline):
    notes, roster = places
    notes.write_text(
        json.dumps({"doc_id": "a", "text": "x", "spans": [], "meta": {"patient": ["Quimby"]}})
    )
    code, _, err = annotate(scrubline, notes, tmp_path / "f.jsonl", *roster)
    assert code == 2 and "meta.patient" in err and "list" in err and "Quimby" not in err


def test_words_outside_gold_spans_and_short_ones_do_not_count():
    text = "Long, A. B., van Long; long."
    document = AnnotatedDocument("a", text, (Annotation(0, 21, "PATIENT"),))
    known = (KnownValue.of("self", "name", "Al van Long"),)
    report = compare([document], [document], what_is_known=lambda _: known, metrics=["known_names"])
    share = report.metrics["known_names"].shares["all words"]
    assert (share.count, share.of) == (2, 2)


def test_preview_shows_what_a_run_with_the_roster_would_remove(places, tmp_path):
    _, roster = places
    table = tmp_path / "rows.jsonl"
    table.write_text(json.dumps({"id": 1, "who": 7, "text": "zelda and yorick"}) + "\n")
    roles = [w for role in ("id=id", "who=patient", "text=text") for w in ("--column", role)]
    words = ("--input", table, "--model", "none", "--recogniser", "date", *roles)
    code, shown, err = on_terminal("preview", *words, *roster)
    assert (code, err) == (0, "")
    assert "[PATIENT] and yorick" in "".join(shown.split("\x1b[1;31m")).replace("\x1b[0m", "")


def test_preview_knows_what_a_row_says_itself(tmp_path):
    table = tmp_path / "rows.jsonl"
    table.write_text(json.dumps({"id": 1, "name": "Zelda Quimby", "text": "zelda came"}) + "\n")
    roles = [w for role in ("id=id", "name=known:name", "text=text") for w in ("--column", role)]
    words = ("--input", table, "--model", "none", "--recogniser", "date", *roles)
    code, shown, _ = on_terminal("preview", *words)
    assert code == 0 and "[PATIENT]" in shown


def test_preview_refuses_a_roster_where_no_row_says_whose_it_is(places, tmp_path):
    _, roster = places
    table = tmp_path / "rows.jsonl"
    table.write_text(json.dumps({"id": 1, "text": "zelda"}) + "\n")
    roles = ("--column", "id=id", "--column", "text=text")
    code, shown, err = on_terminal("preview", "--input", table, *roles, "--model", "none", *roster)
    assert code == 2 and "patient" in err and "zelda" not in shown
