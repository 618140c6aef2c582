"""The user's cache: for what is kept on this machine alone and can be made or fetched again.

Source: XDG Base Directory Specification 0.8, `XDG_CACHE_HOME`.
"""

from __future__ import annotations

import os
from pathlib import Path


def user_cache() -> Path:
    """Our folder in the user's cache; it need not be there.

    Raises:
        RuntimeError: if nobody knows where the user is at home.
    """
    named = os.environ.get("XDG_CACHE_HOME")
    return (Path(named) if named else Path.home() / ".cache") / "scrubline"
