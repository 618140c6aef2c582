"""What readers found, document by document: whatever is not known to be clean counts as a leak.

A text that was skipped, timed out, could not be read or was not read at all leaks. So does one that
two readers judge unlike, until someone has decided on just those marks. A mark that reaches beyond
what was planted, or beyond what was removed, leaks as well.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence, Set

from ..core.errors import UsageError
from ..core.labels import CATEGORY_OF, UNKNOWN_KIND
from .bounds import ReaderRecall
from .rows import (
    DONE,
    UNFINISHED,
    DrawnList,
    DrawnText,
    MarkedSpan,
    MarkedText,
    MarksFile,
    Of,
    read_marks,
)

_DIRECT_CATEGORIES = ("NAME", "CONTACT", "ID")
_INDIRECT = frozenset(
    name
    for name, category in CATEGORY_OF.items()
    if category not in _DIRECT_CATEGORIES and name not in ("STREET", UNKNOWN_KIND)
)


def is_direct(label: str) -> bool:
    """Whether a label is of a direct identifier: a name, a number, a contact or a street.

    PHI of an unknown kind is, and so are the labels that a site declares.
    """
    return label not in _INDIRECT


@dataclasses.dataclass(frozen=True, slots=True)
class JudgedUnit:
    """What was found in a drawn document, or in all documents of a drawn patient.

    Attributes:
        n: its number in the draw.
        stratum: of its first document.
        extra: see `DrawnText`.
        leaks: what counts -> leaks that were marked, overlapping marks as one.
        is_finished: whether all its texts were read to the end and nothing is undecided.
        is_touched: whether anything of it was shown to anybody, as far as marks and accesses tell.
        is_read: whether somebody said anything of each of its texts.
    """

    n: int
    stratum: str
    extra: bool
    leaks: Mapping[Of, int]
    is_finished: bool
    is_touched: bool
    is_read: bool

    def leaks_any(self, of: Of) -> bool:
        """Whether it counts as a leak."""
        return not self.is_finished or self.leaks[of] > 0

    def counted(self, of: Of, most: int) -> int:
        """Its leaks, at most so many; one that is not finished has them all."""
        return min(most, self.leaks[of]) if self.is_finished else most


@dataclasses.dataclass(frozen=True, slots=True)
class Judgement:
    """What was found in a campaign.

    Attributes:
        units: those that count, in the order of the draw: all, or with method `sequential` up to
            the last one that was shown to anybody.
        recall: planted spans in texts that were read to the end, and those that every one of their
            readers marked.
        readers: people who marked anything.
        twice: texts that two people or more read to the end.
        agreed: those of them of which all say alike whether anything, and anything direct, is left.
    """

    units: tuple[JudgedUnit, ...]
    recall: ReaderRecall
    readers: int
    twice: int
    agreed: int


@dataclasses.dataclass(frozen=True, slots=True)
class _JudgedText:
    """What was found in one text; `leaks` are stretches by what counts."""

    leaks: Mapping[Of, Sequence[tuple[int, int]]]
    is_finished: bool
    is_read: bool
    planted: int
    found: int
    agreed: bool | None


OFS: tuple[Of, ...] = ("direct", "any")
_Text = tuple[str, str]


def judge(
    drawn: DrawnList, files: Iterable[MarksFile], opened: Set[str] = frozenset()
) -> Judgement:
    """Judges what readers said of a draw.

    Args:
        drawn: the draw.
        files: their marks and what was decided on them, in any order.
        opened: keys of documents that were shown to anybody, by the record of accesses. Without it,
            a document that was opened and left without a word is not known to be read.

    Raises:
        UsageError: as `read_marks`; if marks are of texts that were not drawn, or that were other
            ones then; if one revision of a reader has two rows; if a decision is on fewer than two
            readers.
    """
    held, decided = _held_rows(drawn, files)
    judged = {
        (text.doc_key, text.field): _judge_text(
            text, held.get((text.doc_key, text.field), {}), decided.get((text.doc_key, text.field))
        )
        for text in drawn.texts
    }
    units: dict[int, list[DrawnText]] = {}
    for text in drawn.texts:
        units.setdefault(text.n, []).append(text)
    shown = {n: _judge_unit(texts, judged, opened) for n, texts in sorted(units.items())}
    counted = _counted(drawn, list(shown.values()))
    texts_counted = [judged[text.doc_key, text.field] for unit in counted for text in units[unit.n]]
    finished = [one for one in texts_counted if one.is_finished]
    twice = [one.agreed for one in texts_counted if one.agreed is not None]
    return Judgement(
        counted,
        ReaderRecall(sum(one.planted for one in finished), sum(one.found for one in finished)),
        len({reader for readings in held.values() for reader in readings}),
        len(twice),
        sum(twice),
    )


def _counted(drawn: DrawnList, units: list[JudgedUnit]) -> tuple[JudgedUnit, ...]:
    """All units; where reading may stop, those up to the last that was shown.

    What was drawn for a type alone ends where that type does: each has its own last one.
    """
    if drawn.campaign.method == "fixed":
        return tuple(units)
    ends: dict[str | None, int] = {}
    for unit in units:
        if unit.is_touched:
            ends[unit.stratum if unit.extra else None] = unit.n
    return tuple(
        unit for unit in units if unit.n <= ends.get(unit.stratum if unit.extra else None, 0)
    )


def _held_rows(
    drawn: DrawnList, files: Iterable[MarksFile]
) -> tuple[dict[_Text, dict[str, MarkedText]], dict[_Text, list[MarkedText]]]:
    """Text -> reader -> the row that holds; and text -> the rows that decide on it."""
    texts = {(text.doc_key, text.field): text.text_hmac for text in drawn.texts}
    held: dict[_Text, dict[str, MarkedText]] = {}
    decided: dict[_Text, list[MarkedText]] = {}
    for (is_adjudicated, reader), rows in read_marks(files).items():
        last: dict[_Text, MarkedText] = {}
        for row in rows:
            text = row.doc_key, row.field
            if text not in texts:
                raise UsageError(f"marks: row {row.seq} of a reader is of a text not drawn")
            if row.text_hmac != texts[text]:
                raise UsageError(
                    f"marks: row {row.seq} of a reader is of another text than the run's: it was "
                    "read in another output, or before the run was done again"
                )
            if text in last and row.rev <= last[text].rev:
                raise UsageError(f"marks: row {row.seq} of a reader is no later revision")
            if is_adjudicated and len(row.of) < 2:
                raise UsageError(f"adjudicated: row {row.seq} is of fewer than two readers")
            last[text] = row
        for text, row in last.items():
            if is_adjudicated:
                decided.setdefault(text, []).append(row)
            else:
                held.setdefault(text, {})[reader] = row
    return held, decided


def _judge_text(
    drawn: DrawnText, readings: Mapping[str, MarkedText], decisions: Sequence[MarkedText] | None
) -> _JudgedText:
    done = [row for row in readings.values() if row.verdict == DONE]
    leaks = {of: [_leaks(row.spans, drawn, of) for row in readings.values()] for of in OFS}
    # Whoever has not ended the reading has said nothing yet that could be decided on.
    ended = {reader: row.seq for reader, row in readings.items() if row.verdict != UNFINISHED}
    begun = [row for row in readings.values() if row.verdict == UNFINISHED]
    current = [row for row in decisions or () if dict(row.of) == ended]
    if current:
        # Two people who decided unlike have decided nothing.
        is_finished = (
            bool(done)
            and all(row.verdict == DONE for row in current)
            and len({row.spans for row in current}) == 1
        )
        leaks = {of: [_leaks(row.spans, drawn, of) for row in (*current, *begun)] for of in OFS}
    else:
        given_up = any(row.verdict not in (DONE, UNFINISHED) for row in readings.values())
        is_finished = bool(done) and not given_up
    agreed = None
    if len(done) > 1:
        said = [tuple(bool(_leaks(row.spans, drawn, of)) for of in OFS) for row in done]
        agreed = len(set(said)) == 1
    found = sum(
        all(any(_overlap(mark, one.start, one.end) for mark in row.spans) for row in done)
        for one in drawn.planted
    )
    return _JudgedText(
        {
            of: _merged(stretch for one in found_by for stretch in one)
            for of, found_by in leaks.items()
        },
        is_finished,
        bool(readings),
        len(drawn.planted),
        found if done else 0,
        agreed,
    )


def _judge_unit(
    texts: Sequence[DrawnText], judged: Mapping[_Text, _JudgedText], opened: Set[str]
) -> JudgedUnit:
    found = [judged[text.doc_key, text.field] for text in texts]
    return JudgedUnit(
        texts[0].n,
        texts[0].stratum,
        texts[0].extra,
        {of: sum(len(one.leaks[of]) for one in found) for of in OFS},
        all(one.is_finished for one in found),
        any(one.is_read for one in found) or any(text.doc_key in opened for text in texts),
        all(one.is_read for one in found),
    )


def _leaks(spans: Iterable[MarkedSpan], drawn: DrawnText, of: Of) -> list[tuple[int, int]]:
    """Stretches that are left, as one reader marked them."""
    return [
        (mark.start, mark.end)
        for mark in spans
        if (of == "any" or is_direct(mark.label))
        and not any(one.start <= mark.start and mark.end <= one.end for one in drawn.planted)
        and not (mark.was and mark.was.start <= mark.start and mark.end <= mark.was.end)
    ]


def _overlap(mark: MarkedSpan, start: int, end: int) -> bool:
    return mark.start < end and start < mark.end


def _merged(stretches: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Overlapping stretches as one: two readers mark one leak with other ends."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(stretches):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged
