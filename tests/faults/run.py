"""All combinations of the table of faults, or some: `python -m tests.faults.run [--only WORDS]`.

Prints what does not hold, and at the end one JSON line; exit code 1 if anything does not.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .laboratory import Laboratory, Outcome, laboratory
from .table import SCENARIOS, Combination, combinations, drawn, fiftieth


def tried(
    lab: Laboratory, chosen: list[Combination], parallel: int, show: bool = False
) -> list[Outcome]:
    """Tries combinations, some at once; those that a run never comes to are left out."""
    for scenario in SCENARIOS:
        if any(one.scenario is scenario for one in chosen):
            lab.wanted(scenario)
    asked = [one for one in chosen if lab.is_asked(one)]
    outcomes = []
    with ThreadPoolExecutor(parallel) as pool:
        for number, outcome in enumerate(pool.map(lab.tried, asked), 1):
            outcomes.append(outcome)
            if show and outcome.problem:
                tell(outcome)
            if show and number % 50 == 0:
                bad = sum(bool(one.problem) for one in outcomes)
                print(f"{number} of {len(asked)}: {bad} do not hold", file=sys.stderr, flush=True)
    return outcomes


def tell(outcome: Outcome) -> None:
    """What does not hold, with the end of what was said."""
    print(f"FAULT {outcome.combination.name}: {outcome.problem} (code {outcome.code})")
    lines = 200 if outcome.problem == "hung" else 8
    print("".join(f"    {line}\n" for line in outcome.said.splitlines()[-lines:]), flush=True)


def main() -> None:
    """Runs them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="those whose name holds this")
    parser.add_argument("--fiftieth", action="store_true", help="the drawn fiftieth")
    parser.add_argument(
        "--slice", default="1/1", metavar="K/N", help="the k-th of n drawn shares, for n machines"
    )
    parser.add_argument("--parallel", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", action="store_true", help="keep the folder")
    options = parser.parse_args()
    chosen = [one for one in combinations() if options.only in one.name]
    if options.fiftieth:
        chosen = fiftieth(chosen)
    which, shares = map(int, options.slice.split("/"))
    chosen = [one for one in chosen if int(drawn("slice", one.name) * shares) == which - 1]
    folder = Path(tempfile.mkdtemp(prefix="scrubline-faults-"))
    began = time.monotonic()
    try:
        with laboratory(folder) as lab:
            outcomes = tried(lab, chosen, options.parallel, show=True)
    finally:
        if options.keep:
            print(f"kept: {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)
    bad = [one for one in outcomes if one.problem]
    print(
        json.dumps(
            {
                "what": "combinations of faults that a job is answered with",
                "holds": not bad,
                "combinations": len(outcomes),
                "pairs": sum(len(one.combination.faults) > 1 for one in outcomes),
                "met": sum(one.asked for one in outcomes),
                "never_asked": len(chosen) - len(outcomes),
                "do_not_hold": len(bad),
                "problems": dict(Counter(one.problem for one in bad)),
                "codes": dict(sorted(Counter(one.code for one in outcomes).items())),
                "by_scenario": dict(Counter(o.combination.scenario.name for o in outcomes)),
                "slowest_seconds": round(max((o.seconds for o in outcomes), default=0), 1),
                "minutes": round((time.monotonic() - began) / 60, 1),
            }
        )
    )
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
