"""No core dumps: the memory of the command's own processes holds notes and the key.

Only processes of the command are marked, each for itself, for the second mark ends with `exec`:
never a process that imports Scrubline as a library, or a pipeline of someone else's.
"""

from __future__ import annotations

import contextlib
import os
import resource
import sys

VARIABLE = "SCRUBLINE_DUMPABLE"
"""Set to 1, nothing is marked: profilers and /proc/PID/io need a process that can be dumped."""

WARNING = (
    f"{VARIABLE}=1: a process that crashes may leave its memory in a file, and other processes of "
    "this user can read it; it holds notes and the key. Use it only for measuring"
)

_PR_SET_DUMPABLE = 4  # linux/prctl.h


def dumps_are_allowed() -> bool:
    """Whether VARIABLE asks for processes that can be dumped."""
    return os.environ.get(VARIABLE) == "1"


def forbid_dumps() -> None:
    """Marks this process so that no core of it is written, unless `dumps_are_allowed`.

    The limit of 0 holds for files, and processes started from here inherit it. A kernel that hands
    cores to a program ignores that limit, but not the mark, which Linux has. With it, files of
    /proc that only the owner may read are root's; those that all may read stay so.
    """
    if dumps_are_allowed():
        return
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        with contextlib.suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
