"""ScrubText: records and tables of anybody's pipeline, scrubbed; a batch never leaves the step."""

import contextlib
import dataclasses
import time
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import apache_beam as beam
import pyarrow as pa
from apache_beam import pvalue
from apache_beam.metrics import Metrics
from apache_beam.utils.windowed_value import WindowedValue

from ..models.core.budgets import BATCH_BYTES, BATCH_DOCUMENTS
from ..models.core.errors import UsageError, error_class
from ..models.embedding.records import scrub_records
from ..models.embedding.rows import Roles, RowScrubber
from ..models.embedding.tables import scrub_table
from ..models.scrubber import Scrubber, ScrubberNames
from .running import sanitize_errors

SCRUBBED, AUDIT, DEAD_LETTERS = "scrubbed", "audit", "dead_letters"
"""Tags of the outputs."""

_NAMESPACE = "ScrubText"


@dataclasses.dataclass(frozen=True)
class DeadLetter:
    """An element that could not be scrubbed.

    Attributes:
        element: as it came, with all PHI that is in it; of a table, the one row that failed. None
            if `ScrubText` was told to keep no elements.
        stage: step that failed.
        error: class of the error; no text is in it.
        doc_key: None if no column has role `id`, or the id could not be read.
    """

    element: Any = dataclasses.field(repr=False)
    stage: str
    error: str
    doc_key: str | None = None


class _Waiting(NamedTuple):
    element: Any
    record: Mapping[str, Any]
    timestamp: Any
    window: Any


class ScrubText(beam.PTransform):
    """Dicts, Rows or tables of Arrow -> the same without PHI, audit rows, and dead letters.

    The outputs are tagged: `found.scrubbed` has one element for each that came, in its window and
    with its timestamp, except for those in `found.dead_letters`, which are nowhere else.
    `found.audit` has a dict a span, of a table a table. A table loses the rows that failed.

    Counters: `documents`, `documents_failed`, `spans_found`; distributions: `batch_ms` and
    `batch_records`; all in the namespace "ScrubText".
    """

    def __init__(
        self,
        columns: Mapping[str, str],
        *,
        scrubber: Scrubber | None = None,
        key: str | None = None,
        keep_elements: bool = True,
        batch_records: int = BATCH_DOCUMENTS,
    ) -> None:
        """Checks the roles, and opens the key once to compare it on the workers.

        Args:
            columns: name -> role, of all fields: "text", "id", "patient", "type", "date", "birth",
                "pass", "drop", "hash" or "known:WHAT". An element with another field is a dead
                letter.
            scrubber: what texts are scrubbed with; it travels by names and hashes. None is
                `Scrubber()`.
            key: for roles id, patient and hash: URL of the key file, or "env:NAME", as a worker
                finds it; None is "env:SCRUBLINE_KEY". The key itself never travels.
            keep_elements: whether dead letters hold the elements, with all PHI that is in them.
            batch_records: most records that are scrubbed together.

        Raises:
            UsageError: if a role, the scrubber or the key cannot be used.
        """
        super().__init__()
        if batch_records < 1:
            raise UsageError("batch_records must be at least 1")
        roles = Roles.of(columns)
        scrubber = Scrubber() if scrubber is None else scrubber
        check = roles.keys(key, scrubber.policy).check
        self._fn = _ScrubFn(dict(columns), scrubber.names, key, check, keep_elements, batch_records)

    def expand(self, elements):
        return elements | "ScrubRecords" >> beam.ParDo(self._fn).with_outputs(
            AUDIT, DEAD_LETTERS, main=SCRUBBED
        )


class _ScrubFn(beam.DoFn):
    def __init__(
        self,
        columns: Mapping[str, str],
        names: ScrubberNames,
        key: str | None,
        check: str,
        keep_elements: bool,
        most: int,
    ) -> None:
        self.columns, self.names, self.key, self.check = columns, names, key, check
        self.keep_elements, self.most = keep_elements, most

    def setup(self) -> None:
        """Opens the scrubber: its models once a process, taggers once for each thread."""
        with sanitize_errors(_NAMESPACE):
            roles = Roles.of(self.columns)
            scrubber = self.names.opened()
            keys = roles.keys(self.key, scrubber.policy)
            if keys.check != self.check:
                raise UsageError(
                    f"ScrubText: the master key here has the check value {keys.check}, but the "
                    f"pipeline was built with {self.check}"
                )
            self.rows = RowScrubber(scrubber, roles, keys)
        self.waiting: list[_Waiting] = []
        self.size = 0
        self.documents = Metrics.counter(_NAMESPACE, "documents")
        self.failed = Metrics.counter(_NAMESPACE, "documents_failed")
        self.spans = Metrics.counter(_NAMESPACE, "spans_found")
        self.ms = Metrics.distribution(_NAMESPACE, "batch_ms")
        self.records = Metrics.distribution(_NAMESPACE, "batch_records")

    def start_bundle(self) -> None:
        """A bundle that is retried begins anew."""
        self.waiting, self.size = [], 0

    def process(
        self, element, timestamp=beam.DoFn.TimestampParam, window=beam.DoFn.WindowParam
    ) -> Iterator[Any]:
        if isinstance(element, pa.Table | pa.RecordBatch):
            yield from self._table(element)
            return
        record = _record(element)
        if record is None:
            self._count(1, 1, 0)
            yield pvalue.TaggedOutput(DEAD_LETTERS, self._letter(element, "read", "NotARecord"))
            return
        self.waiting.append(_Waiting(element, record, timestamp, window))
        self.size += sum(len(v) for v in record.values() if isinstance(v, str))
        if len(self.waiting) >= self.most or self.size >= BATCH_BYTES:
            yield from self._flushed()

    def finish_bundle(self) -> Iterator[Any]:
        yield from self._flushed()

    def _flushed(self) -> Iterator[Any]:
        """What comes of all that waits, each at its own time."""
        waiting, self.waiting, self.size = self.waiting, [], 0
        if not waiting:
            return
        with self._timed(len(waiting)):
            done = list(scrub_records([one.record for one in waiting], self.rows))
        for one, found in zip(waiting, done, strict=True):
            self._count(1, found.record is None, len(found.audit))
            if found.record is None:
                letter = self._letter(one.element, found.stage, found.error, found.doc_key)
                yield pvalue.TaggedOutput(DEAD_LETTERS, _at(one, letter))
                continue
            yield _at(one, _like(one.element, found.record))
            for row in found.audit:
                yield pvalue.TaggedOutput(AUDIT, _at(one, row))

    def _table(self, element: Any) -> Iterator[Any]:
        is_batch = isinstance(element, pa.RecordBatch)
        table = pa.Table.from_batches([element]) if is_batch else element
        try:
            with self._timed(table.num_rows):
                done = scrub_table(table, self.columns, scrubber=self.rows.scrubber, key=self.key)
        except UsageError as error:  # its columns are not those that were declared
            self._count(table.num_rows, table.num_rows, 0)
            letter = self._letter(element, "read", error_class(error))
            yield pvalue.TaggedOutput(DEAD_LETTERS, letter)
            return
        failed = done.quarantine.to_pylist()
        self._count(table.num_rows, len(failed), done.audit.num_rows)
        yield _one_batch(done.table) if is_batch else done.table
        if done.audit.num_rows:
            yield pvalue.TaggedOutput(AUDIT, done.audit)
        for row in failed:
            alone = element.slice(row["row"], 1)
            letter = self._letter(alone, row["stage"], row["error"], row["doc_key"])
            yield pvalue.TaggedOutput(DEAD_LETTERS, letter)

    def _letter(
        self, element: Any, stage: str, error: str, doc_key: str | None = None
    ) -> DeadLetter:
        return DeadLetter(element if self.keep_elements else None, stage, error, doc_key)

    @contextlib.contextmanager
    def _timed(self, records: int) -> Iterator[None]:
        """Measures what is done with so many records, and lets no foreign exception out."""
        began = time.monotonic()
        with sanitize_errors(_NAMESPACE):
            yield
        self.ms.update(int(1000 * (time.monotonic() - began)))
        self.records.update(records)

    def _count(self, documents: int, failed: int, spans: int) -> None:
        self.documents.inc(documents)
        self.failed.inc(int(failed))
        self.spans.inc(spans)


def _record(element: Any) -> Mapping[str, Any] | None:
    """Names and values of an element, or None if it has none."""
    if isinstance(element, Mapping):
        names = element.keys()
        return element if all(isinstance(name, str) for name in names) else None
    # A Row, and what Beam makes of one between two steps: a named tuple.
    return element._asdict() if hasattr(element, "_asdict") else None


def _like(element: Any, record: dict[str, Any]) -> Any:
    return record if isinstance(element, Mapping) else beam.Row(**record)


def _at(one: _Waiting, value: Any) -> WindowedValue:
    return WindowedValue(value, one.timestamp, (one.window,))


def _one_batch(table: pa.Table) -> pa.RecordBatch:
    whole = table.combine_chunks().to_batches()
    if whole:
        return whole[0]
    arrays = [pa.array([], field.type) for field in table.schema]
    return pa.RecordBatch.from_arrays(arrays, schema=table.schema)
