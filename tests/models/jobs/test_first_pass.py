"""What a first pass leaves is what a second one finds, however the batches are cut."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrubline.models.core.batches import Batch, Failure
from scrubline.models.core.documents import Documents, Rows
from scrubline.models.core.errors import RunFailed
from scrubline.models.core.record_links import Evidence
from scrubline.models.core.spans import Candidate, Candidates
from scrubline.models.core.token_risks import TokenRisks
from scrubline.models.jobs.first_pass import (
    Detected,
    FirstPass,
    detected_url,
    hash_of_facts,
    linked_batches,
    risks_url,
)
from scrubline.models.storage.storage import Storage

FIELDS = ("text", "note", "seltsam\n'")
CANDIDATE = st.builds(
    lambda start, size, label, detector, score: Candidate(
        start, start + size, label, detector, score
    ),
    st.integers(0, 50),
    st.integers(1, 9),
    st.sampled_from(["DATE", "PATIENT", "DOCTOR"]),
    st.sampled_from(["date", "crf:en-default", "own:x"]),
    st.sampled_from([0.0, 0.5, 1.0]),
)
ROW = st.fixed_dictionaries({field: st.lists(CANDIDATE, max_size=3) for field in FIELDS})
FAILURES = st.dictionaries(
    st.integers(0, 5), st.sampled_from(["label", "recognise", "tokenize", "guard"]), max_size=3
)


NOTHING = Evidence.of([], [])


def batch_of(rows, first, failures):
    """Rows of a unit as a batch that has been through all steps."""
    placed = [(at, field) for at, row in enumerate(rows) for field in row if row[field]]
    found = [(n, c) for n, (at, field) in enumerate(placed) for c in rows[at][field]]
    documents = Documents(
        ("x" * 60,) * len(placed),
        np.array([at for at, _ in placed], np.int64),
        tuple(field for _, field in placed),
    )
    ordinals = np.arange(first, first + len(rows), dtype=np.int64)
    none = (None,) * len(rows)
    columns = pa.table({"id": pa.array(range(len(rows)))})
    source = Rows(ordinals, none, none, none, columns, np.arange(len(rows)))
    failed = {
        at: Failure(failures[first + at], "Broken")
        for at in range(len(rows))
        if first + at in failures
    }
    return Batch(
        0,
        False,
        source,
        documents,
        failed,
        detected=Candidates.of(found),
        risks=tuple(risks_of(placed, first)),
        evidence=Evidence.of([], []),
    )


class Kept(dict):
    """A storage in memory."""

    write_bytes, read_bytes = dict.__setitem__, dict.__getitem__


def risks_of(placed, first):
    """What two taggers say of the first characters of each document; one of them of more."""
    of_documents = np.arange(len(placed))
    for count in (1, 3):
        starts = np.tile(np.arange(count), len(placed))
        documents = np.repeat(of_documents, count)
        ordinals = np.repeat([first + at for at, _ in placed], count)
        values = (1.0 + starts + ordinals) / (8.0 + count)
        yield TokenRisks.of(documents, starts, starts + 1, np.minimum(values, 1.0))


def rows_of(risks):
    columns = (risks.documents, risks.starts, risks.ends, risks.values)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def plain(candidates):
    return [(d, tuple(c)) for d, c in candidates.rows()]


@given(st.lists(ROW, max_size=6), st.integers(1, 6), st.integers(1, 6), FAILURES)
def test_the_second_pass_finds_what_the_first_detected(rows, size, other, failures):
    storage = Kept()
    first_pass = FirstPass()
    for at in range(0, len(rows), size):
        first_pass.add(batch_of(rows[at : at + size], at, failures))
    first_pass.keep(storage, "staging", "unit")
    detected = Detected.read(storage, "staging", "unit")
    for at in range(0, len(rows), other):
        batch = batch_of(rows[at : at + other], at, failures)
        found, failed = detected.of(batch)
        assert plain(found) == plain(batch.detected)
        assert found.label_names == batch.detected.label_names
        assert found.detector_names == batch.detected.detector_names
        again = ("label", "recognise")
        assert failed == {n: f for n, f in batch.failures.items() if f.stage in again}
        assert list(map(rows_of, detected.risks_of(batch))) == list(map(rows_of, batch.risks))
    empty = batch_of([], len(rows), {})
    assert plain(detected.of(empty)[0]) == []


@pytest.mark.parametrize("content", [None, b"", b"PAR1", b"x" * 99])
def test_what_is_lost_is_detected_anew(tmp_path, content):
    storage, staging = Storage(), str(tmp_path)
    first_pass = FirstPass()
    first_pass.add(batch_of([{"text": [Candidate(0, 3, "DATE", "date", 1.0)]}], 0, {}))
    for lost in (detected_url(staging, "unit"), risks_url(staging, "unit")):
        first_pass.keep(storage, staging, "unit")
        assert Detected.read(storage, staging, "unit") is not None
        Path(lost).unlink()
        if content is not None:
            Path(lost).write_bytes(content)
        assert Detected.read(storage, staging, "unit") is None


def test_facts_that_are_not_those_of_the_amendments_are_refused(tmp_path):
    job = type("Job", (), {"staging": str(tmp_path)})()
    unit = type("Unit", (), {"name": "000000-0"})()
    for content in (None, b"other facts"):
        if content is not None:
            (tmp_path / "facts").mkdir()
            (tmp_path / "facts/000000-0.parquet").write_bytes(content)
        with pytest.raises(RunFailed, match="facts of a unit are damaged or missing"):
            next(linked_batches(iter([None]), Storage(), job, unit, hash_of_facts(b"facts")))
