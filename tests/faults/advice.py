"""What a command that failed says is to be done next, read as an operator reads it.

Of a message counts what begins with its last line `scrubline: ...`: warnings before it tell how
things were, not what to do. The first command that it names is followed. Commands by which
something is accepted (`--skip`, `--max-quarantined`, `--reseal`, ...) are not: what is published
would not be what an undisturbed run publishes.
"""

from __future__ import annotations

import enum
import re


class Advice(enum.Enum):
    """What to do next."""

    RESUME = "scrubline resume"
    DISCARD = "scrubline resume --discard, then the same scrub again"
    SCRUB = "the same scrub again"
    WAIT = "wait for the holder of the lock, then the same again"
    NOTHING = "nothing: all is published"
    STATUS = "scrubline status: the message is lost, or a part of it"
    UNKNOWN = "it does not say"


_BUSY, _HELD = 5, 3

_ERROR = re.compile(r"^(?:scrubline: |stopped\.)", re.MULTILINE)
_COMMAND = re.compile(
    r"(?P<accept>(?:scrubline )?resume [^`;\n]*--(?:skip|max-\w+|reseal))"
    r"|(?P<discard>(?:scrubline )?resume [^`;\n]*--discard)"
    r"|(?P<resume>scrubline resume|\bresume (?:it|the run)\b)"
    r"|(?P<scrub>scrubline scrub`|\bscrub(?: everything| all inputs)? again|\bstart it again)"
)


def following(
    previous: Advice, code: int, said: str, *, frozen: bool, whole: bool = True
) -> Advice:
    """What to do after a command; NOTHING where all is published.

    Args:
        previous: what that command did.
        code: with which it ended.
        said: standard output and standard error.
        frozen: whether an unfinished run with a frozen plan is in the output.
        whole: whether all that was said could be written.
    """
    if previous is Advice.STATUS:
        return named(said) or Advice.SCRUB
    if code == 0:
        return Advice.SCRUB if previous is Advice.DISCARD else Advice.NOTHING
    errors = list(_ERROR.finditer(said))
    if not errors:
        return Advice.STATUS
    message = said[errors[-1].start() :]
    if code == _BUSY:
        return Advice.WAIT
    if "there is no unfinished run in this output: run " in message:
        return Advice.NOTHING
    if (found := named(message)) is not None:
        return found
    if not whole:
        return Advice.STATUS
    if code == _HELD:
        return Advice.RESUME  # a gate that looked wrongly: nothing is to be accepted
    # What was never frozen left nothing that a second run would find.
    return Advice.SCRUB if previous is Advice.SCRUB and not frozen else Advice.UNKNOWN


def named(message: str) -> Advice | None:
    """The first command that a message names; None if it names none, or only acceptances."""
    kinds = [match.lastgroup for match in _COMMAND.finditer(message)]
    first = next((kind for kind in kinds if kind != "accept"), None)
    return None if first is None else Advice[str(first).upper()]
