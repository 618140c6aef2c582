"""Exit codes of every command, and of the report of a run: what a scheduler decides by."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from types import MappingProxyType

from ...models.core.errors import GateHeld, OutputBusy, RunHeld, UsageError


class ExitCode(enum.IntEnum):
    """What a process ends with.

    Attributes:
        meaning: a few words, as help, report and manual give them.
    """

    meaning: str

    def __new__(cls, code: int, meaning: str) -> ExitCode:
        """A member that is its number."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    DONE = 0, "done"
    FAILED = 1, "failed; `scrub` and `resume` can be resumed"
    REFUSED = 2, "refused"
    HELD = 3, "held back"
    WAITING = 4, "finished, and waits unpublished as --hold asked"
    BUSY = 5, "another process is working on this output"


STATES: Mapping[str, ExitCode] = MappingProxyType(
    {
        "published": ExitCode.DONE,
        "idle": ExitCode.DONE,
        "discarded": ExitCode.DONE,
        "failed": ExitCode.FAILED,
        "stopped": ExitCode.FAILED,
        "refused": ExitCode.REFUSED,
        "held": ExitCode.HELD,
        "waiting": ExitCode.WAITING,
    }
)
"""How a run can end, as its report says it. A run that finds the output busy writes no report."""


def exit_code_of(error: BaseException) -> ExitCode:
    """The code that a command ends with which raised this."""
    if isinstance(error, OutputBusy):  # which is a UsageError too
        return ExitCode.BUSY
    if isinstance(error, UsageError):
        return ExitCode.REFUSED
    if isinstance(error, GateHeld):
        return ExitCode.HELD
    return ExitCode.WAITING if isinstance(error, RunHeld) else ExitCode.FAILED
