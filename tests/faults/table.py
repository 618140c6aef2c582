"""The table of faults: what a job asks of the system, times what it may be answered.

A row says of an operation where it is asked (the folder, `""` where no folder matters), and which
answers it may get there. What cannot be noticed by anything is left out: an input that a listing
never showed, a file that is consistently a byte shorter.

Each answer is given once, at a drawn one of the operation's calls, or from a drawn one on for good.
Draws are of a fixed seed: `combinations()` is the same list on every machine.
"""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import itertools
import signal
from collections.abc import Iterator

FOR_GOOD = 1_000_000
SEED = "2019"

INPUT, STAGING, RESTRICTED, OUTPUT, ANYWHERE = "in", "out/_staging", "out/restricted", "out", ""
SAID = "said.txt"
"""Where standard output and standard error go."""


@dataclasses.dataclass(frozen=True, order=True)
class Answer:
    """What an operation is answered.

    Attributes:
        kind: `error`, `late` (done, and said to have failed), `short`, `slow`, or a lie: `omit`,
            `double` (an entry of a listing), `size`, `time`, `etag`, `flip` (a bit), `jump`.
        value: an errno, milliseconds, seconds or bytes, as the kind is.
        lasting: how often it is given, from the drawn call on.
    """

    kind: str
    value: int = 0
    lasting: tuple[int, ...] = (1, FOR_GOOD)

    @property
    def name(self) -> str:
        """For people."""
        if self.kind in ("error", "late"):
            return f"{self.kind}-{errno.errorcode.get(self.value, self.value)}"
        return self.kind + (f"{self.value:+}" if self.value else "")


@dataclasses.dataclass(frozen=True)
class Row:
    """An operation, where it is asked, what it may be answered.

    Attributes:
        codes: exit codes that are right beside 0 and 1, as docs/errors.md has them; negative for a
            signal, as in `subprocess`.
        draws: how many calls are drawn for each answer: more where calls have little in common.
    """

    op: str
    places: tuple[str, ...]
    answers: tuple[Answer, ...]
    codes: tuple[int, ...] = ()
    draws: int = 1


def _errors(*names: str, lasting: tuple[int, ...] = (1, FOR_GOOD)) -> tuple[Answer, ...]:
    # An interrupted call is asked again by the interpreter for ever: no system interrupts for good.
    return tuple(
        Answer("error", getattr(errno, name), (1, 3) if name == "EINTR" else lasting)
        for name in names
    )


def _late(*names: str) -> tuple[Answer, ...]:
    return tuple(Answer("late", getattr(errno, name), (1,)) for name in names)


_SLOW = (Answer("slow", 150, (1,)), Answer("slow", 2, (FOR_GOOD,)))
_SHORT = (Answer("short"),)
_DISK = ("EIO", "ESTALE", "ENOMEM")
_FULL = ("ENOSPC", "EDQUOT")
_BARRED = ("EACCES", "EROFS")
_YEARS, _DAYS = 2 * 365 * 86_400, 10 * 86_400

HELD = "s3.held"
"""A lock that is there before the job, of a holder whose heartbeat is wrong."""

LOCAL = (
    Row("open", (INPUT, STAGING, RESTRICTED), _errors(*_DISK, "EINTR", "EACCES") + _SLOW, (2,)),
    Row("open", (ANYWHERE,), _errors("EMFILE", "ENFILE"), (2,), draws=4),
    Row("create", (STAGING, RESTRICTED), _errors(*_DISK, *_FULL, *_BARRED, "EMFILE") + _SLOW, (2,)),
    Row("read", (STAGING, RESTRICTED), _errors(*_DISK, "EINTR") + _SHORT + _SLOW),
    Row("pread", (INPUT,), _errors(*_DISK, "EINTR") + _SHORT + _SLOW),
    Row("write", (SAID,), _errors("EIO", *_FULL, "EINTR") + _SHORT + _SLOW),
    Row("pwrite", (STAGING, RESTRICTED), _errors(*_DISK, *_FULL, "EINTR") + _SHORT + _SLOW),
    Row(
        "rename",
        (STAGING, RESTRICTED, OUTPUT),
        _errors(*_DISK, *_FULL, *_BARRED, "EBUSY", "EXDEV") + _late("EIO") + _SLOW,
    ),
    Row("fsync", (STAGING, OUTPUT), _errors(*_FULL, "EIO", "EROFS") + _SLOW),
    Row("unlink", (OUTPUT,), _errors(*_DISK, *_BARRED, "EBUSY") + _late("EIO", "ESTALE") + _SLOW),
    Row("mkdir", (OUTPUT,), _errors(*_DISK, *_FULL, *_BARRED) + _late("EIO") + _SLOW, (2,)),
    Row("list", (INPUT,), _errors("EIO", "ESTALE", "ENOMEM") + (Answer("double"), *_SLOW)),
    Row(
        "list",
        (STAGING, OUTPUT),
        _errors("EIO", "ESTALE", "ENOMEM") + (Answer("double"), Answer("omit", 0, (1,)), *_SLOW),
        (3,),  # of a part that no listing shows the gate says that it is missing
    ),
    Row(
        "stat",
        (INPUT, OUTPUT),
        (
            *_errors(*_DISK, "EACCES"),
            Answer("size", 1, (1,)),
            Answer("size", -1, (1,)),
            Answer("time", 1, (1,)),
            *_SLOW,
        ),
        (2,),
    ),
    Row("lock", (RESTRICTED,), _errors("EIO", "ENOLCK", "EINTR", "ENOMEM") + _SLOW),
    Row("lock", (RESTRICTED,), _errors("EAGAIN"), (5,)),
    Row("thread", (ANYWHERE,), _errors("EAGAIN"), draws=12),
    # Not every library checks what it is given: protobuf, inside of Beam, copies into NULL.
    Row("malloc", (ANYWHERE,), _errors("ENOMEM"), (-signal.SIGSEGV,), draws=6),
    Row("mmap", (ANYWHERE,), _errors("ENOMEM"), (-signal.SIGSEGV,), draws=6),
    Row(
        "clock",
        (ANYWHERE,),
        tuple(Answer("jump", seconds) for seconds in (_YEARS, -_YEARS, _DAYS, -_DAYS)),
    ),
    Row("monotonic", (ANYWHERE,), (Answer("jump", 7200, (FOR_GOOD,)),)),
    Row("fork", (ANYWHERE,), _errors("EAGAIN", "ENOMEM")),
    Row("exec", (ANYWHERE,), _errors("EAGAIN", "ENOMEM", "EACCES", "ENOENT")),
)

_STORE = ("EBUSY", "ETIMEDOUT", "ECONNRESET", "EACCES")
"""As clients give them: throttled, timed out, hung up, refused."""

STORE = (
    Row("s3.head", (INPUT, OUTPUT), _errors(*_STORE) + _SLOW, (2,)),
    Row(
        "s3.head",
        (INPUT, OUTPUT),
        (Answer("size", 1, (1,)), Answer("size", -1, (1,)), Answer("etag", 0, (1,))),
        (2,),  # a table that seems to be shorter than it is, is refused
    ),
    Row("s3.list", (INPUT,), _errors(*_STORE) + _SLOW, (2,)),
    Row(
        "s3.list",
        (INPUT,),
        (Answer("size", 1, (1,)), Answer("etag", 0, (1,)), Answer("double", 0, (1,))),
        (2,),
    ),
    Row(
        "s3.list",
        (OUTPUT, STAGING),
        (*_errors(*_STORE), Answer("omit", 0, (1,)), Answer("double", 0, (1,)), *_SLOW),
        (2,),
    ),
    Row("s3.get", (OUTPUT, STAGING, RESTRICTED), _errors(*_STORE) + _SLOW, (2,)),
    # Half a plan is refused (2); half a catalogue is not what was sealed (3).
    Row("s3.get", (STAGING, RESTRICTED), (Answer("short", 0, (1,)),), (2, 3)),
    Row("s3.range", (INPUT,), _errors(*_STORE) + _SHORT + _SLOW),
    Row("s3.put", (OUTPUT, STAGING, RESTRICTED), _errors(*_STORE) + _late("EIO") + _SLOW, (2,)),
    Row("s3.conditional", (RESTRICTED,), _errors(*_STORE, "EEXIST") + _late("EIO") + _SLOW, (2, 5)),
    Row(
        HELD,
        (RESTRICTED,),
        (
            Answer("beat", _YEARS, (1,)),
            Answer("beat", -_YEARS, (1,)),
            Answer("nan", 0, (1,)),
            Answer("garbage", 0, (1,)),
        ),
        (5,),
    ),
    Row("s3.copy", (OUTPUT,), _errors(*_STORE, "ENOENT") + _late("EIO") + _SLOW),
    Row("s3.delete", (OUTPUT,), _errors(*_STORE, "ENOENT") + _late("EIO") + _SLOW),
    Row("s3.clear", (OUTPUT,), _errors(*_STORE) + _late("EIO") + _SLOW),
)

_GIVEN_UP = tuple(Answer("error", kind) for kind in (0, 1)) + (Answer("late", 0, (1,)),)
"""What is left after all tries: a fault that stays, a refusal; or one that hid a success."""

SEAM = (
    Row("storage.list_sizes", (OUTPUT,), (*_GIVEN_UP, Answer("omit", 0, (1,)))),
    # Half a plan is refused (2); half a manifest or catalogue is not what was sealed (3).
    Row("storage.read_bytes", (OUTPUT,), (*_GIVEN_UP, Answer("short", 0, (1,))), (2, 3)),
    Row("storage.write_bytes", (OUTPUT,), _GIVEN_UP),
    Row("storage.move", (OUTPUT,), _GIVEN_UP),
    Row("storage.delete", (OUTPUT,), _GIVEN_UP),
    Row("storage.exists", (OUTPUT,), _GIVEN_UP),
    Row("storage.open_read", (INPUT,), _GIVEN_UP),
)


@dataclasses.dataclass(frozen=True)
class Scenario:
    """A job that is disturbed.

    Attributes:
        store: `local` or `s3`.
        workers: child processes; 0 for a run in the launcher.
        role: of the processes that are answered wrongly: `l`auncher or `w`orker.
        night: whether it adds to what was published before.
        rows: of the table.
        without: names of answers that are as good as tried in another scenario.
        never: operations and places for which no process of the role asks, so that nothing could
            be answered there.
    """

    name: str
    store: str
    workers: int
    role: str
    night: bool
    rows: tuple[Row, ...]
    without: frozenset[str] = frozenset()
    never: frozenset[tuple[str, str]] = frozenset()


_OF_LAUNCHER = ("fork", "exec", "lock")
_CHEAP = tuple(row for row in LOCAL if row.op not in ("fork", "exec"))
_OF_WORKER = tuple(row for row in LOCAL if row.op not in _OF_LAUNCHER)
# Without "mmap": whether a launcher needs one more arena is chance; `alone` and `worker` do.
_OF_CHILDREN = ("fork", "exec", "thread", "monotonic")
_WITH_CHILD = tuple(row for row in LOCAL if row.op in _OF_CHILDREN)
_STORE_OF_WORKER = tuple(row for row in STORE if row.op != HELD)

_ALIKE = frozenset(
    f"error-{name}" for name in ("ESTALE", "EDQUOT", "EROFS", "EBUSY", "ECONNRESET")
) | {"slow+150", "slow+2", f"jump+{_DAYS}", f"jump-{_DAYS}"}
"""Of one class with another answer, for which the scenarios `alone` and `s3` stand."""

_NEVER_OF_WORKER = frozenset(
    {
        # It is given its unit: listing inputs, and what is done, is the launcher's.
        ("list", INPUT),
        ("list", STAGING),
        ("list", OUTPUT),
        # Plan, lock, catalogue and what is learnt of repeated ids are the launcher's to write; a
        # worker reads the plan and leaves parts and receipts, which it never reads or removes.
        ("create", RESTRICTED),
        ("pwrite", RESTRICTED),
        ("rename", RESTRICTED),
        ("read", STAGING),
        ("unlink", OUTPUT),
        # It has pipes to its launcher, and prints nothing.
        ("write", SAID),
    }
)
_NEVER_OF_STORE_WORKER = frozenset(
    {
        # As above; to publish, which is to copy and to delete, is the launcher's too.
        ("s3.list", INPUT),
        ("s3.list", OUTPUT),
        ("s3.list", STAGING),
        ("s3.get", STAGING),
        ("s3.put", RESTRICTED),
        ("s3.conditional", RESTRICTED),
        ("s3.copy", OUTPUT),
        ("s3.delete", OUTPUT),
        ("s3.clear", OUTPUT),
    }
)

NEVER_ASKED = {
    (HELD, RESTRICTED): "it is no call: the lock is laid there before the job begins",
}
"""What of the table no scenario asks for, and why it is tried all the same."""

SCENARIOS = (
    Scenario("alone", "local", 0, "l", False, (*_CHEAP, *SEAM)),
    Scenario("worker", "local", 1, "w", False, _OF_WORKER, _ALIKE, _NEVER_OF_WORKER),
    Scenario("launcher", "local", 1, "l", False, _WITH_CHILD),
    Scenario("night", "local", 0, "l", True, (*_CHEAP, *SEAM), _ALIKE),
    Scenario("s3", "s3", 0, "l", False, (*STORE, *SEAM)),
    Scenario("s3-worker", "s3", 1, "w", False, _STORE_OF_WORKER, _ALIKE, _NEVER_OF_STORE_WORKER),
)


@dataclasses.dataclass(frozen=True)
class Fault:
    """One answer at one place, from a drawn call on.

    Attributes:
        times: how often it is given.
        number: of the draw, from 1 on.
        draw: in [0, 1): which of the calls, in shares of those of an undisturbed run.
    """

    row: Row
    place: str
    answer: Answer
    times: int
    number: int
    draw: float

    @property
    def name(self) -> str:
        """For people, and to draw by."""
        often = {1: "once", FOR_GOOD: "always"}.get(self.times, f"{self.times} times")
        drawn_as = f", draw {self.number}" if self.row.draws > 1 else ""
        return f"{self.row.op}@{self.place or 'anywhere'}={self.answer.name},{often}{drawn_as}"


@dataclasses.dataclass(frozen=True)
class Combination:
    """One or two faults of a scenario."""

    scenario: Scenario
    faults: tuple[Fault, ...]

    @property
    def name(self) -> str:
        """For people, and to draw by."""
        return f"{self.scenario.name}: {' + '.join(fault.name for fault in self.faults)}"

    @property
    def codes(self) -> frozenset[int]:
        """Exit codes that are right."""
        return frozenset({0, 1}.union(*(fault.row.codes for fault in self.faults)))


def drawn(*words: object) -> float:
    """A number in [0, 1), always the same for the same words."""
    text = " ".join(map(str, (SEED, *words)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48


def _faults(scenario: Scenario) -> Iterator[Fault]:
    for row in scenario.rows:
        for place, answer in itertools.product(row.places, row.answers):
            if answer.name in scenario.without or (row.op, place) in scenario.never:
                continue
            for times, number in itertools.product(answer.lasting, range(1, row.draws + 1)):
                where = (scenario.name, row.op, place, answer.name, times, number)
                yield Fault(row, place, answer, times, number, drawn(*where))


def singles() -> list[Combination]:
    """Each fault of each scenario by itself."""
    return [Combination(one, (fault,)) for one in SCENARIOS for fault in _faults(one)]


PAIRS = 240


def pairs() -> list[Combination]:
    """Drawn pairs of faults, spread over the scenarios as single faults are."""
    every = singles()
    found = []
    for number in range(PAIRS):
        first = every[int(drawn("first", number) * len(every))]
        others = [one for one in every if one.scenario is first.scenario and one != first]
        second = others[int(drawn("second", number) * len(others))]
        found.append(Combination(first.scenario, first.faults + second.faults))
    return found


def combinations() -> list[Combination]:
    """All of it."""
    return singles() + pairs()


LEAST = 3


def fiftieth(every: list[Combination]) -> list[Combination]:
    """A drawn fiftieth, in the order of the list: of each scenario at least `LEAST`."""
    draws = {one.name: drawn("fiftieth", one.name) for one in every}
    ranked = sorted(every, key=lambda one: draws[one.name])
    least: dict[str, list[str]] = {}
    for one in ranked:
        least.setdefault(one.scenario.name, []).append(one.name)
    first = {name for names in least.values() for name in names[:LEAST]}
    return [one for one in every if draws[one.name] < 0.02 or one.name in first]
