"""That no text is lost where a batch of rules cannot be made ready."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from scrubline.models.core.batches import Batch
from scrubline.models.core.documents import Documents, Rows
from scrubline.models.jobs import steps
from scrubline.models.recognisers import DEFAULT_RECOGNISERS


def batch_of(*texts: str) -> Batch:
    numbers = np.arange(len(texts), dtype=np.int64)
    nothing = (None,) * len(texts)
    rows = Rows(numbers, nothing, nothing, nothing, pa.table({}), numbers)
    return Batch(0, True, rows, Documents.of(*texts))


def test_rules_that_cannot_be_asked_by_the_batch_are_called_on_each_text(monkeypatch):
    batch = batch_of("Seen on 3/4/2021 by Ann Poe, MD", "", "MRN 1234567 of Dr. Okafor")
    expected = steps.recognise_batch(batch, DEFAULT_RECOGNISERS).candidates.by_document(3)

    def raises(texts, names):
        raise ValueError

    monkeypatch.setattr(steps, "rules_on", raises)
    found = steps.recognise_batch(batch, DEFAULT_RECOGNISERS)
    assert not found.failures
    assert found.candidates.by_document(3) == expected
    assert expected[0] and expected[2]
