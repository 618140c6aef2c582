"""A run that the gate holds: it is read on the page while it waits, certified, and published."""

import dataclasses
from pathlib import Path

import pytest
from scrubline.models.core.errors import GateFailed, UsageError
from scrubline.models.risk.rows import read_draw
from scrubline.models.storage.storage import Storage
from scrubline.pipeline.certifying.review_folder import ReviewFolder
from scrubline.pipeline.review.texts import ReviewedOutput
from scrubline.pipeline.run import resume

from ..measuring import signing_keys
from .conftest import Reader


def reads_whole(reader, planted):
    """The reader goes through a campaign and marks what was planted, and nothing else."""
    for text in reader.open_texts():
        reader.call("POST", f"/api/claim/{text}", {})
        assert reader.call("GET", f"/api/document/{text}")["segments"]
        spans = [
            {"start": one.start, "end": one.end, "label": "PHONE", "was": None}
            for one in planted[text]
        ]
        reader.save(text, spans)
        told = reader.call("POST", f"/api/done/{text}", {})["measured"]
        assert told["found"] == told["planted"]


def test_a_held_run_is_read_certified_and_then_published(measured, scrubline, tmp_path):
    output, key = measured.output, measured.key_source
    private, public = signing_keys(tmp_path)
    asked = dataclasses.replace(measured, max_risk="direct=0.05", trusted_keys=public)
    with pytest.raises(GateFailed, match="NoCertificate"):
        resume(Storage(), asked)
    words = ("--target", "0.05", "--name", "spring", "--key-file", key)
    assert scrubline("campaign", output, *words)[0] == 0

    folder = ReviewFolder.of_campaign(output, "spring")
    drawn = read_draw(folder.draw())
    ana = Reader(output, key, "ana", folder=folder, drawn=drawn)
    ana.begin()
    assert ana.output.job.run == drawn.campaign.run
    reads_whole(ana, {f"{one.doc_key}?field={one.field}": one.planted for one in drawn.texts})
    measure = ana.call("GET", "/api/measure")
    assert measure["enough"] and measure["read"] == drawn.campaign.n

    words = ("--campaign", "spring", "--key-file", key, "--sign", private)
    code, said, err = scrubline("certify", output, *words)
    assert code == 0, said + err
    signed = f"{output}/risk/certificate.dsse.json"
    manifest = resume(Storage(), dataclasses.replace(asked, certificate=signed))
    assert manifest["report"]["risk"]["how"] == "measured"
    # The page of a run that was published meanwhile is started again.
    ana.output.forget()
    text = f"{drawn.texts[0].doc_key}?field={drawn.texts[0].field}"
    assert ana.call("GET", f"/api/document/{text}", status=503)["error"] == "ChangedPart"
    again = Reader(output, key, "ben", folder=folder, drawn=drawn)
    again.begin()
    assert again.call("GET", f"/api/document/{text}")["segments"]


def test_the_find_queue_of_a_run_that_waits(measured):
    folder = ReviewFolder.of(measured.output)
    ana = Reader(measured.output, measured.key_source, "ana", folder=folder)
    ana.begin()
    text, shown = ana.take()
    assert shown["spans"] and len(ana.open_texts()) == 200
    ana.save(text, shown["spans"])
    assert not Path(measured.output, "data").exists()


def test_neither_published_nor_waiting(tmp_path, waiting_run):
    with pytest.raises(UsageError, match="no such output"):
        ReviewedOutput(Storage(), str(tmp_path / "none"), waiting_run.key_source)
    with pytest.raises(UsageError, match="no manifest|holds nothing"):
        ReviewedOutput(Storage(), waiting_run.output, waiting_run.key_source, run="0" * 16)
