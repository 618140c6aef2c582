"""The files of a campaign, as JSON Lines: what was drawn, what was marked, what was adjudicated.

None holds a text: places are offsets in code points of the original text of the document's field,
also of what was planted. The first line of a draw is the campaign; its SHA-256 therefore covers
what was asked as well as what was drawn.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar

from ..core.checked_json import parse_json
from ..core.display_names import counted
from ..core.errors import UsageError
from .frame import CutTail, FrameFacts

Of = Literal["direct", "any"]
"""What counts as a leak: a direct identifier (`judging.is_direct`), or any PHI."""

Unit = Literal["document", "patient"]
Method = Literal["fixed", "sequential"]

UNFINISHED = "open"
DONE = "done"
VERDICTS = (UNFINISHED, DONE, "skipped", "timed out", "cannot read")
"""How the reading of a text ended. Only `DONE` can be without a leak."""

MOST_LEAKS = 10
"""So many leaks of a unit are counted, at most: a bound of a mean needs one of its values."""


@dataclasses.dataclass(frozen=True, slots=True)
class Campaign:
    """What is asked, and of what; frozen before the first text is shown.

    Attributes:
        name: the draw depends on it.
        run, fingerprint: of the output.
        target: the bound that the primary statement is to reach.
        n: units to read; with method `sequential`, at most so many.
        frame, cut_tail: what is drawn from.
        of: what the primary statement is of.
        unit: what is drawn and counted.
        method: whether all is read and looked at once, or reading may stop at any time.
        alpha: of the primary statement; that of all others together.
        types: note types of which a statement is asked, sorted; of documents alone.
        most_leaks: leaks of a unit that count, at most, in leaks a million tokens.
    """

    name: str
    run: str
    fingerprint: str
    target: float
    n: int
    frame: FrameFacts
    cut_tail: CutTail = CutTail()
    of: Of = "direct"
    unit: Unit = "document"
    method: Method = "fixed"
    alpha: float = 0.05
    types: tuple[str, ...] = ()
    most_leaks: int = MOST_LEAKS

    def __post_init__(self) -> None:
        if not 0 < self.target < 1 or not 0 < self.alpha < 1:
            raise ValueError("target and alpha of a campaign are over 0 and below 1")
        if self.n < 1 or self.most_leaks < 1:
            raise ValueError("a campaign reads at least one unit and counts at least one leak")
        if self.types and self.unit != "document":
            raise ValueError("statements by note type are of documents")

    @property
    def units(self) -> int:
        """How many units the frame has."""
        return self.frame.documents if self.unit == "document" else self.frame.patients


@dataclasses.dataclass(frozen=True, slots=True)
class Stretch:
    """A half-open stretch of a text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"bad stretch [{self.start}, {self.end})")


@dataclasses.dataclass(frozen=True, slots=True)
class DrawnText:
    """A text to read.

    Attributes:
        n: number of its unit in the order of the draw, from 1.
        doc_key, field: which text.
        stratum: of its document.
        run: of the output.
        text_hmac: keyed hash of its published text; marks of another one are refused.
        planted: removed spans to be shown as if they had been left.
        twice: whether two people are to read it.
        extra: whether it was drawn for the statement of its type alone, beyond the sample.
    """

    n: int
    doc_key: str
    field: str
    stratum: str
    run: str
    text_hmac: str
    planted: tuple[Stretch, ...] = ()
    twice: bool = False
    extra: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class DrawnList:
    """A campaign and the texts that are read for it, in the order of the draw."""

    campaign: Campaign
    texts: tuple[DrawnText, ...]

    def with_hmacs(self, hmacs: Mapping[tuple[str, str], str]) -> DrawnList:
        """The same, with the keyed hash of each text; by `doc_key` and `field`."""
        texts = [
            dataclasses.replace(one, text_hmac=hmacs[one.doc_key, one.field]) for one in self.texts
        ]
        return DrawnList(self.campaign, tuple(texts))

    def to_bytes(self) -> bytes:
        """As JSON Lines, the campaign first. Its SHA-256 is the number of the draw."""
        head = {"campaign": dataclasses.asdict(self.campaign), "texts": len(self.texts)}
        return b"".join(json_line(row) for row in (head, *map(dataclasses.asdict, self.texts)))


@dataclasses.dataclass(frozen=True, slots=True)
class _DrawHead:
    campaign: Campaign
    texts: int


@dataclasses.dataclass(frozen=True, slots=True)
class MarkedSpan:
    """What a reader says is left.

    Attributes:
        start, end: half-open stretch.
        label: PHI category.
        was: the span of the run that it replaces; None for one that the run does not have.
    """

    start: int
    end: int
    label: str
    was: Stretch | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"bad stretch [{self.start}, {self.end})")


@dataclasses.dataclass(frozen=True, slots=True)
class MarkedText:
    """A row of marks: all that one reader says of one text, which its later revisions replace.

    Attributes:
        seq: number of the row among those of the reader, from 1 without gaps.
        doc_key, field: which text.
        text_hmac: keyed hash of the text that was read.
        rev: revision; the greatest holds.
        spans: all marks.
        verdict: one of `VERDICTS`.
        seconds: it took.
        of: of adjudicated rows alone: reader -> the row that was adjudicated.
        characters: of the original; None of rows of earlier versions.
        original: keyed hash of the original; "" where it was not at hand.
    """

    seq: int
    doc_key: str
    field: str
    text_hmac: str
    rev: int
    spans: tuple[MarkedSpan, ...]
    verdict: str
    seconds: float = 0
    of: Mapping[str, int] = dataclasses.field(default_factory=dict)
    characters: int | None = None
    original: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"unknown verdict; known are {', '.join(VERDICTS)}")


@dataclasses.dataclass(frozen=True, slots=True)
class MarksFile:
    """A file of marks.

    Attributes:
        reader: who wrote it; several files of one reader are read as one.
        content: JSON Lines; a last line without its end is not counted.
        is_adjudicated: whether it holds what was decided on the marks of others.
    """

    reader: str
    content: bytes = dataclasses.field(repr=False)
    is_adjudicated: bool = False

    def lines(self) -> list[bytes]:
        """Its whole lines."""
        return self.content.split(b"\n")[:-1]


Row = TypeVar("Row")


def json_line(value: object) -> bytes:
    """One line of JSON, the same for equal values."""
    line = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return line.encode() + b"\n"


def _read(line: bytes, kind: type[Row], where: str) -> Row:
    try:
        return parse_json(line, kind)
    except ValueError as error:
        raise UsageError(f"{where}: {error}") from None


def read_draw(content: bytes) -> DrawnList:
    """The draw that `DrawnList.to_bytes` gave.

    Raises:
        UsageError: if it is not whole, or a line is not as expected; naming the line.
    """
    lines = content.split(b"\n")
    if len(lines) < 2 or lines.pop():
        raise UsageError("draw: the last line is not whole")
    head = _read(lines[0], _DrawHead, "draw, line 1")
    texts = tuple(
        _read(line, DrawnText, f"draw, line {number}") for number, line in enumerate(lines[1:], 2)
    )
    if len(texts) != head.texts:
        raise UsageError(f"draw: {counted(len(texts), 'text')}, its first line says {head.texts}")
    if len({(one.doc_key, one.field) for one in texts}) < len(texts):
        raise UsageError("draw: a text stands in it twice")
    return DrawnList(head.campaign, texts)


def read_marks(files: Iterable[MarksFile]) -> dict[tuple[bool, str], tuple[MarkedText, ...]]:
    """The rows of some files, by (is adjudicated, reader), in the order in which they were written.

    A row that stands in two files is one row.

    Raises:
        UsageError: if a line is not as expected; if two rows of a reader have one number, or a
            number is missing: rows are added, never changed or taken away.
    """
    found: dict[tuple[bool, str], dict[bytes, MarkedText]] = {}
    for number, file in enumerate(files, 1):
        rows = found.setdefault((file.is_adjudicated, file.reader), {})
        for at, line in enumerate(file.lines(), 1):
            rows[line] = _read(line, MarkedText, f"marks, file {number}, line {at}")
    ordered = {}
    for who, by_line in sorted(found.items()):
        in_order = sorted(by_line.values(), key=lambda row: row.seq)
        if [row.seq for row in in_order] != [*range(1, len(in_order) + 1)]:
            raise UsageError(
                f"marks: the rows of a reader are not numbered from 1 to {len(in_order)}: some "
                "are missing, or were written twice"
            )
        ordered[who] = tuple(in_order)
    return ordered


def sealed_marks(files: Iterable[MarksFile]) -> bytes:
    """All rows of some files as one, the same however they are split and ordered; to be hashed.

    Each line is a row as it was written, in a JSON text, with its reader.
    """
    lines: set[bytes] = set()
    for file in files:
        who = "adjudicator" if file.is_adjudicated else "reader"
        lines |= {
            json_line({who: file.reader, "row": line.decode("utf-8", "surrogateescape")})
            for line in file.lines()
        }
    return b"".join(sorted(lines))


def as_json(value: Any) -> dict[str, Any]:
    """A dataclass as JSON has it."""
    found: dict[str, Any] = json.loads(json_line(dataclasses.asdict(value)))
    return found
