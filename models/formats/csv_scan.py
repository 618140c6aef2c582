"""Where the records of a CSV file end, found in one pass over blocks of any size.

The rules are those of `delimited`. Extents of records depend on the bytes before them alone, never
on limits, blocks or splits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .csv_dialect import Dialect

LF, CR = 0x0A, 0x0D


class Record(NamedTuple):
    """A record of a file, or a range of it that is malformed.

    Attributes:
        end: offset past its line end.
        content: without its line end; None if it is malformed or over the limit.
        broken_lines: if its quoting is malformed, how many lines it spans; else 0.
    """

    end: int
    content: bytes | None
    broken_lines: int


class RecordScan:
    """The state machine that finds where records end, over blocks of any size.

    Attributes:
        fresh: whether a record may begin here and none has.
        broken: whether the quoting of the record under way is malformed. It then goes on to the
            next quote that can end a cell, and from there to the end of a line.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._delimiter = ord(dialect.delimiter)
        self._quote = ord(dialect.quote) if dialect.quote else -1
        self._escape = ord(dialect.escape) if dialect.escape is not None else -1
        self.begin()

    def begin(self) -> None:
        """Forgets the record under way."""
        self.fresh, self.broken = True, False
        self._state = self._cell

    @property
    def closed(self) -> bool:
        """Whether the record under way could end here."""
        return self._state not in (self._inside, self._after_escape)

    def advance(self, data: bytes, at: int) -> int:
        """Goes on to the end of the record.

        Returns:
            at: past its line feed, with `fresh` set (`broken` then describes the record that
                ended); or the length of `data`, with `fresh` unset unless there was no data.
        """
        if at == len(data):
            return at
        if self.fresh:
            self.begin()
            if (end := self._dialect.end_of_record(data, at)) >= 0:
                return end
            self.fresh = False
        self._line_feed = -1
        while at < len(data):
            at = self._state(data, at)
            if self.fresh:
                break
        return at

    # States: each looks at data[at:], which is not empty, sets the next state, gives the next `at`.

    def _cell(self, data: bytes, at: int) -> int:
        """At the beginning of a cell."""
        if data[at] == self._quote:
            self._state = self._inside
            return at + 1
        return self._plain(data, at)

    def _plain(self, data: bytes, at: int) -> int:
        """In cells without quotes, up to one that has them."""
        # Looked for once, not once a cell: there may be millions before it.
        if self._line_feed < at:
            found = data.find(b"\n", at)
            self._line_feed = found if found >= 0 else len(data)
        if self._quote >= 0:
            opening = data.find(self._dialect.opening, at, self._line_feed)
            if opening >= 0:
                self._state = self._inside
                return opening + 2
        if self._line_feed < len(data):
            return self._end(self._line_feed)
        self._state = self._cell if data[-1] == self._delimiter else self._plain
        return len(data)

    def _inside(self, data: bytes, at: int) -> int:
        """Inside quotes."""
        at = self._dialect.skip_quoted(data, at)
        if at == len(data):
            return at
        self._state = self._after_quote if data[at] == self._quote else self._after_escape
        return at + 1

    def _after_escape(self, data: bytes, at: int) -> int:
        self._state = self._inside
        return at + 1

    def _after_quote(self, data: bytes, at: int) -> int:
        """After a quote inside quotes."""
        sign = data[at]
        if sign == self._delimiter:
            self._state = self._cell
        elif sign == LF:
            return self._end(at)
        elif sign == CR:
            self._state = self._after_return
        elif sign == self._quote and self._escape < 0:
            self._state = self._inside
        else:
            return self._break(at)
        return at + 1

    def _after_return(self, data: bytes, at: int) -> int:
        """After a closing quote and a carriage return."""
        return self._end(at) if data[at] == LF else self._break(at)

    def _break(self, at: int) -> int:
        self.broken = True
        self._state = self._inside
        return at

    def _end(self, line_feed: int) -> int:
        self.fresh = True
        self._state = self._cell
        return line_feed + 1


def read_records(
    dialect: Dialect, blocks: Iterable[bytes], start: int, most_bytes: int
) -> Iterator[Record]:
    """Yields the records of a range that begins with one, in order and without gaps.

    Args:
        dialect: of the file.
        blocks: the range.
        start: its offset in the file.
        most_bytes: more than that of one record are never held.
    """
    scan = RecordScan(dialect)
    pieces: list[bytes] = []
    held = lines = 0  # bytes held, line feeds seen, of the record under way
    dropped = False
    last = LF

    def finished() -> Record:
        content = b"".join(pieces)
        content = content[:-1] if content.endswith(b"\n") else content
        content = content[:-1] if content.endswith(b"\r") else content
        if scan.broken:
            return Record(start, None, lines)
        good = not dropped and len(content) <= most_bytes
        return Record(start, content if good else None, 0)

    for block in blocks:
        at = 0
        while at < len(block):
            end = scan.advance(block, at)
            start += end - at
            if scan.fresh and not pieces and not dropped and not scan.broken:
                # Most records lie in one block.
                stop = end - 2 if end - at > 1 and block[end - 2] == CR else end - 1
                good = stop - at <= most_bytes
                yield Record(start, block[at:stop] if good else None, 0)
                at = end
                continue
            lines += block.count(b"\n", at, end)
            held += end - at
            if not dropped:
                pieces.append(block[at:end])
            if held > most_bytes + 2:  # its line end aside
                pieces, dropped = [], True
            if scan.fresh:
                yield finished()
                pieces, held, lines, dropped = [], 0, 0, False
            at = end
        last = block[-1]
    if held:
        lines += last != LF
        scan.broken |= not scan.closed
        yield finished()


def cut_at_records(
    dialect: Dialect, blocks: Iterable[bytes], start: int, edges: Sequence[int]
) -> Iterator[int]:
    """Yields the first end of a record at or after each edge, ascending, each once."""
    scan = RecordScan(dialect)
    todo = iter(edges)
    edge = next(todo, None)
    for block in blocks:
        at = 0
        while edge is not None and at < len(block):
            if scan.fresh and edge > start + at:
                at = dialect.skip_records(block, at, min(len(block), edge - start))
            if not scan.fresh or start + at < edge:
                at = scan.advance(block, at)
            if scan.fresh and start + at >= edge:
                yield start + at
                while edge is not None and edge <= start + at:
                    edge = next(todo, None)
        if edge is None:
            return
        start += len(block)
