"""`history.parquet`: what each run of an output published, in numbers, for as long as it lives.

A publication appends its run, or replaces what the file says of that run: how often it was cut off
does not show. Nothing of an output depends on the file. Where it is missing or not what the last
run wrote, that is told, and it begins anew.
"""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...models.core.arrays import Ints
from ...models.core.display_names import counted
from ...models.core.errors import ScrublineError, error_class
from ...models.core.shortage import raise_shortage
from ...models.core.small_parquet import table_in
from ...models.jobs.job import CODE_VERSION
from ...models.storage.storage import Storage
from .history_rows import SCHEMA, SERIES, night_rows
from .night_counts import count_night
from .removal_counts import coded
from .state import HISTORY, MANIFEST

_log = logging.getLogger(__name__)

RUNS_BY_TYPE = 60
"""The latest runs keep labels by type of note; of earlier ones, labels are of all notes."""

RUNS_COUNTED = 150
"""The latest runs keep how many documents have which value; of earlier ones there are quantiles."""

MOST_RUNS = 4000
"""The latest that are kept."""

MOST_BYTES = 64 << 20
"""A larger file is none of ours."""

MISSING = "is missing"

_OF_ANOTHER_FORM = (KeyError, TypeError, ValueError, AttributeError, ArithmeticError)
_TEXTS = [one.name for one in SCHEMA if pa.types.is_string(one.type)]


# -- the file


@dataclasses.dataclass(frozen=True, slots=True)
class StoredHistory:
    """What was found of a history.

    Attributes:
        table: its rows; None if it cannot be used.
        problem: why not, in words; "" where all is well.
        sha256: of the file, as hex; "" where there is none.
    """

    table: pa.Table | None
    problem: str
    sha256: str


def read_history(storage: Storage, output: str, said: object) -> StoredHistory:
    """The history of an output.

    Args:
        said: the SHA-256 that the manifest gives, None where it gives none: then any that can be
            read is taken.
    """
    try:
        content = storage.read_range(f"{output}/{HISTORY}", 0, MOST_BYTES + 1)
    except FileNotFoundError:
        return StoredHistory(None, MISSING, "")
    except ScrublineError as error:
        return StoredHistory(None, f"cannot be read ({error_class(error)})", "")
    digest = hashlib.sha256(content).hexdigest()
    if said is not None and digest != said:
        return StoredHistory(None, "is not what the last run wrote", digest)
    table = _parsed(content)
    return StoredHistory(table, "" if table is not None else "is damaged", digest)


def _parsed(content: bytes) -> pa.Table | None:
    """The table in a file; None if it is no history."""
    if len(content) > MOST_BYTES:
        return None
    try:
        table = table_in(content)
        table.validate(full=True)
        for field in SCHEMA:  # of an earlier version, which knew fewer
            if field.nullable and field.name not in table.column_names:
                table = table.append_column(field, pa.nulls(table.num_rows, field.type))
        table = table.select(SCHEMA.names)
        return table if table.schema.equals(SCHEMA) else None
    except Exception as error:  # damaged Parquet raises many kinds
        raise_shortage(error)
        return None


def said_of_history(manifest: Mapping[str, Any]) -> str | None:
    """The SHA-256 of the history that a manifest names; None where it names none."""
    report = manifest.get("report")
    said = report.get("history") if isinstance(report, dict) else None
    found = said.get("sha256") if isinstance(said, dict) else None
    return found if isinstance(found, str) else None


def history_bytes(before: pa.Table | None, rows: list[dict[str, Any]]) -> tuple[bytes, int]:
    """The file after a publication, and how many runs it tells of.

    Args:
        before: the table until now, if there is one.
        rows: of the run that is published; they replace what is there of it.
    """
    table = pa.Table.from_pylist(rows, SCHEMA)
    if before is not None:
        others = before.filter(pc.not_equal(before.column("run"), rows[0]["run"]))
        table = pa.concat_tables([others, table])
    table, ranks, runs = _by_time(table)
    if runs > MOST_RUNS:
        table, ranks, runs = _by_time(table.filter(pa.array(ranks >= runs - MOST_RUNS)))
    is_cell = pc.and_(table.column("label").is_valid(), table.column("note_type").is_valid())
    older = (ranks < runs - RUNS_BY_TYPE) & is_cell.to_numpy()
    if older.any():
        of_all = _labels_of_all_types(table.filter(pa.array(older)).to_pylist())
        rest = table.filter(pa.array(~older))
        added = pa.Table.from_pylist(of_all, SCHEMA)
        table, ranks, runs = _by_time(pa.concat_tables([rest, added]))
    is_late = pa.array(ranks >= runs - RUNS_COUNTED)
    for field in (SCHEMA.field(f"{name}_counts") for name in SERIES):
        late = pc.if_else(is_late, table.column(field.name), pa.scalar(None, field.type))
        table = table.set_column(SCHEMA.get_field_index(field.name), field, late)
    return _written(table), runs


def _by_time(table: pa.Table) -> tuple[pa.Table, Ints, int]:
    """The rows with the runs in the order of their publication; that number of each, and of all."""
    runs, of_rows = coded(table.column("run").combine_chunks())
    _, firsts = np.unique(of_rows, return_index=True)
    published = table.column("published").take(pa.array(firsts)).to_pylist()
    order = sorted(range(len(runs)), key=lambda run: (published[run], runs[run]))
    rank_of = np.argsort(order)
    ranks = rank_of[of_rows]
    rows = np.argsort(ranks, kind="stable")
    return table.take(pa.array(rows)), ranks[rows], len(runs)


_SUMMED = ("documents", "spans", "kept", "fragments", "by_rules", "by_taggers", "by_both")


def _labels_of_all_types(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of labels by type, added up over the types of each run."""
    sums: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        total = sums.setdefault((row["run"], row["label"]), {**row, "note_type": None} | _NOTHING)
        total |= {name: total[name] + row[name] for name in _SUMMED}
    return [sums[key] for key in sorted(sums)]


_NOTHING = dict.fromkeys(_SUMMED, 0)


def _written(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    # Of the same rows and the same Arrow, the same bytes: chunks would show in pages, and what
    # reading adds to the metadata of fields in the footer.
    pq.write_table(
        pa.Table.from_arrays(table.combine_chunks().columns, schema=SCHEMA),
        sink,
        compression="zstd",
        compression_level=9,
        use_dictionary=[*_TEXTS, "quarantined.key_value.key", "step_ms.key_value.key"],
        write_statistics=False,
        row_group_size=max(1, table.num_rows),
    )
    return sink.getvalue()


# -- written


def write_history_or_warn(
    storage: Storage,
    output: str,
    manifest: Mapping[str, Any],
    require_lock: Callable[[], None] = lambda: None,
) -> dict[str, Any]:
    """Adds the run that is being published; gives what its manifest says of the file.

    To be called when its parts are in place and the manifest is still that of the run before. No
    night fails because of it: what goes wrong is told, and the manifest then says nothing of a
    history.
    """
    try:
        rows = night_rows(_as_read(manifest), count_night(storage, output, manifest))
        before = _before(storage, output, manifest["run"])
        content, runs = history_bytes(before, rows)
        require_lock()
        storage.write_bytes(f"{output}/{HISTORY}", content)
    except Exception as error:
        # Of a foreign error the message may hold anything.
        said = str(error) if isinstance(error, ScrublineError) else error_class(error)
        _log.warning("%s could not be written (%s): this run will be missing in it", HISTORY, said)
        return {}
    return {"history": {"sha256": hashlib.sha256(content).hexdigest(), "runs": runs}}


def _as_read(manifest: Mapping[str, Any]) -> Any:
    """The manifest as it will be in its file: the same rows at publication and later."""
    return json.loads(json.dumps(manifest))


def _before(storage: Storage, output: str, run: str) -> pa.Table | None:
    """What the runs before left; tells where that is lost."""
    try:
        manifest = json.loads(storage.read_bytes(f"{output}/{MANIFEST}"))
    except (FileNotFoundError, ValueError, RecursionError):
        manifest = None
    if not isinstance(manifest, dict):
        manifest = {}
    found, said = read_history(storage, output, None), said_of_history(manifest)
    # A publication that was cut off has written the history, and not yet the manifest.
    may_differ = said is None or (
        found.table is not None and run in found.table.column("run").to_pylist()
    )
    if found.table is not None and found.sha256 != said and not may_differ:
        found = dataclasses.replace(found, table=None, problem="is not what the last run wrote")
    if found.table is None and (found.sha256 or said is not None):
        _log.warning(
            "%s %s: it begins anew with this run, and what earlier runs told in it is lost unless "
            "you have a copy",
            HISTORY,
            found.problem,
        )
    return found.table


# -- checked


def faults_of_history(
    storage: Storage, output: str, manifest: Mapping[str, Any]
) -> tuple[list[str], list[str]]:
    """What is wrong with the history of an output, and what could not be checked; in words.

    The rows of earlier runs cannot be made again: that they are as they were is what the hash in
    the manifest says, which is sealed.
    """
    said = said_of_history(manifest)
    found = read_history(storage, output, said)
    if said is None:
        told = f"{HISTORY} was not checked: the manifest names none"
        return [], [told] if found.sha256 else []
    if found.table is None and not found.sha256 and found.problem == MISSING:
        return [], [f"{HISTORY} is not here: the next run begins it anew, without earlier runs"]
    if found.table is None:
        return [
            f"{HISTORY} {found.problem}: put it back from a copy, or the next run begins it anew"
        ], []
    if manifest.get("code_version") != CODE_VERSION:
        return [], [f"{HISTORY} is of another version: only its hash was compared"]
    try:
        rows = night_rows(manifest, count_night(storage, output, manifest))
        expected = pa.Table.from_pylist(rows, SCHEMA)
    except (ScrublineError, *_OF_ANOTHER_FORM):  # said of manifest or tables
        return [], [f"{HISTORY} was not compared with the tables: they are at fault"]
    of_run = found.table.filter(pc.equal(found.table.column("run"), manifest["run"]))
    if not of_run.equals(expected):
        return [f"{HISTORY}: its rows of the last run are not what the tables give"], []
    runs = len(pc.unique(found.table.column("run")))
    return [], [f"{HISTORY} tells of {counted(runs, 'run')}"]
