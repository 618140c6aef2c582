"""A run as people measure it: published, or finished and waiting to be."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ...models.core.digests import content_digest
from ...models.core.errors import UsageError
from ...models.core.keys import Keys, fingerprint
from ...models.core.parallel_calls import map_in_threads
from ...models.jobs.job import Job
from ...models.jobs.output_rows import Tally
from ...models.jobs.plan import Plan
from ...models.jobs.receipts import Receipt
from ...models.redaction.actions import ACTIONS
from ...models.review.marks import hmac_of_text
from ...models.risk.carrying import GatedRun, MadeBy
from ...models.risk.frame import FrameDocument
from ...models.risk.planting import RemovedSpan
from ...models.risk.rows import json_line
from ...models.risk.scoring import rank_of_all
from ...models.storage.storage import Storage
from .catalogue import Catalogue
from .manifest import how_written, read_manifest
from .publishing import read_receipts
from .sealing import require_planned
from .source_documents import read_job_and_keys
from .state import MANIFEST, Stage, pending_runs, require_output, stage_of
from .unit_parts import DoneUnit, Text

_AUDIT = ["doc_key", "field", "start", "end", "label", "detectors", "score", "action", "reason"]


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class MeasuredRun:
    """A run of which all units are done.

    Attributes:
        job, keys: of the run.
        receipts: of its units.
        root: the folder below which its parts lie.
        manifest: file of the output, if this run published last; None if it waits.
    """

    job: Job
    keys: Keys
    receipts: tuple[Receipt, ...]
    root: str
    manifest: bytes | None

    @property
    def units(self) -> tuple[DoneUnit, ...]:
        """Its units."""
        return units_of(self.job, self.receipts, self.root)

    @property
    def made(self) -> MadeBy:
        """What made its texts."""
        return made_by(self.job)

    @property
    def content(self) -> str:
        """Its content digest."""
        return content_of(self.receipts)

    @property
    def facts(self) -> bytes:
        """What a certificate is of: equal before and after the run is published."""
        made = dataclasses.asdict(self.made)
        return json_line(
            {
                "run": self.job.run,
                "fingerprint": self.job.fingerprint,
                "content_digest": self.content,
                "made": made,
            }
        )


def made_by(job: Job) -> MadeBy:
    """What makes the texts of a job."""
    pairs = sorted(zip(job.recognisers, job.recogniser_hashes, strict=True))
    return MadeBy(
        code_version=job.code_version,
        models=job.model_hashes,
        rules=fingerprint(*(word for pair in pairs for word in pair)),
        policy=job.policy_hash,
        settings=job.fingerprint,
    )


def units_of(job: Job, receipts: Collection[Receipt], root: str) -> tuple[DoneUnit, ...]:
    """Units of a run, whose parts lie below a folder."""
    how = how_written(job)
    return tuple(DoneUnit(root, job.run, receipt, how) for receipt in receipts)


def content_of(receipts: Collection[Receipt]) -> str:
    """The content digest of some units."""
    return content_digest(Tally.total(receipt.tally for receipt in receipts).digests)


def open_measured(
    storage: Storage, output: str, key_source: str | None, run: str | None = None
) -> MeasuredRun:
    """A run of an output, for holders of its key.

    Args:
        run: its id; None for the one that waits or, if none does, the one that published last.

    Raises:
        UsageError: if there is none; if it is not done, or no longer whole; if the key is another.
        GateFailed: if its plan was not made with the key.
    """
    require_output(storage, output)
    pending = pending_runs(storage, output)
    if run is None and len(pending) > 1:
        raise UsageError(f"there are several unfinished runs; choose one with --run: {pending}")
    if run in pending or (run is None and pending):
        return _waiting(storage, output, key_source, run or pending[0])
    manifest = read_manifest(storage, output)
    units = Catalogue.read(storage, output).units
    run = run or str(manifest["run"])
    receipts = tuple(entry.receipt for _, entry in sorted(units.items()) if entry.run == run)
    if not receipts:
        raise UsageError(f"the output holds nothing of run {run}")
    job, keys = read_job_and_keys(storage, output, run, key_source)
    content = storage.read_bytes(f"{output}/{MANIFEST}") if run == manifest["run"] else None
    return MeasuredRun(job, keys, receipts, output, content)


def _waiting(storage: Storage, output: str, key_source: str | None, run: str) -> MeasuredRun:
    stage = stage_of(storage, output, run)
    if stage is Stage.PUBLISHING:
        raise UsageError(
            f"run {run} is being published: finish that with `scrubline resume --output ...`"
        )
    if stage is Stage.PLANNING:
        raise UsageError(f"run {run} was stopped before its plan was frozen")
    job, keys = read_job_and_keys(storage, output, run, key_source)
    require_planned(storage, job, keys)
    plan = Plan.read(storage, job.restricted)
    receipts = read_receipts(storage, job, plan)
    if left := len(plan.units) - len(receipts):
        raise UsageError(
            f"run {run} is not done: {left} of {len(plan.units)} units are left; finish it with "
            "`scrubline resume --output ... --hold`"
        )
    ordered = tuple(receipt for _, receipt in sorted(receipts.items()))
    return MeasuredRun(job, keys, ordered, job.staging, None)


def gated_run(storage: Storage, job: Job, receipts: Collection[Receipt]) -> GatedRun:
    """A run that is about to be published."""
    documents = tuple(frame_documents(storage, units_of(job, receipts, job.staging)))
    return GatedRun(job.run, made_by(job), content_of(receipts), documents)


# -- documents and spans


def frame_documents(storage: Storage, units: Sequence[DoneUnit]) -> Iterator[FrameDocument]:
    """Yields the documents of some units of which a text was scrubbed, unit by unit.

    Raises:
        GateFailed: if a part is not what was written.
    """

    def read(unit: DoneUnit) -> list[FrameDocument]:
        return _documents_of(unit.table(storage, "documents"))

    for found in map_in_threads(read, units):
        yield from found


def _documents_of(table: pa.Table) -> list[FrameDocument]:
    rows: defaultdict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in table.filter(pc.equal(table["status"], "scrubbed")).to_pylist():
        rows[row["doc_key"]].append(row)
    return [
        FrameDocument(
            doc_key,
            tokens=sum(row["tokens"] for row in texts),
            spans=sum(sum(dict(row["spans"]).values()) for row in texts),
            note_type=next(filter(None, (row.get("note_type") for row in texts)), None),
            patient=texts[0]["patient_key"],
            risk=rank_of_all(row.get("risk") for row in texts),
            fields=tuple(sorted({row["field"] for row in texts})),
        )
        for doc_key, texts in rows.items()
    ]


def removed_spans(
    storage: Storage, run: MeasuredRun, documents: Collection[str]
) -> Iterator[RemovedSpan]:
    """Yields what was removed of some documents, fragments left out.

    Raises:
        GateFailed: if a part is not what was written.
    """
    wanted = pa.array(sorted(documents), pa.string())
    removing = pa.array([name for name, action in ACTIONS.items() if action.removes], pa.string())

    def read(unit: DoneUnit) -> list[dict[str, Any]]:
        table = unit.table(storage, "audit", [*_AUDIT, "fragment"])
        is_wanted = pc.and_(
            pc.is_in(table["doc_key"], wanted),
            pc.and_(pc.is_in(table["action"], removing), pc.invert(table["fragment"])),
        )
        found: list[dict[str, Any]] = table.filter(
            pc.and_(is_wanted, pc.is_null(table["reason"]))
        ).to_pylist()
        return found

    for rows in map_in_threads(read, run.units):
        for row in rows:
            if row["start"] < row["end"]:
                yield RemovedSpan(
                    row["doc_key"],
                    row["field"],
                    row["start"],
                    row["end"],
                    row["label"],
                    len(row["detectors"]),
                    row["score"],
                )


def text_hmacs(storage: Storage, run: MeasuredRun, documents: Collection[str]) -> dict[Text, str]:
    """Text -> its keyed hash, of all scrubbed texts of some documents.

    Raises:
        GateFailed: if a part is not what was written.
    """
    wanted = pa.array(sorted(documents), pa.string())

    def read(unit: DoneUnit) -> dict[Text, str]:
        keys = unit.table(storage, "documents", ["doc_key"])["doc_key"]
        if not pc.any(pc.is_in(keys, wanted)).as_py():
            return {}
        return {
            text: hmac_of_text(run.keys, scrubbed)
            for text, scrubbed in unit.texts(storage).items()
            if text[0] in documents and scrubbed is not None
        }

    found: dict[Text, str] = {}
    for one in map_in_threads(read, run.units):
        found |= one
    return found
