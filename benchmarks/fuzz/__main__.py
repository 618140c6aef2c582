"""Command line: see the package."""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
from pathlib import Path

from . import chain, parsers
from .inputs import ROOT


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    one = commands.add_parser("parser", help="fuzz targets by coverage, a JSON line for each")
    one.add_argument("--only", nargs="+", metavar="NAME", help="targets, or beginnings of names")
    one.add_argument("--seconds", type=int, default=600, help="of each target")
    one.add_argument("--jobs", type=int, default=1, help="targets at a time")
    one.add_argument("--seed", type=int, default=0)
    one.add_argument(
        "--findings",
        type=Path,
        help="folder for inputs that break something, not in the project",
        default=Path(tempfile.gettempdir()) / "scrubline-fuzz",
    )
    one.add_argument("--list", action="store_true", help="print the names of the targets")
    one.add_argument("--repeat", type=Path, metavar="FILE", help="run the input of a finding again")

    two = commands.add_parser("chain", help="documents through read, tokenize, ..., scrub, finish")
    two.add_argument("--documents", type=int, default=1_000_000)
    two.add_argument("--first", type=int, default=0, help="number of the first document")
    two.add_argument("--seed", type=int, default=0)
    two.add_argument("--jobs", type=int, default=2, help="processes")

    options = parser.parse_args()
    logging.disable()
    if options.command == "chain":
        report = chain.run(
            options.documents, first=options.first, seed=options.seed, jobs=options.jobs
        )
        print(json.dumps(report))
        return 1 if report["violations"] else 0

    from .targets import RULES, TARGETS

    if options.repeat:
        parsers.repeat(options.repeat)
        return 0
    names = list(TARGETS)
    if options.only:
        names = [n for n in (*TARGETS, *RULES) if n in options.only] or [
            n for n in (*TARGETS, *RULES) if n.startswith(tuple(options.only))
        ]
    if options.list:
        print("\n".join(names))
        return 0
    if not names:
        parser.error(f"no such target; known: {', '.join(TARGETS)}, rule.NAME")
    if ROOT in options.findings.resolve().parents:
        parser.error("--findings: choose a folder that is not in the project")
    if parsers.engine() is None:
        parser.error("the coverage-guided fuzzer is not installed: pip install 'scrubline[fuzz]'")
    rows = parsers.run_all(
        names,
        seconds=options.seconds,
        jobs=options.jobs,
        seed=options.seed,
        findings=options.findings.resolve(),
    )
    return 1 if any(row["findings"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
