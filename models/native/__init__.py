"""The native fast path: what every token costs, in C.

The extension gives what the reference path in Python gives, faster. Where it could not be built (no
compiler, and no wheel for the machine) the reference path runs, and `warn_if_absent` says so once.
`SCRUBLINE_NATIVE=0` in the environment turns it off.
"""

from __future__ import annotations

import functools
import logging
import os
from types import ModuleType

SWITCH = "SCRUBLINE_NATIVE"


@functools.cache
def extension() -> ModuleType | None:
    """The extension module; None if it is not there or is turned off."""
    if os.environ.get(SWITCH) == "0":
        return None
    try:
        from . import _native  # type: ignore[attr-defined]
    except ImportError:
        return None
    module: ModuleType = _native
    return module


@functools.cache
def warn_if_absent() -> None:
    """Says once a process that the reference path runs."""
    if extension() is None:
        logging.getLogger(__name__).warning(
            "the native extension is %s: labels are the same, and take some ten times longer",
            f"turned off by {SWITCH}=0" if os.environ.get(SWITCH) == "0" else "not installed",
        )
