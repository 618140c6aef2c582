"""The user's cache: for files of this machine that can be computed or fetched again.

Source: XDG Base Directory Specification 0.8, `XDG_CACHE_HOME`.
"""

from __future__ import annotations

import os
from pathlib import Path


def user_cache() -> Path:
    """Scrubline's folder in the user's cache; it may not exist yet.

    Raises:
        RuntimeError: if the user's home folder is unknown.
    """
    named = os.environ.get("XDG_CACHE_HOME")
    return (Path(named) if named else Path.home() / ".cache") / "scrubline"
