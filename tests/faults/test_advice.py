"""An operator who reads a message does the first thing that it says, and accepts nothing."""

import pytest

from .advice import Advice, following, named

KEPT = "finished work is kept: continue with `scrubline resume --output ...`\n"
CHANGED = (
    "scrubline: an input file changed after it was planned: give the run up with `scrubline resume "
    "--output ... --discard` and scrub again\n"
)
UNFINISHED = (
    "scrubline: this output has an unfinished run 12 with other inputs or settings: finish it with "
    "`scrubline resume --output ...`, or give it up with `scrubline resume --output ... --discard`"
)
NOT_FROZEN = (
    "scrubline: the run was stopped before its plan was frozen: start it again with `scrubline "
    "scrub`, or remove it with `scrubline resume --discard`"
)
FORGED = (
    "scrubline: the plan of run 12 was changed. Give the run up with `scrubline resume --discard`"
)
SKIP = "scrubline: unit 1, row 2: memory ran out. Go on: scrubline resume --output OUT --skip 1:2\n"
FAILED = "scrubline: cannot list an input: EIO after 6 tries\n"


@pytest.mark.parametrize(
    ("code", "said", "frozen", "advice"),
    [
        (1, FAILED + KEPT, True, Advice.RESUME),
        (1, SKIP + KEPT, True, Advice.RESUME),
        (1, SKIP, True, Advice.UNKNOWN),
        (1, FAILED, False, Advice.SCRUB),
        (1, FAILED, True, Advice.UNKNOWN),
        (1, "stopped. Finished work is kept: continue with `scrubline resume`", True,
         Advice.RESUME),
        (1, CHANGED, True, Advice.DISCARD),
        (2, UNFINISHED, True, Advice.RESUME),
        (2, NOT_FROZEN, False, Advice.SCRUB),
        (2, "scrubline: the header cannot be read", False, Advice.SCRUB),
        (2, "scrubline: the header cannot be read", True, Advice.UNKNOWN),
        (2, "scrubline: there is no unfinished run in this output", False, Advice.SCRUB),
        (2, "scrubline: there is no unfinished run in this output: run 12 is published", False,
         Advice.NOTHING),
        (3, "scrubline: 3 rows are quarantined; accept it with: resume --max-quarantined 1", True,
         Advice.RESUME),
        (3, FORGED, True, Advice.DISCARD),
        (5, "scrubline: another process is working on this output: wait until it has ended", True,
         Advice.WAIT),
        (1, "", True, Advice.STATUS),
        (1, "WARNING run 12 is given up: resume it\n", True, Advice.STATUS),
        (1, CHANGED + "scrubline: no space\n" + KEPT, True, Advice.RESUME),
    ],
)  # fmt: skip
def test_the_first_thing_that_a_message_says_is_done(code, said, frozen, advice):
    assert following(Advice.SCRUB, code, said, frozen=frozen) is advice


def test_advice_to_resume_that_finds_nothing_leads_nowhere():
    said = "scrubline: there is no unfinished run in this output"
    assert following(Advice.SCRUB, 2, said, frozen=False) is Advice.SCRUB
    assert following(Advice.RESUME, 2, said, frozen=False) is Advice.UNKNOWN
    assert following(Advice.RESUME, 2, NOT_FROZEN, frozen=False) is Advice.SCRUB


def test_a_message_of_which_a_part_is_lost_is_followed_if_it_still_says_what_to_do():
    for said, advice in ((FAILED, Advice.STATUS), (FAILED + KEPT, Advice.RESUME)):
        assert following(Advice.SCRUB, 1, said, frozen=True, whole=False) is advice


def test_after_a_command_that_ended_well():
    assert following(Advice.RESUME, 0, "", frozen=False) is Advice.NOTHING
    assert following(Advice.DISCARD, 0, "", frozen=False) is Advice.SCRUB
    status = (
        "next: continue with `scrubline resume --output ...`, which reports any gate that holds"
    )
    assert following(Advice.STATUS, 0, status, frozen=True) is Advice.RESUME
    assert following(Advice.STATUS, 2, "no output", frozen=False) is Advice.SCRUB


@pytest.mark.parametrize("option", ["--skip 1:2", "--max-gone 1", "--reseal"])
def test_nothing_is_accepted(option):
    assert named(f"accept it with: resume {option}") is None
