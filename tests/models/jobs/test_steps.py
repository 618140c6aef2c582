"""The chain of steps, and what it does when a whole batch raises."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest
from scrubline.models.bundles.bundle import open_bundle
from scrubline.models.bundles.detector import BundleDetector
from scrubline.models.bundles.tagger import Tagger
from scrubline.models.core.batches import Batch, Failure
from scrubline.models.core.documents import Documents, Rows
from scrubline.models.core.errors import Shortage
from scrubline.models.jobs import steps
from scrubline.models.jobs.steps import STEPS, StepResources, by_document_if_it_raises, run_steps
from scrubline.models.redaction.policy_file import load_policy

TEXTS = ("Seen on 3/4/2012.", "MRN: 1234567, bad.", "Fever&#58; 3/5/2012.")
SCRUBBED = ("Seen on [DATE].", "MRN: [MEDICALRECORD], bad.", "Fever&#58; [DATE].")


def batch_of(*texts):
    count = len(texts)
    places = np.arange(count, dtype=np.int64)
    rows = Rows(places, (None,) * count, (None,) * count, (None,) * count, pa.table({}), places)
    return Batch(0, True, rows, Documents.of(*texts))


@pytest.fixture(scope="module")
def opened():
    detector = BundleDetector(open_bundle("en-default"))
    return StepResources(
        load_policy("hipaa"), detectors=(detector,), recognisers=("date", "medical_record")
    )


def test_the_chain_goes_through_all_steps(opened):
    assert list(STEPS) == [
        *(
            "Tokenize",
            "Featurize",
            "Label",
            "Recognise",
            "CarryOver",
            "MatchRoster",
            "Merge",
            "Scrub",
        ),
        "GuardRoster",
    ]
    batch = run_steps(batch_of(*TEXTS), opened)
    assert batch.scrubbed.texts == SCRUBBED and batch.failures == {}


@pytest.mark.parametrize("last", STEPS)
def test_the_chain_may_end_early(opened, last):
    batch = run_steps(batch_of(*TEXTS), opened, last=last)
    seen = {
        "Tokenize": batch.tokens is not None,
        "Featurize": batch.features != (),
        "Label": len(batch.candidates) > 0,
        "Merge": batch.spans is not None,
        "Scrub": batch.scrubbed is not None,
    }
    names = list(STEPS)
    done = {name for name in names[: names.index(last) + 1] if name in seen}
    # Label drops the attributes, which nothing needs after it.
    done -= {"Featurize"} if "Label" in done else set()
    assert {name for name, is_there in seen.items() if is_there} == done


def test_an_unknown_step_is_refused(opened):
    with pytest.raises(ValueError, match="no step 'Scrubb'; steps are"):
        run_steps(batch_of("x"), opened, last="Scrubb")


def test_resources_read_sentences_if_a_detector_does(opened):
    assert opened.reads_sentences == opened.detectors[0].reads_sentences
    assert not StepResources(load_policy("hipaa")).reads_sentences


# -- a whole batch that raises


def raising_at(monkeypatch, owner, name, hit):
    real = getattr(owner, name)

    def wrapped(*args, **more):
        if hit(*args):
            raise ValueError
        return real(*args, **more)

    monkeypatch.setattr(owner, name, wrapped)


BROKEN = {
    "tokenize": (steps, "tokenize_documents", lambda texts: any("bad" in (t or "") for t in texts)),
    "featurize": (
        Tagger,
        "featurize",
        lambda self, texts, *rest: any("bad" in (t or "") for t in texts),
    ),
}


@pytest.mark.parametrize("stage", BROKEN)
def test_the_document_at_fault_fails_alone(monkeypatch, opened, stage):
    raising_at(monkeypatch, *BROKEN[stage])
    batch = run_steps(batch_of(*TEXTS), opened)
    assert batch.failures == {1: Failure(stage, "ValueError")}
    assert batch.scrubbed.texts == (SCRUBBED[0], None, SCRUBBED[2])


def test_a_decoder_that_raises_for_batches_labels_documents_one_by_one(monkeypatch, opened):
    raising_at(monkeypatch, Tagger, "label_documents", lambda *args: True)
    batch = run_steps(batch_of(*TEXTS), opened)
    assert batch.scrubbed.texts == SCRUBBED and batch.failures == {}


def test_merging_that_raises_for_batches_merges_documents_one_by_one(monkeypatch, opened):
    raising_at(monkeypatch, steps, "merge_vectorized", lambda *args: True)
    assert run_steps(batch_of(*TEXTS), opened).scrubbed.texts == SCRUBBED


@pytest.mark.parametrize("stage", BROKEN)
def test_a_batch_at_fault_of_which_no_document_is_raises(monkeypatch, opened, stage):
    owner, name, _ = BROKEN[stage]
    index = 0 if owner is steps else 1
    raising_at(monkeypatch, owner, name, lambda *args: len(args[index]) > 1)
    with pytest.raises(ValueError):
        run_steps(batch_of(*TEXTS), opened)


def test_documents_that_failed_before_are_not_tried_again(monkeypatch, opened):
    raising_at(monkeypatch, *BROKEN["tokenize"])
    batch = dataclasses.replace(batch_of(*TEXTS), failures={1: Failure("read", "Earlier")})
    assert run_steps(batch, opened).failures == {1: Failure("read", "Earlier")}


def test_a_fallback_is_for_errors_and_not_for_shortages():
    def raises(error):
        raise error

    assert by_document_if_it_raises(lambda: 1, lambda: 2) == 1
    assert by_document_if_it_raises(lambda: raises(ValueError()), lambda: 2) == 2
    with pytest.raises(Shortage):
        by_document_if_it_raises(lambda: raises(MemoryError()), lambda: 2)
    with pytest.raises(KeyboardInterrupt):
        by_document_if_it_raises(lambda: raises(KeyboardInterrupt()), lambda: 2)
