r"""Campaigns that are looked at after each note, and end at the first bound that is good enough.

    python -m benchmarks.peeking --campaigns 400 --looks 2000

Each campaign draws notes of which a share leaks, one by one. After each, whoever certifies looks at
the bound and stops as soon as it is at the target or below. `wrong` is the share of campaigns that
stop at a bound below the truth. `sequential` is the e-value of `--sequential`; `peeked` is Clopper
and Pearson's bound of a fixed number of notes, looked at as if that were allowed; `once` is the
same bound looked at once, after the last note.

With readers, a leak is seen with a chance of .95, as is each of 100 planted spans, one in each of
the first notes or spread over as many as suffice at the earliest; what they find is looked at with
each note, too. Without, all is seen, and nothing is planted. Notes are drawn with replacement, as
from an output of any size.

Prints one JSON line.
"""

from __future__ import annotations

import argparse
import json
import math
from typing import Any

import numpy as np
from scipy.stats import binom
from scrubline.models.risk.bounds import ALPHA, LEAST_PLANTED, ReaderRecall, alpha_of_reading
from scrubline.models.risk.planting import PLANTED
from scrubline.models.risk.sample_sizes import Reading, sequential_notes
from scrubline.models.risk.sequential import (
    SEEN_PART,
    corrected_sequential_upper,
    log_capital,
    sequential_upper,
)

TARGETS = (0.05, 0.02)
TRUTHS = (0.0, 0.5, 1.0001, 1.25)
"""Of the target."""

RECALL = 0.95
_ROUNDING = 1e-9


class Looks:
    """One campaign, as it is seen after each note.

    Attributes:
        seen: for each note, whether a leak was seen.
        recall: after each note, what readers find at least; nan where nothing can be stated yet.
    """

    def __init__(
        self, rng: np.random.Generator, truth: float, looks: int, spread: int | None
    ) -> None:
        leaks = rng.random(looks) < truth
        if spread is None:
            self.seen, self.recall = leaks.astype(float), np.ones(looks)
            return
        self.seen = (leaks & (rng.random(looks) < RECALL)).astype(float)
        holds = np.zeros(looks, bool)
        holds[rng.choice(min(spread, looks), min(PLANTED, looks), replace=False)] = True
        planted = np.cumsum(holds)
        found = np.cumsum(holds & (rng.random(looks) < RECALL))
        self.recall = np.full(looks, math.nan)
        known: dict[tuple[int, int], float] = {}
        for at in np.flatnonzero(planted >= LEAST_PLANTED):
            pair = int(planted[at]), int(found[at])
            if pair not in known:
                known[pair] = ReaderRecall(*pair).at_least(ALPHA)
            self.recall[at] = known[pair]

    def sequential_stop(self, target: float, level: float) -> int | None:
        """Notes after which the e-value refutes the target first."""
        refuted = np.zeros(len(self.seen), bool)
        for recall in np.unique(self.recall[~np.isnan(self.recall)]):
            (at,) = np.nonzero(self.recall == recall)
            capital = log_capital(self.seen[: at[-1] + 1], target * recall)
            refuted[at] = capital[at] >= level
        return _first(refuted)

    def binomial_refutes(self, target: float, alpha: float) -> np.ndarray[Any, Any]:
        """After each note, whether Clopper and Pearson's bound is at the target or below."""
        n = np.arange(1, len(self.seen) + 1)
        with np.errstate(invalid="ignore"):
            tail = binom.cdf(np.cumsum(self.seen), n, target * np.nan_to_num(self.recall))
        return (tail <= alpha) & ~np.isnan(self.recall)


def _first(holds: np.ndarray[Any, Any]) -> int | None:
    return int(np.argmax(holds)) + 1 if holds.any() else None


def simulate(
    target: float, times: float, campaigns: int, looks: int, *, reads: bool
) -> dict[str, Any]:
    """What comes of some campaigns of one truth."""
    truth = target * times
    seed = [7, round(1e4 * target), round(1e4 * times), int(reads)]
    rng = np.random.default_rng(seed)
    spread = None
    part = alpha = ALPHA
    if reads:
        least = sequential_notes(target, Reading(ALPHA, PLANTED)) or looks
        spread = max(PLANTED, least)
        alpha = alpha_of_reading(ALPHA)
        part = alpha  # of a population of any size, see `corrected_sequential_upper`
        part -= ALPHA / SEEN_PART
    stops, wrong = [], {"sequential": 0, "peeked": 0, "once": 0}
    passed = {"peeked": 0, "once": 0}
    for _ in range(campaigns):
        one = Looks(rng, truth, looks, spread)
        if (stop := one.sequential_stop(target, -math.log(part))) is not None:
            stops.append(stop)
            bound = _bound(one, stop, reads)
            assert bound <= target + _ROUNDING, "the program's own bound says another thing"
            wrong["sequential"] += bound < truth
        refuted = one.binomial_refutes(target, alpha)
        for name, is_passed in (("peeked", refuted.any()), ("once", refuted[-1])):
            passed[name] += bool(is_passed)
            wrong[name] += bool(is_passed) and truth > target
    return {
        "target": target,
        "truth": round(truth, 6),
        "readers": RECALL if reads else None,
        "wrong": {name: round(count / campaigns, 4) for name, count in wrong.items()},
        "passed": {
            "sequential": round(len(stops) / campaigns, 4),
            **{name: round(count / campaigns, 4) for name, count in passed.items()},
        },
        "median_notes": float(np.median(stops)) if stops else None,
    }


def _bound(one: Looks, stop: int, reads: bool) -> float:
    """The bound that the program states at a stop."""
    if not reads:
        return sequential_upper(one.seen[:stop], ALPHA)
    return corrected_sequential_upper(one.seen[:stop], float(one.recall[stop - 1]), ALPHA)


def main() -> None:
    """Simulates all, and prints one line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--campaigns", type=int, default=400, help="of each row")
    parser.add_argument("--looks", type=int, default=2000, help="notes of a campaign, at most")
    args = parser.parse_args()
    rows = [
        simulate(target, times, args.campaigns, args.looks, reads=reads)
        for reads in (False, True)
        for target in TARGETS
        for times in TRUTHS
    ]
    print(
        json.dumps({"alpha": ALPHA, "campaigns": args.campaigns, "looks": args.looks, "rows": rows})
    )


if __name__ == "__main__":
    main()
