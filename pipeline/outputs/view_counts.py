"""Counts of a view with noise, and how much of the privacy budget of an output they have spent."""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...models.core.errors import UsageError
from ...models.core.small_parquet import table_in
from ...models.core.suggestions import did_you_mean
from ...models.storage.storage import Storage
from ...models.view.counts import DOMAINS, cells_of, noisy, true_counts
from ...models.view.merging import ViewTable
from .identifier_view import read_release
from .state import lock_file

LEDGER = "restricted/view/budget.json"
"""What was spent. It is written before counts are, so that none is ever told unaccounted."""


@dataclasses.dataclass(frozen=True, slots=True)
class NoisyCounts:
    """Counts that were released.

    Attributes:
        names: attributes that they are by.
        cells: values of each.
        counts: with noise; may be below zero.
        spent: epsilon of all counts of this output, these included.
        place: of the file, below the output.
    """

    names: tuple[str, ...]
    cells: list[tuple[str, ...]]
    counts: list[int]
    spent: float
    place: str


def release_counts(
    storage: Storage,
    output: str,
    by: Sequence[str],
    values: Mapping[str, Sequence[str]],
    epsilon: float,
    budget: float,
) -> NoisyCounts:
    """Counts the patients of the view, adds noise, and writes what comes of it.

    Args:
        by: attributes.
        values: attribute -> its values, where they are not known beforehand.
        epsilon: of these counts.
        budget: most epsilon of all counts of this output.

    Raises:
        UsageError: if there is no view, an attribute is none of it or its values are not known, or
            the budget does not do.
    """
    domains = _domains(by, values)
    cells = cells_of(domains)
    with storage.locked(lock_file(output)) as still_ours:
        release = read_release(storage, output)
        if release is None:
            raise UsageError("this output has no view: make one with `scrubline view build`")
        if missing := [name for name in by if name not in release.rules.names]:
            raise UsageError(
                f"view counts: {missing[0]} is none of {', '.join(release.rules.names)}"
                f"{did_you_mean(missing[0], release.rules.names)}"
            )
        rows = table_in(storage.read_bytes(f"{output}/{release.rows}"))
        counts = true_counts(ViewTable.of([rows], by), domains)
        told = noisy(counts, epsilon)
        ledger = _ledger(storage, output)
        spent = sum(entry["epsilon"] for entry in ledger) + epsilon
        if spent > budget * (1 + 1e-9):
            raise UsageError(
                f"view counts: {spent - epsilon:g} of the budget of {budget:g} is spent, and "
                f"{epsilon:g} more would be too much: ask for less, or raise --budget, which "
                "tells more of each patient"
            )
        still_ours()
        place = f"view/counts-{len(ledger) + 1}.parquet"
        entry = {"file": place, "by": list(by), "epsilon": epsilon, "run": release.run}
        storage.write_bytes(f"{output}/{LEDGER}", json.dumps([*ledger, entry], indent=1).encode())
        columns = [pa.array([cell[at] for cell in cells], pa.string()) for at in range(len(by))]
        table = pa.table([*columns, pa.array(told, pa.int64())], names=[*by, "patients"])
        sink = io.BytesIO()
        pq.write_table(table, sink, compression="zstd")
        storage.write_bytes(f"{output}/{place}", sink.getvalue())
    return NoisyCounts(tuple(by), cells, told, spent, place)


def _domains(by: Sequence[str], values: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """The values of each attribute, in order.

    Raises:
        UsageError: if those of one are not known beforehand.
    """
    if not by or len(set(by)) != len(by):
        raise UsageError("view counts: say by which attributes, each once: --by age,sex")
    if more := sorted(values.keys() - set(by)):
        raise UsageError(f"view counts: --values {more[0]}: it is not in --by")
    found: dict[str, Sequence[str]] = {}
    for name in by:
        some = values.get(name) or DOMAINS.get(name)
        if some is None:
            raise UsageError(
                f"view counts: which values {name} has must not depend on the patients: name them "
                f"with --values {name}=ONE,TWO; all others count as unknown"
            )
        found[name] = some
    return found


def _ledger(storage: Storage, output: str) -> list[dict[str, Any]]:
    try:
        ledger = json.loads(storage.read_bytes(f"{output}/{LEDGER}"))
        if not all(isinstance(entry["epsilon"], int | float) for entry in ledger):
            raise ValueError
    except FileNotFoundError:
        return []
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(
            f"{LEDGER} is damaged: nobody can say what was spent. Put it back from a backup"
        ) from None
    found: list[dict[str, Any]] = ledger
    return found
