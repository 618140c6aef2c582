"""What the kernel says about the memory of this process's control group: kills, and the limits.

Linux only; elsewhere, and where nothing can be read, there is nothing to say.
"""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator

_MOUNT = "/sys/fs/cgroup"
_OWN = "/proc/self/cgroup"


def oom_kills(own: str = _OWN, mount: str = _MOUNT) -> int:
    """How many processes of this control group the kernel has killed for lack of memory.

    Of version 2 it is in `memory.events`, of version 1 in `memory.oom_control`. In a container the
    path that `/proc` gives may be that of the host: then the root of the mount is the container's.

    Args:
        own: the file that names the groups of this process.
        mount: where control groups are mounted.
    """
    return max((_count(place) for place in _places(own, mount)), default=0)


def address_space_is_limited() -> bool:
    """Whether `ulimit -v` or `ulimit -d` bounds the processes that are started from here.

    Libraries that get no memory then may crash by a signal in place of raising an error.
    """
    limits = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    return any(resource.getrlimit(one)[0] != resource.RLIM_INFINITY for one in limits)


LEAST_ADDRESS_SPACE = 512 << 20
"""Bytes under which no run has been seen to end well, and libraries abort without a word."""

ENOUGH_ADDRESS_SPACE = 4 << 30
"""Bytes under which a launcher with a large model has been seen to end without a word."""


def too_little_address_space() -> str | None:
    """What to say in place of a run that cannot end well in the address space that it has."""
    if (megabytes := _megabytes_below(LEAST_ADDRESS_SPACE)) is None:
        return None
    return (
        f"the address space is limited to {megabytes} MB (ulimit -v), and no run fits into less "
        f"than {LEAST_ADDRESS_SPACE >> 20} MB: allow more"
    )


def little_address_space() -> str | None:
    """What to say before a run whose address space may be too small to say anything later."""
    if (megabytes := _megabytes_below(ENOUGH_ADDRESS_SPACE)) is None:
        return None
    return (
        f"the address space is limited to {megabytes} MB (ulimit -v): where that is too little, "
        "the C library may end this command with code 127, without a message of ours. Nothing is "
        "published then; allow more, and go on with `scrubline resume --output ...`"
    )


def _megabytes_below(wanted: int) -> int | None:
    """The limit of the address space, if it is below so many bytes."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY or limit >= wanted else limit >> 20


def _places(own: str, mount: str) -> Iterator[str]:
    for line in _lines(own):
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "memory" not in controllers.split(","):
            continue
        roots = (f"{mount}/memory",) if controllers else (mount, f"{mount}/unified")
        file = "memory.oom_control" if controllers else "memory.events"
        for root in roots:
            inside = f"{root}{path.rstrip('/')}/{file}"
            yield inside if os.path.exists(inside) else f"{root}/{file}"


def _count(place: str) -> int:
    for line in _lines(place):
        name, _, value = line.partition(" ")
        if name == "oom_kill" and value.isdecimal():
            return int(value)
    return 0


def _lines(place: str) -> list[str]:
    try:
        with open(place, encoding="ascii", errors="replace") as stream:
            return stream.read().splitlines()
    except OSError:
        return []
