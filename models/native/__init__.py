"""The native fast path: what every token costs, in C.

The extension gives what the reference path in Python gives, faster. Where it could not be built (no
compiler, and no wheel for the machine) the reference path runs, and `warn_if_absent` says so once.
`SCRUBLINE_NATIVE=0` in the environment turns it off.
"""

from __future__ import annotations

import functools
import importlib
import logging
import os
from types import ModuleType

SWITCH = "SCRUBLINE_NATIVE"
VERSION = 9
"""Of what is agreed with the extension: raised in both places when a call or its sense changes."""


@functools.cache
def extension() -> ModuleType | None:
    """The extension module; None if it is not there or is turned off."""
    return _loaded()[0]


@functools.cache
def warn_if_absent() -> None:
    """Says once a process that the reference path runs, and why."""
    module, reason = _loaded()
    if module is None:
        logging.getLogger(__name__).warning(
            "the native extension %s: labels are the same, and take many times longer", reason
        )


def why_absent() -> str:
    """Why the extension does not run, as the end of a sentence; "" if it does."""
    return _loaded()[1]


def _loaded() -> tuple[ModuleType | None, str]:
    """The module, or None and why."""
    if os.environ.get(SWITCH) == "0":
        return None, f"is turned off by {SWITCH}=0"
    try:
        module = importlib.import_module("._native", __package__)
    except ModuleNotFoundError:
        return None, "is not installed"
    except ImportError as error:
        return None, f"cannot be loaded ({error})"
    if getattr(module, "VERSION", None) != VERSION:
        return None, "is of another version: build it anew"
    return module, ""
