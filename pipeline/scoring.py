"""`scrubline evaluate`: gold against predicted."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ..models.corpora import read_annotated, remap
from ..models.evaluation import compare
from ..models.mapping import load_map


def evaluate(
    gold: str, predicted: str, *, ignore: Sequence[str], label_map: str | None, as_json: bool
) -> str:
    """The report as a table or as JSON.

    Raises:
        UsageError: if the two sides do not hold the same documents.
    """
    truth = list(read_annotated(gold))
    if label_map is not None:
        mapping = load_map(label_map)
        truth = [remap(document, mapping.apply) for document in truth]
    report = compare(truth, list(read_annotated(predicted)), ignore=tuple(ignore))
    return json.dumps(report.as_json(), indent=1) if as_json else report.as_table()
