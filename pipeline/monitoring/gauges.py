"""The metrics of a run as gauges, each taken from a field of its report."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

from ...models.jobs.output_rows import COUNTS
from ..process.exit_codes import STATES
from .prometheus import Gauge, gauge, labelled

_STATES = ("running", *STATES)


def gauges_of(
    report: Mapping[str, Any], progress: float | None, last_success: float | None
) -> list[Gauge]:
    """The gauges of a report; what is not known yet is left out."""
    counts = report["counts"] or {}
    running = report["state"] == "running"
    predicted = {row["quantity"]: row for row in report["prediction"] or ()}
    rows, held = counts.get("rows_in"), counts.get("rows_quarantined")
    speed, memory = report["throughput"]["rows_per_second"], report["memory"]
    classes = report["errors"] or {}
    version = {"code": report["versions"]["code"], "run": report["run"] or ""}
    return [
        Gauge("run_info", "Id of the run and version of the code.", ((tuple(version.items()), 1),)),
        labelled(
            "run_state",
            "1 for the state that the last run is in.",
            "state",
            {state: float(state == report["state"]) for state in _STATES},
        ),
        gauge("run_in_progress", "1 while a run works.", float(running)),
        gauge("updated_time_seconds", "When this was written.", _seconds(report["updated"])),
        gauge("start_time_seconds", "When the run began.", _seconds(report["started"])),
        gauge("last_success_time_seconds", "When a run was last published.", last_success),
        gauge("duration_seconds", "Since the run began, or until its end.", report["seconds"]),
        gauge("exit_code", "0 done, 1 failed, 2 refused, 3 held, 4 waiting.", report["exit_code"]),
        gauge("progress_ratio", "Share of the units that are done.", progress),
        gauge("units_planned", "Work units of the run.", report["units"]["planned"]),
        gauge("units_done", "Work units that this process did.", report["units"]["done"]),
        gauge("rows_per_second", "While units are worked on.", speed),
        *(
            gauge(name, f"Of the run, once it is done: {name.replace('_', ' ')}.", counts.get(name))
            for name in COUNTS
        ),
        gauge("quarantined_ratio", "Share of the rows.", held / rows if rows else None),
        labelled("spans_by_label", "Without fragments.", "label", report["labels"] or {}),
        labelled("quarantined_by_class", "Rows, by step and class.", "class", classes),
        labelled("inputs_by_kind", "Of a night.", "kind", report["incremental"] or {}),
        gauge("repeated_ids", "Rows that repeat an id of another row.", report["repeated_ids"]),
        labelled("canaries", "Looked at: all, and in this run.", "which", report["canaries"] or {}),
        labelled(
            "step_seconds",
            "Time in each step, of all workers together.",
            "step",
            {step: values["seconds"] for step, values in report["steps"].items()},
        ),
        labelled("phase_seconds", "Time in each phase of the run.", "phase", report["phases"]),
        gauge("worker_memory_peak_bytes", "Of any worker.", memory["worker_peak_bytes"]),
        gauge("launcher_memory_peak_bytes", "Of the launcher.", memory["launcher_peak_bytes"]),
        labelled(
            "retries", "Workers that died, units and jobs that failed.", "what", report["retries"]
        ),
        gauge("warnings", "Of the launcher.", report["warnings"]["count"]),
        gauge(
            "predicted_seconds",
            "What the estimate said for as many workers.",
            predicted["seconds"]["predicted"] if "seconds" in predicted else None,
        ),
    ]


def _seconds(moment: str) -> float:
    return datetime.datetime.fromisoformat(moment).timestamp()
