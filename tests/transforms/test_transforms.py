"""Each arrow on Beam: cardinality, failures of documents; no batch ever leaves its worker."""

import dataclasses
import json
import logging
import traceback
import typing

import apache_beam as beam
import pytest
from apache_beam.testing import test_pipeline as testing
from apache_beam.testing.util import assert_that, equal_to
from scrubline.models.bundles.tagger import Tagger
from scrubline.models.core.errors import RunFailed, UsageError, error_class
from scrubline.models.core.shortage import Pace
from scrubline.models.jobs import opening, row_texts, steps
from scrubline.models.jobs.amendments import RunAmendments
from scrubline.models.jobs.opening import open_job_once
from scrubline.models.jobs.receipts import Receipt
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.graph import build
from scrubline.pipeline.runners.beam import run_direct
from scrubline.transforms import running, write
from scrubline.transforms.featurize import Featurize
from scrubline.transforms.label import Label
from scrubline.transforms.merge import Merge
from scrubline.transforms.read import READING, ReadUnits
from scrubline.transforms.recognise import Recognise
from scrubline.transforms.running import BatchCoder, sanitize_errors
from scrubline.transforms.scrub import Scrub
from scrubline.transforms.tokenize import Tokenize
from scrubline.transforms.write import Write

CHAIN = (ReadUnits, Tokenize, Featurize, Label, Recognise, Merge, Scrub, Write)
PHI = "ZZYZX-CANARY"


@pytest.fixture(autouse=True)
def nothing_opened(monkeypatch):
    monkeypatch.setattr(opening, "_opened", {})


def batches_after(pipeline, job, steps_run, units=(0, 1)):
    found = pipeline | beam.Create(units) | beam.Reshuffle()
    for step in CHAIN[:steps_run]:
        found = found | step(job)
    return found


def described(batch):
    """All that a test wants to know of a batch; a batch itself must not come out."""
    return (
        batch.unit,
        batch.last,
        tuple(batch.rows.ordinals.tolist()),
        batch.tokens is not None and len(batch.tokens) > 0,
        len(batch.features),
        tuple(
            (index, candidate.label, candidate.detector)
            for index, candidate in batch.candidates.rows()
        ),
        None if batch.spans is None else len(batch.spans.rows()),
        None if batch.scrubbed is None else batch.scrubbed.texts,
    )


BATCHES = [(unit, rows == (4,), rows) for unit in (0, 1) for rows in ((0, 1), (2, 3), (4,))]


# What a batch has after each arrow: tokens, features, detectors seen, spans, scrubbed.
@pytest.mark.slow
@pytest.mark.parametrize(
    ("steps_run", "tokens", "features", "detectors", "spans"),
    [
        (1, False, 0, set(), False),
        (2, True, 0, set(), False),
        (3, True, 1, set(), False),
        (4, True, 0, {"crf:tiny"}, False),
        (5, True, 0, {"crf:tiny", "date", "medical_record", "role_name"}, False),
        (6, True, 0, {"crf:tiny", "date", "medical_record", "role_name"}, True),
        (7, True, 0, {"crf:tiny", "date", "medical_record", "role_name"}, True),
    ],
    ids=[step.__name__ for step in CHAIN[:7]],
)
def test_batches_go_one_for_one_and_gain_a_group(
    job, steps_run, tokens, features, detectors, spans
):
    def check(found):
        found = sorted(found)
        assert [row[:3] for row in found] == BATCHES
        assert all(row[3] == tokens and row[4] == features for row in found)
        assert {candidate[2] for row in found for candidate in row[5]} == detectors
        assert all((row[6] is not None) == spans for row in found)
        texts = [text for row in found if row[7] is not None for text in row[7]]
        assert texts == (SCRUBBED * 2 if steps_run == 7 else [])

    with testing.TestPipeline(runner="FnApiRunner") as pipeline:
        assert_that(batches_after(pipeline, job, steps_run) | beam.Map(described), check)


SCRUBBED = [
    "Seen by Doctor [DOCTOR] on [DATE].",
    "Second note of [DOCTOR]. MRN: [MEDICALRECORD].",
    "No complaints.",
    "Fifth, [DOCTOR] again.",
]


def test_write_gives_one_receipt_a_unit(job):
    def check(found):
        receipts = sorted((Receipt.from_json(text) for text in found), key=lambda one: one.unit)
        assert [receipt.unit for receipt in receipts] == [0, 1]
        storage = Storage()
        for receipt in receipts:
            assert receipt.tally.counts["rows_in"] == receipt.tally.counts["rows_out"] == 5
            assert {part.table for part in receipt.parts} == {"data", "audit", "documents"}
            for part in receipt.parts:
                assert len(storage.read_bytes(f"{job.staging}/{part.path}")) == part.bytes
            stored = storage.read_bytes(f"{job.staging}/receipts/{receipt.name}.json")
            assert Receipt.from_json(stored).to_json() == receipt.to_json()

    with testing.TestPipeline(runner="FnApiRunner") as pipeline:
        assert_that(batches_after(pipeline, job, 8), check)


class _Reports:
    """Keeps what ReadUnits reports; in a list of the class, because Beam pickles the instance."""

    seen = []

    def __call__(self, unit, row, rows):
        self.seen.append((unit, row, rows))


def test_reading_says_where_the_work_is_and_isolates_rows(job, monkeypatch):
    monkeypatch.setattr(_Reports, "seen", [])
    with testing.TestPipeline(runner="FnApiRunner") as pipeline:
        found = pipeline | beam.Create([1]) | ReadUnits(job, _Reports(), pace=Pace.SINGLE)
        ordinals = found | beam.Map(lambda batch: batch.rows.ordinals.tolist())
        assert_that(ordinals, equal_to([[0], [1], [2], [3], [4]]))
    told = [(1, READING, 0)]
    for row in range(5):
        told += [(1, row, 1), (1, READING, 0)]
    assert _Reports.seen == told


def test_a_unit_that_cannot_be_opened_is_reported_first(job, monkeypatch):
    monkeypatch.setattr(_Reports, "seen", [])
    Storage().write_bytes(f"{job.restricted}/rework.json", b"damaged")
    with pytest.raises(RunFailed, match="rework.json is damaged"):
        run_direct(job, [0], report=_Reports())
    assert _Reports.seen == [(0, READING, 0)]


def test_rows_on_the_skip_list_are_quarantined_unread(job):
    RunAmendments().skipping(0, 3, "KillsWorker").write(Storage(), job.restricted)
    run_direct(job, [0])
    [receipt] = stored_receipts(job)
    assert receipt.tally.errors == {"skip-list: KillsWorker": 1}
    assert receipt.given != ""


# -- a batch never leaves its worker


@pytest.mark.slow
@pytest.mark.parametrize("place", range(1, len(CHAIN)))
@pytest.mark.parametrize("typed", [True, False])
def test_a_shuffle_between_two_steps_fails(job, place, typed):
    def run():
        pipeline = testing.TestPipeline(runner="FnApiRunner")
        found = batches_after(pipeline, job, place, units=(0,))
        if not typed:  # then Beam knows no coder and would fall back to pickling
            found = found | "Pass" >> beam.Map(lambda batch: batch).with_output_types(typing.Any)
        found = found | "Break" >> beam.Reshuffle()
        for step in CHAIN[place:]:
            found = found | step(job)
        pipeline.run().wait_until_finish()

    with pytest.raises(Exception, match="must not leave its worker") as caught:
        run()
    assert "complaints" not in str(caught.value)
    assert Storage().list_names(f"{job.staging}/receipts") == []


def test_the_coder_refuses_and_says_nothing_of_what_it_was_given():
    coder = beam.coders.registry.get_coder(running.Batch)
    assert isinstance(coder, BatchCoder)
    with pytest.raises(TypeError):
        coder.encode(PHI)
    with pytest.raises(TypeError):
        coder.decode(PHI.encode())


def test_the_graph_shuffles_unit_numbers_and_nothing_else(job):
    pipeline = beam.Pipeline(runner="FnApiRunner")
    build(pipeline, job, [0, 1])
    proto = pipeline.to_runner_api()
    shuffles = [
        one.unique_name
        for one in proto.components.transforms.values()
        if one.spec.urn in ("beam:transform:group_by_key:v1", "beam:transform:reshuffle:v1")
    ]
    assert {name.split("/")[0] for name in shuffles} <= {"SpreadUnits", "Units"}
    assert any(name.startswith("SpreadUnits") for name in shuffles)


# -- failures


def stored_receipts(job):
    """All receipts under staging, by unit."""
    storage, folder = Storage(), f"{job.staging}/receipts"
    names = storage.list_names(folder)
    return sorted(
        (Receipt.from_json(storage.read_bytes(f"{folder}/{name}")) for name in names),
        key=lambda receipt: receipt.unit,
    )


def raising_for(monkeypatch, owner, name, hit):
    """Makes a function raise, with PHI in its message, when `hit` says so of its arguments."""
    real = getattr(owner, name)

    def wrapped(*args, **more):
        if hit(*args, **more):
            raise ValueError(f"cannot parse {PHI} of {args!r}")
        return real(*args, **more)

    monkeypatch.setattr(owner, name, wrapped)


STAGES = {
    "read": (row_texts, "check_text", lambda text, budgets: "Second" in text),
    "tokenize": (
        steps,
        "tokenize_documents",
        lambda texts, **more: any(text and "Second" in text for text in texts),
    ),
    "featurize": (
        Tagger,
        "featurize",
        lambda self, texts, tokens, tags: any(text and "Second" in text for text in texts),
    ),
    "recognise": (steps, "recognise_all", lambda document, *rest: "Second" in document.text),
    "merge": (steps, "merge", lambda text, *rest, **more: "Second" in text),
    "scrub": (steps, "replace_ranges", lambda text, replacements: "Second" in text),
}


@pytest.mark.parametrize("stage", STAGES)
def test_what_raises_quarantines_its_document_alone(job, monkeypatch, stage, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    owner, name, hit = STAGES[stage]
    raising_for(monkeypatch, owner, name, hit)
    run_direct(job, [0, 1])
    receipts = stored_receipts(job)
    assert [receipt.unit for receipt in receipts] == [0, 1]
    for receipt in receipts:
        assert receipt.tally.errors == {f"{stage}: ValueError": 1}
        assert receipt.tally.counts["rows_out"] == 4
    assert_silent(caplog, capfd)


def test_a_tagger_that_raises_quarantines_its_document_alone(job, monkeypatch):
    # A tagger labels by index: the second document of each batch that has one.
    raising_for(monkeypatch, Tagger, "label_documents", lambda *args: True)
    raising_for(monkeypatch, Tagger, "label_document", lambda *args: args[2] == 1)
    run_direct(job, [0])
    [receipt] = stored_receipts(job)
    assert receipt.tally.errors == {"label: ValueError": 1}


def test_the_garbage_collector_is_frozen_once_a_process(job, monkeypatch):
    frozen = []
    monkeypatch.setattr(running, "_gc_is_frozen", False)
    monkeypatch.setattr(running.gc, "freeze", lambda: frozen.append(True))
    run_direct(job, [0, 1])
    assert frozen == [True]


def assert_silent(caplog, capfd):
    out, err = capfd.readouterr()
    for text in (PHI, "Second note", "7000001"):
        assert text not in out
        assert text not in err
        assert text not in caplog.text


# Whole steps that raise, not one of their documents: the run ends, and PHI stays in.
WHOLE = [
    ("Tokenize", "scrubline.models.jobs.steps.tokenize_batch"),
    ("Featurize", "scrubline.models.jobs.steps.featurize_batch"),
    ("Label", "scrubline.models.jobs.steps.label_batch"),
    ("Recognise", "scrubline.models.jobs.steps.recognise_batch"),
    ("Merge", "scrubline.models.jobs.steps.merge_batch"),
    ("Scrub", "scrubline.models.jobs.steps.scrub_batch"),
    ("Write", "scrubline.transforms.write.build_output_rows"),
    ("Write", "scrubline.transforms.write.open_job_once"),
    ("ReadUnits", "scrubline.transforms.read.open_job_once"),
    ("ReadUnits", "scrubline.models.jobs.opening.read_unit"),
    ("GuardRoster", "scrubline.transforms.running.open_job_once"),
]


@pytest.mark.parametrize(
    ("step", "target"), WHOLE, ids=[target.split(".")[-1] for _, target in WHOLE]
)
def test_a_foreign_error_of_a_step_ends_the_run_without_phi(
    job, monkeypatch, caplog, capfd, step, target
):
    def broken(*args, **more):
        raise LookupError(f"no {PHI} here: {args!r} Second note")

    monkeypatch.setattr(target, broken)
    caplog.set_level(logging.DEBUG)
    with pytest.raises(RunFailed, match=f"^{step}.*LookupError") as caught:
        run_direct(job, [0])
    assert PHI not in "".join(traceback.format_exception(caught.value))
    assert_silent(caplog, capfd)
    assert Storage().list_names(f"{job.staging}/receipts") == []
    # Nothing half-written is left behind either.
    assert not [name for name in Storage().list_names(job.staging) if name.endswith(".tmp")]


def test_errors_of_ours_pass_with_their_message(job):
    with pytest.raises(UsageError, match="policy.*changed"):
        run_direct(dataclasses.replace(job, policy_hash="other"), [0])
    with pytest.raises(UsageError, match="say this"), sanitize_errors("Step"):
        raise UsageError("say this")


def test_a_traceback_does_not_show_the_foreign_error():
    with pytest.raises(RunFailed) as caught, sanitize_errors("Step: unit 3"):
        raise ValueError(PHI)
    assert str(caught.value) == "Step: unit 3: ValueError"
    assert PHI not in "".join(traceback.format_exception(caught.value))
    assert error_class(caught.value) == "RunFailed"


def test_a_job_is_opened_once_a_process(job):
    assert open_job_once(job) is open_job_once(job)


def test_counters_are_kept_by_step(job):
    metrics = run_direct(job, [0, 1])
    assert metrics["ReadUnits"]["documents"] == 8
    assert metrics["Scrub"]["documents_failed"] == 0
    assert metrics["Write"]["spans_found"] == 10
    assert metrics["Write"]["batch_characters_count"] == 6
    assert PHI not in json.dumps(metrics)


def test_a_bundle_that_is_given_up_leaves_no_part(job, monkeypatch):
    """A writer whose worker stops in the middle of a unit forgets what it had open."""
    fn = write._WriteFn(job)
    fn.teardown()  # before any setup
    fn.setup()
    fn.start_bundle()
    fn.teardown()
    assert Storage().list_names(job.staging) == ["RUN"]
