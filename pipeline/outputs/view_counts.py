"""Counts of a view with noise, and how much of the privacy budget of an output they have spent.

Each count gets discrete Laplace noise of scale 1/epsilon (differential privacy). The noise is drawn
by OpenDP, from the system's source of randomness: it cannot be repeated.

Source: Ghosh et al. 2009, "Universally Utility-Maximizing Privacy Mechanisms" (geometric noise).
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from ...models.core.errors import UsageError
from ...models.core.small_parquet import table_in
from ...models.core.suggestions import did_you_mean
from ...models.jobs.plan import parquet_bytes
from ...models.patient_view.counts import DOMAINS, cells_of, true_counts
from ...models.patient_view.merging import ViewTable
from ...models.storage.storage import Storage
from .identifier_view import require_release
from .state import lock_file

LEAST_EPSILON = 1e-6
"""With less there is nothing but noise."""

LEDGER = "restricted/view/budget.json"
"""What was spent. It is written before counts are, so that none is ever told unaccounted."""


@dataclasses.dataclass(frozen=True, slots=True)
class NoisyCounts:
    """Counts that were released.

    Attributes:
        names: attributes that they are by.
        cells: of each count the values of these, in order; "" for unknown.
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
    if not (LEAST_EPSILON <= epsilon < 1e6 and LEAST_EPSILON <= budget < 1e6):
        raise UsageError(
            f"view counts: --epsilon and --budget must be numbers of at least {LEAST_EPSILON}"
        )
    if not by or len(set(by)) != len(by):
        raise UsageError("view counts: say by which attributes, each once: --by age,sex")
    with storage.locked(lock_file(output)) as still_ours:
        release = require_release(storage, output)
        if missing := [name for name in by if name not in release.rules.names]:
            raise UsageError(
                f"view counts: {missing[0]} is none of {', '.join(release.rules.names)}"
                f"{did_you_mean(missing[0], release.rules.names)}"
            )
        domains = _domains(by, values)
        cells = cells_of(domains)
        ledger = _ledger(storage, output)
        spent = sum(entry["epsilon"] for entry in ledger) + epsilon
        if spent > budget * (1 + 1e-9):
            raise UsageError(
                f"view counts: {spent - epsilon:g} of the budget of {budget:g} is spent, and "
                f"{epsilon:g} more would be too much: ask for less, or raise --budget, which "
                "tells more of each patient"
            )
        rows = _rows(storage, f"{output}/{release.rows}", release.rows_sha256)
        told = _noisy(true_counts(ViewTable.of([rows], by), domains), epsilon)
        still_ours()
        place = f"view/counts-{len(ledger) + 1}.parquet"
        entry = {"file": place, "by": list(by), "epsilon": epsilon, "run": release.run}
        storage.write_bytes(f"{output}/{LEDGER}", json.dumps([*ledger, entry], indent=1).encode())
        columns = [pa.array([cell[at] for cell in cells], pa.string()) for at in range(len(by))]
        table = pa.table([*columns, pa.array(told, pa.int64())], names=[*by, "patients"])
        storage.write_bytes(f"{output}/{place}", parquet_bytes(table))
    return NoisyCounts(tuple(by), cells, told, spent, place)


def _rows(storage: Storage, url: str, sha256: str) -> pa.Table:
    """The restricted rows of a release.

    Raises:
        UsageError: if they are not as they were built.
    """
    try:
        content = storage.read_bytes(url)
        if hashlib.sha256(content).hexdigest() == sha256:
            return table_in(content)
    except FileNotFoundError:
        pass
    raise UsageError("the restricted rows of the view are changed or gone: build it again")


def _domains(by: Sequence[str], values: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """The values of each attribute, in order.

    Raises:
        UsageError: if those of one are not known beforehand.
    """
    if more := sorted(values.keys() - set(by)):
        raise UsageError(f"view counts: --values {more[0]}: it is not in --by")
    found: dict[str, Sequence[str]] = {}
    for name in by:
        known = DOMAINS.get(name)
        some = values.get(name) or known
        if known is not None and some is not None and (odd := set(some) - set(known)):
            raise UsageError(
                f"view counts: --values {name}: {len(odd)} are no values of it, such as {known[0]}"
            )
        if some is None:
            raise UsageError(
                f"view counts: which values {name} has must not depend on the patients: name them "
                f"with --values {name}=ONE,TWO; all others count as unknown"
            )
        found[name] = some
    return found


def _ledger(storage: Storage, output: str) -> list[dict[str, Any]]:
    told = [name for name in storage.list_names(f"{output}/view") if name.startswith("counts-")]
    try:
        ledger = json.loads(storage.read_bytes(f"{output}/{LEDGER}"))
        if not isinstance(ledger, list) or len(ledger) < len(told):
            raise ValueError("entries")
        spent = [entry["epsilon"] for entry in ledger]
        if not all(type(one) in (int, float) and 0 < one < float("inf") for one in spent):
            raise ValueError("epsilon")
    except FileNotFoundError:
        if told:
            raise UsageError(
                f"{LEDGER} is gone, and counts were released: nobody can say what was spent. Put "
                "it back from a backup"
            ) from None
        return []
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(
            f"{LEDGER} is damaged: nobody can say what was spent. Put it back from a backup"
        ) from None
    found: list[dict[str, Any]] = ledger
    return found


def _noisy(counts: Sequence[int], epsilon: float) -> list[int]:
    """The counts with noise, which may be below zero: to cut them off there would bias sums.

    Raises:
        UsageError: if OpenDP is not installed.
    """
    try:
        import opendp.prelude as dp
    except ImportError:
        raise UsageError("view counts needs OpenDP: pip install 'scrubline[dp]'") from None
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    mechanism = dp.m.make_laplace(*space, scale=1 / epsilon)
    spent = mechanism.map(1)  # type: ignore[no-untyped-call]
    if spent > epsilon * (1 + 1e-9):
        raise UsageError(f"view counts: this epsilon cannot be kept exactly: {epsilon}")
    told: list[int] = mechanism(list(counts))
    return told
