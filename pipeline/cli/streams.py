"""Standard streams that are closed when the program starts."""

from __future__ import annotations

import os
import sys


def fill_closed_streams() -> None:
    """Opens the null device as standard input, output and error where they are closed.

    Else the next file opened, a part say, would get the number of one of them, and with it whatever
    a library prints. Messages to standard error are then lost; printing fails, as on a full disk.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # Gets the lowest free number: this one. As output it is opened for reading, so that a
            # write fails; workers inherit it.
            os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_RDWR)
            os.set_inheritable(number, True)
    # Python has no stream where there was no descriptor when it started.
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(  # noqa: SIM115
            2, "w", encoding="utf-8", errors="backslashreplace", closefd=False
        )
