"""Who was shown what: a row a text, each with the hash of the row before (`appended`)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ..core.checked_json import parse_json
from ..risk.rows import json_line
from .appended import hash_of_row, walk_chain, whole_lines

PUBLISHED = "published"
ORIGINAL = "original"
PLANTED = "planted"
EXPORT = "export"
SCORED = "scored"
WHATS = (PUBLISHED, ORIGINAL, PLANTED, EXPORT, SCORED)
"""The published text; the original beside it; the published text, with some of the original in the
clear; the original, into a file to train on; into one on which a model is scored, and no more."""


@dataclasses.dataclass(frozen=True, slots=True)
class Access:
    """A row: a text that somebody was shown.

    Attributes:
        seq: number of the row, from 1.
        at: when, in UTC, ISO 8601.
        reviewer: who.
        doc_key, field: which text.
        what: one of `WHATS`.
        prev: see `hash_of_row`.
    """

    seq: int
    at: str
    reviewer: str
    doc_key: str
    field: str
    what: str
    prev: str


def next_access(
    last: bytes | None, *, at: str, reviewer: str, doc_key: str, field: str, what: str
) -> bytes:
    """The line that follows the last one.

    Raises:
        ValueError: if the last one is no row, or `what` is unknown.
    """
    if what not in WHATS:
        raise ValueError(f"unknown kind of access; known are {', '.join(WHATS)}")
    seq = 1 if last is None else parse_json(last, Access).seq + 1
    row = Access(seq, at, reviewer, doc_key, field, what, hash_of_row(last))
    return json_line(dataclasses.asdict(row))


def read_accesses(content: bytes) -> Iterator[Access]:
    """Yields the rows of a file.

    Raises:
        ValueError: if a line is none.
    """
    for line in whole_lines(content):
        yield parse_json(line, Access)


def faults_of_chain(content: bytes) -> list[str]:
    """What is wrong with a file: the number of each line that does not follow from the one before.

    A last line without its end is no fault: its text was never shown.
    """
    return [
        f"accesses, line {number}: "
        + ("no row of accesses" if row is None else "does not follow from the line before")
        for number, (row, follows) in enumerate(walk_chain(content, Access), 1)
        if not follows
    ]
