"""Runs targets, each in child processes with caps of time and memory, and tells what was found."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from .inputs import ROOT

HANG_SECONDS = 30
MEMORY_MB = 2560

_COVERAGE = re.compile(r"cov: (\d+) ft: (\d+) corp: (\d+)")
_EXECUTED = re.compile(r"stat::number_of_executed_units: *(\d+)")
_PULSE = re.compile(r"^#(\d+)\s", re.MULTILINE)
_PEAK = re.compile(r"(?:rss: (\d+)Mb|stat::peak_rss_mb: *(\d+))")


def engine() -> str | None:
    """Name and version of the coverage-guided fuzzer; None if it is not installed."""
    try:
        return f"atheris {version('atheris')}"
    except PackageNotFoundError:
        return None


def run_all(
    names: Sequence[str], *, seconds: int, jobs: int, seed: int, findings: Path
) -> list[dict[str, Any]]:
    """Fuzzes the targets, `jobs` at a time; prints a JSON line for each as it ends."""
    findings.mkdir(parents=True, exist_ok=True)

    def one(name: str) -> dict[str, Any]:
        row = run_target(name, seconds=seconds, seed=seed, findings=findings)
        print(json.dumps(row), flush=True)
        return row

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, names))


def run_target(name: str, *, seconds: int, seed: int, findings: Path) -> dict[str, Any]:
    """Fuzzes one target; a child that dies of a hang, of memory or of a crash in C is replaced."""
    before = _found(name, findings)
    begun = time.monotonic()
    executions = coverage = features = kept = peak = children = 0
    with tempfile.TemporaryDirectory() as corpus:
        while (left := seconds - (time.monotonic() - begun)) > 1 or not children:
            children += 1
            with tempfile.TemporaryFile("w+", errors="replace") as said:
                code = subprocess.run(
                    [
                        *(sys.executable, "-m", "benchmarks.fuzz.child", name, findings, corpus),
                        *(f"--seconds={int(left)}", f"--seed={seed + children}"),
                        *(f"--hang-seconds={HANG_SECONDS}", f"--memory-mb={MEMORY_MB}"),
                    ],
                    cwd=ROOT,
                    stdout=subprocess.DEVNULL,
                    stderr=said,
                    check=False,
                ).returncode
                said.seek(0)
                log = said.read()
            rounds = [int(n) for n in _EXECUTED.findall(log) or _PULSE.findall(log)[-1:]]
            executions += sum(rounds)
            for found in _COVERAGE.findall(log)[-1:]:
                coverage, features, kept = map(int, found)
            peak = max([peak, *(int(a or b) for a, b in _PEAK.findall(log))])
            if code and not _found(name, findings) - before:
                what = f"the child ended with exit code {code}\n{log[-3000:]}"
                (findings / f"{name}--died-{children}.what").write_text(what)
            if code and not rounds:
                break  # it did not even begin, and would not the next time
    return {
        "target": name,
        "engine": engine(),
        "seconds": round(time.monotonic() - begun),
        "seed": seed,
        "executions": executions,
        "coverage": coverage,
        "features": features,
        "corpus": kept,
        "peak_mb": peak,
        "children": children,
        "findings": sorted(_found(name, findings) - before),
    }


def _found(name: str, findings: Path) -> set[str]:
    return {
        f"{path.name}: {_what(path)}"
        for path in findings.glob(f"{name}--*")
        if path.suffix != ".what" or not path.with_suffix("").exists()
    }


def _what(path: Path) -> str:
    told = path if path.suffix == ".what" else path.with_name(path.name + ".what")
    return told.read_text().split("\n")[0] if told.exists() else "the child died"


def repeat(path: Path) -> None:
    """Runs the input of a finding once more, here; raises what it raises."""
    from .targets import target_named

    resource.setrlimit(resource.RLIMIT_AS, (4 * MEMORY_MB * 2**20,) * 2)
    target_named(path.name.split("--")[0]).check(path.read_bytes())
    print(json.dumps({"target": path.name.split("--")[0], "finding": None}))
