"""What a run will take, from a timed sample of it: pure functions of counted pieces.

A piece is drawn with a chance in proportion to its bytes, so what the whole holds of anything is
its bytes times the mean over pieces of that thing a byte (Hansen and Hurwitz 1943, §2): no huge
file and no heap of small ones weighs too much.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..models.core.errors import RunFailed
from ..models.core.type_checks import check_field_types
from .unit_groups import most_groups

COUNTED = ("rows", "documents", "tokens", "spans", "quarantined")
"""What is counted of a piece, in the order of the table."""


CORE_HOUR_PRICE = 0.05
"""Money for one core for one hour, in any currency: an example, not an offer."""


@dataclasses.dataclass(frozen=True, slots=True)
class Assumed:
    """What no sample can show; stated with every prediction.

    Attributes:
        efficiency: speed of each worker when several run, as a share of one that runs alone.
        group_seconds: what a group of units costs beside its documents: a pipeline of Beam.
        file_seconds: what writing one file costs: local disks are flushed, stores answer slowly.
        core_hour_price: money for one core for one hour, in any currency.
    """

    efficiency: float = 0.9
    group_seconds: float = 0.2
    file_seconds: float = 0.005
    core_hour_price: float = CORE_HOUR_PRICE


LOCAL_FILE_SECONDS, STORE_FILE_SECONDS = 0.005, 0.05
"""`Assumed.file_seconds` of a local disk and of an object store."""


@dataclasses.dataclass(frozen=True, slots=True)
class SamplePiece:
    """A piece of input that was read, scrubbed and thrown away.

    Attributes:
        bytes: of the input, as the plan counts them.
        seconds: by the wall.
        counts: one for each of `COUNTED`.
    """

    bytes: int
    seconds: float
    counts: Mapping[str, int]


@dataclasses.dataclass(frozen=True, slots=True)
class PlannedWork:
    """A frozen plan in numbers.

    Attributes:
        bytes: of all units.
        units: how many.
        largest_bytes: of the largest unit, which one worker does alone.
        files_a_row: whether every row becomes a file of its own.
        remote: whether the output is an object store, where a worker holds an open part whole.
    """

    bytes: int
    units: int
    largest_bytes: int
    files_a_row: bool = False
    remote: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Basis:
    """All that a prediction is made from; kept with the run, to be compared with what came.

    Attributes:
        work: see `PlannedWork`.
        rates: of each of `COUNTED`, how many a byte of input.
        byte_seconds: seconds a byte, of one process that runs alone.
        error: standard error of `byte_seconds` as a share of it; 1 if a single piece was timed.
        output_rates: bytes written by table, a byte of input.
        start_seconds: until a worker has loaded its libraries and opened its models.
        memory_bytes: most that the process of the sample held.
        pieces, sample_bytes, sample_seconds: how much was looked at.
        seed: which drew the pieces.
        cores: of the machine that the sample ran on.
        assumed: see `Assumed`.
    """

    work: PlannedWork
    rates: Mapping[str, float]
    byte_seconds: float
    error: float
    output_rates: Mapping[str, float]
    start_seconds: float
    memory_bytes: int
    pieces: int
    sample_bytes: int
    sample_seconds: float
    seed: int
    cores: int
    assumed: Assumed = Assumed()

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return dataclasses.asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Basis:
        """Reads what `to_json` gave.

        Raises:
            RunFailed: if it is something else.
        """
        try:
            filled = {
                **value,
                "work": PlannedWork(**value["work"]),
                "assumed": Assumed(**value["assumed"]),
            }
            basis = cls(**filled)
            check_field_types(basis)
        except (KeyError, TypeError, ValueError) as error:
            raise RunFailed(
                f"restricted/<run>/prediction.json is damaged ({type(error).__name__})"
            ) from None
        return basis


def basis_of(
    pieces: Sequence[SamplePiece],
    work: PlannedWork,
    *,
    written: Mapping[str, int],
    start_seconds: float,
    memory_bytes: int,
    seed: int,
    cores: int,
    assumed: Assumed,
) -> Basis:
    """The basis that timed pieces make.

    Args:
        pieces: at least one; those without a byte count for nothing.
        written: bytes by table, of all pieces together.
    """
    weighed = [piece for piece in pieces if piece.bytes > 0]
    sample_bytes = sum(piece.bytes for piece in weighed)
    paces = [piece.seconds / piece.bytes for piece in weighed]
    pace = statistics.fmean(paces) if paces else 0.0
    error = 1.0
    if len(paces) > 1 and pace:
        error = statistics.stdev(paces) / math.sqrt(len(paces)) / pace
    return Basis(
        work=work,
        rates={
            name: statistics.fmean(p.counts.get(name, 0) / p.bytes for p in weighed)
            if weighed
            else 0.0
            for name in COUNTED
        },
        byte_seconds=pace,
        error=error,
        output_rates={
            table: size / sample_bytes if sample_bytes else 0.0
            for table, size in sorted(written.items())
        },
        start_seconds=start_seconds,
        memory_bytes=memory_bytes,
        pieces=len(weighed),
        sample_bytes=sample_bytes,
        sample_seconds=sum(piece.seconds for piece in weighed),
        seed=seed,
        cores=cores,
        assumed=assumed,
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Prediction:
    """What a run will take with so many workers; see `predict`.

    Attributes:
        workers: processes that work; 1 where the launcher works itself.
        counts: one for each of `COUNTED`.
        seconds: by the wall, from the start of the work until all is ready to be published.
        error: of `seconds`, as a share: about one time in twenty it is more.
        memory_bytes: most that a worker holds.
        output_bytes: of all parts; staging takes as much until it is published.
        parts: files of the output.
        core_hours: cores that are kept, busy or not, times hours.
        cost: core hours times their price.
    """

    workers: int
    counts: Mapping[str, int]
    seconds: float
    error: float
    memory_bytes: int
    output_bytes: int
    parts: int
    core_hours: float
    cost: float


def predict(basis: Basis, workers: int) -> Prediction:
    """What the whole takes with so many workers.

    seconds = start + max(work / lanes, the largest unit alone), where work is that of the
    documents, the groups of units and the files, and lanes = min(workers, cores) x efficiency (1 of
    one worker).
    """
    work, assumed = basis.work, basis.assumed
    workers = max(1, workers)
    counts = {name: round(rate * work.bytes) for name, rate in basis.rates.items()}
    files = parts_of(work, counts["rows"], counts["quarantined"])
    groups = most_groups(work.units, work.bytes)
    output = sum(rate * work.bytes for rate in basis.output_rates.values())
    total = work.bytes * basis.byte_seconds
    total += groups * assumed.group_seconds + files * assumed.file_seconds
    lanes = min(workers, max(1, basis.cores)) * assumed.efficiency if workers > 1 else 1.0
    longest = work.largest_bytes * basis.byte_seconds
    seconds = basis.start_seconds + max(total / lanes, longest)
    held = 0
    if work.remote and work.bytes:
        held = round(output * work.largest_bytes / work.bytes)
    core_hours = workers * seconds / 3600
    return Prediction(
        workers=workers,
        counts=counts,
        seconds=seconds,
        error=2 * basis.error,
        memory_bytes=basis.memory_bytes + held,
        output_bytes=round(output),
        parts=files,
        core_hours=core_hours,
        cost=core_hours * assumed.core_hour_price,
    )


def parts_of(work: PlannedWork, rows: int, quarantined: int) -> int:
    """Files that a run writes: data, audit and documents a unit, quarantine where there is some."""
    data = max(0, rows - quarantined) if work.files_a_row else work.units
    held = 0.0
    if work.units and quarantined:
        # Units with at least one of so many rows, if these fall anywhere.
        held = work.units * (1 - (1 - 1 / work.units) ** quarantined)
    return data + 2 * work.units + round(held)


# -- beside what came


@dataclasses.dataclass(frozen=True, slots=True)
class ActualCost:
    """What a run did take, in the terms of `Prediction`.

    Attributes:
        memory_bytes: 0 where it cannot be measured: workers of an engine.
        whole: whether all units were done in one go; of a resumed run the time is that of the last.
    """

    workers: int
    counts: Mapping[str, int]
    seconds: float
    memory_bytes: int
    output_bytes: int
    parts: int
    whole: bool = True


def compared(basis: Basis, outcome: ActualCost) -> list[dict[str, Any]]:
    """A row a quantity: what was predicted for the workers that there were, outcome and ratio.

    The ratio is outcome / prediction; None where nothing was predicted or nothing can be compared.
    """
    predicted = predict(basis, outcome.workers)
    core_hours = predicted.workers * outcome.seconds / 3600
    rows: list[tuple[str, float, float | None]] = [
        (name, predicted.counts[name], outcome.counts.get(name)) for name in COUNTED
    ]
    rows += [
        ("seconds", predicted.seconds, outcome.seconds if outcome.whole else None),
        ("memory_bytes", predicted.memory_bytes, outcome.memory_bytes or None),
        ("output_bytes", predicted.output_bytes, outcome.output_bytes),
        ("parts", predicted.parts, outcome.parts),
        ("core_hours", predicted.core_hours, core_hours if outcome.whole else None),
        (
            "cost",
            predicted.cost,
            core_hours * basis.assumed.core_hour_price if outcome.whole else None,
        ),
    ]
    return [
        {
            "quantity": name,
            "predicted": _rounded(before),
            "outcome": None if after is None else _rounded(after),
            "ratio": round(after / before, 3) if before and after is not None else None,
        }
        for name, before, after in rows
    ]


def _rounded(value: float) -> float:
    return value if isinstance(value, int) else round(value, 4)


# -- for people and as JSON


def prediction_json(basis: Basis, workers: int) -> dict[str, Any]:
    """The prediction and what it rests on, as JSON."""
    return {"prediction": dataclasses.asdict(predict(basis, workers)), "basis": basis.to_json()}


def table(basis: Basis, workers: int) -> str:
    """The prediction for people, with what is assumed; other numbers of workers beside it."""
    here, assumed = predict(basis, workers), basis.assumed
    lines = [
        f"estimate from {basis.pieces} pieces, {_bytes(basis.sample_bytes)}, "
        f"{basis.sample_seconds:.1f} s of work, drawn by bytes with seed {basis.seed}"
    ]
    lines += [
        f"  {SHOWN[name][0]:<18} {SHOWN[name][1](value):>14}{more}"
        for name, value, more in (
            *((name, here.counts[name], "") for name in COUNTED),
            ("seconds", here.seconds, f"  with {_workers(here.workers)}, +- {here.error:.0%}"),
            ("start_seconds", basis.start_seconds, "  of it, once a worker"),
            ("memory_bytes", here.memory_bytes, "  a worker"),
            ("output_bytes", here.output_bytes, "  and as much of staging until it is published"),
            ("parts", here.parts, ""),
            ("core_hours", here.core_hours, ""),
            ("cost", here.cost, f"  at {assumed.core_hour_price:g} a core hour, an example"),
        )
    ]
    others = [n for n in (1, 2, 4, 8, 16) if n != here.workers and n <= max(8, 2 * basis.cores)]
    for number in others:
        other = predict(basis, number)
        lines.append(
            f"  with {_workers(number):<11} {duration(other.seconds):>16}{_note(basis, number)}"
        )
    lines.append(
        f"assumed: {assumed.efficiency:.0%} of the speed for each of several workers, a core for "
        f"each ({basis.cores} here), {assumed.group_seconds:g} s a group of units, "
        f"{1000 * assumed.file_seconds:g} ms a file"
    )
    return "\n".join(lines)


def _note(basis: Basis, workers: int) -> str:
    if workers > basis.cores:
        return f"  (more workers than cores: as {basis.cores})"
    return ""


def comparison(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines for people: prediction, outcome and ratio of each quantity."""
    lines = [f"{'':<18} {'predicted':>14} {'outcome':>14} {'ratio':>7}"]
    for row in rows:
        name, show = SHOWN.get(str(row["quantity"]), (str(row["quantity"]), str))
        after, ratio = row["outcome"], row["ratio"]
        lines.append(
            f"{name:<18} {show(row['predicted']):>14} {'-' if after is None else show(after):>14} "
            f"{'-' if ratio is None else format(ratio, '.2f'):>7}"
        )
    return lines


def _workers(number: int) -> str:
    return "1 worker" if number == 1 else f"{number} workers"


def duration(seconds: float) -> str:
    """Seconds for people: `40.5 s`, `12.3 min`, `5.21 h`."""
    if seconds < 120:
        return f"{seconds:,.1f} s"
    return f"{seconds / 60:,.1f} min" if seconds < 7200 else f"{seconds / 3600:,.2f} h"


def _bytes(value: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if value < 10_000 or unit == "GB":
            break
        value /= 1000
    return f"{value:,.0f} {unit}"


def _whole(value: float) -> str:
    return f"{value:,.0f}"


SHOWN: Mapping[str, tuple[str, Callable[[float], str]]] = {
    "rows": ("rows", _whole),
    "documents": ("documents", _whole),
    "tokens": ("tokens", _whole),
    "spans": ("spans", _whole),
    "quarantined": ("quarantined rows", _whole),
    "seconds": ("time", duration),
    "start_seconds": ("start", duration),
    "memory_bytes": ("memory", _bytes),
    "output_bytes": ("output", _bytes),
    "parts": ("files", _whole),
    "core_hours": ("core hours", lambda value: f"{value:,.3f}"),
    "cost": ("cost", lambda value: f"{value:,.4f}"),
}
"""Quantity -> its name for people, and how it is shown."""
