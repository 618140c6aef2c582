"""Runs the tests on every installed Python that is supported, from one wheel, and compares digests.

    python -m benchmarks.pythons [--tests "tests/models tests/pipeline/cli"] [--no-tests]

One wheel is built, with the Python that runs this, and installed on each Python from 3.11 on that
is found on PATH or among pyenv's. On each the tests run, and the demo corpus is scrubbed with one
key: its content digest must be the same. Environments are kept under build/pythons. Ends with 1 if
tests fail, digests differ, or a Python uses no native extension where the wheel has one.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "build/pythons"
SUPPORTED = ("3.11", "3.12", "3.13")
"""Those for which there are wheels of Beam, and of all that Scrubline needs."""
MODEL = "en-default"


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What one Python gave.

    Attributes:
        python: its version.
        native: what `scrubline --version` says of the extension.
        tests: the last line of pytest; "-" if they did not run.
        passed: whether they did.
        digest: of the demo corpus.
        seconds: that all took.
    """

    python: str
    native: str
    tests: str
    passed: bool
    digest: str
    seconds: float


def main() -> None:
    """Prints a line for each Python."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tests", default="tests", help="folders or files of tests")
    parser.add_argument("--no-tests", action="store_true", help="compare digests alone")
    parser.add_argument("--wheel", type=Path, help="an existing wheel (default: one is built)")
    parser.add_argument("--only", action="append", metavar="3.X", help="a Python; repeatable")
    asked = parser.parse_args()
    found = {v: p for v, p in installed_pythons().items() if not asked.only or v in asked.only}
    wheel = asked.wheel.resolve() if asked.wheel else built_wheel()
    print(f"wheel {wheel.name}", flush=True)
    tests = None if asked.no_tests else shlex.split(asked.tests)
    outcomes = []
    with tempfile.TemporaryDirectory() as folder:
        key = Path(folder, "key.txt")
        for version, python in found.items():
            outcome = outcome_on(version, python, wheel, key, tests)
            outcomes.append(outcome)
            print(
                f"{outcome.python:8} {outcome.native:8} {outcome.digest[:24]} "
                f"{outcome.seconds:7.0f} s  {outcome.tests}",
                flush=True,
            )
    for version in sorted(set(SUPPORTED) - found.keys()):
        print(f"{version:8} not run: not installed, or not asked for")
    digests = {outcome.digest for outcome in outcomes}
    natives = {outcome.native for outcome in outcomes}
    print(f"{len(outcomes)} Pythons, {len(digests)} content digests")
    is_good = len(digests) == len(natives) == 1 and all(outcome.passed for outcome in outcomes)
    sys.exit(not is_good)


def installed_pythons() -> dict[str, str]:
    """Supported version -> a program of it, in order; the newest patch that pyenv has."""
    root = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    found: dict[str, str] = {}
    for version in SUPPORTED:
        places = sorted(root.glob(f"versions/{version}.*/bin/python3"), key=_patch, reverse=True)
        for program in (*map(str, places), shutil.which(f"python{version}")):
            if program and _version_of(program).startswith(f"{version}."):
                found[version] = program
                break
    return found


def _patch(path: Path) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", path.parts[-3])]


def _version_of(program: str) -> str:
    shown = subprocess.run([program, "--version"], capture_output=True, text=True)
    return shown.stdout.partition(" ")[2].strip()


def built_wheel() -> Path:
    """The one wheel, built anew."""
    folder = PLACE / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT)
    (wheel,) = folder.glob("scrubline-*.whl")
    return wheel


def outcome_on(
    version: str, python: str, wheel: Path, key: Path, tests: list[str] | None
) -> Outcome:
    """Installs the wheel on a Python, runs the tests and scrubs the demo corpus.

    Args:
        key: the key of all digests; made where it is not there.
        tests: for pytest; None to run none.
    """
    began = time.monotonic()
    venv = PLACE / version
    binaries = venv / "bin"
    if not (binaries / "python").exists():
        run(python, "-m", "venv", venv)
    extra = "[test]" if tests is not None else ""
    run(binaries / "python", "-m", "pip", "install", "-q", f"{wheel}{extra}")
    # Its version is that of the wheel before.
    run(binaries / "python", "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", wheel)
    if not key.exists():
        run(binaries / "scrubline", "key", "new", "--output", key)
    native = run(binaries / "scrubline", "--version").partition("(")[2].split(":")[0].strip(") \n")
    line, passed = _tested(binaries, tests) if tests is not None else ("-", True)
    with tempfile.TemporaryDirectory() as folder:
        manifest = run(
            *(binaries / "scrubline", "scrub", "--config", ROOT / "demo/scrubline.toml"),
            *("--input", ROOT / "demo/parquet", "--output", Path(folder, "out")),
            *("--key-file", key, "--model", MODEL, "--json"),
        )
    digest = json.loads(manifest)["content_digest"]
    return Outcome(
        _version_of(str(binaries / "python")),
        native,
        line,
        passed,
        digest,
        time.monotonic() - began,
    )


def _tested(binaries: Path, tests: Iterable[str]) -> tuple[str, bool]:
    done = subprocess.run(
        [binaries / "python", "-m", "pytest", "-q", "-m", "not engines and not slow", *tests],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=dict(_environment()),
    )
    (PLACE / f"{binaries.parent.name}.log").write_text(done.stdout + done.stderr)
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    return (lines[-1] if lines else "no output").strip("= "), done.returncode == 0


def _environment() -> Iterator[tuple[str, str]]:
    """The environment without what would lead to the modules of another one."""
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "SCRUBLINE_KEY")
    yield from ((k, v) for k, v in os.environ.items() if k not in hidden)


def run(*words: object) -> str:
    """Runs a command outside of the checkout and gives what it prints; its error ends this."""
    done = subprocess.run(
        [str(word) for word in words],
        check=False,
        capture_output=True,
        text=True,
        cwd=PLACE.parent if PLACE.parent.exists() else ROOT,
        env=dict(_environment()),
    )
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return done.stdout


if __name__ == "__main__":
    main()
