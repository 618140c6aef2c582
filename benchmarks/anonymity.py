"""Anonymity of the identifier view: against another program, and over many patients.

    python -m benchmarks.anonymity [oracle] [scale] [--python FILE] [--tables N] [--patients N]

`oracle` compares k, l and t of random tables with those of pycanon (Apache-2.0), which is slow and
wants an environment of its own: `--python` is the interpreter of one in which it is installed
(`python -m venv v && v/bin/pip install pycanon==1.3.5`). Its entropy l is rounded down, of exact
numbers too; one less is no difference. `scale` looks for the levels of made-up patients.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from typing import Any

import numpy as np
from scrubline.models.patient_view.anonymity import (
    CountedTable,
    Requirement,
    generalised,
    least_levels,
)
from scrubline.models.patient_view.hierarchies import HIERARCHIES, age_band

ORACLE = """
import json, sys, warnings
warnings.filterwarnings("ignore")
import pandas as pd
from pycanon import anonymity
for line in sys.stdin:
    one = json.loads(line)
    table, names = pd.DataFrame(one["rows"], columns=[*one["names"], "ill"]), one["names"]
    print(json.dumps([
        int(anonymity.k_anonymity(table, names)),
        int(anonymity.l_diversity(table, names, ["ill"])),
        float(anonymity.entropy_l_diversity(table, names, ["ill"])),
        float(anonymity.t_closeness(table, names, ["ill"])),
    ]))
"""
POOLS = {
    "age": [age_band(age) for age in range(0, 100, 20)],
    "sex": ["f", "m"],
    "zip3": ["021", "022", "941"],
}


def random_tables(count: int) -> list[dict[str, Any]]:
    """Tables of 5 to 60 patients, with one to three attributes and what they are ill with."""
    draw = random.Random(1)
    tables = []
    for _ in range(count):
        names = draw.sample(list(POOLS), draw.randint(1, len(POOLS)))
        ill = "abcd"[: draw.randint(2, 4)]
        rows = [
            [*(draw.choice(POOLS[name]) for name in names), draw.choice(ill)]
            for _ in range(draw.randint(5, 60))
        ]
        tables.append({"names": names, "rows": rows})
    return tables


def of_ours(one: dict[str, Any]) -> tuple[int, int, int, float]:
    """The greatest k and l, and the least t, that a table has."""
    rows = one["rows"]
    table = CountedTable.of(
        [HIERARCHIES[name] for name in one["names"]],
        [row[:-1] for row in rows],
        {"ill": [row[-1] for row in rows]},
    )
    as_it_is = [0] * len(one["names"])

    def holds(**asked: Any) -> bool:
        return not generalised(table, as_it_is, Requirement(k=1, **asked)).fails.any()

    k = int(generalised(table, as_it_is, Requirement(k=1)).sizes.min())
    distinct = max(bound for bound in range(1, 6) if holds(l_distinct=bound))
    entropy = max(bound for bound in range(1, 6) if holds(l_entropy=float(bound)))
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(t=middle) else (middle, high)
    return k, distinct, entropy, high


def oracle(python: str, count: int) -> None:
    """Compares random tables with pycanon; ends with 1 if one differs."""
    tables = random_tables(count)
    given = "\n".join(map(json.dumps, tables))
    done = subprocess.run([python, "-c", ORACLE], input=given, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    differ = rounded = 0
    for one, line in zip(tables, done.stdout.splitlines(), strict=True):
        k, distinct, entropy, far = json.loads(line)
        own = of_ours(one)
        rounded += own[2] == entropy + 1
        agree = own[:2] == (k, distinct) and own[2] in (entropy, entropy + 1)
        differ += not agree or abs(own[3] - far) > 1e-6
    print(f"{count} tables: {differ} differ, of {rounded} the entropy is rounded down there")
    sys.exit(differ > 0)


def scale(patients: int) -> None:
    """Times the search for levels, k = 5, at most 1 % suppressed."""
    draw = np.random.default_rng(1)
    names = ("age", "sex", "state", "year", "zip3")
    hierarchies = tuple(HIERARCHIES[name] for name in names)
    values = {
        "age": tuple(age_band(age) for age in range(0, 95, 5)),
        "sex": ("f", "m"),
        "state": ("CA", "FL", "IL", "MA", "NY", "OH", "TX", "WA"),
        "year": tuple(map(str, range(2010, 2025))),
        "zip3": tuple(f"{number:03d}" for number in range(900)),
    }
    columns = [draw.integers(0, len(values[name]), patients) for name in names]
    columns[4] = np.minimum(draw.zipf(1.2, patients), 900) - 1
    began = time.monotonic()
    table = CountedTable.counted(hierarchies, values, columns)
    counted = time.monotonic() - began
    began = time.monotonic()
    found = least_levels(table, Requirement(k=5))
    took = time.monotonic() - began
    levels = dict(zip(names, found.levels, strict=True))
    print(f"{patients:,} patients, {len(table.counts):,} different: ", end="")
    print(f"{counted:.1f} s to count, {took:.1f} s to search")
    print(f"  levels {levels}, {found.suppressed:,} suppressed, {len(found.sizes):,} classes")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.anonymity")
    parser.add_argument("what", nargs="*", help="oracle, scale (default: scale)")
    parser.add_argument("--python", help="interpreter that has pycanon")
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--patients", type=int, default=1_000_000)
    chosen = parser.parse_args()
    what = chosen.what or ["scale"]
    if "scale" in what:
        scale(chosen.patients)
    if "oracle" in what:
        oracle(chosen.python or sys.executable, chosen.tables)


if __name__ == "__main__":
    main()
