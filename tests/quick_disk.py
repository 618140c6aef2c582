"""Nothing that tests write is waited for until it is on a disk: no test cuts off the power.

To wait takes up to half of a run over some notes. That a run asks for it, and what it makes of the
answer, is tried all the same.
"""

from __future__ import annotations

import os
from typing import Any


def wait_for_no_disk() -> None:
    """Changes `os` in this process: what is not open is refused as ever."""
    os.fsync = os.fdatasync = _looked_at


def _looked_at(file: Any) -> None:
    os.fstat(file if isinstance(file, int) else file.fileno())
