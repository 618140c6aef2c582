"""The loop by the real commands: the worst notes are read, learned from, and scrubbed again."""

import json
import re
from pathlib import Path

import pyarrow.dataset as ds
import pytest
from scrubline.models.corpora import read_annotated
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.review.texts import ReviewedOutput

from .served import KEY, reading, run

pytestmark = pytest.mark.slow

ROUNDS = (14, 21)
"""Notes that are done when it is trained: of 12 patients, and of 17; of 10 none is held back."""

MARKED = 3
"""Spans that are marked of a note, at most."""

GOLD = Path(__file__).parents[2] / "demo/gold"


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """An output of the demo's notes by a model that has seen few, without rules."""
    folder = tmp_path_factory.mktemp("loop")
    gold = [one for name in ("train", "dev") for one in read_annotated(f"{GOLD}/{name}.jsonl")]
    rows = [{"id": g.doc_id, "who": g.meta["patient_id"], "text": g.text} for g in gold]
    (folder / "in").mkdir()
    (folder / "in/notes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "key.txt").write_text(KEY)
    (folder / "key.txt").chmod(0o600)
    little = ("--recipe", "hide", "--name", "little", "--output", "little")
    run("train", "--synth", "3:20", *little, cwd=folder)
    roles = [f"--column={role}" for role in ("id=id", "who=patient", "text=text:plain")]
    places = ("--input", "in", "--output", "out", "--key-file", "key.txt")
    run("scrub", *places, *roles, "--model", folder / "little", "--recogniser", "none", cwd=folder)
    return Published(folder, {one.text: one for one in gold})


class Published:
    """What was published, and what is known of it.

    Attributes:
        folder: with key, input and output.
        gold: original text -> its annotation.
        output: as a review has it.
        labels: of the page, in the order of their keys.
        risks: key of a document -> its risk.
    """

    def __init__(self, folder, gold):
        self.folder, self.gold = folder, gold
        self.output = ReviewedOutput(Storage(), str(folder / "out"), str(folder / "key.txt"), ())
        documents = ds.dataset(folder / "out/documents").to_table().to_pylist()
        self.labels = self.output.labels
        self.risks = {row["doc_key"]: row["risk"] for row in documents}
        self._texts = {text[0]: text for text in self.output.texts}

    def left(self, key):
        """Gold spans of a note that are left in the clear, with words that it has just once."""
        text = self._texts[key]
        removed = [(row["start"], row["end"]) for row in self.output.audit(text)]
        note = self.gold[self.output.original(text)]
        folded = note.text.casefold()
        found = []
        for span in note.spans:
            words = note.text[span.start : span.end]
            is_clear = not any(low < span.end and span.start < high for low, high in removed)
            if is_clear and "\n" not in words and folded.count(words.casefold()) == 1:
                found.append((span, words))
        return found

    def rows(self, name):
        """Key -> the last row of a file of the review."""
        (found,) = (self.folder / "out/restricted/review").rglob(name)
        return {row["doc_key"]: row for row in map(json.loads, found.read_text().splitlines())}

    def marked(self, reader, key):
        """What a reader has marked beside the run's spans: (start, end, label)."""
        row = self.rows(f"marks-{reader}.jsonl")[key]
        assert row["verdict"] == "done"
        return [(s["start"], s["end"], s["label"]) for s in row["spans"] if not s["was"]]


def marks_what_is_left(at, key):
    """Marks the first that are left of a note."""
    for span, words in at.published.left(key)[:MARKED]:
        at.marks(span.start, words, span.label)


def test_the_worst_notes_are_corrected_learned_from_and_scrubbed_again(browser, published):
    with reading(browser, published, "ana", "--originals", published.folder / "in") as at:
        read = reads_and_trains(at)
        risks = [published.risks[key] for key in read]
        assert risks == sorted(published.risks.values(), reverse=True)[: len(read)]
        for key in read:
            expected = [(s.start, s.end, s.label) for s, _ in published.left(key)[:MARKED]]
            assert published.marked("ana", key) == sorted(expected) != []
        looks_at_the_curve(at)
        scrubs_again(at)
    twice = second_reading(browser, published, read)
    third_decides(browser, published, twice)


def reads_and_trains(at):
    """The keys of the notes that were read, in order."""
    read, key = [], at.goes_on()
    for number, until in enumerate(ROUNDS, 1):
        while len(read) < until:
            marks_what_is_left(at, key)
            read.append(key)
            key = at.goes_on()
        at.waits_for("#progress", f"{until} of {len(at.published.gold)}")
        with at.panel("train") as dialog:
            at.lets_run(dialog, re.compile(f"New bundle: .*/bundles/{number}/"))
            assert "scored on" in dialog.text_content()
    return read


def looks_at_the_curve(at):
    """Two points, which differ."""
    with at.panel("curve") as dialog:
        dialog.locator("svg .symbol").first.wait_for()
        assert dialog.locator("svg .symbol").count() == 2 * len(ROUNDS)
        assert "Scored on notes held back" in dialog.text_content()
        rows = [
            row.locator("td, th").all_text_contents() for row in dialog.locator("tbody tr").all()
        ]
        assert [int(row[1]) for row in rows] == list(ROUNDS)
        for column in (3, 5):
            first, second = (float(row[column]) for row in rows)
            assert 0 < first <= 1 and 0 < second <= 1 and first != second


def scrubs_again(at):
    """Nothing is published, and the changes are counted."""
    folder = at.published.folder / "out"
    before = (folder / "manifest.json").read_bytes()
    with at.panel("rescrub") as dialog:
        at.lets_run(dialog, "Held at")
        said = dialog.text_content()
        more, less = re.search(r"(\d+) spans more, (\d+) less", said).groups()
        assert f"{len(at.published.gold)} documents compared" in said
        assert int(more) > 0
        rows = [
            row.locator("td, th").all_text_contents() for row in dialog.locator("tbody tr").all()
        ]
        assert sum(int(row[1]) for row in rows) == int(more)
        assert sum(int(row[2]) for row in rows) == int(less)
    assert (folder / "manifest.json").read_bytes() == before


def second_reading(browser, published, read):
    """The key of a note that another reader marks otherwise: one label differs, a span lacks."""
    with reading(browser, published, "ben") as at:
        key = at.goes_on()
        assert key in read
        (one, words), (other, others), *_ = published.left(key)
        at.marks(one.start, words, one.label)
        at.marks(other.start, others, next(n for n in at.published.labels[:9] if n != other.label))
        at.goes_on()
    return key


def third_decides(browser, published, key):
    """Of both differences, what the first reader marked."""
    with reading(browser, published, "eve", "--adjudicate") as at:
        at.waits_for("#progress", "0 of 1")
        at.press("n")
        at.waits_for("#title", "2 differences")
        at.press("1", "1")
        at.waits_for(".differences li:last-child .decision", "decided")
        at.press("n")
        at.waits_for("#spoken", "No note is left to decide.")
    row = published.rows("adjudicated.jsonl")[key]
    assert row["verdict"] == "done" and row["of"].keys() == {"ana", "ben"}
    found = [(s["start"], s["end"], s["label"]) for s in row["spans"] if not s["was"]]
    assert found == published.marked("ana", key)
