"""Words that generated notes are made of: written by hand, one entry a line, and dictionaries."""

from __future__ import annotations

import functools
import importlib.resources

from ....dictionaries import load


@functools.cache
def words(name: str) -> tuple[str, ...]:
    """Entries of `<name>.txt`, in the order of the file.

    Raises:
        FileNotFoundError: if there is no such list.
    """
    text = importlib.resources.files(__package__).joinpath(f"{name}.txt").read_text("utf-8")
    return tuple(line for line in text.split("\n") if line.strip())


@functools.cache
def phrases(name: str) -> tuple[str, ...]:
    """Phrases of a dictionary that ships, read once."""
    return load(name).phrases
