"""The join of a run as a task: which evidence is joined, in how many buckets of keys.

A bucket is a range of keys of all evidence, this run's and that of published units. It is worked
on by itself and leaves one file; the file is there or not, and a bucket that is done again leaves
the same bytes. Names in the task are those of parts: no input, no patient.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from ..core.errors import RunFailed
from ..core.keys import fingerprint
from ..core.record_links import ALL_KEYS, LEFT, Evidence, Facts
from ..core.shortage import raise_shortage
from ..core.small_parquet import table_in
from ..records.carrying import RULE, links_code_hash
from ..records.evidence_files import FACTS, facts_in, read_evidence
from ..records.linking import facts_of
from ..storage.storage import Storage
from .job import Job
from .plan import parquet_bytes
from .receipts import receipt_url

BUCKET_ROWS = 4_000_000
"""Rows of evidence of a bucket, about: 100 MB while they are joined."""

MOST_BUCKETS = 4096
_SOURCED = pa.schema([("source", pa.uint32()), *FACTS])


@dataclasses.dataclass(frozen=True, slots=True)
class EvidencePart:
    """One unit's evidence.

    Attributes:
        path: below the output; of a unit of this run, below its staging.
        sha256: of the file.
        rows: of it.
        is_staged: whether it is this run's.
    """

    path: str
    sha256: str
    rows: int
    is_staged: bool


@dataclasses.dataclass(frozen=True, slots=True)
class LinkTask:
    """What is joined.

    Attributes:
        sources: in order: units of this run, then published ones.
        buckets: in how many ranges of keys.
    """

    sources: tuple[EvidencePart, ...]
    buckets: int

    @classmethod
    def of(cls, sources: Sequence[EvidencePart]) -> LinkTask:
        """A task over some evidence."""
        rows = sum(source.rows for source in sources)
        return cls(tuple(sources), min(MOST_BUCKETS, max(1, -(-rows // BUCKET_ROWS))))

    @property
    def name(self) -> str:
        """Another one for other evidence, buckets or code."""
        return fingerprint(links_code_hash(), self.to_json())[:16]

    def folder(self, job: Job) -> str:
        """Where the task and what is done of it lie."""
        return f"{job.staging}/links/{self.name}"

    def url(self, job: Job, source: EvidencePart) -> str:
        """Where evidence lies."""
        return f"{job.staging if source.is_staged else job.output}/{source.path}"

    def keys(self, bucket: int) -> tuple[int, int]:
        """The first key of a bucket, and the first behind it."""
        return bucket * ALL_KEYS // self.buckets, (bucket + 1) * ALL_KEYS // self.buckets

    def to_json(self) -> str:
        """The task as JSON text; equal tasks are equal texts."""
        return json.dumps(dataclasses.asdict(self), sort_keys=True, separators=(",", ":"))

    @classmethod
    def read(cls, storage: Storage, folder: str) -> LinkTask:
        """The task of a folder.

        Raises:
            RunFailed: if it is damaged or missing.
        """
        try:
            value = json.loads(storage.read_bytes(f"{folder}/task.json"))
            sources = tuple(EvidencePart(**source) for source in value["sources"])
            return cls(sources, int(value["buckets"]))
        except (FileNotFoundError, ValueError, KeyError, TypeError) as error:
            raise RunFailed(
                f"the task of the links cannot be read ({type(error).__name__}); resume the run"
            ) from None


def bucket_file(bucket: int) -> str:
    """Name of what a bucket leaves."""
    return f"{bucket:04d}.parquet"


def link_bucket(
    storage: Storage,
    job: Job,
    task: LinkTask,
    bucket: int,
    report: Callable[[], None] = lambda: None,
) -> int:
    """Joins one bucket and writes its facts.

    Args:
        report: called after each file that was read.

    Returns:
        How many facts there are.

    Raises:
        RunFailed: if evidence is missing or damaged.
    """
    low, high = task.keys(bucket)
    parts = []
    for source in task.sources:
        parts.append(_read(storage, job, task, source, low, high))
        report()
    facts = facts_of(Evidence.summed(*parts), RULE)
    tables = [_SOURCED.empty_table()]
    for number, part in enumerate(parts):
        if len(facts) and len(part):
            left = part.keys[part.codes == LEFT]
            at = np.minimum(np.searchsorted(facts.keys, left), len(facts) - 1)
            own = facts.take(at[facts.keys[at] == left])
            numbers = np.full(len(own), number, np.uint32)
            columns = [numbers, own.keys, own.codes, own.documents]
            tables.append(pa.Table.from_arrays(columns, schema=_SOURCED))
    table = pa.concat_tables(tables)
    storage.write_bytes(f"{task.folder(job)}/{bucket_file(bucket)}", parquet_bytes(table))
    return len(table)


def _read(
    storage: Storage, job: Job, task: LinkTask, source: EvidencePart, low: int, high: int
) -> Evidence:
    url = task.url(job, source)
    try:
        if not low:  # each file is compared once, by the first bucket
            content = storage.read_bytes(url)
            if hashlib.sha256(content).hexdigest() != source.sha256:
                raise ValueError("other bytes than were written")
            return read_evidence(io.BytesIO(content), low, high)
        with storage.open_read(url) as stream:
            return read_evidence(stream, low, high)
    except (pa.ArrowException, OSError, KeyError, ValueError) as error:
        raise_shortage(error)
        what = f"{source.path} is damaged, or was changed ({type(error).__name__})"
    if source.is_staged:  # without its receipt the unit is run again
        storage.delete(receipt_url(job.staging, source.path.rpartition("/")[2].split(".")[0]))
        raise RunFailed(f"{what}: its unit is run again when the run is resumed")
    raise RunFailed(f"{what}: remove this file, then resume; its unit is run again")


TURN_BYTES = 32_000_000
"""Bytes of files of facts that are read at a time, about: three million facts, compressed."""


def read_facts(storage: Storage, job: Job, task: LinkTask) -> Iterator[tuple[int, Facts]]:
    """Yields the facts of a task whose buckets are done: number of the source, its facts by key.

    Where they are many they are read in turns, each of some of the sources.

    Raises:
        RunFailed: if what a bucket left is missing or damaged.
    """
    size = sum(storage.list_sizes(task.folder(job)).values())
    turns, count = 1 + size // TURN_BYTES, len(task.sources)
    for turn in range(turns):
        first, end = turn * count // turns, (turn + 1) * count // turns
        parts = [
            _facts_of_bucket(storage, job, task, bucket, first, end)
            for bucket in range(task.buckets)
        ]
        table = pa.concat_tables([_SOURCED.empty_table(), *parts])
        sources, facts = table["source"].to_numpy(), facts_in(table)
        order = np.argsort(sources, kind="stable")  # buckets ascend by key
        edges = np.searchsorted(sources[order], np.arange(first, end + 1)).tolist()
        for number, low, high in zip(range(first, end), edges, edges[1:], strict=False):
            if low < high:
                yield number, facts.take(order[low:high])


def _facts_of_bucket(
    storage: Storage, job: Job, task: LinkTask, bucket: int, first: int, end: int
) -> pa.Table:
    """The facts that a bucket left of the sources `first` to `end` - 1."""
    url = f"{task.folder(job)}/{bucket_file(bucket)}"
    try:
        table = table_in(storage.read_bytes(url), _SOURCED.names)
    except (FileNotFoundError, pa.ArrowException, OSError, KeyError) as error:
        raise_shortage(error)
        kind = type(error).__name__
    else:
        low, high = np.searchsorted(table["source"].to_numpy(), [first, end]).tolist()
        return table.slice(low, high - low)
    storage.delete(url)
    raise RunFailed(f"bucket {bucket} of the links is damaged ({kind}): resume the run")
