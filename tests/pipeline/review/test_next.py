"""`scrubline next`: what is chosen, what is left out, what is written and recorded."""

import dataclasses
import json
import os
import shutil
from collections import Counter

import pytest
from scrubline.models.corpora import read_annotated
from scrubline.models.review.choosing import QueuedText, template_of, uncertainty_of
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.certifying.review_folder import ENDED, ReviewFolder
from scrubline.pipeline.review.access import verify_accesses
from scrubline.pipeline.review.exporting import kept_out
from scrubline.pipeline.review.learning import choose_batch
from scrubline.pipeline.review.texts import ReviewedOutput


@pytest.fixture
def opened(output, key_file):
    return ReviewedOutput(Storage(), output, key_file, ())


@pytest.fixture
def run_next(scrubline, output, key_file, tmp_path):
    def run_it(*more, name="batch.jsonl"):
        place = tmp_path / name
        words = ("--from", output, "--key-file", key_file, "--output", place)
        return *scrubline("next", *words, *more), place

    return run_it


def with_risks(opened, risks):
    """Gives the texts of an output risks, by their order."""
    for text, risk in zip(sorted(opened.texts), risks, strict=False):
        one = opened.texts[text]
        queued = dataclasses.replace(one.queued, risk=risk)
        opened.texts[text] = dataclasses.replace(one, queued=queued)


def test_a_batch_is_a_private_corpus_with_what_the_run_removed(run_next, opened, output):
    code, out, err, place = run_next("--count", "5", "--reviewer", "ana")
    assert (code, out) == (0, f"{place}\n")
    assert "5 notes with the original texts" in err and "at random" in err
    assert place.stat().st_mode & 0o777 == 0o600
    batch = list(read_annotated(str(place)))
    assert len(batch) == 5
    for document in batch:
        text = document.doc_id, "text"
        assert document.text == opened.original(text)
        assert [(s.start, s.end, s.label) for s in document.spans] == [
            (row["start"], row["end"], row["label"]) for row in opened.audit(text)
        ]
        assert document.meta["patient"] == (opened.texts[text].patient or text[0])
    with open(os.path.join(output, "restricted", "review", "find", "access.jsonl")) as file:
        rows = [json.loads(line) for line in file]
    assert [(row["doc_key"], row["what"], row["reviewer"]) for row in rows] == [
        (document.doc_id, "export", "ana") for document in batch
    ]
    assert verify_accesses(output) == ([], 5)


def test_the_same_notes_come_again_until_they_are_done(run_next):
    first = run_next("--count", "5")[3]
    again = run_next("--count", "5", name="again.jsonl")[3]
    assert first.read_bytes() == again.read_bytes()
    code, _, _, second = run_next("--count", "5", "--done", str(first), name="second.jsonl")
    assert code == 0
    ids = [{one.doc_id for one in read_annotated(str(place))} for place in (first, second)]
    assert len(ids[0]) == len(ids[1]) == 5
    assert not ids[0] & ids[1]


def test_what_was_read_on_the_page_is_left_out(run_next, reader, opened):
    ana = reader()
    text, shown = ana.take()
    ana.save(text, shown["spans"])
    unfinished, shown = ana.take(1)
    ana.save(unfinished, shown["spans"], verdict="open")
    assert len(ana.folder.verdicts()) == 1
    code, _, err, place = run_next("--count", "1000")
    assert code == 0 and "were left to read" in err
    found = {one.doc_id for one in read_annotated(str(place))}
    assert text.partition("?")[0] not in found
    assert unfinished.partition("?")[0] in found
    assert found <= {key for key, _ in opened.texts}


def test_notes_of_a_campaign_are_left_out_until_it_has_ended(run_next, campaign, output):
    drawn = {one.doc_key for one in campaign(n=30).texts}
    place = run_next("--count", "1000")[3]
    assert not {one.doc_id for one in read_annotated(str(place))} & drawn
    folder = ReviewFolder.of(output, "spring")
    with open(folder.file(ENDED), "w"):
        os.chmod(folder.file(ENDED), 0o600)
    assert kept_out(ReviewFolder.of(output)) == frozenset()
    place = run_next("--count", "1000", name="all.jsonl")[3]
    assert {one.doc_id for one in read_annotated(str(place))} >= drawn


def test_notes_without_a_text_are_not_chosen(opened, output):
    folder = ReviewFolder.of(output)
    batch = choose_batch(opened, folder, 1000)
    assert all(opened.published(text) for text in batch.texts)
    assert len(batch.texts) == len(set(batch.texts)) == len(opened.texts)


def test_after_the_first_25_most_are_chosen_by_risk_a_token(opened, output):
    folder, texts = ReviewFolder.of(output), sorted(opened.texts)
    with_risks(opened, range(-20, 1000))
    done = {key for key, _ in texts[:25]}
    batch = choose_batch(opened, folder, 10, done)
    assert (batch.at_random, batch.without_risk, batch.read) == (0, 0, 25)
    left = sorted(texts[25:], key=lambda t: -uncertainty_of(opened.texts[t].queued))
    # Four fifths by score, though at most three of a template; all these notes have few.
    templates = Counter()
    wanted = []
    for text in left:
        template = template_of(opened.published(text))
        templates[template] += 1
        if not template or templates[template] <= 3:
            wanted.append(text)
    expected = wanted[:8]
    assert list(batch.texts[: len(expected)]) == expected
    assert len(batch.texts) == 10
    assert choose_batch(opened, folder, 10, {key for key, _ in texts[:20]}).at_random == 5


def test_without_a_risk_the_command_says_so_and_goes_by_disagreement(run_next, tmp_path):
    first = run_next("--count", "30")
    assert "without a risk" in first[2]
    code, _, err, _ = run_next("--count", "5", "--done", str(first[3]), name="second.jsonl")
    assert code == 0
    assert "without a risk" in err and "disagree" in err


def test_uncertainty_is_by_token_and_least_without_a_risk():
    def queued(**more):
        return QueuedText("a", "text", **more)

    twice = uncertainty_of(queued(risk=4, tokens=10))
    assert twice == pytest.approx(0.2)
    assert uncertainty_of(queued(risk=4, tokens=20)) == pytest.approx(twice / 2)
    least = uncertainty_of(queued(risk=-40, tokens=10_000))
    by_spans = [uncertainty_of(queued(disagreement=n, tokens=10)) for n in (0, 3, 10, 50)]
    assert by_spans == sorted(by_spans)
    assert max(by_spans) <= 0 < least


def test_texts_of_one_form_have_one_template():
    one = template_of("Admission date: 1/2/2019\nName: A\nSeen well.\n")
    assert one == template_of("ADMISSION DATE: 3/4/2020\r\nName: B\nNot well at all.\n")
    assert one != template_of("Name: A\nAdmission date: 1/2/2019\n")
    assert template_of("Seen well.\n") == template_of("") == ""


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--count", "0"), "at least 1"),
        (("--reviewer", "../x"), "--reviewer"),
        (("--done", "/nowhere.jsonl"), ""),
    ],
)
def test_what_cannot_be_done_is_refused(run_next, words, why):
    code, out, err, place = run_next(*words)
    assert code == 2 and not out
    assert why in err
    assert not place.exists()


def test_a_file_that_is_there_stays(run_next, output, key_file, scrubline):
    place = run_next("--count", "1")[3]
    before = place.read_bytes()
    code, _, err, _ = run_next("--count", "2")
    assert code == 2 and "--output" in err
    assert place.read_bytes() == before
    words = ("--from", output, "--key-file", key_file, "--output", "memory://batch.jsonl")
    assert scrubline("next", *words)[0] == 2


def test_another_key_and_changed_originals_write_nothing(
    run_next, scrubline, output, published, tmp_path
):
    other = tmp_path / "other.txt"
    scrubline("key", "new", "--output", other)
    words = ("--from", output, "--key-file", other, "--output", tmp_path / "x.jsonl")
    code, _, err = scrubline("next", *words)
    assert code == 2 and "key" in err
    assert not (tmp_path / "x.jsonl").exists()
    kept = tmp_path / "kept"
    shutil.move(published / "in", kept)
    try:
        code, out, err, place = run_next("--count", "2")
    finally:
        shutil.move(kept, published / "in")
    assert code == 2 and not out
    assert "original" in err
    assert not place.exists() and not os.path.exists(f"{place}.new")


def test_nothing_left_to_read_is_said(run_next):
    everything = run_next("--count", "1000")[3]
    code, _, err, place = run_next("--done", str(everything), name="more.jsonl")
    assert code == 2 and "every note was read" in err
    assert not place.exists()
