"""Who was shown what: a row a text, each with the hash of the row before.

The chain shows rows that were changed, taken out or put between. It cannot show that the last rows
were cut off, nor that somebody wrote all of it anew: copies of its end elsewhere do.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator

from ..core.checked_json import parse_json
from ..risk.rows import json_line
from .appended import whole_lines

PUBLISHED = "published"
ORIGINAL = "original"
PLANTED = "planted"
EXPORT = "export"
WHATS = (PUBLISHED, ORIGINAL, PLANTED, EXPORT)
"""The published text; the original beside it; the published text, with some of the original in the
clear; the original, into a file."""

FIRST = "0" * 64
"""In place of the hash of a row before the first."""


@dataclasses.dataclass(frozen=True, slots=True)
class Access:
    """A row: a text that somebody was shown.

    Attributes:
        seq: number of the row, from 1.
        at: when, in UTC, ISO 8601.
        reviewer: who.
        doc_key, field: which text.
        what: one of `WHATS`.
        prev: SHA-256 of the line before, without its end.
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
    prev = FIRST if last is None else hashlib.sha256(last).hexdigest()
    row = Access(seq, at, reviewer, doc_key, field, what, prev)
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
    faults, expected = [], FIRST
    for number, line in enumerate(whole_lines(content), 1):
        try:
            row = parse_json(line, Access)
        except ValueError:
            faults.append(f"accesses, line {number}: no row of accesses")
        else:
            if row.seq != number or row.prev != expected:
                faults.append(f"accesses, line {number}: does not follow from the line before")
        expected = hashlib.sha256(line).hexdigest()
    return faults


def opened_documents(content: bytes) -> frozenset[str]:
    """Keys of the documents of which anything was shown; for `risk.judging.judge`."""
    return frozenset(row.doc_key for row in read_accesses(content))
