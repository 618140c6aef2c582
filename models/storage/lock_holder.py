"""Who holds a lock: what stands in the file or object of a lock, and whether that process runs."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
import platform
import secrets

from ..core.checked_json import parse_json

_FIRST_LINE = b'{\n "owner": "'

_ABANDONED: set[str] = set()
"""Owners of this process whose locks could not be deleted, because storage failed."""


@dataclasses.dataclass(frozen=True, slots=True)
class Holder:
    """The process that holds a lock.

    Attributes:
        owner: drawn for each lock.
        machine: host, its boot and its process namespace, as one text.
        pid: process number there.
        since, beat: when the lock was taken, and the last heartbeat, in seconds since 1970.
    """

    owner: str
    machine: str
    pid: int
    since: float
    beat: float

    def to_bytes(self) -> bytes:
        """As JSON."""
        return json.dumps(dataclasses.asdict(self), indent=1).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Holder | None:
        """Reads what `to_bytes` gave; None for anything else."""
        try:
            return parse_json(data, cls)
        except ValueError:
            return None

    @staticmethod
    def may_have_written(data: bytes) -> bool:
        """Whether a local lock file is a holder's: whole, cut off, or empty after a power cut."""
        data = data.strip(b"\0")
        return not data or Holder.from_bytes(data) is not None or data.startswith(_FIRST_LINE)

    @classmethod
    def this_process(cls, now: float) -> Holder:
        """A new holder: the calling process, from now on."""
        return cls(secrets.token_hex(16), this_machine(), os.getpid(), now, now)

    def is_dead(self) -> bool:
        """Whether the process is known to have ended; only processes of this machine can be."""
        if self.machine != this_machine():
            return False
        if self.owner in _ABANDONED:
            return True
        if self.pid <= 0:  # `kill` would take it for a group of processes
            return False
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return True
        except (OSError, OverflowError):
            return False
        return False

    def abandon(self) -> None:
        """Lets other locks of this process take over at once a lock that cannot be deleted."""
        _ABANDONED.add(self.owner)


UNKNOWN_HOLDER = Holder("0", "", 0, 0.0, 0.0)
"""The holder of a lock that cannot be read: another program wrote it, and may still run."""


def holder_in(content: bytes) -> Holder:
    """The holder that the content of a lock names."""
    return Holder.from_bytes(content) or UNKNOWN_HOLDER


@functools.cache
def this_machine() -> str:
    """Host, boot and process namespace: processes with the same value share process numbers."""
    parts = [platform.node()]
    with contextlib.suppress(OSError):
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as stream:
            parts.append(stream.read().strip())
        parts.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(parts)
