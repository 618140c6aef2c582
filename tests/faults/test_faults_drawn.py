"""A drawn fiftieth of the table of faults; `make faults` tries all of it."""

import dataclasses
import sys

import pytest

from .laboratory import ROOT, Ended, unclear
from .outputs import Published
from .run import tried
from .table import (
    LOCAL,
    NEVER_ASKED,
    SCENARIOS,
    SEAM,
    STORE,
    combinations,
    fiftieth,
    pairs,
    singles,
)

pytestmark = pytest.mark.slow

AT_ONCE = 2


def test_the_list_is_the_same_every_time_and_names_are_unique():
    names = [one.name for one in combinations()]
    assert names == [one.name for one in combinations()]
    assert len(set(names)) == len(names)
    assert 0.01 < len(fiftieth(combinations())) / len(names) < 0.03


def test_the_documentation_says_how_many_there_are():
    told = f"There are {len(singles()):,} single faults and {len(pairs())} pairs"
    assert told in (ROOT / "docs/faults.md").read_text()


def test_every_row_is_of_a_scenario():
    rows = {(row.op, place) for row in (*LOCAL, *STORE, *SEAM) for place in row.places}
    tried = {(fault.row.op, fault.place) for one in singles() for fault in one.faults}
    assert rows == tried
    assert NEVER_ASKED.keys() <= rows


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_an_undisturbed_run_asks_for_all_that_is_answered_and_for_nothing_else(lab, scenario):
    """Else a fault would be counted as outlasted that nothing ever met."""
    counts = lab.counts(scenario)
    answered = {(f.row.op, f.place) for c in singles() if c.scenario is scenario for f in c.faults}
    assert {asked for asked in answered if not counts.get(asked)} <= NEVER_ASKED.keys()
    assert {asked for asked in scenario.never if counts[asked]} == set()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_a_drawn_fiftieth_of_all_combinations_holds(lab, scenario):
    chosen = [one for one in fiftieth(combinations()) if one.scenario is scenario]
    outcomes = tried(lab, chosen, AT_ONCE)
    assert any(one.asked for one in outcomes)
    assert [(one.combination.name, one.problem) for one in outcomes if one.problem] == []


def test_a_command_that_was_not_forked_meets_the_same_faults(lab, shim):
    named = "worker: pwrite@out/_staging=error-ENOSPC,always"
    (one,) = (one for one in combinations() if one.name == named)
    wanted = lab.wanted(one.scenario)
    here, output = lab.new(one.scenario)
    rules = lab.rules(one.scenario, here, one.faults)
    words = lab.words(one.scenario, output)
    ended = lab.run(words, here, python=sys.executable, LD_PRELOAD=str(shim), **rules)
    assert ended.code == 1
    assert not unclear(ended)
    assert "_SUCCESS" not in output.files()
    ended = lab.run(["resume", "--output", output.url], here, python=sys.executable)
    assert ended.code == 0
    assert Published.of(output) == wanted


@pytest.mark.parametrize(
    ("ended", "problem"),
    [
        (Ended(1, "cannot read Belzimarovic-a.jsonl", 1.0), "said a planted name"),
        (Ended(1, "Traceback (most recent call last):", 1.0), "said a traceback"),
        (Ended(-9, "", 90.0, hung=True), "hung"),
        (Ended(1, "cannot read an input file: OSError EIO after 6 tries", 1.0), ""),
    ],
)
def test_what_the_oracle_says_of_an_end(ended, problem):
    assert unclear(ended) == problem


def test_the_oracle_finds_what_was_changed(lab):
    scenario = SCENARIOS[0]
    wanted = lab.wanted(scenario)
    here, output = lab.new(scenario)
    assert lab.run(lab.words(scenario, output), here).code == 0
    assert Published.of(output) == wanted
    part = next((here / "out/data").iterdir())
    part.write_bytes(part.read_bytes() + b"\n")
    with pytest.raises(AssertionError):
        Published.of(output)
    assert dataclasses.replace(wanted, content_digest="") != wanted
