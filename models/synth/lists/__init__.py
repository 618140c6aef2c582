"""Words that generated notes are made of, written by hand: one entry a line."""

from __future__ import annotations

import functools
import importlib.resources


@functools.cache
def words(name: str) -> tuple[str, ...]:
    """Entries of `<name>.txt`, in the order of the file.

    Raises:
        FileNotFoundError: if there is no such list.
    """
    text = importlib.resources.files(__package__).joinpath(f"{name}.txt").read_text("utf-8")
    return tuple(line for line in text.split("\n") if line.strip())
