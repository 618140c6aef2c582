"""The sample of an estimate: pieces of a plan's input, really scrubbed in this process, to nowhere.

Pieces lie evenly over the bytes of the plan, from a place that the seed says, and are worked on in
an order drawn by it: whenever time is up, those that are done are spread over all.
"""

from __future__ import annotations

import bisect
import dataclasses
import hashlib
import io
import itertools
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, cast

import numpy as np
import pyarrow as pa

from ...models.core.batches import Batch
from ...models.core.documents import Documents, Rows
from ...models.formats import Locator
from ...models.jobs.job import Job
from ...models.jobs.opening import open_job
from ...models.jobs.output_rows import build_output_rows
from ...models.jobs.plan import Plan, Unit
from ...models.jobs.receipts import UnitSink
from ...models.jobs.steps import run_steps
from ...models.storage.places import local_path
from ...models.storage.readers import RangeReader
from ...models.storage.storage import Storage
from ...models.storage.writers import Writer
from ..cost_model import (
    CORE_HOUR_PRICE,
    LOCAL_FILE_SECONDS,
    STORE_FILE_SECONDS,
    Assumed,
    Basis,
    PlannedWork,
    SamplePiece,
    basis_of,
)
from ..metrics import peak_memory
from ..process.lean_beam import import_beam

PIECE_BYTES = 250_000
"""Like half a batch: enough that what a batch costs whatever is in it hardly shows."""

BLOCK_BYTES = 1 << 14
"""What is read of a format that cannot begin anywhere comes in such blocks, to be counted."""

START_SECONDS = 1.5
"""Python and Beam, where they cannot be timed since this process has them already."""

_WARM = "Seen on 3/4/2012 by Dr. Ruth Halvorsen, MRN: 1234567. No complaints."


@dataclasses.dataclass(frozen=True, slots=True)
class SampleLimits:
    """How much may be looked at.

    Attributes:
        seconds: no piece is begun after so long, the opening of models apart.
        bytes: most bytes of input in all, about.
        seed: draws the pieces.
    """

    seconds: float = 30.0
    bytes: int = 6_000_000
    seed: int = 0


def work_of(job: Job, plan: Plan) -> PlannedWork:
    """A plan in numbers."""
    sizes = [unit.bytes for unit in plan.units]
    forms = {unit.format for unit in plan.units}
    return PlannedWork(
        bytes=sum(sizes),
        units=len(sizes),
        largest_bytes=max(sizes, default=0),
        files_a_row=any(job.form(name).traits.file_is_record for name in forms),
        remote=local_path(job.output) is None,
    )


def sample(
    storage: Storage,
    job: Job,
    plan: Plan,
    bounds: SampleLimits,
    *,
    core_hour_price: float = CORE_HOUR_PRICE,
    clock: Callable[[], float] = time.perf_counter,
) -> Basis:
    """Scrubs a sample of a plan and tells what a prediction can be made of.

    Nothing is written; what cannot be read is quarantined, as in a run.

    Raises:
        UsageError: if a model, the policy or the key is not what the job says.
        RunFailed: if storage fails or an input is not what was planned.
    """
    work = work_of(job, plan)
    began = clock()
    chain = _Chain(storage, job, plan)
    chain.warm()
    start_seconds = clock() - began
    if chain.had_beam:
        start_seconds += START_SECONDS
    pieces: list[SamplePiece] = []
    began = clock()
    for unit, locator, at in drawn(plan, bounds):
        if pieces and clock() - began > bounds.seconds:
            break
        pieces.append(chain.scrub(unit, locator, at, clock))
    return basis_of(
        pieces,
        work,
        written=chain.written(),
        start_seconds=start_seconds,
        memory_bytes=peak_memory(),
        seed=bounds.seed,
        cores=usable_cores(),
        assumed=Assumed(
            file_seconds=STORE_FILE_SECONDS if work.remote else LOCAL_FILE_SECONDS,
            core_hour_price=core_hour_price,
        ),
    )


def drawn(plan: Plan, bounds: SampleLimits) -> Iterator[tuple[int, int, int]]:
    """Yields pieces as (unit, locator of it, byte of that), in an order drawn by the seed."""
    ends = list(itertools.accumulate(unit.bytes for unit in plan.units))
    total = ends[-1] if ends else 0
    count = max(1, min(bounds.bytes, total) // PIECE_BYTES)
    digest = hashlib.sha256(f"scrubline-sample {bounds.seed}".encode()).digest()
    chance = random.Random(digest)
    step = total / count
    first = chance.random() * step
    places = [int(first + step * index) for index in range(count)] if total else []
    chance.shuffle(places)
    for place in places:
        unit = bisect.bisect_right(ends, place)
        at = place - (ends[unit] - plan.units[unit].bytes)
        for index, locator in enumerate(plan.units[unit].locators):
            if at < locator.bytes:
                yield unit, index, at
                break
            at -= locator.bytes


def usable_cores() -> int:
    """Cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS
        return os.cpu_count() or 1


class _Chain:
    """The steps of a run, opened once, and sinks that lead nowhere."""

    def __init__(self, storage: Storage, job: Job, plan: Plan) -> None:
        self.had_beam = "apache_beam" in sys.modules
        import_beam()  # a worker loads it: that is part of its start

        self._storage = _CountingStorage.over(storage)
        self._opened = open_job(self._storage, job, plan)
        self._sinks: dict[str, UnitSink] = {}

    def warm(self) -> None:
        """Takes a text through all steps: lists and patterns are loaded by the first one."""
        rows = Rows(
            np.arange(1, dtype=np.int64),
            *((None,),) * 3,
            pa.table({}),
            np.arange(1, dtype=np.int64),
        )
        self._run_steps(Batch(0, True, rows, Documents.of(_WARM)))

    def scrub(self, index: int, number: int, at: int, clock: Callable[[], float]) -> SamplePiece:
        """Scrubs a piece.

        Args:
            index: of the unit.
            number: of the locator in it, and byte `at` in that.
        """
        job, plan = self._opened.job, self._opened.plan
        unit = plan.units[index]
        form = job.form(unit.format)
        first = unit.locators[number]
        sampled = None
        if job.group_lines is None:  # else a note might be cut in two
            file = plan.files[first.file]
            sampled = form.sample(self._storage, file, first, at, PIECE_BYTES)
        # What cannot be cut is read from its beginning; small files go on with the next ones.
        locators = (sampled.locator,) if sampled else tuple(_some(unit.locators[number:]))
        whole = dataclasses.replace(unit, locators=locators)
        seen = self._storage.seen[0]
        began = clock()
        counts: Counter[str] = Counter()
        size, ended = 0, False
        for batch in self._opened.batches(whole):
            size += sum(
                len(text.encode("utf-8", "surrogatepass")) for text in batch.documents.texts
            )
            result = build_output_rows(
                self._run_steps(batch),
                run=job.run,
                form=form,
                columns=job.columns,
                detector_hashes=self._opened.detector_hashes,
                hipaa=self._opened.policy.hipaa_of,
                tells_type=self._opened.policy.documents.note_type,
            )
            self._sink(unit, result.data.schema).write(result)
            tally = result.tally.counts
            counts.update(
                rows=tally["rows_in"],
                documents=tally["documents"],
                tokens=tally["tokens"],
                spans=tally["spans"],
                quarantined=tally["rows_quarantined"],
            )
            ended = batch.last
            if size >= PIECE_BYTES:
                break
        seconds = clock() - began
        planned = sum(locator.bytes for locator in locators)
        if ended:
            read = planned
        elif sampled is not None and sampled.rows:
            read = planned * counts["rows"] // sampled.rows
        else:
            read = min(planned, self._storage.seen[0] - seen)
        return SamplePiece(max(read, 1), seconds, counts)

    def written(self) -> dict[str, int]:
        """Bytes by table of all that was written to nowhere; ends it."""
        total: Counter[str] = Counter()
        for sink in self._sinks.values():
            for part in sink.commit().parts:
                total[part.table] += part.bytes
        return dict(total)

    def _run_steps(self, batch: Batch) -> Batch:
        return run_steps(batch, self._opened.resources)

    def _sink(self, unit: Unit, schema: pa.Schema) -> UnitSink:
        """One sink a kind of part, so that what each file costs is not counted with every piece."""
        kind = f"{unit.format} {schema}"
        if kind not in self._sinks:
            self._sinks[kind] = UnitSink(
                _Nowhere(),
                staging="nowhere",
                run=self._opened.job.run,
                unit=unit.index,
                name=f"{len(self._sinks):06d}",
                form=self._opened.job.form(unit.format),
                partition="",
                given="",
            )
        return self._sinks[kind]


def _some(locators: tuple[Locator, ...]) -> Iterator[Locator]:
    """The first of some locators, and further ones up to the size of a piece."""
    size = 0
    for locator in locators:
        if size and size + locator.bytes > PIECE_BYTES:
            return
        size += locator.bytes
        yield locator


@dataclasses.dataclass(frozen=True, slots=True)
class _CountingStorage(Storage):
    """Storage that reads in small blocks, and counts them."""

    seen: list[int] = dataclasses.field(default_factory=lambda: [0], compare=False)

    @classmethod
    def over(cls, storage: Storage) -> _CountingStorage:
        """The same storage, counting."""
        return cls(**{f.name: getattr(storage, f.name) for f in dataclasses.fields(storage)})

    def read_blocks(self, url: str, start: int, end: int, block_bytes: int = 0) -> Iterator[bytes]:
        """As asked, in blocks of at most `BLOCK_BYTES`."""
        step = min(block_bytes or BLOCK_BYTES, BLOCK_BYTES)
        for block in Storage.read_blocks(self, url, start, end, step):
            self.seen[0] += len(block)
            yield block

    def open_read(self, url: str, *, buffer_bytes: int = BLOCK_BYTES) -> BinaryIO:
        """As asked, with a small buffer."""
        if not buffer_bytes:
            return Storage.open_read(self, url, buffer_bytes=0)
        return cast(BinaryIO, io.BufferedReader(_CountingReader(self, url), BLOCK_BYTES))


class _CountingReader(RangeReader):
    """A raw reader that counts what is read of it."""

    def __init__(self, storage: _CountingStorage, url: str) -> None:
        super().__init__(storage, url)
        self._seen = storage.seen

    def readinto(self, buffer: Any) -> int:
        done = super().readinto(buffer)
        self._seen[0] += done
        return done


class _Nowhere(Storage):
    """Storage to which everything may be written and where nothing is."""

    __slots__ = ()

    def create(self, url: str) -> Writer:
        """A writer that counts and forgets."""
        return _Nothing(self, url)


class _Nothing(Writer):
    def _append(self, view: memoryview) -> None:
        pass

    def _commit(self) -> None:
        pass

    def _drop(self) -> None:
        pass
