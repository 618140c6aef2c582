"""The prediction of a run, kept beside its plan, and what came of it."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any

from ...models.core.errors import RunFailed
from ...models.jobs.job import Job
from ...models.jobs.output_rows import Tally
from ...models.jobs.receipts import RESTRICTED, Receipt
from ...models.storage.storage import Storage
from ..cost_model import ActualCost, Basis, compared
from ..metrics import Metrics

_log = logging.getLogger(__name__)

MEMORY = ("Worker", "memory_bytes_max")
"""Step and metric under which a worker tells the most memory that it held."""


def _place(job: Job) -> str:
    return f"{job.restricted}/prediction.json"


def keep(storage: Storage, job: Job, basis: Basis) -> None:
    """Keeps what a prediction rests on with the run. It holds no name of an input."""
    storage.write_bytes(_place(job), json.dumps(basis.to_json(), indent=1).encode())


def kept(storage: Storage, job: Job) -> Basis | None:
    """What `keep` kept; None if nothing was, or it is damaged: no run fails because of it."""
    try:
        return Basis.from_json(json.loads(storage.read_bytes(_place(job))))
    except FileNotFoundError:
        return None
    except (RunFailed, ValueError, TypeError, RecursionError):
        _log.warning("the run's prediction.json is damaged: nothing is compared with it")
        return None


def outcome(
    tally: Tally,
    receipts: Mapping[int, Receipt],
    metrics: Metrics,
    *,
    workers: int,
    seconds: float,
    whole: bool,
) -> ActualCost:
    """What a run did take; see `ActualCost`."""
    parts = [p for r in receipts.values() for p in r.parts if p.table not in RESTRICTED]
    step, name = MEMORY
    return ActualCost(
        workers=workers,
        counts={
            "rows": tally.counts["rows_in"],
            "documents": tally.counts["documents"],
            "tokens": tally.counts["tokens"],
            "spans": tally.counts["spans"],
            "quarantined": tally.counts["rows_quarantined"],
        },
        seconds=seconds,
        memory_bytes=metrics.get(step, {}).get(name, 0),
        output_bytes=sum(part.bytes for part in parts),
        parts=len(parts),
        whole=whole,
    )


def against_outcome(storage: Storage, job: Job, came: ActualCost) -> list[dict[str, Any]] | None:
    """Prediction, outcome and ratio, one row per quantity; None if nothing was predicted."""
    basis = kept(storage, job)
    return None if basis is None else compared(basis, came)
